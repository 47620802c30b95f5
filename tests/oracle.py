"""The referee: all four games once more, in plain Python with sets of strings.

Slow and obvious on purpose. It reads neither `kernels` nor `analyzer`, so that a mistake there is not repeated here.
Cards are text (`SA`, `HT`), a hand is a set of cards, trump is one of C D H S NT, seats are counted in the direction of play.
"""

import ast
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

Rules = dict[str, Any]
Record = dict[str, Any]
Call = tuple[int, str]      # seat and what it says, in a record a list of two
Played = tuple[int, str]    # seat and card
Number = int | Fraction

SUITS = "CDHS"
DENOMINATIONS = ["C", "D", "H", "S", "NT"]                    # low to high
HAND_ORDER = "SHDC"                                           # suits of a hand as text
FRENCH_RANKS = "23456789TJQKA"                                # low to high
SPANISH_RANKS = "3456JQKA7"
CARD_POINTS = {"7": 5, "A": 4, "K": 3, "Q": 2, "J": 1}        # Spanish Solo, other ranks 0
CONTRACT_VALUE = {"juego": 2, "juego-diamonds": 4, "bola": 8, "bola-diamonds": 12, "sin-pedir": 16, "sin-pedir-diamonds": 20}
CONTRACTS = list(CONTRACT_VALUE)                              # low to high
HIGHEST_LEVEL = 13
GULASH_STEP = {"right": -1, "left": 1, "across": 2}           # seats are counted in the direction of play, to the left
RECORD_KEYS = (
    "game", "rules", "dealer", "hands", "turnup", "trump", "auction", "gulash", "declarer", "contract", "soloist", "exchange",
    "pool_before", "pool_after", "bids", "leader", "play", "tricks", "points", "scores",
)

_ISRAELI_WHIST: Rules = {
    "players": 4,
    "schedule": [13],
    "trump": {"source": "auction", "when_exhausted": "none"},
    "auction": {"min_bid": 5, "first": "dealer_left", "end_passes": 4, "reentry": True, "forced_last": False, "all_pass": "redeal_same"},
    "gulash": {"cards": 3, "max": 2, "direction": "right", "min_bid_step": 0},
    "contract": {"declarer_rebids": "none", "hook13": "off", "exact13": "over"},
    "bidding": {"mode": "sequential", "hook": "none", "hook_min_hand": 1},
    "play": {"must_trump": False, "must_head": False, "trump_lead": "anytime"},
    "score": {
        "made_const": 10,
        "miss_per_trick": 10,
        "zero_made_under": 50,
        "zero_made_over": 30,
        "zero_miss": {"base": -50, "per_trick": 10, "free": 1},
        "all_fail_zero": False,
        "all_same_double": False,
    },
}
_OH_HELL: Rules = {
    "players": [3, 4, 5, 6, 7],
    "schedule": "down",
    "trump": {"source": "turnup", "when_exhausted": "none"},
    "bidding": {"mode": "sequential", "hook": "not_equal", "hook_min_hand": 1},
    "play": {"must_trump": True, "must_head": False, "trump_lead": "anytime"},
    "score": {"system": "basic"},
}
_JABBERWOCKY: Rules = {
    "players": [3, 4, 5],
    "schedule": [3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3],
    "trump": {"source": "turnup", "when_exhausted": "none"},
    "bidding": {"mode": "sequential", "hook": "not_equal", "hook_min_hand": 1},
    "play": {"must_trump": False, "must_head": False, "trump_lead": "after_broken"},
    "score": {"system": "one-point"},
}
_SPANISH_SOLO: Rules = {
    "players": 3,
    "schedule": [12],
    "trump": {"source": "soloist", "when_exhausted": "none"},
    "play": {"must_trump": False, "must_head": False, "trump_lead": "anytime"},
    "juego": {"target": 37, "reduced_seat": "dealer_left", "reduced_target": 36},
    "bola": {"trump_first": True},
    "nosolo": {"stake": 2},
    "pool": {"ante": 0, "pass_fee": 1, "on_win": "all", "on_loss": "double"},
}
BASE_RULES: dict[str, Rules] = {
    "israeli-whist": _ISRAELI_WHIST,
    "oh-hell": _OH_HELL,
    "jabberwocky": _JABBERWOCKY,
    "spanish-solo": _SPANISH_SOLO,
}


class ReplayError(Exception):
    """A fault after which the rest of the record cannot be judged."""


# --------------------------------------------------------------------------------------------------------------------- rules and cards


def merged(base: Rules, changes: Rules) -> Rules:
    """Return `base` with `changes` laid over it, group by group; null changes nothing."""
    result = dict(base)
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(base.get(name), dict):
            result[name] = merged(base[name], value)
        elif value is not None:
            result[name] = value
    return result


def rules_of(game: str, changes: Rules | None = None) -> Rules:
    """Return the full rules of `game`, its base rules where `changes` are silent."""
    return merged(BASE_RULES[game], changes or {})


def deck_ranks(rules: Rules) -> str:
    """Return the ranks of the pack, low to high."""
    return SPANISH_RANKS if rules["trump"]["source"] == "soloist" else FRENCH_RANKS


def deck_of(rules: Rules) -> set[str]:
    """Return all cards of the pack."""
    return {suit + rank for suit in SUITS for rank in deck_ranks(rules)}


