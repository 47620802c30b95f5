"""Learn the tables of the `rules` players by simulation: chances of cards, of bids, of sums and of contracts.

    python scripts/learn_tables.py --deals 150000 --rounds 6 --name rules-1

Round 0 starts from a plain guess; every round plays deals with the tables so far, bids drawn at random in part (`explore`), and counts anew. The same command
and seed write the same bytes.
"""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np

from analyzer import adapting, policies, rules, simulation
from analyzer.adapting import HALF, PRIOR, count_bids, count_contracts, pooled_rising
from kernels import layout
from kernels.bits import bit, count_cards, higher_cards, lowest_card, suit_mask, trump_mask
from kernels.compiled import LowerWhole, compiler
from kernels.heuristics import card_kind
from kernels.layout import AIM_BUCKETS, AIM_STEP, DIFFERENCES, NONE, SOLO_BUCKETS, ZERO_BUCKETS, ZERO_STEP, Side

njit: Any = partial(numba.njit, pipeline_class=compiler(LowerWhole))      # may make arrays, as kernels may not
NO_TRUMP_SHARE = 4         # one deal without trump to so many with
EXPLORE = 0.25             # share of bids and contracts drawn at random
MEMORY = 0.7               # weight of the counts of each earlier round: best responses to the last round alone swing to and fro
FAMILIES = {
    "israeli-whist": ("israeli-whist", (), (4,)),
    "oh-hell": ("oh-hell", (), (3, 4, 5, 6, 7)),
    "oh-hell-free": ("oh-hell", ("play.must_trump=false",), (3, 4, 5, 6, 7)),
    "jabberwocky": ("jabberwocky", (), (3, 4, 5)),
    "spanish-solo": ("spanish-solo", (), (3,)),
}


@njit
def count_wins(facts, deck_mask, n_seats, has_bids, wins, seen, ducked, ducks):
    """Count for every card at every trick start whether it takes a trick later; at the start of the deal also those of seats that bid zero.

    wins, seen : int64, shape (cards, left, kind, length, higher); ducked, ducks : shape (cards, kind, length, higher)
    """
    hands = np.zeros(layout.MAX_SEATS, np.int64)
    for d in range(len(facts)):
        fact = facts[d]
        if fact.played == 0:
            continue
        cards = fact.cards
        trump = fact.trump
        trumps = trump_mask(trump)
        winners = np.int64(0)
        for k in range(cards):
            best = np.int64(fact.play[k * n_seats])
            for j in range(1, n_seats):
                card = np.int64(fact.play[k * n_seats + j])
                if (card >> 4 == best >> 4 and card > best) or (card >> 4 != best >> 4 and bit(card) & trumps != 0):
                    best = card
            winners |= bit(best)
        for seat in range(n_seats):
            hands[seat] = 0
        seat = fact.leader
        for k in range(cards):                 # who played what: hands as played, after any exchange
            lead = seat
            best = np.int64(fact.play[k * n_seats])
            for j in range(n_seats):
                card = np.int64(fact.play[k * n_seats + j])
                hands[(lead + j) % n_seats] |= bit(card)
                if (card >> 4 == best >> 4 and card > best) or (card >> 4 != best >> 4 and bit(card) & trumps != 0):
                    best = card
                if best == card:
                    seat = (lead + j) % n_seats
        gone = np.int64(0)
        if fact.turnup != NONE:
            gone = bit(fact.turnup)
        for k in range(cards):
            for seat in range(n_seats):
                hand = hands[seat] & ~gone
                unseen = deck_mask & ~hand & ~gone
                trumps_out = count_cards(unseen & trumps)
                todo = hand
                while todo != 0:
                    card = lowest_card(todo)
                    todo &= todo - 1
                    suit = card >> 4
                    kind = card_kind(suit, trump, trumps_out)
                    length = min(count_cards(hand & suit_mask(suit)), np.int64(layout.LENGTHS - 1))
                    higher = count_cards(unseen & higher_cards(card))
                    won = winners >> card & 1
                    wins[cards, cards - k, kind, length, higher] += won
                    seen[cards, cards - k, kind, length, higher] += 1
                    if k == 0 and has_bids and fact.bids[seat] == 0:
                        ducked[cards, kind, length, higher] += won
                        ducks[cards, kind, length, higher] += 1
            for j in range(n_seats):
                gone |= bit(np.int64(fact.play[k * n_seats + j]))


