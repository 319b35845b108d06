import os

import numpy as np
import pytest

from cclab.studies import Data, Method, Study, grid
from cclab.studies.time_limit import Ended, can_limit, within


def for_ever(problem, data):
    rng = np.random.default_rng(0)
    while True:
        rng.normal(size=10_000).sort()


def at_once(problem, data):
    return np.zeros(problem.n_samples, dtype=int)


@pytest.mark.skipif(not can_limit(), reason="this system stops no process after some processor time")
def test_a_trial_that_takes_too_long_fails_and_is_not_tried_again(tmp_path):
    study = Study("slow", "one ends", grid(Data("iris"), [Method("never", for_ever), Method("now", at_once)]), limit=1)
    frame = study.run(1, out=tmp_path).set_index("method")
    assert frame.loc["now", "ari"] == 0
    assert "more than 1 seconds of processor time" in frame.loc["never", "error"]
    lines = (tmp_path / "slow" / "trials.jsonl").read_text().splitlines()
    study.run(1, out=tmp_path)
    assert (tmp_path / "slow" / "trials.jsonl").read_text().splitlines() == lines


def test_what_ends_in_time_is_handed_on():
    assert within(30, lambda: {"rows": [1, 2]}) == {"rows": [1, 2]}


def ends_its_process(problem, data):
    os._exit(3)


@pytest.mark.skipif(not can_limit(), reason="this system has no processes of one's own")
def test_a_trial_that_ends_its_process_fails_alone(tmp_path):
    methods = [Method("ends", ends_its_process), Method("now", at_once)]
    study = Study("crash", "one ends its process", grid(Data("iris"), methods), trials=2)
    frame = study.run(out=tmp_path, n_jobs=2)
    assert frame.loc[frame["method"] == "now", "ari"].tolist() == [0, 0]
    assert frame.loc[frame["method"] == "ends", "error"].str.contains("process has ended, with status 3").tolist() == [
        True,
        True,
    ]
    assert len((tmp_path / "crash" / "trials.jsonl").read_text().splitlines()) == 4


@pytest.mark.skipif(not can_limit(), reason="this system has no processes of one's own")
def test_what_ends_a_process_is_not_taken_for_the_limit():
    with pytest.raises(Ended, match="with SIGKILL"):
        within(30, lambda: os.kill(os.getpid(), 9))
