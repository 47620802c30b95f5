"""Whether bids are made as often as the players announce: `reports/calibration`.

    python scripts/calibration.py --write reports/calibration       everything, about two minutes on one core
    python scripts/calibration.py --deals 2000                      printed

Learned players sit at every seat. The chance of a bid is what the bid network says of the bid spoken, at the moment it is spoken; that of a Spanish Solo
contract what the contract network says of the contract called, given that it is played. `--write` writes the tables, and makes page and plot from them.
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from announced import Row, Taped, announced_bids, announced_contracts, calibration_error, reliability
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from strength import markdown, save, saved, table_of, where

from analyzer import __version__

TABLES = [("israeli-whist", 4), *(("oh-hell", n) for n in (3, 4, 5, 6, 7)), *(("jabberwocky", n) for n in (3, 4, 5)), ("spanish-solo", 3)]
SEED = 23
DEALS = 50_000             # a table
BINS = 10                  # of announced chances
TOLD = "0.60 to 0.70"      # the bin that the page begins with
BAND = (0.6, 0.7)
DRAWN = ("all bids", "contracts, as called")
FEWEST = 30                # bids of a point in the plot
AREA = 600.0               # of a point that all bids of its table fall on, in square points
COLUMNS = 5                # of panels
BLUE, ORANGE, RUST, GREY, EDGE, INK = "#2f6fa8", "#d9772b", "#a04f0f", "#b8b8b8", "#777777", "#222222"
STYLE = {"svg.hashsalt": "tricklab", "font.size": 10.5, "text.color": INK, "axes.labelcolor": INK, "axes.labelsize": 12, "axes.edgecolor": EDGE,
         "xtick.color": EDGE, "ytick.color": EDGE, "xtick.labelcolor": INK, "ytick.labelcolor": INK}  # fmt: skip

Rows = list[dict[str, str]]


def measure(game: str, players: int, deals: int, policy: str = "learned") -> tuple[list[Row], list[Row]]:
    """Return the rows of one table: bins of announced chances, and the calibration error of each kind of bid."""
    table = table_of(game, "base", players)
    taped = Taped(table, policy, None, SEED)
    bins: list[Row] = []
    errors: list[Row] = []
    for name, bids in (announced_bids if table.has_bids else announced_contracts)(taped, deals).items():
        named = {**where(table, None), "bids": name}
        bins += [{**named, **row} for row in reliability(bids, BINS)]
        error, luck = calibration_error(bids, BINS)
        errors.append({**named, "mean": float(bids.chance.mean()), "made": float(bids.made.mean()), "error": float(error.mean), "error_low": float(error.low),
                       "error_high": float(error.high), "by luck": luck, "n": len(bids.deal), "deals": len(np.unique(bids.deal)), "dealt": deals})  # fmt: skip
    return bins, errors


def title(row: dict[str, str]) -> str:
    """Return a table's name."""
    game = row["game"].replace("-", " ").title()
    return f"{game}, {row['players']} players" if row["game"] in ("oh-hell", "jabberwocky") else game


def percent(row: dict[str, str]) -> str:
    """Return the share made with its interval."""
    made, low, high = (100 * float(row[f"made{end}"]) for end in ("", "_low", "_high"))
    return f"{made:.1f} % ({low:.1f} to {high:.1f})"


def told(bins: Rows) -> Rows:
    """Return the rows that the page begins with: all bids of a table announced at 60 to 70 %."""
    return [row for row in bins if row["bids"] in DRAWN and row["announced"] == TOLD]


def finding(bins: Rows) -> str:
    """Return what became of bids announced at 60 to 70 %, in words, with the tables named where fewer or more were made."""
    shares = {title(row): float(row["made"]) for row in told(bins)}
    outside = {name: share for name, share in shares.items() if not BAND[0] <= share <= BAND[1]}
    inside = [100 * share for name, share in shares.items() if name not in outside]
    named = ", ".join(f"{name} ({100 * share:.1f} %)" for name, share in outside.items())
    if not inside:
        return f"Bids announced at 60 to 70 % are not made 60 to 70 % of the time in {named}"
    kept = f"Bids announced at 60 to 70 % are made {min(inside):.1f} to {max(inside):.1f} % of the time"
    return f"{kept}, but not in {named}" if outside else f"{kept} in every game"


