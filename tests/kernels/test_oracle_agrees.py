"""The kernels against the referee: what they play is legal and counted rightly, and what the referee plays they count alike."""

import json
from collections import defaultdict
from functools import cache
from random import Random

import numpy as np
import pytest

from analyzer import records, rules, simulation
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels import compiled, entry, layout
from tests import oracle
from tests.kernels.tools import deals, drawing, exported, name_of, scaled, setup_of, wild

GAMES = [game.name for game in rules.games()]
PLAYERS = {game.name: game.players for game in rules.games()}
table_of = cache(load)
TABLES = [(game, "base") for game in GAMES] + [(game, variant.name) for game in GAMES for variant in rules.variants(game)]
POLICIES = ["random", "rules", wild()]
TOGGLES = [f"IW-V{k}" for k in range(1, 7)]


def players_of(game, variant):
    """Return the numbers of players to try: all in the base game, one or two in a variant, so that all come up."""
    seats = table_of(game, variant).checked.seats
    if variant == "base" and compiled.JIT:
        return seats
    return {seats[(len(variant) + k) % len(seats)] for k in range(scaled(2, 1))}


def check(facts, table, policies):
    for record in exported(facts, table, policies):
        assert oracle.replay(record) == [], json.dumps(record)


# ---------------------------------------------------------------- the kernels play, the referee checks

@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant"), TABLES)
def test_deals_replay_without_a_fault(game, variant, policy):
    for players in players_of(game, variant):
        table = table_of(game, variant, (), players)
        n = scaled(2 * len(table.schedule) + 10 if variant == "base" else 6, 2)
        first = 0 if variant == "base" else 7 * len(variant)      # other hand sizes for every variant
        check(deals(table, [policy], n, first), table, [policy])


@pytest.mark.parametrize("explore", [0.0, 1.0])
@pytest.mark.parametrize(("game", "variant"), TABLES)
def test_deals_of_players_who_draw_replay_without_a_fault(game, variant, explore):
    for players in players_of(game, variant):
        engine = drawing(table_of(game, variant, (), players), explore)
        check(engine.play(5 * len(variant), scaled(4, 1))[0][:, 0], engine.run.rules, engine.run.policies)


@pytest.mark.parametrize("game", GAMES)
def test_mixed_tables_replay_without_a_fault(game):
    for players in PLAYERS[game]:
        table = load(game, players=players)
        policies = [POLICIES[seat % 3] for seat in range(players)]
        check(deals(table, policies, scaled(60, 1)), table, policies)


