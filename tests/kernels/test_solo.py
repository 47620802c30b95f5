"""Learned players of Spanish Solo: what their networks are told a deal pays, what they learn from it, and whether they do what a card player would."""

import numpy as np
import pytest

from analyzer import policies
from analyzer.rules import load
from analyzer.simulation import Engine, Run
from kernels import layout, solo
from kernels.compiled import JIT, kernel
from kernels.layout import NONE, Contract, Player, Tape
from tests.kernels.tools import deals, scaled, setup_of

statistical = pytest.mark.skipif(not JIT, reason="needs more deals than plain Python plays")
VARIANTS = ["base", "parlett", "no-stake", "pool-stays", "free-passes", "no-reduced-seat", "reduced-eldest", "reduced-dealer"]
SEATS = np.arange(3)


# ---------------------------------------------------------------- what a deal pays

@kernel
def settle(rules_, table_, facts, called, outcomes, gains, prices):
    """Fill for every deal and seat what became of it, what it gains and what `put_prices` says it pays from before the calls on (`called` 0) or after them."""
    rules, table = rules_[0], table_[0]
    for k in range(len(facts)):
        for seat in range(rules.n_seats):
            table.seat = seat
            outcomes[k, seat] = solo.outcome_of(rules, facts[k], seat)
            gains[k, seat] = solo.gain_of(outcomes[k, seat])
            table.pool = facts[k].pool_before + rules.n_seats * rules.pool_ante
            for other in range(rules.n_seats):
                table.passed[other] = called if other != facts[k].declarer else 0
                table.pool += rules.pool_pass_fee * table.passed[other]
            solo.put_prices(rules, table)
            prices[k, seat] = table.work[solo.PRICES + outcomes[k, seat]]


def settled(book, facts, called=0):
    outcomes, gains, prices = np.zeros((len(facts), 3), np.int64), np.zeros((len(facts), 3)), np.zeros((len(facts), 3))
    settle(book.record(), np.zeros(1, layout.TABLE), facts, called, outcomes, gains, prices)
    return outcomes, gains, prices


@pytest.mark.parametrize("called", [0, 1])
@pytest.mark.parametrize("variant", VARIANTS)
def test_prices_are_the_chips_of_a_deal_and_a_third_of_what_the_pool_gains(variant, called):
    book = load("spanish-solo", variant)
    ante, fee = (int(book.record()[name][0]) for name in ("pool_ante", "pool_pass_fee"))
    for policy in ("random", "rules"):
        facts = deals(book, [policy], scaled(2000, 20), pool=7)
        _, _, prices = settled(book, facts, called)
        paid = ante + fee * called * (SEATS[None, :] != facts["declarer"][:, None])
        into_pool = facts["pool_after"] - facts["pool_before"] - paid.sum(axis=1)
        assert prices == pytest.approx(facts["scores"][:, :3] + paid + into_pool[:, None] / 3, abs=1e-5)
        assert called or prices.sum(axis=1) == pytest.approx(np.zeros(len(facts)), abs=1e-5)       # above the mean of all seats


def test_cards_gain_by_the_contract_or_the_place_without_one():
    book = load("spanish-solo")
    facts = deals(book, ["rules"], scaled(2000, 50))
    outcomes, gains, _ = settled(book, facts)
    alone = facts["declarer"] == NONE
    assert gains[alone] == pytest.approx(facts["scores"][alone, :3] / 2 + 0.5)             # all passed: the stake is 2, and a pass cost a chip
    won = facts["scores"][np.arange(len(facts)), facts["declarer"]] > 0
    is_soloist = SEATS[None, :] == facts["declarer"][:, None]
    assert (gains == np.where(is_soloist == won[:, None], 1, -1))[~alone].all()
    assert (outcomes[~alone] < 2 * solo.THEIRS).all()
    assert (outcomes[alone] >= 2 * solo.THEIRS).all()


# ---------------------------------------------------------------- what is learned from it

def untrained(book, explore):
    """Return an engine whose seats play by networks of random numbers and draw their choices."""
    engine = Engine(Run(book, ["rules"]))
    rng = np.random.default_rng(1)
    parts, at = [engine.weights], len(engine.weights)
    for name in policies.NETS["spanish-solo"]:
        net = policies.packed(rng.standard_normal(policies.net_size("spanish-solo", name)) * 0.1)
        engine.policies[f"net_{name}"] = 2 * at
        parts.append(net)
        at += len(net)
    engine.weights = np.concatenate(parts)
    for name, value in (("player", Player.LEARNED), ("draw", 1), ("explore", explore)):
        engine.policies[name] = value
    return engine


