"""DataFrames for notebooks: a row is one deal and seat, or one estimate, and the numbers are those of the tallies."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from analyzer import results, rules, simulation
from analyzer.duel import duel
from analyzer.plots import unit_of

ROOT = Path(__file__).parents[2]


def played(table, deals=600, **how):
    chunks = []
    simulation.run(simulation.Run(table, ["rules"], **how), deals, consume=lambda facts, games: chunks.append(facts))
    return np.concatenate(chunks)


@pytest.mark.parametrize("game", ["israeli-whist", "oh-hell", "jabberwocky", "spanish-solo"])
def test_deals_group_to_the_rows_of_the_tally(game):
    table = rules.load(game)
    facts = played(table)
    frame = results.deals_frame(facts, table)
    tally = results.Tally(table)
    tally.add(facts)
    score = "score_chips" if game == "spanish-solo" else "score_points"
    for row in tally.rows(by=("seat",)):
        own = frame[frame["seat"] == row["seat"]]
        assert len(own) == row["n"]
        assert own[score].mean() == pytest.approx(row["score"])
        assert own["taken_tricks"].mean() == pytest.approx(row["tricks_mean"])
        if row["made"] is not None:
            assert own["made"].sum() == row["made"]
    for row in tally.rows(by=("seat", "bid")):
        same = frame["bid_tricks"] == row["bid"] if table.has_bids else frame["is_declarer"] & (frame["contract"] == row["bid"])
        if row["bid"] is not None:
            assert (same & (frame["seat"] == row["seat"])).sum() == row["n"]


def test_deals_keep_their_numbers_where_some_are_thrown_in():
    table = rules.load("israeli-whist")
    facts = played(table, 200)
    facts["played"] = 1
    facts["played"][[3, 7]] = 0
    facts["trump"] = np.maximum(facts["trump"], 0)
    frame = results.deals_frame(facts, table, first=100)
    assert sorted(set(frame["deal"])) == [100 + deal for deal in range(200) if deal not in (3, 7)]
    assert (frame.groupby("deal").size() == table.players).all()


def test_sides_are_those_of_the_zero_bids():
    table = rules.load("israeli-whist")
    facts = played(table)
    frame = results.deals_frame(facts, table)
    tally = results.ZeroTally(table)
    tally.add(facts)
    zeros = frame[frame["bid_tricks"] == 0].groupby("side")["made"].agg(["size", "sum"])
    assert {side: tuple(row) for side, row in zip(zeros.index, zeros.to_numpy().tolist(), strict=True)} == {
        row["side"]: (row["n"], row["made"]) for row in tally.rows()
    }


def test_only_soloists_make_or_miss_in_spanish_solo():
    table = rules.load("spanish-solo")
    frame = results.deals_frame(played(table), table)
    assert frame["made"].notna().equals(frame["is_declarer"])
    assert frame["bid_tricks"].isna().all()


def test_units_are_in_the_names_of_estimates():
    rows = duel(rules.load("jabberwocky"), ["rules", "rules-1"], 100).rows()
    frame = results.estimates_frame(rows)
    assert {"score_points", "difference_points", "swap_difference_points", "exact_rate", "zero_over"} <= set(frame["estimate"])
    one = frame[(frame["policy"] == "rules") & (frame["estimate"] == "difference_points")].iloc[0]
    assert [one["value"], one["low"], one["high"]] == [rows[0][f"difference{end}"] for end in ("", "_low", "_high")]
    assert "score_chips" in set(results.estimates_frame(rows, "chips")["estimate"])
    assert len(frame) == len(rows) * frame["estimate"].nunique()


@pytest.mark.parametrize(
    ("column", "unit"),
    [("p_made", "%"), ("p_made_low", "%"), ("share_difference", "%"), ("bids_changed", "%"), ("zero_over", "%"), ("exact_rate", "%"), ("score", "points"),
     ("score_difference", "points"), ("swap_difference", "points"), ("break_even_high", "points"), ("deals_needed", "deals"), ("n", ""), ("seat", "")],
)  # fmt: skip
def test_units(column, unit):
    assert unit_of(column) == unit


def test_the_example_for_notebooks_runs(tmp_path):
    command = [sys.executable, ROOT / "scripts" / "notebook_example.py", "--deals", "300", "--plot", tmp_path / "plot.svg"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "score_points" in done.stdout
    assert (tmp_path / "plot.svg").exists()
