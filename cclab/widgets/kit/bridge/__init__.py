"""The shell of an app: stylesheet, keys, theme, files, visitor, and word of each painted frame."""

from cclab.widgets.shell.shell import Shell

__all__ = ["Shell"]
