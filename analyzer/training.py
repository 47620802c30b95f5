"""Training of learned players by self-play: updates that follow from a plan and its seed alone, a learning curve, weights and their card.

An update plays some deals at tables drawn from the plan, sums the slopes of what the learners should have chosen (`kernels.learning`) and moves the networks
along them by Adam. The other seats are the learner itself, rules, or earlier generations of the learner. In the last part of the plan only bids learn: they are
fitted to play that no longer changes and to the bids of the last generations together, because fitted to the newest alone they oscillate.

The only caller of `kernels.learning`.
"""

import io
import json
import os
import subprocess
import tempfile
import time
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer import __version__, simulation
from analyzer import policies as policy_files
from analyzer import rules as rule_books
from analyzer.duel import Duel
from analyzer.errors import ImpossibleError, TricklabError, UsageError, shown
from analyzer.output import check_writable, writing
from analyzer.policies import NETS, Policy, net_family, networks, trained_fields, usual_stake
from analyzer.rulebook import BASE
from analyzer.rules import Rules
from kernels import layout
from kernels.layout import Player

Numbers = NDArray[np.float64]
Values = dict[str, NDArray[np.float32]]      # by network, the critic among them
Schedule = list[list[float]]                 # points [share of the training done, value], straight in between
Row = dict[str, Any]

SEATED = ("rules", "rules-1")                # who else sits at the tables; places among the policies of an engine: 0 the learner, then these, then generations
LEARNER = 0
FIRST_GENERATION = 1 + len(SEATED)
PARTNER = 1 / 3                              # chance that a second seat among opponents is the learner
COUNTED = {"call": "CALLS", "gulash": "CALLS", "bid": "BIDS", "contract": "BIDS", "pass": "BIDS"}      # in the kernels' report; others: PLAYS
REFIT_SEATS = 0.5                            # chance that a seat is the learner while bids are refitted, else it is one of the last generations
REFIT_GENERATIONS = 3
SHARP = 1000.0                               # times the scores of cards and calls while bids are refitted: what is drawn is then the best, as at the table
CHOICES, CHANCES, CRITIC = "choices", "chances", "critic"      # kinds of networks: cards and calls are chosen by scores, bids by what may become of them
START, START_OUT, START_CHANCES = 0.8, 0.1, 0.05      # first weights: times 1 / sqrt(inputs); to the score; to the chances
MOMENTUM, SPREAD, TINY = 0.9, 0.999, 1e-8    # of Adam
JUDGE_SEED = 1_000_003                       # of the deals that measure strength: others than those trained on, which have the seed of the plan
FEWEST_UPDATES = 20                          # that a training by the clock makes
PACE_SECONDS = 3.0                           # of playing that tell how fast this machine is
CHECKPOINT = ".checkpoint.npz"
DIGITS = 4                                   # of the numbers in a card
LEVEL = 0.95                                 # of all intervals
ENDS = ("", "_low", "_high")


@dataclass(frozen=True)
class Table:
    """A table that is trained at, drawn by its weight; strength is measured at the judged ones."""

    rules: Rules
    pool: int = 0
    weight: float = 1.0
    judged: bool = False
    cards: int | None = None        # a hand, those of the schedule if None

    @property
    def name(self) -> str:
        """What answers and cards call it."""
        return f"{self.rules.variant}, {self.rules.players} players" + (f", pool {self.pool}" if self.pool else "")