def learned_from(engine, n):
    """Return (slopes by network, report, deals) of the decisions of all seats in n deals."""
    from kernels import learning

    sizes = learning.SIZES["spanish-solo"]
    critic = np.zeros(sum((inputs + 1) * layout.UNITS for inputs in learning.CRITICS["spanish-solo"]), np.float32)
    slopes, report, facts = np.zeros(sum(sizes.values()), np.float32), np.zeros(learning.REPORTED), np.zeros(n, layout.FACTS)
    setup, table, deal = engine.setup.copy(), np.zeros(1, layout.TABLE), np.zeros(1, layout.DEAL)
    learning.learn(engine.rules, engine.policies, engine.weights, setup, table, deal, facts, 0b111, 1.0, 0.0, 1.0, critic, slopes, critic.copy(), report)
    assert setup == engine.setup
    return dict(zip(sizes, np.split(slopes, np.cumsum(list(sizes.values()))[:-1]), strict=True)), report, facts


@statistical
@pytest.mark.parametrize(("net", "calls", "explore"), [("contract", "juego-diamonds pass pass", 0.0), ("pass", "", 1.0)])
def test_slopes_of_calls_are_the_differences_of_their_log_loss(net, calls, explore):
    """Whether the only trump or an explored pass is noted does not depend on the network, so its loss is smooth."""
    from kernels import learning

    book = load("spanish-solo")
    engine = untrained(book, explore)
    engine.setup = setup_of(book, calls=calls)
    numbers = engine.weights.view(np.float32)
    at = int(engine.policies[f"net_{net}"][0])
    slopes = learned_from(engine, 100)[0][net]
    for place in np.argsort(-abs(slopes))[::150]:          # the slopes point down the loss
        number, losses = numbers[at + place], []
        for step in (-0.002, 0.002):
            numbers[at + place] = number + np.float32(step)
            losses.append(learned_from(engine, 100)[1][learning.BID_LOSS])
        numbers[at + place] = number
        assert (losses[0] - losses[1]) / 0.004 == pytest.approx(slopes[place], rel=0.06, abs=0.05)      # units turn leaky within a step


@statistical
def test_every_network_learns_in_its_place():
    slopes, _, facts = learned_from(untrained(load("spanish-solo"), explore=1.0), 600)
    assert {"soloist", "defender", "alone", "contract", "pass"} == set(slopes)
    assert all(abs(own).max() > 0 for own in slopes.values())
    assert {Contract.JUEGO, Contract.BOLA, Contract.SIN_PEDIR_DIAMONDS, NONE} <= set(facts["contract"])


def test_a_decision_of_every_kind_is_noted_with_its_candidates():
    """A bola: three calls, trump and the card given are contracts with one candidate each; cards have two or more."""
    book = load("spanish-solo")
    engine = untrained(book, explore=0.0)
    table = np.zeros(1, layout.TABLE)
    setup = setup_of(book, calls="bola pass pass")
    from kernels import entry

    entry.play(engine.rules, engine.policies, engine.weights, setup, table, np.zeros(1, layout.DEAL), np.zeros(0, layout.WORLD), np.zeros((1, 1), layout.FACTS),
               np.zeros(1, layout.GAME))
    tape = table["tape"][0, :table["n_tape"][0]]
    assert tape[:2, 0].tolist() == [Tape.CONTRACT, Tape.CONTRACT]        # trump and the card given; the calls were scripted
    assert (tape[:2, 3] == 1).all()
    assert (tape[2:, 0] == Tape.PLAY).all()
    assert (tape[2:, 3] > 1).all()


# ---------------------------------------------------------------- sense

