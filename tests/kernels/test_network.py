"""Networks forward against NumPy to the last bit, chances against the exact softmax, slopes against finite differences of the exact network."""

from types import SimpleNamespace

import numpy as np
import pytest

from analyzer.policies import NETS, packed
from kernels import learning, network
from kernels.compiled import kernel
from kernels.layout import BID_OWN, BID_SHARED, CALL_OWN, CALL_SHARED, OUTPUTS, PLAY_OWN, PLAY_SHARED, UNITS
from tests.kernels.tools import scaled
from tests.learned_twins import Net, finite_differences

START, HIDDEN, OUT, PULL = 0, UNITS, 2 * UNITS, 2 * UNITS + OUTPUTS      # places in the scratch
INPUTS = PULL + UNITS
SHAPES = [(PLAY_SHARED, PLAY_OWN), (BID_SHARED, BID_OWN), (CALL_SHARED, CALL_OWN), (PLAY_SHARED, 0), (2, 2), (0, 4)]
SLIGHT = 5e-6        # of the largest slope: what float32 loses
TRIED = 400          # slopes of a network

every_shape = pytest.mark.parametrize(("n_shared", "n_own"), SHAPES)


def drawn(rng, n_shared, n_own, outputs):
    """Return the numbers of a network and the inputs of one candidate, some of them 0."""
    n = (n_shared + n_own) * UNITS + (UNITS if outputs == 1 else (UNITS + 1) * outputs)
    inputs = rng.normal(0, 1, n_shared + n_own) * (rng.random(n_shared + n_own) < 0.8)
    return rng.normal(0, 0.4, n).astype(np.float32), inputs.astype(np.float32)


def test_inputs_come_in_pairs():
    assert all(n % 2 == 0 for nets in NETS.values() for n_shared, n_own, _ in nets.values() for n in (n_shared, n_own))
    assert all(n % 2 == 0 for critics in learning.CRITICS.values() for n in critics)


# ---------------------------------------------------------------- forward

@kernel
def look(weights, at, work, n_shared, n_own, prices, answers):
    """Fill the scratch with the first layer, the hidden layer and the chances, `answers` with the score and the expectation."""
    own, first = at + n_shared * UNITS, INPUTS + n_shared
    network.shared(weights, at, work, INPUTS, n_shared, START)
    network.hidden(weights, own, work, first, n_own, START, HIDDEN)
    network.chances(weights, own, work, first, n_own, START, OUT)
    answers[0] = network.score(weights, own, work, first, n_own, START)
    answers[1] = network.expectation(weights, own, work, first, n_own, START, prices)


def looked(numbers, inputs, n_shared, prices, at=0):
    """Return what the kernels make of a network that lies at `at` among the weights; its output row counts for scores, all of them for chances."""
    weights = packed(np.concatenate([np.full(at, 7, np.float32), numbers, prices]))
    work, answers = np.full(INPUTS + 128, 7, np.float32), np.zeros(2)
    work[INPUTS:INPUTS + len(inputs)] = inputs
    look(weights, at, work, n_shared, len(inputs) - n_shared, at + len(numbers), answers)
    assert (work[INPUTS:INPUTS + len(inputs)] == inputs).all()
    assert (work[INPUTS + len(inputs):] == 7).all()
    assert (work[PULL:INPUTS] == 7).all()
    return SimpleNamespace(start=work[:HIDDEN], hidden=work[HIDDEN:OUT], chances=work[OUT:PULL], score=answers[0], expectation=answers[1])


@every_shape
def test_networks_as_their_twin_to_the_last_bit(n_shared, n_own):
    rng = np.random.default_rng(n_shared)
    for at in range(scaled(60, 6)):           # an odd place is the second half of a float64
        numbers, inputs = drawn(rng, n_shared, n_own, OUTPUTS)
        shared, own = inputs[:n_shared], inputs[n_shared:]
        prices = rng.normal(0, 3, OUTPUTS).astype(np.float32)
        found = looked(numbers, inputs, n_shared, prices, at)
        scored, twin = Net(numbers[:(n_shared + n_own + 1) * UNITS], n_shared, n_own), Net(numbers, n_shared, n_own, OUTPUTS)
        for name, wanted in (("start", twin.start(shared)), ("hidden", twin.hidden(shared, own)), ("chances", twin.chances(shared, own))):
            assert getattr(found, name).tobytes() == wanted.tobytes(), name
        assert found.score == scored.scores(shared, own)
        assert found.expectation == twin.expectation(shared, own, prices)


@every_shape
def test_networks_as_the_exact_one(n_shared, n_own):
    rng = np.random.default_rng(n_own)
    for _ in range(scaled(60, 6)):
        numbers, inputs = drawn(rng, n_shared, n_own, OUTPUTS)
        shared, own = inputs[:n_shared], inputs[n_shared:]
        prices = rng.normal(0, 1, OUTPUTS).astype(np.float32)
        found = looked(numbers, inputs, n_shared, prices)
        scored = Net(numbers[:(n_shared + n_own + 1) * UNITS], n_shared, n_own, kind=np.float64)
        exact = Net(numbers, n_shared, n_own, OUTPUTS, np.float64)
        assert found.score == pytest.approx(scored.scores(shared, own), abs=1e-5)
        assert found.chances == pytest.approx(exact.chances(shared, own), abs=5e-6)
        assert found.expectation == pytest.approx(exact.expectation(shared, own, prices), abs=5e-6)


