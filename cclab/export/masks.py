"""Regions of pictures as files for other programs: label images, layers, tables, a sheet to look through."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import numpy as np

from cclab.export.files import File
from cclab.images import Applied, Failed, Picture, Stack, table_of
from cclab.looks.palette import hex_color, hue

# Of the contact sheet: the longer side of a picture, what is around it, how many stand side by side.
THUMB, GAP, LINE, ACROSS = 176, 10, 30, 6


def png(values: np.ndarray) -> bytes:
    """A picture of uint8 as a PNG file."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(values).save(buffer, "PNG")
    return buffer.getvalue()


def colours_of(n_regions: int, *, dark: bool = False) -> np.ndarray:
    """(n_regions + 1, 3) colours in [0, 1]; the first is that of no region."""
    codes = [hex_color(hue(k), dark=dark) for k in range(n_regions)]
    return np.array([(0, 0, 0), *([int(code[k : k + 2], 16) for k in (1, 3, 5)] for code in codes)]) / 255


def overlay(shown: np.ndarray, labels: np.ndarray, n_regions: int, *, opacity: float, dark: bool = False) -> np.ndarray:
    """(height, width, 3) in [0, 1]: a picture, as it is shown, with its regions over it."""
    base = (np.repeat(shown[..., None], 3, axis=2) if shown.ndim == 2 else shown) / 255
    colours = colours_of(n_regions, dark=dark)
    return np.where((labels > 0)[..., None], (1 - opacity) * base + opacity * colours[labels], base)


def labels_tiff(name: str, labels: np.ndarray, picture: Picture, regions: Sequence[str]) -> File:
    """Labels of a picture (h, w) or of slices (n, h, w) as OME-TIFF; names of regions are in its description."""
    words = "; ".join(f"{number}: {region}" for number, region in enumerate(regions, 1))
    return _ome(f"{name}-labels.ome.tif", labels, "ZYX"[-labels.ndim :], picture, {"Description": words})


def layers_tiff(name: str, labels: np.ndarray, picture: Picture, regions: Sequence[str]) -> File:
    """A mask for each region as a channel with its name: napari and Fiji open them as layers."""
    masks = np.stack([np.where(labels == number, 255, 0).astype(np.uint8) for number in range(1, len(regions) + 1)])
    axes = "C" + "ZYX"[-labels.ndim :]
    return _ome(f"{name}-layers.ome.tif", masks, axes, picture, {"Channel": {"Name": list(regions)}})


def belief_tiff(name: str, maps: dict[str, np.ndarray], picture: Picture) -> File:
    """Maps of what is believed, each from 0 to 1, as channels with their names."""
    about = {"Channel": {"Name": list(maps)}}
    return _ome(f"{name}-belief.ome.tif", np.stack(list(maps.values())).astype(np.float32), "CYX", picture, about)


def _ome(filename: str, values: np.ndarray, axes: str, picture: Picture, about: dict) -> File:
    import tifffile

    spacing = (picture if values.shape[-2:] == picture.shape else picture.full).spacing
    if spacing is not None:
        unit = {"µm": "µm", "mm": "mm", "nm": "nm", "cm": "cm", "m": "m"}.get(picture.length, "µm")
        rows, columns = spacing
        about = about | {
            "PhysicalSizeY": rows, "PhysicalSizeX": columns, "PhysicalSizeYUnit": unit, "PhysicalSizeXUnit": unit
        }  # fmt: skip
    buffer = io.BytesIO()
    tifffile.imwrite(
        buffer, values, ome=True, compression="zlib", photometric="minisblack", metadata={"axes": axes, **about}
    )
    return File(filename, buffer.getvalue(), "image/tiff")


def paint_tiff(name: str, paint: np.ndarray) -> File:
    """What is painted, as labels that ilastik imports: 0 where there is no paint."""
    import tifffile

    buffer = io.BytesIO()
    labels = paint[0] if len(paint) == 1 else paint
    tifffile.imwrite(buffer, labels, compression="zlib", photometric="minisblack")
    return File(f"{name}-paint.tif", buffer.getvalue(), "image/tiff")


def masks_zip(name: str, results: Sequence[Applied | Failed], stack: Stack | None) -> File:
    """A label image for each picture, at the size of its file, and the table of all.

    Slices of a stack come as one TIFF, and as NIfTI where they came as such.
    """
    done = [one for one in results if isinstance(one, Applied)]
    if not done:
        raise ValueError("there are no masks yet; apply what is painted first")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        if stack is not None and len(done) == len(stack):
            labels = np.stack([one.whole for one in done])
            packed.writestr(f"{name}-labels.ome.tif", labels_tiff(name, labels, done[0].picture, done[0].regions).data)
            affine, orientation = stack.affine, stack.orientation
            if affine is not None and orientation is not None and labels.shape[1:] == stack.shape:
                from cclab.images.medical import nifti_of

                packed.writestr(f"{name}-labels.nii", nifti_of(labels, affine, orientation, done[0].picture.length))
        else:
            taken: set[str] = set()
            for one in done:
                stem = _plain(one.picture.name)
                while stem in taken:
                    stem += "_"
                taken.add(stem)
                packed.writestr(f"{stem}-labels.png", png(one.whole))
        packed.writestr("regions.csv", table_of(results).to_csv(index=False))
    return File(f"{name}-masks.zip", buffer.getvalue(), "application/zip")


def contact_sheet(
    name: str, results: Sequence[Applied | Failed], *, window: tuple[float, float] | None = None, dark: bool = False
) -> File:
    """All pictures with their regions, small, on one sheet; the most doubtful first. A window holds for all."""
    from PIL import Image, ImageDraw

    done = sorted((one for one in results if isinstance(one, Applied)), key=lambda one: -one.doubtful)
    if not done:
        raise ValueError("there is nothing to look through yet; apply what is painted first")
    across = min(ACROSS, len(done))
    down = -(-len(done) // across)
    ground, ink = ((25, 29, 35), (236, 239, 244)) if dark else ((255, 255, 255), (26, 30, 38))
    sheet = Image.new("RGB", (across * (THUMB + GAP) + GAP, down * (THUMB + LINE + GAP) + GAP), ground)
    pen = ImageDraw.Draw(sheet)
    for place, one in enumerate(done):
        left = GAP + place % across * (THUMB + GAP)
        top = GAP + place // across * (THUMB + LINE + GAP)
        small = Image.fromarray(thumbnail(one, window=window, dark=dark))
        sheet.paste(small, (left + (THUMB - small.width) // 2, top + (THUMB - small.height) // 2))
        pen.text((left, top + THUMB + 4), one.called[:26], fill=ink)
        pen.text((left, top + THUMB + 16), f"doubt {100 * one.doubtful:.0f} %", fill=ink)
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    return File(f"{name}-sheet.png", buffer.getvalue(), "image/png")


def thumbnail(
    one: Applied, *, side: int = THUMB, window: tuple[float, float] | None = None, dark: bool = False
) -> np.ndarray:
    """(h, w, 3) uint8, about `side` high or wide and no more: a picture with its regions."""
    longest = max(one.labels.shape)
    step, times = max(1, -(-longest // side)), max(1, side // longest)
    shown, labels = one.picture.shown(window)[::step, ::step], one.labels[::step, ::step]
    laid = overlay(shown, labels, len(one.regions), opacity=0.45, dark=dark)
    return np.rint(255 * np.clip(laid, 0, 1)).astype(np.uint8).repeat(times, axis=0).repeat(times, axis=1)


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "picture"
