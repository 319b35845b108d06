"""The shell of an app: stylesheet, keys, theme, files, visitor, and word of each painted frame."""

from cclab.widgets.kit.bridge.shell import Shell

__all__ = ["Shell"]
