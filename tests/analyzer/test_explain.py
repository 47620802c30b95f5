"""Why a bid fails: every count is made again card by card, and the deals that decide are what they are said to be."""

import json

import numpy as np
import pytest

from analyzer import explain, records, rules, situation, tables
from analyzer.cards import call
from analyzer.simulation import Engine, Run, empty_setup
from analyzer.tables import Style
from kernels.layout import PASS, Contract
from tests import oracle

ASCII, PLAIN = Style(ascii=True), Style()
TABLES = {
    "israeli-whist": ("israeli-whist", "learned"),
    "oh-hell": ("oh-hell", "learned"),                 # hands of many sizes
    "jabberwocky": ("jabberwocky", "learned"),
    "spanish-solo": ("spanish-solo", "learned"),
    "bola": ("spanish-solo", "random"),                # cards are asked for and given
}
QUESTIONS = {       # game, hand, what was said, an action and another
    "target": ("israeli-whist", "KQ4.A73.QJ85.T62", {"calls": "5H pass pass pass pass"}, 4, 3),
    "contract": ("israeli-whist", "KQ4.A73.QJ85.T62", {"contract": "5H"}, 4, 3),
    "call": ("israeli-whist", "KQ432.A73.QJ85.T", {}, call("5S", "levels"), PASS),
    "oh-hell": ("oh-hell", "AK2.8.KT.A", {"turnup": "7H"}, 3, 2),
    "jabberwocky": ("jabberwocky", "AK2.8.KT.A", {"turnup": "7H"}, 3, 2),
    "juego": ("spanish-solo", "7AK4.73.A53.QJ6", {}, Contract.JUEGO, PASS),
    "bola": ("spanish-solo", "7AKQ.7A3.7A.7AK", {}, Contract.BOLA, Contract.JUEGO),
}


def deals(name, n=150):
    game, policy = TABLES[name]
    table = rules.load(game)
    return table, Engine(Run(table, [policy], seed=1)).play(0, n)[0][:, 0]


def answers(name, n=400):
    """Return the situation, and the facts of the same worlds after the one action and after the other."""
    game, hand, said, *actions = QUESTIONS[name]
    asked = situation.from_question(rules.load(game), hand, **said)
    engine = Engine(Run(asked.rules, ["learned"], seed=1, dealer=asked.dealer, setup=asked.setup))
    spoken = "calls" if asked.decision == "call" else "bids"
    played = []
    for action in actions:
        setup = engine.setup.copy()
        setup[spoken][0, setup[f"n_{spoken}"][0]] = action
        setup[f"n_{spoken}"] += 1
        played.append(engine.play(0, n, setup)[0][:, 0])
    return asked, *played


def gulash(n=300, passes=4):
    """Return deals in which everybody passed once and cards went round; after 12 passes they are thrown in."""
    table = rules.load("israeli-whist", "gulash")
    setup = empty_setup()
    setup["n_calls"], setup["calls"] = passes, PASS
    setup["held"][0, 0] = table.deck.hand("AKQ2.T9.A8.J5432")
    return table, Engine(Run(table, ["random"], setup=setup)).play(0, n)[0][:, 0]


def tricks_by_hand(table, deal):
    """Return the seats and cards of every trick of a deal record, and its winner."""
    n, leader, trump = table.players, deal["leader"], deal["trump"]
    for start in range(0, len(deal["play"]), n):
        trick = [((leader + turn) % n, card) for turn, card in enumerate(deal["play"][start:start + n])]
        leader = oracle.trick_winner(trick, trump, table.deck.ranks)
        yield trick, leader


# ---------------------------------------------------------------- counted again, one by one

@pytest.mark.parametrize("name", TABLES)
def test_winners_are_those_of_the_oracle(name):
    table, facts = deals(name)
    tricks = explain.tricks_of(table, facts)
    for deal, played, winners in zip(records.happened(facts, table), tricks.played, tricks.winners, strict=True):
        assert winners[played].tolist() == [winner for _, winner in tricks_by_hand(table, deal)]


def cards_by_hand(table, seat, facts):
    """Return how often the seat played each card, and won with it."""
    n, wins = {}, {}
    for deal in records.happened(facts, table):
        for trick, winner in tricks_by_hand(table, deal):
            card = dict(trick)[seat]
            n[card] = n.get(card, 0) + 1
            wins[card] = wins.get(card, 0) + (winner == seat)
    return n, wins


