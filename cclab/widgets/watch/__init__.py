"""What one watches: objective, gauges, credal sets, one sample, outliers, scores, clusters."""

from cclab.widgets.watch.clusters import Clusters
from cclab.widgets.watch.credal_sets import CredalSets
from cclab.widgets.watch.gauges import Gauges
from cclab.widgets.watch.objective import Objective
from cclab.widgets.watch.outliers import Outliers
from cclab.widgets.watch.panel import TABS, Watch
from cclab.widgets.watch.part import Part
from cclab.widgets.watch.sample import SampleBelief
from cclab.widgets.watch.scores import Scores

__all__ = [
    "TABS",
    "Clusters",
    "CredalSets",
    "Gauges",
    "Objective",
    "Outliers",
    "Part",
    "SampleBelief",
    "Scores",
    "Watch",
]
