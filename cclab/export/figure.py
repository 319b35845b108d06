"""A session as a figure of matplotlib, in the colours and shapes of the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cclab.session import Session
from cclab.widgets.drawing import centers_of, links_of, outlined
from cclab.widgets.encoding import FAINTEST, SHAPES, encode, shown_partition
from cclab.widgets.points.outlines import outline
from cclab.widgets.projections import Projection, project
from cclab.widgets.theme import hex_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Paint = Callable[[str], str]


def draw(
    session: Session,
    axes: Axes | None = None,
    *,
    by: Projection | Sequence[str] | None = None,
    mode: str = "belief",
    threshold: float | None = None,
    dark: bool = False,
) -> Axes:
    """Draw the samples, what is known of them, and the clusters.

    Parameters
    ----------
    session : Session
    axes : matplotlib Axes, optional
        Default: new ones.
    by : Projection or two names of features, optional
        Where the samples lie; default: the first two principal components.
    mode : str
        What colours mean: "belief", or another of `cclab.widgets.encoding.MODES`.
    threshold : float, optional
        For outliers; default: the belief's own.
    dark : bool

    Returns
    -------
    Axes
    """
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(figsize=(8, 5), layout="constrained")[1]
    projection = by if isinstance(by, Projection) else _projection(session, by)

    def paint(variable: str) -> str:
        return hex_color(variable, dark=dark)

    _dress(axes, projection, paint)
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
    return axes


def _projection(session: Session, features: Sequence[str] | None) -> Projection:
    names = list(session.data.feature_names)
    if features is None:
        return project(session.data, "pca" if len(names) > 1 else "0 0")
    unknown = [name for name in features if name not in names]
    if unknown or len(features) != 2:
        raise ValueError(f"by must name two features of {names[:8]}, got {tuple(features)}")
    return project(session.data, " ".join(str(names.index(name)) for name in features))


def _dress(axes: Axes, projection: Projection, paint: Paint) -> None:
    axes.set_facecolor(paint("--cc-surface"))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(paint("--cc-line"))
    axes.tick_params(colors=paint("--cc-text3"), labelsize=8)
    axes.set_xlabel(projection.x_label, color=paint("--cc-text3"), fontsize=8)
    axes.set_ylabel(projection.y_label, color=paint("--cc-text3"), fontsize=8)


def _draw_samples(axes: Axes, session: Session, xy: NDArray, mode, threshold, paint: Paint) -> None:
    snapshot = session.current
    mode, partition = shown_partition(mode, snapshot.state)
    encoding = encode(mode, partition, snapshot.state.cluster_ids, session.data, threshold)
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
            style |= {"color": paint(sign.color), "edgecolors": paint("--cc-text2")}
            axes.scatter([], [], **style)  # for the legend, in full colour
            axes.scatter(*xy[chosen].T, alpha=opacity, **style | {"label": None})


def _draw_links(axes: Axes, session: Session, xy: NDArray, paint: Paint) -> None:
    links = links_of(session.constraints, xy)
    violated = np.isin(links.ids, session.constraints.satisfaction(session.labels).violated_ids)
    for (i, j), cannot, bad, weight in zip(links.pairs, links.cannot, violated, links.weight):
        color = paint("--cc-bad" if bad else "--cc-text3")
        style = "--" if cannot else "-"
        axes.plot(*xy[[i, j]].T, style, color=color, linewidth=1, alpha=0.3 + 0.7 * weight, zorder=2)


def _draw_outlines(axes: Axes, session: Session, xy: NDArray, paint: Paint) -> None:
    low, span = xy.min(axis=0), np.maximum(np.ptp(xy, axis=0), 1e-12)
    for name, members in outlined(session.constraints):
        drawn = outline(name, (xy[members] - low) / span)
        polygon = drawn.polygon * span + low
        axes.fill(*polygon.T, facecolor=paint("--cc-sunken"), edgecolor=paint("--cc-text2"), linewidth=1, zorder=1)
        axes.annotate(name, drawn.anchor * span + low, color=paint("--cc-text2"), fontsize=9, fontweight="bold")
