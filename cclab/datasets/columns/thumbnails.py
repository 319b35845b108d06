"""Pictures of a table: out of bytes or files, as thumbnails of one size and as features."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cclab.datasets.columns.kinds import PICTURE_FILE
from cclab.datasets.limits import MOST_PICTURE_BYTES, MOST_PIXELS, MOST_SAMPLES, check_limit, check_unpacked

#: Formats that are read; others may start programs of their own.
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
# Thumbnails are squares of so many pixels; smaller where there are many of them.
_SIDE, _SMALL_SIDE, _MANY = 64, 32, 10_000
# Pixels are compared at this size.
_FEATURE_SIDE = 32
_SMALLER = "Open a part of them."


def picture_table(source: str | Path | bytes, name: str) -> pd.DataFrame:
    """A table with one row for each picture in a folder or in a zip archive.

    Returns
    -------
    DataFrame
        Columns ``file``, ``folder`` where there are several folders, and ``picture``: paths or bytes.
    """
    found: list[tuple[str, Any]]
    if isinstance(source, bytes):
        found = _from_zip(source, name)
    else:
        root = Path(source)
        paths = sorted(path for path in root.rglob("*") if path.is_file() and PICTURE_FILE.fullmatch(path.name))
        check_limit(len(paths), MOST_SAMPLES, "pictures", _SMALLER, where=name)
        found = [(path.relative_to(root).as_posix(), str(path)) for path in paths]
    if not found:
        raise ValueError(f"{name} holds no pictures; {', '.join(FORMATS)} are read")
    files = [file for file, _ in found]
    folders = _told_apart([Path(file).parent.as_posix() for file in files])
    columns: dict[str, list[Any]] = {"picture": [picture for _, picture in found], "file": files}
    if len(set(folders)) > 1:
        columns["folder"] = folders
    frame = pd.DataFrame(columns)
    frame.attrs.update(file=name, folder=None if isinstance(source, bytes) else str(source))
    return frame


def _told_apart(folders: list[str]) -> list[str]:
    """Folders without what the names of all begin with: archives mostly have one folder that holds all others.

    >>> _told_apart(["leaves/oak", "leaves/birch/old"])
    ['oak', 'birch/old']
    """
    parts = [folder.split("/") for folder in folders]
    alike = takewhile(lambda level: len(set(level)) == 1, zip(*parts))
    shared = sum(1 for _ in alike)
    if shared == min(map(len, parts)):
        return folders  # some pictures are in it, not below
    return ["/".join(part[shared:]) for part in parts]


def _from_zip(content: bytes, name: str) -> list[tuple[str, Any]]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ValueError(f"{name} is a damaged archive; write or upload it again ({error})") from None
    with archive:
        members = [info for info in archive.infolist() if PICTURE_FILE.fullmatch(info.filename) and not info.is_dir()]
        members = [info for info in members if not Path(info.filename).name.startswith(".")]
        check_limit(len(members), MOST_SAMPLES, "pictures", _SMALLER, where=name)
        check_unpacked(sum(info.file_size for info in members), name, _SMALLER)
        found = []
        for info in sorted(members, key=lambda info: info.filename):
            try:
                with archive.open(info) as member:
                    # No more than is declared, whatever the archive would unpack to.
                    found.append((info.filename, member.read(min(info.file_size, MOST_PICTURE_BYTES) + 1)))
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
                raise ValueError(f"{name}: {info.filename!r:.80} can't be unpacked ({error})") from None
        return found


def opened(cell: Any, folder: str | None) -> Any:
    """One picture, as Pillow has it, upright and in grey or RGB.

    Raises
    ------
    ValueError
        It is none, is damaged, too large or not there; the words say which.
    """
    from PIL import Image, ImageOps

    try:
        stream = _stream(cell, folder)
        with Image.open(stream, formats=FORMATS) as image:
            check_limit(image.width * image.height, MOST_PIXELS, "pixels", "Make it smaller.")
            image.draft("RGB", (4 * _SIDE, 4 * _SIDE))
            grey = image.mode in ("1", "L", "LA", "I", "I;16", "F")
            if image.mode.startswith(("I", "F")):
                return _from_deep(image)
            upright = ImageOps.exif_transpose(image)
            if "A" in upright.getbands() or "transparency" in upright.info:
                paper = Image.new("RGBA", upright.size, "white")
                upright = Image.alpha_composite(paper, upright.convert("RGBA"))
            return upright.convert("L" if grey else "RGB")
    except ValueError:
        raise
    except Exception:  # Pillow raises what it likes at what is no picture
        raise ValueError("no picture, or a damaged one") from None


def _stream(cell: Any, folder: str | None) -> Any:
    if isinstance(cell, dict):  # as tables of pictures have them: the content, and where it came from
        cell = cell.get("bytes") if cell.get("bytes") is not None else cell.get("path")
    if isinstance(cell, bytes | bytearray | memoryview):
        return io.BytesIO(bytes(cell))
    if not isinstance(cell, str) or not cell:
        raise ValueError("there is none")
    if folder is None:
        raise ValueError("only its name is in the table; say in which folder the files are: pictures='folder'")
    path = Path(cell) if Path(cell).is_absolute() else Path(folder) / cell
    if not path.is_file():
        raise ValueError(f"there is no file {cell!r:.80}")
    return path


def _from_deep(image: Any) -> Any:
    """More than 256 levels of grey, from the darkest to the brightest."""
    from PIL import Image

    values = np.asarray(image, dtype=float)
    spread = values.max() - values.min()
    return Image.fromarray(np.round(255 * (values - values.min()) / (spread or 1)).astype(np.uint8))


class Pictures:
    """Thumbnails of the pictures in a column, and what went wrong with some.

    Parameters
    ----------
    cells : sequence
        Bytes, names of files, or dictionaries with one of these.
    folder : str or None
        Where the files are; None where files must not be opened.
    embed : callable, optional
        Gives numbers for each picture, as bytes (height, width, 3) at full size.

    Attributes
    ----------
    thumbnails : uint8 array (n, height, width) or (n, height, width, 3)
    broken : dict from int to str
        Which could not be read, and why; their thumbnails are blank.
    embedded : list of arrays, or None
    """

    def __init__(self, cells: Iterable[Any], folder: str | None, embed: Callable[[Any], Any] | None = None) -> None:
        from PIL import Image, ImageOps

        cells = list(cells)
        side = _SIDE if len(cells) <= _MANY else _SMALL_SIDE
        self.broken: dict[int, str] = {}
        self.embedded: list[Any] | None = None if embed is None else [None] * len(cells)
        small: list[Any] = [None] * len(cells)
        for row, cell in enumerate(cells):
            try:
                image = opened(cell, folder)
            except ValueError as error:
                self.broken[row] = str(error)
                continue
            if embed is not None and self.embedded is not None:
                self.embedded[row] = np.asarray(embed(np.asarray(image.convert("RGB"))), dtype=float).ravel()
            largest = max(image.size)
            if largest > side:
                scale = side / largest
                size = max(round(image.width * scale), 1), max(round(image.height * scale), 1)
                image = image.resize(size, Image.Resampling.BOX if scale < 0.25 else Image.Resampling.BILINEAR)
            small[row] = image
        if len(self.broken) == len(cells):
            first = f": the first is {self.broken[0]}" if cells else ""
            raise ValueError(f"none of {len(cells):,} pictures can be read{first}")
        there = [image for image in small if image is not None]
        mode = "L" if all(image.mode == "L" for image in there) else "RGB"
        size = max(image.width for image in there), max(image.height for image in there)
        shape = (len(cells), size[1], size[0]) + ((3,) if mode == "RGB" else ())
        self.thumbnails = np.full(shape, 255, dtype=np.uint8)
        for row, image in enumerate(small):
            if image is not None:
                white = 255 if mode == "L" else (255, 255, 255)
                self.thumbnails[row] = np.asarray(ImageOps.pad(image.convert(mode), size, color=white))


def pixels(thumbnails: np.ndarray) -> np.ndarray:
    """Pictures as features: their pixels from 0 to 1, of no more than 32 x 32 places."""
    step = max(-(-max(thumbnails.shape[1:3]) // _FEATURE_SIDE), 1)
    height, width = (length // step * step or length for length in thumbnails.shape[1:3])
    cut = thumbnails[:, :height, :width].astype(np.float32)
    if step > 1 and height % step == 0 and width % step == 0:
        places = (len(cut), height // step, step, width // step, step, *cut.shape[3:])
        cut = cut.reshape(places).mean(axis=(2, 4))
    return cut.reshape(len(cut), -1) / 255
