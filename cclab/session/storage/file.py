"""A session as one JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cclab.session.storage.journal import SCHEMA, Kept, check_schema, read_versions
from cclab.session.storage.subjects import pack_data, unpack_data
from cclab.session.subject import Data

FORMAT = "cclab session"


def to_document(data: Data, records: list[dict[str, Any]], versions: Mapping[str, str]) -> dict[str, Any]:
    """A session, ready for JSON."""
    about = {"format": FORMAT, "schema": SCHEMA, "versions": dict(versions)}
    return {**about, "data": pack_data(data), "commands": records}


def from_document(document: Any, where: str) -> Kept:
    """What a session file holds, or an error that says what is wrong with it."""
    schema = check_schema(document, FORMAT, where)
    records = document.get("commands")
    if not isinstance(records, list) or "data" not in document:
        raise ValueError(f"{where} is damaged: it has no data or no commands")
    for place, record in enumerate(records):
        if not isinstance(record, dict):
            raise ValueError(f"{where} is damaged: command {place} is no JSON object but {record!r:.40}")
    data, records = unpack_data(document["data"], where, records)
    return Kept(data, records, read_versions(document), schema)
