"""The door to threads: the same work, and the page heard between steps, where there are none."""

import asyncio
import threading

import pytest

from cclab import FCM, Session, load_dataset
from cclab.session.threads import UnderWay, after, has_threads, in_thread, when_there_is_time


@pytest.fixture(params=["1", "0"], ids=["threads", "no threads"])
def threads(request, monkeypatch):
    monkeypatch.setenv("CCLAB_THREADS", request.param)
    return request.param == "1"


@pytest.fixture
def started(monkeypatch):
    """The names of all threads that are started."""
    names = []
    start = threading.Thread.start

    def note(thread):
        if threading.current_thread() is threading.main_thread():  # timers that other tests left go on by themselves
            names.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", note)
    return names


def test_a_browser_has_none(monkeypatch):
    monkeypatch.delenv("CCLAB_THREADS", raising=False)
    assert has_threads()
    monkeypatch.setattr("sys.platform", "emscripten")
    assert not has_threads()


async def test_work_gives_what_it_gives_and_raises_what_it_raises(threads):
    assert await in_thread(max, 3, 5) == 5
    assert await UnderWay(lambda: max(3, 5)).future == 5
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        await UnderWay(lambda: 1 // 0).future


async def test_what_is_dropped_does_not_hold_up_what_comes_next(threads):
    endless = UnderWay(lambda: [None for _ in iter(int, 1)])
    await asyncio.sleep(0.05 if threads else 0)
    endless.drop()
    assert await asyncio.wait_for(UnderWay(lambda: "next").future, 5) == "next"


async def test_the_page_is_heard_before_work_that_is_done_in_turn(monkeypatch):
    monkeypatch.setenv("CCLAB_THREADS", "0")
    order = []
    work = UnderWay(lambda: order.append("work"))
    order.append("page")
    await work.future
    assert order == ["page", "work"]


async def test_what_no_one_waits_for_is_done(threads):
    done = threading.Event()
    when_there_is_time(done.set)
    assert await asyncio.to_thread(done.wait, 5)


async def test_a_timer_waits_and_can_be_cancelled(threads):
    done, left = threading.Event(), threading.Event()
    after(0.01, done.set)
    after(0.01, left.set).cancel()
    await asyncio.sleep(0.2)
    assert done.is_set()
    assert not left.is_set()


def test_without_threads_and_loop_there_is_no_later(monkeypatch):
    monkeypatch.setenv("CCLAB_THREADS", "0")
    assert after(0.01, print) is None


async def test_a_run_starts_no_thread_and_pause_is_heard_within_a_step(monkeypatch, started, tmp_path):
    monkeypatch.setenv("CCLAB_THREADS", "0")
    session = Session(load_dataset("iris"), FCM(3, tol=0, random_state=0), journal=tmp_path / "kept")
    heard = []

    def listen(old, new):
        if new.state.iteration == 3 and not heard:
            # A click arrives as a callback of the loop, in the middle of the run.
            heard.append(3)
            asyncio.get_running_loop().call_soon(session.pause)

    session.changed.connect(listen)
    await session.arun(200)
    assert heard
    assert session.current.state.iteration in (3, 4)
    session.close()
    assert not [name for name in started if name.startswith(("cclab", "Thread"))]


def test_a_run_is_the_same_with_and_without(monkeypatch):
    labels = []
    for word in ("1", "0"):
        monkeypatch.setenv("CCLAB_THREADS", word)
        session = Session(load_dataset("iris"), FCM(3, random_state=0))
        asyncio.run(session.arun(20))
        labels.append(session.labels.tolist())
    assert labels[0] == labels[1]
