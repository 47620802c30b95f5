"""Policies as players for other programs: deals are cut at a decision, and the seat that has to decide answers as it did in the deal."""

import json
import subprocess
import sys
from copy import copy, deepcopy
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from analyzer import hidden, questions, seat
from analyzer.cli import run
from analyzer.errors import UsageError
from analyzer.rules import load
from analyzer.seat import Player
from analyzer.simulation import Engine, Run
from tests import twins
from tests.kernels.tools import deals, exported, setup_of

GULASH = ["auction.all_pass=gulash"]
VARIANTS = {
    "israeli-whist": "base pagat wikipedia no-reentry forced-last three-passes declarer-rebids hook13 from-four dealer-first go-trumpcards gentle-zero",
    "jabberwocky": "base trumps-free",
    "oh-hell": "base common cut-trump dealers-last-card no-trump free-discard must-exceed coop-equal must-head secret simultaneous trumps-broken negative",
    "spanish-solo": "base free-passes manille parlett reduced-eldest",
}
# game, variant, players, settings, calls that are forced
TABLES = [(game, variant, None, (), "") for game, variants in VARIANTS.items() for variant in variants.split()] + [
    *(("oh-hell", variant, players, (), "") for variant in ("base", "must-head", "secret", "simultaneous", "trumps-broken") for players in (3, 5, 7)),
    *(("jabberwocky", "base", players, (), "") for players in (3, 5)),
    ("jabberwocky", "two-players", 2, (), ""),
    ("oh-hell", "base", 4, ("play.trump_lead=after_first_trick", "play.must_head=true"), ""),
    ("oh-hell", "base", 6, ("play.must_trump=false", "play.must_head=true"), ""),
    ("israeli-whist", "base", 4, ("play.must_trump=true", "play.must_head=true", "play.trump_lead=after_broken"), ""),
    ("israeli-whist", "gulash", 4, (), "pass " * 4),
    ("israeli-whist", "gulash", 4, (), "pass " * 8),
    ("israeli-whist", "wikipedia", 4, (), "pass " * 12),
    ("israeli-whist", "frisch", 4, (), "pass " * 12 + "8H"),
    ("israeli-whist", "base", 4, (*GULASH, "gulash.direction=across", "gulash.max=4"), "pass " * 16 + "5S"),
    ("israeli-whist", "base", 4, (*GULASH, "gulash.cards=1", "gulash.max=4"), "pass " * 16 + "5NT"),
    ("israeli-whist", "base", 4, (*GULASH, "gulash.cards=6", "gulash.max=4"), "pass " * 16 + "5C"),
    ("israeli-whist", "base", 4, (*GULASH, "gulash.cards=10", "gulash.max=4", "gulash.direction=left"), "pass " * 16 + "5C"),
    ("israeli-whist", "base", 4, (*GULASH, "gulash.cards=12", "gulash.max=4"), "pass " * 16 + "5C"),
    ("israeli-whist", "base", 4, (), "pass pass pass 5S pass pass pass 5NT"),
    *(("spanish-solo", variant, 3, (), calls) for variant in ("base", "trump-later", "manille", "parlett")
      for calls in ("bola", "pass bola-diamonds", "pass pass bola", "pass pass pass", "sin-pedir")),
]  # fmt: skip
SOME = [table for table in TABLES if table[2] is not None]


def name_of(table):
    game, variant, players, settings, calls = table
    return "-".join(str(part) for part in (game, variant, players or "", *settings, *calls.split()[-1:]) if part)


@cache
def player(game, policy="rules"):
    return Player(game, policy)


def book_of(table):
    game, variant, players, settings, _ = table
    return load(game, variant, settings, players)


@cache
def recorded(table, policy, n, first=0):
    """Return the records of deals whose first calls are forced, and how many those are."""
    book, calls = book_of(table), table[4].strip()
    setup = setup_of(book, calls=calls, dealer=-1) if calls else None
    return exported(deals(book, [policy], n, first=first, setup=setup), book, [policy]), len(calls.split())


def situations(record, n_forced=0):
    """Yield every decision of a deal as its seat sees it (contracts.md 5), what it decided, and the moment itself."""
    for now, decided in twins.moments(record):
        if now.decision != "call" or now.made["calls"] >= n_forced:
            moment = copy(now)
            moment.made = dict(now.made)
            yield situation(record, moment), action(now.decision, decided), moment


