"""Duels: nothing against itself, the definitions of contracts.md counted slowly from records, the same deals at every table."""

import json
from itertools import chain
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest
from scipy.stats import t as student

from analyzer import policies, records, rules, stats
from analyzer.cli import run
from analyzer.duel import DIFFERENCE, POINTS, Duel, duel
from analyzer.errors import UsageError
from analyzer.simulation import Engine, Run, empty_setup
from kernels.compiled import JIT
from kernels.layout import NONE
from tests.kernels.tools import scaled

TABLES = [
    ("israeli-whist", "base", (), 4),
    ("israeli-whist", "gulash", (), 4),
    ("israeli-whist", "exact-under", ("score.all_fail_zero=true",), 4),
    ("oh-hell", "base", (), 4),
    ("oh-hell", "no-hook", (), 3),
    ("jabberwocky", "base", (), 5),
    ("jabberwocky", "two-players", (), 2),
    ("spanish-solo", "base", (), 3),
]
table = pytest.mark.parametrize(("game", "variant", "settings", "players"), TABLES)
field = pytest.mark.parametrize("field", ["1v3", "3v1"])
many_deals = pytest.mark.skipif(not JIT, reason="plain Python is too slow for many deals")
INTERVALS = ("score", "exact_rate", "difference", "swap_difference")
ZEROS = ("zero_under", "zero_exact", "zero_over")


@pytest.fixture
def other(tmp_path):
    """A policy that bids and plays otherwise than `rules`."""
    file = tmp_path / "other.toml"
    file.write_text('base = "rules-1"\n[weights]\nrest = 0.4\nrisk = 0.5\nwill_needs = 0.5\nzero_margin = -15\nsum_shift = 0.3\n')
    return str(file)


@pytest.fixture
def tables_played(monkeypatch):
    """What a duel plays: the facts of every table, by who sat where."""
    played = {}
    play = Engine.play

    def spy(self, first, n, setup=None, seats=None):
        facts, games = play(self, first, n, setup, seats)
        if seats is not None:
            played[tuple(seats)] = facts[:, 0]
        return facts, games

    monkeypatch.setattr(Engine, "play", spy)
    return played


def test_SS_squares_of_chips_are_exact(monkeypatch):
    """Scores as large as a pool can be; their squares outgrow 64 bits."""
    scores = iter(range(6))

    def seen(self, table, first, n):
        result = np.zeros((9, n, 3), dtype=np.int64)
        result[0] = 10**12 * (-1) ** next(scores), 10**12, 5
        return result

    monkeypatch.setattr(Duel, "_seen", seen)
    contest = Duel(rules.load("spanish-solo"), ["random", "rules"])
    contest.add(contest.count(0, 2))
    for value, n, value_sq, _, _ in contest.sums[:, :, :POINTS + 1].reshape(-1, 5):
        assert value_sq * n == value * value        # every deal alike
    assert contest.sums[..., 2].max() > 2**64


# ---------------------------------------------------------------- nothing against itself

@table
def test_a_policy_against_a_copy_of_itself_differs_by_exactly_nothing(game, variant, settings, players, tmp_path):
    copy = tmp_path / "copy.toml"
    book = rules.load(game, variant, settings, players)
    for name in ("rules", "random"):
        copy.write_bytes((policies.DATA / "policies" / f"{name}.toml").read_bytes())
        contest = duel(book, [str(copy), name, name], scaled(300, 3), field="all")
        gains = [row[f"{kind}{end}"] for row in contest.rows() for kind in ("difference", "swap_difference") for end in ("", "_low", "_high")]
        gains += [row[f"difference{end}"] for row in contest.payoffs() for end in ("", "_low", "_high")]
        assert gains == [0.0] * 54


def test_the_last_policy_is_the_measure():
    rows = duel(rules.load("oh-hell"), ["random", "rules"], scaled(300, 5), field="all").rows()
    assert [(row["policy"], row["field"]) for row in rows] == [("random", "1v3"), ("rules", "1v3"), ("random", "3v1"), ("rules", "3v1")]
    assert all(rows[k]["difference"] != 0 for k in (0, 2))
    assert all(rows[k][name] == 0 for k in (1, 3) for name in ("difference", "difference_low", "difference_high", "swap_difference"))


