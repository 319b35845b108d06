"""However much there is to say about a table, what is told of it can be read."""

import numpy as np
import pandas as pd

from cclab.apps import workbench
from cclab.apps.page.page import MOST_NOTES
from cclab.widgets.model.notices import Notice
from cclab.widgets.notices.banner import MOST_CHARACTERS


def wide_table(n_columns):
    """A table with something to say of each column, and of a row."""
    columns = {f"word {i}": ["a", "b", "c"] for i in range(n_columns)}
    return pd.DataFrame({"x": [1.0, 2.0, np.nan], "y": [3.0, 1.0, 2.0], **columns})


def test_hundreds_of_notes_are_a_few_and_where_the_others_are():
    page = workbench()
    told = []
    page.desk.told.connect(lambda notice: told.append(notice.words))
    page._tasks.start(page._take_file("wide.csv", wide_table(400).to_csv(index=False).encode()))
    assert len(page.desk.session.data.notes) > 400
    words = told[-1]
    assert words.count("dropped: ") < MOST_NOTES
    assert words.endswith("400 notes on single columns: see Columns.")
    assert "1 row" in words  # what concerns all of the table comes first
    page.close()


def test_a_question_mark_in_a_name_asks_nothing():
    frame = pd.DataFrame({"x": np.arange(30.0), "done?": ["yes", "no", "no"] * 10, "kind": [1, 2, 3] * 10, "z": 1.5})
    page = workbench(frame)
    assert "done?" not in page.banner.words.value
    assert "is it the class, a group, or a feature?" in page.banner.words.value
    page.close()


def test_a_banner_has_an_end():
    page = workbench()
    page.desk.tell(Notice("bad", "It can't be read: " + "no, " * 10_000))
    assert len(page.banner.words.value) < MOST_CHARACTERS + 200
    assert "characters more." in page.banner.words.value
    page.close()
