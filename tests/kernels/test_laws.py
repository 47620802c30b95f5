"""Laws that every deal of every game obeys."""

import numpy as np
import pytest

from analyzer import records, rules
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels.compiled import JIT
from kernels.layout import MOST_CHIPS, NONE, Denomination
from tests.kernels.tools import deals, exported, name_of, scaled, setup_of, wild

GAMES = [(game.name, players) for game in rules.games() for players in game.players]
POLICIES = ["random", "rules", wild()]
MANY = scaled(1_000, 8)

played_by = pytest.mark.parametrize("policy", POLICIES, ids=name_of)
every_game = pytest.mark.parametrize(("game", "players"), GAMES)


def masks_of(facts, players):
    """Return the cards played in each deal."""
    return [sum(1 << int(card) for card in fact["play"][:players * fact["cards"]]) for fact in facts]


@played_by
@every_game
def test_cards_are_conserved(game, players, policy):
    facts = deals(load(game, players=players), [policy], MANY)
    facts = facts[facts["played"] == 1]
    assert masks_of(facts, players) == np.bitwise_or.reduce(facts["hands"], axis=1).tolist()


@played_by
@every_game
def test_tricks_sum_to_the_hand_size(game, players, policy):
    facts = deals(load(game, players=players), [policy], MANY)
    played = facts["played"] == 1
    assert (facts["tricks"].sum(axis=1)[played] == facts["cards"][played]).all()
    assert (facts["tricks"] >= 0).all()
    assert not facts["tricks"][~played].any()


@played_by
@pytest.mark.parametrize("variant", ["base", "parlett", "pool-stays", "free-passes"])
def test_SS_points_and_chips(variant, policy):
    for pool in (0, 7):
        facts = deals(load("spanish-solo", variant), [policy], MANY, pool=pool)
        assert (facts["points"].sum(axis=1) == 72).all()
        assert (facts["points"] >= facts["tricks"]).all()
        assert (facts["scores"].sum(axis=1) + facts["pool_after"] - facts["pool_before"] == 0).all()


def test_SS_A18_the_pool_of_a_long_game_stays_within_its_limit():
    table = load("spanish-solo", settings=["game.end.deals=100"])
    facts, games = Engine(Run(table, ["random"], games=True)).play(0, scaled(40, 1))
    chips = facts["scores"].sum(axis=2) + facts["pool_after"] - facts["pool_before"]
    assert (games["n_deals"] == 100).all()
    assert (chips == 0).all()
    assert facts["pool_after"].min() >= 0
    assert facts["pool_after"].max() < MOST_CHIPS
    assert not JIT or facts["pool_after"].max() >= MOST_CHIPS // 2


@played_by
@pytest.mark.parametrize(("game", "variant", "players"), [
    *[(game, "base", players) for game, players in GAMES if game in ("oh-hell", "jabberwocky")],
    ("oh-hell", "hook-from-two", 4), ("israeli-whist", "hook13", 4), ("israeli-whist", "wikipedia", 4),
])
def test_hook_is_never_broken(game, variant, players, policy):
    table = load(game, variant, players=players)
    facts = deals(table, [policy], MANY)
    facts = facts[facts["played"] == 1]
    least = table.fields.get("bidding", {}).get("hook_min_hand", 1)
    sums = facts["bids"][:, :players].sum(axis=1)
    assert not ((sums == facts["cards"]) & (facts["cards"] >= least)).any()
    assert (facts["bids"][:, :players] >= 0).all()
    assert (facts["bids"][:, :players] <= facts["cards"][:, None]).all()


