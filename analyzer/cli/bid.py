"""tricklab bid"""

from typing import Annotated

import typer

from analyzer.cli.options import EffortOptions, Game, OutputOptions, PolicyOptions, Pool, TableOptions, argument, check_deal, command, count, option
from analyzer.errors import INTERRUPTED, ImpossibleError, PrecisionError, UsageError, counted


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "bid")
    def bid(
        game: Game,
        hand: Annotated[list[str], argument(metavar="HAND", help="AKQ2.T9.-.J543 (spades.hearts.diamonds.clubs), ♠AKQ2♥T9♣J543 or SA SK H9 ...")],
        *,
        calls: Annotated[str | None, option(metavar="CALLS", help='Calls so far, from the first caller: "pass 5H pass".')] = None,
        bids: Annotated[str | None, option(metavar="BIDS", help="Bids so far, in the order spoken: 2,0.")] = None,
        contract: Annotated[str | None, option(metavar="CALL", help="Contract, where the calls are not known: 6S.")] = None,
        turnup: Annotated[str | None, option(metavar="CARD", help="Card that shows trump: 7H.")] = None,
        dealer: Annotated[int | None, count("--dealer", help="Dealer's seat.", default="the last")] = None,
        pool: Pool = 0,
        deals: Annotated[int, count("-n", "--deals", low=1, help="The most deals for one bid or call.", default=True)] = 20_000,
        table: TableOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """Value of every legal bid or call with this hand.

        The question is asked by the seat that speaks next; seat 0 is the dealer's left (Spanish Solo: right), the dealer the last. A call is asked where the
        auction is still open, else a bid. A file with a situation, in JSON or TOML, may stand for HAND and all that is known.
        """
        from analyzer.rulebook import is_file_name

        sink = output.sink
        is_file = len(hand) == 1 and is_file_name(hand[0])
        if is_file and (table != TableOptions() or pool or any(value is not None for value in (calls, bids, contract, turnup, dealer))):
            raise UsageError(f"bid: {hand[0]} says what is known and under which rules; leave out the options that say it too")
        rules = table.rules(game)
        check_deal(rules, pool=pool)

        from analyzer import advice, situation, tables
        from analyzer.cli.progress import Progress, announce_compile
        from analyzer.simulation import Interrupted

        announce_compile(sink.note)
        if is_file:
            asked = situation.read(hand[0])
            if asked.rules.game != game:
                raise ImpossibleError(f"{hand[0]}: game: found {asked.rules.game}, expected {game}")
        else:
            asked = situation.from_question(rules, " ".join(hand), calls=calls, bids=bids, contract=contract, turnup=turnup, dealer=dealer, pool=pool)
        policies = seats.names(asked.rules)
        try:
            with Progress(quiet=sink.quiet) as progress:
                advised = advice.advise(
                    asked, policies=policies, deals=deals, seed=effort.seed, level=effort.level, jobs=effort.jobs,
                    precision=effort.precision, seconds=effort.seconds, progress=progress,
                )  # fmt: skip
        except Interrupted:
            raise typer.Exit(INTERRUPTED) from None
        answer = advised.to_json()
        sink.show(answer, lambda style: tables.bid_page(answer, style))
        for note in advised.notes:
            sink.note(note)
        if advised.interrupted:
            raise typer.Exit(INTERRUPTED)
        if effort.precision is not None and not advised.settled:
            done = counted(advised.deals, "deals")
            raise PrecisionError(f"--precision: another may be better by more than {effort.precision:g} after {done}; allow more --deals")
