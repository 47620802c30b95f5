"""Comparisons: nothing against itself, margins and hand counts, known answers of schemes, and what adapting brings."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from analyzer import adapting, policies, records, results, rules, scoring, simulation, stats, tables
from analyzer.cli import run
from analyzer.compare import ADAPTED, ANSWERED, KEPT, Comparison, compare, measured, pair_of
from analyzer.errors import ImpossibleError, UsageError
from kernels.compiled import JIT
from kernels.layout import NONE, Decision, Denomination, Player

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is too slow to adapt")

GAMES = ("israeli-whist", "oh-hell", "jabberwocky", "spanish-solo")
MEASURES = ("share", "p_made", "score", "spread")
ENDS = ("", "_low", "_high")
FINED = ("score.zero_made_over=-200", "score.zero_made_under=-200")


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    """Adapt by few deals."""
    monkeypatch.setattr(adapting, "LOOKED_AT", 2048)
    monkeypatch.setattr(adapting, "COUNTED", 4096)
    monkeypatch.setattr(adapting, "UPDATES", 4)


def variants(game, *names, **how):
    return [rules.load(game, name, **how) for name in names]


def row_of(comparison, variant, group, bidders=ADAPTED):
    [row] = [row for row in comparison.rows() if (row["variant"], row["bidders"], row["group"]) == (variant, bidders, group)]
    return row


def bids_of(comparison, number, n=1000):
    facts = comparison.engines[number].play(0, n)[0][:, 0]
    return facts["bids"], facts["n_calls"], facts["calls"]


# ---------------------------------------------------------------- identities

@pytest.mark.parametrize(("game", "policy"), [*((game, "rules") for game in GAMES), ("israeli-whist", "learned"), ("spanish-solo", "learned")])
def test_a_variant_against_itself_differs_by_exactly_nothing(game, policy):
    comparison = compare(variants(game, "base", "base"), [policy], 600, rounds=1)
    rows = [row for row in comparison.rows() if row["variant"] == "base (2)"]
    assert {row["bidders"] for row in rows} == {KEPT, ADAPTED}
    for row, measure, end in product(rows, MEASURES, ENDS):
        known = row[f"{measure}_difference"] is not None and row[f"{measure}_difference{end}"] is not None
        assert not known or row[f"{measure}_difference{end}"] == 0, (row["group"], measure)
    _, again = comparison.variants()
    assert [again[f"answered{end}"] for end in ENDS] == [0, 0, 0]
    assert again["calls_changed"] in (0, None)
    assert again["bids_changed"] in (0, None)
    assert again["alone"] == (None if game == "spanish-solo" else 0)
    assert (again["left_out"], again["changes"]) == (0, [])


@pytest.mark.parametrize("game", GAMES)
def test_margins_are_those_of_single_tables(game):
    """What nobody adapts is counted as `simulate` counts it."""
    first, other = variants(game, "base", {"israeli-whist": "alt", "oh-hell": "exact", "jabberwocky": "trumps-free", "spanish-solo": "parlett"}[game])
    comparison = compare([first, other], ["random"], 800)
    for book in (first, other):
        tally = results.Tally(book)
        simulation.run(simulation.Run(book, ["random"]), 800, consume=lambda facts, _, tally=tally: tally.add(facts))
        for single in tally.rows(by=("seat",)):
            name = "dealer" if single["seat"] == book.players - 1 else f"seat {single['seat']}"
            row = row_of(comparison, book.variant, name)
            assert row["n"] == single["n"]
            assert row["score"] == pytest.approx(single["score"], abs=1e-12)
            if book.has_bids:
                assert row["p_made"] == pytest.approx(single["p_made"], abs=1e-12)
        for single in tally.rows(by=("bid",)) if book.has_bids else ():
            row = row_of(comparison, book.variant, f"bid {single['bid']}")
            assert (row["n"], row["share"]) == (single["n"], pytest.approx(single["n"] / row_of(comparison, book.variant, "all")["n"]))
            assert row["score"] == pytest.approx(single["score"], abs=1e-12)


def test_groups_add_up():
    comparison = compare(variants("israeli-whist", "base", "alt"), ["rules"], 1000, rounds=1)
    n = {(row["variant"], row["bidders"], row["group"]): row["n"] for row in comparison.rows()}
    for variant, bidders in product(("base", "alt"), (KEPT, ADAPTED)):
        def total(start, side=(variant, bidders)):
            return sum(count for key, count in n.items() if key[:2] == side and key[2].startswith(start))

        everybody = n[variant, bidders, "all"]
        thrown_in = comparison.counts.thrown_in[1] if (variant, bidders) == ("alt", ADAPTED) else comparison.counts.thrown_in[0]
        assert everybody == 4 * (1000 - thrown_in)
        assert everybody == total("bid ") == total("sum ") == total("seat ") + n[variant, bidders, "dealer"] == 4 * n[variant, bidders, "declarer"]
        assert total("zero ") == n[variant, bidders, "bid 0"]


def test_chunks_and_threads_change_nothing():
    books = variants("oh-hell", "base", "exact")
    one, two = (compare(books, ["rules"], 2500, rounds=1, jobs=jobs) for jobs in (1, 2))
    assert one.rows() == two.rows()
    assert one.variants() == two.variants()


def test_differences_are_those_of_paired_deals():
    comparison = compare(variants("oh-hell", "base", "squares"), ["rules"], 500, rounds=1)
    facts = [engine.play(0, 500)[0][:, 0] for engine in comparison.engines]
    paired = stats.paired_difference(np.stack([played["scores"][:, :4].sum(axis=1) for played in facts], axis=1), 0)
    row = row_of(comparison, "squares", "all")
    assert [row[f"score_difference{end}"] for end in ENDS] == pytest.approx([float(end[1]) / 4 for end in paired])
    assert row["spread"] == pytest.approx(facts[1]["scores"][:, :4].std())


# ---------------------------------------------------------------- kept bids

def test_kept_deals_are_those_of_the_records_scored_again_by_hand():
    base, alt = variants("israeli-whist", "base", "plain-squares")
    comparison = compare([base, alt], ["rules"], 300, rounds=1)
    facts = comparison.engines[0].play(0, 300)[0][:, 0]
    scores = []
    for line in records.lines(facts, base, ["rules"] * 4, 1):
        record = json.loads(line)
        if record["bids"]:
            order = [(record["declarer"] + k) % 4 for k in range(4)]
            scored = scoring.score_deal(alt, [record["bids"][seat] for seat in order], [record["tricks"][seat] for seat in order])
            scores += [row["score"] for row in scored]
    row = row_of(comparison, "plain-squares", "all", KEPT)
    assert (row["n"], row["score"]) == (len(scores), pytest.approx(np.mean(scores)))
    assert (row["p_made_difference"], row["p_made_difference_low"], row["p_made_difference_high"]) == (0, 0, 0)


def test_IW_A6_deals_whose_kept_bids_the_hook_forbids_are_left_out():
    comparison = compare(variants("israeli-whist", "base", "hook13"), ["rules"], 500, rounds=1)
    facts = comparison.engines[0].play(0, 500)[0][:, 0]
    fitting = int(((facts["bids"][:, :4].sum(axis=1) == 13) & (facts["played"] == 1)).sum())
    _, hooked = comparison.variants()
    assert (hooked["left_out"], hooked["scored_again"]) == (fitting, False)
    assert 0 < fitting < 500
    assert not [row for row in comparison.rows() if row["variant"] == "hook13" and row["group"] == "sum exact" and row["bidders"] == ADAPTED and row["n"]]


def test_cards_are_played_anew_under_other_rules_of_play():
    books = variants("oh-hell", "base", "free-discard")
    comparison = compare(books, ["rules"], 400, rounds=1)
    row = row_of(comparison, "free-discard", "all", KEPT)
    assert comparison.variants()[1]["left_out"] == 0
    assert row["p_made_difference"] != 0
    shares = [row for row in comparison.rows() if row["variant"] == "free-discard" and row["bidders"] == KEPT and row["group"].startswith("bid ")]
    assert all(row["share_difference"] == 0 for row in shares)


# ---------------------------------------------------------------- known answers

@pytest.mark.parametrize("policy", ["rules", "learned"])
def test_schemes_that_are_the_same_up_to_scale_give_the_same_bids(policy):
    formulas = {"system": "formula", "made": "{}*(10+t)", "short": "{}*t", "beyond": "{}*t"}
    books = [
        rules.load("oh-hell", settings=[f"score.{key}={value.format(scale)}" for key, value in formulas.items()]) for scale in (1, 4)
    ]
    comparison = compare(books, [policy], 1000, rounds=2)
    for one, other in zip(bids_of(comparison, 0), bids_of(comparison, 1), strict=True):
        assert (one == other).all()
    first, other = (row_of(comparison, name, "all") for name in comparison.names)
    assert other["score"] == pytest.approx(4 * first["score"])
    assert comparison.variants()[1]["bids_changed"] == 0


def test_a_higher_pay_for_a_made_zero_turns_no_zero_bid_into_another_bid():
    """With the bids of the others held, and what bidders expect of them."""
    base = rules.load("israeli-whist")
    more = rules.load("israeli-whist", settings=["score.zero_made_over=40", "score.zero_made_under=60"])
    comparison = compare([base, more], ["rules"], 1, rounds=0)
    facts = comparison.engines[0].play(0, 1500)[0][:, 0]
    turned = stayed = 0
    for k in range(3):
        scripts = np.repeat(simulation.empty_setup(), len(facts))
        scripts["seed"], scripts["n_calls"], scripts["calls"], scripts["n_bids"] = 1, facts["n_calls"], facts["calls"], k
        order = (facts["declarer"][:, None] + 1 + np.arange(3)) % 4
        scripts["bids"][:, :3] = np.take_along_axis(facts["bids"], order, axis=1)
        asked = comparison.askers[1].replay(np.arange(len(facts)), scripts)
        assert (asked["fault"] == Decision.NONE).all()
        rows = np.arange(len(facts))
        before, after = facts["bids"][rows, order[:, k]], asked["bids"][rows, order[:, k]]
        assert not ((before == 0) & (after != 0)).any()
        turned += int(((before != 0) & (after == 0)).sum())
        stayed += int(((before == 0) & (after == 0)).sum())
    assert turned > 0
    assert stayed > 0


@pytest.mark.parametrize("policy", ["rules", "learned"])
def test_a_fine_of_200_points_for_a_made_zero_makes_zero_bids_vanish(policy):
    books = [rules.load("israeli-whist"), rules.load("israeli-whist", settings=FINED)]
    comparison = compare(books, [policy], 1000, rounds=2)
    zero = row_of(comparison, "base (2)", "bid 0")
    assert (zero["n"], zero["share"]) == (0, 0)
    assert zero["share_difference_high"] < -0.1


@pytest.mark.parametrize("policy", ["rules", "learned"])
@pytest.mark.parametrize(("game", "names"), [("israeli-whist", ("alt", "plain-squares", "gentle-zero")), ("oh-hell", ("one-point", "squares", "ten-times"))])
def test_a_seat_that_adapts_alone_scores_no_less_than_one_that_does_not(game, names, policy):
    comparison = compare(variants(game, "base", *names), [policy], 4096, rounds=1)
    for row in comparison.variants()[1:]:
        assert row["alone_high"] > 0, row["variant"]
    assert any(row["alone_low"] > 0 for row in comparison.variants())


def test_where_all_adapt_the_change_is_shown_with_its_sign():
    comparison = compare(variants("israeli-whist", "base", "alt"), ["rules"], 1000, rounds=1)
    kept, adapted = (row_of(comparison, "alt", "all", bidders)["score"] for bidders in (KEPT, ADAPTED))
    answered = comparison.variants()[1]
    assert answered["answered"] == pytest.approx(adapted - kept)
    assert answered["answered_low"] < answered["answered"] < answered["answered_high"]
    assert comparison.counts.pairs[ANSWERED, 1].deals == 1000


def test_deals_needed_follow_from_luck_and_skill():
    comparison = compare(variants("oh-hell", "base", "exact"), ["rules"], 1024, rounds=0)
    for row in comparison.variants():
        assert row["deals_needed"] == pytest.approx((2.8 * row["luck"] / row["skill"]) ** 2)
        assert row["deals_needed_low"] < row["deals_needed"] < row["deals_needed_high"]
    assert all(row["deals_needed"] is None for row in compare(variants("oh-hell", "base", "exact"), ["rules"], 2, rounds=0).variants())


def test_other_schedules_deal_the_first_variants_cards():
    comparison = compare(variants("oh-hell", "base", "up", "down-up"), ["rules"], 300, rounds=0)
    for row in comparison.rows():
        assert row["score_difference"] == 0 or row["score_difference"] is None


# ---------------------------------------------------------------- adapting

def test_tricks_are_expected_as_the_bidder_does():
    """Card by card, in plain Python."""
    book = rules.load("oh-hell")
    known = policies.learned_tables("rules-1", "oh-hell", 4)["expect"]
    facts = simulation.Engine(simulation.Run(book, ["rules"])).play(0, 60)[0][:, 0]
    hands, cards = facts["hands"][:, :4], facts["cards"][:, None]
    gone = np.where(facts["turnup"] == NONE, 0, 1 << np.maximum(facts["turnup"], 0))[:, None]
    unseen = book.deck.mask & ~hands & ~gone
    found = adapting.expected_tricks(known[cards, cards], hands, unseen, facts["trump"][:, None])
    for deal, seat in product(range(60), range(4)):
        hand, out, trump, n = int(hands[deal, seat]), int(unseen[deal, seat]), int(facts["trump"][deal]), int(facts["cards"][deal])
        ruffs = trump != Denomination.NT and out >> 16 * trump & 0x1FFF
        total = 0.0
        for card in (card for card in range(61) if hand >> card & 1):
            suit = card >> 4
            length = (hand >> 16 * suit & 0x1FFF).bit_count()
            kind = 1 if suit == trump else 0 if ruffs else 2
            total += known[n, n, kind, min(length, 8), ((out >> 16 * suit & 0x1FFF) >> (card & 15)).bit_count()]
        assert found[deal, seat] == total


def test_counted_tables_are_chances():
    adapted = adapting.adapt("rules", rules.load("israeli-whist", "alt"), rounds=2).policy
    for name in ("aim", "sides"):
        totals = adapted.learned[name].sum(axis=-1)
        assert np.allclose(totals[totals > 0], 1)
    solo = adapting.adapt("rules", rules.load("spanish-solo"), rounds=2).policy.learned["solo"]
    assert (np.diff(solo, axis=1) >= 0).all()
    assert solo.min() >= 0
    assert solo.max() <= 1


def test_adapted_bidders_are_the_same_for_any_number_of_threads():
    for name in ("rules", "learned"):
        one, two = (adapting.adapt(name, rules.load("oh-hell", "squares"), rounds=2, jobs=jobs) for jobs in (1, 2))
        assert one.to_json() == two.to_json()
        assert all((one.policy.learned[key] == two.policy.learned[key]).all() for key in one.policy.learned)


def test_random_players_have_nothing_to_adapt():
    adapted = adapting.adapt("random", rules.load("oh-hell"))
    assert (adapted.rounds, adapted.moved, adapted.settled) == (0, None, True)
    assert adapted.policy.player == Player.RANDOM


def test_rounds_end_when_nothing_moves(monkeypatch):
    monkeypatch.setattr(adapting, "SETTLED", 1.0)
    assert adapting.adapt("rules", rules.load("oh-hell")).rounds == adapting.FEWEST
    monkeypatch.setattr(adapting, "SETTLED", 0.0)
    endless = adapting.adapt("rules", rules.load("oh-hell"))
    assert (endless.rounds, endless.settled) == (adapting.ROUNDS, False)


def test_a_policy_may_play_for_the_scores_of_other_rules():
    base, fined = rules.load("israeli-whist"), rules.load("israeli-whist", settings=FINED)
    for name in ("rules", "learned"):
        stubborn = replace(policies.load(name), plays_for=base)
        facts = simulation.Engine(simulation.Run(fined, [stubborn])).play(0, 200)[0][:, 0]
        usual = simulation.Engine(simulation.Run(base, [name])).play(0, 200)[0][:, 0]
        assert (facts["bids"] == usual["bids"]).all()
        assert (facts["play"] == usual["play"]).all()


# ---------------------------------------------------------------- the command

def test_the_command_prints_the_same_bytes_again(capsys):
    command = "compare israeli-whist --variant base --variant alt --policy rules -n 500 -q".split()
    texts = []
    for _ in range(2):
        assert run([*command, "--json"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    answer = json.loads(texts[0])
    assert (answer["schema"], answer["deals"], answer["players"]) == ("tricklab.compare/1", 500, 4)
    assert [row["variant"] for row in answer["variants"]] == ["base", "alt"]
    assert {row["policy"] for row in answer["adaptations"]} == {"rules"}
    assert answer["rules"] == rules.load("israeli-whist").fields
    page = tables.compare_page(answer, tables.Style())
    assert page[1].startswith("Under alt (score.made_const=0, score.miss_per_trick=5, score.zero_made_over=25 and 4 more): the same bids score ")
    assert "zero bids rise by" in page[1]


@pytest.mark.parametrize("game", ["oh-hell", "spanish-solo"])
def test_the_page_shows_every_variant(game, capsys):
    other = {"oh-hell": "exact", "spanish-solo": "parlett"}[game]
    assert run(f"compare {game} --variant base --variant {other} --policy random -n 200 -q".split()) == 0
    out = capsys.readouterr().out
    assert f"Under {other}" in out
    assert "does not adapt" in out
    assert "n = 200 deals" in out


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("oh-hell", 2, "compare: found 0 variants, expected two or more"),
        ("oh-hell --variant base", 2, "compare: found 1 variant, expected two or more"),
        ("oh-hell --variant base --variant exakt", 2, "did you mean 'exact'?"),
        ("oh-hell --variant base --variant exact --cards 60", 3, "--cards: found 60"),
        ("oh-hell --variant base --variant exact --policy nobody", 2, "nobody"),
    ],
)
def test_wrong_input_is_one_clear_line(command, code, said, capsys):
    assert run(["compare", *command.split()]) == code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err


def test_variants_of_different_numbers_of_players_are_refused(tmp_path, capsys):
    three = tmp_path / "three.toml"
    three.write_text('base = "oh-hell"\nsummary = "three players"\nplayers = [3]\nschedule = [3, 2, 1]\n')
    assert run(f"compare oh-hell --variant base --variant {three}".split()) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "three of oh-hell for 3 players, base of oh-hell for 4; expected variants of one game and number of players, see --players" in err


def test_variants_of_different_games_are_refused():
    with pytest.raises(ImpossibleError, match="expected variants of one game"):
        Comparison([rules.load("oh-hell"), rules.load("jabberwocky")], ["rules"])
    with pytest.raises(UsageError, match="nothing has been counted"):
        Comparison(variants("oh-hell", "base", "exact"), ["rules"]).rows()


# ---------------------------------------------------------------- intervals

def test_a_mean_has_the_interval_of_the_ratio_estimator():
    comparison = compare(variants("israeli-whist", "base", "alt"), ["rules"], 800, rounds=0)
    facts = comparison.engines[1].play(0, 800)[0][:, 0]
    declares = (facts["declarer"][:, None] == np.arange(4)) & (facts["played"] == 1)[:, None]
    total, n = (facts["scores"][:, :4] * declares).sum(axis=1), declares.sum(axis=1)
    known = stats.ratio_interval(total.sum(), n.sum(), (total * total).sum(), (n * n).sum(), (total * n).sum(), 800)
    row = row_of(comparison, "alt", "declarer")
    assert [row[f"score{end}"] for end in ENDS] == pytest.approx([float(end) for end in known])


@pytest.mark.slow
def test_intervals_of_differences_in_spread_cover():
    """Two seats a deal whose scores depend on each other, under two schemes with known standard deviations."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        luck = rng.standard_normal((300, 2)) + rng.standard_normal((300, 1))
        scores = [np.round(scale * luck).astype(np.int64) for scale in (1000, 1500)]
        parts = [np.stack([np.full(300, 2), np.zeros(300, np.int64), x.sum(axis=1), (x * x).sum(axis=1), np.full(300, 2)])[None] for x in scores]
        _, difference = measured("spread", pair_of(parts[1], parts[0], np.ones(300, dtype=bool)), 0.95, False)
        covered += bool(difference.low[0] < 500 * np.sqrt(2) < difference.high[0])
    assert 0.92 < covered / 400 < 0.98
