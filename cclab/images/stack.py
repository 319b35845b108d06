"""Pictures that belong together: the slices of a scan, the pages of a file, one after the other in time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from cclab.images.picture import Picture

#: The axis of a stack of pictures that were painted on one after the other.
PICTURE = "picture"
# So many pixels say what a stack is like; of them so few (in per cent) are all black, and all white.
SOME, FEW = 10**6, (0.1, 99.9)


@dataclass(frozen=True, eq=False, repr=False)
class Stack:
    """Pictures of one size and one scale of values, in order.

    Attributes
    ----------
    slices : tuple of Picture
        At least one.
    axis : str
        What they are, in the singular: slice, page, time, file.
    thickness : float or None
        From one to the next, in the length of the pictures.
    affine, orientation : array or None
        Of the NIfTI file that they came from.
    name : str
        Of all together; default: that of the first.
    sizes : tuple of (height, width), or None
        Of the files, where smaller ones were padded with pixels without a value, below and at the right.

    Examples
    --------
    >>> Stack.of([Picture("low", np.zeros((2, 3))), Picture("high", np.ones((2, 3)))])
    <Stack low: 2 slices of 2 x 3, 8-bit grey>
    """

    slices: tuple[Picture, ...]
    axis: str = "slice"
    thickness: float | None = None
    affine: np.ndarray | None = None
    orientation: np.ndarray | None = None
    name: str = ""
    sizes: tuple[tuple[int, int], ...] | None = None

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.slices[0].name)

    @classmethod
    def of(cls, pictures: Sequence[Picture] | Picture | Stack, **about: Any) -> Stack:
        """A stack of pictures, on a scale that holds all values; ValueError in words where they don't fit together."""
        if isinstance(pictures, Stack):
            return pictures
        slices = (pictures,) if isinstance(pictures, Picture) else tuple(pictures)
        if not slices:
            raise ValueError("a stack has at least one picture")
        first = slices[0]
        for number, other in enumerate(slices[1:], 2):
            if other.pixels.shape != first.pixels.shape:
                raise ValueError(
                    f"pictures of a stack have one size and the same channels: {first.name} is {_size(first)}, "
                    f"number {number} ({other.name}) is {_size(other)}; open those of one size together, and "
                    "apply what was painted to the others"
                )
        scale = (
            min(picture.low for picture in slices),
            max(picture.high for picture in slices),
            max(picture.bit_depth for picture in slices),
        )
        return cls(tuple(picture.on_scale(*scale) for picture in slices), **about)

    def joined(self, picture: Picture) -> Stack:
        """With one more picture, perhaps of another size; all go by their names, and paint stays where it is."""
        slices = (*self.slices, picture)
        if picture.shape == self.shape or any(one.whole is not None for one in slices):
            sizes = None if self.sizes is None else (*self.sizes, picture.shape)
            return Stack.of(slices, axis=PICTURE, name=self.name, sizes=sizes)
        sizes = (*(self.sizes or [self.shape] * len(self)), picture.shape)
        height, width = (max(one.shape[k] for one in slices) for k in (0, 1))
        return Stack.of([one.padded(height, width) for one in slices], axis=PICTURE, name=self.name, sizes=sizes)

    def own(self, place: int) -> tuple[slice, slice]:
        """Where the pixels of the file are in a slice: rows and columns."""
        height, width = self.shape if self.sizes is None else self.sizes[place]
        return slice(0, height), slice(0, width)

    @property
    def is_numbered(self) -> bool:
        """Whether slices go by their numbers, and not by the names of pictures that were put together."""
        return len(self) > 1 and self.axis != PICTURE

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, place: int) -> Picture:
        return self.slices[place]

    def __iter__(self) -> Iterator[Picture]:
        return iter(self.slices)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of each."""
        return self.slices[0].shape

    @cached_property
    def contrast(self) -> tuple[float, float]:
        """Values between which nearly all pixels lie: one window for all slices, so that they can be compared."""
        first = self.slices[0]
        if first.bit_depth <= 8:
            return first.low, first.high
        step = max(1, len(self) * first.pixels.size // SOME)
        some = np.concatenate([_with_value(picture).reshape(-1)[::step] for picture in self])
        low, high = np.percentile(some, FEW).astype(float) if some.size else (0.0, 1.0)
        spread = first.high - first.low
        return (first.low + low * spread, first.low + high * spread) if high > low else (first.low, first.high)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the content of all."""
        if len(self) == 1:
            return self.slices[0].fingerprint
        return hashlib.sha256("".join(picture.fingerprint for picture in self).encode()).hexdigest()

    def pack(self) -> dict[str, Any]:
        """All of it, as arrays and values that are ready for JSON."""
        packed = self.slices[0].pack()
        if len(self) > 1:
            others, shape = [picture.pack() for picture in self], self.slices[0].full.shape
            for name in ("truth", "invalid"):
                if any(other[name] is not None for other in others):
                    blank = np.zeros(shape, dtype=np.uint8 if name == "truth" else bool)
                    packed[name] = np.stack([blank if other[name] is None else other[name] for other in others])
            kinds = {other["pixels"].dtype for other in others}
            exact = len(kinds) == 1
            packed["pixels"] = np.stack([o["pixels"] if exact else one.full.pixels for o, one in zip(others, self)])
            packed["names"] = [picture.name for picture in self]
        packed["name"] = self.name
        packed |= {"axis": self.axis, "thickness": self.thickness, "affine": self.affine}
        packed["orientation"] = self.orientation
        packed["sizes"] = None if self.sizes is None else [list(size) for size in self.sizes]
        return packed

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        """The inverse of `pack`."""
        about: dict[str, Any] = {
            "axis": str(packed.get("axis", "slice")),
            "thickness": None if packed.get("thickness") is None else float(packed["thickness"]),
            "affine": packed.get("affine"),
            "orientation": packed.get("orientation"),
            "name": str(packed["name"]),
            "sizes": _sizes(packed.get("sizes")),
        }
        if "names" not in packed:
            return cls((Picture.unpack(packed),), **about)
        names = [str(name) for name in packed["names"]]
        if len(names) != len(packed["pixels"]) or not names:
            raise ValueError(f"there are {len(names)} names for {len(packed['pixels'])} slices")
        slices = []
        for place, name in enumerate(names):
            own = {key: packed[key][place] for key in ("pixels", "truth", "invalid") if packed.get(key) is not None}
            slices.append(replace(Picture.unpack({**packed, **own}), name=name))
        return cls(tuple(slices), **about)

    def __repr__(self) -> str:
        height, width = self.shape
        what = f"{len(self)} {self.axis}s of " if len(self) > 1 else ""
        return f"<Stack {self.name}: {what}{height} x {width}, {self.slices[0].about}>"


def _size(picture: Picture) -> str:
    height, width = picture.shape
    return f"{width} x {height}, {picture.about}"


def _with_value(picture: Picture) -> np.ndarray:
    return picture.pixels if picture.invalid is None else picture.pixels[~picture.invalid]


def _sizes(written: Any) -> tuple[tuple[int, int], ...] | None:
    return None if written is None else tuple((int(height), int(width)) for height, width in written)
