"""Reports: one folder, complete or not at all, the same bytes again, nothing in it from elsewhere, and tables that are those of the commands."""

import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from analyzer import reports, rulebook
from analyzer.cli import app, run
from analyzer.cli.report import KEPT, KINDS, Steps
from analyzer.errors import ImpossibleError, TricklabError
from analyzer.output import csv_text

ROOT = Path(__file__).parents[2]
PUBLISHED = sorted((ROOT / "reports").glob("*/definition.toml"))
MOST_BYTES = 1_000_000
DEFINITION = """
title = "A small report"
question = "Is <this> & that so?"
policy = "rules"
seed = 7
deals = 300

[[step]]
kind = "simulate"
title = "Bids by seat"
each = {game = ["oh-hell", "jabberwocky"], players = [3, 4]}
cards = 5

[[step]]
kind = "zero"
game = "israeli-whist"
set = ["score.zero_made_over=25"]
by = "trump,low-cards"
break-even = 0

[[step]]
kind = "duel"
game = "spanish-solo"
policies = ["rules", "rules-1"]

[[step]]
kind = "bid"
game = "oh-hell"
each = {hand = ["A4.K2.T9.7", "32.32.32.2"]}
turnup = "7H"

[[plot]]
name = "made"
step = "simulate"
table = "seats"
value = "p_made"
by = "players"
group = "game"
where = {seat = "dealer"}
subject = "Bids that the dealer makes"

[[plot]]
name = "zero"
step = "zero"
value = "score"
by = "side"
subject = "Score of a zero bid"

[[plot]]
name = "bids"
step = "bid"
value = "ev"
by = "action"
group = "hand"
subject = "Worth of a bid"
"""


