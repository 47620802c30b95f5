"""Bidders that adapt to a scheme: what becomes of a bid among others who adapt to it too, learned from deals under its rules.

Every bidder says what its picture of the deal makes worth most by the scheme's own score table. What is refitted here is the picture: the chances of ending
above or below a bid, and on which side the sum of all bids ends up. Cards and calls are chosen as before, by the scheme's scores.

Bids fitted to the newest round alone swing to and fro, as everybody answers what the others have just given up. So every round learns from the pooled play of
earlier rounds, and the rounds end when the shares that they move stand still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from analyzer import policies as policy_files
from analyzer import stats, training
from analyzer.policies import NETS, learned_tables, net_family
from analyzer.results import solo_made
from analyzer.rulebook import BASE
from analyzer.simulation import CHUNK, Engine, Run, by_chunk
from kernels import layout
from kernels.layout import AIM_BUCKETS, AIM_STEP, DIFFERENCES, NONE, SOLO_BUCKETS, ZERO_BUCKETS, ZERO_STEP, Contract, Denomination, Player, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from analyzer.policies import Policy
    from analyzer.rules import Rules

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Records = NDArray[np.void]
    Counts = dict[str, Any]

ROUNDS = 8                 # at most
FEWEST = 3                 # rounds before the pool holds enough to stand still
LOOKED_AT = 8192           # deals that every round is looked at in, the same ones
SETTLED = 0.01             # share of bids or deals: a movement whose interval lies within it counts as none
OWN_DEALS = 2_000_003      # added to the seed, so that no deal is adapted to and counted
UPDATES = 32               # of the networks, a round
RATES = [[0, 0.003], [1, 0.0005]]      # steps of Adam, by the share of all rounds
EXPLORE = 0.05             # share of a learner's bids near the expected tricks, whatever it thinks of them
COUNTED = 16_384           # deals that a round counts for tables
EXPLORED = 0.25            # the same of the one seat that explores while tables are counted
PRIOR = 20.0               # deals that what was known before counts for, cell by cell
HALF = DIFFERENCES // 2


@dataclass(frozen=True)
class Adapted:
    """A policy adapted to the rules of a table, and how it came there.

    `moved` says which share moved most in the last round, `movement` by how much; both empty where the policy has nothing to adapt.
    """

    policy: Policy
    rounds: int = 0
    moved: str | None = None
    movement: stats.Interval | None = None

    @property
    def settled(self) -> bool:
        """Did the last round move nothing to speak of."""
        return self.movement is None or bool(max(abs(self.movement.low), abs(self.movement.high)) <= SETTLED)

    def to_json(self) -> dict[str, Any]:
        """Return rounds, last movement (share of bids or deals) and whether it settled as plain data."""
        mean, low, high = (None, None, None) if self.movement is None else (float(end) for end in self.movement)
        return {
            "policy": self.policy.name, "rounds": self.rounds, "moved": self.moved, "movement": mean, "movement_low": low, "movement_high": high,
            "settled": self.settled,
        }  # fmt: skip


class Fit(Protocol):
    """Something that learns from rounds of deals."""

    def next(self, jobs: int | None) -> Policy:
        """Return the policy after one more round."""


def adapt(
    name: str,
    rules: Rules,
    *,
    seed: int = 1,
    cards: int | None = None,
    pool: int = 0,
    rounds: int = ROUNDS,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Adapted:
    """Return a policy whose bids are adapted to the rules, among others of its kind.

    Parameters
    ----------
    name : a policy or a TOML file
    rounds : at most so many rounds
    progress : gets the number of rounds so far

    Notes
    -----
    Nothing is written: the adapted policy exists in memory alone. The same arguments give the same policy, whatever `jobs`.
    """
    policy = policy_files.load(name)
    seed = (seed + OWN_DEALS) % 2**63
    fit: Fit | None = None
    if policy.player == Player.LEARNED and net_family(rules) in NETS:
        fit = NetworkFit(name, policy, rules, seed, cards, pool)
    elif policy.player == Player.RULES:
        fit = TableFit(policy, rules, seed, cards, pool)
    if fit is None:
        return Adapted(policy)
    look = Look(rules, seed, cards, pool)
    adapted, before = Adapted(policy), look(policy, jobs)
    while adapted.rounds < rounds and not (adapted.settled and adapted.rounds >= FEWEST):
        policy = fit.next(jobs)
        after = look(policy, jobs)
        adapted, before = Adapted(policy, adapted.rounds + 1, *largest_movement(before, after)), after
        if progress:
            progress(adapted.rounds)
    return adapted


class NetworkFit:
    """Networks that learn the chances of bids as in the last part of their training: against themselves and the last rounds together.

    The policy plays by the mean of its networks after every update so far, of which later ones count more.
    """

    def __init__(self, name: str, policy: Policy, rules: Rules, seed: int, cards: int | None, pool: int) -> None:
        plan = replace(
            training.plan(rules.game, BASE, seed=seed, updates=ROUNDS * UPDATES),
            tables=(training.Table(rules, pool, cards=cards),), refit=1.0, looks=0, ancestors=[(k + 1) / ROUNDS for k in range(ROUNDS)],
            explore=[[0, EXPLORE]],
        )  # fmt: skip
        plan.rates[training.CHANCES] = RATES
        self.policy = policy
        self.trainer = training.Trainer(plan, start=name)
        self.nets = list(NETS[plan.family])
        self.mean = {net: self.trainer.state.values[net].astype(np.float64) for net in self.nets}

    def next(self, jobs: int | None) -> Policy:
        """Return the policy after one more round."""
        for _ in range(UPDATES):
            update = self.trainer.state.update + 1
            self.trainer.run(update, jobs=jobs)
            for net in self.nets:
                self.mean[net] += (self.trainer.state.values[net] - self.mean[net]) * 2 / (update + 1)
        return replace(self.policy, learned={net: value.astype(np.float32) for net, value in self.mean.items()})


class TableFit:
    """Tables of chances, counted in the deals of all rounds so far, in each of which one seat explores, and drawn towards what was known before."""

    def __init__(self, policy: Policy, rules: Rules, seed: int, cards: int | None, pool: int) -> None:
        self.policy, self.rules = policy, rules
        self.run = Run(rules, [policy], seed, cards, pool=pool)
        self.known = learned_tables(str(policy.tables), policy_files.family(rules), rules.players)
        self.counts: Counts = {}
        self.round = 0

    def next(self, jobs: int | None) -> Policy:
        """Return the policy after one more round."""
        players = self.rules.players
        engine = Engine(replace(self.run, policies=[self.policy, self.policy]))
        engine.policies["explore"][1] = EXPLORED
        start = self.round * COUNTED
        self.round += 1

        def work(first: int, n: int) -> Counts:
            place = first // CHUNK % players
            seats = [int(seat == place) for seat in range(players)]
            return self._count(engine.play(start + first, n, seats=seats)[0][:, 0], place)

        def add(counted: Counts) -> None:
            for name, counts in counted.items():
                self.counts[name] = self.counts.get(name, 0.0) + counts

        by_chunk(work, COUNTED, CHUNK, jobs=jobs, consume=add)
        if self.rules.has_bids:
            fitted = {name: shares(self.counts[name], self.known[name]) for name in ("aim", "sides")}
        else:
            made, n = self.counts["solo"]
            fitted = {"solo": np.stack([pooled_rising(made[kind], n[kind], self.known["solo"][kind]) for kind in range(len(n))])}
        self.policy = replace(self.policy, learned=fitted)
        return self.policy

    def _count(self, facts: Records, explorer: int) -> Counts:
        facts = facts[(facts["played"] == 1) & (facts["n_gulash"] == 0)]
        if not self.rules.has_bids:
            return {"solo": count_contracts(self.rules, facts, self.known["expect"], self.policy.weights_in(self.rules.game)["trick_gain"].value)}
        shifts = [self.policy.weights_in(self.rules.game)[name].value for name in ("seat_shift", "sum_shift", "duck_shift")]
        return count_bids(self.rules, facts, self.known["expect"], self.known["duck"], shifts, explorer)


def shares(counts: Floats, known: Floats) -> Floats:
    """Return counts by the last axis as chances, drawn towards known ones; 0 where nothing is known."""
    mixed = counts + PRIOR * known
    total = mixed.sum(axis=-1, keepdims=True)
    chances: Floats = np.divide(mixed, total, out=np.zeros_like(mixed), where=total > 0)
    return chances


def pooled_rising(made: Ints, n: Ints, known: Floats) -> Floats:
    """Return shares that never fall, drawn towards known ones: neighbours that do are pooled (isotonic regression, pool adjacent violators)."""
    blocks: list[list[float]] = []
    for m, k, p in zip(made, n, known, strict=True):
        blocks.append([m + p * 2.0, k + 2.0, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            m2, k2, size = blocks.pop()
            blocks[-1] = [blocks[-1][0] + m2, blocks[-1][1] + k2, blocks[-1][2] + size]
    return np.concatenate([np.full(int(size), m / k) for m, k, size in blocks])


# ---------------------------------------------------------------- counting

@dataclass(frozen=True)
class Bidders:
    """Who bids, deal by deal in the order of the bids, the leader first: numbers of shape (deals, seats), or fit to broadcast to it."""

    seats: Ints
    turn: Ints           # bidders before
    cards: Ints
    trump: Ints
    hands: Ints          # as dealt
    unseen: Ints
    bids: Ints
    tricks: Ints
    heard: Ints          # bids that the seat knows
    spoken: Ints         # their sum
    ahead: Floats        # of an even share

    @classmethod
    def of(cls, rules: Rules, facts: Records) -> Bidders:
        """Return the bidders of deals that were played."""
        turn = np.arange(rules.players)
        seats = (facts["leader"][:, None] + turn) % rules.players
        hands, bids, tricks = (np.take_along_axis(facts[name], seats, axis=1) for name in ("hands", "bids", "tricks"))
        cards = facts["cards"][:, None]
        gone = np.where(facts["turnup"] == NONE, 0, np.int64(1) << np.maximum(facts["turnup"], 0))[:, None]
        is_open = rules.fields.get("bidding", {}).get("mode", "sequential") == "sequential"
        heard, spoken = (turn, np.cumsum(bids, axis=1) - bids) if is_open else (np.zeros_like(turn), np.zeros_like(bids))
        return cls(
            seats, turn, cards, facts["trump"][:, None], hands, rules.deck.mask & ~hands & ~gone, bids, tricks, heard, spoken,
            spoken - cards * heard / rules.players,
        )  # fmt: skip


def count_bids(rules: Rules, facts: Records, expect: Floats, duck: Floats, shifts: Sequence[float], explorer: int | None = None) -> Counts:
    """Return how tricks fell around bids, by expected tricks, and on which side sums ended, by the sum so far.

    Parameters
    ----------
    facts : deals that were played with the hands as dealt
    expect, duck : P(a card takes a trick), shapes `layout.EXPECT_SHAPE`, `layout.DUCK_SHAPE`
    shifts : the bidder's weights seat_shift, sum_shift, duck_shift
    explorer : place of a seat alone whose bids are in part drawn at random: who still has to hear from it learns nothing about sides

    Returns
    -------
    dict of `aim`, shape `layout.AIM_SHAPE`, and `sides`, shape `layout.SIDES_SHAPE`
    """
    seat_shift, sum_shift, duck_shift = shifts
    who = Bidders.of(rules, facts)
    expected = expected_tricks(expect[who.cards, who.cards], who.hands, who.unseen, who.trump) + seat_shift * who.turn + sum_shift * who.ahead
    ducked = np.maximum(expected_tricks(duck[who.cards], who.hands, who.unseen, who.trump) + duck_shift * who.ahead, 0.0)
    is_zero = who.bids == 0
    aimed = np.clip(((expected - who.bids) / AIM_STEP + AIM_BUCKETS * 0.5).astype(np.int64), 0, AIM_BUCKETS - 1)
    bucket = np.where(is_zero, np.minimum((ducked / ZERO_STEP).astype(np.int64), ZERO_BUCKETS - 1) + AIM_BUCKETS, aimed)
    missed = np.clip(np.where(is_zero, who.tricks, who.tricks - who.bids + HALF), 0, DIFFERENCES - 1)
    role = (who.turn == 0) + 2 * (who.trump == Denomination.NT)
    aim, sides = np.zeros(layout.AIM_SHAPE), np.zeros(layout.SIDES_SHAPE)
    np.add.at(aim, (np.broadcast_to(who.cards, role.shape), role, bucket, missed), 1)
    side = (np.sign(who.bids.sum(axis=1) - facts["cards"]) + Side.EXACT)[:, None]
    knows = np.ones(role.shape, dtype=bool)
    if explorer is not None:
        knows = who.turn >= (facts["dealer"] + 1 + explorer - facts["leader"])[:, None] % rules.players
    at = who.cards, rules.players - 1 - who.heard, np.minimum(who.spoken + who.bids, layout.MAX_SUM), side
    np.add.at(sides, tuple(np.broadcast_to(axis, role.shape)[knows] for axis in at), 1)
    return {"aim": aim, "sides": sides}


def count_contracts(rules: Rules, facts: Records, expect: Floats, trick_gain: float) -> Floats:
    """Return contracts made and contracts by kind and strength of the soloist's hand as dealt, shape (2, *`layout.SOLO_SHAPE`)."""
    facts = facts[facts["declarer"] >= 0]
    soloist = facts["declarer"]
    hand = facts["hands"][np.arange(len(facts)), soloist]
    record = rules.record()[0]
    cards, trump = facts["cards"], facts["trump"]
    worth = record["card_points"] + 1.0 + trick_gain
    unseen = rules.deck.mask & ~hand
    table = expect[cards, cards].copy()
    table[:, 2] = table[:, 0]                 # a soloist's hand is reckoned before trump is known: nothing is safe from a ruff
    points, tricks = (expected_tricks(table, hand, unseen, trump, by_rank) for by_rank in (worth, np.ones_like(worth)))
    reduced = (soloist - facts["dealer"]) % rules.players == record["juego_reduced_seat"]
    points = points + np.where(reduced, record["juego_target"] - record["juego_reduced_target"], 0)
    kind = np.where(facts["contract"] <= Contract.JUEGO_DIAMONDS, 0, np.where(facts["contract"] <= Contract.BOLA_DIAMONDS, 1, 2))
    bucket = np.clip(np.where(kind == 0, points, tricks * 4.0).astype(np.int64), 0, SOLO_BUCKETS - 1)
    counts = np.zeros((2, *layout.SOLO_SHAPE))
    np.add.at(counts[0], (kind, bucket), solo_made(rules, facts))
    np.add.at(counts[1], (kind, bucket), 1)
    return counts