def action(decision, decided):
    return {"trump": {"trump": decided}, "ask": {"asked": decided}, "give": {"given": decided}}.get(decision, decided)


def situation(record, now):
    asked, made, n = now.seat, now.made, len(record["hands"])
    cut = {key: record[key] for key in ("game", "rules", "dealer", "turnup", "auction", "pool_before")}
    cut |= {"seat": asked, "decision": now.decision, "hands": [hand if k == asked else None for k, hand in enumerate(record["hands"])]}
    if record["auction"] is not None:
        calls = [call for part in (record["auction"] if record["gulash"] else [record["auction"]]) for call in part][:made["calls"]]
        ends = [0, *(4 * k for k in range(1, made["gulash"] + 1)), len(calls)]
        cut["auction"] = [calls[start:end] for start, end in pairwise(ends)] if made["gulash"] else calls
    cut["gulash"] = deepcopy((record["gulash"] or [])[:made["gulash"]]) or None
    for move in (move for moves in cut["gulash"] or [] for move in moves):
        if asked not in (move["from"], move["to"]):
            move["cards"] = None
    is_closed = now.decision not in ("call", "gulash")
    for key in ("declarer", "contract", "soloist"):
        cut[key] = record[key] if is_closed else None
    is_named = made["trump"] if record["game"] == "spanish-solo" else is_closed
    cut["trump"] = record["trump"] if is_named else None
    cut["exchange"] = deepcopy(record["exchange"]) if made["ask"] else None
    if cut["exchange"] and (not made["give"] or asked not in (record["soloist"], record["exchange"]["from"])):
        cut["exchange"]["given"] = None
    is_played = now.decision == "card"
    spoken = {seat: bid for seat, bid in enumerate(record["bids"]) if seat in now.spoken or (is_played and seat == asked)}
    cut["bids"] = [spoken.get(seat) for seat in range(n)] if record["game"] != "spanish-solo" else []
    cut["leader"], cut["play"] = (record["leader"], record["play"][:made["card"]]) if made["card"] else (None, [])
    return cut


def equal(answer, expected):
    return set(answer["action"]) == expected if isinstance(expected, set) else answer == {"action": expected}


def as_sent(question):
    return json.dumps(question).encode()


# ---------------------------------------------------------------- the answer is what the policy does

@pytest.mark.parametrize("table", TABLES, ids=name_of)
def test_a_deal_that_is_cut_goes_on_as_it_did(table):
    records, n_forced = recorded(table, "rules", 14)
    rng, asking = Random(1), player(table[0])
    tried = 0
    for record in records:
        found = list(situations(record, n_forced))
        for question, expected, _ in rng.sample(found, min(10, len(found))):
            answer = asking.reply(as_sent(question))
            assert "error" not in answer, (answer, question)
            assert equal(answer, expected), (answer, expected, question)
            tried += 1
    assert tried >= 50


@pytest.mark.parametrize("table", SOME, ids=name_of)
def test_deals_of_random_players_are_answered_as_with_the_true_cards(table):
    """Random players show voids, head and fail to head in every way; what `rules` would do follows from the kernels with all cards known."""
    book, asking = book_of(table), player(table[0])
    engine, rng = Engine(Run(book, ["rules"])), Random(2)
    for record in recorded(table, "random", 10, first=100)[0]:
        found = list(situations(record))
        for question, _, now in rng.sample(found, min(8, len(found))):
            [fact] = engine.play(0, 1, twins.script(record, book, now.made))[0][:, 0]
            answer = asking.answer(question)
            assert equal(answer, true_action(book, fact, now)), (answer, question)


def true_action(book, fact, now):
    card_text = book.deck.card_text
    if now.decision == "call":
        return twins.cards.call_text(fact["calls"][now.made["calls"]], book.auction)
    if now.decision == "gulash":
        return {card_text(card) for card in book.deck.cards(fact["gulash"][now.made["gulash"], now.seat])}
    if now.decision == "trump":
        return {"trump": twins.cards.denomination_text(fact["trump"])}
    if now.decision == "bid":
        return fact["bids"][now.seat]
    return action(now.decision, card_text({"ask": fact["asked"], "give": fact["given"], "card": fact["play"][now.made["card"] % 52]}[now.decision]))


