"""Facts made by hand give the counts and rows that a player would write down."""

import json
import math

import numpy as np
import pytest

from analyzer import results, rules, stats
from kernels import layout

WHIST, OH_HELL, SOLO = (rules.load(game) for game in ("israeli-whist", "oh-hell", "spanish-solo"))


def deal(**values):
    """Return one record of FACTS; seats that are not named stay 0."""
    facts = np.zeros(1, dtype=layout.FACTS)
    facts["played"], facts["declarer"], facts["contract"] = 1, layout.NONE, layout.NONE
    for name, value in values.items():
        if isinstance(value, list):
            facts[name][0, : len(value)] = value
        else:
            facts[name] = value
    return facts


def whist(bids, tricks, scores, dealer=3):
    return deal(dealer=dealer, cards=13, bids=bids, tricks=tricks, scores=scores)


def tally_of(table, *chunks, **options):
    tally = results.Tally(table, **options)
    for chunk in chunks:
        tally.add(chunk)
    return tally


def row_of(rows, **wanted):
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


DEALS = [
    whist([5, 3, 2, 2], [5, 3, 3, 2], [35, 19, -10, 14]),
    whist([5, 3, 2, 0], [6, 4, 3, 0], [-10, -10, -10, 50]),
    whist([5, 4, 2, 0], [5, 4, 3, 1], [35, 26, -10, -50]),
    whist([0, 6, 4, 4], [0, 6, 4, 3], [30, 46, 26, -10]),
]


def test_bids_are_counted_by_seat():
    rows = tally_of(WHIST, *DEALS).rows()
    five = row_of(rows, seat=0, bid=5)
    assert (five["cards"], five["n"], five["made"], five["p_made"]) == (13, 3, 2, pytest.approx(2 / 3))
    assert five["tricks_mean"] == pytest.approx(16 / 3)
    assert five["score"] == pytest.approx(20)
    assert five["score_low"] < 20 < five["score_high"]
    assert five["p_made_low"] == pytest.approx(float(stats.wilson(2, 3).low))
    assert sum(row["n"] for row in rows) == 16


def test_a_bid_that_occurred_once_has_no_interval():
    row = row_of(tally_of(WHIST, *DEALS).rows(), seat=0, bid=0)
    assert (row["n"], row["score"], row["score_low"], row["score_high"]) == (1, 30, None, None)


def test_seats_are_counted_from_the_dealers_next_and_players_are_not():
    facts = whist([5, 3, 2, 2], [5, 3, 3, 2], [35, 19, -10, 14], dealer=0)
    assert row_of(tally_of(WHIST, facts).rows(), bid=5)["seat"] == 3
    assert row_of(tally_of(WHIST, facts, games=True).rows(), bid=5)["seat"] == 0


def test_rows_by_seat_add_up_all_bids():
    rows = tally_of(WHIST, *DEALS).rows(by=("seat",))
    assert [(row["seat"], row["cards"], row["bid"], row["n"]) for row in rows] == [(seat, None, None, 4) for seat in range(4)]
    assert rows[0]["score"] == pytest.approx((35 - 10 + 35 + 30) / 4)
    assert rows[0]["made"] == 3


def test_thrown_in_deals_are_deals_without_bids():
    tally = tally_of(WHIST, DEALS[0], deal(played=0, bids=[-1, -1, -1, -1]))
    assert (tally.deals, tally.thrown_in, sum(row["n"] for row in tally.rows())) == (2, 1, 4)
    zeros = results.ZeroTally(WHIST)
    zeros.add(deal(played=0))
    assert (zeros.deals, zeros.thrown_in, zeros.rows()) == (1, 1, [])


def test_chunks_and_merges_do_not_matter():
    whole = tally_of(WHIST, np.concatenate(DEALS))
    first, second = tally_of(WHIST, *DEALS[:1]), tally_of(WHIST, *DEALS[1:])
    second.merge(first)
    assert json.dumps(second.rows()) == json.dumps(whole.rows())


