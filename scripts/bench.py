"""How fast, how strong and how small: the figures of the README, each with what it should reach.

    python scripts/bench.py                 everything, about six minutes
    python scripts/bench.py speed memory    only these parts
    python scripts/bench.py --write reports/bench.md

Speeds are deals per CPU-second of one thread, the best of several runs, without compiling. OpenSpiel is timed in the same run where it is installed.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analyzer import __version__, rules, simulation, stats, training
from analyzer.seat import Player
from kernels import layout

REPEATS = 5
SPADES = 5                       # 6S as a call is 1 + (6 - 1) * 5 + 3
FIXED_TRUMP = 1 + 5 * SPADES + layout.Denomination.S
LEARNING_UPDATES = 600           # of 1,024 deals
TRICKLAB = [str(Path(sys.executable).with_name("tricklab"))]


class Line(NamedTuple):
    """One row of the table."""

    what: str
    measured: str
    wanted: str
    reached: bool | None


class Bench:
    """A run with its scratch, so that only the kernel is timed."""

    def __init__(self, game: str, policy: str, settings: tuple[str, ...] = (), cards: int | None = None, contract: int | None = None) -> None:
        from kernels import entry

        self.entry = entry
        self.engine = simulation.Engine(simulation.Run(rules=rules.load(game, settings=settings), policies=[policy], cards=cards))
        self.setup = self.engine.setup.copy()
        if contract is not None:
            self.setup["contract"], self.setup["declarer"], self.setup["dealer"] = contract, 0, 3
        self.play(0)

    def play(self, first: int) -> None:
        """Play one chunk."""
        setup = self.setup.copy()
        setup["first"] = first
        facts, games = np.zeros((simulation.CHUNK, 1), layout.FACTS), np.zeros(simulation.CHUNK, layout.GAME)
        scratch = np.zeros(1, layout.TABLE), np.zeros(1, layout.DEAL), np.zeros(0, layout.WORLD)
        self.entry.play(self.engine.rules, self.engine.policies, self.engine.weights, setup, *scratch, facts, games)

    def speed(self, n_deals: int) -> float:
        """Return deals per CPU-second."""
        chunks = max(1, n_deals // simulation.CHUNK)

        def once() -> float:
            start = time.process_time()
            for chunk in range(chunks):
                self.play(chunk * simulation.CHUNK)
            return time.process_time() - start

        return chunks * simulation.CHUNK / min(once() for _ in range(REPEATS))

    def threads(self, n_deals: int) -> float:
        """Return how many times faster two threads are than one, by the clock, alternating so that noise meets both."""
        chunks = [chunk * simulation.CHUNK for chunk in range(n_deals // simulation.CHUNK)]

        def once(threads: int) -> float:
            start = time.perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(self.play, chunks))
            return time.perf_counter() - start

        times = [(once(1), once(2)) for _ in range(REPEATS)]
        return min(one for one, _ in times) / min(two for _, two in times)


def speed() -> Iterator[Line]:
    """Deals per CPU-second."""
    random_whist = Bench("israeli-whist", "random", contract=FIXED_TRUMP).speed(200_000)
    yield Line("random play, Israeli Whist, fixed trump, 52 cards", f"{random_whist:,.0f} deals/s", "1,000,000; aim 1,500,000", random_whist >= 1e6)
    ruled = Bench("israeli-whist", "rules").speed(40_000)
    yield Line("rules, Israeli Whist with auction and bids", f"{ruled:,.0f} deals/s", "120,000; aim 200,000", ruled >= 120_000)
    learned = Bench("israeli-whist", "learned").speed(20_000)
    yield Line("learned, Israeli Whist with auction and bids", f"{learned:,.0f} deals/s", "40,000; aim 100,000", learned >= 40_000)
    for policy, n_deals in (("rules", 40_000), ("learned", 20_000)):
        for game, cards in (("oh-hell", 10), ("jabberwocky", 9), ("spanish-solo", None)):
            what = f"{policy}, {game}" + (f", {cards} cards" if cards else "")
            yield Line(what, f"{Bench(game, policy, cards=cards).speed(n_deals):,.0f} deals/s", "", None)
    oh_hell = Bench("oh-hell", "random", cards=12, settings=("play.must_trump=false",)).speed(200_000)
    against = "random bids and play, Oh Hell, 12 tricks, against OpenSpiel's Python loop"
    try:
        sys.path.insert(0, str(Path(__file__).parent))
        from record_openspiel import time_python_loop

        loop = time_python_loop(4000)
        yield Line(against, f"{oh_hell * loop:.0f} times ({oh_hell:,.0f} against {1 / loop:,.0f} deals/s)", "80 times", oh_hell * loop >= 80)
    except (ImportError, SystemExit):
        yield Line(against, f"{oh_hell:,.0f} deals/s; open_spiel is not installed", "80 times", None)
    gain = Bench("israeli-whist", "rules").threads(80_000)
    yield Line(f"two threads against one ({os.cpu_count()} cores here)", f"{gain:.2f} times", "1.8 times where two cores are free", gain >= 1.8)


def seat() -> Iterator[Line]:
    """Decisions of `tricklab seat`, the reading and checking of a situation included."""
    asking = Player("israeli-whist", "rules")
    calls = [[3, "pass"], [0, "5S"], [1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]]
    question = {
        "game": "israeli-whist", "seat": 3, "decision": "bid", "dealer": 2, "hands": [None, None, None, "K53.Q3.QJT94.953"], "auction": calls,
        "declarer": 0, "contract": "5S", "trump": "S", "bids": [5, 2, 4, None], "leader": None, "play": [],
    }
    if "action" not in asking.answer(question):
        raise SystemExit("bench: the question of `seat` was refused")

    def once() -> float:
        start = time.process_time()
        for _ in range(200):
            asking.answer(question)
        return (time.process_time() - start) / 200

    yield Line("seat: one bid in Israeli Whist", f"{1000 * min(once() for _ in range(REPEATS)):.2f} ms", "", None)


def strength() -> Iterator[Line]:
    """How often bids are made, and what rules win from random."""
    for cards, wanted in ((4, 0.57), (7, 0.52), (10, 0.49)):
        table = rules.load("oh-hell", settings=["play.must_trump=false"])
        made = [facts["bids"][:, :4] == facts["tricks"][:, :4] for facts in deals(simulation.Run(rules=table, policies=["rules"], cards=cards), 40_000)]
        by_deal = np.concatenate(made).sum(axis=1)
        low, high = (float(x) / 4 for x in stats.mean_interval(by_deal.sum(), (by_deal**2).sum(), len(by_deal))[1:])
        what = f"rules against itself, Oh Hell, 4 players, {cards} cards: bids made"
        yield Line(what, f"{by_deal.mean() / 4:.3f} ({low:.3f} to {high:.3f})", f"{wanted:.2f}", low >= wanted)
    table = rules.load("israeli-whist")
    gains = []
    for turn in range(4):
        run = simulation.Run(rules=table, policies=["rules" if seat == turn else "random" for seat in range(4)])
        facts = np.concatenate(list(deals(run, 5_000)))
        seat = (facts["dealer"] + 1 + turn) % 4
        scores = facts["scores"][:, :4]
        own = scores[np.arange(len(facts)), seat]
        gains.append(own - (scores.sum(axis=1) - own) / 3)
    gain = np.mean(gains, axis=0)
    mean, low, high = (float(x) for x in stats.mean_interval(gain.sum(), (gain**2).sum(), len(gain)))
    measured = f"{mean:+.1f} points ({low:+.1f} to {high:+.1f}), n = {len(gain):,}"
    yield Line("rules against three random players, Israeli Whist, a deal", measured, "above 0", low > 0)
    made = [facts["bids"][:, :4] == facts["tricks"][:, :4] for facts in deals(simulation.Run(rules=table, policies=["learned"]), 20_000)]
    by_deal = np.concatenate(made).sum(axis=1)
    low, high = (float(x) / 4 for x in stats.mean_interval(by_deal.sum(), (by_deal**2).sum(), len(by_deal))[1:])
    yield Line("learned against itself, Israeli Whist: bids made", f"{by_deal.mean() / 4:.3f} ({low:.3f} to {high:.3f})", "0.72", low >= 0.72)


def learning() -> Iterator[Line]:
    """How long Israeli Whist takes to learn from nothing, on all cores; what it has learned is judged after the clock has stopped."""
    plan = training.plan("israeli-whist", updates=LEARNING_UPDATES)
    trainer = training.Trainer(replace(plan, looks=1, look_deals=20))
    start = time.perf_counter()
    trainer.run()
    minutes = (time.perf_counter() - start) / 60
    row = next(row for row in trainer.strength() if row["against"] == "rules-1")
    measured = f"{minutes:.1f} minutes to {row['difference']:+.1f} ({row['difference_low']:+.1f} to {row['difference_high']:+.1f})"
    yield Line("training Israeli Whist from nothing, points a deal over rules-1", measured, "10 minutes to +6", minutes <= 10 and row["difference_low"] >= 6)


def deals(run: simulation.Run, n: int) -> Iterator[np.ndarray]:
    """Yield the facts of n deals by the chunk."""
    chunks: list[np.ndarray] = []
    simulation.run(run, n, consume=lambda facts, _: chunks.append(facts.copy()))
    yield from chunks


def memory() -> Iterator[Line]:
    """Peak memory of `simulate`."""
    peaks = {n: peak_memory(["simulate", "israeli-whist", "--policy", "random", "-n", str(n), "-q"]) for n in (1_000_000, 10_000_000)}
    for n, peak in peaks.items():
        yield Line(f"simulate, {n:,} deals: peak memory", f"{peak:.0f} MB", "600 MB, the same for both", peak < 600 and peak < 1.1 * peaks[1_000_000])


def peak_memory(arguments: list[str]) -> float:
    """Return the largest resident size of a command, in MB."""
    measure = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); " \
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", measure, *TRICKLAB, *arguments], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) / 1024


def startup() -> Iterator[Line]:
    """Seconds by the clock from the command to its end."""
    question = ["bid", "israeli-whist", "KQ4.A73.QJ85.T62", "--calls", "pass pass 5H pass pass pass pass", "--bids", "3"]

    def seconds(arguments: list[str], **environment: str) -> float:
        start = time.perf_counter()
        subprocess.run([*TRICKLAB, *arguments], check=True, capture_output=True, env={**os.environ, **environment})
        return time.perf_counter() - start

    def best(measure: Callable[[], float]) -> float:
        return min(measure() for _ in range(REPEATS))

    yield timed("tricklab --help", best(lambda: seconds(["--help"])), 0.2)
    seconds(question)
    yield timed("tricklab bid, warm, whole answer", best(lambda: seconds(question)), 1.5)
    yield timed("tricklab bid, an opening call, warm, whole answer", best(lambda: seconds(question[:3])), 1.5)
    with tempfile.TemporaryDirectory() as folder:
        yield timed("tricklab bid, first run: compiles", seconds(question, TRICKLAB_CACHE=folder), 15.0)


def timed(what: str, seconds: float, wanted: float) -> Line:
    """Return a row for a time."""
    return Line(what, f"{seconds:.2f} s", f"{wanted:g} s", seconds <= wanted)


PARTS = {"speed": speed, "seat": seat, "strength": strength, "learning": learning, "memory": memory, "startup": startup}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts, all if none is named")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the table as Markdown")
    args = parser.parse_args()
    lines = [("what", "measured", "wanted", "")]
    for part in args.parts or PARTS:
        for line in PARTS[part]():
            lines.append((line.what, line.measured, line.wanted, {True: "reached", False: "missed", None: ""}[line.reached]))
            print(f"{line.what}: {line.measured}", file=sys.stderr)
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    if args.write:
        args.write.write_text("\n".join([*page(), *("| " + " | ".join(line) + " |" for line in (lines[0], ("---",) * 4, *lines[1:]))]) + "\n", encoding="utf-8")


def page() -> list[str]:
    """Return the head of the written table: what was measured, where and how to do it again."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, numba {version('numba')}, numpy {version('numpy')}"
    return ["# How fast, how strong, how small", "", f"Printed by `make bench`; tricklab {__version__}, {machine}.",
            "Speeds are deals per CPU-second of one thread, without compiling; intervals are 95 %.", ""]


if __name__ == "__main__":
    main()