def expected_tricks(table: Floats, hands: Ints, unseen: Ints, trump: Ints, worth: Floats | None = None) -> Floats:
    """Return the sum over hands of P(the card takes a trick), times what a card of its rank is worth.

    Parameters
    ----------
    table : chances by kind, length and unseen cards above, one slice for each hand in the first axes
    hands, unseen, trump : masks and denominations, shapes that fit the first axes of the table
    """
    shape = hands.shape
    place = tuple(np.broadcast_to(axis, shape) for axis in np.ogrid[tuple(slice(n) for n in table.shape[:-3])])
    total = np.zeros(shape)
    trumps_out = sum(np.bitwise_count(unseen & suit_mask(suit)) * (trump == suit) for suit in range(layout.SUITS))
    for suit in range(layout.SUITS):
        mine, theirs = hands & suit_mask(suit), unseen & suit_mask(suit)
        length = np.minimum(np.bitwise_count(mine), layout.LENGTHS - 1).astype(np.int64)
        kind = np.where(trump == suit, 1, np.where(trumps_out > 0, 0, 2))
        row = table[(*place, kind, length)]
        for rank in range(layout.RANKS):
            card = suit * layout.SUIT_BITS + rank
            higher = np.minimum(np.bitwise_count(theirs >> card), layout.HIGHER - 1).astype(np.int64)
            chance = np.take_along_axis(row, higher[..., None], axis=-1)[..., 0]
            total += np.where(mine >> card & 1, chance if worth is None else chance * worth[rank], 0.0)
    return total


