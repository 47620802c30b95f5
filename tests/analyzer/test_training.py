"""Training: the same seed trains the same weights, stopping changes nothing, what is learned is stronger, and files say what they hold."""

import json
import runpy
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analyzer import policies, rules, training
from analyzer.cli import run
from analyzer.duel import duel
from analyzer.errors import ImpossibleError, TricklabError, UsageError
from analyzer.policies import NETS, net_size
from analyzer.rulebook import game_names
from analyzer.training import CHANCES, CHOICES, CRITIC, FIRST_GENERATION, LEARNER, REFIT_GENERATIONS, SEATED, Plan, Trainer
from kernels.compiled import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is too slow for training")
GAMES = pytest.mark.parametrize("game", game_names())
SMALL = {"deals": 96, "chunk": 32, "looks": 2, "look_deals": 20, "judge_deals": 20}
KINDS = (".npz", ".card.toml", ".toml")


def small(game="oh-hell", *, settings=("schedule=[3]",), players=3, updates=6, **more):
    return replace(training.plan(game, settings=settings, players=players, updates=updates), **(SMALL | more))


def trained(plan, jobs=1):
    trainer = Trainer(plan)
    trainer.run(jobs=jobs)
    return trainer


def same(one, other):
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


@pytest.fixture(scope="module")
def little():
    """A short training, done."""
    return trained(small())


@pytest.fixture
def quick(monkeypatch):
    """`tricklab train` with few deals at few tables."""
    whole = training.plan

    def plan(*args, **options):
        made = whole(*args, **options)
        return replace(made, tables=made.tables[:2], **SMALL)

    monkeypatch.setattr(training, "plan", plan)


def interrupt(monkeypatch, after):
    """Press Ctrl-C in the update after that many."""
    update = Trainer._updated

    def interrupted(self, jobs):
        if self.state.update == after:
            raise KeyboardInterrupt
        return update(self, jobs)

    monkeypatch.setattr(Trainer, "_updated", interrupted)


def answer(capsys, line):
    code = run(line.split())
    out, err = capsys.readouterr()
    return code, out, err


# ---------------------------------------------------------------- plans

@GAMES
def test_every_game_has_a_plan_of_tables_of_one_family(game):
    plan = training.plan(game, updates=1000)
    assert {policies.net_family(table.rules) for table in plan.tables} == {plan.family} == {game}
    assert plan.judged[0].rules.variant == "base"
    assert plan.generations == sorted(plan.generations)
    assert len(plan.looked_at) == plan.looks
    assert plan.looked_at[-1] == 1000
    assert set(plan.opponents) == {*SEATED, "ancestors"}
    assert set(plan.rates) == {CHOICES, CHANCES, CRITIC}
    assert sum(plan.opponents.values()) < 1


def test_a_table_that_is_named_is_the_only_one():
    for options in ({"variant": "no-hook"}, {"settings": ["play.must_trump=false"]}, {"players": 5}):
        [table] = training.plan("oh-hell", **options).tables
        assert table.judged
    assert table.rules == rules.load("oh-hell", players=5)


def test_a_plan_survives_being_written_down():
    plan = training.plan("oh-hell", "exact+free-discard", ("score.unit=1",), 5, seed=3, updates=7)
    again = Plan.from_json(json.loads(json.dumps(plan.to_json())))
    assert again.to_json() == plan.to_json()
    assert [(table.name, table.rules.fields) for table in again.tables] == [(table.name, table.rules.fields) for table in plan.tables]


@pytest.mark.parametrize("refits", [False, True])
def test_who_sits_where_follows_the_shares_of_the_plan(refits):
    plan = small(players=None, settings=(), deals=32, chunk=32)
    plan = replace(plan, tables=training.plan("jabberwocky").tables)
    trainer = Trainer(plan)
    trainer.state = replace(trainer.state, generations=(trainer.state.values,) * 4)
    seatings = []
    for update in range(4000):
        trainer.state = replace(trainer.state, update=update)
        seatings += trainer._seatings(refits)
    weights = np.array([table.weight for table in plan.tables])
    assert np.bincount([seating.table for seating in seatings]) / len(seatings) == pytest.approx(weights / weights.sum(), abs=0.03)
    for seating in seatings:
        assert len(seating.places) == plan.tables[seating.table].rules.players
        assert seating.learners == sum(1 << place for place, who in enumerate(seating.places) if who == LEARNER) > 0
    others = [set(seating.places) - {LEARNER} for seating in seatings]
    if refits:
        assert set.union(*others) == {FIRST_GENERATION + 4 - 1 - number for number in range(REFIT_GENERATIONS)}
        learners = sum(seating.places.count(LEARNER) - 1 for seating in seatings) / sum(len(seating.places) - 1 for seating in seatings)
        assert learners == pytest.approx(training.REFIT_SEATS, abs=0.02)
    else:
        many = [found for found, seating in zip(others, seatings, strict=True) if len(seating.places) > 2]
        for number, name in enumerate(SEATED):
            assert sum(found == {1 + number} for found in many) / len(many) == pytest.approx(plan.opponents[name], abs=0.02)
        assert sum(not found for found in many) / len(many) == pytest.approx(1 - sum(plan.opponents.values()), abs=0.03)
        assert max(map(len, others)) == 1


