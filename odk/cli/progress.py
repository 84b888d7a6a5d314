"""Progress on standard error: one line that is written over, and only where a person watches it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 24


@contextmanager
def progress() -> Iterator[Callable[[float, str], None] | None]:
    """A progress callback while standard error is a terminal, else None; the line is wiped at the end."""
    if not sys.stderr.isatty():
        yield None
        return

    def tell(share: float, message: str) -> None:
        done = round(share * WIDTH)
        sys.stderr.write(f"\r[{'#' * done}{'.' * (WIDTH - done)}] {message[:90]}\033[K")
        sys.stderr.flush()

    try:
        yield tell
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
