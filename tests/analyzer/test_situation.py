"""Who is asked for what, which answers are legal, and one line for what no deal can have."""

import json
from copy import deepcopy
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import rules as rule_books
from analyzer import situation
from analyzer.cards import call
from analyzer.errors import ImpossibleError, TricklabError
from analyzer.simulation import Engine, Run
from kernels.layout import NONE

WHIST = "AKQ32.T9.K87.J54"
SOLO = "7AK4.73.A53.QJ6"
SHORT = "..32.A"
FULL = "AKQJT98765432..."
VARIANTS = [(game, variant.name) for game, step in (("israeli-whist", 1), ("spanish-solo", 1), ("oh-hell", 6)) for variant in rule_books.variants(game)[::step]]


def ask(game, hand, variant="base", settings=(), players=None, **said):
    return situation.from_question(rule_books.load(game, variant, settings, players), hand, **said)


def hand_of(rules, cards):
    """Return the text of some hand of that many cards, none of them the lowest of its suit."""
    pack = [card for card in rules.deck.cards(rules.deck.mask) if card % 16]
    return " ".join(rules.deck.card_text(card) for card in pack[:cards])


def said(asked):
    """Return what the actions say, without the trumps that a soloist would name."""
    return [action.said for action in asked.actions]


def mask(deck, text):
    return sum(1 << deck.card(word) for word in text.split())


# ---------------------------------------------------------------- who is asked for what

@pytest.mark.parametrize(
    ("game", "hand", "said", "seat", "decision", "fewest", "most", "n"),
    [
        ("oh-hell", SHORT, {"turnup": "2C"}, 0, "bid", 0, 3, 4),
        ("oh-hell", SHORT, {"turnup": "2C", "bids": "1 0"}, 2, "bid", 0, 3, 4),
        ("oh-hell", SHORT, {"turnup": "2C", "bids": "1,0,0"}, 3, "bid", 0, 3, 3),          # the hook takes 2 away
        ("oh-hell", SHORT, {"turnup": "2C", "bids": "1", "dealer": 1}, 3, "bid", 0, 3, 4),
        ("oh-hell", FULL, {}, 0, "bid", 0, 13, 14),
        ("jabberwocky", SHORT, {"turnup": "2C"}, 0, "bid", 0, 3, 4),
        ("israeli-whist", WHIST, {"contract": "6S"}, 1, "bid", 0, 13, 14),
        ("israeli-whist", WHIST, {"contract": "6S", "bids": "4,3"}, 3, "bid", 0, 13, 14),
        ("israeli-whist", WHIST, {"calls": "pass 5H pass pass pass pass"}, 2, "bid", 0, 13, 14),
        ("israeli-whist", WHIST, {"calls": "pass 5H pass pass", "contract": "5H"}, 2, "bid", 0, 13, 14),
    ],
)
def test_the_next_speaker_is_asked(game, hand, said, seat, decision, fewest, most, n):
    asked = ask(game, hand, **said)
    assert (asked.seat, asked.decision) == (seat, decision)
    assert (asked.actions[0].said, asked.actions[-1].said, len(asked.actions)) == (fewest, most, n)


def test_IW_A4_the_declarer_who_rebids_speaks_first():
    asked = ask("israeli-whist", WHIST, "declarer-rebids", contract="6S")
    assert (asked.seat, asked.declarer, said(asked)) == (0, 0, list(range(6, 14)))
    assert not asked.speakers
    assert ask("israeli-whist", WHIST, "declarer-rebids", contract="6S", bids="7").seat == 1


def test_every_call_from_the_lowest_legal_one_on_is_asked_about():
    asked = ask("israeli-whist", WHIST, calls="pass 5H pass")
    assert (asked.seat, asked.decision) == (3, "call")
    assert [asked.action_text(action) for action in asked.actions[:3]] == ["pass", "5S", "5NT"]
    assert asked.actions[-1].said == call("13NT", "levels")
    assert len(ask("israeli-whist", WHIST).actions) == 46


