"""The timeline moves the session, one frame at a time."""

import asyncio

import numpy as np
import pytest

from cclab import FCM
from cclab.widgets.timeline.bar import Stepper
from tests.widgets.sessions import Told, desk_on, known_solver


class _Failing(FCM):
    """Stops with an error at iteration 3; not a solver of its own, as its name tells the registry."""

    def step(self, problem, state):
        if state.iteration == 2:
            raise np.linalg.LinAlgError("the covariance of cluster 2 is singular (4 samples)")
        return super().step(problem, state)


@pytest.fixture
def failing():
    with known_solver(_Failing):
        yield _Failing(3, tol=0)


def test_step_back_first_last_and_the_scrubber():
    desk = desk_on()
    view, session = Stepper(desk), desk.session
    assert (view.back_button.disabled, view.last_button.disabled, view.scrubber.disabled) == (True, True, True)
    for _ in range(3):
        view.step_button.click()
    assert session.position == view.scrubber.value == view.scrubber.max == 3
    view.back_button.click()
    assert session.position == 2
    view.first_button.click()
    assert (session.position, view.first_button.disabled) == (0, True)
    view.last_button.click()
    assert (session.position, view.last_button.disabled) == (3, True)
    view.scrubber.value = 1
    assert session.position == 1
    assert "<b>1</b> / 3" in view._place.value
    view.go_to(7)
    assert session.position == 1  # there is no such place


def test_a_step_that_is_there_already_is_gone_to_and_a_statement_is_not_lost_silently():
    desk = desk_on()
    view, session = Stepper(desk), desk.session
    session.step(3)
    session.rewind(1)
    states = session.snapshots
    view.step()
    assert session.position == 2
    assert session.snapshots == states


def test_run_goes_on_to_convergence_and_then_there_is_nothing_to_do():
    desk = desk_on()
    view = Stepper(desk)
    view.run_button.click()
    assert desk.session.converged
    assert view.step_button.disabled
    assert view.run_button.disabled
    assert view.step_button.tooltip == "No step to take: converged"
    position = desk.session.position
    view.step()
    view.toggle_run()
    assert desk.session.position == position
    view.back()
    assert not view.step_button.disabled
    assert view.step_button.tooltip == "Step (→)"


async def test_run_can_be_paused_and_step_pauses_too():
    desk = desk_on(FCM(3, tol=0, max_iter=10_000))
    view, session = Stepper(desk), desk.session
    view.speed.value = "0.5×"
    for stop in (view.toggle_run, view.step):
        view.toggle_run()
        await asyncio.sleep(0.1)
        assert session.running
        assert view.run_button.description == "Pause"
        stop()
        await asyncio.sleep(0.05)  # shorter than the time that a step takes at this speed
        assert not session.running
        assert view.run_button.description == "Run"
    view.close()


async def test_double_clicks_on_step_are_harmless():
    desk = desk_on()
    view, session = Stepper(desk), desk.session
    view.step()
    view.step()
    await asyncio.sleep(0.3)
    assert session.position in (1, 2)
    assert not session.running
    assert session.failures == []


async def test_one_frame_is_in_flight():
    painted, frames = asyncio.Event(), 0

    async def pace():
        nonlocal frames
        frames += 1
        await painted.wait()

    desk = desk_on(FCM(3, tol=0, max_iter=50))
    view = Stepper(desk, pace=pace)
    view.speed.value = "max"
    view.toggle_run()
    await asyncio.sleep(0.2)
    assert (desk.session.position, frames) == (1, 1)
    painted.set()
    async with asyncio.timeout(30):
        while desk.session.position <= 5:
            await asyncio.sleep(0.02)
    view.close()


def test_the_scrubber_hears_of_its_room_before_its_place(monkeypatch):
    """A browser that hears of both at once answers with the place it had before, which would be taken for a drag."""
    desk = desk_on()
    view, sent = Stepper(desk), []
    monkeypatch.setattr(view.scrubber, "send_state", lambda key=None: sent.append(key))
    desk.session.step()
    desk.session.step()
    assert sent[-2:] == ["max", "value"]


async def test_a_fast_drag_skips_the_places_it_has_left():
    painted = asyncio.Event()
    desk = desk_on()
    desk.session.step(8)
    visited = []
    desk.changed.connect(lambda old, new: visited.append(new.snapshot.position))
    view = Stepper(desk, pace=painted.wait)
    for place in (7, 6, 5, 4, 3, 2):
        view.scrubber.value = place
        await asyncio.sleep(0)
    painted.set()
    await asyncio.sleep(0.05)
    assert visited == [7, 2]
    assert view.scrubber.value == desk.session.position == 2


def test_a_solver_error_is_told_in_words_and_nothing_is_lost(failing):
    desk = desk_on(failing)
    view, told = Stepper(desk), Told(desk)
    view.toggle_run()
    assert told == [
        (
            "bad",
            "The solver stopped at iteration 3: the covariance of cluster 2 is singular (4 samples). "
            "Iteration 2 is kept.",
        )
    ]
    assert desk.session.position == 2
    assert not desk.session.running
    assert view.run_button.description == "Run"
    view.back()
    assert desk.session.position == 1


def test_ticks_tell_statements_from_answers():
    desk = desk_on("COPKMeans")
    view, session = Stepper(desk), desk.session
    session.constrain(must_link=[[0, 3]])
    session.step()
    (query,) = session.propose("Random")
    session.answer(query, "same" if len({i % 3 for i in query.samples}) == 1 else "different")
    assert view.ticks.value.count("cc-statement") == 1
    assert view.ticks.value.count("cc-answer") == 1
    assert 'style="left:100%"' in view.ticks.value


def test_closing_pauses_and_stops_listening():
    desk = desk_on()
    view = Stepper(desk)
    view.close()
    desk.session.step()
    assert view.scrubber.value == 0
    assert view.widget.comm is None
