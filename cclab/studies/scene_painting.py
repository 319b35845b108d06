"""Painting on pictures that nothing was tuned to: the painter, a forest as in ilastik, and others, by the same strokes.

Two random strokes on the object and two on the rest; then three corrections, dabs of some 50 pixels where the method at
hand errs most; for the painter also eight questions that the truth answers, in place of corrections.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from scipy import ndimage

from cclab.core import Hard, Problem
from cclab.datasets import Dataset
from cclab.images import Options, Painting, Picture, Recipe, Regions, Stroke
from cclab.images.pixel_doubt import doubt, place_to_ask
from cclab.images.regions import dice
from cclab.studies import Data, Method, Outcome, Study, grid
from cclab.studies.painting import OBJECT, REST, marked
from cclab.studies.painting_scenes import HELD_OUT, scene
from cclab.studies.random_strokes import correcting_stroke, plausible_stroke
from cclab.studies.result_tables import markdown

#: From a painting and its strokes to the region of each pixel and, where there is one, its doubt.
Segment = Callable[[Painting, list[Stroke]], tuple[np.ndarray, np.ndarray | None]]

STROKES, CORRECTIONS, ANSWERS = 2, 3, 8
#: The share of the pixels, the most doubtful ones, that errors are looked for in.
DOUBTFUL = 0.1
#: A place that is less than so much of one kind can't be answered about.
CLEAR = 0.75


SHOWN = ("strokes", "dice", "worst", "errors in doubtful tenth")


class Course(Hard):
    """The last of a course of segmentations, with the Dice of each, and where its errors are."""

    def __init__(self, regions: np.ndarray, dices: list[float], found: dict[str, float]) -> None:
        super().__init__(np.where(regions == OBJECT, 0, 1).ravel(), 2)
        self.dices, self.found = dices, found


@lru_cache(maxsize=2)
def painting_of(name: str, draw: int = 0) -> Painting:
    """The painting of a scene."""
    return Painting(scene(name, draw))


def pixels_of(name: str) -> Dataset:
    """A scene as a data set: a sample a pixel; class 0 is the object, 1 the rest."""
    picture = painting_of(name).picture
    X = picture.pixels.reshape(picture.shape[0] * picture.shape[1], -1)
    return Dataset(name, X, target=np.where(true_object(picture), 0, 1).ravel(), target_names=("object", "rest"))


def true_object(picture: Picture) -> np.ndarray:
    """(height, width) where the object is."""
    assert picture.truth is not None  # all scenes have one
    return picture.truth > 0


def first_strokes(picture: Picture, rng: np.random.Generator) -> list[Stroke]:
    """As many on the object as on the rest."""
    inside = true_object(picture)
    return [plausible_stroke(mask, rng, k) for k, mask in ((OBJECT, inside), (REST, ~inside)) for _ in range(STROKES)]


def corrected(problem: Problem, data: Dataset, segment: Segment) -> Course:
    """What a method makes of the strokes, and after each correction that its errors call for."""
    return _course(painting_of(data.name), np.random.default_rng(problem.seed), segment)[0]


def _course(painting: Painting, rng: np.random.Generator, segment: Segment) -> tuple[Course, list[Stroke]]:
    """All of it on one painting, and the strokes in the end."""
    truth = true_object(painting.picture)
    wanted = np.where(truth, OBJECT, REST)
    strokes = first_strokes(painting.picture, rng)
    labels, doubts = segment(painting, strokes)
    dices, found = [dice(labels == OBJECT, truth)], where_errors_are(labels, wanted, doubts)
    for _ in range(CORRECTIONS):
        another = correcting_stroke(labels, wanted, rng)
        if another is not None:
            strokes.append(another)
            labels, doubts = segment(painting, strokes)
        dices.append(dice(labels == OBJECT, truth))
    return Course(labels, dices, found), strokes


def where_errors_are(labels: np.ndarray, wanted: np.ndarray, doubts: np.ndarray | None) -> dict[str, float]:
    """The share of the errors in the most doubtful tenth of the pixels, and in what is undecided."""
    wrong = (labels != wanted).ravel()
    if doubts is None or not wrong.any():
        return {}
    most = np.argsort(-doubts.ravel(), kind="stable")[: int(DOUBTFUL * wrong.size)]
    return {"errors in doubtful tenth": float(wrong[most].sum() / wrong.sum()), "wrong": float(wrong.mean())}


# ---------------------------------------------------------------------- the painter


def painter(problem: Problem, data: Dataset, **options: Any) -> Course:
    """The painter, by pixels."""
    return corrected(problem, data, lambda painting, strokes: _painted(painting, strokes, **options)[:2])


def _painted(painting: Painting, strokes: list[Stroke], **options: Any) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    posed = painting.pose(Recipe(tuple(strokes), Options(objects="pixels", **options)))
    partition = posed.solver.solve(posed.solver.adapt(posed.problem)).partition
    return Regions.of(posed, partition).labels, doubt(posed, partition), posed, partition


def applied(problem: Problem, data: Dataset) -> Course:
    """What was painted and corrected on another scene of the same kind, applied to this one."""
    other, rng = painting_of(data.name, 1), np.random.default_rng(problem.seed)
    _, strokes = _course(other, rng, lambda painting, strokes: _painted(painting, strokes, learn="auto")[:2])
    model = other.model(Recipe(tuple(strokes), Options(objects="pixels", learn="auto")))
    picture = painting_of(data.name).picture
    labels = model.apply(picture).labels
    return Course(labels, [dice(labels == OBJECT, true_object(picture))], {})


def answered(problem: Problem, data: Dataset, **options: Any) -> Course:
    """The painter asks, and the truth answers; what is no one's place is set aside, and counts as asked."""
    painting, rng = painting_of(data.name), np.random.default_rng(problem.seed)
    truth = true_object(painting.picture)
    strokes = first_strokes(painting.picture, rng)
    labels, _, posed, partition = _painted(painting, strokes, **options)
    dices = [dice(labels == OBJECT, truth)]
    aside: list[tuple[int, int]] = []
    for _ in range(ANSWERS):
        place = place_to_ask(posed, partition, aside)
        if place is None:
            break
        dab = Stroke("brush", OBJECT, place.size, np.array([[place.column + 0.5, place.row + 0.5]]))
        share = truth.ravel()[dab.covers(truth.shape)].mean()
        if max(share, 1 - share) < CLEAR:
            aside.append((place.row, place.column))
        else:
            region = OBJECT if share > 0.5 else REST
            strokes.append(Stroke("brush", region, place.size, dab.points))
            labels, _, posed, partition = _painted(painting, strokes, **options)
        dices.append(dice(labels == OBJECT, truth))
    return Course(labels, [*dices, *[dices[-1]] * (ANSWERS + 1 - len(dices))], {})


