"""Questions about two places of the picture; an answer is a dab of paint."""

from __future__ import annotations

import base64
import io

import numpy as np

from cclab.core import Problem
from cclab.core.registry import strategies
from cclab.images import Posed, Stroke
from cclab.queries.base import Query
from cclab.session import Session, Snapshot
from cclab.widgets.easel.easel import Easel
from cclab.widgets.html import Html, join, tag
from cclab.widgets.queries import Queries

#: Diameter of the dab that an answer paints, and half the side of the patch that is shown, in pixels.
DAB, HALF = 3.0, 12
STRATEGY = "UncertaintyQueries"


class Places(Queries):
    """Asks whether two places are the same tissue.

    One is torn between two regions, the other is on the paint of one of them: "same" paints the first in that region,
    "different" in the other.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel

    def __init__(self, desk: Easel, **options) -> None:
        self._about: Problem | None = None
        super().__init__(desk, STRATEGY, question="Same tissue?", **options)

    @property
    def _posed(self) -> Posed | None:
        return self.desk.posed_at(self.desk.session.current)

    @property
    def query(self) -> Query | None:
        """The question that is asked now; one about the objects of another problem is none."""
        return super().query if self._about is self.desk.session.problem and self._can_ask else None

    @property
    def _can_ask(self) -> bool:
        """Whether there are two regions to tell apart."""
        posed = self._posed
        return posed is not None and len(posed.palette.painted) > 1

    def propose(self) -> None:
        """Look for another question, aside."""
        if self._can_ask and self.strategy.value is not None:
            super().propose()

    async def _look(self) -> None:
        self._about = None
        await super()._look()
        self._about = self.desk.session.problem
        self._show()

    def _fill_strategies(self, snapshot: Snapshot, wanted: str) -> None:
        """The one that asks about a place and one that is surely in a region, where beliefs can be torn."""
        strategy = strategies.get(STRATEGY)
        options = ((strategy.title, STRATEGY),) if strategy.suits(snapshot.partition) else ()
        if options != tuple(self.strategy.options):
            self.strategy.options = options
            self.strategy.value = STRATEGY if options else None

    def _show(self) -> None:
        super()._show()
        query, posed = self.query, self._posed
        places = [] if query is None or posed is None else [self._place(query, s) for s in query.samples]
        self.desk.mark(places)

    def answer(self, answer: str | int) -> None:
        """Paint the place in question: in the region of the other place, or in the next likely one."""
        query = self.query
        if query is None or not isinstance(answer, str):
            return
        asked, sure, (first, second) = self._torn(query)
        region = sure if answer == "same" else second if first == sure else first
        rows, column = self.desk.place_of(self._posed, asked)
        self.desk.session.reject(query)  # it is settled by paint, and never asked again
        self.desk.paint(Stroke("brush", region, DAB, [[column + 0.5, rows + 0.5]]))

    def _place(self, query: Query, sample: int) -> tuple[int, int]:
        """Row and column of the place in question; of the other sample, the middle of the paint of its region."""
        asked, sure, _ = self._torn(query)
        if sample == asked:
            return self.desk.place_of(self._posed, asked)
        dab = max((dab for dab in self._posed.palette.dabs if dab.region == sure), key=lambda dab: len(dab.pixels))
        return self.desk.middle_of(dab.pixels)

    def _torn(self, query: Query) -> tuple[int, int, tuple[int, int]]:
        """The sample in question, the region of the other, and the two likeliest regions of the first."""
        posed, partition = self._posed, self.desk.session.partition
        belongs = np.equal.outer(posed.palette.regions, posed.palette.painted).astype(float)
        degrees = partition.degrees[list(query.samples)] @ belongs
        order = np.argsort(-degrees, axis=1)
        margin = degrees.max(axis=1) - np.partition(degrees, -2, axis=1)[:, -2] if degrees.shape[1] > 1 else [0, 1]
        place = int(np.argmin(margin))
        regions = posed.palette.painted
        likely = tuple(int(regions[k]) for k in order[place][:2])
        return query.samples[place], int(regions[order[1 - place][0]]), likely * 2 if len(likely) == 1 else likely

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        self._fill_strategies(new, STRATEGY)
        super().update(old, new)

    def _wants_another(self, same_knowledge: bool) -> bool:
        return self._can_ask and super()._wants_another(same_knowledge)

    def _why_nothing(self) -> str:
        if not self._can_ask:
            return "Paint a stroke in each of two regions; then there will be places to ask about."
        if not self.strategy.options:
            return "This solver is sure of every place."
        return "No place is torn between two regions."

    def _counts_in_words(self, session: Session) -> Html:
        """Painted or set aside, a question is settled."""
        settled = len(session.asked)
        return join(tag("b", settled), f" of {settled + len(session.pending)} settled")

    def _reason(self, query: Query) -> Html:
        asked, sure, likely = self._torn(query)
        letter, other = ("a", "b") if asked == query.samples[0] else ("b", "a")
        names = [tag("b", self.desk.regions[region - 1]) for region in likely]
        paint = tag("b", self.desk.regions[sure - 1])
        return join(
            tag("b", letter), " is torn between ", names[0], " and ", names[1], "; ",
            tag("b", other), " is your paint of ", paint, ".",
        )  # fmt: skip

    def _card(self, letter: str, sample: int) -> Html:
        row, column = self._place(self.query, sample)
        picture = self.desk.picture
        value = picture.pixels[row, column]
        if picture.is_colour:
            words = "colour " + "".join(f"{round(255 * float(v)):02x}" for v in value)
        else:
            words = f"grey {value * (2**picture.bit_depth - 1):.0f}"
        head = tag("header", tag("b", f"{letter} · {words}"))
        return tag("div", head, _patch(picture.pixels, row, column), class_="cc-sample", data_hover=sample)


def _patch(pixels: np.ndarray, row: int, column: int) -> Html:
    from PIL import Image

    around = ((HALF, HALF), (2 * HALF, 2 * HALF)) + ((0, 0),) * (pixels.ndim - 2)
    padded = np.pad(pixels, around, mode="edge")
    cut = padded[row : row + 2 * HALF + 1, column : column + 4 * HALF + 1]
    buffer = io.BytesIO()
    Image.fromarray(np.rint(255 * cut).astype(np.uint8)).save(buffer, "PNG")
    source = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    image = tag("img", src=source, alt=f"The picture around row {row}, column {column}")
    return tag("span", image, class_="cc-patch")