def guess(cards: int, players: int, pack: int) -> np.ndarray:
    """Return a first P(win) by left, kind, length and higher: each higher card in another hand takes it, short of ruffs for length."""
    left, kind, length, higher = np.ogrid[0:cards + 1, 0:3, 0:layout.LENGTHS, 0:layout.HIGHER]
    in_play = np.minimum(1.0, (players - 1) * cards / max(pack - cards, 1))
    plain = np.maximum(0.0, 1.0 - 0.45 * in_play * higher) * (1.0 - 0.07 * np.maximum(0, length - 3))
    return np.clip(np.where(kind == 1, np.maximum(0.2, 1.0 - 0.25 * in_play * higher), plain) + 0.0 * left, 0.02, 0.98)


def shares(made: np.ndarray, n: np.ndarray, axes: tuple[tuple[int, ...], ...], first: float | np.ndarray) -> np.ndarray:
    """Return made / n, drawn towards coarser pools of neighbouring cells, the coarsest towards `first`."""
    value = np.broadcast_to(np.asarray(first, dtype=np.float64), made.shape)
    for axis in (*axes, ()):
        m, k = (array.sum(axis=axis, keepdims=True) for array in (made, n))
        value = (m + PRIOR * value.mean(axis=axis, keepdims=True)) / (k + PRIOR)
        value = np.broadcast_to(value, made.shape)
    return value


def stored(values: np.ndarray) -> np.ndarray:
    """Return chances as uint16, largest value 1."""
    return np.round(np.clip(values, 0.0, 1.0) * np.iinfo(np.uint16).max).astype(np.uint16)


