"""Scores of finished deals, from bids and tricks or from records. The kernel scores: there is no second reading of the rules here."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analyzer import questions, records
from analyzer.cards import call
from analyzer.errors import ImpossibleError, TricklabError, UsageError, shown
from analyzer.fields import SOLO_HAND, SOLO_TOTAL
from analyzer.records import in_points
from analyzer.rules import Rules
from kernels import layout
from kernels.layout import NONE, Contract

Row = dict[str, Any]


class Scored(NamedTuple):
    """Scores of a file of records: a row per seat of every deal, how many deals, and all rules that they were scored by."""

    rows: list[Row]
    deals: int
    rules: list[Rules]


def score_deal(rules: Rules, bids: Sequence[int], tricks: Sequence[int]) -> list[Row]:
    """Return what every seat scores in a deal with bids.

    Parameters
    ----------
    bids, tricks : one number per seat, in Israeli Whist from the declarer, else from the dealer's left

    Returns
    -------
    list of rows: seat (in the order given), bid, tricks, score (points)

    Raises
    ------
    ImpossibleError
        Not one number per seat, tricks that are no hand size of the game, or a bid out of range. Whether the hook allows the bids is not asked.
    """
    for name, numbers in (("bids", bids), ("tricks", tricks)):
        if len(numbers) != rules.players:
            raise ImpossibleError(f"{name}: found {len(numbers)}, expected {rules.players}, one per seat of {rules.game}")
    cards = sum(tricks)
    least = 1 if rules.auction == "none" else rules.max_cards
    if min(tricks) < 0 or not least <= cards <= rules.max_cards:
        expected = f"{least}" if least == rules.max_cards else f"{least} to {rules.max_cards}"
        raise ImpossibleError(f"tricks: found {_listed(tricks)}, {cards} in all, expected {expected}, the cards a hand")
    lowest = [0] * rules.players
    if rules.auction == "levels":
        lowest[0] = rules.fields["auction"]["min_bid"]
    for seat, bid in enumerate(bids):
        if not lowest[seat] <= bid <= cards:
            declarer = "the declarer, who comes first: " if lowest[seat] else ""
            raise ImpossibleError(f"bids: found {bid} for {declarer}seat {seat}, expected {lowest[seat]} to {cards}")
    facts = _facts(cards)
    facts["bids"][0, :rules.players] = bids
    facts["tricks"][0, :rules.players] = tricks
    return _rows(rules, score_again(rules.record(), facts)[0])


def score_solo(rules: Rules, contract: str | None, soloist: int | None, points: Sequence[int], pool: int = 0) -> list[Row]:
    """Return what every seat gains in a deal of Spanish Solo, antes and pass chips of the deal left out.

    Parameters
    ----------
    contract, soloist : call and seat of the soloist; None: all passed
    points : card points plus tricks of each seat, from the dealer's right; 72 in all. A slam is made by one who has all of them.
    pool : chips in the pool, with the antes and passes of this deal

    Returns
    -------
    list of rows: seat (0 at the dealer's right), bid and tricks (None), score (chips)

    Raises
    ------
    UsageError
        A contract without soloist, or the reverse.
    ImpossibleError
        No such contract or seat, or points that are not those of three seats.
    """
    if (contract is None) != (soloist is None):
        missing = "soloist" if soloist is None else "contract"
        raise UsageError(f"score: --{missing} is missing; name contract and soloist, or neither where all passed")
    if len(points) != rules.players or min(points) < 0 or sum(points) != SOLO_TOTAL:
        found = f"found {_listed(points)}, {sum(points)} in all"
        raise ImpossibleError(f"points: {found}, expected {SOLO_TOTAL} of {rules.players} seats: 60 in the cards and one for each of 12 tricks")
    questions.check_pool(rules, pool)
    facts = _facts(SOLO_HAND)
    facts["dealer"] = rules.players - 1
    facts["pool_before"] = pool
    facts["points"][0, :rules.players] = points
    facts["tricks"][0, :rules.players] = [SOLO_HAND if share == SOLO_TOTAL else 0 for share in points]      # all that a slam asks for
    if contract is not None and soloist is not None:
        named = call(contract, rules.auction)
        if named not in list(Contract):
            raise ImpossibleError(f"contract: found {shown(contract)}, expected a contract; leave it out where all passed")
        if not 0 <= soloist < rules.players:
            raise ImpossibleError(f"soloist: found {soloist}, expected a seat from 0 to {rules.players - 1}")
        facts["contract"], facts["declarer"] = named, soloist
    record = rules.record()
    record["pool_ante"] = 0                # lies in the pool already
    return [{**row, "bid": None, "tricks": None} for row in _rows(rules, score_again(record, facts)[0])]


def score_records(
    path: str | Path, override: Callable[[str, int], Rules] | None = None, note: Callable[[str], None] = lambda text: None
) -> Scored:
    """Return what every seat scores in every deal of a file of records, played again card by card.

    Parameters
    ----------
    override : gives the rules to score by, for a game and a number of players; None: those of each record
    note : told of every recorded score that the record's own rules do not give

    Returns
    -------
    Scored, with rows: deal, seat, bid, tricks (None where there are none), score (points; in Spanish Solo with antes and pass chips)

    Raises
    ------
    ImpossibleError
        A record that cannot be read or breaks the rules it was played under.
    """
    referees: dict[str, records.Referee] = {}
    others: dict[tuple[str, int], Rules] = {}
    used: dict[int, Rules] = {}     # by identity: one for many records
    rows, deals = [], 0
    for line, record in records.read(path):
        try:
            referee = _referee(record, referees)
            facts = referee.play(record)
        except ImpossibleError as error:
            raise ImpossibleError(f"{path}: line {line}: {error}") from None
        rules = referee.rules
        deal = record.get("deal")
        deal = line - 1 if deal is None else deal
        if override:
            key = (rules.game, rules.players)
            rules = others[key] if key in others else others.setdefault(key, override(*key))
            score_again(rules.record(), facts)
        used[id(rules)] = rules
        deals += 1
        scored = [{"deal": deal, **row} for row in _rows(rules, facts[0])]
        scores, recorded = [row["score"] for row in scored], record.get("scores")
        if not override and recorded is not None and recorded != scores:
            note(f"{path}: line {line}: deal {deal} is recorded with the scores {shown(recorded)}; its rules give {scores}")
        rows += scored
    return Scored(rows, deals, list(used.values()))


def _referee(record: dict[str, Any], referees: dict[str, records.Referee]) -> records.Referee:
    """Return who plays records under the rules of this one."""
    hands = record.get("hands")
    key = json.dumps([record.get("game"), record.get("rules"), len(hands) if isinstance(hands, list) else 0])
    if key not in referees:
        try:
            referees[key] = records.Referee(records.rules_of(record))
        except TricklabError as error:
            raise ImpossibleError(str(error)) from None
    return referees[key]


def _facts(cards: int) -> np.ndarray:
    """Return the FACTS, shape (1,), of a deal that was played, without a declarer."""
    facts = np.zeros(1, dtype=layout.FACTS)
    facts["played"], facts["cards"] = 1, cards
    facts["declarer"], facts["contract"] = NONE, NONE
    return facts


def score_again(rules: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Return the facts with their scores under RULES."""
    from kernels import entry

    score: Any = entry.score
    score(rules, facts)
    return facts


def _rows(rules: Rules, fact: np.void) -> list[Row]:
    """Return a row per seat."""
    has_bids = rules.has_bids and fact["played"]
    return [
        {
            "seat": seat,
            "bid": int(fact["bids"][seat]) if has_bids else None,
            "tricks": int(fact["tricks"][seat]) if fact["played"] else None,
            "score": in_points(int(fact["scores"][seat]), rules.unit),
        }
        for seat in range(rules.players)
    ]


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
