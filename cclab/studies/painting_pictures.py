"""Figs. 15 to 19 of Antoine, Quost, Masson and Denoeux (2012) on a slice of ours, as one picture.

``python -m cclab.studies.painting_pictures docs/images`` writes it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cclab.algorithms import ECM
from cclab.core import Credal
from cclab.images import Options, Picture, Recipe, Regions, distinct_values
from cclab.images.regions import dice
from cclab.studies.painting import OBJECT, REST, marked, painting_of, true_object, typical_strokes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Object, rest (Okabe and Ito) and what is undecided between them.
OBJECT_COLOR, REST_COLOR, UNDECIDED_COLOR = "#0072b2", "#e69f00", "#d9d9d9"
UNDECIDED = 3
# How much of the slice they cover: nothing, object, rest, undecided.
PAINT, REGIONS = (0, 1, 1, 1), (0, 0.6, 0.4, 0.95)


def remade(name: str = "mr_t2like", seed: int = 0) -> Figure:
    """The scan, what ECM sees in it, the strokes, and what is seen with them: credal sets above, decisions below.

    Parameters
    ----------
    name : str
        A picture whose truth has a lesion.
    seed : int
        Of the strokes.
    """
    import matplotlib.pyplot as plt

    painting = painting_of(name)
    picture = painting.picture
    truth = true_object(picture)
    strokes = typical_strokes(picture, np.random.default_rng(seed))
    posed = painting.pose(Recipe(tuple(strokes), Options(objects="pixels")))
    painted = Regions.of(posed, posed.solver.solve(posed.problem).partition)
    sets, decided = _without_strokes(picture)
    panels = {
        "The slice (Fig. 15)": np.zeros(picture.shape, dtype=int),
        "ECM: credal sets (Fig. 16)": sets,
        f"ECM: decisions, Dice {dice(decided == OBJECT, truth):.2f} (Fig. 19)": decided,
        "The strokes (Fig. 17)": marked(picture, strokes),
        "With strokes: credal sets (Fig. 18)": np.where(painted.undecided, UNDECIDED, painted.labels),
        f"With strokes: decisions, Dice {dice(painted.labels == OBJECT, truth):.2f} (Fig. 19)": painted.labels,
    }
    figure, axes = plt.subplots(2, 3, figsize=(9.6, 7.4), layout="constrained")
    for place, (title, labels) in zip(axes.ravel(), panels.items()):
        opacity = PAINT if title.startswith("The strokes") else REGIONS
        place.imshow(_laid_over(picture, labels, opacity), interpolation="nearest")
        place.set_title(title, fontsize=9.5)
        place.set_axis_off()
    return figure


def _without_strokes(picture: Picture) -> tuple[np.ndarray, np.ndarray]:
    """What ECM with two clusters of grey levels believes and decides; the brighter one is the object."""
    objects = distinct_values(picture)
    ecm = ECM(2, alpha=2, rho2=10, random_state=0).fit(objects.features, sample_weight=objects.multiplicity)
    partition = ecm.partition_
    assert isinstance(partition, Credal)
    region = np.where(np.arange(2) == ecm.centers_.ravel().argmax(), OBJECT, REST)
    of_set = np.array([region[s[0]] if len(s) == 1 else UNDECIDED for s in map(tuple, partition.focal_sets)])
    return objects.lift(of_set[partition.hard_sets()]), objects.lift(region[partition.labels()])


def _laid_over(picture: Picture, labels: np.ndarray, opacity: tuple[float, ...]) -> np.ndarray:
    from matplotlib.colors import to_rgb

    colors = np.array([(0, 0, 0), *map(to_rgb, (OBJECT_COLOR, REST_COLOR, UNDECIDED_COLOR))])
    grey = np.repeat(picture.pixels[..., None], 3, axis=2)
    strength = np.array(opacity)[labels][..., None]
    return (1 - strength) * grey + strength * colors[labels]


def main(folder: str) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    remade().savefig(Path(folder) / "painted-lesion.png", dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