def written(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def report(definition, folder, *more):
    return run(["report", str(definition), "-o", str(folder), "-q", *more])


@pytest.fixture(scope="module")
def definition(tmp_path_factory):
    path = tmp_path_factory.mktemp("definitions") / "small.toml"
    path.write_text(DEFINITION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(definition):
    folder = definition.parent / "report"
    assert report(definition, folder) == 0
    return folder


# ---------------------------------------------------------------- what is in the folder

def test_the_folder_holds_page_text_tables_plots_and_manifest(folder):
    names = {path.name for path in folder.iterdir()}
    assert names >= {"index.html", "report.md", "manifest.json", "definition.toml"}
    assert names >= {"simulate-results.csv", "simulate-seats.csv", "zero-results.csv", "zero-by.csv", "duel-results.csv", "bid-results.csv"}
    assert names >= {f"{name}.{kind}" for name in ("made", "zero", "bids") for kind in ("svg", "png")}


def test_again_gives_the_same_bytes_with_any_number_of_threads(definition, folder, tmp_path):
    assert report(definition, tmp_path / "again", "--jobs", "1") == 0
    assert written(tmp_path / "again") == written(folder)


def test_a_report_replaces_the_older_one_and_leaves_nothing_beside_it(definition, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(DEFINITION.replace('kind = "duel"', 'kind = "duel"\nname = "strength"'), encoding="utf-8")
    assert report(other, tmp_path / "report") == 0
    assert report(definition, tmp_path / "report") == 0
    assert not (tmp_path / "report" / "strength-results.csv").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"other.toml", "report"}


def test_the_definition_in_the_folder_makes_the_folder_again(folder, tmp_path):
    before = written(folder)
    assert report(folder / "definition.toml", folder) == 0
    assert written(folder) == before


def test_the_manifest_names_every_run_and_every_file_with_its_checksum(folder):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["schema"] == "tricklab.report/1"
    files = {row["file"]: (row["bytes"], row["sha256"]) for row in manifest["results"]}
    assert files == {name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in written(folder).items() if name != "manifest.json"}
    assert [row["step"] for row in manifest["runs"]] == ["simulate"] * 4 + ["zero", "duel", "bid", "bid"]
    zero = manifest["runs"][4]
    line = "tricklab zero israeli-whist --seed 7 --deals 300 --policy rules --set score.zero_made_over=25 --by trump,low-cards --break-even 0"
    assert zero["command"] == line
    assert (zero["seed"], zero["deals"], zero["policies"], zero["rules"]["score"]["zero_made_over"]) == (7, 300, ["rules"] * 4, 25)


def test_no_file_names_this_machine_or_a_date(folder):
    for name, content in written(folder).items():
        assert str(folder.parent).encode() not in content, name
        assert not re.search(rb"20\d\d-\d\d-\d\d", content), name


def test_tables_are_those_of_the_commands(folder, tmp_path):
    lines = [row["command"] for row in json.loads((folder / "manifest.json").read_bytes())["runs"]]
    answer = tmp_path / "answer.json"
    assert run([*lines[4].split()[1:], "--json", "-o", str(answer), "-q"]) == 0
    document = json.loads(answer.read_bytes())
    assert (folder / "zero-results.csv").read_text(encoding="utf-8") == csv_text(document["results"])
    assert (folder / "zero-by.csv").read_text(encoding="utf-8") == csv_text(document["by"])
    rows = []
    for line, each in zip(lines[:4], [(game, n) for game in ("oh-hell", "jabberwocky") for n in (3, 4)], strict=True):
        assert run([*line.split()[1:], "--json", "-o", str(answer), "-q"]) == 0
        rows += [dict(zip(("game", "players"), each, strict=True)) | row for row in json.loads(answer.read_bytes())["seats"]]
    assert (folder / "simulate-seats.csv").read_text(encoding="utf-8") == csv_text(rows)


def test_the_answer_is_what_was_found_and_the_manifest_as_json(definition, tmp_path, capsys):
    assert report(definition, tmp_path / "report") == 0
    said = capsys.readouterr().out
    manifest = json.loads((tmp_path / "report" / "manifest.json").read_bytes())
    assert all(f"* {finding}." in said for finding in manifest["findings"])
    assert f"{tmp_path / 'report'}/index.html; {len(manifest['results'])} files" in said
    assert report(definition, tmp_path / "report", "--json") == 0
    assert json.loads(capsys.readouterr().out) == manifest


# ---------------------------------------------------------------- the page

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page holds; every element is closed in its place."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def page(folder):
    return Page((folder / "index.html").read_text(encoding="utf-8"))


def test_the_page_needs_nothing_from_elsewhere(folder, page):
    for tag, attributes in page.found:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert attributes.get(name, "#").startswith("#"), (tag, attributes)
    assert not page.all("link")
    assert not page.all("img")
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\((?!#)", text)


def test_ids_are_used_once_and_references_lead_somewhere(page):
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {name for _, attributes in page.found for name in attributes.get("aria-labelledby", "").split()}
    assert named | {attributes["href"][1:] for attributes in page.all("a") + page.all("use")} <= set(ids)


def test_headings_go_down_one_level_at_a_time(page):
    levels = [int(tag[1]) for tag, _ in page.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_opens_with_the_answer_then_plots_then_tables(page):
    places = [attributes.get("id") for tag, attributes in page.found if tag == "section" and "id" in attributes]
    assert places == ["answer", "plots", "tables", "made"]


def test_every_plot_has_a_title_its_numbers_in_words_and_units(page, folder):
    plots = [attributes for attributes in page.all("svg") if attributes.get("role") == "img"]
    assert len(plots) == len(page.all("figure")) == 3
    assert len(page.all("title")) == 1 + len(plots)
    assert len(page.all("desc")) == len(plots)
    findings = json.loads((folder / "manifest.json").read_bytes())["findings"]
    assert findings[0].startswith("Bids that the dealer makes: ")
    assert findings[1].startswith("Score of a zero bid: ")
    assert set(findings) <= set(page.texts)
    drawn = (folder / "zero.svg").read_text(encoding="utf-8")
    assert "<!-- Score of a zero bid, points -->" in drawn      # matplotlib names the words that it draws


def test_every_table_has_a_caption_scopes_and_buttons_that_sort(page):
    assert len(page.all("caption")) == len(page.all("table")) > 5
    heads = [attributes for attributes in page.all("th") if attributes["scope"] == "col"]
    assert len(heads) == len(page.all("button"))
    assert all(attributes["aria-sort"] == "none" for attributes in heads)
    assert {attributes["scope"] for attributes in page.all("th")} == {"col", "row"}


def test_words_of_a_definition_are_no_markup(page):
    assert "Is <this> & that so?" in page.texts


def test_a_report_in_markdown_shows_the_plots_and_every_table(folder):
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[[^\]]+\]\((.*)\)", text) == ["made.svg", "zero.svg", "bids.svg"]
    assert len(re.findall(r"^\| --", text, re.MULTILINE)) == (folder / "index.html").read_text(encoding="utf-8").count("<table>")


def test_long_tables_are_cut_on_the_page_and_whole_as_csv(folder, page, monkeypatch, definition, tmp_path):
    monkeypatch.setattr(reports, "MOST_ROWS", 3)
    assert report(definition, tmp_path / "short") == 0
    assert "The first 3 of " in (tmp_path / "short" / "index.html").read_text(encoding="utf-8")
    assert written(tmp_path / "short")["zero-by.csv"] == written(folder)["zero-by.csv"]


# ---------------------------------------------------------------- what fails changes nothing

@pytest.mark.parametrize(("failure", "code"), [(TricklabError("broken"), 1), (KeyboardInterrupt(), 130), (ImpossibleError("broken"), 3)])
@pytest.mark.parametrize("at", [0, 5])
def test_a_report_that_fails_midway_leaves_the_old_folder(failure, code, at, definition, folder, monkeypatch):
    before, beside = written(folder), {path.name for path in folder.parent.iterdir()}
    answer, calls = Steps.answer, []

    def fails(steps, words):
        calls.append(words)
        if len(calls) > at:
            raise failure
        return answer(steps, words)

    monkeypatch.setattr(Steps, "answer", fails)
    assert report(definition, folder) == code
    assert written(folder) == before
    assert {path.name for path in folder.parent.iterdir()} == beside


def test_an_interrupted_step_is_no_part_of_a_report(definition, folder, monkeypatch, capsys):
    from analyzer import simulation

    def interrupted(*_, **__):
        raise simulation.Interrupted(100)

    before = written(folder)
    monkeypatch.setattr(simulation, "by_chunk", interrupted)
    assert report(definition, folder) == 130
    assert written(folder) == before


@pytest.mark.parametrize("fails_at", [1, 2])
def test_a_swap_that_fails_puts_the_old_folder_back(fails_at, definition, folder, monkeypatch, capsys):
    before, rename, calls = written(folder), Path.rename, []

    def fails(path, target):
        calls.append(path)
        if len(calls) == fails_at:
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails)
    assert report(definition, folder) == 1
    assert "No space left on device; what was there stays as it was" in capsys.readouterr().err
    assert written(folder) == before


def test_a_folder_with_other_files_is_left_alone(definition, folder, tmp_path, capsys):
    (tmp_path / "letter.txt").write_text("Dear", encoding="utf-8")
    assert report(definition, tmp_path) == 1
    assert "holds 'letter.txt', which no report wrote" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_file_is_no_folder(definition, tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert report(definition, tmp_path / "file") == 1
    assert "a file; name a folder" in capsys.readouterr().err


# ---------------------------------------------------------------- definitions

WRONG = [
    ('titel = "x"', 2, "'titel' is no key (did you mean 'title'?)"),
    ('[[steps]]\nkind = "zero"', 2, "did you mean 'step'"),
    ("level = 2", 3, "level: found 2, expected a number above 0 and below 1"),
]
WRONG_STEPS = [
    ('kind = "zeroo"', 2, "step 1: kind: found 'zeroo' (did you mean 'zero'?)"),
    ('kind = "train"', 2, "kind: found 'train'"),
    ('kind = "zero"\ndealz = 3', 2, "step 1 (zero): 'dealz' is no key (did you mean 'deals'?)"),
    ('kind = "zero"\njson = true', 2, "'json' is no key"),
    ('kind = "zero"\ndeals = 0', 2, "--deals: found '0'"),
    ('kind = "zero"\ndeals = "many"', 2, "--deals: found 'many'"),
    ('kind = "zero"\nvariant = "hook31"', 2, "did you mean 'hook13'"),
    ('kind = "zero"\nset = ["score.zero_made_ovr=3"]', 2, "score.zero_made_over"),
    ('kind = "zero"\npolicy = "lerned"', 2, "did you mean 'learned'"),
    ('kind = "zero"\ngame = "israeli-wist"', 2, "did you mean 'israeli-whist'"),
    ('kind = "zero"\neach = {deals = 3}', 3, "each: found {'deals': 3}, expected lists of values"),
    ('kind = "zero"\neach = {variants = ["base"]}', 2, "each: 'variants' is no key (did you mean 'variant'?)"),
    ('kind = "zero"\nname = "../up"', 3, "name: found '../up', expected letters, digits and dashes"),
    ('kind = "zero"\ntables = "results"', 3, "tables: found 'results', expected a list of names"),
    ('kind = "zero"\nbreak-even = 0\ntables = ["result"]', 2, "step zero: tables: found 'result' (did you mean 'results'?)"),
    ('kind = "duel"', 3, "policies: found nothing, expected a list"),
    ('kind = "bid"', 3, "hand: found nothing, expected a hand"),
    ('kind = "duel"\npolicies = ["rules", "ruls-1"]', 2, "did you mean 'rules"),
    ('kind = "simulate"\n[[step]]\nkind = "simulate"', 2, "two steps are called 'simulate'"),
]
WRONG_PLOTS = [
    ('value = "p_made"\nby = "side"', 3, "plot 1: subject: found nothing, expected text"),
    ('value = "p_made"\nby = "side"\nsubject = "x"\ngruop = "side"', 2, "'gruop' is no key (did you mean 'group'?)"),
    ('value = "p_made"\nby = "side"\nsubject = "x"\nstep = "zeros"', 2, "found 'zeros' (did you mean 'zero'?)"),
    ('value = "p_made"\nby = "side"\nsubject = "x"\nwhere = 3', 3, "where: found 3, expected values of columns"),
    ('value = "p_made"\nby = "sides"\nsubject = "x"', 2, "plot p-made: 'sides' is no column of table results (did you mean 'side'?)"),
    ('value = "p_made"\nby = "side"\nsubject = "x"\ntable = "result"', 2, "did you mean 'results'"),
]
HEAD = 'title = "x"\nquestion = "y"\n'
STEP = '[[step]]\nkind = "zero"\ngame = "israeli-whist"\npolicy = "rules"\ndeals = 100\nby = "none"\nbreak-even = 0\n'
PLOT = '[[plot]]\nvalue = "p_made"\nby = "side"\nsubject = "Zero bids made"\n'


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        *((f"{wrong}\n{HEAD}{STEP}{PLOT}" if "[[" not in wrong else f"{HEAD}{wrong}", code, expected) for wrong, code, expected in WRONG),
        *((f'game = "israeli-whist"\ndeals = 100\n{HEAD}[[step]]\n{wrong}\n{PLOT}', code, expected) for wrong, code, expected in WRONG_STEPS),
        *((f"{HEAD}{STEP}[[plot]]\n{wrong}\n", code, expected) for wrong, code, expected in WRONG_PLOTS),
        (f"{HEAD}{STEP}", 3, "plot: found nothing, expected at least one [[plot]]"),
        (f"{HEAD}{PLOT}", 3, "step: found nothing, expected at least one [[step]]"),
        (f"{STEP}{PLOT}", 3, "title: found nothing, expected text"),
        (f"{HEAD}{STEP.replace('deals = 100', '')}{PLOT}", 3, "deals: found nothing, expected how many"),
        (f"{HEAD}{STEP}{PLOT}{PLOT}", 2, "expected different names"),
        ("title =", 3, "no TOML"),
    ],
)
def test_a_wrong_definition_is_one_line_that_says_what_to_do(text, code, expected, tmp_path, capsys):
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    assert report(path, tmp_path / "report") == code
    said = capsys.readouterr().err
    assert expected in said
    assert said.count("\n") == 1
    assert {entry.name for entry in tmp_path.iterdir()} == {"wrong.toml"}


@pytest.mark.parametrize(
    ("what", "code", "expected"),
    [
        ("oh-hel", 2, "did you mean 'oh-hell'"),
        ("no/such.toml", 1, "no such file; expected a definition in TOML"),
        ("--scale 0 oh-hell", 2, "--scale: found '0'"),
    ],
)
def test_what_is_no_definition_is_told(what, code, expected, capsys):
    assert run(["report", *what.split()]) == code
    assert expected in capsys.readouterr().err


def test_options_that_no_definition_may_give_exist():
    steps = Steps(app)
    known = {name[2:] for kind in steps.kinds() for option in steps.commands[kind].params for name in option.opts if name.startswith("--")}
    assert known >= KEPT
    assert set(steps.kinds()) <= set(KINDS)


def test_scale_multiplies_the_deals_and_leaves_a_hundred(tmp_path):
    path = tmp_path / "scaled.toml"
    path.write_text(DEFINITION.replace("deals = 300", "deals = 3000").replace('kind = "duel"', 'kind = "duel"\ndeals = 50'), encoding="utf-8")
    for scale, deals in ((0.1, {"300", "50"}), (0.001, {"100", "50"}), (1, {"3000", "50"}), (2, {"6000", "100"})):
        runs = [run for step in reports.read(str(path), Steps(app), scale).steps for run in step.runs]
        assert {run.words[run.words.index("--deals") + 1] for run in runs} == deals


def test_a_step_may_play_games_and_seat_several_policies(tmp_path):
    path = tmp_path / "games.toml"
    steps = '[[step]]\nkind = "simulate"\ngame = "oh-hell"\ngames = 3\npolicies = ["rules", "rules-1", "rules", "random"]\n'
    path.write_text(f'policy = "rules"\ndeals = 100\n{HEAD}{steps}{PLOT.replace("side", "seat")}', encoding="utf-8")
    (step,) = reports.read(str(path), Steps(app)).steps
    assert step.runs[0].line == "tricklab simulate oh-hell --games 3 --policies rules,rules-1,rules,random"


@pytest.mark.parametrize("game", rulebook.game_names())
def test_every_game_has_a_definition_that_runs(game, tmp_path):
    assert report(game, tmp_path / "report", "--scale", "0.001") == 0


# ---------------------------------------------------------------- published reports

@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_published_definitions_can_be_read(path):
    reports.read(str(path), Steps(app))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_published_reports_are_as_their_manifest_says_and_small(path):
    folder = path.parent
    manifest = json.loads((folder / "manifest.json").read_bytes())
    found = written(folder)
    assert {row["file"]: row["sha256"] for row in manifest["results"]} == {
        name: hashlib.sha256(content).hexdigest() for name, content in found.items() if name != "manifest.json"
    }
    assert sum(map(len, found.values())) < MOST_BYTES