@pytest.mark.parametrize("name", TABLES)
def test_cards_win_as_often_as_counted_by_hand(name):
    table, facts = deals(name)
    n, wins = cards_by_hand(table, 1, facts)
    rows = explain.explain(table, 1, facts, None)["cards"]
    assert {row["card"]: row["n"] for row in rows} == n
    assert all(row["wins"] == pytest.approx(wins[row["card"]] / row["n"]) for row in rows)
    assert all(row["wins_low"] <= row["wins"] <= row["wins_high"] for row in rows)


def test_cards_that_come_in_a_gulash_count_and_those_that_go_do_not():
    table, facts = gulash()
    n, wins = cards_by_hand(table, 0, facts)
    rows = {row["card"]: row for row in explain.explain(table, 0, facts, None)["cards"]}
    dealt = {table.deck.card_text(card) for card in table.deck.cards(int(facts["hands"][0, 0]))}
    assert {card: row["n"] for card, row in rows.items()} == n
    assert {card for card, row in rows.items() if row["dealt"]} == dealt & n.keys()
    assert any(row["wins"] > 0 for row in rows.values() if not row["dealt"])
    assert all(row["wins"] == pytest.approx(wins[card] / n[card]) for card, row in rows.items())


def test_SS_the_card_asked_for_is_the_soloists():
    asked, facts, _ = answers("bola")
    rows = explain.explain(asked.rules, asked.seat, facts, None)["cards"]
    assert [row["card"] for row in rows if not row["dealt"]] == ["SJ"]
    assert {row["wins"] for row in rows} == {1.0}


@pytest.mark.parametrize("name", ["israeli-whist", "oh-hell", "jabberwocky"])
def test_misses_and_sides_are_those_of_the_records(name):
    table, facts = deals(name)
    told = explain.explain(table, 2, facts, None)
    happened = records.happened(facts, table)
    off = [deal["tricks"][2] - deal["bids"][2] for deal in happened]
    assert {row["least"]: row["n"] for row in told["misses"]} == {value: off.count(value) for value in off}
    assert all(row["least"] == row["most"] for row in told["misses"])
    assert told["p_missed"] == pytest.approx(np.mean(np.array(off) != 0))
    for side, sign in (("under", -1), ("exact", 0), ("over", 1)):
        here = [deal for deal in happened if np.sign(sum(deal["bids"]) - sum(deal["tricks"])) == sign]
        row = next((row for row in told["sides"] if row["side"] == side), None)
        assert (row is None) == (not here)
        if row:
            assert row["n"] == len(here)
            assert row["p_made"] == pytest.approx(np.mean([deal["bids"][2] == deal["tricks"][2] for deal in here]))
            assert row["score"] == pytest.approx(np.mean([deal["scores"][2] for deal in here]))


@pytest.mark.parametrize("name", ["spanish-solo", "bola"])
def test_SS_a_soloist_is_short_of_points_or_of_tricks(name):
    table, facts = deals(name, 600)
    short = []
    for deal in records.happened(facts, table):
        if deal["soloist"] == 0:
            is_juego = deal["contract"].startswith("juego")
            lacks = (36 if deal["dealer"] == 1 else 37) - deal["points"][0] if is_juego else 12 - deal["tricks"][0]
            short.append(("card points" if is_juego else "tricks", max(lacks, 0)))
    told = explain.explain(table, 0, facts, None)
    assert told["aimed"] == len(short)
    assert told["sides"] == []
    for row in told["misses"]:
        assert row["n"] == sum(measure == row["measure"] and row["least"] <= -lacks <= row["most"] for measure, lacks in short)


@pytest.mark.parametrize("name", QUESTIONS)
def test_shares_add_up(name):
    asked, facts, second = answers(name)
    told = explain.explain(asked.rules, asked.seat, facts, second)
    assert sum(row["n"] for row in told["misses"]) == told["aimed"]
    assert sum(row["share"] for row in told["misses"]) == pytest.approx(1)
    assert sum(row["share"] for row in told["misses"] if row["least"] or row["most"]) == pytest.approx(told["p_missed"])
    if asked.rules.has_bids:
        assert sum(row["share"] for row in told["sides"]) == pytest.approx(1)
        assert sum(row["share"] * row["p_made"] for row in told["sides"]) == pytest.approx(1 - told["p_missed"])
    json.dumps(told, allow_nan=False)


