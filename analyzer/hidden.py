"""Hidden cards put where they may lie: one deal that agrees with all that a seat knows.

Who did not follow, ruff or head where the rules ask for it holds no card to do so with; cards that were played, shown, given or taken lie where that tells. The
rest is a matching of cards with free places. Exchanges are then undone, the last one first, back to the hands as dealt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzer.errors import ImpossibleError
from analyzer.questions import GULASH_STEP
from analyzer.rules import Rules
from kernels.layout import NONE, SUIT_BITS, SUITS


@dataclass
class Known:
    """The cards that a seat knows of. Cards, masks and seats are those of `kernels.layout`, NONE where there is none."""

    rules: Rules
    seat: int
    hand: int                           # own, as dealt
    upcard: int = NONE                  # turned up beside the hands
    dealer: int = NONE
    last_card: int = NONE               # shown by the dealer, who holds it
    gulashes: list[list[int]] = field(default_factory=list)     # cards handed over by exchange and giver, 0 where the seat does not know them
    soloist: int = NONE
    asked: int = NONE                   # bola: the card asked for, and who held it
    holder: int = NONE
    given: int = NONE
    trump: int = NONE
    leader: int = NONE
    play: list[int] = field(default_factory=list)

    @property
    def is_third(self) -> bool:
        """Whether two others have exchanged cards, and this seat has not seen which card was given back."""
        return self.asked != NONE and self.seat not in (self.soloist, self.holder)


@dataclass
class Deal:
    """A deal that agrees with what is known."""

    hands: list[int]                    # as dealt
    gulashes: list[list[int]]           # by exchange and giver
    given: int


def some_deal(known: Known, pack: Sequence[int]) -> Deal:
    """Return a deal that agrees with what is known.

    Parameters
    ----------
    pack : all cards; of several deals their order decides

    Raises
    ------
    ImpossibleError
        No deal agrees, or a card is somewhere else than it is said to be.
    """
    gulash = _Gulash(known)
    own, homes = _exchanged(known, gulash.hand, gulash.homes())
    if known.last_card != NONE:
        homes[known.last_card] = 1 << known.dealer
    played, shown_out = _followed(known, own, homes)
    hands = _matched(known, own, homes, played, shown_out, pack)
    given = _take_back(known, hands, pack)
    return Deal(hands=hands, gulashes=gulash.undone(hands, pack), given=given)


def after_gulashes(known: Known) -> tuple[int, dict[int, int]]:
    """Return the own hand after the gulashes, and for every card that left it the seats, as bits, that may hold it.

    Raises
    ------
    ImpossibleError
        A card was given that was not held, or received that was.
    """
    gulash = _Gulash(known)
    return gulash.hand, gulash.homes()


# ---------------------------------------------------------------- gulashes

class _Gulash:
    """The own hand through the gulashes of Israeli Whist, and the way of the cards that left it.

    A card that left in gulash i may pass on to the next seat in every later gulash. Back in time it has to be with the first receiver right after gulash i.
    """

    def __init__(self, known: Known) -> None:
        self.known = known
        self.n = known.rules.players
        self.hand = known.hand
        self.left: dict[int, int] = {}              # the gulash in which a card left that is not back
        self.back: list[dict[int, int]] = []        # by gulash: the cards that came back in it, and in which they had left
        if known.gulashes:
            gulash = known.rules.fields["gulash"]
            self.size = int(gulash["cards"])
            self.step = GULASH_STEP[gulash["direction"]] % self.n
            self.round_trip = self.n if self.step % 2 else 2        # gulashes until a card can be back
        for number, moves in enumerate(known.gulashes):
            self._exchange(number, moves[known.seat], moves[(known.seat - self.step) % self.n])

    def _exchange(self, number: int, given: int, received: int) -> None:
        deck, place = self.known.rules.deck, f"gulash: exchange {number + 1}"
        if given & ~self.hand:
            raise ImpossibleError(f"{place}: seat {self.known.seat} gives {deck.glyphs(given & ~self.hand, ascii=True)}, which it does not hold")
        if received & self.hand:
            raise ImpossibleError(f"{place}: seat {self.known.seat} gets {deck.glyphs(received & self.hand, ascii=True)}, which it held itself")
        back = {card: self.left.pop(card) for card in deck.cards(received) if card in self.left}
        for card, left in back.items():
            if number - left + 1 < self.round_trip:
                raise ImpossibleError(f"{place}: {deck.card_text(card)} comes back too early: it left in exchange {left + 1}")
        self.back.append(back)
        self.left |= dict.fromkeys(deck.cards(given), number)
        self.hand = self.hand & ~given | received

    def homes(self) -> dict[int, int]:
        """Return the seats, as bits, that may hold a card which left the own hand."""
        homes = {}
        for card, left in self.left.items():
            hops = min(len(self.known.gulashes) - left, self.round_trip - 1)
            homes[card] = sum(1 << (self.known.seat + k * self.step) % self.n for k in range(1, hops + 1))
        return homes

    def undone(self, hands: list[int], pack: Sequence[int]) -> list[list[int]]:
        """Turn `hands` back to those dealt and return the cards handed over, by exchange and giver.

        Of a neighbour's cards those are taken back first that have the least time left until they must be with the first receiver: earliest deadline first.
        """
        left, gulashes = dict(self.left), list[list[int]]()
        no_haste = len(self.known.gulashes)
        for number in reversed(range(len(self.known.gulashes))):
            moves = self.known.gulashes[number].copy()
            for giver in range(self.n):
                receiver = (giver + self.step) % self.n
                if self.known.seat in (giver, receiver):
                    continue
                hops = (receiver - self.known.seat) * self.step % self.n - 1        # from the first receiver
                slack = {card: number - left[card] - hops if card in left else no_haste for card in pack if hands[receiver] >> card & 1}
                moves[giver] = sum(1 << card for card in sorted(slack, key=slack.__getitem__)[:self.size])
            for giver, given in enumerate(moves):
                if given & ~hands[(giver + self.step) % self.n]:
                    raise ImpossibleError(f"gulash: exchange {number + 1}: no deal agrees with the cards of seat {giver}")
            for giver, given in enumerate(moves):
                hands[(giver + self.step) % self.n] &= ~given
            for giver, given in enumerate(moves):
                hands[giver] |= given
                if giver == self.known.seat:
                    for card in self.known.rules.deck.cards(given):
                        del left[card]
            left |= self.back[number]
            gulashes.insert(0, moves)
        return gulashes


# ---------------------------------------------------------------- the card asked for in a bola

def _exchanged(known: Known, own: int, homes: dict[int, int]) -> tuple[int, dict[int, int]]:
    """Return the own hand after the exchange of a bola, and where the cards exchanged may be."""
    asked, given, deck = known.asked, known.given, known.rules.deck
    if asked == NONE:
        return own, homes
    if bool(own >> asked & 1) != (known.seat == known.holder):
        raise ImpossibleError(f"exchange: seat {known.holder} is said to have held {deck.card_text(asked)}, which contradicts the hand of seat {known.seat}")
    if known.is_third:
        return own, homes | {asked: 1 << known.soloist | 1 << known.holder}
    own ^= 1 << asked
    if known.seat == known.soloist:
        if given != NONE:
            if not own >> given & 1:
                raise ImpossibleError(f"exchange: seat {known.seat} gives {deck.card_text(given)}, which it does not hold")
            own ^= 1 << given
            homes[given] = 1 << known.holder
        return own, homes
    if given != asked:
        homes[asked] = 1 << known.soloist
    if given != NONE:
        if own >> given & 1:
            raise ImpossibleError(f"exchange: seat {known.seat} gets {deck.card_text(given)}, which it held itself")
        own |= 1 << given
    return own, homes


def _take_back(known: Known, hands: list[int], pack: Sequence[int]) -> int:
    """Turn `hands` back to those before the exchange of a bola and return the card given in it."""
    given = known.given
    if known.is_third:          # the card asked for where it came back, else any card
        candidates = [known.asked, *pack]
        given = next(card for card in candidates if hands[known.holder] >> card & 1)
    if given != NONE:
        hands[known.holder] ^= 1 << given
        hands[known.soloist] ^= 1 << given
    if known.asked != NONE:
        hands[known.soloist] ^= 1 << known.asked
        hands[known.holder] ^= 1 << known.asked
    return given


# ---------------------------------------------------------------- the play

def _followed(known: Known, own: int, homes: dict[int, int]) -> tuple[list[int], list[int]]:
    """Return by seat the cards played, and those that it cannot have held since."""
    rules = known.rules
    n, deck = rules.players, rules.deck
    trumps = deck.mask & _suit(known.trump) if 0 <= known.trump < SUITS else 0
    played, shown_out = [0] * n, [0] * n
    seat, led, best, winner = known.leader, NONE, NONE, NONE
    for number, card in enumerate(known.play):
        trick_no, turn = divmod(number, n)
        bit, place = 1 << card, f"play: trick {trick_no + 1}, card {turn + 1}: seat {seat}"
        if sum(played) & bit or card == known.upcard:
            raise ImpossibleError(f"{place} plays {deck.card_text(card)}, which is out of play")
        if bool(own & bit) != (seat == known.seat):
            reason = "which it does not hold" if seat == known.seat else f"which seat {known.seat} holds"
            raise ImpossibleError(f"{place} plays {deck.card_text(card)}, {reason}")
        if shown_out[seat] & bit or not homes.get(card, 1 << seat) >> seat & 1:
            raise ImpossibleError(f"{place} plays {deck.card_text(card)}, but cannot hold it by what was seen before")
        if turn == 0:
            led = best = NONE
        lacking = deck.mask & _lacking(known, card, led, best, trumps, trick_no, is_broken=bool(sum(played) & trumps))
        if seat == known.seat and own & ~played[seat] & lacking:
            held = own & ~played[seat] & lacking
            raise ImpossibleError(f"{place} may not play {deck.card_text(card)} while it holds {deck.glyphs(held, ascii=True)}")
        shown_out[seat] |= lacking
        played[seat] |= bit
        if turn == 0:
            led = card // SUIT_BITS
        if turn == 0 or (card > best if card // SUIT_BITS == best // SUIT_BITS else trumps & bit):
            best, winner = card, seat
        seat = winner if turn == n - 1 else (seat + 1) % n
    return played, shown_out


def _lacking(known: Known, card: int, led: int, best: int, trumps: int, trick_no: int, is_broken: bool) -> int:
    """Return the cards that a seat which may play this one does not hold; the rules are those of `kernels.legal.legal_cards`."""
    play = known.rules.fields["play"]
    if led == NONE:
        lead = play["trump_lead"]
        is_locked = (lead == "after_broken" and not is_broken) or (lead == "after_first_trick" and trick_no == 0)
        return ~trumps if is_locked and trumps >> card & 1 else 0
    suit, lacking = card // SUIT_BITS, 0
    if suit != led:
        lacking |= _suit(led)
        if play["must_trump"] and not trumps >> card & 1:
            lacking |= trumps
    if play["must_head"] and suit == best // SUIT_BITS and card < best and (suit == led or play["must_trump"]):
        lacking |= _suit(suit) & -1 << best + 1
    return lacking


def _suit(suit: int) -> int:
    return (1 << SUIT_BITS) - 1 << suit * SUIT_BITS


# ---------------------------------------------------------------- cards to places

def _matched(known: Known, own: int, homes: dict[int, int], played: list[int], shown_out: list[int], pack: Sequence[int]) -> list[int]:
    """Return all hands as they were before the first lead: every card where it may lie, every hand full."""
    rules, n = known.rules, known.rules.players
    size, stock = known.hand.bit_count(), n
    room = [size - cards.bit_count() for cards in played]
    room[known.seat] = 0
    if known.seat == known.soloist and known.asked != NONE and known.given == NONE:
        room[known.holder] -= 1             # the soloist has not given back a card yet
    known_cards = own | sum(cards for seat, cards in enumerate(played) if seat != known.seat) | (0 if known.upcard == NONE else 1 << known.upcard)
    unseen = [card for card in pack if rules.deck.mask & ~known_cards & 1 << card]
    room.append(len(unseen) - sum(room))
    places = {}
    for card in unseen:
        everywhere = [*(seat for seat in range(n) if seat != known.seat and not shown_out[seat] >> card & 1), stock]
        places[card] = [seat for seat in everywhere if card not in homes or (homes[card] >> seat & 1)]
    lying: list[list[int]] = [[] for _ in room]

    def settle(card: int, tried: set[int]) -> bool:
        """Lay a card down, where necessary in the place of another that can lie elsewhere (augmenting paths of bipartite matching, Kuhn 1955)."""
        for place in places[card]:
            if place in tried:
                continue
            tried.add(place)
            if len(lying[place]) < room[place]:
                lying[place].append(card)
                return True
            for k, other in enumerate(lying[place]):
                if settle(other, tried):
                    lying[place][k] = card
                    return True
        return False

    for card in sorted(unseen, key=lambda card: len(places[card])):
        if not settle(card, set()):
            found = rules.deck.card_text(card)
            raise ImpossibleError(f"no deal agrees with this: nobody who may hold {found} has room for it; check what others played and got")
    hands = [cards | sum(1 << card for card in lies) for cards, lies in zip(played, lying, strict=False)]
    hands[known.seat] = own
    return hands
