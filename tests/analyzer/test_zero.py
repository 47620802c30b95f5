"""Zero bids counted and tried otherwise: identities, a slow twin that reads no mask, break-even bonuses by hand and by simulation."""

import json
from collections import defaultdict
from itertools import product
from math import sqrt

import numpy as np
import pytest

from analyzer import policies, rules, stats, zero
from analyzer.cards import FRENCH
from analyzer.cli import run
from analyzer.results import ALL_HANDS, ZeroTally
from analyzer.simulation import Engine, Run
from analyzer.tables import Style, Table, zero_page
from kernels.compiled import JIT
from kernels.layout import NONE, Denomination, Side
from tests.kernels.tools import scaled

WHIST, OH_HELL = (rules.load(game) for game in ("israeli-whist", "oh-hell"))
TABLES = [
    ("israeli-whist", "base", 4),
    ("israeli-whist", "gulash", 4),
    ("israeli-whist", "declarer-rebids+exact-under", 4),
    ("oh-hell", "israeli", 4),
    ("oh-hell", "simultaneous", 3),
    ("jabberwocky", "two-players", 2),
]
table = pytest.mark.parametrize(("game", "variant", "players"), TABLES)
DEALS = scaled(160, 12)
COUNTS = ("n", "made")
many = pytest.mark.skipif(not JIT, reason="plain Python is too slow for many deals")


def played(table, policy="rules", n=DEALS, **how):
    """Return the engine of a table and its deals."""
    engine = Engine(Run(table, [policy], **how))
    return engine, engine.play(0, n)[0][:, 0]


def tally_of(table, facts, *names):
    tally = ZeroTally(table, {name: zero.joint(name) for name in names})
    tally.add(facts)
    return tally


def totals(rows, *keys):
    """Return the sums of counts and scores of rows that are alike in these keys."""
    sums = defaultdict(lambda: np.zeros(3))
    for row in rows:
        sums[tuple(row[key] for key in keys)] += (*(row[name] for name in COUNTS), row["n"] * (row["score"] or 0))
    return sums


def same(one, other):
    assert one.keys() == other.keys()
    for key, sums in one.items():
        assert sums == pytest.approx(other[key])


# ---------------------------------------------------------------- counted by what the bidder holds

@table
def test_every_split_adds_up_to_all_zero_bids(game, variant, players):
    board = rules.load(game, variant, players=players)
    _, facts = played(board, "random")
    tally = tally_of(board, facts, *zero.SPLITS, "seat+trump", "low-cards+highest-card+trumps")
    every = tally.split_rows(ALL_HANDS)
    for name in tally.splits:
        rows = tally.split_rows(name)
        same(totals(rows, "side"), totals(every, "side"))
        assert sum(row["share"] for row in rows if row["side"] is None) == pytest.approx(1)
        assert sum(row["hands"] for row in rows if row["side"] is None) == every[0]["hands"]
        for row in rows:
            assert row["p_bid"] == pytest.approx(row["n"] / row["hands"])
    same(totals([row for row in every if row["side"]], "side"), totals(tally.rows(), "side"))
    assert totals([row for row in every if row["side"]])[()] == pytest.approx(totals(every[:1])[()])


def test_the_margins_of_a_joint_table_are_the_single_tables():
    _, facts = played(WHIST, "random")
    tally = tally_of(WHIST, facts, "seat", "low-cards", "seat+low-cards")
    joint = [{**row, "seat": int(row["value"].split(" + ")[0]), "low-cards": int(row["value"].split(" + ")[1])} for row in tally.split_rows("seat+low-cards")]
    for name in ("seat", "low-cards"):
        single = [row for row in tally.split_rows(name) if row["n"]]
        same(totals([row for row in joint if row["n"]], name, "side"), totals(single, "value", "side"))


