"""tricklab seat"""

import sys
from typing import Annotated

import typer

from analyzer.cli.options import Game, command, count, option


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "seat")
    def seat(
        game: Game,
        *,
        policy: Annotated[str | None, typer.Option(metavar="NAME", help="Policy that decides: a name or a TOML file.", show_default="the strongest")] = None,
        variant: Annotated[str, typer.Option(metavar="NAME", help="Rules of situations that name none; a+b stacks variants.")] = "base",
        set: Annotated[list[str] | None, option("--set", metavar="FIELD=VALUE", help="Change one rule; repeat for more.")] = None,
        seed: Annotated[int, count("--seed", high=2**63 - 1, help="The same situation gets the same answer.", default=True)] = 1,
        quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No notes.")] = False,
        debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")] = False,
    ) -> None:
        """A policy as a player for other programs.

        Reads situations in JSON, one a line, from the standard input: deal records cut at a decision, as one seat sees them. Answers each at once on the
        standard output, {"action": ...}, or {"error": "..."} where a situation cannot be, and reads on.
        """
        from analyzer.cli.progress import announce_compile
        from analyzer.output import Sink, json_text
        from analyzer.seat import Player

        announce_compile(Sink(quiet=quiet).note)
        player = Player(game, policy, seed, variant, set or ())
        for line in sys.stdin.buffer:
            if line.strip():
                print(json_text(player.reply(line)), flush=True)
