"""The first solvers and strategies on Iris and Wine: labels against none, active pairs against random ones."""

from __future__ import annotations

from sklearn.cluster import KMeans

from cclab.algorithms import FCM, ConstrainedKMeans, COPKMeans, SeededKMeans
from cclab.queries import FarthestFirst, Random
from cclab.studies import Asked, Comparison, Data, Method, RandomLabels, RandomPairs, Study, grid

DATA = [Data("iris_uci", label="iris"), Data("wine", standardized=True)]
KMEANS = Method("K-means", KMeans, n_init=10)
FUZZY = Method("FCM", FCM, n_init=5)
COP = Method("COP-KMeans", COPKMeans, n_init=5)
BY_LABELS = [Method("Seeded-KMeans", SeededKMeans), Method("Constrained-KMeans", ConstrainedKMeans)]
LABELS = [RandomLabels(share=0.1), RandomLabels(share=0.3)]
QUESTIONS = [Asked(strategy, budget=50, per_round=10, warm=False) for strategy in (Random(), FarthestFirst())]

STUDY = Study(
    name="foundation",
    title="Labels, pairs and questions for the first solvers",
    paper="K. Wagstaff et al., Constrained k-means clustering with background knowledge, 2001; "
    "S. Basu, A. Banerjee, R. Mooney, Semi-supervised clustering by seeding, 2002",
    cells=grid(DATA, [KMEANS, FUZZY])
    + grid(DATA, BY_LABELS, LABELS)
    + grid(DATA, COP, [RandomPairs(50), RandomPairs(share=0.05), *QUESTIONS]),
    comparisons=[
        Comparison("ari", ("Constrained-KMeans", "30 % labels"), ("Seeded-KMeans", "30 % labels")),
        Comparison("ari", ("COP-KMeans", "5 % pairs"), ("K-means", "nothing")),
        Comparison("ari_area", ("COP-KMeans", "50 by FarthestFirst"), ("COP-KMeans", "50 by Random")),
    ],
)
