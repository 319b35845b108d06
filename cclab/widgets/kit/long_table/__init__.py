"""A table of a million rows, of which only those in sight are on the page."""

from cclab.widgets.kit.long_table.long_table import LongTable

__all__ = ["LongTable"]
