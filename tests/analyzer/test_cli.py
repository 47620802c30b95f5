"""The command line as its users meet it: help, errors in one line, exit codes, files."""

import io
import json
import subprocess
import sys
import types

import pytest
import typer

import analyzer
from analyzer import __version__, rules
from analyzer.cli import app, progress, run, running
from analyzer.cli.options import GAMES, EffortOptions, spread
from analyzer.errors import PrecisionError
from analyzer.output import Sink
from analyzer.simulation import Engine, Run, make_ready
from kernels import entry
from kernels.compiled import JIT

ROOT = typer.main.get_command(app)


ANSWERS = {"--format", "--json", "--csv", "-o", "-q", "--no-color", "--ascii", "--debug"}
LISTS = ["games", "games list", "games show oh-hell", "games check oh-hell", "variants", "variants oh-hell", "variants show israeli-whist IW-V6"]


def options_of(command):
    return {option for parameter in command.params for option in parameter.opts}


def commands(command=ROOT, path=()):
    """Yield every command with its words."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


COMMANDS = pytest.mark.parametrize(("path", "command"), [pytest.param(*found, id=" ".join(found[0]) or "tricklab") for found in commands()])


@COMMANDS
def test_every_command_and_option_has_help(path, command, capsys):
    assert command.help
    assert not [parameter.name for parameter in command.params if not parameter.help]
    assert run([*path, "-h"]) == 0
    said = capsys.readouterr().out
    assert not [option for option in options_of(command) if option.startswith("-") and option not in said]


@pytest.mark.parametrize("name", ["bid", "simulate", "zero"])
def test_options_that_mean_the_same_are_everywhere(name):
    assert options_of(ROOT.commands[name]) >= ANSWERS | set(
        "--variant --set --policy --policies --players -n --deals --seed --level -j --jobs --precision --seconds".split()
    )


@COMMANDS
def test_commands_that_answer_take_the_options_of_an_answer(path, command):
    if not hasattr(command, "commands") and path != ("seat",):       # which answers line by line, in JSON alone
        assert options_of(command) >= ANSWERS


def test_the_games_of_the_help_are_the_games():
    assert list(GAMES) == [game.name for game in rules.games()]


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"tricklab {__version__}\n"


def test_no_command_shows_the_help(capsys):
    assert run([]) == 0
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("bidd", 2, "'bid'"),
        ("games shwo", 2, "'show'"),
        ("zero", 2, "GAME"),
        ("bid oh-hell", 2, "HAND"),
        ("zero oh-hell extra", 2, "extra"),
        ("zero oh-hel", 2, "did you mean 'oh-hell'"),
        ("zero oh-hell --precison 3", 2, "did you mean '--precision'"),
        ("zero oh-hell --variant no-hok", 2, "did you mean 'no-hook'"),
        ("zero oh-hell --set bidding.hok=none", 2, "bidding.hook"),
        ("zero oh-hell --set bidding.hook=nine", 3, "did you mean 'none'"),
        ("zero oh-hell --format jso", 2, "did you mean 'json'"),
        ("zero oh-hell --json --csv", 2, "csv and json"),
        ("zero oh-hell -n 0", 2, "--deals: found '0'"),
        ("zero oh-hell -n many", 2, "--deals: found 'many'"),
        ("zero oh-hell -n", 2, "requires an argument"),
        ("zero oh-hell --cards 0", 2, "--cards: found '0'"),
        ("zero oh-hell --cards 14", 3, "--cards: found 14, expected 1 to 13"),
        ("zero israeli-whist --cards 12", 3, "--cards: found 12, expected 13"),
        ("zero oh-hell --dealer 4", 3, "--dealer: found 4"),
        ("zero oh-hell --seed -1", 2, "--seed: found '-1'"),
        ("zero oh-hell --level 1", 2, "--level: found '1'"),
        ("zero oh-hell --level nan", 2, "--level: found 'nan'"),
        ("zero oh-hell --precision 0", 2, "--precision: found '0'"),
        ("zero oh-hell --seconds -3", 2, "--seconds: found '-3'"),
        ("zero oh-hell -j 0", 2, "--jobs: found '0'"),
        ("zero spanish-solo", 2, "no bids"),
        ("simulate oh-hell --games 2 -n 3", 2, "exclude each other"),
        ("simulate oh-hell --games 2 --cards 3", 2, "exclude each other"),
        ("zero oh-hell --level -.5", 2, "--level: found '-.5'"),
        ("zero oh-hell --precision -.5", 2, "--precision: found '-.5'"),
        ("simulate oh-hell --pool 5", 3, "--pool: found 5, but oh-hell has no pool"),
        ("duel oh-hell random rules --pool 5", 3, "--pool: found 5, but oh-hell has no pool"),
        ("bid oh-hell ..32.A --turnup 2C --pool 5", 3, "--pool: found 5, but oh-hell has no pool"),
        ("simulate spanish-solo --pool 1000000001", 3, "--pool: found 1000000001, expected at most 1,000,000,000 chips"),
        ("duel spanish-solo random rules --pool 99999999999999999999", 3, "--pool: found 99999999999999999999"),
        ("bid spanish-solo 7AK4.73.A53.QJ6 --pool 99999999999999999999", 3, "--pool: found 99999999999999999999"),
        ("simulate oh-hell --records same.json -o ./same.json", 2, "name the same file"),
        ("score fiel", 2, "no game and no file"),
        ("score fiel.jsonl", 1, "fiel.jsonl: no such file; expected deal records"),
        ("bid oh-hell missing/asked", 1, "missing/asked"),
        ("zero oh-hell --variant missing.toml", 1, "missing.toml: no such file; expected a variant in TOML"),
        ("zero oh-hell --policy missing.toml", 1, "missing.toml: no such file; expected a policy in TOML"),
        ("policies check missing.toml", 1, "missing.toml: no such file"),
        ("score oh-hel", 2, "did you mean 'oh-hell'"),
        ("score oh-hell --tricks 1,0,0", 2, "--bids is missing"),
        ("score oh-hell --bids 1,x --tricks 1,0,0", 3, "'1,x'"),
        ("variants show oh-hell nothing", 2, "nothing"),
        ("variants check missing.toml", 1, "missing.toml: no such file; expected a variant in TOML"),
        ("games list -o missing/answer.txt", 1, "cannot write"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(line, code, said, capsys):
    assert run(line.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tricklab")
    assert err.count("\n") == 1
    assert said in err


def test_a_hand_may_start_with_a_dash_for_no_spades(capsys):
    assert run("bid oh-hell -.32..A --turnup 2C -n 10 --policy random -q".split()) == 0


@pytest.mark.parametrize("line", ["bid oh-hell ..32.A --turnup 2C", "zero oh-hell", "duel oh-hell random rules", "simulate oh-hell --records deals.jsonl"])
def test_a_file_that_cannot_be_written_is_told_before_the_work(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Engine, "play", lambda *_: pytest.fail("played"))
    assert run([*line.split(), "-o", "missing/answer.txt"]) == 1
    assert "cannot write 'missing/answer.txt'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_game_is_looked_at_as_a_whole(capsys):
    """100 games at least, and the totals within 100 points: one score is within 100 long before."""
    assert run("simulate oh-hell --games 300 --policy random --precision 100 -q --json".split()) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert games["games"] == 128
    assert max(player["total_high"] - player["total"] for player in games["players"]) <= 100
    assert run("simulate oh-hell --games 200 --policy random --precision 1 -q".split()) == 4


def test_debug_shows_where_an_error_arose(capsys):
    assert run(["zero", "oh-hel", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_fault_is_one_line_too(monkeypatch, capsys):
    monkeypatch.setattr(rules, "games", lambda: 1 / 0)
    assert run(["games"]) == 1
    assert capsys.readouterr().err == "tricklab: a fault in tricklab: ZeroDivisionError: division by zero; please report it with what --debug prints\n"


@pytest.mark.parametrize("line", LISTS)
@pytest.mark.parametrize("format", ["table", "json", "csv", "md"])
def test_lists_come_in_every_format_and_repeat(line, format, capsys):
    answers = []
    for _ in range(2):
        assert run([*line.split(), "--format", format]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert answers[0].endswith("\n")
    if format == "json":
        assert json.loads(answers[0])["schema"] == f"tricklab.{line.split()[0]}/1"


def test_a_variant_shows_what_it_changes(capsys):
    assert run("variants show israeli-whist IW-V6 --json".split()) == 0
    shown = json.loads(capsys.readouterr().out)["results"]
    assert shown == [
        {"field": "score.zero_miss.base", "value": "-25", "base": "-50"},
        {"field": "score.zero_miss.per_trick", "value": "5", "base": "10"},
        {"field": "score.zero_miss.free", "value": "0", "base": "1"},
    ]


def test_a_variant_file_is_checked(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text('base = "oh-hell"\nsummary = "Mine"\n[bidding]\nhook = "none"\n')
    assert run(["variants", "check", str(file)]) == 0
    assert "bidding.hook" in capsys.readouterr().out
    file.write_text('base = "oh-hell"\n[bidding]\nhook = "nothing"\n')
    assert run(["variants", "check", str(file)]) == 3


def test_an_answer_goes_to_a_file(tmp_path, capsys):
    file = tmp_path / "games.json"
    assert run(["games", "--json", "-o", str(file)]) == 0
    assert capsys.readouterr() == ("", "")
    assert json.loads(file.read_text(encoding="utf-8"))["command"] == "games"


def test_ascii_is_ascii(capsys):
    assert run(["games", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()


def test_help_needs_nothing_heavy():
    program = "import sys; from analyzer.cli import run; run(['--help']); print([name for name in ('numpy', 'numba', 'pandas', 'rich') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout
    assert said.splitlines()[-1] == "[]"


def test_who_reads_only_the_first_line_sees_no_traceback():
    program = f"{sys.executable} -c 'from analyzer.cli import main; main()' variants | head -n 1"
    ended = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.startswith("game")
    assert ended.stderr == ""


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        program = "from analyzer.cli import main; main()"
        ended = subprocess.run([sys.executable, "-c", program, "games"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1


def test_groups_of_options_are_spread_out():
    heard = []

    def command(game: str, *, effort: EffortOptions) -> None:
        heard.append((game, effort))

    spread(command)(game="oh-hell", seed=3, level=0.9, jobs=None, precision=None, seconds=None)
    assert heard == [("oh-hell", EffortOptions(seed=3, level=0.9))]


class Interrupted(Exception):
    def __init__(self, done):
        self.done = done


@pytest.fixture
def simulation(monkeypatch):
    """Stand-in for the simulation: chunks of a hundred deals, Ctrl-C after `fake.patience` of them."""

    def run_chunks(run, n, *, jobs, consume, progress, stop):
        done = 0
        while done < n and not stop():
            if done == fake.patience:
                raise Interrupted(done)
            consume(range(100), None)
            done += 100
            progress(done)
        return done

    fake = types.SimpleNamespace(run=run_chunks, make_ready=lambda: None, Interrupted=Interrupted, patience=None)
    monkeypatch.setitem(sys.modules, "analyzer.simulation", fake)
    monkeypatch.setattr(analyzer, "simulation", fake, raising=False)
    monkeypatch.setattr(running, "announce_compile", lambda note: None)
    return fake


def run_deals(off_by=lambda: 1.0, **effort):
    consumed = []
    outcome = running.run_deals(types.SimpleNamespace(games=False), 1000, EffortOptions(**effort), Sink(), lambda facts, _: consumed.extend(facts), off_by)
    assert len(consumed) == outcome.done
    return outcome


def test_a_run_that_is_complete_says_nothing(simulation, capsys):
    outcome = run_deals()
    outcome.close()
    assert outcome.done == 1000
    assert capsys.readouterr() == ("", "")


def test_a_run_stops_when_it_is_precise(simulation, capsys):
    looked = []

    def off_by():
        looked.append(None)
        return 3.0 / len(looked)

    outcome = run_deals(off_by, precision=1.0)
    outcome.close()
    assert outcome.done == 300
    assert capsys.readouterr().err == "note: precise enough after 300 of 1,000 deals\n"


def test_a_precision_that_is_not_reached_is_exit_code_4(simulation):
    outcome = run_deals(precision=0.5)
    with pytest.raises(PrecisionError, match="within 1 points after 1,000 deals, asked for 0.5") as missed:
        outcome.close()
    assert missed.value.exit_code == 4


def test_a_run_stops_by_the_clock_and_names_the_deals(simulation, monkeypatch, capsys):
    ticks = iter(range(100))
    monkeypatch.setattr(running.time, "monotonic", lambda: next(ticks))
    outcome = run_deals(seconds=4.5)
    outcome.close()
    assert 0 < outcome.done < 1000
    assert capsys.readouterr().err == f"note: stopped by the clock after {outcome.done} of 1,000 deals; --deals {outcome.done} prints the same again\n"


def test_the_clock_starts_when_the_kernel_is_ready(simulation, monkeypatch):
    now, run = [0], simulation.run

    def compile_kernel():
        now[0] = 15

    def run_at_once(*run_of, **how):
        compile_kernel()        # unless it is compiled
        return run(*run_of, **how)

    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(simulation, "make_ready", compile_kernel)
    monkeypatch.setattr(simulation, "run", run_at_once)
    assert run_deals(seconds=10).done == 1000


def test_the_kernel_that_is_ready_is_the_one_that_plays():
    make_ready()
    Engine(Run(rules.load("oh-hell"), ["rules"])).play(0, 1)
    assert not JIT or len(entry.play.signatures) == 1


def test_one_deal_is_no_deals(simulation):
    outcome = running.Outcome("deals", 1, Sink())
    running.watch(lambda **_: 1, outcome, EffortOptions(precision=0.5), lambda: 1, lambda: 2.0)
    assert "within 2 points after 1 deal, asked" in outcome.missed


def test_an_interrupted_run_keeps_what_is_done(simulation, capsys):
    simulation.patience = 400
    outcome = run_deals()
    with pytest.raises(typer.Exit) as left:
        outcome.close()
    assert (outcome.done, left.value.exit_code) == (400, 130)
    assert capsys.readouterr().err.startswith("note: interrupted after 400 of 1,000 deals")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals_and_long_runs(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    for stream, quiet, shows in ((Terminal(), False, True), (Terminal(), True, False), (io.StringIO(), False, False)):
        monkeypatch.setattr("sys.stderr", stream)
        now[0] = 0.0
        with progress.Progress(1000, quiet) as shown:
            for done in (100, 200, 300, 400):
                now[0] += 1
                shown(done)
        assert ("[#########.....................]  30%  300 of 1,000  0:07 left" in stream.getvalue()) is shows
        assert "100 of" not in stream.getvalue()
        assert stream.getvalue().endswith("\r\033[K") is shows


def test_a_dealer_is_told_which_bid_the_hook_forbids(capsys):
    dealer = "bid oh-hell A4.K2.T9.7 --turnup 7H --bids 2,1,2 --deals 50 -q".split()
    assert run(dealer) == 0
    assert "The rules forbid 2 here." in capsys.readouterr().out
    assert run([*dealer, "--variant", "no-hook"]) == 0
    assert "forbid" not in capsys.readouterr().out