def test_IW_forced_last_has_no_pass():
    asked = ask("israeli-whist", WHIST, "forced-last", calls="pass pass pass")
    assert asked.action_text(asked.actions[0]) == "5C"


def test_spanish_solo_asks_calls():
    asked = ask("spanish-solo", SOLO, calls="pass juego", pool=3)
    assert (asked.seat, asked.decision, asked.pool) == (2, "call", 3)
    assert [asked.action_text(action) for action in asked.actions][:3] == ["pass", "juego-diamonds", "bola"]


def test_SS_A7_a_contract_is_asked_about_in_every_trump_it_may_have():
    asked = ask("spanish-solo", SOLO)
    trumps = {asked.action_text(action): [] for action in asked.actions}
    for action in asked.actions:
        trumps[asked.action_text(action)].append(action.trump)
    assert trumps.pop("pass") == [NONE]
    assert trumps == {name: [D] if name.endswith("diamonds") else [C, H, S] for name in trumps}
    assert len(trumps) == 6


def test_OH_N6a_a_secret_bid_is_the_first_one():
    for variant in ("secret", "simultaneous"):
        asked = ask("oh-hell", SHORT, variant, turnup="2C")
        assert (asked.seat, said(asked), asked.bids) == (0, [0, 1, 2, 3], (NONE,) * 4)


def test_OH_N6a_any_seat_may_ask_where_nobody_hears_the_others():
    for seat in range(4):
        asked = ask("oh-hell", SHORT, "secret", turnup="2C", seat=seat)
        _, played = worlds(asked, n=40)
        assert asked.seat == seat
        assert [set(facts["bids"][:, seat]) for facts in played] == [{0}, {1}, {2}, {3}]
        assert all(set(facts["hands"][:, seat]) == {asked.hand} for facts in played)
    with pytest.raises(ImpossibleError, match="seat: found 2, but seat 0 speaks next"):
        ask("oh-hell", SHORT, turnup="2C", seat=2)


def test_who_spoke():
    assert not ask("oh-hell", SHORT, turnup="2C").speakers
    assert not ask("israeli-whist", WHIST).speakers
    assert ask("oh-hell", SHORT, turnup="2C", bids="0").speakers == {0}
    assert ask("israeli-whist", WHIST, contract="6S").speakers == {0}
    assert ask("israeli-whist", WHIST, calls="pass 5H pass pass pass pass").speakers == {0, 1, 3}
    assert ask("spanish-solo", SOLO, calls="pass").speakers == {0}


# ---------------------------------------------------------------- gulash and soloist

PASSES = "pass pass pass pass"
C, D, H, S = range(4)


def test_IW_V1_every_packet_of_a_gulash_is_asked_about():
    asked = ask("israeli-whist", WHIST, "gulash", calls=PASSES)
    assert (asked.seat, asked.decision, len(asked.actions)) == (0, "gulash", comb(13, 3))
    assert ask("israeli-whist", WHIST, "gulash", calls=PASSES, seat=2).seat == 2
    first = asked.actions[0]
    _, [facts, *_] = worlds(asked, n=50)
    given = facts["gulash"][:, 0]
    assert set(given[:, 0]) == {first.said}
    assert len(set(given[:, 1])) > 20
    assert asked.action_text(first) == ["CJ", "C5", "C4"][::-1]


def test_IW_V1_after_a_gulash_the_cards_given_lie_with_the_neighbour():
    """Cards go to the right, so seat 0 gives to seat 3 and gets from seat 1."""
    asked = ask("israeli-whist", WHIST, "gulash", calls=f"{PASSES} pass", gave="C2 C3 D2", got="C4 C5 D7", seat=1)
    deck = asked.rules.deck
    assert (asked.seat, asked.decision) == (1, "call")
    assert asked.hand == deck.hand(WHIST)
    assert asked.dealt == asked.hand & ~mask(deck, "C4 C5 D7") | mask(deck, "C2 C3 D2")
    assert asked.setup["held"][0, 0] == mask(deck, "C2 C3 D2")
    _, played = worlds(asked, n=60)
    assert not played[0]["fault"].any()
    assert set(played[0]["hands"][:, 1]) == {asked.hand}
    assert all(hand & mask(deck, "C2 C3 D2") == mask(deck, "C2 C3 D2") for hand in played[0]["hands"][:, 0])
    again = situation.from_json(asked.to_json())
    assert again.to_json() == asked.to_json()
    assert (again.setup == asked.setup).all()


