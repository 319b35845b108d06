"""Arrays, data sets and solvers as JSON, with no pickle anywhere."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from cclab.datasets import Dataset


def pack_array(array: NDArray) -> dict[str, str]:
    """An array as compressed text."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return {"npy": base64.b64encode(zlib.compress(buffer.getvalue(), 1)).decode("ascii")}


def unpack_array(packed: Mapping[str, str]) -> NDArray:
    data = zlib.decompress(base64.b64decode(packed["npy"]))
    return np.load(io.BytesIO(data), allow_pickle=False)


def pack_dataset(data: Dataset) -> dict[str, Any]:
    X: Any
    if sparse.issparse(data.X):
        X = {name: pack_array(getattr(data.X, name)) for name in ("data", "indices", "indptr")}
        X["shape"] = list(data.X.shape)
    else:
        X = pack_array(data.X)
    arrays = {
        name: None if getattr(data, name) is None else pack_array(getattr(data, name))
        for name in ("target", "images", "outliers")
    }
    texts = {name: getattr(data, name) for name in ("name", "description", "source")}
    lists = {
        name: None if getattr(data, name) is None else list(getattr(data, name))
        for name in ("feature_names", "target_names", "notes", "sample_names")
    }
    return {"X": X, **arrays, **texts, **lists}


def unpack_dataset(packed: Mapping[str, Any], where: str) -> Dataset:
    try:
        fields = dict(packed)
        X = fields.pop("X")
        if "shape" in X:
            parts = [unpack_array(X[name]) for name in ("data", "indices", "indptr")]
            X = sparse.csr_array(tuple(parts), shape=tuple(X["shape"]))
        else:
            X = unpack_array(X)
        for name in ("target", "images", "outliers"):
            if fields.get(name) is not None:
                fields[name] = unpack_array(fields[name])
        for name in ("feature_names", "target_names", "notes", "sample_names"):
            if fields.get(name) is not None:
                fields[name] = tuple(fields[name])
        return Dataset(X=X, **fields)
    except (AttributeError, EOFError, KeyError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"the data in {where} are damaged: {error}") from None


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
    raise ValueError(
        f"{where} is a {type(value).__name__}, which can't be written to a session; name it, or give numbers"
    )


def _unpack_value(value: Any) -> Any:
    if isinstance(value, dict):
        if "array" in value:
            return np.array(value["array"])
        return {k: _unpack_value(v) for k, v in value["mapping"]}
    if isinstance(value, list):
        return [_unpack_value(v) for v in value]
    return value


def unpack_estimator(packed: Mapping[str, Any], registry: Any) -> Any:
    cls = registry.get(packed["name"])
    params = {key: _unpack_value(value) for key, value in packed["params"].items()}
    unknown = set(params) - set(cls().get_params(deep=False))
    if unknown:
        raise ValueError(f"{packed['name']} has no parameter {sorted(unknown)[0]!r}; it was written by another version")
    return cls(**params)
