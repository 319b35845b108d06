"""The signs of the scatter as small pictures, for legends and tables."""

from cclab.looks.signs import FORMS, Form
from cclab.widgets.kit.html import Html, tag

_RADIUS = 4.5
_PEN = "fill:none;stroke:var(--cc-text2);stroke-width:1.4"


def glyph(sign: str, color: str = "--cc-all") -> Html:
    """A sign, 16 px high: circle, diamond, square, outlier, ring, must, cannot, violated or group.

    `color` names a CSS variable (see `cclab.looks.palette.hue`); lines and outlines have their own.
    """
    try:
        shape, width = _SIGNS[sign]
    except KeyError:
        raise ValueError(f"There is no glyph {sign!r}; there are {', '.join(_SIGNS)}.") from None
    css = "cc-glyph cc-line" if width > 16 else "cc-glyph"
    style = f"--cc-fill:var({color})"
    return tag("svg", shape, class_=css, viewBox=f"0 0 {width} 16", style=style, aria_hidden=True)


def _sample(form: Form) -> Html:
    """The sign of a sample, from the table that the scatter draws by."""
    radius = _RADIUS * form.radius
    if form.hollow:
        arm = radius * 0.707
        ends = f"M{8 - arm:g} {8 - arm:g} {8 + arm:g} {8 + arm:g}M{8 + arm:g} {8 - arm:g} {8 - arm:g} {8 + arm:g}"
        pen = "fill:none;stroke:var(--cc-outlier);stroke-width:1.2"
        return Html(tag("circle", cx=8, cy=8, r=f"{radius:g}", style=pen) + _pen(ends, pen))
    style = "fill:var(--cc-fill);stroke:var(--cc-edge);stroke-width:1"
    if not form.corners:
        return tag("circle", cx=8, cy=8, r=f"{radius:g}", style=style)
    corners = " ".join(f"{8 + _RADIUS * x:g},{8 - _RADIUS * y:g}" for x, y in form.corners)
    return tag("polygon", points=corners, style=style)


def _pen(path: str, style: str = _PEN) -> Html:
    return tag("path", d=path, style=style)


_SIGNS = {
    **{shape: (_sample(form), 16) for shape, form in FORMS.items()},
    "ring": (tag("circle", cx=8, cy=8, r=6, style="fill:none;stroke:var(--cc-text);stroke-width:1.4"), 16),
    "must": (_pen("M2 8H20"), 22),
    "cannot": (_pen("M2 8H20", _PEN + ";stroke-dasharray:4 3"), 22),
    "violated": (_pen("M2 8H20", "fill:none;stroke:var(--cc-bad);stroke-width:1.6;stroke-dasharray:4 3"), 22),
    "group": (tag("rect", x=2, y=3.5, width=18, height=9, rx=4.5, style=_PEN + ";fill:var(--cc-shade)"), 22),
}
