"""Files as arrays, with what they say of themselves; sizes are checked before anything is unpacked."""

from __future__ import annotations

import io
import logging
import math
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cclab.datasets.limits import MOST_PIXELS, TooLarge, check_limit, check_unpacked

if TYPE_CHECKING:
    from tifffile import TiffFile

# What is opened, by name: Pillow knows many more formats, and hands some of them to other programs.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP")
KINDS = "PNG, JPEG, TIFF, BMP, GIF or WebP; DICOM and NIfTI with the extra cclab[medical]"
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_NIFTI = (b"n+1\0", b"ni1\0", b"n+2\0", b"ni2\0")
_DEFLATE = {8, 32946}
_TIFF_COMPRESSIONS = _DEFLATE | {1, 5, 7, 32773}  # none, LZW, JPEG, PackBits
_BLOCK = 2**20
SMALLER = "Reduce it, or cut out the part that matters."
_ALPHA = (1, 2)
_LENGTHS = {"µm": "µm", "um": "µm", "micron": "µm", "nm": "nm", "mm": "mm", "cm": "cm", "m": "m"}
_AXES = {"Z": "z", "T": "time", "C": "channel", "I": "page", "Q": "page"}


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a file holds.

    Attributes
    ----------
    values : array of shape (n_slices, height, width) or (n_slices, height, width, n_channels)
        As they are stored, or in their units where the file tells how.
    colours : {"", "RGB", "RGBA", "LA"}
        What the channels are; "" where they are values of their own, or there is one.
    channels : tuple of str
        Names of channels that are no colours.
    unit : str
        Of the values, such as "HU".
    spacing : (rows, columns) or None
        The size of a pixel, in `length`.
    thickness : float or None
        From one slice to the next, in `length`.
    length : str
    window : (low, high) or None
        The values between which the file wants to be looked at.
    axis : str
        What slices are.
    invalid : bool array of the shape (n_slices, height, width), or None
        Where there is no value.
    affine : array of shape (4, 4) or None
        Of a NIfTI file, with `orientation`: how its own order of voxels comes from slices.
    """

    values: np.ndarray
    colours: str = ""
    channels: tuple[str, ...] = ()
    unit: str = ""
    spacing: tuple[float, float] | None = None
    thickness: float | None = None
    length: str = ""
    window: tuple[float, float] | None = None
    axis: str = "slice"
    invalid: np.ndarray | None = None
    affine: np.ndarray | None = None
    orientation: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_slices(self) -> int:
        """How many pictures there are."""
        return len(self.values)

    def first(self) -> Decoded:
        """The first slice alone, and a note that there are others."""
        if self.n_slices == 1:
            return self
        note = f"the first of {self.n_slices} {self.axis}s"
        invalid = None if self.invalid is None else self.invalid[:1]
        return replace(self, values=self.values[:1], invalid=invalid, notes=(note, *self.notes))


def decode(content: bytes, shown_as: str) -> Decoded:
    """The picture or the stack in a file; what can't be read is said in words that name the file."""
    try:
        from PIL import UnidentifiedImageError
    except ImportError as error:
        raise ImportError("reading pictures needs scikit-image: pip install 'cclab[images]'") from error
    if not content:
        raise ValueError(f"{shown_as} is empty; save it anew as {KINDS}")
    try:
        with _silent("tifffile"), _silent("nibabel.global"):
            return _decoder_of(content)(content, shown_as)
    except (TooLarge, ImportError):
        raise
    except UnidentifiedImageError:
        raise ValueError(f"{shown_as} is no picture that can be read; save it as {KINDS}") from None
    except Exception as error:  # each decoder raises what it likes at a damaged file
        # A decoder that lost its way in a damaged file has nothing to say to a person.
        lost = isinstance(error, LookupError | TypeError | AttributeError) or not str(error)
        reason = "" if lost else f" ({str(error).splitlines()[0][:200]})"
        raise ValueError(
            f"{shown_as} is no picture that can be read, or is damaged{reason}; save it anew as {KINDS}"
        ) from error


@contextmanager
def _silent(library: str) -> Iterator[None]:
    """Let a library log nothing: what is wrong with a file is said by us, once."""
    logger = logging.getLogger(library)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _decoder_of(content: bytes) -> Callable[[bytes, str], Decoded]:
    if content.startswith(_TIFF):
        return _decode_tiff
    if content[128:132] == b"DICM":  # its first 128 bytes may be anything
        from cclab.images.medical import decode_dicom

        return decode_dicom
    if content[:2] == b"\x1f\x8b" or content[344:348] in _NIFTI or content[4:8] in _NIFTI:
        from cclab.images.medical import decode_nifti

        return decode_nifti
    return _decode_other


