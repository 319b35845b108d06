import matplotlib
import numpy as np
import pandas as pd

from cclab.studies.papers.pcca_pictures import centres, error_curves

matplotlib.use("Agg")


def frame():
    """Two trials: random constraints leave it at 0.2, active ones bring it to 0."""
    rows = [("KM", "NoKnowledge", 0, 0.3), ("CA", "NoKnowledge", 0, 0.2), ("PCCA", "NoKnowledge", 0, 0.2)]
    rows += [("PCCA", "RandomPairs", 50, 0.2), ("PCCA", "ASC", 0, 0.2), ("PCCA", "ASC", 50, 0.0)]
    columns = ["method", "drawn_by", "count", "wrong"]
    return pd.concat([pd.DataFrame(rows, columns=columns).assign(dataset="made up", trial=trial) for trial in (0, 1)])


def test_four_curves_over_the_number_of_constraints():
    (axes,) = error_curves(frame()).axes
    curves = {line.get_label(): np.column_stack(line.get_data()).tolist() for line in axes.lines}
    assert curves == {
        "KM": [[0, 0.3], [100, 0.3]],
        "CA": [[0, 0.2], [100, 0.2]],
        "RS": [[0, 0.2], [50, 0.2]],
        "AS": [[0, 0.2], [50, 0.0]],
    }


def test_centres_start_in_the_same_places_and_end_in_three():
    panels = centres().axes
    assert ["3 clusters" in axes.get_title() for axes in panels] == [True, True]
    starts = [axes.collections[1].get_offsets() for axes in panels]
    assert len(starts[0]) == 15
    np.testing.assert_array_equal(*starts)