@dataclass(frozen=True)
class Plan:
    """Everything that a training follows from. Numbers and schedules are explained in `data/training/israeli-whist.toml`."""

    game: str
    seed: int
    updates: int
    tables: tuple[Table, ...]
    deals: int
    chunk: int
    refit: float
    ancestors: list[float]
    explore: Schedule
    variety: Schedule
    trace: float
    rates: dict[str, Schedule]
    opponents: dict[str, float]
    looks: int
    look_deals: int
    judge_deals: int

    @property
    def family(self) -> str:
        """Whose networks are trained."""
        return net_family(self.tables[0].rules)

    @property
    def refit_from(self) -> int:
        """The first update of bids alone."""
        return round(self.updates * (1 - self.refit))

    @cached_property
    def generations(self) -> list[int]:
        """Updates after which the networks are kept as opponents."""
        return sorted({max(1, round(share * self.updates)) for share in self.ancestors})

    @cached_property
    def looked_at(self) -> list[int]:
        """Updates after which the learning curve gets a point."""
        return sorted({max(1, round(self.updates * look / self.looks)) for look in range(1, self.looks + 1)})

    @property
    def judged(self) -> list[Table]:
        """The tables at which strength is measured, the curve's first."""
        return [table for table in self.tables if table.judged]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data, with the rules of its tables in full."""
        tables = [
            {"game": table.rules.game, "variant": table.rules.variant, "players": table.rules.players, "rules": table.rules.fields, "pool": table.pool,
             "weight": table.weight, "judged": table.judged, "cards": table.cards}
            for table in self.tables
        ]  # fmt: skip
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "tables": tables}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Plan":
        """Return the plan of plain data that `to_json` made."""
        tables = []
        for table in data["tables"]:
            rules = rule_books.load(table["game"], settings=table["rules"], players=table["players"])
            tables.append(Table(replace(rules, variant=table["variant"]), table["pool"], table["weight"], table["judged"], table["cards"]))
        return cls(**{**data, "tables": tuple(tables)})


def plan(
    game: str, variant: str | None = None, settings: Sequence[str] = (), players: int | None = None, *, seed: int = 1, updates: int = FEWEST_UPDATES
) -> Plan:
    """Return the plan of a game: all tables of its family, or the one of a variant, of settings or of a number of players.

    Raises
    ------
    UsageError, RulesError
        As `rules.load`.
    """
    rules = rule_books.load(game, variant or BASE, settings, players)
    recipe = tomllib.loads((policy_files.DATA / "training" / f"{game}.toml").read_text(encoding="utf-8"))
    groups = recipe.pop("tables")
    tables = [Table(rules, judged=True)] if variant is not None or settings or players is not None else [
        table for group in groups for table in _group(game, group)
    ]
    return Plan(game=game, seed=seed, updates=updates, tables=tuple(tables), **recipe)


def _group(game: str, group: Mapping[str, Any]) -> Iterator[Table]:
    combinations = list(product(group["variants"], group.get("players", [None]), group.get("pools", [0])))
    for variant, players, pool in combinations:
        yield Table(rule_books.load(game, variant, players=players), pool, group["weight"] / len(combinations), group.get("judged", False))


@dataclass(frozen=True)
class State:
    """A training between two updates."""

    update: int
    values: Values
    first: dict[str, Numbers]            # moments of Adam
    second: dict[str, Numbers]
    steps: dict[str, int]
    report: Numbers                      # of `kernels.learning`, since the last point of the curve
    generations: tuple[Values, ...]
    looked: Values                       # the networks at the last point of the curve
    curve: tuple[Row, ...]


def beginning(plan: Plan, start: Values | None = None) -> State:
    """Return the training before its first update, from networks drawn from the seed or from given ones."""
    rng = np.random.default_rng(plan.seed)
    values: Values = {}

    def rows(inputs: int) -> Numbers:
        drawn: Numbers = rng.standard_normal((inputs, layout.UNITS)) * (START / np.sqrt(inputs))
        return drawn

    def put(name: str, *parts: Numbers) -> None:
        values[name] = np.concatenate([part.ravel() for part in parts]).astype(np.float32)

    for name, (n_shared, n_own, outputs) in NETS[plan.family].items():
        if outputs == 1:
            put(name, rows(n_shared + n_own), rng.standard_normal(layout.UNITS) * START_OUT)
        else:
            put(name, rows(n_shared + n_own), rng.standard_normal((layout.UNITS, outputs)) * START_CHANCES, np.zeros(outputs))
    put(CRITIC, *(part for n_shared in kernel().CRITICS[_deals_of(plan.family)] for part in (rows(n_shared), np.zeros(layout.UNITS))))
    values |= start or {}
    none = {name: np.zeros(value.size) for name, value in values.items()}
    return State(0, values, none, none, dict.fromkeys(values, 0), np.zeros(kernel().REPORTED), (), values, ())


def kernel() -> ModuleType:
    """Return `kernels.learning`, and tell why the first training on a machine starts late before it does."""
    from kernels import compiled, learning

    if compiled.JIT and not learning.learn.signatures and not compiled.is_warm(learning.learn):
        simulation.tell("first training: compiling for this machine, about 20 s; later ones start at once")
    return learning


@dataclass(frozen=True)
class Seating:
    """Who sits where for one chunk of deals."""

    table: int
    places: tuple[int, ...]      # policies of the engine, from the dealer's next
    learners: int                # bits of the places that learn


class Trainer:
    """A training: `run` it, `save` what it learned.

    Parameters
    ----------
    plan : what it follows from
    state : where it goes on, left out: at the beginning
    start : name of a policy whose networks it begins with
    """

    def __init__(self, plan: Plan, state: State | None = None, start: str | None = None) -> None:
        self.plan = plan
        self.start = start
        self.state = state or beginning(plan, _nets_of(start, plan.family) if start else None)
        names = ["learner", *(f"generation-{number}" for number in range(len(plan.ancestors)))]
        learner, *generations = (self._policy(name, self.state.values) for name in names)
        self._engines = [
            simulation.Engine(simulation.Run(table.rules, [learner, *SEATED, *generations], plan.seed, table.cards, pool=table.pool)) for table in plan.tables
        ]

    # ---------------------------------------------------------------- updates

    def run(
        self, to: int | None = None, *, jobs: int | None = None, progress: Callable[[int], None] | None = None, looked: Callable[[Row], None] | None = None
    ) -> None:
        """Make the updates that are left.

        Parameters
        ----------
        to : stop after this update
        jobs : threads, all cores if None; the result does not depend on it
        progress : gets the number of updates so far
        looked : gets every new point of the learning curve

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C; `state` is the training after its last whole update.
        TricklabError
            The numbers have run away.
        """
        while True:
            if self.state.update in self.plan.looked_at and self.state.update not in (row["update"] for row in self.state.curve[-1:]):
                self.state = self._look(jobs)
                if looked:
                    looked(self.state.curve[-1])
            if self.state.update in (to, self.plan.updates):
                return
            self.state = self._updated(jobs)
            if progress:
                progress(self.state.update)

    def updates_within(self, minutes: float, jobs: int | None = None) -> int:
        """Return how many updates a number of minutes holds on this machine, points of the curve and the judging left out. Looks at the clock."""
        plan, state = self.plan, self.state
        self.plan = replace(plan, updates=10**9)       # all of them at the beginning
        self._updated(jobs)                            # compiles
        started, n = time.monotonic(), 0
        while n == 0 or time.monotonic() < started + PACE_SECONDS:
            self.state = self._updated(jobs)
            n += 1
        pace = (time.monotonic() - started) / n
        self.plan, self.state = plan, state
        judged = (1 + len(plan.judged)) * len(SEATED) * plan.judge_deals + 2 * plan.looks * plan.look_deals
        tables = 1 + max(table.rules.players for table in plan.tables)       # a duplicate deal is played at
        return max(FEWEST_UPDATES, int((60 * minutes - judged * tables * pace / plan.deals) / pace))

    def _updated(self, jobs: int | None) -> State:
        """Return the training after one more update."""
        plan, state, learning = self.plan, self.state, kernel()
        share = state.update / plan.updates
        refits = state.update >= plan.refit_from
        variety = _at(plan.variety, share)
        seatings = self._seatings(refits)
        for number in {seating.table for seating in seatings}:
            self._seat(self._engines[number], refits, _at(plan.explore, share))

        def work(first: int, n: int) -> tuple[NDArray[np.float32], ...]:
            seating = seatings[first // plan.chunk]
            engine = self._engines[seating.table]
            setup = engine.setup.copy()
            setup["first"] = state.update * plan.deals + first
            slopes = np.zeros(sum(learning.SIZES[_deals_of(plan.family)].values()), np.float32)
            critic_slopes = np.zeros_like(state.values[CRITIC])
            report = np.zeros(learning.REPORTED)
            learning.learn(
                engine.rules, engine.policies[list(seating.places)], engine.weights, setup, np.zeros(1, layout.TABLE), np.zeros(1, layout.DEAL),
                np.zeros(n, layout.FACTS), seating.learners, 1 / usual_stake(plan.tables[seating.table].rules), variety, plan.trace,
                state.values[CRITIC], slopes, critic_slopes, report,
            )  # fmt: skip
            return slopes, critic_slopes, report

        parts: list[tuple[NDArray[np.float32], ...]] = []
        simulation.by_chunk(work, plan.deals, plan.chunk, jobs=jobs, consume=parts.append)
        slopes, critic_slopes, report = (np.array(kind, np.float64).sum(axis=0) for kind in zip(*parts, strict=True))
        means = _means(plan.family, slopes, critic_slopes, report)
        return self._moved({name: slope for name, slope in means.items() if kind_of(plan.family, name) == CHANCES or not refits}, report)

    def _seatings(self, refits: bool) -> list[Seating]:
        """Return who sits where in every chunk of the next update, drawn from the seed and the number of the update."""
        plan, state = self.plan, self.state
        rng = np.random.default_rng([plan.seed, state.update])
        n_chunks = -(-plan.deals // plan.chunk)
        weights = np.cumsum([table.weight for table in plan.tables])
        tables = np.searchsorted(weights / weights[-1], (np.arange(n_chunks) + rng.random()) / n_chunks, side="right")     # spread evenly over the plan
        return [Seating(int(table), *self._seated(rng, plan.tables[table].rules.players, refits)) for table in tables]

    def _seated(self, rng: np.random.Generator, n: int, refits: bool) -> tuple[tuple[int, ...], int]:
        """Return the policies of n places and the bits of those that learn."""
        n_generations = len(self.state.generations)
        places = [LEARNER] * n
        seat, other, draw = (int(rng.random() * n), rng.random(), rng.random())
        if refits:
            last = min(n_generations, REFIT_GENERATIONS)
            for place in range(n):
                if rng.random() >= REFIT_SEATS and place != seat and last:
                    places[place] = FIRST_GENERATION + n_generations - 1 - int(rng.random() * last)
        else:
            others = [*SEATED, *(["ancestors"] if n_generations else [])]
            for number, name in enumerate(others):
                draw -= self.plan.opponents[name]
                if draw < 0:
                    places = [1 + number if number < len(SEATED) else FIRST_GENERATION + int(other * n_generations)] * n
                    places[seat] = LEARNER
                    if rng.random() < PARTNER:
                        places[(seat + 2) % n] = LEARNER
                    break
        return tuple(places), sum(1 << place for place, policy in enumerate(places) if policy == LEARNER)

    def _seat(self, engine: simulation.Engine, refits: bool, explore: float) -> None:
        """Give an engine the networks as they are now."""
        values = dict(self.state.values)
        if refits:
            for name in (name for name in values if kind_of(self.plan.family, name) == CHOICES):
                values[name] = np.concatenate([values[name][:-layout.UNITS], values[name][-layout.UNITS:] * np.float32(SHARP)])
        floats = engine.weights.view(np.float32)
        for place, nets in [(LEARNER, values), *enumerate(self.state.generations, FIRST_GENERATION)]:
            for name in NETS[self.plan.family]:
                at = int(engine.policies[f"net_{name}"][place])
                floats[at:at + nets[name].size] = nets[name]
        engine.policies["draw"][LEARNER], engine.policies["explore"][LEARNER] = 1, explore

    def _moved(self, slopes: Mapping[str, Numbers], report: Numbers) -> State:
        """Return the training after a step along the mean slopes of networks. Source: D. P. Kingma, J. Ba, Adam, ICLR 2015, algorithm 1."""
        plan, state = self.plan, self.state
        values, first, second, steps = dict(state.values), dict(state.first), dict(state.second), dict(state.steps)
        for name, slope in slopes.items():
            steps[name] += 1
            first[name] = MOMENTUM * first[name] + (1 - MOMENTUM) * slope
            second[name] = SPREAD * second[name] + (1 - SPREAD) * slope ** 2
            pull = first[name] / (1 - MOMENTUM ** steps[name]) / (np.sqrt(second[name] / (1 - SPREAD ** steps[name])) + TINY)
            rate = _at(plan.rates[kind_of(plan.family, name)], state.update / plan.updates)
            values[name] = values[name] + (rate * pull).astype(np.float32)
        update = state.update + 1
        generations = state.generations + ((values,) if update in plan.generations else ())
        return replace(
            state, update=update, values=values, first=first, second=second, steps=steps, report=state.report + report, generations=generations
        )

    def _policy(self, name: str, values: Values) -> Policy:
        """Return networks as a policy."""
        return replace(policy_files.load("rules"), name=name, player=Player.LEARNED, learned={net: values[net] for net in NETS[self.plan.family]})

    # ---------------------------------------------------------------- strength

    def _look(self, jobs: int | None) -> State:
        """Return the training with one more point on its learning curve."""
        plan, state, learning = self.plan, self.state, kernel()
        if not all(np.isfinite(value).all() for value in state.values.values()):
            raise TricklabError(f"training: the networks have run away by update {state.update:,}; another --seed, or smaller rates in the plan")
        now, before = self._policy("now", state.values), self._policy("before", state.looked)
        against_rules, against_itself = (self._judged(plan.judged[0], now, other, plan.look_deals, jobs) for other in (SEATED[0], before))
        report = state.report
        row = {
            "update": state.update,
            "deals": state.update * plan.deals,
            "made": against_itself["exact_rate"],
            "critic_r2": 1 - report[learning.PLAY_ERROR] / report[learning.PLAY_SPREAD] if report[learning.PLAYS] else None,
            "bid_loss": report[learning.BID_LOSS] / report[learning.BIDS],
            **{f"{who}{end}": judged[f"difference{end}"] for who, judged in (("rules", against_rules), ("ancestor", against_itself)) for end in ENDS},
        }
        return replace(state, curve=(*state.curve, _rounded(row)), looked=state.values, report=np.zeros_like(report))

    def strength(self, jobs: int | None = None, progress: Callable[[int], None] | None = None) -> list[Row]:
        """Return what the networks gain at the judged tables in one seat among others, in points a deal.

        Returns
        -------
        list of dict: table, players, against, difference, exact_rate and n as in `Duel.rows`; `against` is a policy, or at the first table also
        "update N", the generation kept after that update
        """
        plan, rows = self.plan, []
        now = self._policy("trained", self.state.values)
        contests: list[tuple[Table, Policy | str, str]] = [(table, name, name) for table in plan.judged for name in SEATED]
        for number, (update, generation) in enumerate(zip(plan.generations, self.state.generations, strict=False)):
            contests.append((plan.judged[0], self._policy(f"kept-{number}", generation), f"update {update}"))
        for done, (table, other, name) in enumerate(contests, 1):
            row = self._judged(table, now, other, plan.judge_deals, jobs)
            rows.append(_rounded({"table": table.name, "players": table.rules.players, "against": name, **row}))
            if progress:
                progress(done)
        return rows

    def _judged(self, table: Table, policy: Policy, other: Policy | str, deals: int, jobs: int | None) -> Row:
        contest = Duel(table.rules, [policy, other], seed=JUDGE_SEED, pool=table.pool)
        contest.run(deals, jobs=jobs)
        row = contest.rows(LEVEL)[0]
        return {name: row[name] for name in (*(f"{what}{end}" for what in ("difference", "exact_rate") for end in ENDS), "n")}

    # ---------------------------------------------------------------- files

    def _packed(self, values: Values) -> bytes:
        return npz({f"{self.plan.family}/{name}": values[name] for name in NETS[self.plan.family]})

    def save(self, file: Path, strength: Sequence[Row]) -> None:
        """Write what was learned: FILE.npz, its card FILE.card.toml and the policy FILE.toml; `file` is the name without ending."""
        plan = self.plan
        where = f"{len(plan.tables)} kinds of tables" if len(plan.tables) > 1 else plan.tables[0].name
        summary = f"networks trained for {plan.game} ({where}), {plan.updates:,} updates of {plan.deals:,} deals, seed {plan.seed}"
        _put(beside(file, ".npz"), self._packed(self.state.values))
        with writing(beside(file, ".card.toml")) as stream:
            stream.write(toml({plan.family: self.card(strength)}))
        with writing(beside(file, ".toml")) as stream:
            stream.write(policy_text(f"{file.name}.npz", summary))

    def card(self, strength: Sequence[Row]) -> dict[str, Any]:
        """Return what the networks were trained on and how strong they are."""
        from kernels.compiled import source_hash

        plan = self.plan
        return {
            "game": plan.game,
            "begun_from": Path(self.start).stem if self.start else None,
            "seed": plan.seed,
            "updates": plan.updates,
            "deals": plan.updates * plan.deals,
            "generations": plan.generations,
            "version": __version__,
            "kernels": source_hash(),
            "commit": _commit(),
            "fields": trained_fields([table.rules for table in plan.tables]),
            "tables": [{"table": table.name, "weight": round(table.weight, DIGITS)} for table in plan.tables],
            "strength": list(strength),
            "curve": list(self.state.curve),
        }

    def checkpoint(self, file: Path) -> None:
        """Write everything that `resume` needs to go on."""
        from kernels.compiled import source_hash

        state = self.state
        about = {
            "plan": self.plan.to_json(), "start": self.start, "update": state.update, "steps": state.steps, "curve": state.curve,
            "version": __version__, "kernels": source_hash(),
        }  # fmt: skip
        groups: dict[str, Mapping[str, NDArray[Any]]] = {"values": state.values, "first": state.first, "second": state.second, "looked": state.looked}
        groups |= {f"generation {number}": values for number, values in enumerate(state.generations)}
        arrays: dict[str, NDArray[Any]] = {f"{group}/{name}": value for group, values in groups.items() for name, value in values.items()}
        _put(file, npz({"about": np.array(json.dumps(about)), "report": state.report, **arrays}))


def resume(file: Path, game: str) -> Trainer:
    """Return the training of a checkpoint.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    ImpossibleError
        It is no checkpoint, that of another game, or of another version of the kernels, which would not go on alike.
    """
    from kernels.compiled import source_hash

    try:
        with np.load(file) as stored:
            arrays = {key: stored[key] for key in stored}
        about = json.loads(str(arrays.pop("about")))
    except FileNotFoundError:
        raise TricklabError(f"{file}: no such file; expected the checkpoint of an interrupted training") from None
    except (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error):
        raise ImpossibleError(f"{file}: no whole checkpoint; expected one that an interrupted tricklab train wrote") from None
    if about["plan"]["game"] != game:
        raise ImpossibleError(f"{file}: found a training of {about['plan']['game']}, expected {game}; name that game")
    if about["kernels"] != source_hash():
        raise ImpossibleError(f"{file}: made by other kernels ({about['kernels']}), expected {source_hash()}: it would not go on alike; train anew")
    groups: dict[str, dict[str, Any]] = {}
    report = arrays.pop("report")
    for key, value in arrays.items():
        group, _, name = key.partition("/")
        groups.setdefault(group, {})[name] = value
    values, first, second, looked = (groups.pop(name) for name in ("values", "first", "second", "looked"))
    generations = tuple(groups[f"generation {number}"] for number in range(len(groups)))
    state = State(about["update"], values, first, second, about["steps"], report, generations, looked, tuple(about["curve"]))
    return Trainer(Plan.from_json(about["plan"]), state, about["start"])


def target(output: Path | None, game: str, resumed: Path | None = None) -> Path:
    """Return the name, without ending, of the files of a training: in a folder it is called after its game, a resumed one after its checkpoint.

    Raises
    ------
    TricklabError
        A file of this name exists already or cannot be written.
    """
    if output is None and resumed is not None:
        file = resumed.with_name(resumed.name.removesuffix(CHECKPOINT).removesuffix(".npz"))
    elif output is None or output.is_dir():
        file = (output or Path()) / game
    else:
        file = output.with_suffix("") if output.suffix in (".toml", ".npz") else output
    for ending in (".npz", ".card.toml", ".toml", CHECKPOINT):
        path = beside(file, ending)
        if path.exists() and path != resumed:
            instead = f"--resume {path} goes on with it" if ending == CHECKPOINT else "remove it"
            raise TricklabError(f"{path} exists already; name another file with -o, or {instead}")
        check_writable(path)
    return file


def beside(file: Path, ending: str) -> Path:
    """Return one of the files of a training."""
    return file.with_name(file.name + ending)


def policy_text(nets: str, summary: str) -> str:
    """Return a policy file of networks that lie beside it."""
    return toml({"base": "rules", "player": "learned", "nets": nets, "summary": summary})


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as an .npz file; the same arrays give the same bytes."""
    stream = io.BytesIO()
    np.savez(stream, **dict(arrays))     # type: ignore[arg-type]
    return stream.getvalue()


