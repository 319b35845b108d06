import numpy as np
import pytest

from cclab import FCM, SPFCM, Session
from cclab.queries import TypicalityQueries


@pytest.fixture
def session():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal((6, 0), size=(40, 2)), [[3.0, 0.0], [3.0, 9.0]]])
    session = Session(X, SPFCM(2))
    session.run()
    return session


def test_asks_for_the_torn_and_for_the_outlying(session):
    assert session.propose(TypicalityQueries("ambiguous"))[0].samples == (80,)
    (query,) = session.propose(TypicalityQueries("untypical"))
    assert query.samples == (81,)
    assert query.kind == "label"
    assert "typical of no cluster" in query.reason


def test_what_is_labelled_or_was_asked_is_not_asked_again(session):
    (query,) = session.propose(TypicalityQueries())
    session.answer(query, 1)
    assert session.constraints.labels.sample.tolist() == [80]
    (other,) = session.propose(TypicalityQueries())
    session.reject(other)
    everything = {q.samples[0] for q in session.propose(TypicalityQueries(), 500)}
    assert everything == set(range(82)) - {80, other.samples[0]}


def test_suits_possibilistic_beliefs_only(session):
    assert TypicalityQueries.suits(session.partition)
    assert not TypicalityQueries.suits(FCM(2).fit(session.data.X).partition_)
    with pytest.raises(ValueError, match="answered by a cluster number"):
        session.answer(session.propose(TypicalityQueries())[0], "same")
