"""Pictures by name, from files, from bytes and from arrays."""

from __future__ import annotations

import difflib
import io
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from cclab.datasets.folder import data_folder

from .phantom import TISSUES, phantom
from .picture import Picture, scaled_to_unit

MAX_SIDE = 2048

# What scikit-image carries inside its own wheel: these load without a download.
_CARRIED = {
    "astronaut": "A portrait of an astronaut, in colour.",
    "brick": "A brick wall.",
    "camera": "A man with a camera.",
    "cell": "A cell floating in liquid.",
    "chelsea": "A cat called Chelsea, in colour.",
    "clock": "A clock, blurred by a moving camera.",
    "coffee": "A cup of coffee on a table, in colour.",
    "coins": "Greek coins from Pompeii on an unevenly lit ground.",
    "grass": "Grass.",
    "gravel": "Gravel.",
    "hubble_deep_field": "Distant galaxies, in colour.",
    "immunohistochemistry": "Stained tissue: brown where a protein is expressed, blue nuclei.",
    "microaneurysms": "Small vessels at the back of an eye.",
    "moon": "The surface of the moon.",
    "page": "A scanned page under uneven light.",
    "retina": "The back of an eye, in colour.",
    "rocket": "A rocket on its pad, in colour.",
    "text": "Printed words under uneven light.",
}

# Truths of pictures in the folder that CCLAB_DATA names: file, names of the regions, what to know.
_BRAIN = "An axial slice of the ICBM 152 template with a painted lesion."
_TRUTHS = {
    "mr_t1": ("mr_labels", TISSUES, _BRAIN + " White matter and lesion are both bright."),
    "mr_t2like": (
        "mr_labels",
        TISSUES,
        _BRAIN + " Bright lesion, grey fluid, dark tissue; not a real T2 image.",
    ),
    "coins": (
        "coins_reference",
        ("ground", "coins"),
        _CARRIED["coins"] + " The reference was computed, not drawn by hand.",
    ),
    "horse_noisy": (
        "horse_mask",
        ("ground", "horse"),
        "A silhouette of a horse under noise and uneven light.",
    ),
}
_ALSO_NO_PICTURE = {"mr_mask"}
_SUFFIXES = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"}


def image_names() -> list[str]:
    """Names that `load_image` knows here: the phantom, the folder's pictures and those of scikit-image."""
    return list(dict.fromkeys(["phantom", *sorted(_folder_files()), *_CARRIED]))


def load_image(
    source: str | Path | bytes | np.ndarray | Picture,
    *,
    truth: str | Path | bytes | np.ndarray | None = None,
    name: str | None = None,
    max_side: int | None = MAX_SIDE,
) -> Picture:
    """A picture as data.

    Parameters
    ----------
    source : str, path, bytes, array or Picture
        A name (see `image_names`), a file (PNG, JPEG, TIFF and others; 8 or 16 bit), the bytes of one (as an
        upload gives), or an array: grey (h, w), RGB (h, w, 3) or RGBA (h, w, 4). Whole numbers are read as 8
        to 16 bits deep; fractions outside [0, 1] are scaled, and the notes say so.
    truth : int array of shape (h, w), path or bytes, optional
        The true region of each pixel, or a mask; replaces the one that comes with a name.
    name : str, optional
        What to call it; the name or the file's stem by default.
    max_side : int or None
        A picture with a longer side is reduced by a whole factor, and the notes say so; None keeps every
        pixel.

    Returns
    -------
    Picture

    Examples
    --------
    >>> load_image("phantom")
    <Picture phantom: 217 x 181, 8-bit grey; truth: background, tissue, fluid, lesion>
    >>> load_image(np.zeros((1, 1), dtype=np.uint8)).notes
    ('all pixels have one and the same value: there is nothing to tell apart',)
    """
    picture = source if isinstance(source, Picture) else _read(source, name)
    picture = replace(picture, name=name or picture.name)
    if truth is not None:
        picture = replace(picture, truth=_read_truth(truth), truth_names=())
    return _reduced(picture, max_side)


