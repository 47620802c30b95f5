"""Plots: the title says what the rows say, intervals are drawn, everybody can read them, and the same rows give the same bytes."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from analyzer import plots
from analyzer.errors import UsageError
from analyzer.plots import COLORS, INK, PAPER, Plot, alternative, draw, finding, points

MADE = Plot("made", ("zero",), "p_made", "side", "Zero bids made")
PLAYERS = Plot("players", ("zero",), "p_made", "players", "Bids made")
DARK = "#15181c"        # --paper of page.css in the dark


def row(made, half=0.02, **more):
    return {**more, "n": 1000, "p_made": made, "p_made_low": made - half, "p_made_high": made + half}


def label(name, row):
    return f"{row[name]} players" if name == "players" else str(row[name])


def said(plot, *rows):
    return finding(plot, points(plot, rows, label)).replace("\N{NO-BREAK SPACE}", " ")


def test_the_title_names_the_most_and_the_least_where_intervals_are_apart():
    rows = [row(0.65, side="under"), row(0.91, side="exact"), row(0.95, side="over")]
    assert said(MADE, *rows) == "Zero bids made: most 95 ± 2 % (over), least 65 ± 2 % (under)"


def test_the_title_claims_no_difference_where_intervals_overlap():
    assert said(MADE, row(0.65, side="under"), row(0.68, side="over")) == "Zero bids made: no clear difference, 65 ± 2 % (under) to 68 ± 2 % (over)"


def test_a_wide_interval_does_not_hide_a_difference_between_others():
    rows = [row(0.65, side="under"), row(0.80, side="exact"), row(0.90, 0.4, side="over")]
    assert said(MADE, *rows) == "Zero bids made: more for exact, 80 ± 2 %, than for under, 65 ± 2 %"


def test_the_title_of_numbers_in_order_says_which_way_they_go():
    assert said(PLAYERS, *(row(0.8 - n / 20, players=n) for n in (5, 3, 4))) == "Bids made: down from 65 ± 2 % (3 players) to 55 ± 2 % (5 players)"


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        ([0.8, 0.8], [0.6, 0.5], "base above hook throughout, most for 4 players, 80 ± 2 % against 50 ± 2 %"),
        ([0.8, 0.6], [0.6, 0.8], "base above hook for 3 players, 80 ± 2 % against 60 ± 2 %; hook above base for 4 players, 80 ± 2 % against 60 ± 2 %"),
        ([0.8, 0.61], [0.6, 0.6], "base above hook for 3 players, 80 ± 2 % against 60 ± 2 %"),
        ([0.6, 0.61], [0.6, 0.6], "no clear difference between base and hook"),
    ],
)
def test_two_groups_are_compared_where_both_are(base, other, expected):
    plot = Plot("hook", ("zero",), "p_made", "players", "Bids made", group="variant")
    rows = [row(made, players=3 + i, variant=name) for name, shares in (("base", base), ("hook", other)) for i, made in enumerate(shares)]
    assert said(plot, *rows) == f"Bids made: {expected}"


def test_nothing_seen_is_said_and_drawn():
    assert said(MADE) == "Zero bids made: nothing of the kind was seen"
    assert said(MADE, {**row(0.5, side="over"), "n": plots.FEWEST - 1}) == "Zero bids made: nothing of the kind was seen"
    assert "nothing to draw" in draw(MADE, [], 0.95, "sum of bids").inline


def test_every_estimate_is_in_the_alternative_text():
    found = points(MADE, [row(0.65, side="under"), row(0.95, side="over")], label)
    assert alternative(MADE, found, 0.95).replace("\N{NO-BREAK SPACE}", " ") == "Dots with 95 % intervals. under 65 ± 2 %; over 95 ± 2 %."


def test_a_long_alternative_text_ends_with_how_many_more_there_are():
    found = points(PLAYERS, [row(0.5, players=n) for n in range(40)], label)
    assert alternative(PLAYERS, found, 0.95).endswith(f"{40 - plots.MOST_TOLD} more are in the table.")


@pytest.fixture(scope="module")
def drawn():
    rows = [row(0.6 + 0.05 * n, players=n, variant=name) for n in (3, 4, 5) for name in ("base", "<hook> & more")]
    plot = Plot("players", ("hook",), "p_made", "players", "Bids made", group="variant")
    return draw(plot, points(plot, rows, label), 0.95, "players")


def test_svg_has_a_role_a_title_and_its_numbers_in_words(drawn):
    root = ElementTree.fromstring(drawn.svg)
    texts = {child.tag.rpartition("}")[2]: child.text for child in root[:2]}
    assert root.get("role") == "img"
    assert texts == {"title": drawn.finding, "desc": drawn.alt}
    assert root.get("aria-labelledby").split() == [child.get("id") for child in root[:2]]


def test_ids_of_a_plot_begin_with_its_name_and_are_used_once(drawn):
    ids = re.findall(r'\bid="([^"]*)"', drawn.inline)
    assert len(ids) == len(set(ids))
    assert all(name.startswith(("players-", plots.LETTER)) for name in ids)
    assert set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', drawn.inline)) <= {(name, "") for name in ids} | {("", name) for name in ids}


def test_letters_stand_once_in_a_page(drawn):
    other = draw(MADE, points(MADE, [row(0.65, side="under")], label), 0.95, "sum of bids")
    page = "".join(plots.together([drawn, other]))
    letters = re.findall(rf'<path id="({plots.LETTER}[^"]*)"', page)
    assert sorted(letters) == sorted(set(re.findall(rf'<path id="({plots.LETTER}[^"]*)"', drawn.inline + other.inline)))
    assert set(re.findall(rf'href="#({plots.LETTER}[^"]*)"', page)) <= set(letters)


def test_plots_name_no_other_place_and_no_date(drawn):
    assert "http" not in drawn.inline
    assert set(re.findall(r"https?://[^\"]*", drawn.svg)) == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}     # names of the format
    assert "date" not in drawn.svg.lower()


def test_a_page_gives_its_own_ink(drawn):
    assert INK not in drawn.inline
    assert PAPER not in drawn.inline
    assert "currentColor" in drawn.inline


def test_the_same_rows_give_the_same_bytes(drawn):
    rows = [row(0.6 + 0.05 * n, players=n, variant=name) for n in (3, 4, 5) for name in ("base", "<hook> & more")]
    assert draw(drawn.plot, points(drawn.plot, rows, label), 0.95, "players") == drawn


def test_intervals_reach_from_low_to_high():
    figure = plots._figure(MADE, points(MADE, [row(0.65, 0.03, side="under"), row(0.9, 0.01, side="over")], label), "sum of bids", "")
    lines = [segment for bars in figure.axes[0].collections for segment in bars.get_segments()]
    assert [[round(x) for x, _ in line] for line in lines] == [[62, 68], [89, 91]]
    assert figure.axes[0].get_xlabel() == "Zero bids made, %"


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("paper", [PAPER, DARK])
@pytest.mark.parametrize("color", COLORS)
def test_colours_stand_out_on_light_and_dark_paper(color, paper):
    """WCAG 2.2, criterion 1.4.11: at least 3 to 1."""
    dark, light = sorted((luminance(color), luminance(paper)))
    assert (light + 0.05) / (dark + 0.05) >= 3.5


def test_groups_differ_by_more_than_colour():
    assert len(set(plots.MARKERS)) == len(COLORS)


@pytest.mark.parametrize(
    ("plot", "expected"),
    [
        (Plot("a", ("zero",), "p_mad", "side", "x"), "did you mean 'p_made'"),
        (Plot("a", ("zero",), "p_made", "sid", "x"), "did you mean 'side'"),
        (Plot("a", ("zero",), "p_made", "side", "x", where={"sides": "over"}), "did you mean 'side'"),
        (Plot("a", ("zero",), "n", "side", "x"), "n has no interval; expected one of p_made"),
    ],
)
def test_wrong_columns_are_told_with_the_nearest_name(plot, expected):
    with pytest.raises(UsageError, match=re.escape(expected)):
        points(plot, [row(0.5, side="over")], label)


def test_more_groups_than_colours_are_refused():
    plot = Plot("a", ("zero",), "p_made", "side", "x", group="policy")
    found = points(plot, [row(0.5, side="over", policy=str(n)) for n in range(len(COLORS) + 1)], label)
    with pytest.raises(UsageError, match="found 9 values of policy, expected at most 8"):
        draw(plot, found, 0.95, "sum of bids")
