"""Tables of other libraries, and of other files: Excel, Arrow, polars."""

import io
import zipfile
from datetime import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather
from scipy import sparse

from cclab.datasets import limits, load_dataset, read_table, workbooks
from tests.datasets.columns.own_tables import single_cells

FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5], "b": [4.0, 5.0, 6.0], "word": ["u", "v", "w"]})


def test_polars_and_arrow():
    polars = pytest.importorskip("polars")
    for frame in (polars.DataFrame(FRAME.to_dict("list")), pa.Table.from_pandas(FRAME)):
        data = load_dataset(frame)
        assert data.feature_names == ("a", "b")
        assert data.sample_names == ("u", "v", "w")


def test_excel():
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        pd.DataFrame().to_excel(writer, sheet_name="empty")
        FRAME.to_excel(writer, sheet_name="birds", index=False)
    frame = read_table(buffer.getvalue(), "birds.xlsx")
    pd.testing.assert_frame_equal(frame, FRAME, check_dtype=False)
    assert "sheet 'birds' of 2 is read" in frame.attrs["notes"]


def workbook(rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_excel_with_titles_and_empty_rows():
    birds = [["bird", "weight", 2023, 2024], ["ann", 5.5, 3, 1], [], ["bob", None, 4, 2], ["cy", 9.5, 5, 3]]
    titles = [["Birds of the year"], ["counted by hand", None, "draft"], []]
    frame = read_table(workbook([*titles, *birds]), "birds.xlsx")
    assert list(frame) == ["bird", "weight", 2023, 2024]
    assert frame["bird"].tolist() == ["ann", "bob", "cy"]
    assert frame[2023].dtype == int
    assert "2 lines above the header left out ('Birds of the year', 'counted by hand draft')" in frame.attrs["notes"]


def test_excel_cells_that_are_text_stay_text():
    rows = [["postcode", "price", "sold", "when"], ["01067", "1.234,50", 3, datetime(2024, 5, 1)]]
    rows += [["80331", "7,25", None, None], ["04109", "99,00", 5, datetime(2024, 5, 2)]]
    frame = read_table(workbook(rows), "shops.xlsx")
    assert frame["postcode"].tolist() == ["01067", "80331", "04109"]
    assert frame["sold"].dtype == float
    assert frame["when"].dtype.kind == "M"
    data = load_dataset(frame, roles={"sold": "ignored"})
    assert data.feature_names == ("price",)
    assert data.X.ravel().tolist() == [1234.5, 7.25, 99.0]


def test_excel_without_a_header():
    frame = read_table(workbook([[5.5, 3, "ann"], [4.5, 2, "bob"], [3.5, 2, "cy"]]), "birds.xlsx")
    assert frame["x1"].tolist() == [5.5, 4.5, 3.5]
    assert "no header line: columns called x1..x3" in frame.attrs["notes"]


def test_excel_that_begins_anywhere_on_its_sheet():
    frame = read_table(workbook([[], [None, "a", "b"], [None, 1, 2.5], [None, 3, 4.5]]), "corner.xlsx")
    pd.testing.assert_frame_equal(frame, pd.DataFrame({"a": [1, 3], "b": [2.5, 4.5]}))


def test_excel_that_is_too_large_or_damaged(monkeypatch):
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(400_000_000))
    with pytest.raises(ValueError, match=r"bomb\.xlsx: 400,000,000 bytes of sheets"):
        read_table(buffer.getvalue(), "bomb.xlsx")
    monkeypatch.setattr(workbooks, "_MOST_SHEET_BYTES", 10**9)
    with pytest.raises(ValueError, match=r"bad\.xlsx is a damaged workbook"):
        read_table(buffer.getvalue(), "bad.xlsx")


def test_arrow_files():
    buffer = io.BytesIO()
    feather.write_feather(FRAME, buffer, compression="zstd")
    pd.testing.assert_frame_equal(read_table(buffer.getvalue(), "it.feather"), FRAME)
    with pytest.raises(ValueError, match=r"cut\.feather is a damaged Arrow file"):
        read_table(buffer.getvalue()[:-30], "cut.feather")
    with pytest.raises(ValueError, match="3 rows are more than the 2"):
        read_table(buffer.getvalue(), "it.feather", max_rows=2)


@pytest.fixture
def cells():
    """Cells in an AnnData object of their own library."""
    anndata = pytest.importorskip("anndata", reason="AnnData is an extra: pip install 'cclab[cells]'")
    counts, _ = single_cells(60, 30)
    about = pd.DataFrame({"batch": ["a", "b"] * 30, "n_counts": counts.sum(axis=1)}, index=[f"c{i}" for i in range(60)])
    genes = pd.DataFrame(index=[f"gene {j}" for j in range(30)])
    if hasattr(anndata.settings, "allow_write_nullable_strings"):  # those of pandas 3, which it else refuses to write
        anndata.settings.allow_write_nullable_strings = True
    return anndata.AnnData(sparse.csr_matrix(counts), obs=about, var=genes)


def test_a_file_of_cells_by_its_path_and_by_its_bytes(cells, tmp_path):
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    for data in (load_dataset(path), load_dataset(path.read_bytes(), filename=path.name)):
        assert data.name == "cells"
        assert data.X.shape == (60, 30)
        np.testing.assert_allclose(data.X.toarray(), cells.X.toarray())
        assert data.feature_names[:2] == ("gene 0", "gene 1")
        assert data.meta["batch"].tolist() == ["a", "b"] * 30
        assert data.sample_names[0] == "c0"


def test_a_file_of_cells_that_is_damaged_too_large_or_leads_elsewhere(cells, tmp_path, monkeypatch):
    import h5py

    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    with pytest.raises(ValueError, match=r"cut\.h5ad is no AnnData file, or a damaged one"):
        load_dataset(path.read_bytes()[:500], filename="cut.h5ad")
    monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 1_000)
    with pytest.raises(ValueError, match=r"cells\.h5ad would take"):
        load_dataset(path)
    monkeypatch.undo()
    with h5py.File(path, "a") as file:
        del file["X"]
        file["X"] = h5py.ExternalLink("secret.h5", "/X")
    with pytest.raises(ValueError, match=r"cells\.h5ad leads to other places at 'X'"):
        load_dataset(path)
