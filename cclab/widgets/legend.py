"""Entries of the scatter's legend."""

from __future__ import annotations

from numpy.typing import NDArray

from cclab.widgets.drawing import Links
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, tag


def legend_entry(sign: Html, name: str, opacity: float = 1.0) -> Html:
    """A sign and what it stands for."""
    return tag("span", sign, name, style=None if opacity == 1 else f"opacity:{max(opacity, 0.4):g}")


def link_entries(links: Links, violated: NDArray, n_drawn: int) -> list[Html]:
    """Legend entries of the links that there are."""
    kinds = {"must": ~links.cannot & ~violated, "cannot": links.cannot & ~violated, "violated": violated}
    names = {"must": "must-link", "cannot": "cannot-link", "violated": "violated"}
    entries = [legend_entry(glyph(kind), names[kind]) for kind, some in kinds.items() if some.any()]
    if n_drawn < len(links):
        entries.append(tag("span", f"{n_drawn:,} of {len(links):,} links drawn"))
    return entries
