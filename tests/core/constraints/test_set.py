import io
import json
import re
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cclab.core import ConflictError, ConstraintSet
from cclab.core.constraints import exchange
from cclab.core.constraints.closure import must_components
from cclab.datasets import load_dataset

N = 12
samples = st.integers(0, N - 1)
pairs = st.lists(st.tuples(samples, samples).filter(lambda p: p[0] != p[1]), max_size=8)
weights = st.sampled_from([0.25, 0.5, 1.0])
subsets = st.sets(samples, min_size=2, max_size=6)


@st.composite
def constraint_sets(draw):
    """Any mixture of statements."""
    known = ConstraintSet(N)
    for pair in draw(pairs):
        known = known.with_must_link([pair], weight=draw(weights), source="lasso")
    for pair in draw(pairs):
        known = known.with_cannot_link([pair], weight=draw(weights))
    for members in draw(st.lists(subsets, max_size=3)):
        known = known.with_group(sorted(members), weight=draw(weights))
    for members in draw(st.lists(subsets, max_size=3)):
        members = sorted(members)
        known = known.with_separation(members[:1], members[1:], weight=draw(weights))
    if draw(st.booleans()):
        known = known.with_labels(
            {draw(samples): draw(st.integers(0, 2)), draw(samples): {0, 2}, draw(samples): {1: 0.3}}
        )
    return known


def dense(known):
    """Must-link and cannot-link weights between all samples, pair by pair."""
    must, cannot = np.zeros((N, N)), np.zeros((N, N))
    for row in known.to_frame().itertuples():
        if row.kind == "must":
            ends, target = [(row.i, row.j)], must
        elif row.kind == "cannot":
            ends, target = [(row.i, row.j)], cannot
        elif row.kind == "group":
            ends, target = [(a, b) for a in row.samples for b in row.samples if a < b], must
        elif row.kind == "separation":
            ends, target = [(a, b) for a in row.i for b in row.j], cannot
        else:
            continue
        for a, b in ends:
            target[a, b] += row.weight
            target[b, a] += row.weight
    return must, cannot


@given(constraint_sets(), st.integers(0, 2**32 - 1))
def test_operators_equal_the_expanded_pairs(known, seed):
    Y = np.random.default_rng(seed).normal(size=(N, 3))
    for operator, matrix in zip((known.must, known.cannot), dense(known)):
        np.testing.assert_allclose(operator @ Y, matrix @ Y, atol=1e-12)
        np.testing.assert_allclose(operator.expanded().toarray(), matrix, atol=1e-12)
        assert operator.total == pytest.approx(matrix.sum() / 2)
        assert operator.pair_sum(Y) == pytest.approx(np.sum(Y * (matrix @ Y)) / 2)
        np.testing.assert_array_equal(operator.samples, np.flatnonzero(matrix.any(axis=1)))


def test_shares_count_each_member_as_so_many_samples():
    # Member 0 stands for two samples, member 1 for three.
    known = ConstraintSet(2).with_group([0, 1], shares=[2, 3])
    assert known.must.total == 10  # pairs among five samples
    Y = np.array([[1.0], [10.0]])
    # Each of the two samples of member 0 sees one of its own kind and three others.
    np.testing.assert_allclose(known.must @ Y, [[2 * (1 + 30)], [3 * (2 + 20)]])
    apart = ConstraintSet(3).with_separation([0, 1], [2], shares=([2, 3], [4]))
    assert apart.cannot.total == 20


@given(constraint_sets())
def test_json_round_trip(known):
    again = ConstraintSet.from_json(json.loads(json.dumps(known.to_json())))
    assert again == known
    assert again.with_must_link([[0, 1]]).ids[-1] == known.with_must_link([[0, 1]]).ids[-1]


@given(constraint_sets())
def test_frame_round_trip(known):
    columns = ["kind", "i", "j", "samples", "cluster", "degree", "weight", "source", "shares"]
    frame = known.to_frame()
    again = ConstraintSet.from_frame(frame, N).to_frame()
    assert again[columns].to_dict("records") == frame[columns].to_dict("records")