def test_scores_in_units_become_points():
    halves = rules.load("oh-hell", "trick-scoring")
    facts = np.concatenate([deal(cards=2, dealer=3, bids=[0, 1, 1, 1], tricks=[0, 1, 1, 0], scores=[1, 2, 2, -2])] * 3)
    row = row_of(tally_of(halves, facts).rows(), seat=0)
    assert halves.unit == 0.5
    assert row["score"] == 0.5
    assert row["score_low"] < 0.5 < row["score_high"]


def test_a_run_of_equal_scores_is_not_certain():
    row = tally_of(WHIST, *[DEALS[0]] * 5).rows()[0]
    assert row["score_low"] < row["score"] < row["score_high"]


def test_anytime_intervals_are_wider():
    tally = tally_of(WHIST, *DEALS * 40)
    once, always = (row_of(tally.rows(anytime=anytime), seat=0, bid=5) for anytime in (False, True))
    assert always["score_low"] < once["score_low"]
    assert always["p_made_high"] > once["p_made_high"]
    assert always["score"] == once["score"]


def test_precision_shrinks_with_deals_and_is_unknown_without():
    assert results.Tally(WHIST).precision() == math.inf
    few, many = (tally_of(WHIST, *DEALS * times).precision() for times in (5, 200))
    assert many < few < math.inf


def solo(contract, soloist, points, tricks, scores, dealer=0):
    return deal(dealer=dealer, cards=12, declarer=soloist, contract=contract, points=points, tricks=tricks, scores=scores)


def test_SS_the_bid_is_the_soloists_contract():
    facts = solo(layout.Contract.JUEGO, 1, [20, 37, 15], [4, 5, 3], [-2, 9, -2])
    rows = tally_of(SOLO, facts).rows()
    assert [(row["seat"], row["bid"], row["made"], row["p_made"]) for row in rows] == [(0, "juego", 1, 1.0), (1, None, None, None), (2, None, None, None)]
    assert rows[0]["score"] == 9


@pytest.mark.parametrize(
    ("contract", "soloist", "points", "tricks", "made"),
    [
        (layout.Contract.JUEGO, 1, [20, 36, 16], [4, 5, 3], False),
        (layout.Contract.JUEGO, 2, [20, 16, 36], [4, 5, 3], True),        # dealer's left needs 36 (SS-N1)
        (layout.Contract.JUEGO_DIAMONDS, 0, [37, 20, 15], [6, 4, 2], True),
        (layout.Contract.JUEGO_DIAMONDS, 0, [36, 20, 16], [6, 4, 2], False),
        (layout.Contract.BOLA, 1, [0, 72, 0], [0, 12, 0], True),
        (layout.Contract.SIN_PEDIR, 1, [0, 71, 1], [0, 11, 1], False),
        (layout.NONE, layout.NONE, [40, 20, 12], [6, 4, 2], False),
    ],
)
def test_SS_a_contract_is_made(contract, soloist, points, tricks, made):
    assert results.solo_made(SOLO, solo(contract, soloist, points, tricks, [0, 0, 0])).tolist() == [made]


def test_zero_bids_by_side():
    tally = results.ZeroTally(WHIST)
    for facts in DEALS:
        tally.add(facts)
    under, over = tally.rows()
    assert (under["side"], under["scored_as"], under["n"], under["made"], under["score"]) == ("under", "under", 2, 1, 0)
    assert (over["side"], over["n"], over["made"], over["share"], over["score"]) == ("over", 1, 1, pytest.approx(1 / 3), 30)
    assert over["score_low"] is None


def test_IW_N2_exactly_13_is_scored_as_over():
    facts = whist([6, 4, 3, 0], [6, 4, 3, 0], [46, 26, 19, 30])
    for variant, scored_as in (("base", "over"), ("exact-under", "under")):
        tally = results.ZeroTally(rules.load("israeli-whist", variant))
        tally.add(facts)
        assert [(row["side"], row["scored_as"]) for row in tally.rows()] == [("exact", scored_as)]


@pytest.mark.parametrize(("variant", "scored_as"), [("base", "exact"), ("israeli+no-hook", "over")])
def test_OH_exactly_is_scored_as_the_side_with_its_scores(variant, scored_as):
    tally = results.ZeroTally(rules.load("oh-hell", variant))
    tally.add(deal(cards=1, bids=[0, 0, 0, 1], tricks=[0, 0, 0, 1], scores=[30, 30, 30, 11]))
    assert [(row["side"], row["scored_as"]) for row in tally.rows()] == [("exact", scored_as)]