def draw(bins: Rows, errors: Rows) -> Figure:
    """Return the plot: a panel a table, announced chance against share made, area by number of bids, 95 % intervals."""
    totals = [row for row in errors if row["bids"] in DRAWN]
    n_rows = -(-len(totals) // COLUMNS)
    figure = Figure(figsize=(14, 1.0 + 2.75 * n_rows), facecolor="white", layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    panels = figure.subplots(n_rows, COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
    for panel, total in zip(panels, totals, strict=False):
        draw_panel(panel, total, [row for row in bins if title(row) == title(total) and row["bids"] == total["bids"] and int(row["n"]) >= FEWEST])
    for panel in panels[len(totals):]:
        panel.set_axis_off()
    figure.suptitle(finding(bins), fontsize=16, fontweight="bold")
    figure.supxlabel("chance announced for the bid, %")
    figure.supylabel("made, % of the bids so announced")
    return figure


def draw_panel(panel: Axes, total: dict[str, str], rows: Rows) -> None:
    """Draw one table; total: its row of errors."""
    band = 100 * BAND[0], 100 * BAND[1]
    panel.fill_between(band, *band, color=ORANGE, alpha=0.22, linewidth=0)
    panel.plot((0, 100), (0, 100), color=GREY, linewidth=1, zorder=1)
    mean, made, low, high, n = (np.array([float(row[key]) for row in rows]) for key in ("mean", "made", "made_low", "made_high", "n"))
    colours = [ORANGE if row["announced"] == TOLD else BLUE for row in rows]
    panel.scatter(100 * mean, 100 * made, s=AREA * n / float(total["n"]), c=colours, alpha=0.75, linewidths=0, zorder=2, clip_on=False)
    panel.vlines(100 * mean, 100 * low, 100 * high, color=INK, linewidth=1.1, zorder=3)
    panel.set_title(title(total), loc="left", fontsize=11, fontweight="bold")
    panel.text(3, 97, f"{int(total['n']):,} {'bids' if total['bids'] == DRAWN[0] else 'contracts'},\noff by {100 * float(total['error']):.1f} %", va="top")
    for row in rows:
        if row["announced"] == TOLD:
            panel.text(97, 3, f"60 to 70 %: made\n{percent(row)}", va="bottom", ha="right", color=RUST, fontsize=9.5)
    panel.set(xlim=(0, 100), ylim=(0, 100), xticks=range(0, 101, 20), yticks=range(0, 101, 20), aspect="equal")
    panel.spines[["top", "right"]].set_visible(False)


HEAD = """# How far announced chances can be trusted

**{finding}.**

{shares}

![Announced chance against share made, a panel a table](calibration.svg)

A point is a bin of announced chances, its area the bin's share of the bids, the line its interval; *off by*: the error below. The tables alone have the
bins of fewer than {fewest} bids.

Measured by `make calibration` (`python scripts/calibration.py --write reports/calibration`, about two minutes on one core), tricklab {version}: {deals:,} deals
a table under the base rules, all hand sizes of the schedule, seed {seed}, learned players at every seat. `bins.csv` and `errors.csv` have every number.

The chance of a bid is what the bid network says of the bid spoken, at the moment it is spoken. Zero bids stand apart by the side on which the sum of all
bids fell, with the chance given that side. The chance of a Spanish Solo contract is what the contract network says at the soloist's last call, given that
the contract is played; *as played*: once the trump is named, in a bola once a card is given. All intervals are 95 % and take a deal, whose bids depend on
each other, as one observation.

## Error

Mean distance of announced chance and share made over bins of 10 %, weighted by bids (expected calibration error). Luck alone makes it more than 0: *by luck*
is what chances that are exactly right would show with as many deals.
"""


def page(folder: Path) -> str:
    """Return the page of the tables in a folder."""
    bins, errors = saved(folder / "bins.csv"), saved(folder / "errors.csv")
    shares = "\n".join(f"* {title(row)}: {percent(row)} are made, n = {int(row['n']):,}." for row in told(bins))
    lines = [HEAD.format(finding=finding(bins), shares=shares, fewest=FEWEST, version=__version__, deals=int(errors[0]["dealt"]), seed=SEED)]
    lines += markdown(["table", "bids", "announced", "made", "error, %", "by luck, %", "n", "deals"], [[
        title(row), row["bids"], *(f"{float(row[key]):.1%}" for key in ("mean", "made")),
        f"{100 * float(row['error']):.2f} ({100 * float(row['error_low']):.2f} to {100 * float(row['error_high']):.2f})", f"{100 * float(row['by luck']):.2f}",
        f"{int(row['n']):,}", f"{int(row['deals']):,}"] for row in errors])
    for name in dict.fromkeys(title(row) for row in errors):
        own = {(row["bids"], row["announced"]): row for row in bins if title(row) == name}
        kinds = list(dict.fromkeys(kind for kind, _ in own))
        chances = sorted({chance for _, chance in own})
        lines += [f"## {name}", "", "Mean announced chance, %: share made with its interval, n.", ""]
        lines += markdown(["announced", *kinds], [[words(chance), *(cell(own.get((kind, chance))) for kind in kinds)] for chance in chances])
    return "\n".join(lines)


def words(announced: str) -> str:
    """Return a bin of chances in percent."""
    low, high = announced.split(" to ")
    return f"{100 * float(low):.0f} to {100 * float(high):.0f} %"


def cell(row: dict[str, str] | None) -> str:
    """Return a bin: mean chance, share made, number of bids; nothing for a bin without bids."""
    return f"{100 * float(row['mean']):.1f}: {percent(row)}, n {int(row['n']):,}" if row else ""


def save_figure(bins: Rows, errors: Rows, folder: Path) -> None:
    """Write the plot as SVG and PNG, the same bytes again from the same tables."""
    with matplotlib.rc_context(STYLE):
        figure = draw(bins, errors)
        figure.savefig(folder / "calibration.svg", metadata={"Date": None, "Creator": None})
        figure.savefig(folder / "calibration.png", dpi=100, metadata={"Software": None})


def main() -> None:
    """Measure, and write tables, plot and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=DEALS, help="deals a table")
    parser.add_argument("--policy", default="learned", help="the learned policy")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write tables, plot and page")
    args = parser.parse_args()
    bins: list[Row] = []
    errors: list[Row] = []
    for game, players in TABLES:
        more_bins, more_errors = measure(game, players, args.deals, args.policy)
        bins += more_bins
        errors += more_errors
        for row in more_bins + more_errors:
            print(*(f"{value:.4f}" if isinstance(value, float) else value for value in row.values()), flush=True)
    if args.write:
        args.write.mkdir(parents=True, exist_ok=True)
        save(args.write / "bins.csv", bins)
        save(args.write / "errors.csv", errors)
        save_figure(saved(args.write / "bins.csv"), saved(args.write / "errors.csv"), args.write)
        (args.write / "README.md").write_text(page(args.write), encoding="utf-8")


if __name__ == "__main__":
    main()
