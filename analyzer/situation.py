"""What a seat knows when it has to decide before the play, and what it may answer.

The rules of auctions and bids stand in the kernels alone: a deal whose script ends after what was said (`simulation.Engine.stop`) shows who is asked for what.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analyzer import cards, hidden, questions
from analyzer import rules as rule_books
from analyzer.errors import ImpossibleError, TricklabError, UsageError, one_of, shown
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import MAX_CALLS, MAX_SEATS, NONE, PASS, SUITS, Decision

ANSWERED = ("call", "gulash", "bid", "trump", "ask", "give")
_SEPARATORS = re.compile(r"[\s,]+")


class Action(NamedTuple):
    """An answer: a bid, call, suit or card, or a mask of the cards handed over in a gulash."""

    said: int
    trump: int = NONE       # Spanish Solo calls: what the caller makes trump if he becomes soloist


@dataclass(frozen=True)
class Situation:
    """A seat that has to decide. `from_question`, `from_json`, `read` and `read_all` make it.

    Cards, calls and masks are the integers of `kernels.layout`, NONE where there is none.
    """

    rules: Rules
    seat: int                           # who is asked
    decision: str                       # one of ANSWERED
    hand: int                           # as held now
    dealt: int                          # the same hand as dealt
    dealer: int
    turnup: int
    trump: int
    calls: tuple[tuple[int, int], ...]  # seat and call, as spoken; empty where the contract alone is known
    gulashes: tuple[tuple[int, ...], ...]   # cards handed over, by exchange and giver, 0 where the seat does not know them
    declarer: int                       # in Spanish Solo the soloist
    contract: int
    asked: int                          # bola: the card asked for, and who held it
    holder: int
    bids: tuple[int, ...]               # by seat, NONE where unspoken; the declarer's is there where the contract is his bid
    pool: int                           # chips before the deal
    seen: tuple[tuple[int, int], ...]   # other cards that the seat has seen, and who holds them, NONE: nobody
    actions: tuple[Action, ...]         # every legal answer, the lowest first
    setup: np.ndarray = field(compare=False, repr=False)   # SETUP, shape (1,): all this for the kernels

    @property
    def cards(self) -> int:
        """Cards a hand as dealt."""
        return self.dealt.bit_count()

    @property
    def speakers(self) -> frozenset[int]:
        """The other seats of whose hands some call or bid tells; calls before a gulash tell of hands that they held no longer after it."""
        bidders = {seat for seat, bid in enumerate(self.bids) if bid != NONE}
        declarers = {self.declarer} if self.contract != NONE else set()
        callers = {seat for seat, _ in self.calls[len(self.gulashes) * self.rules.players:]}
        return frozenset(bidders | declarers | callers) - {self.seat}

    def answered(self, setup: np.ndarray, action: Action) -> np.ndarray:
        """Return a copy of `setup`, SETUP of shape (1,), in which this seat has given the answer."""
        setup = setup.copy()
        script = setup[0]
        if self.decision == "call":
            script["calls"][script["n_calls"]] = action.said
            script["n_calls"] += 1
        elif self.decision == "gulash":
            script["gulash"][script["n_gulash"]] = 0
            script["gulash"][script["n_gulash"], self.seat] = action.said
            script["n_gulash"] += 1
        elif self.decision == "bid":
            place = (self.seat - self.dealer - 1) % self.rules.players if is_unheard(self.rules) else script["n_bids"]
            script["bids"][script["n_bids"]:place] = NONE
            script["bids"][place] = action.said
            script["n_bids"] = place + 1
        else:
            script[{"trump": "trump", "ask": "asked", "give": "given"}[self.decision]] = action.said
        if self.rules.auction == "contracts":
            script["named_by"] = self.seat
            if action.trump != NONE:
                script["trump"] = action.trump
        return setup

    def action_text(self, action: Action) -> int | str | list[str]:
        """Return an answer as JSON holds it: a bid as a number, cards of a gulash as a list, all else as text."""
        deck, said = self.rules.deck, action.said
        if self.decision == "bid":
            return said
        if self.decision == "call":
            return cards.call_text(said, self.rules.auction)
        if self.decision == "gulash":
            return [deck.card_text(card) for card in deck.cards(said)]
        return cards.denomination_text(said) if self.decision == "trump" else deck.card_text(said)

    def to_json(self) -> dict[str, Any]:
        """Return the situation as contracts.md 5 has it; `rules` is left out where they are the base rules, `seen` where nothing was."""
        rules, deck, n = self.rules, self.rules.deck, self.rules.players
        hands: list[str | None] = [None] * n
        hands[self.seat] = deck.hand_text(self.dealt)
        is_base = rules.fields == rule_books.load(rules.game, players=n).fields
        solo = not rules.has_bids
        declarer = None if self.declarer == NONE else self.declarer
        holder = None if self.holder == NONE else self.holder
        exchange = None if self.asked == NONE else {"asked": deck.card_text(self.asked), "from": holder, "given": None}
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
            "gulash": [self._exchange(moves) for moves in self.gulashes] or None,
            "declarer": None if solo else declarer,
            "contract": None if self.contract == NONE else cards.call_text(self.contract, rules.auction),
            "soloist": declarer if solo else None,
            "exchange": exchange,
            "pool_before": None if rules.has_bids else self.pool,
            "bids": [None if bid == NONE else bid for bid in self.bids] if rules.has_bids else [],
            **({"seen": [[deck.card_text(card), None if seat == NONE else seat] for card, seat in self.seen]} if self.seen else {}),
            "leader": None,
            "play": [],
        }

    def _exchange(self, moves: tuple[int, ...]) -> list[dict[str, Any]]:
        deck = self.rules.deck
        return [
            {"from": giver, "to": questions.receiver(self.rules, giver), "cards": [deck.card_text(card) for card in deck.cards(given)] if given else None}
            for giver, given in enumerate(moves)
        ]


def is_unheard(rules: Rules) -> bool:
    """Return whether nobody hears the others' bids before he has bid himself."""
    return rules.auction == "none" and rules.fields["bidding"]["mode"] != "sequential"


