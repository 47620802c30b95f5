"""The learned players once more, slow and obvious: networks in NumPy, inputs from sets of card texts, one candidate after the other.

`Net` adds in the order that `kernels/network.py` states, so that float32 gives the same bits, and in float64 it is the exact network. `Learned` lists for every
decision of `twins.moments` what the networks see (`notes`, in the order of the tape) and what each answer is worth (`options`). Odds, expected tricks and
hold chances are those of `twins.Twin`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from analyzer import policies
from analyzer.rules import Rules
from kernels.layout import CALL_SHARED, LENGTHS, NONE, OUTPUTS, SHORTEST, SPANS, UNITS, Side, Tape
from tests import twins
from tests.oracle import DENOMINATIONS, SUITS, contract_number, contract_trump
from tests.twins import Moment

LEAK, LOWEST, LN2 = 0.0625, -80.0, 0.6931471805599453
FACTORIALS = (1, 1, 2, 6, 24, 120, 720)
REACH, CLOSE, ZERO_BELOW = 1.5, 2.25, 4.5      # tricks: contracts thought of, bids looked at, zero looked at
NO_CONTRACT = -1e18
TIE = 1e-4                                     # usual stakes that rounding may decide


# ---------------------------------------------------------------- networks

def leaky(vector: np.ndarray) -> np.ndarray:
    return np.where(vector < 0, vector * vector.dtype.type(LEAK), vector)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return a * b + c of float32, rounded once: float64 holds the product exactly."""
    return (a.astype(np.float64) * b + c).astype(np.float32)


