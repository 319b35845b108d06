"""The query game without a browser."""

import json
import re
import sys
from html import unescape
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from cclab import load_dataset
from cclab.apps import ask_me, workbench
from cclab.apps.ask_me import game
from cclab.oracles import Truth
from cclab.session import Session
from tests.apps.visitor import VISITOR, press
from tests.front_end import living


@pytest.fixture(autouse=True)
def _small_and_apart(monkeypatch):
    monkeypatch.delenv("SERVER_SOFTWARE", raising=False)
    monkeypatch.setattr(sys.modules["cclab.apps.ask_me.ask_me"], "N_OPPONENTS", 0)


@pytest.fixture
def page(sent):
    """A page that asks about pairs."""
    page = ask_me("iris")
    page.strategy.value = "UncertaintyQueries"
    yield page
    page.close()


@pytest.fixture
def of_groups(sent):
    """A page that asks about groups, as it does by itself."""
    page = ask_me("iris")
    yield page
    page.close()


@pytest.fixture
def contest(sent, monkeypatch):
    """A page with an opponent."""
    monkeypatch.setattr(sys.modules["cclab.apps.ask_me.ask_me"], "N_OPPONENTS", 1)
    page = ask_me("iris")
    page.strategy.value = "UncertaintyQueries"
    yield page
    page.close()


def plain(widget):
    return unescape(re.sub(r"<[^>]*>", " ", widget.value))


def play_truth(page):
    while (query := next(iter(page.desk.session.pending), None)) is not None:
        page.answer(Truth(page.desk.session.data.target).answer(query).verdict)


def test_keys_answer_and_the_answers_are_listed_newest_first(page):
    first = page.desk.session.pending[0].samples
    press(page, "s", "d", "x")
    moves = game.moves_of(page.desk.session)
    assert [move.answer for move in moves] == ["same", "different", None]
    assert moves[0].samples == first
    assert page.desk.session.constraints.pairs.must.tolist() == [True, False]
    shown = [re.sub(r"<[^>]*>", " ", html) for _, html in page.answers.rows.rows]
    assert ["Don’t know" in shown[0], "Different" in shown[1], "Same" in shown[2]] == [True] * 3
    assert "set aside" in shown[0]
    assert "settled 1 ·" in shown[2]
    assert "Question 4 of 20" in plain(page.card._top)
    assert "answered  2" in plain(page._status)


def test_undo_takes_one_answer_back_with_its_steps(page):
    press(page, "s", "x")
    labels, pending = page.desk.session.labels, page.desk.session.pending
    press(page, "d", "ctrl+z")
    assert [move.answer for move in game.moves_of(page.desk.session)] == ["same", None]
    assert page.desk.session.pending == pending
    assert np.array_equal(page.desk.session.labels, labels)
    press(page, "ctrl+z", "ctrl+z", "ctrl+z")
    assert game.moves_of(page.desk.session) == []
    assert len(page.desk.session.constraints) == 0
    assert page.card.undo_button.disabled


def test_a_group_is_marked_by_numbers_and_clicks_and_answered_by_enter(of_groups):
    page = of_groups
    samples = page.desk.session.pending[0].samples
    assert "Which of these do not belong?" in plain(page.card._top)
    assert page.card.group.rows[-1][0] == str(samples[-1])
    press(page, "1", "8", "1")
    page.card.mark(samples[2])
    press(page, "s", "d")  # no answers to this question
    assert "2 samples do not belong" in page.card._buttons.group.description
    press(page, "Enter")
    assert game.moves_of(page.desk.session) == [game.Move(samples, (samples[2], samples[7]))]
    known = page.desk.session.constraints
    assert known.blocks.row(known.groups.block[0])[0].tolist() == [s for s in samples if s not in samples[2::5]]
    assert "2 out" in page.answers.rows.rows[0][1]
    assert "settled 27 ·" in page.answers.rows.rows[0][1]
    assert not page.card._marked.of(page.card.query)
    press(page, "x", "Enter")
    assert [move.answer for move in game.moves_of(page.desk.session)] == [(samples[2], samples[7]), None, ()]
    assert len(game.agreement(page.desk.session)) == 4
    press(page, "ctrl+z", "ctrl+z", "ctrl+z")
    assert not len(page.desk.session.constraints)


def test_an_answer_about_a_group_is_true_if_all_that_it_says_is():
    session = game.new_game("iris", 0)
    assert game.is_true(session, game.Move((0, 1, 2, 60), (60,)))
    assert not game.is_true(session, game.Move((0, 1, 2, 60), ()))
    assert not game.is_true(session, game.Move((0, 1, 2, 60), (2, 60)))
    assert not game.is_true(session, game.Move((0, 1), (0, 1)))


def test_the_opponent_asks_about_what_the_person_is_asked_about(contest):
    pairs = contest.chart.rival
    contest.strategy.value = "GroupQueries"
    assert contest.chart.rival[0] == pairs[0]
    assert not np.array_equal(contest.chart.rival, pairs)


