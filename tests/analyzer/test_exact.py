"""Positions that are counted out: the same as brute force, card by card, and nothing that has to be drawn."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod, sqrt

import numpy as np
import pytest

from analyzer import exact, situation
from analyzer import rules as rule_books
from analyzer.simulation import Engine, Run
from kernels.compiled import JIT
from kernels.layout import NONE, WORLD
from tests import one_card

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is too slow for all deals")
PACK = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
SLIPS = 0.05
TURNUP = PACK[one_card.TURNUP]
LIVE = [card for card in range(52) if card != one_card.TURNUP]
NAMES = ("ev", "p_made", "regret")


@cache
def rules_of(game, variant="base", players=None):
    return rule_books.load(game, variant, players=players)


def ask(game, hand, variant="base", players=None, **said):
    return situation.from_question(rules_of(game, variant, players), hand, **said)


@cache
def engine_for(rules_name, policies):
    game, variant, players = rules_name
    return Engine(Run(rules_of(game, variant, players), policies))


def engine_of(asked, policies=("rules",)):
    """Return the one engine of these rules and policies, with this question."""
    rules = asked.rules
    engine = engine_for((rules.game, rules.variant, rules.players), policies)
    engine.setup = asked.setup.copy()
    return engine


def heard(engine, slips):
    """Return the setup under which the others' calls weigh their hands."""
    setup = engine.setup.copy()
    setup["slips"] = slips
    return setup


def count_out(asked, policies=("rules",), slips=SLIPS):
    engine = engine_of(asked, policies)
    return exact.rows(asked, engine, None if slips is None else heard(engine, slips))


def by_action(rows):
    return {row["action"]: row for row in rows}


def chance(asked):
    """Return the chance that the one card of the hand takes the trick, where the others' bids do not count."""
    return count_out(asked, slips=None)[0]["tricks"][1]


# ---------------------------------------------------------------- brute force, in plain Python

