"""A second look at an answer: why a bid fails, and whether the advice survives at other tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from analyzer import explain
from analyzer.advice import Advice, Playouts, Standing, advise
from analyzer.cards import denomination
from analyzer.instant import instant
from analyzer.race import CHAINS
from analyzer.situation import Action, Situation
from kernels.layout import NONE

EXPLAINED = 20              # worlds a chain that an explanation rests on

Row = dict[str, Any]


def glance(asked: Situation, names: Sequence[str], *, seed: int = 1, level: float = 0.95) -> Advice:
    """Return the word of the seat's network as an answer of its own: no deals, no intervals, nothing settled.

    Where the network announces nothing (`instant`) the answer has one row, without values.
    """
    found = instant(asked, names)
    bids = found["bids"] or [{"action": found["action"], "ev": None, "p_made": None, "tricks": []}]
    rows = []
    for bid in bids:
        regret = None if bid["ev"] is None else abs(bids[0]["ev"] - bid["ev"])
        row: Row = {"action": bid["action"]}
        for name, value in (("ev", bid["ev"]), ("p_made", bid["p_made"])):
            row |= {name: value, f"{name}_low": None, f"{name}_high": None}
        rows.append(row | {"tricks": bid["tricks"], "regret": regret, "regret_low": None, "regret_high": None, "n": 0, "ess": 0.0, "exact": False})
    names = list(names) * asked.rules.players if len(names) == 1 else list(names)
    return Advice(asked, names, seed, 0, level, rows, False, False, [], False, more={"instant": found})


def explained(advice: Advice) -> Advice:
    """Return the advice with `explanation`: why the best action brings what it brings (explain.py), on the first worlds of every chain."""
    asked = advice.situation
    playouts = Playouts(asked, advice.policies, advice.seed, None, not advice.conditioned)
    actions = [_action(asked, row) for row in advice.results[:2]]
    worlds = playouts.worlds(CHAINS, EXPLAINED)
    played = [playouts.facts(action, 0, CHAINS * EXPLAINED, worlds)[0] for action in actions]
    second = played[1] if len(played) > 1 else None
    chain = EXPLAINED if playouts.is_drawn else 1
    found = explain.explain(asked.rules, asked.seat, played[0], second, chain, advice.level)
    names = [row["action"] for row in advice.results[:2]]
    return replace(advice, more=advice.more | {"explanation": {"action": names[0], "second": names[1] if second is not None else None, **found}})


def _action(asked: Situation, row: Row) -> Action:
    """Return the action that a row tells of; a Spanish Solo contract in its trump."""
    trump = NONE if row.get("trump") is None else denomination(row["trump"])
    return next(action for action in asked.actions if asked.action_text(action) == row["action"] and action.trump in (NONE, trump))


def against(advice: Advice, tables: Iterable[str], *, standing: Standing | None = None, **effort: Any) -> Advice:
    """Return the advice with `against`: the same question with all other seats by each policy, and whether the advice survives there.

    Parameters
    ----------
    tables : policies
    effort : `deals`, `jobs`, `precision`, `seconds` and `ignore_calls` of `advise`

    Notes
    -----
    A row: `policy`, `best` there (in Spanish Solo with its `best_trump`), `settled`; of the action first advised `ev`, `p_made`, `regret` with their intervals;
    `survives`: true where it is the best there, or not worse than the best by more than the precision asked for; false where another is certainly better; null
    where that is not settled.
    """
    asked = advice.situation
    place = (asked.seat - asked.dealer - 1) % asked.rules.players
    first = advice.results[0]
    rows = []
    for table in tables:
        seats = [table] * asked.rules.players
        seats[place] = advice.policies[place]
        there = advise(asked, policies=seats, seed=advice.seed, level=advice.level, standing=standing, **effort)
        if there.interrupted:
            advice = replace(advice, interrupted=True)
            break
        own = next(row for row in there.results if all(row.get(key) == first.get(key) for key in ("action", "trump")))
        is_best = own is there.results[0]
        is_near = effort.get("precision") is not None and own["regret_high"] is not None and own["regret_high"] <= effort["precision"]
        is_worse = own["regret_low"] is not None and own["regret_low"] > 0 and not is_best
        rows.append({
            "policy": table, "best": there.results[0]["action"], "best_trump": there.results[0].get("trump"), "settled": there.settled, "action": own["action"],
            **{key: own[key] for key in ("ev", "ev_low", "ev_high", "p_made", "p_made_low", "p_made_high", "regret", "regret_low", "regret_high", "n", "ess")},
            "survives": True if (is_best and there.settled) or is_near else False if is_worse else None,
        })  # fmt: skip
    return replace(advice, more=advice.more | {"against": rows})
