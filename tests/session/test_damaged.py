"""Files that anyone may have written: a sentence, never a crash, never the memory of the machine."""

import base64
import io
import json
import resource
import subprocess
import sys
import zlib

import numpy as np
import pytest
from scipy import sparse

from cclab import Session, load_dataset
from cclab.apps.page.loading import read_file
from cclab.datasets import Dataset
from cclab.session.storage.serialize import pack_array


@pytest.fixture(scope="module")
def good():
    session = Session("iris", "FCM")
    session.step(2)
    session.constrain(labels={0: 1})
    return json.dumps(session.to_json())


@pytest.fixture(scope="module")
def texts():
    X = sparse.random_array((40, 12), density=0.2, format="csr", random_state=0)
    return json.dumps(Session(Dataset("texts", X), "COPKMeans").to_json())


def packed(content):
    return {"npy": base64.b64encode(zlib.compress(content, 9)).decode()}


def npy(shape, content=b"", dtype="|u1"):
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, header)
    return packed(buffer.getvalue() + content)


class TestSparseData:
    @pytest.mark.parametrize(
        ("part", "harm"),
        [
            ("indices", lambda a: a + 10**6),
            ("indices", lambda a: a - 13),
            ("indices", lambda a: a.astype(float)),
            ("indices", lambda a: a.astype(np.int64) + 2**32),
            ("indptr", lambda a: a[::-1]),
            ("indptr", lambda a: a * 1000),
            ("indptr", lambda a: a[:-3]),
            ("indptr", lambda a: np.append(a, a[-1])),
            ("data", lambda a: a[:-1]),
            ("data", lambda a: a.astype("U8")),
            ("data", lambda a: a.reshape(1, -1)),
        ],
    )
    def test_indices_that_lead_outside_are_refused(self, texts, part, harm):
        document = json.loads(texts)
        X = Session.from_json(json.loads(texts)).data.X
        document["data"]["X"][part] = pack_array(harm(getattr(X, part)))
        with pytest.raises(ValueError, match="damaged"):
            Session.from_json(document)

    @pytest.mark.parametrize("shape", [[40, 2], [41, 12], [-1, 12], [40], ["a", 12], [40, 2**40], None])
    def test_so_are_shapes_that_do_not_fit(self, texts, shape):
        document = json.loads(texts)
        document["data"]["X"]["shape"] = shape
        with pytest.raises(ValueError, match="damaged"):
            Session.from_json(document)

    def test_a_file_of_the_data_folder_too(self, tmp_path, monkeypatch):
        X = sparse.random_array((10, 6), density=0.5, format="csr", random_state=0)
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
        (tmp_path / "datasets.json").write_text(json.dumps({"datasets": [{"name": "words", "file": "words.npz"}]}))
        monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
        np.savez(tmp_path / "words.npz", **parts)
        assert load_dataset("words").X.shape == (10, 6)
        np.savez(tmp_path / "words.npz", **parts | {"indices": X.indices + 10**7})
        with pytest.raises(ValueError, match="is damaged"):
            load_dataset("words")
        np.savez_compressed(tmp_path / "words.npz", X=np.zeros((2**15, 2**13), dtype=bool))
        with pytest.raises(ValueError, match="more than the 1,073,741,824 that are taken"):
            load_dataset("words")


