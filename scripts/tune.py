"""Tune the weights of the `rules` players, per game, by the cross-entropy method on duplicate deals.

    python scripts/tune.py                      every game, about ten minutes on one core
    python scripts/tune.py --game oh-hell       one

Every candidate takes each seat in turn against the policy that stands so far, and is judged by the mean paired difference of a deal. The best of each
generation draw the next one's mean and spread. What comes out meets `rules-1` on fresh deals; it is printed as the tables of a policy file. Same seed, same
weights.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from analyzer import policies, rules, simulation, stats

POPULATION, ELITE, GENERATIONS = 24, 6, 10
SHRINK = 0.5                    # of the new spread, the rest is the old one: a lucky generation does not settle everything
FRESH = 1_000_003               # seed of the judging deals: none that the tuning has seen
TABLES = {                      # tables that a candidate plays at: (settings, players, cards), and deals at each
    "israeli-whist": [((), None, None, 4000)],
    "oh-hell": [((), players, cards, 1500) for players, cards in ((3, 5), (3, 12), (4, 4), (4, 7), (4, 11), (5, 8), (6, 5))],
    "jabberwocky": [((), players, cards, 2000) for players, cards in ((3, 5), (3, 8), (4, 4), (4, 8), (5, 6))],
    "spanish-solo": [((), None, None, 8000)],
}
SPREAD = {                      # first standard deviation of a weight, in its unit, and its limits
    "will_needs": (0.08, 0.3, 1.0), "will_full": (0.08, 0.0, 0.8), "rest": (0.08, 0.5, 1.3), "risk": (0.15, -1.0, 1.0), "spare": (0.15, 0.0, 1.5),
    "cheap": (0.05, 0.0, 0.6), "seat_shift": (0.05, -0.4, 0.4), "sum_shift": (0.08, -0.6, 0.3), "duck_shift": (0.08, -0.6, 0.3),
    "zero_margin": (1.0, -8.0, 8.0), "call_margin": (2.0, -10.0, 15.0), "usual_level": (0.7, 5.0, 9.0), "trick_gain": (0.4, 1.0, 6.0), "keep": (1.0, 0.0, 12.0),
    "solo_margin": (0.4, -3.0, 3.0), "solo_made": (0.08, 0.2, 0.95),
}
PLAY = ("will_needs", "will_full", "rest", "risk", "spare", "cheap", "seat_shift", "sum_shift", "duck_shift")
WEIGHTS = {
    "israeli-whist": (*PLAY, "zero_margin", "call_margin", "usual_level"),
    "oh-hell": PLAY,
    "jabberwocky": PLAY,
    "spanish-solo": ("will_needs", "will_full", "cheap", "trick_gain", "keep", "solo_margin", "solo_made"),
}


def policy_file(folder: Path, name: str, game: str, weights: dict[str, float]) -> str:
    """Write a policy that differs from rules-1 in these weights, and return its path."""
    path = folder / f"{name}.toml"
    path.write_text('base = "rules-1"\n' + "".join(f"[games.{game}.{key}]\nvalue = {value!r}\n" for key, value in weights.items()), encoding="utf-8")
    return str(path)


def differences(game: str, candidate: str, field: str, seed: int, factor: int = 1) -> np.ndarray:
    """Return the candidate's score in each deal less the mean of the other seats, over its turns of the seats, scaled to one spread per table; one per deal."""
    gains: list[np.ndarray] = []
    for settings, players, cards, n in TABLES[game]:
        table = rules.load(game, settings=settings, players=players)
        seats = table.players
        engine = simulation.Engine(simulation.Run(rules=table, policies=[candidate, *[field] * (seats - 1)], seed=seed, cards=cards))
        turns = []
        for turn in range(seats):
            places = [0 if seat == turn else 1 for seat in range(seats)]
            facts = np.concatenate([
                engine.play(first, min(simulation.CHUNK, n * factor - first), seats=places)[0][:, 0][["dealer", "scores"]]
                for first in range(0, n * factor, simulation.CHUNK)
            ])
            scores = facts["scores"][:, :seats] * table.unit
            own = scores[np.arange(len(facts)), (facts["dealer"] + 1 + turn) % seats]
            turns.append(own - (scores.sum(axis=1) - own) / (seats - 1))
        gains.append(np.mean(turns, axis=0))
    return np.concatenate(gains)


def tune(game: str, seed: int, folder: Path) -> dict[str, float]:
    """Return the tuned weights of a game."""
    rng = np.random.default_rng(seed)
    names = WEIGHTS[game]
    start = policies.load("rules-1").weights
    mean = np.array([start[name].value for name in names])
    spread, low, high = (np.array([SPREAD[name][k] for name in names]) for k in range(3))
    for generation in range(GENERATIONS):
        field = policy_file(folder, "field", game, dict(zip(names, mean.tolist(), strict=True)))
        points = np.clip(mean + spread * rng.standard_normal((POPULATION, len(names))), low, high).round(3)
        gains = [
            differences(game, policy_file(folder, "candidate", game, dict(zip(names, point.tolist(), strict=True))), field, seed + generation).mean()
            for point in points
        ]
        best = points[np.argsort(gains)[-ELITE:]]
        mean = best.mean(axis=0)
        spread = (1 - SHRINK) * spread + SHRINK * best.std(axis=0)
        print(f"{game}: generation {generation + 1}: best {max(gains):+.3f}, mean {np.mean(gains):+.3f}", file=sys.stderr)
    return dict(zip(names, mean.round(3).tolist(), strict=True))


def main() -> None:
    """Tune and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", choices=list(TABLES))
    parser.add_argument("--seed", type=int, default=1)
    args: Any = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game in args.game or TABLES:
            weights = tune(game, args.seed, folder)
            tuned = policy_file(folder, "tuned", game, weights)
            print(f"\n[games.{game}]")
            for key, value in weights.items():
                print(f"{key} = {value}")
            for one, other in ((tuned, "rules-1"), ("rules-1", tuned)):
                gain = differences(game, one, other, FRESH, factor=4)
                mean, low, high = (float(x) for x in stats.mean_interval(gain.sum(), (gain**2).sum(), len(gain)))
                what = "tuned against a field of rules-1" if one == tuned else "rules-1 against a field of tuned"
                print(f"# {what}: {mean:+.3f} ({low:+.3f} to {high:+.3f}) points a deal, n = {len(gain):,}", flush=True)


if __name__ == "__main__":
    main()
