import numpy as np
import pytest

from cclab.datasets import Dataset, load_dataset
from cclab.queries import Random
from cclab.studies import Asked, NoKnowledge, RandomLabels, RandomPairs

IRIS = load_dataset("iris")


def rng(seed=0):
    return np.random.default_rng(seed)


def links_hold(known, target):
    pairs = known.pairs
    return (target[pairs.i] == target[pairs.j]) == pairs.must


def test_pairs_by_count_and_by_share_of_all_pairs():
    assert len(RandomPairs(20).draw(IRIS, rng())) == 20
    assert len(RandomPairs(share=0.01).draw(IRIS, rng())) == 112  # of 11,175
    assert links_hold(RandomPairs(200).draw(IRIS, rng()), IRIS.target).all()


def test_labels_are_the_true_classes():
    known = RandomLabels(share=0.3).draw(IRIS, rng())
    samples, degrees, _ = known.label_degrees(3)
    assert len(samples) == 45
    assert (degrees.argmax(axis=1) == IRIS.target[samples]).all()


def test_noise_makes_about_that_share_wrong():
    held = links_hold(RandomPairs(2000, noise=0.2).draw(IRIS, rng()), IRIS.target)
    assert 0.75 < held.mean() < 0.85
    samples, degrees, _ = RandomLabels(share=1.0, noise=0.5).draw(IRIS, rng()).label_degrees(3)
    assert 0.35 < (degrees.argmax(axis=1) == IRIS.target[samples]).mean() < 0.65


@pytest.mark.parametrize("knowledge", [RandomPairs(share=1.0), RandomLabels(share=1.0)])
def test_nothing_is_said_of_samples_without_a_class(knowledge):
    data = Dataset("five", np.arange(5.0)[:, None], target=[0, -1, 0, 1, -1])
    assert knowledge.draw(data, rng()).constrained.tolist() == [True, False, True, True, False]


@pytest.mark.parametrize(
    ("knowledge", "label"),
    [
        (RandomPairs(20), "20 pairs"),
        (RandomPairs(share=0.05), "5 % pairs"),
        (RandomPairs(20, noise=0.1), "20 pairs, 10 % wrong"),
        (RandomLabels(share=0.3), "30 % labels"),
        (RandomPairs(20, label="few"), "few"),
        (NoKnowledge(), "nothing"),
        (Asked(Random(), 40), "40 by Random"),
        (Asked(Random(), 40, name="RS"), "40 by RS"),
    ],
)
def test_labels_for_tables(knowledge, label):
    assert knowledge.label == label


def test_a_count_or_a_share():
    with pytest.raises(ValueError, match="either a count or share="):
        RandomPairs()
    with pytest.raises(ValueError, match=r"5 % is share=0\.05"):
        RandomLabels(share=5)


def test_data_without_truth_are_refused_by_name():
    with pytest.raises(ValueError, match="mine has no truth"):
        RandomPairs(2).draw(Dataset("mine", np.eye(3)), rng())
