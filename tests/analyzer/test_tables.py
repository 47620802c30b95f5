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
    assert tables.bars([0.001, 0.4], 0.4, COLOR, aimed_at=1) == f" {tables.GREEN}█{tables.NO_COLOR}"


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


def answer(*results, settled=True, decision="bid", deals=20_000, **more):
    return {
        "game": "israeli-whist", "variant": "base", "policies": ["rules"] * 4, "seed": 1, "deals": deals, "level": 0.95,
        "situation": {
            "seat": 0, "decision": decision, "hands": ["KQ4.A73.QJ85.T62", None, None, None], "contract": "5H", "declarer": 2, "trump": "H",
            "bids": [None, None, 5, 3],
        },
        "conditioned": True, "best": results[0]["action"], "settled": settled, "deals_to_settle": None, "results": list(results), **more,
    }  # fmt: skip


def asked(decision, **known):
    return {"seat": 0, "decision": decision, "hands": ["7A43.K5..", None, None], **known}


def page_of(document, style=PLAIN):
    return tables.text(tables.bid_page(document, style), style)


FOUR, THREE = result(4, 6.3, 0.0, 0), result(3, 4.0, 2.3)


def test_the_headline_says_what_to_bid():
    assert tables.headline(answer(FOUR, THREE), PLAIN) == "Bid 4: +6.3 ± 0.4 points, made 41.2 ± 0.8 %. Next best is 3, 2.3 ± 0.3 behind."


@pytest.mark.parametrize(
    ("deals", "told"),
    [(32_000, "about 32,000 deals may tell."), (None, "more deals may tell."), (2_000_001, "they are too close for 100 times the deals.")],
)
def test_the_headline_names_what_may_be_as_good_and_how_many_deals_may_tell(deals, told):
    close = result(3, 6.2, 0.1), {**result(2, 6.0, 0.3), "regret_low": None, "regret_high": None}, result(1, 0.0, 6.3)
    said = tables.headline(answer(FOUR, *close, settled=False, deals_to_settle=deals), PLAIN)
    assert said.endswith(f" Not settled: 3 or 2 may be as good; {told}")


def test_the_headline_names_three_and_counts_the_rest():
    close = [result(bid, 6.2, 0.1) for bid in range(5)]
    assert "Not settled: 0, 1, 2 or one of 2 more may be as good" in tables.headline(answer(FOUR, *close, settled=False), PLAIN)


def test_the_headline_of_answers_that_are_equal_or_alone():
    assert tables.headline(answer(FOUR, result(3, 6.3, 0.0, 0)), PLAIN).endswith(" 3 is exactly as good.")
    assert tables.headline(answer(FOUR), PLAIN).endswith(" Nothing else is allowed.")


@pytest.mark.parametrize(
    ("decision", "row", "said"),
    [
        ("call", {"action": "5H"}, "Call 5♥: "),
        ("call", {"action": "pass"}, "Pass: "),
        ("call", {"action": "juego", "trump": "S", "asks": None}, "Call juego in ♠: "),
        ("call", {"action": "bola", "trump": "S", "asks": "HA"}, "Call bola in ♠ asking ♥A: "),
        ("call", {"action": "juego-diamonds", "trump": "D", "asks": None}, "Call juego-diamonds: "),
        ("trump", {"action": "S"}, "Name ♠: "),
        ("ask", {"action": "C7"}, "Ask for ♣7: "),
        ("give", {"action": "CJ"}, "Give ♣J: "),
        ("gulash", {"action": ["C4", "D7", "S4"]}, "Hand on ♠4 ♦7 ♣4: "),
    ],
)
def test_every_decision_reads_as_a_player_says_it(decision, row, said):
    game = "israeli-whist" if decision == "gulash" or row["action"] in ("5H", "pass") else "spanish-solo"
    document = answer({**FOUR, **row}, game=game, situation=asked(decision))
    assert tables.headline(document, PLAIN).startswith(said)
    assert page_of(document, ASCII).isascii()


def test_the_headline_names_the_best_to_win_the_game_and_the_best_for_points():
    game = {"p_win": 0.05, "p_win_low": 0.038, "p_win_high": 0.062}
    rows = {**FOUR, **game, "p_win": 0.04}, {**THREE, **game}
    said = tables.headline(answer(*rows, best_to_win=3, settled_to_win=True), PLAIN)
    assert said.startswith("To win the game bid 3 (5.0 ± 1.2 %), but 4 for points. Bid 4: ")
    said = tables.headline(answer(*rows, best_to_win=4, settled_to_win=False), PLAIN)
    assert said.startswith("To win the game bid 4 (4 ± 2 %, not settled), as for points. Bid 4: ")
    assert "  win %  " in page_of(answer(*rows, best_to_win=3, settled_to_win=True))


def test_the_page_of_bid_shows_question_answer_and_basis():
    page = page_of(answer(FOUR, THREE))
    assert "♠KQ4 ♥A73 ♦QJ85 ♣T62 in seat 0; contract 5♥ by seat 2; trump ♥; seat 2 bid 5, seat 3 bid 3" in page
    assert "n = 20,000 deals, 95 % intervals, players rules, seed 1." in page
    assert "▂▄█▆" in page
    assert "The rules forbid 0, 1, 2 here." in page
    assert page_of(answer(FOUR, THREE), ASCII).isascii()


