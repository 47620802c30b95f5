"""An example for a notebook: deals and estimates as pandas DataFrames, grouped and plotted. Runs in seconds.

    python scripts/notebook_example.py                  printed
    python scripts/notebook_example.py --plot FILE      and a plot of the last table

Cells begin with # %%, which Jupyter (jupytext), VS Code and Spyder understand.
"""

# %% Deals: one row is one deal and seat
import argparse

import numpy as np

from analyzer import results, rules, simulation
from analyzer.duel import duel

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--deals", type=int, default=5_000)
parser.add_argument("--plot", metavar="FILE", help="write a plot of what bids score, as SVG or PNG")
asked = parser.parse_args()

whist = rules.load("israeli-whist")
chunks: list[np.ndarray] = []
simulation.run(simulation.Run(whist, ["learned"], seed=1), asked.deals, consume=lambda facts, games: chunks.append(facts))
deals = results.deals_frame(np.concatenate(chunks), whist)
print(deals.head(8).to_string(index=False), end="\n\n")

# %% Group as you like: how often zero bids are made, by side and by trump
zeros = deals[deals["bid_tricks"] == 0].assign(trump_is=lambda rows: rows["trump"].where(rows["trump"] == "NT", "a suit"))
print(zeros.groupby(["side", "trump_is"])["made"].agg(["mean", "size"]).to_string(), end="\n\n")

# %% What a declarer scores against the others at his table
print(deals.groupby("is_declarer")["score_points"].agg(["mean", "std", "size"]).to_string(), end="\n\n")

# %% Estimates: one row is one number with its interval
tally = results.Tally(whist)
for chunk in chunks:
    tally.add(chunk)
estimates = results.estimates_frame(tally.rows(by=("seat", "bid")))
scores = estimates[(estimates["estimate"] == "score_points") & (estimates["seat"] == 0)]
print(scores[["seat", "bid", "n", "value", "low", "high"]].to_string(index=False), end="\n\n")

# %% The same of any other answer
match = results.estimates_frame(duel(rules.load("jabberwocky"), ["learned", "rules"], 1_000).rows())
print(match[["policy", "estimate", "value", "low", "high"]].to_string(index=False))

# %% A plot with its intervals
if asked.plot:
    import matplotlib.pyplot as plt

    shown = scores[scores["n"] >= 30]
    plt.errorbar(shown["bid"], shown["value"], yerr=[shown["value"] - shown["low"], shown["high"] - shown["value"]], fmt="o", capsize=3)
    plt.xlabel("bid, tricks")
    plt.ylabel("score, points a deal")
    plt.savefig(asked.plot)
