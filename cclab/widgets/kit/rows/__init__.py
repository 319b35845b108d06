"""Tables, lists and cards: HTML rows from Python, clicks and hovers back."""

from cclab.widgets.kit.rows.rows import Action, Row, Rows

__all__ = ["Action", "Row", "Rows"]