def test_SS_squares_of_chips_are_exact():
    """Scores as large as a pool can be; their squares outgrow 64 bits."""
    scores = [[layout.MOST_CHIPS, -layout.MOST_CHIPS + 1, 3], [-7, layout.MOST_CHIPS - 5, 11]]
    facts = np.concatenate([solo(layout.Contract.JUEGO, 0, [40, 20, 12], [5, 4, 3], score, dealer=2) for score in scores])
    tally = tally_of(SOLO, facts)
    tally.merge(tally_of(SOLO, facts[1:]))
    total_sq = tally.sums[results.SCORE_SQ].sum(axis=(0, 2))
    assert total_sq.tolist()[:3] == [sum(score[seat] ** 2 for score in [*scores, scores[1]]) for seat in range(3)]
    games = np.zeros(2, dtype=layout.GAME)
    games["totals"][:, :3] = scores
    winners = results.GamesTally(SOLO)
    winners.add(games)
    assert winners.sums[3].tolist() == [sum(score[seat] ** 2 for score in scores) for seat in range(3)]
    assert winners.precision() > layout.MOST_CHIPS


def test_OH_exactly_is_scored_as_exactly():
    tally = results.ZeroTally(OH_HELL)
    tally.add(deal(cards=1, bids=[0, 0, 0, 1], tricks=[0, 0, 0, 1], scores=[10, 10, 10, 11]))
    (row,) = tally.rows()
    assert (row["side"], row["scored_as"], row["n"], row["made"]) == ("exact", "exact", 3, 3)


def test_zero_bids_of_one_deal_are_not_independent():
    """Two that are made or missed together say as much as one."""
    made, missed = deal(cards=2, bids=[0, 0, 1, 2], tricks=[0, 0, 1, 1], scores=[10, 10, 11, 1]), deal(cards=2, bids=[0, 0, 1, 2], tricks=[1, 1], scores=[1, 1])
    tally = results.ZeroTally(OH_HELL)
    for facts in (made, missed) * 50:
        tally.add(facts)
    (row,) = tally.rows()
    assert row["n"] == 200
    assert row["p_made_low"] == pytest.approx(float(stats.wilson(50, 100).low))
    assert row["score_low"] == pytest.approx(float(stats.mean_interval(550, 5050, 100, spread=12).low))      # a zero bid scores 10, or 1 to 13 where missed


def test_games_have_winners_that_may_share():
    games = np.zeros(3, dtype=layout.GAME)
    games["n_deals"], games["finished"], games["winners"] = [10, 12, 100], [1, 1, 0], [0b0001, 0b0011, 0b0100]
    games["totals"][:, :4] = [[120, 50, 10, -30], [104, 104, 0, 0], [20, 30, 90, 80]]
    tally = results.GamesTally(WHIST)
    tally.add(games[:1])
    rest = results.GamesTally(WHIST)
    rest.add(games[1:])
    tally.merge(rest)
    summary = tally.summary()
    assert (summary["games"], summary["unfinished"], summary["deals_mean"], summary["pool_mean"]) == (3, 1, pytest.approx(122 / 3), None)
    assert [(player["won"], player["shared"]) for player in summary["players"]] == [(2, 1), (1, 1), (1, 0), (0, 0)]
    assert summary["players"][0]["total"] == pytest.approx(244 / 3)


def test_no_games_have_no_means():
    assert results.GamesTally(SOLO).summary()["deals_mean"] is None


def test_rows_are_plain_json_and_a_tidy_frame():
    rows = tally_of(WHIST, *DEALS).rows()
    assert list(rows[0]) == [
        "seat", "cards", "bid", "n", "made", "p_made", "p_made_low", "p_made_high", "tricks_mean", "score", "score_low", "score_high",
    ]  # fmt: skip
    json.dumps(rows, allow_nan=False)
    assert len(results.frame(rows)) == len(rows)
