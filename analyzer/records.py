"""Deal records (contracts.md 4): facts to JSON Lines, and back by playing them again."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, StrictInt, StrictStr, ValidationError

from analyzer import __version__, questions
from analyzer import rules as rule_books
from analyzer.cards import SUIT_LETTERS, Deck, call_text, denomination, denomination_text
from analyzer.errors import ImpossibleError, TricklabError, UsageError, one_of, shown
from analyzer.output import json_text
from analyzer.rulebook import BASE
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels import layout
from kernels.layout import MAX_CALLS, MAX_GULASHES, MOST_CHIPS, NONE, PASS, SUIT_BITS, Decision

SCHEMA = "tricklab.deal/1"


# ---------------------------------------------------------------- facts to lines

def lines(facts: np.ndarray, rules: Rules, policies: Sequence[str], seed: int, games: bool = False, first: int = 0) -> Iterator[str]:
    """Yield one line of JSON per deal, without line ends.

    Parameters
    ----------
    facts : FACTS, shape (deals,)
    policies : as in `simulation.Run`: one for all seats, or one per seat from the dealer's next (with `games`: from player 0)
    games : the deals are those of whole games
    first : number of the first deal of `facts` among all deals, with `games`; without, deals know their numbers
    """
    head = {"schema": SCHEMA, "game": rules.game, "version": __version__, "variant": rules.variant, "rules": rules.fields}
    names = list(policies) * rules.players if len(policies) == 1 else list(policies)
    starts = []         # of a line, by dealer: only the policies turn with him
    for dealer in range(rules.players):
        turn = 0 if games else dealer + 1
        seated = [names[(seat - turn) % rules.players] for seat in range(rules.players)]
        starts.append(json_text({**head, "policies": seated, "seed": seed})[:-1] + ",")
    for number, fact in enumerate(_plain(facts), first):
        game_no, deal_no = (fact["game_no"], fact["deal_no"]) if games else (None, None)
        numbers = {"deal": number if games else fact["game_no"], "game_no": game_no, "deal_no": deal_no}
        yield starts[fact["dealer"]] + json_text(numbers | _happened(fact, rules))[1:]


def happened(facts: np.ndarray, rules: Rules) -> list[dict[str, Any]]:
    """Return what happened in each deal of FACTS, the keys of a deal record from `dealer` on."""
    return [_happened(fact, rules) for fact in _plain(facts)]


def _plain(facts: np.ndarray) -> Iterator[Mapping[str, Any]]:
    """Yield the facts of each deal as plain numbers and lists."""
    columns = {name: facts[name].tolist() for name in facts.dtype.names or ()}
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def _happened(fact: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """Return what happened in a deal, keys in the order of contracts.md 4."""
    n = rules.players
    card = _card_texts(rules.deck)
    auction, is_solo, played = rules.auction, not rules.has_bids, bool(fact["played"])
    declarer, exchange = _or_none(fact["declarer"]), None
    if fact["asked"] != NONE:
        exchange = {"asked": card[fact["asked"]], "from": fact["asked_from"], "given": card[fact["given"]]}
    return {
        "dealer": fact["dealer"],
        "hands": [_hand_text(rules.deck, hand) for hand in fact["hands"][:n]],
        "turnup": card.get(fact["turnup"]),
        "trump": denomination_text(fact["trump"]) if played else None,
        "auction": None if auction == "none" else _rounds(fact, auction),
        "gulash": _gulashes(fact, rules) or None,
        "declarer": None if is_solo else declarer,
        "contract": None if fact["contract"] == NONE else call_text(fact["contract"], auction),
        "soloist": declarer if is_solo else None,
        "exchange": exchange,
        "pool_before": fact["pool_before"] if is_solo else None,
        "pool_after": fact["pool_after"] if is_solo else None,
        "bids": fact["bids"][:n] if played and not is_solo else [],
        "leader": fact["leader"] if played else None,
        "play": [card[played] for played in fact["play"][:n * fact["cards"]]] if played else [],
        "tricks": fact["tricks"][:n] if played else [],
        "points": fact["points"][:n] if is_solo else None,
        "scores": [in_points(units, rules.unit) for units in fact["scores"][:n]],
    }


def _or_none(number: int) -> int | None:
    return None if number == NONE else number


def _rounds(fact: Mapping[str, Any], auction: str) -> list[Any]:
    """Return the calls; where a gulash follows a round, round by round."""
    calls = [[seat, call_text(spoken, auction)] for seat, spoken in zip(fact["call_seats"][:fact["n_calls"]], fact["calls"], strict=False)]
    if not fact["n_gulash"]:
        return calls
    ends = [0, *fact["gulash_after"][:fact["n_gulash"]], len(calls)]
    return [calls[start:end] for start, end in pairwise(ends)]


def _gulashes(fact: Mapping[str, Any], rules: Rules) -> list[Any]:
    """Return who handed which cards to whom, exchange by exchange."""
    card, cards = _card_texts(rules.deck), rules.deck.cards
    return [
        [{"from": seat, "to": questions.receiver(rules, seat), "cards": [card[given] for given in cards(masks[seat])]} for seat in range(rules.players)]
        for masks in fact["gulash"][:fact["n_gulash"]]
    ]


@cache
def in_points(units: int, unit: float) -> int | float:
    """Return a score in points from one in units, without the rounding of 7 * 0.1."""
    points = units * Fraction(str(unit))
    return int(points) if points.denominator == 1 else float(points)


@cache
def _card_texts(deck: Deck) -> dict[int, str]:
    return {card: deck.card_text(card) for card in deck.cards(deck.mask)}


@cache
def _suit_texts(deck: Deck) -> list[str]:
    """Return the cards of one suit as text, by the mask of their ranks."""
    return [deck.hand_text(held).lstrip(".") for held in range(1 << len(deck.ranks))]


def _hand_text(deck: Deck, mask: int) -> str:
    """Return `deck.hand_text(mask)`, a hundred thousand times."""
    texts, ranks = _suit_texts(deck), (1 << len(deck.ranks)) - 1
    return ".".join([texts[mask >> suit * SUIT_BITS & ranks] for suit in reversed(range(len(SUIT_LETTERS)))])


# ---------------------------------------------------------------- lines to records

def read(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each line from 1, and its record; empty lines are passed over.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    ImpossibleError
        A line is no JSON object.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _record(f"{path}: line {number}", line)
    except OSError as error:
        raise TricklabError(f"{path}: cannot be read: {error.strerror or error}; name a file of deal records") from None


def _record(where: str, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:      # no JSON, no UTF-8, a number of thousands of digits, deep nesting
        raise ImpossibleError(f"{where}: no JSON ({error}); expected one deal record a line") from None
    if not isinstance(record, dict):
        raise ImpossibleError(f"{where}: found {shown(record)}, expected an object with the keys of a deal record")
    return record


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def rules_of(record: Mapping[str, Any]) -> Rules:
    """Return the rules that a record was played under.

    `rules` holds all fields, or ``{"variant": NAME, "set": {"group.field": value}}``, or is left out: base.

    Raises
    ------
    UsageError, ImpossibleError
        As `rules.load`, or where game, rules or hands are not what they should be.
    """
    game, given, hands = record.get("game"), record.get("rules"), record.get("hands")
    games = [info.name for info in rule_books.games()]
    if game not in games:
        raise ImpossibleError(f"game: found {shown(game)}, expected {one_of(games)}")
    if not isinstance(hands, list):
        raise ImpossibleError(f"hands: found {shown(hands)}, expected a list with one hand per seat")
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise ImpossibleError(f"rules: found {shown(given)}, expected the fields of the rules")
    if given.keys() <= {"variant", "set"}:
        variant, settings = given.get("variant", BASE), given.get("set", {})
    else:
        variant, settings = BASE, given
    if not isinstance(variant, str) or not isinstance(settings, Mapping):
        raise ImpossibleError(f"rules: found {shown(given)}, expected a variant's name and the fields to set")
    try:
        return rule_books.load(game, variant, settings, len(hands))
    except UsageError as error:
        raise ImpossibleError(f"rules: {error}") from None


# ---------------------------------------------------------------- records played again

class _Entry(BaseModel):
    """Part of a record; keys that a replay does not need may be there too."""


class _Passed(_Entry):
    giver: StrictInt = Field(alias="from")
    to: StrictInt
    cards: list[StrictStr]


class _Exchange(_Entry):
    asked: StrictStr
    holder: StrictInt = Field(alias="from")
    given: StrictStr


_Calls = list[tuple[StrictInt, StrictStr]]


class _Deal(_Entry):
    """What a replay reads. What follows from the rest may be null; where it is given, it has to agree."""

    dealer: StrictInt
    hands: list[StrictStr]
    turnup: StrictStr | None = None
    trump: StrictStr | None = None
    auction: _Calls | list[_Calls] | None = None
    gulash: list[list[_Passed]] | None = None
    exchange: _Exchange | None = None
    pool_before: StrictInt | None = None
    bids: list[StrictInt] | None = None
    play: list[StrictStr] | None = None

    @property
    def calls(self) -> list[tuple[int, str]]:
        """Seats and calls over all rounds."""
        auction: list[Any] = self.auction or []
        return [call for calls in auction for call in calls] if auction and isinstance(auction[0], list) else auction


FOLLOWS = ("trump", "auction", "declarer", "contract", "soloist", "exchange", "leader", "bids", "tricks", "points")     # from what a script decides
KEYS = {
    Decision.CALL: "auction", Decision.GULASH: "gulash", Decision.BID: "bids", Decision.TRUMP: "trump", Decision.ASK: "exchange.asked",
    Decision.GIVE: "exchange.given", Decision.CARD: "play",
}  # fmt: skip


def replay(records: Iterable[Mapping[str, Any]], rules: Rules) -> np.ndarray:
    """Play records again, every call, bid and card as recorded, and score them under `rules`.

    Returns
    -------
    FACTS, shape (records,)

    Raises
    ------
    ImpossibleError
        A record breaks the rules, is incomplete, or states what does not follow from its cards. Recorded scores are not compared.
    """
    referee = Referee(rules)
    played = []
    for number, record in enumerate(records):
        try:
            played.append(referee.play(record))
        except ImpossibleError as error:
            raise ImpossibleError(f"record {number}: {error}") from None
    return np.concatenate(played) if played else np.zeros(0, dtype=layout.FACTS)


class Referee:
    """Plays the records of one table again."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.engine = Engine(Run(rules, ["random"]))       # decides nothing: a script that ends stops the deal
        self.card_of = {text: card for card, text in _card_texts(rules.deck).items()}

    def play(self, record: Mapping[str, Any]) -> np.ndarray:
        """Return the FACTS, shape (1,), of a record; raises ImpossibleError as `replay`."""
        try:
            deal = _Deal.model_validate(record)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in fault["loc"])
            found = "nothing" if fault["type"] == "missing" else shown(fault["input"])
            raise ImpossibleError(f"{place}: found {found}, expected what a deal record has there") from None
        facts = self.engine.play(0, 1, self._script(deal))[0][:, 0]
        [fact] = _plain(facts)
        if fact["fault"] != Decision.NONE:
            raise ImpossibleError(self._fault(deal, Decision(fact["fault"]), fact["fault_at"]))
        if fact["pending"] != Decision.NONE:
            raise ImpossibleError(f"{KEYS[Decision(fact['pending'])]}: incomplete; the rules ask for more")
        happened = _happened(fact, self.rules)
        for key in FOLLOWS:
            if record.get(key) not in (None, [], happened[key]):
                raise ImpossibleError(_contradiction(key, record[key], happened[key]))
        return facts

    def _card(self, place: str, text: str) -> int:
        card = self.card_of.get(text)
        return questions.at(place, self.rules.deck.card, text) if card is None else card

    def _script(self, deal: _Deal) -> np.ndarray:
        """Return the SETUP that plays the deal. Checked here is what the kernel takes for granted."""
        rules = self.rules
        script = empty_setup()
        setup = script[0]
        hands = self._hands(deal)
        cards = hands[0].bit_count()
        if not 0 <= deal.dealer < rules.players:
            raise ImpossibleError(f"dealer: found {shown(deal.dealer)}, expected a seat from 0 to {rules.players - 1}")
        setup["stop"] = 1
        setup["cards"] = cards
        setup["dealer"] = deal.dealer
        setup["held"][:rules.players] = hands
        setup["turnup"] = self._turnup(deal, hands)
        if rules.auction != "none":
            calls = [questions.call(rules, "auction", text) for _, text in deal.calls]
            if len(calls) > MAX_CALLS:
                raise ImpossibleError(f"auction: found {len(calls)} calls, expected at most {MAX_CALLS}")
            setup["n_calls"] = len(calls)
            setup["calls"][:len(calls)] = calls
        if rules.auction == "levels":
            self._script_gulashes(deal, setup)
        if rules.has_bids:
            self._script_bids(deal, setup, cards)
        else:
            self._script_contract(deal, setup)
        play = deal.play or []
        if play and len(play) != rules.players * cards:
            raise ImpossibleError(f"play: found {len(play)} cards, expected {rules.players * cards}")
        setup["n_play"] = len(play)
        setup["play"][:len(play)] = [self._card("play", text) for text in play]
        return script

    def _hands(self, deal: _Deal) -> list[int]:
        rules = self.rules
        if len(deal.hands) != rules.players:
            raise ImpossibleError(f"hands: found {len(deal.hands)}, expected {rules.players}, one per seat")
        hands: list[int] = [questions.at(f"hands: seat {seat}", rules.deck.hand, text) for seat, text in enumerate(deal.hands)]
        sizes = [hand.bit_count() for hand in hands]
        least = 1 if rules.auction == "none" else rules.max_cards
        if len(set(sizes)) > 1 or not least <= sizes[0] <= rules.max_cards:
            expected = f"{least}" if least == rules.max_cards else f"one number from {least} to {rules.max_cards}"
            raise ImpossibleError(f"hands: found {', '.join(map(str, sizes))} cards, expected {expected} in every hand")
        for seat, hand in enumerate(hands):
            twice = hand & sum(hands[:seat])
            if twice:
                raise ImpossibleError(f"hands: seat {seat}: {rules.deck.glyphs(twice, ascii=True)} dealt twice; expected every card once")
        return hands

    def _turnup(self, deal: _Deal, hands: list[int]) -> int:
        """Return the card that shows trump, NONE where none does."""
        rules = self.rules
        turnup = NONE if deal.turnup is None else self._card("turnup", deal.turnup)
        cut = SUIT_LETTERS.index(deal.trump) if deal.trump in tuple(SUIT_LETTERS) else NONE
        [card] = {questions.shown_card(rules, hand, turnup, cut) for hand in hands}
        if questions.trump_shown_by(rules, hands[0].bit_count()) == "dealer_last":
            questions.check_last_card(rules, hands[deal.dealer], card, True)
        return card

    def _script_gulashes(self, deal: _Deal, setup: np.void) -> None:
        gulashes = deal.gulash or []
        if len(gulashes) > MAX_GULASHES:
            raise ImpossibleError(f"gulash: found {len(gulashes)}, expected at most {MAX_GULASHES}")
        setup["n_gulash"] = len(gulashes)
        for number, moves in enumerate(gulashes):
            place = f"gulash: exchange {number + 1}"
            if sorted(move.giver for move in moves) != list(range(self.rules.players)):
                raise ImpossibleError(f"{place}: found cards from seats {shown([move.giver for move in moves])}, expected every seat once")
            for move in moves:
                given = {self._card(place, text) for text in move.cards}
                receiver, cards = questions.receiver(self.rules, move.giver), self.rules.fields["gulash"]["cards"]
                if move.to != receiver:
                    raise ImpossibleError(f"{place}: seat {move.giver} gives to seat {shown(move.to)}, expected seat {receiver}")
                if len(move.cards) != cards or len(given) != cards:
                    raise ImpossibleError(f"{place}: seat {move.giver} gives {shown(move.cards)}, expected {cards} different cards")
                setup["gulash"][number, move.giver] = sum(1 << card for card in given)

    def _script_bids(self, deal: _Deal, setup: np.void, cards: int) -> None:
        bids = deal.bids or []
        if bids and len(bids) != self.rules.players:
            raise ImpossibleError(f"bids: found {len(bids)}, expected {self.rules.players}, one per seat")
        for seat, bid in enumerate(bids):
            if not 0 <= bid <= cards:
                raise ImpossibleError(f"bids: seat {seat}: found {shown(bid)}, expected 0 to {cards}")
        speakers = self._speakers(deal) if bids else []
        setup["n_bids"] = len(speakers)
        setup["bids"][:len(speakers)] = [bids[seat] for seat in speakers]

    def _speakers(self, deal: _Deal) -> list[int]:
        """Return the seats in the order of bidding: from the dealer's next; in Israeli Whist from the declarer, where he re-bids, or his next."""
        n, first = self.rules.players, deal.dealer + 1
        if self.rules.auction == "levels":
            declarer = next((seat for seat, text in reversed(deal.calls) if questions.call(self.rules, "auction", text) != PASS), deal.dealer)
            if self.rules.fields["contract"]["declarer_rebids"] == "none":
                return [(declarer + k) % n for k in range(1, n)]
            first = declarer
        return [(first + k) % n for k in range(n)]

    def _script_contract(self, deal: _Deal, setup: np.void) -> None:
        pool = deal.pool_before or 0
        if not 0 <= pool <= MOST_CHIPS:
            raise ImpossibleError(f"pool_before: found {shown(pool)}, expected chips from 0 to {MOST_CHIPS:,}")
        setup["pool"] = pool
        if deal.trump is not None:
            setup["trump"] = questions.at("trump", denomination, deal.trump)
        if deal.exchange is not None:
            setup["asked"] = self._card("exchange.asked", deal.exchange.asked)
            setup["given"] = self._card("exchange.given", deal.exchange.given)

    def _fault(self, deal: _Deal, decision: Decision, number: int) -> str:
        """Return what the rules do not allow."""
        place, exchange = KEYS[decision], deal.exchange
        if decision == Decision.CALL:
            seat, text = deal.calls[number]
            return f"{place}: call {number + 1}: seat {seat} says {text}, expected a call that is open to it"
        if decision == Decision.GULASH:
            return f"{place}: exchange {number + 1}: a seat gives a card that it does not hold"
        if decision == Decision.BID:
            seat = self._speakers(deal)[number]
            return f"{place}: seat {seat}: found {deal.bids and deal.bids[seat]}, expected a bid that the hook and the contract allow"
        if decision == Decision.CARD:
            trick, turn = divmod(number, self.rules.players)
            card = deal.play and deal.play[number]
            return f"{place}: trick {trick + 1}, card {turn + 1}: found {card}, expected a card that the seat to play holds and may play"
        if decision == Decision.TRUMP:
            return f"{place}: found {deal.trump}, expected D in a diamonds contract, else C, H or S; any suit where all passed"
        if decision == Decision.ASK:
            return f"{place}: found {exchange and exchange.asked}, expected a card that the soloist does not hold"
        return f"{place}: found {exchange and exchange.given}, expected a card of the soloist"


def _contradiction(key: str, found: Any, expected: Any) -> str:
    """Return where a record states what does not follow from its cards and calls."""
    if isinstance(found, list) and isinstance(expected, list):
        number = next((number for number, (one, other) in enumerate(zip(found, expected, strict=False)) if one != other), min(len(found), len(expected)))
        key, found, expected = f"{key}.{number}", found[number:number + 1], expected[number:number + 1]
    return f"{key}: found {shown(found)}, expected {'null' if expected is None else shown(expected)}, which follows from calls and cards"
