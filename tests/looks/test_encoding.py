"""A belief becomes hues, shapes, opacities and a legend."""

import time

import numpy as np
import pytest

from cclab import CA, SeededKMeans, Session
from cclab.core import Credal, Fuzzy, FuzzyPossibilistic, Hard, Possibilistic
from cclab.looks import encoding as e
from cclab.looks.palette import RAMP, told_apart
from cclab.looks.signs import SHAPES
from tests.widgets.sessions import blobs, desk_on

SETS = [[], [0], [1], [0, 1], [2], [0, 2], [1, 2], [0, 1, 2]]


def credal(*sets: int, mass: float = 0.9) -> Credal:
    """Samples with most of their mass on one set each."""
    masses = np.full((len(sets), len(SETS)), (1 - mass) / (len(SETS) - 1))
    masses[np.arange(len(sets)), sets] = mass
    return Credal(masses, SETS)


def names(encoding: e.Encoding) -> list[str]:
    return [sign.name for sign in encoding.legend]


def test_each_set_has_its_hue_and_shape_and_the_legend_names_those_that_exist():
    encoding = e.encode_belief(credal(1, 2, 6, 7, 0, 6), e.Look.plain(3))
    assert [encoding.palette[c] for c in encoding.color] == [
        "--cc-c1",
        "--cc-c2",
        "--cc-c2-3",
        "--cc-all",
        "--cc-outlier",
        "--cc-c2-3",
    ]
    assert [SHAPES[s] for s in encoding.shape] == ["circle", "circle", "diamond", "square", "outlier", "diamond"]
    assert names(encoding) == ["1", "2", "2 or 3", "any", "outlier"]
    assert [sign.count for sign in encoding.legend] == [1, 1, 2, 1, 1]


def test_hues_stay_when_clusters_have_vanished_and_numbers_have_no_gaps():
    desk = desk_on(CA(max_clusters=12, random_state=5))
    before = desk.session.current
    desk.session.run()
    after = desk.session.current
    left = after.state.cluster_ids
    assert left.max() >= len(left)  # some in between have vanished
    look = e.Look.of(after)
    assert sorted(look.numbers) == list(range(1, len(left) + 1))
    assert look.hues == told_apart(left)
    assert [look.numbers[k] for k in look.order] == sorted(look.numbers)
    assert [sign.name for sign in e.encode("belief", after.partition, look, None).legend] == [
        str(number) for number in look.numbers
    ]
    assert e.Look.of(before).numbers[:3] == [1, 2, 3]


def test_an_empty_cluster_comes_after_those_that_have_samples():
    session = Session(blobs(), SeededKMeans(3, init=[[0, 0], [900, 900], [3, 0]]))
    session.step()
    assert e.Look.of(session.current) == e.Look([0, 1, 2], [1, 3, 2])
    assert e.set_name([1, 2], e.Look.of(session.current)) == "2 or 3"


def test_two_clusters_are_never_called_any():
    encoding = e.encode_belief(Credal([[0.1, 0.1, 0.8]], [[0], [1], [0, 1]]), e.Look.plain(2))
    assert names(encoding) == ["1 or 2"]


