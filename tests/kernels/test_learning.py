"""Slopes of training against finite differences of what it strives for: drawn choices that beat the critic, a critic that is right, bids that are foreseen."""

from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from analyzer.policies import usual_stake
from analyzer.rules import load
from kernels import layout, learning
from kernels.layout import NONE, OUTPUTS, SHORTEST, SPANS, UNITS, Side, Tape
from tests.kernels.tools import drawing, scaled, setup_of
from tests.learned_twins import Net, Note, finite_differences, tape

VARIETY = 0.3        # usual stakes
SLIGHT = 2e-5        # of the largest slope: what float32 loses
TRIED = scaled(150, 20)      # slopes of a network
SHAPES = {
    "play": (layout.PLAY_SHARED, layout.PLAY_OWN), "bid": (layout.BID_SHARED, layout.BID_OWN, OUTPUTS), "call": (layout.CALL_SHARED, layout.CALL_OWN),
    "gulash": (layout.CALL_SHARED, layout.CALL_OWN),
}  # fmt: skip
CHOICES = {"play": Tape.PLAY, "call": Tape.CALL, "gulash": Tape.GULASH}
CRITIC = dict(zip(CHOICES, learning.CRITICS["exact-bid"], strict=True))
DEALS = [
    ("israeli-whist", "base", 4, "", 0b1111, 0.9), ("israeli-whist", "three-passes", 4, "", 0b0110, 0.5),
    ("israeli-whist", "gulash", 4, "pass pass pass pass", 0b1011, 1.0), ("oh-hell", "base", 5, "", 0b11111, 0.0),
    ("oh-hell", "negative", 4, "", 0b0011, 1.0), ("jabberwocky", "base", 3, "", 0b101, 0.7),
]


def learned(book, calls, learners, trace, first=0, n=1):
    """Return the last deal of some, the table with its tape, and what the learners learned from all of them, by network."""
    engine = drawing(book, 0.2, setup=setup_of(book, calls=calls, dealer=NONE) if calls else None)
    engine.setup["first"] = first
    critic = np.random.default_rng(6).normal(0, 0.2, sum((size + 1) * UNITS for size in CRITIC.values())).astype(np.float32)
    table, facts = np.zeros(1, layout.TABLE), np.zeros(n, layout.FACTS)
    slopes, critic_slopes = np.zeros(sum(learning.SIZES["exact-bid"].values()), np.float32), np.zeros_like(critic)
    report = np.zeros(learning.REPORTED)
    learning.learn(engine.rules, engine.policies, engine.weights, engine.setup, table, np.zeros(1, layout.DEAL), facts, learners, 1 / usual_stake(book),
                   VARIETY, trace, critic, slopes, critic_slopes, report)  # fmt: skip
    floats = engine.weights.view(np.float32)
    places = {name: int(engine.policies[f"net_{name}"][0]) for name in SHAPES}
    return SimpleNamespace(
        table=table[0], fact=facts[-1], report=report, stake=usual_stake(book),
        nets={name: floats[at:at + learning.SIZES["exact-bid"][name]] for name, at in places.items()},
        slopes=parts(slopes, learning.SIZES["exact-bid"]),
        critic=parts(critic, {name: (size + 1) * UNITS for name, size in CRITIC.items()}),
        critic_slopes=parts(critic_slopes, {name: (size + 1) * UNITS for name, size in CRITIC.items()}),
    )  # fmt: skip


def parts(numbers, sizes):
    ends = np.cumsum([0, *sizes.values()])
    return {name: numbers[start:end] for name, (start, end) in zip(sizes, pairwise(ends), strict=True)}


def judged(numbers, notes):
    """Return what a critic says at each decision."""
    shared = np.array([note.shared for note in notes])
    return Net(numbers, shared.shape[1], 0, kind=np.float64).scores(shared, np.zeros((len(notes), 0)))


def returns(values, gain, trace):
    """Return what a seat's choices are credited with: what the critic says 1, 2, 3... choices on, or the gain at the end, the nearer the more."""
    ahead = [*values[1:], gain]
    credited = []
    for k in range(len(values)):
        later = ahead[k:]
        shares = [(1 - trace) * trace**n for n in range(len(later) - 1)]
        credited.append(sum(share * value for share, value in zip(shares, later, strict=False)) + trace ** (len(later) - 1) * gain)
    return credited


@dataclass
class Choice:
    """A drawn card, call or card given, what the critic said of it, and what it should have said."""

    note: Note
    gain: float          # usual stakes
    value: float
    target: float = 0.0


