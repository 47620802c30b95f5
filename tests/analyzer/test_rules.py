"""Rules as data: base tables, variants, schemes, schedules, contradictions. Names carry the ids of the rule descriptions."""

import json
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import rulebook, rules
from analyzer.errors import RulesError, TricklabError, UsageError, nearest, shown
from analyzer.rules import load
from kernels import layout
from kernels.layout import Side

GAMES = ["israeli-whist", "jabberwocky", "oh-hell", "spanish-solo"]
WHIST_BASE = {
    "players": 4,
    "trump": {"source": "auction"},
    "auction": {"min_bid": 5, "first": "dealer_left", "end_passes": 4, "reentry": True, "forced_last": False, "all_pass": "redeal_same"},
    "gulash": {"cards": 3, "max": 2, "direction": "right", "min_bid_step": 0},
    "contract": {"declarer_rebids": "none", "hook13": "off", "exact13": "over"},
    "play": {"must_trump": False, "must_head": False, "trump_lead": "anytime"},
    "score": {"made_const": 10, "miss_per_trick": 10, "zero_made_under": 50, "zero_made_over": 30, "zero_miss": {"base": -50, "per_trick": 10, "free": 1},
              "all_fail_zero": False, "all_same_double": False},
    "game": {"end": {"target": 100}, "max_deals": 100, "tie": "sudden_death"},
}
OH_HELL_BASE = {
    "players": 4,
    "schedule": "down",
    "trump": {"source": "turnup", "when_exhausted": "none"},
    "bidding": {"mode": "sequential", "hook": "not_equal", "hook_min_hand": 1},
    "play": {"must_trump": True, "must_head": False, "trump_lead": "anytime"},
    "score": {"system": "basic", "low_wins": False, "unit": 1},
    "game": {"end": "schedule", "max_deals": 100, "tie": "stand"},
}
JABBERWOCKY_BASE = {
    **OH_HELL_BASE,
    "schedule": [3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3],
    "play": {"must_trump": False, "must_head": False, "trump_lead": "after_broken"},
    "score": {"system": "one-point", "low_wins": False, "unit": 1},
}
SOLO_BASE = {
    "players": 3,
    "trump": {"source": "soloist"},
    "juego": {"target": 37, "reduced_seat": "dealer_left", "reduced_target": 36},
    "bola": {"trump_first": True},
    "nosolo": {"stake": 2},
    "pool": {"ante": 0, "pass_fee": 1, "on_win": "all", "on_loss": "double"},
    "play": {"must_trump": False, "must_head": False, "trump_lead": "anytime"},
    "game": {"end": {"deals": 30}, "max_deals": 100, "tie": "stand"},
}


def whist_score(bid, tricks, total, variant="base", settings=()):
    side = Side.UNDER if total < 13 else Side.OVER if total > 13 else Side.EXACT
    return load("israeli-whist", variant, settings).points()[13, side, bid, tricks]


def score(bid, tricks, cards, variant="base", players=4, side=Side.EXACT, game="oh-hell", settings=()):
    table = load(game, variant, settings, players)
    return table.points()[cards, side, bid, tricks] * table.unit


def all_variants():
    return [(game, variant.name) for game in GAMES for variant in rules.variants(game) if variant.game == game]


def message(kind, *args, **kwargs):
    with pytest.raises(kind) as refused:
        load(*args, **kwargs)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# ---------------------------------------------------------------- base tables

@pytest.mark.parametrize(("game", "base"), [("israeli-whist", WHIST_BASE), ("oh-hell", OH_HELL_BASE), ("jabberwocky", JABBERWOCKY_BASE),
    ("spanish-solo", SOLO_BASE)])
def test_base_rules_are_those_of_the_descriptions(game, base):
    assert load(game).fields == base
    assert load(game).variant == "base"


def test_the_games():
    assert {game.name: game.players for game in rules.games()} == {
        "israeli-whist": [4], "jabberwocky": [3, 4, 5], "oh-hell": [3, 4, 5, 6, 7], "spanish-solo": [3]}


@pytest.mark.parametrize(("game", "auction", "has_bids", "deck", "most"), [
    ("israeli-whist", "levels", True, 52, 13), ("oh-hell", "none", True, 52, 13), ("jabberwocky", "none", True, 52, 13),
    ("spanish-solo", "contracts", False, 36, 12)])
def test_what_kind_of_game_it_is(game, auction, has_bids, deck, most):
    table = load(game)
    assert (table.auction, table.has_bids, table.deck.mask.bit_count(), table.max_cards, table.unit) == (auction, has_bids, deck, most, 1)


@pytest.mark.parametrize("game", GAMES)
def test_four_play_where_they_can(game):
    assert load(game).players == (3 if game == "spanish-solo" else 4)


# ---------------------------------------------------------------- Israeli Whist

@pytest.mark.parametrize(("bid", "tricks", "total", "points"), [
    (4, 4, 12, 26), (5, 7, 12, -20), (6, 4, 12, -20), (0, 4, 12, -20), (0, 0, 12, 50), (0, 0, 13, 30), (0, 0, 14, 30), (0, 1, 14, -50), (0, 6, 10, 0),
    (0, 7, 10, 10),
    (13, 13, 13, 179), (1, 0, 14, -10), (3, 3, 12, 19), (5, 3, 12, -20), (0, 3, 12, -30)])