def test_a_deal_thrown_in_counts_nowhere():
    table, facts = gulash(5, passes=12)
    told = explain.explain(table, 0, facts, None)
    assert (told["n"], told["thrown_in"], told["aimed"]) == (5, 5, 0)
    assert told["misses"] == told["cards"] == told["sides"] == []
    assert tables.text(tables.explain_part(told, ASCII), ASCII).startswith("There is nothing to make or miss")
    _, played = gulash()
    mixed = explain.explain(table, 0, np.concatenate([facts, played]), None)
    assert mixed["cards"] == explain.explain(table, 0, played, None)["cards"]


# ---------------------------------------------------------------- chains

def intervals(told):
    """Return the ends of every interval, shape (intervals, 2)."""
    rows = (told, *told["misses"], *told["cards"], *told["sides"])
    return np.array([(row[f"{name}_low"], row[f"{name}_high"]) for row in rows for name in ("p_missed", "share", "wins", "p_made", "score") if name in row])


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_world_played_four_times_knows_no_more_than_once(name):
    asked, facts, _ = answers(name, 300)
    once = explain.explain(asked.rules, asked.seat, facts, None)
    as_chains = explain.explain(asked.rules, asked.seat, np.repeat(facts, 4), None, chain=4)
    as_worlds = explain.explain(asked.rules, asked.seat, np.repeat(facts, 4), None)
    assert intervals(as_chains) == pytest.approx(intervals(once))
    assert (np.ptp(intervals(as_chains), axis=1) > np.ptp(intervals(as_worlds), axis=1)).all()


def test_a_side_on_which_all_scores_are_equal_claims_no_certainty():
    asked, facts, _ = answers("oh-hell", 200)
    facts["scores"] = 13
    assert all(row["score_low"] < row["score"] == 13 < row["score_high"] for row in explain.explain(asked.rules, asked.seat, facts, None)["sides"])


def test_one_world_tells_no_interval_of_a_score():
    asked, facts, _ = answers("oh-hell", 1)
    told = explain.explain(asked.rules, asked.seat, facts, None)
    assert [(row["score_low"], row["score_high"]) for row in told["sides"]] == [(None, None)]
    json.dumps(told, allow_nan=False)


# ---------------------------------------------------------------- samples

@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - {"contract"}))       # a deal whose calls are not known is no whole record
def test_samples_are_deals_that_can_be_played_again(name):
    asked, facts, second = answers(name)
    samples = explain.explain(asked.rules, asked.seat, facts, second)["samples"]
    assert 1 <= len(samples) <= 3
    assert len({sample["world"] for sample in samples}) == len(samples)
    for sample in samples:
        [again] = records.happened(records.replay([sample], asked.rules), asked.rules)
        assert again == {key: sample[key] for key in again}
        winners = [winner for _, winner in tricks_by_hand(asked.rules, sample)]
        assert sample["winners"] == winners
        assert sample["tricks"] == [winners.count(seat) for seat in range(asked.rules.players)]


@pytest.mark.parametrize("name", ["target", "call", "oh-hell", "jabberwocky"])
def test_samples_decide(name):
    asked, facts, second = answers(name)
    seat = asked.seat
    told = explain.explain(asked.rules, seat, facts, second)
    pays, costs, missed = told["samples"]
    assert [sample["kind"] for sample in told["samples"]] == ["pays", "costs", "missed"]

    def made(which, sample):
        fact = which[sample["world"]]
        return bool(fact["tricks"][seat] == fact["bids"][seat])

    assert (made(facts, pays), made(second, pays)) == (True, False)
    assert (made(facts, costs), made(second, costs)) == (False, True)
    off = missed["tricks"][seat] - missed["bids"][seat]
    assert off == max((row for row in told["misses"] if row["least"]), key=lambda row: row["n"])["least"]