def test_the_hand_on_the_page_is_the_one_held_now():
    moves = [{"from": 0, "to": 3, "cards": ["C2", "C6", "CT"]}, {"from": 1, "to": 0, "cards": ["SA", "S2", "H2"]}, {"from": 2, "to": 1, "cards": None}]
    situation = {**answer(FOUR)["situation"], "contract": None, "trump": None, "bids": [], "gulash": [moves], "auction": [[0, "pass"], [1, "6NT"]]}
    said = tables.question(answer(FOUR, situation=situation), PLAIN)
    assert "♠AKQ42 ♥A732 ♦QJ85 in seat 0; gave ♣T62; got ♠A2 ♥2; seat 0 pass, seat 1 6NT" in said


def test_the_question_names_cards_that_were_seen_asked_for_and_turned_up():
    known = {"soloist": 0, "contract": "bola", "trump": "S", "exchange": {"asked": "DK", "from": 2, "given": None}, "seen": [["C7", None], ["D6", 2]]}
    said = tables.question(answer(FOUR, game="spanish-solo", situation=asked("give", **known)), PLAIN)
    assert "contract bola by seat 0; trump ♠; ♦K asked for and held by seat 2; seen ♣7, ♦6 in seat 2" in said
    turned = tables.question(answer(FOUR, game="oh-hell", situation={**asked("bid", trump="H", turnup="H7")}), PLAIN)
    assert turned.endswith("trump ♥, shown by ♥7")


@pytest.mark.parametrize(
    ("row", "bar"),
    [
        ((0, 0, 0), "●"),
        ((46, 46, 46), "                       ●"),
        ((20, 10, 30), "     ─────●─────"),
        ((-1, -5, 3), "◂"),
        ((50, 40, 60), "                       ▸"),
        ((20, None, None), "          ●"),
    ],
)
def test_an_interval_lies_on_the_scale(row, bar):
    row = dict(zip(("ev", "ev_low", "ev_high"), row, strict=True))
    drawn = tables.interval_bar(row, tables.Scale(0, 46), PLAIN)
    assert drawn == bar.ljust(tables.SCALE_WIDTH)
    assert tables.interval_bar(row, tables.Scale(0, 46), ASCII) == drawn.translate(str.maketrans("─●◂▸", "-o<>"))


def test_the_scale_has_room_for_the_best_and_says_from_where_to_where():
    rows = [FOUR, THREE, *(result(bid, -10.0 * bid, 10.0 * bid) for bid in range(1, 9))]
    assert tables.scale_of(rows) == tables.Scale(-30.4, 6.7)
    table = tables.bids_table(answer(*rows), PLAIN)
    assert table.headings[2] == "-30                   +7"
    assert [row[2].strip() for row in table.rows][-1] == "◂"


def test_one_exact_value_is_a_scale_too():
    only = result(1, 2.0, 0.0, 0) | {"ev_low": 2.0, "ev_high": 2.0}
    assert "+2.0                +2.0" in page_of(answer(only))


def test_long_answers_show_the_best_and_the_best_to_win():
    rows = [{**result(f"{level}S", -level, level), "p_win": level / 100, "p_win_low": 0, "p_win_high": 1} for level in range(1, 31)]
    document = answer(*rows, decision="call", best_to_win="30S", settled_to_win=False)
    assert len(tables.best_rows(document)) == tables.MOST_ROWS + 1
    assert "11 others below these are left out" in page_of(document)


def test_the_page_of_bid_says_what_calls_do_to_the_deals():
    assert "The others' calls weigh their hands; 20,000 deals are worth 9,000 independent ones." in page_of(answer(FOUR))
    assert "worth 150 independent ones, which is few" in page_of(answer({**FOUR, "ess": 150.0}))
    assert "The others' calls do not weigh their hands." in page_of(answer(FOUR, conditioned=False))
    silent = {**answer(FOUR)["situation"], "bids": [None, None, None, None]}
    assert "weigh" not in page_of(answer(FOUR, conditioned=False, situation=silent))


def test_the_page_of_bid_says_when_all_was_counted():
    exact = {**FOUR, "exact": True, "n": 2450, "ev_low": 6.3, "ev_high": 6.3, "p_made": 0.4125, "p_made_low": 0.4125, "p_made_high": 0.4125}
    page = page_of(answer(exact, deals=2450))
    assert "Exact, all 2,450 deals counted; players rules." in page
    assert "Bid 4: +6.3 points, made 41.25 %." in page
    assert "±" not in page


INSTANT = {"action": 3, "policy": "learned", "bids": [{"action": 3, "ev": 13.26, "p_made": 0.809, "tricks": [0.1, 0.9]}]}