def test_every_decision_of_every_game_is_tried():
    tables = [table for table in TABLES if table[1] in ("base", "gulash")]
    tried = {(record["game"], now.decision) for table in tables for record in recorded(table, "rules", 14)[0] for now, _ in twins.moments(record)}
    assert tried >= {
        ("oh-hell", "bid"), ("oh-hell", "card"), ("jabberwocky", "bid"), ("jabberwocky", "card"),
        *(("israeli-whist", kind) for kind in ("call", "gulash", "bid", "card")),
        *(("spanish-solo", kind) for kind in ("call", "trump", "ask", "give", "card")),
    }  # fmt: skip


# ---------------------------------------------------------------- hidden cards

@pytest.mark.parametrize("policy", ["rules", "random"])
@pytest.mark.parametrize("table", SOME, ids=name_of)
def test_every_deal_that_agrees_gives_the_same_answer(table, policy):
    book, asking, rng = book_of(table), player(table[0], policy), Random(3)
    pack = book.deck.cards(book.deck.mask)
    seen = set()
    for record in recorded(table, "random", 4, first=200)[0]:
        found = list(situations(record))
        for question, *_ in rng.sample(found, min(6, len(found))):
            answer = asking.answer(question)["action"]
            for _ in range(4):
                rng.shuffle(pack)
                deal = hidden.some_deal(seat.read(book, question).known, pack)
                seen.add((record["deal"], *deal.hands))
                assert deal.hands[question["seat"]] == book.deck.hand(question["hands"][question["seat"]])
                assert asking.action(question, pack=pack) == answer
    assert len(seen) > 20


def test_what_others_showed_is_respected():
    """Seat 1 is out of hearts and, as it must trump, of trumps; seat 2 has played its spade."""
    question = {
        "game": "oh-hell", "seat": 0, "dealer": 2, "hands": ["A..A.", None, None], "turnup": "C2", "trump": "C", "bids": [1, 0, 0], "leader": 0,
        "play": ["DA", "H2", "D3"],
    }  # fmt: skip
    assert Player("oh-hell").answer(question) == {"action": "SA"}
    book = load("oh-hell", players=3)
    known = seat.read(book, question).known
    for shift in range(52):
        pack = book.deck.cards(book.deck.mask)
        deal = hidden.some_deal(known, pack[shift:] + pack[:shift])
        shown = book.deck.hand_text(deal.hands[1]).split(".")
        assert (shown[2], shown[3]) == ("", "")
        assert deal.hands[2] >> book.deck.card("D3") & 1


# ---------------------------------------------------------------- random players

def test_a_random_player_gives_the_same_answer_to_the_same_line():
    records, _ = recorded(("oh-hell", "base", 4, (), ""), "random", 8)
    found = [question for record in records for question, *_ in situations(record) if len(question["play"]) < 8]
    first, again, other = (Player("oh-hell", "random", seed=seed) for seed in (1, 1, 2))
    answers = [first.answer(question) for question in found]
    assert answers == [again.answer(question) for question in found]
    assert answers != [other.answer(question) for question in found]


def test_a_random_player_differs_between_situations():
    bids = [
        Player("oh-hell", "random").answer({"game": "oh-hell", "seat": 0, "dealer": 3, "hands": ["AKQ.J42.2.", None, None, None], "turnup": turnup})["action"]
        for turnup in ("H3", "H5", "H6", "H7", "H8", "H9", "D4", "D5", "D6", "D7", "D8", "D9", "C4", "C5", "C6", "C7")
    ]
    assert len(set(bids)) > 3


# ---------------------------------------------------------------- the contract, and what is refused

WHIST = {
    "game": "israeli-whist", "seat": 3, "decision": "bid", "dealer": 2, "hands": [None, None, None, "K53.Q3.QJT94.953"],
    "auction": [[3, "pass"], [0, "5S"], [1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]], "declarer": 0, "contract": "5S", "trump": "S",
    "bids": [5, 2, 4, None], "leader": None, "play": [],
}  # fmt: skip
PLAYED = WHIST | {"decision": "card", "bids": [5, 2, 4, 0], "leader": 0, "play": ["SA", "SJ", "S9"]}
ROUND = [[3, "pass"], [0, "pass"], [1, "pass"], [2, "pass"]]
MOVES = [{"from": giver, "to": (giver + 3) % 4, "cards": None} for giver in range(4)]
PASSED = {
    "game": "israeli-whist", "rules": {"variant": "gulash"}, "seat": 3, "dealer": 2, "hands": [None, None, None, "K53.Q3.QJT94.953"], "auction": [ROUND, []],
    "gulash": [[*MOVES[1:3], MOVES[0] | {"cards": ["CA", "CK", "CQ"]}, MOVES[3] | {"cards": ["C9", "C5", "C3"]}]],
}  # fmt: skip


