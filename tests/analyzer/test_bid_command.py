"""`tricklab bid` with each of its options, files of many hands, and its answers in a notebook."""

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from analyzer import rules as rule_books
from analyzer import scrutiny, situation, tables
from analyzer.advice import Standing, advise
from analyzer.cli import bid as command
from analyzer.cli import run
from analyzer.errors import ImpossibleError
from analyzer.simulation import Engine, Interrupted

OH_HELL = ["oh-hell", "A4.K2.T9.7", "--turnup", "7H"]
WHIST = ["israeli-whist", "KQ4.A73.QJ85.T62"]
BOLA = ["spanish-solo", "7AK43.7A.7A.KJ6", "--calls", "pass bola pass"]
FEW = ["-n", "200", "--policy", "rules", "-q"]


@pytest.fixture
def bid(capsys):
    """Return a function that runs `tricklab bid` and returns its exit code, its answer and what it says beside it."""

    def answer(*words, few=FEW):
        code = run(["bid", *words, *few])
        return code, *capsys.readouterr()

    return answer


@pytest.fixture
def document(bid):
    def answer(*words, few=FEW):
        code, out, err = bid(*words, "--json", few=few)
        assert (code, err) == (0, "")
        return json.loads(out)

    return answer


# ---------------------------------------------------------------- what is known

def test_who_asks_where_nobody_hears_the_others(document):
    assert document(*OH_HELL, "--variant", "secret", "--seat", "2")["situation"]["seat"] == 2
    assert document(*OH_HELL, "--variant", "secret")["situation"]["seat"] == 0


def test_cards_of_a_gulash_are_known(document):
    asked = document(*WHIST, "--variant", "gulash", "--calls", "pass pass pass pass", "--gave", "C3 C4 C5", "--got", "C2 CT D5")["situation"]
    assert asked["decision"] == "call"
    assert {tuple(move["cards"]) for move in asked["gulash"][0] if move["cards"]} == {("C3", "C4", "C5"), ("C2", "CT", "D5")}


def test_SS_the_trump_named_and_the_card_asked_for_are_known(bid, document):
    assert document(*BOLA)["situation"]["decision"] == "trump"
    assert document(*BOLA, "--trump", "S")["situation"]["decision"] == "ask"
    code, out, _ = bid(*BOLA, "--trump", "S", "--asked", "DK@2")
    assert code == 0
    assert "Give " in out
    assert "♦K asked for and held by seat 2" in out


def test_cards_that_were_seen_are_known(document):
    seen = document(*OH_HELL, "--seen", "C8 D8@2")
    assert seen["situation"]["seen"] == [["C8", None], ["D8", 2]]
    assert seen["results"] != document(*OH_HELL)["results"]


def test_calls_may_be_ignored(bid, document):
    spoken = [*OH_HELL, "--bids", "3,0"]
    heard, ignored = document(*spoken), document(*spoken, "--ignore-calls")
    assert (heard["conditioned"], ignored["conditioned"]) == (True, False)
    assert "The others' calls do not weigh their hands." in bid(*spoken, "--ignore-calls")[1]


# ---------------------------------------------------------------- what the answer holds

def test_the_network_alone_answers_at_once(document, monkeypatch):
    beside = document(*OH_HELL, few=["-n", "200", "-q"])["instant"]
    monkeypatch.setattr(scrutiny, "advise", lambda *_, **__: pytest.fail("deals were played"))
    answer = document(*OH_HELL, "--instant", few=[])
    assert answer["instant"] == beside
    assert (answer["deals"], answer["settled"], answer["best"]) == (0, False, beside["bids"][0]["action"])
    best = answer["results"][0]
    for row, said in zip(answer["results"], beside["bids"], strict=True):
        assert {name: row[name] for name in said} == said
        assert row["regret"] == pytest.approx(best["ev"] - row["ev"])
        assert {row[name] for name in row if name.endswith(("_low", "_high"))} == {None}
        assert (row["n"], row["exact"]) == (0, False)


def test_the_network_alone_where_it_values_nothing(bid, document):
    answer = document(*WHIST, "--instant", few=[])
    assert [row["ev"] for row in answer["results"]] == [None]
    assert answer["results"][0]["action"] == answer["instant"]["action"]
    assert "no deal was played" in bid(*WHIST, "--instant", few=["--ascii"])[1]


def test_what_the_network_says_stands_beside_every_answer(bid):
    assert "At a glance, without playing a deal: " in bid(*OH_HELL)[1]


def test_an_answer_is_explained(bid, document):
    explanation = document(*OH_HELL, "--explain")["explanation"]
    assert explanation["samples"]
    out = bid(*OH_HELL, "--explain", "--ascii")[1]
    assert f"Why {explanation['action']}, and not {explanation['second']}:" in out
    assert out.isascii()


