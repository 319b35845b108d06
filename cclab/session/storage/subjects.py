"""The data of a session as JSON: a table, or a subject; and paintings of earlier versions, which were tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from cclab.datasets import Dataset
from cclab.session.storage.origins import Pack
from cclab.session.storage.serialize import (
    clean_name,
    damage_told,
    pack_array,
    pack_dataset,
    unpack_arrays,
    unpack_dataset,
)
from cclab.session.subject import Data, subject_class

Records = list[dict[str, Any]]


def pack_data(data: Data, pack: Pack = pack_array) -> dict[str, Any]:
    """What a session is about, ready for JSON; `array_text` packs for `json_pieces`."""
    if isinstance(data, Dataset):
        return pack_dataset(data, pack)
    packed = data.pack()
    return {
        "kind": data.kind,
        **{name: pack(value) if isinstance(value, np.ndarray) else value for name, value in packed.items()},
    }


def unpack_data(packed: Any, where: str, records: Records) -> tuple[Data, Records]:
    """The inverse of `pack_data`, or an error that says what is wrong; with the commands as they are read today."""
    if isinstance(packed, dict) and "kind" in packed:
        return _unpack_subject(packed, where), records
    data = unpack_dataset(packed, where)
    if not _was_painted(records):
        return data, records
    from cclab.images.early_tables import picture_of_table

    picture = picture_of_table(data)
    if picture is None:
        return data, records
    # What it began with was a cluster of all pixels; today no one needs that.
    first = {name: value for name, value in records[0].items() if name != "result"}
    return subject_class("picture").unpack(picture.pack()), [first, *records[1:]]


def _unpack_subject(packed: dict[str, Any], where: str) -> Data:
    with damage_told(where):
        fields = dict(packed)
        cls = subject_class(fields.pop("kind"))
        arrays = {name: value for name, value in fields.items() if isinstance(value, dict) and "npy" in value}
        fields |= unpack_arrays(arrays)
        fields["name"], notes = clean_name(fields["name"])
        fields["notes"] = [*(str(note) for note in fields.get("notes") or ()), *notes]
        return cls.unpack(fields)


def _was_painted(records: Records) -> bool:
    """Whether a session began as the painter's did when pictures were kept as tables."""
    solver = records[0].get("solver") if records else None
    if not isinstance(solver, dict) or not isinstance(solver.get("params"), dict):
        return False
    return bool(solver.get("name") == "FCM" and solver["params"].get("n_clusters") == 1)