def parse_hand(text: str) -> list[str]:
    """Return the cards of a hand written as spades.hearts.diamonds.clubs."""
    suits = text.split(".")
    if len(suits) != len(HAND_ORDER):
        raise ReplayError(f"hand {text!r} has {len(suits)} suits, expected 4")
    return [suit + rank for suit, ranks in zip(HAND_ORDER, suits, strict=True) for rank in ranks]


def largest_hand(rules: Rules, n: int) -> int:
    """Return the largest hand size of the schedule for `n` players."""
    schedule = rules["schedule"]
    if isinstance(schedule, dict):
        schedule = {int(players): sizes for players, sizes in schedule.items()}[n]
    if schedule in ("down", "up"):
        return len(FRENCH_RANKS) * len(SUITS) // n
    if schedule in ("down_up", "up_down"):      # rules.md Part 6, table 2: 10, 10, 10, 8 and 7 cards for 3 to 7 players
        return min(10, len(FRENCH_RANKS) * len(SUITS) // n)
    return int(max(schedule))


# ------------------------------------------------------------------------------------------------------------------------- the auctions


class AuctionState(NamedTuple):
    """Where an auction stands."""

    turn: int | None            # seat to speak, None: the auction is over
    legal: list[str]            # what it may say
    high: Call | None           # the highest bid and who made it, None: nobody has bid


def contract_number(call: str) -> int:
    """Return the tricks of an Israeli Whist call: 6 of 6S."""
    return int(call.rstrip("CDHSNT"))


def contract_trump(call: str) -> str:
    """Return the denomination of an Israeli Whist call: S of 6S."""
    return call.lstrip("0123456789")


def call_rank(call: str) -> int:
    """Return the place of a bid in the order of bids: 5C is 0, 13NT is 44 (rules.md Part 7)."""
    return (contract_number(call) - 5) * len(DENOMINATIONS) + DENOMINATIONS.index(contract_trump(call))


def auction_state(rules: Rules, dealer: int, calls: Sequence[Call], gulashes: int = 0) -> AuctionState:
    """Return the state of the auction after `calls`, all legal, in the round that follows so many gulashes."""
    if rules["trump"]["source"] == "soloist":
        return _contract_auction(dealer, calls)
    return _level_auction(rules, dealer, calls, gulashes)


def _level_auction(rules: Rules, dealer: int, calls: Sequence[Call], gulashes: int) -> AuctionState:
    """Return the state of an Israeli Whist auction (rules.md 1.1)."""
    auction = rules["auction"]
    turn = dealer if auction["first"] == "dealer" else (dealer + 1) % 4
    high: Call | None = None
    passes = 0                                  # in a row
    in_auction = [0, 1, 2, 3]
    over = False
    for seat, call in calls:
        if call == "pass":
            passes += 1
            if not auction["reentry"]:
                in_auction.remove(seat)
        else:
            passes = 0
            high = (seat, call)
        if high is None:
            over = passes == 4
        elif call == "13NT":
            over = True
        elif auction["reentry"]:
            over = passes == auction["end_passes"]
        elif auction["end_passes"] == 3:
            over = in_auction == [high[0]]
        else:
            over = not in_auction
        if not over:
            turn = (seat + 1) % 4
            while turn not in in_auction:
                turn = (turn + 1) % 4
    if over:
        return AuctionState(None, [], high)
    minimum = auction["min_bid"] + gulashes * rules["gulash"]["min_bid_step"]
    bids = [f"{level}{denomination}" for level in range(minimum, HIGHEST_LEVEL + 1) for denomination in DENOMINATIONS]
    legal = [bid for bid in bids if high is None or call_rank(bid) > call_rank(high[1])]
    must_bid = auction["forced_last"] and high is None and passes == 3
    return AuctionState(turn, legal if must_bid else ["pass", *legal], high)


def _contract_auction(dealer: int, calls: Sequence[Call]) -> AuctionState:
    """Return the state of a Spanish Solo auction (rules.md 3.1)."""
    turn = (dealer + 1) % 3
    high: Call | None = None
    in_auction = [0, 1, 2]
    for seat, call in calls:
        if call == "pass":
            in_auction.remove(seat)
        else:
            high = (seat, call)
        if not in_auction or (high is not None and in_auction == [high[0]]):
            return AuctionState(None, [], high)
        turn = (seat + 1) % 3
        while turn not in in_auction:
            turn = (turn + 1) % 3
    higher = CONTRACTS if high is None else CONTRACTS[CONTRACTS.index(high[1]) + 1:]
    return AuctionState(turn, ["pass", *higher], high)


def replay_calls(rules: Rules, dealer: int, calls: Sequence[Call], gulashes: int = 0) -> AuctionState:
    """Return the closed state after `calls`; ReplayError where one is out of turn or not allowed."""
    state = auction_state(rules, dealer, [], gulashes)
    for i, (seat, call) in enumerate(calls):
        if state.turn is None:
            raise ReplayError(f"auction: seat {seat} calls {call} after the auction has ended")
        if seat != state.turn:
            raise ReplayError(f"auction: seat {seat} calls {call} out of turn, seat {state.turn} is to speak")
        if call not in state.legal:
            bids = [f"{bid} or higher" for bid in state.legal if bid != "pass"][:1]
            raise ReplayError(f"auction: seat {seat} may not call {call}, expected {' or '.join(['pass'] * ('pass' in state.legal) + bids)}")
        state = auction_state(rules, dealer, calls[:i + 1], gulashes)
    if state.turn is not None:
        raise ReplayError(f"auction: has not ended, seat {state.turn} is to speak")
    return state


# ----------------------------------------------------------------------------------------------------------------------------- the bids


def legal_bids(rules: Rules, h: int, others: int, *, last: bool, lowest: int = 0) -> set[int]:
    """Return the bids open to a seat when those before it have bid `others` in all (hook: rules.md 2.1, contracts.md 3)."""
    free = set(range(lowest, h + 1))
    bidding = rules["bidding"]
    hook = "not_equal" if rules.get("contract", {}).get("hook13") == "last_speaker" else bidding["hook"]
    if not last or bidding["mode"] != "sequential" or h < bidding["hook_min_hand"]:
        return free
    allowed = {
        "none": free,
        "not_equal": {bid for bid in free if others + bid != h},
        "must_exceed": {bid for bid in free if others + bid > h},
        "coop_equal": {bid for bid in free if others + bid == h},
    }[hook]
    return allowed or free      # where nothing fits the hook, it does not bind


# ----------------------------------------------------------------------------------------------------------------------------- the play


def is_trump(card: str, trump: str) -> bool:
    """Is this card a trump (never in no-trump)?"""
    return card[0] == trump


def trick_winner(trick: Sequence[Played], trump: str, ranks: str) -> int:
    """Return the seat that wins the trick: highest trump, else highest card of the suit led."""
    led = trick[0][1][0]
    trumps = [played for played in trick if is_trump(played[1], trump)]
    followed = [played for played in trick if played[1][0] == led]
    return max(trumps or followed, key=lambda played: ranks.index(played[1][1]))[0]


def above(cards: set[str], played: list[str], ranks: str) -> set[str]:
    """Return which of `cards` beat every card in `played` (all of one suit)."""
    return {card for card in cards if all(ranks.index(card[1]) > ranks.index(other[1]) for other in played)}


def legal_cards(rules: Rules, hand: set[str], trick: Sequence[Played], trump: str, broken: bool, trick_no: int) -> set[str]:
    """Return the cards that a seat may play; `trick` holds what lies on the table, `trick_no` counts from 0."""
    play = rules["play"]
    ranks = deck_ranks(rules)
    trumps = {card for card in hand if is_trump(card, trump)}
    if not trick:
        locked = (play["trump_lead"] == "after_broken" and not broken) or (play["trump_lead"] == "after_first_trick" and trick_no == 0)
        return (hand - trumps if locked else hand) or hand
    led = trick[0][1][0]
    on_table = [card for _, card in trick]
    trumps_on_table = [card for card in on_table if is_trump(card, trump)]
    following = {card for card in hand if card[0] == led}
    if following:
        ruffed = led != trump and trumps_on_table
        if play["must_head"] and not ruffed:
            return above(following, [card for card in on_table if card[0] == led], ranks) or following
        return following
    if trumps and play["must_trump"]:
        if play["must_head"]:
            return above(trumps, trumps_on_table, ranks) or trumps
        return trumps
    return set(hand)


def why_illegal(rules: Rules, card: str, hand: set[str], trick: Sequence[Played], trump: str) -> str:
    """Say which duty this illegal card neglects."""
    if not trick:
        return "leads a trump in the first trick" if rules["play"]["trump_lead"] == "after_first_trick" else "leads a trump before trumps are broken"
    led = trick[0][1][0]
    if any(other[0] == led for other in hand):
        return f"must head the {led} led" if card[0] == led else f"must follow {led}"
    return "must head the trumps" if is_trump(card, trump) else f"is void in {led} and must trump"


def perft_by_card(rules: Rules, hands: Sequence[set[str]], trump: str, leader: int) -> dict[str, int]:
    """Return the number of complete legal plays that start with each card."""
    n = len(hands)
    ranks = deck_ranks(rules)

    def after(card: str, hands: list[set[str]], trick: list[Played], seat: int, broken: bool, trick_no: int) -> int:
        hands = [hand - {card} for hand in hands]
        trick = [*trick, (seat, card)]
        broken = broken or is_trump(card, trump)
        seat = (seat + 1) % n
        if len(trick) == n:
            seat, trick, trick_no = trick_winner(trick, trump, ranks), [], trick_no + 1
        if not hands[seat]:
            return 1
        return sum(after(other, hands, trick, seat, broken, trick_no) for other in legal_cards(rules, hands[seat], trick, trump, broken, trick_no))

    first = legal_cards(rules, set(hands[leader]), [], trump, False, 0)
    return {card: after(card, [set(hand) for hand in hands], [], leader, False, 0) for card in sorted(first)}


def perft(rules: Rules, hands: Sequence[set[str]], trump: str, leader: int) -> int:
    """Return the number of complete legal plays of these hands."""
    return sum(perft_by_card(rules, hands, trump, leader).values())


# --------------------------------------------------------------------------------------------------------------------------- the scores

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / b,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}