def test_an_answer_is_tried_against_others(bid, document):
    rows = document(*OH_HELL, "--against", "random, beginner")["against"]
    assert [row["policy"] for row in rows] == ["random", "beginner"]
    out = bid(*OH_HELL, "--against", "random,beginner")[1]
    assert "Against random: " in out
    assert "Against beginner: " in out


def test_a_game_at_stake_has_chances_to_win_it(bid, document):
    at_stake = [*OH_HELL, "--scores", "45,60,50,-8", "--to-come", "0"]
    answer = document(*at_stake)
    assert answer["best_to_win"] in [row["action"] for row in answer["results"]]
    assert all(row["p_win_low"] <= row["p_win"] <= row["p_win_high"] for row in answer["results"])
    out = bid(*at_stake)[1]
    assert "To win the game " in out
    assert "  win %  " in out


def test_one_card_is_counted_out(bid):
    out = bid("oh-hell", "A...", "--turnup", "7H", "--players", "3")[1]
    assert "Exact, all 2,450 deals counted" in out
    assert "±" not in out


@pytest.mark.parametrize("look", ["explained", "against"])
def test_an_interruption_of_a_second_look_leaves_the_answer(look, bid, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(scrutiny, look, interrupt)
    code, out, err = bid(*OH_HELL, "--explain", "--against", "random", few=FEW[:-1])
    assert code == 130
    assert "Bid 2: " in out
    assert "note: interrupted, so that" in err


def test_an_interruption_at_another_table_leaves_those_that_are_complete(monkeypatch):
    asked = situation.from_json(ASKED[1])
    advice = advise(asked, policies=["rules"], deals=100)
    later = iter([advise(asked, policies=["random"], deals=100), replace(advice, interrupted=True)])
    monkeypatch.setattr(scrutiny, "advise", lambda *_, **__: next(later))
    tried = scrutiny.against(advice, ["random", "beginner", "rules-1"])
    assert [row["policy"] for row in tried.more["against"]] == ["random"]
    assert tried.interrupted


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([*OH_HELL, "--seat", "2"], 3, "seat: found 2, but seat 0 speaks next"),
        ([*OH_HELL, "--seat", "x"], 2, "--seat: found 'x'"),
        ([*OH_HELL, "--seen", "A4"], 3, "seen: 'A4' is no card"),
        ([*OH_HELL, "--seen", "AS@1"], 3, "seen: SA lies somewhere else already"),
        ([*OH_HELL, "--seen", "C7@9"], 3, "seen: found seat '9'"),
        ([*OH_HELL, "--gave", "C2 C3 C4", "--got", "SA S4 HK"], 3, "gave"),
        ([*WHIST, "--variant", "gulash", "--calls", "pass pass pass pass", "--gave", "C3 C4"], 3, "gave: found 2 cards, expected 3"),
        ([*WHIST, "--variant", "gulash", "--calls", "pass pass pass pass", "--got", "C2 CT D5"], 3, "expected both for every gulash"),
        ([*OH_HELL, "--trump", "H"], 3, "trump, asked: found one in oh-hell"),
        ([*BOLA, "--trump", "X"], 3, "trump: 'X' is no denomination"),
        ([*BOLA, "--trump", "S", "--asked", "DK"], 3, "asked: found 'DK', expected a card and the seat that held it"),
        ([*OH_HELL, "--scores", "1,2"], 3, "--scores: found '1,2', expected 4 totals"),
        ([*OH_HELL, "--scores", "1,2,3,nan"], 3, "--scores: found '1,2,3,nan'"),
        ([*OH_HELL, "--scores", "1,2,3,.5"], 3, "--scores: found '1,2,3,.5'"),
        ([*OH_HELL, "--scores", "1,2,3,4"], 2, "--to-come: missing"),
        ([*OH_HELL, "--scores", "1,2,3,4", "--to-come", "99"], 3, "--to-come: found 99"),
        ([*OH_HELL, "--to-come", "3"], 2, "--to-come: found without --scores"),
        ([*WHIST, "--scores", "1,2,3,4", "--to-come", "3"], 2, "ends by its score"),
        ([*OH_HELL, "--against", "ruls"], 2, "did you mean 'rules'"),
        ([*OH_HELL, "--instant", "--explain", "--precision", "1"], 2, "--instant plays no deals; leave out --explain, --precision"),
        (["oh-hell", "asked.json", "--seen", "C7"], 2, "leave out the options that say it too"),
    ],
)
def test_a_wrong_option_is_one_line(words, code, said, bid):
    found, out, err = bid(*words)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err


# ---------------------------------------------------------------- many hands

def asked(game="oh-hell", hand="K.Q..", **said):
    return situation.from_question(rule_books.load(game), hand, **({"turnup": "H2"} if game == "oh-hell" else {}) | said).to_json()


