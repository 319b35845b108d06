"""The painter."""

from cclab.apps.painter.painter import painter

__all__ = ["painter"]
