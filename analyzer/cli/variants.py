"""tricklab variants"""

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.options import GAMES, Game, OutputOptions, argument, command, group

SomeGame = Annotated[str | None, argument(metavar="[GAME]", help=", ".join(GAMES) + "; all without it", autocompletion=lambda: list(GAMES))]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    variants = group(app, "variants", "Rule variants of the games.")

    @command(variants, "list")
    def listed(output: OutputOptions, game: SomeGame = None) -> None:
        """The variants of a game, or of all games."""
        sink = output.sink

        from analyzer import rules, tables
        from analyzer.output import listing

        names = [game] if game else [info.name for info in rules.games()]
        rows = [
            {"game": name, "variant": variant.name, "id": variant.id or None, "summary": variant.summary, "note": variant.note or None}
            for name in names
            for variant in rules.variants(name)
        ]
        sink.show(listing("variants", rows), lambda style: [tables.plain_table(rows, ["game", "variant", "id", "summary"])])

    @command(variants, "show")
    def show(
        game: Game,
        variant: Annotated[str, argument(metavar="VARIANT", help="Name, id or TOML file; a+b stacks variants.")],
        output: OutputOptions,
    ) -> None:
        """What a variant changes against the base rules of its game."""
        sink = output.sink

        from analyzer import rules, tables
        from analyzer.output import field_rows, listing

        base = {row["field"]: row["value"] for row in field_rows(rules.load(game).fields)}
        resolved = rules.load(game, variant)
        names = resolved.variant.split("+")
        about = [
            {"variant": info.name, "id": info.id or None, "summary": info.summary, "note": info.note or None}
            for info in rules.variants(game)
            if info.name in names
        ]
        rows = [
            {**row, "base": base.get(row["field"])}
            for row in field_rows(resolved.fields)
            if base.get(row["field"]) != row["value"]
        ]
        answer = listing("variants", rows, game=resolved.game, variant=resolved.variant, variants=about, rules=resolved.fields)
        notes = [f"{info['variant']}: {info['note']}" for info in about if info["note"]]
        sink.show(answer, lambda style: [*notes, tables.plain_table(rows, ["field", "value", "base"])])

    @command(variants, "check")
    def check(file: Annotated[Path, argument(metavar="FILE", help="A variant in TOML.")], output: OutputOptions) -> None:
        """Check a file with a variant, with every number of players."""
        sink = output.sink

        from analyzer import rules
        from analyzer.output import listing

        info = rules.check_file(file)
        rows = [{"variant": info.name, "game": info.game, "changes": info.changed}]
        changes = ", ".join(info.changed) or "nothing"
        sink.show(listing("variants", rows), lambda style: [f"{file}: a variant of {info.game} that can be played; it changes {changes}"])
