"""One run of deals for a command: counted while it goes, stopped by precision, clock or Ctrl-C."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from analyzer.cli.options import EffortOptions
from analyzer.cli.progress import Progress, announce_compile
from analyzer.errors import INTERRUPTED, PrecisionError, counted
from analyzer.output import Sink

if TYPE_CHECKING:
    from analyzer.simulation import Run

FIRST_LOOK = 100    # deals or games before `--precision` may stop: `stats.mean_sequence` is asymptotic


class Outcome:
    """How a run ended. `close` says it and sets the exit code, once the answer is out."""

    def __init__(self, what: str, asked: int, sink: Sink) -> None:
        self.what = what
        self.asked = asked
        self.sink = sink
        self.done = 0
        self.interrupted = False
        self.precise = False
        self.missed: str | None = None

    def close(self) -> None:
        """Say what a run that stopped early did.

        Raises
        ------
        PrecisionError
            The precision asked for was not reached.
        typer.Exit
            The run was interrupted.
        """
        if self.done < self.asked:
            stopped = "interrupted" if self.interrupted else "precise enough" if self.precise else "stopped by the clock"
            again = f"; --{self.what} {self.done} prints the same again" if self.done and not self.precise else ""
            self.sink.note(f"{stopped} after {self.done:,} of {counted(self.asked, self.what)}{again}")
        if self.interrupted:
            raise typer.Exit(INTERRUPTED)
        if self.missed:
            raise PrecisionError(self.missed)


def run_deals(run: "Run", n: int, effort: EffortOptions, sink: Sink, consume: Callable[[Any, Any], None], precision: Callable[[], float]) -> Outcome:
    """Play `n` deals or games of `run`, and hand every chunk to `consume`, in order.

    Parameters
    ----------
    precision : returns how far the score may be off now, in points
    """
    from analyzer import simulation

    done = 0

    def count(facts: Any, games: Any) -> None:
        nonlocal done
        done += len(facts if games is None else games)
        consume(facts, games)

    return watch(partial(simulation.run, run, n, consume=count), Outcome("games" if run.games else "deals", n, sink), effort, lambda: done, precision)


def watch(play: Callable[..., int], outcome: Outcome, effort: EffortOptions, looked_at: Callable[[], int], precision: Callable[[], float]) -> Outcome:
    """Run `play(jobs=..., progress=..., stop=...)` until it ends, is precise, out of time or interrupted.

    Parameters
    ----------
    looked_at : returns the number of deals or games so far
    precision : returns how far the score may be off now, in points
    """
    from analyzer import simulation

    announce_compile(outcome.sink.note)
    simulation.make_ready()
    deadline = None if effort.seconds is None else time.monotonic() + effort.seconds

    def is_enough() -> bool:
        if deadline is not None and time.monotonic() >= deadline:
            return True
        return is_precise()

    def is_precise() -> bool:
        return effort.precision is not None and looked_at() >= FIRST_LOOK and precision() <= effort.precision

    with Progress(outcome.asked, outcome.sink.quiet) as progress:
        try:
            outcome.done = play(jobs=effort.jobs, progress=progress, stop=is_enough)
        except simulation.Interrupted as interrupted:
            outcome.done, outcome.interrupted = interrupted.done, True
    outcome.precise = is_precise()
    if effort.precision is not None and not outcome.precise:
        done = counted(outcome.done, outcome.what)
        outcome.missed = f"--precision: the score is within {precision():.3g} points after {done}, asked for {effort.precision:g}; allow more {outcome.what}"
    return outcome
