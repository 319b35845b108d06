"""Any callable may answer: what it says is kept, what goes wrong is said, and nothing is asked twice."""

import asyncio
import json
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from cclab import FCM, Problem
from cclab.datasets import Dataset
from cclab.oracles import Function, ask
from cclab.oracles.answer_file import AnswersOfOtherData, DamagedAnswers
from cclab.oracles.function import GIVES_UP_AFTER
from cclab.queries import Random
from cclab.queries.base import Query

TEXTS = [f"{colour} {thing}" for colour in ("red", "blue") for thing in ("ball", "cube", "car", "hat")]
PAIRS = [Query.pair(i, j, "", 0) for i in range(8) for j in range(i)]


def same_colour(question):
    return "same" if question[0].split()[0] == question[1].split()[0] else "different"


def true(query):
    return "same" if (query.samples[0] < 4) == (query.samples[1] < 4) else "different"


class Counting:
    """Counts its calls."""

    def __init__(self, answer=same_colour):
        self.calls = []
        self._answer = answer
        self.__name__ = "counting"

    def __call__(self, question):
        self.calls.append(question.samples)
        return self._answer(question)


def test_an_async_callable_is_asked_several_questions_at_once():
    under_way, most = 0, 0

    async def model(question):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return {"verdict": same_colour(question), "confidence": 0.8, "note": "by colour"}

    answers = Function(model, contents=TEXTS, batch=5).answers(PAIRS)
    assert [answer.verdict for answer in answers] == [true(query) for query in PAIRS]
    assert {(answer.confidence, answer.note) for answer in answers} == {(0.8, "by colour")}
    assert most == 5


async def test_it_works_where_a_loop_is_under_way_as_in_a_notebook():
    async def model(question):
        await asyncio.sleep(0)
        return same_colour(question)

    oracle = Function(model, contents=TEXTS)
    assert oracle.answer(PAIRS[0]).verdict == "same"
    assert (await oracle.aanswers(PAIRS[:2]))[1].verdict == "same"


def test_plain_callables_wait_in_threads():
    def slow(question):
        time.sleep(0.1)
        return same_colour(question)

    begun = time.perf_counter()
    Function(slow, contents=TEXTS, batch=20).answers(PAIRS[:20])
    assert time.perf_counter() - begun < 1.5  # 2 s one after the other


def test_what_was_answered_is_kept_by_content_whatever_the_numbers(tmp_path):
    first = Counting()
    Function(first, contents=TEXTS, cache=tmp_path / "kept.jsonl").answers(PAIRS)
    second = Counting()
    oracle = Function(second, contents=TEXTS[::-1], cache=tmp_path / "kept.jsonl")
    assert [a.verdict for a in oracle.answers(PAIRS)] == [true(query) for query in PAIRS]
    assert (len(first.calls), second.calls) == (28, [])


def test_answers_about_groups_are_kept_by_content_too(tmp_path):
    group = Query.group(range(4, 8), "", 0)
    first = Counting(lambda question: [7])
    assert Function(first, contents=TEXTS, cache=tmp_path / "a").answer(group).verdict == (7,)
    mirrored = Query.group(range(4), "", 0)
    second = Counting()
    assert Function(second, contents=TEXTS[::-1], cache=tmp_path / "a").answer(mirrored).verdict == (0,)
    assert second.calls == []


def test_another_name_is_another_oracle(tmp_path):
    Function(same_colour, contents=TEXTS, cache=tmp_path / "a").answers(PAIRS[:3])
    other = Counting()
    Function(other, contents=TEXTS, cache=tmp_path / "a", name="a larger model").answers(PAIRS[:3])
    assert len(other.calls) == 3


KILLED = """
    import asyncio, os, sys
    from cclab.oracles import Function
    from cclab.queries.base import Query

    async def model(question):
        await asyncio.sleep(0.001 * question.samples[1])
        if question.samples == (3, 7) and sys.argv[2] == "hang":
            print("hangs", flush=True)
            await asyncio.sleep(600)
        with open(sys.argv[1] + ".log", "a") as log:
            log.write(f"{question.samples}\\n")
        return "same"

    pairs = [Query.pair(i, j, "", 0) for j in range(8) for i in range(j)]
    oracle = Function(model, contents=list("abcdefgh"), cache=sys.argv[1], budget=40, batch=3)
    print(len(oracle.answers(pairs)), oracle.n_calls)
"""


