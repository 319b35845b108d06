"""Algorithm 2 of Okabe and Yamada (2018) as it is printed: the reference for tests and benchmarks."""

import numpy as np


def literal_assignment(i, j, must, distances):
    """Steps 3-38 of Algorithm 2 as they are printed: a loop over the links by falling priority."""
    nearest = np.argsort(distances, axis=1, kind="stable")
    cluster = {}
    for a, b, together in zip(i.tolist(), j.tolist(), must.tolist()):
        if a not in cluster and b not in cluster:
            near_a, near_b = nearest[a, 0], nearest[b, 0]
            a_is_nearer = distances[a, near_a] <= distances[b, near_b]
            if together:
                cluster[a] = cluster[b] = near_a if a_is_nearer else near_b
            elif near_a != near_b:
                cluster[a], cluster[b] = near_a, near_b
            elif a_is_nearer:
                cluster[a], cluster[b] = near_a, nearest[b, 1]
            else:
                cluster[a], cluster[b] = nearest[a, 1], near_b
        elif a not in cluster or b not in cluster:
            known, new = (a, b) if a in cluster else (b, a)
            if together:
                cluster[new] = cluster[known]
            else:
                cluster[new] = next(c for c in nearest[new] if c != cluster[known])
    return np.array([cluster.get(x, nearest[x, 0]) for x in range(len(distances))])
