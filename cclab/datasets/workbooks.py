"""Tables out of Excel workbooks and Arrow files; what they would unpack to is known before they are read."""

from __future__ import annotations

import io
import zipfile

import pandas as pd

from cclab.datasets.limits import MOST_COLUMNS, MOST_UNPACKED_BYTES, check_limit, check_unpacked
from cclab.datasets.table_bounds import LOOKED_AT, column_names, count_titles, note_on_titles

_SMALLER = "Open a sample of it, or the columns that matter."
# A cell of a workbook takes many times its text while it is read.
_MOST_SHEET_BYTES = 300 * 10**6


def is_workbook(content: bytes) -> bool:
    """Whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return False


def read_workbook(content: bytes, file: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table on the first sheet of an Excel workbook that has one, and notes.

    Raises
    ------
    ValueError
        Damaged, empty or too large: nothing has been unpacked then.
    """
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ValueError(f"{file} is an Excel workbook; reading it needs openpyxl (pip install openpyxl)") from None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(info.file_size for info in archive.infolist())
    check_limit(size, _MOST_SHEET_BYTES, "bytes of sheets", "Save the sheet as CSV or Parquet.", where=file)
    try:
        with pd.ExcelFile(io.BytesIO(content), engine="openpyxl") as book:
            sheets = [str(sheet) for sheet in book.sheet_names]
            read = ((sheet, *_read_sheet(book, sheet)) for sheet in sheets)
            sheet, frame, notes = next((each for each in read if not each[1].empty), (None, None, ()))
    except Exception as error:  # the readers raise what they like at a damaged workbook
        raise ValueError(f"{file} is a damaged workbook; save it again ({error!s:.200})") from None
    if frame is None:
        raise ValueError(f"{file} is empty; give a sheet with a header line and one line a sample")
    if len(sheets) > 1:
        notes += (f"sheet {sheet!r} of {len(sheets)} is read",)
    return frame.reset_index(drop=True), notes


def _read_sheet(book: pd.ExcelFile, sheet: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table on a sheet without empty rows and columns, wherever on the sheet it begins, and notes."""
    head = pd.read_excel(book, sheet_name=sheet, header=None, nrows=LOOKED_AT, dtype=object)
    lines = [["" if pd.isna(cell) else str(cell) for cell in row] for row in head.itertuples(index=False)]
    filled = [number for number, line in enumerate(lines) if any(line)]
    n_titles = count_titles([lines[number] for number in filled])
    begin = filled[n_titles] if filled else 0
    names, notes = column_names(lines[begin]) if filled else (None, ())
    titles = [" ".join(filter(None, lines[number])) for number in filled[:n_titles]]
    header = begin if names is None else None
    frame = pd.read_excel(book, sheet_name=sheet, header=header, names=names, dtype=object)
    frame = frame.dropna(how="all", axis="columns").dropna(how="all")
    # Cells that the sheet holds as text stay text: a postcode keeps its zeros.
    return frame.infer_objects(), (*notes, *note_on_titles(titles))


def read_arrow(stream: io.BufferedIOBase, file: str, max_rows: int | None = None) -> pd.DataFrame:
    """The table in an Arrow (Feather) file.

    Raises
    ------
    ValueError
        Damaged, or too large.
    """
    try:
        from pyarrow import Table, ipc
    except ImportError:
        raise ValueError(f"{file} is an Arrow file; reading it needs pyarrow (pip install pyarrow)") from None
    try:
        reader = ipc.open_file(stream)
        check_limit(len(reader.schema), MOST_COLUMNS, "columns", _SMALLER, where=file)
        batches, size, rows = [], 0, 0
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            batch.validate(full=True)
            size, rows = size + batch.nbytes, rows + batch.num_rows
            if max_rows is not None:
                check_limit(rows, max_rows, "rows", _SMALLER, where=file)
            if size > MOST_UNPACKED_BYTES:
                break
            batches.append(batch)
        check_unpacked(size, file, _SMALLER)
        return Table.from_batches(batches, reader.schema).to_pandas()
    except ValueError as error:
        if file in str(error):
            raise
        raise ValueError(f"{file} is a damaged Arrow file; write or upload it again ({error!s:.200})") from None
    except Exception as error:  # of the format's reader
        raise ValueError(f"{file} is a damaged Arrow file; write or upload it again ({error!s:.200})") from None
