"""Draw the pictures of these documents from the results of studies: ``python docs/figures.py results``.

Each function draws one picture; those whose study has not run are left as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.metrics import confusion_matrix

from cclab import BCKM, CKM, RCKM, COPKMeans, LinkedMixture, Problem, load_dataset
from cclab.oracles import calibration_error, reliability
from cclab.studies import RandomPairs
from cclab.studies.oracles import simulated_answers

IMAGES = Path(__file__).parent / "images"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#8a8f98"


def outliers(trials: pd.DataFrame) -> None:
    """Outliers found and false alarms on Ecoli, by threshold."""
    thresholds = sorted(float(name.removeprefix("found at ")) for name in trials if name.startswith("found at "))
    _, (found, false) = plt.subplots(1, 2, figsize=(7.2, 2.5), sharex=True)
    lines = {
        ("SRPCM", "30 % labels"): (BLUE, "-"),
        ("SRPCM, half the gap", "30 % labels"): (GREEN, "-"),
        ("SPFCM", "30 % labels"): (ORANGE, "-"),
        ("RPCM", "nothing"): (BLUE, ":"),
        ("PFCM", "nothing"): (ORANGE, ":"),
    }
    for (method, knowledge), (color, style) in lines.items():
        rows = trials[(trials["method"] == method) & (trials["knowledge"] == knowledge)]
        for axes, what in ((found, "found"), (false, "false")):
            values = rows[[f"{what} at {threshold:g}" for threshold in thresholds]]
            mean, deviation = values.mean().to_numpy(), values.std().to_numpy()
            axes.plot(thresholds, mean, style, color=color, label=method)
            axes.fill_between(thresholds, mean - deviation, mean + deviation, color=color, alpha=0.12, linewidth=0)
    found.set(title="true outliers flagged", xlabel="threshold", ylim=(0, 1))
    false.set(title="other samples flagged", xlabel="threshold", ylim=(0, 1))
    false.legend(fontsize=7, loc="upper left")
    _save("outliers-ecoli")


def kernel_sets(trials: pd.DataFrame) -> None:
    """Learning curves with and without polynomial kernels (Figure 6 of Abin and Beigy)."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 2.5), sharex=True)
    methods = {"CMKIPCM": (GREY, "spectral, Gaussian"), "CMKIPCM, polynomial": (BLUE, "with polynomial")}
    for axis, (data, part) in zip(axes, trials.groupby("dataset", sort=False)):
        for method, (color, name) in methods.items():
            rows = part[part["method"] == method]
            for drawn, style, how in (("overlap", "-", "asked"), ("pairs", "--", "random")):
                curve = rows[rows["drawn_by"].str.contains(drawn, case=False)].groupby("count")["ari"]
                mean, deviation = curve.mean(), curve.std()
                axis.plot(mean.index, mean, style, color=color, label=f"{name}, {how}")
                axis.fill_between(mean.index, mean - deviation, mean + deviation, color=color, alpha=0.1, linewidth=0)
        axis.set(title=data, xlabel="links", ylim=(0, None))
    axes[0].set_ylabel("ARI")
    axes[1].legend(fontsize=7, loc="lower right", frameon=False)
    _save("cmkipcm-kernels")


def exponents(trials: pd.DataFrame) -> None:
    """Exponents 2 and 1.2 on each data set (Figure 7 of Abin and Beigy)."""
    _, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharey=True)
    methods = {"CMKIPCM, m = p = 2": BLUE, "CMKIPCM, m = p = 1.2": ORANGE}
    for axis, (knowledge, title) in zip(axes, {"100 pairs": "random", "100 by overlap": "asked"}.items()):
        part = trials[trials["knowledge"] == knowledge]
        names = list(part["dataset"].unique())
        for offset, (method, color) in zip((-0.2, 0.2), methods.items()):
            scores = part[part["method"] == method].groupby("dataset", sort=False)["ari"]
            mean, deviation = scores.mean()[names], scores.std()[names]
            axis.bar(np.arange(len(names)) + offset, mean, 0.38, color=color, label=method.removeprefix("CMKIPCM, "))
            axis.errorbar(np.arange(len(names)) + offset, mean, deviation, fmt="none", ecolor="#444", elinewidth=0.8)
        axis.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=7)
        axis.set(title=f"100 links, {title}")
    axes[0].set_ylabel("ARI")
    axes[0].legend(fontsize=7)
    _save("cmkipcm-exponents")


