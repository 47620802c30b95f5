"""tricklab bid"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli.options import EffortOptions, Game, OutputOptions, PolicyOptions, Pool, TableOptions, argument, check_deal, command, count, option
from analyzer.cli.progress import Progress, announce_compile
from analyzer.errors import INTERRUPTED, ImpossibleError, PrecisionError, TricklabError, UsageError, counted, shown

if TYPE_CHECKING:
    from analyzer.advice import Advice, Standing
    from analyzer.output import Sink
    from analyzer.rules import Rules
    from analyzer.situation import Situation

DEALS = 20_000


@dataclass(frozen=True)
class KnownOptions:
    """What the seat knows besides its hand."""

    calls: Annotated[str | None, option(metavar="CALLS", help='Calls so far, from the first caller: "pass 5H pass".')] = None
    bids: Annotated[str | None, option(metavar="BIDS", help="Bids so far, in the order spoken: 2,0.")] = None
    contract: Annotated[str | None, option(metavar="CALL", help="Contract, where the calls are not known: 6S.")] = None
    turnup: Annotated[str | None, option(metavar="CARD", help="Card that shows trump: 7H.")] = None
    dealer: Annotated[int | None, count("--dealer", help="Dealer's seat.", default="the last")] = None
    seat: Annotated[int | None, count("--seat", help="Who asks, where all decide at once: a gulash, bids not heard.", default="the dealer's next")] = None
    gave: Annotated[str | None, option(metavar="CARDS", help='Gulash: the cards handed on, those of the first exchange first: "C2 D4 S9".')] = None
    got: Annotated[str | None, option(metavar="CARDS", help="Gulash: the cards received for them, now in the hand.")] = None
    trump: Annotated[str | None, option(metavar="SUIT", help="Spanish Solo: trump, where it has been named.")] = None
    asked: Annotated[str | None, option(metavar="CARD@SEAT", help="Spanish Solo: the card that you asked for in a bola, and who held it: HA@2.")] = None
    seen: Annotated[str | None, option(metavar="CARDS", help='Other cards seen: "C7 D8@2", C7 in nobody\'s hand and D8 in that of seat 2.')] = None
    pool: Pool = 0


@dataclass(frozen=True)
class AnswerOptions:
    """What the answer is to hold."""

    ignore_calls: Annotated[bool, typer.Option("--ignore-calls", help="Let every deal that fits the hand count alike, whatever the others said.")] = False
    instant: Annotated[bool, typer.Option("--instant", help="Only what the network says at once, without playing a deal.")] = False
    explain: Annotated[bool, typer.Option("--explain", help="Also why: how it fails, which cards win, over or under, and the deals that decide.")] = False
    against: Annotated[str | None, option(metavar="POLICY,...", help="Also whether the answer survives where the others play by these policies.")] = None
    scores: Annotated[
        str | None, option(metavar="POINTS,...", help="Totals of the game by seat, seat 0 first: also the chance to win it. 45,60,30,88.")
    ] = None
    to_come: Annotated[int | None, count("--to-come", help="With --scores: deals of the game after this one, where their number is fixed.")] = None

    def check(self, effort: EffortOptions) -> None:
        """Refuse options that say nothing together, and policies that are none."""
        from analyzer import policies

        if self.to_come is not None and self.scores is None:
            raise UsageError("--to-come: found without --scores; add the totals by seat, seat 0 first, or leave it out")
        played = {
            "--explain": self.explain, "--against": self.against, "--scores": self.scores, "--ignore-calls": self.ignore_calls,
            "--precision": effort.precision, "--seconds": effort.seconds,
        }  # fmt: skip
        if self.instant and (named := [name for name, value in played.items() if value]):
            raise UsageError(f"--instant plays no deals; leave out {', '.join(named)}")
        for name in self.tables:
            policies.load(name)

    @property
    def tables(self) -> list[str]:
        """Policies of the others."""
        return [name.strip() for name in (self.against or "").split(",") if name.strip()]

    def standing(self, rules: "Rules") -> "Standing | None":
        """Return where the game stands, None where that was not said."""
        if self.scores is None:
            return None

        from analyzer.advice import Standing

        try:
            totals = [float(word) for word in self.scores.split(",")]
        except ValueError:
            totals = []
        if len(totals) != rules.players or not all(isfinite(total) and (total / rules.unit).is_integer() for total in totals):
            example = ",".join(str(10 * (seat + 2)) for seat in range(rules.players))
            raise ImpossibleError(f"--scores: found {shown(self.scores)}, expected {rules.players} totals, seat 0 first, such as {example}")
        return Standing(totals, self.to_come)


def add_to(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "bid")
    def bid(
        game: Game,
        hand: Annotated[list[str], argument(metavar="HAND", help="AKQ2.T9.-.J543 (spades.hearts.diamonds.clubs), ♠AKQ2♥T9♣J543, SA SK H9 ... or FILE")],
        *,
        known: KnownOptions,
        deals: Annotated[int, count("-n", "--deals", low=1, help="The most deals for one bid or call.", default=True)] = DEALS,
        asks: AnswerOptions,
        table: TableOptions,
        seats: PolicyOptions,
        effort: EffortOptions,
        output: OutputOptions,
    ) -> None:
        """Value of every legal bid or call with this hand.

        The question is asked by the seat that speaks next; seat 0 is the dealer's left (Spanish Solo: right), the dealer the last. A call is asked where the
        auction is still open, else a bid, the cards of a gulash, or in Spanish Solo the trump and the cards of a bola. All seats bid and play on for their own
        bids; what the others called and bid weighs their hands.

        FILE, in JSON or TOML, may stand for HAND and all that is known. One with several situations, a line each or [[situations]], gets a line of answer for
        each; --json answers each as soon as it is known.

        --precision X stops when no other answer can be better by more than X.
        """
        from analyzer.rulebook import is_file_name

        sink = output.sink
        is_file = len(hand) == 1 and is_file_name(hand[0])
        if is_file and (table != TableOptions() or known != KnownOptions()):
            raise UsageError(f"bid: {hand[0]} says what is known and under which rules; leave out the options that say it too")
        rules = table.rules(game)
        check_deal(rules, pool=known.pool)
        asks.check(effort)

        from analyzer import situation, tables
        from analyzer.output import Format
        from analyzer.simulation import Interrupted

        announce_compile(sink.note)

        def answer(asked: "Situation", progress: Callable[[int, int], None] | None = None) -> "Advice":
            return answered(asked, seats.names(asked.rules), deals, asks, effort, progress)

        if is_file and len(found := list(situation.read_each(hand[0]))) > 1:
            if (asks.explain or asks.tables) and sink.format != Format.JSON:
                raise UsageError(f"--explain, --against: found {len(found)} situations, which share one table; add --json, or name a file with one")
            with Progress(len(found), sink.quiet) as progress:
                many = ManyHands(found, game, answer, sink, progress)
                sink.show_all(many.documents(), tables.situations_page)
            many.close(hand[0], effort)
            return
        asked = situation.read(hand[0]) if is_file else situation.from_question(rules, " ".join(hand), **asdict(known))
        check_game(hand[0], asked, game)
        try:
            with Progress(quiet=sink.quiet) as progress:
                advice = answer(asked, progress)
        except Interrupted:
            raise typer.Exit(INTERRUPTED) from None
        document = advice.to_json()
        sink.show(document, lambda style: tables.bid_page(document, style))
        for note in advice.notes:
            sink.note(note)
        if advice.interrupted:
            raise typer.Exit(INTERRUPTED)
        if effort.precision is not None and not advice.settled:
            done = counted(advice.deals, "deals")
            raise PrecisionError(f"--precision: another may be better by more than {effort.precision:g} after {done}; allow more --deals")


def check_game(place: str, asked: "Situation", game: str) -> None:
    """Refuse a situation of another game."""
    if asked.rules.game != game:
        raise ImpossibleError(f"{place}: game: found {asked.rules.game}, expected {game}")


def answered(
    asked: "Situation", policies: Sequence[str], deals: int, asks: AnswerOptions, effort: EffortOptions, progress: Callable[[int, int], None] | None
) -> "Advice":
    """Return the advice with everything that was asked for; after Ctrl-C with what was complete."""
    from analyzer import scrutiny
    from analyzer.advice import advise
    from analyzer.simulation import Interrupted

    if asks.instant:
        return scrutiny.glance(asked, policies, seed=effort.seed, level=effort.level)
    how: dict[str, Any] = {
        "deals": deals, "jobs": effort.jobs, "precision": effort.precision, "seconds": effort.seconds, "ignore_calls": asks.ignore_calls,
        "standing": asks.standing(asked.rules),
    }  # fmt: skip
    advice = advise(asked, policies=policies, seed=effort.seed, level=effort.level, progress=progress, **how)
    if advice.interrupted:
        return advice
    try:
        if asks.explain:
            advice = scrutiny.explained(advice)
        if asks.tables:
            advice = scrutiny.against(advice, asks.tables, **how)
    except (KeyboardInterrupt, Interrupted):
        advice = replace(advice, interrupted=True)
    return replace(advice, notes=[*advice.notes, "interrupted, so that the second look is not complete"]) if advice.interrupted else advice


class ManyHands:
    """Situations of a file, answered one after the other; what cannot be is said, and the others are answered."""

    def __init__(
        self, found: "Sequence[tuple[str, Situation | TricklabError]]", game: str, answer: "Callable[[Situation], Advice]", sink: "Sink", progress: Progress
    ) -> None:
        self.found = found
        self.game = game
        self.answer = answer
        self.sink = sink
        self.progress = progress
        self.impossible = self.unsettled = 0
        self.interrupted = False

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the JSON object of each answer with its `number` in the file, until Ctrl-C: what is not complete then is left out."""
        from analyzer.simulation import Interrupted

        for number, (place, asked) in enumerate(self.found, 1):
            try:
                advice = self._advice(place, asked)
            except (KeyboardInterrupt, Interrupted):
                self.interrupted = True
            except ImpossibleError as error:
                self.impossible += 1
                self.progress.clear()
                print(f"tricklab: {error}", file=sys.stderr)
                continue
            self.interrupted = self.interrupted or advice.interrupted
            if self.interrupted:
                return
            self.progress(number)
            self.progress.clear()
            for note in advice.notes:
                self.sink.note(f"{place}: {note}")
            self.unsettled += not advice.settled
            yield replace(advice, more={"number": number} | advice.more).to_json()

    def _advice(self, place: str, asked: "Situation | TricklabError") -> "Advice":
        if isinstance(asked, TricklabError):
            raise ImpossibleError(str(asked))
        check_game(place, asked, self.game)
        try:
            return self.answer(asked)
        except ImpossibleError as error:
            raise ImpossibleError(f"{place}: {error}") from None

    def close(self, file: str, effort: EffortOptions) -> None:
        """Leave with the exit code that tells what could not be answered."""
        if self.interrupted:
            raise typer.Exit(INTERRUPTED)
        if self.impossible:
            raise ImpossibleError(f"{file}: {self.impossible} of {counted(len(self.found), 'situations')} could not be answered; see above")
        if effort.precision is not None and self.unsettled:
            raise PrecisionError(f"--precision: in {counted(self.unsettled, 'situations')} another may be better by more than {effort.precision:g}; "
                                 "allow more --deals")