def test_frame_survives_csv(tmp_path):
    known = ConstraintSet(6).with_group([0, 1, 2], shares=[1, 2, 1]).with_must_link([[3, 4]]).with_labels({5: {0, 1}})
    known.to_frame().to_csv(tmp_path / "links.csv", index=False)
    again = ConstraintSet.from_frame(pd.read_csv(tmp_path / "links.csv"), 6)
    np.testing.assert_allclose(again.must.expanded().toarray(), known.must.expanded().toarray())
    assert again.label_degrees(3)[1].tolist() == [[1, 1, 0]]


@given(constraint_sets())
def test_closure_is_idempotent_and_what_follows(known):
    known = ConstraintSet(N, known.pairs, known.groups, known.separations, blocks=known.blocks, next_id=known.next_id)
    if known.conflicts():
        with pytest.raises(ConflictError):
            known.closure()
        return
    closed = known.closure()
    twice = closed.closure()
    for one, other in ((closed.must, twice.must), (closed.cannot, twice.cannot)):
        np.testing.assert_allclose(one.expanded().toarray(), other.expanded().toarray())
    must, cannot = (matrix > 0 for matrix in dense(known))
    reach = np.linalg.matrix_power(np.eye(N) + must, N) > 0
    np.testing.assert_array_equal(closed.must.expanded().toarray() > 0, reach & ~np.eye(N, dtype=bool))
    np.testing.assert_array_equal(
        closed.cannot.expanded().toarray() > 0, (reach.astype(int) @ cannot @ reach.astype(int)) > 0
    )


def test_closure_weights_follow_the_weakest_needed_link():
    known = ConstraintSet(5).with_must_link([[0, 1], [1, 2], [0, 2]], weight=[0.9, 0.4, 0.7])
    known = known.with_cannot_link([[2, 3], [0, 3]], weight=[0.2, 0.6])
    frame = known.closure().to_frame().set_index("kind")
    assert frame.loc["group", "weight"] == pytest.approx(0.7)
    assert frame.loc["separation", "weight"] == pytest.approx(0.6)


