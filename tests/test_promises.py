"""Every promise names a test that is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMED = re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)::([\w:]+)`", (ROOT / "docs/promises.md").read_text())


def names_in(tree, before=""):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield before + node.name
        elif isinstance(node, ast.ClassDef):
            yield from names_in(node, f"{before}{node.name}::")


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED)))
def test_the_test_is_there(file, name):
    path = ROOT / file
    there = path.exists() and name in set(names_in(ast.parse(path.read_text())))
    assert there, f"docs/promises.md names {file}::{name}; it is now in {places_of(name) or 'no file'}"


def places_of(name):
    definition = f"def {name.rpartition('::')[2]}("
    tests = sorted((ROOT / "tests").rglob("*.py"))
    return ", ".join(str(path.relative_to(ROOT)) for path in tests if definition in path.read_text())


def test_every_promise_names_one():
    rows = [line for line in (ROOT / "docs/promises.md").read_text().splitlines() if line.startswith("| ")]
    promises = [row for row in rows if not row.endswith(("| held by |", "| measured by |"))]
    assert promises
    assert [row for row in promises if "::" not in row.rsplit("|", 2)[-2]] == []
