"""A policy as a player for other programs: situations in, actions out (contracts.md 5).

Hidden cards are put somewhere (`hidden`), the kernels are told every decision so far, let the policy decide and play on. As a policy sees only its own hand and
what everybody knows, any deal that agrees gives the same answer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import takewhile
from typing import Any

import numpy as np

from analyzer import cards, hidden, questions
from analyzer import policies as policy_files
from analyzer import rules as rule_books
from analyzer.errors import ImpossibleError, TricklabError, shown
from analyzer.records import KEYS, rules_of
from analyzer.rulebook import BASE
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import MAX_CALLS, NONE, PASS, SUIT_BITS, Contract, Decision, Denomination

TABLES_KEPT = 32        # made ready for the kernels, some megabytes each


class Player:
    """Answers situations of one game by a policy.

    Parameters
    ----------
    policy : name or TOML file; the strongest shipped if None
    seed : what a policy draws follows from it and the situation: the same situation gets the same answer
    variant, settings : rules of situations that name none, as in `rules.load`

    Raises
    ------
    UsageError, RulesError
        There is no such game, policy, variant or field, or it cannot be played.
    """

    def __init__(self, game: str, policy: str | None = None, seed: int = 1, variant: str = BASE, settings: Sequence[str] = ()) -> None:
        self.game, self.variant, self.settings, self.seed = game, variant, tuple(settings), seed
        self.policy = policy or policy_files.default(game)
        _table(self.policy, game, variant, self.settings, None, None)

    def reply(self, line: bytes) -> dict[str, Any]:
        """Return the answer to a line of JSON: `action`, or `error` where there is none."""
        try:
            return self.answer(questions.read(line))
        except TricklabError as error:
            return {"error": str(error)}

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a situation: `action`, or `error` where there is none."""
        try:
            return {"action": self.action(question)}
        except TricklabError as error:
            return {"error": str(error)}

    def action(self, question: Mapping[str, Any], pack: Sequence[int] | None = None) -> Any:
        """Return what the seat asked does, as JSON holds it.

        Parameters
        ----------
        pack : all cards in the order in which hidden ones are laid down; the answer does not depend on it

        Raises
        ------
        TricklabError
            The situation cannot be: a key is missing or of the wrong kind, breaks the rules, contradicts the others or tells what the seat does not see.
        """
        if question.get("game") != self.game:
            raise ImpossibleError(f"game: found {shown(question.get('game'))}, expected {self.game}")
        table = self._table_of(question)
        asked = read(table.rules, question)
        setup = asked.script(hidden.some_deal(asked.known, pack or table.pack))
        decision = asked.check(question, *table.engine.stop(setup))
        setup["seed"] = self._seed_of(question)
        return asked.action(decision, table.engine.play(0, 1, setup)[0][0, 0])

    def _table_of(self, question: Mapping[str, Any]) -> "_Table":
        hands, own_rules = question.get("hands"), question.get("rules")
        if not isinstance(hands, list):
            raise ImpossibleError(f"hands: found {shown(hands)}, expected a list with one hand per seat")
        own = None if own_rules is None else json.dumps(own_rules)
        return _table(self.policy, self.game, self.variant, self.settings, own, len(hands))

    def _seed_of(self, question: Mapping[str, Any]) -> int:
        text = f"{self.seed} {json.dumps(question, sort_keys=True)}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class _Table:
    """Rules made ready for the kernels, with the policy in every seat."""

    rules: Rules
    engine: Engine
    pack: list[int]


@lru_cache(TABLES_KEPT)
def _table(policy: str, game: str, variant: str, settings: tuple[str, ...], own_rules: str | None, players: int | None) -> _Table:
    """Return a table under the rules of the variant, or of a situation that brings its own, as JSON."""
    if own_rules is None or players is None:
        rules = rule_books.load(game, variant, settings, players)
    else:
        rules = rules_of({"game": game, "rules": json.loads(own_rules), "hands": [None] * players})
    return _Table(rules, Engine(Run(rules, [policy])), rules.deck.cards(rules.deck.mask))


# ---------------------------------------------------------------- questions

