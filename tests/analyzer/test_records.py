"""Deal records: every key of contracts.md 4, deals played again, and what is refused."""

import json

import numpy as np
import pytest

from analyzer import __version__, records, rules
from analyzer.errors import ImpossibleError, TricklabError
from analyzer.rules import load
from analyzer.simulation import Engine, Run, empty_setup
from kernels.layout import PASS

KEYS = [
    "schema", "game", "version", "variant", "rules", "policies", "seed", "deal", "game_no", "deal_no",
    "dealer", "hands", "turnup", "trump", "auction", "gulash", "declarer", "contract", "soloist", "exchange", "pool_before", "pool_after",
    "bids", "leader", "play", "tricks", "points", "scores",
]
# The examples of the contract, null keys left out.
OH_HELL = {
    "game": "oh-hell", "dealer": 2, "hands": [".QT.A.", "7.8..9", "3.7..8"], "turnup": "C6", "trump": "C", "bids": [2, 1, 2], "leader": 0,
    "play": ["DA", "C9", "C8", "H8", "H7", "HT", "HQ", "S7", "S3"], "tricks": [2, 1, 0], "scores": [12, 11, 0],
}  # fmt: skip
JABBERWOCKY = {
    "game": "jabberwocky", "dealer": 2, "hands": ["..54.J", "A.64..", ".9..63"], "turnup": "D8", "trump": "D", "bids": [2, 0, 0], "leader": 0,
    "play": ["CJ", "H4", "C3", "D5", "H6", "C6", "D4", "SA", "H9"], "tricks": [3, 0, 0], "scores": [0, 1, 1],
}  # fmt: skip
SOLO = {
    "game": "spanish-solo", "dealer": 0, "hands": ["KJ43.J64.KQ4.7A", "7Q6.7Q3.7AJ6.54", "A5.AK5.53.KQJ63"], "trump": "C",
    "auction": [[1, "bola"], [2, "pass"], [0, "pass"]], "soloist": 1, "contract": "bola", "exchange": {"asked": "DQ", "from": 0, "given": "H7"},
    "pool_before": 1, "pool_after": 6, "bids": [], "leader": 1,
    "play": ("H3 H5 H7 S3 S6 SA HK HJ HQ D5 DK DQ H6 SQ HA CQ CA C5 D4 DA D3 D7 C6 S4 CK C7 C4 H4 S7 C3 S5 SJ D6 SK DJ CJ").split(),
    "tricks": [5, 1, 6], "points": [30, 5, 37], "scores": [7, -19, 7],
}  # fmt: skip
WHIST = {
    "game": "israeli-whist", "dealer": 2, "hands": ["A876.K965.A3.Q82", "J42.T8742.K62.T7", "QT9.AJ.875.AKJ64", "K53.Q3.QJT94.953"], "trump": "S",
    "auction": [[3, "pass"], [0, "5S"], [1, "pass"], [2, "5NT"], [3, "pass"], [0, "6S"], [1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]],
    "declarer": 0, "contract": "6S", "bids": [6, 2, 4, 0], "leader": 0,
    "play": ("SA SJ S9 SK S7 S2 SQ S5 HA HQ HK H7 HJ H3 H9 H4 ST S3 S8 S4 CA C3 C2 CT D7 D4 D3 DK C7 C4 C5 C8 DA D6 D8 DT S6 D2 D5 DJ H5 H8 CJ D9 H2 CK "
             "DQ H6 CQ HT C6 C9").split(),
    "tricks": [6, 2, 5, 0], "scores": [46, 14, -10, 50],
}  # fmt: skip
EXAMPLES = {example["game"]: example for example in (OH_HELL, JABBERWOCKY, SOLO, WHIST)}


def played(table, policies, n, **how):
    engine = Engine(Run(table, policies, **how))
    facts, games = engine.play(0, n)
    facts = np.concatenate([row[:k] for row, k in zip(facts, games["n_deals"], strict=True)])
    return [json.loads(line) for line in records.lines(facts, table, policies, 1, games=bool(how.get("games")))]


