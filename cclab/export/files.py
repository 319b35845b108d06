"""What can be taken out of a session: files in memory, ready for the browser to save."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cclab.apps.figures import draw
from cclab.session import Session
from cclab.widgets.projections import Projection
from cclab.widgets.theme import hex_color


@dataclass(frozen=True)
class File:
    """A file to be saved.

    Attributes
    ----------
    name : str
    data : bytes
    media_type : str
    """

    name: str
    data: bytes
    media_type: str


def labels_csv(session: Session) -> File:
    """One row a sample: its name, its cluster (from 1), whether it is an outlier, and the belief."""
    frame = session.partition.to_frame()
    frame["label"] = np.asarray(session.state.cluster_ids)[session.labels] + 1
    names = session.data.sample_names
    frame.insert(0, "sample", np.arange(len(frame)) if names is None else list(names))
    return File(f"{_stem(session)}-labels.csv", frame.to_csv(index=False).encode(), "text/csv")


def constraints_csv(session: Session) -> File:
    """One row a statement; `ConstraintSet.from_frame` and the page's import read it."""
    frame: pd.DataFrame = session.constraints.to_frame()
    return File(f"{_stem(session)}-constraints.csv", frame.to_csv(index=False).encode(), "text/csv")


def session_json(session: Session) -> File:
    """The whole session; `Session.load` and the page's Open read it."""
    return File(f"{_stem(session)}-session.json", json.dumps(session.to_json()).encode(), "application/json")


def code(session: Session) -> File:
    """A script that gives the same labels."""
    return File(f"{_stem(session)}.py", session.to_code().encode(), "text/x-python")


def figure_png(
    session: Session,
    projection: Projection,
    *,
    mode: str = "belief",
    threshold: float | None = None,
    dark: bool = False,
    dpi: int = 200,
) -> File:
    """The scatter as a picture, drawn here: the browser's own export would not know our colours."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), facecolor=hex_color("--cc-surface", dark=dark), layout="constrained")
    FigureCanvasAgg(figure)
    draw(session, figure.add_subplot(), by=projection, mode=mode, threshold=threshold, dark=dark)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return File(f"{_stem(session)}.png", buffer.getvalue(), "image/png")


def _stem(session: Session) -> str:
    """A name for files: the data's, in plain letters."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in session.data.name) or "session"
