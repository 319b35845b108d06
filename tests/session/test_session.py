import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from io import FileIO
from pathlib import Path

import numpy as np
import pytest

from cclab import FCM, ConstrainedKMeans, ConstraintSet, COPKMeans, Problem, Session, iterate
from cclab.core.registry import solvers
from cclab.datasets import Dataset
from cclab.queries.base import Query
from cclab.session.commands import Step
from cclab.session.storage import journal
from cclab.session.threads import has_threads


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    X = np.array([[0, 0], [4, 0], [2, 4]])[truth] + rng.normal(size=(90, 2))
    return Dataset("clouds", X, target=truth, target_names=("a", "b", "c"))


@pytest.fixture
def session(blobs):
    return Session(blobs, COPKMeans(3, random_state=0))


def picture(session):
    """All that a person could tell two sessions apart by."""
    return (
        session.position,
        [s.summary.objective for s in session.snapshots],
        [s.command for s in session.snapshots],
        session.labels.tolist(),
        session.pending,
        session.asked,
        session.constraints.to_json(),
        session.can_undo,
        session.can_redo,
    )


def do_many_things(session):
    session.step(2)
    session.constrain(group=[0, 3, 6], source="lasso")
    session.run()
    session.constrain(separation=([0, 3], [1, 4]), weight=1.0)
    session.propose("Random", 3)
    session.answer(session.pending[0], _truth(session, session.pending[0]))
    session.reject(session.pending[0])
    session.undo()
    session.rewind(2)
    session.step()
    session.constrain(labels={8: 2, 9: 0})
    session.restart()
    session.switch(FCM(4, random_state=2))
    session.step(2)
    session.undo()
    session.redo()
    session.undo()


