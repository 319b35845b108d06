"""Several small ES modules in, one module out: a widget's front end is a single text."""

import re
from importlib.resources import files

_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\.[^"]+";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def bundle(*names: str) -> str:
    """Concatenate modules of this package (``"kit/rows/rows.js"``), those that others import first.

    Top-level names must differ between them, and imports are always by name (``import { a } from "./a.js";``), so that
    leaving the imports and exports out is all that is needed.
    """
    sources = (files("cclab.widgets").joinpath(name).read_text(encoding="utf-8") for name in names)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", source)) for source in sources)
