"""Do the players of `rules` do what a sound card player would: beat random play, bid their sure tricks, mind the hook, play as card players ask for."""

from math import comb

import numpy as np
import pytest

from analyzer.rules import load
from kernels.compiled import JIT
from kernels.layout import NONE
from tests.kernels.tools import deals, scaled, setup_of

RANKS = "23456789TJQKA"
statistical = pytest.mark.skipif(not JIT, reason="needs more deals than plain Python plays")


def boss_trumps(hand, trump, turnup, deck):
    """Return how many trumps of a hand no other seat can beat, the ace first: sure tricks."""
    n = 0
    for rank in reversed(range(13)):
        card = trump * 16 + rank
        if hand >> card & 1:
            n += 1
        elif card != turnup or not deck >> card & 1:
            break
    return n


# ---------------------------------------------------------------- strength

@statistical
@pytest.mark.parametrize(("game", "variant"), [("israeli-whist", "base"), ("oh-hell", "base"), ("jabberwocky", "base")])
def test_rules_alone_beat_three_random_players(game, variant):
    book, n = load(game, variant), 4000
    gains = np.zeros(n)
    for place in range(4):                # every deal once per turn of the seats
        facts = deals(book, ["rules" if k == place else "random" for k in range(4)], n)
        seat = (facts["dealer"] + 1 + place) % 4
        own = facts["scores"][np.arange(n), seat]
        gains += (own - (facts["scores"][:, :4].sum(axis=1) - own) / 3) / 4
    assert gains.mean() > 5 * gains.std(ddof=1) / np.sqrt(n)


@statistical
def test_one_random_player_loses_against_three_of_rules():
    n = 4000
    facts = deals(load("israeli-whist"), ["random", "rules", "rules", "rules"], n)
    own = facts["scores"][np.arange(n), (facts["dealer"] + 1) % 4]
    gains = (facts["scores"][:, :4].sum(axis=1) - own) / 3 - own
    assert gains.mean() > 5 * gains.std(ddof=1) / np.sqrt(n)


@statistical
def test_a_soloist_of_rules_makes_more_than_one_at_random():
    book, n = load("spanish-solo"), 4000
    facts = {policy: deals(book, [policy, "rules", "rules"], n, setup=setup_of(book, calls="juego pass pass", dealer=NONE)) for policy in ("random", "rules")}
    chips = {policy: found["scores"][np.arange(n), found["declarer"]] for policy, found in facts.items()}
    gains = chips["rules"] - chips["random"]
    assert gains.mean() > 5 * gains.std(ddof=1) / np.sqrt(n)


@statistical
@pytest.mark.parametrize(("cards", "least"), [(4, 0.57), (7, 0.52), (10, 0.49)])
def test_share_of_exact_bids_in_self_play(cards, least):
    facts = deals(load("oh-hell", "free-discard"), ["rules"], 20_000, cards=cards)
    assert (facts["bids"] == facts["tricks"])[:, :4].mean() >= least


# ---------------------------------------------------------------- bids

@pytest.mark.parametrize(("game", "variant", "players"), [
    ("oh-hell", "base", 4), ("oh-hell", "free-discard", 3), ("oh-hell", "base", 7), ("jabberwocky", "base", 4), ("israeli-whist", "hook13", 4),
])
def test_the_last_bidder_never_makes_the_sum_fit(game, variant, players):
    facts = deals(load(game, variant, players=players), ["rules"], scaled(20_000, 20))
    assert (facts["bids"][:, :players].sum(axis=1) != facts["cards"])[facts["played"] == 1].all()


@pytest.mark.parametrize(("game", "variant", "players"), [
    ("oh-hell", "base", 4), ("oh-hell", "free-discard", 4), ("oh-hell", "base", 6), ("oh-hell", "squares", 5), ("jabberwocky", "base", 4),
    ("israeli-whist", "base", 4),
])
def test_no_bid_below_the_sure_tricks(game, variant, players):
    book = load(game, variant, players=players)
    facts = deals(book, ["rules"], scaled(20_000, 20))
    senseless = []
    for fact in facts[(facts["played"] == 1) & (facts["trump"] < 4)]:
        for seat in range(players):
            sure = boss_trumps(int(fact["hands"][seat]), int(fact["trump"]), int(fact["turnup"]), book.deck.mask)
            is_forced = sure == fact["cards"]            # all tricks are sure, and the hook may forbid to say so
            if fact["bids"][seat] < sure - is_forced:
                senseless.append((int(fact["game_no"]), seat, book.deck.hand_text(fact["hands"][seat]), int(fact["bids"][seat]), sure))
    assert senseless == []