@given(constraint_sets())
def test_few_links_and_many_make_the_same_components(known):
    component = must_components(known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cclab.core.constraints.closure.FEW_EDGES", -1)
        np.testing.assert_array_equal(must_components(known), component)


@given(constraint_sets())
def test_conflicts_are_found_iff_there_are_any(known):
    links = known.links_from_labels() if len(known.labels) else known
    component = must_components(links)
    _, cannot = dense(links)
    planted = any(component[i] == component[j] for i, j in zip(*np.nonzero(cannot)))
    found = known.conflicts()
    assert bool(found) == planted
    must = dense(links)[0]
    for conflict in found:
        assert conflict.chain[0] == conflict.samples[0]
        assert conflict.chain[-1] == conflict.samples[1]
        assert all(must[a, b] > 0 for a, b in zip(conflict.chain, conflict.chain[1:]))
        assert " — ".join(map(str, conflict.chain)) in str(conflict)


def test_conflict_shows_the_shortest_chain():
    known = ConstraintSet(9).with_must_link([[1, 2], [2, 3], [3, 4], [1, 5]]).with_group([5, 6, 4])
    (conflict,) = known.with_cannot_link([[1, 4]]).conflicts()
    assert conflict.chain == (1, 5, 4)
    assert str(conflict) == "1 and 4 must stay apart, but must-links join them: 1 — 5 — 4"


def test_labels_conflict_with_links():
    known = ConstraintSet(5).with_must_link([[0, 1]]).with_labels({0: 2, 1: {0, 1}})
    (conflict,) = known.conflicts()
    assert str(conflict) == "0 is labelled 2 and 1 is labelled 0 or 1, but must-links join them: 0 — 1"
    (conflict,) = ConstraintSet(5).with_labels({0: 1, 3: 1}).with_cannot_link([[0, 3]]).conflicts()
    assert conflict.kind == "labels"


def test_clique_needs_more_clusters():
    clique = [[i, j] for i in range(4) for j in range(i)]
    known = ConstraintSet(8).with_cannot_link(clique).with_must_link([[3, 7]])
    assert known.conflicts(4) == ()
    (conflict,) = known.conflicts(3)
    assert conflict.kind == "clique"
    assert "4 samples must all stay apart (0, 1, 2, 3), but there are only 3 clusters" in str(conflict)


@given(constraint_sets(), st.permutations(range(N)), st.integers(2, N))
def test_restrict_keeps_what_is_said_about_the_rest(known, order, size):
    chosen = np.array(order[:size])
    smaller = known.restrict(chosen)
    for one, whole in zip((smaller.must, smaller.cannot), dense(known)):
        np.testing.assert_allclose(one.expanded().toarray(), whole[np.ix_(chosen, chosen)], atol=1e-12)
    assert sorted(chosen[smaller.labels.sample]) == sorted(set(known.labels.sample) & set(chosen))


@given(constraint_sets(), st.lists(st.integers(-1, 2), min_size=N, max_size=N))
def test_satisfaction_counts_pairs(known, labels):
    labels = np.array(labels)
    same = (labels[:, None] == labels) & (labels >= 0)[:, None]
    must, cannot = dense(known)
    held = known.satisfaction(labels)
    if must.any():
        assert held.must_rate == pytest.approx((must * same).sum() / must.sum())
    if cannot.any():
        assert held.cannot_rate == pytest.approx((cannot * ~same).sum() / cannot.sum())
    for row in known.to_frame().itertuples():
        degree = held.degrees[list(held.ids).index(row.id)]
        if row.kind == "must":
            assert degree == same[row.i, row.j]
        if row.kind == "label" and row.degree == 1.0:
            assert degree == (labels[row.i] in np.atleast_1d(row.cluster))
    assert set(held.violated_ids) == set(held.ids[held.degrees < 1])


def test_the_last_weight_of_a_pair_wins_and_ids_are_never_reused():
    known = ConstraintSet(4).with_must_link([[0, 1]], weight=0.3).with_must_link([[1, 0]], weight=0.8)
    assert len(known) == 1
    assert known.must.total == pytest.approx(0.8)
    gone = known.without(known.ids)
    assert len(gone) == 0
    assert gone.with_group([0, 1]).ids[0] > known.ids[0]


def test_labels_come_in_three_forms():
    by_array = ConstraintSet(3).with_labels(np.array([1, -1, 0]))
    by_mapping = ConstraintSet(3).with_labels({0: 1, 2: 0})
    np.testing.assert_array_equal(by_array.label_degrees(2)[1], by_mapping.label_degrees(2)[1])
    soft = ConstraintSet(2).with_labels(np.array([[np.nan, 0.4], [np.nan, np.nan]]))
    samples_, degrees, _ = soft.label_degrees(2)
    assert samples_.tolist() == [0]
    np.testing.assert_array_equal(degrees, [[np.nan, 0.4]])


def test_links_from_labels():
    known = ConstraintSet(6).with_labels({0: 1, 1: 1, 2: 0, 3: {0, 2}, 4: {1: 0.0}})
    links = known.links_from_labels()
    must, cannot = links.must.expanded().toarray() > 0, links.cannot.expanded().toarray() > 0
    assert must[0, 1]
    assert must.sum() == 2
    assert {tuple(p) for p in np.argwhere(np.triu(cannot))} == {(0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4)}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda c: c.with_must_link([[0, 99]]), "row 0 names sample 99, but samples run from 0 to 9"),
        (lambda c: c.with_must_link([[0, 1], [-1, 2]]), "row 1 names sample -1"),
        (lambda c: c.with_cannot_link([[5, 5]]), "row 0 links sample 5 to itself"),
        (lambda c: c.with_must_link([0, 1]), r"must have shape \(n_pairs, 2\)"),
        (lambda c: c.with_must_link([[0, 1, 2]]), r"got \(1, 3\)"),
        (lambda c: c.with_must_link([[0.5, 1]]), "integers"),
        (lambda c: c.with_must_link([["a", "b"]]), "integers"),
        (lambda c: c.with_must_link([[0, np.nan]]), "integers.*got nan"),
        (lambda c: c.with_must_link([[0, 1], [2]]), "must_link must have two sample indices in every row"),
        (lambda c: c.with_must_link([[0, 1]], weight="much"), "weight must be a number"),
        (lambda c: c.with_must_link([[0, 1]], weight=0), "weight of row 0 is 0; weights lie in"),
        (lambda c: c.with_must_link([[0, 1], [1, 2]], weight=[0.5, 1.5]), "weight of row 1 is 1.5"),
        (lambda c: c.with_must_link([[0, 1]], weight=np.nan), "weight of row 0 is nan"),
        (lambda c: c.with_group([3]), "at least two samples"),
        (lambda c: c.with_group([3, 3]), "sample 3 is named twice"),
        (lambda c: c.with_group([3, 12]), "names sample 12"),
        (lambda c: c.with_group([3, 4], shares=[1, 0]), "share of sample 4 must be above 0"),
        (lambda c: c.with_separation([1, 2], [2, 3]), "sample 2 is in both sets"),
        (lambda c: c.with_separation([], [2, 3]), "at least one sample in each"),
        (lambda c: c.with_labels({3: -2}), "sample 3 must name clusters by numbers from 0"),
        (lambda c: c.with_labels({3: {0: 1.5}}), "degree of cluster 0 for sample 3 is 1.5"),
        (lambda c: c.with_labels(np.zeros(9, int)), r"must have shape \(10,\)"),
        (lambda c: c.with_labels(np.array(["a"] * 10)), "encode names as integers"),
        (lambda c: c.with_labels({0: 5}).label_degrees(3), "sample 0 is labelled 5, but there are only 3 clusters"),
        (lambda c: c.without([4]), "no statement with id 4"),
        (lambda c: c.with_must_link([[0, 1]]).without(0.5), "no statement with id 0.5"),
        (lambda c: c.restrict([1, 1]), "each sample may be named once"),
        (lambda c: c.satisfaction([0, 1]), r"must have shape \(10,\)"),
        (lambda c: c.restrict([]), "name at least one"),
        (lambda c: ConstraintSet(0), "at least 1"),
        (lambda c: ConstraintSet(5.5), "whole number"),
        (lambda c: ConstraintSet(None), "whole number"),
        (lambda c: ConstraintSet.from_json({"schema": 99}), "newer cclab"),
        (lambda c: ConstraintSet.from_json({}), "no schema"),
        (lambda c: ConstraintSet.from_json({"schema": 1}), "damaged"),
        (lambda c: ConstraintSet.from_json(c.with_group([0, 9]).to_json() | {"n_samples": 4}), "names sample 9 of 4"),
        (lambda c: ConstraintSet.from_frame(pd.DataFrame({"i": [0]}), 4), "needs a column 'kind'"),
        (
            lambda c: ConstraintSet.from_frame(pd.DataFrame({"kind": ["must", "must"], "i": [0, 1], "j": [1, 9]}), 4),
            "row 1 of the table of constraints: .* names sample 9",
        ),
        (lambda c: ConstraintSet.from_frame(pd.DataFrame({"kind": ["glue"]}), 4), "unknown kind 'glue'"),
        (
            lambda c: ConstraintSet.from_frame(pd.DataFrame({"kind": ["must"], "i": [0]}), 4),
            "needs a value in column 'j'",
        ),
        (
            lambda c: ConstraintSet.from_frame(pd.DataFrame({"kind": ["group"], "samples": ["[0, 1"]}), 4),
            "row 0 .* column 'samples' holds",
        ),
    ],
)
def test_bad_statements_are_named(state, message):
    with pytest.raises(ValueError, match=message):
        state(ConstraintSet(10))


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("groups", "block", [7], "names block 7 of 1"),
        ("groups", "weight", [7.0], "weight of row 0 is 7"),
        ("groups", "weight", [], "columns differ in length"),
        ("groups", "block", ["x"], "damaged"),
        ("groups", "id", [3], "ids"),
        ("blocks", "indptr", [0, 9], "impossible lengths"),
        ("blocks", "values", [1.0], "impossible lengths"),
    ],
)
def test_a_damaged_document_is_refused(table, column, value, message):
    document = ConstraintSet(5).with_group([0, 1]).to_json()
    document[table][column] = value
    with pytest.raises(ValueError, match=f"this constraint set is damaged: .*{message}|{message}"):
        ConstraintSet.from_json(document)


