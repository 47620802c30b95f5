"""Progress on the standard error: on a terminal only, for runs over two seconds."""

import sys
import time
from collections.abc import Callable
from types import TracebackType

PATIENCE = 2.0      # seconds before anything is shown
PACE = 0.2          # seconds between two pictures
WIDTH = 30


class Progress:
    """A bar with the time still to go; call it with what is done so far, and with the total where it was not known before."""

    def __init__(self, total: int | None = None, quiet: bool = False) -> None:
        self.total = total
        self.shown = not quiet and sys.stderr.isatty()
        self.started = self.last = time.monotonic()
        self.drawn = False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar away, so that a line can be written in its place."""
        if self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self.drawn = False

    def __call__(self, done: int, total: int | None = None) -> None:
        now = time.monotonic()
        self.total = total or self.total
        if not self.shown or now - self.started < PATIENCE or now - self.last < PACE or not done or not self.total:
            return
        self.last, self.drawn = now, True
        share = min(1.0, done / self.total)
        left = (now - self.started) * (1 / share - 1)
        bar = ("#" * round(WIDTH * share)).ljust(WIDTH, ".")
        sys.stderr.write(f"\r\033[K[{bar}] {share:4.0%}  {done:,} of {self.total:,}  {_clock(left)} left")
        sys.stderr.flush()


def announce_compile(note: Callable[[str], None]) -> None:
    """Say why the first run takes long, before it does, and which rules are new to the players; nothing twice."""
    from analyzer import simulation

    said: set[str] = set()

    def once(text: str) -> None:
        if text not in said:
            said.add(text)
            note(text)

    simulation.tell = once


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
