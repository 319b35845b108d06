"""How the house is kept: short files with names of their own, and packages that say what they give."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import cclab
from cclab import algorithms, apps, queries
from cclab.core.registry import solvers, strategies

ROOT = Path(cclab.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MOST_LINES = 400

# Names that more than one room may use, and why.
SHARED = {
    "base.py": "what the files beside it have in common",
    "credal.py": "the credal partition, and the dashboard that explains it",
    "rows.py": "the rows of a file, and the view that shows rows",
    "scores.py": "how scores are computed, and the view that shows them",
    "tables.py": "the tables of a set of constraints, and tables that become samples",
}


def room_of(path):
    return path.relative_to(ROOT).parts[0]


def has_own_name(path):
    # A study of a paper is called like the algorithm of that paper.
    return path.name != "__init__.py" and path.parent.name != "papers"


def test_a_file_is_short_enough_to_be_read():
    long = {path.relative_to(ROOT).as_posix() for path in FILES if path.read_text().count("\n") > MOST_LINES}
    assert long == set()


def test_no_name_of_a_file_occurs_twice_in_a_room():
    names = Counter((room_of(path), path.name) for path in filter(has_own_name, FILES))
    assert [name for name, n in names.items() if n > 1] == []


def test_few_names_of_files_occur_in_several_rooms():
    rooms = defaultdict(set)
    for path in filter(has_own_name, FILES):
        rooms[path.name].add(room_of(path))
    assert {name for name, where in rooms.items() if len(where) > 1} == set(SHARED)
    assert len(SHARED) <= 8


def written_all(path):
    """The `__all__` that a file writes out, or None."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return ast.literal_eval(node.value)
    return None


@pytest.mark.parametrize(
    "room",
    [
        *("core", "core/constraints", "algorithms", "reach", "queries", "oracles"),
        *("datasets", "images", "studies", "session", "apps"),
    ],
)
def test_a_package_that_gives_names_writes_them_out(room):
    names = written_all(ROOT / room / "__init__.py")
    assert names
    assert len(names) == len(set(names))


def test_what_is_written_out_is_what_is_registered():
    own = {name for name in solvers.names() if solvers.get(name).__module__.startswith("cclab.")}
    assert set(algorithms.__all__) == own
    assert set(queries.__all__) == {
        name for name in strategies.names() if strategies.get(name).__module__.startswith("cclab.")
    }
    others = {"ConstraintSet", "Problem", "Session", "held_out", "iterate", "load_dataset"}
    assert set(cclab.__all__) == own | others == set(dir(cclab))
    assert sorted(dir(apps)) == sorted(apps.__all__)


def test_every_name_can_be_had_and_an_unknown_one_is_told_its_neighbours():
    assert all(getattr(cclab, name).__name__ == name for name in cclab.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Sesion'; did you mean Session"):
        cclab.Sesion  # noqa: B018


def test_the_core_names_no_room_above_it():
    above = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"core", "__pycache__"}
    for path in (ROOT / "core").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert [room for room in above if f"cclab.{room}" in text] == [], path.name


def imported_by(path):
    """The modules of the package that a file imports from."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def test_two_families_or_rooms_use_each_file_of_maths():
    imports = {path: imported_by(path) for path in FILES}

    def users(module):
        found = set()
        for path in (path for path, modules in imports.items() if module in modules):
            room, *inside = path.relative_to(ROOT).parts
            if room == "maths":  # who uses that one
                found |= users(f"cclab.maths.{path.stem}")
            else:
                found.add((room, inside[0]) if room == "algorithms" else room)
        return found

    names = [path.stem for path in (ROOT / "maths").glob("*.py") if path.stem != "__init__"]
    assert [name for name in names if len(users(f"cclab.maths.{name}")) < 2] == []


# Methods that tornado calls: get, prepare and so on are its words.
EXPLAINED_ELSEWHERE = {"cclab.server.handlers"}


def undocumented(module):
    """Public methods without a docstring, of their own, of what they override, or in their class's attributes."""
    for name, cls in vars(module).items():
        if name.startswith("_") or not inspect.isclass(cls) or cls.__module__ != module.__name__:
            continue
        for method, value in vars(cls).items():
            made = inspect.isfunction(value) or isinstance(value, classmethod | staticmethod | property)
            if made and not method.startswith("_"):
                declared = [vars(base)[method] for base in cls.__mro__ if method in vars(base)]
                told = isinstance(value, property) and re.search(rf"\b{method}\b", inspect.getdoc(cls) or "")
                if not told and not any(map(inspect.getdoc, declared)):
                    yield f"{cls.__qualname__}.{method}"


@pytest.mark.parametrize("room", sorted(path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()))
def test_every_public_method_is_explained_where_it_is_declared(room):
    found = pkgutil.walk_packages([str(ROOT / room)], f"cclab.{room}.")
    modules = [importlib.import_module(each.name) for each in found if each.name not in EXPLAINED_ELSEWHERE]
    assert {module.__name__: names for module in modules if (names := list(undocumented(module)))} == {}
