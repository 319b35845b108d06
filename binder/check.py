"""Build Binder's environment here, by Binder's own files, and open the gallery in it.

Run by hand: ``python binder/check.py`` (some minutes, and the network). Binder installs the packages with conda; where
there is none, pip installs the same list into an empty virtual environment. Then `postBuild` runs, a Jupyter server is
started as Binder does it, and the gallery, each dashboard and each notebook are asked for.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
TOKEN = "binder-check"
PATIENCE = 120


def packages() -> list[str]:
    """What Binder's environment asks for, without Python and pip themselves."""
    listed = yaml.safe_load((ROOT / "binder/environment.yml").read_text(encoding="utf-8"))["dependencies"]
    return [item for item in listed if item != "pip" and not item.startswith("python=")]


def build(folder: Path) -> Path:
    """Make the environment in `folder` and run `postBuild`; the folder of its commands."""
    venv.create(folder, with_pip=True)
    commands = folder / "bin"
    print(f"Installing {len(packages())} packages with pip, which stands in for conda", flush=True)
    subprocess.run([commands / "python", "-m", "pip", "install", "--quiet", *packages()], check=True)
    activated = os.environ | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(folder)}
    print("Running postBuild", flush=True)
    subprocess.run([ROOT / "binder/postBuild"], cwd=ROOT, env=activated, check=True)
    return commands


class Jupyter:
    """A Jupyter server of that environment, started in the checkout as Binder does."""

    def __init__(self, commands: Path, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        options = [
            "--ip=127.0.0.1",
            f"--port={port}",
            "--no-browser",
            "--allow-root",
            f"--IdentityProvider.token={TOKEN}",
        ]
        folders = {name: str(home) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
        self.log = home / "jupyter.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [commands / "jupyter", "lab", *options], cwd=ROOT, env=os.environ | folders, stdout=log, stderr=log
            )

    def get(self, path: str) -> str:
        """A page, as a visitor with the token gets it."""
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("api")
                return
            except OSError:
                time.sleep(0.5)
        raise SystemExit(f"Jupyter did not start:\n{self.log.read_text()[-2000:]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def check(jupyter: Jupyter) -> None:
    """The gallery with its cards, each dashboard run to its end, each notebook where its link says."""
    cards = sorted(path.stem for path in (ROOT / "cclab/apps/notebooks").glob("*.ipynb"))
    gallery = jupyter.get("cclab/")
    missing = [name for name in cards if f"open/{name}" not in gallery]
    if missing:
        raise SystemExit(f"The gallery lacks {', '.join(missing)}")
    print(f"The gallery has {len(cards)} cards", flush=True)
    for name in cards:
        page = jupyter.get(f"cclab/open/{name}")
        if "could not be opened" in page or "application/vnd.jupyter.widget-view+json" not in page:
            raise SystemExit(f"{name} shows no widgets")
        print(f"{name} opens", flush=True)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        model = json.loads(jupyter.get(f"api/contents/notebooks/{path.name}?content=0"))
        print(f"lab/tree/{model['path']} is there", flush=True)


def main() -> None:
    print(f"Python {sys.version.split()[0]}; Binder's own is named in binder/environment.yml", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        commands = build(Path(folder) / "environment")
        jupyter = Jupyter(commands, Path(folder))
        try:
            jupyter.wait()
            check(jupyter)
        finally:
            jupyter.stop()
    print("All is well")


if __name__ == "__main__":
    main()