def test_SS_the_soloist_names_asks_and_gives():
    rules = rule_books.load("spanish-solo")
    names = {"calls": "pass bola pass", "dealer": 2}
    trump = ask("spanish-solo", SOLO, **names)
    assert (trump.seat, trump.decision, said(trump)) == (1, "trump", [C, H, S])
    asks = ask("spanish-solo", SOLO, **names, trump="S")
    assert (asks.decision, len(asks.actions), asks.trump) == ("ask", 24, S)
    gives = ask("spanish-solo", SOLO, **names, trump="S", asked="S5@0")
    assert (gives.decision, len(gives.actions), gives.holder) == ("give", 13, 0)
    assert rules.deck.card("S5") in said(gives)
    for asked in (trump, asks, gives):
        _, played = worlds(asked, n=30)
        assert not any(facts["fault"].any() for facts in played)
        assert situation.from_json(asked.to_json()).to_json() == asked.to_json()
    _, played = worlds(gives, n=30)
    assert set(played[0]["asked_from"]) == {0}
    assert set(played[0]["given"]) == {gives.actions[0].said}


def test_SS_what_the_soloist_would_name_binds_nobody_else():
    asked = ask("spanish-solo", SOLO, calls="pass")
    juego = next(action for action in asked.actions if asked.action_text(action) == "juego" and action.trump == S)
    engine, _ = worlds(asked, n=1)
    facts = engine.play(0, 400, asked.answered(engine.setup, juego))[0][:, 0]
    own = facts["declarer"] == asked.seat
    assert set(facts["trump"][own & (facts["contract"] == juego.said)]) == {S}
    assert len(set(facts["trump"][~own])) > 1


def test_SS_the_dealer_names_trump_where_all_passed():
    asked = ask("spanish-solo", SOLO, calls="pass pass pass", dealer=0)
    assert (asked.seat, asked.decision, said(asked)) == (0, "trump", [C, D, H, S])


def test_seen_cards_lie_where_they_were_seen():
    asked = ask("oh-hell", SHORT, turnup="2C", seen="C7 DK@1")
    deck = asked.rules.deck
    _, played = worlds(asked, n=200)
    hands = played[0]["hands"]
    assert all(hands[:, 1] & mask(deck, "DK"))
    assert not (hands[:, :4] & mask(deck, "C7")).any()
    assert situation.from_json(asked.to_json()).to_json() == asked.to_json()


# ---------------------------------------------------------------- worlds

def worlds(asked, n=300):
    engine = Engine(Run(asked.rules, ["random"], seed=7, setup=asked.setup))
    return engine, [engine.play(0, n, asked.answered(engine.setup, action))[0][:, 0] for action in asked.actions]


def test_the_own_hand_is_fixed_and_all_that_is_hidden_varies():
    asked = ask("oh-hell", SHORT, turnup="2C", bids="1,0")
    _, played = worlds(asked)
    facts = played[0]
    assert set(facts["hands"][:, 2]) == {asked.hand}
    assert set(facts["turnup"]) == {asked.rules.deck.card("C2")}
    for seat in (0, 1, 3):
        assert len(set(facts["hands"][:, seat])) > 200
    stock = ~facts["hands"][:, :4].sum(axis=1) & asked.rules.deck.mask
    assert len(set(stock)) > 290
    assert all((facts["bids"][:, :2] == [1, 0]).all(axis=1))


@pytest.mark.parametrize(
    ("game", "hand", "said"), [("oh-hell", SHORT, {"turnup": "2C"}), ("israeli-whist", WHIST, {"calls": "5C"}), ("spanish-solo", SOLO, {})]
)
def test_world_i_is_the_same_deal_for_every_action(game, hand, said):
    _, played = worlds(ask(game, hand, **said), n=20)
    for facts in played[1:]:
        assert (facts["hands"] == played[0]["hands"]).all()
        assert not facts["fault"].any()