def bids_with_six_highest_trumps(variant, cards):
    """Yield the bids before, and what AKQJT9 of trumps with low cards bid after them."""
    book = load("oh-hell", variant)
    hand = " ".join([*(f"S{rank}" for rank in "AKQJT9"), *["D2", "D3", "C2", "C3"][:cards - 6]])
    for before in ([], [0], [2, 3], [0, 0, 0], [1, 2, 3], [cards, cards], [cards, cards, cards]):
        setup = setup_of(book, hands=[*[""] * len(before), hand], turnup="S2", bids=before)
        yield before, deals(book, ["rules"], 1, setup=setup)[0]["bids"][len(before)]


@pytest.mark.parametrize("cards", [6, 8, 10])
@pytest.mark.parametrize("variant", ["base", "free-discard"])
def test_six_highest_trumps_never_bid_zero(variant, cards):
    assert all(bid > 0 for _, bid in bids_with_six_highest_trumps(variant, cards))


@pytest.mark.parametrize("cards", [6, 8, 10])
@pytest.mark.parametrize("variant", ["base", "free-discard"])
def test_six_highest_trumps_never_bid_below_six_unless_the_hook_forbids_it(variant, cards):
    for before, bid in bids_with_six_highest_trumps(variant, cards):
        is_hooked = cards == 6 and before == [0, 0, 0]
        assert bid >= 6 - is_hooked, before


@pytest.mark.parametrize(("variant", "bid"), [("no-hook", 1), ("base", 2)])
@pytest.mark.parametrize(("boss", "turnup"), [("CA", "C2"), ("CK", "CA")])
@pytest.mark.parametrize("must_trump", ["true", "false"])
def test_a_lone_boss_trump_is_one_trick_and_two_under_the_hook(boss, turnup, must_trump, variant, bid):
    book = load("oh-hell", variant, [f"play.must_trump={must_trump}"])
    setup = setup_of(book, hands=["", "", "", f"{boss} H2 H3 H4 H5 H6 H7"], turnup=turnup, bids=[1, 2, 3])
    assert deals(book, ["rules"], 1, setup=setup)[0]["bids"][3] == bid


# ---------------------------------------------------------------- cards

def card_played(book, hands, **known):
    """Return the card that the seat to play plays in a deal with trump spades; hands as texts, the first leads."""
    setup = setup_of(book, hands=hands, turnup="S2", **known)
    return book.deck.card_text(deals(book, ["rules"], 1, setup=setup)[0]["play"][setup["n_play"][0]])


@pytest.mark.parametrize("variant", ["base", "free-discard"])
@pytest.mark.parametrize(("hand", "best"), [
    ("SA SJ DA", {"SA"}), ("SA S5 H2", {"SA"}), ("SA SK HA", {"SA", "SK"}), ("SA S3 DA HA CA", {"SA"}), ("SK SQ S4 HA", {"SK", "SQ"}),
])
def test_whoever_needs_all_the_rest_leads_the_highest_trump(hand, best, variant):
    cards = len(hand.split())
    assert card_played(load("oh-hell", variant), [hand, "", "", ""], bids=[cards, 0, 0, 1]) in best


@pytest.mark.parametrize("variant", ["base", "free-discard"])
def test_whoever_has_its_tricks_throws_the_boss_card_under(variant):
    book = load("oh-hell", variant)
    hands = ["H5 C2 C3", "S9 D2 D3", "H4 C4 C5", "HA H3 D5"]
    assert card_played(book, hands, bids=[0, 1, 1, 0], play="H5 S9 H4") == "HA"            # the trick is ruffed: the ace can go
    hands = ["H5 C2 C3", "H9 D2 D3", "H4 C4 C5", "HA H3 H8"]
    assert card_played(book, hands, bids=[0, 1, 1, 0], play="H5 H9 H4") == "H8"            # the highest that stays under
    hands = ["C9 H2 H3", "C8 H4 H5", "CT H6 H7", "DA D3 H9"]
    assert card_played(book, hands, bids=[0, 1, 1, 0], play="C9 C8 CT") == "DA"            # void and without a trump: rid of the boss


def test_whoever_needs_all_and_is_last_takes_the_trick():
    book = load("oh-hell", "free-discard")
    hands = ["H5 C2 C3", "H9 D2 D3", "H4 C4 C5", "HA HT H8"]
    assert card_played(book, hands, bids=[0, 0, 1, 3], play="H5 H9 H4") in {"HA", "HT"}
    hands = ["C9 H2 H3", "C8 H4 H5", "CT H6 H7", "SA D3 DA"]
    assert card_played(book, hands, bids=[0, 0, 1, 3], play="C9 C8 CT") == "SA"


