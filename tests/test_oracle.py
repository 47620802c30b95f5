"""The referee against the worked examples of rules.md and the public cases of field.md, and against records with one thing wrong."""

import json
from copy import deepcopy
from fractions import Fraction
from itertools import permutations
from math import factorial
from random import Random

import pytest

from tests import oracle
from tests.oracle import auction_state, deal_scores, legal_bids, legal_cards, perft, random_record, replay, rules_of, score, trick_winner

ISRAELI_WHIST = rules_of("israeli-whist")
OH_HELL = rules_of("oh-hell")
JABBERWOCKY = rules_of("jabberwocky")
SPANISH_SOLO = rules_of("spanish-solo")


def cards(text):
    return set(text.split())


def on_table(text):
    return list(enumerate(text.split()))


def whist_score(bid, tricks, total, **score_fields):
    return score(rules_of("israeli-whist", {"score": score_fields}), bid, tricks, total, 13, 4, 13)


def hell_score(bid, tricks, h, **score_fields):
    return score(rules_of("oh-hell", {"score": score_fields}), bid, tricks, h + 1, h, 4, 13)


# -------------------------------------------------------------------------------------------------------------- Israeli Whist, scores


@pytest.mark.parametrize(
    ("bid", "tricks", "total", "points"),
    [
        (4, 4, 12, 26), (5, 7, 12, -20), (6, 4, 12, -20), (0, 4, 12, -20), (0, 0, 12, 50), (0, 0, 13, 30), (0, 0, 14, 30),
        (0, 1, 14, -50), (0, 6, 10, 0), (0, 7, 10, 10), (13, 13, 13, 179), (1, 0, 14, -10),
        (3, 3, 12, 19), (5, 3, 12, -20), (0, 3, 12, -30),
    ],
)  # fmt: skip
def test_IW_base_score(bid, tricks, total, points):
    assert whist_score(bid, tricks, total) == points


def test_IW_base_made_bids():
    assert [whist_score(bid, bid, 14) for bid in range(1, 14)] == [11, 14, 19, 26, 35, 46, 59, 74, 91, 110, 131, 154, 179]


def test_IW_A15_failed_zero_turns_positive_from_seven_tricks():
    assert [whist_score(0, tricks, 14) for tricks in range(1, 9)] == [-50, -40, -30, -20, -10, 0, 10, 20]


@pytest.mark.parametrize(
    ("bids", "tricks", "points"),
    [
        ([5, 3, 2, 2], [5, 3, 3, 2], [35, 19, -10, 14]),
        ([6, 4, 3, 0], [6, 4, 3, 0], [46, 26, 19, 30]),
        ([6, 4, 4, 0], [6, 4, 3, 0], [46, 26, -10, 30]),
        ([5, 3, 2, 0], [6, 4, 3, 0], [-10, -10, -10, 50]),
        ([5, 3, 4, 0], [7, 2, 0, 4], [-20, -10, -40, -20]),
    ],
)
def test_IW_base_scores_of_full_deals(bids, tricks, points):
    assert deal_scores(ISRAELI_WHIST, bids, tricks) == points


def test_IW_N2_exactly_13_counts_as_over_or_by_switch_as_under():
    under = rules_of("israeli-whist", {"contract": {"exact13": "under"}})
    assert score(ISRAELI_WHIST, 0, 0, 13, 13, 4, 13) == 30
    assert score(under, 0, 0, 13, 13, 4, 13) == 50


def test_IW_V2_all_four_miss_scores_zero():
    rules = rules_of("israeli-whist", {"score": {"all_fail_zero": True}})
    assert deal_scores(rules, [5, 3, 2, 0], [6, 4, 2, 1]) == [-10, -10, 14, -50]
    assert deal_scores(rules, [5, 3, 2, 0], [6, 2, 4, 1]) == [0, 0, 0, 0]


def test_IW_V3_made_bid_without_ten():
    assert whist_score(4, 4, 12, made_const=0) == 16


def test_IW_V4_five_a_trick():
    assert whist_score(5, 7, 12, miss_per_trick=5) == -10


def test_IW_V5_made_zero_over_25():
    assert whist_score(0, 0, 14, zero_made_over=25) == 25
    assert whist_score(0, 0, 12, zero_made_over=25) == 50


def test_IW_V6_missed_zero():
    miss = {"base": -25, "per_trick": 5, "free": 0}
    assert [whist_score(0, tricks, 14, zero_miss=miss) for tricks in range(1, 7)] == [-20, -15, -10, -5, 0, 5]


def test_IW_W4_flat_missed_zero_and_another_one_over():
    flat = {"zero_miss": {"base": -50, "per_trick": 0}, "zero_miss_over": {"base": -25, "per_trick": 0}}
    assert whist_score(0, 3, 12, **flat) == -50
    assert whist_score(0, 3, 14, **flat) == -25


def test_IW_W6_all_make_or_all_miss_doubles():
    rules = rules_of("israeli-whist", {"score": {"all_same_double": True}})
    assert deal_scores(rules, [6, 4, 3, 0], [6, 4, 3, 0]) == [92, 52, 38, 60]
    assert deal_scores(rules, [5, 3, 2, 0], [6, 2, 4, 1]) == [-20, -20, -40, -100]
    assert deal_scores(rules, [5, 3, 2, 0], [6, 4, 3, 0]) == [-10, -10, -10, 50]


# ------------------------------------------------------------------------------------------------------------- Israeli Whist, auction


def whist_auction(calls, dealer=3, gulashes=0, **fields):
    """Return the state after calls like "0 pass 1 5H", seat by seat."""
    words = calls.split()
    rules = rules_of("israeli-whist", {"auction": fields, "gulash": {"min_bid_step": 1}})
    return auction_state(rules, dealer, list(zip(map(int, words[::2]), words[1::2], strict=True)), gulashes)


def test_IW_base_order_of_bids():
    assert [oracle.call_rank(call) for call in ("5C", "5NT", "6C", "13NT")] == [0, 4, 5, 44]
    assert len(auction_state(ISRAELI_WHIST, 0, []).legal) == 46


def test_IW_A1_first_caller():
    assert whist_auction("", dealer=2).turn == 3
    assert whist_auction("", dealer=2, first="dealer").turn == 2


def test_IW_base_a_bid_must_beat_the_high_bid():
    legal = whist_auction("0 6H").legal
    assert "6S" in legal
    assert "6H" not in legal
    assert "5NT" not in legal


