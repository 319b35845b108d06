"""Every Python block of the documents runs, one namespace per document; links, paths and names lead somewhere."""

import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.core import Solver
from cclab.core.registry import solvers

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#\s]+)")
# The reference is made from docstrings when the site is built.
DOCS = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "api" not in path.parts]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
DOCUMENTS = [path for path in PAGES if BLOCK.search(path.read_text())]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    text = path.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1))
        # Blank lines in front make a traceback name the line of the document.
        exec(compile("\n" * line + match[1], str(path), "exec"), namespace)


def test_there_are_documents():
    assert ROOT / "README.md" in DOCUMENTS


def links_of(path):
    """Files that a document points at."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    return [(path.parent / link).resolve() for link in LINK.findall(text) if "://" not in link]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    assert [link for link in links_of(path) if not link.exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_are_there(path):
    named = re.findall(r"`((?:cclab|tests|docs|benchmarks|binder|notebooks)/[\w/.-]+)[`:]", path.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_glossary_speaks_of_what_there_is():
    rows = [line.split(" | ") for line in (ROOT / "docs/glossary.md").read_text().splitlines() if line.startswith("| ")]
    code = "\n".join(path.read_text() for path in sorted((ROOT / "cclab").rglob("*.py")))
    words = set(re.findall(r"\w+", code)) | {"importlinter"}
    names = {word for row in rows[1:] for name in re.findall(r"`([^`]+)`", row[2]) for word in re.findall(r"\w+", name)}
    assert len(rows) > 30
    assert names - words == set()


def test_every_page_is_two_steps_from_the_index():
    index, *lists = (ROOT / f"docs/{name}.md" for name in ("index", "algorithms", "guide", "extend"))
    found = {*links_of(index), *links_of(ROOT / "docs/algorithms.md")}
    assert set(DOCS) - found - {index, *lists} == set()


def test_the_list_of_algorithms_has_every_solver():
    listed = (ROOT / "docs/algorithms.md").read_text()
    ours = [name for name in solvers.names() if solvers.get(name).__module__.startswith("cclab.")]
    assert [name for name in ours if f"`{name}`" not in listed] == []


def test_whoever_adds_an_algorithm_finds_every_attribute_and_every_block():
    page = (ROOT / "docs/add-an-algorithm.md").read_text()
    attributes = [name for name, kind in Solver.__annotations__.items() if "ClassVar" in str(kind)]
    blocks = [path.stem for path in (ROOT / "cclab/maths").glob("[!_]*.py")]
    assert {"uses", "descends", "parameters"} <= set(attributes)
    assert [name for name in attributes + blocks if f"| `{name}`" not in page and f", `{name}`" not in page] == []


def test_every_argument_of_a_solver_is_explained_on_its_page():
    docstrings = runpy.run_path(str(ROOT / "docs/docstrings.py"))
    ours = [solver for solver in map(solvers.get, solvers.names()) if solver.__module__.startswith("cclab.")]
    for solver in ours:
        name = solver.__name__
        text = docstrings["with_inherited"](inspect.cleandoc(solver.__doc__), solver)
        explained = docstrings["entries"](text, "Parameters")
        assert [one for one in inspect.signature(solver).parameters if one not in explained] == [], name
        assert "labels_" in docstrings["entries"](text, "Attributes"), name


def test_the_architecture_is_up_to_date():
    """The rooms, the imports between them and the ways; not how many lines there are."""
    # In a process of its own: threads are followed from their beginning.
    script = [sys.executable, str(ROOT / "docs/architecture.py"), "--check"]
    checked = subprocess.run(script, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_lasso_takes_the_short_way():
    count = re.search(r"<!-- way: lasso -->\n\*\*(\d+) files\*\*", (ROOT / "docs/architecture.md").read_text())[1]
    assert int(count) <= 12


def test_contributing_lists_the_rooms_as_the_import_rule_does():
    layers = re.search(r"^layers =\n((?:    \w+\n)+)", (ROOT / ".importlinter").read_text(), re.M)[1].split()
    table = re.findall(r"^\| `cclab/(\w+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    assert table == layers