def test_numbers_of_any_kind_are_ready_for_json():
    known = ConstraintSet(np.int64(5)).with_labels({np.int64(1): np.int64(2)})
    assert ConstraintSet.from_json(json.loads(json.dumps(known.to_json()))) == known


def test_a_cluster_named_twice_counts_once():
    assert ConstraintSet(2).with_labels({0: [1, 1]}).satisfaction([1, 0]).degrees.tolist() == [1.0]


def test_closure_sees_a_conflict_of_links_behind_a_shorter_way_over_labels():
    known = ConstraintSet(5).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[0, 2]]).with_labels({0: 0, 2: 0})
    with pytest.raises(ConflictError, match="0 — 1 — 2"):
        known.closure()


def test_a_conflict_names_all_statements_involved():
    known = ConstraintSet(9).with_labels({0: 1, 2: 1, 5: 0}).with_cannot_link([[0, 2]])
    (conflict,) = known.conflicts()
    assert conflict.ids == (0, 1, 3)
    joined = ConstraintSet(9).with_must_link([[0, 3]]).with_cannot_link([[3, 1], [1, 2]]).with_separation([0], [2, 7])
    (clique,) = joined.conflicts(2)
    assert clique.ids == (1, 2, 3)


def test_a_table_may_have_empty_cells_brackets_in_words_and_shares_on_one_side(tmp_path):
    rows = [{"kind": "must", "i": 0, "j": 1, "samples": "", "source": "[sic"}]
    assert ConstraintSet.from_frame(pd.DataFrame(rows), 4).pairs.source.tolist() == ["[sic"]
    known = ConstraintSet(9).with_separation([0, 1], [4, 5], shares=([2, 1], None))
    known.to_frame().to_csv(tmp_path / "known.csv", index=False)
    again = ConstraintSet.from_frame(pd.read_csv(tmp_path / "known.csv"), 9)
    assert again == known


