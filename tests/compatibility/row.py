"""Rows: a pinned tool, a small program, and the session that shows what works."""

from __future__ import annotations

import textwrap
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.compatibility.trial import Trial

Play = Callable[["Trial"], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """One tool. ``works``, ``fails`` and ``needs`` are the manual's sentences about it."""

    name: str
    title: str
    group: str
    pins: tuple[str, ...]
    files: Mapping[str, str]
    words: tuple[str, ...]
    """Words of tuidbg's command line; ``{port}`` is a free port, ``{folder}`` the program's."""
    play: Play
    works: str
    fails: str = ""
    needs: str = ""
    tried: str = ""
    python: str = "3.13"
    programs: tuple[str, ...] = ()
    """Programs of the machine, such as Xvfb."""
    env: Mapping[str, str] = field(default_factory=dict)
    on_terminal: bool = False
    """Whether the program has a terminal."""
    build: Callable[[Trial], None] | None = None
    """Makes the program in the trial's folder, before the session."""

    @property
    def versions(self) -> str:
        """The pins as the manual shows them, and the Python for a row about Python alone."""
        pins = [pin.replace("==", " ") for pin in self.pins]
        return ", ".join(pins or [f"Python {self.python}"])


ROWS: dict[str, Row] = {}
"""All rows by name, in the order of the page."""


def row(
    title: str,
    *,
    group: str,
    words: str,
    works: str,
    pins: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    fails: str = "",
    needs: str = "",
    tried: str = "2026-11-29",
    python: str = "3.13",
    programs: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    on_terminal: bool = False,
    build: Callable[[Trial], None] | None = None,
) -> Callable[[Play], Play]:
    """Register the decorated session as the row of its function's name."""

    def register(play: Play) -> Play:
        name = play.__name__.replace("_", "-")
        assert name not in ROWS, name
        texts = {path: textwrap.dedent(text).lstrip("\n") for path, text in (files or {}).items()}
        ROWS[name] = Row(
            name, title, group, tuple(pins), texts, tuple(words.split()), play, works, fails, needs,
            tried, python, tuple(programs), env or {}, on_terminal,
            build,
        )  # fmt: skip
        return play

    return register
