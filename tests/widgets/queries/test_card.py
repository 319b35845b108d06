"""The query card asks, and turns answers into statements."""

import asyncio
import re

import numpy as np
import pandas as pd
import pytest

from cclab import CA, FCM, load_dataset
from cclab.core.registry import strategies
from cclab.oracles import Answer, Function, Oracle, Truth
from cclab.queries.base import Query, Strategy
from cclab.widgets.queries.card import Queries
from cclab.widgets.queries.sample import sample_content, sample_name
from tests.datasets.columns.own_tables import zip_of_pictures
from tests.widgets.sessions import Told, act, blobs, desk_on, hover, shown


class _OneLabel(Strategy):
    """Asks for the label of sample 4, and nothing else."""

    kind = "label"
    title = "One label"

    @classmethod
    def suits(cls, partition):
        return partition.kind == "hard"

    def propose(self, problem, state, n=1, *, asked=frozenset()):
        return () if (4,) in asked or 4 in problem.constraints.labels.sample else (Query.label(4, "Is <b>it</b>?", 1),)


@pytest.fixture
def one_label():
    strategies.add(_OneLabel)
    yield "_OneLabel"
    strategies.remove("_OneLabel")


def card(**options):
    desk = desk_on("COPKMeans", **{name: options.pop(name) for name in ("data",) if name in options})
    return desk, Queries(desk, **options)


def test_a_question_is_there_at_once_with_both_samples_and_the_reason():
    desk, view = card()
    (query,) = desk.session.pending
    assert view.query == query
    text = shown(view.samples)
    assert f"a · {query.samples[0]}" in text
    assert f"b · {query.samples[1]}" in text
    assert "width" in text
    assert view.why.value == query.reason
    hover(view.samples, query.samples[1])
    assert desk.sample == query.samples[1]


@pytest.mark.parametrize(("answer", "kind"), [("same", "must"), ("different", "cannot")])
def test_an_answer_is_a_statement_then_comes_a_step_and_another_question(answer, kind):
    desk, view = card()
    first = view.query
    {"same": view.same_button, "different": view.different_button}[answer].click()
    frame = desk.session.constraints.to_frame()
    assert (frame.kind.tolist(), frame.source.tolist()) == ([kind], ["query"])
    assert (frame.i[0], frame.j[0]) == first.samples
    assert desk.session.current.how == "step"
    assert view.query is not None
    assert view.query.samples != first.samples
    assert "<b>1</b> answered" in view.counts.value


def test_without_step_after_the_solver_waits():
    desk, view = card()
    view.step_button.click()
    view.answer("same")
    assert desk.session.current.how == "rebase"


def test_dont_know_sets_aside():
    desk, view = card()
    first = view.query
    view.unknown_button.click()
    assert desk.session.rejected == {first.samples}
    assert len(desk.session.constraints) == 0
    assert view.query.samples != first.samples
    assert "<b>1</b> unknown" in view.counts.value


def test_an_answer_of_the_wrong_kind_is_no_answer():
    desk, view = card()
    view.answer(2)
    assert len(desk.session.constraints) == 0


def test_undoing_and_forgetting_never_break_it():
    desk, view = card(step_after=False)
    first = view.query
    view.answer("different")
    desk.session.constrain(forget=int(desk.session.constraints.ids[0]))
    assert view.query is not None
    desk.session.undo()
    desk.session.undo()
    assert view.query == first
    view.answer("same")
    assert desk.session.constraints.to_frame().kind.tolist() == ["must"]


def test_a_question_whose_clusters_have_vanished_is_put_anew():
    desk = desk_on(CA(max_clusters=12, random_state=0))
    view = Queries(desk)
    before = desk.session.partition.n_clusters
    while desk.session.partition.n_clusters == before:
        desk.session.step()
    names = set((desk.session.state.cluster_ids + 1).tolist())
    assert {int(number) for number in re.findall(r"cluster (\d+)", view.query.reason)} <= names
    assert {int(number) for number in re.findall(r"clusters (\d+)", view.query.reason)} <= names


