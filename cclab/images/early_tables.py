"""Pictures as versions up to 0.1.0 kept them in sessions: as tables with a row for each pixel."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cclab.datasets import Dataset
from cclab.images.picture import Picture

_TRUTH = "truth: "
_VALUES = (("grey",), ("red", "green", "blue"))


def picture_of_table(data: Dataset) -> Picture | None:
    """The picture that a table was made of; None where it was made of something else.

    Examples
    --------
    >>> X = [[0, 0, 0.0], [0, 1, 0.2], [1, 0, 0.4], [1, 1, 1.0]]
    >>> picture_of_table(Dataset("four", X, feature_names=("row", "column", "grey")))
    <Picture four: 2 x 2, 8-bit grey>
    """
    names = data.feature_names
    channels = tuple(name for name in names[2:] if not name.startswith(_TRUTH))
    if names[:2] != ("row", "column") or channels not in _VALUES or len(names) - len(channels) > 3:
        return None
    if sparse.issparse(data.X) or data.target is not None or not data.rows.is_plain:
        return None
    height, width = (int(data.X[-1, k]) + 1 for k in (0, 1))
    if not 0 < height * width == data.n_samples:
        return None
    if not np.array_equal(data.X[:, :2], np.indices((height, width)).reshape(2, -1).T):
        return None
    values = data.X[:, 2 : 2 + len(channels)].astype(np.float32).reshape(height, width, -1)
    if not (values.min() >= 0 and values.max() <= 1):
        return None
    truth: np.ndarray | None = None
    truth_names: tuple[str, ...] = ()
    if len(names) > 2 + len(channels):
        truth = data.X[:, -1].astype(np.uint8).reshape(height, width)
        truth_names = tuple(names[-1].removeprefix(_TRUTH).split(", "))
        if len(truth_names) <= truth.max():  # a name with a comma: which is which can't be told any more
            truth_names = ()
    depth = 8 if np.allclose(255 * values, np.rint(255 * values), atol=1e-3) else 16
    pixels = values if values.shape[2] == 3 else values[..., 0]
    return Picture(data.name, pixels, depth, truth, truth_names, data.description, data.source, data.notes)
