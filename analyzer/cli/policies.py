"""tricklab policies"""

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.options import OutputOptions, argument, command, group


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    shipped = group(app, "policies", "How the players bid and play.")

    @command(shipped, "list")
    def listed(output: OutputOptions) -> None:
        """The policies."""
        sink = output.sink

        from analyzer import policies, tables
        from analyzer.output import listing

        rows = [{key: policies.info(name)[key] for key in ("policy", "player", "nets", "summary")} for name in policies.names()]
        sink.show(listing("policies", rows), lambda style: [tables.plain_table(rows, ["policy", "summary"])])

    @command(shipped, "show")
    def show(policy: Annotated[str, argument(metavar="POLICY", help="Name or TOML file.")], output: OutputOptions) -> None:
        """The weights of a policy, with their units, and what its networks were trained on."""
        sink = output.sink

        from analyzer import policies, tables
        from analyzer.output import listing

        info = policies.info(policy)
        rows = [{"weight": name, **weight} for name, weight in info["weights"].items()]
        answer = listing("policies", rows, policy=policy, summary=info["summary"], nets=info["nets"], cards=info["cards"])
        weights = tables.plain_table([{**dict.fromkeys(info["games"]), **row} for row in rows], ["weight", "value", *info["games"], "unit", "doc"])
        is_learned = info["player"] == "learned"
        sink.show(answer, lambda style: [f"{policy}: {info['summary']}", *(tables.cards_part(info["cards"], style) if is_learned else [weights])])

    @command(shipped, "check")
    def check(file: Annotated[Path, argument(metavar="FILE", help="A policy in TOML.")], output: OutputOptions) -> None:
        """Check a file with a policy."""
        sink = output.sink

        from analyzer import policies
        from analyzer.output import listing

        policies.check(file)
        sink.show(listing("policies", [{"policy": str(file)}]), lambda style: [f"{file}: can be played"])