def test_a_question_that_a_statement_settles_is_replaced():
    desk, view = card()
    first = view.query
    desk.session.constrain(group=list(first.samples))
    assert view.query.samples != first.samples


def test_nothing_to_ask_then_answers_do_nothing_and_another_strategy_helps():
    data = blobs(3)
    desk, view = card(data=data, strategy="Random", step_after=False)
    for _ in range(3):
        view.answer("different")
    assert view.query is None
    assert "Nothing to ask" in view.why.value
    assert "Every pair is either stated or settled. Choose another strategy, or step on." in view.why.value
    assert view.same_button.disabled
    assert view.truth_button.disabled
    before = len(desk.session.constraints)
    view.answer("same")
    view.reject()
    view.ask_truth()
    assert len(desk.session.constraints) == before
    desk.session.undo()
    assert view.query is not None


def test_the_truth_answers_one_and_a_batch():
    desk, view = card(batch=6)
    asked = view.query
    same = len({int(desk.session.data.target[i]) for i in asked.samples}) == 1
    view.truth_button.click()
    assert desk.session.constraints.to_frame().kind.tolist() == ["must" if same else "cannot"]
    view.batch_button.click()
    assert len(desk.session.asked) == 7
    assert desk.session.constraints.satisfaction(desk.session.data.target).rate == 1
    assert "Answering" not in view.counts.value


def test_without_a_truth_it_is_not_offered():
    _, view = card(data=blobs().with_target(None))
    assert "cc-hidden" in view.truth_button._dom_classes
    assert "cc-hidden" in view.batch_button._dom_classes


def test_the_truth_does_not_know_a_sample_of_no_class():
    data = blobs().with_target([None, *blobs().target[1:]])
    desk, view = card(data=data, step_after=False)
    desk.session.put(Query.pair(0, 1, "", 0))
    view.truth_button.click()
    assert (0, 1) in desk.session.rejected
    desk.session.put(Query.pair(1, 4, "", 0))
    view.truth_button.click()
    assert desk.session.constraints.to_frame().kind.tolist() == ["must"]


def test_label_questions_offer_the_clusters(one_label):
    desk = desk_on("ConstrainedKMeans")
    view = Queries(desk, one_label, step_after=False)
    assert "Which cluster?" in view.title.value
    assert view.why.value == "Is &lt;b&gt;it&lt;/b&gt;?"
    buttons = view.answers.children
    assert [b.description for b in buttons] == ["1", "2", "3", "Don’t know"]
    buttons[1].click()
    frame = desk.session.constraints.to_frame()
    assert (frame.kind[0], frame.i[0], frame.cluster[0]) == ("label", 4, 1)
    assert view.query is None


def test_strategies_follow_the_belief(one_label):
    desk = desk_on("COPKMeans")
    view = Queries(desk, one_label)
    assert ("One label", one_label) in view.strategy.options
    desk.session.switch("FCM")
    assert ("One label", one_label) not in view.strategy.options
    assert view.strategy.value in strategies.names()


def test_a_solver_that_hears_labels_alone_is_asked_about_labels():
    desk = desk_on("SRPCM")
    view = Queries(desk)
    assert view.query.kind == "label"
    assert {strategies.get(name).kind for _, name in view.strategy.options} == {"label"}
    desk.session.switch("CECM")
    assert "pair" in {strategies.get(name).kind for _, name in view.strategy.options}


@pytest.mark.parametrize("solver", ["SeededKMeans", "ConstrainedKMeans", "SFCM"])
def test_a_solver_that_nothing_can_be_asked_for_says_so(solver):
    desk = desk_on(FCM(3))
    view = Queries(desk)
    assert view.query is not None
    told = Told(desk)
    desk.session.switch(solver)
    assert told == []
    assert view.query is None
    assert f"{solver} takes labels alone" in view.why.value
    assert view.strategy.disabled
    desk.session.switch("FCM")
    assert view.query is not None
    assert not view.strategy.disabled


