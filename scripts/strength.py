"""How strong the players are, how far their announced chances can be trusted, and what another bid would have gained: `reports/strength`.

    python scripts/strength.py --write reports/strength       everything, about fifteen minutes on two cores
    python scripts/strength.py duels --game oh-hell           one part, one game, printed

What `--write` measures it writes as tables into the folder, and makes the page anew from all tables there.

Duels: every policy in one seat against `rules-1` and against `rules`, on duplicate deals; also with every bid made by the field's policy (play
alone) and with all cards played by the learned player (bids alone). Seeds: the same training from other seeds. Calibration: chance announced for
a bid against how often it is made, learned players at every seat. Regret: what one trick more, one less or a zero bid would have gained in the same
deals, by strength of hand, seat and sum. One card: scores and best answers in one-card Oh Hell, beside the solution.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from announced import Row, Taped, announced_bids, calibration_error, reliability

from analyzer import __version__, rules, simulation, stats
from analyzer.duel import Duel
from analyzer.rules import Rules
from analyzer.zero import expected_tricks
from kernels import layout

GAMES = ("israeli-whist", "oh-hell", "jabberwocky", "spanish-solo")
FREE_EXACT = "exact+free-discard"
TABLES: dict[str, list[tuple[str, int | None, int | None]]] = {      # variant, players, cards
    "israeli-whist": [("base", None, None), ("hook13", None, None), ("declarer-rebids", None, None), ("three-passes", None, None), ("gulash", None, None)],
    "oh-hell": [
        (FREE_EXACT, 4, 7), (FREE_EXACT, 4, 10), ("base", 4, 4), ("base", 4, 7), ("base", 4, 10), ("base", 3, None), ("base", 4, None), ("base", 5, None),
        ("base", 6, None), ("base", 7, None), ("no-hook", 4, None), ("exact", 4, None), ("slam", 4, None), ("secret", 4, None), ("ten-times", 4, None),
        ("squares", 4, None), ("penalty", 4, None),
    ],
    "jabberwocky": [("base", 3, None), ("base", 4, None), ("base", 5, None)],
    "spanish-solo": [("base", None, None), ("parlett", None, None)],
}  # fmt: skip
ASKED: dict[str, list[tuple[str, int | None, int | None]]] = {      # tables of regret
    "israeli-whist": [("base", None, None)],
    "oh-hell": [("base", 4, 7), (FREE_EXACT, 4, 7), ("base", 4, 10)],
    "jabberwocky": [("base", 4, 8)],
    "spanish-solo": [],
}  # fmt: skip
SEATED = ("random", "rules-1", "rules", "learned")
HERE = Path(__file__).parents[1] / "reports" / "strength"
LEVEL = 0.95
BINS = 20                  # of announced chances
FEWEST = 300               # bids of a bucket of regret
HIGHEST = 9                # bid that is tried in place of another
WIDTHS = (1.0, 2)          # of the buckets of regret: expected tricks, tricks that the bids so far are ahead of an even share


def table_of(game: str, variant: str, players: int | None) -> Rules:
    """Return the rules of a table."""
    return rules.load(game, variant, players=players)


def where(table: Rules, cards: int | None) -> Row:
    """Return the columns that name a table."""
    return {"game": table.game, "variant": table.variant, "players": table.players, "cards": cards or "all"}


def duels(game: str, deals: int, learned: str = "learned") -> Iterator[Row]:
    """Yield what a policy in one seat scores above the others."""
    for variant, players, cards in TABLES[game]:
        table = table_of(game, variant, players)
        settings: list[tuple[str, str, Row]] = [(policy, "rules-1", {}) for policy in SEATED if policy not in ("rules-1", "learned")]
        settings += [(learned, field, kept) for field in ("rules-1", "rules") for kept in ({}, {"bids_by": field})]
        settings += [(learned, "rules-1", {"play_by": learned})]
        for policy, field, kept in settings:
            duel = Duel(table, [policy, field], "1v3", cards=cards, **kept)
            duel.run(deals)
            own, other = duel.rows(LEVEL)
            differ = f"cards, all bids by {field}" if "bids_by" in kept else f"bids, all cards by {learned}" if kept else "bids and cards"
            yield {**where(table, cards), "policy": policy, "field": field, "differ in": differ,
                   **{key: own[key] for key in ("score", "exact_rate", "difference", "difference_low", "difference_high", "swap_difference",
                                                "swap_difference_low", "swap_difference_high", "zero_under", "zero_over")},
                   "field_exact_rate": other["exact_rate"], "n": duel.deals}  # fmt: skip


def calibration(game: str, deals: int, learned: str = "learned") -> Iterator[Row]:
    """Yield how often bids are made, by announced chance: all of them, and zero bids by the side that the sum fell on."""
    for variant, players, cards in TABLES[game] if game != "spanish-solo" else ():
        table = table_of(game, variant, players)
        for name, bids in announced_bids(Taped(table, learned, cards, seed=7), deals).items():
            if len(bids.deal) >= BINS:
                apart = bids._replace(deal=np.arange(len(bids.deal)))        # each bid by itself; reports/calibration counts whole deals
                error, _ = calibration_error(apart, BINS)
                for row in reliability(apart, BINS):
                    yield {**where(table, cards), "bids": name, "error": float(error.mean), **row}


def regret(game: str, deals: int, learned: str = "learned") -> Iterator[Row]:
    """Yield what another bid would have gained in the same deals, by bucket.

    The best of one trick more, one less and zero, which may cost, is picked on half of the deals and judged on the other half, so that luck is no gain.
    """
    for variant, players, cards in ASKED[game]:
        table = table_of(game, variant, players)
        engine = simulation.Engine(simulation.Run(table, [learned], seed=11, cards=cards))
        setup = engine.setup
        chunks = [engine.play(first, min(1024, deals - first))[0][:, 0] for first in range(0, deals, 1024)]
        advised = np.concatenate(chunks)
        played = advised["played"] == 1
        auction = table.auction == "levels" and table.fields["contract"]["declarer_rebids"] == "none"
        first_speaker = (advised["declarer"] + 1 if auction else advised["declarer"] if table.auction == "levels" else advised["dealer"] + 1) % table.players
        rows = np.arange(len(advised))
        so_far = advised["bids"][rows, advised["declarer"]] if auction else np.zeros(len(advised), int)
        for number in range(table.players - auction):
            seat = (first_speaker + number) % table.players
            spoken = number + auction
            bid = advised["bids"][rows, seat]
            scores = np.full((HIGHEST + 2, len(advised)), np.nan)
            for other in range(HIGHEST + 1):
                script = setup.copy()
                script["n_bids"] = number + 1
                script["bids"] = layout.NONE
                script["bids"][0, number] = other
                facts = np.concatenate([engine.play(first, min(1024, deals - first), setup=script)[0][:, 0] for first in range(0, deals, 1024)])
                scores[other] = np.where(facts["played"] == 1, facts["scores"][rows, seat] * table.unit, np.nan)
            own = advised["scores"][rows, seat] * table.unit
            others = bid + 1, np.where(bid > 0, bid - 1, HIGHEST + 1), np.where(bid > 0, 0, HIGHEST + 1)
            gains = np.stack([scores[np.clip(other, -1, HIGHEST + 1), rows] - own for other in others])
            strength = expected_tricks(table, advised["hands"][rows, seat], advised["trump"], advised["cards"], advised["turnup"])
            ahead = so_far - advised["cards"] * spoken / table.players
            so_far = so_far + bid
            keys = np.stack([np.floor(strength / WIDTHS[0] + 0.5), np.round(ahead / WIDTHS[1])], axis=1).astype(int)
            for key in np.unique(keys[played], axis=0):
                here = np.flatnonzero(played & (keys == key).all(axis=1))
                if len(here) < FEWEST:
                    continue
                halves = here[::2], here[1::2]
                found, squares, n = 0.0, 0.0, 0
                for pick, judge in (halves, halves[::-1]):
                    means = [np.nanmean(gain[pick]) if np.isfinite(gain[pick]).any() else -np.inf for gain in gains]
                    gain = gains[int(np.argmax(means))][judge]
                    gain = gain[np.isfinite(gain)]
                    found, squares, n = found + gain.sum(), squares + (gain**2).sum(), n + len(gain)
                mean, low, high = (float(x) for x in stats.mean_interval(found, squares, n))
                yield {**where(table, cards), "seat": number, "expected tricks": int(key[0]) * WIDTHS[0], "bids ahead": int(key[1]) * WIDTHS[1], "gain": mean,
                       "gain_low": low, "gain_high": high, "n": len(here), "compared": n}


def one_card(game: str, deals: int, learned: str = "learned") -> Iterator[Row]:
    """Yield what every seat of one-card Oh Hell scores by enumeration, beside the solution, and what its best answer would gain."""
    sys.path.insert(0, str(HERE.parents[1]))
    from tests.one_card import judged, solution, table_bids

    for players in (3, 4, 5) if game == "oh-hell" else ():
        scores, gains = judged(table_bids(learned, players))
        exact, _ = judged(solution(players))
        for seat in range(players):
            yield {"players": players, "seat": seat, "score": float(scores[seat]), "solved": float(exact[seat]), "best answer gains": float(gains[seat])}


def seeds(game: str, deals: int, learned: str = "learned") -> Iterator[Row]:
    """Yield the strength of the same training from several seeds, as their cards have it."""
    others = {path.stem.rpartition("-")[2]: str(path) for path in sorted((HERE / "seeds").glob(f"{game}-[0-9].toml"))}
    for seed, policy in {"1": learned, **others}.items() if others else ():
        for variant, players, cards in TABLES[game][:5 if game == "oh-hell" else 1]:
            table = table_of(game, variant, players)
            for field in ("rules-1", "rules"):
                for kept in ({}, {"bids_by": field}):
                    duel = Duel(table, [policy, field], "1v3", cards=cards, **kept)
                    duel.run(deals)
                    own, other = duel.rows(LEVEL)
                    yield {**where(table, cards), "seed": seed, "field": field, "differ in": "cards" if kept else "bids and cards",
                           **{key: own[key] for key in ("difference", "difference_low", "difference_high", "exact_rate")},
                           "field_exact_rate": other["exact_rate"], "n": duel.deals}  # fmt: skip


PARTS = {"duels": (duels, 10_000), "seeds": (seeds, 10_000), "calibration": (calibration, 40_000), "regret": (regret, 20_000), "one-card": (one_card, 0)}


def save(path: Path, rows: list[Row]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()} for row in rows)


def saved(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV, none where there is no file."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table as lines of Markdown."""
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)] + [""]


