"""Tables as people have them become data sets: roles guessed well, said, and changed."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from cclab.datasets import limits, load_dataset
from cclab.datasets.columns import thumbnails
from cclab.datasets.columns.overview import overview
from cclab.datasets.rows import DroppedRows
from tests.datasets.columns.own_tables import (
    german_sales,
    gps_points,
    picture,
    single_cells,
    texts_with_vectors,
    zip_of_pictures,
)


def roles(frame, **options):
    return dict(load_dataset(frame, **options).plan.roles)


# ---------------------------------------------------------------------- roles


def test_a_german_sales_table():
    with pytest.warns(DroppedRows):
        data = load_dataset(german_sales(), filename="Umsätze.csv")
    assert data.feature_names == ("Umsatz", "Rabatt", "Menge", "Gewicht")
    assert data.plan.roles["Kundennr"] == "id"
    assert data.meta["PLZ"].iloc[0] == "01000"
    assert data.meta["Datum"].dt.year.unique().tolist() == [2024]
    assert data.target_names == ("Büro", "Möbel")
    assert data.X[:, 2].min() >= 1000  # 1.234 pieces are more than a thousand
    filled = load_dataset(german_sales(), filename="Umsätze.csv", missing="median")
    assert (filled.n_samples, data.n_samples) == (60, 59)
    assert any("1 missing value of 'Rabatt' filled with the median" in note for note in filled.notes)


def test_labels_years_codes_and_ids_are_never_silently_features():
    rng = np.random.default_rng(0)
    n = 40
    frame = pd.DataFrame(
        {
            "species": rng.choice(["a", "b"], n),
            "x": rng.normal(size=n),
            "year": rng.integers(1990, 2020, n),
            "Built": rng.integers(1890, 2020, n),
            "zip": rng.integers(10_000, 99_999, n),
            "outcome": rng.integers(0, 2, n),
            "topic_label": rng.integers(0, 3, n),
            "nr": np.arange(n) + 7,
            "counter": np.arange(1, n + 1),
            "y2": rng.normal(size=n),
        }
    )
    data = load_dataset(frame)
    assert data.feature_names == ("x", "y2")
    assert data.target_names == ("a", "b")  # a label of words that is not last
    found = data.plan.roles
    assert (found["outcome"], found["year"], found["zip"], found["nr"]) == ("group", "ignored", "ignored", "id")
    assert (found["Built"], found["topic_label"]) == ("ignored", "group")
    assert any("'outcome' is named like a label" in note and "?" in note for note in data.notes)
    assert load_dataset(frame, roles={"outcome": "class", "year": "feature"}).feature_names == ("x", "year", "y2")


def test_lines_around_a_report_are_no_rows_and_a_business_year_is_a_year():
    rows = "".join(f"R{i};{i % 7},5;{i % 5};20{20 + i % 4}\n" for i in range(30))
    data = load_dataset(
        b"Report of all shops;;;\nas of 03.02.2025;;;\n\nBeleg;Umsatz;St\xc3\xbcck;Gesch\xc3\xa4ftsjahr\n"
        + rows.encode()
        + b";;;\n;;;\n",
        filename="shops.csv",
    )
    assert data.feature_names == ("Umsatz", "Stück")
    assert (data.rows.n_rows, data.rows.ids[0], data.plan.roles["Geschäftsjahr"]) == (30, "R0", "ignored")
    assert data.table["Stück"].dtype.kind == "i"  # whole, whatever the empty lines
    said = " ".join(data.notes)
    assert "2 lines above the header left out ('Report of all shops', 'as of 03.02.2025')" in said
    assert "2 empty lines at the end left out" in said


def test_a_role_given_twice_moves_and_wrong_ones_are_refused_by_name():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "a": list("uvuv"), "b": list("uuvv")})
    data = load_dataset(frame, roles={"a": "class"})
    assert data.plan.roles == {"x": "feature", "a": "class", "b": "group"}
    with pytest.raises(ValueError, match=r"no column 'c'.*'a'|no column 'c'; there are x, a, b"):
        load_dataset(frame, roles={"c": "class"})
    with pytest.raises(ValueError, match="only one column can be the class"):
        load_dataset(frame, roles={"a": "class", "b": "class"})
    with pytest.raises(ValueError, match="can't have the role"):
        load_dataset(frame, roles={"a": "label"})


def test_categories_as_one_feature_each_and_dates_as_days():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "day": pd.date_range("2024-01-01", periods=4), "k": list("uvuv")})
    data = load_dataset(frame, roles={"k": "feature", "day": "feature"})
    assert data.feature_names == ("x", "day", "k=u", "k=v")
    assert data.X[3].tolist() == [4, 3, 0, 1]
    assert data.meta.columns.tolist() == ["day", "k"]


def test_missing_values_are_dropped_or_filled():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame["b"] = frame["a"] * 2
    frame.loc[[3, 8], "b"] = np.nan
    with pytest.warns(DroppedRows):
        assert load_dataset(frame).n_samples == 38
    near = load_dataset(frame, missing={"b": "neighbours"})
    middle = load_dataset(frame, missing="median")
    assert near.n_samples == middle.n_samples == 40
    truth = frame["a"].iloc[[3, 8]] * 2
    assert np.abs(near.X[[3, 8], 1] - truth).sum() < np.abs(middle.X[[3, 8], 1] - truth).sum()
    nothing = frame.assign(b=np.nan)
    with pytest.raises(ValueError, match=r"'b' can't be a feature: it is empty"):
        load_dataset(nothing, roles={"b": "feature"}, missing="median")


def test_scales():
    frame = pd.DataFrame({"a": [0.0, 1, 2, 30], "b": [1.0, 10, 100, 1000]})
    data = load_dataset(frame, scale={"a": "robust", "b": "log"})
    assert np.median(data.X[:, 0]) == 0
    np.testing.assert_allclose(data.X[:, 1], np.log1p(frame["b"]))
    np.testing.assert_allclose(load_dataset(frame, scale="standardise").X.std(axis=0), 1)


# ---------------------------------------------------------------------- vectors and texts


def test_texts_with_vectors():
    frame = texts_with_vectors()
    data = load_dataset(frame)
    assert data.X.shape == (40, 12)
    assert data.text_column == "text"
    assert data.meta.columns.tolist() == ["text", "author", "written"]
    np.testing.assert_allclose(np.linalg.norm(load_dataset(frame, metric="cosine").X, axis=1), 1)
    wide = load_dataset(texts_with_vectors(60, 300))
    assert wide.n_features == 50
    assert any("300 features reduced to 50 by PCA" in note for note in wide.notes)
    assert wide.with_columns(n_components=0).n_features == 300


def test_numbers_beside_vectors_are_looked_at_and_clustered_by_only_when_told():
    frame = texts_with_vectors().assign(stars=np.arange(40) % 5, price=np.linspace(0.5, 9, 40))
    data = load_dataset(frame)
    assert data.n_features == 12
    assert {"stars", "price"} <= set(data.meta.columns)
    assert "column 'price' is no feature: there are vectors; kept as a group" in data.notes
    assert load_dataset(frame, roles={"price": "feature"}).n_features == 13


def test_vectors_of_unlike_length_are_refused_with_the_row():
    frame = texts_with_vectors(6)
    frame["embedding"] = [np.arange(3.0)] * 4 + [np.arange(2.0)] + [np.arange(3.0)]
    with pytest.raises(ValueError, match="'embedding': the vector of row 4 has 2 numbers, others have 3"):
        load_dataset(frame)


def test_texts_without_vectors_go_by_their_words():
    frame = texts_with_vectors(60).drop(columns="embedding")
    data = load_dataset(frame)
    about = frame["text"].str.contains("ship|harbour|sail|captain").to_numpy()
    means = [data.X[about].mean(axis=0), data.X[~about].mean(axis=0)]
    nearer = np.linalg.norm(data.X - means[0], axis=1) < np.linalg.norm(data.X - means[1], axis=1)
    assert (nearer == about).mean() > 0.95
    own = load_dataset(frame, embed=lambda text: [len(text), text.count("a")])
    assert own.n_features == 2


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_vectors_beside_a_table(tmp_path, suffix):
    frame = texts_with_vectors(20)
    frame[["text", "author"]].to_csv(tmp_path / "said.csv", index=False)
    values = np.stack(frame["embedding"])
    (np.save if suffix == ".npy" else np.savez)(tmp_path / f"said{suffix}", values)
    data = load_dataset(tmp_path / "said.csv")
    np.testing.assert_allclose(data.X, values)
    assert data.text_column == "text"
    np.save(tmp_path / "short.npy", values[:5])
    with pytest.raises(ValueError, match="5 of them for a table of 20 rows"):
        load_dataset(tmp_path / "said.csv", vectors=tmp_path / "short.npy")


def test_sparse_counts_of_cells():
    X, kind = single_cells()
    data = load_dataset(pd.DataFrame({"batch": ["a", "b"] * 100}), vectors=X)
    assert data.X.shape == (200, 50)
    whole = data.with_columns(n_components=0, scale={"vectors": "log"})
    assert whole.X.shape == (200, 400)
    np.testing.assert_allclose(whole.X.max(), np.log1p(X.max()))
    assert np.corrcoef(data.X[:, 1], kind)[0, 1] ** 2 > 0.5


def test_places():
    data = load_dataset(gps_points(200))
    assert data.feature_names == ("lat", "lon", "speed")
    assert data.plan.roles["time"] == "ignored"


# ---------------------------------------------------------------------- pictures


def test_an_archive_of_pictures_with_a_broken_one():
    with pytest.warns(DroppedRows):
        data = load_dataset(zip_of_pictures(broken=(3,)), filename="shapes.zip")
    assert data.target_names == ("discs", "squares")
    assert data.n_samples == 11
    assert data.images.shape == (11, 24, 24, 3)
    assert "squares/003.png" in next(note for note in data.notes if "no picture" in note)
    assert data.sample_names[0] == "discs/000.png"
    assert not any("Error" in note for note in data.notes)


def test_a_broken_picture_stays_out_when_columns_change_and_ignored_ones_are_no_features():
    with pytest.warns(DroppedRows):
        data = load_dataset(zip_of_pictures(broken=(3,)), filename="shapes.zip")
    assert data.with_columns(metric="cosine").n_samples == 11
    with pytest.raises(ValueError, match="no texts, vectors or pictures"):
        data.with_columns(roles=dict.fromkeys(("picture", "file", "folder"), "ignored"))


def test_pictures_in_a_folder_of_folders_are_told_apart_by_the_inner_ones(tmp_path):
    for i in range(6):
        path = tmp_path / "leaves 2024" / ("oak" if i % 2 else "birch") / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture(i % 2, seed=i))
    assert load_dataset(tmp_path).target_names == ("birch", "oak")


def test_a_folder_of_pictures_and_a_function_of_ones_own(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.png").write_bytes(picture(i % 2, mode="L", seed=i))
    data = load_dataset(str(tmp_path) + "/")
    assert data.images.shape == (6, 24, 24)
    own = load_dataset(tmp_path, embed=lambda pixels: [pixels.mean(), pixels.std()])
    assert own.n_features == 2
    assert own.X[0, 0] > own.X[1, 0]  # discs are light


def test_pictures_in_a_table_as_bytes_or_as_files(tmp_path):
    pictures = [picture(i % 2, seed=i) for i in range(6)]
    inside = load_dataset(pd.DataFrame({"x": range(6), "look": pictures}), roles={"x": "feature"})
    assert inside.feature_names == ("x",)
    assert inside.picture(0).shape == (24, 24, 3)
    assert inside.table["look"].tolist()[0] == "picture 0"
    for i, content in enumerate(pictures):
        (tmp_path / f"{i}.png").write_bytes(content)
    frame = pd.DataFrame({"x": np.arange(6.0), "look": [f"{i}.png" for i in range(6)]})
    frame.to_csv(tmp_path / "table.csv", index=False)
    assert load_dataset(tmp_path / "table.csv").images.shape == (6, 24, 24, 3)
    assert load_dataset(frame, pictures=tmp_path).images.shape == (6, 24, 24, 3)
    # What is uploaded opens no file of this machine.
    with pytest.raises(ValueError, match="only its name is in the table"):
        load_dataset((tmp_path / "table.csv").read_bytes(), filename="table.csv")


def test_bombs_are_refused_before_they_unpack(monkeypatch):
    monkeypatch.setattr(limits, "MOST_UNPACKED_BYTES", 10**8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(3):
            archive.writestr(f"{i}.png", bytes(50_000_000))
    with pytest.raises(ValueError, match=r"bomb\.zip would take 150 MB"):
        load_dataset(buffer.getvalue(), filename="bomb.zip")
    monkeypatch.setattr(thumbnails, "MOST_PIXELS", 100)
    with pytest.raises(ValueError, match="none of 12 pictures can be read"):
        load_dataset(zip_of_pictures(), filename="large.zip")


def pictures_with_numbers(n_numbers, broken=(3,)):
    rng = np.random.default_rng(0)
    cells = [b"\x89PNG broken" if i in broken else picture(i % 2, seed=i) for i in range(12)]
    return pd.DataFrame({"photo": cells} | {f"size {j}": rng.normal(size=12) for j in range(n_numbers)})


def test_a_number_or_two_beside_pictures_are_kept_to_look_at():
    with pytest.warns(DroppedRows):
        data = load_dataset(pictures_with_numbers(2))
    assert data.plan.roles == {"photo": "picture", "size 0": "group", "size 1": "group"}
    assert data.n_samples == 11
    assert "column 'size 0' is no feature: there are pictures; kept as a group" in data.notes
    assert "size 2" in load_dataset(pictures_with_numbers(3)).feature_names


@pytest.mark.parametrize("roles", [{"photo": "feature"}, {"size 0": "group", "size 1": "group", "size 2": "group"}])
def test_pictures_become_features_later_by_their_pixels_and_broken_ones_stay_out(roles):
    data = load_dataset(pictures_with_numbers(3))
    assert data.table["photo"].isna().tolist() == [i == 3 for i in range(12)]
    changed = data.with_columns(roles=roles)
    assert changed.n_samples == 11
    assert "picture 1" in changed.feature_names
    assert not any("photo=" in name for name in changed.feature_names)
    assert changed.with_columns(metric="cosine").n_samples == 11
    columns, _ = overview(changed)
    assert (columns[0].kind, round(columns[0].missing, 2)) == ("picture", 0.08)
