"""The stylesheet of every page, with the derived hues and the icons."""

from functools import cache
from importlib.resources import files
from urllib.parse import quote
from xml.etree import ElementTree

from cclab.looks import palette

_SVG = "{http://www.w3.org/2000/svg}"


@cache
def stylesheet() -> str:
    """The whole stylesheet: the colours, what pages, panels and dashboards add, then the derived hues and the icons."""
    names = (
        "theme.css",
        "panels.css",
        "explore.css",
        "pages.css",
        "kept.css",
        "dashboards.css",
        "painter.css",
        "small.css",
    )
    sheets = (files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)
    return "\n".join([palette.source(), *sheets, _derived_css(), _icons_css()])


def _derived_css() -> str:
    def color(name: str) -> str:
        return name if name in ("black", "white") else f"var(--cc-{name})"

    lines = [
        f"  --cc-{name}: color-mix(in oklab, {color(first)}, {color(second)} {share:.0%});"
        for name, (first, second, share) in palette.blends().items()
    ]
    lines += [f"  --cc-{name}: {value};" for name, value in palette.ramp().items()]
    return ".cc-app {\n" + "\n".join(lines) + "\n}\n"


def _icons_css() -> str:
    """A class ``cc-i-NAME`` for each symbol of `icons.svg`, as a mask that takes the text's colour."""
    sheet = ElementTree.fromstring(files(__package__).joinpath("icons.svg").read_text(encoding="utf-8"))
    rules = []
    for symbol in sheet.iter(f"{_SVG}symbol"):
        icon = ElementTree.Element("svg", sheet.attrib | {"viewBox": "0 0 16 16"})
        icon.extend(symbol)
        for part in icon.iter():
            part.tag = part.tag.removeprefix(_SVG)
        icon.set("xmlns", "http://www.w3.org/2000/svg")
        address = "data:image/svg+xml," + quote(ElementTree.tostring(icon, encoding="unicode"), safe=" =:/,.")
        rules.append(f'.cc-app .cc-i-{symbol.get("id")} {{ --cc-icon: url("{address}"); }}')
    return "\n".join(rules) + "\n"
