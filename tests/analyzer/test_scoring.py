"""Scores of finished deals: the worked examples of the rule descriptions, records scored again, and what is refused."""

import json

import pytest

from analyzer import records, scoring
from analyzer.cli import run
from analyzer.errors import ImpossibleError, UsageError
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from tests import oracle
from tests.analyzer.test_records import EXAMPLES, OH_HELL, SOLO


def scores(rows):
    return [row["score"] for row in rows]


# ---------------------------------------------------------------- Israeli Whist

@pytest.mark.parametrize(("bids", "tricks", "expected"), [
    ([5, 3, 2, 2], [5, 3, 3, 2], [35, 19, -10, 14]),
    ([6, 4, 3, 0], [6, 4, 3, 0], [46, 26, 19, 30]),
    ([6, 4, 4, 0], [6, 4, 3, 0], [46, 26, -10, 30]),
    ([5, 3, 2, 0], [6, 4, 3, 0], [-10, -10, -10, 50]),
    ([5, 3, 4, 0], [7, 2, 0, 4], [-20, -10, -40, -20]),
    ([13, 0, 0, 0], [13, 0, 0, 0], [179, 30, 30, 30]),
    ([5, 0, 3, 2], [3, 7, 1, 2], [-20, 10, -20, 14]),
])
def test_IW_worked_examples(bids, tricks, expected):
    rows = scoring.score_deal(load("israeli-whist"), bids, tricks)
    assert [list(row) for row in rows] == [["seat", "bid", "tricks", "score"]] * 4
    assert rows == [{"seat": k, "bid": bids[k], "tricks": tricks[k], "score": expected[k]} for k in range(4)]


def test_IW_V2_all_miss_score_nothing():
    assert scores(scoring.score_deal(load("israeli-whist", "IW-V2"), [5, 3, 2, 0], [6, 2, 1, 4])) == [0, 0, 0, 0]
    assert scores(scoring.score_deal(load("israeli-whist", "IW-V2"), [5, 3, 2, 0], [5, 2, 2, 4])) == [35, -10, 14, -20]


def test_IW_W6_all_same_doubles():
    rules = load("israeli-whist", settings=["score.all_same_double=true"])
    assert scores(scoring.score_deal(rules, [6, 4, 3, 0], [6, 4, 3, 0])) == [92, 52, 38, 60]
    assert scores(scoring.score_deal(rules, [5, 3, 2, 2], [5, 3, 3, 2])) == [35, 19, -10, 14]


@pytest.mark.parametrize(("variant", "expected"), [
    ("IW-V3", [25, -10, 4, -20]), ("IW-V4", [35, -5, 14, -20]), ("IW-V5", [35, -10, 14, -20]), ("IW-V6", [35, -10, 14, -5]),
])
def test_IW_variants(variant, expected):
    assert scores(scoring.score_deal(load("israeli-whist", variant), [5, 3, 2, 0], [5, 2, 2, 4])) == expected


# ---------------------------------------------------------------- Oh Hell and Jabberwocky

@pytest.mark.parametrize(("variant", "bids", "tricks", "expected"), [
    ("base", [0, 0, 3], [0, 1, 3], [10, 1, 13]),
    ("base", [3, 3, 1], [1, 5, 1], [1, 5, 11]),
    ("OH-N4", [0, 3, 2], [1, 1, 2], [0, 0, 12]),
    ("OH-N5", [10, 0, 0], [10, 0, 0], [60, 5, 5]),
    ("OH-N5", [9, 2, 0], [9, 1, 0], [34, 1, 5]),
    ("OH-N5", [4, 0, 0], [4, 0, 0], [9, 5, 5]),
    ("OH-S18", [0, 3, 1], [0, 2, 1], [0.5, -1, 1]),
    ("OH-S15", [0, 3, 1], [2, 1, 1], [3, 3, 0]),
])
def test_OH_worked_examples(variant, bids, tricks, expected):
    assert scores(scoring.score_deal(load("oh-hell", variant, players=3), bids, tricks)) == expected


def test_JW_base_scores_one_point_for_an_exact_bid():
    assert scores(scoring.score_deal(load("jabberwocky", players=3), [0, 3, 3], [0, 3, 4])) == [1, 1, 0]