def test_of_two_labels_of_a_sample_in_a_table_the_last_counts():
    rows = [{"kind": "label", "i": i, "cluster": k, "weight": w} for i, k, w in [(0, 1, 0.3), (1, 1, 0.5), (0, 2, 0.7)]]
    known = ConstraintSet.from_frame(pd.DataFrame(rows), 4)
    _, degrees, weights = known.label_degrees(3)
    assert dict(zip(known.labels.sample.tolist(), zip(degrees.argmax(axis=1).tolist(), weights.tolist()))) == {
        0: (2, 0.7),
        1: (1, 0.5),
    }


def test_thousands_of_groups_and_labels_are_read_at_once():
    known = ConstraintSet(9000).with_labels(np.arange(9000) % 3)
    for i in range(0, 3000, 3):
        known = known.with_group([i, i + 1, i + 2])
    frame = known.to_frame()
    begun = time.process_time()
    again = ConstraintSet.from_frame(frame, 9000)
    assert time.process_time() - begun < 3
    assert again.must.total == known.must.total
    assert len(again) == len(known)


def test_links_of_labels_are_worked_out_once():
    known = ConstraintSet(4).with_labels({0: 0, 1: 0})
    assert known.links_from_labels() is known.links_from_labels()
    unlabelled = ConstraintSet(4)
    assert unlabelled.links_from_labels() is unlabelled


def test_labels_alone_conflict_only_where_they_need_more_clusters_than_there_are():
    known = ConstraintSet(4).with_labels({0: 0, 1: 1, 2: 1})
    assert known.conflicts() == known.conflicts(2) == ()
    assert len(known.with_labels({3: 2}).conflicts(2)) == 1
    assert len(known.with_labels({3: {0: 0.0, 1: 0.0}}).conflicts(2)) == 1  # it denies both


# ---------------------------------------------------------------------------------------------- by name


def _birds():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0, 5.0]}, index=["a", "b", "c", "d", "e"])
    with pytest.warns(UserWarning, match="1 row with missing values"):
        return load_dataset(frame)


def test_statements_by_name_are_those_by_position():
    data = _birds()
    named = (
        ConstraintSet(4)
        .with_must_link([["a", "c"]], by=data)
        .with_cannot_link(pd.DataFrame({"i": ["d"], "j": ["e"]}), by=data)
        .with_group(["e", "a"], by=data)
        .with_separation(["a"], pd.Series(["c", "d"]), by=data)
        .with_labels({"e": 1, "c": {0, 1}}, by=data)
    )
    by_position = (
        ConstraintSet(4)
        .with_must_link([[0, 1]])
        .with_cannot_link([[2, 3]])
        .with_group([0, 3])
        .with_separation([0], [1, 2])
        .with_labels({3: 1, 1: {0, 1}})
    )
    assert named == by_position


