import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from cclab import FCM, ConstraintSet, COPKMeans
from cclab.core import Hard
from cclab.datasets import load_dataset
from cclab.queries import Random
from cclab.studies import (
    Asked,
    Cell,
    Comparison,
    Data,
    Knowledge,
    Method,
    Printed,
    RandomPairs,
    Study,
    find_studies,
    get_study,
    grid,
)

IRIS = Data("iris")
KMEANS = Method("K-means", KMeans, n_init=1)
COP = Method("COP-KMeans", COPKMeans)
FUZZY = Method("FCM", FCM)


def drawn(outcome):
    """What identifies a draw of knowledge."""
    pairs = outcome.problem.constraints.pairs
    return {"drawn": float((pairs.i * 1009 + pairs.j * 31 + pairs.must).sum()), "seed": outcome.problem.seed}


def study(cells=None, **more):
    cells = grid(IRIS, KMEANS) + grid(IRIS, COP, [RandomPairs(20), RandomPairs(50)]) if cells is None else cells
    return Study("small", "A small study", cells, **{"trials": 3, "measures": [drawn], **more})


def without_times(frame):
    return frame.drop(columns="seconds")


def broken(problem, data):
    raise RuntimeError("no such luck")


# ---------------------------------------------------------------------- drawing and repeating


def test_frame_is_tidy():
    frame = study().run(out=None)
    assert len(frame) == 9
    assert set(zip(frame["method"], frame["knowledge"])) == {
        ("K-means", "nothing"),
        ("COP-KMeans", "20 pairs"),
        ("COP-KMeans", "50 pairs"),
    }
    assert frame["count"].tolist() == [0] * 3 + [20] * 3 + [50] * 3
    assert frame["error"].isna().all()
    assert {"ari", "ari_free", "rand", "nmi", "accuracy", "satisfied", "seconds"} <= set(frame.columns)


def test_the_same_seed_gives_the_same_frame_whatever_the_number_of_processes():
    one, two = study().run(out=None), study().run(out=None, n_jobs=2)
    pd.testing.assert_frame_equal(without_times(one), without_times(two))
    other = replace(study(), seed=1).run(out=None)
    assert not (one["drawn"] == other["drawn"])[one["count"] > 0].any()


def test_all_methods_of_a_trial_see_the_same_draws():
    frame = study(grid([IRIS, Data("wine")], [COP, FUZZY], RandomPairs(20))).run(out=None)
    by_trial = frame.groupby(["dataset", "trial"])
    assert (by_trial[["drawn", "seed"]].nunique() == 1).all(axis=None)
    assert frame.groupby("method")["drawn"].nunique().tolist() == [6, 6]  # other draws in other trials and data sets


def test_more_trials_leave_the_first_ones_as_they_are():
    few, many = study().run(2, out=None), study().run(4, out=None)
    pd.testing.assert_frame_equal(
        without_times(few), without_times(many[many["trial"] < 2]).reset_index(drop=True), check_dtype=False
    )


def test_data_may_be_drawn_anew_in_each_trial():
    def first_value(outcome):
        return {"first": outcome.data.X[0, 0]}

    cells = grid(Data("two_class", n_samples=40, anew=True), [FUZZY, KMEANS])
    frame = study(cells, measures=[first_value]).run(out=None)
    assert frame["first"].nunique() == 3
    assert (frame.groupby("trial")["first"].nunique() == 1).all()


def test_data_may_come_from_a_function_and_be_standardised():
    def half(name):
        whole = load_dataset(name)
        return replace(whole, X=whole.X[::2], target=whole.target[::2], notes=())

    data = Data(half, name="iris", label="half of iris", standardized=True).load()
    assert data.n_samples == 75
    np.testing.assert_allclose(data.X.std(axis=0), 1)


# ---------------------------------------------------------------------- methods


def test_methods_are_solvers_estimators_or_functions_of_any_answer():
    def by_first_feature(problem, data, cut):
        return problem.X[:, 0] > cut

    def by_partition(problem, data):
        return Hard(data.target)

    def by_fit(problem, data):
        return KMeans(data.n_classes, random_state=problem.seed).fit(problem.X)

    methods = [
        FUZZY,
        KMEANS,
        Method("cut", by_first_feature, cut=5.5),
        Method("truth", by_partition),
        Method("fit", by_fit),
    ]
    frame = study(grid(IRIS, methods, RandomPairs(5)), trials=1).run(out=None).set_index("method")
    assert frame["error"].isna().all()
    assert frame.loc["truth", "ari"] == 1
    assert frame.loc["cut", "ari"] < 0.6
    assert "IgnoredKnowledge: FCM has no use for" in frame.loc["FCM", "warnings"]


