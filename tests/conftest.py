"""Fixtures that every room's tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

import cclab.server  # noqa: F401 - before jsonschema: it postpones what that would import

# A busy machine is no reason to fail: what is measured are the results, not the time of a single example.
settings.register_profile("cclab", deadline=None, max_examples=40)
settings.load_profile("cclab")


def require_data_folder() -> Path:
    """The folder that CCLAB_DATA names. Without one the test is skipped, but fails where CI is set."""
    named = os.environ.get("CCLAB_DATA", "")
    if named and Path(named).is_dir():
        return Path(named)
    give_up = pytest.fail if os.environ.get("CI") else pytest.skip
    give_up("CCLAB_DATA names no folder")


@pytest.fixture
def data_folder() -> Path:
    return require_data_folder()


def pytest_runtest_setup(item):
    if item.get_closest_marker("data"):
        require_data_folder()
