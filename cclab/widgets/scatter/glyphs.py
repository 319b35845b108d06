"""The signs of the scatter as small pictures, for legends and tables."""

from cclab.widgets.html import Html, tag

_PEN = "fill:none;stroke:var(--cc-text2);stroke-width:1.4"


def glyph(sign: str, color: str = "--cc-all") -> Html:
    """A sign, 16 px high: circle, diamond, square, outlier, ring, must, cannot, violated or group.

    `color` names a CSS variable (see `cclab.widgets.theme.hue`); lines and outlines have their own.
    """
    try:
        shape, width = _SIGNS[sign]
    except KeyError:
        raise ValueError(f"There is no glyph {sign!r}; there are {', '.join(_SIGNS)}.") from None
    css = "cc-glyph cc-line" if width > 16 else "cc-glyph"
    style = f"--cc-fill:var({color})"
    return tag("svg", shape, class_=css, viewBox=f"0 0 {width} 16", style=style, aria_hidden=True)


def _solid(name: str, **geometry: object) -> Html:
    return tag(name, style="fill:var(--cc-fill);stroke:var(--cc-edge);stroke-width:1", **geometry)


def _pen(path: str, style: str = _PEN) -> Html:
    return tag("path", d=path, style=style)


_SIGNS = {
    "circle": (_solid("circle", cx=8, cy=8, r=4.5), 16),
    "diamond": (_solid("path", d="M8 2.2 12.4 8 8 13.8 3.6 8z"), 16),
    "square": (_solid("rect", x=4, y=4, width=8, height=8), 16),
    "outlier": (
        Html(
            tag("circle", cx=8, cy=8, r=4.8, style="fill:none;stroke:var(--cc-outlier);stroke-width:1.3")
            + _pen("M5.6 5.6 10.4 10.4M10.4 5.6 5.6 10.4", "stroke:var(--cc-outlier);stroke-width:1.2")
        ),
        16,
    ),
    "ring": (tag("circle", cx=8, cy=8, r=6, style="fill:none;stroke:var(--cc-text);stroke-width:1.4"), 16),
    "must": (_pen("M2 8H20"), 22),
    "cannot": (_pen("M2 8H20", _PEN + ";stroke-dasharray:4 3"), 22),
    "violated": (_pen("M2 8H20", "fill:none;stroke:var(--cc-bad);stroke-width:1.6;stroke-dasharray:4 3"), 22),
    "group": (tag("rect", x=2, y=3.5, width=18, height=9, rx=4.5, style=_PEN + ";fill:var(--cc-shade)"), 22),
}
