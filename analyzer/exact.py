"""Positions that can be counted out: every way to lay the hidden cards is played, and deals of one card a hand are summed card by card.

Each deal counts by how likely the others say with it what they said. Nothing is drawn, so that no figure has an error.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.race import named, outcome
from analyzer.simulation import CHUNK, Engine
from analyzer.situation import Action, Situation
from kernels.layout import NONE, SUIT_BITS, SUITS, WORLD, Player, Side

MOST_TRICKS = 2_000_000     # played in all: 2 to 4 seconds of learned players on one core

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Row = dict[str, Any]


def rows(asked: Situation, engine: Engine, setup: np.ndarray | None) -> list[Row] | None:
    """Return one row per action, the best first, or None where the deals are too many or some player draws lots.

    Parameters
    ----------
    engine : of the question, single deals
    setup : SETUP of shape (1,) with `slips` above 0, which says how the others' calls and bids weigh their hands; None: all deals count alike

    Returns
    -------
    list of rows with the keys of `race.Race.rows`; `n` counts the deals that agree with what is known
    """
    n = n_completions(asked)
    if n == 0 or _draws_lots(engine):
        return None
    if asked.cards == 1:
        table = _OneCard(asked, engine, setup)
        return _rows(asked, [table.tally(action.said) for action in asked.actions], n)
    if n * len(asked.actions) * asked.cards > MOST_TRICKS:
        return None
    return _rows(asked, _played(asked, engine, setup), n)


def _draws_lots(engine: Engine) -> bool:
    """Return whether what some seat does hangs on random numbers."""
    policies = engine.policies
    return bool(((policies["player"] == Player.RANDOM) | (policies["explore"] > 0) | (policies["slips"] > 0) | (policies["draw"] > 0)).any())


@dataclass
class _Tally:
    """What becomes of an action: sums over all deals of how much each counts."""

    deals: float
    score: float        # of the seat, in units
    aimed: float        # deals in which the seat had a bid or a contract
    made: float
    tricks: np.ndarray  # deals by tricks of the seat
    trumps: np.ndarray  # deals by trump, where the seat played the contract that it called
    asked: np.ndarray   # deals by card that it asked for then


def _rows(asked: Situation, tallies: Sequence[_Tally], n: int) -> list[Row]:
    unit, sign = asked.rules.unit, -1 if asked.rules.fields.get("score", {}).get("low_wins") else 1
    means = [tally.score / tally.deals for tally in tallies]
    ranking = sorted(range(len(means)), key=lambda i: (-sign * means[i], i))
    found = []
    for i in ranking:
        tally = tallies[i]
        row: Row = {"action": asked.action_text(asked.actions[i])}
        row |= named(asked, asked.actions[i], tally.trumps, tally.asked)
        row |= _certain("ev", means[i] * unit)
        row |= _certain("p_made", tally.made / tally.aimed if tally.aimed else None)
        row["tricks"] = (tally.tricks / (tally.tricks.sum() or 1)).tolist()
        row |= _certain("regret", sign * (means[ranking[0]] - means[i]) * unit)
        row |= {"n": n, "ess": float(n), "exact": True}
        found.append(row)
    return found


def _certain(name: str, value: float | None) -> Row:
    return dict.fromkeys((name, f"{name}_low", f"{name}_high"), None if value is None else float(value))


# ---------------------------------------------------------------- all ways to lay the hidden cards

class _Hidden:
    """The cards whose place is not known, and the places for them: the seats, then the stock."""

    def __init__(self, asked: Situation) -> None:
        rules, script = asked.rules, asked.setup[0]
        self.held = [int(cards) for cards in script["held"][:rules.players]]
        known = int(script["stock"]) | sum(self.held) | (0 if asked.turnup == NONE else 1 << asked.turnup)
        self.mask = rules.deck.mask & ~known
        free = [asked.cards - cards.bit_count() for cards in self.held]
        self.free = (*free, self.mask.bit_count() - sum(free))
        self.homes = [self._home(int(script["apart"][seat]), int(script["voids"][seat])) for seat in range(rules.players)] + [self.mask]
        everywhere = self.mask
        for places, home in zip(self.free, self.homes, strict=True):
            everywhere &= home if places else self.mask
        self.bound = rules.deck.cards(self.mask & ~everywhere)      # cards that may not lie just anywhere
        self.unbound = rules.deck.cards(everywhere)

    def _home(self, apart: int, voids: int) -> int:
        """Return the hidden cards that a seat may hold."""
        for suit in range(SUITS):
            if voids >> suit & 1:
                apart |= ((1 << SUIT_BITS) - 1) << suit * SUIT_BITS
        return self.mask & ~apart

    def places_for(self, card: int) -> Iterator[int]:
        """Yield the places where a card may lie."""
        return (place for place, home in enumerate(self.homes) if home >> card & 1)


def n_completions(asked: Situation) -> int:
    """Return the number of ways to lay the hidden cards; the order within a hand and within the stock does not count."""
    hidden = _Hidden(asked)
    ways = Counter({hidden.free: 1})                # by places still free
    for card in hidden.bound:
        after: Counter[tuple[int, ...]] = Counter()
        for free, n in ways.items():
            for place in hidden.places_for(card):
                if free[place]:
                    after[(*free[:place], free[place] - 1, *free[place + 1:])] += n
        ways = after
    return sum(n * factorial(sum(free)) // prod(map(factorial, free)) for free, n in ways.items())


def completions(asked: Situation) -> np.ndarray:
    """Return every way to lay the hidden cards as WORLD, shape (n,): the hands of all seats; what nobody holds is the stock."""
    hidden = _Hidden(asked)
    hands = np.array([(*hidden.held, 0)], dtype=np.int64)
    free = np.array([hidden.free], dtype=np.int64)
    for card in hidden.bound + hidden.unbound:      # first those that not every place takes: the others go anywhere, and no way ends before all are laid
        ways = []
        for place in hidden.places_for(card):
            is_open = free[:, place] > 0
            laid, left = hands[is_open], free[is_open]
            laid[:, place] |= 1 << card
            left[:, place] -= 1
            ways.append((laid, left))
        hands, free = (np.concatenate(parts) for parts in zip(*ways, strict=True))
    worlds = np.zeros(len(hands), WORLD)
    worlds["hands"][:, :asked.rules.players] = hands[:, :-1]
    worlds["chances"] = 1
    return worlds


def _played(asked: Situation, engine: Engine, setup: np.ndarray | None) -> list[_Tally]:
    """Return what becomes of every action over all completions."""
    others = [seat for seat in range(asked.rules.players) if seat != asked.seat]
    worlds = completions(asked)
    scripts = [asked.answered(engine.setup, action) for action in asked.actions]
    blocks: list[list[_Tally]] = [[] for _ in scripts]
    for first in range(0, len(worlds), CHUNK):
        block = worlds[first:first + CHUNK]
        weights = np.ones(len(block)) if setup is None else engine.weigh(block, setup)[:, others].prod(axis=1)
        for action, script in enumerate(scripts):
            facts = engine.play(0, len(block), script, worlds=block)[0][:, 0]
            blocks[action].append(_tally(asked, asked.actions[action], facts, weights))
    return [_Tally(*(sum(parts) for parts in zip(*(vars(tally).values() for tally in tallies), strict=True))) for tallies in blocks]


def _tally(asked: Situation, action: Action, facts: np.ndarray, weights: Floats) -> _Tally:
    became = outcome(asked, action, facts)
    asks = became.chosen & (facts["asked"] != NONE)
    return _Tally(
        weights.sum(),
        (weights * facts["scores"][:, asked.seat]).sum(),
        weights[became.aimed].sum(),
        weights[became.made].sum(),
        np.bincount(became.tricks[became.played], weights[became.played], asked.cards + 1),
        np.bincount(facts["trump"][became.chosen], weights[became.chosen], SUITS + 1),
        np.bincount(facts["asked"][asks], weights[asks], SUITS * SUIT_BITS),
    )


# ---------------------------------------------------------------- one card a hand

class _OneCard:
    """A deal of one card a hand: play is forced, and a seat's bid hangs on its own card and on the bids before it.

    So under given bids of the whole table a deal counts by a product of shares, one for each other seat and its card; and the own card wins in those deals in
    which nobody holds a card that beats it.
    """

    def __init__(self, asked: Situation, engine: Engine, setup: np.ndarray | None) -> None:
        rules, hidden = asked.rules, _Hidden(asked)
        self.asked = asked
        self.engine = engine
        self.bidders = [(asked.dealer + 1 + k) % rules.players for k in range(rules.players)]      # the first leads
        self.others = [seat for seat in self.bidders if seat != asked.seat]
        self.mine = hidden.held[asked.seat].bit_length() - 1
        self.pack = rules.deck.cards(hidden.mask | sum(hidden.held))
        self.base = np.array([[(hidden.held[seat] or hidden.homes[seat]) >> card & 1 for card in self.pack] for seat in self.others], dtype=np.float64)
        self.points = rules.points()[1]
        self.known_choices: dict[tuple[int, ...], Ints] = {}
        if setup is not None:
            for place, seat in enumerate(self.others):
                if self.has_spoken(seat):
                    self.base[place] *= engine.weigh(self.worlds(seat), setup)[:, seat]

    def has_spoken(self, seat: int) -> bool:
        """Return whether the bid of a seat is heard before the seat asked bids."""
        return self.asked.bids[seat] != NONE

    def worlds(self, seat: int) -> np.ndarray:
        """Return worlds, WORLD of shape (cards of the pack,), in which a seat holds one card after the other; what the others hold is left open."""
        worlds = np.zeros(len(self.pack), WORLD)
        worlds["hands"][:, seat] = [1 << card for card in self.pack]
        return worlds

    def choices(self, before: tuple[int, ...]) -> Ints:
        """Return what the next bidder bids with each card of the pack after these bids."""
        if before not in self.known_choices:
            seat, script = self.bidders[len(before)], self.engine.setup.copy()
            script["n_bids"] = len(before)
            script["bids"][0, :len(before)] = before
            facts = self.engine.play(0, len(self.pack), script, worlds=self.worlds(seat))[0]
            self.known_choices[before] = facts["bids"][:, 0, seat]
        return self.known_choices[before]

    def may_win(self) -> NDArray[np.bool_]:
        """Return the cards of each other seat with which it lets the own card win."""
        trump, suit = self.asked.trump, self.mine // SUIT_BITS
        loses = [card < self.mine if card // SUIT_BITS == suit else card // SUIT_BITS != trump for card in self.pack]
        follows = [card // SUIT_BITS == suit for card in self.pack]         # a plain card wins only where its suit is led
        return np.array([np.logical_and(loses, follows) if seat == self.bidders[0] and suit != trump else loses for seat in self.others])

    def tally(self, bid: int) -> _Tally:
        """Return what becomes of a bid."""
        heard = [(bid,) if seat == self.asked.seat else (self.asked.bids[seat],) if self.has_spoken(seat) else (0, 1) for seat in self.bidders]
        tables = list(product(*heard))              # all bids of the table, in the order of speaking
        shares = np.tile(self.base, (len(tables), 1, 1))
        for bids, share in zip(tables, shares, strict=True):
            for place, seat in enumerate(self.others):
                if not self.has_spoken(seat):
                    number = self.bidders.index(seat)
                    share[place] *= self.choices(bids[:number]) == bids[number]
        deals, won = sum_of_deals(shares), sum_of_deals(shares * self.may_win())
        side = np.sign(np.sum(tables, axis=1) - 1) + Side.EXACT
        score = (deals - won) * self.points[side, bid, 0] + won * self.points[side, bid, 1]
        tricks = np.array([(deals - won).sum(), won.sum()])
        return _Tally(deals.sum(), score.sum(), deals.sum(), tricks[bid], tricks, np.zeros(0), np.zeros(0))


def sum_of_deals(shares: Floats) -> Floats:
    """Return the sum over all ways to deal every seat another card of the product of their shares.

    Parameters
    ----------
    shares : shape (tables, seats, cards)

    Returns
    -------
    shape (tables,)

    Notes
    -----
    Card by card: it goes to one of the seats that have none, or to nobody. Whole numbers stay exact up to 2^53.
    """
    n_tables, n_seats, n_cards = shares.shape
    sums = np.zeros((n_tables, 2**n_seats))                 # by the seats that have their card, as bits
    sums[:, 0] = 1
    for card in range(n_cards):
        before = sums.copy()
        for seat in range(n_seats):
            split = (n_tables, -1, 2, 2**seat)              # the third axis: the seat has no card, or one
            sums.reshape(split)[:, :, 1] += before.reshape(split)[:, :, 0] * shares[:, seat, card, None, None]
    return sums[:, -1]
