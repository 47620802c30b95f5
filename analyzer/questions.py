"""Questions from other programs: the keys of a situation (contracts.md 5) from text to numbers, and one line for each that says what no table can have."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from analyzer import cards
from analyzer.cards import Deck
from analyzer.errors import ImpossibleError, one_of, shown
from analyzer.rules import Rules
from kernels.layout import MAX_GULASHES, MOST_CHIPS, NONE, PASS, SUIT_BITS, SUITS, Decision, Denomination

GULASH_STEP = {"right": -1, "left": 1, "across": 2}     # seats from giver to receiver
Call = tuple[int, int]       # who is said to have spoken, and the call

_call, _card = lru_cache(1024)(cards.call), lru_cache(1024)(Deck.card)      # the same few words thousands of times


# ---------------------------------------------------------------- keys

def read(line: bytes) -> dict[str, Any]:
    """Return the question on a line of JSON Lines.

    Raises
    ------
    ImpossibleError
        The line holds no JSON object.
    """
    try:
        question = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:      # no JSON, no UTF-8, a number of thousands of digits, deep nesting
        raise ImpossibleError(f"no JSON ({error}); expected one situation a line") from None
    if not isinstance(question, dict):
        raise ImpossibleError(f"found {shown(question)}, expected an object with the keys of a situation")
    return question


def at(place: str, parse: Callable[..., int], *given: Any) -> int:
    """Return what the text given means, or say where it stands."""
    try:
        return parse(*given)
    except ImpossibleError as error:
        raise ImpossibleError(f"{place}: {error}") from None


def text(key: str, value: object) -> str:
    """Return a value that has to be text."""
    if not isinstance(value, str):
        raise ImpossibleError(f"{key}: found {shown(value)}, expected text")
    return value


def number(question: Mapping[str, Any], key: str) -> int:
    """Return a whole number, 0 where it is left out."""
    value = question.get(key)
    if value is None:
        return 0
    if type(value) is not int:
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a whole number")
    return value


def seat(question: Mapping[str, Any], key: str, players: int) -> int:
    """Return a seat."""
    value = question.get(key)
    if type(value) is not int or not 0 <= value < players:
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a seat from 0 to {players - 1}")
    return value


def entries(question: Mapping[str, Any], key: str) -> list[Any]:
    """Return a list, empty where it is left out."""
    value = question.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ImpossibleError(f"{key}: found {shown(value)}, expected a list")
    return value


def call(rules: Rules, place: str, text: str) -> int:
    """Return a call of the game's auction."""
    if rules.auction == "none":
        raise ImpossibleError(f"{place}: found {shown(text)}, but {rules.game} has no auction; leave it out")
    return at(place, _call, text, rules.auction)


def card(deck: Deck, place: str, value: object) -> int:
    """Return a card."""
    return at(place, _card, deck, text(place, value))


def own_hand(question: Mapping[str, Any], rules: Rules, asked: int) -> int:
    """Return the hand of the seat asked, the only one that it may know."""
    hands = question["hands"]
    for other, held in enumerate(hands):
        if (other == asked) != isinstance(held, str) or (other != asked and held is not None):
            raise ImpossibleError(f"hands: seat {other}: found {shown(held)}, expected {'the hand of the seat asked' if other == asked else 'null'}")
    return at(f"hands: seat {asked}", rules.deck.hand, hands[asked])


def turnup(question: Mapping[str, Any], rules: Rules) -> tuple[int, int]:
    """Return the card that shows trump, and the trump that a cut decided where the card is not known; NONE where there is none."""
    if question.get("turnup") is not None:
        return card(rules.deck, "turnup", question["turnup"]), NONE
    if question.get("trump") is not None and rules.auction == "none":
        return NONE, at("trump", cards.denomination, text("trump", question["trump"]))
    return NONE, NONE


def auction(question: Mapping[str, Any], rules: Rules) -> list[Call]:
    """Return the calls over all rounds, with those who are said to have spoken."""
    rounds = entries(question, "auction")
    if rounds and all(isinstance(calls, list) and all(isinstance(entry, list) for entry in calls) for calls in rounds):
        rounds = [entry for calls in rounds for entry in calls]
    spoken = []
    for count, entry in enumerate(rounds, 1):
        if not isinstance(entry, list) or len(entry) != 2:
            raise ImpossibleError(f"auction: call {count}: found {shown(entry)}, expected a seat and its call, such as [3, \"pass\"]")
        if type(entry[0]) is not int or not 0 <= entry[0] < rules.players:
            raise ImpossibleError(f"auction: call {count}: found seat {shown(entry[0])}, expected a seat from 0 to {rules.players - 1}")
        spoken.append((entry[0], call(rules, f"auction: call {count}", text("auction", entry[1]))))
    return spoken


