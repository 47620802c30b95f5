"""Policies as data: loading, inheritance, every mistake a file can make, and the tables that are worked out from them."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import policies
from analyzer.errors import ImpossibleError, TricklabError, UsageError
from analyzer.policies import load
from analyzer.rules import load as load_rules
from kernels import layout
from kernels.layout import AIM_BUCKETS, Player, Side
from tests import twins


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


# ---------------------------------------------------------------- shipped policies

def test_shipped_policies_the_strongest_first():
    assert policies.names() == ["learned", "rules", "rules-1", "beginner", "random"]
    assert {policies.default(game) for game in ("israeli-whist", "oh-hell", "jabberwocky", "spanish-solo")} == {"learned"}


@pytest.mark.parametrize("name", policies.names())
def test_every_shipped_policy_explains_itself(name):
    policy = load(name)
    assert policy.name == name
    assert policy.summary
    assert {key for key, weight in policy.weights.items() if not weight.unit.strip() or not weight.doc.strip()} == set()
    assert set(policy.weights) == (set() if policy.player == Player.RANDOM else set(policies.WEIGHTS))
    assert policies.info(name)["weights"].keys() == policy.weights.keys()


@pytest.mark.parametrize("name", policies.names())
def test_no_shipped_policy_explores(name):
    assert "explore" not in load(name).weights or load(name).weights["explore"].value == 0.0


def test_rules_1_is_frozen():
    # After the one kind of change that is meant, learning anew: python -m tests.twins --pin
    assert twins.frozen("rules-1") == json.loads(twins.GOLDEN.read_text())


# ---------------------------------------------------------------- files

def test_a_file_inherits_what_it_does_not_say(write):
    mine = load(write('base = "rules-1"\n[weights.rest]\nvalue = 1\n'))
    base = load("rules-1")
    assert (mine.name, mine.player, mine.tables, mine.summary) == ("mine", base.player, base.tables, base.summary)
    assert mine.weights["rest"] == policies.Weight(1.0, base.weights["rest"].unit, base.weights["rest"].doc)
    assert {key: weight for key, weight in mine.weights.items() if key != "rest"} == {key: w for key, w in base.weights.items() if key != "rest"}


def test_a_weight_may_be_a_bare_number_and_have_its_own_words(write):
    mine = load(write('base = "rules"\nsummary = "bolder"\n[weights]\nrisk = -1\ncheap = { doc = "as I see it" }\n'))
    assert mine.summary == "bolder"
    assert mine.weights["risk"].value == -1.0
    assert mine.weights["cheap"].doc == "as I see it"
    assert mine.weights["cheap"].value == load("rules").weights["cheap"].value


def test_a_file_may_inherit_from_a_file(write):
    first = write('base = "rules-1"\nweights.rest = 0.5\n', "first.toml")
    assert load(write(f'base = {json.dumps(first)}\nweights.risk = 0.25\n', "second.toml")).weights["rest"].value == 0.5


def test_a_base_lies_next_to_its_file(write, tmp_path, monkeypatch):
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    write('base = "rules-1"\nweights.rest = 0.5\n', "first.toml")
    write('base = "rules-1"\nweights.rest = 0.7\n', "away/first.toml")
    assert load(write('base = "first.toml"\n', "second.toml")).weights["rest"].value == 0.5
    assert load("../second.toml").weights["rest"].value == 0.5
    assert load(write('base = "second.toml"\n', "third.toml")).weights["rest"].value == 0.5


def test_every_weight_has_a_range_that_holds_the_shipped_ones():
    kernel = [name for name in layout.POLICY.names if layout.POLICY[name] == np.float64]
    assert [*policies.WEIGHTS, "draw"] == kernel        # draw is for training alone


@pytest.mark.parametrize("key", policies.WEIGHTS)
def test_a_weight_out_of_its_range_is_refused(write, key):
    low, high = policies.WEIGHTS[key]
    for value in (low, high):
        assert load(write(f'base = "rules-1"\nweights.{key} = {value}\n')).weights[key].value == value
    for value in (low - 0.001, high + 0.001, -1000000, 10**400, "-inf"):
        for place in ("weights", "games.oh-hell"):
            with pytest.raises(ImpossibleError) as caught:
                load(write(f'base = "rules-1"\n{place}.{key} = {value}\n'))
            assert f"mine.toml: {place}.{key}: found " in str(caught.value)
            assert str(caught.value).endswith(f"expected a number from {low} to {high}")


def test_a_file_of_random_play_needs_no_weights(write):
    mine = load(write('player = "random"\n'))
    assert (mine.player, mine.weights, mine.tables) == (Player.RANDOM, {}, None)


def test_a_base_may_not_go_in_a_circle(write, tmp_path):
    one, other = str(tmp_path / "one.toml"), str(tmp_path / "other.toml")
    write(f"base = {json.dumps(other)}\n", "one.toml")
    write(f"base = {json.dumps(one)}\n", "other.toml")
    with pytest.raises(ImpossibleError, match="circle"):
        load(one)
    with pytest.raises(ImpossibleError, match="circle"):
        load(write(f"base = {json.dumps(str(tmp_path / 'self.toml'))}\n", "self.toml"))


MISTAKES = [
    ('bse = "rules"\n', UsageError, "did you mean 'base'"),
    ('base = "rules"\n[weights]\ntricks_gain = 1\n', UsageError, "did you mean 'trick_gain'"),
    ('base = "rules"\n[weights]\nodds = 1\n', UsageError, "weights.odds is no weight"),
    ('base = "rules"\n[weights.rest]\nvalu = 1\n', UsageError, "did you mean 'value'"),
    ('base = "ruls"\n', UsageError, "did you mean 'rules'"),
    ('base = 3\n', ImpossibleError, "expected a text in quotes"),
    ('base = "rules"\nsummary = 3\n', ImpossibleError, "expected a text in quotes"),
    ('player = "ruels"\n', ImpossibleError, "did you mean 'rules'"),
    ('', ImpossibleError, "player"),
    ('summary = "nothing else"\n', ImpossibleError, "player"),
    ('player = "rules"\n', ImpossibleError, "tables"),
    ('player = "rules"\ntables = "rules-l"\n', ImpossibleError, "did you mean 'rules-1'"),
    ('base = "rules"\ntables = "none"\n', ImpossibleError, "tables"),
    ('player = "rules"\ntables = "rules-1"\n', ImpossibleError, "is missing"),
    ('player = "rules"\ntables = "rules-1"\n[weights]\nrest = 1\n', ImpossibleError, "inherit it"),
    ('base = "rules"\nweights = 3\n', ImpossibleError, "expected tables"),
    ('base = "rules"\nweights.rest = "1"\n', ImpossibleError, "expected a number"),
    ('base = "rules"\nweights.rest = true\n', ImpossibleError, "expected a number"),
    ('base = "rules"\nweights.rest = nan\n', ImpossibleError, "expected a number"),
    ('base = "rules"\nweights.rest = inf\n', ImpossibleError, "expected a number"),
    ('base = "rules"\nweights.rest = [1]\n', ImpossibleError, "expected a number"),
    ('base = "rules"\nweights.rest = 2026-11-29\n', ImpossibleError, "expected a number"),
    ('player = "rules"\n[weights.rest]\nunit = "tricks"\n', ImpossibleError, "expected a number"),
    ('base = "rules"\n[weights.rest]\nunit = 0x1' + 5000 * "0", ImpossibleError, "expected a text in quotes"),
    ('player = "random"\ntables = "none"\n', ImpossibleError, "tables: found 'none'"),
    (f'base = "rules"\nweights.rest = {"9" * 5000}\n', ImpossibleError, "no TOML"),
    (f'base = "rules"\nweights.rest = {"[" * 5000}\n', ImpossibleError, "no TOML"),
    ('base = "rules"\n[weights.rest]\nvalue =', ImpossibleError, "no TOML"),
    ('base = "rules"\n[weights.re', ImpossibleError, "no TOML"),
]


@pytest.mark.parametrize(("text", "kind", "words"), MISTAKES)
def test_a_mistake_in_a_file_is_named_on_one_line(write, text, kind, words):
    path = write(text)
    for read in (load, policies.check):
        with pytest.raises(kind) as caught:
            read(path)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "mine.toml" in str(caught.value) or "policy 'ruls'" in str(caught.value)


def test_a_file_that_is_no_text_is_no_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00base")
    with pytest.raises(ImpossibleError, match="no TOML"):
        load(str(path))


PLACES = ("base", "summary", "player", "tables", "games", "weights", "weights.rest", "weights.rest.unit", "games.oh-hell.risk", "games.chess")
ODD = ("1", "-1e999", "nan", "true", '"rules"', '"random"', '"a.toml"', "[]", "{}", "1979-05-27", "9" * 5000, "0x1" + "0" * 5000, "[" * 5000)


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(ODD)), max_size=3), st.integers(0, 60), st.text(max_size=2))
@settings(max_examples=200, deadline=None)
def test_whatever_a_file_says_it_is_played_or_refused(tmp_path_factory, lines, at, junk):
    text = "\n".join(f"{place} = {odd}" for place, odd in (("base", '"rules-1"'), *lines))
    file = tmp_path_factory.getbasetemp() / "odd.toml"
    file.write_text(text[:at] + junk + text[at:], encoding="utf-8", errors="surrogatepass")
    try:
        policies.compile_policies([policies.check(file)], load_rules("oh-hell"))
    except TricklabError as error:
        assert "\n" not in str(error)


def test_a_truncated_policy_is_never_taken_for_another(write):
    whole = (policies.DATA / "policies" / "rules-1.toml").read_text()
    for length in range(0, len(whole) - 1, 97):
        with pytest.raises(TricklabError) as caught:
            load(write(whole[:length]))
        assert "\n" not in str(caught.value)


def test_an_unknown_policy_names_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'random'"):
        load("randon")
    with pytest.raises(UsageError):
        load("")


@pytest.mark.parametrize("path", ["no/such/file.toml", "file.toml", "no/file", "a" * 5000 + ".toml"])
def test_a_path_without_a_file_is_no_unknown_name(path):
    for read in (load, policies.check):
        with pytest.raises(TricklabError) as caught:
            read(path)
        assert caught.value.exit_code == 1
        assert str(caught.value) == f"{path}: no such file; expected a policy in TOML"


def test_a_folder_is_no_policy(tmp_path):
    with pytest.raises(TricklabError):
        load(str(tmp_path))
    with pytest.raises(TricklabError):
        policies.check(tmp_path)


# ---------------------------------------------------------------- chances

def test_odds_are_exact_fractions():
    table = policies.odds()
    for u in range(0, layout.MAX_DECK + 1, 3):
        for k in range(0, min(u, 13) + 1, 2):
            for r in range(min(u, layout.MAX_HAND) + 1):
                assert table[u, k, r] == pytest.approx(float(twins.exact_odds(u, k, r)), rel=1e-15, abs=0)
    assert table[39, 13, 13] == pytest.approx(float(Fraction(10400600, 8122425444)), rel=1e-15)     # C(26, 13) / C(39, 13)


def test_public_cases_of_odds():
    # I hold n of a suit in a 13-card hand: P(each of the three others holds one or more), by inclusion and exclusion
    table = policies.odds()
    for n, chance in ((1, 0.992592), (5, 0.923884), (10, 0.240398)):
        k = 13 - n
        none_of_two = table[39, k, 13] * (table[26, k, 13] if k <= 13 else 0.0)
        assert 1 - 3 * table[39, k, 13] + 3 * none_of_two == pytest.approx(chance, abs=1e-6)


@pytest.mark.parametrize("name", ["rules-1"])
@pytest.mark.parametrize(("family", "players"), [
    ("israeli-whist", 4), *[("oh-hell", n) for n in range(3, 8)], *[("oh-hell-free", n) for n in range(3, 8)], *[("jabberwocky", n) for n in (3, 4, 5)],
    ("spanish-solo", 3),
])
def test_learned_tables_are_chances(name, family, players):
    tables = policies.learned_tables(name, family, players)
    most = {"israeli-whist": 13, "spanish-solo": 12, "jabberwocky": 9}.get(family, 51 // players)
    for table in tables.values():
        assert table.min() >= 0
        assert table.max() <= 1
    for cards in range(1, most + 1) if family in ("oh-hell", "oh-hell-free") else [most]:
        assert tables["expect"][cards, cards].any(axis=(1, 2)).all()
        if family != "spanish-solo":
            assert tables["aim"][cards].sum(axis=-1) == pytest.approx(1, abs=1e-3)
            assert tables["sides"][cards, :players].sum(axis=-1) == pytest.approx(1, abs=1e-3)


def test_two_players_take_the_tables_of_three():
    two, three = (policies.learned_tables("rules-1", "jabberwocky", n) for n in (2, 3))
    assert all(np.array_equal(two[key], three[key]) for key in three)


@pytest.mark.parametrize(("game", "variant", "settings", "family"), [
    ("israeli-whist", "base", (), "israeli-whist"),
    ("oh-hell", "base", (), "oh-hell"),
    ("oh-hell", "free-discard", (), "oh-hell-free"),
    ("oh-hell", "base", ("play.must_trump=false",), "oh-hell-free"),
    ("oh-hell", "trumps-broken", (), "jabberwocky"),
    ("jabberwocky", "base", (), "jabberwocky"),
    ("jabberwocky", "trumps-free", (), "oh-hell-free"),
    ("spanish-solo", "parlett", (), "spanish-solo"),
])
def test_family_of_learned_tables(game, variant, settings, family):
    assert policies.family(load_rules(game, variant, settings)) == family


@pytest.mark.parametrize(("game", "variant", "players"), [
    ("israeli-whist", "base", 4), ("israeli-whist", "oferelyakim", 4), ("oh-hell", "base", 7), ("oh-hell", "negative", 4), ("oh-hell", "over-counts", 5),
    ("oh-hell", "squares", 3), ("jabberwocky", "base", 4),
])
def test_worth_is_the_score_weighed_by_its_chances(game, variant, players):
    book = load_rules(game, variant, players=players)
    aim = policies.learned_tables("rules-1", policies.family(book), players)["aim"]
    table = policies.worth(aim, book)
    points = -book.points() if book.fields["score"].get("low_wins") else book.points()
    assert table.shape == layout.WORTH_SHAPE
    for cards in {max(book.schedule), min(book.schedule)}:
        for bid in range(cards + 1):
            buckets = range(AIM_BUCKETS, layout.WORTH_SHAPE[-1], 5) if bid == 0 else range(0, AIM_BUCKETS, 6)
            for role, side, bucket in [(role, side, bucket) for role in (0, 1) for side in Side for bucket in buckets]:
                assert table[cards, role, side, bid, bucket] == twins.worth(aim, points, cards, role, side, bid, bucket)
    assert not table[:, :, :, 1:, AIM_BUCKETS:].any()
    assert not table[:, :, :, 0, :AIM_BUCKETS].any()


def test_seats_of_one_policy_share_its_tables():
    book = load_rules("oh-hell")
    one, weights = policies.compile_policies([load("rules")], book)
    four, same = policies.compile_policies([load("rules")] * 4, book)
    assert (four == one[0]).all()
    assert np.array_equal(weights, same)
    mixed, _ = policies.compile_policies([load("random"), load("rules")], book)
    assert mixed["player"].tolist() == [Player.RANDOM, Player.RULES]


def test_weights_reach_the_record():
    records, _ = policies.compile_policies([load("rules-1")], load_rules("israeli-whist"))
    assert {key: records[key][0] for key in policies.WEIGHTS} == {key: weight.value for key, weight in load("rules-1").weights.items()}
