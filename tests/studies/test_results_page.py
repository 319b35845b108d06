import pandas as pd
import pytest
from sklearn.cluster import KMeans

from cclab import COPKMeans
from cclab.cli import main
from cclab.queries import Random
from cclab.studies import Asked, Comparison, Data, Method, Printed, RandomPairs, Study, grid, paper_studies
from cclab.studies.results_page import days, missed, page, run_all, verdicts, write_page

KMEANS, COP = Method("K-means", KMeans, n_init=1), Method("COP", COPKMeans, n_init=1)
ASKED = Asked(Random(), budget=10, per_round=5, name="chance")


def study(**more):
    return Study(
        "made-up",
        "A made-up study",
        grid(Data("iris"), KMEANS) + grid(Data("iris"), COP, [RandomPairs(10), ASKED]),
        trials=2,
        printed=[
            Printed("ari", {("iris", "K-means", "nothing"): 0.1, ("iris", "COP", "10 pairs"): 0.999}, source="Table 9"),
            Printed("seconds", {("iris", "COP", "10 pairs"): 1e-9}, source="Table 10", judged=False),
        ],
        comparisons=[
            Comparison("ari", ("COP", "10 pairs"), ("K-means", "nothing"), margin=1.0),
            Comparison("ari", ("COP", "10 pairs"), ("K-means", "nothing"), factor=10),
        ],
        **more,
    )


def lost(**_):
    raise OSError("these data can't be had offline")


@pytest.fixture(scope="module")
def ran():
    gone = Study("gone", "Data that are nowhere", grid(Data(lost), KMEANS), trials=1)
    return run_all([study(), gone], None, lambda line: None, out=None)


def test_what_is_not_reached_stands_first(ran):
    assert verdicts(ran[0]) == {
        "figures reached": 1,
        "not reached": 1,
        "not run": 0,
        "claims reached": 1,
        "claims not reached": 1,
        "claims not decided": 0,
        "failed trials": 0,
    }
    row = missed(ran[0]).iloc[0]
    assert (row["method"], row["published"]) == ("COP", 0.999)
    assert 0 < row["ours"] < 0.999
    first = page(ran, {}).partition("## A made-up study")[0]
    assert "made-up: ari: COP, 10 pairs >= 10 x K-means, nothing: not reached, on 0 of 1" in first
    assert "- 1: reached" not in first


def test_figures_that_are_not_judged_stand_beside(ran):
    table = ran[0].study.table(ran[0].frame)
    assert table["seconds published"].dropna().tolist() == [1e-9]
    assert not {"seconds wanted", "seconds verdict"} & set(table.columns)
    assert "Table 10: published seconds beside ours, without a verdict." in page(ran, {})


def test_one_study_that_fails_does_not_lose_the_others(ran):
    assert verdicts(ran[1])["failed trials"] == 1
    text = page(ran, {})
    assert "these data can't be had offline" in text
    assert text.index("## Not reached") < text.index("## A made-up study")


def test_the_page_says_when_where_and_how_often(ran, tmp_path):
    write_page(ran, tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    for said in (days([ran[0].frame]), "2 trials of 2", "numpy", "Python", "Table 9", "paired t-test"):
        assert said in text
    assert "(images/results-made-up.png)" in text
    assert (tmp_path / "images" / "results-made-up.png").stat().st_size > 1000


def test_days_are_those_of_the_trials():
    monday, friday = pd.DataFrame({"date": ["2026-01-05"]}), pd.DataFrame({"date": ["2026-01-09", None]})
    assert days([monday]) == "on 2026-01-05"
    assert days([friday, monday]) == "from 2026-01-05 to 2026-01-09"


def test_the_page_never_claims_more_trials_than_were_run(tmp_path):
    run_all([study()], 1, lambda line: None, out=tmp_path, only=["K-means"])
    (some,) = run_all([study()], None, lambda line: None, minutes=0, out=tmp_path)
    assert some.extent == "1 trial of 2; 2 of 3 cells not run"
    assert verdicts(some)["not run"] == 1
    assert f"Run: {some.extent}." in page([some], {})
    (none,) = run_all([study()], None, lambda line: None, minutes=0, out=tmp_path / "elsewhere")
    assert none.extent == "none"
    assert verdicts(none)["not run"] == 2
    assert "no time for one" in page([none], {})


def test_the_papers_are_all_there():
    assert {"bckm", "cecm", "cmkipcm", "pcca", "possibilistic-iris"} <= set(paper_studies())


def test_from_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cclab.studies.terminal.paper_studies", lambda: {"made-up": study()})
    given = [
        "results",
        "--trials",
        "1",
        "--jobs",
        "1",
        "--out",
        str(tmp_path),
        "--page",
        str(tmp_path / "page" / "r.md"),
    ]
    assert main(given) == 0
    assert "A made-up study" in (tmp_path / "page" / "r.md").read_text(encoding="utf-8")
    assert (tmp_path / "made-up" / "trials.jsonl").exists()
    assert main([*given, "--only", "nothing"]) == 1
    assert "no study 'nothing'" in capsys.readouterr().err
    before = (tmp_path / "made-up" / "trials.jsonl").read_bytes()
    (tmp_path / "file").write_text("no folder")
    assert main([*given, "--trials", "2", "--page", str(tmp_path / "file" / "r.md")]) == 1
    assert "the page can't be written to" in capsys.readouterr().err
    assert (tmp_path / "made-up" / "trials.jsonl").read_bytes() == before
