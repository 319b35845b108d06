"""Small charts, in the theme's colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bqplot
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.session import Session, Snapshot
from cclab.widgets.points.ticks import ticks

MOST_POINTS = 500

_MARGIN = {"top": 6, "bottom": 18, "left": 36, "right": 14}
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
    """Lines over the timeline, with a marker at the current place.

    Parameters
    ----------
    low, high : float, optional
        Bounds of the values; without them they follow the data.
    styles : sequence of str
        Styles of the lines after the first (which is in ink), over and over.
    """

    def __init__(self, low: float | None = None, high: float | None = None, styles: Sequence[str] = STYLES) -> None:
        self._bounds = (low, high)
        self._styles = styles
        self._x = bqplot.LinearScale(min=0, max=1)
        self._y = bqplot.LinearScale(min=0, max=1)
        self._x_axis = bqplot.Axis(scale=self._x, grid_lines="none", tick_format="d")
        self._y_axis = bqplot.Axis(scale=self._y, side="left", grid_lines="solid")
        self._lines: list[bqplot.Lines] = []
        self._marker = bqplot.Lines(
            x=[0, 0],
            y=[0, 1],
            scales={"x": self._x, "y": bqplot.LinearScale(min=0, max=1)},
            colors=["var(--cc-focus)"],
            stroke_width=1.5,
        )
        self.widget = _figure([self._marker], [self._x_axis, self._y_axis])

    def show(self, places: NDArray, series: Sequence[ArrayLike], position: int, last: int) -> None:
        """Draw a line for each of `series`, whose values belong to `places` on a timeline from 0 to `last`."""
        self._have_lines(len(series))
        values = [np.asarray(line, dtype=float) for line in series]
        for mark, line in zip(self._lines, values):
            with mark.hold_sync():
                mark.x, mark.y = places, line
        low, high = self._range(values)
        with self._x.hold_sync():
            self._x.max = float(max(last, 1))
        with self._y.hold_sync():
            self._y.min, self._y.max = low, high
        self._x_axis.tick_values = np.unique(ticks(0, max(last, 1), *_ACROSS)[0].round())
        self._y_axis.tick_values, self._y_axis.tick_format = ticks(low, high, *_UP)
        self.mark(position)

    def mark(self, position: int) -> None:
        """Move the marker."""
        self._marker.x = [position, position]

    def _have_lines(self, n: int) -> None:
        if n == len(self._lines):
            return
        for mark in self._lines[n:]:
            mark.close()
        del self._lines[n:]
        while len(self._lines) < n:
            self._lines.append(self._line(len(self._lines)))
        self.widget.marks = [*self._lines[1:], *self._lines[:1], self._marker]

    def _line(self, place: int) -> bqplot.Lines:
        about = {"x": [0.0], "y": [0.0], "scales": {"x": self._x, "y": self._y}}
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
        self._y = bqplot.LinearScale(min=0, max=high or 1)
        self._y_axis = bqplot.Axis(
            scale=self._y, side="left", grid_lines="solid", tick_format=".1f", tick_values=[0, 0.5, 1]
        )
        x = bqplot.OrdinalScale()
        self._x_axis = bqplot.Axis(scale=x, grid_lines="none")
        self._bars = bqplot.Bars(x=[""], y=[0.0], scales={"x": x, "y": self._y}, colors=["var(--cc-all)"], padding=0.22)
        self.widget = _figure([self._bars], [self._x_axis, self._y_axis], padding_x=0)

    def show(self, bars: Mapping[str, float], colors: Sequence[str] = ("--cc-all",)) -> None:
        """Draw these bars; one colour (a CSS variable) for all, or one each."""
        values = np.array(list(bars.values()), dtype=float)
        high = self._high if self._high is not None else max(float(values.max(initial=0)) * 1.15, 1e-12)
        with self._bars.hold_sync():
            if list(self._bars.x) != list(bars):
                self._bars.x = list(bars)
                self._slant(sum(map(len, bars)) > _LETTERS)
            self._bars.y = values
            self._bars.colors = [f"var({name})" for name in colors]
        if high != self._y.max:
            self._y.max = high
            self._y_axis.tick_values, self._y_axis.tick_format = ticks(0, high, *_UP)

    def _slant(self, slanted: bool) -> None:
        """Make room for long names."""
        self._x_axis.tick_rotate = -38 if slanted else 0
        self._x_axis.tick_style = {"text-anchor": "end" if slanted else "middle"}
        self.widget.fig_margin = _MARGIN | ({"bottom": 46} if slanted else {})
        self.widget.layout.height = "112px" if slanted else _HEIGHT


def seen_places(session: Session, most: int = MOST_POINTS) -> tuple[NDArray[np.int64], list[Snapshot]]:
    """The snapshots that belong to the current run of one solver, thinned evenly to `most`, and their places.

    What was before a start, or is after the next one, had another objective. A solver that stays where it starts has
    no course of its own: shown is the one that led there in the same run.
    """
    snapshots, position = session.snapshots, session.position
    here = snapshots[position]
    if position and here.solver.max_iter == 0 and here.command.get("run") == snapshots[position - 1].command.get("run"):
        position -= 1
    first = max(p for p in range(position + 1) if snapshots[p].how == "start" or p == 0)
    end = next((p for p in range(position + 1, len(snapshots)) if snapshots[p].how == "start"), len(snapshots))
    places = np.unique(np.linspace(first, end - 1, min(most, end - first)).round().astype(np.int64))
    return places, [snapshots[p] for p in places]
