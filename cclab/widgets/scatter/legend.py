"""Entries of the scatter's legend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cclab.core.words import counted
from cclab.looks.encoding import Bar, Sign
from cclab.looks.lines import Lines
from cclab.looks.palette import RAMP
from cclab.looks.signs import LINK_NAMES
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.scatter.glyphs import glyph

#: So many signs are named, clusters before sets of them.
MOST_SIGNS = 14


def legend_entry(sign: Html, name: str, opacity: float = 1.0) -> Html:
    """A sign and what it stands for."""
    return tag("span", sign, name, style=None if opacity == 1 else f"opacity:{max(opacity, 0.4):g}")


def bar_entry(bar: Bar) -> Html:
    """A colour bar with its two ends."""
    steps = ", ".join(f"var({name})" for name in RAMP[:: len(RAMP) // 8])
    ramp = tag("i", class_="cc-ramp", style=f"background:linear-gradient(90deg, {steps})")
    return tag("span", bar.name and tag("span", bar.name, class_="cc-wide"), bar.low, ramp, bar.high)


def sign_entries(signs: Sequence[Sign], most: int = MOST_SIGNS) -> list[Html]:
    """Legend entries of clusters and of sets of them; of many sets those with most samples."""
    sets = sorted((s for s in signs if s.shape in ("diamond", "square")), key=lambda sign: -sign.count)
    left_out = sets[max(most - (len(signs) - len(sets)), 0) :]
    entries = [legend_entry(glyph(s.shape, s.color), s.name, s.opacity) for s in signs if s not in left_out]
    if left_out:
        names = "; ".join(sign.name for sign in left_out)
        entries.append(tag("span", f"and {counted(len(left_out), 'smaller set')}", title=names))
    return entries


def link_entries(links: Lines, violated: NDArray, level: NDArray) -> list[Html]:
    """Legend entries of the links that there are; `level` is that of those drawn."""
    entries = [legend_entry(glyph(kind), LINK_NAMES[kind]) for kind in links.kinds(violated)]
    if len(np.unique(level)) > 1:
        entries.append(tag("span", "thick = counts much", class_="cc-wide"))
    if len(level) < len(links):
        entries.append(tag("span", f"{len(level):,} of {len(links):,} links drawn"))
    return entries