@pytest.mark.parametrize(("game", "bids", "tricks", "said"), [
    ("israeli-whist", [5, 3, 2], [5, 3, 3, 2], "bids: found 3, expected 4"),
    ("israeli-whist", [5, 3, 2, 2], [5, 3, 5], "tricks: found 3, expected 4"),
    ("israeli-whist", [5, 3, 2, 2], [5, 3, 3, 3], "tricks: found 5,3,3,3, 14 in all, expected 13"),
    ("israeli-whist", [5, 3, 2, 14], [5, 3, 3, 2], "bids: found 14 for seat 3, expected 0 to 13"),
    ("israeli-whist", [3, 5, 2, 2], [5, 3, 3, 2], "bids: found 3 for the declarer, who comes first: seat 0, expected 5 to 13"),
    ("oh-hell", [1, 1, 1, 0], [4, 5, 5, 0], "14 in all, expected 1 to 13"),
    ("oh-hell", [1, 1, 1, 0], [0, 0, 0, 0], "0 in all"),
    ("oh-hell", [1, 1, 1, 0], [3, -1, 0, 0], "tricks: found 3,-1,0,0"),
    ("oh-hell", [1, -1, 1, 0], [2, 0, 0, 0], "bids: found -1 for seat 1, expected 0 to 2"),
    ("oh-hell", [1, 10**30, 1, 0], [2, 0, 0, 0], "bids: found 1000000000000000000000000000000 for seat 1"),
])
def test_a_deal_that_cannot_be_is_refused(game, bids, tricks, said):
    with pytest.raises(ImpossibleError, match=said):
        scoring.score_deal(load(game), bids, tricks)


# ---------------------------------------------------------------- Spanish Solo

@pytest.mark.parametrize(("contract", "soloist", "points", "pool", "expected", "pool_after"), [
    ("juego", 0, [40, 20, 12], 5, [9, -2, -2], 0),
    ("juego", 0, [36, 20, 16], 5, [-9, 2, 2], 10),
    ("juego", 1, [20, 36, 16], 5, [-2, 9, -2], 0),                  # SS-N1: the dealer's left needs 36
    ("juego", 2, [20, 16, 36], 5, [2, 2, -9], 10),
    ("juego-diamonds", 2, [20, 15, 37], 0, [-4, -4, 8], 0),
    ("bola", 1, [0, 72, 0], 2, [-8, 18, -8], 0),
    ("bola", 1, [1, 71, 0], 2, [8, -18, 8], 4),
    ("bola-diamonds", 1, [0, 72, 0], 0, [-12, 24, -12], 0),
    ("sin-pedir", 0, [72, 0, 0], 1, [33, -16, -16], 0),
    ("sin-pedir-diamonds", 0, [60, 12, 0], 6, [-46, 20, 20], 12),
    (None, None, [10, 22, 40], 5, [-2, 0, 2], 5),
    (None, None, [20, 20, 32], 5, [-1, -1, 2], 5),
    (None, None, [12, 30, 30], 5, [-2, 1, 1], 5),
    (None, None, [24, 24, 24], 5, [0, 0, 0], 5),
])
def test_SS_worked_examples(contract, soloist, points, pool, expected, pool_after):
    rows = scoring.score_solo(load("spanish-solo"), contract, soloist, points, pool)
    assert rows == [{"seat": k, "bid": None, "tricks": None, "score": expected[k]} for k in range(3)]
    assert sum(expected) + pool_after - pool == 0


def test_SS_A15_antes_lie_in_the_pool_given():
    assert scores(scoring.score_solo(load("spanish-solo", "parlett"), "juego", 0, [40, 20, 12], 5)) == [9, -2, -2]


def test_SS_A1_reduced_seat():
    assert scores(scoring.score_solo(load("spanish-solo", "reduced-eldest"), "juego", 0, [36, 20, 16], 0)) == [4, -2, -2]
    assert scores(scoring.score_solo(load("spanish-solo", "reduced-dealer"), "juego", 2, [20, 16, 36], 0)) == [-2, -2, 4]
    assert scores(scoring.score_solo(load("spanish-solo", "no-reduced-seat"), "juego", 1, [20, 36, 16], 0)) == [2, -4, 2]


