import numpy as np
import pandas as pd
import pytest

from cclab import load_dataset
from cclab.looks.all_rows import is_at_hand, rows_inside
from cclab.looks.projections import project

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def test_rows_inside_a_polygon_are_found_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 700)
    frame = pd.DataFrame(np.random.default_rng(0).uniform(size=(2000, 3)), columns=["x", "y", "z"])
    frame.loc[4, "z"] = np.nan
    frame.to_parquet(tmp_path / "big.parquet")
    data = load_dataset(tmp_path / "big.parquet", coreset=200)
    assert is_at_hand(data)
    square = [[0.2, 0.3], [0.6, 0.3], [0.6, 0.9], [0.2, 0.9]]
    inside = frame["x"].between(0.2, 0.6) & frame["y"].between(0.3, 0.9) & frame["z"].notna()
    found = rows_inside(data, project(data, "0 1"), square)
    assert found.tolist() == inside.to_numpy().nonzero()[0].tolist()
    everywhere = rows_inside(data, project(data, "pca"), [[-9, -9], [9, -9], [9, 9], [-9, 9]])
    assert len(everywhere) == 1999
    frame.iloc[:1500].to_parquet(tmp_path / "big.parquet")
    with pytest.raises(ValueError, match=r"big.parquet had 2,000 rows and has 1,500 now; open it again"):
        rows_inside(data, project(data, "0 1"), square)
    (tmp_path / "big.parquet").unlink()
    assert not is_at_hand(data)
    assert not is_at_hand(load_dataset("iris"))
