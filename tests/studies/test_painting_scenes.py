"""Scenes have a truth, are the same each time, and can be painted on by every method."""

import numpy as np
import pandas as pd
import pytest

from cclab.core import Problem
from cclab.studies.painting_scenes import HELD_OUT, TUNING, scene
from cclab.studies.scene_painting import (
    STUDY,
    Course,
    answered,
    applied_beside,
    means,
    painter,
    pixels_of,
    watershed,
    where_errors_are,
)


def test_there_are_enough_and_none_is_tuned_to():
    assert len(HELD_OUT) >= 20
    assert not set(HELD_OUT) & set(TUNING)


@pytest.mark.parametrize("name", ["vessels", "in shadow", "camera"])
def test_a_scene_is_the_same_each_time(name):
    one, again = scene(name), scene(name)
    np.testing.assert_array_equal(one.pixels, again.pixels)
    assert 0.02 < one.truth.mean() < 0.8
    assert one.pixels.shape[:2] == one.truth.shape
    assert name == "camera" or (scene(name, draw=1).pixels != one.pixels).any()


def test_courses_of_corrections_and_answers():
    data = pixels_of("cell")
    problem = Problem(data.X, seed=1)
    for method, n in ((watershed, 4), (lambda *given: painter(*given, learn=True), 4)):
        course = method(problem, data)
        assert isinstance(course, Course)
        assert len(course.dices) == n
    assert len(answered(problem, data, learn=True).dices) == 9


def test_errors_in_the_doubtful_tenth():
    wanted = np.ones((10, 10), dtype=int)
    labels = wanted.copy()
    labels[0, :4] = 2
    doubts = np.zeros((10, 10))
    doubts[0, :2] = 1
    doubts[5:, :] = 0.5
    assert where_errors_are(labels, wanted, doubts)["errors in doubtful tenth"] == 0.5
    assert where_errors_are(wanted, wanted, doubts) == {}


def test_every_method_has_a_cell_for_every_scene():
    assert {cell.data.label for cell in STUDY.cells} == set(HELD_OUT)
    frame = STUDY.run(1, out=None, only=["cell", "watershed"])
    assert means(frame)["pictures"].tolist() == [1]
    assert "watershed" in STUDY.report(frame)  # though it has no doubts


def test_what_was_applied_is_held_against_painting_the_same_pictures():
    rows = [("text", "painter", 0.2), ("vessels", "painter", 0.9), ("vessels", "painter, applied", 0.8)]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "dice"])
    beside = applied_beside(frame).set_index("method")["dice"]
    assert beside.to_dict() == {"painter": 0.9, "painter, applied": 0.8}
    assert applied_beside(frame[:2]).empty