# ---------------------------------------------------------------- the slow twin

def table_records(book, seats, n):
    """Return the records of deals 0 to n - 1, with these policies from the dealer's next."""
    facts = Engine(Run(book, seats)).play(0, n)[0][:, 0]
    return [json.loads(line) for line in records.lines(facts, book, seats, 1)]


def is_made(record, seat):
    """Return whether a seat made what it said, None where it said nothing."""
    if record["game"] != "spanish-solo":
        return record["bids"][seat] == record["tricks"][seat] if record["bids"] else None
    if record["soloist"] != seat:
        return None
    if record["contract"] not in ("juego", "juego-diamonds"):
        return record["tricks"][seat] == 12
    return record["points"][seat] >= (36 if seat == (record["dealer"] + 2) % 3 else 37)      # the dealer's left needs one less


def side_of(record):
    excess = sum(record["bids"]) - len(record["play"]) // len(record["bids"])
    return ZEROS[(excess >= 0) + (excess > 0)]


def slow_row(book, policy, last, field, n):
    """Return a row as contracts.md 2 defines it, read from records one by one."""
    players = book.players
    one, others = (policy, last) if field == "1v3" else (last, policy)
    turns = [table_records(book, [one if place == turn else others for place in range(players)], n) for turn in range(players)]
    alike = table_records(book, [others] * players, n)
    scores, differences, swaps, made = [], [], [], []
    zeros = {name: [] for name in ZEROS}
    for deal in range(n):
        own, rest, swapped = [], [], []
        for turn in range(players):
            record = turns[turn][deal]
            odd = (record["dealer"] + 1 + turn) % players
            its = [seat for seat in range(players) if (seat == odd) == (field == "1v3")]
            own += [record["scores"][seat] for seat in its]
            rest += [record["scores"][seat] for seat in range(players) if seat not in its]
            gain = record["scores"][odd] - alike[deal]["scores"][odd]
            swapped.append(gain if field == "1v3" else -gain)
            for seat in its:
                made.append(is_made(record, seat))
                if record["bids"] and record["bids"][seat] == 0:
                    zeros[side_of(record)].append(made[-1])
        scores.append(mean(own))
        differences.append(mean(own) - mean(rest))
        swaps.append(mean(swapped))
    return scores, differences, swaps, [bit for bit in made if bit is not None], zeros


@field
@table
def test_rows_are_what_the_definitions_say(game, variant, settings, players, field):
    book, n = rules.load(game, variant, settings, players), scaled(40, 4)
    scores, differences, swaps, made, zeros = slow_row(book, "random", "rules", field, n)
    row = duel(book, ["random", "rules"], n, field=field).rows()[0]
    assert row["n"] == n
    for name, values in (("score", scores), ("difference", differences), ("swap_difference", swaps)):
        radius = student.ppf(0.975, n - 1) * stdev(values) / sqrt(n)
        assert row[name] == pytest.approx(mean(values))
        assert [row[f"{name}_low"], row[f"{name}_high"]] == pytest.approx([mean(values) - radius, mean(values) + radius], abs=2e-5 * radius)
    assert row["exact_rate"] == (pytest.approx(mean(made)) if made else None)
    for name, values in zeros.items():
        assert row[name] == (pytest.approx(mean(values)) if values else None)
        assert row[f"{name}_n"] == (len(values) if book.has_bids else None)


def test_the_twin_meets_zeros_on_both_sides_and_soloists():
    """Else the test above says nothing about them."""
    _, _, _, _, zeros = slow_row(rules.load("oh-hell"), "random", "rules", "3v1", 40)
    assert all(zeros[name] for name in ("zero_under", "zero_over"))
    *_, made, _ = slow_row(rules.load("spanish-solo"), "random", "rules", "1v3", 40)
    assert made


# ---------------------------------------------------------------- duplicate deals

