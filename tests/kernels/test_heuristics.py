"""Every heuristic of `rules` against its slow twin, in deals of every game and of the variants that change what a seat can see, do or want."""

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

from analyzer import policies, records
from analyzer.cards import denomination
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels import heuristics, layout
from kernels.compiled import kernel
from kernels.layout import NONE
from tests import twins
from tests.kernels.tools import deals, scaled, setup_of

BIDDING = {"bid_by_expectation", "aim_at_bid"}
WHIST = {"call_by_value", *BIDDING}
SOLO = {"call_contract", "best_trump", "take_points"}
BOLA = {"call_contract", "best_trump", "ask_for_strongest", "give_weakest", "take_points"}
TABLES = [
    *[("oh-hell", "base", (), players, "", BIDDING) for players in range(3, 8)],
    *[("oh-hell", variant, (), players, "", BIDDING) for variant, players in (
        ("free-discard", 4), ("must-head", 4), ("must-head", 5), ("secret+no-hook", 4), ("simultaneous+no-hook", 3), ("negative", 4), ("no-trump", 4),
        ("cut-trump", 4), ("dealers-last-card", 4), ("trumps-broken", 5), ("trumps-later", 3), ("must-exceed", 6), ("coop-equal", 4), ("squares", 4),
        ("over-counts", 4), ("binary", 7),
    )],
    *[("jabberwocky", "base", (), players, "", BIDDING) for players in (3, 4, 5)],
    ("jabberwocky", "two-players", (), 2, "", BIDDING),
    *[("israeli-whist", variant, (), 4, "", WHIST) for variant in (
        "base", "hook13", "declarer-rebids", "three-passes", "no-reentry", "forced-last", "from-four", "guymerin", "oferelyakim", "go-trumpcards",
        "exact-under",
    )],
    ("israeli-whist", "gulash", (), 4, "pass " * 4, {"pass_weakest", *WHIST}),
    ("israeli-whist", "gulash", ("gulash.min_bid_step=1", "gulash.cards=5"), 4, "pass " * 8, {"pass_weakest", *WHIST}),
    ("israeli-whist", "forced-last", (), 4, "pass pass pass", {"call_by_value", *BIDDING}),
    ("israeli-whist", "base", (), 4, "5C pass pass pass", {"raise_or_stand", *BIDDING}),
    *[("spanish-solo", variant, (), 3, "", SOLO) for variant in ("base", "parlett", "reduced-eldest", "reduced-dealer", "no-reduced-seat", "free-passes")],
    ("spanish-solo", "base", ("juego.reduced_target=30",), 3, "", SOLO),
    *[("spanish-solo", variant, (), 3, calls, BOLA) for variant in ("base", "trump-later") for calls in ("bola", "bola-diamonds")],
    *[("spanish-solo", "base", (), 3, calls, {"best_trump", "take_points"}) for calls in (
        "juego", "juego-diamonds", "sin-pedir", "sin-pedir-diamonds", "pass juego", "pass pass sin-pedir", "pass pass pass",
    )],
]


COUNTED_AS = {"call": "calls", "gulash": "gulash", "bid": "bids", "trump": "trump", "ask": "ask", "give": "give", "card": "card"}


def recorded(facts, book, policies):
    return [json.loads(line) for line in records.lines(facts, book, policies, 1)]