def test_labels_of_a_series_go_by_its_index():
    labels = pd.Series([2, -1, None, 0], index=["e", "d", "c", "a"])
    assert ConstraintSet(4).with_labels(labels, by=_birds()) == ConstraintSet(4).with_labels({3: 2, 0: 0})


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (lambda known, data: known.with_must_link([["a", "b"]], by=data), "must_link: 'b' is row 1"),
        (lambda known, data: known.with_must_link([["a", "z"]], by=data), "must_link names sample 'z'"),
        (lambda known, data: known.with_must_link(["ab"], by=data), "row 0 must name two samples, got 'ab'"),
        (lambda known, data: known.with_cannot_link([["a", "a"]], by=data), "links sample 0 to itself"),
        (lambda known, data: known.with_group("ac", by=data), "group must be a list of samples, got 'ac'"),
        (lambda known, data: known.with_separation(["a"], ["b"], by=data), "separation, second set: 'b' is row 1"),
        (lambda known, data: known.with_labels([0, 1, 0, 1], by=data), "leave `by` out"),
        (lambda known, data: known.with_labels({"a": 0, 0: 1}, by=data), "0 is sample 0, which was named before"),
        (lambda known, data: known.with_group(["a", "c"], by="data"), "`by` is a Dataset"),
        (lambda known, data: ConstraintSet(9).with_group(["a", "c"], by=data), "knows 4 samples, but there are 9"),
    ],
)
def test_names_that_say_nothing_are_refused(state, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        state(ConstraintSet(4), _birds())


def _everything():
    return (
        ConstraintSet(4)
        .with_must_link([[0, 1]], weight=0.5)
        .with_group([0, 2, 3], shares=[1, 2, 3])
        .with_separation([0], [1, 2])
        .with_labels({3: 1, 1: {0, 1}, 2: {1: 0.5}})
    )


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("ids", [True, False])
def test_a_table_by_name_reads_back(ids, written, first):
    data = _birds()
    if not ids:
        with pytest.warns(UserWarning, match="1 row"):
            data = load_dataset(data.table.reset_index(drop=True))
    frame = _everything().to_frame(data, first=first)
    assert frame["by"].unique().tolist() == ["id" if ids else "row"]
    assert frame["i"].tolist()[0] == ("a" if ids else 0)
    assert frame["j"].tolist()[0] == ("c" if ids else 2)
    if written:
        frame = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    assert ConstraintSet.from_frame(frame, by=data) == _everything()
    with pytest.raises(ValueError, match=r"row 0 .* so the data must be given: from_frame\(frame, by=data\)"):
        ConstraintSet.from_frame(frame, 4)


def test_a_table_without_the_column_by_is_by_position_unless_the_data_are_given():
    frame = pd.DataFrame({"kind": ["must", "must"], "i": [0, 2], "j": [1, 3]})
    assert ConstraintSet.from_frame(frame, 4) == ConstraintSet(4).with_must_link([[0, 1], [2, 3]], source="file")
    with pytest.warns(UserWarning, match="1 row"):
        data = load_dataset(pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0, 5.0]}))
    with pytest.raises(ValueError, match=r"row 1 of the table of constraints: column 'i': 2 could be .* a column 'by'"):
        ConstraintSet.from_frame(frame, by=data)
    rows = ConstraintSet.from_frame(frame.assign(by=["position", "row"], i=[0, 3], j=[2, 4]), by=data)
    assert rows == ConstraintSet(4).with_must_link([[0, 2], [2, 3]], source="file")


def test_clusters_counted_from_0_and_from_1_are_not_mixed():
    frame = pd.DataFrame({"kind": ["label"], "i": [0], "cluster": [1], "cluster (from 1)": [2]})
    with pytest.raises(ValueError, match="counts from 0"):
        ConstraintSet.from_frame(frame, 4)


