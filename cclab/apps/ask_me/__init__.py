"""Ask me: the query game."""

from cclab.apps.ask_me.ask_me import ask_me

__all__ = ["ask_me"]
