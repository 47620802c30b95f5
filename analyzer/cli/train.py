"""tricklab train"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analyzer.cli.options import Game, OutputOptions, command, count, option, quantity
from analyzer.errors import INTERRUPTED, UsageError, counted

MINUTES = 20.0
LONGEST = 10_000.0      # minutes
MOST_UPDATES = 10**7


@dataclass(frozen=True)
class TrainedOptions(OutputOptions):
    """Where the weights go, and what the answer looks like."""

    output: Annotated[Path | None, option("-o", "--output", metavar="FILE", help="Name of the policy, or a folder; GAME.toml here without it.")] = None


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "train")
    def train(
        game: Game,
        *,
        variant: Annotated[str | None, option("--variant", metavar="NAME", help="Train for this rule variant alone: a name or a TOML file.")] = None,
        set: Annotated[list[str] | None, option("--set", metavar="FIELD=VALUE", help="Train for these rules alone; repeat for more.")] = None,
        players: Annotated[int | None, count("--players", low=1, help="Train for this number of seats alone.")] = None,
        minutes: Annotated[
            float | None, quantity("--minutes", metavar="M", below=LONGEST, help="Train for about M minutes.", default=f"{MINUTES:g}")
        ] = None,
        updates: Annotated[int | None, count("--updates", low=1, high=MOST_UPDATES, help="Train for N updates, and look at no clock.")] = None,
        seed: Annotated[int | None, count("--seed", high=2**63 - 1, help="The same seed trains the same weights.", default="1")] = None,
        start: Annotated[str | None, option("--from", metavar="POLICY", help="Begin with the networks of this policy, not from nothing.")] = None,
        resume: Annotated[Path | None, option("--resume", metavar="FILE", help="Go on with an interrupted training.")] = None,
        jobs: Annotated[int | None, count("-j", "--jobs", low=1, help="Threads; the weights do not depend on them.", default="all cores")] = None,
        output: TrainedOptions,
    ) -> None:
        """Train a learned policy, by self-play and against rules.

        Trains for all variants and numbers of players of a game together, or for the one table that --variant, --set and --players name. Writes a policy,
        FILE.toml, its weights, FILE.npz, and what they were trained on and how strong they are, FILE.card.toml. Ctrl-C keeps a checkpoint to go on from.
        """
        sink = replace(output, output=None).sink
        given = {"--variant": variant, "--set": set, "--players": players, "--minutes": minutes, "--updates": updates, "--seed": seed, "--from": start}
        named = [name for name, value in given.items() if value is not None]
        if resume and named:
            raise UsageError(f"--resume goes on with the plan of its checkpoint; leave out {', '.join(named)}")
        if minutes is not None and updates is not None:
            raise UsageError("--minutes and --updates exclude each other; leave one out")

        from analyzer import tables, training
        from analyzer.cli.progress import Progress, announce_compile
        from analyzer.output import document

        announce_compile(sink.note)
        if resume:
            trainer = training.resume(resume, game)
            file = training.target(output.output, game, resume)
        else:
            plan = training.plan(game, variant, set or (), players, seed=1 if seed is None else seed, updates=updates or 1)
            file = training.target(output.output, game)
            trainer = training.Trainer(plan, start=start)
            if updates is None:
                trainer.plan = replace(trainer.plan, updates=trainer.updates_within(minutes or MINUTES, jobs))
        plan = trainer.plan
        sink.note(f"--updates {plan.updates} trains the same again: {counted(plan.updates * plan.deals, 'deals')} at {counted(len(plan.tables), 'tables')}")
        checkpoint = training.beside(file, training.CHECKPOINT)

        def tell(row: dict[str, Any]) -> None:
            trainer.checkpoint(checkpoint)
            if not sink.quiet:
                progress.clear()
                print(tables.curve_line(row, plan.updates, sink.style), file=sys.stderr, flush=True)

        interrupted, strength = False, []
        first = trainer.state.update
        with Progress(plan.updates - first, sink.quiet) as progress:
            try:
                trainer.run(jobs=jobs, progress=lambda done: progress(done - first), looked=tell)
                strength = trainer.strength(jobs)
                trainer.save(file, strength)
                checkpoint.unlink(missing_ok=True)
            except KeyboardInterrupt:
                interrupted = True
        if interrupted:
            trainer.checkpoint(checkpoint)
            sink.note(f"interrupted after {trainer.state.update:,} of {counted(plan.updates, 'updates')}; "
                      f"tricklab train {game} --resume {checkpoint} goes on")
        first_table = plan.judged[0].rules
        answer = document(
            "train", first_table, [str(training.beside(file, ".toml"))], plan.seed, trainer.state.update * plan.deals, training.LEVEL, strength,
            players=first_table.players,
            updates=trainer.state.update,
            tables=[table.name for table in plan.tables],
            curve=list(trainer.state.curve),
        )  # fmt: skip
        sink.show(answer, lambda style: tables.train_page(answer, style))
        if interrupted:
            raise typer.Exit(INTERRUPTED)