def passed(*given, exchange=1):
    """Return the changes by which seats give other cards, in the first gulash or in a second one."""
    moves = {move["from"]: dict(move) for move in (PASSED["gulash"][0] if exchange == 1 else MOVES)}
    for giver, cards in given:
        moves[giver]["cards"] = cards.split()
    return {"auction": [ROUND] * exchange, "gulash": [*PASSED["gulash"] * (exchange - 1), list(moves.values())]}


OH_HELL = {"game": "oh-hell", "seat": 2, "dealer": 3, "hands": [None, None, "..32.A", None], "turnup": "C2", "trump": "C", "bids": [1, 0, None, None]}
OH_CARD = OH_HELL | {"bids": [1, 0, 1, 3], "leader": 0, "play": ["D9", "H4"]}
SECRET = OH_HELL | {"rules": {"variant": "secret"}, "bids": [None] * 4}
BOLA = {
    "game": "spanish-solo", "seat": 1, "dealer": 0, "hands": [None, "7Q6.7Q3.7AJ6.54", None], "auction": [[1, "bola"], [2, "pass"], [0, "pass"]],
    "soloist": 1, "contract": "bola", "trump": "C", "pool_before": 1, "exchange": {"asked": "DQ", "from": 0, "given": None},
}  # fmt: skip
THIRD = BOLA | {"seat": 2, "hands": [None, None, "A5.AK5.53.KQJ63"], "leader": 1, "play": ["H3"]}
ACCEPTED = [WHIST, PLAYED, PASSED, OH_HELL, OH_CARD, SECRET, BOLA, THIRD]


def test_the_situation_of_the_contract():
    """Source: contracts.md 5."""
    assert Player("israeli-whist", "rules").answer(WHIST)["action"] in range(14)


def test_what_may_be_left_out():
    asking = Player("israeli-whist")
    short = {key: value for key, value in WHIST.items() if value and key not in ("decision", "declarer", "contract", "trump")}
    assert asking.answer(short) == asking.answer(WHIST)
    unheard = {key: value for key, value in WHIST.items() if key != "auction"}
    assert asking.answer(unheard) == asking.answer(WHIST)
    assert asking.answer(WHIST | {"gulash": [], "exchange": None, "points": None, "policies": ["x"] * 4}) == asking.answer(WHIST)


def test_the_rules_of_a_situation_go_over_those_of_the_player():
    hooked = OH_HELL | {"dealer": 2, "hands": [None, None, "A..K.Q", None], "turnup": "S2", "trump": "S", "bids": [1, 0, None, 0]}
    bids = {"base": {0, 1, 3}, "no-hook": {0, 1, 2, 3}}
    for variant, legal in bids.items():
        for question in (hooked, hooked | {"rules": {"variant": variant}}, hooked | {"rules": load("oh-hell", variant).fields}):
            answer = Player("oh-hell", variant=variant).answer(question)
            assert answer["action"] in legal
            assert answer == Player("oh-hell").answer(question) or "rules" not in question
    cheap = {"rules": {"set": {"bidding.hook": "none"}}}
    assert Player("oh-hell").answer(hooked | cheap) == Player("oh-hell", settings=["bidding.hook=none"]).answer(hooked)


@pytest.mark.parametrize("question", ACCEPTED, ids=["whist", "played", "passed", "bid", "card", "secret", "bola", "third"])
def test_situations_that_are_changed_below_are_accepted(question):
    assert "action" in Player(question["game"]).answer(question)