def read(rules: Rules, question: Mapping[str, Any]) -> "Asked":
    """Return what a situation says. Checked here is what the kernels take for granted, and what the seat may not see."""
    n = rules.players
    seat, dealer = questions.seat(question, "seat", n), questions.seat(question, "dealer", n)
    hand = questions.own_hand(question, rules, seat)
    questions.check_hand(rules, hand, dealer)
    pool = questions.number(question, "pool_before")
    questions.check_pool(rules, pool)
    known = hidden.Known(rules, seat, hand, gulashes=questions.gulashes(question, rules, seat), leader=(dealer + 1) % n)
    turnup = _read_turnup(question, known, dealer)
    spoken = questions.auction(question, rules)
    if len(spoken) > MAX_CALLS:
        raise ImpossibleError(f"auction: found {len(spoken)} calls, expected at most {MAX_CALLS}")
    declarer, contract = next(((caller, call) for caller, call in reversed(spoken) if call != PASS), (NONE, NONE))
    is_closed = rules.auction == "levels" and not spoken and question.get("contract") is not None
    if is_closed:
        declarer, contract = _closed_auction(question, rules)
    if rules.auction == "levels":
        known.leader, known.trump = declarer, NONE if contract == NONE else (contract - 1) % len(Denomination)
    elif rules.auction == "contracts":
        known.soloist, known.trump = declarer, NONE
        if question.get("trump") is not None:
            known.trump = questions.at("trump", cards.denomination, questions.text("trump", question["trump"]))
    if question.get("exchange") is not None:
        _read_exchange(question["exchange"], known, contract)
    _read_play(question, known)
    bids = _bids(question, rules, known, dealer, declarer, contract)
    return Asked(known, dealer, turnup, spoken, contract if is_closed else NONE, declarer, bids, pool)


def _read_turnup(question: Mapping[str, Any], known: hidden.Known, dealer: int) -> int:
    """Note trump where a card shows it, and return that card."""
    rules, hand = known.rules, known.hand
    turnup = questions.shown_card(rules, hand, *questions.turnup(question, rules))
    known.trump = turnup // SUIT_BITS if turnup != NONE else Denomination.NT
    shown_by = questions.trump_shown_by(rules, hand.bit_count())
    if shown_by == "turnup":
        known.upcard = turnup
    elif shown_by == "dealer_last":
        questions.check_last_card(rules, hand, turnup, known.seat == dealer)
        known.dealer, known.last_card = dealer, turnup
    return turnup


def _read_play(question: Mapping[str, Any], known: hidden.Known) -> None:
    """Note the cards played."""
    play, n_cards = questions.entries(question, "play"), known.rules.players * known.hand.bit_count()
    if len(play) >= n_cards:
        raise ImpossibleError(f"play: found {len(play)} cards, expected fewer than {n_cards}: the deal is over")
    if play and known.trump == NONE:
        raise ImpossibleError(f"play: found {len(play)} cards, but nothing says what is trump; give auction and trump")
    known.play = [questions.card(known.rules.deck, f"play: card {number}", found) for number, found in enumerate(play, 1)]


def _closed_auction(question: Mapping[str, Any], rules: Rules) -> tuple[int, int]:
    """Return declarer and contract where the calls are not known."""
    contract = questions.call(rules, "contract", questions.text("contract", question["contract"]))
    lowest = cards.call(f"{rules.fields['auction']['min_bid']}C", rules.auction)
    if contract < lowest:
        raise ImpossibleError(f"contract: found {shown(question['contract'])}, expected one from {cards.call_text(lowest, rules.auction)} on")
    return questions.seat(question, "declarer", rules.players), contract


def _read_exchange(exchange: object, known: hidden.Known, contract: int) -> None:
    """Note the card that a soloist has asked for, its holder, and the card given back."""
    if not isinstance(exchange, dict):
        raise ImpossibleError(f'exchange: found {shown(exchange)}, expected {{"asked": "HA", "from": 2, "given": null}}')
    if known.rules.has_bids or contract not in (Contract.BOLA, Contract.BOLA_DIAMONDS):
        raise ImpossibleError(f"exchange: found {shown(exchange)}, but only the soloist of a bola asks for a card; leave it out")
    deck = known.rules.deck
    known.asked = questions.card(deck, "exchange: asked", exchange.get("asked"))
    known.holder = questions.seat(exchange, "from", known.rules.players)
    if known.holder == known.soloist:
        raise ImpossibleError(f"exchange: from: found {known.holder}, the soloist, expected another seat")
    if exchange.get("given") is None:
        return
    if known.is_third:
        raise ImpossibleError(f"exchange: given: found {shown(exchange['given'])}, expected null: seat {known.seat} does not see it")
    known.given = questions.card(deck, "exchange: given", exchange["given"])


