"""Programs from npm, installed beside the virtual environment's packages; and a browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def installed(*packages: str) -> Path:
    """The folder with the packages' `node_modules`; the test is skipped where npm is not there."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed: {', '.join(packages)} come from there")
    name = "-".join(package.strip("@").replace("/", "-") for package in packages)
    home = Path(sys.prefix) / "clients" / name
    if not (home / "done").exists():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run(
            [npm, "install", "--prefix", home, *quiet, *packages],
            check=True,
            # Playwright would fetch its own browsers; the machine's is used.
            env={**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"},
        )
        (home / "done").touch()
    return home


def browser() -> str:
    """The machine's browser, from apt where that can be; else the test is skipped."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "chromium"], check=False)
        found = shutil.which("chromium")
    if found is None:
        pytest.skip("no browser: install chromium")
    return found
