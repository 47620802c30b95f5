"""tricklab duel"""

from functools import partial
from typing import Annotated

import typer

from analyzer.cli.options import Cards, Dealer, Deals, EffortOptions, Game, OutputOptions, Pool, TableOptions, argument, check_deal, command, option


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "duel")
    def duel(
        game: Game,
        policies: Annotated[list[str], argument(metavar="POLICY", help="Two or more policies, names or TOML files; the last is the measure.")],
        *,
        field: Annotated[
            str, typer.Option(metavar="FIELD", help="1v3: one seat the policy, all others the last; 3v1: one seat the last, all others the policy; all: both.")
        ] = "1v3",
        bids_by: Annotated[str | None, option("--bids-by", metavar="POLICY", help="Policy that calls and bids for every seat: compare play alone.")] = None,
        play_by: Annotated[str | None, option("--play-by", metavar="POLICY", help="Policy that plays the cards of every seat: compare bidding alone.")] = None,
        deals: Deals = 20_000,
        cards: Cards = None,
        dealer: Dealer = None,
        pool: Pool = 0,
        table: TableOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """Policy tournament on duplicate deals.

        Every deal is played with the odd seat in every place; the fields are called 1v3 and 3v1 at tables of any number of seats. Difference: the score of the
        policy, averaged over its turns of the seats, minus the average of the other seats at the same tables. Swap difference: the policy against the last
        policy in the same seat, with all others the last policy (3v1: the policy itself). Exact rate: bids made, in Spanish Solo contracts made. More than two
        policies also give a payoff table: one seat of the row among seats of the column.

        --bids-by P: every seat calls, exchanges, bids, names trump, asks and gives by P, and plays by its own policy. --precision is that of the differences.
        """
        sink = output.sink
        rules = table.rules(game)
        check_deal(rules, cards, dealer, pool)

        from analyzer import tables
        from analyzer.cli.progress import announce_compile
        from analyzer.cli.running import Outcome, watch
        from analyzer.duel import Duel
        from analyzer.output import document

        announce_compile(sink.note)
        contest = Duel(rules, policies, field, seed=effort.seed, cards=cards, dealer=dealer, pool=pool, bids_by=bids_by, play_by=play_by)
        outcome = watch(partial(contest.run, deals), Outcome("deals", deals, sink), effort, lambda: contest.deals, lambda: contest.precision(effort.level))
        looked = effort.precision is not None
        answer = document(
            "duel", rules, policies, effort.seed, contest.deals, effort.level, contest.rows(effort.level, looked),
            players=rules.players,
            field=field,
            bids_by=bids_by,
            play_by=play_by,
            payoffs=contest.payoffs(effort.level, looked),
        )  # fmt: skip
        sink.show(answer, lambda style: tables.duel_page(answer, style))
        outcome.close()
