"""Good files of every kind that cclab reads, small ones, to be broken."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import tifffile
from PIL import Image

from cclab import ConstraintSet, load_dataset
from cclab.images import Recipe, Stroke

SESSIONS = Path(__file__).parent.parent / "session" / "samples"


def good_files() -> dict[str, list[tuple[str, bytes]]]:
    """Kind of file: names and contents."""
    return {
        "table": _tables(),
        "constraints": _constraints(),
        "session": _session_files(lambda name: name != "painting"),
        "painting": _session_files(lambda name: name == "painting"),
        "journal": _journals(lambda name: name != "painting"),
        "painting journal": _journals(lambda name: name == "painting"),
        "picture": _pictures(),
        "recipe": [("recipe.json", json.dumps(_recipe().to_json()).encode())],
        "folder": _folder_files(),
    }


def _tables():
    iris = load_dataset("iris")
    frame = pd.DataFrame(iris.X[::7], columns=["Länge", "Breite", "c", "d"]).round(2)
    frame["name"] = [f"sample {i}" for i in range(len(frame))]
    frame["label"] = [iris.target_names[k] for k in iris.target[::7]]
    texts = {
        "comma.csv": frame.to_csv(index=False).encode(),
        "semicolon.csv": frame.to_csv(index=False, sep=";", decimal=",").encode("cp1252"),
        "tabs.tsv": frame.to_csv(index=False, sep="\t").encode("utf-16"),
        "bar.txt": frame.to_csv(index=False, sep="|").encode("utf-8-sig"),
        "blanks.data": frame.drop(columns="name").to_csv(index=False, sep=" ", header=False).encode(),
        "quoted.csv": frame.to_csv(index=False, quoting=1, lineterminator="\r\n").encode(),
    }
    mixed = frame.assign(
        day=pd.date_range("2020-01-01", periods=len(frame)),
        whole=np.arange(len(frame)),
        kind=frame.label.astype("category"),
    )
    parquet = {
        "plain.parquet": _to_bytes(mixed.to_parquet),
        "zstd.parquet": _to_bytes(mixed.to_parquet, compression="zstd", row_group_size=5),
        "named.parquet": _to_bytes(frame.set_index("name").to_parquet, compression=None),
    }
    return list((texts | parquet).items())


def _constraints():
    known = (
        ConstraintSet(60)
        .with_must_link([[0, 1], [2, 3]], weight=0.5)
        .with_cannot_link([[0, 5], [7, 9]])
        .with_group([10, 11, 12, 13])
        .with_separation([20, 21], [30, 31, 32])
        .with_labels({40: 1, 41: {0, 2}, 42: {0: 0.3, 1: 1.0}})
    )
    return [
        ("links.csv", known.to_frame().to_csv(index=False).encode()),
        ("known.json", json.dumps(known.to_json()).encode()),
    ]


def _session_files(wanted):
    return [
        (path.name, path.read_bytes())
        for path in sorted(SESSIONS.glob("*/*.json"))
        if ".expected" not in path.name and wanted(path.stem)
    ]


def _journals(wanted):
    """The data and the lines of a journal as one: the reader takes them apart again."""
    folders = [path for path in sorted(SESSIONS.glob("*/*/")) if path.is_dir() and wanted(path.name)]
    return [
        (path.name, (path / "data.json").read_bytes() + b"\n" + (path / "journal.jsonl").read_bytes())
        for path in folders
    ]


def _pictures():
    rng = np.random.default_rng(0)
    grey = rng.integers(0, 256, size=(20, 30), dtype=np.uint8)
    colour = rng.integers(0, 256, size=(20, 30, 3), dtype=np.uint8)
    deep = rng.integers(0, 2**16, size=(20, 30), dtype=np.uint16)
    exif = Image.Exif()
    exif[0x0112] = 6
    image = Image.fromarray(colour)
    moving = {"save_all": True, "append_images": [image.rotate(90, expand=False)]}
    return [
        ("grey.png", _to_bytes(Image.fromarray(grey).save, format="PNG")),
        ("colour.png", _to_bytes(image.save, format="PNG")),
        ("deep.png", _to_bytes(Image.fromarray(deep).save, format="PNG")),
        ("palette.png", _to_bytes(image.quantize(16).save, format="PNG")),
        ("sideways.jpg", _to_bytes(image.save, format="JPEG", exif=exif)),
        ("progressive.jpg", _to_bytes(image.save, format="JPEG", progressive=True)),
        ("plain.tif", _to_bytes(tifffile.imwrite, grey)),
        ("deep.tif", _to_bytes(tifffile.imwrite, np.stack([deep, deep]), compression="zlib", photometric="minisblack")),
        ("tiles.tif", _to_bytes(tifffile.imwrite, colour, tile=(16, 16), compression="zlib")),
        ("pillow.tif", _to_bytes(image.save, format="TIFF")),
        ("colour.bmp", _to_bytes(image.save, format="BMP")),
        ("palette.bmp", _to_bytes(image.quantize(16).save, format="BMP")),
        ("moving.gif", _to_bytes(image.quantize(16).save, format="GIF", **moving)),
        ("lossy.webp", _to_bytes(image.save, format="WEBP")),
        ("lossless.webp", _to_bytes(image.save, format="WEBP", lossless=True, **moving)),
    ]


def _recipe():
    return Recipe(
        (
            Stroke("brush", 1, 5, [[3, 4], [8, 4]]),
            Stroke("polygon", 2, 1, [[10, 10], [18, 10], [14, 18]]),
            Stroke("erase", 0, 3, [[12, 12]]),
        )
    )


def _folder_files():
    rng = np.random.default_rng(0)
    counts = load_dataset(rng.poisson(0.5, size=(20, 8)))
    words = np.array([f"w{j}" for j in range(8)])
    label = np.array(["a", "b"] * 10)
    from scipy import sparse

    X = sparse.csr_array(counts.X)
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    return [
        ("dense.npz", _to_bytes(np.savez_compressed, X=counts.X, label=label, gene=words)),
        ("stored.npz", _to_bytes(np.savez, X=counts.X, label=label)),
        ("sparse.npz", _to_bytes(np.savez_compressed, **parts, label=label)),
        ("plain.csv", pd.DataFrame(counts.X).assign(label=label).to_csv(index=False).encode()),
    ]


def _to_bytes(write, *args, **options):
    buffer = io.BytesIO()
    write(buffer, *args, **options)
    return buffer.getvalue()
