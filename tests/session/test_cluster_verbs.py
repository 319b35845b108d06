"""Clusters have names and colours that stay with them; merging, splitting and clustering again are statements."""

import json
import subprocess
import sys

import numpy as np
import pytest

from cclab import CECM, FCM, COPKMeans, Session, load_dataset
from cclab.export.files import labels_csv
from cclab.looks.encoding import Look, set_name


@pytest.fixture
def session():
    session = Session("iris", COPKMeans(n_clusters=3, random_state=0))
    session.run()
    return session


def of(session, cluster):
    return set(np.flatnonzero(session.labels == cluster).tolist())


def test_a_name_is_undone_redone_and_needs_no_step(session):
    before = session.current
    session.name(0, "  small   flowers ", color=3)
    assert session.cluster_names == {0: "small flowers"}
    assert session.current is before
    session.name(0, color=5)
    session.name(1, "others")
    assert session.cluster_names == {0: "small flowers", 1: "others"}
    session.undo()
    assert session.cluster_names == {0: "small flowers"}
    session.redo()
    session.name(0, "", color=0)
    assert session.cluster_names == {1: "others"}


def test_a_name_stays_with_its_cluster_through_steps_and_new_starts(session):
    cluster = session.labels[0]
    members = of(session, cluster)
    session.name(int(cluster), "setosa")
    session.switch(FCM(n_clusters=3, random_state=5))
    session.run()
    (number,) = session.cluster_names
    assert len(members & of(session, number)) > 45
    session.restart()
    session.run()
    (number,) = session.cluster_names
    assert len(members & of(session, number)) > 45
    session.name(number, "renamed there")
    assert list(session.cluster_names.values()) == ["renamed there"]
    session.rewind(0)  # the first start knows the name that was given after it
    assert list(session.cluster_names.values()) in (["setosa"], [])


def test_names_are_saved_and_found_again(session, tmp_path):
    session.name(1, "eins", color=7)
    session.step()
    again = Session.load(session.save(tmp_path / "s.json"))
    assert again.cluster_names == {1: "eins"}
    assert again.undo().summary.iteration == session.current.summary.iteration - 1
    again.undo()
    assert again.cluster_names == {}
    session.keep(tmp_path / "journal")
    session.close()
    opened = Session.open(tmp_path / "journal")
    assert opened.cluster_names == {1: "eins"}
    opened.close()


def test_names_are_in_the_script_the_table_and_the_looks(session):
    session.name(1, 'a "name"', color=7)
    frame = session.to_frame()
    assert set(frame.loc[frame["cluster"] == 1, "cluster_name"]) == {'a "name"'}
    assert frame.loc[frame["cluster"] != 1, "cluster_name"].isna().all()
    assert b'"a ""name"""' in labels_csv(session).data
    script = session.to_code().replace("print(session.labels", "print(session.cluster_names, session.labels")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("{1: 'a \"name\"'}"), done.stderr
    look = Look.of(session.current)
    place = session.current.order[1]
    assert look.names[place] == 'a "name"'
    assert look.hues[place] == 6
    assert len(set(look.hues)) == 3


@pytest.mark.parametrize(
    ("cluster", "name", "color", "words"),
    [(3, "x", 1, "no cluster 3"), (-1, "x", 1, "no cluster -1"), (0, "x" * 61, 0, "60 letters"),
     (0, "a\x00b", 0, "printed"), (0, "x", 21, "1 to 20"), (0, "x", True, "1 to 20"), (0, 5, 0, "a text")],
)  # fmt: skip
def test_what_can_not_be_a_name_is_refused(session, cluster, name, color, words):
    n = len(session.commands)
    with pytest.raises(ValueError, match=words):
        session.name(cluster, name, color=color)
    assert len(session.commands) == n


