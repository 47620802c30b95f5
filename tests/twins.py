"""The players of `rules` once more, slow and obvious: sets of card texts, chances from dictionaries of words, one option after the other.

`moments` walks through a deal record and yields what the seat to decide can see, with what it decided; `options` says what each answer is worth to a seat of
`rules`, in the order in which ties are broken. Cards are `SA`, hands sets of cards, as in `tests.oracle`, which knows the rules. The learned tables and the
weights come from `analyzer.policies`; of the kernels only the layout of those tables is read.

    python -m tests.twins --pin         # writes tests/golden/rules-1.json: after the frozen policy was learned anew
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from analyzer import cards, policies
from analyzer.rules import Rules
from analyzer.simulation import empty_setup
from kernels.layout import AIM_BUCKETS, AIM_STEP, DIFFERENCES, LENGTHS, MAX_SUM, SOLO_BUCKETS, ZERO_BUCKETS, ZERO_STEP, Side
from tests import oracle
from tests.oracle import CARD_POINTS, CONTRACT_VALUE, DENOMINATIONS, SUITS, contract_number, contract_trump

GOLDEN = Path(__file__).parent / "golden" / "rules-1.json"
PLAIN, TRUMP, NO_TRUMP = 0, 1, 2


# ---------------------------------------------------------------- what a seat sees

@dataclass
class Moment:
    """What the seat to decide sees, and how much of the deal's script has been decided before."""

    decision: str                   # call, gulash, bid, trump, ask, give or card
    seat: int
    hand: set[str]
    dealer: int
    cards: int                      # of a hand as dealt
    players: int
    turnup: str | None
    seen: set[str]                  # cards played, and a turn-up that nobody holds
    trump: str | None = None
    pool: int = 0                   # antes and passes included
    round: int = 0                  # gulashes so far
    auction: list[tuple[int, str]] = field(default_factory=list)        # of this round
    legal_calls: list[str] = field(default_factory=list)
    declarer: int | None = None     # or soloist
    contract: str | None = None
    leader: int | None = None       # of this trick
    spoken: dict[int, int] = field(default_factory=dict)                # bids that this seat knows of
    legal_bids: list[int] = field(default_factory=list)
    legal_trumps: list[str] = field(default_factory=list)
    trick: list[tuple[int, str]] = field(default_factory=list)
    trick_no: int = 0
    broken: bool = False            # a trump has been played
    tricks: list[int] = field(default_factory=list)
    voids: list[set[str]] = field(default_factory=list)
    legal_cards: set[str] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)                  # calls, gulashes, bids, cards... decided before


def number(card: str, ranks: str) -> int:
    """Return the place of a card in the order that breaks ties: suits C D H S, low to high in each."""
    return SUITS.index(card[0]) * len(ranks) + ranks.index(card[1])


def moments(record: dict[str, Any]) -> Iterator[tuple[Moment, Any]]:
    """Yield every decision of a deal record in turn: what its seat sees, and what it decides."""
    rules, n = record["rules"], len(record["hands"])
    deck = oracle.deck_of(rules)
    hands = [set(oracle.parse_hand(hand)) for hand in record["hands"]]
    is_held = any(record["turnup"] in hand for hand in hands)
    now = Moment("", -1, set(), record["dealer"], len(hands[0]), n, record["turnup"], set() if is_held or not record["turnup"] else {record["turnup"]})
    now.leader = (now.dealer + 1) % n
    now.made = dict.fromkeys(["calls", "gulash", "given_over", "bids", "trump", "ask", "give", "card"], 0)

    def asked(decision: str, seat: int) -> Moment:
        now.decision, now.seat, now.hand = decision, seat, set(hands[seat])
        return now

    if rules["trump"]["source"] == "auction":
        yield from _level_rounds(record, rules, hands, now, asked)
        if record["contract"] is None:
            return
        now.declarer, now.contract, now.trump = record["declarer"], record["contract"], record["trump"]
        now.leader = now.declarer
    elif rules["trump"]["source"] == "soloist":
        yield from _solo_terms(record, rules, hands, now, asked, deck)
    else:
        now.trump = record["trump"]
    if rules["trump"]["source"] != "soloist":
        yield from _bids(record, rules, now, asked)
    yield from _cards(record, rules, hands, now, asked)