def toml(table: Mapping[str, Any], path: str = "") -> str:
    """Return plain data as TOML: what is no table first, lists of tables one to a line, then tables; None is left out."""
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None and key not in tables]
    parts = ["\n".join([*([f"[{path}]"] if path else []), *lines])] if lines else []
    parts += [toml(value, f"{path}.{_key(key)}".lstrip(".")).rstrip() for key, value in tables.items()]
    return "\n\n".join(parts) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None) + " }"
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return "[\n" + "".join(f"  {_value(item)},\n" for item in value) + "]"
    return json.dumps(value)


def _key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() else json.dumps(key)


def _put(path: Path, content: bytes) -> None:
    """Write a file that appears complete or not at all."""
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.resolve().parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def kind_of(family: str, name: str) -> str:
    """Return whether a network scores choices, gives chances or is the critic."""
    return CRITIC if name == CRITIC else CHOICES if NETS[family][name][2] == 1 else CHANCES


def _deals_of(family: str) -> str:
    """Return the name that `kernels.learning` has for a family."""
    return family if family == "spanish-solo" else "exact-bid"


def _means(family: str, slopes: Numbers, critic_slopes: Numbers, report: Numbers) -> dict[str, Numbers]:
    """Return the mean slopes of a decision, by network, of those that decided anything."""
    learning = kernel()
    sizes = learning.SIZES[_deals_of(family)]
    counts = {name: report[getattr(learning, COUNTED.get(name, "PLAYS"))] for name in sizes}
    parts = np.split(slopes, np.cumsum(list(sizes.values()))[:-1])
    means = {name: part / counts[name] for name, part in zip(sizes, parts, strict=True) if name in NETS[family] and part.any()}
    lengths = [(n_shared + 1) * layout.UNITS for n_shared in learning.CRITICS[_deals_of(family)]]
    critics = zip(np.split(critic_slopes, np.cumsum(lengths)[:-1]), (n for name, n in counts.items() if COUNTED.get(name) != "BIDS"), strict=True)
    return {**means, CRITIC: np.concatenate([part / max(n, 1) for part, n in critics])}


def _nets_of(policy: str, family: str) -> Values:
    """Return the networks that a policy has for a family."""
    nets = policy_files.load(policy).nets
    if nets is None:
        raise UsageError(f"--from: {shown(policy)} has no networks, expected a learned policy")
    return networks(nets, family)


def _at(schedule: Schedule, share: float) -> float:
    return float(np.interp(share, [point[0] for point in schedule], [point[1] for point in schedule]))


def _rounded(row: Row) -> Row:
    return {name: round(float(value), DIGITS) if isinstance(value, float) else value for name, value in row.items()}


def _commit() -> str | None:
    """Return the commit that these sources are of, where they lie in a repository of their own."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return None
    try:
        return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