@pytest.mark.parametrize(("contract", "soloist", "points", "pool", "said"), [
    ("juego", 0, [40, 20, 13], 5, "points: found 40,20,13, 73 in all, expected 72"),
    ("juego", 0, [40, 32], 5, "points: found 40,32"),
    ("juego", 0, [80, -4, -4], 5, "points: found 80,-4,-4"),
    ("juego", 3, [40, 20, 12], 5, "soloist: found 3, expected a seat from 0 to 2"),
    ("juego", 0, [40, 20, 12], -1, "pool: found -1"),
    ("juego", 0, [40, 20, 12], 10**30, "pool: found"),
    ("solo", 0, [40, 20, 12], 5, "'solo' names two contracts"),
    ("jueg", 0, [40, 20, 12], 5, "did you mean 'juego'"),
    ("pass", 0, [40, 20, 12], 5, "contract: found 'pass'"),
])
def test_SS_a_deal_that_cannot_be_is_refused(contract, soloist, points, pool, said):
    with pytest.raises(ImpossibleError, match=said):
        scoring.score_solo(load("spanish-solo"), contract, soloist, points, pool)


def test_SS_contract_and_soloist_come_together():
    with pytest.raises(UsageError, match="--soloist is missing"):
        scoring.score_solo(load("spanish-solo"), "juego", None, [40, 20, 12])
    with pytest.raises(UsageError, match="--contract is missing"):
        scoring.score_solo(load("spanish-solo"), None, 0, [40, 20, 12])


# ---------------------------------------------------------------- records

def written(tmp_path, deals):
    file = tmp_path / "deals.jsonl"
    file.write_text("".join(json.dumps(deal) + "\n" for deal in deals), encoding="utf-8")
    return file


def test_records_are_scored_again(tmp_path):
    notes = []
    rows = scoring.score_records(written(tmp_path, EXAMPLES.values()), note=notes.append).rows
    assert notes == []
    assert [(row["deal"], row["seat"], row["score"]) for row in rows] == [
        (deal, seat, score) for deal, example in enumerate(EXAMPLES.values()) for seat, score in enumerate(example["scores"])
    ]
    assert [list(row) for row in rows] == [["deal", "seat", "bid", "tricks", "score"]] * len(rows)
    assert {row["bid"] for row in rows if row["deal"] == list(EXAMPLES).index("spanish-solo")} == {None}


def test_a_score_that_the_rules_do_not_give_is_said(tmp_path):
    notes = []
    rows = scoring.score_records(written(tmp_path, [OH_HELL, {**OH_HELL, "deal": 17, "scores": [12, 10, 0]}]), note=notes.append).rows
    assert scores(rows) == [12, 11, 0] * 2
    assert len(notes) == 1
    assert "line 2: deal 17 is recorded with the scores [12, 10, 0]; its rules give [12, 11, 0]" in notes[0]


def test_records_are_scored_by_other_rules(tmp_path):
    notes = []
    rows = scoring.score_records(written(tmp_path, [OH_HELL]), lambda game, players: load(game, "exact", players=players), notes.append).rows
    assert (scores(rows), notes) == ([12, 11, 0], [])
    rows = scoring.score_records(written(tmp_path, [OH_HELL]), lambda game, players: load(game, "OH-S5", players=players)).rows
    assert scores(rows) == [20, 10, -20]


def test_a_deal_thrown_in_scores_nothing(tmp_path):
    passes = [[seat, "pass"] for seat in (3, 0, 1, 2)]
    thrown_in = {**EXAMPLES["israeli-whist"], "auction": passes, "scores": [0, 0, 0, 0]}
    thrown_in |= dict.fromkeys(("trump", "declarer", "contract", "leader")) | {key: [] for key in ("bids", "play", "tricks")}
    rows = scoring.score_records(written(tmp_path, [thrown_in])).rows
    assert rows == [{"deal": 0, "seat": seat, "bid": None, "tricks": None, "score": 0} for seat in range(4)]


def test_other_rules_score_as_if_they_had_been_played(tmp_path):
    base, other = load("israeli-whist"), load("israeli-whist", "alt")
    facts = Engine(Run(base, ["random"])).play(0, 30)[0][:, 0]
    lines = list(records.lines(facts, base, ["random"], 1))
    file = tmp_path / "deals.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    rows = scoring.score_records(file, lambda game, players: other).rows
    expected = []
    for line in lines:
        record = json.loads(line)
        expected += oracle.deal_scores(oracle.rules_of("israeli-whist", other.fields), record["bids"], record["tricks"]) if record["play"] else [0] * 4
    assert scores(rows) == expected