def test_IW_A2_four_passes_end_so_the_bidder_speaks_again():
    assert whist_auction("0 5H 1 pass 2 pass 3 pass").turn == 0
    assert whist_auction("0 5H 1 pass 2 pass 3 pass 0 6H").turn == 1
    assert whist_auction("0 5H 1 pass 2 pass 3 pass 0 pass").turn is None


def test_IW_A2_three_passes_end_by_switch():
    assert whist_auction("0 5H 1 pass 2 pass 3 pass", end_passes=3).turn is None
    assert whist_auction("0 pass 1 pass 2 pass", end_passes=3).turn == 3


def test_IW_N1_passed_seat_may_bid_again():
    assert whist_auction("0 pass 1 5H 2 pass 3 pass").turn == 0
    assert whist_auction("0 pass 1 5H 2 pass 3 pass", reentry=False).turn == 1


def test_IW_A3_last_seat_in_the_auction():
    three_passed = "0 pass 1 pass 2 pass"
    assert whist_auction(three_passed, reentry=False, end_passes=3).turn == 3
    assert whist_auction(f"{three_passed} 3 5C", reentry=False, end_passes=3).turn is None
    assert whist_auction(f"{three_passed} 3 5C", reentry=False).turn == 3
    assert whist_auction(f"{three_passed} 3 5C 3 6C", reentry=False).turn == 3
    assert whist_auction(f"{three_passed} 3 5C 3 pass", reentry=False).turn is None


def test_IW_A3_forced_last_must_bid():
    assert "pass" not in whist_auction("0 pass 1 pass 2 pass", forced_last=True).legal
    assert "pass" in whist_auction("0 pass 1 pass", forced_last=True).legal


def test_IW_base_13NT_ends_the_auction():
    assert whist_auction("0 13NT").turn is None


def test_IW_base_four_passes_end_without_a_bid():
    state = whist_auction("0 pass 1 pass 2 pass 3 pass")
    assert (state.turn, state.high) == (None, None)


def test_IW_A9_minimum_rises_with_each_gulash():
    assert whist_auction("", gulashes=1).legal[:2] == ["pass", "6C"]
    assert whist_auction("", gulashes=3).legal[:2] == ["pass", "8C"]


def test_IW_W9_lower_opening():
    assert whist_auction("", min_bid=4).legal[:2] == ["pass", "4C"]


@pytest.mark.parametrize(("others", "forbidden"), [(10, {3}), (5, {8}), (14, set())])
def test_IW_A6_hook_at_13(others, forbidden):
    rules = rules_of("israeli-whist", {"contract": {"hook13": "last_speaker"}})
    assert set(range(14)) - legal_bids(rules, 13, others, last=True) == forbidden
    assert legal_bids(ISRAELI_WHIST, 13, others, last=True) == set(range(14))


# -------------------------------------------------------------------------------------------------------------------------- Oh Hell


@pytest.mark.parametrize(("bid", "tricks", "points"), [(0, 0, 10), (0, 1, 1), (3, 3, 13), (3, 1, 1), (3, 5, 5)])
def test_OH_base_score(bid, tricks, points):
    assert hell_score(bid, tricks, 7) == points


def test_OH_N4_missed_bid_scores_nothing():
    assert [hell_score(*case, 7, system="exact") for case in ((0, 1), (3, 1), (3, 3))] == [0, 0, 13]


@pytest.mark.parametrize(
    ("bid", "tricks", "h", "points"),
    [(10, 10, 10, 60), (9, 9, 10, 34), (3, 3, 10, 8), (0, 0, 10, 5), (4, 2, 10, 2), (4, 4, 4, 9), (5, 5, 5, 55), (4, 4, 5, 29)],
)
def test_OH_N5_slam_score(bid, tricks, h, points):
    assert hell_score(bid, tricks, h, system="slam") == points


