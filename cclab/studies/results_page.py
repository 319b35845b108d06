"""All papers on one page: every figure beside the published one, with what is not reached said first."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cclab.core.words import counted
from cclab.studies.claims import NOT_REACHED, REACHED, UNDECIDED
from cclab.studies.result_tables import markdown
from cclab.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PACKAGES = ("cclab", "numpy", "scipy", "scikit-learn", "pandas")
# So many deviations of a mean lie between its ends: nineteen times in twenty.
BAND = 1.96


@dataclass(frozen=True, eq=False)
class Ran:
    """A study and its trials; `why` says, in words, why there are none."""

    study: Study
    frame: pd.DataFrame | None
    why: str = ""

    @property
    def extent(self) -> str:
        """How much of the study has been run, in words."""
        return "none" if self.frame is None else self.study.extent(self.frame)


def run_all(
    studies: Sequence[Study],
    trials: int | None,
    tell: Callable[[str], None],
    minutes: float | None = None,
    **how: Any,
) -> list[Ran]:
    """Run studies one after the other; one that can't be run is told of, and the others go on.

    Parameters
    ----------
    studies : sequence of Study
    trials : int or None
        Of each cell; None: as many as each study has.
    tell : callable
        Given a line before each study.
    minutes : float, optional
        For all of them: each has an equal share of what the ones before it have left.
    **how
        For `Study.run`.
    """
    ran = []
    end = time.monotonic() + 60 * (minutes or 0)
    for waiting, study in zip(range(len(studies), 0, -1), studies):
        share = None if minutes is None else max(end - time.monotonic(), 0) / 60 / waiting
        tell(f"{study.name}: {study.title}")
        try:
            ran.append(Ran(study, study.run(trials, minutes=share, **how)))
        except (ValueError, OSError, ImportError) as error:
            tell(f"  can't be run: {error}")
            ran.append(Ran(study, None, str(error)))
    return ran


def verdicts(ran: Ran) -> dict[str, int]:
    """How many published figures, and how many comparisons, are reached, not reached, not run; failed trials."""
    counts = {"figures reached": 0, "not reached": 0, "not run": 0}
    counts |= {f"claims {said}": 0 for said in (REACHED, NOT_REACHED, UNDECIDED)} | {"failed trials": 0}
    published = sum(len(printed.figures) for printed in ran.study.printed if printed.judged)
    if ran.frame is None:
        return counts | {"not run": published, f"claims {UNDECIDED}": len(ran.study.comparisons)}
    table = ran.study.table(ran.frame)
    said = [v for name in table.columns if str(name).endswith(" verdict") for v in table[name].dropna()]
    counts["figures reached"], counts["not reached"] = said.count(REACHED), said.count(NOT_REACHED)
    counts["not run"] = published - len(said)
    for verdict, _ in claims(ran):
        counts[f"claims {verdict}"] += 1
    counts["failed trials"] = int(ran.frame["error"].notna().sum())
    return counts


def claims(ran: Ran) -> Iterator[tuple[str, str]]:
    """Each comparison's verdict, and what was found, in a sentence."""
    if ran.frame is not None:
        for comparison in ran.study.comparisons:
            found, sets = comparison.table(ran.frame), ran.study.compared_on(comparison)
            yield comparison.verdict(found, sets), comparison.summary(found, sets)


def missed(ran: Ran) -> pd.DataFrame:
    """One row for each published figure that is not reached: ours and theirs."""
    rows: list[dict[str, Any]] = []
    if ran.frame is None:
        return pd.DataFrame(rows)
    table = ran.study.table(ran.frame)
    for name in (str(n) for n in table.columns if str(n).endswith(" verdict")):
        measure = name.removesuffix(" verdict")
        for _, row in table[table[name] == NOT_REACHED].iterrows():
            about = {key: row[key] for key in ("dataset", "method", "knowledge")}
            beside = {kind: row[f"{measure} {kind}"] for kind in ("published", "wanted")}
            often = {"trials": row["trials"], "measure": measure, "ours": row[measure]}
            rows.append({"study": ran.study.name, **about, **often, **beside})
    return pd.DataFrame(rows)


def days(frames: Iterable[pd.DataFrame]) -> str:
    """When trials were run, in words."""
    said = {day for frame in frames for day in frame["date"].dropna()} or {date.today().isoformat()}
    return f"on {min(said)}" if len(said) == 1 else f"from {min(said)} to {max(said)}"