def test_IW_base_scores(bid, tricks, total, points):
    assert whist_score(bid, tricks, total) == points


def test_IW_base_made_bids():
    assert [whist_score(bid, bid, 12) for bid in range(1, 14)] == [11, 14, 19, 26, 35, 46, 59, 74, 91, 110, 131, 154, 179]


@pytest.mark.parametrize("total", [12, 13, 14])
def test_IW_base_missed_zero(total):
    assert [whist_score(0, tricks, total) for tricks in range(1, 14)] == [-50, -40, -30, -20, -10, 0, 10, 20, 30, 40, 50, 60, 70]


def test_IW_base_only_thirteen_cards_have_scores():
    points = load("israeli-whist").points()
    assert points.shape == layout.POINTS_SHAPE
    assert points.dtype == "int64"
    assert not points[:13].any()
    assert not points[14:].any()
    assert not points[:, :, 14:].any()
    assert not points[:, :, :, 14:].any()


def test_IW_N1_no_reentry():
    assert load("israeli-whist", "no-reentry").record()["auction_reentry"] == 0


def test_IW_N2_thirteen_as_under():
    assert whist_score(0, 0, 13, "exact-under") == 50
    assert whist_score(0, 0, 14, "exact-under") == 30


def test_IW_V1_gulash():
    rec = load("israeli-whist", "gulash").record()[0]
    assert (rec.auction_all_pass, rec.gulash_cards, rec.gulash_max, rec.gulash_direction, rec.gulash_min_bid_step) == (layout.AllPass.GULASH, 3, 2,
            layout.Direction.RIGHT, 0)


def test_IW_V2_all_miss():
    assert load("israeli-whist", "IW-V2").record()["score_all_fail_zero"] == 1


def test_IW_V3_square_only():
    assert whist_score(4, 4, 12, "IW-V3") == 16
    assert whist_score(0, 0, 12, "IW-V3") == 50


def test_IW_V4_five_a_trick():
    assert whist_score(5, 7, 12, "IW-V4") == -10


def test_IW_V5_zero_over_25():
    assert [whist_score(0, 0, total, "IW-V5") for total in (12, 13, 14)] == [50, 25, 25]


def test_IW_V6_missed_zero():
    assert [whist_score(0, tricks, 12, "IW-V6") for tricks in range(1, 8)] == [-20, -15, -10, -5, 0, 5, 10]


def test_IW_alt_is_V2_to_V6():
    assert load("israeli-whist", "alt").fields == load("israeli-whist", "IW-V2+IW-V3+IW-V4+IW-V5+IW-V6").fields


def test_IW_W1_wikipedia():
    rec = load("israeli-whist", "wikipedia").record()[0]
    assert (rec.auction_first, rec.auction_end_passes, rec.auction_min_bid) == (layout.First.DEALER_LEFT, 3, 5)
    assert (rec.contract_declarer_rebids, rec.bidding_hook, rec.bidding_hook_min_hand) == (layout.Rebids.AT_LEAST, layout.Hook.NOT_EQUAL, 1)
    assert (rec.auction_all_pass, rec.gulash_max, rec.gulash_direction, rec.gulash_min_bid_step) == (layout.AllPass.GULASH, 3, layout.Direction.LEFT, 1)
    assert (whist_score(0, 0, 12, "wikipedia"), whist_score(0, 0, 14, "wikipedia"), whist_score(0, 2, 14, "wikipedia")) == (50, 25, -40)


def test_IW_W2_pagat():
    rec = load("israeli-whist", "pagat").record()[0]
    assert (rec.auction_first, rec.auction_end_passes, rec.contract_declarer_rebids, rec.bidding_hook) == (layout.First.DEALER, 4, layout.Rebids.NONE,
            layout.Hook.NONE)
    assert (rec.auction_all_pass, rec.gulash_direction) == (layout.AllPass.GULASH, layout.Direction.RIGHT)


def test_IW_W3_thirty_with_the_hook():
    assert whist_score(0, 0, 14, "IW-W3") == 30
    assert load("israeli-whist", "IW-W3").record()["bidding_hook"] == layout.Hook.NOT_EQUAL


def test_IW_W4_guymerin():
    assert [whist_score(0, tricks, 12, "guymerin") for tricks in (0, 1, 5)] == [50, -50, -50]
    assert [whist_score(0, tricks, 14, "guymerin") for tricks in (0, 1, 5)] == [25, -25, -25]
    assert load("israeli-whist", "guymerin").record()["score_all_fail_zero"] == 1


def test_IW_W5_cheaper_when_over():
    assert [whist_score(0, tricks, 12, "IW-W5") for tricks in (1, 2)] == [-50, -40]
    assert [whist_score(0, tricks, 14, "IW-W5") for tricks in (1, 2)] == [-30, -20]


def test_oferelyakim():
    assert [whist_score(0, tricks, 12, "oferelyakim") for tricks in (0, 1, 2)] == [50, -50, -40]
    assert [whist_score(0, tricks, 14, "oferelyakim") for tricks in (0, 1, 2)] == [30, -30, -30]