def test_other_parameters_ask_anew_and_a_step_says_when_it_was_asked():
    desk = desk_on(FCM(3))
    view = Queries(desk)
    reason = view.query.reason
    desk.session.step()
    assert view.why.value == f'{reason}<span class="cc-faint"> Asked at iteration 0.</span>'
    desk.session.switch(FCM(3, init=desk.session.data.X[[0, 4, 9]]))
    assert view.query.reason != reason
    assert view.why.value == view.query.reason
    desk.session.undo()
    assert "Asked at" not in view.why.value


def test_another_strategy_asks_another_question():
    _, view = card()
    before = view.query
    view.strategy.value = "Random"
    assert view.query.reason == "Two samples drawn at random."
    assert view.query != before


def test_a_strategy_that_fails_is_told_of():
    desk, view = card()
    told = Told(desk)
    session = desk.session

    def broken(*_args, **_more):
        raise ValueError("no neighbours")

    strategies.get("Random").propose, kept = broken, strategies.get("Random").propose
    try:
        view.strategy.value = "Random"
    finally:
        strategies.get("Random").propose = kept
    assert told == [("bad", "No question could be found: no neighbours")]
    assert session.failures == []


async def test_looking_for_a_question_does_not_hold_up_the_page():
    desk, view = card()
    assert view.query is None
    assert "Looking for a question" in view.why.value
    await asyncio.sleep(0.2)
    assert view.query is not None
    samples = shown(view.samples)
    view.answer("same")
    assert shown(view.samples) == samples  # the page below doesn't jump
    assert "cc-waiting" in view.samples._dom_classes
    await asyncio.sleep(0.4)
    assert "cc-waiting" not in view.samples._dom_classes
    assert desk.session.current.how == "step"
    assert view.query is not None
    view.close()


async def test_a_batch_shows_progress_and_can_be_stopped():
    gate = asyncio.Semaphore(0)

    async def pace():
        await gate.acquire()

    desk, view = card(batch=50, pace=pace)
    await asyncio.sleep(0.2)
    view.toggle_batch()
    for _ in range(2):
        gate.release()
        await asyncio.sleep(0.2)
    assert "of 50" in view.counts.value
    view.toggle_batch()
    gate.release()
    await asyncio.sleep(0.3)
    assert 2 <= len(desk.session.asked) <= 4
    assert "answered" in view.counts.value
    view.close()


def test_pictures_in_place_of_values():
    images = np.zeros((60, 4, 4))
    _, view = card(data=blobs(images=images))
    assert shown(view.samples).count("data:image/png;base64,") == 2
    assert "width</dt>" not in shown(view.samples)


def test_a_picture_goes_by_its_file():
    data = load_dataset(zip_of_pictures(), filename="shapes.zip")
    assert data.sample_names[7] == "squares/003.png"
    assert sample_name(data, 7) == "7 003.png"


GROUP = Query.group([0, 3, 6, 9, 12, 15, 1, 4], "Two are surely in it.", 1)


def test_a_group_is_marked_and_answered():
    desk, view = card(step_after=False)
    desk.session.put(GROUP)
    assert "Which of these do not belong?" in view.title.value
    assert [b.description for b in view.answers.children] == ["All belong  ↵", "Don’t know"]
    assert len(view.samples.rows) == 9  # the names of features over eight lines
    act(view.samples, "mark", 1)
    act(view.samples, "mark", 6)
    assert view.mark_place(3)  # the key 4: sample 4 is the fourth in order
    act(view.samples, "mark", 6)
    assert view.outside == {1, 4}
    assert view.group_button.description == "2 samples do not belong  ↵"
    assert shown(view.samples).count("cc-outside") == 2
    view.confirm()
    frame = desk.session.constraints.to_frame()
    assert frame.kind.tolist() == ["group", "separation"]
    assert desk.session.constraints.satisfaction(desk.session.data.target).rate == 1
    desk.session.undo()
    assert view.query == GROUP
    assert len(desk.session.constraints) == 0


