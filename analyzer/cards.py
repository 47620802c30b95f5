"""Letters to cards and cards to letters: the only place with card text.

Cards, hands and calls are the integers of `kernels.layout`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from analyzer.errors import ImpossibleError, did_you_mean, shown
from kernels.layout import PASS, SUIT_BITS, Contract, Denomination

SUIT_LETTERS = "CDHS"
GLYPHS = "♣♦♥♠"
_OUTLINED = str.maketrans("♧♢♡♤", GLYPHS, "\ufe0e\ufe0f")   # outlined suits as filled ones, without the marks that choose a picture
_SUIT = f"[{SUIT_LETTERS}{GLYPHS}]"
_RANK = "(?:10|[2-9TJQKA])"
_VOID = "[-\u2013\u2014]"       # hyphen, en dash, em dash
_FLAGS = re.IGNORECASE | re.ASCII
_CARD = re.compile(f"(?P<suit>{_SUIT})(?P<rank>{_RANK})|(?P<rank_first>{_RANK})(?P<suit_last>{_SUIT})", _FLAGS)
_RUN = re.compile(f"({_SUIT})((?:{_RANK})+|{_VOID})", _FLAGS)
_RANKS = re.compile(_RANK, _FLAGS)
_LEVEL = re.compile(rf"(\d{{1,2}})(NT|N|{_SUIT})", _FLAGS)
_SEPARATORS = re.compile(r"[\s,]+")
_HAND_FORMS = "expected AKQ2.T9.-.J543 (spades.hearts.diamonds.clubs), ♠AKQ2♥T9♣J543 or a list such as SA SK H9"


def _suit(letter: str) -> int:
    return (SUIT_LETTERS + GLYPHS).index(letter.upper()) % len(SUIT_LETTERS)


@dataclass(frozen=True)
class Deck:
    """A pack of cards: `ranks` from the lowest to the highest, the same in every suit."""

    name: str
    ranks: str

    @cached_property
    def mask(self) -> int:
        """All cards of the deck."""
        return sum(((1 << len(self.ranks)) - 1) << suit * SUIT_BITS for suit in range(len(SUIT_LETTERS)))

    def card(self, text: str) -> int:
        """Return the card named `HT`, `TH`, `H10` or `♥10`, in any case.

        Raises
        ------
        ImpossibleError
            The text is no card, or the card is not in this deck.
        """
        match = _CARD.fullmatch(text.strip().translate(_OUTLINED))
        if not match:
            raise ImpossibleError(f"{shown(text)} is no card; expected a suit and a rank, such as H7 or 7H")
        return self._card(match["suit"] or match["suit_last"], match["rank"] or match["rank_first"], text.strip())

    def card_text(self, card: int) -> str:
        """Return suit and rank, such as `SA`."""
        suit, rank = divmod(int(card), SUIT_BITS)
        return SUIT_LETTERS[suit] + self.ranks[rank]

    def card_glyph(self, card: int, ascii: bool = False) -> str:
        """Return the card for a person, such as `♠A`."""
        suit, rank = divmod(int(card), SUIT_BITS)
        return (SUIT_LETTERS if ascii else GLYPHS)[suit] + self.ranks[rank]

    def hand(self, text: str) -> int:
        """Return the mask of a hand in PBN order, glyph runs or a list of cards; an empty text is an empty hand.

        Raises
        ------
        ImpossibleError
            A card is named twice or is not in this deck, or a piece of the text cannot be read.
        """
        text = text.strip().translate(_OUTLINED)
        mask = 0
        for card in self._pbn(text) if "." in text else self._listed(text):
            if mask >> card & 1:
                raise ImpossibleError(f"hand {shown(text)}: {self.card_text(card)} is there twice; name every card once")
            mask |= 1 << card
        return mask

    def hand_text(self, mask: int) -> str:
        """Return the hand in PBN order, such as `AKQ2.T9..J543`: spades, hearts, diamonds, clubs, the highest card first."""
        return ".".join(self._suit_text(mask, suit) for suit in reversed(range(len(SUIT_LETTERS))))

    def glyphs(self, mask: int, ascii: bool = False) -> str:
        """Return the hand for a person, such as `♠AKQ2 ♥T9 ♣J543`, voids left out."""
        signs = SUIT_LETTERS if ascii else GLYPHS
        return " ".join(signs[suit] + held for suit in reversed(range(len(SUIT_LETTERS))) if (held := self._suit_text(mask, suit))) or "-"

    def cards(self, mask: int) -> list[int]:
        """Return the cards of the mask, the lowest number first."""
        return [card for card in range(len(SUIT_LETTERS) * SUIT_BITS) if int(mask) >> card & 1]

    def _suit_text(self, mask: int, suit: int) -> str:
        held = int(mask) >> suit * SUIT_BITS
        return "".join(self.ranks[rank] for rank in reversed(range(len(self.ranks))) if held >> rank & 1)

    def _card(self, suit: str, rank: str, piece: str) -> int:
        rank = rank.upper().replace("10", "T")
        if rank not in self.ranks:
            name = SUIT_LETTERS[_suit(suit)] + rank
            raise ImpossibleError(f"{shown(piece)}: {name} is not in the {self.name} deck; expected a rank of {' '.join(reversed(self.ranks))}")
        return _suit(suit) * SUIT_BITS + self.ranks.index(rank)

    def _pbn(self, text: str) -> Iterator[int]:
        suits = text.split(".")
        if len(suits) != len(SUIT_LETTERS):
            raise ImpossibleError(f"hand {shown(text)}: found {len(suits)} suits, expected four: spades.hearts.diamonds.clubs, with - for a void")
        for suit, piece in zip(reversed(SUIT_LETTERS), suits, strict=True):
            held = _SEPARATORS.sub("", piece)
            if re.fullmatch(_VOID, held):
                continue
            if not re.fullmatch(f"(?:{_RANK})*", held, _FLAGS):
                self._unreadable(text, piece.strip())
            for rank in _RANKS.findall(held):
                yield self._card(suit, rank, held)

    def _listed(self, text: str) -> Iterator[int]:
        if text[:1] and text[0] in GLYPHS:
            pieces = [_SEPARATORS.sub("", text)]          # ♠ A K Q may have blanks between the cards
        else:
            pieces = [piece for piece in _SEPARATORS.split(text) if piece and not re.fullmatch(_VOID, piece)]
        for piece in pieces:
            if _CARD.fullmatch(piece):
                yield self.card(piece)
                continue
            end = 0
            for run in _RUN.finditer(piece):
                if run.start() != end:
                    break
                for rank in _RANKS.findall(run[2]):
                    yield self._card(run[1], rank, run[0])
                end = run.end()
            if end != len(piece):
                self._unreadable(text, piece[end:])

    def _unreadable(self, text: str, piece: str) -> NoReturn:
        raise ImpossibleError(f"hand {shown(text)}: cannot read {shown(piece)}; {_HAND_FORMS}")


FRENCH = Deck("52-card", "23456789TJQKA")
SPANISH = Deck("36-card Spanish Solo", "3456JQKA7")


def denomination(text: str) -> int:
    """Return the trump named C, D, H, S or NT (N, a suit sign, any case).

    Raises
    ------
    ImpossibleError
        The text names no denomination.
    """
    name = text.strip().translate(_OUTLINED).upper()
    if name in ("N", "NT"):
        return Denomination.NT
    if len(name) == 1 and name in SUIT_LETTERS + GLYPHS:
        return _suit(name)
    raise ImpossibleError(f"{shown(text)} is no denomination; expected C, D, H, S or NT")


def denomination_text(trump: int, glyph: bool = False) -> str:
    """Return `C`, `D`, `H`, `S` or `NT`, or the suit's sign."""
    if glyph and trump < len(GLYPHS):
        return GLYPHS[trump]
    return Denomination(trump).name