@pytest.mark.parametrize(
    "change", [{"samples": [999]}, {"samples": ["x"]}, {"color": 99}, {"name": 5}, {"cluster": "x"},
               {"samples": list(range(100))}]
)  # fmt: skip
def test_a_damaged_name_in_a_file_is_told(session, change):
    session.name(0, "x")
    document = json.loads(json.dumps(session.to_json()))
    next(c for c in document["commands"] if c["verb"] == "name").update(change)
    with pytest.raises(ValueError, match="can't be replayed"):
        Session.from_json(document)


def test_merging_two_is_one_group_of_sure_samples_and_one_undo(session):
    one, other = of(session, 0), of(session, 1)
    session.merge(0, 1)
    (group,) = session.constraints.statements()
    assert group.kind == "group"
    assert set(group.samples) <= one | other
    assert set(group.samples) & one
    assert set(group.samples) & other
    assert session.solver.n_clusters == 2
    session.run()
    assert len(set(session.labels[list(group.samples)])) == 1
    session.undo()
    session.undo()
    assert len(session.constraints) == 0
    assert session.solver.n_clusters == 3


def test_splitting_one_keeps_its_halves_apart_and_is_one_undo(session):
    inside = of(session, int(session.labels[0]))
    session.split(int(session.labels[0]))
    kinds = sorted(statement.kind for statement in session.constraints.statements())
    assert kinds == ["group", "group", "separation"]
    assert session.solver.n_clusters == 4
    said = next(s for s in session.constraints.statements() if s.kind == "separation")
    assert set(said.samples + said.others) <= inside
    session.run()
    assert set(session.labels[list(said.samples)]).isdisjoint(session.labels[list(said.others)])
    script = session.to_code()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == session.labels.tolist(), done.stderr
    session.undo()
    session.undo()
    assert len(session.constraints) == 0


def test_what_can_not_be_merged_or_split_leaves_all_as_it_is(session):
    with pytest.raises(ValueError, match="itself"):
        session.merge(1, 1)
    alike = Session(np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0), FCM(n_clusters=2))
    alike.run()
    with pytest.raises(ValueError, match="nothing to split"):
        alike.split(0)
    tiny = Session(np.array([[0.0], [0.1], [5.0]]), FCM(n_clusters=2))
    with pytest.raises(ValueError, match="too small"):
        tiny.split(0)


def test_a_second_statement_that_fails_takes_the_first_back():
    iris = load_dataset("iris")
    session = Session(iris, COPKMeans(n_clusters=3, random_state=0))
    session.run()
    sure = [np.flatnonzero(session.labels == k) for k in (0, 1)]
    session.constrain(separation=(sure[0], sure[1]))
    before = len(session.constraints), session.solver.n_clusters
    with pytest.raises(ValueError, match=r"apart|together|cannot|conflict"):
        session.merge(0, 1)
    assert (len(session.constraints), session.solver.n_clusters) == before


def test_clustering_again_what_is_selected_and_back(session):
    chosen = np.arange(50, 150)
    session.constrain(must_link=[[60, 61], [0, 1]])
    inner = session.nested(chosen)
    assert inner.data.n_samples == 100
    assert [s.samples for s in inner.constraints.statements()] == [(10, 11)]
    assert inner.solver.n_clusters == 2
    inner.run()
    session.take_back(inner, chosen)
    said = [s for s in session.constraints.statements() if s.source == "nested"]
    assert sorted(s.kind for s in said) == ["group", "group", "separation"]
    assert min(min(s.samples) for s in said) >= 50
    session.run()
    apart = next(s for s in said if s.kind == "separation")
    assert set(session.labels[list(apart.samples)]).isdisjoint(session.labels[list(apart.others)])
    with pytest.raises(ValueError, match="at least 2"):
        session.nested([4])
    with pytest.raises(ValueError, match="100 samples"):
        session.take_back(inner, [1, 2])


def test_sets_of_a_credal_belief_use_the_names():
    session = Session("iris", CECM(n_clusters=3, random_state=0))
    session.name(0, "one")
    look = Look.of(session.current)
    first, second = session.current.order[:2]
    assert set_name([first, second], look) == "one or 2"
