"""The command `tricklab`. A command parses, calls and prints; whatever is heavy is imported inside it."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from analyzer import __version__
from analyzer.cli import bid, compare, duel, games, policies, report, score, seat, simulate, train, variants, zero
from analyzer.errors import INTERRUPTED, TricklabError, did_you_mean

NAME = "tricklab"
app = typer.Typer(
    name=NAME,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="What to bid in Israeli Whist, Oh Hell!, Jabberwocky and Spanish Solo, and what a rule is worth.",
)
for module in (bid, simulate, zero, compare, duel, report, train, seat, score, games, variants, policies):
    module.add_to(app)


@app.callback(invoke_without_command=True)
def tricklab(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")] = False,
) -> None:
    if version:
        print(f"{NAME} {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; an error is one line on the standard error."""
    # A hand without spades may start with a dash, which no option does before a dot; it has three dots, a number at most one.
    arguments = [argument[1:] if argument.startswith("-.") and argument.count(".") == 3 else argument for argument in arguments]
    try:
        code = app(arguments, prog_name=NAME, standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except TricklabError as error:
        return _failed(str(error), error.exit_code, arguments)
    except typer.TyperException as error:
        return _failed(_usage(error), error.exit_code, arguments)
    except KeyboardInterrupt:
        return _failed("interrupted before there was anything to show", INTERRUPTED, arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())     # nobody reads on: nothing to flush at exit either
        return 1
    except OSError as error:
        return _failed(f"{error.filename or 'output'}: {error.strerror or error}", 1, arguments)
    except Exception as error:
        return _failed(f"a fault in {NAME}: {type(error).__name__}: {error}; please report it with what --debug prints", 1, arguments)


def _failed(message: str, code: int, arguments: Sequence[str]) -> int:
    if "--debug" in arguments:
        traceback.print_exc()
    print(f"{NAME}: {' '.join(message.split())}" if not message.startswith(NAME) else message, file=sys.stderr)
    return code


def _usage(error: typer.TyperException) -> str:
    """Return what is wrong with the command line, and where its help is."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else NAME
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        names = [name for parameter in context.command.get_params(context) for name in parameter.opts] if context else []
        return f"{command}: there is no option {error.option_name}{did_you_mean(error.option_name, names)}; see {command} --help"
    return f"{command}: {error.format_message().rstrip('.')}; see {command} --help"
