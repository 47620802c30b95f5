"""Numbers show as many digits as their interval allows, and pages say in words what the JSON object says in keys."""

import pytest

from analyzer import tables
from analyzer.tables import Style, Table, measured

PLAIN, ASCII, COLOR = Style(), Style(ascii=True), Style(color=True)


@pytest.mark.parametrize(
    ("value", "radius", "text"),
    [
        (8.2134, 0.081, "+8.21 ± 0.08"),
        (8.2134, 0.12, "+8.21 ± 0.12"),
        (8.2134, 0.194, "+8.21 ± 0.19"),
        (8.2134, 0.197, "+8.2 ± 0.2"),
        (8.2134, 0.96, "+8.2 ± 1.0"),
        (-30.44, 1.5, "-30.4 ± 1.5"),
        (-30.44, 12, "-30 ± 12"),
        (1234.5, 345, "+1234 ± 345"),
        (0.004, 0.1, "0.00 ± 0.10"),
        (-0.004, 0.1, "0.00 ± 0.10"),
        (2.5, 0, "+2.5"),
        (2.0, 0, "+2"),
        (2.25, 0, "+2.25"),
    ],
)
def test_the_interval_decides_the_digits(value, radius, text):
    assert measured(value, value - radius, value + radius, PLAIN, signed=True) == text


def test_an_interval_with_two_sides_shows_the_longer_one():
    assert measured(0.0, 0.0, 0.003, PLAIN, scale=100) == "0.0 ± 0.3"
    assert measured(0.98, 0.95, 0.99, ASCII, scale=100) == "98 +- 3"


def test_what_is_not_known_is_not_made_up():
    assert measured(4.0, None, None, PLAIN) == "4.0 ± ?"
    assert measured(None, None, None, PLAIN) == "?"


def test_bars_are_as_high_as_the_chance():
    assert tables.bars([0.0, 0.1, 0.2, 0.4], 0.4, PLAIN) == " ▂▄█"
    assert tables.bars([0.0, 0.1, 0.2, 0.4], 0.4, ASCII).isascii()
    assert tables.bars([0.001, 0.4], 0.4, COLOR, aimed_at=1) == f" {tables.GREEN}█{tables.RESET}"


def test_text_is_aligned_whatever_its_colour():
    table = Table(["bid", "points"], [[COLOR.paint("4", tables.BOLD), "+8"], ["10", "-12"]], frozenset({1}))
    lines = tables.text([table], PLAIN).splitlines()
    assert [tables._ESCAPES.sub("", line) for line in lines] == ["bid  points", "───────────", "  4  +8", " 10  -12"]


def test_markdown_keeps_bars_of_its_own_for_columns():
    assert tables.markdown([Table(["a|b", "c"], [["1", "x"]], frozenset({1}))]) == "| a\\|b | c |\n| ---: | --- |\n| 1 | x |\n"


def result(action, ev, regret, radius=0.3, **more):
    return {
        "action": action, "ev": ev, "ev_low": ev - 0.4, "ev_high": ev + 0.4, "p_made": 0.412, "p_made_low": 0.404, "p_made_high": 0.42,
        "tricks": [0.1, 0.2, 0.4, 0.3], "regret": regret, "regret_low": regret - radius, "regret_high": regret + radius,
        "n": 20_000, "ess": 9_000.0, "exact": False, **more,
    }  # fmt: skip


def answer(*results, settled=True, **more):
    return {
        "game": "israeli-whist", "variant": "base", "policies": ["rules"] * 4, "seed": 1, "deals": 20_000, "level": 0.95,
        "situation": {"seat": 0, "hands": ["KQ4.A73.QJ85.T62", None, None, None], "contract": "5H", "trump": "H", "bids": [None, None, 5, 3]},
        "conditioned": False, "best": results[0]["action"], "settled": settled, "results": list(results), **more,
    }  # fmt: skip


FOUR, THREE = result(4, 6.3, 0.0, 0), result(3, 4.0, 2.3)


def test_the_headline_says_what_to_bid():
    assert tables.headline(answer(FOUR, THREE), PLAIN) == "Bid 4: +6.3 ± 0.4 points, made 41.2 ± 0.8 %; next best 3, 2.3 ± 0.3 behind"


def test_the_headline_names_what_may_be_as_good():
    close = result(3, 6.2, 0.1)
    assert tables.headline(answer(FOUR, close, settled=False), PLAIN).endswith("; 3 may be as good")


def test_the_headline_of_a_call_and_of_a_contract():
    call = result("5H", 6.3, 0.0)
    assert tables.headline(answer(call), PLAIN).startswith("Say 5H: ")
    contract = result("bola", 6.3, 0.0, trump="S", asks="HA")
    assert tables.headline(answer(contract, game="spanish-solo"), PLAIN).startswith("Choose bola in S asking HA: +6.3 ± 0.4 chips")


def test_the_page_of_bid_shows_question_answer_and_basis():
    page = tables.text(tables.bid_page(answer(FOUR, THREE), PLAIN), PLAIN)
    assert "♠KQ4 ♥A73 ♦QJ85 ♣T62 in seat 0; contract 5H; trump ♥; seat 2 bid 5, seat 3 bid 3" in page
    assert "n = 20,000 deals, 95 % intervals, players rules, seed 1." in page
    assert "▂▄█▆" in page
    assert tables.text(tables.bid_page(answer(FOUR, THREE), ASCII), ASCII).isascii()


def test_the_page_of_bid_says_when_calls_weigh_and_when_all_was_counted():
    assert "weighed by what the others said, worth 9,000" in tables.basis(answer(FOUR, conditioned=True))
    assert tables.basis(answer(result(4, 6.3, 0.0, exact=True))).startswith("Exact: ")


def test_a_pass_in_spanish_solo_is_not_made():
    silent = result("pass", -1.0, 0.0, p_made=None, p_made_low=None, p_made_high=None)
    page = tables.text(tables.bid_page(answer(silent, game="spanish-solo", situation={"seat": 0, "hands": ["7A43.K5.."]}), PLAIN), PLAIN)
    assert "made %" in page
    assert "Say pass: -1.0 ± 0.4 chips\n" in page


def test_nobody_bid_zero():
    page = tables.zero_page({**answer(FOUR), "results": [], "thrown_in": 0}, PLAIN)
    assert page[-1].startswith("Nobody bid zero.")


def test_pages_use_no_sign_that_is_not_declared():
    page = tables.text(tables.bid_page(answer(FOUR, THREE), PLAIN), PLAIN)
    assert {sign for sign in page if not sign.isascii()} <= set(tables.SIGNS + tables.BARS)