def test_the_sample_that_pays_gains_the_median():
    asked, facts, second = answers("target")
    seat = asked.seat
    made = facts["tricks"][:, seat] == facts["bids"][:, seat]
    missed = second["tricks"][:, seat] != second["bids"][:, seat]
    gain = (facts["scores"] - second["scores"])[:, seat]
    gains = sorted(gain[made & missed & (gain > 0)])
    pays = explain.explain(asked.rules, seat, facts, second)["samples"][0]
    assert gain[pays["world"]] in (gains[(len(gains) - 1) // 2], gains[len(gains) // 2])
    assert f"scores {pays['scores'][seat]:+}; after the next best, " in pays["why"]


def test_where_low_wins_fewer_points_pay():
    asked, facts, second = answers("oh-hell")
    low_wins = rules.load("oh-hell", "base", ["score.low_wins=true"])
    pays = [explain.explain(table, asked.seat, facts, second)["samples"][0] for table in (asked.rules, low_wins)]
    gains = [int(facts["scores"][sample["world"], asked.seat] - second["scores"][sample["world"], asked.seat]) for sample in pays]
    assert gains[0] > 0 > gains[1]


def test_without_a_next_best_a_typical_deal_is_shown_made_and_missed():
    asked, facts, _ = answers("target")
    samples = explain.explain(asked.rules, asked.seat, facts, None)["samples"]
    assert [sample["kind"] for sample in samples] == ["made", "missed"]
    assert [sample["tricks"][asked.seat] == sample["bids"][asked.seat] for sample in samples] == [True, False]


def test_SS_a_pass_has_nothing_to_make_and_still_decides():
    asked, juego, passed = answers("juego")
    told = explain.explain(asked.rules, asked.seat, passed, juego)
    assert (told["aimed"], told["p_missed"]) == (0, None)
    assert [sample["kind"] for sample in told["samples"]] == ["pays", "costs", "usual"]


# ---------------------------------------------------------------- the page

@pytest.mark.parametrize("name", QUESTIONS)
def test_the_page_is_plain_where_it_has_to_be(name):
    asked, facts, second = answers(name)
    told = json.loads(json.dumps(explain.explain(asked.rules, asked.seat, facts, second)))
    plain = tables.text(tables.explain_part(told, ASCII), ASCII)
    assert plain.isascii()
    page = tables.text(tables.explain_part(told, PLAIN), PLAIN)
    assert {sign for sign in page if not sign.isascii()} <= set(tables.SIGNS)
    for sample in told["samples"]:
        assert sample["why"] in plain
        assert sample["why"] in tables.markdown(tables.explain_part(told, ASCII))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_tricks_on_the_page_are_those_of_the_sample(name):
    asked, facts, second = answers(name)
    told = explain.explain(asked.rules, asked.seat, facts, second)
    grids = [part for part in tables.explain_part(told, ASCII) if isinstance(part, tables.Table) and part.headings[0] == "trick"]
    for grid, sample in zip(grids, told["samples"], strict=True):
        for row, (trick, winner) in zip(grid.rows, tricks_by_hand(asked.rules, sample), strict=True):
            leader = trick[0][0]
            shown = {seat: f"{'>' if seat == leader else ' '}{card}{'*' if seat == winner else ''}" for seat, card in trick}
            assert list(row[1:]) == [shown[seat] for seat in range(asked.rules.players)]


def test_the_page_says_how_it_fails_and_on_which_side():
    asked, facts, second = answers("target")
    page = tables.text(tables.explain_part(explain.explain(asked.rules, asked.seat, facts, second, chain=4), PLAIN), PLAIN)
    assert page.startswith("Missed ")
    assert " %, most often 1 trick too few." in page
    assert "The sum of the bids matters: made more often where it is exact than where it is over." in page
    assert "n = 400 deals in chains of 4, 95 % intervals." in page
    assert "1 (you)  ♠KQ4 ♥A73 ♦QJ85 ♣T62 " in page
    assert "Dealer seat 3; seat 0 5♥, seat 1 pass, seat 2 pass, seat 3 pass, seat 0 pass; trump ♥." in page


def test_the_page_tells_the_contract_where_the_calls_are_not_known():
    asked, facts, second = answers("contract")
    assert "Dealer seat 3; contract 5♥ by seat 0; trump ♥." in tables.explain_part(explain.explain(asked.rules, asked.seat, facts, second), PLAIN)


def test_the_page_tells_a_card_that_came_later_and_points_that_lack():
    asked, facts, second = answers("bola")
    page = tables.text(tables.explain_part(explain.explain(asked.rules, asked.seat, facts, second), PLAIN), PLAIN)
    assert "; + came to the seat later:" in page
    assert "+J 100.0" in page
    assert "gives ♠J for ♥3, hands as dealt" in page
    asked, facts, second = answers("juego")
    page = tables.text(tables.explain_part(explain.explain(asked.rules, asked.seat, facts, second), PLAIN), PLAIN)
    assert "most often 1 to 5 card points short." in page
