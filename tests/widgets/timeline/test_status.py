"""The status line says where things stand."""

import asyncio
import re
import time
from datetime import datetime

import numpy as np
import pytest

from cclab import FCM
from cclab.widgets.model.notices import Notice
from cclab.widgets.model.run import run
from cclab.widgets.timeline.status import QUICK, Status
from tests.widgets.sessions import blobs, desk_on


def words(view: Status) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", view.line.value)).strip()


def test_sizes_iteration_objective_and_scores():
    desk = desk_on()
    view = Status(desk)
    desk.session.step(2)
    scores = desk.session.scores()
    assert words(view) == (
        f"Ready n 60 · k 3 iteration 2 objective {desk.session.state.objective:.4g} "
        f"ARI {scores['ari']:.2f} all · {scores['ari_free']:.2f} unconstrained"
    )
    assert 'aria-live="polite"' in view.line.value


def test_links_and_conflicts_once_something_is_stated():
    desk = desk_on("COPKMeans")
    view = Status(desk)
    assert "statements" not in words(view)
    desk.session.constrain(must_link=[[0, 3], [3, 6]])
    desk.attempt(desk.session.constrain, cannot_link=[[0, 6]])
    held = desk.session.constraints.satisfaction(desk.session.labels).n_satisfied
    assert f"statements {held} / 3" in words(view)
    assert "conflicts 1" in words(view)


def test_converged_stopped_and_ready_again():
    desk = desk_on()
    view = Status(desk)
    desk.session.run()
    assert view.state == "Converged"
    desk.tell(Notice("bad", "This file can't be read."))
    assert view.state != "Stopped"
    desk.stopped.emit(desk.session.current)
    assert view.state == "Stopped"
    assert "cc-stopped" in view.line.value
    desk.session.rewind(1)
    assert view.state == "Ready"
    desk.tell(Notice("warning", "careful"))
    assert view.state == "Ready"


async def test_running_is_said_from_the_beginning_to_the_end():
    desk = desk_on(FCM(3, tol=0))
    view = Status(desk)
    task = asyncio.ensure_future(run(desk, 300))
    await asyncio.sleep(0.05)
    assert view.state == "Running"
    assert "cc-running" in view.line.value
    desk.session.pause()
    await task
    assert words(view).startswith("Ready")


async def test_many_samples_are_scored_aside():
    desk = desk_on(data=blobs(QUICK + 1))
    view = Status(desk)
    assert "ARI …" in words(view)
    await asyncio.sleep(0.6)
    assert f"ARI {desk.session.scores()['ari']:.2f} all" in words(view)
    view.close()


def test_no_truth_no_score():
    assert "ARI" not in words(Status(desk_on(data=blobs().with_target(None))))


def test_when_it_was_saved(tmp_path):
    desk = desk_on(journal=tmp_path)
    view = Status(desk)
    desk.session.step()
    (when,) = re.findall('<time class="cc-ago" datetime="([^"]+)">', view.saved.value)
    assert datetime.fromisoformat(when).timestamp() == pytest.approx(desk.session.saved_at, abs=0.001)
    assert Status(desk_on()).saved.value == ""


async def test_nothing_is_sent_while_time_passes(tmp_path, monkeypatch):
    """A kernel that speaks each minute counts as being used, and would stay after its tab has vanished."""
    desk = desk_on(journal=tmp_path)
    desk.session.step()
    view = Status(desk)
    sent = []
    for line in (view.line, view.saved):
        line.observe(lambda change: sent.append(change["new"]), "value")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 600)
    await asyncio.sleep(0.1)
    view.update(None, desk.moment)
    assert sent == []
    assert not view._tasks._running
    view.close()


def test_unconstrained_is_left_out_where_too_few_are():
    desk = desk_on("COPKMeans", blobs(6))
    view = Status(desk)
    desk.attempt(desk.session.constrain, must_link=np.array([[0, 3], [1, 4], [2, 5]]))
    assert "unconstrained" not in words(view)