def test_OH_A11_the_dealers_last_card_lies_with_the_dealer():
    asked = ask("oh-hell", FULL, settings=["trump.when_exhausted=dealer_last"], turnup="2H")
    _, played = worlds(asked, n=10)
    assert all(played[0]["hands"][:, 3] >> asked.turnup & 1)
    assert set(played[0]["trump"]) == {2}


# ---------------------------------------------------------------- refused

@pytest.mark.parametrize(
    ("game", "hand", "variant", "said", "message"),
    [
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "2,0,0,1"},
         "bids: bid 4: dealer (seat 3) may not bid 1: with 2 bid so far the sum would be 3, the number of tricks; expected 0 or 2 to 3"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "2,0,0,0"}, "with which everybody has spoken"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "2,0,0,0,1,1,1,1,1"}, "with which everybody has spoken"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "4"}, "seat 0 may not bid 4; expected 0 to 3"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "two"}, "cannot read 'two'"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "-1"}, "cannot read '-1'"),
        ("oh-hell", SHORT, "secret", {"turnup": "2C", "bids": "1"}, "nobody hears the others' bids"),
        ("oh-hell", SHORT, "base", {}, "turn-up: missing, expected the card that shows trump, such as 7H"),
        ("oh-hell", SHORT, "base", {"turnup": "AC"}, "turn-up: CA is in the hand too"),
        ("oh-hell", SHORT, "base", {"turnup": "1C"}, "turn-up: '1C' is no card"),
        ("oh-hell", SHORT, "no-trump", {"turnup": "2C"}, "no card shows trump in oh-hell under these rules"),
        ("oh-hell", FULL, "base", {"turnup": "2H"}, "all cards are dealt"),
        ("oh-hell", FULL, "dealers-last-card", {}, "expected the dealer's last card"),
        ("oh-hell", FULL, "dealers-last-card", {"turnup": "2S"}, "expected a card of the dealer, which is not in the hand"),
        ("oh-hell", FULL, "dealers-last-card", {"turnup": "2H", "bids": "1,1,1"}, "expected a card of the hand: it is the dealer's"),
        ("oh-hell", FULL, "cut-trump", {}, "expected the card cut for trump"),
        ("oh-hell", FULL + "2", "base", {}, "hand: found 14 cards, expected 1 to 13 in oh-hell for 4 players"),
        ("oh-hell", "...", "base", {"turnup": "2H"}, "hand: found 0 cards"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "dealer": 4}, "dealer: found 4, expected a seat from 0 to 3"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "calls": "pass"}, "oh-hell has no auction"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "contract": "6S"}, "oh-hell has no auction"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "pool": 1}, "oh-hell has no pool"),
        ("israeli-whist", SHORT, "base", {}, "hand: found 3 cards, expected 13 in israeli-whist"),
        ("israeli-whist", WHIST, "base", {"turnup": "2C"}, "no card shows trump"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 5H 5D"}, "call 3: seat 2 may not say 5D after 5H; expected pass or a call from 5S to 13NT"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 4S"}, "call 2: seat 1 may not say 4S; expected pass or a call from 5C to 13NT"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 5H" + 5 * " pass"}, "found 7, but the auction is closed after 6"),
        ("israeli-whist", WHIST, "base", {"calls": "13NT pass"}, "found 2, but the auction is closed after 1"),
        ("israeli-whist", WHIST, "base", {"calls": 300 * "pass "}, "calls: found 300"),
        ("israeli-whist", WHIST, "base", {"calls": 4 * "pass "}, "the deal is thrown in"),
        ("israeli-whist", WHIST, "gulash", {"calls": 4 * "pass ", "gave": "C2 C3 C4"}, "gave, got: found cards of 1 and 0 exchanges"),
        ("israeli-whist", WHIST, "gulash", {"calls": 4 * "pass ", "gave": "C2 C3", "got": "C4 C5"}, "gave: found 2 cards, expected 3 for every gulash"),
        ("israeli-whist", WHIST, "gulash", {"calls": 4 * "pass ", "gave": "C2 C3 D2", "got": "C4 C5 H2"}, "gave, got: H2 cannot be where"),
        ("israeli-whist", WHIST, "gulash", {"calls": "pass", "gave": "C2 C3 D2", "got": "C4 C5 CJ"}, "the calls lead to 0"),
        ("israeli-whist", WHIST, "base", {"calls": "pass", "gave": "C2 C3 D2", "got": "C4 C5 CJ"}, "there is no gulash under these rules"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "seen": "CA"}, "seen: CA lies somewhere else already"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "seen": "C3 C3"}, "seen: C3 lies somewhere else already"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "seen": "C3@7"}, "seen: found seat '7', expected 0 to 3"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "seen": "C3@1 C4@1 C5@1 C6@1"}, "seen: found more cards of seat 1 than the 3"),
        ("oh-hell", FULL, "base", {"seen": "C3"}, "only 0 are left over"),
        ("oh-hell", SHORT, "base", {"turnup": "2C", "trump": "S"}, "no soloist names trump"),
        ("spanish-solo", SOLO, "base", {"calls": "juego pass pass", "trump": "D", "dealer": 2}, "trump: found D, which the rules do not allow"),
        ("spanish-solo", SOLO, "base", {"calls": "juego pass pass", "trump": "S", "dealer": 2}, "everything before the play is settled"),
        ("spanish-solo", SOLO, "base", {"calls": "juego pass", "trump": "S"}, "trump: found one, but the auction is open"),
        ("spanish-solo", SOLO, "base", {"calls": "bola pass pass", "trump": "S", "asked": "S7@1", "dealer": 2}, "exchange: S7 is in the own hand"),
        ("spanish-solo", SOLO, "base", {"calls": "bola pass pass", "trump": "S", "asked": "S5", "dealer": 2}, "such as HA@2"),
        ("israeli-whist", WHIST, "gulash", {"calls": 4 * "pass " + "5S"}, "a gulash follows"),
        ("israeli-whist", WHIST, "forced-last", {"calls": 4 * "pass "}, "dealer (seat 3) may not say pass; expected a call from 5C to 13NT"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 5H", "bids": "3"}, "the auction is open: seat 2 is to call"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 5H pass pass pass pass", "contract": "6H"}, "but the calls have 5H as the highest"),
        ("israeli-whist", WHIST, "base", {"calls": "pass 5H", "contract": "6H"}, "contract: found 6H, but the calls have 5H as the highest"),
        ("israeli-whist", WHIST, "base", {"contract": "4S"}, "contract: found 4S, expected one from 5C to 13NT"),
        ("israeli-whist", WHIST, "base", {"contract": "pass"}, "contract: found pass, expected one from 5C to 13NT"),
        ("israeli-whist", WHIST, "base", {"contract": "6S", "bids": "1,1,1"}, "with which everybody has spoken"),
        ("israeli-whist", WHIST, "hook13", {"contract": "6S", "bids": "4,3,0"}, "the sum would be 13, the number of tricks; expected 1 to 13"),
        ("israeli-whist", WHIST, "declarer-rebids", {"contract": "6S", "bids": "5"}, "declarer (seat 0) may not bid 5; expected 6 to 13"),
        ("spanish-solo", SHORT, "base", {}, "D2 is not in the 36-card Spanish Solo deck"),
        ("spanish-solo", SOLO, "base", {"bids": "1"}, "no bids of tricks"),
        ("spanish-solo", SOLO, "base", {"contract": "juego"}, "contract: found one in spanish-solo"),
        ("spanish-solo", SOLO, "base", {"calls": "bola juego"}, "seat 1 may not say juego after bola"),
    ],
)  # fmt: skip
def test_what_no_deal_can_have_is_refused_in_one_line(game, hand, variant, said, message):
    with pytest.raises(ImpossibleError) as refused:
        ask(game, hand, variant, **said)
    assert message in str(refused.value)


