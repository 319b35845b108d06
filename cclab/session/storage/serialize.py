"""Arrays, data sets and solvers as JSON, with no pickle anywhere; whatever is read is checked before it is used."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from cclab.datasets import Dataset
from cclab.datasets.columns.plan import Plan
from cclab.datasets.coreset import Coreset
from cclab.datasets.limits import MOST_SAMPLES, MOST_UNPACKED_BYTES, check_limit
from cclab.datasets.made_from import MadeFrom
from cclab.datasets.unpacking import checked_csr, checked_size, declared_shape
from cclab.session.storage.origins import Pack, pack_meta, pack_rows, unpack_meta, unpack_rows

_LONGEST_NAME = 200
# So many bytes show whether the rest is worth compressing.
_PROBE = 2**16
# So many letters are written at once.
_PIECE = 2**20
# What makes a text a path or an address.
_PATHLIKE = re.compile(r"[\\/:.\x00-\x1f]+")


def read_json(text: bytes, where: str) -> dict[str, Any]:
    """The JSON object in a text, or an error that says where it is none."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError(f"{where}: it is nested too deeply") from None
    except MemoryError:
        raise ValueError(f"{where}: it takes more memory than there is") from None
    except ValueError as error:  # of JSON, of its encoding, of a number that is too long
        raise ValueError(f"{where}: this is no valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise ValueError(f"{where}: a JSON object was expected, got {document!r:.40}")
    return document


def json_pieces(document: Mapping[str, Any]) -> Iterator[bytes]:
    """What `json.dumps` writes, in pieces: of a million samples the whole text would take more than they do.

    >>> b"".join(json_pieces({"a": {"b": [1, "x"]}, "c": None, "d": "e"})).decode()
    '{"a": {"b": [1, "x"]}, "c": null, "d": "e"}'
    """
    before = "{"
    for name, value in document.items():
        yield f"{before}{json.dumps(name)}: ".encode()
        yield from _value_pieces(value)
        before = ", "
    yield b"}" if before == ", " else b"{}"


def _value_pieces(value: Any) -> Iterator[bytes]:
    match value:
        case Mapping():
            yield from json_pieces(value)
        case [Mapping(), *_]:
            for place, each in enumerate(value):
                yield b", " if place else b"["
                yield from _value_pieces(each)
            yield b"]"
        case ArrayText():
            yield from (b'"', *value.pieces(), b'"')
        case str():  # an array, perhaps
            yield b'"'
            yield from (json.dumps(value[at : at + _PIECE])[1:-1].encode() for at in range(0, len(value), _PIECE))
            yield b'"'
        case _:
            yield json.dumps(value).encode()


class ArrayText:
    """An array as text, compressed where that is worth the time; the text is made piece by piece as it is written."""

    def __init__(self, array: NDArray) -> None:
        self._array = array

    def pieces(self) -> Iterator[bytes]:
        """The text, of which there is never more than a piece."""
        header, body = _as_npy(np.ascontiguousarray(self._array))
        middle = body[len(body) // 2 :][:_PROBE].tobytes()
        packer = zlib.compressobj(1 if len(zlib.compress(middle, 1)) < 0.7 * len(middle) else 0)
        left = packer.compress(header)
        for at in range(0, len(body), _PIECE):
            left += packer.compress(body[at : at + _PIECE].data)
            whole = len(left) - len(left) % 3  # three bytes are four letters
            yield base64.b64encode(left[:whole])
            left = left[whole:]
        yield base64.b64encode(left + packer.flush())


def array_text(array: NDArray) -> dict[str, ArrayText]:
    """As `pack_array`, for `json_pieces`: of a million samples there is not room for the text."""
    return {"npy": ArrayText(array)}


def pack_array(array: NDArray) -> dict[str, str]:
    """An array as text."""
    return {"npy": b"".join(ArrayText(array).pieces()).decode("ascii")}


def _as_npy(array: NDArray) -> tuple[bytes, NDArray[np.uint8]]:
    """What `numpy.save` writes: a header, and the array's own memory, of which no copy is made."""
    header = io.BytesIO()
    np.save(header, array[:0], allow_pickle=False)  # refuses what can't be saved
    if array.dtype.names is not None or not array.size:  # rare, and small
        whole = io.BytesIO()
        np.save(whole, array, allow_pickle=False)
        return b"", np.frombuffer(whole.getvalue(), np.uint8)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    return header.getvalue(), array.reshape(-1).view(np.uint8)


def _inflated(deflated: bytes) -> NDArray:
    """The array in a text of `pack_array`; its size is known before anything is unpacked."""
    size = checked_size(_beginning(deflated))
    content = zlib.decompressobj().decompress(deflated, size + 1)
    if len(content) != size:
        raise ValueError("an array is longer or shorter than it says")
    return np.load(io.BytesIO(content), allow_pickle=False)


def _beginning(deflated: bytes) -> bytes:
    return zlib.decompressobj().decompress(deflated, 4096)


def unpack_arrays(packed: Mapping[str, Any]) -> dict[str, NDArray]:
    """Some arrays by name; together they are no larger than a file may unpack to."""
    deflated = {name: base64.b64decode(array["npy"]) for name, array in packed.items() if array is not None}
    total = sum(checked_size(_beginning(content)) for content in deflated.values())
    check_limit(total, MOST_UNPACKED_BYTES, "bytes", "Open a part of the data.")
    return {name: _inflated(content) for name, content in deflated.items()}


def packed_dimensions(array: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of a packed array, without unpacking it."""
    return tuple(int(n) for n in declared_shape(_beginning(base64.b64decode(array["npy"]))))


def packed_shape(X: Mapping[str, Any]) -> tuple[int, int]:
    """The shape of packed samples, without unpacking them."""
    n_samples, n_features = X["shape"] if "shape" in X else packed_dimensions(X)
    return int(n_samples), int(n_features)


def pack_matrix(X: Any, pack: Pack = pack_array) -> dict[str, Any]:
    """An array, or the parts of a sparse one."""
    if not sparse.issparse(X):
        return pack(X)
    parts: dict[str, Any] = {name: pack(getattr(X, name)) for name in ("data", "indices", "indptr")}
    return parts | {"shape": list(X.shape)}


def unpack_matrix(X: Mapping[str, Any]) -> Any:
    """The inverse of `pack_matrix`."""
    if "shape" not in X:
        return unpack_arrays({"X": X})["X"]
    parts = unpack_arrays({name: X[name] for name in ("data", "indices", "indptr")})
    return checked_csr(X["shape"], *parts.values())


def pack_dataset(data: Dataset, pack: Pack = pack_array) -> dict[str, Any]:
    """A data set as JSON; `unpack_dataset` reads it."""
    X = pack_matrix(data.X, pack)
    arrays = {
        name: None if getattr(data, name) is None else pack(getattr(data, name))
        for name in ("target", "images", "outliers")
    }
    texts = {name: getattr(data, name) for name in ("name", "description", "source")}
    lists = {
        name: None if getattr(data, name) is None else list(getattr(data, name))
        for name in ("feature_names", "target_names", "notes", "sample_names")
    }
    rows = pack_rows(data, pack, partial(pack_matrix, pack=pack))
    meta = pack_meta(data, rows is not None and rows["table"] is not None, pack)
    origin = {"rows": rows, "meta": meta, "text_column": data.text_column, "made_from": data.made_from.to_json()}
    origin["plan"] = None if data.plan is None else data.plan.to_json()
    if data.coreset is not None:
        origin["coreset"] = _pack_coreset(data.coreset, pack)
    return {"X": X, **arrays, **texts, **lists, **origin}


@contextmanager
def damage_told(where: str) -> Iterator[None]:
    """Whatever breaks while data are unpacked, as one sentence about them."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"the data in {where} are damaged: {error!s:.100} is missing") from None
    except MemoryError:
        raise ValueError(f"the data in {where} take more memory than there is") from None
    except (ArithmeticError, AttributeError, EOFError, LookupError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"the data in {where} are damaged: {error!s:.300}") from None


def unpack_dataset(packed: Mapping[str, Any], where: str) -> Dataset:
    """The inverse of `pack_dataset`, or an error that says what is wrong."""
    with damage_told(where):
        fields = dict(packed)
        X = fields.pop("X")
        parts = {name: X[name] for name in ("data", "indices", "indptr")} if "shape" in X else {"X": X}
        arrays = unpack_arrays(parts | {name: fields.get(name) for name in ("target", "images", "outliers")})
        samples = [arrays.pop(name) for name in parts]
        X = checked_csr(X["shape"], *samples) if "shape" in X else samples[0]
        check_limit(X.shape[0], MOST_SAMPLES, "samples", "Open a part of them.")
        fields |= arrays
        for name in ("feature_names", "target_names", "notes", "sample_names"):
            if fields.get(name) is not None:
                fields[name] = tuple(fields[name])
        if "rows" not in packed and _lost_rows(fields):
            fields["notes"] = (*fields["notes"], _ROWS_UNKNOWN)
        fields["rows"] = unpack_rows(fields.get("rows"), unpack_arrays, unpack_matrix, X)
        fields["plan"] = Plan.from_json(fields["plan"]) if fields.get("plan") else None
        fields["coreset"] = _unpack_coreset(fields.get("coreset"))
        fields["meta"] = unpack_meta(fields.get("meta"), fields["rows"], unpack_arrays)
        if fields["meta"] is None or fields.get("text_column") not in fields["meta"]:
            fields["text_column"] = None
        fields["made_from"] = MadeFrom.from_json(fields.get("made_from") or {})
        if fields.get("target") is not None:
            _check_classes(fields["target"], fields.get("target_names") or ())
        fields["name"], notes = clean_name(fields["name"])
        fields["notes"] = (*fields.get("notes", ()), *notes)
        for name in ("description", "source"):
            fields[name] = str(fields.get(name, ""))
        return Dataset(X=X, **fields)


def _pack_coreset(coreset: Coreset, pack: Pack) -> dict[str, Any]:
    arrays = {"rows": pack(coreset.rows), "weights": pack(coreset.weights)}
    return {"n_rows": coreset.n_rows, "file": coreset.file, **arrays}


def _unpack_coreset(packed: Mapping[str, Any] | None) -> Coreset | None:
    if packed is None:
        return None
    arrays = unpack_arrays({name: packed[name] for name in ("rows", "weights")})
    return Coreset(int(packed["n_rows"]), arrays["rows"], arrays["weights"], str(packed["file"])[:_LONGEST_NAME])


def _check_classes(target: NDArray, names: tuple[str, ...]) -> None:
    """Each class has its name in the file: none are made up for codes that a damaged file may hold."""
    if target.ndim != 1:
        raise ValueError(f"the classes must be one for each sample, got shape {target.shape}")
    if target.size and target.max() >= len(names):
        raise ValueError(f"there is a class {target.max()}, but {len(names)} names of classes")


def clean_name(name: Any) -> tuple[str, tuple[str, ...]]:
    """The name of data as a text that no one can take for a file or an address, and a note where it was another."""
    text = name if isinstance(name, str) else str(name)[:_LONGEST_NAME]
    cleaned = _PATHLIKE.sub("_", text[:_LONGEST_NAME]).strip(" _~") or "data"
    if cleaned == name:
        return cleaned, ()
    return cleaned, (f"the data were called {text[:_LONGEST_NAME]!r}: a name is a short text and no path",)


_ROWS_UNKNOWN = (
    "written by a version that did not keep row numbers: samples are numbered without the rows that were dropped"
)


def _lost_rows(fields: Mapping[str, Any]) -> bool:
    """Whether version 0.1.0 dropped rows of a table without ids, so that nothing tells which row a sample is."""
    told = any("values dropped (from 0:" in note for note in fields.get("notes") or ())
    return told and fields.get("sample_names") is None


def pack_estimator(estimator: BaseEstimator) -> dict[str, Any]:
    """A solver or strategy as its class name and its parameters."""
    name = type(estimator).__name__
    params = estimator.get_params(deep=False)
    return {
        "name": name,
        "params": {key: _pack_value(value, f"{name}.{key}") for key, value in params.items()},
    }


def _pack_value(value: Any, where: str) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, tuple | list | set | frozenset):
        return [_pack_value(v, where) for v in value]
    if isinstance(value, Mapping):
        return {"mapping": [[_pack_value(k, where), _pack_value(v, where)] for k, v in value.items()]}
    if isinstance(value, BaseEstimator):  # of a solver around another
        return {"estimator": pack_estimator(value)}
    raise ValueError(
        f"{where} is a {type(value).__name__}, which can't be written to a session; name it, or give numbers"
    )


def _unpack_value(value: Any, registry: Any) -> Any:
    if isinstance(value, dict):
        if "array" in value:
            return np.array(value["array"])
        if "estimator" in value:
            return unpack_estimator(value["estimator"], registry)
        return {k: _unpack_value(v, registry) for k, v in value["mapping"]}
    if isinstance(value, list):
        return [_unpack_value(v, registry) for v in value]
    return value


def unpack_estimator(packed: Mapping[str, Any], registry: Any) -> Any:
    """A solver or a strategy with its parameters, looked up by name among those that are known."""
    cls = registry.get(packed["name"])
    params = {key: _unpack_value(value, registry) for key, value in packed["params"].items()}
    unknown = set(params) - set(cls().get_params(deep=False))
    if unknown:
        raise ValueError(f"{packed['name']} has no parameter {sorted(unknown)[0]!r}; it was written by another version")
    return cls(**params)
