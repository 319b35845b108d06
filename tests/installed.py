"""Asks an installed cclab for its gallery, its documents and a dashboard: ``make dist-check``."""

import re
import subprocess
import sys
import time
import urllib.request

COMMAND = [sys.executable, "-m", "cclab", "app", "--no-browser", "--workers", "1"]


def main() -> None:
    """Start the server, ask for pages, say how long they took."""
    began = time.perf_counter()
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as server:
        try:
            home = re.search(r"http://\S+", server.stdout.readline())[0]
            for path, words in [("", "Workbench"), ("docs/", "Start here"), ("open/workbench", "cclab")]:
                with urllib.request.urlopen(home + path, timeout=120) as answer:
                    assert words in answer.read().decode(), path
                print(f"{path or 'gallery'}: there after {time.perf_counter() - began:.1f} s")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
