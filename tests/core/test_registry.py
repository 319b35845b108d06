"""Classes by name, and the order in which modules may be imported."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["cclab.maths.seeding", "cclab.core.state", "cclab.algorithms.kmeans.cop"])
def test_any_module_may_come_first(module):
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