def _read(source, name) -> Picture:
    if isinstance(source, np.ndarray):
        return _from_array(source, name or "array")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(source), name or "upload")
    if not isinstance(source, (str, Path)):
        raise TypeError(f"load_image takes a name, a path, bytes or an array; got {type(source).__name__}")
    if isinstance(source, str) and (named := _by_name(source)):
        return named()
    path = Path(source).expanduser()
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name one picture in it")
    if path.is_file():
        return _from_bytes(path.read_bytes(), path.stem, shown_as=str(path))
    if isinstance(source, Path) or path.suffix or len(path.parts) > 1:
        raise FileNotFoundError(f"there is no file {source}")
    close = difflib.get_close_matches(source, image_names(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(image_names())}"
    raise ValueError(f"no picture is called {source!r}, nor is there such a file; {hint}")


def _read_truth(source) -> np.ndarray:
    if isinstance(source, (str, Path)):
        return _decode(Path(source).expanduser().read_bytes(), str(source))[0]
    return _decode(source, "the truth")[0] if isinstance(source, bytes) else np.asarray(source)


def _by_name(name: str) -> Callable[[], Picture] | None:
    """How to make the picture of this name, if there is one. The folder's come first: they have truths."""
    if name == "phantom":
        return _phantom
    if name in (files := _folder_files()):
        return lambda: _from_folder(name, files[name])
    return (lambda: _carried(name)) if name in _CARRIED else None


def _phantom():
    pixels, truth = phantom()
    return Picture("phantom", pixels, 8, truth, TISSUES, "A made-up slice of a head with a bright lesion.", "cclab")


def _carried(name):
    from skimage import data

    return _from_array(getattr(data, name)(), name, description=_CARRIED[name], source="scikit-image")


def _folder_files() -> dict[str, Path]:
    folder = data_folder()
    if folder is None:
        return {}
    truths = {truth for truth, *_ in _TRUTHS.values()} | _ALSO_NO_PICTURE
    files = (folder / "images").glob("*")
    return {path.stem: path for path in files if path.suffix.lower() in _SUFFIXES and path.stem not in truths}


def _from_folder(name, path):
    picture = _from_bytes(path.read_bytes(), name, shown_as=str(path))
    if name not in _TRUTHS:
        return picture
    truth, names, description = _TRUTHS[name]
    truth_path = path.with_name(f"{truth}.png")
    if not truth_path.is_file():
        return replace(picture, description=description, notes=(*picture.notes, f"no truth: {truth_path} is missing"))
    codes = _decode(truth_path.read_bytes(), str(truth_path))[0]
    return replace(picture, truth=codes, truth_names=names, description=description)


def _from_bytes(content, name, shown_as=None):
    values, notes = _decode(content, shown_as or name)
    return _from_array(values, name, notes)


def _decode(content: bytes, shown_as: str) -> tuple[np.ndarray, list[str]]:
    """Pixels of a file as they are stored, upright, and notes."""
    try:
        import tifffile
        from PIL import Image, ImageOps
    except ImportError as error:
        raise ImportError("reading pictures needs scikit-image: pip install 'cclab[images]'") from error

    is_tiff = content[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
    try:
        if is_tiff:  # tifffile keeps 16 bits a channel, which Pillow does not
            pages = tifffile.TiffFile(io.BytesIO(content)).pages
            notes = [f"the first of {len(pages)} pages"] if len(pages) > 1 else []
            return pages[0].asarray(), notes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # its error still stands
            image = Image.open(io.BytesIO(content))
            notes = [f"the first of {image.n_frames} frames"] if getattr(image, "n_frames", 1) > 1 else []
            if content[12:16] == b"IHDR" and content[24] == 16 and content[25] in (2, 6):
                notes.append("16-bit colour PNG: read at 8 bits a channel")
            image = ImageOps.exif_transpose(image)
            if image.mode in ("LA", "PA") or "transparency" in image.info:
                image = image.convert("RGBA")
            elif image.mode not in ("1", "L", "I", "I;16", "I;16B", "F", "RGB", "RGBA"):
                image = image.convert("RGB")
            return np.asarray(image), notes
    except Image.DecompressionBombError as error:
        raise ValueError(f"{shown_as} has too many pixels to open; reduce it first ({error})") from error
    except Exception as error:  # each decoder raises what it likes at a damaged file
        raise ValueError(f"{shown_as} is no picture that can be read, or is damaged ({error})") from error


def _from_array(values, name, notes=(), **about):
    """A picture of an array as it came: grey, grey and alpha, RGB or RGBA."""
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim not in (2, 3) or not values.size or (values.ndim == 3 and values.shape[2] not in (2, 3, 4)):
        raise ValueError(f"{name}: a picture is (h, w), (h, w, 3) or (h, w, 4); got {values.shape}")
    try:
        pixels, depth, scaled = scaled_to_unit(values)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    notes = [*notes, *scaled]
    if pixels.ndim == 3 and pixels.shape[2] in (2, 4):
        pixels, alpha = pixels[..., :-1], pixels[..., -1:]
        if (alpha == alpha.max()).all() and alpha.max() > 0:
            notes.append("the alpha channel, the same everywhere, was left out")
        else:
            pixels = pixels * alpha + (1 - alpha)
            notes.append("transparent pixels were laid on white")
        pixels = pixels if pixels.shape[2] == 3 else pixels[..., 0]
    if pixels.ndim == 3 and (pixels == pixels[..., :1]).all():
        pixels = pixels[..., 0]
        notes.append("the three channels are equal: read as grey")
    if (pixels == pixels[0, 0]).all():
        notes.append("all pixels have one and the same value: there is nothing to tell apart")
    return Picture(name, pixels, depth, notes=tuple(notes), **about)


def _reduced(picture: Picture, max_side: int | None) -> Picture:
    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side is at least 1, or None; got {max_side}")
    height, width = picture.shape
    if max_side is None or max(height, width) <= max_side:
        return picture
    from PIL import Image

    factor = -(-max(height, width) // max_side)
    channels = np.atleast_3d(picture.pixels)
    reduced = [np.asarray(Image.fromarray(channels[..., k]).reduce(factor)) for k in range(channels.shape[2])]
    pixels = np.clip(np.dstack(reduced), 0, 1)
    truth = None if picture.truth is None else picture.truth[::factor, ::factor]
    note = (
        f"reduced from {height} x {width} to {pixels.shape[0]} x {pixels.shape[1]}, each pixel the mean of "
        f"{factor} x {factor}; max_side=None keeps every pixel"
    )
    return replace(
        picture,
        pixels=pixels if picture.is_colour else pixels[..., 0],
        truth=truth,
        notes=(*picture.notes, note),
    )
