"""A sample in words and pictures."""

from __future__ import annotations

import base64
import io

import numpy as np

from cclab.datasets import Dataset
from cclab.session import Snapshot
from cclab.widgets.encoding import Sign, rows_of, set_sign, sets_of
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, join, tag

MOST_VALUES = 6


def sample_name(data: Dataset, sample: int) -> str:
    """The sample's number, and its name where it has one."""
    return str(sample) if data.sample_names is None else f"{sample} {data.sample_names[sample]}"


def sample_sign(snapshot: Snapshot, sample: int, threshold: float | None = None) -> Sign:
    """How the sample is drawn, and what that is called."""
    which, sets = sets_of(rows_of(snapshot.partition, sample), threshold)
    return set_sign(sets[which[0]], snapshot.state.cluster_ids)


def sample_content(data: Dataset, sample: int, most: int = MOST_VALUES) -> Html:
    """The sample's picture where it has one, else its values: `most` of them, the largest of sparse data."""
    return _values(data, sample, most) if data.images is None else _picture(data, sample)


def _picture(data: Dataset, sample: int) -> Html:
    from PIL import Image

    ink = np.asarray(data.images[sample])  # 1 is black on white paper
    buffer = io.BytesIO()
    Image.fromarray((255 * (1 - ink)).astype(np.uint8)).save(buffer, "PNG")
    source = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return tag("img", src=source, alt=f"Picture of sample {sample}", style="max-width:112px;margin:0 auto")


def _values(data: Dataset, sample: int, most: int) -> Html:
    if hasattr(data.X, "tocsr"):
        row = data.X[[sample]].tocsr()
        chosen = np.argsort(-np.abs(row.data), kind="stable")[:most]
        shown, n_values = [(int(row.indices[e]), float(row.data[e])) for e in chosen], row.nnz
    else:
        shown, n_values = [(j, float(data.X[sample, j])) for j in range(min(most, data.n_features))], data.n_features
    rest = n_values - len(shown)
    entries = [(data.feature_names[j], f"{value:.4g}") for j, value in shown]
    entries += [(f"and {rest} more", "")] if rest > 0 else []
    return tag("dl", [join(tag("dt", name, title=name), tag("dd", value)) for name, value in entries])


def sample_card(letter: str, data: Dataset, snapshot: Snapshot, sample: int, threshold: float | None = None) -> Html:
    """A card: letter and number, what is believed about the sample now, its values or its picture."""
    sign = sample_sign(snapshot, sample, threshold)
    title = tag("span", f"{letter} · {sample_name(data, sample)}")
    head = tag("header", glyph(sign.shape, sign.color), title, tag("span", sign.name))
    return tag("div", head, sample_content(data, sample), class_="cc-sample", data_hover=sample)