def test_number_of_clusters_is_that_of_the_truth_unless_given():
    def clusters(outcome):
        return {"clusters": len(outcome.state.centers)}

    cells = grid([IRIS, Data("two_class")], [FUZZY, Method("FCM, 5", FCM, n_clusters=5)])
    frame = study(cells, trials=1, measures=[clusters]).run(out=None)
    assert frame["clusters"].tolist() == [3, 5, 2, 5]


def test_knowledge_of_ones_own():
    @dataclass(frozen=True)
    class FirstTwo(Knowledge):
        label: str = "the first two"

        def draw(self, data, rng):
            return ConstraintSet(data.n_samples).with_must_link([[0, 1]])

    frame = study([Cell(IRIS, COP, FirstTwo())], trials=1).run(out=None)
    assert frame.loc[0, ["knowledge", "drawn_by", "count"]].tolist() == ["the first two", "FirstTwo", 1]


# ---------------------------------------------------------------------- learning curves


def test_questions_give_a_learning_curve():
    asked = Asked(Random(), budget=12, per_round=3)
    frame = study(grid(IRIS, COP, asked), trials=2).run(out=None)
    assert frame["count"].tolist() == [0, 3, 6, 9, 12] * 2
    assert frame["knowledge"].iloc[1] == "3 by Random"
    end = frame[frame["count"] == 12]
    expected = [np.trapezoid(part["ari"], part["count"]) / 12 for _, part in frame.groupby("trial")]
    np.testing.assert_allclose(end["ari_area"], expected)
    curves = study().curves(frame, "ari")
    assert list(curves.columns) == ["dataset", "method", "drawn_by", 0, 3, 6, 9, 12]


def test_rows_are_thinned_but_the_last_is_always_there():
    asked = Asked(Random(), budget=7, record_every=3)
    assert study(grid(IRIS, FUZZY, asked), trials=1).run(out=None)["count"].tolist() == [0, 3, 6, 7]


def test_a_curve_goes_on_level_when_nothing_is_left_to_ask():
    def four():
        return load_dataset([[0.0], [0.1], [1.0], [1.1]], target=[0, 0, 1, 1])

    frame = study(grid(Data(four), FUZZY, Asked(Random(), 10)), trials=1).run(out=None)
    assert frame["count"].tolist() == list(range(11))
    assert frame["drawn"].tail(5).nunique() == 1


def test_questions_need_a_solver():
    frame = study(grid(IRIS, KMEANS, Asked(Random(), 3)), trials=1).run(out=None)
    assert frame["error"].item().startswith("TypeError: K-means can't be asked questions")


# ---------------------------------------------------------------------- keeping results


class Killed(BaseException):
    pass


def test_a_study_goes_on_after_a_kill_and_gives_the_same(tmp_path):
    def kill_after_four(done, total):
        if done == 4:
            raise Killed

    with pytest.raises(Killed):
        study().run(out=tmp_path, progress=kill_after_four)
    lines = (tmp_path / "small" / "trials.jsonl").read_text().splitlines()
    assert len(lines) == 4
    seen = []
    resumed = study().run(out=tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 9) for done in range(4, 10)]
    pd.testing.assert_frame_equal(without_times(resumed), without_times(study().run(out=None)))


def test_a_line_cut_short_is_run_again_and_spoils_nothing(tmp_path):
    study().run(out=tmp_path)
    path = tmp_path / "small" / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    seen = []
    with pytest.warns(UserWarning, match=r"trials\.jsonl has 1 line cut short: those trials are run again"):
        study().run(out=tmp_path, progress=lambda done, total: seen.append(done))
    assert seen == [8, 9]
    study().run(out=tmp_path)  # nothing is left to say, or to do
    readable = [line for line in path.read_text().splitlines() if line.endswith("}")]
    assert [json.loads(line)["error"] for line in readable] == [None] * 9


def test_killed_for_good_in_the_middle(tmp_path):
    script = """
import sys, time
from cclab import FCM
from cclab.studies import Data, Method, Study, grid

def slow(problem, data):
    time.sleep(0.2)
    return data.target

Study("killed", "", grid(Data("iris"), Method("slow", slow)), trials=50).run(out=sys.argv[1])
"""
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    path = tmp_path / "killed" / "trials.jsonl"
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") >= 2) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    complete = path.read_text().split("\n")[:-1]
    assert 2 <= len(complete) < 50
    assert [json.loads(line)["trial"] for line in complete] == list(range(len(complete)))