def _truth(session, query):
    i, j = query.samples
    return "same" if session.data.target[i] == session.data.target[j] else "different"


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestHistory:
    def test_a_run_retraces_fit(self, blobs):
        solver = FCM(3, random_state=7)
        fitted = FCM(3, random_state=7).fit(blobs.X)
        session = Session(blobs, solver)
        session.run()
        assert session.current.summary.objective == fitted.objective_
        np.testing.assert_array_equal(session.labels, fitted.partition_.labels())
        assert session.converged

    def test_undo_and_redo_walk_through_every_verb(self, session):
        pictures = [picture(session)]
        verbs = [
            lambda: session.step(),
            lambda: session.constrain(must_link=[[0, 3]]),
            lambda: session.run(),
            lambda: session.constrain(forget=int(session.constraints.ids[0])),
            lambda: session.switch(FCM(3)),
        ]
        for verb in verbs:
            verb()
            pictures.append(picture(session))
        for before in reversed(pictures[:-1]):
            session.undo()
            assert picture(session)[:4] == before[:4]
            assert picture(session)[6] == before[6]
        assert not session.can_undo
        position = session.position
        assert session.undo().position == position  # nothing to undo, nothing happens
        for after in pictures[1:]:
            session.redo()
            assert picture(session)[:4] == after[:4]
        assert not session.can_redo

    def test_a_verb_after_rewinding_goes_on_from_there_and_undo_brings_the_rest_back(self, session):
        session.step(4)
        objectives = [s.summary.objective for s in session.snapshots]
        session.rewind(1)
        session.constrain(cannot_link=[[0, 1]])
        assert len(session.snapshots) == 3
        session.undo()
        assert [s.summary.objective for s in session.snapshots] == objectives
        assert session.position == 1

    def test_a_query_answered_is_a_statement_and_undo_asks_it_again(self, session):
        session.run()
        (query,) = session.propose("UncertaintyQueries")
        session.answer(query, "different")
        frame = session.constraints.to_frame()
        assert frame.kind.tolist() == ["cannot"]
        assert frame.source.tolist() == ["query"]
        assert session.pending == ()
        assert query.samples in session.asked
        session.undo()
        assert session.pending == (query,)
        assert len(session.constraints) == 0
        session.reject(query)
        assert session.pending == ()
        assert session.rejected == session.asked == {query.samples}
        assert query.samples not in {q.samples for q in session.propose("UncertaintyQueries", 50)}
        with pytest.raises(ValueError, match="answered by 'same' or 'different', got 'maybe'"):
            session.answer(query, "maybe")

    def test_knowledge_reaches_the_next_step(self, session):
        session.run()
        i, j = 0, 1
        assert session.labels[i] != session.labels[j]
        session.constrain(must_link=[[i, j]])
        session.step()
        assert session.labels[i] == session.labels[j]


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestKeeping:
    def test_save_and_load(self, session, tmp_path):
        do_many_things(session)
        again = Session.load(session.save(tmp_path / "session.json"))
        assert picture(again) == picture(session)
        assert again.data.feature_names == session.data.feature_names
        for one in (again, session):
            one.redo()
            one.step()
        assert picture(again) == picture(session)

    def test_journal(self, blobs, tmp_path):
        session = Session(blobs, COPKMeans(3), journal=tmp_path / "a")
        do_many_things(session)
        session.close()
        again = Session.open(tmp_path / "a")
        assert picture(again) == picture(session)
        again.step()
        again.close()
        assert Session.open(tmp_path / "a").position == again.position

    def test_a_line_cut_short_loses_that_verb_alone(self, blobs, tmp_path):
        session = Session(blobs, FCM(3), journal=tmp_path)
        session.step(3)
        session.close()
        path = tmp_path / "journal.jsonl"
        path.write_bytes(path.read_bytes()[:-5])
        again = Session.open(tmp_path)
        assert again.position == 2
        again.step()
        again.close()
        assert Session.open(tmp_path).position == 3

    def test_a_bad_line_is_named_and_the_file_left_alone(self, blobs, tmp_path):
        session = Session(blobs, FCM(3), journal=tmp_path)
        session.step(2)
        session.close()
        path = tmp_path / "journal.jsonl"
        good = path.read_text().splitlines(keepends=True)
        for bad, message in {
            "{oops\n": r"journal\.jsonl, line 3: this is no valid JSON",
            "5\n": r"journal\.jsonl, line 3: a JSON object was expected, got 5",
            '{"verb": "fly"}\n': r"journal\.jsonl, line 3 can't be replayed: unknown verb 'fly'",
            '{"verb": "rewind", "to": 9}\n': r"line 3 can't be replayed: there are snapshots 0 to 0, not 9",
            '{"verb": "rewind"}\n': r"line 3 can't be replayed: 'to' is missing",
        }.items():
            text = "".join([*good[:2], bad, *good[2:], '{"verb": "st'])
            path.write_text(text)
            with pytest.raises(ValueError, match=message):
                Session.open(tmp_path)
            if "JSON" in message:
                assert path.read_text() == text
        path.write_text("")
        with pytest.raises(ValueError, match="is empty"):
            Session.open(tmp_path)

    def test_a_full_disk_stops_the_verb_and_leaves_the_journal_whole(self, blobs, tmp_path, monkeypatch):
        session = Session(blobs, FCM(3), journal=tmp_path)
        session.step()
        before = picture(session)

        class Full(FileIO):
            def write(self, line):
                return super().write(line[:5])

        session.close()
        monkeypatch.setattr(journal, "FileIO", Full)
        with pytest.raises(OSError, match="no room left"):
            session.step()
        assert picture(session) == before
        session.close()
        monkeypatch.undo()
        session.step()
        session.close()
        assert picture(Session.open(tmp_path)) == picture(session)

    @pytest.mark.parametrize("call", [0, 1])
    def test_a_kill_while_one_session_replaces_another_leaves_one_of_them(self, blobs, tmp_path, monkeypatch, call):
        first = Session(blobs, FCM(3), journal=tmp_path)
        first.step(2)
        first.close()
        other = Session(Dataset("line", np.arange(8.0)[:, None]), FCM(2))
        replace, calls = Path.replace, iter(range(9))

        def killed(self, target):
            if self.parent == tmp_path and next(calls) == call:
                raise KeyboardInterrupt
            return replace(self, target)

        monkeypatch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            other.keep(tmp_path)
        monkeypatch.undo()
        assert picture(Session.open(tmp_path)) == picture(first)

    def test_keeping_elsewhere_takes_all_along(self, session, tmp_path):
        session.step(2)
        session.keep(tmp_path / "first")
        session.step()
        session.keep(tmp_path / "second")
        session.step()
        assert Session.open(tmp_path / "first").position == 3
        assert Session.open(tmp_path / "second", read_only=True).position == 4

    def test_a_run_after_opening_is_undone_by_itself(self, session, tmp_path):
        session.run(2)
        session.rewind(1)
        again = Session.load(session.save(tmp_path / "session.json"))
        again.run(2)
        assert (again.position, len(again.snapshots)) == (3, 4)
        assert again.undo().position == 1
        assert again.undo().position == 0

    def test_replaces_nothing_when_the_file_is_bad(self, session, tmp_path):
        good = json.loads(session.save(tmp_path / "good.json").read_text())
        cases = {
            "is no session file": "{not json",
            "is no cclab session": json.dumps({"hello": 1}),
            "written by a newer cclab": json.dumps(good | {"schema": 99}),
            "no data or no commands": json.dumps({k: v for k, v in good.items() if k != "data"}),
            "are damaged": json.dumps(good | {"data": {**good["data"], "X": {"npy": "AAAA"}}}),
            "command 1 can't be replayed": json.dumps(good | {"commands": [*good["commands"], {"verb": "fly"}]}),
            "no solver called 'FCN'": json.dumps(
                good | {"commands": [{**good["commands"][0], "solver": {"name": "FCN", "params": {}}}]}
            ),
        }
        for message, text in cases.items():
            path = tmp_path / "bad.json"
            path.write_text(text)
            with pytest.raises(ValueError, match=message):
                Session.load(path)
        (tmp_path / "junk.json").write_bytes(b"\x00\xff\x10")
        with pytest.raises(ValueError, match=r"junk\.json"):
            Session.load(tmp_path / "junk.json")
        with pytest.raises(ValueError, match="there is no session in"):
            Session.open(tmp_path / "nowhere")
        assert not (tmp_path / "nowhere").exists()

    def test_a_callable_parameter_is_refused_in_words(self, blobs):
        with pytest.raises(ValueError, match=r"FCM\.fuzzifier is a function, which can't be written to a session"):
            Session(blobs, FCM(3, fuzzifier=lambda: 2))

    def test_script_gives_the_same_labels(self, session, tmp_path):
        do_many_things(session)
        script = session.to_code()
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout) == session.labels.tolist()
        named = Session("iris", FCM(3, fuzzifier=1.7))
        named.run()
        code = named.to_code()
        assert "load_dataset('iris')" in code
        assert "fuzzifier=1.7" in code
        assert len(code.splitlines()) < 10

    @pytest.mark.parametrize("delay", [0.05, 0.3])
    def test_a_killed_process_loses_at_most_the_verb_in_flight(self, tmp_path, delay):
        program = textwrap.dedent(
            """
            import sys
            from cclab import FCM, Session
            session = Session("iris", FCM(3, tol=0), journal=sys.argv[1])
            print("ready", flush=True)
            while True:
                session.step()
                print(session.position, flush=True)
            """
        )
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        assert process.stdout.readline().strip() == "ready"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        told = [int(line) for line in process.stdout.read().split("\n") if line.strip().isdigit()]
        process.wait()
        process.stdout.close()
        again = Session.open(tmp_path)
        assert again.position - (max(told) if told else 0) in (0, 1)
        again.step()
        again.close()


