"""Work beside the loop: a step waits for no question, and what was stopped holds nothing up."""

import asyncio
import time

import pytest

from cclab import FCM, Session
from cclab.core.registry import solvers, strategies
from cclab.queries.uncertainty import UncertaintyQueries
from cclab.session.threads import has_threads


@pytest.fixture(autouse=True)
def _known_while_it_is_tested():
    solvers.add(_Slow)
    strategies.add(_SlowQuestions)
    yield
    solvers.remove("_Slow")
    strategies.remove("_SlowQuestions")


class _Slow(FCM):
    """FCM that sleeps, in short naps, before it starts or steps."""

    naps = 0

    def start(self, problem, restart=0):
        self._sleep()
        return super().start(problem, restart)

    def _sleep(self):
        for _ in range(type(self).naps):
            time.sleep(0.01)


class _SlowQuestions(UncertaintyQueries):
    """Questions that take long to find."""

    def propose(self, problem, state, n=1, *, asked=frozenset()):
        time.sleep(0.8)
        return super().propose(problem, state, n, asked=asked)


async def test_a_step_does_not_wait_for_a_question():
    session = Session("iris", FCM(n_clusters=3, random_state=0))
    asking = asyncio.ensure_future(session.apropose(_SlowQuestions()))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    await session.astep()
    assert time.monotonic() - began < 0.5
    assert session.current.summary.iteration == 1
    await asking


@pytest.mark.skipif(not has_threads(), reason="without threads a start that has begun comes to its end")
async def test_a_switch_can_be_stopped_and_the_next_one_need_not_wait(monkeypatch):
    session = Session("iris", FCM(n_clusters=3, random_state=0))
    before = session.current
    monkeypatch.setattr(_Slow, "naps", 500)
    switching = asyncio.ensure_future(session.aswitch(_Slow(n_clusters=2)))
    await asyncio.sleep(0.05)
    session.pause()
    assert await switching is None
    assert session.current is before
    monkeypatch.setattr(_Slow, "naps", 0)
    began = time.monotonic()
    assert await session.aswitch(FCM(n_clusters=4)) is session.current
    assert time.monotonic() - began < 2
    assert session.partition.n_clusters == 4


async def test_a_switch_that_fails_says_so():
    session = Session("iris", FCM(n_clusters=3, random_state=0))
    with pytest.raises(ValueError, match="n_clusters"):
        await session.aswitch(FCM(n_clusters=1000))
