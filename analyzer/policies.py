"""Policies: how a seat bids and plays, from TOML to POLICY records and one array of weights."""

import zipfile
import zlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from math import comb
from os.path import isfile
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.errors import ImpossibleError, TricklabError, UsageError, did_you_mean, one_of, shown
from analyzer.output import field_rows
from analyzer.rulebook import game_names, is_file_name, parse
from analyzer.rules import Rules
from kernels import layout
from kernels.layout import Player

DATA = Path(str(resources.files("analyzer"))) / "data"
WEIGHTS: dict[str, tuple[float, float]] = {      # the lowest and highest value of each; units are in `kernels.layout.POLICY`
    "will_needs": (0, 1), "will_full": (0, 1), "will_unknown": (0, 1),
    "rest": (0, 3), "risk": (-5, 5), "spare": (-5, 5), "cheap": (-5, 5),
    "seat_shift": (-1, 1), "sum_shift": (-1, 1), "duck_shift": (-1, 1),      # keep expected tricks below 64, the bits in a mask of bids
    "zero_margin": (-1000, 1000), "call_margin": (-1000, 1000), "usual_level": (1, 13),
    "trick_gain": (0, 20), "keep": (-50, 50), "solo_margin": (-1000, 1000), "solo_made": (0, 1),
    "explore": (0, 1), "slips": (0, 1),
}  # fmt: skip
WEAK = ("beginner", "random")
KEYS = ("base", "summary", "player", "tables", "nets", "weights", "games")
CARD = ("seed", "updates", "deals", "fields", "tables", "strength")      # what a card says at least
WEIGHT_KEYS = ("value", "unit", "doc")
FEWEST_LEARNED = 3          # players of the smallest table that the shipped tables were learned at
NETS: dict[str, dict[str, tuple[int, int, int]]] = {      # by family: inputs that candidates share, inputs of each, outputs
    "israeli-whist": {
        "play": (layout.PLAY_SHARED, layout.PLAY_OWN, 1),
        "bid": (layout.BID_SHARED, layout.BID_OWN, layout.OUTPUTS),
        "call": (layout.CALL_SHARED, layout.CALL_OWN, 1),
        "gulash": (layout.CALL_SHARED, layout.CALL_OWN, 1),
    },
    "oh-hell": {"play": (layout.PLAY_SHARED, layout.PLAY_OWN, 1), "bid": (layout.BID_SHARED, layout.BID_OWN, layout.OUTPUTS)},
    "jabberwocky": {"play": (layout.PLAY_SHARED, layout.PLAY_OWN, 1), "bid": (layout.BID_SHARED, layout.BID_OWN, layout.OUTPUTS)},
    "spanish-solo": {
        "soloist": (layout.PLAY_SHARED, layout.PLAY_OWN, 1),
        "defender": (layout.PLAY_SHARED, layout.PLAY_OWN, 1),
        "alone": (layout.PLAY_SHARED, layout.PLAY_OWN, 1),
        "contract": (layout.BID_SHARED, layout.BID_OWN, layout.OUTPUTS),
        "pass": (layout.BID_SHARED, layout.BID_OWN, layout.OUTPUTS),
    },
}


@dataclass(frozen=True)
class Weight:
    """A named number of a policy, with its unit and meaning."""

    value: float
    unit: str
    doc: str


@dataclass(frozen=True)
class Policy:
    """How a seat decides. `load` makes it."""

    name: str
    summary: str
    player: Player
    tables: str | None
    nets: str | None
    weights: dict[str, Weight] = field(hash=False)
    games: dict[str, dict[str, Weight]] = field(hash=False, default_factory=dict)      # weights that differ in a game
    learned: dict[str, np.ndarray] = field(compare=False, default_factory=dict)        # tables and networks that stand in for those of its files
    plays_for: Rules | None = field(compare=False, default=None)                       # whose scores it plays for, those of the table if None

    def weights_in(self, game: str) -> dict[str, Weight]:
        """Return the weights that hold in a game."""
        return {**self.weights, **self.games.get(game, {})}


def names() -> list[str]:
    """Return the shipped policies, the strongest first."""
    shipped = {path.stem for path in (DATA / "policies").glob("*.toml")}
    return sorted(shipped, key=lambda name: (name in WEAK, name))


def default(game: str) -> str:
    """Return the strongest shipped policy of a game."""
    return "learned"


