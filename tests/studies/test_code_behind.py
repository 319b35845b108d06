import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import cclab
from cclab import FCM
from cclab.studies import Data, Method, Study, grid
from cclab.studies.study import StaleResults


def test_a_change_in_any_code_that_a_cell_runs_changes_its_fingerprint(tmp_path):
    shutil.copytree(
        Path(cclab.__file__).parent,
        tmp_path / "cclab",
        ignore=lambda folder, names: [n for n in names if n in ("apps", "widgets", "server", "__pycache__")],
    )
    script = """
        import sys
        from pathlib import Path
        from cclab import FCM
        from cclab.queries import OverlapQueries
        from cclab.studies import Data, Method, grid
        from cclab.studies.knowledge import Asked
        from cclab.studies.painting import STUDY
        from cclab.studies.identity import fingerprint
        from cclab.studies.trial import run_trial

        (cell,) = grid(Data("iris"), Method("FCM", FCM), Asked(OverlapQueries(), budget=3))
        painted = [c for c in STUDY.cells if c.method.is_function][0]

        def prints():
            return [fingerprint(0, c, (), run_trial) for c in (cell, painted)]

        before = prints()
        assert prints() == before
        for file in sys.argv[1:]:
            with Path("cclab", file).open("a") as source:
                source.write("# changed\\n")
            after = prints()
            print(file, *(a != b for a, b in zip(after, before)))
            before = after
        """
    files = [
        "maths/memberships.py",  # imported by the solver
        "core/constraints/links.py",  # by the core
        "datasets/generators.py",
        "queries/overlap.py",
        "oracles/loop.py",
        "core/constraints/exchange.py",  # imported in a function
        "algorithms/kmeans/bckm.py",  # the painter looks solvers up by their names
        "images/prototypes.py",
        "session/session.py",
        "studies/claims.py",  # imported by every study, but no trial runs it
    ]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *files],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    changed = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    both, asked, painted, none = ["True", "True"], ["True", "False"], ["False", "True"], ["False", "False"]
    assert [changed[file] for file in files] == [both, both, both, asked, both, both, painted, painted, none, none]


def test_results_of_other_code_are_run_again_and_said_to_be(tmp_path, monkeypatch):
    small = Study("small", "", grid(Data("iris"), Method("FCM", FCM)), trials=2)
    small.run(out=tmp_path)
    monkeypatch.setattr("cclab.studies.identity.code_behind", lambda modules: "changed")
    seen = []
    with pytest.warns(StaleResults, match=r"trials\.jsonl has 2 of these trials from other code.*run again"):
        small.run(out=tmp_path, progress=lambda done, total: seen.append(done))
    assert seen == [0, 1, 2]
