"""Jobs: results, refusals, bugs, cancel; and that neither processes nor files outlive their owner."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import odk
from odk.background import PREFIX, Job

ROOT = Path(__file__).resolve().parents[1]


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never held"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent to notice does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own temporary folder, to see what is left in it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def jobs_in(folder: Path) -> list[Path]:
    return list(folder.glob(f"{PREFIX}*"))


def test_a_job_returns_what_the_function_returns(folders: Path):
    job = Job("tests.jobs:double", {"number": 21})
    until(lambda: job.state != "running")
    assert job.state == "done"
    assert job.result == 42
    assert jobs_in(folders) == []


def test_a_refusal_is_an_error_of_ours_and_a_bug_is_not(folders: Path):
    refused, failed = Job("tests.jobs:refuse", {}), Job("tests.jobs:fall", {})
    until(lambda: "running" not in (refused.state, failed.state))
    with pytest.raises(odk.OdkError, match=r"k \(1\) must be at least 2"):
        _ = refused.result
    assert failed.state == "failed"
    with pytest.raises(RuntimeError, match="ZeroDivisionError: a bug"):
        _ = failed.result
    assert jobs_in(folders) == []


def test_a_function_that_is_not_there_is_refused_at_once(folders: Path):
    with pytest.raises(odk.InputError, match="must be module:name"):
        Job("tests.jobs:nothing", {})
    assert jobs_in(folders) == []


def test_the_arguments_are_private_and_gone_once_read(folders: Path):
    job = Job("tests.jobs:linger", {"folder": str(folders)})
    (folder,) = jobs_in(folders)
    assert folder.stat().st_mode & 0o077 == 0  # nobody else may look in
    until((folders / "ready").exists)
    assert not (folder / "arguments").exists()
    job.cancel()


def test_cancel_ends_the_process_and_all_it_started(folders: Path):
    job = Job("tests.jobs:linger", {"folder": str(folders)})
    until((folders / "ready").exists)
    until(lambda: job.progress == (0.25, "a quarter"))
    child, pid = int((folders / "child").read_text()), job._process.pid
    job.cancel()
    assert job.state == "cancelled"
    until(lambda: not alive(child) and not alive(pid))
    assert jobs_in(folders) == []
    with pytest.raises(RuntimeError, match="cancelled"):
        _ = job.result
    job.cancel()  # twice is no mistake


def test_a_job_that_nobody_holds_any_more_ends(folders: Path):
    job = Job("tests.jobs:linger", {"folder": str(folders)})
    until((folders / "ready").exists)
    pid = job._process.pid
    del job
    gc.collect()
    until(lambda: not alive(pid))
    assert jobs_in(folders) == []


def test_a_job_ends_with_its_owner_however_that_dies(folders: Path):
    code = (
        "import time; from odk.background import Job; "
        f"job = Job('tests.jobs:linger', {{'folder': {str(folders)!r}}}); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    until((folders / "ready").exists)
    child = int((folders / "child").read_text())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    until(lambda: not alive(child))
    until(lambda: jobs_in(folders) == [])


def test_folders_of_dead_owners_are_swept(folders: Path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left, ours = folders / f"{PREFIX}{dead.pid}-x", folders / f"{PREFIX}{os.getpid()}-x"
    left.mkdir()
    ours.mkdir()
    (folders / f"{PREFIX}{10**30}-x").mkdir()  # no number of a process: not ours, and no reason to stop
    job = Job("tests.jobs:double", {"number": 1})
    assert not left.exists()
    assert ours.exists()
    until(lambda: job.state == "done")
