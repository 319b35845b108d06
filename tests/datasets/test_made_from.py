"""Data say what they were made from, and session files keep it."""

import json

import numpy as np
import pandas as pd
import pytest

from cclab import Session, load_dataset
from cclab.datasets.made_from import MadeFrom


def test_a_name_with_all_its_options():
    made = load_dataset("gaussians", n_clusters=np.int64(3), separation=2.5).made_from
    assert made.name == "gaussians"
    assert made.parameters == {"n_clusters": 3, "separation": 2.5, "n_features": 2, "n_samples": 400, "seed": 0}
    assert load_dataset("iris").made_from == MadeFrom("iris")
    assert load_dataset("three_gaussians", seed=4).made_from.parameters["seed"] == 4


def test_a_table_by_its_file_and_the_columns_that_are_clustered_by(tmp_path):
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5], "b": [3.0, 1.0, 2.0], "class": ["x", "y", "x"]})
    frame.to_csv(tmp_path / "birds.csv", index=False)
    assert load_dataset(tmp_path / "birds.csv").made_from == MadeFrom(file="birds.csv", columns=("a", "b"))
    assert load_dataset(frame).made_from == MadeFrom(columns=("a", "b"))
    assert load_dataset(np.eye(3)).made_from == MadeFrom()


def test_it_is_no_part_of_the_content_and_stays_what_it_was():
    data = load_dataset("moons", n_samples=40)
    again = load_dataset(np.array(data.X), target=np.array(data.target_names)[data.target])
    assert again.made_from != data.made_from
    assert data.subset([0, 1, 2]).standardized().made_from == data.made_from


def test_session_files_keep_it_and_those_without_it_open():
    session = Session(load_dataset("moons", n_samples=40), "FCM")
    document = json.loads(json.dumps(session.to_json()))
    assert Session.from_json(document).data.made_from == session.data.made_from
    del document["data"]["made_from"]
    assert Session.from_json(document).data.made_from == MadeFrom()


@pytest.mark.parametrize(
    ("made_from", "words"),
    [
        ({"name": 3}, "not said in words"),
        ({"columns": [1]}, "not said in words"),
        ({"parameters": {"noise": float("nan")}}, "'noise' = nan"),
        ({"parameters": [1]}, "damaged"),
        ({"colour": "red"}, "damaged"),
        ("gaussians", "damaged"),
    ],
)
def test_a_damaged_one_is_refused_in_words(made_from, words):
    document = Session(load_dataset("moons", n_samples=40), "FCM").to_json()
    document["data"]["made_from"] = made_from
    with pytest.raises(ValueError, match=words):
        Session.from_json(document)