def chances_of(logits, prices):
    """Return chances and expectation of a network whose outputs are given: its biases, nothing else."""
    numbers = np.zeros(UNITS + (UNITS + 1) * OUTPUTS, np.float32)
    numbers[-OUTPUTS:] = logits
    found = looked(numbers, np.ones(1, np.float32), 1, prices.astype(np.float32))
    exact = np.exp(numbers[-OUTPUTS:].astype(float) - numbers[-OUTPUTS:].max())
    return found, exact / exact.sum()


@pytest.mark.parametrize("scale", [0.001, 0.1, 1.0, 5.0, 30.0, 1000.0])
def test_chances_as_the_exact_softmax(scale):
    rng = np.random.default_rng(1)
    for _ in range(scaled(200, 20)):
        prices = rng.normal(0, 1, OUTPUTS).astype(np.float32)
        found, exact = chances_of(rng.normal(0, scale, OUTPUTS), prices)
        assert found.chances == pytest.approx(exact, rel=1e-6 * max(1, scale), abs=1e-30)     # e^-80 is the least
        assert found.chances.sum(dtype=float) == pytest.approx(1, abs=1e-6)
        assert found.expectation == pytest.approx(exact @ prices, abs=1e-6)


def test_powers_of_e_are_right_to_the_digits_of_float32():
    for start in np.linspace(0, -79, scaled(400, 40)):
        logits = np.concatenate([[0], np.linspace(start, start - 1, OUTPUTS - 1)]).astype(np.float32)
        found, _ = chances_of(logits, np.zeros(OUTPUTS))
        errors = found.chances / found.chances[0] / np.exp(logits.astype(float)) - 1
        assert (abs(errors) <= 3e-7 - 6e-8 * logits).all()


@pytest.mark.parametrize("high", [0.0, 81.0, 1e4, 1e30])
@pytest.mark.parametrize("place", [0, 15, 16, 31, 32, 47])
def test_one_chance_of_all_and_the_least_chance(high, place):
    logits = np.full(OUTPUTS, -high)
    logits[place] = high
    found, exact = chances_of(logits, np.arange(OUTPUTS))
    least = max(exact.min(), np.exp(-80.0))
    assert np.delete(found.chances, place) == pytest.approx(least, rel=1e-6)
    assert found.chances[place] == pytest.approx(exact[place], rel=1e-6)
    assert found.expectation == pytest.approx(exact @ np.arange(OUTPUTS), rel=1e-6)


# ---------------------------------------------------------------- backward

@kernel
def pull_score(weights, slopes, work, n_shared, n_own, pull):
    """Add the slopes of a score that is pulled."""
    own, first = n_shared * UNITS, INPUTS + n_shared
    network.shared(weights, 0, work, INPUTS, n_shared, START)
    network.hidden(weights, own, work, first, n_own, START, HIDDEN)
    out = own + n_own * UNITS
    network.back(weights, out, slopes, out, work, HIDDEN, pull, PULL)
    network.back_inputs(slopes, own, work, first, n_own, PULL)
    network.back_inputs(slopes, 0, work, INPUTS, n_shared, PULL)


@kernel
def pull_outputs(weights, slopes, work, n_shared, n_own):
    """Add the slopes of outputs that are pulled by work[OUT :]."""
    own, first = n_shared * UNITS, INPUTS + n_shared
    network.shared(weights, 0, work, INPUTS, n_shared, START)
    network.hidden(weights, own, work, first, n_own, START, HIDDEN)
    out = own + n_own * UNITS
    network.back_outputs(weights, out, slopes, out, work, HIDDEN, OUT, PULL)
    network.back_inputs(slopes, own, work, first, n_own, PULL)
    network.back_inputs(slopes, 0, work, INPUTS, n_shared, PULL)


@every_shape
def test_slopes_of_a_score_are_added(n_shared, n_own):
    rng = np.random.default_rng(3)
    numbers, inputs = drawn(rng, n_shared, n_own, 1)
    before = rng.normal(0, 1, len(numbers)).astype(np.float32)
    slopes, work = before.copy(), np.zeros(INPUTS + 128, np.float32)
    work[INPUTS:INPUTS + len(inputs)] = inputs
    pull_score(packed(numbers), slopes, work, n_shared, n_own, -1.75)
    check(slopes - before, numbers, lambda moved: -1.75 * Net(moved, n_shared, n_own, kind=np.float64).scores(inputs[:n_shared], inputs[n_shared:]))


@every_shape
def test_slopes_of_outputs_are_added(n_shared, n_own):
    rng = np.random.default_rng(4)
    numbers, inputs = drawn(rng, n_shared, n_own, OUTPUTS)
    before, pulls = (rng.normal(0, 1, n).astype(np.float32) for n in (len(numbers), OUTPUTS))
    slopes, work = before.copy(), np.zeros(INPUTS + 128, np.float32)
    work[INPUTS:INPUTS + len(inputs)], work[OUT:PULL] = inputs, pulls
    pull_outputs(packed(numbers), slopes, work, n_shared, n_own)
    check(slopes - before, numbers, lambda moved: pulls @ Net(moved, n_shared, n_own, OUTPUTS, np.float64).outputs(inputs[:n_shared], inputs[n_shared:]))


def check(slopes, numbers, value):
    """Compare slopes, all of them or a sample, with finite differences."""
    places = np.random.default_rng(5).permutation(len(numbers))[:TRIED]
    exact = finite_differences(numbers, value, places)
    assert slopes[places] == pytest.approx(exact, abs=SLIGHT * abs(exact).max())