def situations(book, calls, n, first):
    """Yield records of deals, each with what its script decided.

    All seats play by `rules`; every other one does; and all of them do after bids and cards at random, for `rules` alone never comes into such a mess.
    """
    setup = setup_of(book, calls=calls, dealer=NONE) if calls else None
    mixed = ["rules", "random", "rules", "random", "rules", "random", "rules"][:book.players]
    for seats in [["rules"]] if n == 1 else [["rules"], mixed]:
        for record in recorded(deals(book, seats, n, first, setup=setup), book, seats):
            yield record, {"calls": len(calls.split())}
    takes_over = Engine(Run(book, ["rules"]))
    for k, record in enumerate(recorded(deals(book, ["random"], 2 * n, first + n, setup=setup), book, ["random"])):
        if record["play"]:
            *_, (last, _) = twins.moments(record)
            made = last.made | {"card": k * len(record["play"]) // (2 * n + 2)}
            facts = takes_over.play(0, 1, twins.script(record, book, made))[0][:, 0]
            yield recorded(facts, book, ["rules"])[0], made


@cache
def compared(game, variant, settings, players, calls):
    """Return how often each heuristic decided, and where its twin would not have decided so."""
    book = load(game, variant, settings, players)
    twin = twins.Twin("rules", book)
    counts, faults = Counter(), []
    n = scaled(24 if calls.startswith("bola") else 8, 1)
    for record, made in situations(book, calls, n, 5 * len(variant)):
        for now, action in twins.moments(record):
            counted_as = COUNTED_AS[now.decision]
            if record["policies"][now.seat] == "random" or now.made[counted_as] < made.get(counted_as, 0):
                continue
            counts[twin.heuristic(now)] += 1
            fault = twin.fault(now, action)
            if fault:
                faults.append(f"deal {record['deal']}, seat {now.seat} with {' '.join(sorted(now.hand))}: {fault}")
    return counts, faults


@pytest.mark.parametrize(("game", "variant", "settings", "players", "calls", "heuristics"), TABLES)
def test_seats_of_rules_decide_as_their_twins(game, variant, settings, players, calls, heuristics):
    counts, faults = compared(game, variant, settings, players, calls)
    assert faults == []
    assert heuristics <= set(counts) or scaled(0, 1)


def test_every_heuristic_meets_its_twin_often():
    total = Counter()
    for *table, _ in TABLES:
        total += compared(*table)[0]
    least = {"aim_at_bid": 5000, "take_points": 5000, "bid_by_expectation": 1000, "call_by_value": 1000, "raise_or_stand": 100, "pass_weakest": 100,
             "call_contract": 300, "best_trump": 200, "ask_for_strongest": 100, "give_weakest": 100}
    assert {name: total[name] for name, count in least.items() if total[name] < count // scaled(1, 50)} == {}


# ---------------------------------------------------------------- what the choices are made of

@kernel
def reckon(rules_, policies_, weights, table_, legal, card, tricks, cards):
    """Fill `tricks` with expected tricks and hold chance of a card, `cards` with the cards worth telling apart and the wanted tricks."""
    rules, policy, table = rules_[0], policies_[0], table_[0]
    unseen = heuristics.unseen_cards(rules, table)
    base = policy.expect + table.cards * heuristics.EXPECT_CARDS + (table.cards - table.trick_no) * heuristics.EXPECT_LEFT
    tricks[0] = heuristics.expected_tricks(weights, base, table.hand, unseen, table.trump)
    tricks[1] = heuristics.hold_chance(policy, rules, table, weights, unseen, card, heuristics.ALL_SEATS)
    cards[0] = heuristics.different_cards(rules, table, legal, unseen)
    cards[1] = heuristics.wanted_tricks(rules, table) if rules.trick_points == 0 else np.int64(NONE)


def table_of(now, twin):
    """Return the TABLE of a seat that is to play, as far as the parts of its choice read it."""
    table, deck = np.zeros(1, layout.TABLE), twin.book.deck
    best = twin.best_on_table(now)
    row = table[0]
    row["hand"], row["seen"] = deck.hand(" ".join(now.hand)), deck.hand(" ".join(now.seen))
    row["seat"], row["cards"], row["trick_no"], row["n_played"] = now.seat, now.cards, now.trick_no, len(now.trick)
    row["trump"] = denomination(now.trump)
    row["led"] = "CDHS".index(now.trick[0][1][0]) if now.trick else NONE
    row["best_card"], row["best_seat"] = (deck.card(best[1]), best[0]) if best else (NONE, now.seat)
    row["bids"] = NONE
    for seat, bid in now.spoken.items():
        row["bids"][seat] = bid
    row["bid_sum"] = sum(now.spoken.values()) if len(now.spoken) == now.players else 0
    row["tricks"][:now.players] = now.tricks
    row["voids"][:now.players] = [sum(1 << "CDHS".index(suit) for suit in suits if suit != "NT") for suits in now.voids]
    return table


@pytest.mark.parametrize(("game", "variant", "players"), [
    ("oh-hell", "base", 7), ("oh-hell", "free-discard", 4), ("oh-hell", "must-head", 5), ("oh-hell", "secret", 3), ("oh-hell", "negative", 4),
    ("jabberwocky", "base", 5), ("israeli-whist", "base", 4), ("spanish-solo", "base", 3),
])
def test_parts_of_a_choice_as_their_twins(game, variant, players):
    book = load(game, variant, (), players)
    twin, deck = twins.Twin("rules", book), book.deck
    compiled, weights = policies.compile_policies([policies.load("rules")], book)
    tricks, cards = np.zeros(2), np.zeros(2, np.int64)
    for record in recorded(deals(book, ["random"], scaled(12, 2)), book, ["random"]):
        for now, card in twins.moments(record):
            if now.decision != "card":
                continue
            reckon(book.record(), compiled, weights, table_of(now, twin), deck.hand(" ".join(now.legal_cards)), deck.card(card), tricks, cards)
            left = now.cards - now.trick_no
            assert tricks[0] == twin.expected_tricks(twin.tables["expect"][now.cards, left], now.hand, twin.unseen(now), now.trump)
            assert not twin.takes(now, card) or tricks[1] == pytest.approx(twin.hold_chance(now, card, set(range(players))), abs=1e-12)
            assert deck.cards(cards[0]) == [deck.card(card) for card in twin.different_cards(now)]
            want = twin.wanted_tricks(now) if book.has_bids else None
            assert cards[1] == (NONE if want is None else want)
