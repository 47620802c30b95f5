"""Rules: the rules of one table, complete and checked, as the RULES record and the score table that the kernels read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from analyzer import formula, rulebook
from analyzer.cards import FRENCH, SPANISH, Deck
from analyzer.errors import RulesError, one_of, shown
from analyzer.fields import BRIDGE_HAND, BidRules, GameRules, SoloRules, WhistRules, most_cards
from analyzer.rulebook import BASE, GameInfo, VariantInfo, games, variants
from kernels import layout
from kernels.layout import Side

__all__ = ["GameInfo", "Rules", "VariantInfo", "check_file", "games", "load", "variants"]

USUAL_PLAYERS = 4
SOLO_CARD_POINTS = (0, 0, 0, 0, 1, 2, 3, 4, 5)      # 3 4 5 6 J Q K A 7
SOLO_VALUES = (0, 2, 4, 8, 12, 16, 20, 0)           # chips to or from each defender, by Contract

ENUMS: dict[str, type[IntEnum]] = {
    "trump.source": layout.TrumpSource,
    "trump.when_exhausted": layout.Exhausted,
    "auction.first": layout.First,
    "auction.all_pass": layout.AllPass,
    "gulash.direction": layout.Direction,
    "contract.declarer_rebids": layout.Rebids,
    "bidding.mode": layout.Mode,
    "bidding.hook": layout.Hook,
    "play.trump_lead": layout.TrumpLead,
    "juego.reduced_seat": layout.ReducedSeat,
    "pool.on_win": layout.PoolWin,
    "pool.on_loss": layout.PoolLoss,
    "game.tie": layout.Tie,
}


@dataclass(frozen=True)
class Rules:
    """The rules of one table, complete and free of contradictions. `load` makes them."""

    game: str                     # "jabberwocky"
    variant: str                  # "base", "alt", "no-hook+exact"
    players: int
    checked: GameRules = field(repr=False)

    @cached_property
    def fields(self) -> dict[str, Any]:
        """All fields, nested as in contracts.md 3, ready for JSON; a schedule by players is the row of this table."""
        fields = self.checked.model_dump(exclude_none=True)
        fields["players"] = self.players
        if isinstance(fields.get("schedule"), dict):
            fields["schedule"] = self.schedule
        return fields

    @property
    def deck(self) -> Deck:
        """The pack."""
        return SPANISH if isinstance(self.checked, SoloRules) else FRENCH

    @property
    def unit(self) -> float:
        """Points in one unit of `points` and of the scores in facts."""
        return float(self.checked.unit) if isinstance(self.checked, BidRules) else 1.0

    @property
    def schedule(self) -> list[int]:
        """Cards a hand, deal by deal."""
        return self.checked.schedule_for(self.players)

    @property
    def max_cards(self) -> int:
        """The most cards a hand that a deal of this table may have, with any schedule."""
        return most_cards(self.players) if isinstance(self.checked, BidRules) else self.schedule[0]

    @property
    def auction(self) -> Literal["none", "levels", "contracts"]:
        """What the calls of the auction are: none, tricks with a denomination, or the contracts of Spanish Solo."""
        if isinstance(self.checked, WhistRules):
            return "levels"
        return "contracts" if isinstance(self.checked, SoloRules) else "none"

    @property
    def has_bids(self) -> bool:
        """Does every seat name the tricks it aims at."""
        return not isinstance(self.checked, SoloRules)

    def record(self) -> np.ndarray:
        """Return the rules as the kernels read them.

        Returns
        -------
        array, shape (1,), dtype `layout.RULES`; fields that do not concern the game are 0
        """
        record = np.zeros(1, dtype=layout.RULES)
        rules = record[0]
        for path, value in _leaves(self.fields):
            name = path.replace(".", "_")
            if name in (layout.RULES.names or ()) and path not in ("schedule", "game.end"):
                rules[name] = ENUMS[path][value.upper()] if path in ENUMS else value
        rules["n_seats"], rules["n_ranks"], rules["deck_mask"] = self.players, len(self.deck.ranks), self.deck.mask
        rules["n_schedule"] = len(self.schedule)
        rules["schedule"][:len(self.schedule)] = self.schedule
        if isinstance(self.checked, WhistRules):
            rules["bidding_hook"] = layout.Hook.NOT_EQUAL if self.checked.contract.hook13 == "last_speaker" else layout.Hook.NONE
            rules["bidding_hook_min_hand"] = 1
        if isinstance(self.checked, SoloRules):
            rules["trick_points"] = 1
            rules["card_points"][:len(SOLO_CARD_POINTS)] = SOLO_CARD_POINTS
            rules["contract_value"] = SOLO_VALUES
        end = self.fields["game"]["end"]
        if end == "schedule":
            rules["game_end"] = layout.End.SCHEDULE
        elif "deals" in end:
            rules["game_end"], rules["game_deals"] = layout.End.DEALS, end["deals"]
        else:
            rules["game_end"], rules["game_target"] = layout.End.TARGET, round(end["target"] / self.unit)
        worth = rules["card_points"]
        ranks = [rank for rank in range(1, len(self.deck.ranks)) if worth[rank] == worth[rank - 1]]
        rules["touching"] = sum(1 << suit * layout.SUIT_BITS + rank for suit in range(layout.SUITS) for rank in ranks)
        rules["points"] = self._points
        by_side = (self._points != self._points[:, :1]).any(axis=(0, 1, 3))
        rules["score_by_side"] = sum(1 << int(bid) for bid in np.flatnonzero(by_side))
        return record

    def points(self) -> np.ndarray:
        """Return the score of every bid and every number of tricks.

        Returns
        -------
        array of int64, shape `layout.POINTS_SHAPE`: units by cards a hand, side of the sum of bids (`layout.Side`), bid and tricks;
        zero for hand sizes that are never dealt and everywhere in Spanish Solo
        """
        return self._points.copy()

    @cached_property
    def _points(self) -> np.ndarray:
        points = np.zeros(layout.POINTS_SHAPE, dtype=np.int64)
        if isinstance(self.checked, WhistRules):
            points[BRIDGE_HAND] = _whist_points(self.checked)
        elif isinstance(self.checked, BidRules):
            largest = max(self.schedule)
            for cards in range(1, self.max_cards + 1):
                points[cards] = _formula_points(self.checked, self.players, cards, largest)
        return points


def _whist_points(rules: WhistRules) -> np.ndarray:
    """Return the Israeli Whist scores by side, bid and tricks (rules.md 1.1)."""
    score = rules.score
    points = np.zeros(layout.POINTS_SHAPE[1:], dtype=np.int64)
    bids, tricks = np.ogrid[:BRIDGE_HAND + 1, :BRIDGE_HAND + 1]
    for side in Side:
        over = side == Side.OVER or (side == Side.EXACT and rules.contract.exact13 == "over")
        miss = score.zero_miss_over if over and score.zero_miss_over else score.zero_miss
        table = np.where(bids == tricks, bids**2 + score.made_const, -score.miss_per_trick * abs(tricks - bids))
        table[0] = miss.base + miss.per_trick * (tricks[0] - miss.free)
        table[0, 0] = score.zero_made_over if over else score.zero_made_under
        points[side, :BRIDGE_HAND + 1, :BRIDGE_HAND + 1] = table
    return points


def _formula_points(rules: BidRules, players: int, cards: int, largest: int) -> np.ndarray:
    """Return the scores of one hand size by side, bid and tricks."""
    points = np.zeros(layout.POINTS_SHAPE[1:], dtype=np.int64)
    made, short, beyond = (formula.parse(text) for text in rules.formulas)
    unit = rules.unit
    for bid in range(cards + 1):
        for tricks in range(cards + 1):
            name, scheme = ("made", made) if tricks == bid else ("short", short) if tricks < bid else ("beyond", beyond)
            values = {"b": bid, "t": tricks, "d": tricks - bid, "h": cards, "n": players, "hmax": largest}
            sides = Side if scheme.names & {"over", "under"} else [Side.EXACT]
            try:
                scores = [scheme.value({**values, "over": side == Side.OVER, "under": side == Side.UNDER}) / unit for side in sides]
                unfit = next((score for score in scores if score.denominator > 1), None)
                if unfit is not None:
                    raise formula.FormulaError(f"{unfit * unit}, expected a multiple of score.unit {unit}")
            except formula.FormulaError as error:
                raise RulesError(f"score.{name} is {shown(scheme.text)}; at b={bid} t={tricks} h={cards}: {error}") from None
            points[:, bid, tricks] = [int(score) for score in scores]      # one score stands for all sides
    return points


def check_file(path: str | Path) -> VariantInfo:
    """Return what a variant file holds, after trying its rules with every number of players.

    Raises
    ------
    UsageError
        where it names a game, variant or field that there is not
    RulesError
        where it cannot be read or cannot be played
    """
    info = rulebook.read(Path(path))
    for players in load(info.game, str(path)).checked.seats:
        load(info.game, str(path), players=players)
    return info


def load(game: str, variant: str = BASE, settings: Sequence[str] | Mapping[str, Any] = (), players: int | None = None) -> Rules:
    """Return the rules of one table.

    Parameters
    ----------
    game : str, one of `games`
    variant : str, a variant's name, id or alias, a TOML file, or several of them with + between
    settings : list of ``group.field=value``, or values by dotted path or nested as in `Rules.fields`; they go over the variant
    players : int, left out: 4 where the rules allow it, else the fewest

    Raises
    ------
    UsageError
        where there is no such game, variant or field
    RulesError
        where a value is wrong, rules contradict each other or a file cannot be read
    """
    names, fields = rulebook.resolve(game, variant, settings)
    checked = rulebook.checked(game, fields)
    seats = checked.seats
    if players is None:
        players = USUAL_PLAYERS if USUAL_PLAYERS in seats or not seats else seats[0]
    if players not in seats:
        source = rulebook.source_of(game, fields, "schedule", "players")
        raise RulesError(f"{source}: no game for {players} players, expected {one_of(seats) or 'a schedule for one of ' + one_of(checked.players)}")
    for paths, text in checked.contradictions(players):
        raise RulesError(f"{rulebook.source_of(game, fields, *paths)}: {text}")
    rules = Rules(game, names, players, checked)
    rules.points()      # a formula that does not fit `score.unit` shows now
    return rules


def _leaves(table: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted path and the value of every field that is no table."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{group}{key}.")
        else:
            yield f"{group}{key}", value
