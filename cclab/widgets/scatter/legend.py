"""Entries of the scatter's legend."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.widgets.drawing import Links
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, tag


def legend_entry(sign: Html, name: str, opacity: float = 1.0) -> Html:
    """A sign and what it stands for."""
    return tag("span", sign, name, style=None if opacity == 1 else f"opacity:{max(opacity, 0.4):g}")


def link_entries(links: Links, violated: NDArray, level: NDArray) -> list[Html]:
    """Legend entries of the links that there are; `level` is that of those drawn."""
    kinds = {"must": ~links.cannot & ~violated, "cannot": links.cannot & ~violated, "violated": violated}
    names = {"must": "must-link", "cannot": "cannot-link", "violated": "violated"}
    entries = [legend_entry(glyph(kind), names[kind]) for kind, some in kinds.items() if some.any()]
    if len(np.unique(level)) > 1:
        entries.append(tag("span", "thick = counts much", class_="cc-wide"))
    if len(level) < len(links):
        entries.append(tag("span", f"{len(level):,} of {len(links):,} links drawn"))
    return entries
