"""One picture with all that follows from it alone: features, objects and ties, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from threading import RLock
from typing import Any

import numpy as np
from scipy import sparse

from cclab.images.bank import HALO, Bank
from cclab.images.features import features as pixel_features
from cclab.images.features import flattened
from cclab.images.objects import Objects, distinct_values, single_pixels, superpixels
from cclab.images.picture import Picture
from cclab.images.recipe import Options

_MAKERS: dict[str, Callable[[Picture, np.ndarray], Objects]] = {
    "values": distinct_values,
    "superpixels": superpixels,
    "pixels": single_pixels,
}
# Masks of large pictures are made in blocks of so many pixels a side, a multiple of the steps of wide filters; around
# them it is looked as far as filters look (where these are known already, as far as neighbours have a say), and further
# where slow changes of light are taken away.
BLOCK, NEIGHBOURS_HALO, LIGHT_HALO = 520, 16, 128
# Around paint smaller ones do.
AT_PAINT = 240
# Of a larger picture nothing is kept for every pixel: what is seen is worked out in blocks, where it is asked for.
MOST_KEPT = 2048**2
# So many pixels say what a picture is like.
SOME = 20_000


@dataclass(frozen=True)
class Block:
    """A part of a picture.

    Attributes
    ----------
    core, around : (rows, columns) slices of the picture
        What the block is to answer for, and what is looked at.
    inner : (rows, columns) slices
        Where the first lies in the second.
    """

    core: tuple[slice, slice]
    around: tuple[slice, slice]

    @property
    def inner(self) -> tuple[slice, slice]:
        rows, columns = (
            slice(core.start - around.start, core.stop - around.start) for core, around in zip(self.core, self.around)
        )
        return rows, columns


def blocks_of(shape: tuple[int, int], halo: int, size: int) -> list[list[Block]]:
    """Blocks that cover a picture, in rows and columns; one alone where it is small."""
    if max(shape) <= size + 2 * halo:
        whole = slice(0, shape[0]), slice(0, shape[1])
        return [[Block(whole, whole)]]
    down, across = (
        [(slice(at, min(at + size, n)), slice(max(at - halo, 0), min(at + size + halo, n))) for at in range(0, n, size)]
        for n in shape
    )
    return [[Block((rows, columns), (above, beside)) for columns, beside in across] for rows, above in down]


@dataclass(eq=False)
class Sheet:
    """A picture that is looked at with various options."""

    picture: Picture
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)
    _making: Any = field(default_factory=RLock, repr=False)

    @property
    def n_pixels(self) -> int:
        """Of the picture."""
        return self.picture.shape[0] * self.picture.shape[1]

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._making:  # who needs what another thread is making waits for it
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _seen(self, options: Options) -> Picture:
        """The picture that features are taken from."""
        return self._once("flat", lambda: flattened(self.picture)) if options.flatten else self.picture

    def names(self, options: Options) -> tuple[str, ...] | None:
        """Of the features that are taken."""
        if options.features is None and options.objects == "values":
            return ("lab",) if self.picture.is_colour else ("intensity",)
        return options.features

    def features(self, options: Options) -> np.ndarray:
        """(n_pixels, n_features) of every pixel."""
        names = self.names(options)
        return self._once(("features", names, options.flatten), lambda: pixel_features(self._seen(options), names))

    def bank(self, options: Options) -> Bank:
        """Filters of many scales at every pixel."""
        return self._once(("bank", options.flatten), lambda: Bank.of(self._seen(options)))

    def blocks(self, options: Options) -> Iterator[tuple[Block, Sheet]]:
        """The picture part by part, each with what is known of it already."""
        known = self._made.get(("bank", options.flatten))
        halo = _halo(options, HALO if known is None else NEIGHBOURS_HALO)
        for block in chain(*blocks_of(self.picture.shape, halo, BLOCK)):
            part = Sheet(self.picture.part(*block.around))
            if known is not None:
                values = known.values.reshape(*self.picture.shape, -1)[block.around]
                part._made["bank", options.flatten] = replace(known, values=values.reshape(-1, values.shape[2]))
            yield block, part

    def maps(self, options: Options) -> Bank:
        """What the filters are about; of a picture that is too large for them all, those of a corner."""
        small = self.n_pixels <= MOST_KEPT
        return self.bank(options) if small else Sheet(self.picture.part(slice(64), slice(64))).bank(options)

    def at(self, pixels: np.ndarray, options: Options, *, filters: bool) -> np.ndarray:
        """(n, k) features of some pixels, or what the filters say of them."""
        if self.n_pixels <= MOST_KEPT:
            return (self.bank(options).values if filters else self.features(options))[pixels]
        blocks = blocks_of(self.picture.shape, _halo(options), AT_PAINT)
        places = np.stack(np.divmod(pixels, self.picture.shape[1]))
        which = places // AT_PAINT
        order, seen = [], []
        for row, column in np.unique(which, axis=1).T:
            mine, (rows, columns) = np.flatnonzero((which[0] == row) & (which[1] == column)), blocks[row][column].around
            down, across = places[:, mine] - [[rows.start], [columns.start]]
            part = Sheet(self.picture.part(rows, columns))
            order.append(mine)
            seen.append(part.at(down * (columns.stop - columns.start) + across, options, filters=filters))
        return np.concatenate(seen)[np.argsort(np.concatenate(order))]

    def sampled(self, options: Options) -> np.ndarray:
        """(n, n_features) features of some pixels all over the picture; of a very large one, in its middle."""
        if self.n_pixels <= MOST_KEPT:
            return self.features(options)[:: -(-self.n_pixels // SOME)]
        rows, columns = (slice(max(n // 2 - BLOCK // 2, 0), n // 2 + BLOCK // 2) for n in self.picture.shape)
        return Sheet(self.picture.part(rows, columns)).sampled(options)

    def described(self, options: Options) -> np.ndarray:
        """(n_objects, n_maps) what the filters say of each object."""
        bank, objects = self.bank(options), self.objects(options)
        if objects.kind == "pixels":
            return bank.values
        return self._once(("described", id(objects)), lambda: objects.means_of(bank.values).astype(np.float32))

    def objects(self, options: Options) -> Objects:
        """What is clustered."""
        key = ("objects", options.objects, self.names(options), options.flatten)
        return self._once(key, lambda: _MAKERS[options.objects](self._seen(options), self.features(options)))

    def ties(self, options: Options) -> sparse.csr_array | None:
        """How strongly neighbours are tied; frozen, so that what follows from it is worked out once for all strokes."""
        objects, smoothness = self.objects(options), options.smoothness
        affinity = objects.affinity
        if affinity is None or not smoothness:
            return None
        ties = self._once(("ties", id(objects), smoothness), lambda: affinity * smoothness)
        ties.data.setflags(write=False)
        return ties

    def without_value(self, options: Options) -> np.ndarray | None:
        """(n_objects,) of which objects most pixels have no value; None where all have one."""
        invalid = self.picture.invalid
        if invalid is None:
            return None
        objects = self.objects(options)
        counts = np.bincount(objects.labels_of_pixels[invalid], minlength=len(objects))
        return 2 * counts > objects.multiplicity

    def prepare(self, options: Options) -> None:
        """Work out now what the first stroke would have to wait for."""
        for kind in {options.objects, "superpixels"} if options.objects == "pixels" else {options.objects}:
            self.objects(replace(options, objects=kind))
            if options.learns:
                self.described(replace(options, objects=kind))


def _halo(options: Options, least: int = HALO) -> int:
    """How far around a block it is looked."""
    return least + LIGHT_HALO * options.flatten
