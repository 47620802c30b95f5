"""Deals of OpenSpiel's `oh_hell` as deal records.

Source: OpenSpiel 2.0.2, open_spiel/games/oh_hell/oh_hell.cc. Its rules are the base rules of Oh Hell but for two: a void seat need not trump (`RULES`), and
a card is always turned up. So it cannot play a deal that leaves no card to turn up (`fits`): 13 tricks with 4 players, which are played at no-trump here.

A history is the list of all actions, those of chance included: the tricks, the dealer, the cards one by one (player 0 gets the first, whoever deals), the
turn-up, the bids and the play, both from the dealer's left. A card is `rank * 4 + suit`, suits C D S H, 2 = 0; a bid of b is 52 + b. Players are our seats.
"""

from collections.abc import Sequence
from typing import Any

from analyzer.cards import FRENCH, denomination_text
from analyzer.errors import ImpossibleError
from kernels.layout import MAX_DECK, SUIT_BITS, SUITS, Denomination

SETTINGS = ("play.must_trump=false",)
RULES = {"variant": "base", "set": {"play.must_trump": False}}
PLAYERS = range(3, 8)
SUIT_OF = (Denomination.C, Denomination.D, Denomination.S, Denomination.H)


def fits(players: int, tricks: int) -> bool:
    """Return whether OpenSpiel can play the deal: every hand and one card to turn up from 52 cards, 3 to 7 players.

    Of the deals of Oh Hell only 13 tricks with 4 players do not fit.
    """
    return players in PLAYERS and tricks >= 1 and players * tricks + 1 <= MAX_DECK


def to_record(history: Sequence[int], players: int, tricks: int) -> dict[str, Any]:
    """Return the deal record of a finished OpenSpiel game.

    Parameters
    ----------
    history : `state.history()` of a terminal state of `oh_hell` with 52 cards
    players, tricks : the game's `players`, and the tricks played, also where OpenSpiel drew them

    Returns
    -------
    dict, keys as in a file of deal records; `tricks` and `scores` are None: they follow from the play

    Raises
    ------
    ImpossibleError
        The deal does not fit, or the history is not one of a finished deal of this size. Whether bids and play are legal is not checked here.
    """
    if not fits(players, tricks):
        raise ImpossibleError(f"openspiel: {players} players with {tricks} tricks, expected 3 to 7 players and at most {MAX_DECK} cards with the turn-up")
    cards = players * tricks
    n_actions = 2 + cards + 1 + players + cards
    if len(history) != n_actions or history[0] != tricks or history[1] not in range(players):
        raise ImpossibleError(f"openspiel: {len(history)} actions starting {list(history[:2])}, expected the {n_actions} of a finished deal, "
                              f"the first two {tricks} tricks and a dealer below {players}; pass players and tricks as OpenSpiel played them")
    dealer = history[1]
    dealt, turnup = history[2:2 + cards], history[2 + cards]
    bids, play = history[3 + cards:3 + cards + players], history[3 + cards + players:]
    if not set(dealt) | {turnup} <= set(range(MAX_DECK)) or turnup in dealt or len(set(dealt)) != cards or sorted(play) != sorted(dealt):
        raise ImpossibleError("openspiel: a card is foreign, dealt twice or not played once; expected a history of oh_hell with 52 cards")
    if not all(0 <= bid - MAX_DECK <= tricks for bid in bids):
        raise ImpossibleError(f"openspiel: bid actions {list(bids)}, expected {MAX_DECK} to {MAX_DECK + tricks}")
    leader = (dealer + 1) % players
    return {
        "game": "oh-hell",
        "variant": "base",
        "rules": RULES,
        "dealer": dealer,
        "hands": [FRENCH.hand_text(sum(1 << _card(action) for action in dealt[seat::players])) for seat in range(players)],
        "turnup": FRENCH.card_text(_card(turnup)),
        "trump": denomination_text(SUIT_OF[turnup % SUITS]),
        "bids": [bids[seat - leader] - MAX_DECK for seat in range(players)],
        "leader": leader,
        "play": [FRENCH.card_text(_card(action)) for action in play],
        "tricks": None,
        "scores": None,
    }


def _card(action: int) -> int:
    rank, suit = divmod(action, SUITS)
    return SUIT_OF[suit] * SUIT_BITS + rank