def exact(number: float | Fraction) -> Fraction:
    """Return a number of a record or a formula without rounding: 0.1 is one tenth."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def evaluate(formula: str, names: dict[str, Any]) -> Fraction:
    """Return the value of the arithmetic in `formula`; ReplayError where it is anything but arithmetic in `names`."""

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number):
                return int(number) if isinstance(number, bool) else exact(number)
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(left), value(right))
            case ast.BoolOp(op=op, values=values):
                parts = [value(part) for part in values]
                return next((part for part in parts if bool(part) == isinstance(op, ast.Or)), parts[-1])
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _OPERATORS for op in ops):
                parts = [value(part) for part in [left, *comparators]]
                return all(_OPERATORS[type(op)](a, b) for op, a, b in zip(ops, parts, parts[1:], strict=False))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return value(body) if value(test) else value(orelse)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
                return _FUNCTIONS[name](*[value(arg) for arg in args])
        raise ReplayError(f"scores: {ast.unparse(node)!r} in the formula {formula!r} is not allowed")

    try:
        tree = ast.parse(formula.strip(), mode="eval")
    except SyntaxError:
        raise ReplayError(f"scores: the formula {formula!r} cannot be read") from None
    return Fraction(value(tree.body))


def score(rules: Rules, bid: int, tricks: int, total: int, h: int, n: int, hmax: int) -> Number:
    """Return what one seat scores; `total` is the sum of all bids, `hmax` the largest hand of the schedule.

    Switches that look at the whole deal are in `deal_scores`.
    """
    made = bid == tricks
    scheme = rules["score"]
    match scheme.get("system"):
        case "basic":
            return 10 + tricks if made else tricks
        case "exact":
            return 10 + bid if made else 0
        case "one-point":
            return 1 if made else 0
        case "slam":
            if not made:
                return tricks
            if h >= 5 and bid == h:
                return 50 + tricks
            if h >= 5 and bid == h - 1:
                return 25 + tricks
            return 5 + tricks
        case "formula":
            outcome = "made" if made else "short" if tricks < bid else "beyond"
            if scheme.get(outcome) is None:
                raise ReplayError(f"scores: the rules have no formula score.{outcome}")
            names = {"b": bid, "t": tricks, "d": tricks - bid, "h": h, "n": n, "hmax": hmax, "over": total > h, "under": total < h}
            return evaluate(str(scheme[outcome]), names)
        case None:
            return _israeli_whist_score(rules, bid, tricks, total, h)
    raise ReplayError(f"scores: score.system {scheme['system']!r} is not known")


def _israeli_whist_score(rules: Rules, bid: int, tricks: int, total: int, h: int) -> int:
    """Return the score of rules.md 1.1 with the switches of contracts.md 3."""
    scheme = rules["score"]
    over = total > h or (total == h and rules["contract"]["exact13"] == "over")
    if bid > 0 and tricks == bid:
        return int(bid * bid + scheme["made_const"])
    if bid > 0:
        return int(-scheme["miss_per_trick"] * abs(tricks - bid))
    if tricks == 0:
        return int(scheme["zero_made_over"] if over else scheme["zero_made_under"])
    miss = merged(scheme["zero_miss"], scheme.get("zero_miss_over") or {}) if over else scheme["zero_miss"]
    return int(miss["base"] + miss["per_trick"] * (tricks - miss["free"]))


def deal_scores(rules: Rules, bids: Sequence[int], tricks: Sequence[int]) -> list[Number]:
    """Return what every seat scores for a played deal."""
    n, h = len(bids), sum(tricks)
    scores = [score(rules, bid, taken, sum(bids), h, n, largest_hand(rules, n)) for bid, taken in zip(bids, tricks, strict=True)]
    n_made = sum(bid == taken for bid, taken in zip(bids, tricks, strict=True))
    if rules["score"].get("all_fail_zero") and n_made == 0:
        return [0] * n
    if rules["score"].get("all_same_double") and n_made in (0, n):
        return [2 * number for number in scores]
    return scores


def juego_target(rules: Rules, dealer: int, soloist: int) -> int:
    """Return the points that this soloist needs in a juego (rules.md SS-A1)."""
    juego = rules["juego"]
    reduced = {"dealer": dealer, "eldest": (dealer + 1) % 3, "dealer_left": (dealer + 2) % 3, "none": None}[juego["reduced_seat"]]
    return int(juego["reduced_target"] if soloist == reduced else juego["target"])


def settle_solo(rules: Rules, soloist: int, contract: str, won: bool, pool: int) -> tuple[list[int], int]:
    """Return the chips that each seat gains and the pool after it; `pool` holds the antes and passes of this deal."""
    value = CONTRACT_VALUE[contract]
    if won:
        from_pool = pool if rules["pool"]["on_win"] == "all" else 0
        chips = [-value] * 3
        chips[soloist] = 2 * value + from_pool
        return chips, pool - from_pool
    to_pool = pool if rules["pool"]["on_loss"] == "double" else 0
    chips = [value] * 3
    chips[soloist] = -2 * value - to_pool
    return chips, pool + to_pool


def settle_no_solo(rules: Rules, points: Sequence[int]) -> list[Number]:
    """Return the chips that each seat gains where nobody is soloist: the fewest points pay the most points."""
    stake = rules["nosolo"]["stake"]
    fewest = [seat for seat in range(3) if points[seat] == min(points)]
    most = [seat for seat in range(3) if points[seat] == max(points)]
    chips: list[Number] = [0, 0, 0]
    if fewest != most:
        for seat in fewest:
            chips[seat] -= Fraction(stake, len(fewest))
        for seat in most:
            chips[seat] += Fraction(stake, len(most))
    return chips


def card_points(tricks: Sequence[int], taken: Sequence[Sequence[str]]) -> list[int]:
    """Return the points of each seat: those of the cards it has taken and one for each trick."""
    return [n_tricks + sum(CARD_POINTS.get(card[1], 0) for card in cards) for n_tricks, cards in zip(tricks, taken, strict=True)]


def solo_outcome(
    rules: Rules, dealer: int, auction: Sequence[Call], high: Call | None, tricks: Sequence[int], points: Sequence[int], pool_before: int
) -> tuple[list[Number], int]:
    """Return what each seat gains in a deal of Spanish Solo, antes and passes included, and the pool after it (rules.md 3.1)."""
    ante, fee = rules["pool"]["ante"], rules["pool"]["pass_fee"]
    pool = pool_before + 3 * ante
    chips: list[Number] = [-ante] * 3
    for seat, call in auction:
        if call == "pass":
            chips[seat] -= fee
            pool += fee
    settled: Sequence[Number]
    if high is None:
        settled = settle_no_solo(rules, points)
    else:
        soloist, contract = high
        won = points[soloist] >= juego_target(rules, dealer, soloist) if contract.startswith("juego") else tricks[soloist] == 12
        settled, pool = settle_solo(rules, soloist, contract, won, pool)
    return [paid + gained for paid, gained in zip(chips, settled, strict=True)], pool


# --------------------------------------------------------------------------------------------------------------------------- the replay


def replay(record: Record) -> list[str]:
    """Return the faults of a deal record (contracts.md 4) in words; none: all was legal and every outcome is right."""
    faults: list[str] = []
    if record.get("game") not in BASE_RULES:
        return [f"game: {record.get('game')!r} is none of {', '.join(BASE_RULES)}"]
    rules = rules_of(record["game"], record.get("rules"))
    try:
        _replay_deal(rules, record, faults)
    except ReplayError as error:
        faults.append(str(error))
    return faults


def _replay_deal(rules: Rules, record: Record, faults: list[str]) -> None:
    hands = check_hands(rules, record, faults)
    n, h = len(hands), len(hands[0])
    dealer = record.get("dealer")
    if type(dealer) is not int or dealer not in range(n):
        raise ReplayError(f"dealer: {dealer} is no seat, expected 0 to {n - 1}")
    source = rules["trump"]["source"]
    high: Call | None = None
    if source == "auction":
        high = replay_level_auction(rules, record, hands, faults)
        if high is None:
            check_thrown_in(record, faults)
            return
        trump = contract_trump(high[1])
        expect(record, "trump", trump, faults)
    elif source == "soloist":
        high = replay_contract_auction(rules, record, hands, faults)
        trump = record["trump"]
    else:
        trump = right_trump(rules, record, hands, faults)
        expect(record, "trump", trump, faults)
    check_unused(rules, record, faults)
    if source != "soloist":
        check_bids(rules, record, high, h, faults)
    leader = high[0] if source == "auction" and high else (dealer + 1) % n
    expect(record, "leader", leader, faults)
    tricks, taken = replay_play(rules, record, hands, trump, leader, faults)
    expect(record, "tricks", tricks, faults)
    if source == "soloist":
        check_settlement(rules, record, high, tricks, taken, faults)
    else:
        expect(record, "scores", deal_scores(rules, record["bids"], tricks), faults)


def expect(record: Record, key: str, right: Any, faults: list[str]) -> None:
    """Note a fault where `key` is not what it should be; a left-out key counts as null."""
    found = record.get(key)
    if isinstance(right, list):
        try:
            same = isinstance(found, list) and [exact(number) for number in found] == right
        except ValueError:
            same = False
        right = f"[{', '.join(map(str, right))}]"
    else:
        same = found == right
    if not same:
        faults.append(f"{key}: {found} recorded, expected {right}")


def check_hands(rules: Rules, record: Record, faults: list[str]) -> list[set[str]]:
    """Return the hands as dealt; no card may be foreign or held twice, and all hands have the same size."""
    hands = [parse_hand(text) for text in record.get("hands") or []]
    players = rules["players"] if isinstance(rules["players"], list) else [rules["players"]]
    if len(hands) not in players:
        raise ReplayError(f"hands: {len(hands)} of them, expected {' or '.join(map(str, players))}")
    deck = deck_of(rules)
    cards = [card for hand in hands for card in hand]
    foreign = sorted(set(cards) - deck)
    twice = sorted({card for card in cards if cards.count(card) > 1})
    if foreign:
        faults.append(f"hands: {' '.join(foreign)} not in the pack")
    if twice:
        faults.append(f"hands: {' '.join(twice)} dealt twice")
    sizes = [len(hand) for hand in hands]
    if len(set(sizes)) > 1:
        faults.append(f"hands: sizes {sizes}, expected all the same")
    elif sizes[0] == 0:
        faults.append("hands: no card dealt")
    elif rules["trump"]["source"] in ("auction", "soloist") and len(cards) != len(deck):
        faults.append(f"hands: {len(cards)} cards dealt, expected the whole pack of {len(deck)}")
    if faults:
        raise ReplayError("hands: the rest was not replayed")
    return [set(hand) for hand in hands]


def check_unused(rules: Rules, record: Record, faults: list[str]) -> None:
    """What a game does not have is null, or empty where it is a list."""
    unused = {
        "auction": ["turnup", "soloist", "exchange", "pool_before", "pool_after", "points"],
        "soloist": ["turnup", "gulash", "declarer", "bids"],
    }.get(rules["trump"]["source"], ["auction", "gulash", "declarer", "contract", "soloist", "exchange", "pool_before", "pool_after", "points"])
    for key in unused:
        if record.get(key) not in (None, []):
            faults.append(f"{key}: {record[key]} recorded, expected nothing in this game")


def right_trump(rules: Rules, record: Record, hands: list[set[str]], faults: list[str]) -> str:
    """Return the trump that the turn-up shows; but for the last card of a full deal nobody holds it (rules.md 2.1, OH-A11)."""
    turnup = record.get("turnup")
    exhausted = sum(len(hand) for hand in hands) == len(deck_of(rules))
    when_exhausted = rules["trump"]["when_exhausted"] if exhausted else ""
    if rules["trump"]["source"] == "none" or when_exhausted == "none":
        expect(record, "turnup", None, faults)
        return "NT"
    if when_exhausted == "cut" and turnup is None and record.get("trump") in list(SUITS):
        return str(record["trump"])             # the cut card is back in the pack
    if turnup not in deck_of(rules):
        raise ReplayError(f"turnup: {turnup} recorded, expected a card")
    holders = [seat for seat, hand in enumerate(hands) if turnup in hand]
    if when_exhausted == "dealer_last" and holders != [record["dealer"]]:
        faults.append(f"turnup: {turnup} is not in the dealer's hand")
    if holders and not exhausted:
        faults.append(f"turnup: {turnup} is in the hand of seat {holders[0]}")
    return str(turnup)[0]


def replay_level_auction(rules: Rules, record: Record, hands: list[set[str]], faults: list[str]) -> Call | None:
    """Replay an Israeli Whist auction with its gulashes (which change `hands`); return the highest bid, None: thrown in."""
    auction = record.get("auction") or []
    nested = bool(auction) and bool(auction[0]) and not isinstance(auction[0][0], int)
    rounds = auction if nested else [auction]
    gulashes = record.get("gulash") or []
    if nested and len(rounds) == 1:
        faults.append("auction: one round is written as a list of rounds")
    if len(gulashes) != len(rounds) - 1:
        raise ReplayError(f"gulash: {len(gulashes)} recorded, expected {len(rounds) - 1} between {len(rounds)} rounds of the auction")
    most = rules["gulash"]["max"] if rules["auction"]["all_pass"] == "gulash" else 0
    if len(gulashes) > most:
        raise ReplayError(f"gulash: {len(gulashes)} recorded, expected at most {most}")
    high = None
    for i, calls in enumerate(rounds):
        if high is not None:
            raise ReplayError(f"auction: round {i} follows a bid")
        high = replay_calls(rules, record["dealer"], [(seat, call) for seat, call in calls], i).high
        if i < len(gulashes):
            replay_gulash(rules, gulashes[i], hands)
    if high is None:
        if len(gulashes) < most:
            raise ReplayError(f"gulash: the deal is thrown in after {len(gulashes)}, expected {most} first")
        return None
    seat, call = high
    expect(record, "declarer", seat, faults)
    expect(record, "contract", call, faults)
    return high


def replay_gulash(rules: Rules, passed: list[dict[str, Any]], hands: list[set[str]]) -> None:
    """All seats hand over their cards at the same time, before they see what they get (rules.md IW-V1)."""
    gulash = rules["gulash"]
    step = GULASH_STEP[gulash["direction"]]
    if sorted(move["from"] for move in passed) != [0, 1, 2, 3]:
        raise ReplayError(f"gulash: cards from seats {[move['from'] for move in passed]}, expected each seat once")
    for move in passed:
        giver, cards = move["from"], move["cards"]
        if move["to"] != (giver + step) % 4:
            raise ReplayError(f"gulash: seat {giver} gives to seat {move['to']}, expected seat {(giver + step) % 4}")
        if len(cards) != gulash["cards"] or len(set(cards)) != len(cards):
            raise ReplayError(f"gulash: seat {giver} gives {' '.join(cards)}, expected {gulash['cards']} cards")
        if not set(cards) <= hands[giver]:
            raise ReplayError(f"gulash: seat {giver} gives {' '.join(sorted(set(cards) - hands[giver]))}, which it does not hold")
    for move in passed:
        hands[move["from"]] -= set(move["cards"])
    for move in passed:
        hands[move["to"]] |= set(move["cards"])


def check_thrown_in(record: Record, faults: list[str]) -> None:
    """A deal that nobody bid on has no play and no score (contracts.md 4)."""
    for key in ("trump", "declarer", "contract", "leader", "turnup", "soloist", "exchange", "pool_before", "pool_after"):
        expect(record, key, None, faults)
    for key in ("bids", "play", "tricks", "points"):
        if record.get(key) not in ([], None):
            faults.append(f"{key}: {record[key]} recorded in a deal thrown in, expected []")
    expect(record, "scores", [0, 0, 0, 0], faults)


def replay_contract_auction(rules: Rules, record: Record, hands: list[set[str]], faults: list[str]) -> Call | None:
    """Replay a Spanish Solo auction, the choice of trump and the exchange of a bola (which changes `hands`); return soloist and contract."""
    calls = [(seat, call) for seat, call in record.get("auction") or []]
    high = replay_calls(rules, record["dealer"], calls).high
    soloist, contract = high or (None, None)
    expect(record, "soloist", soloist, faults)
    expect(record, "contract", contract, faults)
    if contract is None:
        trumps = list(SUITS)
    else:
        trumps = ["D"] if contract.endswith("-diamonds") else ["C", "H", "S"]
    if record.get("trump") not in trumps:
        faults.append(f"trump: {record.get('trump')} recorded, expected {' or '.join(trumps)} for {contract or 'no soloist'}")
    if record.get("trump") not in DENOMINATIONS:
        raise ReplayError("trump: without one the play was not replayed")
    exchange = record.get("exchange")
    if soloist is None or contract not in ("bola", "bola-diamonds"):
        expect(record, "exchange", None, faults)
        return high
    if exchange is None:
        raise ReplayError(f"exchange: none recorded, expected one in a {contract}")
    asked, holder, given = exchange["asked"], exchange["from"], exchange["given"]
    if asked in hands[soloist]:
        raise ReplayError(f"exchange: soloist {soloist} asks for {asked}, which it holds itself")
    if holder not in range(3) or asked not in hands[holder]:
        raise ReplayError(f"exchange: {asked} comes from seat {holder}, which does not hold it")
    if given not in hands[soloist] | {asked}:
        raise ReplayError(f"exchange: soloist {soloist} gives {given}, which it does not hold")
    exchange_cards(hands, soloist, holder, asked, given)
    return high


def exchange_cards(hands: list[set[str]], soloist: int, holder: int, asked: str, given: str) -> None:
    """Move the card asked for to the soloist, then any one card back; it may be the same (rules.md SS-A4)."""
    hands[holder].remove(asked)
    hands[soloist].add(asked)
    hands[soloist].remove(given)
    hands[holder].add(given)


def check_bids(rules: Rules, record: Record, high: Call | None, h: int, faults: list[str]) -> None:
    """Check range and hook of every bid in the order of speaking; `high` is the declarer's call in Israeli Whist."""
    bids = record.get("bids") or []
    n = len(record["hands"])
    if len(bids) != n or any(type(bid) is not int for bid in bids):
        raise ReplayError(f"bids: {bids} recorded, expected {n} whole numbers")
    first = high[0] if high else (record["dealer"] + 1) % n
    order = [(first + k) % n for k in range(n)]
    others = 0
    for seat in order:
        lowest, highest = 0, h
        if high and seat == first:
            lowest = contract_number(high[1])
            highest = h if rules["contract"]["declarer_rebids"] == "at_least" else lowest
        if bids[seat] not in range(lowest, highest + 1):
            faults.append(f"bids: seat {seat} bids {bids[seat]}, expected {lowest} to {highest}")
        elif bids[seat] not in legal_bids(rules, h, others, last=seat == order[-1], lowest=lowest):
            faults.append(f"bids: seat {seat} bids {bids[seat]} after {others} in all, which the hook forbids with {h} cards")
        others += bids[seat]


