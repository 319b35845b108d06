"""Credal explained."""

from cclab.apps.credal.credal import credal

__all__ = ["credal"]
