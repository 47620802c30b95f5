"""Chances that learned players announce for their bids and contracts, beside what became of them: for `calibration.py` and `strength.py`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from analyzer import policies, simulation, stats
from analyzer.results import solo_made
from analyzer.rules import Rules
from kernels import layout
from kernels.layout import PASS, Side, Tape

SHARP = 1000.0             # times the scores: a drawn choice is then the best one, as at the table
PART = 10_000              # bids whose chances are worked out together
WIDTH = layout.BID_SHARED + layout.BID_OWN      # inputs of a bid or contract
IN_AUCTION = 33            # input of a contract: 1 while the auction lasts, 0 once its trump is named or a card given for it (kernels/solo.py, `put_aim`)

Row = dict[str, Any]


class Announced(NamedTuple):
    """Bids or contracts of many deals, one an entry: the chance announced, whether it was made, and the number of its deal."""

    chance: np.ndarray
    made: np.ndarray
    deal: np.ndarray


class Taped:
    """Deals that learned players play as at the table, with the inputs of every bid and contract kept."""

    def __init__(self, table: Rules, policy: str, cards: int | None, seed: int) -> None:
        self.table = table
        self.engine = simulation.Engine(simulation.Run(table, [policy], seed=seed, cards=cards))
        self.engine.policies["draw"] = 1.0
        numbers = self.engine.weights.view(np.float32)
        record = self.engine.policies[0]
        family = policies.net_family(table)
        for name, (n_shared, n_own, outputs) in policies.NETS[family].items():
            if outputs == 1:
                start = int(record[f"net_{name}"]) + (n_shared + n_own) * layout.UNITS
                numbers[start:start + layout.UNITS] *= SHARP
        name = "bid" if table.has_bids else "contract"
        start = int(record[f"net_{name}"])
        self.net = numbers[start:start + policies.net_size(family, name)].copy()

    def deals(self, first: int, n: int) -> Iterator[tuple[int, np.ndarray, np.void]]:
        """Yield (number, facts of shape (1,), table with its tape) of deals `first` to `first + n - 1`, without those thrown in."""
        setup = self.engine.setup.copy()
        seats, deal = np.zeros(1, layout.TABLE), np.zeros(1, layout.DEAL)
        worlds, facts, games = np.zeros(0, layout.WORLD), np.zeros((1, 1), layout.FACTS), np.zeros(1, layout.GAME)
        play = simulation.entry_points().play
        for number in range(first, first + n):
            setup["first"] = number
            play(self.engine.rules, self.engine.policies, self.engine.weights, setup, seats, deal, worlds, facts, games)
            if facts[0, 0]["played"]:
                yield number, facts[0], seats[0]

    def bids(self, first: int, n: int) -> Iterator[tuple[int, np.ndarray, int, int, int]]:
        """Yield (deal, inputs, bid, tricks, side) of every bid of deals `first` to `first + n - 1`, the declarer's number included."""
        for number, facts, seen in self.deals(first, n):
            fact = facts[0]
            total = int(fact["bids"][:self.table.players].sum())
            side = Side.UNDER if total < fact["cards"] else Side.EXACT if total == fact["cards"] else Side.OVER
            noted = {}
            for kind, seat, at, _, _, call in seen["tape"][:seen["n_tape"]]:
                if kind == Tape.BID and (call < 0 or (call == fact["contract"] and seat == fact["declarer"])):
                    noted[int(seat)] = seen["work"][at:at + WIDTH].copy()
            for seat, inputs in noted.items():
                yield number, inputs, int(fact["bids"][seat]), int(fact["tricks"][seat]), int(side)

    def contracts(self, first: int, n: int) -> Iterator[tuple[int, np.ndarray, np.ndarray, int, bool]]:
        """Yield (deal, inputs at the soloist's last call, inputs at his last word, contract, made) of deals `first` to `first + n - 1` that have a soloist.

        The last word names the trump, or in a bola gives the card; it is the last call where nothing is left to say.
        """
        for number, facts, seen in self.deals(first, n):
            fact = facts[0]
            aims = [seen["work"][at:at + WIDTH].copy() for kind, seat, at, _, _, is_pass in seen["tape"][:seen["n_tape"]]
                    if kind == Tape.CONTRACT and seat == fact["declarer"] and not is_pass]  # fmt: skip
            if fact["contract"] > PASS:
                called = [inputs for inputs in aims if inputs[IN_AUCTION] == 1]
                yield number, called[-1], aims[-1], int(fact["contract"]), bool(solo_made(self.table, facts)[0])