def replayed(record, table=None):
    table = table or records.rules_of(record)
    facts = records.replay([record], table)
    [line] = records.lines(facts, table, ["random"], 1)
    return json.loads(line)


# ---------------------------------------------------------------- lines

@pytest.mark.parametrize("games", [False, True])
@pytest.mark.parametrize("game", [info.name for info in rules.games()])
def test_every_key_is_there_in_order(game, games):
    for record in played(load(game), ["random"], 3, games=games):
        assert list(record) == KEYS
        assert (record["schema"], record["version"], record["game"]) == ("tricklab.deal/1", __version__, game)


def test_a_line_is_compact_and_one_line():
    table = load("oh-hell")
    [line] = records.lines(Engine(Run(table, ["random"])).play(0, 1)[0][:, 0], table, ["random"], 7)
    assert "\n" not in line
    assert line == json.dumps(json.loads(line), separators=(",", ":"))


def test_what_a_game_does_not_have_is_null():
    [record] = played(load("oh-hell"), ["random"], 1)
    assert {key for key in KEYS if record[key] is None} == {
        "game_no", "deal_no", "auction", "gulash", "declarer", "contract", "soloist", "exchange", "pool_before", "pool_after", "points", "turnup",
    }  # 4 players with 13 cards: nothing is turned up
    [record] = played(load("israeli-whist"), ["rules"], 1)
    assert {key for key in KEYS if record[key] is None} == {
        "game_no", "deal_no", "gulash", "turnup", "soloist", "exchange", "pool_before", "pool_after", "points",
    }
    for record in played(load("spanish-solo"), ["random"], 20):
        assert record["bids"] == []
        assert {"game_no", "deal_no", "turnup", "gulash", "declarer"} <= {key for key in KEYS if record[key] is None}
        assert (record["exchange"] is None) is (record["contract"] not in ("bola", "bola-diamonds"))
        assert (record["soloist"] is None) is (record["contract"] is None)


def test_rules_are_those_of_the_table():
    table = load("oh-hell", "no-hook", players=5)
    [record] = played(table, ["random"], 1)
    assert (record["variant"], record["rules"]) == ("no-hook", table.fields)
    assert records.rules_of(record).record() == table.record()


def test_deals_are_numbered_and_turn_the_dealer():
    found = played(load("jabberwocky", players=3), ["random"], 5)
    assert [(record["deal"], record["dealer"]) for record in found] == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1)]


def test_policies_turn_with_the_dealer():
    names = ["random", "rules", "rules"]
    found = played(load("jabberwocky", players=3), names, 3)
    for record in found:
        left = (record["dealer"] + 1) % 3
        assert record["policies"][left] == "random"
        assert record["policies"].count("random") == 1


def test_players_of_a_game_keep_their_policies():
    for record in played(load("jabberwocky", players=3), ["random", "rules", "rules"], 2, games=True):
        assert record["policies"] == ["random", "rules", "rules"]