def told_slowly(board, fact, seat):
    """Return what a seat holds, from the words of a record."""
    hands = [{FRENCH.card_text(card) for card in FRENCH.cards(hand)} for hand in fact["hands"][:board.players].tolist()]
    for gulash in fact["gulash"][:fact["n_gulash"], :board.players].tolist():
        given = [{FRENCH.card_text(card) for card in FRENCH.cards(cards)} for cards in gulash]
        hands = [hand - gave for hand, gave in zip(hands, given, strict=True)]
        hands = [hand | given[(giver + 1) % board.players] for giver, hand in enumerate(hands)]        # cards go to the right: seat k gets those of k + 1
    hand = hands[seat]
    trump = "CDHS"[fact["trump"]] if fact["trump"] < 4 else None
    start = fact["declarer"] if board.game == "israeli-whist" else fact["dealer"]
    order = [(start + k) % board.players for k in range(1, board.players + 1)]
    return {
        "trump": "suit" if trump else "none",
        "seat": order.index(seat) + 1,
        "low-cards": sum(card[1] in "23456" for card in hand),
        "longest-suit": max(sum(card[0] == suit for card in hand) for suit in "CDHS"),
        "highest-card": max((card[1] for card in hand), key="23456789TJQKA".index),
        "trumps": sum(card[0] == trump for card in hand),
    }


@table
def test_what_the_bidder_holds_is_what_the_slow_twin_counts(game, variant, players):
    board = rules.load(game, variant, players=players)
    _, facts = played(board, "random")
    found = defaultdict(int)
    for fact in facts[facts["played"] == 1]:
        for seat in range(players):
            if fact["bids"][seat] == 0:
                side = np.sign(sum(fact["bids"][:players]) - fact["cards"])
                for name, value in told_slowly(board, fact, seat).items():
                    found[name, value, ("under", "exact", "over")[side + 1]] += 1
    tally = tally_of(board, facts, *zero.SPLITS)
    assert {(row["by"], row["value"], row["side"]): row["n"] for name in zero.SPLITS for row in tally.split_rows(name) if row["side"]} == found


def test_IW_the_declarer_is_none_of_those_who_may_bid_zero():
    _, facts = played(WHIST, "random")
    (every, *_) = tally_of(WHIST, facts).split_rows(ALL_HANDS)
    assert every["hands"] == 3 * np.count_nonzero(facts["played"])
    assert {row["value"] for row in tally_of(WHIST, facts, "seat").split_rows("seat")} == {1, 2, 3}


def test_tallies_of_different_deals_merge():
    _, facts = played(OH_HELL, "random")
    whole, first, second = (tally_of(OH_HELL, part, "trump") for part in (facts, facts[:5], facts[5:]))
    first.merge(second)
    assert json.dumps(first.split_rows("trump")) == json.dumps(whole.split_rows("trump"))


def test_a_run_of_equal_scores_of_zero_bids_is_not_certain():
    _, facts = played(WHIST)
    made = facts[(facts["bids"][:, 0] == 0) & (facts["tricks"][:, 0] == 0)][:1]
    (row,) = tally_of(WHIST, np.concatenate([made] * 5)).rows()
    assert row["score_low"] < row["score"] < row["score_high"]


# ---------------------------------------------------------------- what a made zero is paid

@pytest.mark.parametrize(
    ("game", "variant", "told"),
    [
        ("israeli-whist", "base", {"under": ("under", 50), "exact over": ("over", 30), "under exact over": ("all", None)}),
        ("israeli-whist", "exact-under", {"under exact": ("under", 50), "over": ("over", 30), "under exact over": ("all", None)}),
        ("oh-hell", "base", {"under exact over": ("all", 10)}),
        ("oh-hell", "israeli", {"under": ("under", 50), "exact over": ("over", 30), "under exact over": ("all", None)}),
        ("oh-hell", "variable-bonus", {"under exact over": ("all", None)}),      # by the number of cards
        ("oh-hell", "trick-scoring", {"under exact over": ("all", 0.5)}),
    ],
)
def test_bonuses_by_the_sides_that_they_are_paid_on(game, variant, told):
    found = {" ".join(side.name.lower() for side in sorted(bonus.sides)): bonus[::2] for bonus in zero.bonuses(rules.load(game, variant))}
    assert found == told


