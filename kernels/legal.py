"""What may be played. Rules: rules.md parts 1.1, 2.1, 2.3, 3.1, 4.1."""

import numpy as np

from kernels.bits import bit, higher_cards, suit_mask
from kernels.compiled import small
from kernels.layout import NONE, TrumpLead


@small
def legal_cards(rules, hand, led, best_card, trumps, trumps_played, trick_no):
    """Return the cards of a hand that may be played, never none.

    led: suit or NONE for the leader; best_card: winning the trick so far; trumps: mask of all trumps; trumps_played: mask of those played in this deal.

    Heading (OH-A2): a seat that follows plays above the best card of the suit led if it can, unless the trick has been trumped; a seat that must trump plays
    above the highest trump if it can.
    """
    if led == NONE:
        until_broken = rules.play_trump_lead == TrumpLead.AFTER_BROKEN and trumps_played == 0
        is_locked = until_broken or (rules.play_trump_lead == TrumpLead.AFTER_FIRST_TRICK and trick_no == 0)
        plain = hand & ~trumps
        return plain if is_locked and plain != 0 else hand
    follow = hand & suit_mask(led)
    if rules.play_must_head == 0:
        ruff = hand & trumps if rules.play_must_trump == 1 else np.int64(0)
        free = ruff if ruff != 0 else hand
        return follow if follow != 0 else free
    if follow != 0:
        heading = follow & higher_cards(best_card)   # empty where the trick has been trumped
        return heading if heading != 0 else follow
    ruff = hand & trumps
    if rules.play_must_trump == 0 or ruff == 0:
        return hand
    heading = ruff & higher_cards(best_card) if bit(best_card) & trumps != 0 else ruff
    return heading if heading != 0 else ruff


@small
def beats(card, best_card, trumps):
    """Return whether a card takes the trick from the best card so far."""
    is_same_suit = card >> 4 == best_card >> 4
    return is_same_suit & (card > best_card) | ~is_same_suit & (bit(card) & trumps != 0)
