"""Questions to the kernels in a card player's words."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analyzer import policies, records
from analyzer.cards import call, call_text, denomination
from analyzer.rules import Rules
from analyzer.simulation import Engine, Run, empty_setup
from kernels import entry, layout
from kernels.compiled import JIT
from kernels.layout import Decision

FOLDER = tempfile.TemporaryDirectory(prefix="tricklab-")      # of the policies written for tests


def scaled(n: int, without_jit: int) -> int:
    """Return a number of deals: plain Python plays some thousand times more slowly."""
    return n if JIT else without_jit


def deals(rules: Rules, policies: list[str], n: int, first: int = 0, **known: Any) -> np.ndarray:
    """Return the facts of single deals `first` to `first + n - 1`."""
    return Engine(Run(rules, policies, **known)).play(first, n)[0][:, 0]


def written(name: str, nets: dict[str, np.ndarray]) -> str:
    """Return the file of a learned policy with networks by family and name."""
    folder = Path(FOLDER.name)
    np.savez(folder / f"{name}.npz", **nets)
    path = folder / f"{name}.toml"
    path.write_text(f'base = "rules-1"\nplayer = "learned"\nnets = "{name}.npz"\n')
    return str(path)


@cache
def wild(seed: int = 1) -> str:
    """Return the file of a learned policy whose networks are random numbers: its choices are wild, but its own."""
    rng = np.random.default_rng(seed)
    numbers = {f"{family}/{net}": policies.net_size(family, net) for family, nets in policies.NETS.items() for net in nets}
    return written(f"wild-{seed}", {net: rng.normal(0, 0.4, size).astype(np.float32) for net, size in numbers.items()})


def name_of(policy: str) -> str:
    """Return what a test calls a policy."""
    return Path(policy).stem


def drawing(rules: Rules, explore: float = 0.0, **known: Any) -> Engine:
    """Return an engine of wild players who draw their cards and calls, as in training."""
    engine = Engine(Run(rules, [wild()], **known))
    engine.policies["draw"], engine.policies["explore"] = 1, explore
    return engine


def taped(engine: Engine, number: int) -> tuple[np.ndarray, np.record]:
    """Return the facts of one deal, shape (1,), and the table as it was left, its tape on it."""
    setup = engine.setup.copy()
    setup["first"] = number
    table, facts = np.zeros(1, layout.TABLE), np.zeros((1, 1), layout.FACTS)
    scratch = np.zeros(1, layout.DEAL), np.zeros(0, layout.WORLD)
    entry.play(engine.rules, engine.policies, engine.weights, setup, table, *scratch, facts, np.zeros(1, layout.GAME))
    return facts[0], table[0]


def exported(facts: np.ndarray, rules: Rules, policies: list[str], **how: Any) -> list[dict[str, Any]]:
    """Return the records of deals, read back as plain data."""
    return [json.loads(line) for line in records.lines(facts, rules, policies, 1, **how)]


def setup_of(rules: Rules, **known: Any) -> np.ndarray:
    """Return what is known and decided: hands, turnup, calls, bids, trump, asked, given and play as text, all else as in SETUP."""
    setup = empty_setup()
    deck = rules.deck
    hands = [deck.hand(text) for text in known.pop("hands", [])]
    setup["held"][0, :len(hands)] = hands
    if hands and rules.auction == "none":
        setup["cards"] = max(hand.bit_count() for hand in hands)
    setup["dealer"] = known.pop("dealer", rules.players - 1)
    gulash = known.pop("gulash", [])
    setup["n_gulash"] = len(gulash)
    for number, given in enumerate(gulash):
        setup["gulash"][0, number, :len(given)] = [deck.hand(text) for text in given]
    spoken = {
        "calls": [call(text, rules.auction) for text in known.pop("calls", "").split()],
        "bids": known.pop("bids", []),
        "play": [deck.card(text) for text in known.pop("play", "").split()],
    }
    for name, values in spoken.items():
        setup[f"n_{name}"] = len(values)
        setup[name][0, :len(values)] = values
    for name in ("turnup", "asked", "given"):
        if name in known:
            setup[name] = deck.card(known.pop(name))
    if "trump" in known:
        setup["trump"] = denomination(known.pop("trump"))
    for name, value in known.items():
        setup[name] = value
    return setup


class Moment(NamedTuple):
    """Where a script ended."""

    rules: Rules
    table: np.record        # as the seat to decide sees it
    facts: np.record

    @property
    def decision(self) -> str:
        """What is to be decided, "none" where the deal is over, "fault" where the script broke a rule."""
        return "fault" if self.facts["fault"] else Decision(self.facts["pending"]).name.lower()

    @property
    def seat(self) -> int:
        return int(self.table["seat"])

    @property
    def hand(self) -> str:
        return self.rules.deck.hand_text(self.table["hand"])

    @property
    def lowest_call(self) -> str:
        """The lowest call besides pass, "" where there is none."""
        table = self.table
        return call_text(table["lowest_call"], self.rules.auction) if table["lowest_call"] <= table["highest_call"] else ""

    @property
    def may_pass(self) -> bool:
        return bool(self.table["may_pass"])

    @property
    def legal_bids(self) -> list[int]:
        return [bid for bid in range(18) if self.table["legal_bids"] >> bid & 1]

    @property
    def legal_trumps(self) -> str:
        return "".join(suit for number, suit in enumerate("CDHS") if self.table["legal_trumps"] >> number & 1)


def moment(rules: Rules, **known: Any) -> Moment:
    """Return where the script of `setup_of` ends, with the dealer in the last seat unless `dealer` says otherwise."""
    pool = known.pop("pool", 0)
    return Moment(rules, *Engine(Run(rules, ["random"], pool=pool, setup=setup_of(rules, **known))).stop())


def legal_cards(rules: Rules, play: str = "", **known: Any) -> set[str]:
    """Return what the seat to play may play next."""
    now = moment(rules, play=play, **known)
    assert now.decision == "card"
    cards = [rules.deck.card_text(card) for card in rules.deck.cards(now.table["hand"])]
    return {card for card in cards if moment(rules, play=f"{play} {card}", **known).decision != "fault"}
