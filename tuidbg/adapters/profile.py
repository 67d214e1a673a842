"""The one place where debug adapters differ.

Everything that is peculiar to an adapter stands in its profile; the session asks, and holds no
``if debugpy`` anywhere. A profile is composed of nouns (``traits/``), each of which says what holds
for an adapter that has nothing peculiar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.adapters.languages import PLAIN, Language
from tuidbg.adapters.traits import (
    Attach,
    Breakpoints,
    Ending,
    Exceptions,
    Launch,
    RemoteQuestions,
    Sources,
    Start,
    Stops,
    Values,
)

if TYPE_CHECKING:
    from tuidbg.adapters.in_process import Inside
    from tuidbg.adapters.native import NativeQuestions, SymbolQuestions
    from tuidbg.adapters.probe import Probe


class AdapterProfile:
    """Tells what the session needs to know of one adapter; its own profile says what differs."""

    name = ""
    """The adapter's name for people and for DAP's ``adapterID``."""

    language: Language = PLAIN
    """Is what the program's expressions are written in."""

    start: Start = Start()
    launch: Launch = Launch()
    attach: Attach = Attach()
    sources: Sources = Sources()
    breakpoints: Breakpoints = Breakpoints()
    exceptions: Exceptions = Exceptions()
    stops: Stops = Stops()
    values: Values = Values()
    ending: Ending = Ending()

    probe: Probe | None = None
    """Decides at breakpoints inside the program; None where the session has to."""

    inside: Inside | None = None
    """Answers tuidbg's own questions inside the program; None where nothing does."""

    remote: RemoteQuestions | None = None
    """Asks a program that runs elsewhere; None where nothing can be asked."""

    native: NativeQuestions | None = None
    """Asks an adapter of native code beyond DAP; None where nothing can be asked."""

    symbols: SymbolQuestions | None = None
    """Asks one that knows symbols and commands; None where nothing can be asked."""
