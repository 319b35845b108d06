"""Two journeys in a real Chromium with large tables of one's own: ``make bench-journeys``.

30,000 cells with sparse counts of 2,000 genes, and a million places as a logger writes them, in a Parquet file of more
than 50 MB: each is opened by the button, looked at, searched, clustered and exported, and what each part takes is
printed. Nothing here has a limit; a part that is never done ends it.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from benchmarks.chromium import PATIENCE, new_page
from benchmarks.memory import largest_child
from tests.browser.conftest import CHROMIUM_FLAGS, HERE
from tests.browser.long_journeys import at_the_workbench, cells, places, served


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long something takes."""
    began = time.monotonic()
    yield
    print(f"  {what:<50} {time.monotonic() - began:8.1f} s", flush=True)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="make bench-journeys", description=__doc__)
    parser.add_argument("journeys", nargs="*", default=["cells", "places"])
    parser.add_argument("--cells", type=int, nargs=2, default=[30_000, 2_000], help="how many, with how many genes")
    parser.add_argument("--places", type=int, default=1_000_000, help="how many")
    parser.add_argument("--pictures", type=Path, help="a folder for a screenshot at the end of each")
    options = parser.parse_args(words)
    path = runpy.run_path(str(HERE / "chromium.py"))["find"]()
    expect.set_options(timeout=1000 * PATIENCE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.environ["CCLAB_STATE"] = str(Path(folder, "state"))
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        with served() as address:
            for journey in options.journeys:
                size = "{:,} cells of {:,} genes".format(*options.cells)
                print(f"\n{size if journey == 'cells' else f'{options.places:,} places'}", flush=True)
                page = new_page(browser)
                with timed("the page opens"):
                    hand = at_the_workbench(page, address)
                try:
                    if journey == "cells":
                        cells(hand, Path(folder), *options.cells, timed)
                    else:
                        file = places(hand, Path(folder), options.places, timed)
                        print(f"  {file.name} has {file.stat().st_size / 2**20:.0f} MB")
                    now, peak = largest_child()
                    print(f"  the kernel keeps {now:,.0f} MB, and needed {peak:,.0f} MB at most", flush=True)
                finally:
                    if options.pictures is not None:
                        page.screenshot(path=options.pictures / f"{journey}.png")
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
