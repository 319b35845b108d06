"""A panel finds out who is reliable, and how sure it can be."""

import numpy as np
import pytest

from cclab.oracles import Answer, Oracle, Panel, Truth, calibration_error, consensus
from cclab.queries.base import Query

TARGET = np.arange(60) % 3


def pairs(n, rng):
    return [Query.pair(*rng.choice(60, 2, replace=False), "", 0) for _ in range(n)]


def students(rng, rates=(0.05, 0.1, 0.2, 0.35, 0.45)):
    return {f"student {m}": Truth(TARGET, rate, np.random.default_rng([m, 1])) for m, rate in enumerate(rates)}


def is_right(query, answer):
    i, j = TARGET[list(query.samples)]
    return answer.verdict == ("same" if i == j else "different")


def test_the_reliable_members_are_found_from_the_votes_alone():
    rng = np.random.default_rng(0)
    panel = Panel(students(rng))
    queries = list(dict.fromkeys(pairs(600, rng)))
    answers = panel.answers(queries)
    found = list(panel.reliability.values())
    assert np.argsort(found)[:3].tolist() == [4, 3, 2]
    np.testing.assert_allclose(found, [0.95, 0.9, 0.8, 0.65, 0.55], atol=0.08)
    right = np.mean([is_right(q, a) for q, a in zip(queries, answers)])
    members = students(rng).values()
    majority = np.mean([sum(is_right(q, m.answer(q)) for m in members) > 2 for q in queries])
    assert right > majority > 0.8


def test_confidences_of_a_panel_can_be_believed():
    rng = np.random.default_rng(1)
    panel = Panel(students(rng, (0.15, 0.2, 0.25, 0.3, 0.4)))
    queries = list(dict.fromkeys(pairs(1500, rng)))[:1000]
    answers = panel.answers(queries)
    right = [is_right(q, a) for q, a in zip(queries, answers)]
    assert calibration_error([a.confidence for a in answers], right) <= 0.05


def test_one_question_at_a_time_works_too_and_says_who_disagrees():
    members = {"ann": Truth(TARGET), "bob": Truth(TARGET), "cy": Truth(TARGET, noise=1.0)}
    panel = Panel(members)
    answer = panel.answer(Query.pair(0, 3, "", 0))
    assert (answer.verdict, answer.note) == ("same", "2 of 3 agree; not cy")
    assert 0.5 < answer.confidence < 1


class Silent(Oracle):
    name = "silent"

    def answer(self, query, data=None):
        return Answer.unsure("asleep")


def test_who_is_unsure_does_not_vote_and_if_all_are_so_is_the_panel():
    assert Panel([Silent(), Truth(TARGET)]).answer(Query.pair(0, 3, "", 0)).verdict == "same"
    nobody = Panel([Silent(), Silent()]).answer(Query.pair(0, 3, "", 0))
    assert not nobody.is_sure
    assert nobody.note == "silent: asleep; silent 2: asleep"


def test_groups_names_and_labels_are_voted_on():
    data = type("Data", (), {"target_names": ("a", "b", "c")})
    panel = Panel([Truth(TARGET), Truth(TARGET), Truth(TARGET, noise=1.0)])
    assert panel.answer(Query.group([0, 3, 6, 1], "", 0)).verdict == (1,)
    assert panel.answer(Query.label(4, "", 0)).verdict == 1
    assert panel.answer(Query.name(4, "", 0), data).verdict == "b"


def test_a_panel_has_oracles_as_members():
    with pytest.raises(TypeError, match=r"member x is no Oracle but function; wrap it in Function"):
        Panel({"x": lambda question: "same"})
    with pytest.raises(ValueError, match="at least one member"):
        Panel([])


def test_votes_that_are_missing_and_one_category_alone_do_no_harm():
    found = consensus([[0, -1], [-1, -1], [0, 0]], 2)
    assert np.isfinite(found.posterior).all()
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