# ---------------------------------------------------------------- updates

def test_the_weights_follow_from_the_seed_and_not_from_the_threads(little):
    two = trained(little.plan, jobs=2)
    assert same(two.state.values, little.state.values)
    assert two.state.curve == little.state.curve
    assert not same(trained(replace(little.plan, seed=2)).state.values, little.state.values)


def test_a_step_is_that_of_adam():
    """Algorithm 1 of Kingma and Ba, number by number."""
    trainer = Trainer(small(updates=100))
    rng = np.random.default_rng(1)
    steps = [rng.standard_normal(trainer.state.values["play"].size) for _ in range(3)]
    value, first, second = float(trainer.state.values["play"][5]), 0.0, 0.0
    for number, slopes in enumerate(steps, 1):
        rate = training._at(trainer.plan.rates[CHOICES], trainer.state.update / 100)
        first = 0.9 * first + 0.1 * slopes[5]
        second = 0.999 * second + 0.001 * slopes[5] ** 2
        value += rate * (first / (1 - 0.9**number)) / ((second / (1 - 0.999**number)) ** 0.5 + 1e-8)
        trainer.state = trainer._moved({"play": slopes}, np.zeros_like(trainer.state.report))
    assert trainer.state.values["play"][5] == pytest.approx(value, rel=1e-6)


@GAMES
def test_in_the_last_part_only_chances_learn(game):
    plan = replace(training.plan(game, updates=4), **SMALL)
    plan = replace(plan, tables=plan.tables[:2], refit=0.5)
    trainer = Trainer(plan)
    states = []
    while trainer.state.update < 4:
        states.append(trainer.state.values)
        trainer.state = trainer._updated(1)
    kinds = {name: training.kind_of(plan.family, name) for name in states[0] if name != "gulash"}      # so few deals have none
    assert set(kinds.values()) == {CHOICES, CHANCES, CRITIC}
    for before, after, learns in ((states[0], states[2], True), (states[2], trainer.state.values, False)):
        for name, kind in kinds.items():
            assert (not same({name: before[name]}, {name: after[name]})) is (learns or kind == CHANCES)


def test_generations_are_kept_when_the_plan_says():
    plan = small(updates=8, ancestors=[0.25, 0.5, 1.0])
    trainer = Trainer(plan)
    seen = {}
    while trainer.state.update < 8:
        trainer.state = trainer._updated(1)
        seen[trainer.state.update] = trainer.state.values
    assert plan.generations == [2, 4, 8]
    assert all(same(kept, seen[update]) for kept, update in zip(trainer.state.generations, plan.generations, strict=True))


def test_networks_that_run_away_are_told():
    trainer = Trainer(small(rates={CHOICES: [[0, 1e30]], CHANCES: [[0, 1e38]], CRITIC: [[0, 1e38]]}))
    with pytest.raises(TricklabError, match="run away"), np.errstate(all="ignore"):
        trainer.run(jobs=1)


@pytest.mark.slow
def test_a_short_training_beats_rules_and_what_it_came_from():
    plan = small(updates=1000, deals=1024, chunk=512, looks=1, judge_deals=10_000)
    rows = {row["against"]: row for row in trained(plan).strength(1)}
    assert rows["rules"]["difference_low"] > 0
    assert rows["rules-1"]["difference_low"] > 0.1
    assert rows["update 50"]["difference_low"] > 0.3
    assert all(row["n"] == 10_000 for row in rows.values())


# ---------------------------------------------------------------- stopping and going on