# ---------------------------------------------------------------------- rivals


@lru_cache(maxsize=2)
def _filters(name: str) -> np.ndarray:
    from skimage.feature import multiscale_basic_features

    pixels = painting_of(name).picture.pixels
    axis = -1 if pixels.ndim == 3 else None
    maps = multiscale_basic_features(pixels, channel_axis=axis, sigma_min=1, sigma_max=16)
    return maps.reshape(-1, maps.shape[-1])


def forest(problem: Problem, data: Dataset) -> Course:
    """A random forest on brightness, edges and texture at five scales: pixel classification as in ilastik."""
    from sklearn.ensemble import RandomForestClassifier

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, np.ndarray]:
        values, marks = _filters(data.name), marked(painting.picture, strokes)
        painted = marks.ravel() > 0
        trees = RandomForestClassifier(100, random_state=0).fit(values[painted], marks.ravel()[painted])
        shares = trees.predict_proba(values)
        labels = trees.classes_[shares.argmax(axis=1)].reshape(marks.shape)
        return labels, (1 - shares.max(axis=1)).reshape(marks.shape)

    return corrected(problem, data, segment)


def _smooth(picture: Picture) -> np.ndarray:
    sigma = (1, 1, 0) if picture.pixels.ndim == 3 else 1
    return ndimage.gaussian_filter(picture.pixels, sigma)


def watershed(problem: Problem, data: Dataset) -> Course:
    """Seeded watershed on the gradient of the picture smoothed by one pixel."""
    from skimage.filters import sobel
    from skimage.segmentation import watershed as flood

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, None]:
        picture = painting.picture
        slope = sobel(_smooth(picture), axis=None if picture.pixels.ndim == 2 else (0, 1))
        return flood(slope if slope.ndim == 2 else slope.max(axis=2), marked(picture, strokes)), None

    return corrected(problem, data, segment)