def interval(row: dict[str, str], name: str, digits: int) -> str:
    """Return an estimate with its interval."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return f"{value:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})"


def table_text(row: dict[str, str]) -> str:
    """Return a table's name."""
    return f"{row['variant']}, {row['players']} players" + ("" if row["cards"] == "all" else f", {row['cards']} cards")


HEAD = """# How strong the players are

Measured by `python scripts/strength.py --write reports/strength`, tricklab {version}; every table is also a CSV file here. Points a deal, 95 % intervals.

One seat is the policy, all others are the field, on the same deals with the odd seat in every place in turn; the difference is to the other seats
at the same tables. Differ in *cards*: every bid is made by the field's policy. Differ in *bids*: all cards are played by `learned`. Bids made: of
the policy, and of the field at the same tables; in Spanish Solo contracts made.
"""
SEEDS = """## Other seeds

The same training from three seeds; seed 1 is shipped as `learned`, the others lie in `seeds/` and are policies that every command takes.
"""
CALIBRATION = """## Calibration

Chance announced for a bid against how often it is made, learned players in every seat: the mean distance over bins of .05, weighted by bids
(expected calibration error). Zero bids by the side that the sum of all bids fell on.
"""
REGRET = """## Regret

What one trick more, one less or a zero bid would have gained in the same deals, by expected tricks, seat and how far the bids ran ahead, in buckets
of at least {fewest} bids. The best other bid is picked on half of the deals and judged on the other half, so that luck is not counted as gain; a gain
below 0 is a loss.
"""


