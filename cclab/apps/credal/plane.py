"""The plane of Credal explained: centres and a sample to drag, over a map of what is believed where."""

from __future__ import annotations

import io
from collections.abc import Callable

import bqplot
import ipywidgets as widgets
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from psygnal import Signal

from cclab.core import Credal
from cclab.looks.palette import hex_color, hue
from cclab.widgets.kit.close import close_all

#: The plane that is shown: 0 to WIDE across, 0 to HIGH up; GRAIN is a pixel of its map.
WIDE, HIGH, GRAIN = 12.0, 8.6, 0.05
CENTERS = np.array([[3.9, 2.9], [8.1, 2.9], [6.0, 6.0]])
SAMPLE = (5.3, 3.2)


class Plane:
    """Centres and a sample that can be dragged; a click puts the sample elsewhere.

    Attributes
    ----------
    figure : bqplot.Figure
    moved : Signal(bool)
        After the sample (False) or a centre (True) has been moved, by a person or by code.
    """

    moved = Signal(bool)

    def __init__(self) -> None:
        self._placing = False
        scales = {"x": bqplot.LinearScale(min=0, max=WIDE), "y": bqplot.LinearScale(min=0, max=HIGH)}
        across, upward = np.arange(GRAIN / 2, WIDE, GRAIN), np.arange(HIGH - GRAIN / 2, 0, -GRAIN)
        self._pixels = np.stack(np.meshgrid(across, upward), axis=-1)  # from the upper left corner on
        self._map = bqplot.Image(image=widgets.Image(), scales=scales, x=[0, WIDE], y=[0, HIGH], pixelated=False)
        self._map.on_element_click(lambda _, event: self._clicked(event["data"]))
        ink, you = ["var(--cc-ink)"], ["var(--cc-focus)"]
        movable = {"scales": scales, "enable_move": True, "update_on_move": True}
        self._centers = bqplot.Scatter(
            x=CENTERS[:, 0], y=CENTERS[:, 1], marker="cross", default_size=170, colors=ink, **movable
        )
        self._sample = bqplot.Scatter(
            x=[SAMPLE[0]], y=[SAMPLE[1]], default_size=150, colors=you, stroke="var(--cc-surface)", **movable
        )
        self._names = bqplot.Label(x=[0], y=[0], text=[""], scales=scales, colors=ink, default_size=13, x_offset=12)
        for mark in (self._centers, self._sample):
            mark.observe(lambda _: self._dragged(), ["x", "y"])
        self._name_centers()
        shape = WIDE / HIGH
        # As large as its container (`cc-plane`) lets it be, in this shape: circles stay round.
        size = {"width": f"min(100cqw, {shape:.3f} * 100cqh)", "height": f"min(100cqh, 100cqw / {shape:.3f})"}
        self.figure = bqplot.Figure(
            marks=[self._map, self._names, self._centers, self._sample],
            axes=[],
            fig_margin={"top": 8, "bottom": 8, "left": 8, "right": 8},
            background_style={"fill": "transparent"},
            display_toolbar=False,
            animation_duration=0,
            min_aspect_ratio=shape,
            max_aspect_ratio=shape,
            layout={**size, "min_width": "0", "min_height": "0"},
        )

    # ------------------------------------------------------------------ where things are

    @property
    def centers(self) -> NDArray[np.float64]:
        """(k, 2) where the centres are."""
        return np.column_stack([self._centers.x, self._centers.y])

    @property
    def sample(self) -> NDArray[np.float64]:
        """(2,) where the sample is."""
        return np.array([self._sample.x[0], self._sample.y[0]])

    def move_sample(self, across: float, up: float) -> None:
        """Put the sample somewhere on the plane."""
        self._place(self._sample, [[across, up]])
        self.moved.emit(False)

    def move_centers(self, places: ArrayLike) -> None:
        """Put the centres, as many as there are places, somewhere on the plane."""
        self._place(self._centers, places)
        self._name_centers()
        self.moved.emit(True)

    def show_centers(self, number: int) -> None:
        """Show so many centres; one that was not there comes to where it stood at first."""
        if number != len(self.centers):
            self.move_centers(np.vstack([self.centers, CENTERS[len(self.centers) :]])[:number])

    def _clicked(self, where: dict) -> None:
        self.move_sample(where["click_x"], where["click_y"])

    def _dragged(self) -> None:
        """The browser has moved a mark: keep it on the plane, and tell."""
        if self._placing:
            return
        self._place(self._sample, [self.sample])
        if len(self._centers.x) == len(self._centers.y):
            self.move_centers(self.centers)

    def _place(self, mark: bqplot.Scatter, places: ArrayLike) -> None:
        """Move a mark; what this sets off is not heard."""
        within = np.clip(np.asarray(places, dtype=float), 0, (WIDE, HIGH))
        self._placing = True
        try:
            with mark.hold_sync():
                mark.x, mark.y = within.T
        finally:
            self._placing = False

    def _name_centers(self) -> None:
        with self._names.hold_sync():
            self._names.x, self._names.y = self._centers.x, self._centers.y
            self._names.text = [str(k + 1) for k in range(len(self.centers))]

    # ------------------------------------------------------------------ the map

    def show_map(self, believe: Callable[[NDArray], Credal], *, dark: bool) -> None:
        """Paint each place in the colour of the set that has most mass there, faint where it has little."""
        regions = believe(self._pixels.reshape(-1, 2))
        hues = np.array([_rgb(hex_color(hue(members), dark=dark)) for members in regions.focal_sets])
        which = regions.hard_sets()
        opacity = 40 + 120 * regions.masses.max(axis=1)
        opacity[[not regions.focal_sets[s] for s in which]] = 0
        pixels = np.column_stack([hues[which], opacity]).astype(np.uint8).reshape(*self._pixels.shape[:2], 4)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG", compress_level=1)
        # bqplot draws an image when it is given another one, not when its content changes.
        gone, self._map.image = self._map.image, widgets.Image(value=buffer.getvalue(), format="png")
        close_all(gone)


def _rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue
