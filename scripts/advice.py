"""How fast, how sure and how right the advice is: `reports/advice`.

    python scripts/advice.py --write reports/advice       everything, about an hour on two cores
    python scripts/advice.py settling --scale .1          one part on a tenth of the situations, printed

Situations are bids in the middle of self-play: in each deal one seat is asked, with all that was said before it. Settling: processor seconds of one thread
until the best bid is settled or its regret certified. Worlds: what share of the worlds drawn counts, by how many others spoke. Regret: answers of one second
against an independent reference of 20,000 worlds, split in two: one half picks the best bid, the other judges it and the bid answered. Calls: the same for
answers that ignore what the others said. Certified: how many hands are settled, or certified within a bound, by 20,000 worlds.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from analyzer import __version__, records, rules, situation, stats
from analyzer.advice import Advice, Playouts, advise
from analyzer.instant import instant
from analyzer.race import CHAINS
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, make_ready
from analyzer.situation import Situation

POLICY = "learned"
BOUNDS = {"israeli-whist": 1.0, "oh-hell": 0.1}        # points: regret that counts as certified
HALF = 10_000              # worlds of half the reference
AROUND = 3                 # bids on either side of the one answered that the reference judges
MOST = 200_000             # worlds after which a situation counts as never settled
LEVEL = 0.95

Row = dict[str, Any]


def situations(table: Rules, n: int, seed: int, last: bool = False) -> Iterator[Situation]:
    """Yield one question about a bid from each of n deals; `last`: of the last seat to bid, else of any."""
    engine = Engine(Run(table, [POLICY], seed=seed))
    draw = np.random.default_rng(seed)
    facts = engine.play(0, 2 * n)[0][:, 0]
    facts = facts[facts["played"] == 1][:n]
    players = table.players
    for deal in records.happened(facts, table):
        declarer = deal["declarer"]
        first = deal["dealer"] + 1 if declarer is None else declarer + 1
        bidders = [(first + k) % players for k in range(players - (declarer is not None))]
        place = len(bidders) - 1 if last else int(draw.integers(len(bidders)))
        told = bidders[:place] + ([] if declarer is None else [declarer])
        yield situation.from_json({
            "game": table.game, "rules": table.fields, "seat": bidders[place], "decision": "bid", "dealer": deal["dealer"], "turnup": deal["turnup"],
            "trump": deal["trump"], "auction": deal["auction"], "declarer": declarer, "contract": deal["contract"],
            "hands": [hand if seat == bidders[place] else None for seat, hand in enumerate(deal["hands"])],
            "bids": [bid if seat in told else None for seat, bid in enumerate(deal["bids"])],
        })  # fmt: skip


def answer(asked: Situation, **effort: Any) -> Advice:
    """Return the advice of one thread."""
    return advise(asked, policies=[POLICY], jobs=1, **effort)


def settling(game: str, scale: float) -> Iterator[Row]:
    """Yield the time to a settled best bid, or one whose regret is certified within the bound."""
    seconds, worlds, settled = [], [], 0
    for asked in situations(rules.load(game), int(100 * scale), seed=31):
        start = time.process_time()
        found = answer(asked, deals=MOST, precision=BOUNDS[game])
        seconds.append(time.process_time() - start)
        worlds.append(found.deals)
        settled += found.settled
    yield {"game": game, "bound": BOUNDS[game], "median_s": float(np.median(seconds)), "p90_s": float(np.quantile(seconds, 0.9)), "worst_s": max(seconds),
           "median_worlds": float(np.median(worlds)), "p90_worlds": float(np.quantile(worlds, 0.9)), "reached": settled / len(seconds),
           "n": len(seconds)}  # fmt: skip


def worlds(game: str, scale: float) -> Iterator[Row]:
    """Yield the effective sample size of the best bid as a share of the worlds played, where all others have spoken."""
    shares = []
    for asked in situations(rules.load(game), int(100 * scale), seed=32, last=True):
        best = answer(asked, deals=10_000).results[0]
        if not best["exact"]:
            shares.append(best["ess"] / best["n"])
    yield {"game": game, "median": float(np.median(shares)), "p10": float(np.quantile(shares, 0.1)), "least": min(shares),
           "at_least_a_fifth": float(np.mean(np.array(shares) >= 0.2)), "n": len(shares)}  # fmt: skip


class Reference:
    """20,000 worlds in two halves of other seeds than the answers have. Judged are the bids near the one answered, and zero."""

    def __init__(self, asked: Situation, near: int) -> None:
        self.asked = asked
        self.halves = [Playouts(asked, [POLICY], seed, None, False) for seed in (1001, 1002)]
        self.worlds = [half.worlds(CHAINS, HALF // CHAINS) for half in self.halves]
        self.values: list[dict[int, float]] = [{}, {}]
        judged = [action.said for action in asked.actions if action.said == 0 or abs(action.said - near) <= AROUND]
        self.best = [max(judged, key=lambda bid, half=half: self.value(half, bid)) for half in range(2)]

    def value(self, half: int, bid: int) -> float:
        """Return the mean score of a bid in one half."""
        values = self.values[half]
        if bid not in values:
            action = next(action for action in self.asked.actions if action.said == bid)
            facts, _ = self.halves[half].facts(action, 0, HALF, self.worlds[half])
            values[bid] = float(facts["scores"][:, self.asked.seat].mean()) * self.asked.rules.unit
        return values[bid]

    def regret(self, bid: int) -> float:
        """Return what the best bid of one half scores above the bid answered in the other, the mean of both ways."""
        return sum(self.value(1 - half, self.best[half]) - self.value(1 - half, bid) for half in range(2)) / 2


def regret(game: str, scale: float) -> Iterator[Row]:
    """Yield the mean regret of one-second answers, of answers that ignore the calls, and of the network alone."""
    regrets: dict[str, list[float]] = {"one second": [], "one second, calls ignored": [], "network alone": []}
    for asked in situations(rules.load(game), int(300 * scale), seed=33):
        found = answer(asked, seconds=1.0)
        if found.results[0]["exact"]:
            continue
        answered = found.results[0]["action"]
        reference = Reference(asked, answered)
        regrets["one second"].append(reference.regret(answered))
        regrets["one second, calls ignored"].append(reference.regret(answer(asked, seconds=1.0, ignore_calls=True).results[0]["action"]))
        regrets["network alone"].append(reference.regret(instant(asked, [POLICY])["action"]))
    for name, values in regrets.items():
        found_ = np.array(values)
        mean, low, high = (float(x) for x in stats.mean_interval(found_.sum(), (found_**2).sum(), len(found_), LEVEL))
        yield {"game": game, "answer": name, "regret": mean, "regret_low": low, "regret_high": high, "n": len(found_)}


def certified(game: str, scale: float) -> Iterator[Row]:
    """Yield how many hands are certified within the bound by 20,000 worlds."""
    reached = [answer(asked, deals=20_000, precision=BOUNDS[game]).settled for asked in situations(rules.load(game), int(200 * scale), seed=34)]
    share, low, high = (float(x) for x in stats.wilson(sum(reached), len(reached), LEVEL))
    yield {"game": game, "bound": BOUNDS[game], "certified": share, "certified_low": low, "certified_high": high, "n": len(reached)}


PARTS = {"settling": settling, "worlds": worlds, "regret": regret, "certified": certified}
HEAD = """# How fast, how sure and how right the advice is

Measured by `python scripts/advice.py --write reports/advice`, tricklab {version}, learned players, one thread; every table is also a CSV file here. The
situations are bids in the middle of self-play under the base rules: {game} with any number of cards, one seat of each deal asked, with all that was said
before it. Times are processor seconds after start-up.
"""
TEXTS = {
    "settling": "## Settling\n\nUntil the best bid is settled, or no other can be better than it by more than the bound (points), at the 95 % anytime level.\n",
    "worlds": "## Worlds\n\nThe last bidder is asked. Effective sample size of the best bid, from the means of 100 chains, as a share of the 10,000 worlds "
              "played.\n",
    "regret": "## Regret\n\nPoints that the best bid of an independent reference scores above the bid answered. The reference has two halves of 10,000 worlds: "
              "one picks the best of the bids around the one answered and zero, the other judges; both ways. 95 % intervals over situations.\n",
    "certified": "## Certified\n\nShare of the situations in which, after at most 20,000 worlds a bid, no other bid can be better than the best by more than "
                 "the bound (points).\n",
}  # fmt: skip


FINDINGS = {
    "settling": "{game}: half of the situations are settled, or certified within {bound} points, in {median_s} s, nine of ten in {p90_s} s.",
    "worlds": "{game}: a world drawn is worth {median} of an independent one, in one of ten situations less than {p10}.",
    "regret": "{game}: answers of one second lie {regret} points ({regret_low} to {regret_high}) behind an independent reference.",
    "certified": "{game}: after 20,000 worlds {certified} ({certified_low} to {certified_high}) of the hands are certified within {bound} points.",
}


def text(value: object) -> str:
    """Return a cell of a table."""
    return f"{value:.3f}".replace("-0.000", "0.000") if isinstance(value, float) else str(value)


def page(folder: Path) -> str:
    """Return the page of all tables in a folder."""
    found = {}
    for part in TEXTS:
        path = folder / f"{part}.csv"
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                found[part] = list(csv.DictReader(file))
    answers = [f"* {FINDINGS[part].format(**row)}" for part, rows in found.items() for row in rows if row.get("answer", "one second") == "one second"]
    parts = [HEAD.format(version=__version__, game=" and ".join(BOUNDS)), "\n".join(answers) + "\n"]
    for part, rows in found.items():
        lines = [list(rows[0]), ["---"] * len(rows[0]), *([row[key] for key in rows[0]] for row in rows)]
        parts.append(TEXTS[part] + "\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts, all if none is named")
    parser.add_argument("--game", action="append", choices=list(BOUNDS))
    parser.add_argument("--scale", type=float, default=1.0, help="times the situations")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the tables as CSV, and the page")
    args = parser.parse_args()
    make_ready()
    for part in args.parts or PARTS:
        rows = []
        for game in args.game or BOUNDS:
            for row in PARTS[part](game, args.scale):
                rows.append({key: text(value) for key, value in row.items()})
                print(part, *(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
        if args.write:
            args.write.mkdir(parents=True, exist_ok=True)
            with (args.write / f"{part}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    if args.write:
        (args.write / "README.md").write_text(page(args.write), encoding="utf-8")


if __name__ == "__main__":
    main()