def suit_mask(suit: int) -> int:
    """Return the mask of all cards of a suit."""
    return (1 << layout.RANKS) - 1 << suit * layout.SUIT_BITS


# ---------------------------------------------------------------- movement

class Look:
    """How often something is bid, in deals that are the same at every look: values and numbers by share and deal."""

    def __init__(self, rules: Rules, seed: int, cards: int | None, pool: int) -> None:
        self.rules = rules
        self.run = Run(rules, [], seed, cards, pool=pool)

    def __call__(self, policy: Policy, jobs: int | None) -> dict[str, tuple[Ints, Ints]]:
        """Return values and numbers, deal by deal, of each share."""
        engine = Engine(replace(self.run, policies=[policy], seed=(self.run.seed + OWN_DEALS) % 2**63))
        chunks: list[Records] = []
        by_chunk(lambda first, n: engine.play(first, n)[0][:, 0], LOOKED_AT, CHUNK, jobs=jobs, consume=chunks.append)
        facts = np.concatenate(chunks)
        played = (facts["played"] == 1).astype(np.int64)
        if not self.rules.has_bids:
            soloists = (facts["declarer"] >= 0).astype(np.int64)
            return {"soloists": (soloists, np.ones_like(soloists)), "contracts made": (solo_made(self.rules, facts).astype(np.int64), soloists)}
        bids = facts["bids"][:, :self.rules.players]
        side = np.sign(bids.sum(axis=1) - facts["cards"])
        return {
            "zero bids": ((bids == 0).sum(axis=1) * played, self.rules.players * played),
            "sums over": ((side > 0) * played, played),
            "sums under": ((side < 0) * played, played),
        }


def largest_movement(before: dict[str, tuple[Ints, Ints]], after: dict[str, tuple[Ints, Ints]]) -> tuple[str, stats.Interval]:
    """Return which share changed most from one look to the next, and by how much."""
    changes = {}
    for name, now in after.items():
        share, error = _share(*now)
        former, former_error = _share(*before[name])
        values = share - former + error - former_error
        changes[name] = stats.mean_interval(values.sum(), (values * values).sum(), len(values))
    moved = max(changes, key=lambda name: abs(float(changes[name].mean)))
    return moved, changes[moved]


def _share(values: Ints, numbers: Ints) -> tuple[float, Floats]:
    """Return a share, and what each deal adds to it."""
    total = max(int(numbers.sum()), 1)
    share = float(values.sum() / total)
    return share, (values - share * numbers) * (len(numbers) / total)