def call(text: str, auction: str) -> int:
    """Return the call: `pass`, and `6S` or `5NT` in an auction of "levels", `juego-diamonds` and the like in one of "contracts".

    Raises
    ------
    ImpossibleError
        The text is no call of this auction.
    """
    name = text.strip().translate(_OUTLINED).lower().replace("_", "-")
    if name in ("pass", "p"):
        return PASS
    if auction == "levels":
        match = _LEVEL.fullmatch(name)
        if not match or not 1 <= int(match[1]) <= len(FRENCH.ranks):
            raise ImpossibleError(f"{shown(text)} is no call; expected pass, or tricks and a denomination such as 6S or 5NT")
        return 1 + (int(match[1]) - 1) * len(Denomination) + denomination(match[2])
    names = [_contract_text(contract) for contract in Contract]
    if name == "solo":
        raise ImpossibleError("'solo' names two contracts; say juego for the lowest and sin-pedir for the slam without a called card")
    if name not in names:
        raise ImpossibleError(f"{shown(text)} is no call{did_you_mean(name, names)}; expected pass, {', '.join(names)}")
    return Contract[name.upper().replace("-", "_")]


def call_text(call: int, auction: str, glyph: bool = False) -> str:
    """Return the call as `call` reads it."""
    if call == PASS:
        return "pass"
    if auction == "levels":
        tricks, trump = divmod(int(call) - 1, len(Denomination))
        return f"{tricks + 1}{denomination_text(trump, glyph)}"
    return _contract_text(call)


def _contract_text(contract: int) -> str:
    return Contract(contract).name.lower().replace("_", "-")
