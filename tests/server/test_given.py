"""A file on the command line: the page that opens it, or words."""

import os
import re
from importlib.metadata import version

import pandas as pd
import pytest

from cclab import cli
from cclab.apps import workbench
from cclab.apps.page.loading import GIVEN, read_given
from cclab.server.given import NotToOpen, give, page_for


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.delenv(GIVEN, raising=False)
    path = tmp_path / "birds.csv"
    path.write_text("weight,length\n" + "\n".join(f"{i % 7}.5,{i % 11 + 0.25}" for i in range(30)))
    yield path
    os.environ.pop(GIVEN, None)


@pytest.mark.parametrize(
    ("name", "page"), [("a.csv", "workbench"), ("b.PARQUET", "workbench"), ("c.tif", "painter"), ("d.PNG", "painter")]
)
def test_the_ending_tells_the_page(tmp_path, name, page):
    (tmp_path / name).touch()
    assert page_for(tmp_path / name) == page


def test_the_path_goes_to_the_kernels_and_not_to_the_browser(table, monkeypatch):
    monkeypatch.chdir(table.parent)
    address = give(table.name)
    assert address == "open/workbench?given"
    assert os.environ[GIVEN] == str(table)


def test_what_can_t_be_opened_is_said_in_words(tmp_path, capsys):
    (tmp_path / "letter.docx").touch()
    for path, words in [
        (tmp_path / "letter.docx", "neither a table"),
        (tmp_path / "none.csv", "There is no file"),
        (tmp_path, "is a folder"),
    ]:
        with pytest.raises(NotToOpen, match=words):
            page_for(path)
        assert cli.main(["app", str(path), "--no-browser"]) == 1
        assert re.search(words, capsys.readouterr().err)


def test_a_page_opens_the_given_file_and_no_other(table, monkeypatch):
    page = workbench()
    page.open_given()  # none was given
    assert page.session.data.name == "iris"
    give(table)
    page.open_given()
    assert page.session.data.feature_names == ("weight", "length")
    assert page.session.data.n_samples == 30
    table.unlink()
    told = []
    page.desk.told.connect(told.append)
    page.open_given()
    assert "birds.csv can't be read: No such file" in told[-1].words
    assert page.session.data.n_samples == 30
    page.close()


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out.strip() == f"cclab {version('cclab')}"


def test_of_a_parquet_file_with_too_many_rows_a_part_stands_for_all(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.setattr("cclab.apps.page.loading.MOST_SAMPLES", 500)
    monkeypatch.setattr("cclab.apps.page.loading.CORESET", 100)
    path = tmp_path / "big.parquet"
    pd.DataFrame({"x": range(1000), "y": range(1000)}).to_parquet(path)
    part = read_given(path)
    assert part.coreset.n_rows == 1000
    assert part.n_samples < 300
    monkeypatch.setattr("cclab.apps.page.loading.MOST_SAMPLES", 1000)
    assert read_given(path).n_samples == 1000
