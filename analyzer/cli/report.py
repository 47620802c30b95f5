"""tricklab report"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analyzer.cli.options import OutputOptions, argument, command, count, option, quantity
from analyzer.errors import INTERRUPTED, UsageError

KINDS = ("simulate", "compare", "zero", "duel", "bid")
KEPT = {"output", "format", "json", "csv", "quiet", "no-color", "ascii", "debug", "jobs", "seconds", "records"}     # not for a definition to say


@dataclass(frozen=True)
class FolderOptions(OutputOptions):
    """Where the report goes, and what the answer looks like."""

    output: Annotated[Path | None, option("-o", "--output", metavar="FOLDER", help="Folder of the report; NAME-report here without it.")] = None


class Steps:
    """The commands of tricklab as the steps of a report."""

    def __init__(self, app: typer.Typer, jobs: int | None = None, quiet: bool = False) -> None:
        self.app = app
        self.commands: dict[str, Any] = typer.main.get_command(app).commands       # type: ignore[attr-defined]
        self.more = [*(["--jobs", str(jobs)] if jobs else []), *(["--quiet"] if quiet else [])]

    def kinds(self) -> list[str]:
        """Return the commands that steps may be."""
        return [kind for kind in KINDS if kind in self.commands]

    def options(self, kind: str) -> dict[str, bool]:
        """Return the options that a step may give, and whether each may be given several times."""
        names = {name[2:]: option.multiple for option in self.commands[kind].params for name in option.opts if name.startswith("--")}
        return {name: multiple for name, multiple in names.items() if name not in KEPT}

    def arguments(self, kind: str) -> list[str]:
        """Return the arguments after the game."""
        return [argument.name for argument in self.commands[kind].params if not argument.opts[0].startswith("-")][1:]

    def check(self, words: Sequence[str]) -> None:
        """Raise where the command line cannot be read, or names rules or players that there are not."""
        from analyzer import policies, rules

        try:
            told = self.commands[words[0]].make_context(words[0], list(words[1:])).params
        except typer.TyperException as error:
            raise UsageError(error.format_message().rstrip(".")) from None
        named = told.get("variant") or "base"
        for variant in [named] if isinstance(named, str) else named:
            rules.load(told["game"], variant, told.get("set") or (), told.get("players"))
        seats = told.get("policies") or told.get("policy") or ()
        for name in seats.split(",") if isinstance(seats, str) else seats:
            policies.load(name.strip())

    def answer(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the JSON object of the answer.

        Raises
        ------
        KeyboardInterrupt
            The command was interrupted.
        """
        import json

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answer.json"
            code = self.app([*words, *self.more, "--json", "--output", str(file)], prog_name="tricklab", standalone_mode=False)
            if code == INTERRUPTED:
                raise KeyboardInterrupt
            answer: dict[str, Any] = json.loads(file.read_bytes())
            return answer


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "report")
    def report(
        what: Annotated[str, argument(metavar="DEFINITION|GAME", help="A definition in TOML, or a game, which has one.")],
        *,
        scale: Annotated[float, quantity("--scale", metavar="X", help="Play X times the deals, 100 of each step at least.", default=True)] = 1.0,
        jobs: Annotated[int | None, count("-j", "--jobs", low=1, help="Threads.", default="all cores")] = None,
        output: FolderOptions,
    ) -> None:
        """One folder that answers a question: an HTML page, its tables and its plots.

        A definition has a title, a question, [[step]] with kind and options of simulate, compare, zero, duel or bid by their long names, and [[plot]]. Running
        it again gives the same bytes. A folder that holds an older report is replaced once the new one is complete.
        """
        sink = replace(output, output=None).sink

        from analyzer import reports, tables

        steps = Steps(app, jobs, output.quiet)
        definition = reports.read(what, steps, scale)
        folder = output.output or Path(f"{definition.name}-report")
        runs = sum(len(step.runs) for step in definition.steps)
        is_told = not output.quiet and sys.stderr.isatty()

        def tell(number: int, run: reports.Run) -> None:
            if is_told:
                print(f"{number + 1} of {runs}: {run.line}", file=sys.stderr)

        made = reports.build(definition, folder, steps, scale, tell)
        sink.show(made.manifest, lambda style: tables.report_page(made.manifest, str(folder)))
