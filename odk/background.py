"""Work in a process of its own, so that whoever asked for it stays free: progress, cancel, and nothing left behind.

`Job("odk.experiment:run_grid", {"trips": trips, "grid": grid})` starts a process that calls that function with the given
arguments and a `progress` callback. Arguments and result pass through a folder that only this user can read; the arguments
are deleted as soon as they are read, the folder when the job is over, is cancelled or forgotten, or when its owner dies.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from odk.errors import InputError, OdkError

State = Literal["running", "done", "refused", "failed", "cancelled"]
PREFIX = "odk-job-"
PERIOD = 0.1
"""Least seconds between two progress reports on the disk."""


class Job:
    """A function that runs in a process of its own."""

    def __init__(self, function: str, arguments: Mapping[str, Any]) -> None:
        """Start it: `function` as "module:name"; it must take `progress(share, message)` too."""
        _find(function)
        _sweep()
        self.function = function
        self.started = time.monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))  # mkdtemp: for this user only
        with (self._folder / "arguments").open("wb") as file:
            pickle.dump((function, dict(arguments)), file)
        root = str(Path(__file__).resolve().parents[1])
        paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        with (self._folder / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "odk.background", str(self._folder)],
                stdin=subprocess.PIPE,  # never written to: it closes when we die, and the job ends with us
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,  # a group of its own, so that processes it starts end with it
            )
        self._over: tuple[State, Any] | None = None
        self._end = weakref.finalize(self, _finish, self._process, self._folder)  # also at the interpreter's exit

    @property
    def state(self) -> State:
        """Where the job stands; "refused" is an OdkError, "failed" a bug or a killed process."""
        if self._over is None and self._process.poll() is not None:
            self._over = self._outcome()
            self._end()
        return "running" if self._over is None else self._over[0]

    @property
    def progress(self) -> tuple[float, str]:
        """Share done (0 to 1) and a short message."""
        if self.state != "running":
            return 1.0, self.state
        try:
            share, message = json.loads((self._folder / "progress").read_text(encoding="utf-8"))
        except FileNotFoundError:  # not reported yet
            return 0.0, "starting"
        return float(share), str(message)

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.monotonic() - self.started

    @property
    def result(self) -> Any:
        """What the function returned; raises its OdkError, or RuntimeError where it failed or is not done."""
        state = self.state
        value = None if self._over is None else self._over[1]
        if state == "done":
            return value
        if state == "refused":
            raise OdkError(value)
        raise RuntimeError(value if state == "failed" else f"{self.function} is {state}")

    def cancel(self) -> None:
        """End the process and all it started; a job that is over stays as it is."""
        if self.state == "running":
            self._over = ("cancelled", None)
            self._end()

    def _outcome(self) -> tuple[State, Any]:
        try:
            with (self._folder / "result").open("rb") as file:
                found: tuple[State, Any] = pickle.load(file)  # written by our own process in our own folder
        except FileNotFoundError:
            said = (self._folder / "errors").read_text(encoding="utf-8", errors="replace").strip()
            return "failed", f"{self.function} ended with code {self._process.returncode}. {said[-2000:]}"
        return found


def _find(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"function ({function!r}) must be module:name of a function that can be imported") from error
    return found


def _finish(process: subprocess.Popen[bytes], folder: Path) -> None:
    """End the process with its group, and delete the folder."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended already
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Delete folders of owners that died together with their jobs (a power cut, say)."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        owner = re.match(rf"{PREFIX}(\d{{1,9}})-", folder.name)
        if owner is None:
            continue
        try:
            os.kill(int(owner[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except PermissionError:  # another user's
            continue


# --- in the process of the job ----------------------------------------------------------------------------------------
def _end_with_owner(folder: Path) -> None:
    """Wait until the owner's end of the pipe closes, which it does however the owner dies; then leave nothing."""
    while os.read(0, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _write(path: Path, content: bytes) -> None:
    """Write a file that readers see whole or not at all."""
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)


def main(folder: Path) -> None:
    """Read what to do, do it, and leave the result."""
    threading.Thread(target=_end_with_owner, args=(folder,), daemon=True).start()
    with (folder / "arguments").open("rb") as file:
        function, arguments = pickle.load(file)  # written by our owner in its own folder
    (folder / "arguments").unlink()
    last = -PERIOD

    def report(share: float, message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PERIOD:
            last = time.monotonic()
            _write(folder / "progress", json.dumps([share, message]).encode())

    outcome: tuple[State, Any]
    try:
        outcome = ("done", _find(function)(**arguments, progress=report))
    except OdkError as error:
        outcome = ("refused", str(error))
    except Exception:  # reported whole to the owner, who raises it
        outcome = ("failed", traceback.format_exc())
    _write(folder / "result", pickle.dumps(outcome))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
