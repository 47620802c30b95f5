"""Who may import whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNELS = sorted((ROOT / "kernels").glob("*.py"))
ANALYZER = sorted((ROOT / "analyzer").rglob("*.py"))
COMMANDS = sorted((ROOT / "analyzer" / "cli").glob("*.py"))
HEAVY = {"numpy", "numba", "pandas", "matplotlib", "jinja2", "pydantic", "scipy", "kernels"}
LIGHT = {"analyzer", "analyzer.cli", "analyzer.errors", "analyzer.output"}      # what a command may import before it runs
CALLERS = {"analyzer.simulation", "analyzer.scoring"}                           # of kernels.entry
TRAINERS = {"analyzer.training"}                                                # of kernels.learning
PEEKERS = {"analyzer.simulation", "analyzer.training"}                          # ask kernels.compiled whether they are about to compile


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(path, at_start_only=False):
    """Return the modules that a file imports, those under TYPE_CHECKING left out."""
    found = set()
    waiting = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop()
        if is_for_types(node) or (at_start_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            is_package = (ROOT / base.replace(".", "/")).is_dir()
            found |= {f"{base}.{name.name}" if is_package and is_module(f"{base}.{name.name}") else base for name in node.names}
        waiting += ast.iter_child_nodes(node)
    return found


def is_module(name):
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=module_of)


@named(KERNELS)
def test_kernels_know_no_people(path):
    known = {name.split(".")[0] for name in imports(path)}
    assert not known & {"analyzer", "pandas", "typer", "json", "tomllib", "pydantic", "random"}


@named(ANALYZER)
def test_analyzer_meets_the_kernels_at_the_door(path):
    module = module_of(path)
    known = {name for name in imports(path) if name.split(".")[0] == "kernels"}
    doors = {"kernels.entry": CALLERS, "kernels.learning": TRAINERS, "kernels.compiled": PEEKERS}
    assert known <= {"kernels.layout"} | {door for door, callers in doors.items() if module in callers}


@named(ANALYZER)
def test_only_commands_import_commands(path):
    if path not in COMMANDS:
        assert not any(name.startswith("analyzer.cli") for name in imports(path))


@named(ANALYZER)
def test_compiling_waits_until_it_is_needed(path):
    assert not {"kernels.entry", "kernels.learning", "kernels.compiled", "numba"} & imports(path, at_start_only=True)


@named(COMMANDS)
def test_commands_import_nothing_heavy_at_the_start(path):
    known = imports(path, at_start_only=True)
    assert not {name.split(".")[0] for name in known} & HEAVY
    assert all(name in LIGHT or name.startswith("analyzer.cli") for name in known if name.split(".")[0] == "analyzer")


def test_imports_are_found():
    assert {"analyzer.policies", "analyzer.rules", "kernels.layout", "kernels.entry"} <= imports(ROOT / "analyzer" / "simulation.py")
    assert "kernels.entry" not in imports(ROOT / "analyzer" / "simulation.py", at_start_only=True)