def test_missed_zero_over_is_as_under_where_left_out():
    changed = ["score.zero_miss.per_trick=5", "score.zero_miss_over.base=-30"]
    assert whist_score(0, 3, 14, settings=changed) == -30 + 5 * 2
    assert whist_score(0, 3, 12, settings=changed) == -50 + 5 * 2


def test_missed_zero_at_thirteen_follows_exact13():
    assert whist_score(0, 1, 13, "oferelyakim") == -30
    assert whist_score(0, 1, 13, "oferelyakim+exact-under") == -50


def test_IW_W6_go_trumpcards():
    assert [whist_score(0, tricks, 12, "go-trumpcards") for tricks in (0, 1, 3)] == [25, -10, -30]
    assert whist_score(0, 0, 14, "go-trumpcards") == 25
    rec = load("israeli-whist", "go-trumpcards").record()[0]
    assert (rec.score_all_same_double, rec.auction_reentry, rec.auction_forced_last) == (1, 0, 1)


def test_IW_W7_is_V4():
    assert load("israeli-whist", "IW-W7").variant == load("israeli-whist", "IW-V4").variant


def test_IW_W9_from_four():
    assert load("israeli-whist", "IW-W9").record()["auction_min_bid"] == 4


# ---------------------------------------------------------------- Oh Hell

@pytest.mark.parametrize(("bid", "tricks", "points"), [(0, 0, 10), (0, 1, 1), (3, 3, 13), (3, 1, 1), (3, 5, 5)])
def test_OH_base_scores(bid, tricks, points):
    assert score(bid, tricks, 7) == points


@pytest.mark.parametrize(("bid", "tricks"), [(0, 1), (3, 1)])
def test_OH_N4_missed_is_nothing(bid, tricks):
    assert score(bid, tricks, 7, "OH-N4") == 0


@pytest.mark.parametrize(("bid", "tricks", "cards", "points"), [
    (10, 10, 10, 60), (9, 9, 10, 34), (3, 3, 10, 8), (0, 0, 10, 5), (4, 2, 10, 2), (4, 4, 4, 9), (5, 5, 5, 55), (4, 4, 5, 29)])
def test_OH_N5_slam(bid, tricks, cards, points):
    assert score(bid, tricks, cards, "OH-N5") == points