def test_a_killed_process_goes_on_where_it_was_and_asks_nothing_twice(tmp_path):
    cache = tmp_path / "answers.jsonl"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(cache)]
    with subprocess.Popen([*command, "hang"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "hangs\n"
        deadline = time.monotonic() + 30
        while len((tmp_path / "answers.jsonl.log").read_text().splitlines()) < 27 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)  # the last answer is being written
        process.kill()
    done = subprocess.run([*command, "go on"], capture_output=True, text=True, check=True, timeout=60)
    asked = (tmp_path / "answers.jsonl.log").read_text().splitlines()
    assert sorted(asked) == sorted(f"({i}, {j})" for j in range(8) for i in range(j))
    assert done.stdout.split() == ["28", "29"]  # the call that was killed counts


def test_the_budget_is_hard_and_all_answers_so_far_are_kept():
    oracle = Function(Counting(), contents=TEXTS, budget=5, batch=3)
    answers = oracle.answers(PAIRS)
    assert oracle.n_calls == len(oracle.function.calls) == 5
    assert sum(answer.is_sure for answer in answers) == 5
    assert answers[-1].note == "the budget of 5 calls of counting is used up" == oracle.exhausted
    assert oracle.answers(PAIRS)[:5] == answers[:5]


def test_the_loop_ends_cleanly_when_the_budget_is_used_up():
    X = np.r_[np.zeros((4, 1)), np.ones((4, 1))] + np.arange(8)[:, None] / 100
    oracle = Function(same_colour, contents=TEXTS, budget=3)
    *_, last = ask(FCM(2), Problem(X), Random(), oracle, budget=20)
    assert (last.count, len(last.problem.constraints)) == (3, 3)
    assert set(last.problem.constraints.to_frame().source) == {"same_colour"}


def test_what_is_raised_is_tried_again():
    moods = iter([ValueError("busy"), ConnectionError("gone"), None])

    def moody(question):
        error = next(moods)
        if error is not None:
            raise error
        return "same"

    oracle = Function(moody, contents=TEXTS, pause=0)
    assert oracle.answer(PAIRS[0]).verdict == "same"
    assert oracle.troubles == []


def test_a_callable_that_hangs_is_given_up():
    def hangs(question):
        time.sleep(20)

    oracle = Function(hangs, contents=TEXTS, timeout=0.05, retries=1, pause=0)
    begun = time.perf_counter()
    answer = oracle.answer(PAIRS[0])
    assert not answer.is_sure
    assert answer.note == "no answer within 0.05 s"
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("perhaps", "'perhaps' is no answer to a question about a pair"),
        (("same", 7.5), "a confidence is a number from 0 to 1, got 7.5"),
        ({"answer": "same"}, "an answer has a 'verdict', got answer"),
        ("{nonsense", "begins like JSON and is none"),
        (3, "3 is no answer to a question about a pair"),
        ([1, 2], "is no answer to a question about a pair"),
    ],
)
def test_nonsense_is_unsure_in_words(said, words):
    oracle = Function(lambda question: said, contents=TEXTS, retries=0)
    answer = oracle.answer(PAIRS[0])
    assert not answer.is_sure
    assert words in answer.note
    assert words in oracle.troubles[0]


def test_one_that_always_fails_is_not_asked_for_ever():
    def broken(question):
        raise RuntimeError("no such model")

    counting = Counting(broken)
    oracle = Function(counting, contents=TEXTS, retries=0)
    answers = oracle.answers(PAIRS)
    assert len(counting.calls) == GIVES_UP_AFTER
    assert "counting failed 5 times in a row, at last: pair" in oracle.exhausted
    assert "RuntimeError: no such model" in answers[0].note
    assert not any(answer.is_sure for answer in answers)


def test_the_cache_of_other_data_is_said_and_kept(tmp_path):
    def of_values(question):
        return "same"

    data = Dataset("one", [[0.0], [1.0], [5.0]])
    cache = tmp_path / "a.jsonl"
    Function(of_values, cache=cache).answers([Query.pair(0, 1, "", 0)], data)
    other = Dataset("two", [[0.0], [7.0], [5.0]])
    with pytest.warns(AnswersOfOtherData, match=r"a.jsonl has 1 answer, all of them about other data"):
        Function(of_values, cache=cache).answers([Query.pair(0, 1, "", 0)], other)
    assert len(Function(of_values, cache=cache)._kept) == 2


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"work.csv is no file of answers, and nothing is written to it"):
        Function(same_colour, contents=TEXTS, cache=path)
    assert path.read_text() == "a,b\n1,2\n"


def test_a_line_that_was_cut_off_is_asked_anew(tmp_path):
    path = tmp_path / "a.jsonl"
    Function(same_colour, contents=TEXTS, cache=path).answers(PAIRS[:4])
    path.write_bytes(path.read_bytes()[:-20])
    again = Counting()
    oracle = Function(again, contents=TEXTS, cache=path, name="same_colour")
    assert [a.verdict for a in oracle.answers(PAIRS[:4])] == [true(q) for q in PAIRS[:4]]
    assert len(again.calls) == 1
    with pytest.warns(DamagedAnswers, match=r"1 line can't be read \(9\)"):
        kept = Function(same_colour, contents=TEXTS, cache=path)
    assert len(kept._kept) == 4
    assert all(json.loads(line) for number, line in enumerate(path.read_text().splitlines(), 1) if number != 9)


def test_two_processes_do_not_write_to_one_cache(tmp_path):
    from filelock import FileLock

    oracle = Function(same_colour, contents=TEXTS, cache=tmp_path / "a")
    with FileLock(tmp_path / "a.lock"), pytest.raises(ValueError, match="is being written by another process"):
        oracle.answers(PAIRS[:1])


def test_features_are_the_content_where_none_is_given():
    seen = []

    def look(question):
        seen.append(question)
        return True

    data = Dataset("two", [[1.5, 2.0], [1.0, 0.0]], feature_names=("width", "height"))
    Function(look).answer(Query.pair(0, 1, "", 0), data)
    assert seen[0].contents == ({"width": 1.5, "height": 2.0}, {"width": 1.0, "height": 0.0})
    assert seen[0].text.startswith("a: width 1.5, height 2\nb: width 1")
    with pytest.raises(ValueError, match="give data, or Function"):
        Function(look).answer(Query.pair(0, 1, "", 0))


def test_progress_is_told():
    told = []
    Function(same_colour, contents=TEXTS, progress=lambda *at: told.append(at)).answers(PAIRS[:3])
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch": 0}, "batch must be a whole number of at least 1, got 0"),
        ({"budget": -1}, "budget must be"),
        ({"retries": 1.5}, "retries must be"),
        ({"timeout": 0}, "timeout must be above 0 seconds"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(ValueError, match=words):
        Function(same_colour, **options)
    with pytest.raises(TypeError, match="needs something to call, got int"):
        Function(3)
