"""Find Chromium, or install it: `python tests/browser/chromium.py` prints where it is.

With ``--system`` only the system's packages are tried, and it is no error if they have none.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ADVICE = "Install Chromium, with the package `chromium` of your system or with: python -m playwright install chromium"


def find() -> str | None:
    """Where Chromium is: the system's own, else the one that Playwright keeps, else None."""
    return next(filter(None, map(shutil.which, NAMES)), None) or _find_playwright()


def install_by_system() -> None:
    """Install it with the system's packages, where we may."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-qq", "-y", "chromium", "fonts-liberation"], check=False, **quiet)


def install() -> None:
    """Install it, with the system's packages where we may, else with Playwright."""
    install_by_system()
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _find_playwright() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


if __name__ == "__main__":
    system_only = "--system" in sys.argv
    if find() is None:
        install_by_system() if system_only else install()
    found = find()
    print(f"Chromium: {found}" if found else f"There is no Chromium. {ADVICE}")
    sys.exit(found is None and not system_only)
