"""What a seat knows when it is asked for a call or a bid, and what it may answer.

The rules of auctions and bids stand in the kernels alone: a deal whose script ends after what was said (`simulation.Engine.stop`) shows who is asked for what.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analyzer import cards, questions
from analyzer import rules as rule_books
from analyzer.errors import ImpossibleError, TricklabError, one_of, shown
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import MAX_CALLS, MAX_SEATS, NONE, PASS, Decision

ANSWERED = ("call", "bid")
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True)
class Situation:
    """A seat that is asked for a call or a bid. `from_question`, `from_json` and `read` make it.

    Cards, calls and masks are the integers of `kernels.layout`, NONE where there is none.
    """

    rules: Rules
    seat: int                           # who is asked
    decision: str                       # "call" or "bid"
    hand: int
    dealer: int
    turnup: int
    trump: int
    calls: tuple[tuple[int, int], ...]  # seat and call, as spoken; empty where the contract alone is known
    declarer: int
    contract: int
    bids: tuple[int, ...]               # by seat, NONE where unspoken; the declarer's is there where the contract is his bid
    pool: int                           # chips before the deal
    actions: tuple[int, ...]            # every legal answer, the lowest first
    setup: np.ndarray = field(compare=False, repr=False)   # SETUP, shape (1,): all this for the kernels

    @property
    def cards(self) -> int:
        """Cards a hand."""
        return self.hand.bit_count()

    @property
    def others_spoke(self) -> bool:
        """Whether some call or bid of another seat tells of its hand."""
        bidders = (seat for seat, bid in enumerate(self.bids) if bid != NONE)
        return any(seat != self.seat for seat in (*bidders, *(seat for seat, _ in self.calls), *([self.declarer] if self.contract != NONE else [])))

    def answered(self, setup: np.ndarray, action: int) -> np.ndarray:
        """Return a copy of `setup`, SETUP of shape (1,), in which this seat has given the answer."""
        setup = setup.copy()
        script = setup[0]
        if self.decision == "call":
            script["calls"][script["n_calls"]] = action
            script["n_calls"] += 1
        else:
            script["bids"][script["n_bids"]] = action
            script["n_bids"] += 1
        return setup

    def action_text(self, action: int) -> int | str:
        """Return an answer as JSON holds it: a bid as a number, a call as text."""
        return action if self.decision == "bid" else cards.call_text(action, self.rules.auction)

    def to_json(self) -> dict[str, Any]:
        """Return the situation as contracts.md 5 has it; `rules` is left out where they are the base rules."""
        rules, deck, n = self.rules, self.rules.deck, self.rules.players
        hands: list[str | None] = [None] * n
        hands[self.seat] = deck.hand_text(self.hand)
        is_base = rules.fields == rule_books.load(rules.game, players=n).fields
        return {
            "game": rules.game,
            **({} if is_base else {"rules": rules.fields}),
            "seat": self.seat,
            "decision": self.decision,
            "dealer": self.dealer,
            "hands": hands,
            "turnup": None if self.turnup == NONE else deck.card_text(self.turnup),
            "trump": None if self.trump == NONE else cards.denomination_text(self.trump),
            "auction": [[seat, cards.call_text(call, rules.auction)] for seat, call in self.calls] if rules.auction != "none" else None,
            "gulash": None,
            "declarer": None if self.declarer == NONE else self.declarer,
            "contract": None if self.contract == NONE else cards.call_text(self.contract, rules.auction),
            "soloist": None,
            "exchange": None,
            "pool_before": None if rules.has_bids else self.pool,
            "bids": [None if bid == NONE else bid for bid in self.bids] if rules.has_bids else [],
            "leader": None,
            "play": [],
        }


def from_question(
    rules: Rules,
    hand: str,
    *,
    calls: str | None = None,
    bids: str | None = None,
    contract: str | None = None,
    turnup: str | None = None,
    dealer: int | None = None,
    pool: int = 0,
) -> Situation:
    """Return the situation of the seat that speaks next.

    Parameters
    ----------
    calls, bids : as spoken, with blanks or commas between, calls from the first caller and bids from the first bidder
    contract : Israeli Whist, where the calls are not known
    turnup : left out only where no card shows trump
    dealer : the last seat, if None
    pool : Spanish Solo: chips before the deal

    Raises
    ------
    ImpossibleError
        Cards, calls or bids that no deal can have under these rules, or nobody is asked for a call or a bid.

    Notes
    -----
    With a contract alone nobody knows where the declarer sits from the dealer, and in Israeli Whist nothing hangs on it: he is taken for the dealer's next.
    """
    if dealer is None:
        dealer = rules.players - 1
    known = _Known(rules, rules.deck.hand(hand), dealer, pool)
    if turnup is not None:
        known.turnup = questions.at("turn-up", rules.deck.card, turnup)
    if calls is not None:
        known.calls = [questions.call(rules, "calls", word) for word in _words(calls)]
    if contract is not None:
        known.contract = questions.call(rules, "contract", contract)
        known.declarer = (dealer + 1) % rules.players
    known.bids = [] if bids is None else [_count("bids", word) for word in _words(bids)]
    return known.situation()


def from_json(question: Mapping[str, Any]) -> Situation:
    """Return the situation of an object as contracts.md 5 has it, with the decision `call` or `bid`.

    Raises
    ------
    UsageError, ImpossibleError
        As `from_question`, or a key is missing, of the wrong kind, or contradicts the others.
    """
    from analyzer.records import rules_of

    rules = rules_of(question)
    seat = questions.seat(question, "seat", rules.players)
    hand = questions.own_hand(question, rules, seat)
    if question.get("decision", "bid") not in ANSWERED:
        raise ImpossibleError(f"decision: found {shown(question['decision'])}, expected {one_of(ANSWERED)}")
    if question.get("play") or question.get("gulash"):
        raise ImpossibleError("play, gulash: found cards that went round; expected a question before them")
    known = _Known(rules, hand, questions.seat(question, "dealer", rules.players), questions.number(question, "pool_before"))
    known.turnup, known.cut = questions.turnup(question, rules)
    auction = questions.auction(question, rules)
    known.calls = [call for _, call in auction]
    if question.get("contract") is not None:
        known.contract = questions.call(rules, "contract", questions.text("contract", question["contract"]))
        known.declarer = questions.seat(question, "declarer", rules.players)
    known.bid_of = {bidder: bid for bidder, bid in enumerate(questions.bids(question, rules)) if bid is not None}
    situation = known.situation()
    questions.check_callers(auction, [speaker for speaker, _ in situation.calls])
    if situation.seat != seat:
        raise ImpossibleError(f"seat: found {seat}, but seat {situation.seat} speaks next")
    follows = situation.to_json()
    for key in ("decision", "trump", "declarer", "contract"):
        if question.get(key) not in (None, follows[key]):
            raise ImpossibleError(f"{key}: found {shown(question[key])}, expected {shown(follows[key])}, which follows from the rest")
    return situation


def read(path: str | Path) -> Situation:
    """Return the one situation of a file, in JSON (or one line of JSON Lines) or TOML, where "" in a list stands for null.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    UsageError, ImpossibleError
        As `from_json`, or the file does not hold one object.
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
        question = _with_nulls(tomllib.loads(text)) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise TricklabError(f"{path}: cannot be read: {error.strerror or error}; name a file with a situation") from None
    except (ValueError, RecursionError) as error:
        raise ImpossibleError(f"{path}: {error}; expected one situation in JSON or TOML") from None
    if not isinstance(question, dict):
        raise ImpossibleError(f"{path}: found {shown(question)}, expected an object with the keys of a situation")
    try:
        return from_json(question)
    except ImpossibleError as error:
        raise ImpossibleError(f"{path}: {error}") from None