@pytest.mark.parametrize(("field", "alike"), [("1v3", [1]), ("3v1", [0, 1]), ("all", [0, 1])])
def test_every_policy_has_every_place_at_the_same_deals(field, alike, tables_played):
    duel(rules.load("oh-hell"), ["random", "rules"], 20, field=field)
    odd = ([0] if field != "3v1" else []) + ([1] if field != "1v3" else [])
    expected = {tuple(one if place == turn else 1 - one for place in range(4)) for one in odd for turn in range(4)} | {(one,) * 4 for one in alike}
    assert set(tables_played) == expected
    first, *others = tables_played.values()
    for facts in others:
        for name in ("hands", "dealer", "cards", "turnup", "game_no"):
            assert (facts[name] == first[name]).all()
    assert any((facts["play"] != first["play"]).any() for facts in others)


@table
def test_who_is_odd_turns_and_the_other_seats_do_not_notice(game, variant, settings, players, tables_played):
    """A seat of `random` draws its own numbers, so that at the table of all `random` and at that of a copy the same happens."""
    book = rules.load(game, variant, settings, players)
    duel(book, ["random", "random"], scaled(50, 2), field="all")
    first, *others = tables_played.values()
    assert all((facts[name] == first[name]).all() for facts in others for name in ("bids", "play", "scores", "calls"))


def test_more_deals_go_on_where_fewer_stopped():
    book = rules.load("jabberwocky")
    contest = Duel(book, ["random", "rules"], cards=3)
    parts = contest.count(0, 30) + contest.count(30, 70)
    assert (parts == contest.count(0, 100)).all()
    assert (duel(book, ["random", "rules"], 100, cards=3).sums == parts).all()


def test_threads_do_not_change_the_sums():
    book = rules.load("oh-hell")
    one, three = (duel(book, ["random", "rules"], scaled(1500, 300), cards=2, jobs=jobs) for jobs in (1, 3))
    assert (one.sums == three.sums).all()
    assert one.rows() == three.rows()


# ---------------------------------------------------------------- bids or play held equal

def assert_cards_of(book, seats, facts):
    """Every card is the one that these policies play where the same cards are dealt and the same calls and bids made."""
    n_spoken = book.players - (book.auction == "levels")
    played = facts[facts["played"] == 1]
    assert len(played)
    engine = Engine(Run(book, seats))
    for fact in played:
        setup = empty_setup()
        for name in ("turnup", "cards", "dealer", "calls", "n_calls"):
            setup[name] = fact[name]
        setup["held"] = fact["hands"]
        first = 1 + (fact["declarer"] if book.auction == "levels" else fact["dealer"])
        setup["n_bids"] = n_spoken
        setup["bids"][0, :n_spoken] = [fact["bids"][(first + k) % book.players] for k in range(n_spoken)]
        again = engine.play(0, 1, setup)[0][0, 0]
        assert again["fault"] == 0
        assert (again["play"] == fact["play"]).all()


BY_BIDS = pytest.mark.parametrize("game", ["oh-hell", "israeli-whist", "jabberwocky"])


@BY_BIDS
def test_bids_by_one_policy_are_the_same_at_every_table_and_the_cards_are_their_own(game, other, tables_played):
    book, n = rules.load(game), scaled(30, 3)
    duel(book, [other, "rules"], n, bids_by="random")
    by_random = Engine(Run(book, ["random"])).play(0, n)[0][:, 0]
    for who, facts in tables_played.items():
        for name in ("n_calls", "calls", "call_seats", "bids", "declarer", "contract"):
            assert (facts[name] == by_random[name]).all()
        assert_cards_of(book, [(other, "rules")[number] for number in who[book.players:]], facts)


@BY_BIDS
def test_play_by_one_policy_follows_the_bids_that_each_makes(game, other, tables_played):
    book, n = rules.load(game), scaled(30, 3)
    duel(book, ["random", "rules"], n, play_by=other)
    for who, facts in tables_played.items():
        free = Engine(Run(book, [("random", "rules")[number] for number in who[:book.players]])).play(0, n)[0][:, 0]
        for name in ("n_calls", "calls", "call_seats", "bids", "declarer", "contract"):
            assert (facts[name] == free[name]).all()
        assert_cards_of(book, [other], facts)