@pytest.mark.parametrize(("game", "variant", "players"), [
    ("oh-hell", "free-discard", 4), ("oh-hell", "base", 5), ("jabberwocky", "base", 4), ("israeli-whist", "base", 4),
])
def test_last_to_play_takes_or_ducks_as_it_needs(game, variant, players):
    """The last seat knows: with its tricks in hand it never takes one that it can leave, and with all the rest to win it never leaves one that it can take."""
    book = load(game, variant, players=players)
    facts = deals(book, ["rules"], scaled(3000, 10))
    senseless = []
    for fact in facts[facts["played"] == 1]:
        for seat, need, left, played, alternatives in last_seats(book, fact):
            others_take = {takes for card, takes in alternatives.items() if card != played}
            if (need == 0 and alternatives[played] and False in others_take) or (need == left and not alternatives[played] and True in others_take):
                senseless.append((int(fact["game_no"]), seat, need, left, book.deck.card_text(played)))
    assert senseless == []


def last_seats(book, fact):
    """Yield (seat, tricks it needs, tricks left, card played, {legal card: does it take the trick}) of the last seat of every trick."""
    n, trump = book.players, int(fact["trump"])
    hands = [int(hand) for hand in fact["hands"][:n]]
    tricks = [0] * n
    seat = int(fact["leader"])
    for trick in range(fact["cards"]):
        cards = [int(card) for card in fact["play"][trick * n:trick * n + n]]
        led = cards[0] >> 4

        def strength(card, led=led):
            return (card >> 4 == trump, card >> 4 == led, card & 15)

        best = max(cards[:-1], key=strength)
        last = (seat + n - 1) % n
        own = book.deck.cards(hands[last])
        following = [card for card in own if card >> 4 == led]
        ruffing = [card for card in own if card >> 4 == trump] if book.fields["play"]["must_trump"] else []
        yield last, int(fact["bids"][last]) - tricks[last], fact["cards"] - trick, cards[-1], {
            card: strength(card) > strength(best) for card in following or ruffing or own}
        for k, card in enumerate(cards):
            hands[(seat + k) % n] ^= 1 << card
        seat = (seat + cards.index(max(cards, key=strength))) % n
        tricks[seat] += 1


# ---------------------------------------------------------------- one card, known answers

def share(hits, n):
    return hits / n, 5 * np.sqrt(hits / n * (1 - hits / n) / n)


@statistical
def test_OH_one_card_takes_the_trick_by_order_from_the_leader():
    n = 400_000
    facts = deals(load("oh-hell"), ["random"], n, cards=1)
    for place, chance in enumerate((0.370, 0.211, 0.210, 0.209)):
        hits = (facts["tricks"][np.arange(n), (facts["dealer"] + 1 + place) % 4] == 1).sum()
        found, error = share(hits, n)
        assert abs(found - chance) < error + 0.0005


@statistical
@pytest.mark.parametrize(("players", "card", "turnup", "chance"), [
    (3, "C9", "SK", 0.43102), (4, "C2", "S5", 0.13265), (4, "CA", "S5", 0.43041), (4, "S2", "S5", 0.46628), (4, "SK", "S5", 0.94), (4, "SA", "S5", 1.0),
    (3, "CQ", "S5", 0.514286), (4, "S3", "S5", 0.504082), (4, "S4", "S2", 0.504082), (5, "S6", "S8", 0.535866), (5, "S7", "S5", 0.535866),
])
def test_OH_one_card_leader_wins_as_often_as_the_closed_form_says(players, card, turnup, chance):
    book, n = load("oh-hell", players=players), 100_000
    higher = sum(rank > RANKS.index(card[1]) and card[0] + RANKS[rank] != turnup for rank in range(13))
    ways = 50 - higher if card[0] == turnup[0] else 38 - higher
    exact = comb(ways, players - 1) / comb(50, players - 1)
    assert exact == pytest.approx(chance, abs=5e-6)
    facts = deals(book, ["random"], n, setup=setup_of(book, hands=[card], turnup=turnup), cards=1)
    assert abs(facts["tricks"][:, 0].mean() - exact) <= 5 * np.sqrt(exact * (1 - exact) / n)


@statistical
@pytest.mark.parametrize(("players", "bid_one", "bid_zero"), [
    (3, "SA SK SQ", "C2 C9 CJ"), (4, "S8 SK SA", "CA C2 CT"), (5, "S9 SK SA", "CA C2 S2"),     # 4 players: S2 (.466) is a near tie that the tables do not tell
])
def test_OH_one_card_leader_bids_one_with_a_high_trump_and_zero_with_a_low_card(players, bid_one, bid_zero):
    book = load("oh-hell", players=players)
    for cards, bid in ((bid_one, 1), (bid_zero, 0)):
        for card in cards.split():
            assert deals(book, ["rules"], 1, setup=setup_of(book, hands=[card], turnup="S3"), cards=1)[0]["bids"][0] == bid, card
