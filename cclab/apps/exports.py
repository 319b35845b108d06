"""What can be taken out of a session: files in memory, ready for the browser to save."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cclab.session import Session
from cclab.widgets.drawing import centers_of, links_of, outlined
from cclab.widgets.encoding import FAINTEST, SHAPES, encode
from cclab.widgets.points.outlines import outline
from cclab.widgets.theme import hex_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cclab.widgets.projections import Projection


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

    def paint(variable: str) -> str:
        return hex_color(variable, dark=dark)

    figure = Figure(figsize=(8, 5), facecolor=paint("--cc-surface"), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=paint("--cc-surface"))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(paint("--cc-line"))
    axes.tick_params(colors=paint("--cc-text3"), labelsize=8)
    axes.set_xlabel(projection.x_label, color=paint("--cc-text3"), fontsize=8)
    axes.set_ylabel(projection.y_label, color=paint("--cc-text3"), fontsize=8)
    _draw_outlines(axes, session, projection.xy, paint)
    _draw_links(axes, session, projection.xy, paint)
    _draw_samples(axes, session, projection.xy, mode, threshold, paint)
    centers = centers_of(session.current)
    if centers is not None:
        cross = {"marker": "P", "s": 70, "color": paint("--cc-ink"), "edgecolor": paint("--cc-surface")}
        axes.scatter(*projection.place(centers).T, **cross, zorder=4)
    legend = axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=8, frameon=False, fontsize=8)
    for text in legend.get_texts():
        text.set_color(paint("--cc-text2"))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return File(f"{_stem(session)}.png", buffer.getvalue(), "image/png")


def _draw_samples(axes: Axes, session: Session, xy, mode, threshold, paint) -> None:
    snapshot = session.current
    encoding = encode(mode, snapshot.partition, snapshot.state.cluster_ids, session.data, threshold)
    size = float(np.clip(40_000 / len(xy), 2, 36))
    markers = {"circle": "o", "diamond": "D", "square": "s", "outlier": "o"}
    for sign in encoding.legend:
        color = encoding.palette.index(sign.color)
        chosen = (encoding.color == color) & (encoding.shape == SHAPES.index(sign.shape))
        style = {"marker": markers[sign.shape], "s": size, "linewidths": 0.5, "label": sign.name, "zorder": 3}
        if sign.shape == "outlier":
            axes.scatter(*xy[chosen].T, **style | {"facecolors": "none", "edgecolors": paint(sign.color)})
            axes.scatter(*xy[chosen].T, marker="x", s=size / 3, linewidths=0.7, color=paint(sign.color), zorder=3)
        else:
            opacity = FAINTEST + (1 - FAINTEST) * encoding.certainty[chosen]
            axes.scatter(*xy[chosen].T, color=paint(sign.color), alpha=opacity, edgecolors=paint("--cc-text2"), **style)


def _draw_links(axes: Axes, session: Session, xy, paint) -> None:
    links = links_of(session.constraints, xy)
    violated = np.isin(links.ids, session.constraints.satisfaction(session.labels).violated_ids)
    for (i, j), cannot, bad, weight in zip(links.pairs, links.cannot, violated, links.weight):
        color = paint("--cc-bad" if bad else "--cc-text3")
        style = "--" if cannot else "-"
        axes.plot(*xy[[i, j]].T, style, color=color, linewidth=1, alpha=0.3 + 0.7 * weight, zorder=2)


def _draw_outlines(axes: Axes, session: Session, xy, paint) -> None:
    low, span = xy.min(axis=0), np.maximum(np.ptp(xy, axis=0), 1e-12)
    for name, members in outlined(session.constraints):
        drawn = outline(name, (xy[members] - low) / span)
        polygon = drawn.polygon * span + low
        axes.fill(*polygon.T, facecolor=paint("--cc-sunken"), edgecolor=paint("--cc-text2"), linewidth=1, zorder=1)
        axes.annotate(name, drawn.anchor * span + low, color=paint("--cc-text2"), fontsize=9, fontweight="bold")


def _stem(session: Session) -> str:
    """A name for files: the data's, in plain letters."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in session.data.name) or "session"