def test_an_id_too_long_to_be_read_exactly_is_refused():
    data = load_dataset(pd.DataFrame({"id": [2**60 + 1, 2**60 + 2], "x": [0.0, 1.0]}))
    frame = pd.DataFrame({"kind": ["must"], "by": ["id"], "i": [2.0**60], "j": [2.0**60]})
    with pytest.raises(ValueError, match="too long to be read exactly"):
        ConstraintSet.from_frame(frame, by=data)


NASTY = [
    None,
    "",
    "x",
    -1,
    1.5,
    np.inf,
    np.nan,
    10**400,
    "1e999",
    "9" * 5000,
    "[" * 2000,
    "{}",
    [],
    [[0]],
    {},
    True,
    "nan",
]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("kind", ["must", "cannot", "group", "separation", "label", "nonsense", None])
def test_any_cell_of_a_table_is_read_or_refused_in_words(kind, named):
    good = {"kind": kind, "i": 0, "j": 1, "samples": [0, 1], "cluster": 0, "degree": 1.0, "weight": 1.0, "source": "f"}
    if kind == "separation":
        good |= {"i": [0], "j": [1]}
    by = load_dataset(np.eye(4)) if named else None
    for column in (*good, "shares", "by"):
        for value in NASTY:
            frame = pd.DataFrame([good | {column: value}], dtype=object)
            try:
                known = ConstraintSet.from_frame(frame, 4, by=by)
            except ValueError as error:
                assert "row 0 of the table of constraints" in str(error)  # noqa: PT017
            else:
                assert known.n_samples == 4


def _paths(document, path=()):
    """Ways to every value of a JSON document."""
    yield path
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield from _paths(value, (*path, key))


@pytest.mark.parametrize("value", [*NASTY[3:], "gone"], ids=lambda value: f"{value!r:.12}")
def test_any_damage_of_a_document_is_refused_in_words(value):
    whole = _everything().to_json()
    for path in _paths(whole):
        if not path:
            continue
        document = json.loads(json.dumps(whole))
        inside = document
        for key in path[:-1]:
            inside = inside[key]
        if value == "gone":
            del inside[path[-1]]
        else:
            inside[path[-1]] = value
        try:
            known = ConstraintSet.from_json(document)
        except ValueError as error:
            assert str(error).startswith(("this constraint set", "this is no constraint set"))  # noqa: PT017
        else:
            known.must @ np.ones(known.n_samples)
            known.label_degrees(3)
            assert known == ConstraintSet.from_json(known.to_json())


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "group", "samples": "[" * 100_000},
        {"kind": "group", "samples": "[1e999, 2]"},
        {"kind": "must", "i": 10**30, "j": 1},
        {"kind": "must", "i": float("inf"), "j": 1},
        {"kind": "label", "i": 1, "cluster": "1e999"},
        {"kind": "label", "i": 1, "cluster": 10**30},
        {"kind": "label", "i": "[1]", "cluster": 1},
        {"kind": "cannot", "i": 0, "j": 1, "weight": "9" * 400},
    ],
    ids=lambda row: f"{row['kind']} {list(row)[-1]}",
)
def test_extremes_in_a_table_are_refused_with_their_row(row):
    with pytest.raises(ValueError, match="row 1 of the table of constraints") as refusal:
        ConstraintSet.from_frame(pd.DataFrame([{"kind": "must", "i": 0, "j": 2}, row], dtype=object), 5)
    assert len(str(refusal.value)) < 600


def test_one_wrong_row_among_many_is_named_without_reading_all_again():
    rows = pd.DataFrame({"kind": ["must"] * 4_000, "i": 0, "j": [1] * 3_999 + [0]})
    stated = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchange, "_read", lambda row, by, read=exchange._read: stated.append(row) or read(row, by))
        with pytest.raises(ValueError, match="row 3999 of the table"):
            ConstraintSet.from_frame(rows, 5)
    assert len(stated) <= 2 * len(rows)


def test_a_document_with_an_empty_group_is_refused():
    document = ConstraintSet(5).with_group([1, 2, 3]).to_json()
    document["blocks"] = {"indptr": [0, 0], "items": [], "values": []}
    with pytest.raises(ValueError, match="no samples"):
        ConstraintSet.from_json(document)