def from_question(
    rules: Rules,
    hand: str,
    *,
    calls: str | None = None,
    bids: str | None = None,
    contract: str | None = None,
    turnup: str | None = None,
    dealer: int | None = None,
    seat: int | None = None,
    pool: int = 0,
    gave: str | None = None,
    got: str | None = None,
    trump: str | None = None,
    asked: str | None = None,
    seen: str | None = None,
) -> Situation:
    """Return the situation of the seat that speaks next.

    Parameters
    ----------
    hand : as held now
    calls, bids : as spoken, with blanks or commas between, calls from the first caller and bids from the first bidder
    contract : Israeli Whist, where the calls are not known
    turnup : left out only where no card shows trump
    dealer : the last seat, if None
    seat : who asks, where everybody decides at once: a gulash, bids that nobody hears; the dealer's next, if None
    pool : Spanish Solo: chips before the deal
    gave, got : the cards of every gulash so far, handed on and received, those of the first exchange first
    trump : Spanish Solo, as named
    asked : bola: the card asked for and who held it, such as HA@2
    seen : other cards that were seen: C7 is in nobody's hand, D8@2 in that of seat 2

    Raises
    ------
    ImpossibleError
        Cards, calls or bids that no deal can have under these rules, or nobody has to decide anything before the play.

    Notes
    -----
    With a contract alone nobody knows where the declarer sits from the dealer, and in Israeli Whist nothing hangs on it: he is taken for the dealer's next.
    """
    if dealer is None:
        dealer = rules.players - 1
    known = _Known(rules, rules.deck.hand(hand), dealer, pool)
    if seat is not None:
        known.seat = seat
    if turnup is not None:
        known.turnup = questions.at("turn-up", rules.deck.card, turnup)
    if calls is not None:
        known.calls = [questions.call(rules, "calls", word) for word in _words(calls)]
    if contract is not None:
        known.contract = questions.call(rules, "contract", contract)
        known.declarer = (dealer + 1) % rules.players
    known.bids = [] if bids is None else [_count("bids", word) for word in _words(bids)]
    if trump is not None:
        known.trump = questions.at("trump", cards.denomination, trump)
    if asked is not None:
        [(known.asked, known.holder)] = _places("asked", rules, asked) or [(NONE, NONE)]
        if known.holder == NONE:
            raise ImpossibleError(f"asked: found {shown(asked)}, expected a card and the seat that held it, such as HA@2")
    known.seen = _places("seen", rules, seen or "")
    known.take_back(_packets("gave", rules, gave), _packets("got", rules, got))
    return known.situation()


