"""What a seat's own policy says at once, without playing a deal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer import policies
from analyzer.simulation import Engine, Run
from analyzer.situation import Situation, is_unheard
from kernels.layout import ANNOUNCED, NONE, OUTPUTS, SHORTEST, SPANS, Player, Side

REACH = 3           # bids on either side of the best announced one that the network knows from its training

Row = dict[str, Any]


def instant(asked: Situation, names: Sequence[str]) -> dict[str, Any]:
    """Return what the seat's own policy says at once, without playing a deal.

    Parameters
    ----------
    names : policies, one for all seats or one per seat, from the dealer's next

    Returns
    -------
    `action` that it chooses, `policy`, and `bids`: what its network announces for each legal bid, the best first: `action`, `ev` (points), `p_made` and
    `tricks`; bids far from the best are left out; empty where it has no network of bids, and for other decisions. Announced chances have no interval:
    reports/calibration says how far they hold.
    """
    rules = asked.rules
    place = (asked.seat - asked.dealer - 1) % rules.players
    policy = policies.load(names[place if len(names) > 1 else 0])
    engine = Engine(Run(rules, names, dealer=asked.dealer, pool=asked.pool, setup=asked.setup))
    facts = engine.play(0, 1)[0][0, 0]
    bids: list[Row] = []
    if asked.decision == "bid" and policy.player == Player.LEARNED:
        setup = engine.setup.copy()
        if is_unheard(rules):               # those before him bid as they like: he does not hear it
            setup["bids"], setup["n_bids"] = NONE, place
        table, _ = engine.stop(setup, announce=True)
        bids = _announced(asked, np.asarray(table.work, dtype=np.float64))
    return {"action": _chosen(asked, facts), "policy": policy.name, "bids": bids}


def _chosen(asked: Situation, facts: np.record) -> int | str | list[str]:
    """Return what the seat did in a deal played on."""
    said = {
        "call": lambda: facts.calls[len(asked.calls)],
        "gulash": lambda: facts.gulash[len(asked.gulashes), asked.seat],
        "bid": lambda: facts.bids[asked.seat],
        "trump": lambda: facts.trump,
        "ask": lambda: facts.asked,
        "give": lambda: facts.given,
    }[asked.decision]()
    action = next(action for action in asked.actions if action.said == int(said))
    return asked.action_text(action)


def _announced(asked: Situation, work: np.ndarray) -> list[Row]:
    """Return what the network announces for each legal bid: chances by side and difference, weighed with the scheme's points."""
    points = asked.rules.points()[asked.cards] * asked.rules.unit
    rows = []
    for action in asked.actions:
        bid = action.said
        start = ANNOUNCED + bid * OUTPUTS
        chances = work[start:start + OUTPUTS].reshape(len(Side), SPANS)
        taken = np.clip(bid + np.arange(SPANS) - SHORTEST, 0, asked.cards)
        tricks = np.bincount(taken, weights=chances.sum(axis=0), minlength=asked.cards + 1)
        rows.append({
            "action": bid, "ev": float((chances * points[:, bid][:, taken]).sum()), "p_made": float(chances[:, SHORTEST].sum()), "tricks": tricks.tolist(),
        })  # fmt: skip
    sign = -1 if asked.rules.fields.get("score", {}).get("low_wins") else 1
    rows.sort(key=lambda row: (-sign * row["ev"], row["action"]))
    return [row for row in rows if abs(row["action"] - rows[0]["action"]) <= REACH]


def favour(asked: Situation, found: Row) -> NDArray[np.float64]:
    """Return how much each action is expected to be the best, shape (actions,), summing to 1: half for the first in the instant answer, a sixth for the second,
    and so on; where only a choice is known, half for it and the rest evenly.
    """
    n = len(asked.actions)
    if found["bids"]:
        order = [row["action"] for row in found["bids"]]
        order += [action.said for action in asked.actions if action.said not in order]
        ranks = np.array([order.index(action.said) for action in asked.actions])
        shares: NDArray[np.float64] = (n + 1) / n / ((ranks + 1.0) * (ranks + 2.0))
        return shares
    is_choice = np.array([asked.action_text(action) == found["action"] for action in asked.actions])
    if n == is_choice.sum():
        return np.full(n, 1 / n)
    evenly: NDArray[np.float64] = np.where(is_choice, 0.5 / is_choice.sum(), 0.5 / (n - is_choice.sum()))
    return evenly
