"""A session as one JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cclab.datasets import Dataset
from cclab.session.journal import SCHEMA, check_schema
from cclab.session.packing import pack_dataset, unpack_dataset

FORMAT = "cclab session"


def to_document(data: Dataset, commands: list[dict[str, Any]]) -> dict[str, Any]:
    """A session, ready for JSON."""
    return {"format": FORMAT, "schema": SCHEMA, "data": pack_dataset(data), "commands": commands}


def from_document(document: Any, where: str) -> tuple[Dataset, list[dict[str, Any]]]:
    """The data and the commands of a session, or an error that says what is wrong with it."""
    check_schema(document, FORMAT, where)
    if not isinstance(document.get("commands"), list) or "data" not in document:
        raise ValueError(f"{where} is damaged: it has no data or no commands")
    return unpack_dataset(document["data"], where), document["commands"]


def write_document(document: dict[str, Any], path: Path) -> None:
    """Write aside and rename, so that a kill leaves either the old file or the new one."""
    aside = path.with_name(path.name + ".new")
    aside.write_text(json.dumps(document), encoding="utf-8")
    aside.replace(path)


def read_document(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{path}{where}: this is no session file ({error})") from None