def _bids(question: Mapping[str, Any], rules: Rules, known: hidden.Known, dealer: int, declarer: int, contract: int) -> list[int]:
    """Return the bids so far in the order of speaking, NONE for one that the seat does not see."""
    bids, n = questions.bids(question, rules), rules.players
    told = {seat: bid for seat, bid in enumerate(bids) if bid is not None}
    if told and not rules.has_bids:
        raise ImpossibleError(f"bids: found {shown(bids)}, but {rules.game} has no bids of tricks; leave them out")
    for seat, bid in told.items():
        if not 0 <= bid <= known.hand.bit_count():
            raise ImpossibleError(f"bids: seat {seat}: found {shown(bid)}, expected 0 to {known.hand.bit_count()}")
    order = [(dealer + 1 + k) % n for k in range(n)]
    if told and rules.auction == "levels":
        if declarer == NONE:
            raise ImpossibleError(f"bids: found {shown(bids)}, but the auction is open")
        order = [(declarer + k) % n for k in range(n)]
        if rules.fields["contract"]["declarer_rebids"] == "none":
            level = (contract - 1) // len(Denomination) + 1
            if told.get(order[0], level) != level:
                raise ImpossibleError(f"bids: seat {declarer}: found {told[declarer]}, expected {level}, the declarer's contract")
            told.pop(order.pop(0), None)
    mode = _bidding_mode(rules)
    if mode == "secret":
        for seat in told:
            if seat != known.seat:
                raise ImpossibleError(f"bids: seat {seat}: found {told[seat]}, expected null: the bid is secret")
        return [told.get(seat, NONE) for seat in order] if told else []
    spoken = list(takewhile(told.__contains__, order))
    if mode == "simultaneous" and len(spoken) not in (0, n):
        raise ImpossibleError(f"bids: found {shown(bids)}, expected all or none: they are shown at once")
    if len(spoken) < len(told):
        early = next(seat for seat in order if seat in told and seat not in spoken)
        raise ImpossibleError(f"bids: found one of seat {early}, whose turn has not come")
    return [told[seat] for seat in spoken]


def _bidding_mode(rules: Rules) -> str:
    return str(rules.fields["bidding"]["mode"]) if rules.auction == "none" else "sequential"