def test_a_group_of_texts_shows_what_they_say():
    notes = [f"a <b>note</b> on {'rain' if i % 3 else 'bread'}, number {i} " + "and so on " * 30 for i in range(60)]
    desk, view = card(data=blobs(meta=pd.DataFrame({"note": notes}), text_column="note"))
    desk.session.put(GROUP)
    assert len(view.samples.rows) == 8
    assert shown(view.samples).count("on bread, number") == 2 * 6  # and once more in the hints, where they are longer
    assert "<b>note" not in shown(view.samples)
    assert "cc-value" not in shown(view.samples)


def test_marks_do_not_outlive_their_question_and_others_are_none():
    desk, view = card(step_after=False)
    desk.session.put(GROUP)
    view.mark(1)
    view.mark(59)
    assert view.outside == {1}
    view.reject()
    assert view.outside == frozenset()
    assert not view.mark_place(0)
    view.confirm()
    assert len(desk.session.constraints) == 0


def test_a_triplet_is_answered_by_the_same_two_keys():
    desk, view = card(step_after=False)
    desk.session.put(Query.triplet(0, 3, 1, "Torn.", 1))
    assert [b.description for b in view.answers.children] == ["Closer to b", "Closer to c", "Don’t know"]
    assert "c · 3" in shown(view.samples)
    view.keys["d"]()
    assert desk.session.constraints.to_frame().kind.tolist() == ["must", "cannot"]
    view.same_button.click()  # of a question that is gone
    assert view.query is None or view.query.kind == "pair"


def test_a_name_is_typed():
    desk, view = card(step_after=False)
    desk.session.put(Query.name(0, "", 1), Query.name(3, "", 1))
    for _ in range(2):
        view._buttons.name.value = "corner"
    assert desk.session.named == {"corner": 0}
    assert desk.session.constraints.to_frame().kind.tolist() == ["must"]


class Half(Oracle):
    """Answers what it is sure of, half of the time."""

    name = "half"

    def __init__(self, target):
        self.truth = Truth(target)

    def answer(self, query, data=None):
        answer = self.truth.answer(query, data)
        return answer if sum(query.samples) % 2 else Answer(answer.verdict, 0.6)


def test_an_oracle_answers_many_and_the_rest_wants_the_persons_eye():
    desk = desk_on("COPKMeans")
    view = Queries(desk, "Random", oracles={"half": Half(desk.session.data.target)}, step_after=False)
    said = Told(desk)
    assert view.many.oracle.options == ("half", "the truth")
    view.many.many.value = 20
    view.many.go_button.click()
    ((kind, words),) = said
    assert kind == "info"
    eye = len(desk.session.pending)
    assert words == f"20 questions answered by half; {eye} want your eye."
    assert set(desk.session.constraints.to_frame().source) == {"half"}
    assert "half says" in view.why.value
    assert "only 60 % sure" in view.why.value
    assert f"{eye} want your eye" in view.many.note.value
    view.truth_button.click()
    left = len(desk.session.pending)
    assert left < eye
    assert f"{left} want" in view.many.note.value
    while desk.session.can_undo:
        desk.session.undo()
    assert len(desk.session.constraints) == 0


def test_an_oracle_that_answers_nothing_puts_nothing_to_the_person_and_may_be_mended():
    works = False

    def model(question):
        if not works:
            raise RuntimeError("Model X is not loaded")
        return "different"

    desk = desk_on("COPKMeans")
    oracle = Function(model, retries=0, progress=False)
    view = Queries(desk, "Random", oracles={"model": oracle}, step_after=False)
    said, pending = Told(desk), desk.session.pending
    view.many.many.value = 20
    view.many.go_button.click()
    ((kind, words),) = said
    assert kind == "warning"
    assert words.startswith("Model failed 5 times in a row, at last: pair ")
    assert words.endswith("RuntimeError: Model X is not loaded. Nothing was stated.")
    assert desk.session.pending == pending
    works = True
    view.many.go_button.click()
    assert said[-1][1].startswith("20 questions answered by model; ")
    assert len(desk.session.constraints)