@pytest.mark.parametrize("variant", [*TOGGLES, "+".join(TOGGLES)])
@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
def test_IW_V1_to_V6_alone_and_together(variant, policy):
    table = load("israeli-whist", variant)
    check(deals(table, [policy], scaled(100, 2)), table, [policy])


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize("settings", [
    ["gulash.direction=left", "gulash.max=3", "gulash.min_bid_step=1"], ["gulash.direction=across", "gulash.cards=1"], ["gulash.cards=13"], [],
])
def test_IW_A9_deals_after_gulashes(settings, policy):
    table = load("israeli-whist", "gulash", settings)
    for n_passes in (4, 8):
        facts = deals(table, [policy], scaled(50, 2), setup=setup_of(table, calls="pass " * n_passes, dealer=layout.NONE))
        assert (facts["n_gulash"] >= n_passes // 4).all()
        check(facts, table, [policy])


@pytest.mark.parametrize("settings", [
    ["contract.hook13=last_speaker"], ["contract.hook13=last_speaker", "contract.declarer_rebids=at_least"],
    ["auction.reentry=false"], ["auction.reentry=false", "auction.end_passes=3"], ["auction.forced_last=true"], ["auction.first=dealer"],
])
def test_IW_auctions(settings):
    table = load("israeli-whist", settings=settings)
    for policy in POLICIES:
        check(deals(table, [policy], scaled(200, 2)), table, [policy])


@pytest.mark.parametrize("calls", ["bola", "bola-diamonds", "sin-pedir", "sin-pedir-diamonds", "juego-diamonds", "pass pass pass"])
@pytest.mark.parametrize("variant", ["base", "trump-later", "parlett", "pool-stays"])
def test_SS_every_contract(calls, variant):
    table = load("spanish-solo", variant)
    for policy in POLICIES:
        check(deals(table, [policy], scaled(30, 1), setup=setup_of(table, calls=calls, dealer=layout.NONE), pool=4), table, [policy])


# ---------------------------------------------------------------- the referee plays, the kernels count

STATED = ("scores", "tricks", "trump", "leader", "bids", "pool_after", "points", "declarer", "contract", "soloist", "exchange", "auction", "play")


@pytest.mark.parametrize(("game", "changes"), [
    *[(game, {}) for game in GAMES],
    ("israeli-whist", {"auction": {"all_pass": "gulash"}}),
    ("israeli-whist", {"auction": {"end_passes": 3, "first": "dealer"}, "contract": {"declarer_rebids": "at_least", "hook13": "last_speaker"}}),
    ("israeli-whist", {"auction": {"reentry": False, "forced_last": True}, "score": {"all_fail_zero": True, "zero_miss": {"base": -25}}}),
    ("oh-hell", {"play": {"must_head": True}, "bidding": {"hook": "must_exceed"}}),
    ("oh-hell", {"trump": {"when_exhausted": "dealer_last"}, "bidding": {"hook": "coop_equal", "hook_min_hand": 3}, "schedule": "up"}),
    ("oh-hell", {"play": {"must_trump": False, "trump_lead": "after_first_trick"}, "bidding": {"mode": "secret", "hook": "none"}}),
    ("oh-hell", {"score": {"system": "formula", "made": "b if b else 0.5", "short": "-abs(d)", "beyond": "1 if over else 0", "unit": 0.5}}),
    ("spanish-solo", {"bola": {"trump_first": False}, "pool": {"ante": 1, "on_loss": "none"}, "juego": {"reduced_seat": "eldest"}}),
])
def test_records_of_the_referee_give_the_same_outcome(game, changes):
    rng = Random(1)
    for players in PLAYERS[game]:
        table = load(game, settings=changes, players=players)
        played = [json.loads(json.dumps(oracle.random_record(game, rng, changes, players))) for _ in range(scaled(200, 10) // len(PLAYERS[game]))]
        for record, again in zip(played, exported(records.replay(played, table), table, ["random"]), strict=True):
            assert {key: again[key] for key in STATED} == {key: record[key] for key in STATED}


# ---------------------------------------------------------------- whole games

def best_of(table, totals):
    return min(totals) if table.fields.get("score", {}).get("low_wins") else max(totals)


def is_over(table, totals, n_deals, tied, played):
    """Return (does the game end, has a tie at its end been seen): rules.md IW-A11, IW-A12, OH-A14."""
    fields = table.fields
    alone = totals.count(best_of(table, totals)) == 1
    if tied:
        return played and alone, True
    end = fields["game"]["end"]
    if end == "schedule":
        reached = n_deals == len(table.schedule)
    elif "deals" in end:
        reached = n_deals == end["deals"]
    else:
        reached = played and max(totals) >= end["target"]
    if reached and not alone and fields["game"]["tie"] == "sudden_death":
        return False, True
    return reached, False


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
@pytest.mark.parametrize(("game", "variant", "players"), [
    ("israeli-whist", "base", 4), ("israeli-whist", "next-dealer", 4), ("israeli-whist", "gulash", 4), ("israeli-whist", "ten-deals", 4),
    ("oh-hell", "base", 5), ("oh-hell", "extra-deals", 3), ("oh-hell", "negative", 7), ("jabberwocky", "base", 3), ("jabberwocky", "extra-deals", 4),
    ("spanish-solo", "base", 3), ("spanish-solo", "parlett", 3),
])
def test_whole_games(game, variant, players, policy):
    check_games(load(game, variant, players=players), policy)


@pytest.mark.parametrize("policy", POLICIES, ids=name_of)
def test_IW_base_a_target_ends_the_game_whoever_reaches_it(policy):
    check_games(load("oh-hell", "negative", settings=["game.end.target=5"]), policy)      # the lowest score wins, the highest reaches the target


def check_games(table, policy):
    seats = [policy] * table.players
    lines, games = [], []

    def consume(facts, chunk):
        lines.extend(exported(facts, table, seats, games=True))
        games.extend(chunk)

    n = simulation.run(Run(table, seats, games=True), scaled(8, 1), jobs=1, consume=consume)
    assert n == len(games)
    by_game = defaultdict(list)
    for record in lines:
        by_game[record["game_no"]].append(record)
    assert list(by_game) == list(range(n))
    for outcome, played in zip(games, by_game.values(), strict=True):
        check_game(table, played, outcome)


def check_game(table, played, outcome):
    players = table.players
    totals, dealer, pool, tied, over = [0] * players, played[0]["dealer"], 0, False, False
    for number, record in enumerate(played):
        assert not over
        assert (record["deal_no"], record["dealer"]) == (number, dealer)
        assert oracle.replay(record) == []
        if record["pool_before"] is not None:
            assert record["pool_before"] == pool
            pool = record["pool_after"]
        cards = [len(oracle.parse_hand(hand)) for hand in record["hands"]]
        extra = max(table.schedule) if table.auction == "none" else table.schedule[0]      # OH-A14: deals after the schedule have the most cards
        assert cards == [table.schedule[number] if number < len(table.schedule) else extra] * players
        was_played = bool(record["play"])
        totals = [total + score for total, score in zip(totals, record["scores"], strict=True)]
        if was_played or table.fields["auction"]["all_pass"] == "redeal_next":
            dealer = (dealer + 1) % players
        over, tied = is_over(table, totals, number + 1, tied, was_played)
    assert bool(outcome["finished"]) == over
    assert outcome["n_deals"] == len(played)
    assert outcome["totals"][:players].tolist() == totals
    assert [bool(outcome["winners"] >> seat & 1) for seat in range(players)] == [total == best_of(table, totals) for total in totals]
    assert outcome["pool"] == pool


def test_first_dealer_of_a_game_is_drawn_at_random():
    table = load("jabberwocky", players=3)
    facts, _ = Engine(Run(table, ["random"], games=True)).play(0, scaled(900, 30))
    counts = np.bincount(facts["dealer"][:, 0], minlength=3)
    assert (abs(counts - len(facts) / 3) < 5 * np.sqrt(len(facts) * 2 / 9)).all()


# ---------------------------------------------------------------- the same deal for the same number

def same(one, other):
    return len(one) == len(other) and all(np.array_equal(one[name], other[name]) for name in one.dtype.names)


@pytest.mark.parametrize("games", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_chunks_and_threads_do_not_change_a_byte(game, games, monkeypatch):
    answers = []
    for chunk, jobs in ((1024, 1), (7, 3), (1, 2)):
        monkeypatch.setattr(simulation, "CHUNK", chunk)
        monkeypatch.setattr(simulation, "CHUNK_GAMES", chunk)
        parts = []
        run = Run(load(game), ["random"] if games else ["rules"], games=games)
        simulation.run(run, scaled(23 if games else 250, 1 if games else 8), jobs=jobs, consume=lambda facts, _, parts=parts: parts.append(facts))
        answers.append(np.concatenate(parts))
    assert all(same(answer, answers[0]) for answer in answers)


@pytest.mark.parametrize("game", GAMES)
def test_deal_depends_on_seed_and_number_alone(game):
    table = load(game)
    many = deals(table, ["rules"], scaled(40, 6))
    for number in (0, 3, len(many) - 1):
        assert same(deals(table, ["rules"], 1, number), many[number:number + 1])
    assert (deals(table, ["rules"], len(many), seed=2)["hands"] != many["hands"]).any(axis=1).all()


@pytest.mark.parametrize(("game", "variant"), [
    ("israeli-whist", "alt"), ("oh-hell", "secret+free-discard"), ("jabberwocky", "trumps-free"), ("spanish-solo", "parlett"),
])
def test_policies_and_variants_meet_the_same_cards(game, variant):
    n = scaled(200, 5)
    dealt = [deals(load(game, name), [policy], n)[["hands", "turnup", "dealer"]] for name in ("base", variant) for policy in POLICIES]
    assert all((other == dealt[0]).all() for other in dealt)


def test_a_seat_draws_from_its_own_stream():
    table = load("oh-hell", players=3)
    setup = setup_of(table, bids=[0, 0, 0], cards=5, dealer=0)
    one, other = (deals(table, policies, scaled(200, 5), setup=setup) for policies in (["random", "random", "random"], ["random", "rules", "rules"]))
    assert (one["play"][:, 0] == other["play"][:, 0]).all()       # seat 1 leads at random, whoever sits beside it


# ---------------------------------------------------------------- one compiled function an entry point

@pytest.mark.skipif(not compiled.JIT, reason="nothing is compiled")
def test_entry_points_have_one_signature():
    for game in GAMES:
        for games in (False, True):
            engine = Engine(Run(load(game), ["rules"], games=games))
            facts, _ = engine.play(0, 1)
            entry.score(engine.rules, facts[0])
        Engine(Run(load(game), ["random"])).stop()
    assert len(entry.play.signatures) == 1
    assert len(entry.score.signatures) == 1