@played_by
def test_IW_declarer_bids_his_contract(policy):
    facts = deals(load("israeli-whist"), [policy], MANY)
    facts = facts[facts["played"] == 1]
    assert (facts["bids"][np.arange(len(facts)), facts["declarer"]] == (facts["contract"] - 1) // 5 + 1).all()
    assert (facts["leader"] == facts["declarer"]).all()


# ---------------------------------------------------------------- turning the seats

def turned(record, players):
    """Return the same deal one seat further on."""
    def on(seat):
        return None if seat is None else (seat + 1) % players

    def calls(spoken):
        return [[on(seat), call] for seat, call in spoken]

    record = dict(record)
    for name in ("dealer", "declarer", "soloist", "leader"):
        record[name] = on(record[name])
    for name in ("hands", "bids", "tricks", "points", "scores"):
        record[name] = record[name] and record[name][-1:] + record[name][:-1]
    if record["auction"]:
        record["auction"] = [calls(spoken) for spoken in record["auction"]] if record["gulash"] else calls(record["auction"])
    if record["gulash"]:
        record["gulash"] = [
            sorted(({**move, "from": on(move["from"]), "to": on(move["to"])} for move in moves), key=lambda move: move["from"]) for moves in record["gulash"]
        ]
    if record["exchange"]:
        record["exchange"] = {**record["exchange"], "from": on(record["exchange"]["from"])}
    return record


@played_by
@pytest.mark.parametrize(("game", "variant", "players"), [*[(game, "base", players) for game, players in GAMES], ("israeli-whist", "gulash", 4)])
def test_turning_the_seats_turns_the_outcome(game, variant, players, policy):
    table = load(game, variant, players=players)
    before = exported(deals(table, [policy], scaled(100, 4)), table, [policy])
    wanted = [turned(record, players) for record in before]
    after = exported(records.replay(wanted, table), table, [policy])
    outcome = ("hands", "auction", "gulash", "declarer", "soloist", "exchange", "bids", "leader", "play", "tricks", "points", "scores", "pool_after")
    assert [[record[name] for name in outcome] for record in after] == [[record[name] for name in outcome] for record in wanted]


# ---------------------------------------------------------------- hidden cards

@pytest.mark.parametrize(("game", "players", "known", "decider", "choice"), [
    ("israeli-whist", 4, {}, 0, ("calls", 0)),
    ("israeli-whist", 4, {"calls": "pass 6S pass pass pass pass", "bids": [2]}, 3, ("bids", 3)),
    ("israeli-whist", 4, {"calls": "6S pass pass pass pass", "bids": [3, 2, 3]}, 0, ("play", 0)),
    ("oh-hell", 4, {"turnup": "S2", "cards": 9}, 0, ("bids", 0)),
    ("oh-hell", 4, {"turnup": "S2", "cards": 9, "bids": [2, 3, 2, 3]}, 0, ("play", 0)),
    ("jabberwocky", 3, {"turnup": "S2", "cards": 9, "bids": [3, 3, 2]}, 0, ("play", 0)),
    ("spanish-solo", 3, {}, 0, ("calls", 0)),
    ("spanish-solo", 3, {"calls": "bola pass pass"}, 0, ("trump",)),
    ("spanish-solo", 3, {"calls": "bola pass pass", "trump": "S"}, 0, ("asked",)),
    ("spanish-solo", 3, {"calls": "juego pass pass", "trump": "S"}, 0, ("play", 0)),
])
@played_by
def test_hidden_cards_do_not_change_a_choice(game, players, known, decider, choice, policy):
    table = load(game, players=players)
    others = [seat for seat in range(players) if seat != decider]
    for number, fact in enumerate(deals(table, [policy], scaled(20, 2), setup=setup_of(table, **known))):
        setup = setup_of(table, **known)
        setup["held"][0, :players] = fact["hands"][:players]
        setup["held"][0, others] = fact["hands"][np.roll(others, 1)]
        [swapped] = deals(table, [policy], 1, number, setup=setup)
        assert swapped["hands"][decider] == fact["hands"][decider]
        assert (swapped["hands"][others] != fact["hands"][others]).all()
        name, *at = choice
        assert swapped[name][tuple(at)] == fact[name][tuple(at)]


def test_deal_without_contract_has_no_trump_and_no_leader():
    facts = deals(load("israeli-whist"), ["random"], MANY)
    thrown_in = facts[facts["played"] == 0]
    assert len(thrown_in)
    for name in ("trump", "leader", "declarer", "contract"):
        assert (thrown_in[name] == NONE).all()
    assert (facts[facts["played"] == 1]["trump"] <= Denomination.NT).all()
