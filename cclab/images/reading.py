"""Pictures by name, from files, from bytes and from arrays."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cclab.core.words import did_you_mean
from cclab.datasets.folder import data_folder
from cclab.datasets.limits import check_unpacked
from cclab.images.decoding import Decoded, decode
from cclab.images.phantom import TISSUES, phantom
from cclab.images.picture import Picture, filled, scaled_to_unit
from cclab.images.stack import Stack

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
#: Endings of the names of pictures.
SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".dcm", ".nii", ".nii.gz")


def image_names() -> list[str]:
    """Names that `load_image` knows here: the phantom, the folder's pictures and those of scikit-image."""
    return list(dict.fromkeys(["phantom", *sorted(_folder_files()), *_CARRIED]))


def load_image(
    source: str | Path | bytes | np.ndarray | Picture,
    *,
    truth: str | Path | bytes | np.ndarray | None = None,
    name: str | None = None,
    filename: str | None = None,
    max_side: int | None = MAX_SIDE,
) -> Picture:
    """A picture as data; of a stack the first slice (`load_stack` gives all).

    Parameters
    ----------
    source : str, path, bytes, array or Picture
        A name (see `image_names`), a file (PNG, JPEG, TIFF and others; DICOM and NIfTI with the extra ``medical``), the
        bytes of one (as an upload gives), or an array: grey (h, w), RGB (h, w, 3), RGBA (h, w, 4), or other
        channels (h, w, c). Values keep their units: `Picture.values` gives them back. NaN pixels belong nowhere.
    truth : int array of shape (h, w), path or bytes, optional
        The true region of each pixel, or a mask; replaces the one that comes with a name.
    name : str, optional
        What to call it; the name or the file's stem by default.
    filename : str, optional
        What to call the file in messages, where only its content is given.
    max_side : int or None
        A picture with a longer side is shown and painted on reduced by a whole factor, and the notes say so; what is
        learned, and masks, are of every pixel of the file all the same (`Picture.whole`). None reduces nothing.

    Returns
    -------
    Picture

    Examples
    --------
    >>> load_image("phantom")
    <Picture phantom: 217 x 181, 8-bit grey; truth: background, tissue, fluid, lesion>
    >>> load_image(np.zeros((1, 1), dtype=np.uint8)).notes
    ('all pixels have one and the same value: there is nothing to tell apart',)
    >>> load_image(np.array([[-1000.0, 40.0]])).values
    array([[-1000.,    40.]])
    """
    picture = source if isinstance(source, Picture) else _read(source, name, filename)
    picture = replace(picture, name=name or picture.name)
    if truth is not None:
        picture = replace(picture, truth=_read_truth(truth), truth_names=())
    return picture.fitting(max_side)


def load_stack(
    source: str | Path | bytes | np.ndarray | Sequence[str | Path],
    *,
    name: str | None = None,
    filename: str | None = None,
    max_side: int | None = MAX_SIDE,
) -> Stack:
    """All slices, pages, channels apart or times of a file; or the pictures of a folder, in the order of their names.

    Parameters
    ----------
    source : str, path, bytes, array, or a sequence of paths
        A file or its bytes (a ZIP file of pictures too); a folder; files; or an array (n, h, w) or (n, h, w, c). DICOM
        files are put in the order of their places in the body.
    name, filename, max_side
        As for `load_image`.

    Raises
    ------
    ValueError
        Pictures of different sizes, or one that can't be read: which, and what to do.

    Examples
    --------
    >>> load_stack(np.arange(24, dtype=np.uint8).reshape(2, 3, 4), name="two")
    <Stack two: 2 slices of 3 x 4, 8-bit grey>
    """
    if isinstance(source, np.ndarray):
        colours = {3: "RGB", 4: "RGBA"}.get(source.shape[3] if source.ndim == 4 else 0, "")
        if source.ndim not in (3, 4) or not source.size:
            raise ValueError(f"{name or 'array'}: a stack is (n, h, w) or (n, h, w, c); got {source.shape}")
        return _stacked(Decoded(source, colours), name or "array", max_side)
    if isinstance(source, (bytes, bytearray, memoryview)):
        shown_as = filename or name or "upload"
        if bytes(source[:4]) == b"PK\3\4":
            return _zipped(bytes(source), shown_as, name or stem_of(shown_as), max_side)
        return _stacked(decode(bytes(source), shown_as), name or stem_of(shown_as), max_side)
    if isinstance(source, str) and (named := _by_name(source)):
        return Stack.of(named().fitting(max_side))
    paths = picture_files(source) if isinstance(source, (str, Path)) else [Path(path).expanduser() for path in source]
    if not paths:
        raise ValueError(f"there is no picture in {source}; known are {', '.join(SUFFIXES)}")
    if len(paths) == 1:
        return _stacked(decode(_content(paths[0]), str(paths[0])), name or stem_of(paths[0].name), max_side)
    order, thickness = _in_place([path.name for path in paths], lambda k: _content(paths[k]))
    pictures = [load_image(paths[k], max_side=max_side) for k in order]
    return Stack.of(pictures, axis="file", name=name or paths[0].parent.name, thickness=thickness)


