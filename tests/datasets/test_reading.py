"""Tables out of files and uploads: what separates, what is no table, where it breaks."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from cclab.datasets import limits, load_dataset, read_table

FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5], "b": [4.0, 5.0, 6.0]})


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1.5,4\n2.5,5\n3.5,6\n",
        b"a, b\r\n1.5, 4\r\n2.5, 5\r\n3.5, 6\r\n",
        b"a\tb\n1.5\t4\n2.5\t5\n3.5\t6\n",
        b"a;b\n1,5;4\n2,5;5\n3,5;6\n",
        b"a;b\n1.5;4\n2.5;5\n3.5;6\n",
        b"a|b\n1.5|4\n2.5|5\n3.5|6\n",
        b"a b\n1.5   4\n2.5 5\n3.5 6\n",
        b"\n\na,b\n1.5,4\n\n2.5,5\n3.5,6\n",
        b'"a","b"\n"1.5","4"\n2.5,5\n3.5,6',
        "\ufeffa,b\n1.5,4\n2.5,5\n3.5,6\n".encode(),
        "a\tb\n1.5\t4\n2.5\t5\n3.5\t6\n".encode("utf-16"),
    ],
)
def test_separators_decimals_and_encodings_are_told_apart(content):
    pd.testing.assert_frame_equal(read_table(content, "x.csv"), FRAME, check_dtype=False)


@pytest.mark.parametrize("kind", ["path", "str", "bytes", "bytearray", "memoryview", "stream", "text stream"])
def test_every_way_to_hand_over_a_file(tmp_path, kind):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, index=False)
    content = path.read_bytes()
    source = {
        "path": path,
        "str": str(path),
        "bytes": content,
        "bytearray": bytearray(content),
        "memoryview": memoryview(content),
        "stream": io.BytesIO(content),
        "text stream": io.StringIO(content.decode()),
    }[kind]
    data = load_dataset(source, filename=None if kind in ("path", "str") else "mine.csv")
    assert data.name == "mine"
    np.testing.assert_array_equal(data.X, FRAME)


def test_an_open_file_knows_its_name(tmp_path):
    FRAME.to_csv(tmp_path / "mine.csv", index=False)
    with (tmp_path / "mine.csv").open("rb") as stream:
        assert load_dataset(stream).name == "mine"


def test_parquet(tmp_path):
    FRAME.to_parquet(tmp_path / "mine.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "mine.parquet"), FRAME)
    content = (tmp_path / "mine.parquet").read_bytes()
    pd.testing.assert_frame_equal(read_table(content, "upload"), FRAME)
    with pytest.raises(ValueError, match=r"cut\.parquet is a damaged Parquet"):
        read_table(content[: len(content) // 2], "cut.parquet")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n", ["x1", "x2", "x3"]),
        (b"3,1\n5,2\n", ["x1", "x2"]),
        (b"1,5;2\n2,5;3\n", ["x1", "x2"]),
        (b"5,a\n6,b\n", ["x1", "x2"]),
        (b"0,1,2\n5,4,3\n6,7,8\n", ["0", "1", "2"]),
        (b"0\n1.5\n2.5\n", ["0"]),
        (b"year,2019,2020\n1,4,3\n2,7,8\n", ["year", "2019", "2020"]),
    ],
)
def test_a_missing_header_is_noticed(content, names):
    frame = read_table(content, "x.csv")
    assert frame.columns.tolist() == names
    guess = "no header line" if names[0] == "x1" else "taken for the header"
    assert guess in frame.attrs["notes"][0]


def test_latin_1_is_read_and_noted():
    frame = read_table("größe,b\n1,2\n3,4\n".encode("latin-1"), "x.csv")
    assert frame.columns[0] == "größe"
    assert any("Western European" in note for note in load_dataset(frame).notes)


def test_question_marks_are_missing_values():
    assert read_table(b"a,b\n1,?\n2,3\n").b.isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n \n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "it is a picture"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "unpack it first"),
        (b"\x00\x01\x02", "binary content"),
        (b"PK\x03\x04\x14\x00\x06\x00", "workbook"),
        (b"\xff\xfeabc", "binary content"),
        (b"a,b\n1,2\n3,4,5\n", "line 3"),
        (b"a,b\n1,2,3\n4,5,6\n", "line 2: 3 fields under a header of 2"),
        (b'a,b\n1,"2\n3,4\n', "EOF inside string"),
        (b"Dear all,\nplease find, as agreed, the data, and write, if need be.\n", "line 2"),
    ],
)
def test_what_is_no_table_is_named_and_explained(content, message):
    with pytest.raises(ValueError, match=rf"(?s)bad\.csv.*({message})"):
        load_dataset(content, filename="bad.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n", "a header and no rows"),
        (b"a,b\n1,2\n", "one row"),
        (b"a,b\nx,y\nz,w\n", "no numeric column"),
        (b"<html><body>not found</body></html>\n<p>\n</p>\n", "no numeric column"),
        (b"a,b\n1,\n,2\n", "fewer than two of 2 rows"),
    ],
)
def test_tables_that_cannot_be_clustered_are_named(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    for source in (path, str(path)):
        with pytest.raises(ValueError, match=rf"bad\.csv.*{message}"):
            load_dataset(source)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        load_dataset(str(tmp_path / "gone.csv"))
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        load_dataset("gone.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match="holds no pictures"):
        load_dataset(tmp_path)
    with pytest.raises(TypeError, match="not int"):
        read_table(3)


@given(st.one_of(st.binary(max_size=300), st.text(alphabet='ab1.,;\t|" \n-', max_size=200).map(str.encode)))
def test_any_bytes_are_a_data_set_or_a_clear_error(content):
    try:
        data, complaint = load_dataset(content, filename="upload.csv"), None
    except ValueError as error:
        complaint = str(error)
    assert data.n_samples >= 2 if complaint is None else "upload.csv" in complaint


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=3, max_size=3),
        min_size=2,
        max_size=20,
    )
)
def test_numbers_come_back_as_written(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    data = load_dataset(frame.to_csv(index=False).encode(), filename="x.csv")
    np.testing.assert_allclose(data.X, frame, rtol=1e-12)


def parquet_of(columns, **options):
    buffer = io.BytesIO()
    parquet.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


@pytest.fixture
def _never_unpacked(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("it was unpacked before its size was known")

    monkeypatch.setattr(pd, "read_parquet", refuse)
    monkeypatch.setattr(pd, "read_csv", refuse)


@pytest.mark.usefixtures("_never_unpacked")
class TestTooLarge:
    """Small files that would fill the memory are refused before anything is unpacked."""

    def test_parquet_with_more_rows_than_asked_for(self):
        content = parquet_of({"a": np.zeros(10**6)})
        assert len(content) < 10_000
        with pytest.raises(ValueError, match=r"rows\.parquet: 1,000,000 rows are more than the 1,000 .* Open a sample"):
            read_table(content, "rows.parquet", max_rows=1000)

    def test_parquet_with_more_values_than_fit(self, monkeypatch):
        monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 5 * 10**6)
        with pytest.raises(
            ValueError, match=r"rows\.parquet \(1,000,000 rows, 1 columns\) would take 8 MB .* the 5 MB"
        ):
            read_table(parquet_of({"a": np.zeros(10**6)}), "rows.parquet")

    @pytest.mark.parametrize("encoding", ["dictionary", "DELTA_BYTE_ARRAY"])
    def test_parquet_with_long_texts_that_are_stored_once(self, encoding, monkeypatch):
        monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 10**8)
        monkeypatch.setattr("cclab.datasets.parquet.MOST_UNPACKED_BYTES", 10**8)
        if encoding == "dictionary":
            texts = pa.DictionaryArray.from_arrays(np.zeros(10_000, dtype=np.int32), ["x" * 10**6])
            content = parquet_of({"text": texts}, store_schema=False)
        else:
            texts = ["x" * 10**5] * 1_500
            content = parquet_of({"text": texts}, use_dictionary=False, column_encoding={"text": encoding})
        assert len(content) < 10**6
        with pytest.raises(ValueError, match=r"texts\.parquet .* would take [\d,]+ MB"):
            read_table(content, "texts.parquet")

    def test_parquet_with_a_text_that_is_none(self):
        content = parquet_of({"text": ["abcdefgh", "b"], "a": [1, 2]}, compression=None)
        with pytest.raises(ValueError, match=r"bad\.parquet is a damaged Parquet file"):
            read_table(content.replace(b"abcdefgh", b"\xff\xfe\xfd\xfcefgh"), "bad.parquet")

    def test_a_line_of_a_million_columns(self):
        with pytest.raises(ValueError, match=r"wide\.csv: 1,000,001 columns are more than the 50,000"):
            read_table(b"," * 10**6 + b"\n1\n2\n", "wide.csv")

    def test_short_lines_under_a_wide_header(self):
        header = ",".join(f"c{j}" for j in range(1000)).encode()
        with pytest.raises(ValueError, match=r"short\.csv \(1,000,002 lines of 1,000 columns.* would take 8,001 MB"):
            read_table(header + b"\n" + b"1\n" * 10**6, "short.csv")


def test_texts_that_repeat_are_read_whatever_their_number():
    texts = pa.array(["left", "right"] * 100_000)
    for column in (texts, texts.dictionary_encode()):
        assert read_table(parquet_of({"side": column}), "sides.parquet")["side"].tolist()[:2] == ["left", "right"]


def test_lists_in_parquet_are_read():
    frame = read_table(parquet_of({"words": [["a", "b"], [], None], "a": [1, 2, 3]}), "lists.parquet")
    assert list(frame["words"][0]) == ["a", "b"]


def test_rows_of_text_are_counted_too():
    with pytest.raises(ValueError, match=r"x\.csv: 3 rows are more than the 2 that are taken"):
        read_table(b"a,b\n1,2\n3,4\n5,6\n", "x.csv", max_rows=2)


@pytest.mark.slow
def test_many_rows(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, size=(200_000, 3)) / 4, columns=list("abc"))
    frame["label"] = np.where(frame.a > 1, "p", "q")
    frame.to_csv(tmp_path / "big.csv", index=False)
    data = load_dataset(tmp_path / "big.csv")
    assert data.X.shape == (200_000, 3)
    assert data.n_classes == 2


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_long_reads_tell_how_many_rows_are_done(ending, tmp_path):
    frame = pd.DataFrame({"x": np.arange(200_000.0), "word": "a"})
    path = tmp_path / f"long.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    told = []
    for source in (path, path.read_bytes()):
        told.clear()
        read = read_table(source, path.name, progress=lambda *rows: told.append(rows))
        pd.testing.assert_frame_equal(read, read_table(path))
        assert len(told) > 2
        assert told == sorted(told)
        assert told[-1][0] == pytest.approx(200_000, abs=2)
        assert {total for _, total in told} <= {200_000, 200_001, 200_002}


@pytest.mark.parametrize("last", ["7,02,3", '7,"02",3', "7, 02,3", "7,,3\n7,02,3"])
@pytest.mark.parametrize(("encoding", "end"), [("utf-8", "\n"), ("utf-16", "\r\n"), ("utf-8", "\r")])
def test_zeros_of_codes_are_kept_wherever_they_come(last, encoding, end):
    text = "a,code,c\n" + "1,22,3\n" * 200 + last
    frame = read_table(text.replace("\n", end).encode(encoding), "codes.csv")
    assert frame["code"].iloc[0] == "22"
    assert frame["code"].iloc[-1] == "02"
    assert frame["a"].dtype == frame["c"].dtype == int


def test_a_text_with_many_commas_is_no_header():
    frame = read_table(b"shop;sold;said\nnorth;1,5;so, well, yes, no\nsouth;2,5;nothing\n", "shops.csv")
    assert list(frame) == ["shop", "sold", "said"]
    assert frame["sold"].tolist() == [1.5, 2.5]


def test_a_table_of_empty_lines_is_said_to_be_one():
    with pytest.raises(ValueError, match=r"none\.csv holds no value: all 3 lines under its header are empty"):
        read_table(b"x,y\n,\n,\n,\n", "none.csv")
