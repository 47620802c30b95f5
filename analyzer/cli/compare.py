"""tricklab compare"""

from dataclasses import dataclass
from typing import Annotated

import typer

from analyzer.cli.options import Cards, Dealer, Deals, EffortOptions, Game, OutputOptions, PolicyOptions, Pool, check_deal, command, count, option


@dataclass(frozen=True)
class VariantsOptions:
    """The rules at the tables that are compared."""

    variant: Annotated[
        list[str] | None, option("--variant", metavar="NAME", help="One column: a rule variant or a TOML file; a+b stacks variants; the first is the measure.")
    ] = None
    set: Annotated[list[str] | None, option("--set", metavar="FIELD=VALUE", help="Change one rule in all columns; repeat for more.")] = None
    players: Annotated[int | None, count("--players", low=1, help="Number of seats.", default="the game's")] = None


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "compare")
    def compare(
        game: Game,
        *,
        deals: Deals = 20_000,
        cards: Cards = None,
        dealer: Dealer = None,
        pool: Pool = 0,
        table: VariantsOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """Rule and scoring variants on the same deals.

        Twice. Kept: everybody calls and bids as under the first variant, so that the points alone change; where other rules differ cards are played anew, and
        deals in which a kept bid is not allowed are left out. Adapted: bidders make the most of each scheme's own scores, and what they expect of others is
        learned anew in at most 8 rounds of deals among themselves.

        Every difference is to the first variant, on the same deals: those of its schedule. --precision is that of the mean score of a seat.
        """
        sink = output.sink

        from analyzer import rules

        tables_of = [rules.load(game, name, table.set or (), table.players) for name in table.variant or ()]
        for each in tables_of:
            check_deal(each, cards, dealer, pool)

        from analyzer import adapting, simulation, tables
        from analyzer.cli.progress import Progress, announce_compile
        from analyzer.cli.running import Outcome, watch
        from analyzer.compare import Comparison
        from analyzer.output import document

        policies = seats.names(tables_of[0]) if tables_of else []
        comparison = Comparison(tables_of, policies, seed=effort.seed, cards=cards, dealer=dealer, pool=pool)
        announce_compile(sink.note)
        simulation.make_ready()
        with Progress(len(tables_of) * len(set(policies)) * adapting.ROUNDS, sink.quiet) as progress:
            comparison.adapt(jobs=effort.jobs, progress=progress)
        outcome = watch(
            lambda **how: comparison.run(deals, **how), Outcome("deals", deals, sink), effort, lambda: comparison.deals,
            lambda: comparison.precision(effort.level),
        )  # fmt: skip
        if not comparison.deals:
            raise KeyboardInterrupt
        looked = effort.precision is not None
        answer = document(
            "compare", tables_of[0], policies, effort.seed, comparison.deals, effort.level, comparison.rows(effort.level, looked),
            players=tables_of[0].players,
            variants=comparison.variants(effort.level, looked),
            adaptations=comparison.adaptations(),
        )  # fmt: skip
        sink.show(answer, lambda style: tables.compare_page(answer, style))
        outcome.close()