def replay_play(rules: Rules, record: Record, hands: list[set[str]], trump: str, leader: int, faults: list[str]) -> tuple[list[int], list[list[str]]]:
    """Replay every card; return the tricks and the cards that each seat has taken."""
    n, h = len(hands), len(hands[0])
    play = record.get("play") or []
    ranks = deck_ranks(rules)
    hands = [set(hand) for hand in hands]
    tricks = [0] * n
    taken: list[list[str]] = [[] for _ in range(n)]
    if len(play) != n * h:
        raise ReplayError(f"play: {len(play)} cards, expected {n * h}")
    broken = False
    for trick_no in range(h):
        trick: list[Played] = []
        for k in range(n):
            seat = (leader + k) % n
            card = play[trick_no * n + k]
            if card not in hands[seat]:
                raise ReplayError(f"play: trick {trick_no + 1}: seat {seat} plays {card}, which it does not hold")
            if card not in legal_cards(rules, hands[seat], trick, trump, broken, trick_no):
                faults.append(f"play: trick {trick_no + 1}: seat {seat} plays {card} but {why_illegal(rules, card, hands[seat], trick, trump)}")
            hands[seat].remove(card)
            trick.append((seat, card))
            broken = broken or is_trump(card, trump)
        leader = trick_winner(trick, trump, ranks)
        tricks[leader] += 1
        taken[leader] += [card for _, card in trick]
    return tricks, taken


