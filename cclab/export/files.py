"""What can be taken out of a session: files in memory, ready for the browser to save."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cclab.core.beliefs.numbering import living_first, numbers_in
from cclab.export.figure import draw
from cclab.looks.palette import hex_color
from cclab.looks.projections import Projection
from cclab.session import Session
from cclab.session.frame import belief_by_row


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
    """One row for each row of the original table: its number and id, its cluster (from 1) and its name, and the belief.

    Rows that were dropped are there, with empty cells; so the file can be laid beside the table as it is.
    """
    here, rows = session.current, session.data.rows
    order = living_first(here.partition)
    numbers, given = numbers_in(order), here.cluster_names
    names = {int(numbers[place]): each.name for place, each in given.items() if each.name}
    frame = belief_by_row(session.data, here.partition.reordered(order), names, first=1)
    if rows.has_own_index and rows.ids != tuple(map(str, rows.index)):
        frame = frame.reset_index(names=_index_names(rows.index))
    if rows.ids is not None:
        frame.insert(0, "id", list(rows.ids))
    frame.insert(0, "row", np.arange(rows.n_rows))
    return File(f"{file_stem(session)}-labels.csv", frame.to_csv(index=False).encode(), "text/csv")


def _index_names(index: pd.Index) -> list[str]:
    return ["index"] if index.nlevels == 1 else [f"index_{level + 1}" for level in range(index.nlevels)]


def constraints_csv(session: Session) -> File:
    """One row for each statement; `ConstraintSet.from_frame` and the page's import read it."""
    frame: pd.DataFrame = session.constraints.to_frame(session.data, first=1)
    frame = frame.map(lambda cell: json.dumps(cell) if isinstance(cell, list) else cell)
    return File(f"{file_stem(session)}-constraints.csv", frame.to_csv(index=False).encode(), "text/csv")


def session_json(session: Session) -> File:
    """The whole session; `Session.load` and the page's Open read it."""
    return File(f"{file_stem(session)}-session.json", json.dumps(session.to_json()).encode(), "application/json")


def code(session: Session) -> File:
    """A script that gives the same labels."""
    return File(f"{file_stem(session)}.py", session.to_code().encode(), "text/x-python")


def figure_png(
    session: Session,
    projection: Projection | None,
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
    return File(f"{file_stem(session)}.png", buffer.getvalue(), "image/png")


def file_stem(session: Session) -> str:
    """A name for files: the data's, in plain letters."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in session.data.name) or "session"