# A bid of 3 in 7 cards: made, 2 tricks, 5 tricks; a zero bid: made, 1 trick.
SCHEMES = {
    "OH-S1": (13, 2, 5, 10, 1), "OH-S2": (8, 2, 5, 5, 1), "OH-S3": (13, 0, 0, 10, 0), "OH-S4": (13, -3, -3, 10, 0), "OH-S5": (30, -30, -30, 5, -5),
    "OH-S6": (33, 2, 5, 10, 1), "OH-S7": (13, -3, 0, 10, 0), "OH-S8": (25, -15, -15, 10, -10), "OH-S9": (13, -10, 5, 10, 1), "OH-S10": (13, -13, -23, 10, -10),
    "OH-S11": (13, 2, 5, 5, 1), "OH-S12": (13, 2, 5, 12, 1), "OH-S13": (19, 2, 5, 10, 1), "OH-S14": (16, 0, 0, 10, 0), "OH-S15": (0, 1, 3, 0, 1),
    "OH-S16": (0, 1, 4, 0, 1), "OH-S17": (0, 7, 7, 0, 7), "OH-S18": (3, -1, -2, 0.5, -1), "OH-S19": (10, 0, 0, 10, 0), "OH-S20": (10, 0, 0, 20, -10),
    "OH-S21": (10, 0, 0, 7, 0), "OH-S22": (13, -1, -2, 10, -1), "OH-S23": (19, -1, -2, 10, -1), "OH-S24": (3, -3, -5, 0, -1), "OH-S25": (30, -10, 5, 5, 1),
    "OH-S26": (3 + 13 + 1 - 7, 2, 5, 13 + 1 - 7, 1), "OH-S27": (25, -10, -25, 10, -10), "OH-S28": (19, -3, -6, 10, -3), "OH-S29": (8, 2, 5, 5, 1),
    "OH-S30": (13, 0, 5, 10, 1), "OH-S30b": (13, 0, 2, 10, 1), "OH-S31": (13, -13, -13, 10, -10), "OH-S32": (13, -3, 0, 10, -4), "OH-S33": (8, -1, -2, 5, -1),
    "OH-S34": (19, -10, -20, 30, -10), "OH-S35": (1, 0, 0, 1, 0), "OH-S36": (50, -10, -20, 20, -10), "square-both": (19, -1, -4, 10, -1),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("game", ["oh-hell", "jabberwocky"])
def test_OH_schemes(game, scheme):
    settings = ["schedule=down"] if game == "jabberwocky" else []
    cases = [(3, 3), (3, 2), (3, 5), (0, 0), (0, 1)]
    assert tuple(score(bid, tricks, 7, scheme, game=game, settings=settings) for bid, tricks in cases) == SCHEMES[scheme]


def test_all_36_schemes_are_there():
    assert {f"OH-S{k}" for k in range(1, 37)} | {"OH-S30b"} <= set(SCHEMES)


@pytest.mark.parametrize("scheme", ["OH-S15", "OH-S16", "OH-S17"])
def test_OH_S15_to_S17_low_wins(scheme):
    assert load("oh-hell", scheme).record()["score_low_wins"] == 1


def test_OH_S6_small_bids():
    assert [score(bid, bid, 7, "OH-S6") for bid in range(5)] == [10, 15, 22, 33, 44]


def test_OH_S18_counts_in_halves():
    table = load("oh-hell", "OH-S18")
    assert table.unit == 0.5
    assert list(table.points()[7, Side.EXACT, [0, 3, 3], [0, 3, 2]]) == [1, 6, -2]


@pytest.mark.parametrize(("cards", "made", "missed"), [(4, 10, 0), (5, 20, -10)])
def test_OH_S20_zero_counts_more_with_more_cards_than_players(cards, made, missed):
    assert (score(0, 0, cards, "OH-S20"), score(0, 1, cards, "OH-S20")) == (made, missed)


def test_OH_S28_zero_in_the_largest_deal():
    assert (score(0, 0, 13, "OH-S28"), score(0, 2, 13, "OH-S28"), score(3, 3, 13, "OH-S28")) == (35, -10, 19)
    assert (score(0, 0, 12, "OH-S28"), score(0, 2, 12, "OH-S28")) == (10, -6)


def test_OH_S34_zero_by_over_and_under():
    assert [score(0, 0, 7, "OH-S34", side=side) for side in Side] == [50, 30, 30]


@pytest.mark.parametrize(("players", "hands", "tricks"), [(3, 17, 153), (4, 13, 91), (5, 10, 55), (6, 8, 36), (7, 7, 28)])
def test_OH_base_schedule_goes_down_to_one(players, hands, tricks):
    schedule = load("oh-hell", players=players).schedule
    assert schedule == list(range(hands, 0, -1))
    assert sum(schedule) == tricks
    assert load("oh-hell", players=players).max_cards == hands


@pytest.mark.parametrize("variant", ["OH-N1", "OH-N6b", "jp"])
def test_OH_N1_schedule_goes_up(variant):
    assert load("oh-hell", variant, players=5).schedule == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(("players", "first", "deals", "tricks"), [(3, 10, 19, 109), (4, 10, 19, 109), (5, 10, 19, 109), (6, 8, 15, 71), (7, 7, 13, 55)])
@pytest.mark.parametrize("variant", ["OH-N2", "common"])
def test_OH_N2_table(variant, players, first, deals, tricks):
    schedule = load("oh-hell", variant, players=players).schedule
    assert schedule == [*range(first, 0, -1), *range(2, first + 1)]
    assert (len(schedule), sum(schedule)) == (deals, tricks)
    assert load("oh-hell", variant, players=players).fields["schedule"] == schedule


def test_generic_schedules_turn_at_the_most_cards():
    assert load("oh-hell", "down-up", players=7).schedule == [7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7]
    assert load("oh-hell", "up-down", players=7).schedule == [1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1]


def test_OH_N3_no_hook():
    assert load("oh-hell", "OH-N3").record()["bidding_hook"] == layout.Hook.NONE


@pytest.mark.parametrize(("variant", "mode"), [("secret", layout.Mode.SECRET), ("jp", layout.Mode.SECRET), ("simultaneous", layout.Mode.SIMULTANEOUS)])
def test_OH_A4_unseen_bids_know_no_hook(variant, mode):
    rec = load("oh-hell", variant).record()[0]
    assert (rec.bidding_mode, rec.bidding_hook) == (mode, layout.Hook.NONE)


def test_OH_A4_a_mode_that_is_set_takes_an_inherited_hook_away():
    assert load("oh-hell", settings=["bidding.mode=secret"]).fields["bidding"]["hook"] == "none"
    assert load("oh-hell", "must-exceed", ["bidding.mode=simultaneous"]).fields["bidding"]["hook"] == "none"


@pytest.mark.parametrize("case", [("secret", ["bidding.hook=not_equal"]), ("base", ["bidding.mode=secret", "bidding.hook=must_exceed"]),
    ("secret+must-exceed", [])])
def test_OH_A4_naming_a_hook_with_unseen_bids_is_refused(case):
    assert "bidding.hook" in message(RulesError, "oh-hell", *case)


@pytest.mark.parametrize(("variant", "field", "value"), [
    ("OH-A1", "play_must_trump", 0), ("pocha", "play_must_head", 1), ("pocha", "play_must_trump", 1), ("hook-from-two", "bidding_hook_min_hand", 2),
    ("must-exceed", "bidding_hook", layout.Hook.MUST_EXCEED), ("coop-equal", "bidding_hook", layout.Hook.COOP_EQUAL),
    ("no-trump", "trump_source", layout.TrumpSource.NONE),
    ("dealers-last-card", "trump_when_exhausted", layout.Exhausted.DEALER_LAST), ("cut-trump", "trump_when_exhausted", layout.Exhausted.CUT),
    ("trumps-broken", "play_trump_lead", layout.TrumpLead.AFTER_BROKEN), ("trumps-later", "play_trump_lead", layout.TrumpLead.AFTER_FIRST_TRICK),
    ("extra-deals", "game_tie", layout.Tie.SUDDEN_DEATH), ("common", "play_must_trump", 0), ("common", "bidding_hook", layout.Hook.NOT_EQUAL)])
def test_OH_toggles(variant, field, value):
    assert load("oh-hell", variant).record()[field] == value


# ---------------------------------------------------------------- Jabberwocky

def test_JW_base_schedule():
    schedule = load("jabberwocky").schedule
    assert (len(schedule), sum(schedule), max(schedule)) == (13, 75, 9)


@pytest.mark.parametrize(("bid", "tricks", "points"), [(0, 0, 1), (3, 3, 1), (3, 4, 0)])
def test_JW_base_scores(bid, tricks, points):
    assert score(bid, tricks, 5, game="jabberwocky") == points


def test_JW_base_takes_every_oh_hell_variant():
    names = [variant.name for variant in rules.variants("jabberwocky")]
    assert {variant.name for variant in rules.variants("oh-hell")} <= set(names)
    assert load("jabberwocky", "no-hook+OH-S36").fields["bidding"]["hook"] == "none"


def test_JW_N2_and_JW_W1():
    assert load("jabberwocky", "JW-N2").variant == "over-only"
    assert load("jabberwocky", "two-players", players=2).players == 2


# ---------------------------------------------------------------- Spanish Solo

def test_SS_base_record():
    rec = load("spanish-solo").record()[0]
    assert (rec.n_seats, rec.n_ranks, rec.n_schedule, rec.schedule[0], rec.trick_points) == (3, 9, 1, 12, 1)
    assert rec.card_points.tolist()[:9] == [0, 0, 0, 0, 1, 2, 3, 4, 5]
    assert rec.contract_value.tolist() == [0, 2, 4, 8, 12, 16, 20, 0]
    assert (rec.juego_target, rec.juego_reduced_seat, rec.juego_reduced_target) == (37, layout.ReducedSeat.DEALER_LEFT, 36)
    assert (rec.pool_on_win, rec.pool_on_loss, rec.pool_pass_fee, rec.pool_ante, rec.nosolo_stake) == (layout.PoolWin.ALL, layout.PoolLoss.DOUBLE, 1, 0, 2)
    assert (rec.game_end, rec.game_deals, rec.trump_source, rec.bola_trump_first) == (layout.End.DEALS, 30, layout.TrumpSource.SOLOIST, 1)


def test_SS_base_points_of_cards_and_tricks_are_72():
    rec = load("spanish-solo").record()[0]
    assert 4 * int(rec.card_points.sum()) + 12 * int(rec.trick_points) == 72


def test_SS_base_has_no_score_table():
    assert not load("spanish-solo").points().any()


@pytest.mark.parametrize(("variant", "field", "value"), [
    ("SS-N1", "juego_reduced_seat", layout.ReducedSeat.NONE), ("SS-N2", "pool_pass_fee", 0), ("SS-N3", "pool_on_win", layout.PoolWin.NONE),
    ("SS-N3", "pool_on_loss", layout.PoolLoss.NONE), ("SS-N4", "nosolo_stake", 0), ("parlett", "pool_ante", 1), ("SS-A5", "bola_trump_first", 0),
    ("reduced-eldest", "juego_reduced_seat", layout.ReducedSeat.ELDEST), ("reduced-dealer", "juego_reduced_seat", layout.ReducedSeat.DEALER)])
def test_SS_toggles(variant, field, value):
    assert load("spanish-solo", variant).record()[field] == value


# ---------------------------------------------------------------- variants, settings and records of all games

@pytest.mark.parametrize(("game", "variant"), all_variants())
def test_every_variant_loads_for_every_number_of_players(game, variant):
    for players in load(game, variant).checked.seats:
        table = load(game, variant, players=players)
        assert table.record().shape == (1,)
        assert table.record()["n_seats"] == players
        assert json.loads(json.dumps(table.fields, allow_nan=False)) == table.fields


@pytest.mark.parametrize(("game", "variant"), all_variants())
def test_every_variant_says_what_it_is_and_changes_something(game, variant):
    info = next(known for known in rules.variants(game) if known.name == variant)
    assert info.summary
    assert info.changed
    changes = load(game, variant).checked != load(game).checked
    assert changes or variant == "basic"        # OH-S1, that of Oh Hell itself, is a change of Jabberwocky


@pytest.mark.parametrize("game", GAMES)
def test_names_ids_and_aliases_are_different(game):
    names = [name.lower() for info in rules.variants(game) for name in (info.name, info.id, *info.aliases) if name]
    assert len(set(names)) == len(names)


def test_ids_and_aliases_are_names_in_any_case():
    assert load("oh-hell", "oh-s5").variant == load("oh-hell", "Ten-Times").variant == "ten-times"
    assert load("israeli-whist", "IW-V2 + iw-v3").variant == "all-miss-zero+plain-squares"


@pytest.mark.parametrize(("game", "id_", "name"), [
    ("israeli-whist", "IW-N1", "no-reentry"), ("israeli-whist", "IW-N2", "exact-under"), ("spanish-solo", "SS-N1", "no-reduced-seat"),
    ("spanish-solo", "SS-N2", "free-passes"), ("spanish-solo", "SS-N3", "pool-stays"), ("spanish-solo", "SS-N4", "no-stake"),
])
def test_a_variant_that_turns_a_note_off_says_so(game, id_, name):
    [info] = [known for known in rules.variants(game) if known.name == name]
    assert info.id == f"not {id_}"
    assert info.note.startswith(f"Turns {id_} off: ")
    assert load(game, id_).variant == load(game, f"not {id_}").variant == name


@pytest.mark.parametrize(("game", "variant"), [("israeli-whist", "alt+wikipedia"), ("oh-hell", "OH-S5+no-hook"), ("oh-hell", "table"),
    ("jabberwocky", "OH-S18"),
                                               ("spanish-solo", "parlett"), ("israeli-whist", "oferelyakim")])
def test_resolved_fields_give_the_same_rules_again(game, variant):
    table = load(game, variant)
    again = load(game, settings=table.fields)
    assert again.fields == table.fields
    assert (again.record() == table.record()).all()
    assert (again.points() == table.points()).all()


def test_rules_travel_to_other_processes():
    table = load("oh-hell", "OH-S34")
    table.points()
    assert pickle.loads(pickle.dumps(table)) == table


def test_stacked_toggles_that_disagree_are_refused():
    assert "score.zero_made_over is 30" in message(RulesError, "israeli-whist", "IW-W3+alt")
    assert "score.made" in message(RulesError, "oh-hell", "OH-S15+OH-S19")


def test_stacked_toggles_that_agree_are_fine():
    assert load("israeli-whist", "wikipedia+IW-V5+base").variant == "wikipedia+zero-over-25"


@pytest.mark.parametrize(("setting", "group", "name", "value"), [
    ("play.must_trump=false", "play", "must_trump", False),
    ("game.end={deals=5}", "game", "end", {"deals": 5}),
    ("game.end.target=200", "game", "end", {"target": 200}),
    ("bidding.hook=none", "bidding", "hook", "none"),
    (" bidding.hook = 'none' ", "bidding", "hook", "none"),
    ("score.unit=0.5", "score", "unit", 0.5),
    ("score={system='exact'}", "score", "system", "exact")])
def test_settings_are_toml_values_or_bare_words(setting, group, name, value):
    assert load("oh-hell", settings=[setting]).fields[group][name] == value


def test_settings_go_over_the_variant_and_later_ones_win():
    assert whist_score(0, 0, 14, "wikipedia", ["score.zero_made_over=1", "score.zero_made_over=20"]) == 20


def test_a_formula_from_the_command_line():
    settings = ["score.system=formula", "score.made=10+b", "score.short=0", "score.beyond=-d / 2", "score.unit=0.5"]
    assert [score(2, tricks, 5, settings=settings) for tricks in (1, 2, 3)] == [0, 12, -0.5]


def test_another_system_takes_inherited_formulas_away():
    assert load("oh-hell", "OH-S5", ["score.system=exact"]).fields["score"] == {"system": "exact", "low_wins": False, "unit": 1}


def test_target_of_a_game_counts_in_units():
    rec = load("oh-hell", "OH-S18", ["game.end.target=20"]).record()[0]
    assert (rec.game_end, rec.game_target) == (layout.End.TARGET, 40)
    assert load("israeli-whist").record()["game_target"] == 100


# ---------------------------------------------------------------- what is refused

@pytest.mark.parametrize(("args", "hint"), [
    (("oh-hel",), "'oh-hell'"), (("Whist",), "israeli-whist"), (("oh-hell", "no-hok"), "'no-hook'"), (("israeli-whist", "OH-S5"), "no variant"),
    (("oh-hell", "base", ["play.must_trum=true"]), "'play.must_trump'"), (("oh-hell", "base", ["must_trump=true"]), "'play.must_trump'"),
    (("oh-hell", "base", ["score.made_const=10"]), "israeli-whist"), (("oh-hell", "base", ["play.must_trump"]), "group.field=value"),
    (("oh-hell", "base", ["=3"]), "group.field=value"), (("oh-hell", ""), "no variant"), (("spanish-solo", "base", ["schedule=down"]), "oh-hell")])
def test_unknown_names_are_a_matter_of_usage(args, hint):
    assert hint in message(UsageError, *args)


@pytest.mark.parametrize(("game", "setting", "expected"), [
    ("oh-hell", "play.must_trump=yes", "true or false"), ("oh-hell", "play.must_trump=1", "true or false"),
    ("oh-hell", "bidding.hook=not_equl", "did you mean 'not_equal'"),
    ("oh-hell", "bidding.hook_min_hand=0", "at least 1"), ("oh-hell", "bidding.hook_min_hand=2.0", "a whole number"),
    ("oh-hell", "schedule=dwn", "did you mean 'down'"),
    ("oh-hell", "schedule=[]", "hand sizes"), ("oh-hell", "schedule=[18]", "hand sizes"), ("oh-hell", "schedule.9=[1]", "by players"),
    ("oh-hell", "schedule=[true]", "hand sizes"),
    ("oh-hell", "players=8", "from 2 to 7"), ("oh-hell", "players=[3,3]", "different"), ("spanish-solo", "players=4", "expected 3"),
    ("oh-hell", "game.end={deals=0}", "above 0"),
    ("oh-hell", "game.end={deals=3,target=2}", "schedule, {target"), ("oh-hell", "game.end.target=-5", "above 0"), ("oh-hell", "score.unit=nan", "a number"),
    ("oh-hell", "score.unit=0", "at least"), ("oh-hell", "trump.source=auction", "'turnup' or 'none'"), ("oh-hell", "score=basic", "a group of fields"),
    ("israeli-whist", "auction.end_passes=5", "3 or 4"), ("israeli-whist", "auction.min_bid=14", "at most 13"),
    ("israeli-whist", "gulash.cards=14", "at most 13"),
    ("israeli-whist", "score.zero_miss=-50", "a group of fields"), ("israeli-whist", "score.made_const='10'", "a whole number"),
    ("spanish-solo", "juego.target=73", "at most 72"),
    ("israeli-whist", "players=5", "expected 4"), ("israeli-whist", "score.made_const=0x" + "f" * 6000, "too long to show"),
    ("israeli-whist", "game.end=schedule", "{target"),
    ("spanish-solo", "game.end=schedule", "{target"), ("spanish-solo", "pool.on_win=some", "'all' or 'none'"), ("spanish-solo", "nosolo.stake=3", "even")])
def test_wrong_values_name_the_option_and_what_was_expected(game, setting, expected):
    text = message(RulesError, game, settings=[setting])
    assert text.startswith("--set ")
    assert expected in text


@pytest.mark.parametrize(("game", "variant", "settings", "players", "expected"), [
    ("oh-hell", "base", [], 8, "expected 3, 4, 5, 6 or 7"),
    ("jabberwocky", "base", [], 6, "expected 3, 4 or 5"),
    ("oh-hell", "base", ["schedule=[11]"], 5, "55 of 52"),
    ("oh-hell", "base", ["schedule.5=[4, 3]"], 4, "expected 5"),
    ("jabberwocky", "base", ["schedule.7=[4, 3]"], None, "a schedule for one of 3, 4 or 5"),
    ("oh-hell", "base", ["score.made=10+b"], None, "score.system = 'formula'"),
    ("oh-hell", "base", ["score.system=formula", "score.made=1"], None, "without score.short"),
    ("oh-hell", "OH-S5", ["score.made=b/3"], None, "b=1 t=1 h=1: 1/3, expected a multiple"),
    ("oh-hell", "OH-S5", ["score.made=10/(b-7)"], None, "expected"),
    ("oh-hell", "OH-S18", ["score.unit=1"], None, "expected a multiple of score.unit 1"),
    ("oh-hell", "OH-S5", ["score.made=9**9**9"], None, "exponent"),
    ("oh-hell", "OH-S5", ["score.made=open('x')"], None, "min, max or abs"),
    ("oh-hell", "base", ["game.end.deals=200"], None, "at least 200"),
    ("oh-hell", "base", ["game.max_deals=5"], None, "at least 13"),
    ("oh-hell", "base", ["score.unit=5", "game.end.target=12", "score.system=formula", "score.made=5", "score.short=0", "score.beyond=0"], None,
    "a multiple of score.unit 5"),
    ("israeli-whist", "frisch", ["gulash.min_bid_step=3"], None, "asks for 14 tricks"),
    ("israeli-whist", "gulash+forced-last", [], None, "auction.forced_last is true"),
    ("spanish-solo", "base", ["juego.target=35"], None, "juego.reduced_target is 36"),
])
def test_rules_that_cannot_be_played_are_refused(game, variant, settings, players, expected):
    assert expected in message(RulesError, game, variant, settings, players)


def test_gulash_fields_without_a_gulash_are_fine():
    load("israeli-whist", settings=["gulash.min_bid_step=9", "gulash.max=1"])


def test_exit_codes():
    assert (UsageError.exit_code, RulesError.exit_code, TricklabError.exit_code) == (2, 3, 1)


# ---------------------------------------------------------------- files

def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_variant_file(tmp_path):
    path = write(tmp_path, "ours.toml", 'base = "oh-hell:table"\nsummary = "At our table"\nid = "ours"\n[score]\nsystem = "exact"\n')
    table = load("oh-hell", f"{path}+no-hook", players=6)
    assert table.variant == f"{path}+no-hook"
    assert (len(table.schedule), table.fields["score"]["system"], table.fields["bidding"]["hook"]) == (15, "exact", "none")
    info = rules.check_file(path)
    assert (info.game, info.id, info.changed["score.system"]) == ("oh-hell", "ours", "exact")


def test_a_file_on_a_stack_and_a_file_on_a_file(tmp_path):
    write(tmp_path, "one.toml", 'base = "oh-hell:OH-S5+no-hook"\n')
    path = write(tmp_path, "two.toml", 'base = "./one.toml"\n[score]\nbeyond = 0\n')
    assert [score(3, tricks, 7, path) for tricks in (2, 3, 4)] == [-30, 30, 0]


def test_a_hook_that_a_file_inherits_gives_way_to_secret_bids(tmp_path):
    path = write(tmp_path, "ours.toml", 'base = "oh-hell:must-exceed"\n[bidding]\nmode = "secret"\n')
    assert load("oh-hell", path).fields["bidding"]["hook"] == "none"


@pytest.mark.parametrize(("text", "kind", "expected"), [
    ('base = "oh-hell"\n[score', RulesError, "no TOML"),
    ('base = "oh-hell"\nbase = "oh-hell"', RulesError, "no TOML"),
    ("[play]\nmust_trump = true", RulesError, "no base"),
    ("base = 3", RulesError, "expected text"),
    ('base = "oh-hell"\naliases = [3]', RulesError, "a list of names"),
    ('base = "oh-hel"', UsageError, "ours.toml: 'oh-hel' is no game"),
    ('base = "oh-hell:tabel"', UsageError, "did you mean 'table'"),
    ('base = "oh-hell"\n[play]\nmust_trmp = true', UsageError, "did you mean 'play.must_trump'"),
    ('base = "oh-hell"\n[play]\nmust_trump = "no"', RulesError, "ours.toml: play.must_trump is 'no', expected true or false"),
    ('base = "oh-hell"\nplay = 3', RulesError, "a group of fields"),
    ('base = "ours.toml"', RulesError, "leads back to itself"),
    ('base = "other.toml"', RulesError, "leads back to itself"),
    ('base = "israeli-whist"', UsageError, "a variant of israeli-whist, expected one of oh-hell"),
    ('base = "jabberwocky"', UsageError, "a variant of jabberwocky"),
    ('base = "oh-hell"\n"a\\nb" = 1', UsageError, "no field"),
])
def test_a_file_that_is_wrong_says_where(tmp_path, text, kind, expected):
    write(tmp_path, "other.toml", 'base = "ours.toml"\n')
    path = write(tmp_path, "ours.toml", text)
    assert expected in message(kind, "oh-hell", path)


def test_a_file_of_bytes_and_a_folder_are_refused(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    assert "no TOML" in message(RulesError, "oh-hell", str(tmp_path / "bytes.toml"))
    assert "cannot be read" in message(RulesError, "oh-hell", str(tmp_path) + "/")


@pytest.mark.parametrize("name", ["missing.toml", "missing/ours", "missing.json"])
def test_a_path_without_a_file_is_a_failure(name):
    assert message(TricklabError, "oh-hell", name) == f"{name}: no such file; expected a variant in TOML"


def test_packaged_bases_that_run_in_a_circle_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(rulebook, "GAMES", tmp_path)
    (tmp_path / "oh-hell").mkdir()
    write(tmp_path / "oh-hell", "base.toml", 'summary = ""\n')
    write(tmp_path / "oh-hell", "a.toml", 'base = "oh-hell:b"\n')
    write(tmp_path / "oh-hell", "b.toml", 'base = "oh-hell:a"\n')
    assert "leads back to itself" in message(RulesError, "oh-hell", "a")


# ---------------------------------------------------------------- small things

def test_nearest_and_shown():
    assert nearest("OH-s55", ["OH-S5", "IW-V1"]) == "OH-S5"
    assert nearest("zzz", ["OH-S5"]) is None
    assert shown(True) == "true"
    assert len(shown("x" * 1000)) <= 60


def test_rules_do_not_load_the_compiler_or_pandas():
    code = "import sys, analyzer.rules; sys.exit(bool({'numba', 'pandas', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


FRAGMENTS = ['base = "oh-hell"', 'base = "oh-hell:OH-S5"', 'base = "x"', "[score]", "[play]", "[schedule]", "[game.end]", "made = ", "short = '-d'",
    "beyond = '0'", "unit = ",
             "system = 'formula'", "system = 'exact'", "must_trump = ", "4 = [3, 2]", "target = ", "deals = ", "players = ", "0", "-1", "1e400", "nan",
             "true", "'b'", "'10/b'",
             "'9**9**9'", "[[[[", "{", "}", "2026-01-01", "0x" + "f" * 50, "\n", "\n", "\n", "=", '"', "'''", "\\u0000", "#", "[bidding]",
             "mode = 'secret'", "hook = 'none'", "hook = 3"]


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=14).map("".join))
def test_fuzz_a_file_gives_rules_or_an_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "fuzz.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load("oh-hell", str(path)).record()
    except (UsageError, RulesError) as error:
        refused = str(error)
        assert "\n" not in refused


@settings(deadline=None)
@given(st.sampled_from(GAMES), st.one_of(st.sampled_from(["score.made", "score.unit", "schedule", "game.end", "players", "score.zero_miss",
    "score.zero_miss_over.base", "play",
                                                           "bidding.hook", "auction.min_bid", "juego.target", "game.end.target"]), st.text(max_size=8)),
       st.one_of(st.sampled_from([fragment for fragment in FRAGMENTS if "=" not in fragment]), st.text(max_size=8)))
def test_fuzz_a_setting_gives_rules_or_an_error(game, path, value):
    try:
        load(game, settings=[f"{path}={value}"]).record()
    except (UsageError, RulesError) as error:
        refused = str(error)
        assert "\n" not in refused
