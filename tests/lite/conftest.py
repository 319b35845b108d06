"""The real browser of the other journeys."""

from tests.browser.conftest import browser

__all__ = ["browser"]
