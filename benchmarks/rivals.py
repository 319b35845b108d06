"""Other libraries, each in a virtual environment of its own: what they need may be older than what cclab runs on.

Environments are made once, in the folder that CCLAB_RIVALS names, or in the user's cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path
from typing import Any

import platformdirs


class NotToBeHad(RuntimeError):
    """A library can't be installed here, or fails."""


def python_of(name: str, module: str, needs: list[str]) -> str:
    """The interpreter of an environment that has these packages, made if need be."""
    cache = Path(os.environ.get("CCLAB_RIVALS") or platformdirs.user_cache_path("cclab") / "rivals")
    folder = cache / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode if python.exists() else 1:
        venv.create(folder, with_pip=True, clear=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", *needs], capture_output=True, text=True)
        if done.returncode:
            raise NotToBeHad(f"{name} can't be installed: {done.stderr.strip().splitlines()[-1]}")
    return str(python)


def ask(python: str, script: str, given: Any) -> Any:
    """What a script prints as JSON when it is given JSON."""
    done = subprocess.run([python, "-c", script], input=json.dumps(given), env=_alone(), capture_output=True, text=True)
    if done.returncode:
        raise NotToBeHad(f"it failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def ask_for_lines(python: str, script: str, given: Any, seconds: float) -> tuple[list[Any], bool]:
    """The lines of JSON that a script prints within so many seconds, and whether it came to its end."""
    command = [python, "-c", script]
    try:
        done = subprocess.run(
            command, input=json.dumps(given), env=_alone(), capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
        lines = (printed.decode() if isinstance(printed, bytes) else printed).splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")], False
    if done.returncode:
        raise NotToBeHad(f"it failed: {done.stderr.strip().splitlines()[-1]}")
    return [json.loads(line) for line in done.stdout.splitlines()], True


def _alone() -> dict[str, str]:
    """The environment of a process that uses one thread, and none of our modules."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | one_thread
