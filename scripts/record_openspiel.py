"""Record random games of OpenSpiel's oh_hell, or compare them at once with tricklab's replay.

    python scripts/record_openspiel.py                  writes tests/golden/openspiel_oh_hell.jsonl
    python scripts/record_openspiel.py --live 1000      compares 1,000 games and writes nothing

The same seed records the same games. Needs `pip install open_spiel`; the recording is kept so that the tests do not.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

DECK = 52
SIZES = [(players, tricks) for players in range(3, 8) for tricks in range(1, (DECK - 1) // players + 1)]     # one card is turned up
GOLDEN = "tests/golden/openspiel_oh_hell.jsonl"


def load_game(players: int, tricks: int) -> Any:
    """Return OpenSpiel's oh_hell for deals of this size, or end with one line where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        sys.exit("record_openspiel: open_spiel is not installed; pip install open_spiel")
    return pyspiel.load_game("oh_hell", {"players": players, "num_tricks_fixed": tricks})


def play_game(game: Any, rng: Random) -> Any:
    """Return the terminal state after uniformly random deal, bids and play; every chance node of oh_hell is uniform."""
    state = game.new_initial_state()
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(rng.random() * len(actions))])     # random() repeats in every Python version, choice() need not
    return state


def recorded_games(n_games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield games that take every number of players and of tricks in turn."""
    games = {size: load_game(*size) for size in SIZES[:n_games]}
    rng = Random(seed)
    for number in range(n_games):
        players, tricks = size = SIZES[number % len(SIZES)]
        state = play_game(games[size], rng)
        yield {"players": players, "tricks": tricks, "history": state.history(), "returns": [int(score) for score in state.returns()]}


def time_python_loop(n_games: int, tricks: int = 12, players: int = 4) -> float:
    """Return CPU seconds per deal of OpenSpiel's loop in Python: deal, bids, play and returns, all random."""
    game = load_game(players, tricks)
    rng = Random(1)
    start = time.process_time()
    for _ in range(n_games):
        play_game(game, rng).returns()
    return (time.process_time() - start) / n_games


def write(path: Path, n_games: int, seed: int) -> None:
    """Write a header and one game per line."""
    games = list(recorded_games(n_games, seed))
    header = {"open_spiel": version("open_spiel"), "command": f"python scripts/record_openspiel.py --games {n_games} --seed {seed}"}
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [header, *games]))


def differences(n_games: int, seed: int) -> Iterator[str]:
    """Yield a line for every game whose scores tricklab's replay does not find."""
    from analyzer import records, rules
    from analyzer.interop import openspiel

    games = list(recorded_games(n_games, seed))
    for players in openspiel.PLAYERS:
        seated = [game for game in games if game["players"] == players]
        if not seated:
            continue
        deals = [openspiel.to_record(game["history"], players, game["tricks"]) for game in seated]
        facts = records.replay(deals, rules.load("oh-hell", settings=openspiel.SETTINGS, players=players))
        for game, deal, scores in zip(seated, deals, facts["scores"][:, :players].tolist(), strict=True):
            if scores != game["returns"]:
                yield f"tricklab {scores}, OpenSpiel {game['returns']}: {json.dumps(deal)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=6 * len(SIZES), help="games to record (default: six of every size)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(GOLDEN))
    parser.add_argument("--live", type=int, metavar="N", help="compare N games with tricklab's replay, write nothing")
    options = parser.parse_args()
    if options.live is None:
        write(options.out, options.games, options.seed)
        print(f"{options.games} games in {options.out}")
        return
    found = list(differences(options.live, options.seed))
    print(*found, f"{options.live} games, {len(found)} differences", sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
