"""tricklab simulate"""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from analyzer.cli.options import Cards, Dealer, EffortOptions, Game, OutputOptions, PolicyOptions, Pool, TableOptions, check_deal, command, count, option
from analyzer.errors import UsageError

DEALS = 100_000


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "simulate")
    def simulate(
        game: Game,
        *,
        deals: Annotated[int | None, count("-n", "--deals", low=1, help="Number of deals.", default=f"{DEALS:,}")] = None,
        games: Annotated[int | None, count("--games", low=1, help="Play N whole games: totals and winners.")] = None,
        cards: Cards = None,
        dealer: Dealer = None,
        pool: Pool = 0,
        records: Annotated[Path | None, option(metavar="FILE", help="Write every deal as a line of JSON.")] = None,
        table: TableOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """Bids, tricks and scores by seat and bid."""
        for name, value in (("deals", deals), ("cards", cards), ("dealer", dealer)):
            if games is not None and value is not None:
                raise UsageError(f"--games and --{name} exclude each other: a game has its own number of deals, cards and dealers; leave one out")
        if records and output.output and records.resolve() == output.output.resolve():
            raise UsageError(f"--records and -o name the same file, {records}; the answer needs one of its own")
        sink = output.sink
        rules = table.rules(game)
        check_deal(rules, cards, dealer, pool)
        policies = seats.names(rules)

        from analyzer import records as deal_records
        from analyzer import results, simulation, tables
        from analyzer.cli.running import run_deals
        from analyzer.output import document, writing

        run = simulation.Run(
            rules=rules, policies=policies, seed=effort.seed, cards=cards, dealer=dealer, pool=pool, games=games is not None
        )
        tally = results.Tally(rules, games=run.games)
        winners = results.GamesTally(rules)
        with ExitStack() as files:
            lines = files.enter_context(writing(records)) if records else None

            def consume(facts: Any, chunk: Any) -> None:
                tally.add(facts)
                if chunk is not None:
                    winners.add(chunk)
                if lines:
                    first = tally.deals - len(facts)
                    lines.writelines(line + "\n" for line in deal_records.lines(facts, rules, policies, effort.seed, games=run.games, first=first))

            counts = winners if run.games else tally
            outcome = run_deals(run, games or deals or DEALS, effort, sink, consume, lambda: counts.precision(effort.level))

        looked = effort.precision is not None
        answer = document(
            "simulate", rules, policies, effort.seed, tally.deals, effort.level, tally.rows(effort.level, looked),
            thrown_in=tally.thrown_in,
            seats=tally.rows(effort.level, looked, by=("seat",)),
            hands=tally.rows(effort.level, looked, by=("cards", "seat")),
            games=winners.summary(effort.level, looked) if run.games else None,
        )  # fmt: skip
        sink.show(answer, lambda style: tables.simulate_page(answer, style))
        outcome.close()