@pytest.mark.parametrize("after", [1, 3, 5, 6])
def test_going_on_is_never_having_stopped(little, tmp_path, after):
    trainer = Trainer(little.plan)
    while trainer.state.update < after:
        if trainer.state.update in trainer.plan.looked_at:
            trainer.state = trainer._look(1)
        trainer.state = trainer._updated(1)
    trainer.checkpoint(tmp_path / "a.npz")
    again = training.resume(tmp_path / "a.npz", "oh-hell")
    again.run(jobs=1)
    assert same(again.state.values, little.state.values)
    assert again.state.curve == little.state.curve
    for name, one in (("one", little), ("other", again)):
        one.save(tmp_path / name, [])
    assert [(tmp_path / f"one{kind}").read_bytes() == (tmp_path / f"other{kind}").read_bytes() for kind in (".npz", ".card.toml")] == [True, True]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.unlink(), "no such file"),
        (lambda path: path.write_bytes(b"nothing"), "no whole checkpoint"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "no whole checkpoint"),
        (lambda path: np.savez(path, other=np.zeros(3)), "no whole checkpoint"),
    ],
)
def test_a_spoilt_checkpoint_is_told(little, tmp_path, spoil, said):
    path = tmp_path / "a.npz"
    little.checkpoint(path)
    spoil(path)
    with pytest.raises(TricklabError, match=said):
        training.resume(path, "oh-hell")


def test_a_checkpoint_of_another_game_or_other_kernels_is_refused(little, tmp_path, monkeypatch):
    little.checkpoint(tmp_path / "a.npz")
    with pytest.raises(ImpossibleError, match="found a training of oh-hell, expected jabberwocky"):
        training.resume(tmp_path / "a.npz", "jabberwocky")
    monkeypatch.setattr("kernels.compiled.source_hash", lambda: "other")
    with pytest.raises(ImpossibleError, match="other kernels"):
        training.resume(tmp_path / "a.npz", "oh-hell")


def test_ctrl_c_keeps_a_checkpoint_and_says_how_to_go_on(quick, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert answer(capsys, "train jabberwocky --updates 6 -j 1 -o whole")[0] == 0
    with monkeypatch.context() as patch:
        interrupt(patch, 4)
        code, out, err = answer(capsys, "train jabberwocky --updates 6 -j 1 -o part --json")
    assert code == 130
    assert "interrupted after 4 of 6 updates; tricklab train jabberwocky --resume part.checkpoint.npz goes on" in err
    document = json.loads(out)
    assert (document["updates"], document["results"], [row["update"] for row in document["curve"]]) == (4, [], [3])
    assert sorted(path.name for path in tmp_path.glob("part*")) == ["part.checkpoint.npz"]
    code, out, _ = answer(capsys, "train jabberwocky --resume part.checkpoint.npz -j 2")
    assert code == 0
    assert not Path("part.checkpoint.npz").exists()
    for kind in KINDS:
        assert Path(f"part{kind}").read_bytes().replace(b"part", b"whole") == Path(f"whole{kind}").read_bytes()


# ---------------------------------------------------------------- files

def test_what_is_written_can_be_played(little, tmp_path):
    little.save(tmp_path / "mine", little.strength(1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.card.toml", "mine.npz", "mine.toml"]
    policy = policies.check(tmp_path / "mine.toml")
    stored = policies.networks(policy.nets, "oh-hell")
    assert same(stored, {name: little.state.values[name] for name in NETS["oh-hell"]})
    row = duel(rules.load("oh-hell", players=3), [str(tmp_path / "mine.toml"), "random"], 20).rows()[0]
    assert row["n"] == 20


def test_a_card_says_what_was_trained_and_how_strong_it_is(little, tmp_path):
    strength = little.strength(1)
    little.save(tmp_path / "mine", strength)
    text = (tmp_path / "mine.card.toml").read_text()
    card = tomllib.loads(text)["oh-hell"]
    assert (card["seed"], card["updates"], card["deals"]) == (1, 6, 6 * SMALL["deals"])
    assert card["fields"]["players"] == ["3"]
    assert card["tables"] == [{"table": "base, 3 players", "weight": 1.0}]
    assert {row["against"] for row in card["strength"]} == {*SEATED, *(f"update {update}" for update in little.plan.generations)}
    assert all(row["difference_low"] < row["difference"] < row["difference_high"] and row["n"] == 20 for row in card["strength"] if row["against"] in SEATED)
    assert [row["update"] for row in card["curve"]] == [3, 6]
    assert str(tmp_path) not in text


@pytest.fixture
def written(little, tmp_path):
    little.save(tmp_path / "mine", [])
    return tmp_path / "mine.toml"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda nets: nets.update({"oh-hell/play": np.zeros(7, np.float32)}), "oh-hell/play: found 7 numbers"),
        (lambda nets: nets.update({"oh-hell/bid": nets["oh-hell/bid"] * np.float32("nan")}), "oh-hell/bid: found a number that is none"),
        (lambda nets: nets.update({"oh-hell/bid": nets["oh-hell/bid"].astype(np.int64)}), "int64"),
        (lambda nets: nets.pop("oh-hell/bid"), f"expected a network of {net_size('oh-hell', 'bid'):,} numbers"),
        (lambda nets: nets.update({"oh-hell/bid": np.array([None])}), "no whole .npz file"),
    ],
)
def test_networks_that_cannot_be_played_are_told(written, spoil, said):
    file = written.with_suffix(".npz")
    with np.load(file) as stored:
        nets = dict(stored)
    spoil(nets)
    np.savez(file, **nets)
    with pytest.raises(ImpossibleError, match=said):
        policies.check(written)