class TestSizes:
    @pytest.mark.parametrize(
        ("field", "array", "words"),
        [
            ("target", pack_array(np.full(150, 3 * 10**7)), "there is a class 30000000, but 3 names of classes"),
            ("X", packed(b"\x93NUMPY" + bytes(10**8)), "damaged"),
            ("X", npy((10**12, 4)), "are more than the 1,073,741,824 that are taken"),
            ("X", npy((10**9, 1), bytes(10**6)), "are more than the 1,073,741,824 that are taken"),
            ("X", npy((10**8, 0), dtype="<U0"), "damaged"),
            ("X", npy((150, 4), bytes(10**8)), "longer or shorter than it says"),
            ("X", npy((150, 4), b"1"), "longer or shorter than it says"),
            ("X", npy((-3, -4)), "can't have the shape"),
            ("X", npy((150, 4), dtype="|O"), "damaged"),
            ("images", npy((150, 10**4, 10**3)), "that are taken"),
            (
                "X",
                pack_array(np.zeros((1_000_001, 1), dtype=np.uint8)),
                "1,000,001 samples are more than the 1,000,000",
            ),
        ],
    )
    def test_what_is_declared_is_checked_before_anything_is_unpacked(self, good, field, array, words):
        document = json.loads(good)
        document["data"][field] = array
        with pytest.raises(ValueError, match=words):
            Session.from_json(document)

    def test_a_small_file_does_not_fill_the_memory(self, good, tmp_path):
        document = json.loads(good)
        document["data"]["X"] = packed(zlib.compress(b"") + bytes(2 * 10**9 // 40))
        document["data"]["images"] = npy((150, 1000, 700), bytes(105 * 10**6))
        (tmp_path / "bomb.json").write_text(json.dumps(document))
        assert (tmp_path / "bomb.json").stat().st_size < 10**6
        program = (
            "import resource, sys\n"
            "from cclab import Session\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "try:\n    Session.load(sys.argv[1])\n"
            "except ValueError:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "bomb.json")], capture_output=True, text=True, check=True
        )
        assert int(done.stdout) * resource.getpagesize() // 4 < 60 * 2**20


class TestWords:
    def load(self, text, tmp_path):
        """As a file, and as what a page was sent."""
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(ValueError, match=r".") as from_file:
            Session.load(tmp_path / "x.json")
        with pytest.raises(ValueError, match=r".") as from_page:
            read_file("x.json", text.encode())
        assert "x.json" in str(from_page.value)
        return str(from_file.value)

    def test_nesting(self, good, tmp_path):
        assert "nested too deeply" in self.load('{"a": ' * 100_000, tmp_path)
        document = json.loads(good)
        document["commands"].append({"verb": "constrain", "statements": "DEEP"})
        deep = json.dumps(document).replace('"DEEP"', "[" * 900 + "]" * 900)
        assert "command 4 can't be replayed" in self.load(deep, tmp_path)

    @pytest.mark.parametrize(
        "record",
        [
            7,
            {},
            {"verb": ["step"]},
            {"verb": {"a": 1}},
            {"verb": "open"},
            {"verb": "work_out"},
            {"verb": "__init__"},
            {"verb": "step", "run": "x"},
            {"verb": "step", "result": 5},
            {"verb": "step", "result": {"iteration": 1}},
            {"verb": "step", "result": {"iteration": 1e400}},
            {"verb": "rewind", "to": 1e400},
            {"verb": "rewind", "to": "0"},
            {"verb": "restart", "restart": -1},
            {"verb": "restart", "restart": 1e400},
            {"verb": "constrain"},
            {"verb": "constrain", "statements": [{"kind": "must_link", "pairs": [[0, 10**30]]}]},
            {"verb": "constrain", "statements": [{"kind": "labels", "labels": {"of": [[0]]}}]},
            {"verb": "constrain", "statements": [{"kind": "all", "constraints": {}}]},
            {"verb": "switch", "solver": {"name": "FCM", "params": {"n_clusters": 10**30}}},
            {"verb": "switch", "solver": {"name": "FCM", "params": {"init": {"array": [[1e400]]}}}},
            {"verb": "switch", "solver": {"name": 5, "params": {}}},
            {"verb": "switch", "solver": {"name": [], "params": {}}},
            {"verb": "propose", "strategy": {"name": "Random", "params": {}}, "n": 1e400},
            {"verb": "propose", "strategy": {"name": "Random", "params": {}}, "n": 1, "result": {"queries": [5]}},
            {
                "verb": "propose",
                "strategy": {"name": "Random", "params": {}},
                "n": 1,
                "result": {"queries": [["pair", [0, 9000], "why", 1.0]]},
            },
            {"verb": "answer", "samples": [], "answer": 5, "weight": 1},
            {"verb": "answer", "samples": [0], "answer": 5},
            {"verb": "reject", "samples": [[0]]},
            {"verb": "reply", "replies": 5, "statements": []},
            {"verb": "reply", "replies": [{}], "statements": []},
            {"verb": "reply", "replies": [], "statements": [{"kind": "group", "samples": [0, 9000]}]},
            {"verb": "put", "queries": [["pair", [0, 9000], "why", 1.0, False]]},
            {"verb": "put", "queries": [["quartet", [0, 1], "why", 1.0, False]]},
            {"verb": "put", "queries": [["pair", [], "why", 1.0, False]]},
            {"verb": "pose", "recipe": {}},
        ],
        ids=lambda record: json.dumps(record)[:60],
    )
    def test_a_command_that_makes_no_sense_is_named(self, good, tmp_path, record):
        document = json.loads(good)
        document["commands"].append(record)
        assert "command 4" in self.load(json.dumps(document), tmp_path)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("seed", 1e400),
            ("seed", -1),
            ("seed", "x"),
            ("seed", None),
            ("solver", None),
            ("solver", {"name": "FCM"}),
        ],
    )
    def test_so_is_the_first(self, good, tmp_path, field, value):
        document = json.loads(good)
        document["commands"][0][field] = value
        assert "command 0" in self.load(json.dumps(document), tmp_path)

    @pytest.mark.parametrize("field", ["X", "name", "target_names", "feature_names"])
    @pytest.mark.parametrize("value", [None, 5, [], {}, "x", [[]], {"npy": 5}, {"npy": "AAAA"}, 1e400])
    def test_data_of_any_kind_are_read_or_refused_and_can_then_be_exported(self, good, field, value):
        document = json.loads(good)
        document["data"][field] = value
        try:
            session = Session.from_json(document)
        except ValueError as error:
            refusal = str(error)
        else:
            refusal = "damaged"
            assert all(isinstance(name, str) for name in (session.data.name, *session.data.feature_names))
            json.dumps(session.to_json())
            repr(session.data)
        assert "damaged" in refusal


class TestNames:
    @pytest.mark.parametrize(
        ("name", "cleaned"),
        [
            ("../../etc/passwd", "etc_passwd"),
            ("/etc/passwd", "etc_passwd"),
            ("C:\\secret.csv", "C_secret_csv"),
            ("https://example.org/x.csv", "https_example_org_x_csv"),
            ("secret.csv", "secret_csv"),
            ("~", "data"),
            ("", "data"),
            (5, "5"),
            (None, "None"),
            ("x" * 10**7, "x" * 200),
        ],
    )
    def test_the_name_of_data_is_no_path_and_no_address(self, good, name, cleaned):
        document = json.loads(good)
        document["data"]["name"] = name
        data = Session.from_json(document).data
        assert data.name == cleaned
        assert "a name is a short text and no path" in data.notes[-1]
        assert len(data.notes[-1]) < 500

    def test_others_stay(self, good):
        assert Session.from_json(json.loads(good)).data.name == "iris"
        assert Session.from_json(json.loads(good)).data.notes == load_dataset("iris").notes
