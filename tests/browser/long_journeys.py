"""Two journeys with tables of one's own, of any size: cells with their counts of genes, and places on a map.

Small ones are tests; ``python -m benchmarks.journeys`` makes them with 30,000 cells and a million places.
"""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, expect
from scipy import sparse

from tests.browser.journeys import Hand
from tests.datasets.columns.own_tables import gps_points, single_cells

_SERVE = (
    "import sys; from cclab.server.server import serve; serve(port=int(sys.argv[1]), open_browser=False, workers=1)"
)
Timed = Callable[[str], AbstractContextManager]


def untimed(_what: str) -> AbstractContextManager:
    return nullcontext()


@contextmanager
def served() -> Iterator[str]:
    """The address of a server of one's own, as ``cclab app`` starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", _SERVE, str(port)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "cclab is open at" in process.stdout.readline()
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


def at_the_workbench(page: Page, address: str) -> Hand:
    """Open the workbench, and wait until it can be used."""
    page.goto(address + "open/workbench")
    hand = Hand(page)
    expect(hand.find(".cc-cover")).to_be_hidden()
    hand.wait_until_open()
    return hand


def open_file(hand: Hand, path: Path) -> None:
    """Choose a file by the button Open."""
    with hand.page.expect_file_chooser() as chooser:
        hand.find(".cc-choose-file").first.click()
    chooser.value.set_files(path)


def cells(hand: Hand, folder: Path, n: int, d: int, timed: Timed = untimed) -> None:
    """A table about cells, then their counts; colours, a rule, a list, another solver run to its end, the table out."""
    counts, kind = single_cells(n, d)
    about = pd.DataFrame({"cell": [f"cell {i}" for i in range(n)], "batch": ["north", "south"] * (n // 2)})
    about["n_counts"] = counts.sum(axis=1)
    about.to_csv(folder / "cells.csv", index=False)
    sparse.save_npz(folder / "cells.npz", sparse.csr_matrix(counts))
    with timed("the table about them opens"):
        open_file(hand, folder / "cells.csv")
        expect(hand.status).to_contain_text(f"n {n:,}")
    with timed("their counts open"):
        open_file(hand, folder / "cells.npz")
        expect(hand.find(".cc-banner")).to_contain_text("are those of the rows of cells.csv")
        expect(hand.find(".cc-banner")).to_contain_text(f"{d:,} features reduced to 50 by truncated SVD")
        expect(hand.status).to_contain_text(f"n {n:,}")
    hand.find(".cc-banner button").last.click()
    with timed("coloured by batch"):
        hand.find(".cc-scatter select").filter(has_text="Belief").select_option(label="batch")
        expect(hand.find(".cc-legend")).to_contain_text("south")
    hand.find(".cc-scatter select").filter(has_text="Belief").select_option(label="Belief")
    _use(hand, "batch == 'north' and n_counts > 0", n // 2, timed)
    with timed("COPKMeans starts"):
        _choose(hand, "COPKMeans")
    with timed("and has converged"):
        hand.run_to_the_end()
    with timed("the table with clusters is written"):
        table = pd.read_csv(hand.export("Table with clusters (CSV)", folder))
    assert len(table) == n
    assert table["cell"].tolist() == about["cell"].tolist()
    of_each_kind = pd.crosstab(table["cluster"].to_numpy(), kind).to_numpy()
    assert of_each_kind.max(axis=1).sum() > 0.95 * n, of_each_kind  # no cluster has cells of both kinds


def places(hand: Hand, folder: Path, n: int, timed: Timed = untimed) -> Path:
    """Places on a map, with what a logger writes beside them; a rule, a list, colours, steps, the table out."""
    frame = gps_points(n)
    rng = frame["speed"].sample(frac=1, random_state=0).to_numpy()
    extra = {f"sensor_{j}": (rng * (j + 1)) % 7.3 for j in range(6)}
    path = folder / "drives.parquet"
    frame.assign(**extra).to_parquet(path)
    with timed("opens"):
        open_file(hand, path)
        expect(hand.status).to_contain_text(f"n {n:,}")
        expect(hand.find(".cc-cover")).to_be_hidden()
    expect(hand.find(".cc-scatter .cc-axes select").first).to_contain_text("Map")
    fast = int((frame["speed"] > 40).sum())
    _use(hand, "speed > 40", fast, timed)
    with timed("coloured by speed"):
        hand.find(".cc-scatter select").filter(has_text="Belief").select_option(label="speed")
        expect(hand.find(".cc-legend .cc-ramp")).to_be_visible()
    with timed("COPKMeans starts"):
        _choose(hand, "COPKMeans")
    with timed("three steps"):
        for k in range(3):
            hand.press("ArrowRight")
            expect(hand.status).to_contain_text(re.compile(rf"Converged|iteration [{k + 1}-9]"))
    with timed("the table with clusters is written"):
        table = pd.read_parquet(hand.export("Table with clusters (Parquet)", folder))
    assert len(table) == n
    assert table["cluster"].notna().all()
    return path


def _use(hand: Hand, rule: str, count: int, timed: Timed) -> None:
    """Find samples by a rule, and list them."""
    with timed("a rule finds its samples"):
        hand.press("/")
        line = hand.find(".cc-search input")
        expect(line).to_be_focused()
        hand.page.keyboard.type(rule)
        line.press("Enter")
        expect(hand.selection).to_contain_text(f"{count:,} selected")
    hand.press("Escape")
    with timed("these are listed"):
        hand.find(".cc-lower-tabs button:visible").filter(has_text="Table").first.click()
        expect(hand.find(".cc-long-table tbody tr").first).to_be_visible()
    hand.find(".cc-lower-tabs button:visible").filter(has_text="Stated").first.click()
    hand.press("Escape")


def _choose(hand: Hand, name: str) -> None:
    """Choose a solver from the menu."""
    hand.find(".cc-solver-button").click()
    hand.find(f".cc-solver[data-id={name}]").click()
    expect(hand.find(".cc-solver-button")).to_have_text(name)
    expect(hand.status).to_contain_text(re.compile("Ready|Converged"))