def test_what_the_network_says_at_once_stands_beside_the_deals():
    assert "\nAt a glance, without playing a deal: 3, +13.3 points, made 80.9 %.\n" in page_of(answer(FOUR, instant=INSTANT))
    silent = {"action": "S", "policy": "rules", "bids": []}
    page = page_of(answer({**FOUR, "action": "S"}, game="spanish-solo", situation=asked("trump"), instant=silent))
    assert "\nAt a glance, without playing a deal: ♠.\n" in page


def test_the_word_of_a_network_has_no_intervals():
    row = dict.fromkeys(result(4, 6.3, 0.0)) | INSTANT["bids"][0] | {"regret": 0.0, "n": 0, "ess": 0.0, "exact": False}
    page = page_of(answer(row, settled=False, deals=0, conditioned=False, instant=INSTANT))
    assert "Bid 3: +13.3 points, made 80.9 %. This is the network's word." in page
    assert "no deal was played" in page
    assert "±" not in page
    assert "weigh" not in page


def test_a_policy_without_a_network_just_says_what_it_does():
    row = dict.fromkeys(FOUR) | {"action": "5H", "tricks": [], "n": 0}
    page = page_of(answer(row, decision="call", settled=False, deals=0, instant={"action": "5H", "policy": "rules", "bids": []}))
    assert page.splitlines()[2:] == ["Call 5♥.", "", "What rules does at once; no deal was played."]


def test_the_page_says_whether_the_advice_survives_at_other_tables():
    row = {**FOUR, "policy": "rules", "best": 4, "best_trump": None, "settled": True, "survives": True}
    worse = {**result(4, 3.0, 1.3), "policy": "beginner", "best": 3, "best_trump": None, "settled": True, "survives": False}
    open_, best = {**worse, "policy": "rules-1", "survives": None}, {**row, "policy": "random", "survives": None}
    page = page_of(answer(FOUR, THREE, against=[row, worse, open_, best]))
    assert "Against rules: 4 survives." in page
    assert "Against beginner: 4 does not survive: 3 is 1.3 ± 0.3 better." in page
    assert "Against rules-1: not settled whether 4 survives: 3 may be better." in page
    assert "Against random: 4 is best too, but not settled." in page
    assert "beginner    +3.0 ± 0.4  41.2 ± 0.8  1.3 ± 0.3  3" in page


def test_many_situations_have_a_line_each():
    call = answer({**FOUR, "action": "5H"}, {**THREE, "action": "pass"}, settled=False, decision="call", number=4, situation={
        "seat": 1, "decision": "call", "hands": [None, "KQ4.A73.QJ85.T62", None, None], "auction": [[0, "pass"]], "bids": [None] * 4,
    })  # fmt: skip
    page = tables.situations_page([answer(FOUR, THREE, number=1), call], PLAIN)
    title, table, basis = page
    assert title == "israeli-whist, 2 situations"
    first, second = table.rows
    assert list(first) == ["1", "♠KQ4 ♥A73 ♦QJ85 ♣T62", "5♥; bids - - 5 3", "bid 4", "+6.3 ± 0.4", "41.2 ± 0.8", "3", "2.3 ± 0.3", "yes"]
    assert list(second)[:4] == ["4", "♠KQ4 ♥A73 ♦QJ85 ♣T62", "pass", "call 5♥"]
    assert basis == "n = 20,000 deals each, 95 % intervals, players rules, seed 1."
    assert tables.text(tables.situations_page([call], ASCII), ASCII).isascii()
    assert tables.situations_page([], PLAIN) == ["No situation was answered."]


def test_doubt_is_named_shortly():
    close = result(3, 6.2, 0.1)
    [_, table, _] = tables.situations_page([answer(FOUR, close, settled=False, number=1)], PLAIN)
    assert table.rows[0][-1] == "4 or 3?"


def test_suits_have_their_colours_on_a_terminal_only():
    page = page_of(answer(FOUR), COLOR)
    assert f"{tables.SUIT_COLORS['♥']}♥{tables.NO_COLOR}A73" in page
    assert tables._ESCAPES.sub("", page) == page_of(answer(FOUR))


def test_bold_text_stays_bold_behind_a_suit():
    page = page_of(answer({**FOUR, "action": "5H"}, decision="call"), COLOR)
    start = page.index(f"{tables.BOLD}Call 5")
    assert page.index("points", start) < page.index(tables.NOT_BOLD, start)


def test_a_pass_in_spanish_solo_is_not_made():
    silent = result("pass", -1.0, 0.0, p_made=None, p_made_low=None, p_made_high=None)
    page = page_of(answer(silent, game="spanish-solo", situation=asked("call")))
    assert "made %" in page
    assert "Pass: -1.0 ± 0.4 chips. Nothing" in page


def test_nobody_bid_zero():
    page = tables.zero_page({**answer(FOUR), "results": [], "thrown_in": 0}, PLAIN)
    assert page[-1].startswith("Nobody bid zero.")


def test_pages_use_no_sign_that_is_not_declared():
    page = page_of(answer(FOUR, THREE))
    assert {sign for sign in page if not sign.isascii()} <= set(tables.SIGNS + tables.BARS)