# ---------------------------------------------------------------- as JSON

@pytest.mark.parametrize(("game", "variant"), [(game.name, "base") for game in rule_books.games()] + VARIANTS)
def test_a_situation_reads_as_it_was_written(game, variant):
    rules = rule_books.load(game, variant)
    said = {"none": {}, "levels": {"calls": "pass 6H pass"}, "contracts": {"calls": "pass"}}[rules.auction]
    if rules.auction == "none" and rules.fields["trump"]["source"] == "turnup":
        said["turnup"] = "2S"
    asked = situation.from_question(rules, hand_of(rules, rules.max_cards if rules.auction != "none" else 5), **said)
    written = json.loads(json.dumps(asked.to_json()))
    again = situation.from_json(written)
    assert again.rules.fields == rules.fields
    assert again.to_json() == written
    assert (again.setup == asked.setup).all()


def test_the_situation_of_the_contract():
    """Source: contracts.md 5, third seat to bid in Israeli Whist."""
    asked = situation.from_json(
        {
            "game": "israeli-whist", "seat": 3, "decision": "bid", "dealer": 2, "hands": [None, None, None, "K53.Q3.QJT94.953"],
            "auction": [[3, "pass"], [0, "5S"], [1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]], "declarer": 0, "contract": "5S", "trump": "S",
            "bids": [5, 2, 4, None], "leader": None, "play": [],
        }
    )  # fmt: skip
    assert (asked.seat, asked.declarer, asked.bids, said(asked)) == (3, 0, (5, 2, 4, NONE), list(range(14)))


