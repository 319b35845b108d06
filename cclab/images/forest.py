"""A forest that learns from paint, by a bank of filters, what tells regions apart, and tests itself on other paint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cclab.images.bank import Bank
from cclab.images.spots import Spot, nearness_to
from cclab.images.strokes import MOST_OF_A_STROKE, are_long

# Paint is left out in at most so many turns, each with so many trees.
FOLDS, TESTING = 4, 8
# How many trees, by what is clustered: superpixels are to be quick. And the share of the pieces of paint that each of
# them sees.
N_TREES, SEEN = {"pixels": 40, "superpixels": 20}, 0.7
# Where there are dabs, the share of the trees that see none of them.
FIRM = 1 / 3
# Pieces of a stroke have about so many pixels.
PIECE = 60
# No vote is surer than this, so that what is painted otherwise near by can win; and powers of votes that are tried
# against paint that was left out.
LEAST_VOTE, POWERS = 0.02, (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
# By so many maps it is told what is like paint; none of them scatters less than this share of its spread over paint.
TELLING, LEAST_SCATTER = 6, 0.05
# So many pixels are looked at in one go.
AT_ONCE = 2**17
# A stroke confirms, or has taught, what trees say of it: without it, or with it.
CONFIRMED, TAUGHT = 0.7, 0.6


@dataclass(frozen=True, eq=False)
class Paint:
    """What is painted, pixel by pixel.

    Attributes
    ----------
    values : float32 array of shape (n, n_maps)
    region : int array of shape (n,)
    stroke : int array of shape (n,)
        Which stroke each pixel is of.
    piece : int array of shape (n,)
        Which piece of paint: a short stroke, or a part of a long one. Trees see pieces as a whole, or not.
    """

    values: np.ndarray
    region: np.ndarray
    stroke: np.ndarray
    piece: np.ndarray
    _left_out: dict[bytes, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def code(self) -> np.ndarray:
        """(n,) the place of each pixel's region among those that are painted."""
        return np.unique(self.region, return_inverse=True)[1]

    @cached_property
    def fold(self) -> np.ndarray:
        """(n,) when each pixel is left out: with its stroke, or with its piece of its region's only stroke.

        -1 where it is never left out, since nothing of its region would be left.
        """
        fold = np.full(len(self.code), -1)
        for k in range(int(self.code.max()) + 1):
            mine = self.code == k
            parts = self.stroke if len(np.unique(self.stroke[mine])) > 1 else self.piece
            numbers, rank = np.unique(parts[mine], return_inverse=True)
            if len(numbers) > 1:
                fold[mine] = rank % min(len(numbers), FOLDS)
        return fold

    @cached_property
    def weight(self) -> np.ndarray:
        """(n,) regions count alike; within one, long strokes count more than short ones, by the root of their size."""
        weight = 1 / np.sqrt(np.bincount(self.stroke)[self.stroke])
        totals = np.bincount(self.code, weights=weight)
        return weight / totals[self.code] * len(self.code) / len(totals)

    @cached_property
    def long(self) -> np.ndarray:
        """(n,) whether each pixel is of a long stroke."""
        regions = np.zeros(int(self.stroke.max()) + 1, dtype=int)
        regions[self.stroke] = self.region
        return are_long(regions, np.bincount(self.stroke))[self.stroke]

    @cached_property
    def without_dabs(self) -> Paint:
        """Its long strokes; itself where there are no others."""
        if self.long.all():
            return self
        return Paint(*(each[self.long] for each in (self.values, self.region, self.stroke, self.piece)))

    def rightly(self, told: np.ndarray) -> float:
        """The share that is told rightly: regions count alike, and so do the strokes of each; NaN for no one.

        Parameters
        ----------
        told : array of shape (n, n_regions)
            What speaks for each region; NaN where nothing is told.
        """
        tested, right = np.isfinite(told[:, 0]), told.argmax(axis=1) == self.code
        by_region: dict[int, list[float]] = {}
        for number in np.unique(self.stroke[tested]):
            mine = tested & (self.stroke == number)
            by_region.setdefault(int(self.code[mine][0]), []).append(float(right[mine].mean()))
        return float(np.mean([np.mean(each) for each in by_region.values()])) if by_region else float("nan")

    def left_out(self, columns: np.ndarray) -> np.ndarray:
        """(n, n_regions) what trees say of each pixel that were grown without its stroke; NaN where there are none."""
        key = columns.tobytes()
        if key not in self._left_out:
            values = np.ascontiguousarray(self.values[:, columns], dtype=np.float32)
            found = np.full((len(self.code), int(self.code.max()) + 1), np.nan)
            for number in range(int(self.fold.max()) + 1):
                unseen, seen = np.flatnonzero(self.fold == number), self.fold != number
                trees = [_tree(values[seen], self.code[seen], self.weight[seen], k) for k in range(TESTING)]
                votes = [tree.predict_proba(values[unseen], check_input=False) for tree in trees]
                found[unseen] = np.mean(votes, axis=0)
            self._left_out[key] = found
        return self._left_out[key]


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, each grown on some of the paint.

    Attributes
    ----------
    regions : int array of shape (n_regions,)
    trees : list
    columns : int array of shape (n_used,)
        The maps of the bank that they look at.
    paint : Paint
        What they learned from.
    importance : array of shape (n_used,)
        How much each map helps to tell regions apart; sums to 1.
    kinds, scales : tuples of length n_used
        What each map is about, and over how many pixels it looks.
    n_firm : int
        The first so many trees have seen no dabs, the others have.
    spots : tuple of Spot
        Where the dabs lie.
    """

    regions: np.ndarray
    trees: list[Any]
    columns: np.ndarray
    paint: Paint
    importance: np.ndarray
    kinds: tuple[str, ...]
    scales: tuple[float, ...]
    n_firm: int = 0
    spots: tuple[Spot, ...] = ()

    @classmethod
    def grown(cls, paint: Paint, bank: Bank, columns: np.ndarray, n_trees: int, spots: tuple[Spot, ...] = ()) -> Forest:
        """Learn from paint, by some of the maps of a bank; where there are dabs, some trees see none of them."""
        n_firm = 0 if paint.long.all() else round(FIRM * n_trees)
        trees = _trees(paint.without_dabs, columns, n_firm) + _trees(paint, columns, n_trees - n_firm)
        importance = np.sum([tree.feature_importances_ for tree in trees], axis=0)
        importance /= max(importance.sum(), 1e-12)
        kinds, scales = (tuple(about[k] for k in columns) for about in (bank.kinds, bank.scales))
        return cls(np.unique(paint.region), trees, columns, paint, importance, kinds, scales, n_firm, spots)

    @property
    def held_out(self) -> np.ndarray:
        """(n, n_regions) what trees say of each painted pixel that were grown without its stroke."""
        return self.paint.left_out(self.columns)

    @cached_property
    def _tested(self) -> tuple[Paint, np.ndarray]:
        """Long strokes, and what trees say of each that were grown without it. Dabs lie where trees err: no test."""
        long = self.paint.without_dabs
        return long, long.left_out(self.columns)

    @cached_property
    def carries(self) -> float:
        """How far what is learned in one place holds in others: from 0, as if by chance, to 1."""
        long, told = self._tested
        rightly, chance = long.rightly(told), 1 / len(self.regions)
        return 0.5 if np.isnan(rightly) else max(rightly - chance, 0) / (1 - chance)

    @cached_property
    def sharpness(self) -> float:
        """The power of the votes that says best how often they are right, of strokes that the trees have not seen."""
        long, told = self._tested
        tested = np.flatnonzero(np.isfinite(told[:, 0]))
        if not len(tested):
            return 1.0
        votes, code, weight = np.log(np.clip(told[tested], LEAST_VOTE, 1)), long.code[tested], long.weight[tested]
        losses = []
        for power in POWERS:
            scaled = power * votes
            right = scaled[np.arange(len(tested)), code] - np.logaddexp.reduce(scaled, axis=1)
            losses.append(-(weight * right).sum())
        return POWERS[int(np.argmin(losses))]

    def calibrated(self, votes: np.ndarray) -> np.ndarray:
        """(n, n_regions) shares of votes as how probable regions are, by what held for paint that was left out."""
        powers = np.clip(votes, LEAST_VOTE, 1) ** self.sharpness
        return powers / powers.sum(axis=1, keepdims=True)

    def typicality(self, values: np.ndarray) -> np.ndarray:
        """(n,) how like the nearest stroke each is, from 0 to 1, by the maps that matter most."""
        telling = self.columns[np.argsort(-self.importance, kind="stable")[:TELLING]]
        paint = self.paint.values[:, telling].astype(float)
        strokes = [self.paint.stroke == number for number in np.unique(self.paint.stroke)]
        means = np.stack([paint[mine].mean(axis=0) for mine in strokes])
        within = sum(((paint[mine] - mean) ** 2).sum(axis=0) for mine, mean in zip(strokes, means)) / len(paint)
        scale = np.sqrt(within + (LEAST_SCATTER * paint.std(axis=0)) ** 2 + 1e-12)
        scaled = values[:, telling] / scale.astype(np.float32)
        squares = np.min([((scaled - mean / scale) ** 2).mean(axis=1) for mean in means], axis=0)
        return np.exp(-np.maximum(squares - 1, 0) / 4)

    @cached_property
    def reasons(self) -> tuple[tuple[str, float], ...]:
        """The two kinds of maps that matter most, each with the scale at which it does."""
        shares = {kind: sum(i for i, k in zip(self.importance, self.kinds) if k == kind) for kind in self.kinds}
        # A kind with many maps has more to choose from: it must be worth it.
        order = sorted(shares, key=lambda kind: -shares[kind] / np.sqrt(self.kinds.count(kind)))
        chosen: list[tuple[str, float]] = []
        for kind in order[:2]:
            of = [(i, scale) for i, k, scale in zip(self.importance, self.kinds, self.scales) if k == kind]
            by_scale = {scale: sum(i for i, s in of if s == scale) for _, scale in of}
            chosen.append((kind, max(by_scale, key=lambda scale: by_scale[scale])))
        return tuple(chosen)

    @property
    def words(self) -> str:
        """What tells the regions apart, in words.

        >>> Forest(*[None] * 4, np.array([0.7, 0.3]), ("texture", "brightness"), (7, 0)).words
        'texture at 7 px and brightness tell them apart'
        """
        named = [f"{kind} at {scale:g} px" if scale else kind for kind, scale in self.reasons]
        return f"{' and '.join(named)} tell{'s' if len(named) == 1 else ''} them apart"

    @cached_property
    def effects(self) -> tuple[tuple[str, str], ...]:
        """What each stroke did, in the order of the paint: ("confirms" | "taught" | "only here", kind of map).

        A stroke confirms what the trees would have said without it; it has taught what they say rightly only with it,
        by the kind of map in which it differs most from the other paint of its region; else it holds where it is.
        """
        paint, found, code = self.paint, [], self.paint.code
        rows = np.arange(len(code))
        now = self.probabilities(paint.values, 1.0)[rows, code]
        before = self.held_out[rows, code]
        for number in range(int(paint.stroke.max()) + 1):
            mine = paint.stroke == number
            others = (paint.region == paint.region[mine][0]) & ~mine
            unseen = before[mine][np.isfinite(before[mine])]
            if others.any() and len(unseen) and unseen.mean() > CONFIRMED:
                found.append(("confirms", ""))
            elif now[mine].mean() > TAUGHT:
                found.append(("taught", self._new_in(mine, others if others.any() else ~mine)))
            else:
                found.append(("only here", ""))
        return tuple(found)

    def _new_in(self, mine: np.ndarray, others: np.ndarray) -> str:
        """The kind of map by which some paint differs most from other paint, among those that matter."""
        values = self.paint.values[:, self.columns]
        apart = np.abs(values[mine].mean(axis=0) - values[others].mean(axis=0)) / (values.std(axis=0) + 1e-9)
        return self.kinds[int(np.argmax(apart * self.importance))]

    def probabilities(self, values: np.ndarray, near: np.ndarray | float = 0.0) -> np.ndarray:
        """(n, n_regions) the share of the trees' votes, for values of all maps of a bank.

        Near a dab those trees vote that have seen it. What a dab says of places far away is a guess, so there all vote
        alike at most, and as little as strokes foretell each other those that have seen it.

        Parameters
        ----------
        values : array of shape (n, n_maps)
        near : array of shape (n,), or float
            How near a dab it is, from 0 to 1.
        """
        if not self.n_firm:
            return self._votes(values, self.trees)
        firm, taught = (self._votes(values, side) for side in (self.trees[: self.n_firm], self.trees[self.n_firm :]))
        far = self.carries * (1 - self.n_firm / len(self.trees))
        return firm + np.reshape(far + (1 - far) * near, (-1, 1)).astype(np.float32) * (taught - firm)

    def near(self, place: int | None, rows: slice, columns: slice) -> np.ndarray | float:
        """(n_pixels,) how near a dab each pixel of some rows and columns of a slice is.

        What was corrected on other slices, or on another picture, is meant for all of this one.
        """
        if any(spot.slice != place for spot in self.spots):
            return 1.0
        return nearness_to(self.spots, rows, columns).ravel() if self.spots else 0.0

    def _votes(self, values: np.ndarray, trees: list[Any]) -> np.ndarray:
        votes = np.zeros((len(values), len(self.regions)), dtype=np.float32)
        for start in range(0, len(values), AT_ONCE):
            part = values[start : start + AT_ONCE]
            part = part[:, self.columns] if len(self.columns) < values.shape[1] else part
            part = np.ascontiguousarray(part, dtype=np.float32)
            for tree in trees:
                votes[start : start + AT_ONCE] += tree.predict_proba(part, check_input=False)
        return np.clip(votes / len(trees), LEAST_VOTE, 1 - LEAST_VOTE)


def _trees(paint: Paint, columns: np.ndarray, n: int) -> list[Any]:
    """So many trees, each grown on some of the pieces of long strokes and on all dabs."""
    rng = np.random.default_rng(0)  # the same paint gives the same forest
    values = np.ascontiguousarray(paint.values[:, columns], dtype=np.float32)
    _, first, piece = np.unique(paint.piece, return_index=True, return_inverse=True)
    trees = []
    for number in range(n):
        seen = _chosen(rng, paint.code[first])[piece] | ~paint.long
        trees.append(_tree(values[seen], paint.code[seen], paint.weight[seen], number))
    return trees


def _tree(values: np.ndarray, code: np.ndarray, weight: np.ndarray, number: int) -> Any:
    from sklearn.tree import ExtraTreeClassifier

    tree = ExtraTreeClassifier(max_features="sqrt", min_samples_leaf=2, random_state=number)
    return tree.fit(values, code, sample_weight=weight, check_input=False)


def _chosen(rng: np.random.Generator, region_of_piece: np.ndarray) -> np.ndarray:
    """(n_pieces,) most pieces of each region, at least one, and all where there is but one."""
    chosen = np.zeros(len(region_of_piece), dtype=bool)
    for k in range(int(region_of_piece.max()) + 1):
        pieces = np.flatnonzero(region_of_piece == k)
        n = max(1, min(round(SEEN * len(pieces)), len(pieces) - 1))
        chosen[rng.permutation(pieces)[:n]] = True
    return chosen


def gather(strokes: Sequence[tuple[int, np.ndarray, np.ndarray]], width: int) -> Paint:
    """Paint as the forest sees it.

    Parameters
    ----------
    strokes : sequence of (region, flat indices of pixels, values of shape (n_pixels, n_maps))
    width : int
        Of the picture.
    """
    taken, regions, numbers, pieces = [], [], [], []
    n_pieces = 0
    for number, (region, pixels, values) in enumerate(strokes):
        part = _pieces(pixels, width)
        if len(pixels) > MOST_OF_A_STROKE:
            some = np.linspace(0, len(pixels) - 1, MOST_OF_A_STROKE).astype(int)
            values, part = values[some], part[some]
        taken.append(values)
        regions += [region] * len(part)
        numbers += [number] * len(part)
        pieces.append(part + n_pieces)
        n_pieces += int(part.max()) + 1
    return Paint(np.concatenate(taken), np.array(regions), np.array(numbers), np.concatenate(pieces))


def _pieces(pixels: np.ndarray, width: int) -> np.ndarray:
    """Pixels of a stroke in pieces, cut across its longest way."""
    n = max(1, round(len(pixels) / PIECE))
    if n == 1:
        return np.zeros(len(pixels), dtype=int)
    places = np.column_stack(np.divmod(pixels, width)).astype(float)
    places -= places.mean(axis=0)
    along = places @ np.linalg.eigh(places.T @ places)[1][:, -1]
    return np.argsort(np.argsort(along)) * n // len(pixels)
