"""What the rules let a seat call, bid, name and play, one fact each, by the ids of the rule descriptions."""

import numpy as np
import pytest

from analyzer.rules import load
from analyzer.simulation import Engine, Run
from tests.kernels.tools import deals, legal_cards, moment, scaled

OH_HELL = load("oh-hell", players=3)
JABBERWOCKY = load("jabberwocky", players=3)
WHIST = load("israeli-whist")
SOLO = load("spanish-solo")
# 3 seats with 3 cards, spades trump. Seat 0 leads.
PLAIN = {"hands": ["2.A.4.", "K3..9.", "54..A."], "turnup": "S9", "bids": [0, 0, 0]}


def oh_hell(*settings, players=3):
    return load("oh-hell", settings=settings, players=players)


# ---------------------------------------------------------------- following, ruffing, heading

def test_OH_base_seat_follows_suit():
    assert legal_cards(OH_HELL, "D4", **PLAIN) == {"D9"}


def test_OH_A1_void_seat_must_trump():
    assert legal_cards(OH_HELL, "HA", **PLAIN) == {"SK", "S3"}


def test_OH_A1_void_seat_must_trump_even_under_a_higher_trump():
    assert legal_cards(OH_HELL, "HA SK", **PLAIN) == {"S5", "S4"}


def test_OH_A1_switch_void_seat_plays_anything():
    assert legal_cards(oh_hell("play.must_trump=false"), "HA", **PLAIN) == {"SK", "S3", "D9"}