def chances(net: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the chances of everything that may become of bids or contracts; inputs: float32, shape (n, inputs); float64, shape (n, OUTPUTS)."""
    width = inputs.shape[1]
    rows = net[:width * layout.UNITS].reshape(width, layout.UNITS)
    out = net[width * layout.UNITS:].reshape(layout.UNITS + 1, layout.OUTPUTS)
    shares = []
    for part in np.array_split(inputs, len(inputs) // PART + 1):
        hidden = part.astype(np.float64) @ rows
        hidden = np.where(hidden < 0, hidden / 16, hidden)
        logits = hidden @ out[:-1] + out[-1]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares.append(powers / powers.sum(axis=1, keepdims=True))
    return np.concatenate(shares)


def announced_bids(taped: Taped, deals: int) -> dict[str, Announced]:
    """Return all bids of deals 0 to `deals - 1`, and zero bids by the side that the sum of all bids fell on, with their chance given that side."""
    number, inputs, bids, tricks, sides = (np.array(column) for column in zip(*taped.bids(0, deals), strict=True))
    share = chances(taped.net, inputs).reshape(-1, 3, layout.SPANS)           # P(side, tricks - bid)
    exact = share[:, :, layout.SHORTEST]
    every = Announced(exact.sum(axis=1), tricks == bids, number)
    groups = {"all bids": every}
    for side in (Side.OVER, Side.UNDER):
        chosen = (bids == 0) & (sides == side)
        given_side = exact[:, side] / np.maximum(share[:, side].sum(axis=1), 1e-9)
        groups[f"zero bids, {side.name.lower()}"] = Announced(given_side[chosen], every.made[chosen], number[chosen])
    return groups


def announced_contracts(taped: Taped, deals: int) -> dict[str, Announced]:
    """Return the contracts of deals 0 to `deals - 1`, with the chance to make them given that they are played, at the last call and at the last word."""
    number, called, last, contracts, made = (np.array(column) for column in zip(*taped.contracts(0, deals), strict=True))
    groups = {}
    for name, inputs in (("contracts, as called", called), ("contracts, as played", last)):
        share = chances(taped.net, inputs)
        rows = np.arange(len(share))
        makes, fails = (share[rows, 2 * (contracts - 1) + k] for k in (0, 1))         # kernels/solo.py, `outcome_of`
        groups[name] = Announced(makes / (makes + fails), made, number)
    return groups


def bin_of(chance: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the bin of chances, 0 to n_bins - 1."""
    return np.minimum((chance * n_bins).astype(int), n_bins - 1)


def deal_sums(values: np.ndarray, deal: np.ndarray) -> tuple[Any, ...]:
    """Return sums over deals as `stats.ratio_interval` takes them, less the number of deals: values, their number, their squares and products."""
    _, at = np.unique(deal, return_inverse=True)
    total, n = np.bincount(at, weights=values), np.bincount(at)
    return total.sum(), n.sum(), (total * total).sum(), (n * n).sum(), (total * n).sum()


def reliability(bids: Announced, n_bins: int) -> list[Row]:
    """Return a row for every bin of announced chances that has bids; the interval allows for bids of one deal that depend on each other."""
    rows = []
    place = bin_of(bids.chance, n_bins)
    for k in np.unique(place):
        here = place == k
        n = int(here.sum())
        made = int(bids.made[here].sum())
        size = min(float(stats.independent_size(*deal_sums(bids.made[here], bids.deal[here]))), n)        # few deals may seem to know more than their bids
        _, low, high = (float(x) for x in stats.wilson(made / n * size, size))
        rows.append({"announced": f"{k / n_bins:.2f} to {(k + 1) / n_bins:.2f}", "mean": float(bids.chance[here].mean()), "made": made / n, "made_low": low,
                     "made_high": high, "n": n})  # fmt: skip
    return rows


def calibration_error(bids: Announced, n_bins: int) -> tuple[stats.Interval, float]:
    """Return the expected calibration error, and what luck alone would make of it if every chance were right.

    The error is the mean distance of chance and share made over bins, weighted by bids. Its interval takes the side of each bin on which the share lies as
    given. By luck: the mean size of a normal variable with the spread of each bin's sum, sqrt(2 / pi) standard deviations.
    """
    off = bids.made - bids.chance
    place = bin_of(bids.chance, n_bins)
    side = np.sign(np.bincount(place, weights=off))
    error = stats.ratio_interval(*deal_sums(side[place] * off, bids.deal), len(np.unique(bids.deal)))
    spreads = [np.sqrt(deal_sums(off[place == k], bids.deal[place == k])[2]) for k in np.unique(place)]
    return error._replace(low=np.maximum(error.low, 0)), float(np.sqrt(2 / np.pi) * sum(spreads) / len(off))
