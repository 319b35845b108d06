"""Nothing leaves the machine unless someone asks for a data set by its name."""

import socket
from dataclasses import replace

import pandas as pd
import pytest

from cclab import FCM, Session, load_dataset
from cclab.apps import compare, painter, workbench
from cclab.datasets import list_datasets


class AskedTheNetwork(OSError):
    """Something wanted to reach another machine."""


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What was asked for on the network."""
    asked = []

    def refuse(*address, **_):
        asked.append(address)
        raise AskedTheNetwork(address)

    for way in ("create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, way, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("CCLAB_DATA", "")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "downloads"))  # nothing was fetched before
    return asked


def test_nothing_is_asked_for_on_the_network(asked, tmp_path):
    list_datasets()
    table = pd.DataFrame({"a": [1.0, 2.0, 9.0, 9.5], "b": [0.0, 0.1, 5.0, 5.2]})
    # The second has the name of a set that OpenML has.
    for kept, data in (("table", table), ("named", replace(load_dataset("iris"), name="glass"))):
        session = Session(data, FCM(2), journal=tmp_path / kept)
        session.run()
        session.to_code()
        Session.from_json(session.to_json())
        session.close()
        Session.open(tmp_path / kept).close()
    for page in (workbench(table), compare("iris"), painter()):
        page.close()
    assert asked == []


def test_whoever_asks_by_name_is_heard(asked, monkeypatch):
    monkeypatch.setattr("cclab.datasets.openml.fetch_openml", lambda **_: socket.create_connection(("openml", 443)))
    with pytest.raises((ValueError, OSError)):
        load_dataset("glass")
    assert asked