def test_spanish_solo_calls_trumps_and_exchanges_are_bids(tables_played):
    book, n = rules.load("spanish-solo"), scaled(200, 20)
    duel(book, ["rules", "random"], n, bids_by="random")
    by_random = Engine(Run(book, ["random"])).play(0, n)[0][:, 0]
    for facts in tables_played.values():
        assert all((facts[name] == by_random[name]).all() for name in ("calls", "declarer", "contract", "trump", "asked", "given"))
    assert (by_random["given"] != NONE).any()


def test_policies_that_differ_in_bidding_alone_are_equal_where_bids_are(tmp_path):
    file = tmp_path / "shy.toml"
    file.write_text('base = "rules-1"\n[weights]\nzero_margin = -30\ncall_margin = 8\nsum_shift = 0.5\n')
    book = rules.load("israeli-whist")
    free, play, bidding = (duel(book, [str(file), "rules-1"], scaled(400, 5), **how).rows()[0] for how in ({}, {"bids_by": "rules-1"}, {"play_by": "rules-1"}))
    assert [play[name] for name in ("difference", "difference_high", "swap_difference")] == [0, 0, 0]
    assert bidding["difference"] == free["difference"] != 0


# ---------------------------------------------------------------- payoffs and strength

def payoffs(contest):
    return {(row["policy"], row["against"]): row["difference"] for row in contest.payoffs()}


def test_at_two_seats_what_one_gains_the_other_loses(other):
    book = rules.load("jabberwocky", "two-players", players=2)
    paid = payoffs(duel(book, ["random", other, "rules"], scaled(200, 5)))
    assert len(paid) == 6
    assert all(paid[one, against] == -paid[against, one] for one, against in paid)


def test_one_among_others_gains_what_the_others_lose(other):
    contest = duel(rules.load("oh-hell"), ["random", other, "rules"], scaled(200, 5), field="all")
    paid = payoffs(contest)
    for row in contest.rows():
        if row["policy"] != "rules":
            assert row["difference"] == (paid[row["policy"], "rules"] if row["field"] == "1v3" else -paid["rules", row["policy"]])


def test_chips_without_a_pool_are_zero_sum():
    """With n seats the odd one then gains n / (n - 1) times its score, whatever the field."""
    book = rules.load("spanish-solo", settings=["pool.pass_fee=0", "pool.on_loss=none"])
    row = duel(book, ["random", "rules"], scaled(200, 10)).rows()[0]
    assert row["difference"] == pytest.approx(row["score"] * 3 / 2)
    assert row["zero_under"] is row["zero_under_n"] is row["zero_over"] is None
    assert 0 < row["exact_rate"] < 1


@pytest.mark.parametrize("game", ["israeli-whist", "oh-hell", "jabberwocky", "spanish-solo"])
def test_rules_beat_random(game):
    contest = duel(rules.load(game), ["rules", "random"], scaled(1000, 40), field="all")
    assert all(row["difference_low"] > 0 and row["swap_difference_low"] > 0 for row in contest.rows() if row["policy"] == "rules")


@many_deals
def test_intervals_cover_the_truth_as_often_as_they_say():
    contest = Duel(rules.load("oh-hell"), ["random", "rules"], cards=3)
    n, size = 400, 100
    parts = np.array([contest.count(number * size, size)[0, 0, DIFFERENCE] for number in range(n)])
    truth = contest.count(10**6, 40_000)[0, 0, DIFFERENCE]
    _, low, high = stats.mean_interval(parts[:, 0], parts[:, 2], size)
    covered = np.mean((low <= truth[0] / truth[1]) & (truth[0] / truth[1] <= high))
    assert 0.91 < covered < 0.985        # .95 within 4 standard errors


# ---------------------------------------------------------------- the command

KEYS = ["policy", "field", "score", "exact_rate", "n", "difference", "swap_difference", *chain.from_iterable((name, f"{name}_n") for name in ZEROS)]


