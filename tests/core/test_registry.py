"""Classes by name, and the order in which modules may be imported."""

import subprocess
import sys

MODULES = ["cclab.maths.seeding", "cclab.core.state", "cclab.algorithms.kmeans.cop"]
FIRST = """
import importlib, sys
for module in sys.argv[1:]:
    for known in [name for name in sys.modules if name.startswith("cclab")]:
        del sys.modules[known]
    importlib.import_module(module)
"""


def test_any_module_may_come_first():
    subprocess.run([sys.executable, "-c", FIRST, *MODULES], check=True)
