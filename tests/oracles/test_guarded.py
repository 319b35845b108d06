"""An oracle of one's own that fails: in words, and all that it has said is kept."""

import numpy as np
import pytest

from cclab import FCM, Problem
from cclab.oracles import Answer, Oracle, Panel, Truth, ask
from cclab.oracles.guarded import Guarded
from cclab.queries import Random
from cclab.queries.base import Query

TARGET = np.arange(12) % 2
PROBLEM = Problem(TARGET[:, None] + np.arange(12)[:, None] / 100)
PAIRS = [Query.pair(0, j, "", 0) for j in range(1, 7)]


class Tiring(Oracle):
    """Answers so many questions, then raises."""

    name = "tiring"

    def __init__(self, left):
        self.left = left

    def answer(self, query, data=None):
        self.left -= 1
        if self.left < 0:
            raise KeyError("asleep")
        return Truth(TARGET).answer(query)


class Bulk(Tiring):
    """Answers all at once, whatever that gives."""

    def __init__(self, said):
        self.said = said

    def answers(self, queries, data=None):
        return self.said


def test_answers_before_a_failure_are_kept():
    oracle = Guarded(Tiring(4))
    assert oracle.answers(PAIRS) == Truth(TARGET).answers(PAIRS)[:4]
    assert oracle.exhausted == oracle.failure == "tiring failed: KeyError: 'asleep'"
    assert oracle.answer(PAIRS[0]) == Answer.unsure(oracle.failure)


@pytest.mark.parametrize(
    ("said", "kept", "words"),
    [
        ([Answer("same")] * 2, 2, "it gave 2 answers to 6 questions"),
        (["same", ("different", 0.8)] * 3, 6, ""),
        ([Answer("same"), Answer("perhaps"), *[Answer("same")] * 4], 1, "'perhaps' is no answer"),
        (None, 0, "TypeError"),
    ],
)
def test_what_is_no_answer_is_told_in_words(said, kept, words):
    oracle = Guarded(Bulk(said))
    assert len(oracle.answers(PAIRS)) == kept
    assert words in oracle.failure
    assert bool(words) == bool(oracle.failure)


@pytest.mark.parametrize("per_round", [1, 4])
def test_the_loop_stops_with_a_warning_and_knows_what_was_said(per_round):
    words = r"tiring failed: KeyError: 'asleep'; what it said before is kept \(6 answers\)"
    with pytest.warns(UserWarning, match=words):
        *_, last = ask(FCM(2), PROBLEM, Random(), Tiring(6), 20, per_round=per_round)
    assert (last.count, len(last.problem.constraints)) == (6, 6)
    assert set(last.problem.constraints.to_frame().source) == {"tiring"}


def test_a_truth_that_was_given_wrongly_is_an_error():
    with pytest.raises(IndexError):
        list(ask(FCM(2), PROBLEM, Random(), Truth(TARGET[:2]), 20))


def test_a_member_of_a_panel_that_fails_does_not_vote():
    panel = Panel({"ann": Truth(TARGET), "bob": Tiring(2)})
    answers = panel.answers(PAIRS)
    assert [answer.verdict for answer in answers] == [answer.verdict for answer in Truth(TARGET).answers(PAIRS)]
    assert [answer.note for answer in answers] == ["2 of 2 agree"] * 2 + ["1 of 1 agree"] * 4
    nobody = Guarded(Panel({"ann": Tiring(0), "bob": Tiring(0)}))
    assert nobody.answers(PAIRS) == []
    assert "ann failed: KeyError: 'asleep'; bob failed" in nobody.failure
