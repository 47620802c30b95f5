"""tricklab zero"""

import typer

from analyzer.cli.options import Cards, Dealer, Deals, EffortOptions, Game, OutputOptions, PolicyOptions, TableOptions, check_deal, command
from analyzer.errors import UsageError


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "zero")
    def zero(
        game: Game,
        *,
        deals: Deals = 100_000,
        cards: Cards = None,
        dealer: Dealer = None,
        table: TableOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """How often zero bids succeed, over against under.

        Under and over: the sum of all bids against the number of tricks. Several zero bids of one deal count as one deal in the intervals.
        """
        sink = output.sink
        rules = table.rules(game)
        if not rules.has_bids:
            raise UsageError(f"zero: {rules.game} has no bids of tricks; expected a game that has: israeli-whist, jabberwocky, oh-hell")
        check_deal(rules, cards, dealer)
        policies = seats.names(rules)

        from analyzer import results, simulation, tables
        from analyzer.cli.running import run_deals
        from analyzer.output import document

        run = simulation.Run(rules=rules, policies=policies, seed=effort.seed, cards=cards, dealer=dealer, pool=0, games=False)
        tally = results.ZeroTally(rules)
        outcome = run_deals(run, deals, effort, sink, lambda facts, _: tally.add(facts), lambda: tally.precision(effort.level))
        rows = tally.rows(effort.level, anytime=effort.precision is not None)
        answer = document("zero", rules, policies, effort.seed, tally.deals, effort.level, rows, thrown_in=tally.thrown_in)
        sink.show(answer, lambda style: tables.zero_page(answer, style))
        outcome.close()
