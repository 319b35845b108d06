import numpy as np
import pytest

from cclab import load_dataset
from cclab.studies.levels import Level


@pytest.mark.parametrize(
    ("n", "share", "pairs"), [(500, 0.05, 300), (2000, 0.1, 19900), (150, 0.01, 1), (569, 0.05, 406)]
)
def test_as_many_pairs_as_the_share_of_samples_has(n, share, pairs):
    assert Level(share).amount(n) == pairs


def test_wrong_links_are_as_many_as_said():
    iris = load_dataset("iris")
    known = Level(0.5, noise=0.1).draw(iris, np.random.default_rng(0))
    pairs = known.pairs
    wrong = (iris.target[pairs.i] == iris.target[pairs.j]) != pairs.must
    assert len(pairs) == Level(0.5).amount(150)
    assert wrong.mean() == pytest.approx(0.1, abs=0.02)
    right = Level(0.5).draw(iris, np.random.default_rng(0)).pairs
    assert ((iris.target[right.i] == iris.target[right.j]) == right.must).all()


def test_a_share_that_is_none_is_refused():
    with pytest.raises(ValueError, match="above 0 and at most 1, got 5"):
        Level(5)