OH_HELL = {"game": "oh-hell", "seat": 2, "dealer": 3, "hands": [None, None, SHORT, None], "turnup": "C2", "bids": [1, 0, None, None]}
IN_AUCTION = {"game": "israeli-whist", "seat": 1, "dealer": 3, "hands": [None, WHIST, None, None], "auction": [[0, "5H"]]}


@pytest.mark.parametrize(
    ("question", "changes", "message"),
    [
        (OH_HELL, {"seat": 1}, "hands: seat 1"),
        (OH_HELL, {"seat": 4}, "seat: found 4, expected a seat from 0 to 3"),
        (OH_HELL, {"seat": "2"}, "seat: found '2'"),
        (OH_HELL, {"dealer": None}, "dealer: found None"),
        (OH_HELL, {"hands": [SHORT, None, SHORT, None]}, "hands: seat 0"),
        (OH_HELL, {"hands": [None, None, 7, None]}, "hands: seat 2"),
        (OH_HELL, {"hands": None}, "hands: found None"),
        (OH_HELL, {"game": "bridge"}, "game: found 'bridge'"),
        (OH_HELL, {"decision": "card"}, "decision: found 'card', expected call, gulash, bid"),
        (OH_HELL, {"decision": "call"}, "decision: found 'call', expected 'bid'"),
        (OH_HELL, {"play": ["CA"]}, "play: found cards that were played"),
        (OH_HELL, {"bids": [1, 0]}, "bids: found [1, 0], expected 4 bids"),
        (OH_HELL, {"bids": [1, None, None, 2]}, "bids: found one of seat 3, whose turn has not come"),
        (OH_HELL, {"bids": [1, None, None, None]}, "seat: found 2, but seat 1 speaks next"),
        (OH_HELL, {"bids": 3}, "bids: found 3, expected a list"),
        (OH_HELL, {"turnup": 3}, "turnup: found 3, expected text"),
        (OH_HELL, {"trump": "H"}, "trump: found 'H', expected 'C'"),
        (IN_AUCTION, {"auction": [[1, "5H"]]}, "auction: call 1: found seat 1, expected seat 0"),
        (IN_AUCTION, {"auction": ["5H"]}, "auction: call 1: found '5H', expected a seat and its call"),
        (IN_AUCTION, {"auction": [[0, "5H"], [1, "pass"]]}, "seat: found 1, but seat 2 speaks next"),
        (IN_AUCTION, {"bids": [3, None, None, None]}, "bids: found one of seat 0, whose turn has not come"),
        (IN_AUCTION, {"auction": [], "contract": "5S", "declarer": 0, "bids": [6, None, None, None]}, "bids: seat 0: found 6, expected 5"),
        (IN_AUCTION, {"pool_before": "1"}, "pool_before: found '1'"),
        (OH_HELL, {"bids": [1, -10**30, None, None]}, "bids: seat 1: found -1000000000000000000000000000000, expected 0 to 13"),
        (OH_HELL, {"bids": [1, -1, None, None]}, "bids: seat 1: found -1, expected 0 to 13"),
        (OH_HELL, {"seat": 10**30}, "seat: found 1000000000000000000000000000000, expected a seat from 0 to 3"),
        (OH_HELL, {"dealer": -10**30}, "dealer: found -1000000000000000000000000000000, expected a seat from 0 to 3"),
    ],
)  # fmt: skip
def test_a_situation_that_contradicts_itself_is_refused(question, changes, message):
    situation.from_json(question)
    with pytest.raises(ImpossibleError) as refused:
        situation.from_json({**question, **changes})
    assert message in str(refused.value)


