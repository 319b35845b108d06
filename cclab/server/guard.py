"""Who may ask: this site's own pages, and whoever is led here; not other sites behind a visitor's back."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Whether a page of another site makes this request, other than by leading its visitor here.

    A picture whose address is a dashboard's, on any page anywhere, would start a kernel. Browsers say what they ask
    for, and for whom, in headers that no page can change; what asks without them is no browser.

    Parameters
    ----------
    headers : mapping from str to str

    Examples
    --------
    >>> is_foreign({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"})
    True
    >>> is_foreign({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
    False
    """
    site = headers.get("Sec-Fetch-Site")
    if site is None:
        origin = headers.get("Origin")
        return origin is not None and urlsplit(origin).netloc != headers.get("Host")
    if site in ("same-origin", "none"):
        return False
    is_visit = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
    # A page may also have the browser fetch what its visitor could open next.
    return not is_visit or "Sec-Purpose" in headers