def check_settlement(rules: Rules, record: Record, high: Call | None, tricks: list[int], taken: list[list[str]], faults: list[str]) -> None:
    """Check points, chips and pool of Spanish Solo."""
    points = card_points(tricks, taken)
    scores, pool_after = solo_outcome(rules, record["dealer"], record["auction"], high, tricks, points, record.get("pool_before") or 0)
    expect(record, "points", points, faults)
    expect(record, "scores", scores, faults)
    expect(record, "pool_after", pool_after, faults)


# ---------------------------------------------------------------------------------------------------------------------- random records


def random_record(game: str, rng: Random, changes: Rules | None = None, n: int | None = None, h: int | None = None) -> Record:
    """Return the record of one deal of `game` in which every decision is drawn from the legal ones.

    `changes` are laid over the base rules; `n` players hold `h` cards, both drawn where left out. The head of a record is left out.
    """
    rules = rules_of(game, changes)
    players = rules["players"] if isinstance(rules["players"], list) else [rules["players"]]
    n = n or rng.choice(players)
    h = h or (rng.randint(1, largest_hand(rules, n)) if rules["trump"]["source"] in ("turnup", "none") else len(deck_of(rules)) // n)
    deck = sorted(deck_of(rules))
    rng.shuffle(deck)
    hands = [set(deck[seat * h:(seat + 1) * h]) for seat in range(n)]
    dealer = rng.randrange(n)
    record: Record = dict.fromkeys(RECORD_KEYS)
    record |= {"game": game, "rules": rules, "dealer": dealer, "hands": [hand_text(hand, deck_ranks(rules)) for hand in hands]}
    record |= {"bids": [], "play": [], "tricks": [], "scores": [0] * n}
    high: Call | None = None
    if rules["trump"]["source"] == "auction":
        high = _random_rounds(rules, rng, record, hands)
        if high is None:
            return record
        record |= {"declarer": high[0], "contract": high[1], "trump": contract_trump(high[1])}
    elif rules["trump"]["source"] == "soloist":
        high = _random_solo(rules, rng, record, hands)
    elif rules["trump"]["source"] == "turnup" and n * h < len(deck):
        record |= {"turnup": deck[-1], "trump": deck[-1][0]}
    elif rules["trump"]["source"] == "turnup" and rules["trump"]["when_exhausted"] != "none":
        turnup = rng.choice(sorted(hands[dealer]))
        record |= {"turnup": turnup, "trump": turnup[0]}
    else:
        record["trump"] = "NT"
    solo = rules["trump"]["source"] == "soloist"
    if not solo:
        record["bids"] = _random_bids(rules, rng, dealer, high, n, h)
    record["leader"] = high[0] if high and not solo else (dealer + 1) % n
    record["play"] = random_play(rules, rng, hands, record["trump"], record["leader"])
    record["tricks"], taken = replay_play(rules, record, hands, record["trump"], record["leader"], [])
    if solo:
        record["pool_before"] = rng.randrange(10)
        record["points"] = card_points(record["tricks"], taken)
        scores, record["pool_after"] = solo_outcome(rules, dealer, record["auction"], high, record["tricks"], record["points"], record["pool_before"])
    else:
        scores = deal_scores(rules, record["bids"], record["tricks"])
    record["scores"] = [int(number) if number == int(number) else float(number) for number in scores]
    return record


def hand_text(hand: set[str], ranks: str) -> str:
    """Return a hand as spades.hearts.diamonds.clubs, the highest card of a suit first."""
    return ".".join("".join(rank for rank in reversed(ranks) if suit + rank in hand) for suit in HAND_ORDER)


def _random_calls(rules: Rules, rng: Random, dealer: int, gulashes: int) -> tuple[list[Call], Call | None]:
    """Return the calls of one round and the highest bid; half of all calls are passes."""
    calls: list[Call] = []
    while (state := auction_state(rules, dealer, calls, gulashes)).turn is not None:
        bids = [call for call in state.legal if call != "pass"][:8]      # small steps, so that the auction lives
        passes = "pass" in state.legal and (not bids or rng.random() < 0.5)
        calls.append((state.turn, "pass" if passes else rng.choice(bids)))
    return calls, state.high


def _random_rounds(rules: Rules, rng: Random, record: Record, hands: list[set[str]]) -> Call | None:
    """Fill auction and gulashes of Israeli Whist; return the highest bid."""
    rounds: list[list[Call]] = []
    gulashes: list[list[dict[str, Any]]] = []
    most = rules["gulash"]["max"] if rules["auction"]["all_pass"] == "gulash" else 0
    while True:
        calls, high = _random_calls(rules, rng, record["dealer"], len(gulashes))
        rounds.append(calls)
        if high or len(gulashes) == most:
            break
        step = GULASH_STEP[rules["gulash"]["direction"]]
        passed = [{"from": seat, "to": (seat + step) % 4, "cards": rng.sample(sorted(hands[seat]), rules["gulash"]["cards"])} for seat in range(4)]
        replay_gulash(rules, passed, hands)
        gulashes.append(passed)
    record |= {"auction": rounds if gulashes else rounds[0], "gulash": gulashes or None}
    return high


def _random_solo(rules: Rules, rng: Random, record: Record, hands: list[set[str]]) -> Call | None:
    """Fill auction, trump and exchange of Spanish Solo; return soloist and contract."""
    record["auction"], high = _random_calls(rules, rng, record["dealer"], 0)
    if high is None:
        record["trump"] = rng.choice("CDHS")
        return None
    soloist, contract = high
    record |= {"soloist": soloist, "contract": contract, "trump": "D" if contract.endswith("-diamonds") else rng.choice("CHS")}
    if contract in ("bola", "bola-diamonds"):
        asked = rng.choice(sorted(deck_of(rules) - hands[soloist]))
        holder = next(seat for seat in range(3) if asked in hands[seat])
        given = rng.choice(sorted(hands[soloist] | {asked}))
        record["exchange"] = {"asked": asked, "from": holder, "given": given}
        exchange_cards(hands, soloist, holder, asked, given)
    return high


def _random_bids(rules: Rules, rng: Random, dealer: int, high: Call | None, n: int, h: int) -> list[int]:
    """Return a legal bid of each seat."""
    first = high[0] if high else (dealer + 1) % n
    bids = [0] * n
    for k in range(n):
        seat = (first + k) % n
        if high and k == 0 and rules["contract"]["declarer_rebids"] == "none":
            bids[seat] = contract_number(high[1])
        else:
            lowest = contract_number(high[1]) if high and k == 0 else 0
            bids[seat] = rng.choice(sorted(legal_bids(rules, h, sum(bids), last=k == n - 1, lowest=lowest)))
    return bids


def random_play(rules: Rules, rng: Random, hands: Sequence[set[str]], trump: str, leader: int) -> list[str]:
    """Return a complete legal play of these hands."""
    left = [set(hand) for hand in hands]
    play: list[str] = []
    for trick_no in range(len(left[0])):
        trick: list[Played] = []
        for k in range(len(left)):
            seat = (leader + k) % len(left)
            broken = any(is_trump(card, trump) for card in play)
            card = rng.choice(sorted(legal_cards(rules, left[seat], trick, trump, broken, trick_no)))
            left[seat].remove(card)
            trick.append((seat, card))
            play.append(card)
        leader = trick_winner(trick, trump, deck_ranks(rules))
    return play
