"""Labels of any kind as numbers of classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd


def encode(labels: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Class codes from 0 and the names of the classes, numbers in numeric order; missing labels get -1.

    >>> codes, names = encode(["10", "9", None, "10"])
    >>> codes.tolist(), names
    ([1, 0, -1, 1], ('9', '10'))
    """
    codes, values = pd.factorize(pd.Series(labels))
    names = [_class_name(value) for value in values]
    ordered = _in_order(set(names))
    place = {name: k for k, name in enumerate(ordered)}
    places = np.array([*(place[name] for name in names), -1])  # code -1 (missing) picks the last entry
    return places[codes], tuple(ordered)


def _class_name(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


def _in_order(names: Iterable[str]) -> list[str]:
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return sorted(names)