def _zipped(content: bytes, shown_as: str, name: str, max_side: int | None) -> Stack:
    """The pictures in a ZIP file, as those of a folder; nothing is unpacked to the disk."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            inside = [one for one in packed.infolist() if one.filename.lower().endswith(SUFFIXES)]
            check_unpacked(sum(one.file_size for one in inside), shown_as, "Open a part of it.")
            inside.sort(key=lambda one: in_order(one.filename))
            files = [(one.filename.rsplit("/", 1)[-1], packed.read(one)) for one in inside]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        raise ValueError(f"{shown_as} is damaged, or locked by a password ({error!s:.100}); pack it anew") from None
    if not files:
        raise ValueError(f"there is no picture in {shown_as}; known are {', '.join(SUFFIXES)}")
    return stack_of_files(files, name=name, max_side=max_side)


def stack_of_files(files: Sequence[tuple[str, bytes]], *, name: str, max_side: int | None = MAX_SIDE) -> Stack:
    """Pictures of one size, by their files' names and contents: DICOM by places in the body, others as they are."""
    order, thickness = _in_place([filename for filename, _ in files], lambda k: files[k][1])
    pictures = [load_image(files[k][1], filename=files[k][0], max_side=max_side) for k in order]
    return Stack.of(pictures, axis="file", name=name, thickness=thickness)


def in_order(filename: str) -> list[int | str]:
    """By name, numbers by their size."""
    return [int(part) if k % 2 else part.lower() for k, part in enumerate(re.split(r"(\d+)", filename))]


def picture_files(folder: str | Path) -> list[Path]:
    """The pictures in a folder, by name with numbers in their order; or the one file itself."""
    folder = Path(folder).expanduser()
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no file or folder {folder}")
    found = (path for path in folder.iterdir() if path.is_file() and path.name.lower().endswith(SUFFIXES))
    return sorted(found, key=lambda path: in_order(path.name))


def stem_of(filename: str) -> str:
    """The name of a file without its ending."""
    return Path(filename.removesuffix(".gz")).stem


def _content(path: Path) -> bytes:
    check_unpacked(path.stat().st_size, str(path), "Open a part of it.")  # before it fills the memory
    return path.read_bytes()


def _in_place(names: list[str], content_of: Callable[[int], bytes]) -> tuple[list[int], float | None]:
    """The order of slices in the body, and how far they are apart; all others stay as they are."""
    order = list(range(len(names)))
    if not all(name.lower().endswith(".dcm") for name in names):
        return order, None
    from cclab.images.medical import dicom_place

    try:
        places = [dicom_place(content_of(k)) for k in order]
    except Exception:  # what is wrong is said when it is read
        return order, None
    order.sort(key=places.__getitem__)
    gaps = np.diff([places[k][0] for k in order])
    even = len(gaps) and gaps.min() > 0 and gaps.max() < 1.02 * gaps.min()
    return order, float(gaps.mean()) if even else None


def _stacked(decoded: Decoded, name: str, max_side: int | None) -> Stack:
    """All slices on one scale of values."""
    whole = _from_decoded(decoded, name)
    digits = len(str(decoded.n_slices))
    slices = []
    for place in range(decoded.n_slices):
        own = {"pixels": whole.pixels[place]}
        if whole.invalid is not None:
            own["invalid"] = whole.invalid[place]
        called = name if decoded.n_slices == 1 else f"{name} {place + 1:0{digits}d}"
        slices.append(whole.picture(called, **own).fitting(max_side))
    first = slices[0]
    if len(slices) > 1 and first.notes:
        slices = [first, *(replace(picture, notes=()) for picture in slices[1:])]
    return Stack(tuple(slices), decoded.axis, decoded.thickness, decoded.affine, decoded.orientation, name)


def _read(source: Any, name: str | None, filename: str | None) -> Picture:
    if isinstance(source, np.ndarray):
        return _from_array(source, name or "array")
    if isinstance(source, (bytes, bytearray, memoryview)):
        filename = filename or name or "upload"
        return _from_bytes(bytes(source), name or stem_of(filename), filename)
    if not isinstance(source, (str, Path)):
        raise TypeError(f"load_image takes a name, a path, bytes or an array; got {type(source).__name__}")
    if isinstance(source, str) and (named := _by_name(source)):
        return named()
    path = Path(source).expanduser()
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name one picture in it, or open it with load_stack")
    if path.is_file():
        return _from_bytes(_content(path), stem_of(path.name), shown_as=str(path))
    if isinstance(source, Path) or path.suffix or len(path.parts) > 1:
        raise FileNotFoundError(f"there is no file {source}")
    hint = did_you_mean(source, image_names(), f"known are {', '.join(image_names())}")
    raise ValueError(f"no picture is called {source!r}, nor is there such a file; {hint}")


def _read_truth(source: Any) -> np.ndarray:
    if isinstance(source, (str, Path)):
        return decode(Path(source).expanduser().read_bytes(), str(source)).values[0]
    return decode(source, "the truth").values[0] if isinstance(source, bytes) else np.asarray(source)


