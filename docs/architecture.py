"""Draw the rooms of cclab and follow five data through its files: ``python docs/architecture.py``.

The picture comes from the imports, the ways from running the real pages with messages as a browser sends them. They are
written to ``docs/images/architecture.svg`` and into ``docs/architecture.md``; with ``--check`` nothing is written, and
what is out of date is named.
"""

from __future__ import annotations

import ast
import configparser
import contextlib
import inspect
import io
import os
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "cclab"
DOCUMENT = ROOT / "docs/architecture.md"
PICTURE = ROOT / "docs/images/architecture.svg"

# ---------------------------------------------------------------------- ways


class Call(NamedTuple):
    """A datum is handed on when this function is called."""

    name: str


class Made(NamedTuple):
    """A datum is handed on when the value is made that `kept` gives afterwards."""

    kind: type
    kept: Callable[[], Any]


class Way(NamedTuple):
    """The files that hand a datum on, in order, and all that have run by then."""

    files: list[str]
    ran: list[str]

    def __add__(self, after: Way) -> Way:  # type: ignore[override]
        return Way(unique(self.files + after.files), unique(self.ran + after.ran))


class Tracer:
    """Finds out which files lie between a message and what comes of it.

    The way to a place is the files whose functions are under way when it is reached, from the outermost to the
    innermost; work in another thread goes on from where it was handed in.
    """

    def __init__(self) -> None:
        self._places: tuple[Call | Made, ...] = ()
        self._reset()

    def _reset(self) -> None:
        self._ran: dict[str, None] = {}
        self._calls: dict[str, Way] = {}
        self._values: list[tuple[Any, Way]] = []
        self._handed_in: dict[int, tuple[object, list[str]]] = {}

    def install(self) -> None:
        """Watch all threads that begin later; this one is watched while a datum is followed."""
        threading.setprofile(self._watch)

    def follow(self, act: Callable[[], object], *places: Call | Made) -> Way:
        """The way of a datum from the beginning of `act` to each of the places, in order."""
        self._reset()
        self._places = places
        sys.setprofile(self._watch)
        try:
            act()
        finally:
            sys.setprofile(None)
            self._places = ()
        return reduce(add, map(self._way_to, places))

    def _way_to(self, place: Call | Made) -> Way:
        if isinstance(place, Call):
            if place.name not in self._calls:
                raise LookupError(f"{place.name} was not called: is it called otherwise now? See WAYS in {__file__}.")
            return self._calls[place.name]
        kept = place.kept()
        found = next((way for value, way in self._values if value is kept), None)
        if found is None:
            raise LookupError(f"no function has made the {place.kind.__name__}. See WAYS in {__file__}.")
        return found

    def _watch(self, frame: FrameType, event: str, value: Any) -> None:
        if not self._places:
            return
        code = frame.f_code
        if event == "call" and code.co_qualname == "_WorkItem.__init__":
            work = frame.f_locals["self"]
            self._handed_in[id(work)] = work, self._files(frame)
        elif not (code.co_filename.startswith(str(PACKAGE)) and code.co_flags & inspect.CO_OPTIMIZED):
            return  # not ours, or the body of a module or class: an import
        elif event == "call":
            self._ran.setdefault(_within(code.co_filename))
            if code.co_qualname not in self._calls and Call(code.co_qualname) in self._places:
                self._calls[code.co_qualname] = self._way(frame)
        elif event == "return" and type(value) in {place.kind for place in self._places if isinstance(place, Made)}:
            self._values.append((value, self._way(frame)))

    def _way(self, frame: FrameType) -> Way:
        return Way(self._files(frame), list(self._ran))

    def _files(self, frame: FrameType | None) -> list[str]:
        files: list[str] = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(str(PACKAGE)):
                files.append(_within(frame.f_code.co_filename))
            if frame.f_code.co_qualname == "_WorkItem.run":
                _, before = self._handed_in.get(id(frame.f_locals["self"]), (None, []))
                files += before[::-1]
            frame = frame.f_back
        return unique(reversed(files))


def _within(path: str) -> str:
    return path.removeprefix(f"{PACKAGE}{os.sep}").replace(os.sep, "/")


def unique(files: Iterable[str]) -> list[str]:
    """Each file where it comes first."""
    return list(dict.fromkeys(files))


def lasso(tracer: Tracer) -> Way:
    visitor = _workbench()
    selecting = tracer.follow(lambda: visitor.lasso(range(23)), Call("Desk.select"))
    return selecting + tracer.follow(lambda: visitor.press("m"), _statements(visitor.page))