def boosting() -> None:
    """Ecoli with a tenth of all pairs: the truth beside what each method makes of it (Figure 4 of Okabe and Yamada)."""
    ecoli = load_dataset("ecoli")
    known = RandomPairs(share=0.1).draw(ecoli, np.random.default_rng(0))
    problem = Problem(ecoli.X, known, seed=0)
    plane = PCA(2).fit_transform(ecoli.X)
    _, axes = plt.subplots(1, 5, figsize=(9.5, 2.2), sharex=True, sharey=True)
    for axis, cls in zip(axes, (None, BCKM, COPKMeans, RCKM, CKM)):
        labels = ecoli.target
        if cls is not None:
            labels = _as_classes(cls(ecoli.n_classes).solve(problem).partition.labels(), ecoli.target)
        axis.scatter(*plane.T, c=labels, cmap="tab10", vmin=0, vmax=9, s=7, linewidths=0)
        axis.set(title="true classes" if cls is None else cls.__name__, xticks=[], yticks=[])
    _save("bckm-ecoli")


def forty_links() -> None:
    """Four clouds in two clusters: without links, the links, and with them."""
    rng = np.random.default_rng(1)
    truth, part = np.arange(400) % 2, np.arange(400) // 2 % 2
    X = np.column_stack([3.0 * truth + 0.8 * part, 9.0 * part]) + rng.normal(scale=0.75, size=(400, 2))
    data = load_dataset(X, target=truth)
    known = RandomPairs(40).draw(data, rng)
    answers = [LinkedMixture(2).solve(Problem(X, said)).partition.labels() for said in (None, known)]
    _, axes = plt.subplots(1, 3, figsize=(9.5, 2.9), sharex=True, sharey=True)
    titles = ("without links", "40 links: together (solid), apart (dashed)", "with them")
    for axis, title, labels in zip(axes, titles, (answers[0], None, answers[1])):
        colours = GREY if labels is None else np.where(labels == labels[0], BLUE, ORANGE)
        axis.scatter(*X.T, c=colours, s=7, linewidths=0)
        axis.set(title=title, xticks=[], yticks=[])
    for i, j, must in zip(known.pairs.i, known.pairs.j, known.pairs.must):
        axes[1].plot(*X[[i, j]].T, "-" if must else "--", color=GREEN if must else ORANGE, linewidth=0.7)
    _save("forty-links")


def _as_classes(labels: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Clusters numbered as the classes that they share most samples with, so that both have the same colours."""
    shared = confusion_matrix(labels, target, labels=np.arange(target.max() + 1))
    return linear_sum_assignment(shared, maximize=True)[1][labels]


def oracle_reliability() -> None:
    """Stated confidence against the share of right answers, of three oracles that answer 1,000 questions each."""
    _, axes = plt.subplots(1, 3, figsize=(7.2, 2.5), sharey=True)
    for axis, (name, (confidence, right)) in zip(axes, simulated_answers().items()):
        table = reliability(confidence, right)
        axis.plot([0.4, 1], [0.4, 1], color=GREY, linewidth=0.8, linestyle=":")
        axis.plot(table["confidence"], table["right"], "-", color=BLUE, linewidth=1)
        axis.scatter(table["confidence"], table["right"], s=2 + table["n"] / 6, color=BLUE)
        title = f"{name}: ECE {calibration_error(confidence, right):.3f}"
        axis.set(title=title, xlabel="stated confidence", xlim=(0.4, 1.02), ylim=(0.3, 1.02))
    axes[0].set_ylabel("share of right answers")
    _save("oracle-reliability")


def _save(name: str) -> None:
    for axes in plt.gcf().axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
        axes.title.set_fontsize(9)
        axes.xaxis.label.set_fontsize(8)
        axes.yaxis.label.set_fontsize(8)
    plt.tight_layout()
    plt.savefig(IMAGES / f"{name}.png", dpi=130)
    plt.close()


FROM_STUDIES = {
    "possibilistic-ecoli": outliers,
    "cmkipcm-polynomials": kernel_sets,
    "cmkipcm-exponents": exponents,
}


def main(results: Path) -> None:
    boosting()
    oracle_reliability()
    forty_links()
    for study, draw in FROM_STUDIES.items():
        if (results / study / "trials.csv").exists():
            draw(pd.read_csv(results / study / "trials.csv"))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