class Lesson:
    """What the notes of the learners in one deal should teach."""

    def __init__(self, found, players, learners, trace):
        fact = found.fact
        notes = [note for note in tape(found.table) if learners >> (note.seat - fact["dealer"] - 1) % players & 1]
        choices = []
        for note in notes:
            if note.kind != Tape.BID:
                name = note.kind.name.lower()
                choices.append(Choice(note, fact["scores"][note.seat] / found.stake, judged(found.critic[name], [note])[0]))
        for seat in range(players):
            own = [choice for choice in choices if choice.note.seat == seat]
            for choice, credited in zip(own, returns([choice.value for choice in own], own[0].gain if own else 0.0, trace), strict=True):
                choice.target = credited
        self.choices = {name: [choice for choice in choices if choice.note.kind == kind] for name, kind in CHOICES.items()}
        bids = [note for note in notes if note.kind == Tape.BID]
        stood = [note for note in bids if (note.what, note.seat) == (fact["contract"], fact["declarer"])][-1:]      # raised to and stood at: once
        self.bids = [note for note in bids if note.what == NONE] + (stood if fact["contract"] != NONE else [])
        total = sum(fact["bids"][:players])
        side = Side.OVER if total > fact["cards"] else Side.EXACT if total == fact["cards"] else Side.UNDER
        missed = [int(fact["tricks"][note.seat] - fact["bids"][note.seat]) for note in self.bids]
        self.outcomes = [side * SPANS + min(max(difference + SHORTEST, 0), SPANS - 1) for difference in missed]

    def choice_value(self, name, numbers):
        """Return the logarithms of the chances of what was chosen, each times how much better than the critic said it was, and the worth of variety."""
        choices = self.choices[name]
        sizes = [len(choice.note.own) for choice in choices]
        shared, own = np.repeat([choice.note.shared for choice in choices], sizes, axis=0), np.concatenate([choice.note.own for choice in choices])
        scores = Net(numbers, *SHAPES[name], kind=np.float64).scores(shared, own)
        value = 0.0
        for choice, each in zip(choices, np.split(scores, np.cumsum(sizes)[:-1]), strict=True):
            logs = each - np.log(np.exp(each).sum())
            value += (choice.target - choice.value) * logs[choice.note.chosen] - VARIETY * (np.exp(logs) * logs).sum()
        return value

    def critic_value(self, name, numbers):
        """Return half the squared errors of the critic, negative."""
        choices = self.choices[name]
        return -((judged(numbers, [choice.note for choice in choices]) - [choice.target for choice in choices]) ** 2).sum() / 2

    def bid_value(self, numbers):
        """Return the logarithms of the chances of what became of the bids."""
        chances = Net(numbers, *SHAPES["bid"], np.float64).chances([note.shared for note in self.bids], [note.own[0] for note in self.bids])
        return np.log(chances[range(len(self.bids)), self.outcomes]).sum()

    @property
    def report(self):
        """Choices, squared errors of the critic and squared gains of cards, then of calls and cards given."""
        return [
            number for names in (["play"], ["call", "gulash"]) for choices in [[choice for name in names for choice in self.choices[name]]]
            for number in (len(choices), sum((choice.gain - choice.value) ** 2 for choice in choices), sum(choice.gain**2 for choice in choices))
        ]  # fmt: skip


def check(slopes, numbers, value):
    places = np.random.default_rng(7).permutation(len(numbers))[:TRIED]
    exact = finite_differences(numbers, value, places)
    assert abs(exact).max() > 0.01
    assert slopes[places] == pytest.approx(exact, abs=SLIGHT * float(abs(exact).max()))


@pytest.mark.parametrize(("game", "variant", "players", "calls", "learners", "trace"), DEALS)
def test_slopes_as_finite_differences(game, variant, players, calls, learners, trace):
    book = load(game, variant, players=players)
    found = learned(book, calls, learners, trace, first=3)
    assert found.fact["played"]
    lesson = Lesson(found, players, learners, trace)
    met = {name for name, notes in lesson.choices.items() if notes}
    assert met == {"play", *(["call"] if game == "israeli-whist" else []), *(["gulash"] if variant == "gulash" else [])}
    for name in met:
        check(found.slopes[name], found.nets[name], lambda numbers, name=name: lesson.choice_value(name, numbers))
        check(found.critic_slopes[name], found.critic[name], lambda numbers, name=name: lesson.critic_value(name, numbers))
    check(found.slopes["bid"], found.nets["bid"], lesson.bid_value)
    assert not any(found.slopes[name].any() or found.critic_slopes[name].any() for name in CRITIC if name not in met)
    assert found.report == pytest.approx([*lesson.report, len(lesson.bids), -lesson.bid_value(found.nets["bid"])], rel=1e-5)


def test_slopes_of_deals_add_up():
    book, n = load("israeli-whist"), scaled(12, 2)
    many = learned(book, "", 0b1111, 0.8, n=n)
    each = [learned(book, "", 0b1111, 0.8, first=number) for number in range(n)]
    for name, slopes in many.slopes.items():
        assert slopes == pytest.approx(sum(one.slopes[name].astype(float) for one in each), abs=1e-5 * float(abs(slopes).max()))
    assert many.report == pytest.approx(sum(one.report for one in each), rel=1e-9)


@pytest.mark.parametrize(("calls", "learners"), [("pass pass pass pass", 0b1111), ("", 0)])
def test_nothing_is_learned_from_a_deal_thrown_in_or_by_nobody(calls, learners):
    found = learned(load("israeli-whist"), calls, learners, 0.8)
    assert not any(slopes.any() for slopes in [*found.slopes.values(), *found.critic_slopes.values(), found.report])