def layer(start: np.ndarray, inputs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return start + the sum of input times row: in float32 the even inputs one after the other onto the start, the odd ones apart."""
    if start.dtype == np.float64:
        return start + inputs @ rows
    totals = [start, np.zeros_like(start)]
    for k, row in enumerate(rows):
        totals[k % 2] = fused(inputs[..., k, None], row, totals[k % 2])
    return totals[0] + totals[1]


def total(lanes: np.ndarray) -> np.ndarray:
    """Return the sums of the last axis, halves onto halves; of 48 the last 16 onto the first 16, then those between."""
    if lanes.shape[-1] == 48:
        lanes = lanes[..., :16] + lanes[..., 32:] + lanes[..., 16:32]
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes[..., 0]


def power(exponents: np.ndarray) -> np.ndarray:
    """Return e^x of numbers up to 0: in float32 2^k times a Taylor polynomial, none below e^-80."""
    if exponents.dtype == np.float64:
        return np.exp(exponents)
    kind = np.float32
    exponents = np.maximum(exponents, kind(LOWEST))
    twos = np.trunc(exponents * kind(1 / LN2) - kind(0.5))
    rest = exponents - twos * kind(LN2)
    powers = np.full_like(rest, kind(1 / FACTORIALS[-1]))
    for factorial in FACTORIALS[-2::-1]:
        powers = fused(powers, rest, np.asarray(kind(1 / factorial)))
    return np.ldexp(powers, twos.astype(int))


class Net:
    """A network of shared inputs, inputs of each candidate, one layer of leaky units, and a score or chances."""

    def __init__(self, numbers: np.ndarray, n_shared: int, n_own: int, outputs: int = 1, kind: type = np.float32) -> None:
        rows = numbers.astype(kind)[:(n_shared + n_own) * UNITS].reshape(-1, UNITS)
        self.kind, self.shared, self.own = kind, rows[:n_shared], rows[n_shared:]
        self.out = numbers.astype(kind)[rows.size:].reshape(-1, outputs)

    def start(self, shared: np.ndarray) -> np.ndarray:
        """Return what the candidates share of the hidden layer."""
        shared = np.asarray(shared, self.kind)
        return layer(np.zeros((*shared.shape[:-1], UNITS), self.kind), shared, self.shared)

    def hidden(self, shared: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Return the hidden layer of candidates before its units."""
        own = np.asarray(own, self.kind)
        return layer(np.broadcast_to(self.start(shared), (*own.shape[:-1], UNITS)), own, self.own)

    def scores(self, shared: np.ndarray, own: np.ndarray) -> np.ndarray:
        return total(leaky(self.hidden(shared, own)) * self.out[:, 0])

    def outputs(self, shared: np.ndarray, own: np.ndarray) -> np.ndarray:
        units = leaky(self.hidden(shared, own))
        return layer(np.broadcast_to(self.out[UNITS], (*units.shape[:-1], OUTPUTS)), units, self.out[:UNITS])

    def powers(self, shared: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Return the chances of the outcomes, times their sum."""
        outputs = self.outputs(shared, own)
        return power(outputs - outputs.max(axis=-1, keepdims=True))

    def chances(self, shared: np.ndarray, own: np.ndarray) -> np.ndarray:
        powers = self.powers(shared, own)
        return powers / total(powers)[..., None]

    def expectation(self, shared: np.ndarray, own: np.ndarray, prices: np.ndarray) -> np.ndarray:
        powers = self.powers(shared, own)
        return total(powers * np.asarray(prices, self.kind)) / total(powers)


def finite_differences(numbers: np.ndarray, value: Callable[[np.ndarray], float], places: Iterable[int], step: float = 1e-7) -> np.ndarray:
    """Return the slopes of a value in some of the numbers that it is made of."""
    slopes = []
    for place in places:
        moved = np.zeros(len(numbers))
        moved[place] = step
        slopes.append((value(numbers + moved) - value(numbers - moved)) / (2 * step))
    return np.array(slopes)


# ---------------------------------------------------------------- what the tape holds

@dataclass
class Note:
    """A decision as the tape of a training deal holds it."""

    kind: Tape
    seat: int
    shared: np.ndarray
    own: np.ndarray       # of each candidate
    chosen: int
    what: int             # the call that a bid belongs to, NONE


def tape(table: np.record) -> list[Note]:
    """Return the decisions on the tape of a table."""
    found = []
    for kind, seat, at, n, chosen, what in table["tape"][:table["n_tape"]].tolist():
        n_shared, n_own = policies.NETS["israeli-whist"][Tape(kind).name.lower()][:2]
        inputs = table["work"][at:at + n_shared + n * n_own]
        found.append(Note(Tape(kind), seat, inputs[:n_shared], inputs[n_shared:].reshape(n, n_own), chosen, what))
    return found


# ---------------------------------------------------------------- the player

def within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def close_bids(legal: list[int], expected: float) -> list[int]:
    """Return the bids close to the expected tricks, and zero where few are expected; if none of them is legal the nearest above, or the highest of all."""
    low, high = int(max(expected - CLOSE + 0.999, 0)), int(max(expected + CLOSE, 0))
    close = [bid for bid in legal if low <= bid <= high or (bid == 0 and expected < ZERO_BELOW)]
    above = [bid for bid in legal if bid >= int(expected)]
    return close or above[:1] or legal[-1:]


class Learned(twins.Twin):
    """A seat of a learned policy at one table of an exact-bid game."""

    def __init__(self, name: str, book: Rules) -> None:
        super().__init__(name, book)
        family = policies.net_family(book)
        numbers = policies.networks(policies.load(name).nets, family)
        self.nets = {net: Net(numbers[net], *sizes) for net, sizes in policies.NETS[family].items()}
        points, most = book.points(), max(book.schedule)
        self.usual_stake = mean(
            float(points[most, side, bid, bid] - points[most, side, bid, tricks])
            for bid in range(min(4, most) + 1) for tricks in (bid - 1, bid + 1) if 0 <= tricks <= most for side in (Side.UNDER, Side.OVER)
        )
        self.stakes = points / self.usual_stake

    def stake(self, cards: int, side: int, bid: int, tricks: int) -> float:
        """Return what a seat scores, in usual stakes, with no fewer tricks than none and no more than all."""
        return float(self.stakes[cards, side, bid, min(max(tricks, 0), cards)])

    def stakes_of(self, cards: int, side: int, bid: int) -> list[float]:
        """Return what making a bid gains on one over and one under, and what the next trick brings over and under."""
        made, over, under = (self.stake(cards, side, bid, tricks) for tricks in (bid, bid + 1, bid - 1))
        return [made - over, made - under, self.stake(cards, side, bid, bid + 2) - over, under - self.stake(cards, side, bid, bid - 2)]

    # -- cards

    def side(self, now: Moment) -> Side:
        """Return over, exact or under by the bids that a seat knows, all of them or none."""
        bid = sum(now.spoken.values()) if len(now.spoken) == now.players else 0
        return Side.OVER if bid > now.cards else Side.EXACT if bid == now.cards else Side.UNDER

    def rest(self, now: Moment) -> float:
        left = now.cards - now.trick_no
        return self.expected_tricks(self.tables["expect"][now.cards, left - 1], now.hand, self.unseen(now), now.trump) * self.weight["rest"]

    def needs(self, now: Moment) -> dict[int, int]:
        """Return what each seat lacks to its bid, 0 where that is not known."""
        return {seat: now.spoken[seat] - now.tricks[seat] if seat in now.spoken else 0 for seat in range(now.players)}

    def holder_need(self, now: Moment) -> int | None:
        """Return what the seat that is winning the trick lacks to its bid, None where nobody is or its bid is secret."""
        best = self.best_on_table(now)
        return self.needs(now)[best[0]] if best and best[0] in now.spoken else None

    def play_shared(self, now: Moment) -> list[float]:
        n, left, unseen = now.players, now.cards - now.trick_no, self.unseen(now)
        needs, bid = self.needs(now), now.spoken[now.seat]
        need, rest, side = needs[now.seat], self.rest(now), self.side(now)
        after = [(now.seat + k) % n for k in range(1, n)]
        behind = after[:n - 1 - len(now.trick)]
        wanted = sum(max(needs[seat], 0) for seat in after)
        known_sum = sum(now.spoken.values()) if len(now.spoken) == n else 0
        trumps, trumps_out = (sum(card[0] == now.trump for card in cards) for cards in (now.hand, unseen))
        holder = self.holder_need(now)
        taken = now.tricks[now.seat]
        play = self.rules["play"]
        neighbours = []
        for seat in after[:3]:
            neighbours += [within(needs[seat], -1, 4) / 4, needs[seat] == 0, needs[seat] < 0 or needs[seat] > left]
        return [
            1, left / 16, now.cards / 16, n / 8,
            within(need, -4, 8) / 4, need == 0, need < 0, need > left, need == left, within(need / left, -2, 2), bid / 4,
            not now.trick, not behind, len(behind) / 4,
            wanted / left, within((wanted + max(need, 0) - left) / left, -2, 2), (known_sum - now.cards) / 4,
            holder is not None and holder > 0, holder == 0, holder is not None and holder < 0,
            sum(needs[seat] > 0 for seat in behind) / 4, sum(needs[seat] == 0 for seat in behind) / 4,
            trumps / left, trumps_out / 8, now.trump == "NT",
            within(rest - need, -4, 6), rest / left, within(abs(rest - need), 0, 6),
            *self.stakes_of(now.cards, side, bid), self.stake(now.cards, side, bid, taken + 1) - self.stake(now.cards, side, bid, taken),
            play["must_trump"], play["trump_lead"] != "anytime" and not now.broken, self.rules.get("bidding", {}).get("mode") == "secret",
            *neighbours, *[0] * (9 - len(neighbours)),
            trumps_out == 0, len({card[0] for card in now.hand}) / 4, side == Side.OVER,
        ]  # fmt: skip

    def card_own(self, now: Moment, card: str) -> list[float]:
        suit, rank = card[0], self.ranks.index(card[1])
        need = self.needs(now)[now.seat]
        takes, later = self.takes(now, card), self.later(now, card)
        chance = self.hold_chance(now, card, set(range(now.players))) if takes else 0.0
        out = sum(other[0] == suit for other in self.unseen(now))
        higher = self.higher(card, self.unseen(now))
        length, above = sum(other[0] == suit for other in now.hand), self.higher(card, now.hand)
        miss = within(self.rest(now) - later * self.weight["rest"] + chance - need, -4, 6)
        behind = [(now.seat + k) % now.players for k in range(1, now.players - len(now.trick))]
        holder = self.holder_need(now)
        return [
            chance, takes, suit == now.trump, higher / 8, (out - higher) / 8, (length - 1) / 4, out / 8, length == 1, later,
            miss, abs(miss), chance > 0.9999, chance < 0.0001, chance * later,
            bool(now.trick) and suit not in (now.trick[0][1][0], now.trump), higher == 0, rank / 16, above / 4, (length - 1 - above) / 4,
            sum(suit in now.voids[seat] for seat in behind) / 4,
            chance * (need > 0), chance * (need <= 0), miss * miss / 4, takes and holder is not None and holder > 0,
        ]  # fmt: skip

    def play_for_bid(self, now: Moment) -> list[tuple[str, float]]:
        if self.wanted_tricks(now) is None:
            return [(card, -self.ranks.index(card[1])) for card in self.sorted(now.legal_cards)]
        different = self.different_cards(now)
        scores = self.nets["play"].scores(self.play_shared(now), [self.card_own(now, card) for card in different])
        return list(zip(different, scores.tolist(), strict=True))

    # -- bids

    def hand_shared(self, now: Moment, trump: str) -> tuple[list[float], float, float]:
        """Return what a hand is made of under a trump, its expected tricks, and those that ducking does not avoid."""
        unseen, cards = self.unseen(now), now.cards
        held = {suit: self.sorted({card for card in now.hand if card[0] == suit}) for suit in SUITS}
        order = sorted(SUITS, key=lambda suit: (suit == trump, len(held[suit]), SUITS.index(suit)), reverse=True)
        expect, duck = self.tables["expect"][cards, cards], self.tables["duck"][cards]
        numbers: list[float] = []
        expected = ducked = spread = 0.0
        for place, suit in enumerate(order):
            chances = [self.chance(expect, self.kind(card, trump, unseen), card, now.hand, unseen) for card in held[suit]]
            losers = sum(self.chance(duck, self.kind(card, trump, unseen), card, now.hand, unseen) for card in held[suit])
            honours = [suit + rank in now.hand for rank in self.ranks[::-1][:3 if place else 5]]
            numbers += [len(held[suit]) / 4, *honours, *([sum(chances), losers] if place else [sum(chances) / 2])]
            expected, ducked = expected + sum(chances), ducked + losers
            spread += sum(chance * (1 - chance) for chance in chances)
        return [*numbers, expected / 4, ducked, spread], expected, ducked

    def bid_shared(self, now: Moment, trump: str, spoken: int, bid_sum: int, leads: bool, declares: bool, level: int) -> tuple[list[float], float, float]:
        """Return what all bids share, expected and unavoidable tricks; spoken, bid_sum: bids before this one and their sum."""
        hand, expected, ducked = self.hand_shared(now, trump)
        n, play = now.players, self.rules["play"]
        neighbours = []
        for k in range(1, 4):
            bid = now.spoken.get((now.seat + k) % n) if k < n else None
            neighbours += [bid is not None, (bid or 0) / 4]
        return [
            1, *hand, now.cards / 16, n / 8, trump == "NT", spoken / 4, spoken == n - 1, leads, declares,
            bid_sum / now.cards, (bid_sum - now.cards * spoken / n) / 4, *neighbours,
            play["must_trump"], play["trump_lead"] != "anytime", not self.is_hooked(), level / 8,
        ], expected, ducked  # fmt: skip

    def bid_own(self, now: Moment, bid: int, expected: float, ducked: float, spoken: int, bid_sum: int) -> list[float]:
        gap, ahead = within(expected - bid, -5, 5), (bid_sum + bid - now.cards) / 4
        return [
            bid / 4, gap, abs(gap), bid == 0, (bid == 0) * ducked, (bid == 0) * expected, ahead, (spoken == now.players - 1) * ahead, bid == 1, gap * gap / 4,
            *self.stakes_of(now.cards, Side.OVER, bid),
        ]  # fmt: skip

    def prices(self, cards: int, bid: int) -> list[float]:
        """Return what a bid scores by side, and by difference from -6 to 9."""
        return [self.stake(cards, side, bid, bid + difference - SHORTEST) for side in Side for difference in range(SPANS)]

    def bid_values(self, now: Moment, legal: list[int], *place: Any) -> list[tuple[int, float]]:
        """Return the bids that are looked at, and what each is expected to score; place: as `place` returns it, then the bid of the seat before if it is not
        on the table."""
        *place, before = place if len(place) > 6 else (*place, None)
        shared, expected, ducked = self.bid_shared(now, *place)
        if before is not None:
            shared[42:44] = [1, before / 4]
        spoken, bid_sum = place[1:3]
        bids = close_bids(legal, expected)
        own = [self.bid_own(now, bid, expected, ducked, spoken, bid_sum) for bid in bids]
        values = self.nets["bid"].expectation(shared, own, [self.prices(now.cards, bid) for bid in bids])
        return list(zip(bids, values.tolist(), strict=True))

    def place(self, now: Moment) -> tuple[str, int, int, bool, bool, int]:
        """Return what a bidder knows of its place: trump, bids spoken, their sum, does it lead, does it declare, level of the contract."""
        spoken, level = now.spoken, contract_number(now.contract) if now.contract else 0
        return now.trump, len(spoken), sum(spoken.values()), now.seat == now.leader, now.seat == now.declarer, level

    def bid_by_chances(self, now: Moment) -> list[tuple[int, float]]:
        sure = self.sure_tricks(now, now.trump)
        reachable = [bid for bid in now.legal_bids if bid >= sure] or now.legal_bids
        return self.bid_values(now, reachable, *self.place(now))

    def is_hooked(self) -> bool:
        """Return whether the last bid is bound by the others."""
        if "contract" in self.rules:
            return self.rules["contract"]["hook13"] == "last_speaker"
        bidding = self.rules["bidding"]
        return bidding["mode"] == "sequential" and bidding["hook"] != "none"

    # -- the Israeli Whist auction

    def high(self, now: Moment) -> tuple[int | None, str]:
        """Return the high bidder and his call."""
        return next(((seat, call) for seat, call in reversed(now.auction) if call != "pass"), (None, "pass"))

    def tricks_in(self, now: Moment, trump: str) -> tuple[float, float]:
        """Return the expected and the unavoidable tricks of a hand that may hold every trump."""
        tables = self.tables["expect"][now.cards, now.cards], self.tables["duck"][now.cards]
        return tuple(self.by_denomination(table, now.hand, self.unseen(now), trump) for table in tables)

    def best_contract(self, now: Moment, trump: str, lowest: int) -> tuple[int, float]:
        """Return the number worth most in a denomination, and its value, as if this seat declared."""
        return max(self.bid_values(now, list(range(lowest, now.cards + 1)), trump, 0, 0, True, True, 0), key=lambda pair: pair[1])

    def defence(self, now: Moment, high: str) -> float:
        """Return the value of the best bid against a contract, as if this seat spoke first after its declarer."""
        level, trump = contract_number(high), contract_trump(high)
        legal = list(range(self.sure_tricks(now, trump), now.cards + 1))
        return max(value for _, value in self.bid_values(now, legal, trump, 1, level, False, False, level, level))

    def may_raise(self) -> bool:
        return self.rules["auction"]["end_passes"] == 4 or self.rules["contract"]["declarer_rebids"] == "at_least"

    def candidates(self, now: Moment) -> tuple[list[str], list[float], list[list[float]]]:
        """Return the calls that are told apart, what they share and what each has."""
        auction, (high_seat, high) = self.rules["auction"], self.high(now)
        minimum = auction["min_bid"] + self.rules["gulash"]["min_bid_step"] * now.round
        tricks = {trump: self.tricks_in(now, trump) for trump in DENOMINATIONS}
        found = []
        for trump in DENOMINATIONS:
            expected, ducked = tricks[trump]
            levels = [contract_number(call) for call in now.legal_calls if contract_trump(call) == trump]
            if levels and expected > min(levels) - REACH:
                bid, value = self.best_contract(now, trump, minimum)
                if bid < min(levels):
                    bid, value = self.best_contract(now, trump, min(levels))
                found.append((trump, min(levels), bid, value))
        may_pass, has_high = "pass" in now.legal_calls, high != "pass"
        standing = tricks[contract_trump(high)] if has_high else (0.0, 0.0)
        defence = self.defence(now, high) if has_high else 0.0
        best = max((value for *_, value in found), default=NO_CONTRACT)
        calls, own = [], []
        if may_pass:
            calls.append("pass")
            own.append([1, defence, 0, 0, 0, 0, 0, standing[1], standing[0] / 4, 0, 0, 0])
        for trump, level, bid, value in found:
            expected, ducked = tricks[trump]
            called = level if self.may_raise() else bid
            calls.append(f"{called}{trump}")
            own.append([
                0, value, within(expected - level, -4, 4), (bid - level) / 2, called / 8, trump == "NT", value - defence, ducked, expected / 4, value >= best,
                DENOMINATIONS.index(trump) / 4, has_high,
            ])  # fmt: skip
        passes = next((k for k, (_, call) in enumerate(reversed(now.auction)) if call != "pass"), len(now.auction))
        shared = [
            1, has_high, contract_number(high) / 8 if has_high else 0, has_high and contract_trump(high) == "NT", passes / 4,
            (now.seat - now.dealer - 1) % now.players / 4, (high_seat - now.seat) % now.players / 4 if has_high else 0, len(calls) / 8,
            best, defence, max(expected for expected, _ in tricks.values()) - 5, best - defence, now.round / 2, may_pass, (now.seat, "pass") in now.auction,
            min(ducked for _, ducked in tricks.values()), sum(expected for expected, _ in tricks.values()) / 16, self.may_raise(),
        ]  # fmt: skip
        return calls, shared, own

    def raise_or_stand(self, now: Moment, high: str) -> list[tuple[str, float]]:
        if self.rules["contract"]["declarer_rebids"] == "at_least":
            return [("pass", 0.0)]
        level, trump = contract_number(high), contract_trump(high)
        values = self.bid_values(now, list(range(level, now.cards + 1)), trump, 0, 0, True, True, 0)
        return [("pass" if bid == level else f"{bid}{trump}", value) for bid, value in values]

    def call_by_score(self, now: Moment) -> list[tuple[str, float]]:
        high_seat, high = self.high(now)
        if high_seat == now.seat:
            return self.raise_or_stand(now, high)
        calls, shared, own = self.candidates(now)
        if len(calls) == 1 or not calls:
            return [(call, 0.0) for call in calls or now.legal_calls[:1]]
        return list(zip(calls, self.nets["call"].scores(shared, own).tolist(), strict=True))

    def gulash_inputs(self, now: Moment, given: list[str]) -> tuple[list[str], list[float], list[list[float]]]:
        """Return the cards left when some are chosen to be handed over, what they share and what each has."""
        unseen = self.unseen(now)
        hand = self.sorted(now.hand - set(given))
        tricks = {trump: self.whole_hand(now.hand, unseen, trump, now.cards) for trump in DENOMINATIONS}
        best = max(DENOMINATIONS, key=lambda trump: tricks[trump])
        lengths = {suit: sum(card[0] == suit for card in hand) for suit in SUITS}
        ducked = self.expected_tricks(self.tables["duck"][now.cards], now.hand, unseen, best)
        shared = [1, len(given) / 4, now.round / 2, tricks[best] / 4, sum(tricks.values()) / 16, ducked, best == "NT", *(lengths[suit] / 4 for suit in SUITS),
                  *(suit == best for suit in SUITS)]
        own = []
        for card in hand:
            length, higher = lengths[card[0]], self.higher(card, unseen)
            rank, suits_best = self.ranks.index(card[1]) / 16, card[0] == best
            expect = self.tables["expect"][now.cards, now.cards]
            own.append([
                *(expect[kind, min(length, LENGTHS - 1), higher] for kind in (twins.PLAIN, twins.TRUMP, twins.NO_TRUMP)),
                self.tables["duck"][now.cards][twins.PLAIN, min(length, LENGTHS - 1), higher],
                rank, length / 4, length == 1, suits_best, higher / 8, (1 + self.higher(card, set(hand))) / 4,
                length <= self.rules["gulash"]["cards"] - len(given), suits_best * rank,
            ])  # fmt: skip
        return hand, shared + [0] * (CALL_SHARED - len(shared)), own

    # -- all of them

    def options(self, now: Moment) -> list[tuple[Any, float]]:
        return {"call": self.call_by_score, "bid": self.bid_by_chances, "card": self.play_for_bid}[now.decision](now)

    def fault(self, now: Moment, action: Any) -> str:
        """Return what is wrong with a decision, "" where it is the best, or, but for rounding, as good."""
        if now.decision == "gulash":
            given: list[str] = []
            for _ in action:
                hand, shared, own = self.gulash_inputs(now, given)
                scores = self.nets["gulash"].scores(shared, own)
                given.append(hand[int(scores.argmax())])
            return "" if set(given) == action else f"hands over {sorted(action)}, expected {given}"
        values = self.options(now)
        best = max(value for _, value in values)
        chosen = dict(values).get(action, NO_CONTRACT)
        if chosen < best - TIE:
            return f"{now.decision} {action}, which is not the best of {values}"
        first = next(answer for answer, value in values if value == best)
        return f"{now.decision} {action}, expected the first of equals {first}" if chosen == best and action != first else ""

    def notes(self, now: Moment, action: Any, drawn: list[int]) -> list[Note]:
        """Return what the tape holds of a decision; drawn: numbers of the candidates chosen from here on, which tell the order of the cards of a gulash."""
        if now.decision == "bid":
            return [self.note_of_bid(now, action, self.place(now), NONE)]
        if now.decision == "call":
            return self.notes_of_call(now, action)
        if now.decision == "gulash":
            return self.notes_of_gulash(now, drawn[:len(action)])
        cards = self.different_cards(now) if self.wanted_tricks(now) is not None else []
        if len(cards) < 2:
            return []
        own = [self.card_own(now, card) for card in cards]
        return [Note(Tape.PLAY, now.seat, np.array(self.play_shared(now), float), np.array(own, float), cards.index(action), 0)]

    def notes_of_gulash(self, now: Moment, drawn: list[int]) -> list[Note]:
        found, given = [], []
        for chosen in drawn:
            hand, shared, own = self.gulash_inputs(now, given)
            found.append(Note(Tape.GULASH, now.seat, np.array(shared, float), np.array(own, float), chosen, 0))
            given.append(hand[chosen])
        return found

    def note_of_bid(self, now: Moment, bid: int, place: tuple[str, int, int, bool, bool, int], what: int) -> Note:
        shared, expected, ducked = self.bid_shared(now, *place)
        return Note(Tape.BID, now.seat, np.array(shared, float), np.array([self.bid_own(now, bid, expected, ducked, *place[1:3])], float), 0, what)

    def notes_of_call(self, now: Moment, action: str) -> list[Note]:
        high_seat, high = self.high(now)
        if high_seat == now.seat:
            call = high if action == "pass" else action
            return [] if self.rules["contract"]["declarer_rebids"] == "at_least" else [self.note_of_contract(now, call)]
        calls, shared, own = self.candidates(now)
        if calls in ([], ["pass"]):
            return []
        found = [Note(Tape.CALL, now.seat, np.array(shared, float), np.array(own, float), calls.index(action), 0)]
        return found if self.may_raise() or action == "pass" else [*found, self.note_of_contract(now, action)]

    def note_of_contract(self, now: Moment, call: str) -> Note:
        level, trump = contract_number(call), contract_trump(call)
        return self.note_of_bid(now, level, (trump, 0, 0, True, True, 0), 1 + 5 * (level - 1) + DENOMINATIONS.index(trump))
