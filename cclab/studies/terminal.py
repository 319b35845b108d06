"""``cclab study``: run a study from the terminal and print its table."""

from __future__ import annotations

import sys
import warnings
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from cclab.studies import find_studies, get_study, paper_studies
from cclab.studies.results_page import run_all, write_page
from cclab.studies.study import RESULTS, Study


def main(arguments: Namespace) -> int:
    """Run ``cclab study``.

    Parameters
    ----------
    arguments : Namespace
        ``name, list, trials, minutes, limit, jobs, seed, out, only, fresh, scheduler``, None or empty where
        nothing was said.

    Returns
    -------
    int
        Exit status.
    """
    if arguments.list or not arguments.name:
        return _list()
    try:
        study = _limited(get_study(arguments.name), arguments)
        if arguments.seed is not None:
            study = replace(study, seed=arguments.seed)
        return _run(study, arguments)
    except (ValueError, OSError, BrokenExecutor) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; the finished trials are kept, and the same command goes on from here.", file=sys.stderr)
        return 130


def results(arguments: Namespace) -> int:
    """Run ``cclab results``: all studies of the papers, and the page of what they give.

    Parameters
    ----------
    arguments : Namespace
        ``page, trials, minutes, limit, jobs, out, only, scheduler``.
    """
    studies = paper_studies()
    for name in arguments.only or ():
        if name not in studies:
            print(f"the papers have no study {name!r}; there are {', '.join(studies)}", file=sys.stderr)
            return 1
    chosen = [_limited(studies[name], arguments) for name in studies if not arguments.only or name in arguments.only]
    page = Path(arguments.page)
    try:  # before what may take hours
        page.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"the page can't be written to {page}: {error.strerror}", file=sys.stderr)
        return 1
    try:
        with warnings.catch_warnings(), tqdm(unit="trial", disable=None) as bar:
            warnings.showwarning = lambda message, *_, **__: bar.write(f"Note: {message}", file=sys.stderr)
            ran = run_all(
                chosen,
                arguments.trials,
                bar.write,
                arguments.minutes,
                n_jobs=-1 if arguments.jobs is None else arguments.jobs,
                out=Path(arguments.out or RESULTS),
                scheduler=arguments.scheduler,
                progress=_shown_on(bar),
            )
    except KeyboardInterrupt:
        print("Stopped; the finished trials are kept, and the same command goes on from here.", file=sys.stderr)
        return 130
    write_page(ran, page)
    print(f"{page}: {len(chosen)} studies")
    return 0


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
    with warnings.catch_warnings(), tqdm(unit="trial", disable=None) as bar:
        warnings.showwarning = lambda message, *_, **__: bar.write(f"Note: {message}", file=sys.stderr)
        frame = study.run(
            arguments.trials,
            n_jobs=jobs,
            out=out,
            only=arguments.only or (),
            fresh=arguments.fresh,
            scheduler=arguments.scheduler,
            minutes=arguments.minutes,
            progress=_shown_on(bar),
        )
    report, folder = study.report(frame), out / study.name
    (folder / "report.md").write_text(report, encoding="utf-8")
    frame.to_csv(folder / "trials.csv", index=False)
    for name, picture in study.pictures(frame).items():
        picture.savefig(folder / f"{name}.png", dpi=150)
    print(report)
    print(f"All trials: {folder / 'trials.csv'}; this report: {folder / 'report.md'}")
    return 0


def _limited(study: Study, arguments: Namespace) -> Study:
    return study if arguments.limit is None else replace(study, limit=arguments.limit)


def _shown_on(bar: tqdm) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        bar.total, bar.n = total, done
        bar.refresh()

    return show
