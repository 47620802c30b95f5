"""tricklab score"""

from collections.abc import Sequence
from dataclasses import replace
from os.path import exists
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli.options import GAMES, OutputOptions, Pool, TableOptions, argument, command, count, option
from analyzer.errors import ImpossibleError, TricklabError, UsageError, did_you_mean, one_of, shown

if TYPE_CHECKING:
    from analyzer.rules import Rules


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "score")
    def score(
        what: Annotated[str, argument(metavar="GAME|RECORDS", help=f"{', '.join(GAMES)}, or a file of deal records.")],
        *,
        bids: Annotated[str | None, option(metavar="B,B,...", help="Bids, declarer first in Israeli Whist, else from the dealer's left.")] = None,
        tricks: Annotated[str | None, option(metavar="T,T,...", help="Tricks, in the same order.")] = None,
        contract: Annotated[str | None, option(metavar="CALL", help="Spanish Solo: juego, bola-diamonds, ...; left out where all passed.")] = None,
        soloist: Annotated[int | None, count("--soloist", high=2, help="Spanish Solo: seat from the dealer's right.")] = None,
        points: Annotated[str | None, option(metavar="P,P,P", help="Spanish Solo: card points plus tricks from the dealer's right.")] = None,
        pool: Pool = 0,
        table: TableOptions,
        output: OutputOptions,
    ) -> None:
        """Score a finished deal, or every deal of a file of records.

        Spanish Solo: the pool holds the antes and passes of this deal; they are not in the scores. Records are scored by the rules written in them, or by
        those of --variant and --set.
        """
        sink = output.sink
        from analyzer.rulebook import is_file_name

        if what not in GAMES and not exists(what):
            if is_file_name(what):
                raise TricklabError(f"{what}: no such file; expected deal records")
            raise UsageError(f"score: {shown(what)} is no game and no file{did_you_mean(what, GAMES)}; expected {', '.join(GAMES)} or a file of deal records")
        if what not in GAMES:
            taken, owner = [], "a file of records"
        elif what == "spanish-solo":
            taken, owner = ["contract", "soloist", "points", "pool"], what
        else:
            taken, owner = ["bids", "tricks"], what
        for name, value in (("bids", bids), ("tricks", tricks), ("contract", contract), ("soloist", soloist), ("points", points), ("pool", pool or None)):
            if value is not None and name not in taken:
                raise UsageError(f"--{name}: {owner} does not take it; expected {one_of(f'--{name}' for name in taken) or 'nothing beside the rules'}")

        from analyzer import scoring, tables
        from analyzer.output import listing

        if what not in GAMES:
            if table.players is not None:
                raise UsageError("--players: a record knows its own number of seats; leave it out")
            is_overridden = table.variant != "base" or bool(table.set)
            by = (lambda game, players: replace(table, players=players).rules(game)) if is_overridden else None
            rows, deals, rules_used = scoring.score_records(what, by, sink.note)
        else:
            given = {name: _numbers(f"--{name}", text) for name, text in (("bids", bids), ("tricks", tricks), ("points", points)) if name in taken}
            if what == "spanish-solo":
                rules = table.rules(what)
                rows = scoring.score_solo(rules, contract, soloist, given["points"], pool)
                sink.note(f"the pool holds {pool - sum(row['score'] for row in rows)} after the deal")
            else:
                rules = replace(table, players=table.players or len(given["bids"])).rules(what)
                rows = scoring.score_deal(rules, **given)
            deals, rules_used = 1, [rules]
        answer = listing("score", rows, **_shared(rules_used), policies=None, seed=None, deals=deals, level=None)
        sink.show(answer, lambda style: tables.score_page(answer["results"], style))


def _shared(rules: Sequence["Rules"]) -> dict[str, Any]:
    """Return game, variant and fields of the rules, each null where they do not all agree."""
    heads = [{"game": one.game, "variant": one.variant, "rules": one.fields} for one in rules]
    return {key: heads[0][key] if heads and all(head[key] == heads[0][key] for head in heads) else None for key in ("game", "variant", "rules")}


def _numbers(option: str, text: str | None) -> list[int]:
    if text is None:
        raise UsageError(f"score: {option} is missing; expected one number per seat, such as 5,3,3,2")
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise ImpossibleError(f"{option}: cannot read {shown(text)}; expected whole numbers with commas, such as 5,3,3,2") from None