class TestMemory:
    def test_history_over_the_cap_is_replayed_exactly(self, blobs):
        free, capped = (Session(blobs, COPKMeans(3, tol=0), max_bytes=b) for b in (2**30, 5000))
        for session in (free, capped):
            session.step(10)
            session.constrain(must_link=[[0, 1]])
            session.step(20)
        assert sum(s.n_bytes for s in capped.snapshots if s.kept) <= 5000 + 3 * capped.current.n_bytes
        assert sum(s.kept for s in capped.snapshots) < len(capped.snapshots) / 2
        for position in (30, 3, 17, 0, 11):
            for session in (free, capped):
                session.rewind(position)
            np.testing.assert_array_equal(free.labels, capped.labels)
            np.testing.assert_array_equal(free.state.centers, capped.state.centers)

    def test_looking_back_stays_within_the_cap(self, blobs):
        session = Session(blobs, COPKMeans(3, tol=0), max_bytes=5000)
        session.step(40)
        for position in [*range(41), *range(40, -1, -1)]:
            session.rewind(position)
            assert session.labels is not None
            assert session.converged is not None
        kept = [s for s in session.snapshots if s.kept]
        assert sum(s.n_bytes for s in kept) <= 5000 + 3 * session.current.n_bytes
        assert sum("partition" in s.state.__dict__ for s in kept) <= 3

    def test_samples_are_not_copied_into_snapshots(self, blobs):
        session = Session(blobs, FCM(3))
        session.step(3)
        assert session.current.n_bytes < blobs.X.nbytes


class TestWatching:
    def test_each_verb_is_told_once(self, session):
        seen = []
        stop = session.watch(lambda old, new: seen.append((old.position, new.position)))
        session.step(2)
        session.rewind(0)
        session.undo()
        assert seen == [(0, 1), (1, 2), (2, 0), (0, 1)]
        stop()
        session.step()
        assert len(seen) == 4

    def test_a_broken_view_stops_nothing(self, session):
        def broken(old, new):
            raise RuntimeError("out of paint")

        told = []
        session.watch(broken)
        session.on_failure = told.append
        session.step()
        assert session.position == 1
        assert [str(e) for e in session.failures] == ["out of paint"]
        assert told == session.failures