@pytest.mark.parametrize(
    ("question", "changes", "message"),
    [
        (WHIST, {"game": "oh-hell"}, "game: found 'oh-hell', expected israeli-whist"),
        (WHIST, {"rules": {"variant": "gulsh"}}, "did you mean 'gulash'"),
        (WHIST, {"rules": {"set": {"score.made": 3}}}, "score.made"),
        (WHIST, {"rules": 3}, "rules: found 3"),
        (WHIST, {"seat": 4}, "seat: found 4, expected a seat from 0 to 3"),
        (WHIST, {"seat": 2}, "hands: seat 2: found None, expected the hand of the seat asked"),
        (WHIST, {"hands": ["AKQ2.AKQ.AKQ.AKQ", None, None, WHIST["hands"][3]]}, "hands: seat 0: found 'AKQ2.AKQ.AKQ.AKQ', expected null"),
        (WHIST, {"hands": [None, None, None, "K53.Q3.QJT94.95"]}, "hand: found 12 cards, expected 13"),
        (WHIST, {"hands": "K53.Q3.QJT94.953"}, "hands: found 'K53.Q3.QJT94.953', expected a list"),
        (WHIST, {"hands": [None, None, None, "K53.Q3.QJT94.9X3"]}, "hands: seat 3"),
        (WHIST, {"dealer": None}, "dealer: found None"),
        (WHIST, {"decision": "card"}, "decision: found 'card', expected 'bid'"),
        (WHIST, {"auction": [[3, "pass"], [0, "5S"], [1, "5H"]], "bids": []}, "auction: call 3: seat 1 may not say 5H after 5S"),
        (WHIST, {"auction": [[3, "pass"], [1, "5S"]], "bids": []}, "auction: call 2: found seat 1, expected seat 0"),
        (WHIST, {"auction": [*WHIST["auction"], [1, "pass"]]}, "auction: found 7 calls, but the auction is closed after 6"),
        (WHIST, {"auction": WHIST["auction"][:4]}, "bids: found [5, 2, 4, None], but first seat 3 has to decide: call"),
        (WHIST, {"auction": ROUND, "bids": []}, "all passed and the deal is thrown in"),
        (WHIST, {"auction": ["pass"]}, "auction: call 1: found 'pass'"),
        (WHIST, {"auction": [[3, "solo"]]}, "auction: call 1: 'solo' is no call"),
        (WHIST, {"auction": [[3, "pass"]] * 300}, "auction: found 300 calls"),
        (WHIST, {"auction": None, "contract": "4S"}, "contract: found '4S', expected one from 5C on"),
        (WHIST, {"contract": "6S"}, "contract: found '6S', expected '5S'"),
        (WHIST, {"declarer": 1}, "declarer: found 1, expected 0"),
        (WHIST, {"trump": "H"}, "trump: found 'H', expected 'S'"),
        (WHIST, {"bids": [6, 2, 4, None]}, "bids: seat 0: found 6, expected 5, the declarer's contract"),
        (WHIST, {"bids": [5, 2, None, 1]}, "bids: found one of seat 3, whose turn has not come"),
        (WHIST, {"bids": [5, 2, None, None]}, "seat: found 3, but seat 2 has to decide: bid"),
        (WHIST, {"bids": [5, 14, 4, None]}, "bids: seat 1: found 14, expected 0 to 13"),
        (WHIST, {"bids": [5, 2, 4]}, "bids: found [5, 2, 4], expected 4 bids"),
        (WHIST, {"rules": {"variant": "hook13"}, "bids": [5, 2, 4, 2]}, "bids: seat 3 may not bid 2: with 11 bid so far the sum would be 13"),
        (WHIST, {"leader": 0}, "leader: found 0, expected null"),
        (WHIST, {"play": ["SA"]}, "play: found ['SA'], but first seat 3 has to decide: bid"),
        (WHIST, {"turnup": "C2"}, "turn-up: found C2, but no card shows trump"),
        (WHIST, {"gulash": [MOVES]}, "gulash: found 1, but there is none under these rules"),
        (WHIST, {"exchange": {"asked": "SA", "from": 1, "given": None}}, "exchange: found"),
        (WHIST, {"pool_before": 3}, "pool: found 3, but israeli-whist has no pool"),
        (PLAYED, {"leader": 1}, "leader: found 1, expected 0"),
        (PLAYED, {"play": ["SA", "SJ"]}, "seat: found 3, but seat 2 has to decide: card"),
        (PLAYED, {"play": ["SA", "SJ", "SA"]}, "play: trick 1, card 3: seat 2 plays SA, which is out of play"),
        (PLAYED, {"play": ["SA", "SK", "S9"]}, "play: trick 1, card 2: seat 1 plays SK, which seat 3 holds"),
        (PLAYED, {"play": ["SA", "SJ", "S9", "H3"]}, "play: trick 1, card 4: seat 3 may not play H3 while it holds SK53"),
        (PLAYED, {"play": ["SA", "SJ", "S9", "S2"]}, "play: trick 1, card 4: seat 3 plays S2, which it does not hold"),
        (PLAYED, {"play": ["SA", "H2", "S9", "S3", "HA", "S2"]}, "play: trick 2, card 2: seat 1 plays S2, but cannot hold it"),
        (PLAYED, {"play": ["SA", "XX", "S9"]}, "play: card 2: 'XX' is no card"),
        (PLAYED, {"play": ["SA"] * 60}, "play: found 60 cards, expected fewer than 52"),
        (PLAYED, {"play": 3}, "play: found 3, expected a list"),
        (PLAYED, {"auction": [[3, "pass"]], "bids": []}, "play: found 3 cards, but nothing says what is trump"),
        (PASSED, {"auction": [[*ROUND, [3, "5S"]]], "gulash": None}, "auction: found 5 calls, but a gulash follows after 4"),
        (PASSED, {"auction": [[[3, "pass"]]]}, "gulash: found 1 exchanges, but the calls lead to 0"),
        (PASSED, {"gulash": [MOVES]}, "gulash: exchange 1: seat 0 gives None, expected 3 different cards"),
        (PASSED, passed((3, "C9 C5 C5")), "seat 3 gives ['C9', 'C5', 'C5'], expected 3 different cards"),
        (PASSED, passed((3, "C9 C5 C4")), "seat 3 gives C4, which it does not hold"),
        (PASSED, passed((0, "SK C6 C7")), "seat 3 gets SK, which it held itself"),
        (PASSED, passed((1, "C2 C4 C6")), "seat 1 gives ['C2', 'C4', 'C6'], expected null: seat 3 does not see it"),
        (PASSED, {"gulash": [[MOVES[1] | {"to": 2}, MOVES[0], *MOVES[2:]]]}, "seat 1 gives to seat 2, expected seat 0"),
        (PASSED, {"gulash": [MOVES[:3]]}, "expected every seat once"),
        (PASSED, {"gulash": ["C2"]}, "gulash: exchange 1: found 'C2'"),
        (PASSED, passed((0, "C9 D2 D3"), (3, "CA CK CQ"), exchange=2), "gulash: exchange 2: C9 comes back too early: it left in exchange 1"),
        (OH_HELL, {"turnup": None}, "turn-up: missing"),
        (OH_HELL, {"turnup": "CA"}, "turn-up: CA is in the hand too"),
        (OH_HELL, {"trump": "D"}, "trump: found 'D', expected 'C'"),
        (OH_HELL, {"auction": [[0, "pass"]]}, "oh-hell has no auction"),
        (OH_HELL, {"bids": [1, 0, None, None], "dealer": 1, "seat": 2}, "bids: found one of seat 0, whose turn has not come"),
        (OH_HELL, {"hands": [None] * 2 + ["..32.A"] + [None] * 6}, "no game for 9 players"),
        (OH_CARD, {"play": ["D9", "C2"]}, "seat 1 plays C2, which is out of play"),
        (OH_CARD, {"play": ["D9", "H4", "CA"]}, "play: trick 1, card 3: seat 2 may not play CA while it holds D32"),
        (OH_CARD, {"bids": [1, 0, 1, 1]}, "bids: dealer (seat 3) may not bid 1"),
        (SECRET, {"bids": [1, None, None, None]}, "bids: seat 0: found 1, expected null: the bid is secret"),
        (SECRET, {"rules": {"variant": "simultaneous"}, "bids": [1, None, None, None]}, "expected all or none"),
        (SECRET, {"play": ["D9", "H4"]}, "play: found ['D9', 'H4'], but first seat 0 has to decide: bid"),
        (BOLA, {"exchange": {"asked": "S7", "from": 0, "given": None}}, "exchange: seat 0 is said to have held S7"),
        (BOLA, {"exchange": {"asked": "DQ", "from": 1, "given": None}}, "exchange: from: found 1, the soloist"),
        (BOLA, {"exchange": {"asked": "DQ", "from": 0, "given": "CA"}}, "exchange: seat 1 gives CA, which it does not hold"),
        (BOLA, {"exchange": ["DQ"]}, "exchange: found ['DQ']"),
        (BOLA, {"trump": None}, "exchange: found"),
        (BOLA, {"trump": "D"}, "trump: found 'D', which the rules do not allow here"),
        (BOLA, {"contract": "juego", "auction": [[1, "juego"], [2, "pass"], [0, "pass"]]}, "only the soloist of a bola asks for a card"),
        (BOLA, {"soloist": 2}, "soloist: found 2, expected 1"),
        (BOLA, {"bids": [1, None, None]}, "spanish-solo has no bids of tricks"),
        (BOLA, {"pool_before": -1}, "pool: found -1"),
        (THIRD, {"exchange": {"asked": "DQ", "from": 0, "given": "H7"}}, "exchange: given: found 'H7', expected null: seat 2 does not see it"),
        (THIRD, {"exchange": {"asked": "CK", "from": 0, "given": None}}, "exchange: seat 0 is said to have held CK"),
        (THIRD, {"exchange": {"asked": "DQ", "from": 2, "given": None}}, "exchange: seat 2 is said to have held DQ"),
    ],
)  # fmt: skip
def test_a_situation_that_cannot_be_is_refused_in_one_line(question, changes, message):
    asking = Player(question["game"])
    before = asking.answer(question)
    answer = asking.reply(as_sent(question | changes))
    assert list(answer) == ["error"], answer
    assert message in answer["error"]
    assert "\n" not in answer["error"]
    assert asking.reply(as_sent(question)) == before


