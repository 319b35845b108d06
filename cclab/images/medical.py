"""DICOM and NIfTI: the extra ``cclab[medical]``. Values come in their units, such as Hounsfield's."""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np

from cclab.datasets.limits import MOST_UNPACKED_BYTES, check_unpacked
from cclab.images.decoding import Decoded, check_size

_MISSING = "{} files need the extra medical: pip install 'cclab[medical]'"
#: How NIfTI calls units of length, and how we do.
LENGTHS = {"mm": "mm", "meter": "m", "micron": "µm"}
_GZIP = 16 + zlib.MAX_WBITS


def decode_dicom(content: bytes, shown_as: str) -> Decoded:
    """A DICOM file: one frame or several."""
    try:
        import pydicom
    except ImportError as error:
        raise ImportError(f"{shown_as}: {_MISSING.format('DICOM')}") from error

    from pydicom.pixels.processing import convert_color_space

    told = pydicom.dcmread(io.BytesIO(content))
    if "PixelData" not in told:
        raise ValueError("it holds no picture")
    n_slices, samples = int(told.get("NumberOfFrames", 1) or 1), int(told.get("SamplesPerPixel", 1))
    height, width = int(told.Rows), int(told.Columns)
    check_size(n_slices, height, width, n_slices * height * width * samples * 4, shown_as)
    try:
        values = told.pixel_array
    except (RuntimeError, NotImplementedError) as error:  # no decoder for the compression
        name = told.file_meta.TransferSyntaxUID.name
        raise ValueError(
            f"its pixels are compressed as {name!r:.60}, which can't be unpacked here: {error!s:.80}"
        ) from None
    values = values.reshape(n_slices, height, width, *([samples] if samples > 1 else []))
    kind, notes, colours = str(told.PhotometricInterpretation), [], ""
    if samples > 1:
        if kind.startswith("YBR"):
            values = convert_color_space(values, kind, "RGB")
        return Decoded(values, "RGB", spacing=_spacing(told), length="mm" if _spacing(told) else "")
    padding = told.get("PixelPaddingValue")
    invalid = values == padding if padding is not None else None
    slope, intercept = float(told.get("RescaleSlope", 1)), float(told.get("RescaleIntercept", 0))
    if (slope, intercept) != (1.0, 0.0):
        scaled = values * slope + intercept
        whole = slope.is_integer() and intercept.is_integer()
        values = scaled.astype(np.int32) if whole else scaled.astype(np.float32)
    unit = str(told.get("RescaleType", "") or "")
    if told.get("Modality") == "CT" and unit in ("", "HU", "US"):
        unit = "HU"
    if kind == "MONOCHROME1":
        notes.append("white is low in this file: shown as it is stored, dark is low")
    spacing = _spacing(told)
    return Decoded(
        values,
        colours,
        unit="" if unit == "US" else unit,
        spacing=spacing,
        thickness=_number(told.get("SpacingBetweenSlices") or told.get("SliceThickness")),
        length="mm" if spacing else "",
        window=_window(told),
        invalid=None if invalid is None or not invalid.any() else invalid,
        notes=tuple(notes),
    )


def dicom_place(content: bytes) -> tuple[float, float]:
    """Where a slice belongs in its series: along the axis of the body, then by its number."""
    import pydicom

    told = pydicom.dcmread(io.BytesIO(content), stop_before_pixels=True)
    position, orientation = told.get("ImagePositionPatient"), told.get("ImageOrientationPatient")
    along = 0.0
    if position is not None and orientation is not None:
        rows, columns = (np.array([float(v) for v in orientation[k : k + 3]]) for k in (0, 3))
        along = float(np.dot(np.cross(rows, columns), [float(v) for v in position]))
    return along, float(told.get("InstanceNumber", 0) or 0)


def _spacing(told: Any) -> tuple[float, float] | None:
    found = told.get("PixelSpacing") or told.get("ImagerPixelSpacing")
    if found is None or len(found) != 2:
        return None
    rows, columns = (_number(value) for value in found)
    return (rows, columns) if rows and columns else None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 < number < np.inf else None


def _window(told: Any) -> tuple[float, float] | None:
    center, width = told.get("WindowCenter"), told.get("WindowWidth")
    if center is None or width is None:
        return None
    center, width = (
        value[0] if isinstance(value, list | tuple) or hasattr(value, "__len__") else value for value in (center, width)
    )
    return float(center) - float(width) / 2, float(center) + float(width) / 2


def decode_nifti(content: bytes, shown_as: str) -> Decoded:
    """A NIfTI volume as axial slices from below, the front of the body at the top and its left at the left."""
    try:
        import nibabel
    except ImportError as error:
        raise ImportError(f"{shown_as}: {_MISSING.format('NIfTI')}") from error
    if content[:2] == b"\x1f\x8b":
        content = _gunzipped(content, shown_as)
    cls = nibabel.Nifti2Image if content[4:8].startswith(b"n") else nibabel.Nifti1Image
    image = cls.from_bytes(content)
    shape = image.shape
    if len(shape) not in (3, 4, 2) or not all(shape):
        raise ValueError(f"a volume has three axes, or four with time; it has {shape}")
    check_size(int(np.prod(shape[2:])), shape[1], shape[0], int(np.prod(shape)) * 4, shown_as)
    orientation = nibabel.io_orientation(image.affine)
    if len(shape) > 2:
        image = nibabel.as_closest_canonical(image)
    values = np.asanyarray(image.dataobj)
    if np.issubdtype(values.dtype, np.floating):
        values = values.astype(np.float32)
    zooms, unit = [float(str(zoom)) for zoom in image.header.get_zooms()], image.header.get_xyzt_units()[0]
    volume = values.reshape(*values.shape[:2], -1)  # of several times, one volume after the other
    slices = np.transpose(volume, (2, 1, 0))[:, ::-1]
    length = LENGTHS.get(unit, "mm")
    return Decoded(
        np.ascontiguousarray(slices),
        spacing=(zooms[1], zooms[0]),
        thickness=zooms[2] if len(zooms) > 2 else None,
        length=length,
        affine=np.asarray(image.affine),
        orientation=orientation,
        notes=("several times one after the other",) if len(shape) == 4 and shape[3] > 1 else (),
    )


def nifti_of(labels: np.ndarray, affine: np.ndarray, orientation: np.ndarray, length: str = "mm") -> bytes:
    """Labels of slices (n, height, width) as a NIfTI file in the order of voxels of the file that they came from."""
    import nibabel
    from nibabel.orientations import axcodes2ornt, ornt_transform

    volume = np.ascontiguousarray(np.transpose(labels[:, ::-1], (2, 1, 0)).astype(np.uint8))
    image = nibabel.Nifti1Image(volume, affine)
    image.header.set_xyzt_units(next((unit for unit, short in LENGTHS.items() if short == length), "mm"))
    return image.as_reoriented(ornt_transform(axcodes2ornt("RAS"), orientation)).to_bytes()


def _gunzipped(content: bytes, shown_as: str) -> bytes:
    found = zlib.decompressobj(_GZIP).decompress(content, MOST_UNPACKED_BYTES + 1)
    check_unpacked(len(found), shown_as, "Open a part of it.")
    return found
