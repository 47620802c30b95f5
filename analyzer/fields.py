"""Fields of the rules: every group with its types and ranges, and what contradicts what (contracts.md 3)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from analyzer import formula
from analyzer.errors import did_you_mean, shown
from kernels.layout import MAX_DECK, MAX_GULASHES, MAX_HAND, MAX_SCHEDULE, MAX_SEATS

BRIDGE_HAND = 13        # cards a hand in Israeli Whist
SOLO_HAND = 12          # cards a hand in Spanish Solo
SOLO_TOTAL = 72         # 60 card points and 12 tricks

# Scores of the schemes that have a name: made, short (too few tricks), beyond (too many).
SCHEMES = {
    "basic": ("10 + t", "t", "t"),
    "exact": ("10 + b", "0", "0"),
    "slam": ("(50 if h >= 5 and b == h else 25 if h >= 5 and b == h - 1 else 5) + t", "t", "t"),
    "one-point": ("1", "0", "0"),
}
FORMULAS = ("score.made", "score.short", "score.beyond")


# ---------------------------------------------------------------- values of fields that are more than a number or a word

def _is_count(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _are_counts(value: object, low: int, high: int, most: int) -> bool:
    return isinstance(value, list) and 0 < len(value) <= most and all(_is_count(entry, low, high) for entry in value)


def _seats(low: int, high: int) -> PlainValidator:
    """Return the check of `players`: one number or a list of different numbers."""
    def check(value: object) -> list[int]:
        seats = value if isinstance(value, list) else [value]
        if not _are_counts(seats, low, high, MAX_SEATS) or len(set(seats)) < len(seats):
            raise ValueError(f"is {shown(value)}, expected {low if low == high else f'a number from {low} to {high} or a list of different ones'}")
        return sorted(seats)
    return PlainValidator(check)


GENERATORS: dict[str, Any] = {
    "down": lambda top: [*range(top, 0, -1)],
    "up": lambda top: [*range(1, top + 1)],
    "down_up": lambda top: [*range(top, 0, -1), *range(2, top + 1)],
    "up_down": lambda top: [*range(1, top + 1), *range(top - 1, 0, -1)],
}


def _schedule(value: object) -> str | list[int] | dict[str, list[int]]:
    """Check a schedule: cards a hand, deal by deal; the name of a generator; or one list for each number of players."""
    if isinstance(value, str) and value in GENERATORS:
        return value
    if isinstance(value, list) and _are_counts(value, 1, MAX_HAND, MAX_SCHEDULE):
        return value
    if isinstance(value, dict) and value and all(players in map(str, range(2, MAX_SEATS + 1)) and _are_counts(hands, 1, MAX_HAND, MAX_SCHEDULE)
                                                 for players, hands in value.items()):
        return value
    raise ValueError(f"is {shown(value)}, expected {', '.join(GENERATORS)}, a list of at most {MAX_SCHEDULE} hand sizes from 1 to {MAX_HAND}, "
                     f"or a table of such lists by players{did_you_mean(value, GENERATORS)}")


def _end(value: object) -> str | dict[str, int]:
    """Check when a whole game ends."""
    if value == "schedule":
        return "schedule"
    if isinstance(value, dict) and len(value) == 1 and _is_count(value.get("target", value.get("deals")), 1, 1_000_000):
        return value
    raise ValueError(f"is {shown(value)}, expected schedule, {{target = SCORE}} or {{deals = NUMBER}}, whole and above 0")


def _score_formula(value: object) -> str:
    """Check a formula; a number is a formula."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"is {shown(value)}, expected arithmetic in quotes, such as '10 + b'")
    try:
        return formula.parse(str(value)).text
    except (formula.FormulaError, ValueError) as error:      # or a number of thousands of digits
        raise ValueError(f"is {shown(value)}: {error}") from None


def _whole(low: int, high: int) -> Any:
    return Field(ge=low, le=high)


Points = Annotated[int, _whole(-10_000, 10_000)]
Chips = Annotated[int, _whole(0, 1_000)]
ScoreFormula = Annotated[str | None, PlainValidator(_score_formula)]


# ---------------------------------------------------------------- fields, group by group