def _with_nulls(table: dict[str, Any]) -> dict[str, Any]:
    return {key: [None if item == "" else item for item in value] if isinstance(value, list) else value for key, value in table.items()}


# ---------------------------------------------------------------- what was said, tried on the kernels

@dataclass
class _Known:
    """What a question says, in numbers."""

    rules: Rules
    hand: int
    dealer: int
    pool: int
    turnup: int = NONE
    cut: int = NONE                     # trump where a cut decided it and the card is not known
    calls: list[int] = field(default_factory=list)
    contract: int = NONE
    declarer: int = NONE                # counts without calls only
    bids: list[int] = field(default_factory=list)           # as spoken, or
    bid_of: dict[int, int] = field(default_factory=dict)    # by seat

    def situation(self) -> Situation:
        """Return what follows, with the seat asked and its legal answers."""
        questions.check_hand(self.rules, self.hand, self.dealer)
        self._check_options()
        engine = Engine(Run(self.rules, ["random"], setup=self._script()))      # decides nothing: the deal stops where the script ends
        setup = engine.setup[0]
        table, facts = self._after_calls(engine)
        if self.bid_of:
            self.bids = self._as_spoken(table)
        if self.bids:
            if table.decision == Decision.CALL:
                speaker = questions.speaker(table)
                raise ImpossibleError(f"bids: found {self._said}, but the auction is open: {speaker} is to call; give every call, or the contract")
            setup["n_bids"] = min(len(self.bids), MAX_SEATS)
            setup["bids"][:len(self.bids)] = self.bids[:MAX_SEATS]
            table, facts = engine.stop()
        if facts.fault == Decision.BID:
            raise ImpossibleError(f"bids: bid {facts.fault_at + 1}: {questions.bid_fault(table, self.bids[facts.fault_at])}")
        if facts.pending == Decision.CARD:
            raise ImpossibleError(f"bids: found {self._said}, with which everybody has spoken; leave out those from the bid that you ask about on")
        seat = int(table.seat)
        self._place_cards(setup, seat)
        calls = zip(facts.call_seats.tolist(), facts.calls[:facts.n_calls].tolist(), strict=False)
        return Situation(
            rules=self.rules, seat=seat, decision=Decision(table.decision).name.lower(), hand=self.hand, dealer=self.dealer, turnup=int(table.turnup),
            trump=int(table.trump), calls=tuple(calls), declarer=int(table.declarer), contract=int(table.contract),
            bids=tuple(table.bids[:self.rules.players].tolist()), pool=self.pool, actions=questions.answers(table), setup=engine.setup,
        )  # fmt: skip

    @property
    def _said(self) -> str:
        return ", ".join(map(str, self.bids or self.bid_of.values()))

    def _check_options(self) -> None:
        rules = self.rules
        if self.calls and rules.auction == "none":
            raise ImpossibleError(f"calls: found some, but {rules.game} has no auction; leave them out")
        if len(self.calls) > MAX_CALLS - rules.players:
            raise ImpossibleError(f"calls: found {len(self.calls)}, expected at most {MAX_CALLS - rules.players}")
        if self.contract != NONE and rules.auction != "levels":
            raise ImpossibleError(f"contract: found one in {rules.game}, where the auction decides nothing that a bid follows; leave it out")
        if (self.bids or self.bid_of) and not rules.has_bids:
            raise ImpossibleError(f"bids: found {self._said}, but {rules.game} has no bids of tricks; leave them out")
        mode = rules.fields.get("bidding", {}).get("mode", "sequential")
        if (self.bids or self.bid_of) and mode != "sequential":
            raise ImpossibleError(f"bids: found {self._said}, but with bidding.mode={mode} nobody hears the others' bids; leave them out")
        questions.check_pool(rules, self.pool)

    def _script(self) -> np.ndarray:
        """Return a SETUP with everything but the calls, the bids and the place of the hand."""
        setup = empty_setup()
        script = setup[0]
        script["dealer"] = self.dealer
        script["cards"] = self.hand.bit_count()
        script["turnup"] = questions.shown_card(self.rules, self.hand, self.turnup, self.cut)
        return setup

    def _place_cards(self, setup: np.void, seat: int) -> None:
        """Put the hand, and a card that the dealer has shown, where they lie."""
        setup["held"][seat] = self.hand
        if questions.trump_shown_by(self.rules, self.hand.bit_count()) == "dealer_last":
            questions.check_last_card(self.rules, self.hand, self.turnup, seat == self.dealer)
            setup["held"][self.dealer] |= 1 << self.turnup

    def _after_calls(self, engine: Engine) -> tuple[np.record, np.record]:
        """Script the calls or the contract and return the table of the seat that is asked next, and the facts."""
        setup = engine.setup[0]
        table, facts = engine.stop()
        if self.contract != NONE:
            self._check_contract(table)
        if self.contract != NONE and not self.calls:
            setup["contract"], setup["declarer"] = self.contract, self.declarer
            return engine.stop()
        for _ in range(1 + (self.rules.players if self.contract != NONE else 0)):
            setup["n_calls"] = len(self.calls)
            setup["calls"][:len(self.calls)] = self.calls
            table, facts = engine.stop()
            if self.contract == NONE or facts.pending != Decision.CALL:
                break
            self.calls.append(PASS)          # a contract tells that nobody called on
        self._check_calls(table, facts)
        return table, facts

    def _check_contract(self, table: np.record) -> None:
        if not table.lowest_call <= self.contract <= table.highest_call:
            lowest, highest = self._call(table.lowest_call), self._call(table.highest_call)
            raise ImpossibleError(f"contract: found {self._call(self.contract)}, expected one from {lowest} to {highest}")

    def _check_calls(self, table: np.record, facts: np.record) -> None:
        """Refuse calls that break the rules, go on after the end, or end where `bid` has nothing to say."""
        if facts.fault == Decision.CALL:
            raise ImpossibleError(f"calls: call {facts.fault_at + 1}: {questions.call_fault(self.rules, table, self.calls[facts.fault_at])}")
        if facts.pending == Decision.GULASH:
            raise ImpossibleError(f"calls: all passed with call {facts.n_calls}, and a gulash follows; bid answers only what comes before it")
        if facts.pending == Decision.NONE:
            raise ImpossibleError(f"calls: all passed with call {facts.n_calls}, so the deal is thrown in and nothing is left to bid")
        if facts.n_calls < len(self.calls):
            raise ImpossibleError(f"calls: found {len(self.calls)}, but the auction is closed after {facts.n_calls}; leave out the rest")
        if facts.pending not in (Decision.CALL, Decision.BID):
            ended = "all passed" if table.declarer == NONE else f"seat {table.declarer} plays {self._call(table.contract)}"
            raise ImpossibleError(f"calls: the auction is over, {ended}; leave out the calls from the one that you ask about on")
        if self.contract != NONE and facts.contract != self.contract:
            highest = "only passes" if table.high == PASS else f"{self._call(table.high)} as the highest"
            raise ImpossibleError(f"contract: found {self._call(self.contract)}, but the calls have {highest}; leave one of the two out")

    def _as_spoken(self, table: np.record) -> list[int]:
        """Return the bids by seat in the order in which they were spoken, from the seat that the table asks first."""
        spoken, n = [], self.rules.players
        left = dict(self.bid_of)
        contract = {seat: int(bid) for seat, bid in enumerate(table.bids[:n]) if bid != NONE}
        for seat, bid in contract.items():
            if left.pop(seat, bid) != bid:
                raise ImpossibleError(f"bids: seat {seat}: found {self.bid_of[seat]}, expected {bid}, the declarer's contract")
        order = [(int(table.seat) + k) % n for k in range(n)] if table.decision == Decision.BID else []
        for seat in order:
            if seat not in left:
                break
            spoken.append(left.pop(seat))
        if left:
            raise ImpossibleError(f"bids: found one of seat {min(left)}, whose turn has not come")
        return spoken

    def _call(self, call: int) -> str:
        return cards.call_text(int(call), self.rules.auction)


# ---------------------------------------------------------------- words of a command line

def _words(text: str) -> list[str]:
    return [word for word in _SEPARATORS.split(text) if word]


def _count(place: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text):
        raise ImpossibleError(f"{place}: cannot read {shown(text)}; expected whole numbers with commas, such as 2,0")
    return int(text)
