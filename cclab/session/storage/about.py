"""What is in a folder, told without opening it."""

from __future__ import annotations

import json
import math
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cclab.session.snapshot import Snapshot
from cclab.session.storage.disk import write_whole
from cclab.session.storage.journal import ABOUT, JOURNAL, data_path, whole_lines
from cclab.session.storage.lock import in_use
from cclab.session.storage.serialize import packed_dimensions, packed_shape, read_json


@dataclass(frozen=True)
class About:
    """A kept session in a list of such.

    Attributes
    ----------
    data : str
        The name of its data.
    n_samples, n_features : int
    solver : str
    n_statements, n_steps : int
        Up to where it was left, as of when it last was at rest.
    written_at : float
        When it was last written to, in seconds since the epoch.
    n_bytes : int
        What the folder takes on the disk.
    in_use : bool
    """

    data: str
    n_samples: int
    n_features: int
    solver: str
    n_statements: int
    n_steps: int
    written_at: float
    n_bytes: int
    in_use: bool


def write_about(folder: Path, data: Any, snapshot: Snapshot) -> None:
    """Note what `about` tells of a session; where there is no room for it, `about` looks for itself."""
    # Of a painting each stroke is one, not each pixel that it covers.
    said = getattr(snapshot.recipe, "strokes", snapshot.problem.constraints)
    told = {
        "data": data.name,
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "solver": type(snapshot.solver).__name__,
        "n_statements": len(said),
        "n_steps": sum(s.how == "step" for s in snapshot.back()),
    }
    with suppress(OSError):
        write_whole(folder / ABOUT, json.dumps(told).encode(), sync=False)


def about(folder: str | Path) -> About:
    """What the session in a folder is about, without opening it.

    Raises
    ------
    ValueError
        There is no session, or none that can be told anything of.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from cclab import Session
    >>> with TemporaryDirectory() as folder:
    ...     Session("iris", "FCM", journal=folder).close()
    ...     told = about(folder)
    >>> told.data, told.n_samples, told.solver
    ('iris', 150, 'FCM')
    """
    folder = Path(folder)
    if not (folder / JOURNAL).exists():
        raise ValueError(f"there is no session in {folder}")
    try:
        told = _told(folder)
        return About(
            data=str(told["data"]),
            n_samples=int(told["n_samples"]),
            n_features=int(told["n_features"]),
            solver=str(told["solver"]),
            n_statements=int(told["n_statements"]),
            n_steps=int(told["n_steps"]),
            written_at=(folder / JOURNAL).stat().st_mtime,
            n_bytes=sum(file.stat().st_size for file in folder.iterdir() if file.is_file()),
            in_use=in_use(folder),
        )
    except KeyError as error:
        raise ValueError(f"the session in {folder} can't be read: {error} is missing") from None
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"the session in {folder} can't be read: {error}") from None


def _told(folder: Path) -> dict[str, Any]:
    """What was noted, or for a journal of an earlier version what can be seen from outside."""
    noted = folder / ABOUT
    if noted.exists():
        try:
            return read_json(noted.read_bytes(), str(noted))
        except ValueError:  # a power cut
            pass
    path = data_path(folder)
    packed = read_json(path.read_bytes(), str(path))
    if "X" in packed:
        n_samples, n_features = packed_shape(packed["X"])
    else:  # a picture: its pixels by their channels
        height, width, *channels = packed_dimensions(packed["pixels"])
        n_samples, n_features = height * width, math.prod(channels)
    lines, _ = whole_lines(folder / JOURNAL)
    commands = [read_json(line, str(folder / JOURNAL)) for line in lines[1:]]
    solvers = [command["solver"]["name"] for command in commands if "solver" in command]
    verbs = [command.get("verb") for command in commands]
    return {
        "data": packed["name"],
        "n_samples": n_samples,
        "n_features": n_features,
        "solver": solvers[-1],
        "n_statements": verbs.count("constrain") + verbs.count("answer"),
        "n_steps": verbs.count("step"),
    }