def _level_rounds(record, rules, hands, now, asked):
    rounds = record["auction"]
    for now.round, calls in enumerate(rounds if record["gulash"] else [rounds]):
        for k, (seat, call) in enumerate(calls):
            now.auction = [(speaker, said) for speaker, said in calls[:k]]
            now.legal_calls = oracle.auction_state(rules, now.dealer, now.auction, now.round).legal
            yield asked("call", seat), call
            now.made["calls"] += 1
        if record["gulash"] and now.round < len(record["gulash"]):
            passed = record["gulash"][now.round]
            for move in sorted(passed, key=lambda move: move["from"]):
                now.made["given_over"] = move["from"]
                yield asked("gulash", move["from"]), set(move["cards"])
            now.made["gulash"], now.made["given_over"] = now.round + 1, 0
            oracle.replay_gulash(rules, passed, hands)


def _solo_terms(record, rules, hands, now, asked, deck):
    now.pool = record["pool_before"] + 3 * rules["pool"]["ante"]
    for k, (seat, call) in enumerate(record["auction"]):
        now.auction = [(speaker, said) for speaker, said in record["auction"][:k]]
        now.legal_calls = oracle.auction_state(rules, now.dealer, now.auction).legal
        yield asked("call", seat), call
        now.made["calls"] += 1
        now.pool += rules["pool"]["pass_fee"] if call == "pass" else 0
    now.declarer, now.contract = record["soloist"], record["contract"]
    steps = ["trump", "exchange"] if rules["bola"]["trump_first"] else ["exchange", "trump"]
    for step in steps if record["exchange"] else ["trump"]:
        if step == "trump":
            now.legal_trumps = list(SUITS) if now.contract is None else ["D"] if now.contract.endswith("diamonds") else ["C", "H", "S"]
            yield asked("trump", now.dealer if now.declarer is None else now.declarer), record["trump"]
            now.trump = record["trump"]
            now.made["trump"] = 1
        else:
            swap = record["exchange"]
            yield asked("ask", now.declarer), swap["asked"]
            now.made["ask"] = 1
            hands[swap["from"]].remove(swap["asked"])
            hands[now.declarer].add(swap["asked"])
            yield asked("give", now.declarer), swap["given"]
            now.made["give"] = 1
            hands[now.declarer].remove(swap["given"])
            hands[swap["from"]].add(swap["given"])


def _bids(record, rules, now, asked):
    mode = rules["bidding"]["mode"] if "bidding" in rules else "sequential"
    order = [(now.leader + k) % now.players for k in range(now.players)]
    lowest = 0
    if now.declarer is not None:
        lowest = contract_number(now.contract)
        if rules["contract"]["declarer_rebids"] == "none":
            now.spoken = {order.pop(0): lowest}
    for seat in order:
        total = sum(now.spoken.values())
        now.legal_bids = sorted(oracle.legal_bids(
            oracle.rules_of(record["game"], rules), now.cards, total, last=seat == order[-1], lowest=lowest if seat == now.declarer else 0))
        yield asked("bid", seat), record["bids"][seat]
        now.made["bids"] += 1
        if mode == "sequential":
            now.spoken = now.spoken | {seat: record["bids"][seat]}
    if mode == "simultaneous":
        now.spoken = dict(enumerate(record["bids"]))


def _cards(record, rules, hands, now, asked):
    n, seat = now.players, record["leader"]
    is_secret = rules.get("bidding", {}).get("mode") == "secret"
    now.tricks, now.voids = [0] * n, [set() for _ in range(n)]
    for k, card in enumerate(record["play"]):
        if k % n == 0:
            now.trick, now.trick_no, now.leader = [], k // n, seat
        legal = oracle.legal_cards(rules, hands[seat], now.trick, now.trump, now.broken, now.trick_no)
        if len(legal) > 1:
            asked("card", seat)
            now.legal_cards = legal
            if is_secret:
                now.spoken = {seat: record["bids"][seat]}
            yield now, card
        now.made["card"] += 1
        now.trick = [*now.trick, (seat, card)]
        led = now.trick[0][1][0]
        if card[0] != led:
            now.voids[seat] = now.voids[seat] | {led}
            if rules["play"]["must_trump"] and card[0] != now.trump:
                now.voids[seat] = now.voids[seat] | {now.trump}
        hands[seat].remove(card)
        now.seen = now.seen | {card}
        now.broken = now.broken or card[0] == now.trump
        seat = (seat + 1) % n
        if len(now.trick) == n:
            seat = oracle.trick_winner(now.trick, now.trump, oracle.deck_ranks(rules))
            now.tricks = [taken + (taker == seat) for taker, taken in enumerate(now.tricks)]