def distributions(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return counts by the last axis as distributions, drawn towards the pool over hand sizes and roles, that one towards `prior`."""
    pool = counts.sum(axis=(0, 1), keepdims=True) + PRIOR * prior
    pool = pool / pool.sum(axis=-1, keepdims=True)
    mixed = counts + PRIOR * pool
    return mixed / mixed.sum(axis=-1, keepdims=True)


def first_aim() -> np.ndarray:
    """Return the spread of tricks around a bid before anything is known: as near as the expectation, a trick or so either way."""
    bucket, place = np.ogrid[0:AIM_BUCKETS + ZERO_BUCKETS, 0:DIFFERENCES]
    centre = np.where(bucket < AIM_BUCKETS, ((bucket + 0.5) * AIM_STEP - AIM_BUCKETS * AIM_STEP / 2) * 0.7 + HALF, (bucket - AIM_BUCKETS) * ZERO_STEP)
    weight = 1.0 / (1.0 + (place - centre) ** 4)
    return weight / weight.sum(axis=-1, keepdims=True)


def first_sides() -> np.ndarray:
    """Return the side of the sum before anything is known: the seats to come bid an even share, give or take a trick for each."""
    cards, left, total, side = np.ogrid[0:layout.MAX_HAND + 1, 0:layout.MAX_SEATS, 0:layout.MAX_SUM + 1, 0:3]
    ahead = total - cards * (1.0 - left / 4.0)
    spread = 0.3 + 0.8 * left
    over = 1.0 / (1.0 + np.maximum(0.0, 1.0 - (ahead - 0.5) / spread) ** 4)
    under = 1.0 / (1.0 + np.maximum(0.0, 1.0 + (ahead + 0.5) / spread) ** 4)
    weight = np.where(side == Side.UNDER, under, np.where(side == Side.OVER, over, 0.3))
    return weight / weight.sum(axis=-1, keepdims=True)


def play(game_rules: rules.Rules, policy: str, n: int, cards: int | None, seed: int) -> np.ndarray:
    """Return the facts of n deals."""
    chunks: list[np.ndarray] = []
    simulation.run(simulation.Run(rules=game_rules, policies=[policy], seed=seed, cards=cards), n, consume=lambda facts, _: chunks.append(facts.copy()))
    return np.concatenate(chunks)


def learn(family: str, players: int, policy: str, n_deals: int, seed: int, memory: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Play a family at a number of players and return its tables; unit: chances. `memory` holds the counts of earlier rounds and gets those of this one."""

    def pooled(name: str, counts: np.ndarray) -> np.ndarray:
        memory[name] = counts + MEMORY * memory.get(name, 0.0)
        return memory[name]

    game, settings, _ = FAMILIES[family]
    game_rules = rules.load(game, settings=settings, players=players)
    most = game_rules.max_cards if game != "jabberwocky" else max(game_rules.schedule)
    sizes = sorted(set(game_rules.schedule)) if game != "israeli-whist" else [13]
    has_bids = game_rules.has_bids
    pack = len(game_rules.deck.cards(game_rules.deck.mask))
    shape = (most + 1, *layout.EXPECT_SHAPE[1:])
    wins, seen = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    ducked, ducks = np.zeros((most + 1, *layout.DUCK_SHAPE[1:]), np.int64), np.zeros((most + 1, *layout.DUCK_SHAPE[1:]), np.int64)
    per_size = max(n_deals // len(sizes), 4000)
    deals = [play(game_rules, policy, per_size, cards, seed) for cards in sizes]
    if game == "oh-hell":                     # the same tables serve deals without trump
        plain = rules.load(game, settings=[*settings, "trump.source=none"], players=players)
        deals += [play(plain, policy, per_size // NO_TRUMP_SHARE, cards, seed) for cards in sizes]
    for facts in deals:
        count_wins(facts, game_rules.deck.mask, players, has_bids, wins, seen, ducked, ducks)
    first = np.stack([np.pad(guess(cards, players, pack), ((0, layout.MAX_HAND - cards), (0, 0), (0, 0), (0, 0))) for cards in range(most + 1)])
    learned = {"expect": shares(pooled("wins", wins), pooled("seen", seen), ((1, 3), (3,)), first)[:, :most + 1]}
    learned["duck"] = shares(pooled("ducked", ducked), pooled("ducks", ducks), ((2,),), 0.3 * first[np.arange(most + 1), np.arange(most + 1)])
    if has_bids:
        shifts = [policies.load(policy).weights[name].value for name in ("seat_shift", "sum_shift", "duck_shift")]
        played = np.concatenate([facts[facts["played"] == 1] for facts in deals])
        counts = count_bids(game_rules, played, learned["expect"], learned["duck"], shifts)
        learned["aim"] = distributions(pooled("aim", counts["aim"][:most + 1]), first_aim())
        prior = first_sides()[:most + 1]
        mixed = pooled("sides", counts["sides"][:most + 1]) + PRIOR * prior
        learned["sides"] = mixed / mixed.sum(axis=-1, keepdims=True)
        shift = shift_of(game_rules, played, learned["expect"])
        made = (played["bids"] == played["tricks"])[:, :players].mean()
        print(f"  {family} {players}: made {made:.4f} with {EXPLORE:.0%} of bids at random; "
              f"tricks - expected = {shift[0]:+.3f} {shift[1]:+.3f} seat {shift[2]:+.3f} ahead")
    else:
        learned["solo"] = learn_solo(game_rules, deals[0], learned["expect"], policy)
    return learned


def shift_of(game_rules: rules.Rules, facts: np.ndarray, expect: np.ndarray) -> np.ndarray:
    """Return the least squares of tricks less expected ones by 1, seat after the leader and bids ahead of an even share."""
    bidders = adapting.Bidders.of(game_rules, facts)
    columns = np.stack(np.broadcast_arrays(1.0, bidders.turn, bidders.ahead), axis=-1).reshape(-1, 3)
    missed = bidders.tricks - adapting.expected_tricks(expect[bidders.cards, bidders.cards], bidders.hands, bidders.unseen, bidders.trump)
    return np.linalg.lstsq(columns, missed.ravel(), rcond=None)[0]


def learn_solo(game_rules: rules.Rules, facts: np.ndarray, expect: np.ndarray, policy: str) -> np.ndarray:
    """Return P(made) by contract kind and strength, never falling with strength."""
    made, n = count_contracts(game_rules, facts, expect, policies.load(policy).weights_in(game_rules.game)["trick_gain"].value)
    centre = np.stack([np.clip((np.arange(SOLO_BUCKETS) - 20) / 34, 0.01, 0.99), np.clip((np.arange(SOLO_BUCKETS) / 4 - 7) / 5, 0.0, 0.95) ** 3,
                       np.clip((np.arange(SOLO_BUCKETS) / 4 - 8) / 4, 0.0, 0.9) ** 3])
    value = np.stack([pooled_rising(made[kind], n[kind], centre[kind]) for kind in range(3)])
    print("  spanish-solo: contracts", n.sum(axis=1), "made", np.round(made.sum(axis=1) / np.maximum(n.sum(axis=1), 1), 3))
    return value


def main() -> None:
    """Learn all families and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=400_000, help="deals a family and number of players, over all hand sizes")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", default="rules-1", help="the file analyzer/data/weights/NAME.npz, which the players also read")
    parser.add_argument("--family", action="append", choices=list(FAMILIES), help="only this one; the others stay as they are in the file")
    args = parser.parse_args()
    out = policies.DATA / "weights" / f"{args.name}.npz"
    tables: dict[str, np.ndarray] = dict(np.load(out)) if out.exists() and args.family else {}
    if not out.exists():
        np.savez_compressed(out)
    memory: dict[tuple[str, int], dict[str, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        explorer = Path(folder) / "explore.toml"
        explorer.write_text(f'base = "rules-1"\ntables = "{args.name}"\n[weights.explore]\nvalue = {EXPLORE}\n', encoding="utf-8")
        for number in range(args.rounds):
            start = time.process_time()
            for family in args.family or FAMILIES:
                for players in FAMILIES[family][2]:
                    if number == 0:
                        tables |= first_tables(family, players)
                        np.savez_compressed(out, **tables)
                        policies.learned_tables.cache_clear()
                    learned = learn(family, players, str(explorer), args.deals, args.seed + number, memory.setdefault((family, players), {}))
                    tables |= {f"{family}/{players}/{name}": stored(table) for name, table in learned.items()}
            np.savez_compressed(out, **dict(sorted(tables.items())))
            policies.learned_tables.cache_clear()
            print(f"round {number + 1}: {time.process_time() - start:.0f} CPU s, {out.stat().st_size / 1e3:.0f} kB", file=sys.stderr)


def first_tables(family: str, players: int) -> dict[str, np.ndarray]:
    """Return the guess that round 0 plays with."""
    game_rules = rules.load(FAMILIES[family][0], settings=FAMILIES[family][1], players=players)
    most = game_rules.max_cards
    pack = len(game_rules.deck.cards(game_rules.deck.mask))
    expect = np.stack([np.pad(guess(cards, players, pack), ((0, most - cards), (0, 0), (0, 0), (0, 0))) for cards in range(most + 1)])
    name = f"{family}/{players}"
    tables = {f"{name}/expect": stored(expect), f"{name}/duck": stored(0.3 * expect[np.arange(most + 1), np.arange(most + 1)])}
    if game_rules.has_bids:
        tables[f"{name}/aim"] = stored(np.broadcast_to(first_aim(), (most + 1, 2, *first_aim().shape)))
        tables[f"{name}/sides"] = stored(first_sides()[:most + 1])
    else:
        tables[f"{name}/solo"] = stored(np.tile(np.clip((np.arange(SOLO_BUCKETS) - 15) / 40, 0.0, 0.9), (3, 1)) * np.array([[1.0], [0.3], [0.2]]))
    return tables


if __name__ == "__main__":
    main()
