"""OpenSpiel's `oh_hell` referees Oh Hell: its recorded games give the scores that it gave. `scripts/record_openspiel.py` records them."""

import json
from pathlib import Path

import pytest

from analyzer import records, rules
from analyzer.errors import ImpossibleError
from analyzer.interop import openspiel

_, *GAMES = [json.loads(line) for line in (Path(__file__).parents[1] / "golden" / "openspiel_oh_hell.jsonl").read_text().splitlines()]

# C7 C5 C9 H6 S8 H9 dealt to players 0 1 2 0 1 2, turn-up H2, bids 1 2 1 from player 0, then H6 C5 H9, C9 C7 S8
PLAYTHROUGH = [2, 2, 20, 12, 28, 19, 26, 31, 3, 53, 54, 53, 19, 12, 31, 28, 20, 26]
PLAYTHROUGH_RETURNS = [0, 0, 2]


def converted(game):
    return openspiel.to_record(game["history"], game["players"], game["tricks"])


def card_set(hand):
    return {suit + rank for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks}


def played_out(record):
    """Return the tricks of each seat, in plain Python; bids and cards that oh_hell would refuse fail."""
    hands = [card_set(hand) for hand in record["hands"]]
    n, trump, leader = len(hands), record["trump"], record["leader"]
    assert sum(record["bids"]) != len(hands[0])                        # the hook
    tricks = [0] * n
    for start in range(0, len(record["play"]), n):
        trick = record["play"][start:start + n]
        led = trick[0][0]
        for turn, card in enumerate(trick):
            hand = hands[(leader + turn) % n]
            assert card in hand
            assert card[0] == led or not any(held[0] == led for held in hand)
            hand.remove(card)
        best = max(trick, key=lambda card: (card[0] == trump, card[0] == led, "23456789TJQKA".index(card[1])))
        leader = (leader + trick.index(best)) % n
        tricks[leader] += 1
    return tricks


def basic_scores(record):
    return [taken + 10 * (taken == bid) for taken, bid in zip(played_out(record), record["bids"], strict=True)]


def test_every_size_that_fits_is_recorded():
    recorded = {(game["players"], game["tricks"]) for game in GAMES}
    assert recorded == {(players, tricks) for players in range(1, 10) for tricks in range(20) if openspiel.fits(players, tricks)}


def test_only_13_tricks_with_4_players_do_not_fit():
    deals = [(players, tricks) for players in (3, 4, 5, 6, 7) for tricks in range(1, 52 // players + 1)]
    assert [deal for deal in deals if not openspiel.fits(*deal)] == [(4, 13)]
    with pytest.raises(ImpossibleError, match="4 players with 13 tricks"):
        openspiel.to_record([], 4, 13)


def test_record_of_the_playthrough():
    record = openspiel.to_record(PLAYTHROUGH, players=3, tricks=2)
    assert record == {
        "game": "oh-hell", "variant": "base", "rules": {"variant": "base", "set": {"play.must_trump": False}},
        "dealer": 2, "hands": [".6..7", "8...5", ".9..9"], "turnup": "H2", "trump": "H", "bids": [1, 2, 1],
        "leader": 0, "play": ["H6", "C5", "H9", "C9", "C7", "S8"], "tricks": None, "scores": None,
    }
    assert played_out(record) == [0, 0, 2]


@pytest.mark.parametrize("players", openspiel.PLAYERS)
def test_record_scores_what_openspiel_returned(players):
    games = [game for game in GAMES if game["players"] == players]
    assert [basic_scores(converted(game)) for game in games] == [game["returns"] for game in games]


@pytest.mark.parametrize("players", openspiel.PLAYERS)
def test_replay_scores_what_openspiel_returned(players):
    games = [game for game in GAMES if game["players"] == players]
    facts = records.replay([converted(game) for game in games], rules.load("oh-hell", settings=openspiel.SETTINGS, players=players))
    assert facts["scores"][:, :players].tolist() == [game["returns"] for game in games]


def test_replay_scores_the_playthrough():
    facts = records.replay([openspiel.to_record(PLAYTHROUGH, 3, 2)], rules.load("oh-hell", settings=openspiel.SETTINGS, players=3))
    assert facts["tricks"][0, :3].tolist() == [0, 0, 2]
    assert facts["scores"][0, :3].tolist() == PLAYTHROUGH_RETURNS


@pytest.mark.parametrize(("spoiled", "complaint"), [
    (PLAYTHROUGH[:-1], "17 actions"),
    ([3, *PLAYTHROUGH[1:]], "expected the 18 of a finished deal"),
    ([2, 3, *PLAYTHROUGH[2:]], "a dealer below 3"),
    ([2, 2, 12, *PLAYTHROUGH[3:]], "dealt twice"),
    ([*PLAYTHROUGH[:-1], 0], "not played once"),
    ([*PLAYTHROUGH[:9], 55, *PLAYTHROUGH[10:]], "expected 52 to 54"),
])
def test_a_spoiled_history_is_refused(spoiled, complaint):
    with pytest.raises(ImpossibleError, match=complaint):
        openspiel.to_record(spoiled, players=3, tricks=2)
