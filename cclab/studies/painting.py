"""Painting: how well two colours of random strokes isolate a lesion, a horse and coins; rivals with the same strokes.

In the MR slices the lesion has one stroke and the rest two (tissue and ventricle); corrections are short strokes where
the largest error is. The strokes follow from the trial's seed, so all methods of a trial are given the same ones.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import ndimage
from sklearn.cluster import KMeans

from cclab.algorithms import ECM
from cclab.core import Hard, Problem
from cclab.datasets import Dataset
from cclab.images import Options, Painting, Picture, Recipe, Regions, Stroke, distinct_values, flattened, load_image
from cclab.images.regions import dice
from cclab.images.strokes import surviving_pixels
from cclab.studies import Data, Method, Outcome, Printed, Study, grid
from cclab.studies.strokes import correcting_stroke, plausible_stroke

OBJECT, REST = 1, 2


class Painted(Hard):
    """Regions of the pixels, and the share of them that stayed undecided."""

    def __init__(self, regions: np.ndarray, undecided: float = float("nan")) -> None:
        super().__init__(np.where(regions == OBJECT, 0, 1).ravel(), 2)
        self.undecided = undecided


@lru_cache(maxsize=4)
def _painting(name: str) -> Painting:
    return Painting(load_image(name))


def picture(name: str) -> Dataset:
    """A picture as a data set: a sample a pixel; class 0 is the object, 1 the rest."""
    image = _painting(name).picture
    return Dataset(
        name,
        image.pixels.reshape(image.truth.size, -1),
        target=np.where(_object(image), 0, 1).ravel(),
        target_names=("object", "rest"),
    )


def _object(image: Picture) -> np.ndarray:
    """The lesion of a slice; else what is not ground."""
    return image.truth == (3 if "lesion" in image.truth_names else 1)


def _strokes(image: Picture, rng: np.random.Generator) -> list[Stroke]:
    rest = ~_object(image)
    if "fluid" not in image.truth_names:
        length = max(image.shape) / 4
        first = plausible_stroke(_object(image), rng, OBJECT, length=length)
        return [first, plausible_stroke(rest, rng, REST, length=length)]
    fluid, tissue = image.truth == 2, image.truth == 1
    ventricle = ndimage.binary_dilation(ndimage.distance_transform_edt(fluid) >= 3, iterations=2) & fluid
    return [
        plausible_stroke(_object(image), rng, OBJECT),
        plausible_stroke(tissue, rng, REST),
        plausible_stroke(ventricle, rng, REST, size=4, length=30),
    ]


def _corrected(problem: Problem, data: Dataset, corrections: int, segment) -> Painted:
    """What `segment(painting, strokes)` gives after each of the corrections that its errors call for."""
    painting = _painting(data.name)
    rng = np.random.default_rng(problem.seed)
    wanted = np.where(_object(painting.picture), OBJECT, REST)
    strokes = _strokes(painting.picture, rng)
    found, undecided = segment(painting, strokes)
    for _ in range(corrections):
        another = correcting_stroke(found, wanted, rng)
        if another is None:
            break
        strokes.append(another)
        found, undecided = segment(painting, strokes)
    return Painted(found, undecided)


def painted(problem, data, corrections=0, **options) -> Painted:
    """Our recipe."""

    def segment(painting, strokes):
        posed = painting.pose(Recipe(tuple(strokes), Options(**options)))
        regions = Regions.of(posed, posed.solver.solve(posed.problem).partition)
        return regions.labels, float(regions.undecided.mean())

    return _corrected(problem, data, corrections, segment)


def _markers(image: Picture, strokes: list[Stroke]) -> np.ndarray:
    markers = np.zeros(image.shape, dtype=np.int32)
    for stroke, pixels in zip(strokes, surviving_pixels(strokes, image.shape)):
        markers.ravel()[pixels] = stroke.region
    return markers


def watershed(problem, data, corrections=0, flatten=False) -> Painted:
    """Seeded watershed on the gradient of the picture smoothed by one pixel."""
    from skimage.filters import sobel
    from skimage.segmentation import watershed as flood

    def segment(painting, strokes):
        image = flattened(painting.picture) if flatten else painting.picture
        return flood(sobel(ndimage.gaussian_filter(image.pixels, 1)), _markers(image, strokes)), float("nan")

    return _corrected(problem, data, corrections, segment)


def random_walker(problem, data, corrections=0, beta=130.0, flatten=False) -> Painted:
    """Random walker with the strokes as seeds."""
    from skimage.segmentation import random_walker as walk

    def segment(painting, strokes):
        image = flattened(painting.picture) if flatten else painting.picture
        return walk(image.pixels, _markers(image, strokes), beta=beta, mode="cg_j"), float("nan")

    return _corrected(problem, data, corrections, segment)


def brightest(problem, data, n_clusters, credal=False) -> Painted:
    """No strokes: the brightest cluster of the grey values, by k-means or by ECM."""
    objects = distinct_values(_painting(data.name).picture)
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


SLICES = [Data(picture, label=name, name=name) for name in ("mr_t2like", "mr_t1")]
HORSE, COINS = (Data(picture, label=name, name=name) for name in ("horse_noisy", "coins"))
FLAT = {"flatten": True}

PIXELS = [
    Method(_label, painted, objects="pixels", corrections=n) for n, _label in ((0, "strokes"), (1, "+1"), (3, "+3"))
]
PIXELS_FLAT = [
    Method(_label, painted, objects="pixels", corrections=n, **FLAT)
    for n, _label in ((0, "strokes, flattened"), (1, "+1, flattened"), (3, "+3, flattened"))
]
SUPERPIXELS = Method("superpixels", painted)
CONNECTED = Method("connected", painted, objects="pixels", connected=(OBJECT,))
RIVALS = [
    Method("watershed", watershed),
    Method("watershed +1", watershed, corrections=1),
    Method("watershed +3", watershed, corrections=3),
    Method("random walker 130", random_walker),
    Method("random walker 20000", random_walker, beta=20000.0),
]
RIVALS_FLAT = [
    Method("watershed, flattened", watershed, **FLAT),
    Method("random walker 5000, flattened", random_walker, beta=5000.0, **FLAT),
]
BLIND = [Method(f"k-means {c}", brightest, n_clusters=c) for c in (2, 3, 4)] + [
    Method(f"ECM {c}", brightest, n_clusters=c, credal=True) for c in (2, 3)
]

STUDY = Study(
    name="painting",
    title="Painting: Dice of what random strokes isolate",
    paper="Antoine, Quost, Masson, Denoeux: CECM: constrained evidential c-means algorithm, 2012 (Section 5.2.4)",
    cells=grid(SLICES, [*PIXELS, SUPERPIXELS, CONNECTED, *RIVALS, *BLIND])
    + grid(HORSE, [*PIXELS, SUPERPIXELS, CONNECTED, *RIVALS])
    + grid(COINS, [PIXELS[0], *PIXELS_FLAT, *RIVALS_FLAT]),
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
                ("coins", "strokes, flattened", "nothing"): 0.96,
            },
            source="Figures to reach",
        ),
        Printed(
            "undecided",
            {
                ("mr_t2like", "strokes", "nothing"): 0.02,
                ("horse_noisy", "strokes", "nothing"): 0.02,
                ("coins", "strokes, flattened", "nothing"): 0.02,
            },
            at_most=True,
            source="Figures to reach",
        ),
    ],
)
