"""Put what `tricklab train` wrote for several games into one file of networks with one card, as the shipped policy `learned` has it.

    python scripts/merge_nets.py analyzer/data/weights/learned israeli-whist oh-hell jabberwocky spanish-solo

Names are without endings: NAME.npz and NAME.card.toml are read and written.
"""

import argparse
from pathlib import Path

import numpy as np

from analyzer import policies, training


def main() -> None:
    """Merge and say how large the file is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path)
    parser.add_argument("trained", type=Path, nargs="+")
    args = parser.parse_args()
    nets: dict[str, np.ndarray] = {}
    cards: dict[str, dict[str, object]] = {}
    for name in args.trained:
        file = training.beside(name, ".npz")
        for family, card in policies.cards(str(file)).items():
            if family in cards:
                parser.error(f"{file}: networks of {family} came before, expected each family once")
            cards[family] = card
            nets |= {f"{family}/{net}": numbers for net, numbers in policies.networks(str(file), family).items()}
    target = training.beside(args.target, ".npz")
    target.write_bytes(training.npz(nets))
    training.beside(args.target, ".card.toml").write_text(training.toml(cards), encoding="utf-8")
    print(f"{target}: {', '.join(cards)}; {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