def answer(capsys, line):
    code = run(line.split())
    out, err = capsys.readouterr()
    return code, out, err


def test_json_has_the_keys_promised_and_repeats_for_any_number_of_threads(capsys):
    line = f"duel oh-hell random rules --field all -n {scaled(1200, 20)} --json"
    (code, one, _), (_, other_threads, _) = answer(capsys, f"{line} -j 1"), answer(capsys, f"{line} -j 3")
    assert code == 0
    assert one == other_threads
    document = json.loads(one)
    assert document["schema"] == "tricklab.duel/1"
    assert (document["policies"], document["players"], document["field"], document["payoffs"]) == (["random", "rules"], 4, "all", [])
    bounds = [f"{name}{end}" for name in (*INTERVALS, *ZEROS) for end in ("_low", "_high")]
    assert all(set(row) == {*KEYS, *bounds} for row in document["results"])
    assert [name for name in document["results"][0] if name in KEYS] == KEYS


@pytest.mark.parametrize("game", ["israeli-whist", "spanish-solo"])
@pytest.mark.parametrize("format", ["table", "csv", "md"])
def test_every_format(game, format, capsys):
    code, out, _ = answer(capsys, f"duel {game} random rules-1 rules --field all -n {scaled(300, 5)} --format {format}")
    assert code == 0
    assert out.count("random") == (2 if format == "csv" else 5)        # twice in the fields, twice in the payoffs, once among the players
    assert ("zero" in out) is (game != "spanish-solo" or format == "csv")


def test_the_page_says_what_is_held_equal(capsys):
    _, out, _ = answer(capsys, f"duel jabberwocky random rules --players 5 --bids-by rules-1 -n {scaled(200, 5)} --ascii")
    assert out.startswith("jabberwocky, base rules, 5 players")
    assert "1v3: one seat the policy, all others rules; every bid by rules-1." in out
    assert out.isascii()


@many_deals
def test_precision_stops_early_with_intervals_that_allow_for_the_looks(capsys):
    code, out, err = answer(capsys, "duel oh-hell random rules --json -n 100000 --precision 0.5")
    document = json.loads(out)
    assert code == 0
    assert document["deals"] < 100_000
    assert "precise enough" in err
    at_once = duel(rules.load("oh-hell"), ["random", "rules"], document["deals"]).rows()[0]
    row = document["results"][0]
    assert row["difference"] == at_once["difference"]
    assert at_once["difference_high"] < row["difference_high"] <= row["difference"] + 0.5


def test_precision_that_is_not_reached_is_exit_code_4(capsys):
    code, out, err = answer(capsys, "duel oh-hell random rules --json -n 100 --precision 0.001")
    assert code == 4
    assert json.loads(out)["deals"] == 100
    assert "--precision" in err


@many_deals
def test_precision_may_be_asked_of_a_policy_against_itself(capsys):
    assert answer(capsys, "duel oh-hell rules rules -q -n 5000 --precision 0.001")[0] == 0


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("duel oh-hell", 2, "POLICY"),
        ("duel oh-hell rules", 2, "found 1 policy, expected two or more"),
        ("duel oh-hell rules rlues", 2, "did you mean 'rules'"),
        ("duel oh-hel rules random", 2, "did you mean 'oh-hell'"),
        ("duel oh-hell rules random --field 1v2", 2, "--field: found '1v2', expected 1v3, 3v1 or all"),
        ("duel oh-hell rules random --bids-by nobody", 2, "'nobody'"),
        ("duel oh-hell rules random --bids-by rules --play-by rules", 2, "exclude each other"),
        ("duel oh-hell rules random --cards 14", 3, "--cards"),
        ("duel oh-hell rules random --dealer 4", 3, "--dealer"),
        ("duel oh-hell rules random -n 0", 2, "--deals"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(line, code, said, capsys):
    assert run(line.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_the_library_refuses_what_the_command_refuses():
    with pytest.raises(UsageError, match="two or more"):
        duel(rules.load("oh-hell"), ["rules"], 10)
