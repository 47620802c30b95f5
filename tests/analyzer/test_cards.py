"""Card text is read and written without loss, and nothing unreadable gets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cards import FRENCH, SPANISH, Deck, call, call_text, denomination, denomination_text
from analyzer.errors import ImpossibleError, TricklabError
from kernels.layout import Contract, Denomination

DECKS = pytest.mark.parametrize("deck", [FRENCH, SPANISH], ids=["french", "spanish"])
HAND = "AKQ2.T9..J543"


def masks(deck: Deck) -> st.SearchStrategy[int]:
    return st.sets(st.sampled_from(deck.cards(deck.mask))).map(lambda cards: sum(1 << card for card in cards))


@pytest.mark.parametrize(
    "text",
    [
        "AKQ2.T9.-.J543",
        "akq2.109..j543",
        " AKQ2 . T9 . – . J543 ",
        "♠AKQ2♥T9♣J543",
        "♣J543 ♥T9 ♠AKQ2",
        "♠ A K Q 2 ♥ 10 9 ♦ - ♣ J 5 4 3",
        "♤AKQ2♡T9♧J543",
        "♠\ufe0fAKQ2♥\ufe0fT9♣\ufe0fJ543",
        "♠A ♠K ♠Q ♠2 ♥T ♥9 ♣J ♣5 ♣4 ♣3",
        "SA SK SQ S2 HT H9 CJ C5 C4 C3",
        "as,ks,qs,2s, 10h,9h, jc,5c,4c,3c",
        "SAKQ2 HT9 CJ543",
        "sakq2h109cj543",
        "A♠ K♠ Q♠ 2♠ 10♥ 9♥ J♣ 5♣ 4♣ 3♣",
    ],
)
def test_every_way_of_writing_a_hand_is_read(text):
    assert FRENCH.hand_text(FRENCH.hand(text)) == HAND


@DECKS
@pytest.mark.parametrize("text", ["", "-", "...", "-.-.-.-"])
def test_an_empty_hand_is_empty(deck, text):
    assert deck.hand(text) == 0


@DECKS
def test_a_deck_holds_its_ranks_in_four_suits(deck):
    assert deck.mask.bit_count() == 4 * len(deck.ranks)
    assert deck.hand_text(deck.mask) == ".".join([deck.ranks[::-1]] * 4)


def test_SS_the_seven_is_highest_and_the_three_lowest():
    assert SPANISH.hand_text(SPANISH.hand("347A.K5..")) == "7A43.K5.."
    assert SPANISH.card("C7") > SPANISH.card("CA") > SPANISH.card("CK")


@DECKS
def test_cards_are_numbered_as_in_the_layout(deck):
    assert deck.card("C" + deck.ranks[0]) == 0
    assert deck.card("D" + deck.ranks[0]) == 16
    assert deck.card("S" + deck.ranks[-1]) == 48 + len(deck.ranks) - 1


@DECKS
@given(data=st.data())
def test_hands_survive_writing_and_reading(deck, data):
    mask = data.draw(masks(deck))
    listed = data.draw(st.permutations(deck.cards(mask)))
    assert deck.hand(deck.hand_text(mask)) == mask
    assert deck.hand(deck.glyphs(mask)) == mask
    assert deck.hand(deck.glyphs(mask, ascii=True)) == mask
    assert deck.hand(" ".join(map(deck.card_text, listed))) == mask


@DECKS
def test_cards_survive_writing_and_reading(deck):
    for card in deck.cards(deck.mask):
        suit, rank = deck.card_text(card)
        for text in (suit + rank, rank + suit, (suit + rank).lower(), deck.card_glyph(card), (suit + rank).replace("T", "10")):
            assert deck.card(text) == card


@DECKS
@given(st.text() | st.text(alphabet="SHDC♠♥♦♣AKQJT109872 .,-xpass", max_size=60))
def test_any_text_is_read_or_refused_in_one_line(deck, text):
    for read in (deck.hand, deck.card, denomination, lambda text: call(text, "levels"), lambda text: call(text, "contracts")):
        try:
            read(text)
        except TricklabError as refusal:
            message = str(refusal)
            assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("deck", "text", "piece"),
    [
        (FRENCH, "AKQA.T9..J543", "SA is there twice"),
        (FRENCH, "SA HK AS", "SA is there twice"),
        (FRENCH, "AKQ2.T9.J543", "found 3 suits"),
        (FRENCH, "AKQ2.T9.1.J543", "'1'"),
        (FRENCH, "SA SK ZQ", "'ZQ'"),
        (FRENCH, "♠AKX♥2", "'X♥2'"),
        (FRENCH, "AKQ2", "'AKQ2'"),
        (SPANISH, "7A.T...", "found 5 suits"),
        (SPANISH, "7A.T..", "HT is not in the 36-card"),
        (SPANISH, "S7 H10", "HT is not in the 36-card"),
        (SPANISH, "♠78", "S8 is not in the 36-card"),
        (SPANISH, "C2", "C2 is not in the 36-card"),
    ],
)
def test_the_piece_that_is_wrong_is_named(deck, text, piece):
    with pytest.raises(ImpossibleError) as refusal:
        deck.hand(text)
    assert piece in str(refusal.value)


def test_denominations_survive_writing_and_reading():
    for trump in Denomination:
        assert denomination(denomination_text(trump)) == trump
        assert denomination(denomination_text(trump, glyph=True).lower()) == trump
    assert denomination("n") == Denomination.NT
    with pytest.raises(ImpossibleError):
        denomination("CD")


def test_IW_calls_grow_with_tricks_then_denomination():
    texts = ["pass"] + [f"{tricks}{trump}" for tricks in range(1, 14) for trump in ("C", "D", "H", "S", "NT")]
    assert [call(text, "levels") for text in texts] == list(range(len(texts)))
    assert [call_text(number, "levels") for number in range(len(texts))] == texts
    assert call("5n", "levels") == call("5NT", "levels")
    assert call("6♠", "levels") == call("6s", "levels")
    assert call_text(call("6S", "levels"), "levels", glyph=True) == "6♠"


def test_SS_calls_are_the_contracts():
    for contract in Contract:
        assert call(call_text(contract, "contracts"), "contracts") == contract
    assert call("sin_pedir_diamonds", "contracts") == Contract.SIN_PEDIR_DIAMONDS
    assert call("PASS", "contracts") == 0


@pytest.mark.parametrize(
    ("text", "auction", "hint"),
    [
        ("solo", "contracts", "juego"),
        ("jeugo", "contracts", "did you mean 'juego'"),
        ("14S", "levels", "6S"),
        ("0S", "levels", "6S"),
        ("S6", "levels", "6S"),
        ("juego", "levels", "6S"),
    ],
)
def test_a_wrong_call_is_refused_with_a_hint(text, auction, hint):
    with pytest.raises(ImpossibleError, match=hint):
        call(text, auction)