def answer(tracer: Tracer) -> Way:
    visitor = _workbench()
    return tracer.follow(lambda: visitor.press("s"), _statements(visitor.page))


def table(tracer: Tracer) -> Way:
    from cclab.datasets import Dataset

    visitor = _workbench()
    content = b"weight,length\n" + b"".join(b"%d,%d\n" % (i, i * i % 7) for i in range(30))
    read = Made(Dataset, lambda: visitor.session.data)
    return tracer.follow(lambda: visitor.drop("birds.csv", content), read, Call("Desk.open"))


def stroke(tracer: Tracer) -> Way:
    import numpy as np

    from cclab.apps import painter

    page = painter("phantom")
    page.desk.pace = None
    page.desk.objects = "superpixels"

    def paint(region: int, x: float) -> None:
        content = {"kind": "stroke", "number": region, "stroke": {"kind": "brush", "region": region, "size": 9.0}}
        points = np.array([[x, 60], [x, 90]], dtype="<f4")
        page.paint.canvas._handle_custom_msg(content, [points.tobytes()])

    paint(1, 60)
    return tracer.follow(lambda: paint(2, 120), _statements(page))


def cell(tracer: Tracer) -> Way:
    from cclab.cli import main
    from cclab.studies import find_studies

    find_studies()  # imports them all
    words = ["study", "foundation", "--only", "COP-KMeans", "iris", "--trials", "1", "--jobs", "1", "--out", "results"]
    places = ("RandomPairs.draw", "COPKMeans.step", "scores", "Results.add")
    return tracer.follow(lambda: main(words), *map(Call, places))


def _workbench() -> Any:
    from cclab.apps import workbench
    from tests.apps.visitor import Visitor

    return Visitor(workbench("iris", "COPKMeans", seed=1), [])


def _statements(page: Any) -> Made:
    from cclab.core import ConstraintSet

    return Made(ConstraintSet, lambda: page.desk.session.constraints)


WAYS = {"lasso": lasso, "table": table, "stroke": stroke, "answer": answer, "cell": cell}


def trace() -> dict[str, Way]:
    """All ways, each followed on a page of its own in an empty folder."""
    tracer = Tracer()
    tracer.install()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        os.environ["CCLAB_STATE"] = folder
        return {name: follow(tracer) for name, follow in WAYS.items()}


def _listed(way: Way) -> str:
    """A way as a numbered list, with what each file says of itself."""
    numbered = (f"{n}. `{file}`: {_summary(file)}" for n, file in enumerate(way.files, start=1))
    return "\n".join(
        [f"**{len(way.files)} files** hand it on; {len(way.ran)} have run when it is there.", "", *numbered]
    )