def test_IW_both_bonuses_are_told_apart_where_they_are_equal():
    table = rules.load("israeli-whist", settings=["score.zero_made_over=50"])
    assert [(bonus.name, bonus.paid) for bonus in zero.bonuses(table)] == [("under", 50), ("over", 50), ("all", 50)]


def test_a_bonus_of_one_hand_size():
    assert zero.bonuses(rules.load("oh-hell", "variable-bonus"), cards=4)[0].paid is not None


# ---------------------------------------------------------------- break-even

def low_bid(deal, bid, zero_score, others, side=Side.OVER, paid=0.0, like=0, last=False):
    return np.array([(deal, bid, (like,) * 5, zero_score, others, side, last, paid)], zero.LOW_BID)


def row_of(rows, **wanted):
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


BY_HAND = np.concatenate([
    low_bid(0, 0, 50, (11, -10), Side.UNDER, 1),
    low_bid(0, 0, -50, (11, 14), Side.UNDER),
    low_bid(1, 0, 30, (-10, 14), Side.EXACT, 1),
    low_bid(2, 0, 30, (11, -20), Side.OVER, 1),
    low_bid(3, 1, -40, (11, np.nan), Side.OVER, like=1),
    low_bid(4, 1, 30, (-10, np.nan), Side.OVER, 1, like=1),
])  # fmt: skip


def test_break_even_by_hand():
    """Like hands 0, 2 and 1, 3 judge each other: of the first two (11 - 10, -10 + 14) the others pick a two, of the second (11 + 11, 14 - 20) a one."""
    rows = zero.break_even(WHIST, BY_HAND)
    other = [11, 14, -10, -20]
    gain = (50 - 50 + 30 + 30) - sum(other)
    under, over, every = (row_of(rows, hands="zero bids", bonus=name) for name in ("under", "over", "all"))
    assert (under["n"], under["deals"], under["zero"], under["other"]) == (4, 3, 60 / 4, pytest.approx(sum(other) / 4))
    assert under["gain"] == pytest.approx(gain / 4)
    assert [row["p_paid"] for row in (under, over, every)] == [1 / 4, 2 / 4, 3 / 4]
    assert [row["change"] for row in (under, over, every)] == pytest.approx([-gain / 1, -gain / 2, -gain / 3])
    assert (under["break_even"], over["break_even"], every["break_even"]) == (pytest.approx(50 - gain), pytest.approx(30 - gain / 2), None)
    ones = row_of(rows, hands="bids of one", bonus="over")
    assert (ones["n"], ones["gain"], ones["change"]) == (2, (-40 + 30 - 11 + 10) / 2, 11)
    assert row_of(rows, hands="bids of one", bonus="under")["change"] is None