def test_certainty_is_the_lead_of_the_best_answer():
    torn, sure = e.encode_belief(Fuzzy([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), e.Look.plain(3)).certainty
    assert (torn, sure) == (0, 1)
    assert e.certainty(Fuzzy([[0.6, 0.3, 0.1]]))[0] == pytest.approx(0.5)
    # A sample that is surely in "1 or 2" is certain of that.
    assert e.certainty(credal(3, mass=1.0))[0] == 1
    assert (e.certainty(Hard([0, 1])) == 1).all()


def test_a_threshold_decides_who_is_an_outlier_and_what_the_others_are():
    partition = Possibilistic([[0.9, 0.1], [0.05, 0.04]], outlier_threshold=0.1)
    assert e.outliers_of(partition).tolist() == [False, True]
    assert e.outliers_of(partition, 0.01).tolist() == [False, False]
    assert e.outliers_of(partition, 0.95).tolist() == [True, True]
    assert e.encode_belief(partition, e.Look.plain(2)).certainty[1] == 1  # a faint ring would be lost

    mass = Credal([[0.4, 0.3, 0.3, 0, 0, 0, 0, 0]], SETS)
    assert e.outliers_of(mass).tolist() == [True]  # the set of highest mass
    assert e.outliers_of(mass, 0.5).tolist() == [False]
    which, sets = e.sets_of(mass, 0.5)
    assert sets[which[0]] == (0,)
    assert not e.outliers_of(Fuzzy([[0.5, 0.5]]), 0.99).any()


def test_who_can_flag_outliers():
    assert e.can_flag(credal(1))
    assert e.can_flag(Possibilistic([[1.0]]))
    assert not e.can_flag(Credal([[1.0, 0.0]], [[0], [1]]))
    assert not e.can_flag(Hard([0]))


@pytest.mark.parametrize(
    "partition",
    [
        Hard([0, 2, 1]),
        Fuzzy([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.6, 0.2]]),
        Possibilistic([[0.7, 0.2, 0.1], [0.01, 0.03, 0.06], [0.2, 0.6, 0.2]]),
        FuzzyPossibilistic(np.full((3, 3), 1 / 3), [[0.7, 0.2, 0.1], [0.01, 0.03, 0.06], [0.2, 0.6, 0.2]], "product"),
        credal(0, 6, 7),
    ],
    ids=lambda partition: partition.kind,
)
def test_the_belief_about_one_sample_is_its_row_of_the_whole(partition):
    which, sets = e.sets_of(partition)
    for i in range(3):
        one = partition.restrict(i)
        own, own_sets = e.sets_of(one)
        assert own_sets[own[0]] == sets[which[i]]
        assert e.certainty(one)[0] == e.certainty(partition)[i]


def test_modes():
    data = blobs(6)
    partition = Fuzzy(np.eye(3)[data.target] * 0.8 + 0.2 / 3)
    assert names(e.encode("labels", partition, e.Look.plain(3), data)) == ["1", "2", "3"]
    truth = e.encode("truth", partition, e.Look.plain(3), data)
    assert names(truth) == list(data.target_names)
    assert truth.color.tolist() == data.target.tolist()
    sure = e.encode("certainty", partition, e.Look.plain(3), data)
    assert sure.palette == ("--cc-ink",)
    feature = e.encode(f"column {data.feature_names[1]}", partition, e.Look.plain(3), data)
    assert feature.color[data.X[:, 1].argmax()] == feature.color.max() == len(RAMP) - 1
    assert feature.color[data.X[:, 1].argmin()] == 0
    with pytest.raises(ValueError, match="no colour mode 'mood'"):
        e.encode("mood", partition, e.Look.plain(3), data)
    with pytest.raises(ValueError, match="truth of these data is not known"):
        e.encode("truth", partition, e.Look.plain(3), data.with_target(None))


def test_samples_of_no_class_look_like_outliers():
    encoding = e.encode_truth(np.array([0, -1, 1]), ("low", "high"))
    assert names(encoding) == ["low", "high", "no class"]
    assert SHAPES[encoding.shape[1]] == "outlier"


def test_palettes_stay_small_for_thousands_of_sets():
    k = 12
    sets = [[c for c in range(k) if bits >> c & 1] for bits in range(2**k)]
    rng = np.random.default_rng(0)
    encoding = e.encode_belief(Credal(rng.dirichlet(np.ones(len(sets)), size=50), sets), e.Look.plain(k))
    assert len(encoding.palette) <= 256
    assert encoding.color.max() < len(encoding.palette)


def test_two_hundred_thousand_samples_are_encoded_at_once():
    rng = np.random.default_rng(0)
    partition = Credal(rng.dirichlet(np.ones(len(SETS)), size=200_000), SETS)
    times = []
    for _ in range(5):
        began = time.process_time()
        e.encode_belief(partition, e.Look.plain(3), 0.5)
        times.append(time.process_time() - began)
    assert min(times) < 0.05  # about 0.015 s; room for slower machines


def test_a_partition_aside_may_have_more_clusters_than_the_belief():
    pieces = Hard(np.arange(6) % 5)
    encoding = e.encode("labels", pieces, e.Look.plain(2), None)
    assert len(set(encoding.color.tolist())) == 5
    assert [sign.name for sign in encoding.legend] == ["1", "2", "3", "4", "5"]
