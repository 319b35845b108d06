"""Painting: how well two colours of random strokes isolate a lesion, a horse and coins; rivals with the same strokes.

In the MR slices the lesion has one stroke and the rest two (tissue and ventricle); corrections are dabs of some 50
pixels where a method errs most. The first strokes follow from the trial's seed, so all methods are given the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import ndimage
from sklearn.cluster import KMeans

from cclab.algorithms import ECM
from cclab.core import Hard, Problem
from cclab.datasets import Dataset
from cclab.images import Options, Painting, Picture, Recipe, Regions, Stroke, distinct_values, flattened, load_image
from cclab.images.regions import dice
from cclab.images.strokes import surviving_pixels
from cclab.studies import Comparison, Data, Method, Outcome, Printed, Study, grid
from cclab.studies.random_strokes import correcting_stroke, plausible_stroke

#: From a painting and its strokes to the region of each pixel, and the share of them that is undecided.
Segment = Callable[[Painting, list[Stroke]], tuple[np.ndarray, float]]

OBJECT, REST = 1, 2
FLATTENED = ", flattened"


class Painted(Hard):
    """Regions of the pixels, and the share of them that stayed undecided."""

    def __init__(self, regions: np.ndarray, undecided: float = float("nan")) -> None:
        super().__init__(np.where(regions == OBJECT, 0, 1).ravel(), 2)
        self.undecided = undecided


@lru_cache(maxsize=4)
def painting_of(name: str) -> Painting:
    """The painting of a picture by name, flattened if the name says so."""
    image = load_image(name.removesuffix(FLATTENED))
    return Painting(flattened(image) if name.endswith(FLATTENED) else image)


def picture(name: str) -> Dataset:
    """A picture as a data set: a sample a pixel; class 0 is the object, 1 the rest."""
    image = painting_of(name).picture
    return Dataset(
        name,
        image.pixels.reshape(image.shape[0] * image.shape[1], -1),
        target=np.where(true_object(image), 0, 1).ravel(),
        target_names=("object", "rest"),
    )


def true_object(image: Picture) -> np.ndarray:
    """The lesion of a slice; else what is not ground."""
    return np.equal(_truth(image), 3 if "lesion" in image.truth_names else 1)


def _truth(image: Picture) -> np.ndarray:
    assert image.truth is not None  # pictures of studies have one
    return image.truth


def typical_strokes(image: Picture, rng: np.random.Generator) -> list[Stroke]:
    """A stroke on the object and one on the rest; in a slice two on the rest, on tissue and ventricle."""
    rest = ~true_object(image)
    if "fluid" not in image.truth_names:
        length = max(image.shape) / 4
        first = plausible_stroke(true_object(image), rng, OBJECT, length=length)
        return [first, plausible_stroke(rest, rng, REST, length=length)]
    fluid, tissue = np.equal(_truth(image), 2), np.equal(_truth(image), 1)
    ventricle = ndimage.binary_dilation(ndimage.distance_transform_edt(fluid) >= 3, iterations=2) & fluid
    return [
        plausible_stroke(true_object(image), rng, OBJECT),
        plausible_stroke(tissue, rng, REST),
        plausible_stroke(ventricle, rng, REST, size=4, length=30),
    ]


def _corrected(problem: Problem, data: Dataset, corrections: int, segment: Segment) -> Painted:
    """What `segment(painting, strokes)` gives after each of the corrections that its errors call for."""
    painting = painting_of(data.name)
    rng = np.random.default_rng(problem.seed)
    wanted = np.where(true_object(painting.picture), OBJECT, REST)
    strokes = typical_strokes(painting.picture, rng)
    found, undecided = segment(painting, strokes)
    for _ in range(corrections):
        another = correcting_stroke(found, wanted, rng)
        if another is None:
            break
        strokes.append(another)
        found, undecided = segment(painting, strokes)
    return Painted(found, undecided)


def painted(problem: Problem, data: Dataset, corrections: int = 0, **options: Any) -> Painted:
    """Our recipe."""

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, float]:
        posed = painting.pose(Recipe(tuple(strokes), Options(**options)))
        regions = Regions.of(posed, posed.solver.solve(posed.problem).partition)
        return regions.labels, float(regions.undecided.mean())

    return _corrected(problem, data, corrections, segment)


def marked(image: Picture, strokes: list[Stroke]) -> np.ndarray:
    """(height, width) the region painted on each pixel; 0 where there is no paint."""
    markers = np.zeros(image.shape, dtype=np.int32)
    for stroke, pixels in zip(strokes, surviving_pixels(strokes, image.shape)):
        markers.ravel()[pixels] = stroke.region
    return markers


def watershed(problem: Problem, data: Dataset, corrections: int = 0) -> Painted:
    """Seeded watershed on the gradient of the picture smoothed by one pixel."""
    from skimage.filters import sobel
    from skimage.segmentation import watershed as flood

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, float]:
        image = painting.picture
        return flood(sobel(ndimage.gaussian_filter(image.pixels, 1)), marked(image, strokes)), float("nan")

    return _corrected(problem, data, corrections, segment)


def random_walker(problem: Problem, data: Dataset, corrections: int = 0, beta: float = 20000.0) -> Painted:
    """Random walker on the picture smoothed by one pixel, solved exactly: iterations stop too early at a large beta."""
    from skimage.segmentation import random_walker as walk

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, float]:
        image = painting.picture
        found = walk(ndimage.gaussian_filter(image.pixels, 1), marked(image, strokes), beta=beta, mode="bf")
        return found, float("nan")

    return _corrected(problem, data, corrections, segment)


def brightest(problem: Problem, data: Dataset, n_clusters: int, credal: bool = False) -> Painted:
    """No strokes: the brightest cluster of the grey values, by k-means or by ECM."""
    objects = distinct_values(painting_of(data.name).picture)
    if credal:
        labels = ECM(n_clusters, alpha=2, n_init=1, random_state=problem.seed).fit(
            objects.features, sample_weight=objects.multiplicity
        )
    else:
        labels = KMeans(n_clusters, n_init=3, random_state=problem.seed).fit(
            objects.features, sample_weight=objects.multiplicity
        )
    centers = labels.centers_ if credal else labels.cluster_centers_
    found = objects.lift(np.asarray(labels.labels_)) == int(np.argmax(centers.ravel()))
    return Painted(np.where(found, OBJECT, REST))


def measures(outcome: Outcome) -> dict[str, float]:
    """Dice of the object, and the share of undecided pixels."""
    found, truth = outcome.labels == 0, outcome.data.target == 0
    return {"dice": dice(found, truth), "undecided": getattr(outcome.partition, "undecided", float("nan"))}


SLICES, HORSE, FLAT_COINS, COINS = (
    [Data(picture, label=name, name=name) for name in names]
    for names in (("mr_t2like", "mr_t1"), ("horse_noisy",), ("coins" + FLATTENED,), ("coins",))
)

CORRECTIONS = {"strokes": 0, "+1": 1, "+2": 2, "+3": 3}
PIXELS = [Method(label, painted, objects="pixels", corrections=n) for label, n in CORRECTIONS.items()]
LEARNED = [
    Method("learned", painted, objects="pixels", learn=True),
    Method("learned +3", painted, objects="pixels", learn=True, corrections=3),
    Method("chosen", painted, objects="pixels", learn="auto"),
    Method("chosen +3", painted, objects="pixels", learn="auto", corrections=3),
]
SUPERPIXELS = Method("superpixels", painted)
CONNECTED = Method("connected", painted, objects="pixels", connected=(OBJECT,))
RIVALS = [
    Method("watershed", watershed),
    Method("watershed +1", watershed, corrections=1),
    Method("watershed +3", watershed, corrections=3),
    Method("random walker", random_walker),
    Method("random walker +1", random_walker, corrections=1),
    Method("random walker +3", random_walker, corrections=3),
    Method("random walker, beta 130", random_walker, beta=130.0),
]
BLIND = [Method(f"k-means {c}", brightest, n_clusters=c) for c in (2, 3, 4)] + [
    Method(f"ECM {c}", brightest, n_clusters=c, credal=True) for c in (2, 3)
]

STUDY = Study(
    name="painting",
    title="Painting: Dice of what random strokes isolate",
    paper="Antoine, Quost, Masson, Denoeux: CECM: constrained evidential c-means algorithm, 2012 (Section 5.2.4)",
    cells=grid(SLICES, [*PIXELS, *LEARNED, SUPERPIXELS, CONNECTED, *RIVALS, *BLIND])
    + grid([*HORSE, *FLAT_COINS], [*PIXELS, *LEARNED, SUPERPIXELS, CONNECTED, *RIVALS])
    + grid(COINS, [PIXELS[0], *LEARNED]),
    trials=20,
    measures=[measures],
    show=["dice", "undecided"],
    printed=[
        Printed(
            "dice",
            {
                ("mr_t2like", "strokes", "nothing"): 0.87,
                ("mr_t2like", "+1", "nothing"): 0.90,
                ("horse_noisy", "strokes", "nothing"): 0.93,
                ("coins, flattened", "strokes", "nothing"): 0.96,
            },
            source="Figures to reach",
        ),
        Printed(
            "undecided",
            {
                ("mr_t2like", "strokes", "nothing"): 0.02,
                ("horse_noisy", "strokes", "nothing"): 0.02,
                ("coins, flattened", "strokes", "nothing"): 0.02,
            },
            at_most=True,
            source="Figures to reach",
        ),
    ],
    comparisons=[
        # A further stroke is a correction: it must not make things worse.
        Comparison("dice", (after, "nothing"), (before, "nothing"), margin=0.005)
        for before, after in pairwise(CORRECTIONS)
    ],
)