ASKED = [asked(), asked(hand=".A4..", bids="1"), asked(hand="2.3.4.", bids="1,1")]


def lines_file(tmp_path, *lines):
    file = tmp_path / "asked.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return ["oh-hell", str(file)]


def test_many_hands_have_a_line_of_json_each_as_soon_as_it_is_known(tmp_path, bid, monkeypatch):
    written = []
    answered = command.answered

    class Stream(io.StringIO):
        def flush(self):
            written.append(self.getvalue().count("\n"))

    def answer(asked, *how):
        written.append(f"asked {asked.seat}")
        return answered(asked, *how)

    monkeypatch.setattr(command, "answered", answer)
    monkeypatch.setattr("sys.stdout", stream := Stream())
    assert run(["bid", *lines_file(tmp_path, *ASKED), "--json", *FEW]) == 0
    assert written[:6] == ["asked 0", 1, "asked 1", 2, "asked 2", 3]
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [answer["situation"] for answer in found] == ASKED
    assert [answer["number"] for answer in found] == [1, 2, 3]
    assert {answer["schema"] for answer in found} == {"tricklab.bid/1"}


def test_a_hand_of_many_is_answered_as_alone(tmp_path, bid, document):
    alone = document("oh-hell", "-.A4..", "--turnup", "2H", "--bids", "1")
    line = json.loads(bid(*lines_file(tmp_path, *ASKED), "--json")[1].splitlines()[1])
    line.pop("number")
    assert line == alone


def test_many_hands_in_toml_and_as_a_table(tmp_path, bid):
    file = tmp_path / "asked.toml"
    for seat, one in enumerate(ASKED):
        hands, bids = (json.dumps(["" if value is None else value for value in one[key]]) for key in ("hands", "bids"))
        with file.open("a") as toml:
            toml.write(f'[[situations]]\ngame = "oh-hell"\nseat = {seat}\ndealer = 3\nturnup = "H2"\nhands = {hands}\nbids = {bids}\n')
    code, out, err = bid("oh-hell", str(file), "--ascii")
    assert (code, err) == (0, "")
    assert out.startswith("oh-hell, 3 situations\n")
    assert "bids 1 1 - -" in out
    assert out.isascii()
    assert bid("oh-hell", str(file), "--format", "md")[1].count("\n| ") == 5


def test_many_hands_have_a_row_per_situation_and_action_in_csv(tmp_path, bid):
    rows = list(csv.DictReader(io.StringIO(bid(*lines_file(tmp_path, *ASKED), "--csv")[1])))
    assert sorted((row["situation"], row["action"]) for row in rows) == sorted(
        (str(number), str(action)) for number, held in ((1, 2), (2, 2), (3, 3)) for action in range(held + 1)
    )  # fmt: skip


def test_what_cannot_be_is_told_and_the_others_are_answered(tmp_path, bid):
    short = {**ASKED[0], "hands": ["KK.Q..", None, None, None]}
    file = lines_file(tmp_path, ASKED[0], "{bad", short, asked("israeli-whist", "KQ4.A73.QJ85.T62"), {**ASKED[0], "game": "oh-hel"}, ASKED[1])
    code, out, err = bid(*file, "--json")
    assert code == 3
    assert [json.loads(line)["number"] for line in out.splitlines()] == [1, 6]
    told = err.splitlines()
    for line, (number, reason) in zip(
        told, [(2, "one situation a line"), (3, "SK is there twice"), (4, "expected oh-hell"), (5, "found 'oh-hel'")], strict=False
    ):  # fmt: skip
        assert f"asked.jsonl: line {number}: " in line
        assert reason in line
    assert told[4].endswith("4 of 6 situations could not be answered; see above")


def test_a_deal_that_cannot_be_is_told_with_its_place(tmp_path, bid, monkeypatch):
    def answered(asked, *_):
        raise ImpossibleError("no deal agrees")

    monkeypatch.setattr(command, "answered", answered)
    code, out, err = bid(*lines_file(tmp_path, *ASKED))
    assert (code, out) == (3, "No situation was answered.\n")
    assert "line 2: no deal agrees\n" in err


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), Interrupted(0)])
def test_an_interruption_leaves_what_is_complete(tmp_path, bid, monkeypatch, interruption):
    answered = command.answered

    def answer(asked, *how):
        if asked.seat == 2:
            raise interruption
        return answered(asked, *how)

    monkeypatch.setattr(command, "answered", answer)
    code, out, _ = bid(*lines_file(tmp_path, *ASKED))
    assert code == 130
    assert out.startswith("oh-hell, 2 situations\n")


def test_an_answer_that_was_interrupted_is_not_complete(tmp_path, bid, monkeypatch):
    play = Engine.play

    def interrupt(engine, first, n, *how, **more):
        if first >= 1000:
            raise KeyboardInterrupt
        return play(engine, first, n, *how, **more)

    monkeypatch.setattr(Engine, "play", interrupt)
    few = lines_file(tmp_path, asked(), asked(hand="AK32.K3..7"))
    code, out, _ = bid(*few, "--json", few=["-n", "3000", "--policy", "random", "-q"])
    assert code == 130
    assert out == ""