FORMULAS = {      # id of rules.md 2.4: made, short, beyond and what they give for b=3 made, 2, 5 and b=0 made, 1 with 7 cards
    "S1": ("10+t", "t", "t", [13, 2, 5, 10, 1]),
    "S2": ("5+t", "t", "t", [8, 2, 5, 5, 1]),
    "S3": ("10+b", "0", "0", [13, 0, 0, 10, 0]),
    "S4": ("10+b", "-b", "-b", [13, -3, -3, 10, 0]),
    "S5": ("10*b if b else 5", "-10*b", "-10*b if b else -5", [30, -30, -30, 5, -5]),
    "S6": ("11*b if b >= 3 else 22 if b == 2 else 15 if b == 1 else 10", "t", "t", [33, 2, 5, 10, 1]),
    "S7": ("10+b", "-b", "0", [13, -3, 0, 10, 0]),
    "S8": ("10+5*b", "-5*b", "-5*b if b > 0 else -10", [25, -15, -15, 10, -10]),
    "S9": ("10+b", "-10", "t", [13, -10, 5, 10, 1]),
    "S10": ("10+b", "-(b+10*abs(d))", "-(b+10*abs(d))", [13, -13, -23, 10, -10]),
    "S11": ("10+t if b else 5", "t", "t", [13, 2, 5, 5, 1]),
    "S12": ("10+t if b else 5+h", "t", "t", [13, 2, 5, 12, 1]),
    "S13": ("10+b**2", "t", "t", [19, 2, 5, 10, 1]),
    "S14": ("10+2*t", "0", "0", [16, 0, 0, 10, 0]),
    "S15": ("0", "abs(d)*(abs(d)+1)/2", "abs(d)*(abs(d)+1)//2", [0, 1, 3, 0, 1]),
    "S16": ("0", "d*d", "d*d", [0, 1, 4, 0, 1]),
    "S17": ("0", "h", "h", [0, 7, 7, 0, 7]),
    "S18": ("b if b else 0.5", "-abs(d)", "-abs(d)", [3, -1, -2, Fraction(1, 2), -1]),
    "S19": ("10", "0", "0", [10, 0, 0, 10, 0]),
    "S20": ("20 if h > n and b == 0 else 10", "0", "-10 if h > n and b == 0 else 0", [10, 0, 0, 20, -10]),
    "S21": ("b+h", "0", "0", [10, 0, 0, 7, 0]),
    "S22": ("10+b", "-abs(d)", "-abs(d)", [13, -1, -2, 10, -1]),
    "S23": ("10+b*b", "-d*d", "-d*d", [19, -1, -4, 10, -1]),
    "S24": ("b", "-max(b, t)", "-max(b, t)", [3, -3, -5, 0, -1]),
    "S25": ("10*b if b > 0 else 5", "10*d", "t", [30, -10, 5, 5, 1]),
    "S26": ("t+hmax+1-h", "t", "t", [10, 2, 5, 7, 1]),      # first deal of 13 cards
    "S27": ("10+5*t", "-10-15*(abs(d)-1)", "-10-15*(abs(d)-1)", [25, -10, -25, 10, -10]),
    "S30": ("10+b", "0", "t", [13, 0, 5, 10, 1]),
    "S30b": ("10+b", "0", "d", [13, 0, 2, 10, 1]),
    "S31": ("10+b", "-(10+b)", "-(10+b)", [13, -13, -13, 10, -10]),
    "S32": ("t+10", "t-5", "t-5", [13, -3, 0, 10, -4]),
    "S33": ("5+b", "-abs(d)", "-abs(d)", [8, -1, -2, 5, -1]),
    "S36": ("20+10*b", "-10*abs(d)", "-10*abs(d)", [50, -10, -20, 20, -10]),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_OH_S_formula_scores(name):
    made, short, beyond, points = FORMULAS[name]
    cases = [(3, 3), (3, 2), (3, 5), (0, 0), (0, 1)]
    assert [hell_score(*case, 7, system="formula", made=made, short=short, beyond=beyond) for case in cases] == points


def test_OH_S28_nil_in_a_full_deal():
    basas = {"system": "formula", "made": "10 + b*b + (35 if h == hmax and not b else 0)", "short": "-3*abs(d)"}
    basas["beyond"] = "-10 if h == hmax and b == 0 else -3*abs(d)"
    assert [hell_score(0, 0, 13, **basas), hell_score(0, 2, 13, **basas), hell_score(0, 0, 12, **basas)] == [45, -10, 10]


def test_OH_S34_zero_by_over_and_under():
    rules = rules_of("oh-hell", {"score": {"system": "formula", "made": "10+b*b if b else 50 if under else 30 if over else 0"}})
    assert [score(rules, 0, 0, total, 7, 4, 13) for total in (6, 7, 8)] == [50, 0, 30]


def test_formula_is_arithmetic_only():
    for formula in ("__import__('os')", "b.real", "x + 1", "sum([b])", "b @ t", "b +"):
        with pytest.raises(oracle.ReplayError):
            oracle.evaluate(formula, {"b": 1, "t": 2})


@pytest.mark.parametrize(
    ("others", "h", "forbidden"),
    [(2, 3, {1}), (0, 1, {1}), (1, 1, {0}), (2, 1, set()), (4, 3, set()), (9, 10, {1}), (3, 5, {2}), (6, 5, set()), (6, 7, {1}), (5, 6, {1})],
)
def test_OH_base_hook(others, h, forbidden):
    assert set(range(h + 1)) - legal_bids(OH_HELL, h, others, last=True) == forbidden
    assert legal_bids(OH_HELL, h, others, last=False) == set(range(h + 1))


def hook(h, others, **bidding):
    return legal_bids(rules_of("oh-hell", {"bidding": bidding}), h, others, last=True)


def test_OH_N3_no_hook():
    assert hook(3, 2, hook="none") == {0, 1, 2, 3}


def test_OH_A3_hook_from_a_hand_size_on():
    assert hook(1, 0, hook_min_hand=2) == {0, 1}
    assert hook(2, 1, hook_min_hand=2) == {0, 2}


def test_OH_A4_no_hook_with_secret_or_simultaneous_bids():
    assert hook(3, 2, mode="secret") == {0, 1, 2, 3}
    assert hook(3, 2, mode="simultaneous") == {0, 1, 2, 3}


def test_OH_hook_must_exceed():
    assert hook(3, 2, hook="must_exceed") == {2, 3}
    assert hook(3, 4, hook="must_exceed") == {0, 1, 2, 3}
    assert hook(3, 0, hook="must_exceed") == {0, 1, 2, 3}       # no bid exceeds


def test_OH_hook_coop_equal():
    assert hook(3, 2, hook="coop_equal") == {1}
    assert hook(3, 4, hook="coop_equal") == {0, 1, 2, 3}        # no bid fits


def test_OH_A1_void_seat_must_trump():
    hand, trick = cards("S2 D3"), on_table("CK")
    assert legal_cards(OH_HELL, hand, trick, "S", False, 0) == cards("S2")
    assert legal_cards(OH_HELL, hand, trick, "NT", False, 0) == hand
    assert legal_cards(JABBERWOCKY, hand, trick, "S", False, 0) == hand


def test_OH_base_follow_without_duty_to_beat_or_overtrump():
    assert legal_cards(OH_HELL, cards("C2 CA D3 S4"), on_table("CK"), "S", False, 0) == cards("C2 CA")
    assert legal_cards(OH_HELL, cards("D3 S4 SK"), on_table("CK S9"), "S", False, 0) == cards("S4 SK")


def test_OH_A2_must_head():
    rules = rules_of("oh-hell", {"play": {"must_head": True}})

    def legal(hand, trick):
        return legal_cards(rules, cards(hand), on_table(trick), "S", False, 0)

    assert legal("C2 CQ CA", "CJ") == cards("CQ CA")
    assert legal("C2 C3", "CJ") == cards("C2 C3")
    assert legal("C2 CA", "CJ S3") == cards("C2 CA")            # the trick has been trumped
    assert legal("S2 SQ", "SJ") == cards("SQ")                  # trump led is not a trumped trick
    assert legal("S2 S9 D4", "CJ S3") == cards("S9")
    assert legal("S2 D4", "CJ S3") == cards("S2")
    assert legal("D4 H4", "CJ S3") == cards("D4 H4")


def test_OH_A2_must_head_without_must_trump_leaves_a_void_seat_free():
    rules = rules_of("oh-hell", {"play": {"must_head": True, "must_trump": False}})
    assert legal_cards(rules, cards("S2 S9 D4"), on_table("CJ S3"), "S", False, 0) == cards("S2 S9 D4")


def test_OH_A13_trump_lead_after_the_first_trick():
    rules = rules_of("oh-hell", {"play": {"trump_lead": "after_first_trick"}})
    assert legal_cards(rules, cards("S2 D4"), [], "S", False, 0) == cards("D4")
    assert legal_cards(rules, cards("S2 S4"), [], "S", False, 0) == cards("S2 S4")
    assert legal_cards(rules, cards("S2 D4"), [], "S", False, 1) == cards("S2 D4")
    assert legal_cards(OH_HELL, cards("S2 D4"), [], "S", False, 0) == cards("S2 D4")


def test_OH_base_largest_hands_of_the_schedules():
    assert [oracle.largest_hand(OH_HELL, n) for n in range(3, 8)] == [17, 13, 10, 8, 7]
    table = rules_of("oh-hell", {"schedule": "down_up"})
    assert [oracle.largest_hand(table, n) for n in range(3, 8)] == [10, 10, 10, 8, 7]
    assert oracle.largest_hand(rules_of("oh-hell", {"schedule": {"4": [1, 3, 5]}}), 4) == 5
    assert oracle.largest_hand(JABBERWOCKY, 5) == 9


def test_trick_goes_to_the_highest_trump_else_to_the_suit_led():
    assert trick_winner([(2, "C9"), (3, "CT"), (0, "DA")], "NT", oracle.FRENCH_RANKS) == 3
    assert trick_winner([(2, "C9"), (3, "CT"), (0, "D2")], "D", oracle.FRENCH_RANKS) == 0
    assert trick_winner([(1, "HA"), (2, "H7"), (0, "HK")], "D", oracle.SPANISH_RANKS) == 2


# ----------------------------------------------------------------------------------------------------------------------- Jabberwocky


def test_JW_base_score():
    assert [score(JABBERWOCKY, bid, tricks, 4, 5, 4, 9) for bid, tricks in ((0, 0), (3, 3), (3, 4))] == [1, 1, 0]


def test_JW_base_hook():
    assert legal_bids(JABBERWOCKY, 3, 2, last=True) == {0, 2, 3}


def test_JW_base_trumps_locked_until_broken():
    assert legal_cards(JABBERWOCKY, cards("S2 D4"), [], "S", False, 3) == cards("D4")
    assert legal_cards(JABBERWOCKY, cards("S2 D4"), [], "S", True, 3) == cards("S2 D4")


def test_JW_A1_only_trumps_may_be_led():
    assert legal_cards(JABBERWOCKY, cards("S2 S4"), [], "S", False, 0) == cards("S2 S4")


# ---------------------------------------------------------------------------------------------------------------------- Spanish Solo


@pytest.mark.parametrize(
    ("contract", "won", "pool", "chips", "pool_after"),
    [
        ("juego", True, 5, [9, -2, -2], 0),
        ("juego", False, 5, [-9, 2, 2], 10),
        ("bola", True, 2, [18, -8, -8], 0),
        ("sin-pedir-diamonds", False, 6, [-46, 20, 20], 12),
        ("juego-diamonds", True, 2, [10, -4, -4], 0),
        ("bola-diamonds", False, 2, [-26, 12, 12], 4),
        ("sin-pedir", True, 0, [32, -16, -16], 0),
    ],
)
def test_SS_base_settlement(contract, won, pool, chips, pool_after):
    assert oracle.settle_solo(SPANISH_SOLO, 0, contract, won, pool) == (chips, pool_after)


def test_SS_N3_pool_untouched_by_switch():
    rules = rules_of("spanish-solo", {"pool": {"on_win": "none", "on_loss": "none"}})
    assert oracle.settle_solo(rules, 1, "juego", True, 5) == ([-2, 4, -2], 5)
    assert oracle.settle_solo(rules, 1, "juego", False, 5) == ([2, -4, 2], 5)


@pytest.mark.parametrize(
    ("points", "chips"), [([10, 22, 40], [-2, 0, 2]), ([20, 20, 32], [-1, -1, 2]), ([12, 30, 30], [-2, 1, 1]), ([24, 24, 24], [0, 0, 0])]
)
def test_SS_N4_no_soloist(points, chips):
    assert oracle.settle_no_solo(SPANISH_SOLO, points) == chips


def test_SS_A1_reduced_target():
    assert [oracle.juego_target(SPANISH_SOLO, 0, seat) for seat in range(3)] == [37, 37, 36]      # dealer, right, left
    eldest = rules_of("spanish-solo", {"juego": {"reduced_seat": "eldest"}})
    assert [oracle.juego_target(eldest, 2, seat) for seat in range(3)] == [36, 37, 37]
    nobody = rules_of("spanish-solo", {"juego": {"reduced_seat": "none"}})
    assert [oracle.juego_target(nobody, 0, seat) for seat in range(3)] == [37, 37, 37]


def test_SS_N2_SS_A15_ante_and_passes_go_to_the_pool_first():
    parlett = rules_of("spanish-solo", {"pool": {"ante": 1}})
    calls = [(1, "juego"), (2, "pass"), (0, "pass")]
    assert oracle.solo_outcome(SPANISH_SOLO, 0, calls, (1, "juego"), [4, 4, 4], [17, 37, 18], 3) == ([-3, 9, -3], 0)
    assert oracle.solo_outcome(parlett, 0, calls, (1, "juego"), [4, 4, 4], [17, 37, 18], 3) == ([-4, 11, -4], 0)
    assert oracle.solo_outcome(SPANISH_SOLO, 0, calls, (1, "juego"), [4, 4, 4], [18, 36, 18], 3) == ([1, -9, 1], 10)


def test_SS_base_bola_needs_all_tricks():
    calls = [(1, "bola"), (2, "pass"), (0, "pass")]
    assert oracle.solo_outcome(SPANISH_SOLO, 0, calls, (1, "bola"), [1, 11, 0], [3, 69, 0], 0) == ([7, -18, 7], 4)
    assert oracle.solo_outcome(SPANISH_SOLO, 0, calls, (1, "bola"), [0, 12, 0], [0, 72, 0], 0) == ([-9, 18, -9], 0)


def test_SS_base_pack_has_60_points():
    assert len(oracle.deck_of(SPANISH_SOLO)) == 36
    assert sum(oracle.CARD_POINTS.get(card[1], 0) for card in oracle.deck_of(SPANISH_SOLO)) == 60


def solo_auction(*calls):
    return auction_state(SPANISH_SOLO, 0, calls)


def test_SS_base_auction():
    assert solo_auction().turn == 1
    assert solo_auction((1, "juego-diamonds")).legal == ["pass", "bola", "bola-diamonds", "sin-pedir", "sin-pedir-diamonds"]
    assert solo_auction((1, "juego"), (2, "bola"), (0, "pass")).turn == 1
    assert solo_auction((1, "pass"), (2, "juego"), (0, "bola")).turn == 2


def test_SS_A10_soloist_does_not_raise_himself():
    assert solo_auction((1, "juego"), (2, "pass"), (0, "pass")).turn is None
    assert solo_auction((1, "pass"), (2, "pass"), (0, "juego")).turn is None


def test_SS_A8_last_seat_may_pass():
    assert "pass" in solo_auction((1, "pass"), (2, "pass")).legal
    assert solo_auction((1, "pass"), (2, "pass"), (0, "pass")) == (None, [], None)


def test_SS_A9_others_pass_formally_after_the_highest_call():
    state = solo_auction((1, "sin-pedir-diamonds"))
    assert (state.turn, state.legal) == (2, ["pass"])


# ----------------------------------------------------------------------------------------------------------------------------- perft


@pytest.mark.parametrize("game", ["israeli-whist", "oh-hell", "jabberwocky", "spanish-solo"])
@pytest.mark.parametrize(("n", "h"), [(2, 3), (3, 3), (4, 2), (3, 2)])
@pytest.mark.parametrize("trump", ["NT", "C"])
def test_perft_where_nobody_can_follow(game, n, h, trump):
    hands = [{suit + rank for rank in "7AK"[:h]} for suit in "CDHS"[:n]]
    assert perft(rules_of(game), hands, trump, n - 1) == factorial(h) ** n


def test_perft_of_one_suit_is_every_order():
    hands = [cards("S2 S5 S8"), cards("S3 S6 S9"), cards("S4 S7 ST")]
    assert perft(OH_HELL, hands, "NT", 0) == 6**3


def test_perft_counts_by_hand():
    hands = [cards("S2 S3"), cards("S4 H2")]
    assert oracle.perft_by_card(OH_HELL, hands, "NT", 0) == {"S2": 1, "S3": 1}      # S4 must follow
    hands = [cards("SA S3"), cards("D4 H2")]
    assert perft(OH_HELL, hands, "NT", 0) == 4
    assert perft(OH_HELL, hands, "H", 0) == 2           # H2 must trump, wins and leads D4
    assert perft(JABBERWOCKY, hands, "H", 0) == 4
    assert perft(JABBERWOCKY, [cards("S2 D3"), cards("D4 S5")], "D", 0) == 1        # trump D3 may not be led


def test_perft_trumps_unlock_within_the_deal():
    hands = [cards("C2 C3 C4"), cards("S5 H6 S7")]
    assert perft(JABBERWOCKY, hands, "S", 0) == 36      # nobody can follow, the first ruff breaks trumps
    assert perft(JABBERWOCKY, hands, "S", 1) == 12      # H6 must be led first


def test_perft_equals_all_orders_that_replay_without_a_fault():
    record = HELL
    order_of_cards = permutations(record["play"])
    held = [set(oracle.parse_hand(hand)) for hand in record["hands"]]
    legal = 0
    for play in order_of_cards:
        if play[0] not in held[0] or play[1] not in held[1] or play[2] not in held[2]:
            continue
        faults = replay({**record, "play": list(play)})
        legal += not any(fault.startswith("play") for fault in faults)
    assert legal == perft(OH_HELL, held, record["trump"], record["leader"])


# --------------------------------------------------------------------------------------------------------------------------- records


HELL = json.loads(
    """{"game":"oh-hell","dealer":2,"hands":[".QT.A.","7.8..9","3.7..8"],"turnup":"C6","trump":"C","bids":[2,1,2],"leader":0,
    "play":["DA","C9","C8","H8","H7","HT","HQ","S7","S3"],"tricks":[2,1,0],"scores":[12,11,0]}"""
)
JABBER = json.loads(
    """{"game":"jabberwocky","dealer":2,"hands":["..54.J","A.64..",".9..63"],"turnup":"D8","trump":"D","bids":[2,0,0],"leader":0,
    "play":["CJ","H4","C3","D5","H6","C6","D4","SA","H9"],"tricks":[3,0,0],"scores":[0,1,1]}"""
)
SOLO = json.loads(
    """{"game":"spanish-solo","dealer":0,"hands":["KJ43.J64.KQ4.7A","7Q6.7Q3.7AJ6.54","A5.AK5.53.KQJ63"],"trump":"C",
    "auction":[[1,"bola"],[2,"pass"],[0,"pass"]],"soloist":1,"contract":"bola","exchange":{"asked":"DQ","from":0,"given":"H7"},
    "pool_before":1,"pool_after":6,"bids":[],"leader":1,
    "play":["H3","H5","H7","S3","S6","SA","HK","HJ","HQ","D5","DK","DQ","H6","SQ","HA","CQ","CA","C5","D4","DA","D3","D7","C6","S4",
    "CK","C7","C4","H4","S7","C3","S5","SJ","D6","SK","DJ","CJ"],"tricks":[5,1,6],"points":[30,5,37],"scores":[7,-19,7]}"""
)
WHIST = json.loads(
    """{"game":"israeli-whist","dealer":2,"hands":["A876.K965.A3.Q82","J42.T8742.K62.T7","QT9.AJ.875.AKJ64","K53.Q3.QJT94.953"],"trump":"S",
    "auction":[[3,"pass"],[0,"5S"],[1,"pass"],[2,"5NT"],[3,"pass"],[0,"6S"],[1,"pass"],[2,"pass"],[3,"pass"],[0,"pass"]],
    "declarer":0,"contract":"6S","bids":[6,2,4,0],"leader":0,
    "play":["SA","SJ","S9","SK","S7","S2","SQ","S5","HA","HQ","HK","H7","HJ","H3","H9","H4","ST","S3","S8","S4","CA","C3","C2","CT","D7","D4","D3",
    "DK","C7","C4","C5","C8","DA","D6","D8","DT","S6","D2","D5","DJ","H5","H8","CJ","D9","H2","CK","DQ","H6","CQ","HT","C6","C9"],
    "tricks":[6,2,5,0],"scores":[46,14,-10,50]}"""
)
OPENSPIEL = {      # the playthrough of its oh_hell
    "game": "oh-hell", "dealer": 2, "hands": [".6..7", "8...5", ".9..9"], "turnup": "H2", "trump": "H",
    "bids": [1, 2, 1], "leader": 0, "play": ["H6", "C5", "H9", "C9", "C7", "S8"], "tricks": [0, 0, 2], "scores": [0, 0, 2],
}  # fmt: skip
RECORDS = {"oh-hell": HELL, "jabberwocky": JABBER, "spanish-solo": SOLO, "israeli-whist": WHIST, "openspiel": OPENSPIEL}


@pytest.mark.parametrize("name", RECORDS)
def test_example_record_has_no_fault(name):
    assert replay(RECORDS[name]) == []


def changed(record, **changes):
    """Return the record with some keys changed; a function changes the old value in place."""
    result = deepcopy(record)
    for key, value in changes.items():
        if callable(value):
            value(result[key])
        else:
            result[key] = value
    return result


def swap(i, k):
    """Exchange two places of a list."""

    def exchange(values):
        values[i], values[k] = values[k], values[i]

    return exchange


def put(i, value):
    """Set one place of a list or dict."""
    return lambda values: values.__setitem__(i, value)


def rules(**groups):
    return groups


TRUMP_FIRST = ["D5", "H4", "C3", "CJ", "H6", "C6", "D4", "SA", "H9"]
WRONG = {      # what is wrong: the record, and the start and a word of the fault that must be found
    "card twice": (changed(HELL, hands=put(1, "7.8..8")), "hands: C8 dealt twice"),
    "foreign card": (changed(SOLO, hands=put(0, "KJ43.J64.KQ9.7A")), "hands: D9 not in the pack"),
    "no cards": (changed(HELL, hands=["..."] * 3), "hands: no card dealt"),
    "uneven hands": (changed(HELL, hands=put(0, ".QT.A.2")), "hands: sizes"),
    "part of the pack": (changed(WHIST, hands=["A.K.A.Q", "J.T.K.T", "Q.A.8.A", "K.Q.Q.9"]), "hands: 16 cards"),
    "three suits": (changed(HELL, hands=put(0, ".QT.A")), "hand '.QT.A'"),
    "two players": (changed(HELL, hands=["2...", "3..."]), "hands: 2 of them, expected 3"),
    "dealer no seat": (changed(HELL, dealer=3), "dealer: 3"),
    "turn-up held": (changed(HELL, turnup="C8"), "turnup: C8 is in the hand of seat 2"),
    "no turn-up": (changed(HELL, turnup=None), "turnup: None"),
    "trump not the turn-up": (changed(HELL, trump="H"), "trump: H recorded, expected C"),
    "trump not the auction's": (changed(WHIST, trump="NT"), "trump: NT recorded, expected S"),
    "turn-up in an auction game": (changed(WHIST, turnup="SA"), "turnup: SA recorded, expected nothing"),
    "calls out of order": (changed(WHIST, auction=swap(0, 1)), "auction: seat 0 calls 5S out of turn, seat 3"),
    "low call": (changed(WHIST, auction=put(3, [2, "5H"])), "auction: seat 2 may not call 5H, expected pass or 5NT or higher"),
    "call after the end": (changed(WHIST, auction=lambda calls: calls.append([1, "pass"])), "auction: seat 1 calls pass after the auction"),
    "auction open": (changed(WHIST, auction=lambda calls: calls.pop()), "auction: has not ended, seat 0"),
    "auction closed by three passes": (changed(WHIST, rules=rules(auction={"end_passes": 3})), "auction: seat 0 calls pass after the auction"),
    "passed seat speaks": (changed(WHIST, rules=rules(auction={"reentry": False})), "auction: seat 3 calls pass out of turn, seat 0"),
    "first caller": (changed(WHIST, rules=rules(auction={"first": "dealer"})), "auction: seat 3 calls pass out of turn, seat 2"),
    "declarer": (changed(WHIST, declarer=2), "declarer: 2 recorded, expected 0"),
    "contract": (changed(WHIST, contract="5S"), "contract: 5S recorded, expected 6S"),
    "declarer's bid": (changed(WHIST, bids=[5, 2, 4, 0]), "bids: seat 0 bids 5, expected 6"),
    "declarer bids less": (changed(WHIST, bids=[5, 2, 4, 0], rules=rules(contract={"declarer_rebids": "at_least"})), "bids: seat 0 bids 5, expected 6 to 13"),
    "hook at 13": (changed(WHIST, bids=[6, 2, 4, 1], rules=rules(contract={"hook13": "last_speaker"})), "bids: seat 3 bids 1 after 12"),
    "bid too high": (changed(HELL, bids=[2, 4, 2]), "bids: seat 1 bids 4, expected 0 to 3"),
    "bid missing": (changed(HELL, bids=[2, 1]), "bids: [2, 1] recorded, expected 3"),
    "hook broken": (changed(HELL, bids=[2, 1, 0]), "bids: seat 2 bids 0 after 3"),
    "sum must exceed": (changed(HELL, bids=[1, 1, 1], rules=rules(bidding={"hook": "must_exceed"})), "bids: seat 2 bids 1 after 2"),
    "sum must fit": (changed(HELL, bids=[1, 1, 2], rules=rules(bidding={"hook": "coop_equal"})), "bids: seat 2 bids 2 after 2"),
    "bids in Spanish Solo": (changed(SOLO, bids=[1, 2, 3]), "bids: [1, 2, 3] recorded, expected nothing"),
    "first leader": (changed(WHIST, leader=3), "leader: 3 recorded, expected 0"),
    "another's card": (changed(HELL, play=swap(0, 1)), "play: trick 1: seat 0 plays C9, which it does not hold"),
    "card missing": (changed(HELL, play=lambda play: play.pop()), "play: 8 cards, expected 9"),
    "revoke": (changed(WHIST, play=swap(3, 13)), "play: trick 1: seat 3 plays H3 but must follow S"),
    "revoke, small deal": (changed(HELL, play=swap(4, 8)), "play: trick 2: seat 2 plays S3 but must follow H"),
    "void and not trumping": (changed(HELL, play=swap(1, 7)), "play: trick 1: seat 1 plays S7 but is void in D and must trump"),
    "trump led before broken": (changed(JABBER, play=TRUMP_FIRST), "play: trick 1: seat 0 plays D5 but leads"),
    "trump led in trick 1": (
        changed(JABBER, play=TRUMP_FIRST, rules=rules(play={"trump_lead": "after_first_trick"})),
        "play: trick 1: seat 0 plays D5 but leads a trump in the first trick",
    ),
    "not heading": (changed(WHIST, rules=rules(play={"must_head": True})), "play: trick 7: seat 0 plays D3 but must head the D led"),
    "tricks": (changed(WHIST, tricks=[5, 3, 5, 0]), "tricks: [5, 3, 5, 0] recorded, expected [6, 2, 5, 0]"),
    "score off by one": (changed(HELL, scores=[12, 11, 1]), "scores: [12, 11, 1] recorded, expected [12, 11, 0]"),
    "score by other rules": (changed(HELL, rules=rules(score={"system": "slam"})), "scores: [12, 11, 0] recorded, expected [7, 6, 0]"),
    "score over taken as under": (changed(WHIST, bids=[6, 2, 5, 0], scores=[46, 14, 35, 50]), "scores: [46, 14, 35, 50] recorded, expected [46, 14, 35, 30]"),
    "points": (changed(SOLO, points=[30, 6, 36]), "points: [30, 6, 36]"),
    "chips": (changed(SOLO, scores=[8, -20, 8]), "scores: [8, -20, 8]"),
    "pool": (changed(SOLO, pool_after=3), "pool_after: 3 recorded, expected 6"),
    "ante forgotten": (changed(SOLO, rules=rules(pool={"ante": 1})), "pool_after: 6 recorded, expected 12"),
    "diamonds played in clubs": (
        changed(SOLO, auction=put(0, [1, "bola-diamonds"]), contract="bola-diamonds"), "trump: C recorded, expected D for bola-diamonds",
    ),
    "plain bola in diamonds": (changed(SOLO, trump="D"), "trump: D recorded, expected C or H or S for bola"),
    "no trump in Spanish Solo": (changed(SOLO, trump="NT"), "trump: NT recorded"),
    "soloist": (changed(SOLO, soloist=2), "soloist: 2 recorded, expected 1"),
    "pass taken back": (changed(SOLO, auction=lambda calls: calls.append([1, "pass"])), "auction: seat 1 calls pass after the auction"),
    "solo call too low": (changed(SOLO, auction=put(1, [2, "juego"])), "auction: seat 2 may not call juego, expected pass or bola-diamonds"),
    "bare solo": (changed(SOLO, auction=put(0, [1, "solo"])), "auction: seat 1 may not call solo"),
    "no exchange": (changed(SOLO, exchange=None), "exchange: none recorded"),
    "own card asked": (changed(SOLO, exchange=put("asked", "S7")), "exchange: soloist 1 asks for S7, which it holds"),
    "card not there": (changed(SOLO, exchange=put("from", 2)), "exchange: DQ comes from seat 2, which does not hold it"),
    "card from nobody": (changed(SOLO, exchange=put("from", 3)), "exchange: DQ comes from seat 3, which does not hold it"),
    "given not held": (changed(SOLO, exchange=put("given", "C7")), "exchange: soloist 1 gives C7, which it does not hold"),
    "exchange without asking": (
        changed(SOLO, auction=put(0, [1, "sin-pedir"]), contract="sin-pedir"), "exchange: {'asked': 'DQ', 'from': 0, 'given': 'H7'} recorded, expected None",
    ),
    "auction in Oh Hell": (changed(HELL, auction=[[0, "pass"]]), "auction: [[0, 'pass']] recorded, expected nothing"),
    "unknown game": (changed(HELL, game="whist"), "game: 'whist'"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_record_with_a_fault(what):
    record, fault = WRONG[what]
    faults = replay(record)
    assert any(found.startswith(fault) for found in faults), faults


# ---------------------------------------------------------------------------------------------------- gulash, thrown-in and full deals

FOUR_PASSES = [[3, "pass"], [0, "pass"], [1, "pass"], [2, "pass"]]
THROWN_IN = {
    "game": "israeli-whist", "dealer": 2, "hands": WHIST["hands"], "auction": FOUR_PASSES, "bids": [], "play": [], "tricks": [], "scores": [0, 0, 0, 0],
}  # fmt: skip
TO_THE_RIGHT = [
    {"from": 0, "to": 3, "cards": ["S6", "H5", "C2"]}, {"from": 1, "to": 0, "cards": ["S2", "D2", "C7"]},
    {"from": 2, "to": 1, "cards": ["S9", "D5", "C4"]}, {"from": 3, "to": 2, "cards": ["S3", "H3", "C3"]},
]  # fmt: skip
BACK_TO_THE_RIGHT = [
    {"from": 0, "to": 3, "cards": ["S2", "D2", "C7"]}, {"from": 1, "to": 0, "cards": ["S9", "D5", "C4"]},
    {"from": 2, "to": 1, "cards": ["S3", "H3", "C3"]}, {"from": 3, "to": 2, "cards": ["S6", "H5", "C2"]},
]  # fmt: skip
GULASH = rules(auction={"all_pass": "gulash"})
GULASHED = {**THROWN_IN, "rules": GULASH, "auction": [FOUR_PASSES] * 3, "gulash": [TO_THE_RIGHT, BACK_TO_THE_RIGHT]}


def random_deal(game, wanted, changes=None):
    """Return the first random record that the test is about."""
    return next(record for seed in range(10_000) if wanted(record := random_record(game, Random(seed), changes)))


def test_IW_A10_all_pass_is_thrown_in():
    assert replay(THROWN_IN) == []
    assert replay({**THROWN_IN, "rules": rules(auction={"all_pass": "redeal_next"})}) == []
    assert replay({**THROWN_IN, "scores": [-10, 0, 0, 0]}) == ["scores: [-10, 0, 0, 0] recorded, expected [0, 0, 0, 0]"]
    assert replay({**THROWN_IN, "bids": [0, 0, 0, 0]}) == ["bids: [0, 0, 0, 0] recorded in a deal thrown in, expected []"]
    assert replay({**THROWN_IN, "trump": "S"}) == ["trump: S recorded, expected None"]


def test_IW_V1_two_gulashes_before_the_deal_is_thrown_in():
    assert replay(GULASHED) == []
    assert replay({**GULASHED, "auction": [FOUR_PASSES] * 2, "gulash": [TO_THE_RIGHT]}) == ["gulash: the deal is thrown in after 1, expected 2 first"]
    assert replay({**GULASHED, "auction": [FOUR_PASSES] * 2}) == ["gulash: 2 recorded, expected 1 between 2 rounds of the auction"]
    assert replay({**GULASHED, "rules": None}) == ["gulash: 2 recorded, expected at most 0"]


def test_IW_V1_cards_go_to_the_right_neighbour_and_are_held():
    left = {**GULASHED, "rules": rules(auction={"all_pass": "gulash"}, gulash={"direction": "left"})}
    assert replay(left) == ["gulash: seat 0 gives to seat 3, expected seat 1"]
    early = deepcopy(GULASHED)
    early["gulash"][0][0]["cards"] = ["S2", "H5", "C2"]        # S2 only arrives
    assert replay(early) == ["gulash: seat 0 gives S2, which it does not hold"]
    few = deepcopy(GULASHED)
    few["gulash"][0][0]["cards"] = ["H5", "C2"]
    assert replay(few) == ["gulash: seat 0 gives H5 C2, expected 3 cards"]
    twice = deepcopy(GULASHED)
    twice["gulash"][1][1]["from"] = 0
    assert replay(twice) == ["gulash: cards from seats [0, 0, 2, 3], expected each seat once"]


def test_IW_A9_bid_below_the_risen_minimum():
    record = {**GULASHED, "rules": rules(auction={"all_pass": "gulash"}, gulash={"min_bid_step": 1})}
    record |= {"auction": [FOUR_PASSES, [[3, "5C"]]], "gulash": [TO_THE_RIGHT]}
    assert replay(record) == ["auction: seat 3 may not call 5C, expected pass or 6C or higher"]


def test_IW_V1_hands_after_the_gulash_are_played():
    record = random_deal("israeli-whist", lambda record: record["gulash"] and record["play"], GULASH)
    given = record["gulash"][0][0]["cards"][0]
    assert replay(record) == []
    assert given in record["play"]
    assert replay({**record, "gulash": None, "auction": record["auction"][-1]}) != []


def test_IW_A4_declarer_speaks_first_and_may_bid_more():
    rebid = changed(WHIST, bids=[7, 2, 4, 0], scores=[-10, 14, -10, 30])
    assert replay(rebid) == ["bids: seat 0 bids 7, expected 6 to 6"]
    assert replay({**rebid, "rules": rules(contract={"declarer_rebids": "at_least"})}) == []


def test_OH_A11_full_deal_has_no_trump():
    record = random_record("oh-hell", Random(1), n=4, h=13)
    assert (record["turnup"], record["trump"]) == (None, "NT")
    assert replay(record) == []
    assert replay({**record, "trump": "S"})[0] == "trump: S recorded, expected NT"


def test_OH_A11_dealers_last_card_is_in_his_hand():
    last = rules(trump={"when_exhausted": "dealer_last"})
    record = random_record("oh-hell", Random(1), last, n=4, h=13)
    assert replay(record) == []
    assert f"turnup: {record['turnup']} is not in the dealer's hand" in replay({**record, "dealer": (record["dealer"] + 1) % 4})


def test_OH_A11_cut_shows_any_card():
    record = random_record("oh-hell", Random(1), rules(trump={"when_exhausted": "cut"}), n=4, h=13)
    assert replay(record) == []
    assert replay({**record, "turnup": None}) == []
    assert replay({**record, "turnup": None, "trump": "NT"}) == ["turnup: None recorded, expected a card"]


def test_SS_A12_dealer_names_any_suit_when_all_pass():
    record = random_deal("spanish-solo", lambda record: record["soloist"] is None and record["trump"] == "D")
    assert replay(record) == []
    assert sum(record["scores"]) == -3
    assert record["pool_after"] == record["pool_before"] + 3
    assert replay({**record, "contract": "juego"}) == ["contract: juego recorded, expected None"]


def test_SS_A1_36_points_make_it_at_the_dealers_left_only():
    record = random_deal("spanish-solo", lambda r: r["contract"] == "juego" and r["points"][r["soloist"]] == 36 and r["soloist"] == (r["dealer"] + 2) % 3)
    assert record["pool_after"] == 0
    assert replay(record) == []
    assert any(fault.startswith("pool_after: 0") for fault in replay({**record, "rules": rules(juego={"reduced_target": 37})}))


# ------------------------------------------------------------------------------------------------------------------------------- laws

VARIED = {
    "israeli-whist": [
        {},
        {"auction": {"end_passes": 3, "reentry": False, "forced_last": True}, "contract": {"declarer_rebids": "at_least", "hook13": "last_speaker"}},
        {"auction": {"all_pass": "gulash", "reentry": False, "first": "dealer"}, "gulash": {"direction": "across", "max": 3, "min_bid_step": 1}},
    ],
    "oh-hell": [
        {},
        {"play": {"must_head": True}, "bidding": {"hook": "must_exceed"}, "score": {"system": "slam"}},
        {"play": {"trump_lead": "after_first_trick"}, "score": {"system": "formula", "made": "b or 0.5", "short": "d", "beyond": "-d"}},
        {"trump": {"source": "none"}, "schedule": {"3": [5], "4": [5], "5": [5], "6": [5], "7": [5]}},
    ],
    "jabberwocky": [{}, {"bidding": {"mode": "secret"}}],
    "spanish-solo": [{}, {"pool": {"ante": 1, "on_loss": "none"}}],
}


@pytest.mark.parametrize("game", VARIED)
def test_random_deals_obey_the_laws(game):
    for seed in range(25):
        for changes in VARIED[game]:
            record = json.loads(json.dumps(random_record(game, Random(seed), changes)))
            assert replay(record) == []
            if record["play"]:
                assert sum(record["tricks"]) * len(record["hands"]) == len(set(record["play"]))
            if game == "spanish-solo":
                assert sum(record["points"]) == 72
                assert sum(record["scores"]) + record["pool_after"] - record["pool_before"] == 0


@pytest.mark.parametrize("game", VARIED)
def test_random_deals_with_two_cards_of_the_play_exchanged_have_a_fault(game):
    for seed in range(25):
        record = random_record(game, Random(seed))
        if record["play"]:
            swap(0, 1)(record["play"])
            assert replay(record)[-1].startswith("play: trick 1")