def test_a_file_that_is_none_is_told(written):
    file = written.with_suffix(".npz")
    for content in (b"", b"nothing", file.read_bytes()[:9000]):
        file.write_bytes(content)
        with pytest.raises(ImpossibleError, match=r"mine\.npz: found no whole \.npz file"):
            policies.check(written)


def test_a_card_that_is_none_is_told(written):
    written.with_suffix(".card.toml").write_text("oh-hell = 3\n")
    with pytest.raises(ImpossibleError, match="no card of networks"):
        policies.check(written)


def test_other_families_have_no_networks_there(written):
    with pytest.raises(ImpossibleError, match="found networks of oh-hell"):
        duel(rules.load("israeli-whist"), [str(written), "random"], 10)


def test_rules_that_were_not_trained_on_are_named_once(written, capsys):
    line = f"duel oh-hell {written} random --cards 3 -n 10"
    assert "note" not in answer(capsys, f"{line} --players 3")[2]
    code, _, err = answer(capsys, f"{line} --players 4 --set play.must_trump=false")
    assert code == 0
    assert err.count("mine plays here by its networks of oh-hell, which were not trained on play.must_trump=false, players=4\n") == 1
    assert "not trained" not in answer(capsys, f"{line} --players 4 -q")[2]
    assert "which were not trained on cards=5\n" in answer(capsys, f"duel oh-hell {written} random --cards 5 -n 10 --players 3")[2]
    assert "cards=1/2/4/5/6/7/8/9/10/11/12/13/14/15/16/17\n" in answer(capsys, f"duel oh-hell {written} random -n 10 --players 3")[2]


def test_policies_show_what_networks_were_trained_on(little, tmp_path, capsys):
    little.save(tmp_path / "mine", little.strength(1))
    _, out, _ = answer(capsys, f"policies show {tmp_path / 'mine.toml'}")
    assert "Networks for oh-hell: 6 updates" in out
    assert "rules-1" in out
    _, out, _ = answer(capsys, f"policies show {tmp_path / 'mine.toml'} --json")
    document = json.loads(out)
    assert document["nets"] == "mine.npz"
    assert document["cards"]["oh-hell"]["updates"] == 6


def test_trained_games_are_merged_into_one_file(little, tmp_path, monkeypatch, capsys):
    other = Trainer(small("jabberwocky"))
    for name, trainer in (("one", little), ("two", other)):
        trainer.save(tmp_path / name, [])
    script = Path(__file__).parents[2] / "scripts" / "merge_nets.py"
    monkeypatch.setattr("sys.argv", ["merge_nets.py", *(str(tmp_path / name) for name in ("both", "one", "two"))])
    runpy.run_path(str(script), run_name="__main__")
    assert "oh-hell, jabberwocky" in capsys.readouterr().out
    for family, trainer in (("oh-hell", little), ("jabberwocky", other)):
        nets = policies.networks(str(tmp_path / "both.npz"), family)
        assert same(nets, {name: trainer.state.values[name] for name in NETS[family]})
    assert policies.cards(str(tmp_path / "both.npz")).keys() == {"oh-hell", "jabberwocky"}


def test_toml_reads_as_it_was_written():
    below = {"e": {"f": True}, "rows": [{"x": 1, "y": "z"}, {"x": 2}]}
    table = {"a": 1, "b.c": [1, 2.5], "text": 'a "quoted" \\ name', "d": below, "empty": []}
    assert tomllib.loads(training.toml({**table, "none": None})) == table


# ---------------------------------------------------------------- the command

