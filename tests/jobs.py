"""Functions that tests run in processes of their own."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from odk.errors import InputError

Progress = Callable[[float, str], None]


def double(number: int, progress: Progress) -> int:
    progress(0.5, "half way")
    return 2 * number


def refuse(progress: Progress) -> None:
    raise InputError("k (1) must be at least 2")


def fall(progress: Progress) -> None:
    raise ZeroDivisionError("a bug")


def linger(folder: str, progress: Progress) -> None:
    """Start a process of its own, say both are here, and never end."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(folder, "child").write_text(str(child.pid))
    progress(0.25, "a quarter")
    Path(folder, "ready").touch()
    time.sleep(600)