ODD = st.sampled_from([-10**30, 10**30, 2**63, 14, 64, "pass", "6S", "C2", {"variant": "no-hook"}]) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
KEYS = (*situation.from_json(OH_HELL).to_json(), "rules")


@given(st.sampled_from([OH_HELL, IN_AUCTION]), st.lists(st.sampled_from(KEYS), min_size=1, max_size=3), st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_a_situation_holds_it_is_read_or_refused(tmp_path_factory, question, keys, data):
    question = deepcopy(question)
    for key in keys:
        if question.get(key) and isinstance(question[key], list) and data.draw(st.booleans()):
            question[key][data.draw(st.integers(0, len(question[key]) - 1))] = data.draw(ODD)
        else:
            question[key] = data.draw(ODD)
    file = tmp_path_factory.getbasetemp() / "odd.json"
    file.write_text(json.dumps(question))
    for read, source in ((situation.from_json, question), (situation.read, file)):
        try:
            read(source)
        except TricklabError as error:
            assert "\n" not in str(error)


def test_the_declarers_contract_may_stand_among_the_bids():
    question = {**IN_AUCTION, "auction": [], "contract": "5S", "declarer": 0}
    assert situation.from_json({**question, "bids": [5, None, None, None]}).seat == 1
    assert situation.from_json(question).seat == 1


def test_OH_A11_a_cut_shows_a_suit():
    question = {**OH_HELL, "hands": [FULL, None, None, None], "seat": 0, "turnup": None, "trump": "H", "bids": [None] * 4, "rules": {"variant": "cut-trump"}}
    assert situation.from_json(question).trump == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "a.json: Expecting"),
        ("a.toml", "a = ", "a.toml: Invalid"),
        ("a.toml",
         f'game = "spanish-solo"\nseat = 0\ndealer = 2\nhands = ["{SOLO}", "", ""]\npool_before = 0x1{5000 * "0"}',
         "pool: found a value too long to show"),
        ("a.json", "[1]", "a.json: found [1], expected an object"),
        ("a.json", json.dumps({**OH_HELL, "seat": 9}), "a.json: seat: found 9"),
    ],
)
def test_a_file_that_is_no_situation(name, text, message, tmp_path):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ImpossibleError) as refused:
        situation.read(file)
    assert message in str(refused.value)


def test_a_file_with_a_situation(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(OH_HELL))
    (tmp_path / "a.toml").write_text('game = "oh-hell"\nseat = 2\ndealer = 3\nhands = ["", "", "..32.A", ""]\nturnup = "C2"\nbids = [1, 0, "", ""]\n')
    for name in ("a.json", "a.toml"):
        assert situation.read(tmp_path / name).bids == (1, 0, NONE, NONE)
    with pytest.raises(TricklabError, match="cannot be read"):
        situation.read(tmp_path / "missing.json")