def bids(question: Mapping[str, Any], rules: Rules) -> list[int | None]:
    """Return the bids by seat, None where unspoken; empty where there are none."""
    spoken = entries(question, "bids")
    if len(spoken) not in (0, rules.players) or any(bid is not None and type(bid) is not int for bid in spoken):
        raise ImpossibleError(f"bids: found {shown(spoken)}, expected {rules.players} bids, one per seat, null where unspoken")
    for bidder, bid in enumerate(spoken):
        if bid is not None and not 0 <= bid <= rules.max_cards:
            raise ImpossibleError(f"bids: seat {bidder}: found {shown(bid)}, expected 0 to {rules.max_cards}")
    return spoken


def gulashes(question: Mapping[str, Any], rules: Rules, seat: int) -> list[list[int]]:
    """Return the cards handed over by exchange and giver, 0 where the seat does not see them."""
    exchanges, n = entries(question, "gulash"), rules.players
    if exchanges and (rules.auction != "levels" or rules.fields["auction"]["all_pass"] != "gulash"):
        raise ImpossibleError(f"gulash: found {len(exchanges)}, but there is none under these rules; leave it out")
    if len(exchanges) > MAX_GULASHES:
        raise ImpossibleError(f"gulash: found {len(exchanges)} exchanges, expected at most {MAX_GULASHES}")
    gulashes = []
    for number, moves in enumerate(exchanges, 1):
        place, by_giver = f"gulash: exchange {number}", [0] * n
        if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
            raise ImpossibleError(f'{place}: found {shown(moves)}, expected moves such as {{"from": 0, "to": 3, "cards": null}}')
        givers = [move.get("from") for move in moves]
        if len(givers) != n or any(giver not in givers for giver in range(n)):
            raise ImpossibleError(f"{place}: found cards from seats {shown(givers)}, expected every seat once")
        for move in moves:
            giver, taker = int(move["from"]), receiver(rules, int(move["from"]))
            if move.get("to") != taker:
                raise ImpossibleError(f"{place}: seat {giver} gives to seat {shown(move.get('to'))}, expected seat {taker}")
            if seat in (giver, taker):
                by_giver[giver] = _handed_over(f"{place}: seat {giver}", move.get("cards"), rules)
            elif move.get("cards") is not None:
                raise ImpossibleError(f"{place}: seat {giver} gives {shown(move['cards'])}, expected null: seat {seat} does not see it")
        gulashes.append(by_giver)
    return gulashes


def _handed_over(place: str, found: object, rules: Rules) -> int:
    """Return the cards that a seat gives in a gulash, as a mask."""
    size = rules.fields["gulash"]["cards"]
    if isinstance(found, list):
        given = {card(rules.deck, place, text) for text in found}
        if len(found) == len(given) == size:
            return sum(1 << card for card in given)
    raise ImpossibleError(f"{place} gives {shown(found)}, expected {size} different cards")


def receiver(rules: Rules, giver: int) -> int:
    """Return who gets the cards that a seat hands over in a gulash."""
    return (giver + GULASH_STEP[rules.fields["gulash"]["direction"]]) % rules.players


def giver(rules: Rules, receiver: int) -> int:
    """Return who hands cards to a seat in a gulash."""
    return (receiver - GULASH_STEP[rules.fields["gulash"]["direction"]]) % rules.players


def seen(question: Mapping[str, Any], rules: Rules) -> list[tuple[int, int]]:
    """Return other cards that the seat has seen, and who holds them, NONE where nobody does."""
    found = []
    for number, entry in enumerate(entries(question, "seen"), 1):
        if not isinstance(entry, list) or len(entry) != 2:
            raise ImpossibleError(f'seen: entry {number}: found {shown(entry)}, expected a card and its holder, such as ["C7", null]')
        holder = NONE if entry[1] is None else seat({"holder": entry[1]}, "holder", rules.players)
        found.append((card(rules.deck, f"seen: entry {number}", entry[0]), holder))
    return found


# ---------------------------------------------------------------- what no table can have

def check_hand(rules: Rules, hand: int, dealer: int) -> None:
    """Refuse a hand of a wrong size, and a dealer who does not sit at the table."""
    size = hand.bit_count()
    least = 1 if rules.auction == "none" else rules.max_cards
    if not least <= size <= rules.max_cards:
        expected = f"{least}" if least == rules.max_cards else f"{least} to {rules.max_cards}"
        raise ImpossibleError(f"hand: found {size} cards, expected {expected} in {rules.game} for {rules.players} players")
    if not 0 <= dealer < rules.players:
        raise ImpossibleError(f"dealer: found {shown(dealer)}, expected a seat from 0 to {rules.players - 1}")


def check_pool(rules: Rules, pool: int) -> None:
    """Refuse chips where there is no pool, and more than the kernels count."""
    if pool and rules.has_bids:
        raise ImpossibleError(f"pool: found {shown(pool)}, but {rules.game} has no pool; leave it out")
    if not 0 <= pool <= MOST_CHIPS:
        raise ImpossibleError(f"pool: found {shown(pool)}, expected 0 to {MOST_CHIPS:,} chips")