def _summary(file: str) -> str:
    said = ast.get_docstring(ast.parse((PACKAGE / file).read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0]


# ---------------------------------------------------------------------- rooms


class Room(NamedTuple):
    name: str
    files: int
    lines: int


def rooms() -> list[Room]:
    """The rooms from the top, as the import rule has them."""
    found = []
    for name in _rules()["importlinter:contract:rooms"]["layers"].split():
        paths = sorted((PACKAGE / name).rglob("*.py")) or [PACKAGE / f"{name}.py"]
        found.append(Room(name, len(paths), sum(path.read_bytes().count(b"\n") for path in paths)))
    return found


def strangers() -> set[tuple[str, str]]:
    """Which room must never import which, though it lies above it."""
    rules = [rule for rule in _rules().values() if rule.get("type") == "forbidden"]
    return {
        (_room(source), _room(other))
        for rule in rules
        for source in rule["source_modules"].split()
        for other in rule["forbidden_modules"].split()
        if other.startswith("cclab.")
    }


def imports() -> Counter[tuple[str, str]]:
    """How many modules of one room are imported by those of another."""
    import grimp

    graph = grimp.build_graph("cclab", cache_dir=None)
    pairs = ((a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a))
    found = Counter((_room(a), _room(b)) for a, b in pairs if "cclab" not in (a, b))
    return Counter({pair: n for pair, n in found.items() if pair[0] != pair[1]})


def _rules() -> configparser.ConfigParser:
    rules = configparser.ConfigParser()
    rules.read(ROOT / ".importlinter")
    return rules


def _room(module: str) -> str:
    return module.split(".")[1]


# ---------------------------------------------------------------------- picture

LEFT, WIDTH, HEIGHT, TOP = 236, 63, 32, 34
STYLE = """
  .ground { fill: #ffffff }
  text { font: 13px system-ui, sans-serif; fill: #1f2430 }
  .room { font-weight: 600 } .note { fill: #667085 } .count { text-anchor: end } .mid { text-anchor: middle }
  .step { fill: #e8ecf2; stroke: #b9c2d0 } .import { fill: #0072b2 } .never { fill: #c0392b } .line { stroke: #e3e7ee }
  .small { font-size: 11px }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #12161d }
    text { fill: #e6e9ef } .note { fill: #a3adbd } .step { fill: #2b313c; stroke: #4a5466 } .import { fill: #4aa8e0 }
    .never { fill: #ff8a7a } .line { stroke: #2f3642 }
  }
"""


def picture() -> str:
    """The rooms as a staircase: right of each, which rooms further down it imports, and how many modules do."""
    found, counts, never = rooms(), imports(), strangers()
    most = max(counts.values())
    width, height = LEFT + WIDTH * len(found), TOP + HEIGHT * len(found) + 30
    label = "The rooms of cclab from the top to the bottom, and the imports between them, all of which go downward"
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="6"/>',
        f'<text class="note count" x="150" y="{TOP - 14}">files</text>',
        f'<text class="note count" x="212" y="{TOP - 14}">lines</text>',
        f'<text class="note" x="{LEFT}" y="{TOP - 14}">how often each room imports the one whose step is below</text>',
    ]
    for i, room in enumerate(found):
        x, y = LEFT + i * WIDTH, TOP + i * HEIGHT
        middle = y + HEIGHT / 2 + 4.5
        drawn += [
            f'<line class="line" x1="0" x2="{width}" y1="{y}" y2="{y}"/>',
            f'<text class="room" x="8" y="{middle}">{room.name}</text>',
            f'<text class="count" x="150" y="{middle}">{room.files}</text>',
            f'<text class="count" x="212" y="{middle}">{room.lines:,}</text>',
            f'<rect class="step" x="{x + 0.5}" y="{y + 2.5}" width="{WIDTH - 1}" height="{HEIGHT - 5}" rx="5"/>',
            f'<text class="mid small" x="{x + WIDTH / 2}" y="{middle}">{room.name}</text>',
        ]
        for j, below in enumerate(found):
            centre, n = LEFT + (j + 0.5) * WIDTH, counts[room.name, below.name]
            if n:
                title = f"{room.name} imports {below.name}: {n}"
                shade = 0.12 + 0.5 * (n / most) ** 0.5
                drawn.append(
                    f'<g><title>{title}</title><rect class="import" x="{centre - 19}" y="{y + 4}" width="38" '
                    f'height="{HEIGHT - 8}" rx="5" fill-opacity="{shade:.2f}"/>'
                    f'<text class="mid" x="{centre}" y="{middle}">{n}</text></g>'
                )
            elif (room.name, below.name) in never:
                title = f"{room.name} must never import {below.name}"
                drawn.append(f'<text class="mid never" x="{centre}" y="{middle}"><title>{title}</title>never</text>')
    total = f"{sum(room.files for room in found)} files, {sum(room.lines for room in found):,} lines of Python"
    drawn += [f'<text class="note" x="8" y="{height - 10}">{total}</text>', "</svg>"]
    return "\n".join(drawn) + "\n"


# ---------------------------------------------------------------------- the document


def written(text: str, ways: dict[str, Way]) -> str:
    """The document with these ways between its markers."""
    for name, way in ways.items():
        block = re.compile(rf"(<!-- way: {name} -->\n).*?(<!-- end -->)", re.S)
        if not block.search(text):
            raise LookupError(f"{DOCUMENT.name} has no place for the way {name!r}")
        text = block.sub(lambda match, way=way: f"{match[1]}{_listed(way)}\n{match[2]}", text)
    return text


def _essence(text: str) -> str:
    """What must not be out of date: the files of ways, rooms and imports, whatever the counts of lines."""
    text = re.sub(r"^(\d+\. `[^`]+`):.*$", r"\1", text, flags=re.M)
    text = re.sub(r"; \d+ have run", "; some have run", text)
    return re.sub(r"[\d.,]+", "#", text) if text.startswith("<svg") else text


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT))
    made = {PICTURE: picture(), DOCUMENT: written(DOCUMENT.read_text(encoding="utf-8"), trace())}
    if "--check" not in arguments:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
        return 0
    old = [path for path, text in made.items() if _essence(path.read_text(encoding="utf-8")) != _essence(text)]
    for path in old:
        print(f"{path.relative_to(ROOT)} is out of date: run python docs/architecture.py")
    return bool(old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
