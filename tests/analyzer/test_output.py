"""Answers are complete or absent, and repeat to the byte."""

import io
import json
import stat

import pytest

from analyzer import __version__, rules
from analyzer.errors import TricklabError
from analyzer.output import Format, Sink, check_writable, csv_text, document, field_rows, json_text, writing
from analyzer.tables import Table

ROWS = [{"action": 2, "ev": 8.14, "tricks": [0.25, 0.75], "p_made": None}, {"action": ["C2", "D4"], "ev": 1.0, "tricks": [0.5, 0.5], "p_made": 0.1}]


def test_a_file_appears_complete(tmp_path):
    file = tmp_path / "answer.json"
    file.write_text("old")
    with writing(file) as stream:
        stream.write("♠ new")
        assert file.read_text() == "old"
    assert file.read_text(encoding="utf-8") == "♠ new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_run_leaves_the_old_file(tmp_path):
    file = tmp_path / "answer.json"
    file.write_text("old")
    with pytest.raises(KeyboardInterrupt), writing(file) as stream:  # noqa: PT012
        stream.write("half")
        raise KeyboardInterrupt
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_keeps_its_rights_and_a_link_stays_a_link(tmp_path):
    file, link = tmp_path / "private.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    with writing(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["missing/answer.json", "."])
def test_an_unwritable_file_is_one_line(tmp_path, name):
    with pytest.raises(TricklabError, match="cannot write") as failure, writing(tmp_path / name) as stream:
        stream.write("x")
    assert failure.value.exit_code == 1
    assert len(str(failure.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["missing/answer.json", "."])
def test_an_unwritable_file_is_known_before(tmp_path, name):
    with pytest.raises(TricklabError, match="cannot write"):
        check_writable(tmp_path / name)
    check_writable(tmp_path / "answer.json")
    assert list(tmp_path.iterdir()) == []


def test_json_has_no_nan_and_keeps_the_order_of_keys():
    assert json_text({"b": 1, "a": [None, "♠"]}) == '{"b":1,"a":[null,"♠"]}'
    with pytest.raises(ValueError, match="JSON"):
        json_text({"x": float("nan")})


def test_csv_spreads_chances_and_joins_cards():
    assert csv_text(ROWS).splitlines() == ["action,ev,tricks_0,tricks_1,p_made", "2,8.14,0.25,0.75,", "C2 D4,1.0,0.5,0.5,0.1"]


def test_a_document_has_the_keys_of_the_contract():
    answer = document("bid", rules.load("oh-hell"), ["rules"] * 4, 1, 20_000, 0.95, ROWS, best=2, settled=True)
    assert list(answer) == [
        "schema", "command", "game", "variant", "rules", "policies", "seed", "deals", "version", "level", "best", "settled", "results",
    ]  # fmt: skip
    assert (answer["schema"], answer["version"]) == ("tricklab.bid/1", __version__)
    json.loads(json_text(answer))


def test_field_rows_can_be_set_again():
    for game in rules.games():
        resolved = rules.load(game.name)
        settings = [f"{row['field']}={row['value']}" for row in field_rows(resolved.fields)]
        assert rules.load(game.name, settings=settings).fields == resolved.fields


def test_colour_is_for_terminals(monkeypatch, tmp_path):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", Terminal())
    assert Sink().style.color
    assert not Sink(color=False).style.color
    assert not Sink(format=Format.MD).style.color
    assert not Sink(file=tmp_path / "x").style.color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Sink().style.color


def test_signs_are_for_those_who_can_show_them(monkeypatch):
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert Sink().style.ascii


@pytest.mark.parametrize("format", list(Format))
def test_every_format_is_written(format, capsys):
    page = [Table(["bid"], [["2"]])]
    Sink(format).show({"results": ROWS}, lambda style: page)
    written = capsys.readouterr().out
    assert written.endswith("\n")
    assert "2" in written


def test_notes_go_to_the_standard_error_unless_quiet(capsys):
    Sink().note("heard")
    Sink(quiet=True).note("not heard")
    assert capsys.readouterr() == ("", "note: heard\n")
