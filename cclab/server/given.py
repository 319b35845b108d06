"""The file that was named on the command line: which page opens it, and how that page learns of it.

Its path goes from the server to the kernels through the environment, never through the browser: no visitor can name
a file of this machine.
"""

import os
from pathlib import Path

from cclab.apps.page.loading import ENDINGS, GIVEN
from cclab.images.reading import SUFFIXES


class NotToOpen(Exception):
    """The file can't be opened; the message says why and what to do."""


def page_for(path: str | Path) -> str:
    """The page that opens a file, by the ending of its name.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    str
        "painter" for a picture, "workbench" for a table or a session.
    """
    path = Path(path)
    if not path.exists():
        raise NotToOpen(f"There is no file {path}.")
    if path.is_dir():
        raise NotToOpen(f"{path} is a folder; name one file in it.")
    name, tables = path.name.lower(), tuple(ENDINGS.split(","))
    if name.endswith(SUFFIXES):
        return "painter"
    if name.endswith(tables):
        return "workbench"
    raise NotToOpen(
        f"{path} is neither a table ({', '.join(tables)}) nor a picture ({', '.join(SUFFIXES)}) by its name."
    )


def give(path: str | Path) -> str:
    """Let the pages of this server open a file.

    Returns
    -------
    str
        The address that opens it, below that of the gallery.
    """
    page = page_for(path)
    os.environ[GIVEN] = str(Path(path).resolve())
    return f"open/{page}?given"
