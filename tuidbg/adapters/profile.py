"""The one place where debug adapters differ.

Everything specific to an adapter is in its profile; the session asks, and contains no ``if
debugpy``. A profile is composed of parts (``traits.py``), whose defaults hold for an adapter
without peculiarities.
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
    """What the session needs to know of an adapter; subclasses override the differences."""

    name = ""
    """The adapter's name for the user and for DAP's ``adapterID``."""

    language: Language = PLAIN
    """The language of the program's expressions."""

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
    """Evaluates breakpoints inside the program; None if the session must."""

    inside: Inside | None = None
    """Runs tuidbg's own queries inside the program; None if impossible."""

    remote: RemoteQuestions | None = None
    """Queries a remote program; None if impossible."""

    native: NativeQuestions | None = None
    """Queries a native adapter beyond DAP; None if impossible."""

    symbols: SymbolQuestions | None = None
    """Queries symbols and runs the debugger's commands; None if impossible."""