def all_deals(asked):
    """Yield the hands of every deal that agrees with what is known, as tuples of masks."""
    script, players = asked.setup[0], asked.rules.players
    held = [int(script["held"][seat]) for seat in range(players)]
    known = sum(held) | int(script["stock"]) | (0 if asked.turnup == NONE else 1 << asked.turnup)

    def dealt(seat, pack):
        if seat == players:
            yield ()
            return
        fit = [card for card in pack if not int(script["apart"][seat]) >> card & 1 and not int(script["voids"][seat]) >> card // 16 & 1]
        for taken in combinations(fit, asked.cards - held[seat].bit_count()):
            for rest in dealt(seat + 1, [card for card in pack if card not in taken]):
                yield (held[seat] | sum(1 << card for card in taken), *rest)

    return dealt(0, [card for card in asked.rules.deck.cards(asked.rules.deck.mask) if not known >> card & 1])


def world_of(hands):
    world = np.zeros(1, WORLD)
    world["hands"][0, :len(hands)] = hands
    return world


def chance_of_bids(asked, engine, slips):
    """Return how likely the bids before are: a bid that is not the policy's choice is half as likely with each trick from it."""
    spoken = [(asked.dealer + 1 + k) % asked.rules.players for k in range(int(asked.setup["n_bids"][0]))]

    @cache
    def one(seat, hand):
        number = spoken.index(seat)
        setup, hands = engine.setup.copy(), [0] * asked.rules.players
        setup["n_bids"], hands[seat] = number, hand
        choice = int(engine.play(0, 1, setup, worlds=world_of(hands))[0]["bids"][0, 0, seat])
        nearness = [Fraction(1, 2 ** abs(bid - choice)) for bid in range(asked.cards + 1)]
        said = asked.bids[seat]
        return Fraction(slips) * nearness[said] / sum(nearness) + (1 - Fraction(slips) if said == choice else 0)

    return lambda hands: prod(one(seat, hands[seat]) for seat in spoken)


def brute_force(asked, engine, slips=None, weigh=None):
    """Return by action (number of deals, mean score in units, chance to make it, chances of tricks), deal by deal."""
    weigh = weigh or (chance_of_bids(asked, engine, slips) if slips else lambda hands: 1)
    found = {}
    for action in asked.actions:
        script, seat = asked.answered(engine.setup, action), asked.seat
        n, weights, score, played, made, tricks = 0, 0, 0, 0, 0, [0] * (asked.cards + 1)
        for hands in all_deals(asked):
            fact = engine.play(0, 1, script, worlds=world_of(hands))[0][0, 0]
            assert fact["fault"] == 0
            weight, taken = weigh(hands), int(fact["tricks"][seat])
            n, weights, score = n + 1, weights + weight, score + weight * int(fact["scores"][seat])
            if fact["played"]:
                played += weight
                made += weight * int(fact["bids"][seat] == taken)
                tricks[taken] += weight
        shares = [float(share / played) if played else 0 for share in tricks]
        found[str(asked.action_text(action))] = (n, float(score / weights), float(made / played) if played else None, shares)
    return found


def assert_equal(rows, found):
    assert sorted(str(row["action"]) for row in rows) == sorted(found)
    for row in rows:
        n, score, made, tricks = found[str(row["action"])]
        assert row["n"] == row["ess"] == n
        assert row["ev"] == pytest.approx(score, abs=1e-9)
        assert row["p_made"] == (None if made is None else pytest.approx(made, abs=1e-9))
        assert row["tricks"] == pytest.approx(tricks, abs=1e-9)


# ---------------------------------------------------------------- one card a hand

def oh_hell_score(bid):
    return lambda total, wins: np.where(wins == bid, 10 + bid, 0) + np.where(wins == bid, 0, wins)


def israeli_score(bid):
    """Zero bids 50 under and 30 else, one 11, missed -10: the only scheme that looks at the sum of the bids."""
    return lambda total, wins: np.where(wins != bid, -10, 11 if bid else np.where(total < 1, 50, 30))


SCORES = {"base": oh_hell_score, "no-hook": oh_hell_score, "israeli": israeli_score, "no-hook+israeli": israeli_score}


@pytest.mark.parametrize(
    ("players", "variant", "policy", "step"),
    [
        (3, "base", "learned", 1),
        (3, "no-hook", "rules", 1),
        (3, "no-hook+israeli", "learned", 5),
        (4, "base", "rules", 5),
        (4, "no-hook+israeli", "learned", 10),
    ],
)
def test_one_card_deals_are_worth_what_all_deals_say(players, variant, policy, step):
    """Every card, seat and earlier bids for three players, with and without the hook; fewer cards for four."""
    bids = one_card.table_bids(policy, players, variant=variant)
    for seat in range(players):
        for before in range(2**seat):
            said = " ".join(str(before >> k & 1) for k in range(seat))
            for card in LIVE[(seat + before) % step::step]:
                rows = count_out(ask("oh-hell", PACK[card], variant, players, turnup=TURNUP, bids=said), (policy,))
                is_hooked = seat == players - 1 and not variant.startswith("no-hook")
                assert sorted(by_action(rows)) == [bid for bid in (0, 1) if not is_hooked or bid + before.bit_count() != 1]
                for bid, row in by_action(rows).items():
                    value, win = one_card.worth(bids, seat, card, before, bid, SLIPS, SCORES[variant](bid))
                    assert row["ev"] == pytest.approx(value, abs=1e-9), (seat, before, PACK[card], bid)
                    assert row["tricks"] == pytest.approx([1 - win, win], abs=1e-9)
                    assert row["p_made"] == pytest.approx(win if bid else 1 - win, abs=1e-9)
                assert rows[0]["ev"] == max(row["ev"] for row in rows)


def test_five_players_are_counted_as_deal_by_deal():
    """276 million deals in which every seat bids exactly as its policy does."""
    players, seat = 5, 3
    bids = one_card.table_bids("rules", players)
    wins, deals = (np.zeros(bids.shape, np.int64) for _ in range(2))
    one_card.count(bids, players, seat + 1, wins, deals)
    for before in range(2**seat):
        said = " ".join(str(before >> k & 1) for k in range(seat))
        for card in LIVE[before::8]:
            if deals[seat, card, before]:
                rows = by_action(count_out(ask("oh-hell", PACK[card], players=players, turnup=TURNUP, bids=said), slips=1e-12))
                assert rows[1]["p_made"] == pytest.approx(wins[seat, card, before] / deals[seat, card, before], abs=1e-7)


@pytest.mark.parametrize(("players", "seat", "said"), [(6, 0, ""), (6, 2, "1 0"), (6, 5, "0 1 0 0 1"), (7, 3, "1 0 0"), (7, 6, "0 0 1 1 0 0")])
def test_six_and_seven_players_agree_with_deals_at_random(players, seat, said):
    """Within 5 standard errors, the deals weighed by the bids; a scheme that looks at the sum of all bids."""
    n = 20_000
    asked = ask("oh-hell", "TH", "israeli", players, turnup=TURNUP, bids=said)
    engine = engine_of(asked)
    setup = heard(engine, SLIPS)
    others = [other for other in range(players) if other != seat]
    deck = np.array([card // 13 * 16 + card % 13 for card in LIVE if PACK[card] != "HT"])
    dealt = deck[np.argsort(np.random.default_rng(1).random((n, len(deck))))[:, :len(others)]]
    worlds = np.zeros(n, WORLD)
    worlds["hands"][:, seat] = asked.hand
    worlds["hands"][:, others] = 1 << dealt
    weights = engine.weigh(worlds, setup)[:, others].prod(axis=1)
    rows = by_action(exact.rows(asked, engine, setup))
    for action in asked.actions:
        facts = engine.play(0, n, asked.answered(engine.setup, action), worlds=worlds)[0][:, 0]
        for name, values in (("ev", facts["scores"][:, seat]), ("p_made", facts["tricks"][:, seat] == action.said)):
            mean = (weights * values).sum() / weights.sum()
            error = sqrt((weights**2 * (values - mean) ** 2).sum()) / weights.sum()
            assert rows[action.said][name] == pytest.approx(mean, abs=5 * error)


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_the_leader_wins_as_the_closed_form_says(players):
    """C(38-h, P-1) / C(50, P-1) with a plain card, C(50-h, P-1) / C(50, P-1) with a trump; h: live cards that beat it in its suit."""
    for card in LIVE[:13] + LIVE[25:39]:
        is_trump = card // 13 == one_card.TRUMP
        higher = sum(other // 13 == card // 13 and other > card for other in LIVE)
        expected = comb((50 if is_trump else 38) - higher, players - 1) / comb(50, players - 1)
        assert chance(ask("oh-hell", PACK[card], players=players, turnup=TURNUP)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_somebody_wins(players):
    """Over all cards the chances of the leader and of the others, who are alike, add up to one."""
    def mean(seat):
        return np.mean([chance(ask("oh-hell", PACK[card], "no-hook", players, turnup=TURNUP, bids="0 " * seat)) for card in LIVE])

    assert mean(0) + (players - 1) * mean(players - 1) == pytest.approx(1, abs=1e-12)


def test_known_chances():
    """Sources: enumerations published beside card games, each counted again."""
    nine = count_out(ask("oh-hell", "9C", players=3, turnup="KH"))
    assert by_action(nine)[1]["p_made"] == pytest.approx(0.43102, abs=5e-6)
    for hand, turnup, expected in (("2C", "7H", 0.13265), ("AC", "7H", 0.43041), ("2H", "7H", 0.46628), ("KH", "7H", 0.94), ("KH", "AH", 1), ("AH", "7H", 1)):
        rows = count_out(ask("oh-hell", hand, turnup=turnup))
        assert by_action(rows)[1]["p_made"] == pytest.approx(expected, abs=5e-6)
        assert rows[0]["action"] == (1 if expected > 0.5 else 0)


@pytest.mark.parametrize(
    ("players", "turnup", "below", "card", "expected"),
    [
        (3, "3H", "JC", "QC", 0.514286),
        (4, "AH", "2H", "3H", 0.504082),
        (4, "3H", "2H", "4H", 0.504082),
        (5, "AH", "5H", "6H", 0.535866),
        (5, "2H", "6H", "7H", 0.535866),
    ],
)
def test_the_lowest_card_with_which_the_leader_bids_one(players, turnup, below, card, expected):
    asked = ask("oh-hell", card, players=players, turnup=turnup)
    assert chance(asked) == pytest.approx(expected, abs=5e-7)
    assert count_out(asked)[0]["action"] == 1
    assert count_out(ask("oh-hell", below, players=players, turnup=turnup))[0]["action"] == 0


def test_without_trump_the_leader_wins_with_the_highest_of_his_suit():
    assert chance(ask("oh-hell", "AC", "no-trump")) == 1
    assert chance(ask("oh-hell", "KC", "no-trump")) == pytest.approx(comb(50, 3) / comb(51, 3))
    assert chance(ask("oh-hell", "2C", "no-trump", bids="1")) == 0


@pytest.mark.parametrize(("variant", "seat"), list(product(("simultaneous+israeli", "secret+israeli"), range(3))))
def test_one_card_bids_that_nobody_hears(variant, seat):
    asked = ask("oh-hell", "9H", variant, 3, turnup=TURNUP, seat=seat)
    assert_equal(count_out(asked), brute_force(asked, engine_of(asked)))


def test_seen_cards_change_a_one_card_deal():
    """The ace is out, and the king lies with the seat behind: the queen of trumps never wins."""
    asked = ask("oh-hell", "QH", "israeli", 4, turnup=TURNUP, bids="0", seen="HA HK@2")
    rows = count_out(asked)
    assert rows[0]["n"] == 48 * 47
    assert by_action(rows)[1]["p_made"] == 0
    assert_equal(rows, brute_force(asked, engine_of(asked), SLIPS))


def test_the_hook_costs_the_dealer_an_answer_and_nothing_else():
    costs = []
    for card in LIVE:
        said = {"turnup": TURNUP, "bids": "0 0 0"}
        free, hooked = (count_out(ask("oh-hell", PACK[card], variant, 4, **said), slips=None) for variant in ("no-hook", "base"))
        assert hooked[0]["ev"] == by_action(free)[0]["ev"]
        costs.append(free[0]["ev"] - hooked[0]["ev"])
    assert min(costs) == 0
    assert max(costs) == 10          # a sure trick: 11 points with a bid of 1, one point with 0


def test_all_bids_together_are_what_no_bids_tell():
    """Where a seat bids 0 or 1 and both count, weighed by how often each is said, its bid tells nothing."""
    asked = [ask("oh-hell", "9H", players=4, turnup=TURNUP, bids=bid) for bid in ("0", "1")]
    engine = engine_of(asked[0])
    worlds = exact.completions(asked[0])
    said = [engine.weigh(worlds, heard(engine_of(question), SLIPS))[:, 0].mean() for question in asked]
    assert sum(said) == pytest.approx(1)
    wins = [by_action(count_out(question))[1]["p_made"] for question in asked]
    assert np.dot(said, wins) == pytest.approx(chance(asked[0]))


# ---------------------------------------------------------------- all completions

def seen_but(hand, turnup, left):
    """Return every card of the pack but these, as cards that lie in nobody's hand."""
    gone = {card[::-1] if card[0] not in "CDHS" else card for card in f"{hand} {turnup} {left}".split()}
    return " ".join(card for card in PACK if card not in gone)


TWO = [("HA D4", "H2", "HK H7 DA D9 D2 CQ C5"), ("D9 D4", "H2", "HK H7 H5 D2 CQ CJ SA S3"), ("HK C3", "HA", "H2 HQ CA C2 SK D6 D5")]


@pytest.mark.parametrize(("deal", "bids"), list(product(TWO, ("", "1", "0 2"))))
@pytest.mark.parametrize(("variant", "policy"), [("base", "learned"), ("no-hook+israeli", "rules")])
def test_two_card_deals_of_three_players(deal, bids, variant, policy):
    """All completions with the same players, each deal weighed by the bids before; the stock differs from deal to deal."""
    hand, turnup, left = deal
    asked = ask("oh-hell", hand, variant, 3, turnup=turnup, bids=bids, seen=seen_but(hand, turnup, left))
    n = comb(len(left.split()), 2) * comb(len(left.split()) - 2, 2)
    rows = count_out(asked, (policy,))
    assert rows[0]["n"] == n
    assert_equal(rows, brute_force(asked, engine_of(asked, (policy,)), Fraction(1, 20)))


def whist_hands():
    pack = list(np.random.default_rng(5).permutation(PACK))
    return [pack[13 * k:13 * (k + 1)] for k in range(4)]


def known_but(hands, me, open_cards):
    """Return what is seen where of each other hand all cards but the first few are known."""
    return " ".join(f"{card}@{seat}" for seat, hand in enumerate(hands) if seat != me for card in hand[open_cards:])


@pytest.mark.parametrize(
    ("me", "said"),
    [
        (1, {"contract": "6S"}),
        (2, {"contract": "7D", "bids": "4"}),
        (3, {"calls": "pass 5H pass"}),
        (3, {"calls": "pass pass pass"}),
    ],
)
def test_israeli_whist_weighs_all_deals_by_the_calls(me, said):
    hands = whist_hands()
    asked = ask("israeli-whist", " ".join(hands[me]), seen=known_but(hands, me, 2), dealer=3, **said)
    asked = replace(asked, actions=asked.actions[:4])
    engine = engine_of(asked, ("learned",))
    setup = heard(engine, SLIPS)

    def weigh(hands):
        chances = engine.weigh(world_of(hands), setup)[0]
        return prod(chances[seat] for seat in range(4) if seat != me)

    rows = exact.rows(asked, engine, setup)
    assert rows[0]["n"] == 90
    assert_equal(rows, brute_force(asked, engine, weigh=weigh))


def test_deals_that_are_thrown_in_score_nothing():
    hands = whist_hands()
    asked = ask("israeli-whist", " ".join(hands[3]), seen=known_but(hands, 3, 1), dealer=3, calls="pass pass pass")
    row = by_action(count_out(asked))["pass"]
    assert (row["ev"], row["p_made"], row["tricks"]) == (0, None, [0] * 14)


def test_SS_contracts_name_trump_and_the_card_asked_for():
    """The soloist of a bola gets the ace that he misses; what he names is what each row says."""
    hands = [list(hand) for hand in ("S7 SA SK SQ SJ S6 S5 S4 S3 H7 HA HQ".split(), "HK D7 CA C3 C4 CQ CJ D3 D4 DK H3 H4".split(), [])]
    hands[2] = [suit + rank for suit in "CDHS" for rank in "3456JQKA7" if suit + rank not in hands[0] + hands[1]]
    asked = ask("spanish-solo", " ".join(hands[0]), dealer=2, seen=known_but(hands, 0, 2))
    rows = count_out(asked, ("learned",))
    assert rows[0]["n"] == 6
    assert rows[0]["action"] in ("bola", "sin-pedir")
    bola = next(row for row in rows if row["action"] == "bola" and row["trump"] == "S")
    assert (bola["asks"], bola["p_made"]) == ("HK", 1)
    passed = next(row for row in rows if row["action"] == "pass")
    assert (passed["trump"], passed["asks"]) == (None, None)


# ---------------------------------------------------------------- which deals agree with what is known

def with_setup(asked, **known):
    """Return the situation with other things known of the hands, by seat."""
    setup = asked.setup.copy()
    for name, by_seat in known.items():
        for seat, value in by_seat.items():
            setup[name][0, seat] |= value
    return replace(asked, setup=setup)


def known_cases():
    hand, turnup, left = TWO[1]
    small = ask("oh-hell", hand, players=3, turnup=turnup, seen=seen_but(hand, turnup, left))
    yield small
    yield ask("oh-hell", "9C", players=3, turnup="KH")
    yield ask("oh-hell", hand, players=3, turnup=turnup, seen=seen_but(hand, turnup, left) + " CJ@2")
    yield with_setup(small, voids={1: 0b0010, 2: 0b1001})
    yield with_setup(small, apart={1: small.rules.deck.hand("HK CQ"), 2: small.rules.deck.hand("HK SA S3 D2")})
    yield with_setup(small, apart={1: small.rules.deck.hand("HK H7 H5 D2 CQ CJ SA")})       # no card is left to be its second
    hands = whist_hands()
    whist = {"hand": " ".join(hands[0]), "seen": known_but(hands, 0, 2)}
    yield ask("israeli-whist", **whist)
    # two gulashes to the right: three cards lie with seat 3 or went on to seat 2, three more with seat 3
    whist["seen"] = " ".join([*(f"{card}@1" for card in hands[1][3:]), *(f"{card}@2" for card in hands[2][2:]), *(f"{card}@3" for card in hands[3][6:])])
    yield ask("israeli-whist", variant="gulash", calls="pass " * 8, gave=" ".join(hands[3][:6]), got=" ".join(hands[0][:6]), **whist)


@pytest.mark.parametrize("asked", list(known_cases()))
def test_completions_are_the_deals_that_agree_with_what_is_known(asked):
    """Each once; hands are full, seen cards and voids are heeded, the stock is what is left and differs where there is any choice."""
    worlds = exact.completions(asked)
    found = sorted(tuple(map(int, hands[:asked.rules.players])) for hands in worlds["hands"])
    assert found == sorted(all_deals(asked))
    assert len(found) == exact.n_completions(asked)
    script, stocks = asked.setup[0], set()
    for hands in found:
        assert sum(hand.bit_count() for hand in hands) == asked.rules.players * asked.cards == sum(hands).bit_count()
        assert hands[asked.seat] == asked.hand
        for seat, hand in enumerate(hands):
            assert int(script["held"][seat]) & ~hand == int(script["apart"][seat]) & hand == int(script["stock"]) & hand == 0
        stocks.add(asked.rules.deck.mask & ~sum(hands))
    assert len(stocks) > 1 or len(found) < 2 or asked.cards * asked.rules.players == asked.rules.deck.mask.bit_count()


def test_where_no_deal_agrees_nothing_is_counted_out():
    deck = rules_of("oh-hell").deck
    asked = with_setup(ask("oh-hell", "9C", players=3, turnup="KH"), apart={1: deck.mask})
    assert exact.n_completions(asked) == 0
    assert count_out(asked) is None


def test_numbers_of_completions():
    assert exact.n_completions(ask("oh-hell", "9C", players=7, turnup="KH")) == prod(range(45, 51))
    assert exact.n_completions(ask("israeli-whist", " ".join(whist_hands()[0]))) == comb(39, 13) * comb(26, 13)
    assert exact.n_completions(ask("spanish-solo", "7AK4.73.A53.QJ6", dealer=0)) == comb(24, 12)


# ---------------------------------------------------------------- when, and what comes out

def test_rows_are_exact_and_the_best_comes_first():
    hand, turnup, left = TWO[0]
    for variant in ("base", "squared-negative"):
        rows = count_out(ask("oh-hell", hand, variant, 3, turnup=turnup, bids="1", seen=seen_but(hand, turnup, left)))
        sign = -1 if variant == "squared-negative" else 1
        assert [row["ev"] for row in rows] == sorted((row["ev"] for row in rows), key=lambda value: -sign * value)
        for row in rows:
            assert row["exact"] is True
            assert row["regret"] == pytest.approx(sign * (rows[0]["ev"] - row["ev"]))
            assert all(row[name] == row[f"{name}_low"] == row[f"{name}_high"] for name in NAMES)


def test_equal_calls_stand_in_their_order():
    """With one card of each other seat unknown, many calls of Israeli Whist end alike."""
    hands = whist_hands()
    asked = ask("israeli-whist", " ".join(hands[0]), seen=known_but(hands, 0, 1))
    order = [asked.action_text(action) for action in asked.actions]
    places = [(-row["ev"], order.index(row["action"])) for row in count_out(asked)]
    assert places == sorted(places)
    assert len({value for value, _ in places}) < len(places)


def test_points_come_in_units():
    """Ten units of half a point for a bid of one that is made."""
    rules = rule_books.load("oh-hell", settings=["score.system=formula", "score.made=5*b", "score.short=0", "score.beyond=0", "score.unit=0.5"])
    asked = situation.from_question(rules, "AH", turnup=TURNUP)
    rows = exact.rows(asked, Engine(Run(rules, ["rules"], dealer=asked.dealer, setup=asked.setup)), None)
    assert [row["ev"] for row in rows] == [5, 0]


def test_players_who_draw_lots_are_not_counted_out():
    asked = ask("oh-hell", "9C", players=3, turnup="KH")
    assert count_out(asked, ("random",)) is None
    for name in ("explore", "slips", "draw"):
        engine = Engine(Run(asked.rules, ["rules"], dealer=asked.dealer, setup=asked.setup))
        engine.policies[name][1] = 0.1
        assert exact.rows(asked, engine, None) is None


def test_too_many_deals_are_not_counted_out():
    assert count_out(ask("oh-hell", "AH 9C 2C", turnup=TURNUP)) is None
    assert count_out(ask("israeli-whist", " ".join(whist_hands()[0]))) is None


def test_more_deals_than_are_counted_out(monkeypatch):
    hand, turnup, left = TWO[0]
    asked = ask("oh-hell", hand, players=3, turnup=turnup, seen=seen_but(hand, turnup, left))
    monkeypatch.setattr(exact, "MOST_TRICKS", 210 * 2 * 3)
    assert count_out(asked)[0]["n"] == 210
    monkeypatch.setattr(exact, "MOST_TRICKS", 210 * 2 * 3 - 1)
    assert count_out(asked) is None