def test_the_other_bid_is_picked_by_hands_that_do_not_judge_it():
    """Bids of one and two that differ by luck alone: the better of both would gain half a standard deviation and more."""
    rng = np.random.default_rng(3)
    low = np.concatenate([low_bid(deal, 0, 0, rng.normal(0, 20, 2), like=deal // 10) for deal in range(2000)])
    row = row_of(zero.break_even(WHIST, low), hands="zero bids", bonus="all")
    assert row["other_low"] < 0 < row["other_high"]
    assert low["others"].max(axis=1).mean() > 5 * (row["other_high"] - row["other"])


def test_a_bid_that_the_rules_forbid_is_not_picked():
    low = np.concatenate([low_bid(deal, 0, 0, (5, np.nan) if deal % 4 else (np.nan, -5)) for deal in range(8)])
    other, _ = zero.second_best(low)
    assert other.tolist() == [-5 if deal % 4 == 0 else 5 for deal in range(8)]


def test_close_are_the_hands_on_which_zero_matters_least():
    low = np.concatenate([low_bid(deal, 0, 4 * (deal // 10), (0, -1), like=deal // 10) for deal in range(80)])
    row = row_of(zero.break_even(WHIST, low), hands="close", bonus="all")
    assert (row["n"], row["gain"]) == (20, 2)


def test_only_the_last_to_bid_knows_the_side():
    low = np.concatenate([low_bid(deal, 0, 10, (0, 0), side, 1, last=deal > 5) for deal, side in enumerate((*Side, *Side, *Side))])
    rows = [row for row in zero.break_even(WHIST, low) if row["hands"].startswith("last")]
    assert {(row["hands"], row["bonus"]): row["n"] for row in rows} == {("last, under", "under"): 1, ("last, over", "over"): 2}


def test_no_low_bids_have_no_break_even():
    assert zero.break_even(WHIST, np.zeros(0, zero.LOW_BID)) == []


def test_the_fewest_points_win_where_the_rules_say_so():
    table = next(board for name in rules.variants("oh-hell") if (board := rules.load("oh-hell", name.name)).fields["score"].get("low_wins"))
    rows = zero.break_even(table, np.concatenate([low_bid(deal, 0, -2, (-5, -6), paid=-1) for deal in range(4)]))
    row = row_of(rows, hands="zero bids", bonus="all")
    assert (row["zero"], row["other"], row["gain"]) == (2, 5, 3)
    assert row["change"] == 3      # a made zero may cost three more


@table
@pytest.mark.parametrize("policy", ["rules", "rules-1"])
def test_low_bids_are_those_of_the_slow_twin(game, variant, players, policy):
    """Every bid before the one asked is spoken as it was; the score is read from the table of scores."""
    board = rules.load(game, variant, players=players)
    engine, facts = played(board, policy, n=scaled(60, 5), seed=5)
    found = zero.low_bids(engine, facts, 0)
    expected = []
    for deal, fact in enumerate(facts):
        bids = fact["bids"][:players].tolist()
        start = fact["declarer"] if game == "israeli-whist" else fact["dealer"]
        order = [int(start + k) % players for k in range(1, players + 1)]
        if game == "israeli-whist":
            order = order[:-1] if "rebids" not in variant else [order[-1], *order[:-1]]
        for seat in order:
            if not fact["played"] or bids[seat] > 1 or (game == "israeli-whist" and seat == fact["declarer"]):
                continue
            scores = {}
            for bid in (0, 1, 2) if bids[seat] == 0 else (0, 1):
                script = engine.setup.copy()
                said = [bids[other] for other in order[:order.index(seat)]] + [bid]
                script["n_bids"], script["bids"] = len(said), NONE
                script["bids"][0, :len(said)] = said
                other = engine.play(deal, 1, setup=script)[0][0, 0]
                if other["played"]:
                    side = int(np.sign(sum(other["bids"][:players]) - other["cards"])) + 1
                    scores[bid] = int(board.points()[other["cards"], side, bid, other["tricks"][seat]]), int(other["tricks"][seat]), side
            if 0 in scores and len(scores) > 1:
                made, side = scores[0][1] == 0, scores[0][2]
                expected.append((deal, bids[seat], scores[0][0], *(scores[bid][0] if bid in scores else None for bid in (1, 2)), side, int(made)))
    assert sorted(expected, key=str) == sorted(
        (
            (int(row["deal"]), int(row["bid"]), int(row["zero"]), *(None if np.isnan(score) else int(score) for score in row["others"]), int(row["side"]),
             int(row["paid"]))
            for row in found
        ),
        key=str,
    )  # fmt: skip
    assert len(found) or not JIT


def test_a_forced_zero_bid_has_nothing_to_be_compared_with():
    """With one card the last to bid may not make the sum fit (OH-A3): zero is forced where nobody bid one, and one where one did."""
    engine, facts = played(OH_HELL, "random", cards=1)
    low = zero.low_bids(engine, facts, 0)
    bids = np.take_along_axis(facts["bids"], (facts["dealer"][:, None] + np.arange(1, 5)) % 4, axis=1)
    free = np.flatnonzero(bids[:, :3].sum(axis=1) > 1)
    assert 0 < len(free) < len(facts)
    assert low["deal"][low["last"]].tolist() == free.tolist()
    assert np.isnan(low["others"][:, 1]).all()


@pytest.mark.parametrize(("settings", "most"), [((), 1), (("score.all_same_double=true",), 2)])
def test_IW_a_made_zero_is_paid_once_or_where_all_make_it_twice(settings, most):
    board = rules.load("israeli-whist", settings=settings)
    facts = np.concatenate([played(board, n=1)[1]] * 2)
    facts["bids"][:, :4], facts["cards"] = [6, 4, 3, 0], 13
    facts["tricks"][:, :4] = [[6, 4, 3, 0], [6, 3, 3, 1]]
    assert zero._paid(board, scored(board, facts), np.array([3, 3])).tolist() == [most, 0]


def scored(board, facts):
    from kernels import entry

    facts = facts.copy()
    entry.score(board.record(), facts)
    return facts


def test_IW_at_the_break_even_bonus_zero_scores_as_much():
    """The same plays under a bonus that is the break-even, rounded: half a point at most is left, times the share that is paid."""
    engine, facts = played(WHIST, n=scaled(400, 8))
    low = zero.low_bids(engine, facts, 0)
    row = row_of(zero.break_even(WHIST, low), hands="zero bids", bonus="over")
    dearer = rules.load("israeli-whist", settings=[f"score.zero_made_over={round(row['break_even'])}"])
    chosen = low[low["bid"] == 0]
    other, _ = zero.second_best(low)
    paid = np.where(chosen["side"] != Side.UNDER, chosen["paid"], 0) * (dearer.fields["score"]["zero_made_over"] - 30)
    assert abs(np.mean(chosen["zero"] + paid - other[low["bid"] == 0])) <= 0.5 * row["p_paid"] + 1e-9


@pytest.mark.parametrize("trump", [2, int(Denomination.NT)])
def test_expected_tricks_are_those_of_the_slow_twin(trump):
    hand, turnup = FRENCH.hand("AK2.T9.-.J543"), FRENCH.card("H7")
    expect = policies.learned_tables("rules-1", policies.family(OH_HELL), 4)["expect"]
    held = set(FRENCH.cards(hand))
    total = 0.0
    for card in held:
        suit, rank = divmod(card, 16)
        length = sum(other // 16 == suit for other in held)
        higher = sum(16 * suit + other not in held and 16 * suit + other != turnup for other in range(rank + 1, 13))
        total += expect[9, 9, 1 if suit == trump else 2 if trump == Denomination.NT else 0, length, higher]
    found = zero.expected_tricks(OH_HELL, np.array([hand]), np.array([trump]), np.array([9]), np.array([turnup]))
    assert found == pytest.approx([total])


# ---------------------------------------------------------------- intervals

def test_fieller_by_its_definition():
    """At both ends the mean of value - ratio * number is just as far from 0 as its Student interval reaches."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 4, 60).astype(float)
    values = 5 * numbers + rng.normal(0, 3, 60)
    found = stats.fieller_interval(*zero._sums(np.arange(60), values, numbers))
    assert found.mean == pytest.approx(values.sum() / numbers.sum())
    for end in (found.low, found.high):
        rest = values - end * numbers
        assert abs(rest.mean()) == pytest.approx(float(stats.student_quantile(0.95, 59)) * rest.std(ddof=1) / sqrt(60))
    delta = stats.ratio_interval(*zero._sums(np.arange(60), values, numbers))
    assert found.high - found.low == pytest.approx(delta.high - delta.low, rel=0.05)


def test_fieller_has_no_bounds_where_the_number_may_be_nothing():
    found = stats.fieller_interval(*zero._sums(np.arange(20), np.arange(20.0), np.eye(20)[3]))
    assert found.mean == 190
    assert np.isnan([found.low, found.high]).all()
    assert np.isnan(stats.fieller_interval(*zero._sums(np.arange(3), np.ones(3), np.zeros(3)))).all()


def test_fieller_sequence_is_wider_and_holds_its_estimate():
    sums = zero._sums(np.arange(400), np.arange(400.0) % 7, np.ones(400))
    once, always = stats.fieller_interval(*sums), stats.fieller_sequence(*sums)
    assert always.low < once.low < once.mean == always.mean < once.high < always.high


def made_up(rng, deals):
    """Return low bids of like hands, up to three a deal that are made or missed together more often than not. True gain: .75 * 30 - .25 * 50 - 3 = 7."""
    parts = []
    for deal in range(deals):
        luck = rng.random()
        for _ in range(rng.integers(0, 4)):
            made = (luck if rng.random() < 0.5 else rng.random()) < 0.75
            one, two = rng.choice([-10, 11], p=[0.5, 0.5]) + 2.5, rng.choice([-20, 14], p=[0.5, 0.5])
            parts.append((deal, 0, (0, 0, 0, 0, int(rng.integers(3))), 30 if made else -50, (one, two), Side.OVER, False, int(made)))
    return np.array(parts, zero.LOW_BID)


@pytest.mark.slow
def test_break_even_bonuses_and_shares_cover_as_often_as_they_say():
    """300 studies of 150 deals: 95 % of the intervals hold the truth, 91 to 99 % of 300."""
    rng = np.random.default_rng(7)
    truth = {"gain": 7, "p_paid": 0.75, "change": -7 / 0.75, "break_even": 30 - 7 / 0.75}
    held = defaultdict(int)
    for _ in range(300):
        row = row_of(zero.break_even(WHIST, made_up(rng, 150)), hands="zero bids", bonus="over")
        for name, value in truth.items():
            held[name] += row[f"{name}_low"] <= value <= row[f"{name}_high"]
    assert {name: 273 <= times <= 297 for name, times in held.items()} == dict.fromkeys(truth, True), dict(held)


@pytest.mark.slow
@many
def test_shares_of_zero_bids_cover_as_often_as_they_say():
    """300 runs of 100 deals against a run of 40,000: how often zero is bid and made, by the split with the most dependence within a deal."""
    table = rules.load("oh-hell", "no-hook", players=5)
    engine = Engine(Run(table, ["rules"], seed=2, cards=4))
    facts = engine.play(0, 70_000)[0][:, 0]
    (truth, *_) = tally_of(table, facts[30_000:]).split_rows(ALL_HANDS)
    held = defaultdict(int)
    for part in np.split(facts[:30_000], 300):
        (row, *_) = tally_of(table, part).split_rows(ALL_HANDS)
        for name in ("p_bid", "p_made", "score"):
            held[name] += row[f"{name}_low"] <= truth[name] <= row[f"{name}_high"]
    assert all(270 <= times <= 298 for times in held.values()), dict(held)


# ---------------------------------------------------------------- the study and its face

def test_policies_play_the_same_deals_once_each():
    document = zero.zero_bids(WHIST, ["rules"], DEALS, by=(), compare=("rules", "random"), break_even=0, jobs=1)
    alone = zero.zero_bids(WHIST, ["random"], DEALS, by=(), break_even=0, jobs=1)
    for policy, other in (("rules", document), ("random", alone)):
        rows = [row for row in document["policies_compared"] if row["policy"] == policy]
        assert {key: rows[0][key] for key in other["total"]} == other["total"]
        assert [{key: row[key] for key in other["results"][0]} for row in rows[1:]] == other["results"]


def test_threads_and_chunks_do_not_change_a_byte(monkeypatch):
    documents = []
    for jobs, size in product((1, 2), (7, 1024)):
        monkeypatch.setattr(zero, "CHUNK", size)
        documents.append(json.dumps(zero.zero_bids(OH_HELL, ["rules"], scaled(40, 4), break_even=scaled(25, 2), jobs=jobs, compare=["random"])))
    assert len(set(documents)) == 1


def test_fewer_deals_are_tried_than_played():
    study = zero.ZeroBids(OH_HELL, ["rules"], break_even=scaled(10, 3), cards=5)
    study.run(scaled(40, 6), jobs=1)
    assert np.unique(np.concatenate(study.counted.low)["deal"]).tolist() == list(range(scaled(10, 3)))
    assert study.document()["break_even_deals"] == scaled(10, 3)
    assert zero.zero_bids(OH_HELL, ["rules"], 5, break_even=0, jobs=1)["break_even"] == []


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("zero oh-hell --by trumpp", 2, "did you mean 'trump'"),
        ("zero oh-hell --by trump+seat+trump", 2, "has trump twice"),
        ("zero oh-hell --by trump,", 2, "--by: found ''"),
        ("zero oh-hell --compare-policies rules,rule", 2, "did you mean"),
        ("zero oh-hell --break-even -1", 2, "--break-even: found '-1'"),
        ("zero oh-hell --break-even some", 2, "--break-even: found 'some'"),
        ("zero spanish-solo", 2, "has no bids of tricks"),
    ],
)
def test_wrong_input_is_one_clear_line(line, code, said, capsys):
    assert run(line.split()) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def answer(line, capsys):
    assert run(f"{line} --json -q -j 1".split()) == 0
    return json.loads(capsys.readouterr().out)


def test_the_answer_as_json(capsys):
    document = answer(f"zero israeli-whist --policy rules -n {DEALS} --by seat,trump+seat --compare-policies random", capsys)
    assert document["schema"] == "tricklab.zero/1"
    assert list(document["results"][0]) == [
        "side", "scored_as", "n", "share", "made", "p_made", "p_made_low", "p_made_high", "score", "score_low", "score_high",
    ]  # fmt: skip
    assert {(row["side"], row["scored_as"]) for row in document["results"]} <= {("under", "under"), ("exact", "over"), ("over", "over")}
    assert {row["by"] for row in document["by"]} == {"seat", "trump+seat"}
    assert {row["policy"] for row in document["policies_compared"]} == {"random"}
    assert (document["break_even_deals"], document["deals"]) == (DEALS, DEALS)
    kinds = [kind for kind in ("zero bids", "close", "bids of one") if any(row["hands"] == kind for row in document["break_even"])]
    assert [(row["hands"], row["bonus"]) for row in document["break_even"] if row["hands"] in kinds] == list(product(kinds, ("under", "over", "all")))
    for row in document["break_even"]:
        assert row["gain"] == pytest.approx(row["zero"] - row["other"])


def test_the_page_opens_with_the_answer_in_words(capsys):
    document = answer(f"zero israeli-whist --policy rules -n {DEALS} --compare-policies random", capsys)
    _, words, classic, worth, *rest = zero_page(document, Style())
    assert words.startswith("A zero bid is made ")
    assert " % over" in words
    assert classic.headings[0] == "sum of bids"
    assert worth.startswith("At 50 under and 30 over a zero bid earns ")
    assert "points more than the best other bid" in worth
    tables = [part for part in rest if isinstance(part, Table)]
    assert [table.headings[0] for table in tables] == ["", "trump", "speaks", "cards 2 to 6", "longest suit", "highest card", "trumps held", "players"]
    assert "(now 50)" in tables[0].headings[5]
    assert all(len(row) == len(table.headings) for table in tables for row in table.rows)


def test_by_nothing_and_without_break_even_the_page_is_the_classic_table(capsys):
    document = answer("zero oh-hell --policy rules -n 20 --by none --break-even 0", capsys)
    page = zero_page(document, Style())
    assert [type(part).__name__ for part in page] == ["str", "str", "Table", "str"]


def test_a_zero_bid_that_earns_less_says_so():
    rows = zero.break_even(WHIST, np.concatenate([low_bid(deal, 0, (-50, 30)[deal % 2], (11, 0), paid=deal % 2) for deal in range(40)]))
    document = zero.zero_bids(WHIST, ["rules"], scaled(40, 4), by=(), break_even=0, jobs=1)
    worth = zero_page({**document, "break_even": rows}, Style())[3]
    assert "points less than the best other bid" in worth
    assert worth.split("if a made zero paid ")[1].split(".")[0].startswith("42")
    assert " more" in worth


def test_the_command_has_the_defaults_of_the_study():
    from analyzer.cli import zero as command

    assert (command.BREAK_EVEN, command.BY.split(",")) == (zero.BREAK_EVEN, list(zero.SPLITS))
