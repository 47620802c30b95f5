"""The README tells the truth: its examples are run, its commands are understood. `python -m tests.test_readme` writes the examples anew."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer import cli

README = Path(__file__).parent.parent / "README.md"
EXAMPLE = re.compile(r"^```console\n\$ (?P<command>tricklab .+)\n(?P<output>(?:(?!```).*\n)*)```$", re.MULTILINE)
IN_TABLE = re.compile(r"\| `(tricklab [^`]+)`")


def output(command: str) -> str:
    """Return what a command prints, without blanks at the ends of lines."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(said):
        assert cli.run(shlex.split(command)[1:]) == 0
        said.flush()
    return re.sub(r" +$", "", said.buffer.getvalue().decode(), flags=re.MULTILINE)


EXAMPLES = [(match["command"], match["output"]) for match in EXAMPLE.finditer(README.read_text(encoding="utf-8"))]


def test_the_readme_has_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_the_examples_of_the_readme(command, printed):
    assert output(command) == printed


@pytest.mark.parametrize("command", IN_TABLE.findall(README.read_text(encoding="utf-8")))
def test_the_commands_of_the_readme(command, tmp_path):
    if "deals.jsonl" in command and "--records" not in command:
        subprocess.run([*tricklab(), *shlex.split("simulate jabberwocky -n 20 --records deals.jsonl")], check=True, cwd=tmp_path, capture_output=True)
    few = ["-n", "300"] if re.match(r"tricklab (bid|simulate|zero|compare) ", command) and "-n " not in command and "--games" not in command else []
    words = [*shlex.split(command)[1:], *few]
    if "--games" in words:
        words[words.index("--games") + 1] = "5"
    done = subprocess.run([*tricklab(), *words], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


def tricklab() -> list[str]:
    return [sys.executable, "-c", "from analyzer.cli import main; main()"]


def rewrite() -> None:
    """Run the examples and write what it prints."""
    text = README.read_text(encoding="utf-8")
    README.write_text(EXAMPLE.sub(lambda match: f"```console\n$ {match['command']}\n{output(match['command'])}```", text), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
