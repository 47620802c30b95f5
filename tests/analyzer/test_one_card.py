"""One-card Oh Hell is solved: a short training comes to the solution, which no seat can better."""

from dataclasses import replace

import pytest

from analyzer import rules, training
from analyzer.simulation import Engine, Run, empty_setup
from kernels.compiled import JIT
from tests.one_card import RANKS, SOLVED, TURNUP, judged, made, solution, table_bids

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is too slow for training")
ONE_CARD = ("schedule=[1]",)
GAIN = 0.03          # points that the best answer of a seat may gain


@pytest.mark.parametrize("players", [3, 4])
def test_the_enumeration_finds_the_known_solution(players):
    scores, gains = judged(solution(players))
    assert scores == pytest.approx(SOLVED[players], abs=5e-5)
    assert gains == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("players", "solved"), [(3, 0.4215), (4, 0.4040)])
def test_the_hook_lowers_the_dealers_chance_to_make_his_bid(players, solved):
    """Solved: forward induction, as `solution` does it. `rules` with and without the hook, counted out and dealt."""
    assert made(solution(players))[-1] == pytest.approx(solved, abs=5e-5)
    shares = []
    for variant in ("base", "no-hook"):
        shares.append(made(table_bids("rules", players, variant=variant))[-1])
        setup = empty_setup()
        setup["turnup"] = TURNUP // RANKS * 16 + TURNUP % RANKS
        engine = Engine(Run(rules.load("oh-hell", variant, players=players), ["rules"], cards=1, dealer=players - 1, setup=setup))
        facts = engine.play(0, 10_000)[0][:, 0]
        dealt = (facts["bids"] == facts["tricks"])[:, players - 1].mean()
        assert dealt == pytest.approx(shares[-1], abs=5 * (0.25 / 10_000) ** 0.5)
    assert shares[0] < shares[1] - 0.2


def test_rules_can_be_bettered():
    assert judged(table_bids("rules", 4))[1].max() > 2 * GAIN


@pytest.mark.parametrize("players", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_a_short_training_comes_to_the_solution(players, tmp_path):
    plan = replace(
        training.plan("oh-hell", settings=ONE_CARD, players=players, updates=2500), deals=256, chunk=256, looks=1, look_deals=20, judge_deals=20)
    trainer = training.Trainer(plan)
    trainer.run(jobs=1)
    trainer.save(tmp_path / "little", [])
    scores, gains = judged(table_bids(str(tmp_path / "little.toml"), players, ONE_CARD))
    for seat, (score, solved, gain) in enumerate(zip(scores, SOLVED[players], gains, strict=True)):
        print(f"{players} players, seat {seat + 1}: {score:.4f} points, solved {solved:.4f}, best answer gains {gain:.4f}")
    assert gains.max() <= GAIN
