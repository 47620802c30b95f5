"""The published reports: `reports/NAME`, each made from its `definition.toml`.

    python scripts/make_reports.py                  all
    python scripts/make_reports.py zero-bids        one
    python scripts/make_reports.py --check          a small version of each twice: the same bytes, and tables and plots as published

The check also says whether every published file is the one that its report wrote.
"""

import argparse
import csv
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPORTS = Path(__file__).parent.parent / "reports"
SMALL = 0.01                # of the deals, in a check
PARTS = re.compile(r'<(?:figure id|section aria-labelledby)="([^"]*)"|<button type="button">([^<]*)<')
TRICKLAB = (sys.executable, "-c", "from analyzer.cli import main; main()")


def made(definition: Path, scale: float, folder: Path, *more: str, quiet: bool = False) -> bool:
    """Write a report, and return whether it could be made."""
    command = [*TRICKLAB, "report", str(definition), "--output", str(folder), "--scale", f"{scale:g}", *more]
    return subprocess.run(command, stdout=subprocess.DEVNULL if quiet else None, check=False).returncode == 0


def shape(folder: Path) -> dict[str, list[str]]:
    """Return what a report is made of, without its numbers: the files, the columns of each table, the plots, steps and headings of the page."""
    found: dict[str, list[str]] = {path.name: [] for path in folder.iterdir()}
    for path in folder.glob("*.csv"):
        found[path.name] = next(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    found["index.html"] = ["".join(part) for part in PARTS.findall((folder / "index.html").read_text(encoding="utf-8"))]
    return found


def altered(folder: Path) -> list[str]:
    """Return the files that are not what the report wrote."""
    told = json.loads((folder / "manifest.json").read_bytes())["results"]
    return [row["file"] for row in told if hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest() != row["sha256"]]


def faults(published: Path, scale: float) -> list[str]:
    """Return what is wrong with a published report."""
    if not (published / "manifest.json").exists():
        return ["it was never made; run make reports"]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        once, again = Path(scratch) / "once", Path(scratch) / "again"
        how = published / "definition.toml", scale
        runs = [pool.submit(made, *how, folder, "--quiet", "--jobs", jobs, quiet=True) for folder, jobs in ((once, "1"), (again, "2"))]
        if not all(run.result() for run in runs):
            return ["it cannot be made"]
        found = [f"{path.name} differs in a second run" for path in once.iterdir() if path.read_bytes() != (again / path.name).read_bytes()]
        now, then = shape(once), shape(published)
    found += [f"{name} is not made as in a small run" for name in sorted(now.keys() | then.keys()) if now.get(name) != then.get(name)]
    return found + [f"{name} is not what its report wrote" for name in altered(published)]


def main() -> int:
    """Make or check the reports that are named, all without a name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true", help="check and write nothing")
    parser.add_argument("--scale", type=float, help=f"factor of the deals; 1, in a check {SMALL}")
    asked = parser.parse_args()
    failed = 0
    for definition in sorted(REPORTS.glob("*/definition.toml")):
        folder = definition.parent
        if asked.names and folder.name not in asked.names:
            continue
        began = time.monotonic()
        found = faults(folder, asked.scale or SMALL) if asked.check else [] if made(definition, asked.scale or 1.0, folder) else ["it cannot be made"]
        print(f"{folder.name}: {'; '.join(found) or ('as published' if asked.check else 'made')}", flush=True)
        print(f"{folder.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
