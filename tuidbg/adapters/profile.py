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
    BreakpointTraits,
    EndingTraits,
    ExceptionTraits,
    LaunchTraits,
    RemoteQuestions,
    SourceTraits,
    Start,
    StopTraits,
    ValueTraits,
)

if TYPE_CHECKING:
    from tuidbg.adapters.in_process import InProcess
    from tuidbg.adapters.native import NativeQuestions, SymbolQuestions
    from tuidbg.adapters.probe import Probe


class AdapterProfile:
    """What the session needs to know of an adapter; subclasses override the differences."""

    name = ""
    """The adapter's name for the user and for DAP's ``adapterID``."""

    language: Language = PLAIN
    """The language of the program's expressions."""

    start: Start = Start()
    launch: LaunchTraits = LaunchTraits()
    attach: Attach = Attach()
    sources: SourceTraits = SourceTraits()
    breakpoints: BreakpointTraits = BreakpointTraits()
    exceptions: ExceptionTraits = ExceptionTraits()
    stops: StopTraits = StopTraits()
    values: ValueTraits = ValueTraits()
    ending: EndingTraits = EndingTraits()

    probe: Probe | None = None
    """Evaluates breakpoints inside the program; None if the session must."""

    inside: InProcess | None = None
    """Runs tuidbg's own queries inside the program; None if impossible."""

    remote: RemoteQuestions | None = None
    """Queries a remote program; None if impossible."""

    native: NativeQuestions | None = None
    """Queries a native adapter beyond DAP; None if impossible."""

    symbols: SymbolQuestions | None = None
    """Queries symbols and runs the debugger's commands; None if impossible."""
