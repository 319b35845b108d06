"""A session as a figure of matplotlib, in the colours and shapes of the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cclab.looks.encoding import Encoding, Look, encode, shown_partition
from cclab.looks.lines import centers_of, lines_of, outlined
from cclab.looks.outlines import outline
from cclab.looks.palette import RAMP, hex_color
from cclab.looks.projections import Projection, project
from cclab.looks.signs import DASH, FORMS, LINK_NAMES, SHAPES, link_opacity, link_width, sample_opacity
from cclab.session import Session

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Paint = Callable[[str], str]

#: Points of a figure that a pixel of the page stands for.
_PIXEL = 0.75


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
        What colours mean: "belief", or another of `cclab.looks.encoding.MODES`.
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
    _draw_samples(axes, session, projection.xy, mode, threshold, paint)
    _draw_links(axes, session, projection.xy, paint)
    _draw_outlines(axes, session, projection.xy, paint)
    centers = centers_of(session.current)
    if centers is not None:
        cross: dict[str, Any] = {"marker": "P", "s": 70, "color": paint("--cc-ink"), "edgecolor": paint("--cc-surface")}
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


def _draw_samples(axes: Axes, session: Session, xy: NDArray, mode: str, threshold: float | None, paint: Paint) -> None:
    from matplotlib.colors import to_rgba, to_rgba_array

    snapshot = session.current
    mode, partition = shown_partition(mode, snapshot.state)
    encoding = encode(mode, partition, Look.of(snapshot), session.data, threshold)
    size = float(np.clip(40_000 / len(xy), 2, 36))
    edge = paint("--cc-edge")
    if encoding.bar is not None:
        _draw_bar(axes, encoding, xy, size, paint)
    for sign in encoding.legend:
        form, color = FORMS[sign.shape], paint(sign.color)
        chosen = (encoding.color == encoding.palette.index(sign.color)) & (encoding.shape == SHAPES.index(sign.shape))
        area = size * form.extent**2
        style: dict[str, Any] = {"marker": form.corners or "o", "s": area, "linewidths": 0.5, "zorder": 3}
        if form.hollow:
            style |= {"facecolors": "none", "edgecolors": color, "label": sign.name}
            axes.scatter(*xy[chosen].T, **style)
            x, y = xy[chosen].T
            axes.scatter(x, y, marker="x", s=area / 2, linewidths=0.5, color=color, zorder=3)
        else:
            opacity = sample_opacity(encoding.certainty[chosen])
            axes.scatter([], [], **style, label=sign.name, facecolors=to_rgba(color, sign.opacity), edgecolors=edge)
            style |= {"edgecolors": to_rgba_array(edge, to_rgba(edge)[3] * opacity)}
            axes.scatter(*xy[chosen].T, **style, facecolors=to_rgba_array(color, opacity))


def _draw_bar(axes: Axes, encoding: Encoding, xy: NDArray, size: float, paint: Paint) -> None:
    """Samples along the ramp, with its two ends in the legend."""
    assert encoding.bar is not None
    known = encoding.color < len(RAMP)
    colors = np.array([paint(name) for name in RAMP])
    look: dict[str, Any] = {"s": size, "linewidths": 0.5, "edgecolors": paint("--cc-edge"), "zorder": 3}
    axes.scatter(xy[known, 0], xy[known, 1], c=colors[encoding.color[known]], **look)
    for value, color in ((f"{encoding.bar.name} {encoding.bar.low}", colors[0]), (encoding.bar.high, colors[-1])):
        axes.scatter([], [], label=value, c=[color], **look)


def _draw_links(axes: Axes, session: Session, xy: NDArray, paint: Paint) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba_array

    links = lines_of(session.constraints, xy)
    violated = np.isin(links.ids, session.current.satisfaction.violated_ids)
    if not len(links):
        return
    width = _PIXEL * link_width(links.levels(session.state.emphasis()), violated)
    colors = [paint("--cc-bad" if bad else "--cc-text3") for bad in violated]
    # matplotlib counts dashes in widths of their line.
    dashes = [
        (0, tuple(_PIXEL * length / line for length in DASH)) if cannot else "-"
        for line, cannot in zip(width, links.cannot)
    ]
    rgba = to_rgba_array(colors, link_opacity(links.weight))
    lines = LineCollection(list(xy[links.pairs]), colors=rgba, linewidths=width, linestyles=dashes, zorder=2)
    axes.add_collection(lines, autolim=False)
    for kind in links.kinds(violated):
        color = paint("--cc-bad" if kind == "violated" else "--cc-text3")
        axes.plot([], [], "-" if kind == "must" else "--", color=color, linewidth=1, label=LINK_NAMES[kind])


def _draw_outlines(axes: Axes, session: Session, xy: NDArray, paint: Paint) -> None:
    low, span = xy.min(axis=0), np.maximum(np.ptp(xy, axis=0), 1e-12)
    label: str | None = "group"
    for name, members in outlined(session.constraints):
        drawn = outline(name, (xy[members] - low) / span)
        x, y = (drawn.polygon * span + low).T
        inside, edge = paint("--cc-shade"), paint("--cc-text2")
        axes.fill(x, y, facecolor=inside, edgecolor=edge, linewidth=_PIXEL * 1.2, zorder=1, label=label)
        label = None
        axes.annotate(name, drawn.anchor * span + low, color=paint("--cc-text2"), fontsize=9, fontweight="bold")
