"""What a call or a bid is worth: known chances, the same bytes for any number of threads, and claims that hold."""

import json
from math import sqrt

import numpy as np
import pytest

from analyzer import advice, race, situation, tables
from analyzer import rules as rule_books
from analyzer.advice import advise
from analyzer.cli import run
from analyzer.errors import TricklabError
from analyzer.simulation import Interrupted

WHIST = "AKQ32.T9.K87.J54"
SOLO = "7AK4.73.A53.QJ6"
SHORT = "..32.A"
INTERVALS = ("ev", "p_made", "regret")


def ask(game, hand, variant="base", settings=(), players=None, **said):
    return situation.from_question(rule_books.load(game, variant, settings, players), hand, **said)


def value(asked, policy="random", **effort):
    return advise(asked, policies=[policy], **{"deals": 1500, **effort})


def sampled(asked, policy, deals, **effort):
    """Return the advice from sampled worlds even where the completions are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advice.exact, "rows", lambda *_: None)
        return value(asked, policy, deals=deals, **effort)


def by_action(advised):
    """Return the rows by action; of a contract in several trumps the best."""
    return {str(row["action"]) if not isinstance(row["action"], int) else row["action"]: row for row in reversed(advised.results)}


# ---------------------------------------------------------------- known chances

@pytest.mark.parametrize(
    ("hand", "turnup", "chance"),
    [
        ("2C", "7H", 0.13265),
        ("AC", "7H", 0.43041),
        ("2H", "7H", 0.46628),
        ("KH", "7H", 0.94),
        ("KH", "AH", 1),
        ("AH", "7H", 1),
    ],
)
def test_one_card_deals_of_oh_hell(hand, turnup, chance):
    """C(38-h, 3) / C(50, 3) for a plain card with h higher in its suit, C(50-h, 3) / C(50, 3) for a trump with h higher that are not turned up."""
    asked = ask("oh-hell", hand, turnup=turnup)
    advised = sampled(asked, "rules", 8000)
    rows = by_action(advised)
    for row, p in ((rows[1], chance), (rows[0], 1 - chance)):
        assert row["p_made"] == pytest.approx(p, abs=5 * sqrt(p * (1 - p) / row["n"]))
        assert row["p_made_low"] <= p <= row["p_made_high"]
        assert row["tricks"] == pytest.approx([1 - chance, chance], abs=5 * sqrt(chance * (1 - chance) / row["n"]))
    assert rows[1]["ev"] == pytest.approx(11 * rows[1]["p_made"])
    assert advised.results[0]["action"] == (1 if chance > 0.5 else 0)


def test_the_hook_takes_the_sound_bid_away():
    """Others bid 1, 2, 3; the ace of trump takes one trick. Source: a Trickster bot issue (TricksterBots PR 60)."""
    said = {"turnup": "2C", "bids": "1,2,3"}
    free = value(ask("oh-hell", ".765432..A", "no-hook", **said), policy="rules")
    assert free.results[0]["action"] == 1
    assert free.settled
    hooked = by_action(value(ask("oh-hell", ".765432..A", **said), policy="rules"))
    assert sorted(hooked) == [0, 2, 3, 4, 5, 6, 7]
    assert hooked[2]["regret_low"] <= 0


# ---------------------------------------------------------------- what an answer holds

QUESTIONS = [
    ("oh-hell", SHORT, "base", {"turnup": "2C", "bids": "1,0"}),
    ("oh-hell", SHORT, "secret", {"turnup": "2C"}),
    ("oh-hell", SHORT, "squared-negative", {"turnup": "2C"}),
    ("oh-hell", SHORT, "trick-scoring", {"turnup": "2C"}),
    ("jabberwocky", SHORT, "base", {"turnup": "2C"}),
    ("israeli-whist", WHIST, "base", {"contract": "6S"}),
    ("israeli-whist", WHIST, "declarer-rebids", {"contract": "6S"}),
    ("israeli-whist", WHIST, "base", {"calls": "pass 9S pass"}),
    ("israeli-whist", WHIST, "gulash", {"calls": "pass pass pass"}),
    ("spanish-solo", SOLO, "base", {"calls": "pass", "pool": 4}),
]


@pytest.mark.parametrize(("game", "hand", "variant", "said"), QUESTIONS)
def test_rows_hold_together(game, hand, variant, said):
    asked = ask(game, hand, variant, **said)
    advised = value(asked, deals=1000)
    answer = advised.to_json()
    rows = answer["results"]
    best = rows[0]
    json.dumps(answer, allow_nan=False)
    tables.text(tables.bid_page(answer, tables.Style()), tables.Style())
    assert answer["schema"] == "tricklab.bid/1"
    assert answer["best"] == best["action"]
    assert answer["conditioned"] is False          # random players tell nothing
    assert answer["deals"] == best["n"] == 1000
    assert sorted(str(row["action"]) for row in rows) == sorted(str(asked.action_text(action)) for action in asked.actions)
    assert [best[key] for key in ("regret", "regret_low", "regret_high")] == [0, 0, 0]
    sign = -1 if variant == "squared-negative" else 1
    for row in rows:
        assert len(row["tricks"]) == asked.cards + 1
        assert sum(row["tricks"]) == pytest.approx(1)
        assert sign * row["ev"] <= sign * best["ev"]
        assert row["ess"] == row["n"]
        assert row["exact"] is False
        for name in INTERVALS:
            assert row[name] is None or row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        if row["n"] == best["n"]:
            assert row["regret"] == pytest.approx(sign * (best["ev"] - row["ev"]))
    if advised.settled:
        assert all(row["regret_low"] > 0 for row in rows[1:])


def test_one_deal_is_no_deals():
    assert "n = 1 deal," in str(value(ask("oh-hell", SHORT, turnup="2C"), deals=1))


def test_SS_squares_of_chips_are_exact():
    """Scores as large as a pool can be; their squares outgrow 64 bits."""
    asked = ask("spanish-solo", SOLO)
    contest = race.Race(asked, 0.95, 3, False)
    scores = np.array([[10**12], [-(10**12)], [7]])
    nothing = np.zeros(3, dtype=np.int64)
    for action in contest.racing:
        contest.add(action, race.Sample(scores, scores[:, :0], nothing, nothing, nothing[:1], nothing[:1], nothing[:1]))
    assert contest.points.squares.tolist() == [2 * 10**24 + 49] * len(asked.actions)


def test_points_are_not_units():
    """OH-S18: a made zero bid is half a point, the unit."""
    row = by_action(value(ask("oh-hell", "2C", "trick-scoring", turnup="7H"), "rules"))[0]
    assert row["ev"] == pytest.approx(0.5 * row["p_made"] - (1 - row["p_made"]))


def test_a_pass_in_spanish_solo_is_neither_made_nor_missed():
    rows = by_action(value(ask("spanish-solo", SOLO)))
    assert rows["pass"]["p_made"] is rows["pass"]["trump"] is rows["pass"]["asks"] is None
    assert rows["juego"]["trump"] in ("C", "H", "S")
    assert rows["juego"]["asks"] is None
    assert rows["bola-diamonds"]["trump"] == "D"
    assert rows["bola-diamonds"]["asks"] is not None
    assert 0 <= rows["bola"]["p_made"] <= 1


def test_a_deal_that_is_thrown_in_scores_nothing():
    row = by_action(value(ask("israeli-whist", WHIST, calls="pass pass pass"), deals=500))["pass"]
    assert row["ev"] == 0
    assert row["p_made"] is None
    assert set(row["tricks"]) == {0}


def test_policies_sit_from_the_dealers_next():
    asked = ask("oh-hell", SHORT, turnup="2C", dealer=1)
    names = ["random", "random", "random", "rules"]
    assert advise(asked, policies=names, deals=200).to_json()["policies"] == names
    assert advise(asked, policies=["random"], deals=2000).results != advise(asked, policies=names, deals=2000).results


# ---------------------------------------------------------------- the same again

@pytest.mark.parametrize(("game", "hand", "variant", "said"), QUESTIONS[::3])
def test_threads_do_not_change_a_byte(game, hand, variant, said):
    asked = ask(game, hand, variant, **said)
    answers = [json.dumps(value(asked, jobs=jobs, deals=1300).to_json()) for jobs in (1, 3)]
    assert answers[0] == answers[1]


def test_what_the_clock_stopped_repeats_without_it():
    asked = ask("oh-hell", SHORT, turnup="2C")
    stopped = value(asked, deals=20_000, seconds=1e-9)
    assert stopped.deals < 20_000
    assert f"--deals {stopped.deals} prints the same again" in stopped.notes[-1]
    assert value(asked, deals=stopped.deals).to_json() == stopped.to_json()


def test_an_interrupted_answer_is_partial_and_repeats_too():
    def interrupt(done, _):
        if done >= 6000:
            raise KeyboardInterrupt

    asked = ask("oh-hell", SHORT, turnup="2C")
    advised = value(asked, deals=20_000, progress=interrupt)
    assert advised.interrupted
    assert 6000 <= advised.deals < 20_000
    again = value(asked, deals=advised.deals)
    assert not again.interrupted
    assert again.to_json() == advised.to_json()


def test_an_interruption_before_the_first_worlds_has_no_answer(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(advice.Playouts, "block", interrupt)
    with pytest.raises(Interrupted):
        value(ask("oh-hell", SHORT, turnup="2C"))


# ---------------------------------------------------------------- stopping and claims

def test_precision_stops_as_soon_as_no_other_can_be_better_by_more():
    asked = ask("israeli-whist", WHIST, contract="5S")
    coarse = value(asked, policy="rules", deals=50_000, precision=20)
    assert coarse.settled
    assert coarse.deals < 50_000
    assert all(row["regret_low"] >= -20 for row in coarse.results[1:])
    assert "precise enough" in coarse.notes[-1]
    missed = value(asked, policy="rules", deals=200, precision=0.001)
    assert not missed.settled
    assert missed.deals == 200


def test_a_handful_of_deals_settles_nothing():
    asked = ask("oh-hell", "AH", turnup="7H")
    advised = sampled(asked, "random", 1)
    assert not advised.settled
    assert advised.results[0]["ev_low"] is None
    assert sampled(asked, "random", 300).settled


def test_deals_are_shared_evenly_by_the_chains():
    asked = ask("oh-hell", SHORT, turnup="2C")
    assert [value(asked, deals=deals).deals for deals in (40, 100, 199, 250)] == [40, 100, 100, 200]


def test_worlds_go_where_the_doubt_is():
    advised = value(ask("israeli-whist", WHIST), policy="rules", deals=3000)
    played = [row["n"] for row in advised.results]
    assert played[0] == 3000
    assert min(played) < 1000
    assert all(row["regret_low"] > 0 for row in advised.results if row["n"] < 3000)


def test_equal_actions_are_not_told_apart():
    """With an all-losing hand every bid above zero is missed alike: at basic scoring they score the tricks."""
    advised = value(ask("oh-hell", "..432.", turnup="2S", settings=["score.system=exact"]), deals=2000)
    rows = by_action(advised)
    assert advised.results[0]["action"] == 0
    assert rows[2]["ev"] == pytest.approx(rows[3]["ev"], abs=0.5)


def test_no_interval_misses_more_often_than_it_says():
    """Twenty seeds, P = .46628: a 95 % interval that holds at all looks hardly ever misses."""
    asked = ask("oh-hell", "2H", turnup="7H")
    rows = [by_action(sampled(asked, "random", 1000, seed=seed))[1] for seed in range(20)]
    assert sum(not row["p_made_low"] <= 0.46628 <= row["p_made_high"] for row in rows) <= 2
    assert sum(not row["ev_low"] <= 11 * 0.46628 <= row["ev_high"] for row in rows) <= 2


# ---------------------------------------------------------------- notes and the command

def test_calls_weigh_the_hidden_hands_unless_they_are_to_be_ignored():
    asked = ask("oh-hell", ".K2.T98.A4", turnup="7H", bids="3,0")
    heard, ignored = (value(asked, "rules", deals=3000, ignore_calls=ignores) for ignores in (False, True))
    assert heard.conditioned
    assert not ignored.conditioned
    assert heard.notes == []
    assert "does not weigh" in ignored.notes[0]
    assert all(row["ess"] == row["n"] for row in ignored.results)
    assert all(row["ess"] < row["n"] for row in heard.results[:2])
    assert heard.to_json()["slips"] == advice.SLIPS
    assert heard.results[0]["ev"] != ignored.results[0]["ev"]


def test_worlds_that_hang_together_are_mixed_more(monkeypatch):
    asked = ask("oh-hell", "A32.K2.T98.A4", turnup="7H", bids="3,0")
    few = by_action(value(asked, "rules", deals=4000))
    monkeypatch.setattr(advice, "MIXED", 2)             # more than there can be: doubled at every look
    many = by_action(value(asked, "rules", deals=4000))
    best = max(few, key=lambda action: few[action]["ev"])
    assert many[best]["ess"] > few[best]["ess"]
    assert many[best]["ev_low"] < few[best]["ev"] < many[best]["ev_high"]


def test_notes_say_what_of_the_calls_does_not_weigh():
    contract = value(ask("israeli-whist", WHIST, contract="6S"), "rules", deals=200)
    assert "the contract alone weighs" in contract.notes[0]
    gulash = ask("israeli-whist", WHIST, "gulash", calls="pass pass pass pass 5C", gave="C2 C3 D2", got="C4 C5 D7")
    assert "calls before a gulash" in value(gulash, "rules", deals=200).notes[0]


# ---------------------------------------------------------------- whole games

def test_who_has_to_win_big_bids_big():
    """One deal to come and far behind: only a high bid can still win the game, whatever it costs in points."""
    asked = ask("oh-hell", "AK32.K2..7", "base", turnup="9H")
    behind = value(asked, "rules", deals=2000, standing=advice.Standing([0, 13, 0, 0], 0))
    level = value(asked, "rules", deals=2000, standing=advice.Standing([0, 0, 0, 0], 0))
    assert by_action(behind)[0]["p_win"] == 0 < max(row["p_win"] for row in behind.results) <= 1
    assert all(row["p_win_low"] <= row["p_win"] <= row["p_win_high"] for row in level.results)
    assert behind.results[0]["ev"] == level.results[0]["ev"]          # points do not depend on the standing
    assert behind.best_to_win in [row["action"] for row in behind.results if row["win_regret"] == 0]


def test_a_game_that_this_deal_ends_is_won_by_its_score():
    """Israeli Whist to 100: with 99 points any score above 0 ends the game; nobody else is near."""
    asked = ask("israeli-whist", WHIST, contract="5C")
    advised = value(asked, "rules", deals=400, standing=advice.Standing([0, 99, 0, 0]))
    best = by_action(advised)[advised.best_to_win]
    assert best["p_win"] > 0.9
    assert best["p_win"] >= best["p_made"] - 0.05


@pytest.mark.parametrize(
    ("game", "hand", "said", "standing", "message"),
    [
        ("oh-hell", SHORT, {"turnup": "2C"}, ([0, 0, 0],), "scores: found 3, expected 4"),
        ("oh-hell", SHORT, {"turnup": "2C"}, ([0, 0, 0, 0],), "--to-come: missing"),
        ("oh-hell", SHORT, {"turnup": "2C"}, ([0, 0, 0, 0], 99), "--to-come: found 99"),
        ("israeli-whist", WHIST, {"contract": "5C"}, ([0, 0, 0, 0], 3), "ends by its score"),
    ],
)
def test_a_standing_that_no_game_has_is_refused(game, hand, said, standing, message):
    with pytest.raises(TricklabError, match=message):
        value(ask(game, hand, **said), deals=100, standing=advice.Standing(*standing))


def test_the_answer_says_between_which_the_doubt_is():
    advised = value(ask("oh-hell", "Q32.K2..7", turnup="2C"), deals=100)
    assert not advised.settled
    assert f"Not settled: {advised.results[1]['action']}" in str(advised)
    assert advised.deals_to_settle > 100


def test_the_command_answers(capsys):
    assert run("bid oh-hell ..32.A --turnup 2C --bids 1,0 -n 300 --policy random --json".split()) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["situation"]["seat"] == 2
    assert err == ""


def test_the_command_reads_a_situation(tmp_path, capsys):
    asked = ask("oh-hell", SHORT, "secret", turnup="2C")
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(asked.to_json()))
    assert run(["bid", "oh-hell", str(file), "-n", "300", "--policy", "random", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["situation"] == asked.to_json()
    assert answer["rules"]["bidding"]["mode"] == "secret"
    assert run(["bid", "oh-hell", str(file), "--turnup", "2C"]) == 2
    assert run(["bid", "spanish-solo", str(file)]) == 3
    assert run(["bid", "oh-hell", str(tmp_path / "missing.json")]) == 1


@pytest.mark.parametrize(("options", "code"), [("--precision 30", 0), ("--precision 1e-9", 4)])
def test_precision_has_an_exit_code(options, code, capsys):
    assert run(f"bid oh-hell Q32.K2..7 --turnup 2C -n 100 --policy random {options}".split()) == code
    assert capsys.readouterr().out.startswith("oh-hell")