def test_precision_counts_in_many_hands(tmp_path, bid):
    long = asked(hand="Q32.K3..7")
    few = ["-n", "100", "--policy", "random", "-q"]
    assert bid(*lines_file(tmp_path, long, long), "--precision", "99", few=few)[0] == 0
    code, _, err = bid(*lines_file(tmp_path, long, long), "--precision", "1e-9", few=few)
    assert code == 4
    assert "--precision: in 2 situations another may be better" in err


def test_many_hands_are_not_explained_in_one_table(tmp_path, bid):
    code, out, err = bid(*lines_file(tmp_path, *ASKED), "--explain")
    assert (code, out) == (2, "")
    assert "found 3 situations, which share one table" in err
    out = bid(*lines_file(tmp_path, *ASKED), "--explain", "--json")[1]
    assert all(json.loads(line)["explanation"] for line in out.splitlines())


def test_a_file_with_one_situation_gets_a_page_of_its_own(tmp_path, bid):
    assert "At a glance" in bid(*lines_file(tmp_path, ASKED[1]))[1]


# ---------------------------------------------------------------- in Python and in a notebook

@pytest.fixture(scope="module")
def advice():
    asked = situation.from_question(rule_books.load("oh-hell"), "A4.K2.T9.7", turnup="7H", bids="2,1")
    return scrutiny.explained(advise(asked, policies=["rules"], deals=300))


def test_a_question_may_be_a_mapping_and_the_players_are_the_strongest():
    question = ASKED[1]
    found = advise(question, deals=100)
    assert found.situation == situation.from_json(question)
    assert set(found.policies) == {"learned"}


def test_advice_prints_as_its_page(advice):
    assert str(advice) == tables.text(tables.bid_page(advice.to_json(), tables.Style()), tables.Style())
    assert repr(advice).startswith("<Bid ")


def test_advice_becomes_a_frame(advice):
    frame = advice.to_frame()
    assert frame["action"].tolist() == [row["action"] for row in advice.results]
    assert frame["ev_points"].tolist() == [row["ev"] for row in advice.results]
    assert {"ev_low_points", "regret_high_points", "p_made", "n_deals", "ess_deals", "tricks_0", "tricks_7"} <= set(frame)
    solo = advise(situation.from_question(rule_books.load("spanish-solo"), "7AK43.7A.7A.KJ6"), policies=["rules"], deals=100).to_frame()
    assert {"ev_chips", "trump", "asks"} <= set(solo)


class Reader(HTMLParser):
    """Notes the text, which elements are open, and every attribute."""

    def __init__(self):
        super().__init__()
        self.text, self.open, self.tags, self.attributes = "", [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_a_notebook_shows_a_page_without_scripts_that_needs_nothing_from_elsewhere(advice):
    page = read(advice._repr_html_())
    assert set(page.tags) <= {"div", "p", "br", "table", "tr", "th", "td", "span", "svg", "path", "circle", "rect", "title"}
    assert {name for name, _ in page.attributes}.isdisjoint({"src", "href", "class", "id", "onclick", "onload"})
    assert "url(" not in advice._repr_html_()
    assert "http" not in advice._repr_html_()
    assert tables.headline(advice.to_json(), tables.Style()) in page.text
    assert page.tags.count("circle") >= len(advice.results) - 1
    assert advice.to_json()["explanation"]["samples"][0]["why"] in page.text


def test_a_notebook_shows_names_as_they_are():
    question = situation.from_json(ASKED[1])
    found = scrutiny.glance(question, ["learned"])
    found.more["instant"]["policy"] = "<script>alert('&')</script>"
    html = found._repr_html_()
    assert "<script" not in html
    assert "<script>alert('&')</script>" in read(html).text


def test_a_notebook_shows_answers_off_the_scale_and_without_values():
    asked = situation.from_question(rule_books.load("israeli-whist"), "KQ4.A73.QJ85.T62", contract="5H", bids="5")
    assert "Z\"" in advise(asked, policies=["rules"], deals=200)._repr_html_()
    call = situation.from_question(rule_books.load("israeli-whist"), "KQ4.A73.QJ85.T62")
    assert "svg" not in read(scrutiny.glance(call, ["rules"])._repr_html_()).tags


def test_a_notebook_shows_a_game_at_stake():
    asked = situation.from_question(rule_books.load("oh-hell"), "A4.K2.T9.7", turnup="7H")
    page = read(advise(asked, policies=["rules"], deals=200, standing=Standing([0, 9, 0, 0], 0))._repr_html_())
    assert "win %" in page.text