def first_call(hand, seat, pool=0, variant="base"):
    """Return (call, facts) of a seat that holds a hand when all before it pass; the last seat deals."""
    book = load("spanish-solo", variant)
    setup = setup_of(book, hands=[*[""] * seat, hand], calls=" ".join(["pass"] * seat))
    fact = deals(book, ["learned"], 1, setup=setup, pool=pool)[0]
    return fact["calls"][seat], fact


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize(("hand", "call"), [
    ("S7 SA SK SQ SJ S6 S5 S4 S3 H7 HA HK", Contract.SIN_PEDIR), ("D7 DA DK DQ DJ D6 D5 D4 D3 H7 HA HK", Contract.SIN_PEDIR_DIAMONDS),
    ("C7 CA CK CQ CJ C6 C5 C4 H7 HA S7 SA", Contract.SIN_PEDIR),
])
def test_twelve_sure_tricks_are_a_slam_without_a_call(hand, call, seat):
    found, fact = first_call(hand, seat)
    assert found == call
    assert fact["tricks"][seat] == 12


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_slam_that_lacks_one_card_asks_for_it_and_gives_a_worthless_one(seat):
    book = load("spanish-solo")
    hand = "SA SK SQ SJ S6 S5 S4 H7 HA C7 CA D3"
    found, fact = first_call(hand, seat)
    assert found == Contract.BOLA
    setup = setup_of(book, hands=[*[""] * seat, hand], calls="pass " * seat + "bola" + " pass" * 2)
    fact = deals(book, ["learned"], 1, setup=setup)[0]
    assert book.deck.card_text(fact["asked"]) == "S7"
    assert book.deck.card_text(fact["given"]) == "D3"
    assert fact["trump"] == 3


@pytest.mark.parametrize("pool", [0, 12])
@pytest.mark.parametrize("variant", ["base", "parlett"])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_aces_call_and_small_cards_pass(seat, variant, pool):
    call, fact = first_call("S7 SA SK S5 S4 H7 HA H3 C7 D5 D4 D3", seat, pool, variant)
    assert call == Contract.JUEGO
    assert fact["trump"] == 3 or fact["declarer"] != seat
    assert first_call("D7 DA DK DQ D4 H7 HA H3 C7 C5 C4 S3", seat, pool, variant)[0] == Contract.JUEGO_DIAMONDS
    assert first_call("S6 S5 S4 H6 H5 H4 C6 C5 C4 D5 D4 D3", seat, pool, variant)[0] == layout.PASS


@statistical
def test_a_soloist_last_to_play_takes_the_trick_that_makes_the_contract():
    book = load("spanish-solo")
    facts = deals(book, ["learned"], 20_000)
    points = np.array([int(points) for points in book.record()["card_points"][0]])
    taken = []
    for fact in facts[(facts["contract"] == Contract.JUEGO) | (facts["contract"] == Contract.JUEGO_DIAMONDS)][:6000]:
        soloist, trump = int(fact["declarer"]), int(fact["trump"])
        lacks = 36 if (soloist - fact["dealer"]) % 3 == 2 else 37
        hand, leader = int(fact["hands"][soloist]), int(fact["leader"])
        for trick in fact["play"][:36].reshape(12, 3):
            cards = [int(card) for card in trick]
            strength = [(card >> 4 == trump, card >> 4 == cards[0] >> 4, card) for card in cards]
            winner = (leader + strength.index(max(strength))) % 3
            if (leader + 2) % 3 == soloist:
                legal = [card for card in range(64) if hand >> card & 1]
                legal = [card for card in legal if card >> 4 == cards[0] >> 4] or legal
                enough = [card for card in legal if (card >> 4 == trump, card >> 4 == cards[0] >> 4, card) > max(strength[:2])
                          and points[[cards[0] & 15, cards[1] & 15, card & 15]].sum() + 1 >= lacks]
                if enough and lacks > 0:
                    taken.append(winner == soloist)
            hand &= ~(1 << cards[(soloist - leader) % 3])
            lacks -= int(points[np.array(cards) & 15].sum()) + 1 if winner == soloist else 0
            leader = winner
    assert len(taken) > 200
    assert all(taken)


@statistical
@pytest.mark.parametrize("variant", ["base", "parlett"])
def test_learned_beats_two_of_rules(variant):
    book, n = load("spanish-solo", variant), 4000
    gains = np.zeros(n)
    for place in range(3):                # every deal once per turn of the seats
        facts = deals(book, ["learned" if k == place else "rules" for k in range(3)], n)
        own = facts["scores"][np.arange(n), (facts["dealer"] + 1 + place) % 3]
        gains += (own - (facts["scores"][:, :3].sum(axis=1) - own) / 2) / 3
    assert gains.mean() > 5 * gains.std(ddof=1) / np.sqrt(n)
