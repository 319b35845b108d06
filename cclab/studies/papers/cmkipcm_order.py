"""Who is ahead of whom at 150 links: the order of six methods on each data set, beside Table 1 of the paper."""

from __future__ import annotations

from itertools import combinations, pairwise

import pandas as pd
from sklearn.cluster import AgglomerativeClustering

from cclab.algorithms import MPCKMeans, XiangMetric
from cclab.studies import Method, RandomPairs, Study, grid
from cclab.studies.claims import paired_p
from cclab.studies.papers.cmkipcm import KMEANS, OURS, PAPER, TABLE_1, active
from cclab.studies.result_tables import markdown

LINKS = 150
#: By falling rank from left to right as published: "<" is significantly worse than the next, "~" is not.
PUBLISHED = {
    "Iris": "AHC < K-means < Xiang < MPCKMeans < random ~ active",
    "Balance": "K-means < Xiang < AHC < MPCKMeans ~ random < active",
    "Ecoli": "MPCKMeans ~ Xiang ~ K-means < AHC ~ random < active",
    "Breast": "AHC < K-means < Xiang ~ MPCKMeans ~ random < active",
    "Ionosphere": "AHC ~ MPCKMeans < K-means ~ Xiang < random ~ active",
    "Heart": "AHC < K-means < Xiang < random ~ MPCKMeans < active",
    "Glass": "AHC < MPCKMeans < K-means ~ Xiang < random < active",
    "Soybean": "K-means < AHC < Xiang < MPCKMeans ~ random ~ active",
    "Sonar": "K-means ~ AHC < Xiang < MPCKMeans < random < active",
    "Wine": "AHC < K-means < Xiang ~ random ~ MPCKMeans < active",
    "Letter (A,B)": "AHC < K-means < MPCKMeans < Xiang < random < active",
}
AHC = Method("AHC", AgglomerativeClustering, linkage="average")
XIANG, MPC = Method("Xiang", XiangMetric), Method("MPCKMeans", MPCKMeans)
# What is compared: of questions, what stands at their end.
ENDS = ("nothing", f"{LINKS} pairs", f"{LINKS} by overlap")
# What tables of this study call a method with its knowledge.
SHORT = {("CMKIPCM", f"{LINKS} pairs"): "random", ("CMKIPCM", f"{LINKS} by overlap"): "active"}


def order(part: pd.DataFrame) -> str:
    """The methods of one data set by rising mean, "<" between two that a paired t-test tells apart and else "~"."""
    ends = part[part["knowledge"].isin(ENDS)].dropna(subset="ari")
    trials = {
        SHORT.get((str(method), str(knowledge)), str(method)): rows.set_index("trial")["ari"]
        for (method, knowledge), rows in ends.groupby(["method", "knowledge"], sort=False)
    }
    names = sorted(trials, key=lambda name: trials[name].mean())
    said = names[:1]
    for one, other in pairwise(names):
        both = pd.concat([trials[one], trials[other]], axis=1).dropna().to_numpy().T
        said += ["<" if paired_p(*both) < 0.05 else "~", other]
    return " ".join(said)


def agreement(ours: str, published: str) -> tuple[int, int]:
    """How many pairs of methods that the paper tells apart have the same order here, and how many there are."""
    here = [word for word in ours.split() if word not in "<~"]
    words = published.split()
    step, level = 0, {}
    for word in words:
        step += word == "<"
        if word not in "<~":
            level[word] = step
    told = [(a, b) for a, b in combinations(here, 2) if level[a] != level[b]]
    return sum(level[a] < level[b] for a, b in told), len(told)


class OrderStudy(Study):
    """A study whose report ends with the order of its methods beside the published one."""

    def orders(self, frame: pd.DataFrame) -> pd.DataFrame:
        """One row per data set: the order found, the published one, and how many pairs agree."""
        rows = []
        for data, part in frame.groupby("dataset", sort=False):
            found = order(part)
            same, told = agreement(found, PUBLISHED[str(data)])
            rows.append(
                {"dataset": data, "found": found, "published": PUBLISHED[str(data)], "agree": f"{same} of {told}"}
            )
        return pd.DataFrame(rows)

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        return f"{super().report(frame)}\n{markdown(self.orders(frame))}\n"


STUDY = OrderStudy(
    name="cmkipcm-order",
    title=f"The order of six methods at {LINKS} links, beside Table 1",
    paper=PAPER,
    cells=grid(TABLE_1, [AHC, KMEANS])
    + grid(TABLE_1, [XIANG, MPC, OURS], RandomPairs(LINKS))
    + grid(TABLE_1, OURS, active(LINKS)),
    trials=50,
    show=["ari", "ari_free"],
)