class TestBadVerbs:
    @pytest.mark.parametrize(
        ("verb", "message"),
        [
            (lambda s: s.constrain(must_link=[[0, 900]]), "names sample 900"),
            (lambda s: s.constrain(), "nothing was stated"),
            (lambda s: s.constrain(forget=5), "no statement with id 5"),
            (lambda s: s.constrain(group=[1]), "at least two samples"),
            (lambda s: s.rewind(7), "snapshots 0 to 1, not 7"),
            (lambda s: s.step(0), "at least one step"),
            (lambda s: s.switch("KMeanz"), "no solver called 'KMeanz'"),
            (lambda s: s.switch(FCM(n_clusters=91)), "only 90 samples"),
            (lambda s: s.switch(FCM(fuzzifier=0.5)), "fuzzifier must be above 1"),
            (lambda s: s.propose("Guess"), "no query strategy called 'Guess'"),
            (lambda s: s.pose({}), "without a poser"),
            (lambda s: s.propose("Random", 0), "at least one question"),
            (lambda s: s.constrain(labels={0: 0.7}), r"must name clusters by numbers from 0, got \[0.7\]"),
            (lambda s: s.constrain(labels=[0.5] * 90), "labels must be integers"),
            (lambda s: s.constrain(labels={0.9: 1}), "got 0.9"),
            (lambda s: s.constrain(must_link=[[0, 1], [2]]), "two sample indices in every row"),
            (lambda s: s.constrain(must_link=[[0, 0]]), "links sample 0 to itself"),
            (lambda s: s.constrain(must_link=[[0, np.nan]]), "got nan"),
            (lambda s: s.constrain(must_link=[[0, 1]], weight=2), "weight of row 0 is 2"),
            (lambda s: s.constrain(separation=([0], [1], [2])), "two sets of samples apart, got 3"),
            (lambda s: s.constrain(constraints=[[0, 1]]), "must be a ConstraintSet, got list"),
            (lambda s: s.constrain(constraints=ConstraintSet(9)), "about 9 samples, but X has 90"),
            (lambda s: s.answer(Query.pair(0, 900, "", 1.0), "same"), "names sample 900"),
            (lambda s: s.answer(Query.label(0, "", 1.0), "same"), "a cluster number from 0, got 'same'"),
        ],
    )
    def test_leave_the_session_as_it_was(self, blobs, tmp_path, verb, message):
        session = Session(blobs, COPKMeans(3), journal=tmp_path)
        session.step()
        before = picture(session)
        with pytest.raises(ValueError, match=message):
            verb(session)
        assert picture(session) == before
        session.close()
        assert picture(Session.open(tmp_path, read_only=True)) == before

    def test_impossible_links_are_refused_at_the_step_and_undone(self, session):
        session.run()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session.constrain(must_link=[[0, 1]], cannot_link=[[0, 1]])
        before = picture(session)
        with pytest.raises(ValueError, match="0 and 1"):
            session.step()
        assert picture(session) == before
        session.undo()
        session.step()

    def test_ignored_knowledge_is_warned_of(self, blobs):
        session = Session(blobs, FCM(3))
        with pytest.warns(UserWarning, match="FCM has no use for 1 must-link statement"):
            session.constrain(must_link=[[0, 1]])


class _Slow(FCM):
    """FCM that takes its time; not a solver of its own, as its name tells the registry."""

    def step(self, problem, state):
        time.sleep(0.05)
        return super().step(problem, state)


