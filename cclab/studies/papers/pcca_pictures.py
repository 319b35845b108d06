"""Figs. 1 to 3 of Novoselova and Tom (2017), drawn from the results of the study ``pcca``.

``python -m cclab.studies.papers.pcca_pictures results/pcca/trials.csv docs/images`` writes both pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cclab.algorithms import PCCA
from cclab.core import Problem
from cclab.oracles import Truth
from cclab.queries import ASCQueries
from cclab.studies.knowledge import RandomPairs
from cclab.studies.papers.pcca import DATA1

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that stay apart for everyone (Okabe and Ito), and what the study calls each curve of the paper.
CURVES = {
    "KM": ("KM", "NoKnowledge", "#999999", ":"),
    "CA": ("CA", "NoKnowledge", "#000000", "--"),
    "RS": ("PCCA", "RandomPairs", "#d55e00", "-"),
    "AS": ("PCCA", "ASC", "#0072b2", "-"),
}
TOGETHER, APART, CLASSES = "#009e73", "#cc3311", ("#9ecae1", "#fdd0a2", "#c7e9c0")


def error_curves(frame: pd.DataFrame) -> Figure:
    """Figs. 1 and 2: the share of wrong samples by the number of constraints, one panel a data set.

    Parameters
    ----------
    frame : DataFrame
        The trials of the study ``pcca``.

    Returns
    -------
    Figure
        k-means (KM) and competitive agglomeration (CA), random (RS) and active (AS) constraints; bands are one
        standard error of the mean to either side.
    """
    import matplotlib.pyplot as plt

    names = list(frame["dataset"].unique())
    figure, panels = plt.subplots(1, len(names), figsize=(3.4 * len(names), 2.9), layout="constrained", squeeze=False)
    for axes, name in zip(panels[0], names):
        part = frame[frame["dataset"] == name]
        for label in CURVES:
            _curve(axes, part, label)
        axes.set(title=name, xlabel="constraints", xlim=(0, 100), ylim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("share of wrong samples")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _curve(axes: Axes, part: pd.DataFrame, label: str) -> None:
    method, drawn_by, color, style = CURVES[label]
    rows = part[(part["method"] == method) & (part["drawn_by"] == drawn_by)]
    if drawn_by == "RandomPairs":  # its curve starts where nothing is known
        rows = pd.concat([rows, part[(part["method"] == method) & (part["drawn_by"] == "NoKnowledge")]])
    wrong = rows.groupby("count")["wrong"].agg(["mean", "sem"]).fillna(0)
    if len(wrong) == 1:
        wrong = pd.concat([wrong, wrong.rename(index={0: 100})])
    axes.plot(wrong.index, wrong["mean"], color=color, linestyle=style, label=label)
    if style == "-":
        axes.fill_between(
            wrong.index,
            wrong["mean"] - wrong["sem"],
            wrong["mean"] + wrong["sem"],
            color=color,
            alpha=0.15,
            linewidth=0,
        )


def centres(seed: int = 0, count: int = 10) -> Figure:
    """Fig. 3: where the centres start and end, with `count` random and with `count` active constraints."""
    import matplotlib.pyplot as plt

    data = DATA1.load(seed)
    assert data.target is not None
    plain = Problem(data.X, seed=seed)
    solver = PCCA()
    questions = ASCQueries().propose(plain, solver.start(plain), count)
    drawn = {
        f"a) {count} random constraints": RandomPairs(count).draw(data, np.random.default_rng(seed)),
        f"b) {count} active constraints": Truth(data.target).link(
            plain.constraints, np.array([question.samples for question in questions])
        ),
    }
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.9), layout="constrained", sharex=True, sharey=True)
    for axes, (title, known) in zip(panels, drawn.items()):
        problem = plain.with_constraints(known)
        start, end = solver.start(problem), solver.solve(problem)
        axes.scatter(*data.X.T, s=12, c=np.array(CLASSES)[data.target])
        for must, color, name in ((True, TOGETHER, "together"), (False, APART, "apart")):
            rows = known.pairs.rows(known.pairs.must == must)
            ends = np.stack([data.X[rows.i], data.X[rows.j], np.full((len(rows), 2), np.nan)], axis=1)
            axes.plot(*ends.reshape(-1, 2).T, color=color, linewidth=1.2, label=name)
        axes.scatter(*start.centers.T, marker="x", s=28, color="#666666", linewidth=1, label="start")
        axes.scatter(*end.centers.T, marker="*", s=150, color="black", edgecolor="white", label="end")
        axes.set(title=f"{title}: {len(end.centers)} clusters", aspect="equal", xticks=[], yticks=[])
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def main(trials: str, folder: str) -> None:
    """Write both pictures."""
    import matplotlib

    matplotlib.use("Agg")
    error_curves(pd.read_csv(trials)).savefig(Path(folder) / "pcca-errors.png", dpi=110)
    centres().savefig(Path(folder) / "pcca-centres.png", dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