def test_a_cache_of_other_data_is_said_to_be_one(tmp_path):
    def model(question):
        return "different"

    Function(model, contents=["this", "that"], cache=tmp_path / "kept.jsonl").answers(
        [Query.pair(0, 1, "", 0)], [[0], [1]]
    )
    desk = desk_on("COPKMeans")
    view = Queries(desk, "Random", oracles={"model": Function(model, cache=tmp_path / "kept.jsonl")}, step_after=False)
    said = Told(desk)
    view.many.many.value = 20
    view.many.go_button.click()
    assert [kind for kind, _ in said] == ["warning", "info"]
    assert "all of them about other data" in said[0][1]


def test_an_oracle_that_fails_is_said_to_and_the_question_that_waited_waits():
    class Broken(Half):
        def answers(self, queries, data=None):
            raise OSError("no connection")

    desk = desk_on("COPKMeans")
    view = Queries(desk, "Random", oracles={"half": Broken(desk.session.data.target)})
    said, pending = Told(desk), desk.session.pending
    view.many.go_button.click()
    assert said == [("warning", "Half failed: OSError: no connection. Nothing was stated.")]
    assert not view.many.go_button.disabled
    assert desk.session.pending == pending
    assert desk.session.position == 0, "nor is a step made, which would take the words away"


def test_an_oracle_that_contradicts_itself_is_looked_at_by_the_person():
    said = iter(["different", "same", "same", *["different"] * 20])

    class _Ring(Strategy):
        kind, title = "pair", "Ring"

        def propose(self, problem, state, n=1, *, asked=frozenset()):
            return tuple(Query.pair(i, j, "In turn.", 0.0) for i, j in ((0, 1), (1, 2), (0, 2)) if (i, j) not in asked)

    strategies.add(_Ring)
    try:
        desk = desk_on("PCKMeans")
        view = Queries(desk, "_Ring", oracles={"fickle": Function(lambda question: next(said))})
        view.many.go_button.click()
        assert len(desk.session.constraints) == 2
        (open_,) = desk.session.pending
        assert open_.samples == (0, 2)
        assert "fickle says same, 100 % sure, which contradicts what is known." in view.why.value
        view.same_button.click()
        assert len(desk.session.constraints) == 3
        assert len(desk.session.constraints.conflicts()) == 1
    finally:
        strategies.remove("_Ring")


def test_what_an_oracle_said_before_it_failed_is_stated():
    class Tiring(Half):
        left = 7

        def answer(self, query, data=None):
            self.left -= 1
            if self.left < 0:
                raise OSError("no connection")
            return self.truth.answer(query, data)

    desk = desk_on("COPKMeans")
    view = Queries(desk, "Random", oracles={"half": Tiring(desk.session.data.target)}, step_after=False)
    said = Told(desk)
    view.many.many.value = 20
    view.many.go_button.click()
    assert said == [("info", "7 questions answered by half; none wants your eye. Half failed: OSError: no connection.")]
    assert len(desk.session.constraints) == 7
    assert len(desk.session.pending) == 1, "a new question, not those that nobody answered"


def test_a_category_among_the_features_is_told_by_its_word():
    shops = pd.DataFrame({"sold": np.arange(40.0), "Filiale": ["Köln", "Gießen", "Zürich", "Köln"] * 10})
    data = load_dataset(shops, roles={"Filiale": "feature"})
    assert data.n_features == 4
    said = str(sample_content(data, 1))
    assert "Gießen" in said
    assert "Filiale=" not in said
    assert said.count("<dt") == 2
    assert "and" not in said  # nothing is left out


def test_beside_vectors_that_were_reduced_a_card_shows_columns_of_the_table():
    rng = np.random.default_rng(0)
    cells = pd.DataFrame(
        {"donor": ["ann", "bob"] * 20, "counts": np.arange(40.0) + 0.5, "kind": ["t", "t", "b", "b"] * 10}
    )
    data = load_dataset(cells, vectors=rng.normal(size=(40, 250)), target="kind")
    said = str(sample_content(data, 1))
    assert "bob" in said
    assert "1.5" in said
    assert "PC 1" not in said
    assert "kind" not in said
