"""The picture: tools, palette, paint, and what the solver makes of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

import ipywidgets as widgets
import numpy as np

from cclab.images import Stroke
from cclab.images.regions import plausibility, true_mask, typicality
from cclab.looks.palette import hue
from cclab.session import Moment
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import button, column, heading, press, row, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.view import View
from cclab.widgets.painter.canvas import ImageCanvas
from cclab.widgets.painter.canvas.picture_canvas import VIRIDIS, Swatch
from cclab.widgets.painter.model import Easel

LOOKS = ("Original", "Labels", "Credal sets", "Typicality", "Plausibility")
ERRORS = "Errors"
TOOLS = {
    "brush": "Brush (B)",
    "eraser": "Eraser (E)",
    "polygon": "Polygon (G)",
    "hand": "Move the picture (H)",
}
SIZES = (1, 60)


class Paint(View):
    """Paints regions on the picture.

    Parameters
    ----------
    desk : Easel
    over : widgets
        What floats over the picture.
    """

    desk: Easel

    def __init__(self, desk: Easel, over: tuple[widgets.Widget, ...] = ()) -> None:
        super().__init__(desk)
        self.canvas = ImageCanvas(desk.picture, layout=widgets.Layout(width="100%", height="100%"))
        self.canvas.painted.connect(self._painted)
        # Chosen in the browser, where it holds at once.
        self.canvas.observe(lambda change: self.use(change["new"]), "tool")
        self.canvas.observe(lambda change: desk.choose(change["new"]), "region")
        self.tools = {
            name: button(icon=name, hint=hint, on_click=partial(self.use, name)) for name, hint in TOOLS.items()
        }
        fit = button(icon="fit", hint="Fit (F)", on_click=self.fit)
        self.size = with_classes(
            widgets.IntSlider(5, *SIZES, description="size", readout=True, layout={"width": "190px"}), "cc-size"
        )
        self.size.observe(lambda change: setattr(self.canvas, "size", float(change["new"])), "value")
        self.flatten_button = button(
            "Even light", self._toggle_flatten, hint="Take slow changes of light away", css="cc-wide"
        )
        self.connected_button = button("Connected", self._toggle_connected)
        self._about = text(css="cc-push cc-note")
        self.palette = with_classes(Rows(label="Regions to paint"), "cc-palette")
        self.palette.on_action(self._act)
        self.looks = with_classes(
            widgets.ToggleButtons(options=LOOKS, value="Labels", description="View", layout={"width": "auto"}),
            "cc-tabs cc-quiet-label",
        )
        self.looks.observe(lambda _: self._show_overlay(), "value")
        self.opacity = with_classes(
            widgets.FloatSlider(
                0.5, min=0, max=1, step=0.05, description="opacity", readout=False, layout={"width": "150px"}
            ),
            "cc-wide",
        )
        self.opacity.observe(lambda change: setattr(self.canvas, "opacity", change["new"]), "value")
        self._legend = text(css="cc-map-legend")
        self.eye_button = button(icon="eye", hint="Show the original (hold O)", on_click=self.toggle_original)
        head = row(
            text(heading("Paint")),
            *self.tools.values(),
            fit,
            self.size,
            self.flatten_button,
            self.connected_button,
            self._about,
            css="cc-head",
        )
        views = row(self.looks, self.opacity, self.eye_button, css="cc-looks")
        stage = column(self.canvas, self.palette, self._legend, views, *over, css="cc-stage")
        self.widget = column(head, stage, css="cc-panel cc-paint cc-grow")
        self.listen(desk.chosen, self._show_palette)
        self.listen(desk.looked, self._look)
        self.listen(desk.marked, lambda: setattr(self.canvas, "places", desk.places))
        self.use("brush")
        self.canvas.size = 5.0
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        tools = {"b": "brush", "e": "eraser", "g": "polygon", "h": "hand"}
        acts: dict[str, Callable[[], object]] = {key: partial(self.use, tool) for key, tool in tools.items()}
        acts |= {"f": self.fit, "[": partial(self.resize, 0.8), "]": partial(self.resize, 1.25)}
        return acts | {str(region): partial(self.desk.choose, region) for region in range(10)}

    def use(self, tool: str) -> None:
        """Take a tool into the hand."""
        self.canvas.tool = tool
        for name, made in self.tools.items():
            press(made, name == tool)

    def fit(self) -> None:
        """Zoom so that the whole picture is in sight."""
        self.canvas.fit()

    def resize(self, factor: float) -> None:
        """A larger or a smaller brush."""
        now = self.size.value
        self.size.value = int(
            np.clip(round(now * factor) if round(now * factor) != now else now + np.sign(factor - 1), *SIZES)
        )

    def toggle_original(self) -> None:
        """Show the bare picture, or all again."""
        self.show_original(not self.canvas.original)

    def show_original(self, original: bool) -> None:
        """Whether the bare picture is shown."""
        self.canvas.original = original
        press(self.eye_button, original)

    def _painted(self, stroke: Stroke) -> None:
        self.desk.paint(stroke)

    def _act(self, action: Action) -> None:
        if action.name == "new":
            self.desk.add_region()
        elif action.name == "remove":
            self.desk.remove_region(int(action.id))
        elif action.name == "rename":
            self.desk.rename(int(action.id), str(action.value))
        else:
            self.desk.choose(int(action.id))

    def _toggle_flatten(self) -> None:
        self.desk.set_options(flatten=not self.desk.recipe.options.flatten)

    def _toggle_connected(self) -> None:
        wanted = set(self.desk.recipe.options.connected) ^ {self.desk.region}
        self.desk.set_options(connected=tuple(sorted(wanted - {0})))

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self.canvas.show_picture(self.desk.picture, self.desk.window)
            self.canvas.fit()
            self._about.value = about(self.desk)
            truth = self.desk.picture.truth is not None
            options = LOOKS + ((ERRORS,) if truth else ())
            if tuple(self.looks.options) != options:
                self.looks.options, self.looks.value = options, "Labels"
        if old is None or old.snapshot is not new.snapshot:
            recipe = self.desk.recipe_at(new.snapshot)
            if recipe.strokes and not self.desk.developing:
                self.desk.learn = recipe.options.learn
            if recipe.strokes and recipe.options.slice != self.desk.slice and not self.desk.developing:
                self.desk.slice = recipe.options.slice  # undone, or gone back to
                self.desk.looked.emit()
            self._show_strokes()
            if recipe.strokes:
                self.desk.regions = (
                    self.desk.regions if len(self.desk.regions) > len(recipe.regions) else recipe.regions
                )
            self._show_overlay()
            self._show_palette()

    def _look(self) -> None:
        """Another slice, or other values from black to white."""
        self.canvas.show_values(self.desk.picture, self.desk.window)
        self._about.value = about(self.desk)
        self._show_strokes()
        self._show_overlay()

    def _show_strokes(self) -> None:
        place = self.desk.slice
        self.canvas.strokes = tuple(stroke for stroke in self.desk.recipe.strokes if stroke.slice == place)

    def _show_overlay(self) -> None:
        desk, snapshot = self.desk, self.desk.session.current
        posed, regions, look = desk.posed_at(snapshot), desk.regions_at(snapshot), self.looks.value
        self._legend.value = legend(look if regions is not None else "Original", desk)
        if posed is None or regions is None or look == "Original" or posed.recipe.options.slice != desk.slice:
            self.canvas.show_nothing()
        elif look == "Typicality":
            self.canvas.show_map(typicality(posed, snapshot.state))
        elif look == "Plausibility":
            self.canvas.show_map(plausibility(posed, snapshot.partition, max(desk.region, 1)))
        elif look == ERRORS:
            truth = true_mask(desk.picture, posed.palette.dabs, max(desk.region, 1))
            self.canvas.show_errors(regions.mask(max(desk.region, 1)), truth)
        else:
            n = int(regions.labels.max()) + 1
            hues = ["transparent", *(hue(k) for k in range(n - 1))]
            swatches = [Swatch(color) for color in hues]
            labels = regions.labels.astype(int)
            if look == "Credal sets":
                swatches += [Swatch("--cc-all", hatched=True), *(Swatch(color, hatched=True) for color in hues[1:])]
                labels = labels + n * regions.undecided
            self.canvas.show_labels(labels, swatches)

    def _show_palette(self) -> None:
        desk = self.desk
        self.canvas.region_colors = ["--cc-all", *(hue(k) for k in range(len(desk.regions)))]
        self.canvas.region = desk.region
        rows: list[tuple[Hashable, Html]] = [("title", tag("div", "Region", class_="cc-palette-title"))]
        for region, name in [*enumerate(desk.regions, 1), (0, "Don’t know")]:
            removable = 0 < region == desk.region and len(desk.regions) > 2
            rows.append((region, _entry(region, name, region == desk.region, removable)))
        rows.append(("new", tag("button", "New region", class_="cc-new cc-i-add", data_action="new", data_id="new")))
        self.palette.show(rows)
        options = desk.recipe.options
        for made, on in (
            (self.flatten_button, options.flatten),
            (self.connected_button, desk.region in options.connected),
        ):
            press(made, on)
        name = desk.regions[desk.region - 1] if desk.region else ""
        self.connected_button.description = f"Connected: {name[:14]}" if name else "Connected"
        self.connected_button.tooltip = f"Keep of {name or 'a region'} only what is connected to its strokes"
        self.connected_button.disabled = not name
        if self.looks.value in ("Plausibility", ERRORS):
            self._show_overlay()


def swatch(region: int) -> Html:
    """The colour of a region."""
    return tag("i", class_="cc-swatch", style=f"background:var({hue(region - 1) if region else '--cc-all'})")


def rest_sign(name: str) -> Html:
    """How pixels look that are in no region: undecided ones, or those without a value."""
    return tag("i", class_=f"cc-swatch {'cc-hatched' if name == 'Undecided' else 'cc-no-value'}")


def legend(look: str, desk: Easel) -> Html:
    """What the colours of a view mean, in words."""
    lost = join(rest_sign("No value"), " no value") if desk.picture.invalid is not None else None
    return tag("span", _meaning(look, desk), lost)


def _meaning(look: str, desk: Easel) -> Html | None:
    name = desk.regions[max(desk.region, 1) - 1]
    if look in ("Typicality", "Plausibility"):
        ends = (
            ("unlike all paint", "as the paint") if look == "Typicality" else (f"surely not {name}", f"may be {name}")
        )
        bar = tag("i", class_="cc-map-ramp", style=f"background:linear-gradient(90deg,{','.join(VIRIDIS)})")
        return join(ends[0], bar, ends[1])
    if look == "Credal sets":
        return join(rest_sign("Undecided"), " undecided")
    if look == ERRORS:
        too_much = tag("i", class_="cc-swatch", style="background:var(--cc-bad)")
        return join(too_much, f" too much {name} ", tag("i", class_="cc-swatch cc-hatched"), " too little")
    return None


def _entry(region: int, name: str, chosen: bool, removable: bool) -> Html:
    """A region to paint: a button, beside which the name of the chosen one can be changed."""
    about = {"data_action": "choose", "data_id": region, "aria_pressed": chosen}
    if region and chosen:
        label = tag("input", value=name, data_action="rename", data_id=region, aria_label=f"Name of region {region}")
        parts = [tag("button", swatch(region), aria_label=f"Region {region}", **about), label]
    else:
        parts = [tag("button", swatch(region), tag("span", name), **about)]
    if removable:
        hint = f"Remove {name} and its strokes"
        css = "cc-button cc-icon cc-remove cc-i-close"
        parts.append(tag("button", class_=css, data_action="remove", data_id=region, title=hint, aria_label=hint))
    css = "cc-entry cc-chosen" if chosen else "cc-entry"
    return tag("div", parts, tag("kbd", region), class_=css, data_action="choose", data_id=region, data_region=region)


def about(desk: Easel) -> Html:
    """Size and depth of the picture, in words."""
    picture = desk.picture
    height, width = picture.full.shape
    words = f"{picture.name} · " if desk.n_slices > 1 else ""
    words += f"{width} × {height} · {picture.about}"
    if picture.whole is not None:
        words += f" · painted on at {picture.shape[1]} × {picture.shape[0]}"
    return tag("span", words, title=picture.description)
