import json
import os
import time
import warnings
from dataclasses import replace

import pytest
from sklearn.cluster import KMeans

from cclab.cli import main
from cclab.studies import Data, Method, RandomPairs, Study, grid
from cclab.studies.running import ClusterLost

distributed = pytest.importorskip("distributed", reason="dask is not installed")


def local_cluster(n_workers):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ports of a dashboard that is not wanted
        with distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None, processes=True, host="127.0.0.1"
        ) as cluster:
            yield cluster


@pytest.fixture(scope="module")
def cluster():
    yield from local_cluster(2)


@pytest.fixture(scope="module")
def lone():
    """A cluster that can do one thing at a time."""
    yield from local_cluster(1)


def slowly(problem, data):
    """Labels, after a while; who made them when is written down."""
    log = os.environ["CCLAB_TEST_LOG"]
    time.sleep(0.15)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{problem.seed} {os.getpid()}\n")
    return problem.X[:, 0] > problem.X[:, 0].mean()


def study(methods, trials):
    return Study("there", "Trials elsewhere", grid(Data("iris"), methods, RandomPairs(5)), trials=trials)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_gives_what_processes_give(cluster, tmp_path):
    declared = study(Method("K-means", KMeans, n_init=1), 4)
    here = declared.run(out=None)
    there = declared.run(out=tmp_path, scheduler=cluster.scheduler_address)
    assert there["ari"].tolist() == here["ari"].tolist()
    assert there["trial"].tolist() == [0, 1, 2, 3]
    assert declared.run(out=tmp_path)["ari"].tolist() == here["ari"].tolist()  # nothing is left to do


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_killed_worker_loses_nothing(cluster, tmp_path, monkeypatch):
    log = tmp_path / "log"
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        client.run(lambda: os.environ.update(CCLAB_TEST_LOG=str(log)))
        client.register_plugin(_Log(str(log)))
        pids = client.run(os.getpid)
    killed = []

    def kill(done, total):
        if done == 6 and not killed:
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], 9)

    declared = study(Method("slow", slowly), 20)
    frame = declared.run(out=tmp_path, scheduler=cluster.scheduler_address, progress=kill)
    assert killed
    assert frame["trial"].tolist() == list(range(20))
    assert not frame["error"].any()
    lines = [json.loads(line) for line in (tmp_path / "there" / "trials.jsonl").read_text().splitlines()]
    assert sorted(line["trial"] for line in lines) == list(range(20))  # each is there, and once
    ran = [line.split()[0] for line in log.read_text().splitlines()]
    assert len(set(ran)) == 20
    assert len(ran) <= 22  # at most what the killed worker had in hand is run again


class _Log(distributed.WorkerPlugin):
    """Tells workers that come later, in the place of killed ones, where to write."""

    def __init__(self, log):
        self.log = log

    def setup(self, worker):
        os.environ["CCLAB_TEST_LOG"] = self.log


def test_data_are_sent_and_not_loaded_at_the_workers(cluster, tmp_path):
    declared = Study("sent", "Data are sent", grid(Data(only_here, pid=os.getpid()), Method("K", KMeans)), trials=4)
    frame = declared.run(out=tmp_path, scheduler=cluster.scheduler_address)
    assert not frame["error"].any()


def only_here(pid):
    from cclab import load_dataset

    if os.getpid() != pid:
        raise OSError("these data are on another machine")
    return load_dataset("iris")


def elsewhere(problem, data, here):
    """Labels, if this is another process."""
    assert os.getpid() != here
    return problem.X[:, 0] > 5


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_single_worker_has_all_trials_and_may_limit_them(lone):
    for limit in (None, 30):
        declared = replace(study(Method("there", elsewhere, here=os.getpid()), 2), limit=limit)
        assert not declared.run(out=None, scheduler=lone.scheduler_address)["error"].any()


def ends_once(problem, data, marks):
    """Labels; the process that is asked first for those of the third trial has ended."""
    first = os.path.join(marks, str(problem.seed))
    if len(os.listdir(marks)) == 2 and not os.path.exists(first):
        open(first, "w").close()
        os.kill(os.getpid(), 9)
    open(first, "w").close()
    return problem.X[:, 0] > 5


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_worker_that_takes_the_data_along_stops_no_others(lone, tmp_path):
    (tmp_path / "marks").mkdir()
    declared = study(Method("ends once", ends_once, marks=str(tmp_path / "marks")), 6)
    frame = declared.run(out=tmp_path, scheduler=lone.scheduler_address)
    assert frame["trial"].tolist() == list(range(6))
    assert not frame["error"].any()
    lines = (tmp_path / "there" / "trials.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["trial"] for line in lines) == list(range(6))


def test_no_scheduler_is_said_in_words(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cclab.studies.running.PATIENCE", 0.5)
    with pytest.raises(ClusterLost, match=r"no Dask scheduler at nowhere \(its port is missing"):
        study(Method("K-means", KMeans), 1).run(out=None, scheduler="nowhere")
    with pytest.raises(ClusterLost, match=r"no Dask scheduler at http://127.0.0.1:9 \(http is none of its protocols"):
        study(Method("K-means", KMeans), 1).run(out=None, scheduler="http://127.0.0.1:9")
    with pytest.raises(ClusterLost, match=r"no Dask scheduler at tcp://127.0.0.1:9"):
        study(Method("K-means", KMeans), 1).run(out=None, scheduler="tcp://127.0.0.1:9")
    assert main(["study", "foundation", "--scheduler", "tcp://127.0.0.1:9", "--out", str(tmp_path)]) == 1
    assert "no Dask scheduler at" in capsys.readouterr().err