@dataclass
class Asked:
    """One situation in numbers."""

    known: hidden.Known
    dealer: int
    turnup: int                     # whatever shows trump
    spoken: list[questions.Call]
    contract: int                   # where the calls are not known
    declarer: int                   # or soloist
    bids: list[int]                 # in the order of speaking, NONE where the seat does not see them
    pool: int

    def script(self, deal: hidden.Deal) -> np.ndarray:
        """Return the SETUP that plays the deal up to the question."""
        known, script = self.known, empty_setup()
        setup, rules = script[0], known.rules
        setup["dealer"], setup["turnup"], setup["pool"] = self.dealer, self.turnup, self.pool
        setup["cards"] = known.hand.bit_count()
        setup["held"][:rules.players] = deal.hands
        setup["n_gulash"] = len(deal.gulashes)
        for number, moves in enumerate(deal.gulashes):
            setup["gulash"][number, :rules.players] = moves
        if self.contract != NONE:
            setup["contract"], setup["declarer"] = self.contract, self.declarer
        if not rules.has_bids:
            setup["trump"], setup["asked"], setup["given"] = known.trump, known.asked, deal.given
        for name, made in (("calls", [call for _, call in self.spoken]), ("bids", self.bids), ("play", known.play)):
            setup[f"n_{name}"] = len(made)
            setup[name][:len(made)] = made
        return script

    def check(self, question: Mapping[str, Any], table: np.record, facts: np.record) -> Decision:
        """Return what the seat has to decide. Refuses decisions that break the rules or come too early, and what does not follow from them."""
        n_calls, n_gulash = int(facts.n_calls), int(facts.n_gulash)
        questions.check_callers(self.spoken, facts.call_seats[:n_calls].tolist())
        if facts.fault:
            raise ImpossibleError(self._fault(question, table, facts))
        decision = Decision(facts.pending)
        if len(self.spoken) > n_calls:
            ended = "a gulash follows" if decision == Decision.GULASH else "the auction is closed"
            raise ImpossibleError(f"auction: found {len(self.spoken)} calls, but {ended} after {n_calls}")
        if len(self.known.gulashes) > n_gulash:
            raise ImpossibleError(f"gulash: found {len(self.known.gulashes)} exchanges, but the calls lead to {n_gulash}")
        if decision == Decision.NONE:
            raise ImpossibleError("auction: all passed and the deal is thrown in; nothing is left to decide")
        known, name = self.known, decision.name.lower()
        is_early = {
            "bids": self.bids and decision in (Decision.CALL, Decision.GULASH),
            "exchange": (known.asked != NONE and table.asked == NONE) or (known.given != NONE and facts.given == NONE),
            "play": known.play and decision != Decision.CARD,
        }
        for key in is_early:
            if is_early[key]:
                raise ImpossibleError(f"{key}: found {shown(question[key])}, but first seat {table.seat} has to decide: {name}")
        for key, expected in self._follows(name, table, facts).items():
            if question.get(key) not in (None, expected):
                expected = "null" if expected is None else shown(expected)
                raise ImpossibleError(f"{key}: found {shown(question[key])}, expected {expected}, which follows from the rest")
        is_for_all = decision == Decision.GULASH or (decision == Decision.BID and _bidding_mode(known.rules) != "sequential")
        if known.seat != table.seat and not is_for_all:
            raise ImpossibleError(f"seat: found {known.seat}, but seat {table.seat} has to decide: {name}")
        return decision

    def _fault(self, question: Mapping[str, Any], table: np.record, facts: np.record) -> str:
        number = int(facts.fault_at)
        if facts.fault == Decision.CALL:
            return f"auction: call {number + 1}: {questions.call_fault(self.known.rules, table, self.spoken[number][1])}"
        if facts.fault == Decision.BID:
            return f"bids: {questions.bid_fault(table, self.bids[number])}"
        key = KEYS[Decision(facts.fault)]
        return f"{key}: found {shown(question.get(key.split('.')[0]))}, which the rules do not allow here"

    def _follows(self, decision: str, table: np.record, facts: np.record) -> dict[str, Any]:
        """Return the keys that follow from the others."""
        rules = self.known.rules
        declarer = None if table.declarer == NONE else int(table.declarer)
        return {
            "decision": decision,
            "trump": None if table.trump == NONE else cards.denomination_text(int(table.trump)),
            "declarer": declarer if rules.has_bids else None,
            "soloist": None if rules.has_bids else declarer,
            "contract": None if table.contract == NONE else cards.call_text(int(table.contract), rules.auction),
            "leader": None if facts.leader == NONE else int(facts.leader),
        }

    def action(self, decision: Decision, facts: np.record) -> Any:
        """Return what the seat decided in the deal played on, as JSON holds it."""
        card_text = self.known.rules.deck.card_text
        if decision == Decision.CALL:
            return cards.call_text(int(facts.calls[len(self.spoken)]), self.known.rules.auction)
        if decision == Decision.GULASH:
            given = int(facts.gulash[len(self.known.gulashes), self.known.seat])
            return [card_text(card) for card in self.known.rules.deck.cards(given)]
        if decision == Decision.BID:
            return int(facts.bids[self.known.seat])
        if decision == Decision.TRUMP:
            return {"trump": cards.denomination_text(int(facts.trump))}
        if decision == Decision.ASK:
            return {"asked": card_text(int(facts.asked))}
        if decision == Decision.GIVE:
            return {"given": card_text(int(facts.given))}
        return card_text(int(facts.play[len(self.known.play)]))