def page(ran: Sequence[Ran], pictures: Mapping[str, Sequence[str]]) -> str:
    """The page in Markdown.

    Parameters
    ----------
    ran : sequence of Ran
    pictures : mapping from study to sequence of str
        Addresses of its pictures, seen from the page.
    """
    when = days(each.frame for each in ran if each.frame is not None)
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    machine = f"{platform.machine()}, {counted(os.cpu_count() or 1, 'processor')}, Python {platform.python_version()}"
    summary = pd.DataFrame(
        [
            {
                "study": each.study.name,
                "run": "none" if each.frame is None else each.study.extent(each.frame),
                **verdicts(each),
            }
            for each in ran
        ]
    )
    lost = [table for table in map(missed, ran) if len(table)]
    refuted = [
        f"- {each.study.name}: {said}" for each in ran for verdict, said in claims(each) if verdict == NOT_REACHED
    ]
    parts = [
        "# Results",
        f"All tables of the papers, run by `cclab results` {when} with {packages}; {machine}. "
        "How many trials of each cell there are, of how many that the study has, is said for each study, and in each "
        "row of its table: means of few say little; where the paper has more, that is said too. A figure is reached by "
        "the rule that stands above its table; every figure stands beside the published one. A claim is that one "
        "method is ahead of another on so many data "
        f"sets; it is {UNDECIDED} while those that were not run could tell. Deviations (±) are those of single trials.",
        markdown(summary),
        "## Not reached",
        markdown(pd.concat(lost, ignore_index=True)) if lost else "Every published figure is reached.",
        "Claims:\n\n" + "\n".join(refuted) if refuted else "Every claim is reached, or not decided yet.",
    ]
    for each in ran:
        if each.frame is None:
            parts += [f"## {each.study.title}", f"Not run: {each.why}."]
            continue
        parts.append(each.study.report(each.frame).replace("# ", "## ", 1).rstrip())
        several = max(each.study.trials_run(each.frame)) > 1
        said = "Means, with bands in which the true mean lies 19 times in 20" if several else "One trial, without bands"
        for picture in pictures.get(each.study.name, ()):
            parts.append(f"![{said}]({picture})")
    return "\n\n".join(parts) + "\n"


def curve_picture(study: Study, frame: pd.DataFrame) -> Figure | None:
    """Learning curves of a study, a panel for each data set, with the bands of their means; None where it has none."""
    measure = study.show[0]
    if measure not in frame:  # every trial failed
        return None
    asked = {cell.knowledge.drawn_by for cell in study.cells if len(cell.keys) > 1}
    points = frame[frame["drawn_by"].isin(asked)].dropna(subset=["count", measure])
    if points.empty:
        return None
    from matplotlib.figure import Figure

    data = list(dict.fromkeys(points["dataset"]))
    columns = min(3, len(data))
    figure = Figure(figsize=(4 * columns, 3 * -(-len(data) // columns)), layout="constrained")
    panels = np.ravel(figure.subplots(-(-len(data) // columns), columns, squeeze=False))
    for name, axes in zip(data, panels):
        for (method, by), rows in points[points["dataset"] == name].groupby(["method", "drawn_by"], sort=False):
            curve = rows.groupby("count")[measure].agg(["mean", "std", "size"])
            band = BAND * (curve["std"] / np.sqrt(curve["size"])).fillna(0)
            axes.plot(curve.index, curve["mean"], label=f"{method}, {by}")
            axes.fill_between(curve.index, curve["mean"] - band, curve["mean"] + band, alpha=0.2)
        axes.set(title=name, xlabel="questions", ylabel=measure)
    for axes in panels[len(data) :]:
        axes.set_axis_off()
    panels[0].legend(fontsize="small")
    return figure


def write_page(ran: Sequence[Ran], path: Path) -> None:
    """Write the page, and its pictures into the folder ``images`` beside it."""
    folder = path.parent / "images"
    pictures: dict[str, list[str]] = {}
    for each in ran:
        drawn = None if each.frame is None else curve_picture(each.study, each.frame)
        if drawn is not None:
            folder.mkdir(parents=True, exist_ok=True)
            name = f"results-{each.study.name}.png"
            drawn.savefig(folder / name, dpi=80)
            pictures[each.study.name] = [f"images/{name}"]
    path.write_text(page(ran, pictures), encoding="utf-8")
