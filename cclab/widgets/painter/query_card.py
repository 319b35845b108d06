"""Questions about a place of the picture: which region is it? An answer is a dab of paint."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Sequence

import numpy as np
from psygnal import SignalInstance

from cclab.core.registry import strategies
from cclab.images import Posed, Stroke
from cclab.images.pixel_doubt import ASKED, place_to_ask, probable
from cclab.queries.base import Query
from cclab.session import Session, Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.painter.canvas_panel import swatch
from cclab.widgets.painter.model import Easel
from cclab.widgets.queries.sample import Samples

#: Half the side of the patch that is shown, in pixels.
HALF = 12
STRATEGY = "UncertaintyQueries"


class Places(Samples):
    """What the query card asks about a picture: which region the middle of the largest piece of doubt is in.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    question = "Which region?"
    kind = "label"
    takes_many = False

    @property
    def renamed(self) -> Sequence[SignalInstance]:
        """A region may have another name."""
        return (self.desk.chosen,)

    @property
    def which(self) -> str:  # type: ignore[override]
        """The question, in the names of the regions."""
        names = list(self.meanings(self.desk.session.current).values())
        return f"{', '.join(names[:-1])} or {names[-1]}?" if 1 < len(names) < 4 else self.question

    @property
    def posed(self) -> Posed | None:
        """The problem that was painted."""
        return self.desk.posed_at(self.desk.session.current)

    @property
    def ready(self) -> bool:
        """Whether there are two regions to tell apart."""
        return self.posed is not None and len(self.posed.palette.painted) > 1

    @property
    def settled(self) -> bool:
        """While pixels are to come, there is no use in asking about superpixels."""
        return not self.desk.developing

    def strategies(self, snapshot: Snapshot) -> list[str]:
        """Where beliefs can be torn, they are asked about."""
        return [STRATEGY] if strategies.get(STRATEGY).suits(snapshot.partition) else []

    def meanings(self, snapshot: Snapshot) -> dict[int, str]:
        """The names of the regions that have paint."""
        painted = () if self.posed is None else self.posed.palette.painted
        return {int(region): self._called(int(region)) for region in painted}

    def _called(self, region: int) -> str:
        """The name of a region; a number for one that has just been removed, while its paint is still there."""
        names = self.desk.regions
        return names[region - 1] if region <= len(names) else f"Region {region}"

    async def find(self, session: Session, strategy: str) -> tuple[Query, ...]:
        """The middle of the largest piece of doubt."""
        posed, snapshot = self.posed, session.current
        if posed is None:
            return ()
        n_pixels, width = posed.objects.labels_of_pixels.size, posed.picture.shape[1]
        aside = []
        if posed.objects.kind == "pixels":
            aside = [divmod(q[0], width) for q in session.rejected if len(q) == 1 and q[0] < n_pixels]
        place = await asyncio.to_thread(place_to_ask, posed, snapshot.partition, aside)
        if place is None or session.current is not snapshot:
            return ()
        sample = int(posed.objects.labels_of_pixels[place.row, place.column])
        return session.put(Query.label(sample, f"{place.pixels:,} doubtful pixels around it", place.pixels))

    def stands(self, where: Snapshot | None) -> bool:
        """A question about the objects of another problem is none."""
        return self.ready and where is not None and self.desk.posed_at(where) is self.posed

    def asked(self, query: Query | None) -> None:
        """Mark the place in the picture."""
        self.desk.mark([] if query is None else [self.place(query)])

    def answer(self, query: Query, answer: int) -> bool:
        """Paint the place in question."""
        row, column = self.place(query)
        self.desk.settle(query.samples, Stroke("brush", int(answer), ASKED, np.array([[column + 0.5, row + 0.5]])))
        return False

    def place(self, query: Query) -> tuple[int, int]:
        """Row and column of the place in question."""
        assert self.posed is not None
        return self._middle_of(np.flatnonzero(self.posed.objects.labels_of_pixels == query.samples[0]))

    def _middle_of(self, pixels: np.ndarray) -> tuple[int, int]:
        """Row and column of the one of some pixels (flat indices) that is nearest to their middle."""
        rows, columns = np.divmod(pixels, self.desk.picture.shape[1])
        nearest = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2)
        return int(rows[nearest]), int(columns[nearest])

    def why_nothing(self, suited: bool) -> str:
        if not self.ready:
            return "Paint a stroke in each of two regions; then there will be places to ask about."
        if not suited:
            return "This solver is sure of every place."
        return "No place is in doubt."

    def counts(self, session: Session) -> Html:
        """Painted or set aside, a question is settled."""
        settled = len(session.asked)
        return join(tag("b", settled), f" of {settled + len(session.pending)} settled")

    def reason(self, query: Query) -> Html:
        posed = self.posed
        assert posed is not None
        regions = posed.palette.painted
        shares = probable(posed)[query.samples[0]]
        order = np.argsort(-shares)[:2]
        per_cent = [f" {100 * share:.0f}\N{NO-BREAK SPACE}%" for share in shares]
        named = [join(tag("b", self._called(int(regions[k]))), per_cent[k]) for k in order]
        return join("By what is seen at ", tag("b", "a"), ": ", named[0], ", ", named[1], f"; {query.reason}.")

    def cards(self, query: Query) -> list[Html]:
        """The place, and the nearest paint of each region."""
        row, column = self.place(query)
        return [self._card("a", None, row, column), *(self._card("", *dab) for dab in self._nearest_paint(row, column))]

    def _nearest_paint(self, row: int, column: int) -> list[tuple[int, int, int]]:
        """Region, row and column of the middle of the nearest dab of each region on this slice; two at most."""
        assert self.posed is not None
        found: dict[int, tuple[float, int, int]] = {}
        for dab in self.posed.palette.dabs:
            if dab.region:
                r, c = self._middle_of(dab.pixels)
                away = float(np.hypot(r - row, c - column))
                found[dab.region] = min(found.get(dab.region, (np.inf, r, c)), (away, r, c))
        return [(region, r, c) for region, (_, r, c) in sorted(found.items())][:2]

    def _card(self, letter: str, region: int | None, row: int, column: int) -> Html:
        picture = self.desk.picture
        value = picture.pixels[row, column]
        if picture.is_colour:
            words = "colour " + "".join(f"{round(255 * float(v)):02x}" for v in value)
        else:
            words = ", ".join(f"{v:.4g}" for v in np.atleast_1d(picture.low + value * (picture.high - picture.low)))
            words = f"{words} {picture.unit}" if picture.unit else f"grey {words}"
        if region is None:
            head = tag("header", tag("b", f"{letter} · {words}"))
        else:
            head = tag("header", swatch(region), tag("b", self._called(region)[:18]))
        return tag("div", head, _patch(picture.shown(self.desk.window), row, column), class_="cc-sample")


def _patch(pixels: np.ndarray, row: int, column: int) -> Html:
    from PIL import Image

    around = ((HALF, HALF), (2 * HALF, 2 * HALF)) + ((0, 0),) * (pixels.ndim - 2)
    padded = np.pad(pixels, around, mode="edge")
    cut = padded[row : row + 2 * HALF + 1, column : column + 4 * HALF + 1]
    buffer = io.BytesIO()
    Image.fromarray(cut).save(buffer, "PNG")
    source = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    image = tag("img", src=source, alt=f"The picture around row {row}, column {column}")
    return tag("span", image, class_="cc-patch")