def test_the_answer_and_the_curve(quick, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = answer(capsys, "train oh-hell --updates 4 -j 1")
    assert code == 0
    assert out.startswith("oh-hell, trained at 2 tables, 4 updates")
    assert out.endswith("Policy: oh-hell.toml\n")
    assert [line.split("  ")[0] for line in err.splitlines() if line.startswith("update")] == ["update 2 of 4", "update 4 of 4"]
    assert "over rules" in err
    assert "--updates 4 trains the same again: 384 deals at 2 tables" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["oh-hell.card.toml", "oh-hell.npz", "oh-hell.toml"]


@pytest.mark.parametrize("format", ["json", "csv", "md"])
def test_every_format(quick, tmp_path, capsys, format):
    code, out, err = answer(capsys, f"train oh-hell --players 3 --updates 2 -j 1 -q --format {format} -o {tmp_path}")
    assert (code, err) == (0, "")
    if format == "json":
        document = json.loads(out)
        assert document["schema"] == "tricklab.train/1"
        assert (document["updates"], document["deals"], document["tables"]) == (2, 192, ["base, 3 players"])
        assert document["results"][0]["against"] == "rules"
        assert len(document["curve"]) == 2
    else:
        assert "rules-1" in out


def test_a_training_by_the_clock_names_its_updates(quick, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "PACE_SECONDS", 0.01)
    monkeypatch.setattr(training, "FEWEST_UPDATES", 3)
    code, _, err = answer(capsys, f"train oh-hell --players 3 --minutes 0.00001 -j 1 -o {tmp_path}/clock")
    assert code == 0
    assert "--updates 3 trains the same again" in err
    answer(capsys, f"train oh-hell --players 3 --updates 3 -j 1 -o {tmp_path}/again")
    assert (tmp_path / "clock.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_more_minutes_hold_more_updates(monkeypatch):
    monkeypatch.setattr(training, "PACE_SECONDS", 0.01)
    trainer = Trainer(small())
    state = trainer.state
    assert training.FEWEST_UPDATES == trainer.updates_within(1e-6, 1) < trainer.updates_within(5, 1)
    assert trainer.state is state


def test_a_training_may_begin_with_the_networks_of_a_policy(quick, written, tmp_path, capsys):
    code, _, _ = answer(capsys, f"train oh-hell --players 3 --updates 1 --from {written} -j 1 -o {tmp_path}/on")
    assert code == 0
    assert tomllib.loads((tmp_path / "on.card.toml").read_text())["oh-hell"]["begun_from"] == "mine"
    with np.load(tmp_path / "on.npz") as after, np.load(written.with_suffix(".npz")) as before:
        assert 0 < np.abs(after["oh-hell/bid"] - before["oh-hell/bid"]).max() < 0.05
    with pytest.raises(UsageError, match="no networks"):
        Trainer(small(), start="rules")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("train", 2, "GAME"),
        ("train oh-hel", 2, "did you mean 'oh-hell'"),
        ("train oh-hell --variant no-hok", 2, "no-hook"),
        ("train oh-hell --set play.must_trump=7", 3, "play.must_trump"),
        ("train oh-hell --players 9", 3, "9 players"),
        ("train oh-hell --minutes 0", 2, "--minutes"),
        ("train oh-hell --minutes 1e9", 2, "--minutes"),
        ("train oh-hell --updates 0", 2, "--updates"),
        ("train oh-hell --minutes 1 --updates 1", 2, "exclude each other"),
        ("train oh-hell --seed -1", 2, "--seed"),
        ("train oh-hell --from nobody", 2, "'nobody'"),
        ("train oh-hell --from rules", 2, "no networks"),
        ("train oh-hell --resume nothing.npz", 1, "no such file"),
        ("train oh-hell --resume nothing.npz --seed 3 --players 3", 2, "leave out --players, --seed"),
        ("train oh-hell -o nowhere/deep/x", 1, "cannot write"),
        ("train oh-hell -o taken", 1, "taken.toml exists already"),
        ("train oh-hell -o taken.toml", 1, "taken.toml exists already"),
        ("train oh-hell -o stopped", 1, "--resume stopped.checkpoint.npz goes on"),
    ],
)
def test_an_error_is_one_line_before_any_work(line, code, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Trainer, "_updated", None)
    for name in ("taken.toml", "stopped.checkpoint.npz"):
        Path(name).write_bytes(b"")
    assert run(line.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stopped.checkpoint.npz", "taken.toml"]
