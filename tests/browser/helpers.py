"""What browser tests use by hand: which Chromium, when a page is idle, what is drawn, what must not happen on it."""

import io
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
# Software WebGL, and a browser that talks to nobody by itself.
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'


@contextmanager
def running_app(log: Path) -> Iterator[str]:
    """The app on a free port: its address. `log` takes what it says."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    home = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    options = ["--server.headless=true", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, *options], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(home + "/_stcore/health", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                if server.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the app did not start:\n{log.read_text()}") from None
                time.sleep(0.1)
        yield home
    finally:
        server.terminate()
        server.wait(10)


def chromium_path() -> str | None:
    """Return an installed Chromium: $ODK_CHROMIUM (set by make test), else one on the path, else Playwright's own."""
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    found = os.environ.get("ODK_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found:
        return found
    with sync_playwright() as p:
        own = p.chromium.executable_path
    return own if Path(own).exists() else None


def wait_idle(page: Page, timeout: float = 60) -> None:
    """Wait until the page's script has run to its end (timeout in seconds)."""
    page.wait_for_selector(IDLE, timeout=timeout * 1000)
    # A click reaches the server a moment later: idle counts when it has lasted.
    for _ in range(3):
        page.wait_for_timeout(50)
        page.wait_for_selector(IDLE, timeout=timeout * 1000)


def drawn(map_: Locator, timeout: float = 20, least: float = 0.02) -> bool:
    """Whether a map shows something within a time (seconds): more than 2% of its pixels off the commonest colour.

    Layers are drawn after the script has ended, later on a busy machine; so it is asked again until then.
    """
    for _ in range(int(timeout / 0.25)):
        pixels = np.asarray(Image.open(io.BytesIO(map_.screenshot())).convert("RGB")).astype(np.int64)
        colour = (pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]).ravel()
        if 1 - np.unique(colour, return_counts=True)[1].max() / colour.size > least:
            return True
        map_.page.wait_for_timeout(250)
    return False


def watch(page: Page, home: str) -> Page:
    """Note on `page.problems` what must not happen: console errors and requests to anywhere but the app."""
    problems: list[str] = []
    page.problems = problems  # type: ignore[attr-defined]
    allowed = (home, home.replace("http", "ws", 1), "data:", "blob:")

    def console(message: ConsoleMessage) -> None:
        place = message.location.get("url", "")
        # Streamlit's script looks for its server below the page's own address first, and then where it is.
        if message.type == "error" and not place.endswith(("/_stcore/health", "/_stcore/host-config")):
            problems.append(f"console: {message.text} {place}")

    def request(request: Request) -> None:
        if not request.url.startswith(allowed):
            problems.append(f"outside request: {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: problems.append(f"script: {error}"))
    page.on("request", request)
    return page