def script(record: dict[str, Any], book: Rules, made: dict[str, int]) -> np.ndarray:
    """Return the SETUP of a record's deal in which as much is decided as `made` says."""
    setup = empty_setup()
    question, deck, n = setup[0], book.deck, len(record["hands"])
    question["dealer"], question["pool"] = record["dealer"], record["pool_before"] or 0
    question["held"][:n] = [deck.hand(hand) for hand in record["hands"]]
    question["cards"] = int(question["held"][0]).bit_count()
    shows_trump = record["turnup"] or (record["trump"] + "2" if book.auction == "none" and record["trump"] != "NT" else None)     # cut: any card of the suit
    if shows_trump:
        question["turnup"] = deck.card(shows_trump)
    if record["auction"]:
        rounds = record["auction"] if record["gulash"] else [record["auction"]]
        spoken = [cards.call(call, book.auction) for calls in rounds for _, call in calls]
        question["n_calls"], question["calls"][:made["calls"]] = made["calls"], spoken[:made["calls"]]
    question["n_gulash"] = made["gulash"] + (made["given_over"] > 0)
    for k, passed in enumerate(record["gulash"] or []):
        for move in passed:
            if k < made["gulash"] or (k == made["gulash"] and move["from"] < made["given_over"]):
                question["gulash"][k, move["from"]] = deck.hand(" ".join(move["cards"]))
    if made["trump"]:
        question["trump"] = DENOMINATIONS.index(record["trump"])
    for step, name in (("ask", "asked"), ("give", "given")):
        if made[step]:
            question[name] = deck.card(record["exchange"][name])
    if record["bids"]:
        is_named = record["declarer"] is not None and book.fields["contract"]["declarer_rebids"] == "none"      # his contract is his bid
        order = [(record["leader"] + k) % n for k in range(is_named, n)]
        question["n_bids"], question["bids"][:made["bids"]] = made["bids"], [record["bids"][seat] for seat in order][:made["bids"]]
    question["n_play"], question["play"][:made["card"]] = made["card"], [deck.card(card) for card in record["play"]][:made["card"]]
    return setup


# ---------------------------------------------------------------- chances

def odds(unseen: int, kind: int, held: int) -> float:
    """Return P(a hand of so many cards holds none of a kind), out of so many unseen cards; 0 where it cannot be."""
    return comb(unseen - kind, held) / comb(unseen, held) if kind <= unseen and held <= unseen else 0.0


def worth(aim: np.ndarray, points: np.ndarray, cards: int, role: int, side: int, bid: int, bucket: int) -> float:
    """Return the expected score of a bid: each difference between tricks and bid by its chance, no less than no trick and no more than all."""
    total = 0.0
    for k in range(DIFFERENCES):
        tricks = k if bid == 0 else bid - 4 + k
        total += float(aim[cards, role, bucket, k]) * int(points[cards, side, bid, min(max(tricks, 0), cards)])
    return total


def is_near(bid: int, expected: float) -> bool:
    """Is a bid within three of the expected tricks?"""
    return abs(bid - int(max(expected, 0.0))) <= 3


def within_reach(legal: list[int], expected: float) -> list[int]:
    """Return zero and the bids near the expected tricks, if any is legal, else the lowest legal bid above them or the highest of all."""
    near = [bid for bid in legal if bid == 0 or is_near(bid, expected)]
    above = [bid for bid in legal if bid >= int(expected)]
    return near or above[:1] or legal[-1:]