def test_deals_of_games_are_numbered_in_their_game_and_in_all():
    table = load("oh-hell", players=7)
    found = played(table, ["random"], 2, games=True)
    assert [(record["deal"], record["game_no"], record["deal_no"]) for record in found] == [(k, k // 7, k % 7) for k in range(14)]
    facts = Engine(Run(table, ["random"], games=True)).play(0, 1)[0][0]
    assert [json.loads(line)["deal"] for line in records.lines(facts, table, ["random"], 1, games=True, first=70)] == list(range(70, 77))


def test_scores_are_points_of_any_unit():
    assert [records.in_points(units, 0.1) for units in (0, 3, 7, 10, -25)] == [0, 0.3, 0.7, 1, -2.5]
    table = load("oh-hell", "trick-scoring", players=3)
    scores = {score for record in played(table, ["random"], 60) for score in record["scores"]}
    assert 0.5 in scores
    assert all(isinstance(score, int) or score % 1 for score in scores)


def gulashes(settings=()):
    table = load("israeli-whist", "gulash", settings)
    setup = empty_setup()
    setup["n_calls"] = 12
    setup["calls"] = PASS
    return table, setup


def test_a_deal_thrown_in():
    table, setup = gulashes()
    [record] = played(table, ["random"], 1, setup=setup)
    assert {key: record[key] for key in ("trump", "declarer", "contract", "leader", "bids", "play", "tricks", "points", "scores")} == {
        "trump": None, "declarer": None, "contract": None, "leader": None, "bids": [], "play": [], "tricks": [], "points": None, "scores": [0, 0, 0, 0],
    }
    assert [[seat for seat, _ in calls] for calls in record["auction"]] == [[1, 2, 3, 0]] * 3
    moved = [[(move["from"], move["to"], len(move["cards"])) for move in moves] for moves in record["gulash"]]
    assert moved == [[(0, 3, 3), (1, 0, 3), (2, 1, 3), (3, 2, 3)]] * 2
    assert replayed(record, table)["gulash"] == record["gulash"]


def test_rounds_are_nested_only_where_a_gulash_follows_one():
    table, setup = gulashes()
    setup["n_calls"] = 4
    for record in played(table, ["random"], 5, setup=setup):
        assert len(record["auction"]) == len(record["gulash"]) + 1
        assert record["auction"][0] == [[(record["dealer"] + k) % 4, "pass"] for k in (1, 2, 3, 4)]
    [record] = played(load("israeli-whist"), ["random"], 1, setup=setup)
    assert record["auction"] == [[1, "pass"], [2, "pass"], [3, "pass"], [0, "pass"]]
    assert record["gulash"] is None


# ---------------------------------------------------------------- records played again

@pytest.mark.parametrize("game", EXAMPLES)
def test_examples_of_the_contract_replay(game):
    again = replayed(EXAMPLES[game])
    assert {key: again[key] for key in EXAMPLES[game]} == EXAMPLES[game]


@pytest.mark.parametrize("policy", ["random", "rules"])
@pytest.mark.parametrize(("game", "variant"), [
    ("israeli-whist", "base"), ("israeli-whist", "wikipedia"), ("oh-hell", "secret"), ("oh-hell", "cut-trump"), ("oh-hell", "dealers-last-card"),
    ("spanish-solo", "trump-later"),
])
def test_what_was_played_replays(game, variant, policy):
    table = load(game, variant)
    for record in played(table, [policy], 30):
        again = replayed(record, table)
        assert {key: again[key] for key in KEYS[10:]} == {key: record[key] for key in KEYS[10:]}


def test_no_records_are_no_facts():
    assert len(records.replay([], load("oh-hell"))) == 0


def spoiled(example, **changes):
    return {**example, **changes}


@pytest.mark.parametrize(("record", "said"), [
    (spoiled(OH_HELL, dealer=3), "dealer: found 3, expected a seat from 0 to 2"),
    (spoiled(OH_HELL, dealer="2"), "dealer: found '2'"),
    (spoiled(OH_HELL, dealer=True), "dealer: found true"),
    ({key: value for key, value in OH_HELL.items() if key != "dealer"}, "dealer: found nothing"),
    (spoiled(OH_HELL, hands=[".QT.A.", "7.8..9", "3.7.."]), "hands: found 3, 3, 2 cards"),
    (spoiled(OH_HELL, hands=[".QT.A.", "7.8..9", "3.8..7"]), "hands: seat 2: H8 dealt twice"),
    (spoiled(OH_HELL, hands=[".QT.A.", "7.8..9", "3.1..7"]), "hands: seat 2"),
    (spoiled(OH_HELL, turnup=None), "turn-up: missing, expected the card that shows trump"),
    (spoiled(OH_HELL, turnup="C9"), "turn-up: C9 is in the hand too"),
    (spoiled(OH_HELL, trump="D"), "trump: found 'D', expected 'C'"),
    (spoiled(OH_HELL, bids=[2, 1]), "bids: found 2, expected 3"),
    (spoiled(OH_HELL, bids=[2, 1, 4]), "bids: seat 2: found 4, expected 0 to 3"),
    (spoiled(OH_HELL, bids=[2, 1, 0]), "bids: seat 2: found 0, expected a bid that the hook"),
    (spoiled(OH_HELL, bids=[]), "bids: incomplete"),
    (spoiled(OH_HELL, leader=1), "leader: found 1, expected 0"),
    (spoiled(OH_HELL, play=OH_HELL["play"][:-1]), "play: found 8 cards, expected 9"),
    (spoiled(OH_HELL, play=[]), "play: incomplete"),
    (spoiled(OH_HELL, play=["DA", "H8", *OH_HELL["play"][2:]]), "play: trick 1, card 2: found H8"),        # OH-A1: must trump
    (spoiled(OH_HELL, play=["DA", "C9", "C8", "H8", "H7", "HQ", "HT", "S7", "C8"]), "play: trick 3, card 3: found C8"),
    (spoiled(OH_HELL, play=["DX", *OH_HELL["play"][1:]]), "play: 'DX' is no card"),
    (spoiled(OH_HELL, tricks=[1, 2, 0]), "tricks.0: found [1], expected [2]"),
    (spoiled(OH_HELL, auction=[[0, "pass"]]), "auction: found [[0, 'pass']], expected null"),
    (spoiled(JABBERWOCKY, play=["D5", *JABBERWOCKY["play"][1:]]), "play: trick 1, card 1: found D5"),       # JW: trumps are not broken
    (spoiled(WHIST, auction=WHIST["auction"][:-1]), "auction: incomplete"),
    (spoiled(WHIST, auction=[*WHIST["auction"], [1, "pass"]]), "auction.10: found [[1, 'pass']], expected []"),
    (spoiled(WHIST, auction=[[3, "pass"], [1, "5S"], *WHIST["auction"][2:]]), "auction.1: found [[1, '5S']], expected [[0, '5S']]"),
    (spoiled(WHIST, auction=[[3, "pass"], [0, "5NT"], *WHIST["auction"][2:]]), "auction: call 4: seat 2 says 5NT"),
    (spoiled(WHIST, auction=[[3, "paas"]]), "auction: 'paas' is no call"),
    (spoiled(WHIST, auction=[[3, "pass"]] * 300), "auction: found 300 calls"),
    (spoiled(WHIST, auction=3), "auction"),
    (spoiled(WHIST, declarer=2), "declarer: found 2, expected 0"),
    (spoiled(WHIST, contract="6H"), "contract: found '6H', expected '6S'"),
    (spoiled(WHIST, bids=[7, 2, 4, 0]), "bids.0: found [7], expected [6]"),
    (spoiled(WHIST, gulash=[[]]), "gulash: exchange 1: found cards from seats []"),
    (spoiled(SOLO, auction=[[1, "bola"], [2, "juego"], [0, "pass"]]), "auction: call 2: seat 2 says juego"),
    (spoiled(SOLO, trump="D"), "trump: found D, expected D in a diamonds contract, else"),
    (spoiled(SOLO, trump=None), "trump: incomplete"),
    (spoiled(SOLO, exchange=None), "exchange.asked: incomplete"),
    (spoiled(SOLO, exchange={"asked": "H7", "from": 0, "given": "H7"}), "exchange.asked: found H7"),
    (spoiled(SOLO, exchange={"asked": "DQ", "from": 0, "given": "HA"}), "exchange.given: found HA"),
    (spoiled(SOLO, exchange={"asked": "DQ", "from": 2, "given": "H7"}), "exchange: found {'asked': 'DQ', 'from': 2"),
    (spoiled(SOLO, exchange={"asked": "DQ"}), "exchange.from: found nothing"),
    (spoiled(SOLO, pool_before=-1), "pool_before: found -1"),
    (spoiled(SOLO, pool_before=10**30), "pool_before: found 1000000000000000000000000000000"),
    (spoiled(OH_HELL, dealer=-10**30), "dealer: found -1000000000000000000000000000000"),
    (spoiled(OH_HELL, bids=[2, 1, 10**30]), "bids: seat 2: found 1000000000000000000000000000000"),
    (spoiled(SOLO, points=[30, 6, 36]), "points.1: found [6], expected [5]"),
    (spoiled(SOLO, soloist=None, contract="bola-diamonds"), "contract: found 'bola-diamonds', expected 'bola'"),
])
def test_a_spoiled_record_is_refused_with_its_place(record, said):
    with pytest.raises(ImpossibleError) as refused:
        records.replay([EXAMPLES[record["game"]], record], records.rules_of(EXAMPLES[record["game"]]))
    assert str(refused.value).startswith("record 1: ")
    assert said in str(refused.value)


GULASH = {"from": 0, "to": 3, "cards": ["SA", "S8", "S7"]}


@pytest.mark.parametrize(("moves", "said"), [
    ([{"from": seat, "to": (seat + 1) % 4, "cards": ["SA", "S8", "S7"]} for seat in range(4)], "seat 0 gives to seat 1, expected seat 3"),
    ([{"from": seat, "to": (seat - 1) % 4, "cards": ["SA", "S8"]} for seat in range(4)], "expected 3 different cards"),
    ([{"from": seat, "to": (seat - 1) % 4, "cards": ["SA", "SA", "S8"]} for seat in range(4)], "expected 3 different cards"),
    ([{"from": seat, "to": (seat - 1) % 4, "cards": ["SA", "S8", "S7"]} for seat in range(4)], "gulash: exchange 1: a seat gives a card that it does not hold"),
])
def test_a_spoiled_gulash_is_refused(moves, said):
    auction = [[[3, "pass"], [0, "pass"], [1, "pass"], [2, "pass"]], [[3, "5S"], *[[seat, "pass"] for seat in range(4)]]]
    with pytest.raises(ImpossibleError, match=said):
        records.replay([spoiled(WHIST, auction=auction, gulash=[moves])], load("israeli-whist", "gulash"))


# ---------------------------------------------------------------- rules of a record

@pytest.mark.parametrize(("given", "hook"), [
    (None, "not_equal"),
    ({}, "not_equal"),
    ({"variant": "no-hook"}, "none"),
    ({"variant": "base", "set": {"bidding.hook": "none"}}, "none"),
    ({"bidding": {"hook": "none"}}, "none"),
])
def test_rules_of_a_record(given, hook):
    table = records.rules_of({**OH_HELL, "rules": given})
    assert (table.players, table.fields["bidding"]["hook"]) == (3, hook)


@pytest.mark.parametrize(("changes", "said"), [
    ({"game": "oh-hel"}, "game: found 'oh-hel'"),
    ({"rules": 3}, "rules: found 3"),
    ({"rules": {"variant": 3}}, "rules"),
    ({"rules": {"variant": "no-hok"}}, "rules: 'no-hok' is no variant"),
    ({"rules": {"bidding": {"hok": "none"}}}, "bidding.hok"),
    ({"hands": None}, "hands: found None"),
    ({"hands": ["", ""]}, "no game for 2 players"),
])
def test_rules_that_cannot_be_are_refused(changes, said):
    with pytest.raises(ImpossibleError, match=said):
        records.rules_of({**OH_HELL, **changes})


# ---------------------------------------------------------------- files

def test_a_file_is_read_line_by_line(tmp_path):
    file = tmp_path / "deals.jsonl"
    file.write_text('{"deal":0}\n\n{"deal":1}\n', encoding="utf-8")
    assert list(records.read(file)) == [(1, {"deal": 0}), (3, {"deal": 1})]


@pytest.mark.parametrize(("line", "said"), [
    (b"{", "line 2: no JSON"),
    (b"[1]", r"line 2: found \[1\], expected an object"),
    (b'{"deal": NaN}', "line 2: no JSON"),
    (b'{"deal": "\xff"}', "line 2: no JSON"),
    (b"[" * 100_000, "line 2: no JSON"),
    (b"9" * 10_000, "line 2: no JSON"),
])
def test_an_unreadable_line_is_refused_with_its_number(line, said, tmp_path):
    file = tmp_path / "deals.jsonl"
    file.write_bytes(b'{"deal": 0}\n' + line + b"\n")
    with pytest.raises(ImpossibleError, match=said) as refused:
        list(records.read(file))
    assert str(refused.value).startswith(str(file))


def test_a_missing_file_is_a_failure(tmp_path):
    with pytest.raises(TricklabError, match="No such file") as refused:
        list(records.read(tmp_path / "none.jsonl"))
    assert refused.value.exit_code == 1