def test_OH_base_void_seat_without_trumps_plays_anything():
    known = {"hands": ["2.A..", "..9.8", "5..A."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(OH_HELL, "HA", **known) == {"D9", "C8"}


def test_OH_A2_base_does_not_head():
    known = {"hands": [".J4..", ".Q2..", ".K3.."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(OH_HELL, "HJ", **known) == {"HQ", "H2"}


def test_OH_A2_following_seat_heads():
    known = {"hands": [".J4..", ".Q2..", ".K3.."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(oh_hell("play.must_head=true"), "HJ", **known) == {"HQ"}
    assert legal_cards(oh_hell("play.must_head=true"), "HJ HQ", **known) == {"HK"}


def test_OH_A2_following_seat_that_cannot_head_plays_any_of_the_suit():
    known = {"hands": [".A4..", ".Q2..", ".K3.."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(oh_hell("play.must_head=true"), "HA", **known) == {"HQ", "H2"}


def test_OH_A2_nobody_heads_a_trick_that_has_been_trumped():
    known = {"hands": [".J4..", "Q2...", ".K3.."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(oh_hell("play.must_head=true"), "HJ S2", **known) == {"HK", "H3"}


def test_OH_A2_a_ruff_heads_the_trumps():
    known = {"hands": [".J4..", "Q6...", "K3..."], "turnup": "S9", "bids": [0, 0, 0]}
    assert legal_cards(oh_hell("play.must_head=true"), "HJ S6", **known) == {"SK"}
    assert legal_cards(oh_hell("play.must_head=true"), "HJ SQ", **known | {"hands": [".J4..", "Q6...", "T3..."]}) == {"ST", "S3"}


def test_OH_A13_trumps_may_be_led_at_once():
    assert legal_cards(OH_HELL, **PLAIN) == {"S2", "HA", "D4"}


def test_OH_A13_switch_no_trump_lead_in_the_first_trick():
    rules = oh_hell("play.trump_lead=after_first_trick")
    assert legal_cards(rules, **PLAIN) == {"HA", "D4"}
    assert legal_cards(rules, "D4 D9 DA", **PLAIN) == {"S5", "S4"}
    assert legal_cards(rules, "HA S3 S4", **PLAIN) == {"S5", "DA"}


# ---------------------------------------------------------------- breaking trumps

TRUMPS = {"hands": ["2..A4.", "K3..9.", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}


def test_JW_base_trumps_may_not_be_led():
    assert legal_cards(JABBERWOCKY, **TRUMPS) == {"DA", "D4"}


def test_JW_A1_hand_of_trumps_leads_one():
    known = {"hands": ["KQ2...", "J3..9.", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}
    assert legal_cards(JABBERWOCKY, **known) == {"SK", "SQ", "S2"}


def test_JW_A1_a_forced_trump_lead_breaks():
    known = {"hands": ["Q42...", "KJ..9.", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}
    assert legal_cards(JABBERWOCKY, "S2 SK C2", **known) == {"SJ", "D9"}


def test_JW_A2_a_ruff_breaks():
    known = {"hands": ["2..A4.", "K3...9", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}
    assert legal_cards(JABBERWOCKY, "DA S3 D8", **known) == {"SK", "C9"}


def test_JW_A2_a_discard_does_not_break():
    known = {"hands": ["2..A4.", "K3...9", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}
    assert legal_cards(JABBERWOCKY, "DA C9 D8", **known) == {"D4"}


def test_JW_A4_every_deal_of_a_game_starts_unbroken():
    facts, _ = Engine(Run(JABBERWOCKY, ["random"], games=True)).play(0, scaled(50, 1))
    for fact in facts.ravel():
        trumps = 0x1FFF << int(fact["trump"]) * 16
        assert not trumps >> int(fact["play"][0]) & 1 or not int(fact["hands"][fact["leader"]]) & ~trumps


def test_JW_A5_void_seat_need_not_trump():
    known = {"hands": ["2..A4.", "K3...9", "..8.A2"], "turnup": "S9", "bids": [2, 0, 0]}
    assert legal_cards(JABBERWOCKY, "DA", **known) == {"SK", "S3", "C9"}


# ---------------------------------------------------------------- bids and the hook

@pytest.mark.parametrize(("cards", "said", "legal"), [
    (3, [1, 1], [0, 2, 3]), (1, [0, 0], [0]), (1, [1, 0], [1]), (1, [1, 1], [0, 1]), (3, [2, 2], [0, 1, 2, 3]),
])
def test_OH_base_dealer_may_not_make_the_sum_fit(cards, said, legal):
    assert moment(OH_HELL, cards=cards, bids=said).legal_bids == legal


def test_OH_base_only_the_last_bidder_is_hooked():
    assert moment(OH_HELL, cards=3, bids=[3]).legal_bids == [0, 1, 2, 3]
    assert moment(OH_HELL, cards=3).legal_bids == [0, 1, 2, 3]


def test_OH_base_dealers_left_bids_first():
    assert [moment(OH_HELL, cards=3, dealer=1, bids=[0] * k).seat for k in range(3)] == [2, 0, 1]


def test_OH_N3_no_hook():
    assert moment(oh_hell("bidding.hook=none"), cards=3, bids=[1, 1]).legal_bids == [0, 1, 2, 3]


def test_OH_A3_hook_from_a_hand_size_on():
    rules = oh_hell("bidding.hook_min_hand=2")
    assert moment(rules, cards=1, bids=[0, 0]).legal_bids == [0, 1]
    assert moment(rules, cards=2, bids=[0, 0]).legal_bids == [0, 1]


def test_OH_A4_nobody_bids_last_in_secret():
    for mode in ("secret", "simultaneous"):
        assert moment(oh_hell(f"bidding.mode={mode}"), cards=3, bids=[1, 1]).legal_bids == [0, 1, 2, 3]


def test_OH_A5_bids_are_unseen_while_all_write():
    for mode in ("secret", "simultaneous"):
        table = moment(oh_hell(f"bidding.mode={mode}"), cards=3, bids=[1, 2]).table
        assert table["bids"][:3].tolist() == [-1, -1, -1]
        assert table["bid_sum"] == 0


def test_OH_A5_simultaneous_bids_lie_open_in_play():
    known = {"hands": PLAIN["hands"], "turnup": "S9", "bids": [1, 2, 0]}
    assert moment(oh_hell("bidding.mode=simultaneous"), **known).table["bids"][:3].tolist() == [1, 2, 0]


def test_OH_hook_must_exceed():
    assert moment(oh_hell("bidding.hook=must_exceed"), cards=3, bids=[1, 1]).legal_bids == [2, 3]
    assert moment(oh_hell("bidding.hook=must_exceed"), cards=3, bids=[0, 0]).legal_bids == [0, 1, 2, 3]      # nothing exceeds: free


def test_OH_hook_coop_equal():
    assert moment(oh_hell("bidding.hook=coop_equal"), cards=3, bids=[1, 1]).legal_bids == [1]
    assert moment(oh_hell("bidding.hook=coop_equal"), cards=3, bids=[2, 2]).legal_bids == [0, 1, 2, 3]


# ---------------------------------------------------------------- trump of Oh Hell

def test_OH_base_turnup_is_trump_and_out_of_play():
    facts = deals(OH_HELL, ["random"], scaled(500, 20))
    assert (facts["trump"] == facts["turnup"] >> 4).all()
    assert not (facts["hands"] >> facts["turnup"][:, None] & 1).any()


def test_OH_A11_full_deal_has_no_trump():
    facts = deals(oh_hell(players=4), ["random"], scaled(50, 3), cards=13)
    assert (facts["trump"] == 4).all()
    assert (facts["turnup"] == -1).all()


def test_OH_A11_dealers_last_card():
    facts = deals(oh_hell("trump.when_exhausted=dealer_last", players=4), ["random"], scaled(200, 4), cards=13)
    dealers_hand = facts["hands"][np.arange(len(facts)), facts["dealer"]]
    assert (dealers_hand >> facts["turnup"] & 1).all()
    assert (facts["trump"] == facts["turnup"] >> 4).all()


def test_OH_A11_cut():
    facts = deals(oh_hell("trump.when_exhausted=cut", players=4), ["random"], scaled(200, 8), cards=13)
    assert set(facts["trump"]) <= {0, 1, 2, 3}
    assert (facts["turnup"] == -1).all()
    if len(facts) > 50:
        assert set(facts["trump"]) == {0, 1, 2, 3}


# ---------------------------------------------------------------- the Israeli Whist auction

def whist(*settings):
    return load("israeli-whist", settings=settings)


def test_IW_A1_dealers_left_speaks_first():
    assert moment(WHIST, dealer=1).seat == 2
    assert moment(whist("auction.first=dealer"), dealer=1).seat == 1


def test_IW_base_lowest_call_beats_the_highest():
    assert moment(WHIST).lowest_call == "5C"
    assert moment(WHIST, calls="5H").lowest_call == "5S"
    assert moment(WHIST, calls="5NT").lowest_call == "6C"
    assert moment(WHIST, calls="5H 5D").decision == "fault"
    assert moment(WHIST, calls="5H 5H").decision == "fault"
    assert moment(WHIST, calls="4NT").decision == "fault"


def test_IW_N1_passed_seat_may_come_back():
    assert moment(WHIST, calls="pass 5C pass pass").seat == 0
    assert moment(WHIST, calls="pass 5C pass pass 5D").seat == 1


def test_IW_A3_without_reentry_passed_seats_are_skipped():
    rules = whist("auction.reentry=false")
    assert moment(rules, calls="pass 5C 5D pass").seat == 1
    assert moment(rules, calls="pass 5C 5D pass pass").seat == 2       # end_passes 4: one turn more to raise
    assert moment(rules, calls="pass 5C 5D pass pass pass").decision == "bid"


def test_IW_A3_without_reentry_last_bidder_may_raise_after_each_own_bid():
    rules = whist("auction.reentry=false")
    now = moment(rules, calls="pass 5C pass pass 6C")
    assert (now.decision, now.seat, now.lowest_call) == ("call", 1, "6D")


def test_IW_A3_without_reentry_three_passes_stop_at_once():
    rules = whist("auction.reentry=false", "auction.end_passes=3")
    assert moment(rules, calls="pass 5C pass pass").decision == "bid"
    assert moment(rules, calls="5C pass 5D pass").seat == 0
    assert moment(rules, calls="5C pass 5D pass pass").decision == "bid"


def test_IW_A2_bidder_may_raise_himself():
    now = moment(WHIST, calls="5C pass pass pass")
    assert (now.decision, now.seat, now.lowest_call) == ("call", 0, "5D")
    now = moment(WHIST, calls="5C pass pass pass 6C")
    assert (now.decision, now.seat) == ("call", 1)


def test_IW_A2_four_passes_end():
    now = moment(WHIST, calls="5C pass pass pass pass")
    assert now.decision == "bid"
    assert (now.table["declarer"], now.facts["declarer"]) == (0, 0)


def test_IW_A2_switch_three_passes_end():
    rules = whist("auction.end_passes=3")
    assert moment(rules, calls="5C pass pass").decision == "call"
    assert moment(rules, calls="5C pass pass pass").decision == "bid"


def test_IW_base_13NT_ends_the_auction():
    for settings in ([], ["auction.end_passes=3"], ["auction.reentry=false"]):
        now = moment(whist(*settings), calls="pass 13NT")
        assert (now.decision, now.table["declarer"]) == ("bid", 1)


def test_IW_base_four_passes_without_a_bid_throw_the_deal_in():
    for settings in ([], ["auction.end_passes=3"], ["auction.reentry=false"]):
        assert moment(whist(*settings), calls="pass pass pass").seat == 3
        now = moment(whist(*settings), calls="pass pass pass pass")
        assert (now.decision, now.facts["played"]) == ("none", 0)


def test_IW_A3_forced_last_seat_must_bid():
    rules = whist("auction.forced_last=true")
    assert moment(rules, calls="pass pass").may_pass
    assert not moment(rules, calls="pass pass pass").may_pass
    assert moment(rules, calls="pass pass pass pass").decision == "fault"
    assert moment(rules, calls="pass pass pass 5C").may_pass
    assert moment(WHIST, calls="pass pass pass").may_pass


# ---------------------------------------------------------------- Israeli Whist bids

CLOSED = "pass 6S pass pass pass pass"      # seat 1 is declarer, 6 tricks


def test_IW_base_declarers_left_bids_first_and_declarer_is_silent():
    assert [moment(WHIST, calls=CLOSED, bids=[0] * k).seat for k in range(3)] == [2, 3, 0]
    now = moment(WHIST, calls=CLOSED, bids=[0, 0, 0])
    assert now.decision == "card"
    assert now.table["bids"][:4].tolist() == [0, 6, 0, 0]


def test_IW_base_declarer_leads_and_his_denomination_is_trump():
    now = moment(WHIST, calls=CLOSED, bids=[0, 0, 0])
    assert (now.seat, now.table["leader"], now.table["trump"]) == (1, 1, 3)


def test_IW_A13_bids_go_from_0_to_13():
    assert moment(WHIST, calls=CLOSED).legal_bids == list(range(14))


def test_IW_A4_declarer_bids_first_and_at_least_his_call():
    rules = whist("contract.declarer_rebids=at_least")
    now = moment(rules, calls=CLOSED)
    assert (now.seat, now.legal_bids) == (1, list(range(6, 14)))
    assert [moment(rules, calls=CLOSED, bids=[7, 0, 0][:k]).seat for k in range(1, 4)] == [2, 3, 0]


def test_IW_A6_sum_may_fit():
    assert 3 in moment(WHIST, calls=CLOSED, bids=[2, 2]).legal_bids


def test_IW_A6_hook13_binds_the_last_speaker():
    for settings in (["contract.hook13=last_speaker"], ["contract.hook13=last_speaker", "contract.declarer_rebids=at_least"]):
        bids = [2, 2] if len(settings) == 1 else [6, 2, 2]
        now = moment(whist(*settings), calls=CLOSED, bids=bids)
        assert now.seat == 0                       # declarer's right
        assert now.legal_bids == [bid for bid in range(14) if bid != 3]


def test_IW_question_with_a_known_contract():
    now = moment(WHIST, contract=1 + 5 * 5 + 3, declarer=2, bids=[1])
    assert (now.decision, now.seat, now.table["trump"]) == ("bid", 0, 3)
    assert now.table["bids"][:4].tolist() == [-1, -1, 6, 1]


# ---------------------------------------------------------------- gulash

HANDS = ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"]
GIVEN = ["S2 S3 S4", "H2 H3 H4", "D2 D3 D4", "C2 C3 C4"]


def gulash(*settings):
    return load("israeli-whist", "gulash", settings)


@pytest.mark.parametrize(("direction", "received"), [("right", ".432.."), ("left", "...432"), ("across", "..432.")])
def test_IW_A9_cards_go_to_the_right_or_elsewhere(direction, received):
    now = moment(gulash(f"gulash.direction={direction}"), hands=HANDS, calls="pass pass pass pass", gulash=[GIVEN])
    kept = "AKQJT98765"
    assert (now.decision, now.seat) == ("call", 0)              # IW-A8: fresh auction, dealer's left first
    assert now.hand == ".".join([kept, *received.split(".")[1:]])


def test_IW_V1_every_seat_hands_over_before_it_looks():
    now = moment(gulash(), hands=HANDS, calls="pass pass pass pass")
    assert (now.decision, now.seat, now.hand) == ("gulash", 0, HANDS[0])
    now = moment(gulash(), hands=HANDS, calls="pass pass pass pass", gulash=[[*GIVEN[:3], ""]])
    assert (now.decision, now.seat, now.hand) == ("gulash", 3, HANDS[3])


def test_IW_V1_two_gulashes_then_the_deal_is_thrown_in():
    second = ["H2 H3 H4", "D2 D3 D4", "C2 C3 C4", "S2 S3 S4"]
    now = moment(gulash(), hands=HANDS, calls="pass " * 12, gulash=[GIVEN, second])
    assert (now.decision, now.facts["played"], now.facts["n_gulash"]) == ("none", 0, 2)
    assert now.facts["gulash_after"][:2].tolist() == [4, 8]
    assert now.facts["scores"].tolist() == [0] * 7


def test_IW_V1_a_card_that_is_not_held_is_refused():
    now = moment(gulash(), hands=HANDS, calls="pass pass pass pass", gulash=[["H2 S3 S4", *GIVEN[1:]]])
    assert now.decision == "fault"
    now = moment(gulash(), hands=HANDS, calls="pass pass pass pass", gulash=[["S3 S4", *GIVEN[1:]]])
    assert now.decision == "fault"


def test_IW_A9_lowest_bid_rises_with_every_gulash():
    now = moment(gulash("gulash.min_bid_step=1"), hands=HANDS, calls="pass pass pass pass", gulash=[GIVEN])
    assert now.lowest_call == "6C"


# ---------------------------------------------------------------- the Spanish Solo auction

def test_SS_base_dealers_right_speaks_first():
    assert moment(SOLO, dealer=1).seat == 2
    assert moment(SOLO).lowest_call == "juego"


def test_SS_base_a_pass_is_final():
    assert moment(SOLO, calls="juego pass bola").seat == 0
    assert moment(SOLO, calls="juego pass bola sin-pedir").seat == 2


def test_SS_base_every_pass_costs_a_chip():
    assert [moment(SOLO, pool=3, calls=calls).table["pool"] for calls in ("", "pass", "pass juego", "pass juego pass")] == [3, 4, 4, 5]


def test_SS_A15_antes_lie_in_the_pool_before_the_first_call():
    assert moment(load("spanish-solo", "parlett"), pool=3).table["pool"] == 6


def test_SS_A8_last_seat_may_pass():
    now = moment(SOLO, calls="pass pass")
    assert (now.seat, now.may_pass, now.lowest_call) == (2, True, "juego")


def test_SS_A8_last_seat_may_bid_and_is_soloist_at_once():
    now = moment(SOLO, calls="pass pass juego")
    assert (now.decision, now.seat, now.table["declarer"]) == ("trump", 2, 2)


def test_SS_A9_others_pass_after_the_highest_call():
    now = moment(SOLO, calls="sin-pedir-diamonds")
    assert (now.decision, now.seat, now.lowest_call, now.may_pass) == ("call", 1, "", True)
    assert moment(SOLO, calls="sin-pedir-diamonds pass pass").table["pool"] == 2


def test_SS_A10_soloist_may_not_raise_himself():
    now = moment(SOLO, calls="juego pass pass")
    assert (now.decision, now.seat) == ("trump", 0)


# ---------------------------------------------------------------- trump, exchange and lead of Spanish Solo

def test_SS_A7_suits_of_a_contract():
    assert moment(SOLO, calls="juego pass pass").legal_trumps == "CHS"
    assert moment(SOLO, calls="juego-diamonds pass pass").legal_trumps == "D"
    assert moment(SOLO, calls="juego pass pass", trump="D").decision == "fault"
    assert moment(SOLO, calls="juego pass pass", trump="NT").decision == "fault"


def test_SS_A12_dealer_names_any_suit_where_all_passed():
    now = moment(SOLO, dealer=1, calls="pass pass pass")
    assert (now.decision, now.seat, now.legal_trumps) == ("trump", 1, "CDHS")


SOLO_HANDS = ["7AKQJ6543.7AK..", ".QJ6543.7AKQJ6.", "..543.7AKQJ6543"]
BOLA = {"hands": SOLO_HANDS, "calls": "bola pass pass"}


def test_SS_A3_soloist_asks_for_a_card_he_does_not_hold():
    assert moment(SOLO, **BOLA, trump="S").decision == "ask"
    assert moment(SOLO, **BOLA, trump="S", asked="HA").decision == "fault"
    assert moment(SOLO, **BOLA, trump="S", asked="HQ").decision == "give"


def test_SS_A4_any_of_the_13_cards_goes_back():
    now = moment(SOLO, **BOLA, trump="S", asked="HQ")
    assert now.hand == "7AKQJ6543.7AKQ.."
    assert moment(SOLO, **BOLA, trump="S", asked="HQ", given="HQ").decision == "card"
    assert moment(SOLO, **BOLA, trump="S", asked="HQ", given="HJ").decision == "fault"


def test_SS_base_exchange_changes_two_hands():
    now = moment(SOLO, **BOLA, trump="S", asked="C7", given="S3", play="S7")
    assert (now.seat, now.facts["asked_from"]) == (1, 2)
    now = moment(SOLO, **BOLA, trump="S", asked="C7", given="S3", play="S7 HQ")
    assert now.hand == "3..543.AKQJ6543"


def test_SS_A5_trump_first_or_later():
    later = load("spanish-solo", settings=["bola.trump_first=false"])
    assert moment(SOLO, **BOLA).decision == "trump"
    assert moment(later, **BOLA).decision == "ask"
    assert moment(later, **BOLA, asked="HQ", given="S3").decision == "trump"


@pytest.mark.parametrize("calls", ["juego pass pass", "pass bola pass", "pass pass sin-pedir", "pass pass pass"])
def test_SS_A11_dealers_right_leads_whoever_is_soloist(calls):
    bola = {"asked": "S7", "given": "S7"} if "bola" in calls else {}
    now = moment(SOLO, hands=[*SOLO_HANDS[1:], SOLO_HANDS[0]], dealer=1, calls=calls, trump="S", **bola)
    assert (now.decision, now.seat, now.table["leader"]) == ("card", 2, 2)


def test_SS_A6_trump_is_known_before_the_lead():
    assert moment(SOLO, calls="juego pass pass", trump="H").table["trump"] == 2
