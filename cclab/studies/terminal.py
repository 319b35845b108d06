"""``cclab study``: run a study from the terminal and print its table."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from cclab.studies import find_studies, get_study
from cclab.studies.study import RESULTS, Study


def main(arguments: Namespace) -> int:
    """Run ``cclab study``.

    Parameters
    ----------
    arguments : Namespace
        ``name, list, trials, jobs, seed, out, only, fresh``, None or empty where nothing was said.

    Returns
    -------
    int
        Exit status.
    """
    if arguments.list or not arguments.name:
        return _list()
    try:
        study = get_study(arguments.name)
        if arguments.seed is not None:
            study = replace(study, seed=arguments.seed)
        return _run(study, arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; the finished trials are kept, and the same command goes on from here.", file=sys.stderr)
        return 130


def _list() -> int:
    studies, broken = find_studies()
    width = max(map(len, studies), default=0)
    for name, study in sorted(studies.items()):
        print(f"{name:{width}}  {study.title}")
    for module, reason in broken.items():
        print(f"{module} can't be used: {reason}", file=sys.stderr)
    return 0


def _run(study: Study, arguments: Namespace) -> int:
    out = Path(arguments.out or RESULTS)
    jobs = -1 if arguments.jobs is None else arguments.jobs
    print(study.title)
    with tqdm(unit="trial", disable=None) as bar:
        frame = study.run(
            arguments.trials,
            n_jobs=jobs,
            out=out,
            only=arguments.only or (),
            fresh=arguments.fresh,
            progress=_shown_on(bar),
        )
    report, folder = study.report(frame), out / study.name
    (folder / "report.md").write_text(report, encoding="utf-8")
    frame.to_csv(folder / "trials.csv", index=False)
    print(report)
    print(f"All trials: {folder / 'trials.csv'}; this report: {folder / 'report.md'}")
    return 0


def _shown_on(bar: tqdm) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        bar.total, bar.n = total, done
        bar.refresh()

    return show
