"""What a seat knows when it is asked for a call or a bid, and what it may answer.

The rules of auctions and bids stand in the kernels alone: a deal whose script ends after what was said (`simulation.Engine.stop`) shows who is asked for what.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analyzer import cards
from analyzer import rules as rule_books
from analyzer.errors import ImpossibleError, TricklabError, one_of, shown
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import MAX_CALLS, MAX_SEATS, NONE, PASS, SUIT_BITS, Decision, Denomination

ANSWERED = ("call", "bid")
MOST_CHIPS = 10**9
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
        known.turnup = _at("turn-up", rules.deck.card, turnup)
    if calls is not None:
        known.calls = [_call(rules, "calls", word) for word in _words(calls)]
    if contract is not None:
        known.contract = _call(rules, "contract", contract)
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
    n = rules.players
    seat = _seat(question, "seat", n)
    hands = question["hands"]
    for other, held in enumerate(hands):
        if (other == seat) != isinstance(held, str) or (other != seat and held is not None):
            raise ImpossibleError(f"hands: seat {other}: found {shown(held)}, expected {'the hand of the seat asked' if other == seat else 'null'}")
    if question.get("decision", "bid") not in ANSWERED:
        raise ImpossibleError(f"decision: found {shown(question['decision'])}, expected {one_of(ANSWERED)}")
    if question.get("play") or question.get("gulash"):
        raise ImpossibleError("play, gulash: found cards that went round; expected a question before them")
    known = _Known(rules, _at(f"hands: seat {seat}", rules.deck.hand, hands[seat]), _seat(question, "dealer", n), _number(question, "pool_before"))
    if question.get("turnup") is not None:
        known.turnup = _at("turnup", rules.deck.card, _text("turnup", question["turnup"]))
    elif question.get("trump") is not None and rules.auction == "none":
        known.cut = _at("trump", cards.denomination, _text("trump", question["trump"]))
    auction = _list(question, "auction")
    for number, entry in enumerate(auction):
        if not isinstance(entry, list) or len(entry) != 2:
            raise ImpossibleError(f"auction: call {number + 1}: found {shown(entry)}, expected a seat and its call, such as [3, \"pass\"]")
        known.calls.append(_call(rules, f"auction: call {number + 1}", _text("auction", entry[1])))
    if question.get("contract") is not None:
        known.contract = _call(rules, "contract", _text("contract", question["contract"]))
        known.declarer = _seat(question, "declarer", n)
    spoken = _list(question, "bids")
    if len(spoken) not in (0, n) or any(bid is not None and type(bid) is not int for bid in spoken):
        raise ImpossibleError(f"bids: found {shown(spoken)}, expected {n} bids, one per seat, null where unspoken")
    known.bid_of = {bidder: bid for bidder, bid in enumerate(spoken) if bid is not None}
    situation = known.situation()
    for number, ((speaker, _), entry) in enumerate(zip(situation.calls, auction, strict=False)):
        if entry[0] != speaker:
            raise ImpossibleError(f"auction: call {number + 1}: found seat {shown(entry[0])}, expected seat {speaker}, whose turn it is")
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
        self._check_hand()
        self._check_options()
        engine = Engine(Run(self.rules, ["random"], setup=self._script()))      # decides nothing: the deal stops where the script ends
        setup = engine.setup[0]
        table, facts = self._after_calls(engine)
        if self.bid_of:
            self.bids = self._as_spoken(table)
        if self.bids:
            if table.decision == Decision.CALL:
                raise ImpossibleError(f"bids: found {self._said}, but the auction is open: {self._name(table)} is to call; give every call, or the contract")
            setup["n_bids"] = min(len(self.bids), MAX_SEATS)
            setup["bids"][:len(self.bids)] = self.bids[:MAX_SEATS]
            table, facts = engine.stop()
        if facts.fault == Decision.BID:
            raise ImpossibleError(self._bid_fault(table, facts.fault_at))
        if facts.pending == Decision.CARD:
            raise ImpossibleError(f"bids: found {self._said}, with which everybody has spoken; leave out those from the bid that you ask about on")
        seat = int(table.seat)
        self._place_cards(setup, seat)
        calls = zip(facts.call_seats.tolist(), facts.calls[:facts.n_calls].tolist(), strict=False)
        return Situation(
            rules=self.rules, seat=seat, decision=Decision(table.decision).name.lower(), hand=self.hand, dealer=self.dealer, turnup=int(table.turnup),
            trump=int(table.trump), calls=tuple(calls), declarer=int(table.declarer), contract=int(table.contract),
            bids=tuple(table.bids[:self.rules.players].tolist()), pool=self.pool, actions=_answers(table), setup=engine.setup,
        )  # fmt: skip

    @property
    def _said(self) -> str:
        return ", ".join(map(str, self.bids or self.bid_of.values()))

    def _check_hand(self) -> None:
        rules, size = self.rules, self.hand.bit_count()
        least = 1 if rules.auction == "none" else rules.max_cards
        if not least <= size <= rules.max_cards:
            expected = f"{least}" if least == rules.max_cards else f"{least} to {rules.max_cards}"
            raise ImpossibleError(f"hand: found {size} cards, expected {expected} in {rules.game} for {rules.players} players")
        if not 0 <= self.dealer < rules.players:
            raise ImpossibleError(f"dealer: found {self.dealer}, expected a seat from 0 to {rules.players - 1}")

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
        if self.pool and rules.has_bids:
            raise ImpossibleError(f"pool: found {self.pool}, but {rules.game} has no pool; leave it out")
        if not 0 <= self.pool <= MOST_CHIPS:
            raise ImpossibleError(f"pool: found {self.pool}, expected 0 to {MOST_CHIPS} chips")

    def _script(self) -> np.ndarray:
        """Return a SETUP with everything but the calls, the bids and the place of the hand."""
        setup = empty_setup()
        script = setup[0]
        script["dealer"] = self.dealer
        script["cards"] = self.hand.bit_count()
        script["turnup"] = self._shown_card()
        return setup

    def _shown_card(self) -> int:
        """Return the card that shows trump, NONE where none does; rules.md OH-A11."""
        rules, deck = self.rules, self.rules.deck
        if self._turns_up == "none":
            if self.turnup != NONE:
                all_dealt = rules.auction == "none" and rules.fields["trump"]["source"] == "turnup"
                reason = "all cards are dealt and none is left to turn up" if all_dealt else f"no card shows trump in {rules.game} under these rules"
                raise ImpossibleError(f"turn-up: found {deck.card_text(self.turnup)}, but {reason}; leave it out")
            return NONE
        if self.turnup == NONE and self._turns_up == "cut" and 0 <= self.cut < Denomination.NT:
            return self.cut * SUIT_BITS          # the suit is all that a cut shows
        if self.turnup == NONE:
            what = {"turnup": "the card that shows trump", "dealer_last": "the dealer's last card, which shows trump", "cut": "the card cut for trump"}
            raise ImpossibleError(f"turn-up: missing, expected {what[self._turns_up]}, such as 7H")
        if self._turns_up == "turnup" and self.hand >> self.turnup & 1:
            raise ImpossibleError(f"turn-up: {deck.card_text(self.turnup)} is in the hand too; name every card once")
        return self.turnup

    @property
    def _turns_up(self) -> str:
        """What shows trump: turnup, dealer_last, cut or none."""
        trump = self.rules.fields["trump"]
        if trump["source"] != "turnup":
            return "none"
        is_exhausted = self.hand.bit_count() * self.rules.players == self.rules.deck.mask.bit_count()
        return str(trump["when_exhausted"]) if is_exhausted else "turnup"

    def _place_cards(self, setup: np.void, seat: int) -> None:
        """Put the hand, and a card that the dealer has shown, where they lie."""
        setup["held"][seat] = self.hand
        if self._turns_up == "dealer_last":
            if bool(self.hand >> self.turnup & 1) != (seat == self.dealer):
                expected = "a card of the hand: it is the dealer's" if seat == self.dealer else "a card of the dealer, which is not in the hand"
                raise ImpossibleError(f"turn-up: found {self.rules.deck.card_text(self.turnup)}, expected {expected}")
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
            raise ImpossibleError(self._call_fault(table, facts.fault_at))
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

    def _name(self, table: np.record) -> str:
        """Return the seat at the table as a player calls it."""
        role = "declarer" if table.declarer == table.seat else "dealer" if table.declarer == NONE and table.dealer == table.seat else ""
        return f"{role} (seat {table.seat})" if role else f"seat {table.seat}"

    def _call_fault(self, table: np.record, number: int) -> str:
        after = "" if table.high == PASS else f" after {self._call(table.high)}"
        legal = ["pass"] if table.may_pass else []
        if table.lowest_call <= table.highest_call:
            legal.append(f"a call from {self._call(table.lowest_call)} to {self._call(table.highest_call)}")
        return f"calls: call {number + 1}: {self._name(table)} may not say {self._call(self.calls[number])}{after}; expected {one_of(legal)}"

    def _bid_fault(self, table: np.record, number: int) -> str:
        bid, n_tricks = self.bids[number], int(table.cards)
        reason = ""
        if 0 <= bid <= n_tricks and table.bid_sum + bid == n_tricks:
            reason = f": with {table.bid_sum} bid so far the sum would be {n_tricks}, the number of tricks"
        elif table.bid_sum:
            reason = f" with {table.bid_sum} bid so far"
        return f"bids: bid {number + 1}: {self._name(table)} may not bid {bid}{reason}; expected {_ranges(_answers(table))}"


def _answers(table: np.record) -> tuple[int, ...]:
    """Return the legal answers of the seat at the table, the lowest first."""
    if table.decision == Decision.BID:
        return tuple(bid for bid in range(int(table.cards) + 1) if int(table.legal_bids) >> bid & 1)
    return (*([PASS] if table.may_pass else []), *range(int(table.lowest_call), int(table.highest_call) + 1))


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as a player says them: "0 to 3 or 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return one_of(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


# ---------------------------------------------------------------- text and JSON to numbers

def _words(text: str) -> list[str]:
    return [word for word in _SEPARATORS.split(text) if word]


def _at(place: str, parse: Callable[..., int], *text: str) -> int:
    """Return what the text means, or say where it stands."""
    try:
        return parse(*text)
    except ImpossibleError as error:
        raise ImpossibleError(f"{place}: {error}") from None


def _call(rules: Rules, place: str, text: str) -> int:
    if rules.auction == "none":
        raise ImpossibleError(f"{place}: found {shown(text)}, but {rules.game} has no auction; leave it out")
    return _at(place, cards.call, text, rules.auction)


def _count(place: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text):
        raise ImpossibleError(f"{place}: cannot read {shown(text)}; expected whole numbers with commas, such as 2,0")
    return int(text)


def _number(question: Mapping[str, Any], key: str) -> int:
    value = question.get(key)
    if value is None:
        return 0
    if type(value) is not int:
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a whole number")
    return value


def _seat(question: Mapping[str, Any], key: str, players: int) -> int:
    value = question.get(key)
    if type(value) is not int or not 0 <= value < players:
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a seat from 0 to {players - 1}")
    return value


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ImpossibleError(f"{key}: found {shown(value)}, expected text")
    return value


def _list(question: Mapping[str, Any], key: str) -> list[Any]:
    value = question.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a list")
    return value