def load(name: str) -> Policy:
    """Return a policy by name or from a TOML file.

    Raises
    ------
    TricklabError
        The file cannot be opened.
    UsageError
        There is no such policy, or a key or weight is unknown.
    ImpossibleError
        The file cannot be read as TOML, or a value is of the wrong kind or out of its range.
    """
    return _load(_file(name, Path()), ())


def info(name: str) -> dict[str, Any]:
    """Return summary, player, networks, their cards and weights of a policy as plain data; a weight that differs in a game has its value there under the game's
    name."""
    policy = load(name)
    weights = {
        key: {"value": weight.value, **{game: own[key].value for game, own in policy.games.items() if key in own}, "unit": weight.unit, "doc": weight.doc}
        for key, weight in policy.weights.items()
    }
    is_learned = policy.player == Player.LEARNED and policy.nets is not None
    return {
        "policy": policy.name,
        "summary": policy.summary,
        "player": policy.player.name.lower(),
        "nets": Path(policy.nets).name if is_learned and policy.nets else None,
        "cards": cards(policy.nets) if is_learned and policy.nets else {},
        "games": sorted(policy.games),
        "weights": weights,
    }


def check(path: str | Path) -> Policy:
    """Return the policy of a TOML file that can be played.

    Raises
    ------
    TricklabError
        As `load`.
    """
    policy = _load(Path(path), ())
    if policy.player == Player.LEARNED and policy.nets is not None:
        for family_name in _trained(policy.nets):
            networks(policy.nets, family_name)
        cards(policy.nets)
    return policy


def _file(name: str, folder: Path) -> Path:
    """Return the file of a shipped policy, or one in a folder."""
    if name in names():
        return DATA / "policies" / f"{name}.toml"
    if not is_file_name(name) and not isfile(folder / name):
        raise UsageError(f"policy {shown(name)} is not known{did_you_mean(name, names())}; expected {one_of(names())} or a TOML file")
    return folder / name


def _load(path: Path, above: tuple[Path, ...]) -> Policy:
    """Return the policy of a file that those `above` build on."""
    if not isfile(path):
        raise TricklabError(f"{path}: no such file; expected a policy in TOML")
    above = (*above, path.resolve())
    if len(set(above)) < len(above):
        raise ImpossibleError(f"{path.name}: base goes in a circle: {' -> '.join(file.name for file in above)}; name another base")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TricklabError(f"{path}: cannot be read: {error.strerror}") from None
    return _checked(path, parse(path.name, content), above)


def _checked(path: Path, table: dict[str, Any], above: tuple[Path, ...]) -> Policy:
    where = path.name
    for key in table:
        if key not in KEYS:
            raise UsageError(f"{where}: {shown(key)} is no key of a policy{did_you_mean(key, KEYS)}; expected {one_of(KEYS)}")
    base = _load(_file(_text(where, table, "base"), path.parent), above) if "base" in table else None
    weights = _weights(where, "weights", table.get("weights", {}), base.weights if base else {})
    by_game = table.get("games", {})
    if not isinstance(by_game, dict):
        raise ImpossibleError(f"{where}: games: found {shown(by_game)}, expected tables such as [games.oh-hell]")
    known = game_names()
    own = {game: dict(inherited) for game, inherited in base.games.items()} if base else {}
    for game, entries in by_game.items():
        if game not in known:
            raise UsageError(f"{where}: games.{game}: there is no such game{did_you_mean(game, known)}; expected {one_of(known)}")
        changed = _weights(where, f"games.{game}", entries, {**weights, **own.get(game, {})})
        own[game] = {key: weight for key, weight in changed.items() if key in entries or key in own.get(game, {})}
    kinds = [player.name.lower() for player in Player]
    player = _text(where, table, "player") if "player" in table else base.player.name.lower() if base else ""
    if player not in kinds:
        raise ImpossibleError(f"{where}: player: found {shown(player)}, expected {one_of(kinds)}{did_you_mean(player, kinds)}")
    tables = _text(where, table, "tables") if "tables" in table else base.tables if base else None
    is_rules = Player[player.upper()] != Player.RANDOM
    shipped = [file.stem for file in (DATA / "weights").glob("*.npz")]
    if (is_rules or tables is not None) and tables not in shipped:
        raise ImpossibleError(f"{where}: tables: found {shown(tables)}, expected {one_of(shipped)}{did_you_mean(tables, shipped)}")
    nets = _text(where, table, "nets") if "nets" in table else base.nets if base else None
    if Player[player.upper()] == Player.LEARNED and (nets is None or not _nets_file(nets, path.parent).is_file()):
        raise ImpossibleError(f"{where}: nets: found {shown(nets)}, expected a file of networks, as `tricklab train` writes them")
    if is_rules:
        missing = [key for key in WEIGHTS if key not in weights]
        if missing:
            raise ImpossibleError(f"{where}: weights.{missing[0]} is missing; give it, or inherit it with base = \"rules-1\"")
    summary = _text(where, table, "summary") if "summary" in table else base.summary if base else path.stem
    return Policy(path.stem, summary, Player[player.upper()], tables, str(_nets_file(nets, path.parent)) if nets else None, weights, own)