def random_walker(problem: Problem, data: Dataset, beta: float = 20000.0) -> Course:
    """Random walker on the picture smoothed by one pixel, solved exactly."""
    from skimage.segmentation import random_walker as walk

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, None]:
        picture = painting.picture
        axis = -1 if picture.pixels.ndim == 3 else None
        return walk(_smooth(picture), marked(picture, strokes), beta=beta, mode="bf", channel_axis=axis), None

    return corrected(problem, data, segment)


def grabcut(problem: Problem, data: Dataset) -> Course:
    """GrabCut of OpenCV, five rounds; what is not painted may be either."""
    if find_spec("cv2") is None:
        raise ImportError("GrabCut takes OpenCV: pip install 'cclab[grabcut]'")
    import cv2

    def segment(painting: Painting, strokes: list[Stroke]) -> tuple[np.ndarray, None]:
        picture, marks = painting.picture, marked(painting.picture, strokes)
        pixels = picture.pixels if picture.pixels.ndim == 3 else np.repeat(picture.pixels[..., None], 3, axis=2)
        mask = np.full(marks.shape, cv2.GC_PR_BGD, dtype=np.uint8)
        mask[marks == OBJECT], mask[marks == REST] = cv2.GC_FGD, cv2.GC_BGD
        cv2.setRNGSeed(0)
        models = np.zeros((1, 65)), np.zeros((1, 65))
        cv2.grabCut(np.rint(255 * pixels).astype(np.uint8), mask, None, *models, 5, cv2.GC_INIT_WITH_MASK)
        return np.where((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD), OBJECT, REST), None

    return corrected(problem, data, segment)


# ---------------------------------------------------------------------- the study


def measures(outcome: Outcome) -> dict[str, float]:
    """Dice from strokes and at the end, how much the worst correction took away, and where errors are."""
    course = outcome.partition
    assert isinstance(course, Course)
    worst = min(np.diff(course.dices), default=0.0)
    found = {"errors in doubtful tenth": float("nan"), **course.found}  # not every method has doubts
    return {"strokes": course.dices[0], "dice": course.dices[-1], "worst": float(worst), **found}


def means(frame: pd.DataFrame) -> pd.DataFrame:
    """Means over all pictures, each counting alike, by method."""
    there = [name for name in SHOWN if name in frame]
    by_picture = frame.groupby(["method", "dataset"], sort=False)[there].mean()
    table = by_picture.groupby("method", sort=False).mean()
    return table.assign(pictures=by_picture.groupby("method", sort=False).size()).reset_index()


def applied_beside(frame: pd.DataFrame) -> pd.DataFrame:
    """Means over the pictures that paint of another was applied to: beside painting on each of them."""
    pictures = frame.loc[frame["method"] == APPLIED.label, "dataset"]
    both = frame["method"].isin([PAINTER.label, APPLIED.label])
    return means(frame[both & frame["dataset"].isin(pictures)])


class SceneStudy(Study):
    """A study whose report begins with means over all pictures, and over those that paint was applied to."""

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        parts = ["## Means over all pictures", markdown(means(frame))]
        beside = applied_beside(frame)
        if len(beside):
            parts += ["## Painted, and applied from another picture of the same kind", markdown(beside)]
        return "\n\n".join([*parts, super().report(frame)])


SCENES = [Data(pixels_of, label=name, name=name) for name in HELD_OUT]
MADE = SCENES[: list(HELD_OUT).index("text")]
PAINTER = Method("painter", painter, learn="auto")
WAYS = [Method("painter, learning", painter, learn=True), Method("painter, values", painter)]
ASKS = Method("painter, 8 answers", answered, learn="auto")
#: To be held against the painter on the same scenes; those that are made, since of a photograph there is but one.
APPLIED = Method("painter, applied", applied)
RIVALS = [
    Method("random forest", forest),
    Method("watershed", watershed),
    Method("GrabCut", grabcut),
    Method("random walker", random_walker),
]

STUDY = SceneStudy(
    name="scenes",
    title="Painting on pictures that nothing was tuned to: Dice from four strokes, and after three corrections",
    cells=grid(SCENES, [PAINTER, *WAYS, ASKS, *RIVALS]) + grid(MADE, APPLIED),
    trials=3,
    measures=[measures],
    show=["strokes", "dice", "errors in doubtful tenth"],
)