def test_nobody_can_hold_what_all_have_shown_to_lack():
    """Both others are out of spades, yet in a deal of all 36 cards they hold those that the seat asked does not."""
    question = {
        "game": "spanish-solo", "seat": 1, "dealer": 0, "hands": [None, "7Q6.7Q3.7AJ6.54", None], "trump": "C", "pool_before": 0,
        "auction": [[1, "juego"], [2, "pass"], [0, "pass"]], "leader": 1, "play": ["S7", "H4", "H5"],
    }  # fmt: skip
    assert "no deal agrees with this: nobody who may hold S" in Player("spanish-solo").answer(question)["error"]


def junk(rng, value):
    """Return a value that does not belong where it is put."""
    return rng.choice([None, -1, 99, 10**30, 1.5, True, "", "pass", "SA", [], [[]], {}, [None] * 4, ["SA"], {"from": 0}, [value], [[value]]])


def broken(rng, value, depth=0):
    """Return JSON in which something has been put in another's place."""
    if depth > 4 or not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return junk(rng, value)
    changed = copy(value)
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    changed[key] = broken(rng, value[key], depth + 1)
    return changed


@pytest.mark.parametrize("question", ACCEPTED, ids=["whist", "played", "passed", "bid", "card", "secret", "bola", "third"])
def test_whatever_is_sent_gets_an_answer_or_an_error(question):
    rng, asking = Random(5), player(question["game"])
    for _ in range(400):
        answer = asking.reply(as_sent(broken(rng, question)))
        assert list(answer) in (["action"], ["error"])


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}", b'{"game": "oh-hell"}'])
def test_a_line_that_is_no_situation_gets_an_error(line):
    assert list(player("oh-hell").reply(line)) == ["error"]


