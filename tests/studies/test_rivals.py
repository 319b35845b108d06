import runpy
from pathlib import Path

import numpy as np
import pandas as pd

from cclab.core.registry import solvers
from cclab.studies.rivals import LEFT_OUT, STUDY, overview, rivals
from cclab.studies.rivals_setting import MOST, drawn

DOCS = Path(__file__).parents[2] / "docs"


def trials():
    rng = np.random.default_rng(0)
    rows = []
    for place, method in enumerate(["good", "fair", "poor"]):
        for data in ("a", "b", "c"):
            for knowledge in ("level 1 %", "level 5 %, 10 % wrong"):
                failed = method == "poor" and "wrong" in knowledge
                score = np.nan if failed else 0.9 - 0.3 * place + 0.01 * rng.random()
                rows.append(
                    {
                        "dataset": data,
                        "method": method,
                        "knowledge": knowledge,
                        "trial": 0,
                        "ari": score,
                        "processor": 1.0,
                    }
                    | {"ari_free": score, "error": "refused" if failed else None, "warnings": ""}
                )
    return pd.DataFrame(rows)


def test_every_solver_that_takes_links_takes_part():
    takes = {name for name in solvers.names() if solvers.get(name).uses & {"must", "cannot"}}
    plain = {"PlainAgglomerative", "PlainKMeans", "PlainGaussianMixture", "PlainSpectral"}
    assert {method.label for method in rivals()} == (takes | plain) - set(LEFT_OUT)
    assert {cell.method.label for cell in STUDY.cells} >= {"COPKMeans", "SPCL", "CSP", "PCP", "BoostCluster", "FOSC"}


def test_the_report_ranks_them_and_counts_what_failed():
    report = STUDY.report(trials())
    assert report.index("| good") < report.index("| fair") < report.index("| poor")
    wrong = report[report.index("## All samples, level 5 %, 10 % wrong") :]
    assert "failed" in wrong.split("##")[1]
    assert "Friedman" in report
    costs = report[report.index("## What it took") :]
    assert any(line.replace(" ", "") == "|poor|1.000|6|3|0|" for line in costs.splitlines())


def test_the_overview_has_the_best_first():
    table = overview(STUDY.rankings(trials()))
    assert table["solver"].tolist() == ["good", "fair", "poor"]
    assert table["5 %, 10 % wrong"].iloc[2] == "0.00 (3.0)"


def test_a_picture_for_each_amount_of_links():
    pictures = STUDY.pictures(trials())
    assert set(pictures) == {f"{m} {k}" for m in ("ari", "ari_free") for k in ("level 1 %", "level 5 %, 10 % wrong")}


def test_of_a_large_data_set_the_same_samples_take_part_each_time():
    assert drawn("wine").n_samples == 178
    some = drawn("wdbc")
    assert some.n_samples == MOST
    assert np.array_equal(some.X, drawn("wdbc").X)


def test_pages_are_filled_where_they_ask_for_it():
    filled = runpy.run_path(str(DOCS / "rivals.py"))["filled"]
    page = "before\n<!-- rivals: fair poor -->\nold\n<!-- end -->\nafter\n<!-- rivals: report -->\n<!-- end -->\n"
    once = filled(page, trials())
    rows, report = once.split("after")
    assert "| fair" in rows
    assert "| good" not in rows
    assert "old" not in rows
    assert "| good" in report
    assert "## What it took" in report
    assert filled(once, trials()) == once
