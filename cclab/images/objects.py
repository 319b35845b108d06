"""What is clustered in place of a picture: its distinct values, its superpixels or its single pixels.

All three come as `Objects`: features to cluster, how many pixels each object stands for, which object each
pixel belongs to, and, where neighbours matter, weak ties between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage, sparse

from cclab.images.features import features as pixel_features
from cclab.images.features import intensity
from cclab.images.picture import Picture

# Weight of the tie between two equal neighbours, and the share of it that is left between very unequal ones.
TIE, WEAKEST = 4.0, 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Objects:
    """A partition of a picture's pixels into the objects that are clustered.

    Attributes
    ----------
    kind : {"values", "superpixels", "pixels"}
    features : float array of shape (n_objects, n_features)
        Means over each object's pixels.
    multiplicity : int array of shape (n_objects,)
        How many pixels each object stands for; at least one.
    labels_of_pixels : int32 array of shape (height, width)
        The object of each pixel.
    affinity : sparse array of shape (n_objects, n_objects), or None
        Symmetric weights of weak ties between neighbours; None where objects have no place.
    """

    kind: str
    features: np.ndarray
    multiplicity: np.ndarray
    labels_of_pixels: np.ndarray
    affinity: sparse.csr_array | None = None

    def __post_init__(self) -> None:
        for name in ("features", "multiplicity", "labels_of_pixels"):
            array = getattr(self, name).view()  # a view: the caller's own array stays as it was
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.multiplicity)

    def __repr__(self) -> str:
        height, width = self.labels_of_pixels.shape
        return f"<Objects: {len(self)} {self.kind} of {height} x {width} pixels>"

    def lift(self, values: np.ndarray) -> np.ndarray:
        """Values of the objects (n_objects, ...) as values of the pixels (height, width, ...)."""
        values = np.asarray(values)
        if len(values) != len(self):
            raise ValueError(f"{len(values)} values for {len(self)} {self.kind}; give one an object")
        return values[self.labels_of_pixels]

    def means_of(self, values: np.ndarray) -> np.ndarray:
        """(n_objects, k) means over each object's pixels of values (n_pixels, k)."""
        order = np.argsort(self.labels_of_pixels.ravel(), kind="stable")
        starts = np.append(0, np.cumsum(self.multiplicity)[:-1])
        sums = [np.add.reduceat(column[order].astype(float), starts) for column in np.asarray(values).T]
        return np.column_stack(sums) / self.multiplicity[:, None]

    def overlap(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objects that some pixels belong to, and how many of those pixels are in each.

        Parameters
        ----------
        pixels : int array
            Flat indices, as `rasterize` gives.

        Returns
        -------
        objects : int array
            In increasing order.
        shares : int array of the same length
            Numbers of pixels, all positive; ``shares / multiplicity[objects]`` says how much of each object.
        """
        counts = np.bincount(self.labels_of_pixels.ravel()[pixels], minlength=len(self))
        objects = np.flatnonzero(counts)
        return objects, counts[objects]

    def cut(self, parts: np.ndarray) -> Objects:
        """The same objects, each cut up by the part that its pixels are in; without ties.

        Parameters
        ----------
        parts : int array of shape (n_pixels,)
            From 0, such as the stroke on each pixel.
        """
        n_parts = int(parts.max()) + 1
        codes = self.labels_of_pixels.ravel().astype(np.int64) * n_parts + parts
        labels, n_labels = _renumbered(codes, len(self) * n_parts)
        whole = np.empty(n_labels, dtype=np.int64)
        whole[labels] = self.labels_of_pixels.ravel()
        counts = np.bincount(labels, minlength=n_labels)
        of_pixels = labels.astype(np.int32).reshape(self.labels_of_pixels.shape)
        return Objects(self.kind, self.features[whole], counts, of_pixels)


def distinct_values(picture: Picture, features: np.ndarray | None = None, n_levels: int | None = None) -> Objects:
    """One object for each value that occurs, such as the grey levels of an 8-bit picture.

    Parameters
    ----------
    picture : Picture
    features : array of shape (n_pixels, n_features), optional
        Default: intensity.
    n_levels : int, optional
        Into how many steps each feature is cut. Default: 65,536 for one feature, which tells all values of a
        16-bit picture apart; 256 each for two; 16 each for more.

    Examples
    --------
    >>> from cclab.images import load_image
    >>> objects = distinct_values(load_image(np.array([[7, 9, 7], [7, 200, 9]], dtype=np.uint8)))
    >>> objects.multiplicity
    array([3, 2, 1])
    >>> objects.labels_of_pixels
    array([[0, 1, 0],
           [0, 2, 1]], dtype=int32)
    """
    values = _checked(picture, features, ("intensity",))
    n_levels = n_levels or {1: 65536, 2: 256}.get(values.shape[1], 16)
    codes = np.zeros(len(values), dtype=np.int64)
    n_codes = 1
    for column in values.T:
        codes, n_codes = _renumbered(codes * n_levels + _steps(column, n_levels), n_codes * n_levels)
    return _objects("values", codes, n_codes, values, picture.shape)


def superpixels(
    picture: Picture,
    features: np.ndarray | None = None,
    n_objects: int = 2000,
    compactness: float = 0.1,
    max_iter: int = 5,
) -> Objects:
    """Small connected patches of like pixels (SLIC), tied to the patches that they touch.

    Parameters
    ----------
    picture : Picture
    features : array of shape (n_pixels, n_features), optional
        What the patches are known by. Default: as for `cclab.images.features`.
    n_objects : int
        About how many; fewer in a small picture.
    compactness : float
        Weight of place against colour (CIE Lab in hundreds, or grey in [0, 1]); larger gives rounder patches.
    max_iter : int
        Rounds of SLIC; more than five change little.

    References
    ----------
    R. Achanta et al., SLIC superpixels compared to state-of-the-art superpixel methods, 2012.
    """
    from skimage.segmentation import slic

    values = _checked(picture, features, None)
    guide = _guide(picture)
    n_pixels = picture.shape[0] * picture.shape[1]
    # Patches of fewer than four pixels would be pixels with extra steps.
    patches = slic(
        guide,
        n_segments=max(1, min(n_objects, n_pixels // 4)),
        compactness=compactness,
        max_num_iter=max_iter,
        convert2lab=False,
        start_label=0,
        channel_axis=-1,
    ).ravel()
    patches, n_patches = _renumbered(patches, int(patches.max()) + 1)
    touching = patches[_neighbours(*picture.shape)]
    one, other = np.sort(touching[:, touching[0] != touching[1]], axis=0)
    pairs = np.stack(np.divmod(np.flatnonzero(np.bincount(one * n_patches + other)), n_patches))
    means = _means(patches, n_patches, guide.reshape(n_pixels, -1))
    return _objects("superpixels", patches, n_patches, values, picture.shape, _ties(pairs, means))


def single_pixels(picture: Picture, features: np.ndarray | None = None) -> Objects:
    """Every pixel for itself, tied to its neighbours above, below, left and right.

    Parameters
    ----------
    picture : Picture
    features : array of shape (n_pixels, n_features), optional
        Default: as for `cclab.images.features`.
    """
    values = _checked(picture, features, None)
    labels = np.arange(len(values), dtype=np.int32).reshape(picture.shape)
    ones = np.ones(len(values), dtype=np.int64)
    return Objects("pixels", values, ones, labels, _grid_ties(_guide(picture)))


def _checked(picture: Picture, features: np.ndarray | None, names: tuple[str, ...] | None) -> np.ndarray:
    values = pixel_features(picture, names) if features is None else np.asarray(features)
    n_pixels = picture.shape[0] * picture.shape[1]
    if values.ndim != 2 or len(values) != n_pixels or not values.shape[1]:
        raise ValueError(f"features have a row for each of {n_pixels} pixels; got the shape {values.shape}")
    return values


def _guide(picture: Picture) -> np.ndarray:
    """What says whether neighbours are alike: grey or Lab colour with the finest noise taken off."""
    values = picture.lab if picture.is_colour else intensity(picture)
    if picture.bit_depth > 8 and not picture.is_colour:  # a few bright pixels must not make all others alike
        low, high = ((value - picture.low) / (picture.high - picture.low) for value in picture.contrast)
        if high - low < 0.5:
            values = np.clip((values - np.float32(low)) / np.float32(high - low), 0, 1)
    return ndimage.gaussian_filter(values, (1, 1, 0), mode="nearest")


def _steps(column: np.ndarray, n_levels: int) -> np.ndarray:
    low, high = float(column.min()), float(column.max())
    scale = (n_levels - 1) / (high - low) if high > low else 0.0
    return np.rint((column.astype(np.float64) - low) * scale).astype(np.int64)


def _renumbered(codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, int]:
    """The same partition with the numbers that occur, in order, as 0, 1, 2, ..."""
    if n_codes > 2**25:  # counting would take more memory than sorting takes time
        present, codes = np.unique(codes, return_inverse=True)
        return codes, len(present)
    occurs = np.bincount(codes, minlength=n_codes) > 0
    return (np.cumsum(occurs) - 1)[codes], int(occurs.sum())


def _means(labels: np.ndarray, n_labels: int, values: np.ndarray) -> np.ndarray:
    counts = np.bincount(labels, minlength=n_labels)
    sums = [np.bincount(labels, weights=column, minlength=n_labels) for column in values.T]
    return np.column_stack(sums) / counts[:, None]


def _objects(
    kind: str,
    labels: np.ndarray,
    n_labels: int,
    values: np.ndarray,
    shape: tuple[int, int],
    affinity: sparse.csr_array | None = None,
) -> Objects:
    counts = np.bincount(labels, minlength=n_labels)
    of_pixels = labels.astype(np.int32).reshape(shape)
    return Objects(kind, _means(labels, n_labels, values), counts, of_pixels, affinity)


def _neighbours(height: int, width: int) -> np.ndarray:
    """Pairs of pixels side by side or one above the other, as flat indices, shape (2, n_pairs)."""
    index = np.arange(height * width).reshape(height, width)
    first = [index[:, :-1], index[:-1]]
    second = [index[:, 1:], index[1:]]
    return np.stack([np.concatenate([part.ravel() for part in parts]) for parts in (first, second)])


def _ties(pairs: np.ndarray, guide: np.ndarray) -> sparse.csr_array:
    """Symmetric weights between the pairs, by their distances in the guide."""
    n_objects = len(guide)
    one, other = pairs
    weights = _weights(sum((column[one] - column[other]) ** 2 for column in guide.T))
    upper = sparse.coo_array((weights, (one, other)), shape=(n_objects, n_objects)).tocsr()
    return upper + upper.T.tocsr()


def _grid_ties(guide: np.ndarray) -> sparse.csr_array:
    """The same between neighbours in a grid, put where they belong at once: a detour takes longer than all else."""
    height, width, _ = guide.shape
    down, across = (sum(np.diff(guide, axis=axis).transpose(2, 0, 1) ** 2) for axis in (0, 1))
    weights = _weights(np.concatenate([down.ravel(), across.ravel()]))
    down, across = weights[: down.size].reshape(down.shape), weights[down.size :].reshape(across.shape)
    grid = np.zeros((height, width, 4))  # to what is above, on the left, on the right and below: in order of number
    grid[1:, :, 0] = grid[:-1, :, 3] = down
    grid[:, 1:, 1] = grid[:, :-1, 2] = across
    tied = grid.reshape(-1, 4)
    there = tied > 0
    numbers = np.arange(len(tied), dtype=np.int32)[:, None] + np.array([-width, -1, 1, width], dtype=np.int32)
    starts = np.append(0, np.cumsum(np.count_nonzero(there, axis=1))).astype(np.int32)
    return sparse.csr_array((tied[there], numbers[there], starts), shape=(len(tied), len(tied)))


def _weights(squared: np.ndarray) -> np.ndarray:
    """``4 max(0.1, exp(-Δ² / (2 mean Δ²)))``, Δ the distance in the guide."""
    mean = squared.mean() if np.any(squared) else 1.0
    return TIE * np.maximum(WEAKEST, np.exp(-squared / (2 * mean))).astype(np.float64)
