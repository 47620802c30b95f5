"""The page of a report in a real browser: it needs no network, sorts, reads well in the dark, on a phone and on paper."""

import os
import re
import shutil

import pytest

from analyzer.cli import run

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'tricklab[dev]'")

BROWSER = os.environ.get("TRICKLAB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser: install Debian's chromium, or name one in TRICKLAB_CHROMIUM")

DEFINITION = """
title = "Zero bids"
question = "Are they made?"
game = "israeli-whist"
policy = "rules"
deals = 2000

[[step]]
kind = "zero"
break-even = 0

[[step]]
kind = "simulate"

[[plot]]
step = "zero"
value = "p_made"
by = "side"
subject = "Zero bids made"

[[plot]]
step = "simulate"
value = "score"
by = "bid"
group = "seat"
subject = "Score of a bid"
"""
PHONE = {"width": 360, "height": 740}
A4 = {"width": 672, "height": 1000}     # 178 mm between the margins, at 96 pixels an inch


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    (folder / "zero.toml").write_text(DEFINITION, encoding="utf-8")
    assert run(["report", str(folder / "zero.toml"), "-o", str(folder / "report"), "-q"]) == 0
    return (folder / "report" / "index.html").as_uri()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])     # of root
        yield started
        started.close()


@pytest.fixture
def open_page(browser, address):
    """Return a function that opens the page; at the end nothing may have been asked of the network or complained about."""
    asked, said, contexts = [], [], []

    def opened(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert set(asked) == {address}
    assert not said


def colors(page):
    """Return red, green and blue of the page's ink and paper."""
    found = page.evaluate("() => { const of = getComputedStyle(document.body); return [of.color, of.backgroundColor] }")
    return [sum(map(int, re.findall(r"\d+", color)[:3])) for color in found]


def column(table, number):
    return table.locator(f"tbody tr > :nth-child({number})").evaluate_all("cells => cells.map(cell => Number(cell.dataset.key))")


def test_the_page_is_complete(open_page):
    page = open_page()
    assert page.title() == "Zero bids"
    assert page.locator("figure svg[role=img]").count() == 2
    assert page.locator("table").count() >= 4


def test_every_plot_is_seen_and_has_a_name(open_page):
    page = open_page()
    for figure in page.locator("figure").all():
        box = figure.locator("svg").bounding_box()
        assert box["width"] > 300
        assert box["height"] > 100
        heading = figure.locator("h3").inner_text()
        assert figure.get_by_role("img", name=heading).count() == 1


def test_tables_sort_by_mouse_and_by_keyboard_and_say_so(open_page):
    page = open_page()
    table = page.locator("table").first
    heading = table.locator("thead th").nth(2)
    assert heading.inner_text().startswith("n")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(table, 3) == sorted(column(table, 3))
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(table, 3) == sorted(column(table, 3), reverse=True)
    assert page.get_by_role("status").inner_text() == "Sorted by n, descending"
    other = table.locator("thead th").first
    other.get_by_role("button").click()
    assert (heading.get_attribute("aria-sort"), other.get_attribute("aria-sort")) == ("none", "ascending")
    assert table.locator("tbody tr > :first-child").all_inner_texts() == ["exact", "over", "under"]


def test_the_first_key_leads_to_the_answer(open_page):
    page = open_page()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "To the answer"
    page.keyboard.press("Enter")
    assert page.evaluate("() => location.hash") == "#answer"


def test_light_and_dark(open_page):
    ink, paper = colors(open_page(color_scheme="light"))
    assert ink < 150 < 600 < paper
    page = open_page(color_scheme="dark")
    ink, paper = colors(page)
    assert paper < 150 < 600 < ink
    assert page.locator("figure svg text, figure svg use").first.evaluate("letter => getComputedStyle(letter).fill") == page.evaluate(
        "() => getComputedStyle(document.body).color"
    )


def test_a_phone_scrolls_no_page_sideways(open_page):
    page = open_page(viewport=PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") == PHONE["width"]
    for figure in page.locator("figure svg").all():
        assert figure.bounding_box()["width"] <= PHONE["width"]
    wide = page.locator(".box:has(table)").evaluate_all("boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).length")
    assert wide      # they scroll in their own box, which a key can reach
    assert page.locator(".box:not([tabindex='0'])").count() == 0


def test_a_sheet_of_paper_holds_the_whole_width_in_black_on_white(open_page):
    page = open_page(viewport=A4, color_scheme="dark")
    page.emulate_media(media="print")
    ink, paper = colors(page)
    assert (ink, paper) == (0, 3 * 255)
    assert not page.locator("nav").is_visible()
    width = page.evaluate("() => Math.max(...[...document.querySelectorAll('table, svg, pre')].map(part => part.getBoundingClientRect().right))")
    assert width <= A4["width"]
    assert page.pdf(format="A4", prefer_css_page_size=True).startswith(b"%PDF")


def test_the_page_reads_well_without_scripts(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("table").first.locator("tbody tr").count() == 3
    assert page.locator(".headline").inner_text().startswith("Zero bids made: ")
