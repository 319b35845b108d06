"""What twenty right answers in the game Ask me bring, by what it asks, and what random questions bring.

``python -m benchmarks.ask_me_games 10`` plays ten games of each kind, with the solver, the questions and the steps of
the page, and the truth as the person. Figures are the adjusted Rand index, means over the games.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from cclab.apps.ask_me.game import GAMES, LOOP, new_game, opponent, played
from cclab.core.registry import strategies

#: The gain in adjusted Rand index on digits that was aimed at.
AIM = 0.15


def main(n_games: int) -> None:
    """Print a line for each game and what it asks by."""
    print(f"{'game':<8} {'asks by':<20} start  after {LOOP.budget}  gain  least gain  random questions")
    for name in GAMES:
        for strategy in ("GroupQueries", "UncertaintyQueries"):
            asks = strategies.get(strategy)()
            games = [[*played(new_game(name, seed), asks)] for seed in range(n_games)]
            rivals = [[*opponent(new_game(name, seed), seed, asks.kind)][-1] for seed in range(n_games)]
            first, last = np.array([[game[0], game[-1]] for game in games]).T
            gain = last - first
            figures = f"{first.mean():.3f}  {last.mean():.3f}     {gain.mean():+.3f}  {gain.min():+.3f}"
            print(f"{name:<8} {strategy:<20} {figures}      {np.mean(rivals):.3f}", flush=True)
    print(f"The aim on digits is a gain of {AIM:g}.")


if __name__ == "__main__":
    with warnings.catch_warnings(action="ignore"):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
