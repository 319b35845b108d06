"""Small charts, in the theme's colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import bqplot
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.session import Session, Snapshot
from cclab.widgets.watch.ticks import put_ticks, ticks

MOST_POINTS = 500

_MARGIN = {"top": 6, "bottom": 18, "left": 36, "right": 14}
#: Width of a digit of an axis and of what stands between it and the axis, in pixels.
_DIGIT, _BESIDE = 6.4, 12
#: The first values are cut off where the others span so many times less than all.
_FLATTENED = 5
_HEIGHT = "84px"
#: Length of an axis and least distance of its ticks, in pixels.
_ACROSS, _UP = (320, 50), (60, 18)
#: How all lines but the first are told apart.
STYLES = ("solid", "dashed", "dotted", "dash_dotted")
#: So many letters fit under the bars of a chart; beyond, names are slanted.
_LETTERS = 46


def _figure(marks: list[bqplot.Mark], axes: list[bqplot.Axis], **options: object) -> bqplot.Figure:
    return bqplot.Figure(
        marks=marks,
        axes=axes,
        fig_margin=_MARGIN,
        background_style={"fill": "transparent"},
        display_toolbar=False,
        layout={"width": "100%", "height": _HEIGHT, "min_width": "0", "min_height": "0"},
        animation_duration=0,
        **options,
    )


class Course:
    """Lines over a stretch of the timeline, with a marker at the current place.

    Parameters
    ----------
    low, high : float, optional
        Bounds of the values; without them they follow the data, and first values that would flatten all that come
        after are cut off, which an arrow with the largest of them tells.
    styles : sequence of str
        Styles of the lines after the first (which is in ink), over and over.
    """

    def __init__(self, low: float | None = None, high: float | None = None, styles: Sequence[str] = STYLES) -> None:
        self._bounds = (low, high)
        self._styles = styles
        self.x = bqplot.LinearScale(min=0, max=1)
        self.y = bqplot.LinearScale(min=0, max=1)
        self.x_axis = bqplot.Axis(scale=self.x, grid_lines="none", tick_format="d", tick_values=[0, 1])
        self.y_axis = bqplot.Axis(
            scale=self.y, side="left", grid_lines="solid", tick_values=[0, 1], tick_labels={"0": "0"}
        )
        self.lines: list[bqplot.Lines] = []
        self.marker = bqplot.Lines(
            x=[0, 0],
            y=[0, 1],
            scales={"x": self.x, "y": bqplot.LinearScale(min=0, max=1)},
            colors=["var(--cc-focus)"],
            stroke_width=1.5,
        )
        self.cut = bqplot.Label(
            x=[0.0],
            y=[1.0],
            text=[""],
            scales=self.marker.scales,
            colors=["var(--cc-text3)"],
            default_size=11,
            font_weight="normal",
            align="end",
            x_offset=-5,
            y_offset=9,
        )
        self.widget = _figure([self.marker, self.cut], [self.x_axis, self.y_axis])

    def show(self, places: NDArray, series: Sequence[ArrayLike], position: int) -> None:
        """Draw a line for each of `series`, whose values belong to `places` on the timeline."""
        self._have_lines(len(series))
        values = [np.asarray(line, dtype=float) for line in series]
        for mark, line in zip(self.lines, values):
            with mark.hold_sync():
                mark.x, mark.y = places, line
        skipped = n_flattening(values) if self._bounds == (None, None) else 0
        low, high = self._range([line[skipped:] for line in values])
        if skipped:
            high += 0.25 * (high - low)
        first = float(min(places, default=0))
        last = max(float(max(places, default=0)), first + 1)
        self._say_what_is_cut(values, skipped, last)
        with self.x.hold_sync():
            self.x.min, self.x.max = first, last
        put_ticks(self.x_axis, np.unique(ticks(first, last, *_ACROSS)[0].round()), "d")
        self._show_range(low, high)
        self.mark(int(np.clip(position, first, last)))

    def _show_range(self, low: float, high: float) -> None:
        at, form, letters = short_ticks(low, high)
        margin = _MARGIN | {"left": max(_MARGIN["left"], int(_BESIDE + _DIGIT * letters))}
        if self.widget.fig_margin != margin:
            self.widget.fig_margin = margin
        self.y_axis.tick_format = form  # before anything moves: see `put_ticks`
        with self.y.hold_sync():
            self.y.min, self.y.max = low, high
        put_ticks(self.y_axis, at, form)

    def _say_what_is_cut(self, values: list[NDArray], skipped: int, last: float) -> None:
        """Say, at the right where lines are low, from where those come that begin above the chart."""
        with self.cut.hold_sync():
            self.cut.x = [last]
            self.cut.text = [f"↑ from {max(float(np.nanmax(v[:skipped])) for v in values):.3g}" if skipped else ""]

    def mark(self, position: int) -> None:
        """Move the marker."""
        self.marker.x = [position, position]

    def _have_lines(self, n: int) -> None:
        if n == len(self.lines):
            return
        for mark in self.lines[n:]:
            mark.close()
        del self.lines[n:]
        while len(self.lines) < n:
            self.lines.append(self._line(len(self.lines)))
        self.widget.marks = [*self.lines[1:], *self.lines[:1], self.marker, self.cut]

    def _line(self, place: int) -> bqplot.Lines:
        about = {"x": [0.0], "y": [0.0], "scales": {"x": self.x, "y": self.y}}
        if place == 0:
            return bqplot.Lines(colors=["var(--cc-ink)"], stroke_width=1.8, **about)
        style = self._styles[(place - 1) % len(self._styles)]
        return bqplot.Lines(colors=["var(--cc-text3)"], stroke_width=1.2, line_style=style, **about)

    def _range(self, values: list[NDArray]) -> tuple[float, float]:
        known = np.concatenate([v[np.isfinite(v)] for v in values]) if values else np.empty(0)
        low = self._bounds[0] if self._bounds[0] is not None else float(known.min(initial=np.inf))
        high = self._bounds[1] if self._bounds[1] is not None else float(known.max(initial=-np.inf))
        if not (np.isfinite(low) and np.isfinite(high)):
            return 0.0, 1.0
        if high <= low:
            room = 0.5 * (abs(low) or 1)
            return (low, low + 2 * room) if low == self._bounds[0] else (low - room, high + room)
        return low, high


class BarChart:
    """A few bars with names.

    Parameters
    ----------
    high : float, optional
        The upper end of the values; without it it follows the data.
    """

    def __init__(self, high: float | None = None) -> None:
        self._high = high
        self.y = bqplot.LinearScale(min=0, max=high or 1)
        self.y_axis = bqplot.Axis(
            scale=self.y, side="left", grid_lines="solid", tick_format=".1f", tick_values=[0, 0.5, 1]
        )
        x = bqplot.OrdinalScale()
        self.x_axis = bqplot.Axis(scale=x, grid_lines="none")
        self.bars = bqplot.Bars(x=[""], y=[0.0], scales={"x": x, "y": self.y}, colors=["var(--cc-all)"], padding=0.22)
        self.widget = _figure([self.bars], [self.x_axis, self.y_axis], padding_x=0)

    def show(self, bars: Mapping[str, float], colors: Sequence[str] = ("--cc-all",)) -> None:
        """Draw these bars; one colour (a CSS variable) for all, or one each."""
        values = np.array(list(bars.values()), dtype=float)
        high = self._high if self._high is not None else max(float(values.max(initial=0)) * 1.15, 1e-12)
        with self.bars.hold_sync():
            if list(self.bars.x) != list(bars):
                self.bars.x = list(bars)
                self._slant(sum(map(len, bars)) > _LETTERS)
            self.bars.y = values
            self.bars.colors = [f"var({name})" for name in colors]
        if high != self.y.max:
            at, form, _ = short_ticks(0, high)
            self.y_axis.tick_format = form
            self.y.max = high
            put_ticks(self.y_axis, at, form)

    def _slant(self, slanted: bool) -> None:
        """Make room for long names."""
        self.x_axis.tick_rotate = -38 if slanted else 0
        self.x_axis.tick_style = {"text-anchor": "end" if slanted else "middle"}
        self.widget.fig_margin = _MARGIN | ({"bottom": 46} if slanted else {})
        self.widget.layout.height = "112px" if slanted else _HEIGHT


def short_ticks(low: float, high: float) -> tuple[NDArray, str, int]:
    """Where to put ticks up a small chart, the d3 format to write them in, and how many letters the longest has.

    >>> [short_ticks(low, high)[1:] for low, high in ((0, 1), (5e4, 2e5), (1e-5, 4e-5), (0, 3e14))]
    [('.1f', 3), ('~s', 4), ('~e', 4), ('~e', 5)]
    >>> short_ticks(3.9e8, 6.2e8)[1:], short_ticks(1234.561, 1234.564)[1:]
    (('~s', 4), ('.3f', 8))
    >>> short_ticks(0.6, 8.4)[1:]
    ('.0f', 1)
    """
    at, _ = ticks(low, high, *_UP)
    largest = max(abs(low), abs(high))
    if largest >= 1e12 or largest < 1e-3:
        return at, "~e", max((len(f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e+")) for value in at), default=1)
    if len(at) > 1:
        decimals = max(0, -math.floor(math.log10(at[1] - at[0]) + 1e-9))
    else:
        decimals = next((d for d in range(3) if all(np.round(at, d) == at)), 3)
    if largest >= 1e4 and decimals == 0:
        return at, "~s", max((len(f"{value / 10 ** (3 * _thousands(value)):.6g}") + 1 for value in at), default=1)
    return at, f".{decimals}f", max((len(f"{value:.{decimals}f}") for value in at), default=1)


def _thousands(value: float) -> int:
    return 0 if value == 0 else int(np.log10(abs(value)) // 3)


def n_flattening(values: Sequence[NDArray]) -> int:
    """How many values at the beginning of some lines flatten the rest, so that nothing of it would be seen; often 0.

    >>> n_flattening([np.array([1e6, 60.0, 58.0, 57.5])]), n_flattening([np.array([90.0, 68.0, 62.0, 60.7])])
    (1, 0)
    """
    n = min((len(line) for line in values), default=0)
    if n < 4:
        return 0

    def span(skipped: int) -> float:
        rest = np.concatenate([line[skipped:] for line in values])
        rest = rest[np.isfinite(rest)]
        return float(np.ptp(rest)) if len(rest) else 0.0

    whole = span(0)
    return next((k for k in range(1, max(2, n // 4 + 1)) if 0 < _FLATTENED * span(k) < whole), 0)


def seen_places(session: Session, most: int = MOST_POINTS) -> tuple[NDArray[np.int64], list[Snapshot]]:
    """The snapshots that belong to the current run of one solver, thinned evenly to `most`, and their places.

    What was before a start, or is after the next one, had another objective. A solver that stays where it starts has
    no course of its own: shown is the one that led there in the same run.
    """
    snapshots, position = session.snapshots, session.position
    here = snapshots[position]
    if position and here.solver.max_iter == 0 and here.command.run == snapshots[position - 1].command.run:
        position -= 1
    first = max(p for p in range(position + 1) if snapshots[p].how == "start" or p == 0)
    end = next((p for p in range(position + 1, len(snapshots)) if snapshots[p].how == "start"), len(snapshots))
    places = np.unique(np.linspace(first, end - 1, min(most, end - first)).round().astype(np.int64))
    return places, [snapshots[p] for p in places]
