"""What the common checks catch of a solver that was written in a hurry."""

import importlib.util
import sys
from pathlib import Path

import pytest

from cclab import FCM, PCKMeans
from cclab.core.registry import solvers
from tests import checks


class _Hasty(FCM):
    """Says nothing about what it is made from."""

    uses = frozenset({"must"})
    descends = True


def test_a_claim_without_a_reason_is_caught():
    with pytest.raises(AssertionError, match="say why in a comment"):
        checks.check_says_whether_the_objective_descends(_Hasty)


def test_weights_that_are_lost_are_caught():
    with pytest.raises(AssertionError, match="takes sample weights"):
        checks.check_sample_weights_are_taken_where_they_are_free(_Hasty)


def test_a_group_that_is_expanded_is_caught(monkeypatch):
    monkeypatch.setattr(checks, "LARGEST_PEAK", 1e5)
    with pytest.raises(AssertionError, match="a group of 5000 took"):
        checks.check_a_large_group_is_not_expanded(_Hasty)


def test_a_run_that_ends_before_new_links_are_heard_is_caught():
    class _Deaf(PCKMeans):
        def converged(self, previous, state):
            return state.shift <= self.tol

    with pytest.raises(AssertionError, match="stopped while a step would still change it"):
        checks.check_new_knowledge_is_heard_to_the_end(_Deaf)


@pytest.fixture(scope="module")
def skeleton(tmp_path_factory):
    """The solver of docs/add-an-algorithm.md, from a file of its own."""
    page = (Path(__file__).parents[1] / "docs" / "add-an-algorithm.md").read_text()
    file = tmp_path_factory.mktemp("docs") / "skeleton_of_the_docs.py"
    file.write_text(page.partition("```python\n")[2].partition("```")[0])
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module._Skeleton
    del sys.modules[file.stem]


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_the_example_of_the_docs_is_a_good_solver(skeleton, check, monkeypatch):
    monkeypatch.setitem(solvers._classes, skeleton.__name__, skeleton)
    check(skeleton)