def check_size(n_slices: int, height: int, width: int, n_bytes: int, shown_as: str) -> None:
    """Refuse what has too many pixels on a slice, or would take too much memory in all."""
    check_limit(height * width, MOST_PIXELS, "pixels", SMALLER, where=shown_as)
    advice = SMALLER if n_slices == 1 else f"Open a part of its {n_slices:,} slices."
    check_unpacked(n_bytes, shown_as, advice)


# ---------------------------------------------------------------------- TIFF


def _decode_tiff(content: bytes, shown_as: str) -> Decoded:
    """By tifffile: it keeps 16 bits a channel, which Pillow does not, and knows OME-TIFF and ImageJ's stacks."""
    import tifffile

    with tifffile.TiffFile(io.BytesIO(content)) as file:
        series = file.series[0]
        page = series.keyframe
        check_size(math.prod(series.shape[:-2]), page.imagelength, page.imagewidth, series.nbytes, shown_as)
        if page.compression not in _TIFF_COMPRESSIONS:
            raise ValueError(f"its pixels are compressed by {getattr(page.compression, 'name', page.compression)}")
        for one in series.pages:
            _check_strips(page if one is None else one, content, shown_as)
        axes = series.axes.upper()
        values = series.asarray()
        colours, notes = "", []
        channels: tuple[str, ...] = ()
        if len(file.series) > 1:
            notes.append(f"the first of {len(file.series)} images in the file")
        photometric = getattr(page.photometric, "name", "")
        if photometric == "PALETTE" and page.colormap is not None:
            values, axes = np.moveaxis(page.colormap[:, values], 0, -1), axes + "S"
            if not (values % 257).any():  # eight bits, spread over sixteen as TIFF wants it
                values = (values // 257).astype(np.uint8)
            colours = "RGB"
            notes.append("colours of a palette")
        elif photometric == "MINISWHITE":
            values = (2**page.bitspersample - 1 - values).astype(values.dtype)
            notes.append("white is 0 in this file: turned round")
        elif photometric == "SEPARATED":
            values, axes = _from_cmyk(values, axes)
            colours = "RGB"
            notes.append("colours for print (CMYK) turned into RGB without a profile")
        elif photometric in ("RGB", "YCBCR"):
            extra = tuple(int(kind) for kind in page.extrasamples)
            colours = {3: "RGB", 4: "RGBA" if extra[:1] and extra[0] in _ALPHA else ""}.get(page.samplesperpixel, "")
            if not colours:
                names = ("red", "green", "blue")
                channels = (*names, *(f"channel {k + 1}" for k in range(3, page.samplesperpixel)))
        elif page.samplesperpixel == 2 and tuple(page.extrasamples)[:1] and page.extrasamples[0] in _ALPHA:
            colours = "LA"
        values, axis = _by_axes(values, axes)
        if values.ndim == 4 and not colours and not channels:
            channels = _channel_names(file, values.shape[3])
        spacing, thickness, length = _tiff_spacing(file, page)
    return Decoded(
        values, colours, channels, spacing=spacing, thickness=thickness, length=length, axis=axis, notes=tuple(notes)
    )


def _by_axes(values: np.ndarray, axes: str) -> tuple[np.ndarray, str]:
    """Slices, rows, columns and channels in this order; what slices are."""
    where = {letter: place for place, letter in enumerate(axes)}
    channel = next((where[letter] for letter in "SC" if letter in where), None)
    if "S" in where and "C" in where:  # colours of several channels: the channels are slices
        channel = where["S"]
    rows, columns = where["Y"], where["X"]
    others = [place for place in range(values.ndim) if place not in (rows, columns, channel)]
    order = [*others, rows, columns, *([] if channel is None else [channel])]
    values = np.transpose(values, order)
    tail = values.shape[len(others) :]
    if channel is not None and tail[-1] == 1:
        tail = tail[:-1]
    longest = max(others, key=lambda place: values.shape[others.index(place)], default=None)
    axis = "slice" if longest is None else _AXES.get(axes[longest], "slice")
    return values.reshape(-1, *tail), "slice" if axis == "z" else axis


def _from_cmyk(values: np.ndarray, axes: str) -> tuple[np.ndarray, str]:
    place = axes.index("S")
    inks = np.moveaxis(values, place, -1).astype(np.float32) / np.iinfo(values.dtype).max
    rgb = (1 - inks[..., :3]) * (1 - inks[..., 3:4])
    return np.rint(255 * rgb).astype(np.uint8), axes.replace("S", "") + "S"


def _channel_names(file: TiffFile, n_channels: int) -> tuple[str, ...]:
    names = re.findall(r"<Channel\b[^>]*\bName=\"([^\"]{1,40})\"", file.ome_metadata or "") if file.is_ome else []
    if file.is_imagej and not names:
        names = [str(label)[:40] for label in (file.imagej_metadata or {}).get("Labels", [])[:n_channels]]
    return tuple(names) if len(names) == n_channels else tuple(f"channel {k + 1}" for k in range(n_channels))


def _tiff_spacing(file: TiffFile, page: Any) -> tuple[tuple[float, float] | None, float | None, str]:
    """The size of a pixel as OME, ImageJ or the resolution tags tell it; none where they don't."""
    if file.is_ome:
        found = re.search(r"<Pixels\b[^>]*>", file.ome_metadata or "")
        said = dict(re.findall(r"(PhysicalSize\w+)=\"([^\"]*)\"", found.group() if found else ""))
        sizes = [_positive(said.get(f"PhysicalSize{axis}")) for axis in "YXZ"]
        if sizes[0] and sizes[1]:
            return (sizes[0], sizes[1]), sizes[2], _LENGTHS.get(said.get("PhysicalSizeXUnit", "µm"), "µm")
    told = file.imagej_metadata or {} if file.is_imagej else {}
    unit = str(told.get("unit", "")).encode().decode("unicode_escape", "ignore").strip()
    unit = _LENGTHS.get(unit, "")
    if not unit and page.tags.get("ResolutionUnit") is not None:
        unit = {3: "cm"}.get(int(page.tags["ResolutionUnit"].value), "")  # inches are a printer's
    tags = [page.tags.get(name) for name in ("YResolution", "XResolution")]
    if not unit or any(tag is None for tag in tags):
        return None, None, ""
    per = [tag.value[0] / tag.value[1] if tag.value[1] else 0 for tag in tags]
    if not all(0 < value < math.inf for value in per):
        return None, None, ""
    return (1 / per[0], 1 / per[1]), _positive(told.get("spacing")), unit


def _positive(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 < number < math.inf else None


def _check_strips(page: Any, content: bytes, shown_as: str) -> None:
    """Refuse a TIFF with a compressed strip that unpacks to more than the picture could hold."""
    if page.compression not in _DEFLATE:
        return  # the others can't unpack to much more than they are
    for start, length in zip(page.dataoffsets, page.databytecounts):
        unpacking, packed, size = zlib.decompressobj(), content[start : start + length], 0
        while packed and not unpacking.eof:
            size += len(unpacking.decompress(packed, _BLOCK))
            packed = unpacking.unconsumed_tail
            check_unpacked(size, shown_as, SMALLER)


# ---------------------------------------------------------------------- all others


def _decode_other(content: bytes, shown_as: str) -> Decoded:
    from PIL import Image, ImageOps, UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is about as large
        try:
            image: Any = Image.open(io.BytesIO(content), formats=_FORMATS)
        except UnidentifiedImageError:
            raise
        except Image.DecompressionBombError as error:
            check_size(1, int(re.findall(r"\d+", str(error))[0]), 1, 0, shown_as)
            raise
        check_size(1, image.height, image.width, 0, shown_as)
        notes = [f"the first of {image.n_frames} frames"] if getattr(image, "n_frames", 1) > 1 else []
        if content[12:16] == b"IHDR" and content[24] == 16 and content[25] in (2, 6):
            notes.append("16-bit colour PNG: read at 8 bits a channel")
        if image.mode == "CMYK":
            notes.append("colours for print (CMYK) turned into RGB without a profile")
        image = ImageOps.exif_transpose(image)
        if image.mode in ("LA", "PA") or "transparency" in image.info:
            image = image.convert("RGBA")
        elif image.mode not in ("1", "L", "I", "I;16", "I;16B", "F", "RGB", "RGBA"):
            image = image.convert("RGB")
        values = np.asarray(image)
        colours = image.mode if values.ndim == 3 else ""
        return Decoded(values[None], colours, notes=tuple(notes))