class Group(BaseModel):
    """Fields that take exactly the types they name, and no others."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class AuctionTrump(Group):
    source: Literal["auction"]


class SoloistTrump(Group):
    source: Literal["soloist"]


class Trump(Group):
    source: Literal["turnup", "none"]
    when_exhausted: Literal["none", "dealer_last", "cut"]


class Auction(Group):
    min_bid: Annotated[int, _whole(3, BRIDGE_HAND)]   # lower ones could fill layout.MAX_CALLS
    first: Literal["dealer_left", "dealer"]
    end_passes: Literal[3, 4]
    reentry: bool
    forced_last: bool
    all_pass: Literal["redeal_same", "redeal_next", "gulash"]


class Gulash(Group):
    cards: Annotated[int, _whole(1, BRIDGE_HAND)]
    max: Annotated[int, _whole(1, MAX_GULASHES)]
    direction: Literal["right", "left", "across"]
    min_bid_step: Annotated[int, _whole(0, BRIDGE_HAND)]


class DeclarersContract(Group):
    declarer_rebids: Literal["none", "at_least"]
    hook13: Literal["off", "last_speaker"]
    exact13: Literal["over", "under"]


class Bidding(Group):
    mode: Literal["sequential", "simultaneous", "secret"]
    hook: Literal["none", "not_equal", "must_exceed", "coop_equal"]
    hook_min_hand: Annotated[int, _whole(1, MAX_HAND)]


class Play(Group):
    must_trump: bool
    must_head: bool
    trump_lead: Literal["anytime", "after_broken", "after_first_trick"]


class ZeroMiss(Group):
    base: Points
    per_trick: Points
    free: Annotated[int, _whole(0, BRIDGE_HAND)]


class WhistScore(Group):
    made_const: Points
    miss_per_trick: Annotated[int, _whole(0, 10_000)]
    zero_made_under: Points
    zero_made_over: Points
    zero_miss: ZeroMiss
    zero_miss_over: ZeroMiss | None = None
    all_fail_zero: bool
    all_same_double: bool


class BidScore(Group):
    system: Literal["basic", "exact", "slam", "one-point", "formula"]
    made: ScoreFormula = None
    short: ScoreFormula = None
    beyond: ScoreFormula = None
    low_wins: bool
    unit: Annotated[float, Field(ge=0.001, le=1000)]


class Juego(Group):
    target: Annotated[int, _whole(1, SOLO_TOTAL)]
    reduced_seat: Literal["dealer_left", "eldest", "dealer", "none"]
    reduced_target: Annotated[int, _whole(1, SOLO_TOTAL)]


class Bola(Group):
    trump_first: bool


class NoSolo(Group):
    stake: Chips


class Pool(Group):
    ante: Chips
    pass_fee: Chips
    on_win: Literal["all", "none"]
    on_loss: Literal["double", "none"]


class Game(Group):
    end: Annotated[str | dict[str, int], PlainValidator(_end)]
    max_deals: Annotated[int, _whole(1, 1_000_000)]
    tie: Literal["stand", "sudden_death"]


class Contradiction(NamedTuple):
    """Fields that do not go together: the first is the one to name, then what is wrong and what was expected."""

    paths: tuple[str, ...]
    text: str


class GameRules(Group):
    """Fields of every game."""

    players: list[int]
    game: Game

    @property
    def seats(self) -> list[int]:
        """Numbers of players that these rules can take, lowest first."""
        return self.players

    def schedule_for(self, players: int) -> list[int]:
        """Return the hand sizes of a game, deal by deal."""
        raise NotImplementedError

    def contradictions(self, players: int) -> Iterator[Contradiction]:
        """Yield what cannot be played together."""
        end = self.game.end
        deals = end.get("deals", 0) if isinstance(end, dict) else len(self.schedule_for(players))
        if deals > self.game.max_deals:
            yield Contradiction(("game.end", "game.max_deals"), f"game.max_deals is {self.game.max_deals}, expected at least {deals}, the deals of a game")


class WhistRules(GameRules):
    """Fields of Israeli Whist."""

    players: Annotated[list[int], _seats(4, 4)]
    trump: AuctionTrump
    auction: Auction
    gulash: Gulash
    contract: DeclarersContract
    play: Play
    score: WhistScore

    def schedule_for(self, players: int) -> list[int]:
        return [BRIDGE_HAND]

    def contradictions(self, players: int) -> Iterator[Contradiction]:
        yield from super().contradictions(players)
        auction, gulash = self.auction, self.gulash
        if self.game.end == "schedule":
            yield Contradiction(("game.end",), "game.end is 'schedule', expected {target = SCORE} or {deals = NUMBER}: every deal has 13 cards a hand")
        if auction.all_pass == "gulash":
            highest = auction.min_bid + gulash.max * gulash.min_bid_step
            if highest > BRIDGE_HAND:
                yield Contradiction(("gulash.min_bid_step", "gulash.max", "auction.min_bid", "auction.all_pass"),
                                    f"gulash.min_bid_step is {gulash.min_bid_step} and asks for {highest} tricks after {gulash.max}, expected at most 13")
            if auction.forced_last:
                yield Contradiction(("auction.forced_last", "auction.all_pass"),
                                    "auction.forced_last is true with auction.all_pass 'gulash', expected false: the fourth seat must bid, so nobody exchanges")


class BidRules(GameRules):
    """Fields of Oh Hell and the games made from it."""

    players: Annotated[list[int], _seats(2, MAX_SEATS)]
    schedule: Annotated[str | list[int] | dict[str, list[int]], PlainValidator(_schedule)]
    trump: Trump
    bidding: Bidding
    play: Play
    score: BidScore

    @property
    def seats(self) -> list[int]:
        return [seats for seats in self.players if not isinstance(self.schedule, dict) or str(seats) in self.schedule]

    def schedule_for(self, players: int) -> list[int]:
        if isinstance(self.schedule, dict):
            return self.schedule[str(players)]
        if isinstance(self.schedule, list):
            return self.schedule
        hands: list[int] = GENERATORS[self.schedule](most_cards(players))
        return hands

    def contradictions(self, players: int) -> Iterator[Contradiction]:
        yield from super().contradictions(players)
        largest = max(self.schedule_for(players))
        if largest > most_cards(players):
            yield Contradiction(("schedule", "players"), f"schedule deals {largest} cards to each of {players} players, {largest * players} of {MAX_DECK}; "
                                f"expected at most {most_cards(players)}")
        if self.bidding.mode != "sequential" and self.bidding.hook != "none":
            yield Contradiction(("bidding.hook", "bidding.mode"), f"bidding.hook is '{self.bidding.hook}' with bidding.mode '{self.bidding.mode}', "
                                "expected 'none': nobody bids last")
        for path, text in zip(FORMULAS, (self.score.made, self.score.short, self.score.beyond), strict=True):
            if self.score.system == "formula" and text is None:
                yield Contradiction(("score.system",), f"score.system is 'formula' without {path}, expected all of {', '.join(FORMULAS)}")
            if self.score.system != "formula" and text is not None:
                yield Contradiction((path,), f"{path} is {shown(text)} with score.system '{self.score.system}', expected score.system = 'formula'")
        if isinstance(self.game.end, dict) and (Fraction(self.game.end.get("target", 0)) / self.unit).denominator > 1:
            yield Contradiction(("game.end", "score.unit"),
                                f"game.end.target is {self.game.end['target']}, expected a multiple of score.unit {self.unit}")

    @property
    def unit(self) -> Fraction:
        """The smallest step of a score."""
        return Fraction(str(self.score.unit))

    @property
    def formulas(self) -> tuple[str, ...]:
        """Scores of a bid that was made, fell short, was exceeded."""
        if self.score.system in SCHEMES:
            return SCHEMES[self.score.system]
        return (self.score.made or "", self.score.short or "", self.score.beyond or "")


class SoloRules(GameRules):
    """Fields of Spanish Solo."""

    players: Annotated[list[int], _seats(3, 3)]
    trump: SoloistTrump
    juego: Juego
    bola: Bola
    nosolo: NoSolo
    pool: Pool
    play: Play

    def schedule_for(self, players: int) -> list[int]:
        return [SOLO_HAND]

    def contradictions(self, players: int) -> Iterator[Contradiction]:
        yield from super().contradictions(players)
        juego, stake = self.juego, self.nosolo.stake
        if self.game.end == "schedule":
            yield Contradiction(("game.end",), "game.end is 'schedule', expected {target = SCORE} or {deals = NUMBER}: every deal has 12 cards a hand")
        if juego.reduced_seat != "none" and juego.reduced_target > juego.target:
            yield Contradiction(("juego.reduced_target", "juego.target"),
                                f"juego.reduced_target is {juego.reduced_target}, expected at most juego.target {juego.target}")
        if stake % 2:
            yield Contradiction(("nosolo.stake",), f"nosolo.stake is {stake}, expected an even number: tied players share it by halves")


FIELDS: dict[str, type[GameRules]] = {"israeli-whist": WhistRules, "oh-hell": BidRules, "spanish-solo": SoloRules}


def most_cards(players: int) -> int:
    """Return the most cards that 52 give to each of so many players."""
    return min(MAX_DECK // players, MAX_HAND)


def field_paths(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the dotted path of every field of a game, and whether it is a group of fields."""
    for name, about in model.model_fields.items():
        kinds = [kind for kind in (about.annotation, *get_args(about.annotation)) if isinstance(kind, type) and issubclass(kind, BaseModel)]
        yield f"{prefix}{name}", bool(kinds)
        for kind in kinds:
            yield from field_paths(kind, f"{prefix}{name}.")
