"""What one watches: objective, gauges, credal sets, one sample, outliers, scores, clusters, links not seen."""

from cclab.widgets.watch.clusters import Clusters
from cclab.widgets.watch.credal_sets import CredalSets
from cclab.widgets.watch.gauges import Gauges
from cclab.widgets.watch.links_not_seen import LinksNotSeen
from cclab.widgets.watch.objective import Objective
from cclab.widgets.watch.one_sample import SampleBelief
from cclab.widgets.watch.outliers import Outliers
from cclab.widgets.watch.part import Part
from cclab.widgets.watch.profile import ClusterProfile
from cclab.widgets.watch.scores import Scores
from cclab.widgets.watch.watch import Watch

__all__ = [
    "ClusterProfile",
    "Clusters",
    "CredalSets",
    "Gauges",
    "LinksNotSeen",
    "Objective",
    "Outliers",
    "Part",
    "SampleBelief",
    "Scores",
    "Watch",
]
