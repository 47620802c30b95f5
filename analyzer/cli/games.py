"""tricklab games"""

import typer

from analyzer.cli.options import Game, OutputOptions, TableOptions, command, group


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    games = group(app, "games", "The games and their rules.")

    @command(games, "list")
    def listed(output: OutputOptions) -> None:
        """The games."""
        sink = output.sink

        from analyzer import rules, tables
        from analyzer.output import listing

        rows = [{"game": game.name, "players": game.players, "summary": game.summary} for game in rules.games()]
        sink.show(listing("games", rows), lambda style: [tables.plain_table(rows, ["game", "players", "summary"])])

    @command(games, "show")
    def show(game: Game, table: TableOptions, output: OutputOptions) -> None:
        """Every rule of a game, as --set takes it."""
        sink = output.sink
        rules = table.rules(game)

        from analyzer import tables
        from analyzer.output import field_rows, listing

        rows = field_rows(rules.fields)
        answer = listing("games", rows, game=rules.game, variant=rules.variant, rules=rules.fields)
        sink.show(answer, lambda style: [tables.plain_table(rows, ["field", "value"])])

    @command(games, "check")
    def check(game: Game, table: TableOptions, output: OutputOptions) -> None:
        """Check that a game can be played with these options."""
        sink = output.sink
        rules = table.rules(game)

        from analyzer.output import listing

        rows = [{"game": rules.game, "variant": rules.variant, "players": rules.players}]
        sink.show(listing("games", rows), lambda style: [f"{rules.game}, variant {rules.variant}: can be played by {rules.players}"])