def _nets_file(name: str, folder: Path) -> Path:
    """Return the file of networks that a policy names: a shipped one, or a path beside the policy."""
    return DATA / "weights" / f"{name}.npz" if not name.endswith(".npz") else folder / name


def _weights(where: str, place: str, entries: Any, inherited: dict[str, Weight]) -> dict[str, Weight]:
    if not isinstance(entries, dict):
        raise ImpossibleError(f"{where}: {place}: found {shown(entries)}, expected tables such as [{place}.rest]")
    weights = dict(inherited)
    for key, entry in entries.items():
        if key not in WEIGHTS:
            raise UsageError(f"{where}: {place}.{key} is no weight{did_you_mean(key, WEIGHTS)}; expected {one_of(WEIGHTS)}")
        weights[key] = _weight(f"{where}: {place}.{key}", entry, weights.get(key), *WEIGHTS[key])
    return weights


def _text(where: str, table: dict[str, Any], key: str) -> str:
    if not isinstance(table[key], str):
        raise ImpossibleError(f"{where}: {key}: found {shown(table[key])}, expected a text in quotes")
    return str(table[key])


def _weight(where: str, entry: Any, inherited: Weight | None, low: float, high: float) -> Weight:
    if not isinstance(entry, dict):
        entry = {"value": entry}
    for key in entry:
        if key not in WEIGHT_KEYS:
            raise UsageError(f"{where}.{key} is not known{did_you_mean(key, WEIGHT_KEYS)}; expected {one_of(WEIGHT_KEYS)}")
    value = entry.get("value", inherited.value if inherited else None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ImpossibleError(f"{where}: found {shown(value)}, expected a number from {low} to {high}")
    unit, doc = (_text(where, entry, key) if key in entry else getattr(inherited, key, "") for key in ("unit", "doc"))
    return Weight(float(value), unit, doc)


def family(rules: Rules) -> str:
    """Return whose learned tables serve these rules: the nearest family of games."""
    if not rules.has_bids:
        return "spanish-solo"
    if rules.auction == "levels":
        return "israeli-whist"
    if rules.fields["play"]["trump_lead"] != "anytime":
        return "jabberwocky"
    return "oh-hell" if rules.fields["play"]["must_trump"] else "oh-hell-free"


@cache
def odds() -> np.ndarray:
    """Return P(a hand of r cards holds none of k cards) with u unseen, C(u-k, r) / C(u, r).

    Returns
    -------
    array of float64, shape `layout.ODDS_SHAPE`, by u, k and r; 0 where it cannot be
    """
    table = np.zeros(layout.ODDS_SHAPE)
    unseen, kinds, hands = table.shape
    for u in range(unseen):
        for r in range(min(u, hands - 1) + 1):
            ways = comb(u, r)
            for k in range(min(u - r, kinds - 1) + 1):
                table[u, k, r] = comb(u - k, r) / ways
    return table


@cache
def learned_tables(name: str, family_name: str, players: int) -> dict[str, np.ndarray]:
    """Return the learned tables of a family at a number of players, blown up to the shapes of `kernels.layout`.

    A number of players below those learned takes the nearest.
    """
    shapes = {"expect": layout.EXPECT_SHAPE, "duck": layout.DUCK_SHAPE, "aim": layout.AIM_SHAPE, "sides": layout.SIDES_SHAPE, "solo": layout.SOLO_SHAPE}
    tables = {key: np.zeros(shape) for key, shape in shapes.items()}
    with np.load(DATA / "weights" / f"{name}.npz") as stored:
        for key, table in tables.items():
            stored_name = f"{family_name}/{max(players, FEWEST_LEARNED)}/{key}"
            if stored_name in stored:
                values = stored[stored_name]
                table[tuple(slice(0, n) for n in values.shape)] = values / np.iinfo(values.dtype).max
    return tables


def worth(aim: np.ndarray, rules: Rules) -> np.ndarray:
    """Return what a bid is expected to score under the rules.

    Parameters
    ----------
    aim : P(tricks - bid) by cards, role, bucket and difference, shape `layout.AIM_SHAPE`

    Returns
    -------
    array of float64, shape `layout.WORTH_SHAPE`, in units, larger is better (the sign is turned where the lowest score wins)
    """
    points = rules.points() * (-1 if rules.fields.get("score", {}).get("low_wins") else 1)
    table = np.zeros(layout.WORTH_SHAPE)
    for cards in sorted({*rules.schedule, *range(1, rules.max_cards + 1)}):
        for bid in range(cards + 1):
            buckets = slice(layout.AIM_BUCKETS, None) if bid == 0 else slice(0, layout.AIM_BUCKETS)
            first = 0 if bid == 0 else bid - layout.DIFFERENCES // 2
            for k in range(layout.DIFFERENCES):       # one after the other: the same sum on every machine
                scored = points[cards, :, bid, min(max(first + k, 0), cards)]
                table[cards, :, :, bid, buckets] += aim[cards, :, None, buckets, k] * scored[None, :, None]
    return table


def net_family(rules: Rules) -> str:
    """Return whose networks serve these rules."""
    return family(rules).removesuffix("-free")


def usual_stake(rules: Rules) -> float:
    """Return the mean gain of a made bid of 0 to 4 tricks over one trick too few or too many, in units of score; negative where the lowest score wins.

    It is the unit in which networks see scores.
    """
    points = rules.points()
    cards = max(rules.schedule)
    gains = [
        float(points[cards, side, bid, bid] - points[cards, side, bid, tricks])
        for side in (0, 2) for bid in range(min(4, cards) + 1) for tricks in (bid - 1, bid + 1) if 0 <= tricks <= cards
    ]
    mean = abs(sum(gains) / len(gains)) or 1.0
    return -mean if rules.fields.get("score", {}).get("low_wins") else mean


def stakes(rules: Rules) -> np.ndarray:
    """Return the scheme's scores in usual stakes, larger is better; float64, shape `layout.POINTS_SHAPE`."""
    return rules.points() / usual_stake(rules)


def prices(rules: Rules) -> np.ndarray:
    """Return what a bid scores by what becomes of it, in usual stakes; float32, shape `layout.PRICES_SHAPE`."""
    scored = stakes(rules)
    table = np.zeros(layout.PRICES_SHAPE, np.float32)
    for cards in range(1, layout.MAX_HAND + 1):
        for bid in range(cards + 1):
            tricks = np.clip(bid - layout.SHORTEST + np.arange(layout.SPANS), 0, cards)
            table[cards, bid] = scored[cards, :, bid][:, tricks]
    return table


def net_size(family_name: str, net: str) -> int:
    """Return how many numbers a network of a family has."""
    n_shared, n_own, outputs = NETS[family_name][net]
    return (n_shared + n_own) * layout.UNITS + (layout.UNITS if outputs == 1 else (layout.UNITS + 1) * outputs)


def networks(file: str, family_name: str) -> dict[str, np.ndarray]:
    """Return the networks of a family, float32, flat.

    Raises
    ------
    ImpossibleError
        The file cannot be read, or has no networks of this family, or networks of another size or with numbers that are none.
    """
    where = Path(file).name
    stored = _stored(file)
    nets = {}
    for net in NETS.get(family_name, ()):
        size, key = net_size(family_name, net), f"{family_name}/{net}"
        if key not in stored:
            families = sorted({name.partition("/")[0] for name in stored})
            found = f"networks of {one_of(families)}" if families else "none"
            raise ImpossibleError(f"{where}: {key}: found {found}, expected a network of {size:,} numbers; tricklab train trains one")
        numbers = stored[key]
        if numbers.shape != (size,) or numbers.dtype.kind != "f":
            raise ImpossibleError(f"{where}: {key}: found {numbers.size:,} numbers ({numbers.dtype}), expected {size:,}; train it anew with this version")
        if not np.isfinite(numbers).all():
            raise ImpossibleError(f"{where}: {key}: found a number that is none or has no end, expected {size:,} finite numbers; train it anew")
        nets[net] = numbers.astype(np.float32)
    return nets


def networks_of(policy: Policy, family_name: str) -> dict[str, np.ndarray]:
    """Return the networks that a policy plays a family with, its own before those of its file."""
    return policy.learned if policy.learned else networks(str(policy.nets), family_name)


def _trained(file: str) -> list[str]:
    """Return the families that a file has networks of."""
    return [family_name for family_name in NETS if any(key.startswith(f"{family_name}/") for key in _stored(file))]


def _stored(file: str) -> dict[str, np.ndarray]:
    where = Path(file).name
    try:
        with np.load(file) as stored:
            return {key: stored[key] for key in stored}
    except (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "no whole .npz file"
        raise ImpossibleError(f"{where}: found {reason}, expected networks as tricklab train writes them") from None


def cards(file: str) -> dict[str, dict[str, Any]]:
    """Return the cards of a file of networks by family: what they were trained on and how strong they are; none where no card lies beside it.

    Raises
    ------
    ImpossibleError
        The card cannot be read.
    """
    path = Path(file).with_suffix(".card.toml")
    if not path.is_file():
        return {}
    found = parse(path.name, path.read_bytes())
    if not all(isinstance(card, dict) and set(CARD) <= card.keys() for card in found.values()):
        raise ImpossibleError(f"{path.name}: found no card of networks, expected one that tricklab train wrote; remove it to do without")
    return found


def untrained(policy: Policy, rules: Rules, cards_dealt: int | None = None) -> list[str]:
    """Return what a learned policy's networks were never trained on, as field=value; nothing where no card tells.

    Parameters
    ----------
    cards_dealt : cards a hand, those of the schedule if None
    """
    if policy.player != Player.LEARNED or policy.nets is None:
        return []
    card = cards(policy.nets).get(net_family(rules))
    if card is None:
        return []
    here = trained_fields([rules]) | ({"cards": [str(cards_dealt)]} if cards_dealt else {})
    new = {field: [value for value in values if value not in card["fields"].get(field, ())] for field, values in here.items()}
    return [f"{field}={'/'.join(values)}" for field, values in new.items() if values]


def trained_fields(tables: Sequence[Rules]) -> dict[str, list[str]]:
    """Return every value of every field that bears on a single deal at these tables, as `--set` takes them; for a schedule the cards a hand."""
    values: dict[str, set[str]] = {"cards": {str(size) for rules in tables for size in rules.schedule}}
    for rules in tables:
        for row in field_rows(rules.fields):
            if not row["field"].startswith(("game.", "schedule")):
                values.setdefault(row["field"], set()).add(row["value"])
    return {field: sorted(found, key=lambda value: (len(value), value)) for field, found in sorted(values.items())}


def packed(numbers: np.ndarray) -> np.ndarray:
    """Return float32 numbers two to a float64, as the kernels read them."""
    flat = numbers.astype(np.float32).ravel()
    return np.concatenate([flat, np.zeros(len(flat) % 2, np.float32)]).view(np.float64)


def _packed_prices(rules: Rules) -> np.ndarray:
    return packed(prices(rules))


def compile_policies(policies: Sequence[Policy], rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return policies as the kernels read them.

    Returns
    -------
    POLICY records, shape (seats,)
    weights, float64, shape (any,): every table that some policy uses, once
    """
    records = np.zeros(len(policies), dtype=layout.POLICY)
    parts: list[np.ndarray] = [np.zeros(1)]
    starts: dict[tuple[Hashable, ...], int] = {}
    size = 1

    def start(key: tuple[Hashable, ...], make: Callable[[], np.ndarray]) -> int:
        nonlocal size
        if key not in starts:
            table = make()
            starts[key] = size
            parts.append(table.ravel())
            size += table.size
        return starts[key]

    for record, policy in zip(records, policies, strict=True):
        scheme = policy.plays_for or rules
        record["player"] = policy.player
        for key, weight in policy.weights_in(rules.game).items():
            record[key] = weight.value
        if policy.tables is not None:
            record["odds"] = start(("odds",), odds)
            tables = {**learned_tables(policy.tables, family(rules), rules.players), **policy.learned}
            for key in ("expect", "duck", "sides", "solo"):
                record[key] = start((id(tables[key]),), partial(tables.__getitem__, key))
            record["worth"] = start((id(tables["aim"]), "worth", id(scheme)), partial(worth, tables["aim"], scheme))
        if policy.player == Player.LEARNED and (policy.learned or policy.nets is not None):
            for name, net in networks_of(policy, net_family(rules)).items():
                record[f"net_{name}"] = 2 * start((id(policy.learned) if policy.learned else policy.nets, name), partial(packed, net))
            if rules.has_bids:
                record["prices"] = 2 * start(("prices", id(scheme)), partial(_packed_prices, scheme))
                record["stakes"] = start(("stakes", id(scheme)), partial(stakes, scheme))
    return records, np.concatenate(parts)