class Twin:
    """A seat of a policy at one table."""

    def __init__(self, name: str, book: Rules) -> None:
        policy = policies.load(name)
        self.book, self.rules, self.players = book, book.fields, book.players
        self.weight = {key: weight.value for key, weight in policy.weights_in(book.game).items()}
        self.tables = policies.learned_tables(policy.tables, policies.family(book), book.players)
        self.ranks = oracle.deck_ranks(self.rules)
        self.deck = oracle.deck_of(self.rules)
        low_wins = self.rules.get("score", {}).get("low_wins", False)
        self.points = -book.points() if low_wins else book.points()      # larger is better

    def sorted(self, cards: set[str]) -> list[str]:
        return sorted(cards, key=lambda card: number(card, self.ranks))

    def higher(self, card: str, cards: set[str]) -> int:
        """Return how many of the cards beat a card in its suit."""
        return sum(other[0] == card[0] and self.ranks.index(other[1]) > self.ranks.index(card[1]) for other in cards)

    def unseen(self, now: Moment) -> set[str]:
        return self.deck - now.hand - now.seen

    # -- a card's chance to take a trick

    def chance(self, table: np.ndarray, kind: int, card: str, hand: set[str], unseen: set[str]) -> float:
        length = sum(other[0] == card[0] for other in hand)
        return float(table[kind, min(length, LENGTHS - 1), self.higher(card, unseen)])

    def kind(self, card: str, trump: str, unseen: set[str]) -> int:
        if card[0] == trump:
            return TRUMP
        return PLAIN if any(other[0] == trump for other in unseen) else NO_TRUMP

    def expected_tricks(self, table: np.ndarray, hand: set[str], unseen: set[str], trump: str) -> float:
        total = 0.0
        for card in self.sorted(hand):
            total += self.chance(table, self.kind(card, trump, unseen), card, hand, unseen)
        return total

    def whole_hand(self, hand: set[str], unseen: set[str], trump: str, cards: int) -> float:
        return self.expected_tricks(self.tables["expect"][cards, cards], hand, unseen, trump)

    # -- bids

    def bid_value(self, cards, role, bid, expected, ducked, to_speak, so_far):
        if bid == 0:
            bucket = AIM_BUCKETS + min(int(ducked / ZERO_STEP), ZERO_BUCKETS - 1)
        else:
            bucket = min(max(int((expected - bid) / AIM_STEP + AIM_BUCKETS / 2), 0), AIM_BUCKETS - 1)
        under, exact, over = (worth(self.tables["aim"], self.points, cards, role, side, bid, bucket) for side in Side)
        if np.array_equal(self.points[:, 0, bid], self.points[:, 1, bid]) and np.array_equal(self.points[:, 0, bid], self.points[:, 2, bid]):
            return under
        chances = self.tables["sides"][cards, to_speak, min(so_far + bid, MAX_SUM)]
        return float(chances[0]) * under + float(chances[1]) * exact + float(chances[2]) * over

    def bid_by_expectation(self, now: Moment) -> list[tuple[int, float]]:
        unseen = self.unseen(now)
        so_far = sum(now.spoken.values())
        ahead = so_far - now.cards * len(now.spoken) / now.players
        place = (now.seat - now.leader) % now.players
        expected = self.whole_hand(now.hand, unseen, now.trump, now.cards) + self.weight["seat_shift"] * place + self.weight["sum_shift"] * ahead
        ducked = self.expected_tricks(self.tables["duck"][now.cards], now.hand, unseen, now.trump) + self.weight["duck_shift"] * ahead
        role = (1 if place == 0 else 0) + (2 if now.trump == "NT" else 0)
        sure = self.sure_tricks(now, now.trump)
        reachable = [bid for bid in now.legal_bids if bid >= sure] or now.legal_bids
        to_speak = now.players - len(now.spoken) - 1
        return [
            (bid, self.bid_value(now.cards, role, bid, expected, max(ducked, 0.0), to_speak, so_far) - (self.weight["zero_margin"] if bid == 0 else 0.0))
            for bid in within_reach(reachable, expected)
        ]

    def sure_tricks(self, now: Moment, trump: str) -> int:
        """Return how many trumps of the hand no unseen trump beats."""
        return sum(card[0] == trump and self.higher(card, self.unseen(now)) == 0 for card in now.hand)

    # -- the Israeli Whist auction

    def by_denomination(self, table: np.ndarray, hand: set[str], unseen: set[str], trump: str) -> float:
        """Return the expected tricks of a hand that may hold every trump: suit by suit, so that the sum has the kernel's last digit."""
        total = 0.0
        for suit in SUITS:
            plain = 0.0
            for card in self.sorted({card for card in hand if card[0] == suit}):
                if trump == "NT" or suit == trump:
                    total += self.chance(table, NO_TRUMP if trump == "NT" else TRUMP, card, hand, unseen)
                else:
                    plain += self.chance(table, PLAIN, card, hand, unseen)
            total += plain
        return total

    def numbers(self, now: Moment, trump: str, expected: float, lowest: int, leads: int) -> list[tuple[int, float]]:
        """Return the numbers of tricks from `lowest` on that are worth a look, as declarer or in defence, and what they are worth."""
        to_speak, role = now.players - 1 if leads else 0, leads + (2 if trump == "NT" else 0)
        legal = list(range(lowest, now.cards + 1))
        return [(bid, self.bid_value(now.cards, role, bid, expected, 0.0, to_speak, 0)) for bid in within_reach(legal, expected)]

    def defence_value(self, now: Moment, trump: str, level: int) -> float:
        unseen = self.unseen(now)
        ducked = self.by_denomination(self.tables["duck"][now.cards], now.hand, unseen, trump)
        zero = self.bid_value(now.cards, 2 if trump == "NT" else 0, 0, 0.0, ducked, now.players - 2, level) - self.weight["zero_margin"]
        expected = self.by_denomination(self.tables["expect"][now.cards, now.cards], now.hand, unseen, trump)
        sure = self.sure_tricks(now, trump)
        others = max(value for _, value in self.numbers(now, trump, expected, max(sure, 1), 0))
        return others if sure else max(zero, others)

    def raise_or_stand(self, now: Moment, high: str) -> list[tuple[str, float]]:
        if self.rules["contract"]["declarer_rebids"] == "at_least":
            return [("pass", 0.0)]
        level, trump = contract_number(high), contract_trump(high)
        expected = self.by_denomination(self.tables["expect"][now.cards, now.cards], now.hand, self.unseen(now), trump)
        return [("pass" if bid == level else f"{bid}{trump}", value) for bid, value in self.numbers(now, trump, expected, level, 1)]

    def call_by_value(self, now: Moment) -> list[tuple[str, float]]:
        bids = [(seat, call) for seat, call in now.auction if call != "pass"]
        high = bids[-1][1] if bids else None
        if high and bids[-1][0] == now.seat:
            return self.raise_or_stand(now, high)
        if high:
            stay = self.defence_value(now, contract_trump(high), contract_number(high))
        else:
            stay = 0.0
            for trump in DENOMINATIONS:
                stay += self.defence_value(now, trump, int(self.weight["usual_level"])) / 5
        may_raise = self.rules["auction"]["end_passes"] == 4 or self.rules["contract"]["declarer_rebids"] == "at_least"
        values = [("pass", stay + self.weight["call_margin"])] if "pass" in now.legal_calls else []
        for trump in DENOMINATIONS:
            levels = [contract_number(call) for call in now.legal_calls if contract_trump(call) == trump]
            expected = self.by_denomination(self.tables["expect"][now.cards, now.cards], now.hand, self.unseen(now), trump)
            if levels and any(is_near(bid, expected) for bid in range(levels[0], now.cards + 1)):
                best = max(self.numbers(now, trump, expected, levels[0], 1), key=lambda pair: pair[1])
                values.append((f"{levels[0] if may_raise else best[0]}{trump}", best[1]))
        return values or [(now.legal_calls[0], 0.0)]        # must call, and every contract is hopeless

    def pass_weakest(self, now: Moment) -> list[tuple[str, list[tuple[str, float]]]]:
        """Return the cards to hand over one after the other, each with what every card of the hand would leave."""
        unseen, hand = self.unseen(now), set(now.hand)
        trump = max(DENOMINATIONS, key=lambda trump: self.whole_hand(hand, unseen, trump, now.cards))
        steps = []
        for _ in range(self.rules["gulash"]["cards"]):
            values = [(card, self.whole_hand(hand - {card}, unseen, trump, now.cards)) for card in self.sorted(hand)]
            choice = max(values, key=lambda pair: pair[1])[0]
            steps.append((choice, values))
            hand.remove(choice)
        return steps

    # -- Spanish Solo before the lead

    def solo_strength(self, now: Moment, trump: str) -> tuple[float, float]:
        """Return the card points and tricks of a hand as soloist."""
        points = tricks = 0.0
        for card in self.sorted(now.hand):
            chance = self.chance(self.tables["expect"][now.cards, now.cards], TRUMP if card[0] == trump else PLAIN, card, now.hand, self.unseen(now))
            tricks += chance
            points += chance * (CARD_POINTS.get(card[1], 0) + 1.0 + self.weight["trick_gain"])
        return points, tricks

    def best_trump(self, now: Moment, suits: list[str]) -> list[tuple[str, float]]:
        return [(suit, self.solo_strength(now, suit)[0]) for suit in suits]

    def contract_chance(self, now: Moment, contract: str) -> float:
        suits = ["D"] if contract.endswith("diamonds") else ["C", "H", "S"]
        points, tricks = max((self.solo_strength(now, suit) for suit in suits), key=lambda strength: strength[0])
        if not contract.startswith("juego"):
            return float(self.tables["solo"][1 if contract.startswith("bola") else 2, min(int(tricks * 4.0), SOLO_BUCKETS - 1)])
        juego = self.rules["juego"]
        if oracle.juego_target(self.rules, now.dealer, now.seat) == juego["reduced_target"]:
            points += juego["target"] - juego["reduced_target"]
        return float(self.tables["solo"][0, min(int(points), SOLO_BUCKETS - 1)])

    def call_contract(self, now: Moment) -> list[tuple[str, float]]:
        passed = {seat for seat, call in now.auction if call == "pass"}
        high = next((call for _, call in reversed(now.auction) if call != "pass"), None)
        fee = self.rules["pool"]["pass_fee"]
        fees = sum(fee for seat in range(now.players) if seat != now.seat and seat not in passed)
        won = now.pool + fees if self.rules["pool"]["on_win"] == "all" else 0
        lost = now.pool + fees if self.rules["pool"]["on_loss"] == "double" else 0
        stay = self.weight["solo_margin"] - fee
        if high:
            stay -= CONTRACT_VALUE[high] * (2.0 * self.weight["solo_made"] - 1.0)
        return [("pass", stay)] + [
            (call, chance * (2.0 * CONTRACT_VALUE[call] + won) - (1.0 - chance) * (2.0 * CONTRACT_VALUE[call] + lost))
            for call in now.legal_calls if call != "pass"
            for chance in [self.contract_chance(now, call)]
        ]

    def planned_trump(self, now: Moment) -> str:
        suits = ["D"] if now.contract.endswith("diamonds") else ["C", "H", "S"]
        return now.trump or max(self.best_trump(now, suits), key=lambda pair: pair[1])[0]

    def ask_for_strongest(self, now: Moment) -> list[tuple[str, float]]:
        unseen, trump = self.unseen(now), self.planned_trump(now)
        highest = [self.sorted({card for card in unseen if card[0] == suit})[-1:] for suit in SUITS]
        return [(card, self.whole_hand(now.hand | {card}, unseen - {card}, trump, now.cards)) for [card] in filter(None, highest)]

    def give_weakest(self, now: Moment) -> list[tuple[str, float]]:
        unseen, trump = self.unseen(now), self.planned_trump(now)
        return [(card, self.whole_hand(now.hand - {card}, unseen | {card}, trump, now.cards)) for card in self.sorted(now.hand)]

    # -- cards

    def best_on_table(self, now: Moment) -> tuple[int, str] | None:
        if not now.trick:
            return None
        winner = oracle.trick_winner(now.trick, now.trump, self.ranks)
        return next(played for played in now.trick if played[0] == winner)

    def different_cards(self, now: Moment) -> list[str]:
        """Return the legal cards without those that touch a lower legal card: of equal card points, with nothing unseen or winning between them."""
        best = self.best_on_table(now)
        between = self.unseen(now) | ({best[1]} if best else set())

        def touches_lower(card: str) -> bool:
            rank = self.ranks.index(card[1])
            if rank == 0:
                return False
            below = card[0] + self.ranks[rank - 1]
            if not self.book.has_bids and CARD_POINTS.get(below[1], 0) != CARD_POINTS.get(card[1], 0):
                return False
            return below in now.legal_cards or (below not in between and touches_lower(below))

        return [card for card in self.sorted(now.legal_cards) if not touches_lower(card)]

    def wanted_tricks(self, now: Moment) -> int | None:
        """Return how many tricks a seat wants of those left, None where nothing hangs on them."""
        bid, taken = now.spoken[now.seat], now.tricks[now.seat]
        left = now.cards - now.trick_no
        if taken <= bid <= taken + left:
            return bid - taken
        total = 0 if len(now.spoken) < now.players else sum(now.spoken.values())
        side = Side.OVER if total > now.cards else Side.EXACT if total == now.cards else Side.UNDER
        gain = self.points[now.cards, side, bid, taken + 1] - self.points[now.cards, side, bid, taken]
        return None if gain == 0 else left if gain > 0 else 0

    def takes(self, now: Moment, card: str) -> bool:
        return oracle.trick_winner([*now.trick, (now.seat, card)], now.trump, self.ranks) == now.seat

    def hold_chance(self, now: Moment, card: str, rivals: set[int]) -> float:
        """Return the chance that no rival still to play beats a card that is winning the trick."""
        unseen = self.unseen(now)
        held = now.cards - now.trick_no
        led = now.trick[0][1][0] if now.trick else card[0]
        chance = 1.0
        for place in range(len(now.trick) + 1, now.players):
            seat = (now.leader + place) % now.players
            if seat not in rivals:
                continue
            if seat not in now.spoken:
                will = self.weight["will_unknown"]
            else:
                will = self.weight["will_needs" if now.spoken[seat] > now.tricks[seat] else "will_full"]
            has_higher = 1.0 - odds(len(unseen), self.higher(card, unseen), held)
            has_trump = 1.0 - odds(len(unseen), sum(other[0] == now.trump for other in unseen), held)
            is_out = 1.0 if led in now.voids[seat] else odds(len(unseen), sum(other[0] == led for other in unseen), held)
            follows = ruffs = 0.0
            if card[0] == led and led not in now.voids[seat]:
                follows = will * has_higher
            if led != now.trump and now.trump not in now.voids[seat]:
                ruffs = is_out * (1.0 if self.rules["play"]["must_trump"] else will) * (has_higher if card[0] == now.trump else has_trump)
            chance *= 1.0 - (follows + ruffs)
        return chance

    def later(self, now: Moment, card: str) -> float:
        """Return the chance that a card takes a trick after this one."""
        unseen = self.unseen(now)
        table = self.tables["expect"][now.cards, now.cards - now.trick_no - 1]
        return self.chance(table, self.kind(card, now.trump, unseen), card, now.hand, unseen)

    def aim_at_bid(self, now: Moment) -> list[tuple[str, float]]:
        want, left = self.wanted_tricks(now), now.cards - now.trick_no
        if want is None:
            return [(card, -self.ranks.index(card[1])) for card in self.sorted(now.legal_cards)]
        weight = self.weight
        table = self.tables["expect"][now.cards, left - 1]
        rest = self.expected_tricks(table, now.hand, self.unseen(now), now.trump) * weight["rest"]
        values = []
        for card in self.different_cards(now):
            later = self.later(now, card)
            wins = self.hold_chance(now, card, set(range(now.players))) if self.takes(now, card) else 0.0
            if want == 0:
                cost = wins - later * weight["spare"]
            elif want == left:
                cost = (later * weight["cheap"] if now.trick else 0.0) - wins
            else:
                cost = (rest - later * weight["rest"] + wins - want) ** 2 + weight["risk"] * wins * (1.0 - wins)
            values.append((card, -cost))
        return values

    def take_points(self, now: Moment) -> list[tuple[str, float]]:
        others = set(range(now.players)) - {now.seat}
        rivals = {now.declarer} if now.declarer not in (None, now.seat) else others
        partners = others - rivals
        is_slam = now.contract is not None and not now.contract.startswith("juego")
        to_come = (now.players - len(now.trick) - 1) * self.weight["trick_gain"] * 0.5
        lying = sum(CARD_POINTS.get(card[1], 0) for _, card in now.trick)
        best = self.best_on_table(now)
        values = []
        for card in self.different_cards(now):
            takes = self.takes(now, card)
            if takes:
                ours = self.hold_chance(now, card, rivals)
            elif best[0] in partners:
                ours = self.hold_chance(now, best[1], rivals)
            else:
                ours = 1.0 - self.hold_chance(now, best[1], partners)
            stake = 1.0 if is_slam else lying + CARD_POINTS.get(card[1], 0) + 1.0 + to_come
            spent = self.later(now, card) * self.weight["cheap" if is_slam else "keep"]
            values.append((card, (2.0 * ours - 1.0) * stake - spent))
        return values

    # -- all of them

    def heuristic(self, now: Moment) -> str:
        """Return the name of the heuristic that decides."""
        is_solo = not self.book.has_bids
        if now.decision == "call":
            raises = any(call != "pass" for _, call in now.auction) and [seat for seat, call in now.auction if call != "pass"][-1] == now.seat
            return "call_contract" if is_solo else "raise_or_stand" if raises else "call_by_value"
        if now.decision == "card":
            return "take_points" if is_solo else "aim_at_bid"
        return {"gulash": "pass_weakest", "bid": "bid_by_expectation", "trump": "best_trump", "ask": "ask_for_strongest", "give": "give_weakest"}[now.decision]

    def options(self, now: Moment) -> list[tuple[Any, float]]:
        """Return the answers that are told apart and what each is worth, larger is better; of equal ones the first is taken."""
        if now.decision == "call":
            return self.call_contract(now) if not self.book.has_bids else self.call_by_value(now)
        if now.decision == "trump":
            return self.best_trump(now, now.legal_trumps)
        choose = {"bid": self.bid_by_expectation, "ask": self.ask_for_strongest, "give": self.give_weakest,
                  "card": self.aim_at_bid if self.book.has_bids else self.take_points}
        return choose[now.decision](now)

    def fault(self, now: Moment, action: Any) -> str:
        """Return what is wrong with a decision, "" where the twin decides alike."""
        if now.decision == "gulash":
            steps = self.pass_weakest(now)
            return "" if action == {card for card, _ in steps} else f"hands over {sorted(action)}, expected {[card for card, _ in steps]}"
        values = self.options(now)
        best = max(value for _, value in values)
        if action not in dict(values):
            return f"{now.decision} {action}, which is none of {values}"
        chosen = dict(values)[action]
        if chosen < best - 1e-9:
            return f"{now.decision} {action} is worth {chosen}, {best - chosen} less than the best of {values}"
        first = next(answer for answer, value in values if value >= best - 1e-12)
        return "" if action == first or chosen < best - 1e-12 else f"{now.decision} {action}, expected the first of equals {first} of {values}"