def page(folder: Path) -> list[str]:
    """Return the page of all tables in a folder."""
    lines = [HEAD.format(version=__version__)]
    duel_rows = saved(folder / "duels.csv")
    for game in GAMES:
        best = {row["field"]: row for row in reversed(duel_rows) if row["game"] == game and row["policy"] == "learned" and row["differ in"] == "bids and cards"}
        if best:
            digits = 3 if game == "jabberwocky" else 2
            gains = " and ".join(f"{interval(best[field], 'difference', digits)} above {field}" for field in ("rules-1", "rules"))
            lines.append(f"* {game} ({table_text(best['rules'])}): `learned` scores {gains}.")
    lines.append("")
    for game in GAMES:
        rows = [row for row in duel_rows if row["game"] == game]
        digits = 1 if game == "israeli-whist" else 3 if game == "jabberwocky" else 2
        if rows:
            lines += [f"## {game}", "", *markdown(
                ["table", "policy", "field", "differ in", "difference", "bids made", "by the field", "n"],
                [[table_text(row), row["policy"], row["field"], row["differ in"].partition(",")[0], interval(row, "difference", digits),
                  f"{float(row['exact_rate']):.1%}", f"{float(row['field_exact_rate']):.1%}", f"{int(row['n']):,}"] for row in rows])]
    rows = saved(folder / "seeds.csv")
    if rows:
        lines += [SEEDS, *markdown(
            ["game", "table", "seed", "field", "differ in", "difference", "bids made", "by the field"],
            [[row["game"], table_text(row), row["seed"], row["field"], row["differ in"], interval(row, "difference", 2), f"{float(row['exact_rate']):.1%}",
              f"{float(row['field_exact_rate']):.1%}"] for row in rows])]
    rows = saved(folder / "calibration.csv")
    if rows:
        first = {(table_text(row), row["game"], row["bids"]): row for row in rows}
        counts = {key: sum(int(row["n"]) for row in rows if (table_text(row), row["game"], row["bids"]) == key) for key in first}
        errors = [[key[1], key[0], key[2], f"{float(row['error']):.4f}", f"{counts[key]:,}"] for key, row in first.items()]
        lines += [CALIBRATION, *markdown(["game", "table", "bids", "error", "n"], errors)]
    rows = saved(folder / "regret.csv")
    if rows:
        lines += [REGRET.format(fewest=FEWEST)]
        summed = []
        for key in dict.fromkeys((row["game"], table_text(row)) for row in rows):
            own = [row for row in rows if (row["game"], table_text(row)) == key]
            n = sum(int(row["n"]) for row in own)
            worst = max(own, key=lambda row: float(row["gain"]))
            summed.append([*key, f"{sum(max(float(row['gain']), 0) * int(row['n']) for row in own) / n:.3f}", interval(worst, "gain", 2), worst["compared"],
                           f"{len(own)}", f"{n:,}"])
        lines += markdown(["game", "table", "mean gain, losses as 0", "bucket of the largest gain", "deals with that bid", "buckets", "bids"], summed)
    rows = saved(folder / "one-card.csv")
    if rows:
        lines += ["## One-card Oh Hell", "", "By enumeration of all deals of a turn-up.", "", *markdown(
            ["players", "seat", "score", "solved", "best answer gains"],
            [[row["players"], row["seat"], *(f"{float(row[key]):.4f}" for key in ("score", "solved", "best answer gains"))] for row in rows])]
    return lines


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts, all if none is named")
    parser.add_argument("--game", action="append", choices=GAMES)
    parser.add_argument("--policy", default="learned", help="the learned policy")
    parser.add_argument("--scale", type=float, default=1.0, help="times the deals")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the tables as CSV, and the page")
    args = parser.parse_args()
    for part in args.parts or PARTS:
        measure, deals = PARTS[part]
        rows = []
        for game in args.game or GAMES:
            for row in measure(game, int(deals * args.scale), args.policy):
                rows.append(row)
                print(*(f"{value:+.4f}" if isinstance(value, float) else value for value in row.values()), flush=True)
        if args.write and rows:
            args.write.mkdir(parents=True, exist_ok=True)
            save(args.write / f"{part}.csv", rows)
    if args.write:
        (args.write / "README.md").write_text("\n".join(page(args.write)), encoding="utf-8")


if __name__ == "__main__":
    main()
