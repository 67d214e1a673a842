"""Holds what a person asks for at the start: a plan, or an offer to choose one, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tuidbg.config.launch import AttachPlan, Plan

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace


class WantedBreakpoint(msgspec.Struct, frozen=True):
    """A breakpoint that was asked for with the launch."""

    path: str
    line: int
    condition: str = ""


class LaunchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what a person asks for at the start. ``plan`` is None where no program was named."""

    plan: Plan | None
    breakpoints: tuple[WantedBreakpoint, ...] = ()
    theme: str = ""
    key_map: str = ""
    dap_log: str = ""
    is_demo: bool = False
    plain: bool = False
    """By lines instead of on the screen."""
    serve: str | None = None
    """Tells how to serve programs, as ``--serve=`` says it; None: not."""
    watch: bool = False
    """Tells whether the program is restarted when one of its sources changes."""
    default_theme: str = ""
    """The theme that a project or the person has set; ``theme`` goes before it."""
    given: dict[str, str] = {}
    """The options that were given, by the names of their settings (``tui/settings/table.py``)."""
    problems: tuple[str, ...] = ()
    """Sentences that the person should read; they are told with the session."""
    offer: Offer | None = None
    """Holds what launch.json offers, where it is to be chosen or asked about on the screen."""

    @property
    def is_kept(self) -> bool:
        """True if what is set is kept with its project.

        Of the demo nothing is, nor of a recording, whose files may be another machine's.
        """
        return not self.is_demo and not (isinstance(self.plan, AttachPlan) and self.plan.recording)


class Offer(NamedTuple):
    """Offers a choice on the screen: the configuration ``name``, or any where it is empty.

    ``finish`` makes the request of a plan, with what else the command line asks for; it raises
    ValueError with a sentence.
    """

    workspace: Workspace
    name: str
    finish: Callable[[Plan], LaunchRequest]