def test_agreement_follows_the_moves_and_the_opponent_starts_at_the_same_place(contest):
    page = contest
    own = game.agreement(page.desk.session)
    assert len(own) == 1
    assert page.chart.rival[0] == own[0]
    assert len(page.chart.rival) == game.N_QUESTIONS + 1
    press(page, "s", "x", "d")
    own = game.agreement(page.desk.session)
    assert len(own) == 4
    assert own[2] == own[1]
    assert own[3] == page.desk.session.scores()["ari"]


def test_who_goes_back_in_time_has_the_moves_of_that_time():
    session = game.new_game("iris", 0)
    (query,) = session.propose()
    session.answer(query, "same")
    session.step()
    session.rewind(0)
    assert game.moves_of(session) == []
    assert len(game.agreement(session)) == 1


def test_the_end_is_told_as_it_was(contest):
    page = contest
    wrong = {"same": "different", "different": "same"}
    page.answer(wrong[Truth(page.desk.session.data.target).answer(page.desk.session.pending[0]).verdict])
    press(page, "x")
    play_truth(page)
    assert len(game.moves_of(page.desk.session)) == game.N_QUESTIONS
    told = plain(page.card._top)
    own, rival = game.agreement(page.desk.session)[-1], page.chart.rival[-1]
    title = "You beat" if own > rival + 0.005 else "did better" if own < rival - 0.005 else "A draw"
    assert title in told
    assert f"to {own:.2f}." in told
    assert f"came to {rival:.2f}" in told
    assert "1 of 19 answers differ from the truth. 1 set aside." in told
    assert "Game over" in plain(page._status)
    press(page, "s")
    assert len(game.moves_of(page.desk.session)) == game.N_QUESTIONS
    press(page, "ctrl+z")
    assert "Question 20 of 20" in plain(page.card._top)


def test_another_strategy_asks_at_once_and_a_new_game_forgets(page):
    page.strategy.value = "Random"
    assert page.desk.session.pending[0].reason == "Two samples drawn at random."
    press(page, "s", "n")
    assert game.moves_of(page.desk.session) == []
    assert page.desk.session.pending


def test_the_game_is_found_again(sent):
    first = ask_me("iris")
    first.shell.set_state({"visitor": VISITOR})
    press(first, "Enter", "x", "1", "Enter")
    moves = game.moves_of(first.desk.session)
    first.close()
    second = ask_me("iris")
    second.shell.set_state({"visitor": VISITOR})
    assert game.moves_of(second.desk.session) == moves
    assert second.desk.session.pending
    second.close()


def test_handing_over_in_a_notebook_is_a_file(page, sent):
    press(page, "s")
    page.hand_over()
    message, buffers = next((m, b) for m, b in sent if m["type"] == "download")
    assert message["name"] == "iris-session.json"
    assert len(Session.from_json(json.loads(bytes(buffers[0]))).constraints) == 1


def test_handing_over_on_a_page_opens_the_workbench_on_the_answers(page, sent, monkeypatch):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0")
    page.shell.set_state({"visitor": VISITOR})
    press(page, "d")
    page.hand_over()
    address, _, handed = next(m["address"] for m, _ in sent if m["type"] == "visit").partition("?session=")
    assert address == "workbench"
    bench = workbench()
    bench.shell.set_state({"visitor": VISITOR, "wanted": handed})
    assert bench.desk.session.constraints.pairs.must.tolist() == [False]
    bench.close()


def test_pairs_that_need_no_question_are_counted_by_closure():
    session = Session("iris", "CECM")
    session.constrain(must_link=[[0, 1], [1, 2]])
    assert game.n_settled(session.current) == 3
    session.constrain(cannot_link=[[2, 90], [0, 90]])
    assert game.n_settled(session.current) == 6
    session.constrain(separation=[[0, 90], [100, 101]])
    assert game.n_settled(session.current) == 14


def test_an_unknown_game_is_refused_in_words():
    with pytest.raises(ValueError, match="no game on 'wine'; there are: digits, iris"):
        ask_me("wine")


def test_digits_come_with_their_pictures():
    data = game.GAMES["digits"][2](3)
    assert data.X.shape == (240, 4)
    assert np.bincount(data.target).tolist() == [40] * 6
    assert len(data.images) == 240


def test_closing_frees_every_widget(sent):
    before = living().keys()
    ask_me("iris").close()
    assert living().keys() <= before


def test_no_other_six_digits_are_more_alike():
    digits = load_dataset("digits")
    means = np.array([digits.X[digits.target == digit].mean(axis=0) for digit in range(10)])

    def apart(chosen):
        return pdist(means[list(chosen)]).mean()

    assert min(combinations(range(10), len(game.ALIKE)), key=apart) == game.ALIKE