def from_json(question: Mapping[str, Any]) -> Situation:
    """Return the situation of an object as contracts.md 5 has it, with any decision before the play.

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
    if question.get("play"):
        raise ImpossibleError("play: found cards that were played; expected a question before them")
    known = _Known(rules, hand, questions.seat(question, "dealer", rules.players), questions.number(question, "pool_before"), seat=seat)
    known.turnup, known.cut = questions.turnup(question, rules)
    auction = questions.auction(question, rules)
    known.calls = [call for _, call in auction]
    known.gulashes = [tuple(moves) for moves in questions.gulashes(question, rules, seat)]
    if rules.auction == "contracts" and question.get("trump") is not None:
        known.trump = questions.at("trump", cards.denomination, questions.text("trump", question["trump"]))
    if question.get("exchange") is not None:
        known.asked, known.holder = _asked(question["exchange"], rules)
    elif question.get("contract") is not None and rules.auction == "levels":
        known.contract = questions.call(rules, "contract", questions.text("contract", question["contract"]))
        known.declarer = questions.seat(question, "declarer", rules.players)
    known.bid_of = {bidder: bid for bidder, bid in enumerate(questions.bids(question, rules)) if bid is not None}
    known.seen = questions.seen(question, rules)
    situation = known.situation()
    questions.check_callers(auction, [speaker for speaker, _ in situation.calls])
    if situation.seat != seat:
        raise ImpossibleError(f"seat: found {seat}, but seat {situation.seat} speaks next")
    follows = situation.to_json()
    for key in ("decision", "trump", "declarer", "soloist", "contract"):
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
    found = list(read_all(path))
    if len(found) != 1:
        raise ImpossibleError(f"{path}: found {len(found)} situations, expected one")
    return found[0]


def read_all(path: str | Path) -> Iterator[Situation]:
    """Yield the situations of a file: one object of JSON, a line each of JSON Lines, or TOML with one situation or an array `situations`.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    UsageError, ImpossibleError
        As `from_json`, with the place in the file.
    """
    for _, found in read_each(path):
        if isinstance(found, TricklabError):
            raise found
        yield found


def read_each(path: str | Path) -> Iterator[tuple[str, Situation | TricklabError]]:
    """Yield every situation of a file as `read_all` does, with its place there, and for one that cannot be the error that says why.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    ImpossibleError
        Nothing in it can be read.
    """
    for place, question in _questions(Path(path)):
        try:
            if isinstance(question, TricklabError):
                raise question
            if not isinstance(question, dict):
                raise ImpossibleError(f"found {shown(question)}, expected an object with the keys of a situation")
            found: Situation | TricklabError = from_json(question)
        except (UsageError, ImpossibleError) as error:
            found = type(error)(f"{place}: {error}")
        yield place, found


def _questions(path: Path) -> list[tuple[str, Any]]:
    """Return the objects of a file and where each stands, and errors for lines that hold none."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise TricklabError(f"{path}: cannot be read: {error.strerror or error}; name a file with a situation") from None
    except ValueError as error:
        raise ImpossibleError(f"{path}: {error}; expected situations in JSON or TOML") from None
    try:
        if path.suffix == ".toml":
            found = tomllib.loads(text)
            several = found.get("situations")
            if isinstance(several, list):
                return [(f"{path}: situation {number}", _with_nulls(table)) for number, table in enumerate(several, 1)]
            return [(str(path), _with_nulls(found))]
        try:
            return [(str(path), json.loads(text))]
        except ValueError:
            lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
            if len(lines) < 2 or path.suffix == ".json":
                raise
    except (ValueError, RecursionError) as error:
        raise ImpossibleError(f"{path}: {error}; expected situations in JSON or TOML") from None
    found_lines: list[tuple[str, Any]] = []
    for number, line in lines:
        try:
            found_lines.append((f"{path}: line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            found_lines.append((f"{path}: line {number}", ImpossibleError(f"{error}; expected one situation a line")))
    return found_lines


def _with_nulls(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    return {key: [None if item == "" else item for item in value] if isinstance(value, list) else value for key, value in table.items()}


# ---------------------------------------------------------------- what was said, tried on the kernels

@dataclass
class _Known:
    """What a question says, in numbers."""

    rules: Rules
    hand: int                           # as dealt
    dealer: int
    pool: int
    seat: int = NONE                    # who asks, where that is told
    turnup: int = NONE
    cut: int = NONE                     # trump where a cut decided it and the card is not known
    calls: list[int] = field(default_factory=list)
    gulashes: list[tuple[int, ...]] = field(default_factory=list)
    contract: int = NONE
    declarer: int = NONE                # counts without calls only
    bids: list[int] = field(default_factory=list)           # as spoken, or
    bid_of: dict[int, int] = field(default_factory=dict)    # by seat
    trump: int = NONE                   # Spanish Solo, as named
    asked: int = NONE
    holder: int = NONE
    seen: list[tuple[int, int]] = field(default_factory=list)

    def take_back(self, gave: list[int], got: list[int]) -> None:
        """Turn a hand held now back to the one that was dealt."""
        rules = self.rules
        if len(gave) != len(got):
            raise ImpossibleError(f"gave, got: found cards of {len(gave)} and {len(got)} exchanges, expected both for every gulash")
        if gave and (rules.auction != "levels" or rules.fields["auction"]["all_pass"] != "gulash"):
            raise ImpossibleError("gave, got: found cards, but there is no gulash under these rules; leave them out")
        seat = self.seat = self.seat if self.seat != NONE or not gave else self._seat_after(len(self.calls))
        for given, received in zip(reversed(gave), reversed(got), strict=True):
            if received & ~self.hand & ~given or given & self.hand & ~received:
                wrong = received & ~self.hand & ~given or given & self.hand & ~received
                raise ImpossibleError(f"gave, got: {rules.deck.glyphs(wrong, ascii=True)} cannot be where it is said to be; the hand is the one held now")
            self.hand = self.hand & ~received | given
        for given, received in zip(gave, got, strict=True):
            moves = [0] * rules.players
            moves[seat] = given
            moves[questions.giver(rules, seat)] = received
            self.gulashes.append(tuple(moves))

    def _seat_after(self, n_calls: int) -> int:
        """Return who speaks after so many calls of which those of every gulash were passes all round."""
        first = self.dealer + (1 if self.rules.fields["auction"]["first"] == "dealer_left" else 0)
        return (first + n_calls) % self.rules.players

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
        if facts.pending == Decision.CARD and self.rules.has_bids:
            raise ImpossibleError(f"bids: found {self._said}, with which everybody has spoken; leave out those from the bid that you ask about on")
        decides_alone = facts.pending != Decision.GULASH and not (facts.pending == Decision.BID and is_unheard(self.rules))
        seat = int(table.seat) if decides_alone or self.seat == NONE else self.seat
        if self.seat not in (NONE, seat):
            raise ImpossibleError(f"seat: found {self.seat}, but seat {seat} speaks next")
        held = self._place_cards(setup, seat)
        if not self.rules.has_bids:
            table, facts = self._after_naming(engine, table, facts)
        calls = zip(facts.call_seats.tolist(), facts.calls[:facts.n_calls].tolist(), strict=False)
        trump = int(table.trump) if table.trump != NONE or self.rules.has_bids else self.trump
        return Situation(
            rules=self.rules, seat=seat, decision=Decision(table.decision).name.lower(), hand=held, dealt=self.hand, dealer=self.dealer,
            turnup=int(table.turnup), trump=trump, calls=tuple(calls), gulashes=tuple(self.gulashes), declarer=int(table.declarer),
            contract=int(table.contract), asked=self.asked, holder=self.holder, bids=tuple(table.bids[:self.rules.players].tolist()), pool=self.pool,
            seen=tuple(self.seen), actions=tuple(_answers(self.rules, table, held)), setup=engine.setup,
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
        if (self.bids or self.bid_of) and is_unheard(rules):
            mode = rules.fields["bidding"]["mode"]
            raise ImpossibleError(f"bids: found {self._said}, but with bidding.mode={mode} nobody hears the others' bids; leave them out")
        if (self.trump != NONE or self.asked != NONE) and rules.auction != "contracts":
            raise ImpossibleError(f"trump, asked: found one in {rules.game}, where no soloist names trump or asks for a card; leave it out")
        if not -1 <= self.seat < rules.players:
            raise ImpossibleError(f"seat: found {self.seat}, expected a seat from 0 to {rules.players - 1}")
        questions.check_pool(rules, self.pool)

    def _script(self) -> np.ndarray:
        """Return a SETUP with everything but the calls, the bids and the place of the hand."""
        setup = empty_setup()
        script = setup[0]
        script["dealer"] = self.dealer
        script["cards"] = self.hand.bit_count()
        script["turnup"] = questions.shown_card(self.rules, self.hand, self.turnup, self.cut)
        script["pool"] = self.pool
        script["n_gulash"] = script["exchanged"] = len(self.gulashes)
        for number, moves in enumerate(self.gulashes):
            script["gulash"][number, :self.rules.players] = moves
        return setup

    def _place_cards(self, setup: np.void, seat: int) -> int:
        """Put the hand, and every card whose place is known, where they lie; return the hand as held now."""
        rules, deck = self.rules, self.rules.deck
        held, homes = hidden.after_gulashes(hidden.Known(rules, seat, self.hand, gulashes=[list(moves) for moves in self.gulashes]))
        if questions.trump_shown_by(rules, self.hand.bit_count()) == "dealer_last":
            questions.check_last_card(rules, self.hand, self.turnup, seat == self.dealer)
            setup["held"][self.dealer] |= 1 << self.turnup
        for card, seats in homes.items():
            places = [other for other in range(rules.players) if seats >> other & 1]
            if len(places) == 1:
                setup["held"][places[0]] |= 1 << card
            for other in range(rules.players):
                setup["apart"][other] |= 0 if other in places else 1 << card
        if self.asked != NONE:
            if held >> self.asked & 1:
                raise ImpossibleError(f"exchange: {deck.card_text(self.asked)} is in the own hand; expected the card that was asked for")
            if self.holder == seat:
                raise ImpossibleError(f"exchange: found seat {self.holder} as its holder, which asked for it; expected another seat")
            setup["held"][self.holder] |= 1 << self.asked
        for card, other in self.seen:
            known = sum(int(cards) for cards in setup["held"]) | held | int(setup["stock"])
            if known >> card & 1 or card == self.turnup or other == seat:
                raise ImpossibleError(f"seen: {deck.card_text(card)} lies somewhere else already; name every card once, and none of the own hand")
            if other == NONE:
                setup["stock"] |= 1 << card
            else:
                setup["held"][other] |= 1 << card
        setup["held"][seat] = held
        n_stock = deck.mask.bit_count() - rules.players * self.hand.bit_count() - (rules.fields["trump"]["source"] == "turnup" and self.turnup != NONE)
        if int(setup["stock"]).bit_count() > max(n_stock, 0):
            raise ImpossibleError(f"seen: found {int(setup['stock']).bit_count()} cards in nobody's hand, but only {max(n_stock, 0)} are left over")
        full = [other for other in range(rules.players) if int(setup["held"][other]).bit_count() > self.hand.bit_count()]
        if full:
            raise ImpossibleError(f"seen: found more cards of seat {full[0]} than the {self.hand.bit_count()} that it holds")
        return held

    def _after_naming(self, engine: Engine, table: np.record, facts: np.record) -> tuple[np.record, np.record]:
        """Script the trump of a soloist and the card that he asked for, and return the table of the seat that decides next, and the facts."""
        setup = engine.setup[0]
        if self.trump != NONE and facts.pending == Decision.CALL:
            raise ImpossibleError("trump: found one, but the auction is open; leave it out")
        setup["trump"], setup["asked"] = self.trump, self.asked
        table, facts = engine.stop()
        if facts.fault:
            what = cards.denomination_text(self.trump) if facts.fault == Decision.TRUMP else self.rules.deck.card_text(self.asked)
            raise ImpossibleError(f"{'trump' if facts.fault == Decision.TRUMP else 'exchange'}: found {what}, which the rules do not allow here")
        if self.asked != NONE and facts.pending != Decision.GIVE and table.asked == NONE:
            raise ImpossibleError("exchange: found a card that was asked for, but no bola stands in which one is; leave it out")
        if facts.pending == Decision.CARD:
            raise ImpossibleError("trump: found one, with which everything before the play is settled; leave out what you ask about")
        return table, facts

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
        if facts.pending == Decision.NONE:
            raise ImpossibleError(f"calls: all passed with call {facts.n_calls}, so the deal is thrown in and nothing is left to bid")
        if facts.n_calls < len(self.calls):
            ended = "a gulash follows" if facts.pending == Decision.GULASH else "the auction is closed"
            raise ImpossibleError(f"calls: found {len(self.calls)}, but {ended} after {facts.n_calls}; leave out the rest")
        if facts.n_gulash < len(self.gulashes):
            raise ImpossibleError(f"gulash: found {len(self.gulashes)} exchanges, but the calls lead to {facts.n_gulash}")
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


def _packets(place: str, rules: Rules, text: str | None) -> list[int]:
    """Return the cards of each gulash as masks."""
    words = _words(text or "")
    size = int(rules.fields["gulash"]["cards"]) if rules.auction == "levels" else 1
    if len(words) % size:
        raise ImpossibleError(f"{place}: found {len(words)} cards, expected {size} for every gulash")
    found = [questions.at(place, rules.deck.card, word) for word in words]
    packets = [set(found[k:k + size]) for k in range(0, len(found), size)]
    if any(len(packet) != size for packet in packets):
        raise ImpossibleError(f"{place}: found a card twice in one gulash; name every card once")
    return [sum(1 << card for card in packet) for packet in packets]


def _places(place: str, rules: Rules, text: str) -> list[tuple[int, int]]:
    """Return cards and who holds them, NONE where no seat is named."""
    found = []
    for word in _words(text):
        card, _, seat = word.partition("@")
        if seat and (not seat.isascii() or not seat.isdigit() or int(seat) >= rules.players):
            raise ImpossibleError(f"{place}: found seat {shown(seat)}, expected 0 to {rules.players - 1}")
        found.append((questions.at(place, rules.deck.card, card), int(seat) if seat else NONE))
    return found


def _asked(exchange: object, rules: Rules) -> tuple[int, int]:
    """Return the card that a soloist asked for, and who held it."""
    if not isinstance(exchange, dict) or exchange.get("given") is not None:
        raise ImpossibleError(f'exchange: found {shown(exchange)}, expected {{"asked": "HA", "from": 2, "given": null}}')
    return questions.card(rules.deck, "exchange: asked", exchange.get("asked")), questions.seat(exchange, "from", rules.players)


# ---------------------------------------------------------------- answers

def _answers(rules: Rules, table: np.record, held: int) -> Iterator[Action]:
    """Yield every legal answer of the seat that decides, the lowest first; `held` is its hand."""
    deck, decision = rules.deck, Decision(table.decision)
    if decision in (Decision.CALL, Decision.BID):
        for said in questions.answers(table):
            if rules.auction != "contracts" or said == PASS:
                yield Action(said)
            else:
                yield from (Action(said, trump) for trump in questions.named_suits(said))
    elif decision == Decision.GULASH:
        for packet in combinations(deck.cards(held), int(rules.fields["gulash"]["cards"])):
            yield Action(sum(1 << card for card in packet))
    elif decision == Decision.TRUMP:
        yield from (Action(suit) for suit in range(SUITS) if int(table.legal_trumps) >> suit & 1)
    elif decision == Decision.ASK:
        yield from (Action(card) for card in deck.cards(deck.mask & ~held))
    else:
        yield from (Action(card) for card in deck.cards(held | 1 << int(table.asked)))