class TestRunning:
    @pytest.fixture(autouse=True)
    def _known_while_it_is_tested(self):
        solvers.add(_Slow)
        yield
        solvers.remove("_Slow")

    async def test_arun_is_run(self, blobs):
        one, other = Session(blobs, FCM(3)), Session(blobs, FCM(3))
        one.run()
        await other.arun()
        assert [s.summary.objective for s in one.snapshots] == [s.summary.objective for s in other.snapshots]
        other.undo()
        assert other.position == 0

    async def test_pause_answers_at_once_and_drops_the_step_in_flight(self, blobs):
        session = Session(blobs, _Slow(3, tol=0))
        task = asyncio.ensure_future(session.arun())
        await asyncio.sleep(0.12)
        begun = time.perf_counter()
        session.pause()
        await task
        # Without threads a step that has begun comes to its end first.
        assert time.perf_counter() - begun < (0.04 if has_threads() else 0.2)
        assert not session.running
        position = session.position
        await asyncio.sleep(0.1)
        assert session.position == position

    async def test_what_is_stated_meanwhile_is_taken_in(self, blobs):
        session = Session(blobs, _Slow(3, tol=0))
        task = asyncio.ensure_future(session.arun(4))
        await asyncio.sleep(0.07)
        with pytest.warns(UserWarning, match="no use for"):
            session.constrain(must_link=[[0, 1]])
        await task
        hows = [s.how for s in session.snapshots]
        assert hows.count("rebase") == 1
        assert hows.count("step") == 4
        assert len(session.constraints) == 1

    async def test_rewinding_meanwhile_goes_on_from_there(self, blobs):
        session = Session(blobs, FCM(3, tol=0))
        paces = iter(range(100))

        async def pace():
            if next(paces) == 3:
                session.rewind(1)

        await session.arun(8, pace=pace)
        assert [s.summary.iteration for s in session.snapshots] == [0, 1, 2, 3, 4, 5]
        assert session.position == 5
        session.undo()
        assert (session.position, len(session.snapshots)) == (1, 5)

    async def test_the_next_step_is_worked_out_while_one_is_drawn(self, blobs, monkeypatch):
        session, made = Session(blobs, FCM(3, tol=0)), []

        prepare = Step.prepare

        def noted(command, moment, history):
            made.append(moment.snapshot.summary.iteration)
            return prepare(command, moment, history)

        async def pace():
            await asyncio.sleep(0.1)
            assert made[-1] == session.position  # the step from here is made, and not yet taken over

        monkeypatch.setattr(Step, "prepare", noted)
        await session.arun(3, pace=pace)
        assert (made, session.position) == ([0, 1, 2], 3)

    async def test_a_second_run_does_nothing_and_errors_come_out(self, blobs):
        session = Session(blobs, _Slow(3, tol=0))
        task = asyncio.ensure_future(session.arun(3))
        await asyncio.sleep(0)
        await session.arun(3)
        await task
        assert session.position == 3
        bad = Session(blobs, COPKMeans(3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bad.constrain(must_link=[[0, 1]], cannot_link=[[0, 1]])
        with pytest.raises(ValueError, match="0 and 1"):
            await bad.arun()
        assert not bad.running


async def test_a_proposal_worked_out_aside_is_the_same_and_is_dropped_if_things_moved_on(blobs):
    aside, here = Session(blobs, "FCM"), Session(blobs, "FCM")
    assert await aside.apropose("Random", 3) == here.propose("Random", 3)
    proposing = asyncio.ensure_future(aside.apropose("Random", 2))
    await asyncio.sleep(0)
    aside.step()
    assert len(await proposing) == 3  # those from before


def test_the_journal_says_when_it_was_written_last(blobs, tmp_path):
    assert Session(blobs, "FCM").saved_at is None
    session = Session(blobs, "FCM", journal=tmp_path)
    before = session.saved_at
    session.step()
    assert session.saved_at > before


def test_pose_makes_the_problem_anew_and_replays(blobs, tmp_path):
    def poser(recipe):
        return Problem(blobs.X * recipe["scale"], seed=1), ConstrainedKMeans(recipe["k"])

    session = Session(blobs, FCM(3), poser=poser, journal=tmp_path)
    session.pose({"scale": 2.0, "k": 4})
    session.run()
    again = Session.open(tmp_path, poser=poser, read_only=True)
    assert picture(again) == picture(session)
    session.undo()
    assert session.undo().solver.n_clusters == 3
    with pytest.raises(ValueError, match="open it in the app that made it"):
        Session.open(tmp_path, read_only=True)


def test_no_jupyter_package_is_imported():
    code = (
        "import sys, cclab; print([m for m in sys.modules if m.split('.')[0] in "
        "('ipywidgets', 'IPython', 'bqplot', 'anywidget', 'traitlets', 'ipykernel', 'voila', 'jupyterlab')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_iterate_and_session_agree_after_new_knowledge(blobs):
    known = ConstraintSet(90).with_labels({0: 0, 1: 1, 2: 2})
    solver = ConstrainedKMeans(3, random_state=0)
    session = Session(blobs, solver, seed=5)
    session.constrain(constraints=known)
    session.restart()
    session.run()
    run = iterate(solver, Problem(blobs.X, known, seed=5), restart=1)
    assert list(run)[-1].objective == session.current.summary.objective


def test_a_solver_without_steps_has_come_to_its_end_where_it_starts(session):
    session.switch(FCM(3, max_iter=0))
    assert session.converged
    before = session.current
    assert asyncio.run(session.arun()) is session.run() is before
