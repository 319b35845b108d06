"""Tables, lists and cards: HTML rows from Python, clicks and hovers back."""

from cclab.widgets.rows.rows import Action, Rows

__all__ = ["Action", "Rows"]