def trump_shown_by(rules: Rules, size: int) -> str:
    """Return what shows trump with hands of so many cards: turnup, dealer_last, cut or none."""
    trump = rules.fields["trump"]
    if trump["source"] != "turnup":
        return "none"
    is_exhausted = size * rules.players == rules.deck.mask.bit_count()
    return str(trump["when_exhausted"]) if is_exhausted else "turnup"


def shown_card(rules: Rules, hand: int, turnup: int, cut: int) -> int:
    """Return the card that shows trump, NONE where none does; rules.md OH-A11."""
    deck, shown_by = rules.deck, trump_shown_by(rules, hand.bit_count())
    if shown_by == "none":
        if turnup != NONE:
            all_dealt = rules.auction == "none" and rules.fields["trump"]["source"] == "turnup"
            reason = "all cards are dealt and none is left to turn up" if all_dealt else f"no card shows trump in {rules.game} under these rules"
            raise ImpossibleError(f"turn-up: found {deck.card_text(turnup)}, but {reason}; leave it out")
        return NONE
    if turnup == NONE and shown_by == "cut" and 0 <= cut < Denomination.NT:
        return cut * SUIT_BITS          # the suit is all that a cut shows
    if turnup == NONE:
        what = {"turnup": "the card that shows trump", "dealer_last": "the dealer's last card, which shows trump", "cut": "the card cut for trump"}
        raise ImpossibleError(f"turn-up: missing, expected {what[shown_by]}, such as 7H")
    if shown_by == "turnup" and hand >> turnup & 1:
        raise ImpossibleError(f"turn-up: {deck.card_text(turnup)} is in the hand too; name every card once")
    return turnup


def check_last_card(rules: Rules, hand: int, turnup: int, is_dealer: bool) -> None:
    """Refuse a last card of the dealer that does not lie with him."""
    if bool(hand >> turnup & 1) != is_dealer:
        expected = "a card of the hand: it is the dealer's" if is_dealer else "a card of the dealer, which is not in the hand"
        raise ImpossibleError(f"turn-up: found {rules.deck.card_text(turnup)}, expected {expected}")


def check_callers(spoken: Sequence[Call], callers: Iterable[int]) -> None:
    """Refuse calls of others than those whose turn it was."""
    for count, ((found, _), caller) in enumerate(zip(spoken, callers, strict=False), 1):
        if found != caller:
            raise ImpossibleError(f"auction: call {count}: found seat {shown(found)}, expected seat {caller}, whose turn it is")


# ---------------------------------------------------------------- the table at a call or a bid

def answers(table: np.record) -> tuple[int, ...]:
    """Return the legal answers of the seat that is asked for a call or a bid, the lowest first."""
    if table.decision == Decision.BID:
        return tuple(bid for bid in range(int(table.cards) + 1) if int(table.legal_bids) >> bid & 1)
    return (*([PASS] if table.may_pass else []), *range(int(table.lowest_call), int(table.highest_call) + 1))


def named_suits(contract: int) -> tuple[int, ...]:
    """Return the suits that the soloist of a contract may make trump (SS-A7)."""
    is_diamonds = contract % 2 == 0
    return tuple(suit for suit in range(SUITS) if (suit == Denomination.D) == is_diamonds)


def speaker(table: np.record) -> str:
    """Return the seat at the table as a player calls it."""
    role = "declarer" if table.declarer == table.seat else "dealer" if table.declarer == NONE and table.dealer == table.seat else ""
    return f"{role} (seat {table.seat})" if role else f"seat {table.seat}"


def call_fault(rules: Rules, table: np.record, spoken: int) -> str:
    """Return why the seat at the table may not say this, and what it may."""
    def name(call: int) -> str:
        return cards.call_text(int(call), rules.auction)

    after = "" if table.high == PASS else f" after {name(table.high)}"
    legal = ["pass"] if table.may_pass else []
    if table.lowest_call <= table.highest_call:
        legal.append(f"a call from {name(table.lowest_call)} to {name(table.highest_call)}")
    return f"{speaker(table)} may not say {name(spoken)}{after}; expected {one_of(legal)}"


def bid_fault(table: np.record, bid: int) -> str:
    """Return why the seat at the table may not bid this, and what it may."""
    n_tricks = int(table.cards)
    reason = ""
    if 0 <= bid <= n_tricks and table.bid_sum + bid == n_tricks:
        reason = f": with {table.bid_sum} bid so far the sum would be {n_tricks}, the number of tricks"
    elif table.bid_sum:
        reason = f" with {table.bid_sum} bid so far"
    return f"{speaker(table)} may not bid {bid}{reason}; expected {_ranges(answers(table))}"


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as a player says them: "0 to 3 or 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return one_of(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