@pytest.mark.filterwarnings("ignore::cclab.studies.study.StaleResults")
def test_results_of_another_declaration_are_not_taken(tmp_path):
    def run(study):
        seen = []
        study.run(1, out=tmp_path, progress=lambda done, total: seen.append(done))
        return seen

    def cells(**parameters):
        return grid(IRIS, Method("FCM", FCM, **parameters), RandomPairs(5))

    assert run(study(cells())) == [0, 1]
    assert run(study(cells())) == [1]
    assert run(study(cells(fuzzifier=1.5))) == [0, 1]
    assert run(study(cells(), measures=[])) == [0, 1]
    assert run(replace(study(cells()), seed=5)) == [0, 1]
    assert run(study(cells())) == [1]


def test_fresh_runs_again(tmp_path):
    study().run(1, out=tmp_path)
    seen = []
    study().run(1, out=tmp_path, fresh=True, progress=lambda done, total: seen.append(done))
    assert seen == [0, 1, 2, 3]


# ---------------------------------------------------------------------- failing


def test_a_failing_cell_is_shown_and_loses_nothing(tmp_path):
    small = study(
        grid(IRIS, [KMEANS, Method("broken", broken)]), printed=[Printed("ari", {("iris", "broken", "nothing"): 0})]
    )
    frame = small.run(out=tmp_path)
    assert frame.groupby("method")["error"].count().to_dict() == {"K-means": 0, "broken": 3}
    table = small.table(frame).set_index("method")
    assert table.loc["broken", ["trials", "failed", "error"]].tolist() == [0, 3, "RuntimeError: no such luck"]
    assert table.loc["broken", "ari verdict"] == "not reached"
    assert table.loc["K-means", "trials"] == 3
    assert "RuntimeError: no such luck" in small.report(frame)


def test_a_failed_trial_is_tried_again(tmp_path):
    small = study(grid(IRIS, [KMEANS, Method("broken", broken)]))
    small.run(1, out=tmp_path)
    seen = []
    small.run(1, out=tmp_path, progress=lambda done, total: seen.append(done))
    assert seen == [1, 2]


def test_only_some_data_sets_or_methods():
    small = study(grid([IRIS, Data("two_class")], [FUZZY, KMEANS]))
    assert set(small.run(1, out=None, only=["iris"])["dataset"]) == {"iris"}
    assert len(small.run(1, out=None, only=["iris", "FCM"])) == 1
    frame = small.run(1, out=None, only=["FCM"])
    assert set(frame["method"]) == {"FCM"}
    assert len(small.table(frame)) == 2
    with pytest.raises(ValueError, match="no data set, method or knowledge 'irsi'; did you mean iris"):
        small.run(1, out=None, only=["irsi"])


def test_only_what_a_pattern_or_some_knowledge_names():
    small = study(grid([IRIS, Data("two_class")], FUZZY, [RandomPairs(5), RandomPairs(10)]))
    chosen = [cell.key for cell in small.selected(["two*", "10 pairs"])]
    assert chosen == [("two_class", "FCM", "10 pairs")]
    assert len(small.selected(["*pairs"])) == 4


# ---------------------------------------------------------------------- declarations that make no sense


def test_two_cells_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two cells are called iris, FCM, nothing"):
        study(grid(IRIS, [FUZZY, Method("FCM", FCM, fuzzifier=1.5)]))


def test_a_figure_of_no_cell_is_refused():
    with pytest.raises(ValueError, match=r"'20 links'.*did you mean.*20 pairs"):
        study(printed=[Printed("ari", {("iris", "COP-KMeans", "20 links"): 0.5})])
    with pytest.raises(ValueError, match="no cell"):
        study(comparisons=[Comparison("ari", ("COP-KMeans", "20 pairs"), ("K-medians", "nothing"))])


def test_no_cells_and_no_trials_are_refused():
    with pytest.raises(ValueError, match="no cells"):
        study([])
    with pytest.raises(ValueError, match="trials must be at least 1, got 0"):
        study().run(0, out=None)


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(TypeError, match="not a generator"):
        study(grid(IRIS, Method("FCM", FCM, init=(i for i in range(3))))).run(out=None)


# ---------------------------------------------------------------------- by name


def test_studies_are_found():
    studies, _ = find_studies()
    assert studies["foundation"] is get_study("foundation")
    with pytest.raises(ValueError, match="did you mean foundation"):
        get_study("fundation")


def test_the_foundation_study_runs():
    frame = get_study("foundation").run(1, out=None, only=["iris"])
    assert frame["error"].isna().all()
    assert set(frame["drawn_by"]) == {"NoKnowledge", "RandomLabels", "RandomPairs", "Random", "FarthestFirst"}
