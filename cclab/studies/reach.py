"""How far links reach: samples that no link touches, with `propagate` and without, on data nothing was tuned to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cclab.algorithms import CFCM, LinkedMixture, PCKMeans
from cclab.core import Problem, State
from cclab.datasets import Dataset
from cclab.reach import Propagating
from cclab.reach.propagating import PropagatingState
from cclab.studies import Data, Method, Outcome, RandomPairs, Study, grid
from cclab.studies.result_tables import markdown
from cclab.studies.unseen_data import UNSEEN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A loss of more than this in adjusted Rand index is harm.
HARM = 0.05
LINKS = [RandomPairs(25), RandomPairs(50), RandomPairs(100), RandomPairs(200)]
WRONG = RandomPairs(50, noise=0.1)
DATA = [Data(make, standardized=True) for make in UNSEEN]
REACHING = ", reach"
#: The gain in free ARI that was aimed at, and the share of runs that may be harmed.
GOALS = {"50 pairs": 0.04, "100 pairs": 0.07, "200 pairs": 0.11}
MOST_HARMED = 0.014


def reaching(problem: Problem, data: Dataset, solver: type, **parameters: Any) -> State:
    """The state at which the solver ends where links reach further, if the gate lets them."""
    around = Propagating(solver(n_clusters=data.n_classes, **parameters))
    around.check(problem)
    return around.solve(problem)


def gate_open(outcome: Outcome) -> dict[str, float]:
    """Whether the gate was open."""
    state = outcome.state
    return {"open": float(state.matrix is not None)} if isinstance(state, PropagatingState) else {}


def gains(frame: pd.DataFrame) -> pd.DataFrame:
    """By solver and number of links: free ARI without reach and with it, the gain, and the share of runs harmed."""
    keys = ["dataset", "knowledge", "trial"]
    rows = []
    for method in [name for name in frame["method"].unique() if not name.endswith(REACHING)]:
        sides = [frame[frame["method"] == name].set_index(keys) for name in (method, method + REACHING)]
        both = sides[0].join(sides[1][["ari_free", "open"]].add_suffix(" reach")).dropna(subset=["ari_free reach"])
        for knowledge, part in both.groupby("knowledge", sort=False):
            gain = part["ari_free reach"] - part["ari_free"]
            by_data = gain.groupby("dataset").mean()
            rows.append(
                {
                    "solver": method,
                    "knowledge": knowledge,
                    "runs": len(gain),
                    "ari_free": part["ari_free"].mean(),
                    "with reach": part["ari_free reach"].mean(),
                    "gain": gain.mean(),
                    "open": part["open reach"].mean(),
                    "harmed": float(np.mean(gain < -HARM)),
                    "best set": f"{by_data.idxmax()} {by_data.max():+.3f}",
                    "worst set": f"{by_data.idxmin()} {by_data.min():+.3f}",
                }
            )
    return pd.DataFrame(rows)


def against_goals(table: pd.DataFrame) -> pd.DataFrame:
    """Gain and harm over both solvers, beside what was aimed at; `table` is that of `gains`."""
    rows = []
    for knowledge, part in table.groupby("knowledge", sort=False):
        gain, harmed = (float(np.average(part[column], weights=part["runs"])) for column in ("gain", "harmed"))
        goal = GOALS.get(str(knowledge), np.nan)
        reached = "" if np.isnan(goal) else "yes" if gain >= goal and harmed <= MOST_HARMED else "no"
        row = {"knowledge": knowledge, "runs": part["runs"].sum(), "gain": gain, "goal": goal}
        rows.append(row | {"harmed": harmed, "at most": MOST_HARMED, "reached": reached})
    return pd.DataFrame(rows)


def free_curves(frame: pd.DataFrame) -> Figure:
    """Free ARI over the number of right links, mean over all sets: a line for each method."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:  # pragma: no cover
        raise ImportError('pictures of studies take matplotlib: pip install "cclab[study]"') from error
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.subplots()
    right = frame[frame["knowledge"] != WRONG.label]
    colors: dict[str, str] = {}
    for method, part in right.groupby("method", sort=False):
        mean = part.groupby(["count", "dataset"])["ari_free"].mean().groupby("count").mean()
        solver = str(method).removesuffix(REACHING)
        color = colors.setdefault(solver, f"C{len(colors)}")
        plain = solver == method and solver + REACHING in set(right["method"])
        axes.plot(mean.index, mean, "o:" if plain else "o-", color=color, label=method, markersize=4)
    axes.set(xlabel="links", ylabel="ARI of samples that no link touches", xscale="log")
    axes.set_xticks(sorted(right["count"].unique()), labels=[f"{n:g}" for n in sorted(right["count"].unique())])
    axes.minorticks_off()
    axes.legend(fontsize=7)
    return figure


class ReachStudy(Study):
    """A study whose report begins with gain and harm, beside what was aimed at."""

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        table = gains(frame)
        parts = [] if not len(table) else [markdown(against_goals(table)), markdown(table)]
        parts += [f"Harmed: free ARI lower by more than {HARM:g}.", super().report(frame)]
        return "\n\n".join(parts)

    def pictures(self, frame: pd.DataFrame) -> dict[str, Figure]:
        """The curves of free ARI over links."""
        return {"free samples": free_curves(frame)} if frame["error"].isna().any() else {}


STUDY = ReachStudy(
    name="reach",
    title="Samples that no link touches, where links reach further and where they don't",
    cells=[
        *grid(DATA, Method("LinkedMixture", LinkedMixture), LINKS),
        *(
            cell
            for solver, parameters in ((PCKMeans, {"n_init": 3}), (CFCM, {"n_init": 1}))
            for method in (
                Method(solver.__name__, solver, **parameters),
                Method(solver.__name__ + REACHING, reaching, solver=solver, **parameters),
            )
            for cell in grid(DATA, method, [*LINKS, WRONG])
        ),
    ],
    trials=10,
    measures=[gate_open],
    show=["ari", "ari_free", "open"],
)
