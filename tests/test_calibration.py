"""Announced chances: bins hold every bid, intervals hold the truth, the published report says what its tables say. Measured by `scripts/calibration.py`."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import announced  # noqa: E402
import calibration  # noqa: E402

PUBLISHED = ROOT / "reports" / "calibration"
BIDS = {"all bids", "zero bids, over", "zero bids, under"}
CONTRACTS = {"contracts, as called", "contracts, as played"}


def made_up(rng, deals, bids_a_deal=4, shift=0.0):
    """Return bids made with exactly the chance announced plus `shift`, of which those of one deal lean the same way."""
    chance = rng.uniform(0.05, 0.85, (deals, bids_a_deal))
    alike = rng.random((deals, 1)) < 0.5
    luck = np.where(alike, rng.random((deals, 1)), rng.random((deals, bids_a_deal)))
    return announced.Announced(chance.ravel(), (luck < chance + shift).ravel(), np.repeat(np.arange(deals), bids_a_deal))


@pytest.mark.parametrize(("game", "players", "kinds"), [("oh-hell", 3, BIDS), ("israeli-whist", 4, BIDS), ("spanish-solo", 3, CONTRACTS)])
def test_bins_hold_every_bid_and_errors_are_means_over_bins(game, players, kinds):
    bins, errors = calibration.measure(game, players, deals=300)
    assert {row["bids"] for row in errors} == kinds
    for total in errors:
        rows = [row for row in bins if row["bids"] == total["bids"]]
        assert sum(row["n"] for row in rows) == total["n"]
        assert sum(row["n"] * row["made"] for row in rows) == pytest.approx(total["n"] * total["made"])
        assert sum(row["n"] * row["mean"] for row in rows) == pytest.approx(total["n"] * total["mean"])
        assert sum(row["n"] * abs(row["mean"] - row["made"]) for row in rows) == pytest.approx(total["n"] * total["error"])
        for row in rows:
            low, high = (float(end) for end in row["announced"].split(" to "))
            assert low <= row["mean"] <= high
            assert row["made_low"] <= row["made"] <= row["made_high"]
    if game == "oh-hell":
        assert errors[0]["n"] == 300 * players


def test_the_chance_of_a_contract_is_that_of_the_contract_called():
    table = calibration.table_of("spanish-solo", "base", 3)
    of_contract = announced.WIDTH - 1             # the last input is the contract, 1 to 6, over 6
    found = list(announced.Taped(table, "learned", None, seed=1).contracts(0, 200))
    assert found
    for _, called, last, contract, _ in found:
        assert round(6 * float(called[of_contract])) == round(6 * float(last[of_contract])) == contract
        assert (called[announced.IN_AUCTION], last[announced.IN_AUCTION]) == (1, 0)


def test_intervals_hold_the_announced_chance_at_their_level_though_bids_of_a_deal_lean_alike():
    rng = np.random.default_rng(1)
    rows = [row for _ in range(150) for row in announced.reliability(made_up(rng, 250), calibration.BINS)]
    held = np.mean([row["made_low"] <= row["mean"] <= row["made_high"] for row in rows])
    assert held == pytest.approx(0.95, abs=0.02)


def test_intervals_are_wider_where_all_bids_of_a_deal_go_the_same_way():
    made = np.repeat(np.arange(200) % 2 == 0, 4)
    together = announced.Announced(np.full(800, 0.55), made, np.repeat(np.arange(200), 4))
    (wide,), (narrow,) = (announced.reliability(bids, calibration.BINS) for bids in (together, together._replace(deal=np.arange(800))))
    assert wide["made_high"] - wide["made_low"] == pytest.approx(2 * (narrow["made_high"] - narrow["made_low"]), rel=0.02)


def test_chances_that_are_right_err_by_luck_alone():
    rng = np.random.default_rng(2)
    errors, lucks = zip(*(announced.calibration_error(made_up(rng, 500), calibration.BINS) for _ in range(60)), strict=True)
    assert np.mean([error.mean for error in errors]) == pytest.approx(np.mean(lucks), rel=0.1)


def test_the_error_of_chances_that_are_a_tenth_too_low_is_a_tenth():
    error, luck = announced.calibration_error(made_up(np.random.default_rng(3), 4000, shift=0.1), calibration.BINS)
    assert error.low < 0.1 < error.high
    assert luck < 0.02


def test_the_finding_names_the_games_where_it_fails():
    def row(game, made):
        return {"game": game, "players": "4", "bids": "all bids", "announced": calibration.TOLD, "made": made}

    kept, broken = row("israeli-whist", "0.66"), row("oh-hell", "0.58")
    assert calibration.finding([kept]) == "Bids announced at 60 to 70 % are made 66.0 to 66.0 % of the time in every game"
    assert calibration.finding([kept, broken]).endswith("are made 66.0 to 66.0 % of the time, but not in Oh Hell, 4 players (58.0 %)")
    assert calibration.finding([broken]) == "Bids announced at 60 to 70 % are not made 60 to 70 % of the time in Oh Hell, 4 players (58.0 %)"


def test_published_bids_announced_at_60_to_70_percent_are_made_so_often_or_named():
    rows = calibration.told(calibration.saved(PUBLISHED / "bins.csv"))
    assert [(row["game"], int(row["players"])) for row in rows] == calibration.TABLES
    headline = (PUBLISHED / "README.md").read_text(encoding="utf-8").split("\n")[2]
    for row in rows:
        assert int(row["n"]) >= 1000
        assert 0.6 <= float(row["made"]) <= 0.7 or calibration.title(row) in headline


def test_the_published_page_follows_from_its_tables(monkeypatch):
    text = (PUBLISHED / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(calibration, "__version__", text.split("tricklab ")[1].split(":")[0])
    assert calibration.page(PUBLISHED) == text


def test_the_plot_repeats_to_the_byte(tmp_path):
    bins, errors = (calibration.saved(PUBLISHED / f"{name}.csv") for name in ("bins", "errors"))
    drawn = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        calibration.save_figure(bins[:30], errors[:3], tmp_path / name)
        drawn.append([(tmp_path / name / f"calibration.{ending}").read_bytes() for ending in ("svg", "png")])
    assert drawn[0] == drawn[1]