# ---------------------------------------------------------------- the frozen policy

ADDED = ("slips",)      # weights after the set was frozen


def frozen(name: str = "rules-1") -> dict[str, str]:
    """Return digests of what decides how a policy plays: its weights as text, and each of its learned tables.

    A weight that came later is left out while it is 0, and then changes nothing.
    """
    own = {key: weight.value for key, weight in policies.load(name).weights.items() if key not in ADDED or weight.value}
    weights = "\n".join(f"{key} {value!r}" for key, value in sorted(own.items()))
    digests = {"weights": hashlib.sha256(weights.encode()).hexdigest()}
    with np.load(policies.DATA / "weights" / f"{policies.load(name).tables}.npz") as stored:
        for key in sorted(stored):
            table = np.ascontiguousarray(stored[key])
            content = f"{table.dtype.newbyteorder('<').str} {table.shape}".encode() + table.astype(table.dtype.newbyteorder("<")).tobytes()
            digests[key] = hashlib.sha256(content).hexdigest()
    return digests


@cache
def exact_odds(unseen: int, kind: int, held: int) -> Fraction:
    """Return P(a hand of so many cards holds none of a kind) card by card."""
    chance = Fraction(1)
    for k in range(held):
        chance *= Fraction(max(unseen - kind - k, 0), unseen - k)
    return chance


if __name__ == "__main__":
    text = json.dumps(frozen(), indent=1) + "\n"
    if "--pin" in sys.argv[1:]:
        GOLDEN.write_text(text)
    else:
        print(text, end="")