@pytest.mark.parametrize(("deal", "said"), [
    ({**OH_HELL, "dealer": 5}, "line 2: dealer: found 5"),
    ({**OH_HELL, "rules": {"variant": "nothing"}}, "line 2: rules: 'nothing' is no variant"),
    ({**OH_HELL, "game": None}, "line 2: game: found None"),
    ({"deal": 3}, "line 2: game: found None"),
])
def test_a_record_that_cannot_be_is_refused_with_its_line(deal, said, tmp_path):
    with pytest.raises(ImpossibleError, match=said):
        scoring.score_records(written(tmp_path, [OH_HELL, deal]))


# ---------------------------------------------------------------- the command

def test_command_scores_a_deal(capsys):
    assert run("score spanish-solo --contract juego --soloist 0 --points 40,20,12 --pool 5 --csv".split()) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["seat,bid,tricks,score", "0,,,9", "1,,,-2", "2,,,-2"]
    assert err == "note: the pool holds 0 after the deal\n"


def test_command_takes_the_players_from_the_bids(capsys):
    assert run("score oh-hell --bids 1,0,1,0,0 --tricks 1,1,0,0,0 --json".split()) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["rules"]["players"]) == ("tricklab.score/1", 5)
    assert scores(answer["results"]) == [11, 1, 0, 10, 10]


def test_command_scores_records(tmp_path, capsys):
    file = written(tmp_path, [SOLO, {**OH_HELL, "scores": [0, 0, 0]}])
    assert run(["score", str(file), "--csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["deal,seat,bid,tricks,score", "0,0,,5,7", "0,1,,1,-19", "0,2,,6,7", "1,0,2,2,12", "1,1,1,1,11", "1,2,2,0,0"]
    assert "line 2: deal 1 is recorded" in err


def test_command_has_the_head_of_every_answer(tmp_path, capsys):
    def head(*words):
        assert run(["score", *words, "--json", "-q"]) == 0
        answer = json.loads(capsys.readouterr().out)
        return [answer[key] for key in ("game", "variant", "policies", "seed", "deals", "level")] + [answer["rules"] is not None]

    assert head("oh-hell", "--bids", "1,0,1", "--tricks", "1,1,0") == ["oh-hell", "base", None, None, 1, None, True]
    assert head(str(written(tmp_path, [OH_HELL] * 3))) == ["oh-hell", "base", None, None, 3, None, True]
    assert head(str(written(tmp_path, [OH_HELL])), "--variant", "OH-S5") == ["oh-hell", load("oh-hell", "OH-S5").variant, None, None, 1, None, True]
    assert head(str(written(tmp_path, [OH_HELL, SOLO]))) == [None, "base", None, None, 2, None, False]
    assert head(str(written(tmp_path, []))) == [None, None, None, None, 0, None, False]


def test_command_scores_records_by_other_rules(tmp_path, capsys):
    assert run(["score", str(written(tmp_path, [OH_HELL])), "--variant", "OH-S5", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["0,0,2,2,20", "0,1,1,1,10", "0,2,2,0,-20"]


@pytest.mark.parametrize(("line", "code", "said"), [
    ("score oh-hell --bids 1,0 --tricks 1,0", 3, "no game for 2 players"),
    ("score oh-hell --bids 1,0,1 --tricks 1,0", 3, "tricks: found 2, expected 3"),
    ("score oh-hell --bids 1,0,1 --tricks 1,1,0 --points 3,3,3", 2, "--points: oh-hell does not take it"),
    ("score spanish-solo --bids 1,0,1", 2, "--bids: spanish-solo does not take it"),
    ("score spanish-solo", 2, "--points is missing"),
    ("score spanish-solo --contract juego --points 40,20,12", 2, "--soloist is missing"),
    ("score spanish-solo --contract juego --soloist 3 --points 40,20,12", 2, "--soloist: found '3'"),
    ("score FILE --players 3", 2, "--players"),
    ("score FILE --bids 1,0,1", 2, "--bids: a file of records does not take it"),
    ("score FILE --variant nothing", 2, "'nothing' is no variant of oh-hell"),
])
def test_command_refuses(line, code, said, tmp_path, capsys):
    file = written(tmp_path, [OH_HELL])
    assert run([str(file) if word == "FILE" else word for word in line.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
