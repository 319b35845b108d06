"""Compare: two solvers on the same statements."""

from cclab.apps.compare.compare import compare

__all__ = ["compare"]