# ---------------------------------------------------------------- the command

COMMAND = [sys.executable, "-c", "from analyzer.cli import main; main()", "seat"]


def test_the_command_answers_line_by_line():
    with subprocess.Popen([*COMMAND, "israeli-whist", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        def ask(line):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())         # would hang if it waited for the end of its input

        expected = Player("israeli-whist").answer(WHIST)
        assert ask(as_sent(WHIST)) == expected
        assert "error" in ask(b"{")
        assert "error" in ask(as_sent(WHIST | {"seat": 0}))
        assert ask(b"\n" + as_sent(WHIST)) == expected
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


def test_the_command_plays_by_the_rules_and_the_policy_named():
    line = as_sent({key: value for key, value in PASSED.items() if key != "rules"})
    options = ["--variant", "gulash", "--set", "gulash.max=1", "--policy", "random", "--seed", "4"]
    ended = subprocess.run([*COMMAND, "israeli-whist", *options], input=line, capture_output=True, timeout=60, check=True)
    answer = json.loads(ended.stdout)
    assert answer == Player("israeli-whist", "random", 4, "gulash", ["gulash.max=1"]).reply(line)
    assert "action" in answer


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("seat", "GAME"),
        ("seat whist", "'whist'"),
        ("seat oh-hell --policy rulse", "did you mean 'rules'"),
        ("seat oh-hell --variant no-hok", "did you mean 'no-hook'"),
        ("seat oh-hell --seed -1", "--seed: found '-1'"),
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_is_read(line, said, capsys):
    assert run(line.split()) == UsageError.exit_code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_questions_are_read_as_utf_8():
    assert questions.read('\ufeff{"hands": ["♠A"]}'.encode()) == {"hands": ["♠A"]}
