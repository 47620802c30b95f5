"""tricklab zero"""

from functools import partial
from typing import Annotated

import typer

from analyzer.cli.options import Cards, Dealer, EffortOptions, Game, OutputOptions, PolicyOptions, TableOptions, check_deal, command, count, option

DEALS = 200_000          # with learned players made rates within 0.5 percentage points on either side
BREAK_EVEN = 50_000
BY = "trump,seat,low-cards,longest-suit,highest-card,trumps"


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "zero")
    def zero(
        game: Game,
        *,
        by: Annotated[
            str, typer.Option(metavar="A,B,...", help="Count zero bids by these; a+b: by both together; none: by nothing.")
        ] = BY,
        compare_policies: Annotated[
            str | None, option("--compare-policies", metavar="A,B,...", help="Policies that play the same deals, each in all seats.")
        ] = None,
        break_even: Annotated[
            int, count("--break-even", help="Deals in which every bid of zero and one is played with another bid too; 0: none.", default=True)
        ] = BREAK_EVEN,
        deals: Annotated[int, count("-n", "--deals", low=1, help="Number of deals.", default=True)] = DEALS,
        cards: Cards = None,
        dealer: Dealer = None,
        table: TableOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """How often zero bids succeed, over against under, and what they have to pay.

        Under and over: the sum of all bids against the number of tricks. Several zero bids of one deal count as one deal in the intervals.

        --by: trump (a suit or none), seat (who speaks first after the declarer, else after the dealer, is 1), low-cards (2 to 6), longest-suit, highest-card,
        trumps, as held when bids are made.

        Break-even: what a made zero would have to pay for the zero bid to score as much as the best other bid, a one or a two, in the same place of the same
        deals. Nobody bids otherwise for it; compare shows what players would do about it.
        """
        sink = output.sink
        rules = table.rules(game)
        check_deal(rules, cards, dealer)
        policies = seats.names(rules)

        from analyzer import tables
        from analyzer.cli.progress import announce_compile
        from analyzer.cli.running import Outcome, watch
        from analyzer.zero import ZeroBids

        announce_compile(sink.note)
        study = ZeroBids(
            rules, policies, by=_names(by) if by != "none" else (), compare=_names(compare_policies), break_even=break_even,
            seed=effort.seed, cards=cards, dealer=dealer,
        )  # fmt: skip
        outcome = watch(partial(study.run, deals), Outcome("deals", deals, sink), effort, lambda: study.deals, lambda: study.precision(effort.level))
        answer = study.document(effort.level, anytime=effort.precision is not None)
        sink.show(answer, lambda style: tables.zero_page(answer, style))
        outcome.close()


def _names(listed: str | None) -> list[str]:
    return [name.strip() for name in listed.split(",")] if listed else []