def _by_name(name: str) -> Callable[[], Picture] | None:
    """How to make the picture of this name, if there is one. The folder's come first: they have truths."""
    if name == "phantom":
        return _phantom
    if name in (files := _folder_files()):
        return lambda: _from_folder(name, files[name])
    return (lambda: _carried(name)) if name in _CARRIED else None


def _phantom() -> Picture:
    pixels, truth = phantom()
    return Picture("phantom", pixels, 8, truth, TISSUES, "A made-up slice of a head with a bright lesion.", "cclab")


def _carried(name: str) -> Picture:
    from skimage import data

    return _from_array(getattr(data, name)(), name, description=_CARRIED[name], source="scikit-image")


def _folder_files() -> dict[str, Path]:
    folder = data_folder()
    if folder is None:
        return {}
    truths = {truth for truth, *_ in _TRUTHS.values()} | _ALSO_NO_PICTURE
    files = (folder / "images").glob("*")
    return {path.stem: path for path in files if path.suffix.lower() in SUFFIXES and path.stem not in truths}


def _from_folder(name: str, path: Path) -> Picture:
    picture = _from_bytes(path.read_bytes(), name, shown_as=str(path))
    if name not in _TRUTHS:
        return picture
    truth, names, description = _TRUTHS[name]
    truth_path = path.with_name(f"{truth}.png")
    if not truth_path.is_file():
        return replace(picture, description=description, notes=(*picture.notes, f"no truth: {truth_path} is missing"))
    return replace(picture, truth=_read_truth(truth_path), truth_names=names, description=description)


def _from_bytes(content: bytes, name: str, shown_as: str) -> Picture:
    return _first(_from_decoded(decode(content, shown_as).first(), name), name)


def _from_array(values: np.ndarray, name: str, **about: Any) -> Picture:
    """A picture of an array as it came: grey, grey and alpha, RGB, RGBA or other channels."""
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim not in (2, 3) or not values.size:
        raise ValueError(f"{name}: a picture is (h, w), (h, w, 3) or (h, w, c); got {values.shape}")
    colours = {3: "RGB", 4: "RGBA"}.get(values.shape[2], "") if values.ndim == 3 else ""
    return _first(_from_decoded(Decoded(values[None], colours), name), name, **about)


class _Scaled:
    """Slices on one scale, and what all of them have in common."""

    def __init__(self, pixels: np.ndarray, invalid: np.ndarray | None, **common: Any) -> None:
        self.pixels, self.invalid, self.common = pixels, invalid, common

    def picture(self, name: str, **own: np.ndarray) -> Picture:
        for array in own.values():
            array.setflags(write=False)
        return Picture(name, **{**self.common, **own})


def _first(scaled: _Scaled, name: str, **about: Any) -> Picture:
    own = {"pixels": scaled.pixels[0]} | ({} if scaled.invalid is None else {"invalid": scaled.invalid[0]})
    return replace(scaled.picture(name, **own), **about) if about else scaled.picture(name, **own)


def _from_decoded(decoded: Decoded, name: str) -> _Scaled:
    """What a file or an array holds, on a scale from 0 to 1."""
    values, channels, notes = decoded.values, decoded.channels, list(decoded.notes)
    if values.ndim == 4 and not decoded.colours and not channels:
        channels = tuple(f"channel {k + 1}" for k in range(values.shape[3]))
    try:
        pixels, depth, (low, high) = scaled_to_unit(values)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    invalid = decoded.invalid
    if np.issubdtype(values.dtype, np.floating):
        without = ~np.isfinite(values)
        without = without if without.ndim == 3 else without.any(axis=3)
        if without.any():
            notes.append(f"{int(without.sum()):,} pixels have no value (NaN or infinite): they belong nowhere")
            invalid = without if invalid is None else invalid | without
    if invalid is not None and decoded.invalid is not None:
        notes.append("pixels that the file calls padding belong nowhere")
    if invalid is not None:
        pixels = filled(pixels, invalid)
    if decoded.colours in ("RGBA", "LA"):
        pixels, alpha = pixels[..., :-1], pixels[..., -1:]
        if (alpha == alpha.max()).all() and alpha.max() > 0:
            notes.append("the alpha channel, the same everywhere, was left out")
        else:
            pixels = pixels * alpha + (1 - alpha)
            notes.append("transparent pixels were laid on white")
        pixels = pixels if pixels.shape[3] == 3 else pixels[..., 0]
    if pixels.ndim == 4 and not channels and (pixels == pixels[..., :1]).all():
        pixels = pixels[..., 0]
        notes.append("the three channels are equal: read as grey")
    if (pixels == pixels.reshape(-1)[0]).all():
        notes.append("all pixels have one and the same value: there is nothing to tell apart")
    if np.may_share_memory(pixels, decoded.values):
        pixels = pixels.copy()  # the caller may write to it
    return _Scaled(
        pixels,
        invalid,
        bit_depth=depth,
        low=low,
        high=high,
        unit=decoded.unit,
        spacing=decoded.spacing,
        length=decoded.length,
        window=decoded.window,
        channels=channels,
        notes=tuple(notes),
    )
