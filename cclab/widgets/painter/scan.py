"""What is looked at of a scan: which slice, and which values from black to white."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets

from cclab.images import Picture
from cclab.session import Moment
from cclab.widgets.kit.layout import dropdown, row, text, with_classes
from cclab.widgets.model.view import View
from cclab.widgets.painter.model import Easel

#: Of computed tomography: centre and width, in Hounsfield units.
HOUNSFIELD = {
    "Brain": (40, 80),
    "Soft tissue": (40, 400),
    "Liver": (60, 160),
    "Lung": (-600, 1500),
    "Bone": (480, 2500),
}
AIR = -900
AUTO, FULL, FILE, OWN = "Auto contrast", "All values", "As in the file", "Own window"


class Scan(View):
    """Chooses a slice and a window of values; out of sight where there is nothing to choose.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.slices = with_classes(
            widgets.IntSlider(1, 1, 2, description="slice", readout=False, layout={"width": "190px"}), "cc-slice"
        )
        self.slices.observe(lambda change: desk.go_to(change["new"] - 1), "value")
        self._place = text(css="cc-note cc-of-slices")
        self.preset = dropdown("Contrast")
        self.preset.observe(self._preset_chosen, "value")
        self.window = self._made_window()
        self._showing = False
        self._of_stack = row(self.slices, self._place, css="cc-scan-group")
        self._of_values = row(self.preset, self.window, css="cc-scan-group")
        self.widget = row(self._of_stack, self._of_values, css="cc-scan")
        self.listen(desk.looked, self._show)
        self.update(None, desk.moment)

    def _made_window(self) -> widgets.FloatRangeSlider:
        """A slider over the values of the picture."""
        low, high = self.desk.picture.low, self.desk.picture.high
        slider = widgets.FloatRangeSlider(
            value=self._window,
            min=low,
            max=high,
            step=max((high - low) / 1000, 1e-9),
            description="window",
            readout_format=".0f" if high - low > 20 else ".3g",
            layout={"width": "300px"},
        )
        slider.observe(self._window_moved, "value")
        return with_classes(slider, "cc-window")

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        """Up and down go through the slices."""
        return {"ArrowUp": partial(self._step, -1), "ArrowDown": partial(self._step, 1)}

    def _step(self, by: int) -> None:
        self.desk.go_to(self.desk.slice + by)

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            picture = self.desk.picture
            self._presets = presets(picture, self.desk.painting.stack.contrast)
            self._showing = True
            # Another slider: told of other ends, a browser moves the window of the picture before between them, and
            # tells that back as if a person had.
            self.window.unobserve_all()
            self.window.close()
            self.window = self._made_window()
            self._of_values.children = (self.preset, self.window)
            self.preset.options = [*self._presets, OWN]
            self.preset.value = FILE if FILE in self._presets else AUTO
            self.slices.max = max(self.desk.n_slices, 2)
            self._showing = False
        self._show()

    def _show(self) -> None:
        """What is looked at, told by nobody but the desk."""
        desk = self.desk
        self._showing = True
        self.slices.value = desk.slice + 1
        self._place.value = f"{desk.slice + 1} of {desk.n_slices}"
        picture = desk.picture
        self.window.value = self._window
        self._showing = False
        shows_values = picture.bit_depth > 8 or bool(picture.unit)
        for part, needed in ((self._of_stack, desk.n_slices > 1), (self._of_values, shows_values)):
            part.layout.display = "" if needed else "none"
        self.widget.layout.display = "" if desk.n_slices > 1 or shows_values else "none"

    @property
    def _window(self) -> tuple[float, float]:
        """The values from black to white, as far as the picture has them."""
        picture = self.desk.picture
        low, high = self.desk.window
        return max(low, picture.low), min(high, picture.high)

    def _preset_chosen(self, change: dict[str, Any]) -> None:
        if not self._showing and change["new"] in self._presets:
            self.desk.look_through(self._presets[change["new"]])

    def _window_moved(self, change: dict[str, Any]) -> None:
        low, high = self._window
        step = 2 * self.window.step  # a browser rounds what it is told, and tells it back
        moved = abs(change["new"][0] - low) > step or abs(change["new"][1] - high) > step
        if not self._showing and moved and change["new"][1] > change["new"][0]:
            self.preset.value = OWN
            self.desk.look_through(change["new"])


def presets(picture: Picture, contrast: tuple[float, float]) -> dict[str, tuple[float, float]]:
    """Windows that suit a picture, by name; those of tomography too where values are as low as nowhere else."""
    found = {AUTO: contrast, FULL: (picture.low, picture.high)}
    if picture.window is not None:
        found[FILE] = picture.window
    if picture.unit == "HU" or (not picture.unit and picture.low <= AIR):
        found |= {name: (center - width / 2, center + width / 2) for name, (center, width) in HOUNSFIELD.items()}
    return found
