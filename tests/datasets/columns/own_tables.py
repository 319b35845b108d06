"""Tables as people have them, made up here: nothing was tuned to them."""

import io
import zipfile

import numpy as np
import pandas as pd
from PIL import Image
from scipy import sparse


def german_sales(n=60, seed=0):
    """A sales table as a German spreadsheet writes it: bytes of a CSV in Windows-1252."""
    rng = np.random.default_rng(seed)
    lines = ["Kundennr;Datum;PLZ;Umsatz;Rabatt;Menge;Gewicht;Sparte"]
    for i in range(n):
        big = i % 2
        price = f"{rng.normal(1500 if big else 250, 60):,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")
        day = f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.2024"
        discount = "k.A." if i == 7 else f"{rng.uniform(0, 15):.1f} %".replace(".", ",")
        amount = f"{int(rng.integers(1000, 9000)):,}".replace(",", ".")
        weight = f"{rng.uniform(1, 9):.3f}".replace(".", ",")
        sold = "Möbel" if big else "Büro"
        lines.append(f"{100500 + i};{day};0{1000 + i};{price} €;{discount};{amount};{weight};{sold}")
    return "\r\n".join(lines).encode("cp1252")


def texts_with_vectors(n=40, d=12, seed=0):
    """Sentences about two things, with a vector for each, and what a person keeps beside them."""
    rng = np.random.default_rng(seed)
    about = rng.integers(0, 2, n)
    words = [["ship", "harbour", "sail", "captain"], ["bread", "oven", "flour", "baker"]]
    said = [" ".join(rng.choice(words[k], 5)) + f" and number {i}" for i, k in enumerate(about)]
    vectors = rng.normal(size=(n, d)) + 4 * about[:, None]
    return pd.DataFrame(
        {
            "text": said,
            "embedding": list(vectors.astype(np.float32)),
            "author": rng.choice(["ann", "bob", "cy"], n),
            "written": pd.date_range("2024-01-01", periods=n),
        }
    )


def picture(k, size=24, seed=0, mode="RGB"):
    """The bytes of a PNG: a light disc (0) or a dark square (1)."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size]
    shape = (x - size / 2) ** 2 + (y - size / 2) ** 2 < (size / 3) ** 2 if k == 0 else (abs(x - size / 2) < size / 4)
    pixels = np.where(shape, 220 if k == 0 else 30, 120) + rng.integers(-10, 10, (size, size))
    image = Image.fromarray(pixels.astype(np.uint8)).convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def zip_of_pictures(n=12, broken=()):
    """An archive with two folders of pictures."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i in range(n):
            content = b"\x89PNG no picture" if i in broken else picture(i % 2, seed=i)
            archive.writestr(f"{'discs' if i % 2 == 0 else 'squares'}/{i:03d}.png", content)
    return buffer.getvalue()


def single_cells(n=200, d=400, seed=0):
    """Sparse counts of genes in cells of two kinds."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, n)
    rates = np.full((2, d), 0.05)
    rates[0, : d // 10] = 2
    rates[1, d // 10 : d // 5] = 2
    return sparse.csr_array(rng.poisson(rates[kind]).astype(float)), kind


def gps_points(n=1000, seed=0):
    """Places around three towns, with a time for each."""
    rng = np.random.default_rng(seed)
    towns = np.array([[52.5, 13.4], [48.1, 11.6], [50.9, 6.96]])
    near = rng.integers(0, 3, n)
    places = towns[near] + rng.normal(scale=0.1, size=(n, 2))
    time = pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 86_400, n), unit="s")
    return pd.DataFrame({"lat": places[:, 0], "lon": places[:, 1], "speed": rng.gamma(2, 10, n), "time": time})
