"""The user's request at startup: a plan, or an offer to choose one, with options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tuidbg.config.launch import AttachPlan, Plan

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace


class WantedBreakpoint(msgspec.Struct, frozen=True):
    """A breakpoint given with the launch."""

    path: str
    line: int
    condition: str = ""


class StartupRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The user's request at startup. ``plan`` is None if no program was named."""

    plan: Plan | None
    breakpoints: tuple[WantedBreakpoint, ...] = ()
    theme: str = ""
    key_map: str = ""
    dap_log: str = ""
    is_demo: bool = False
    plain: bool = False
    """Line mode in place of the screen."""
    serve: str | None = None
    """Server options in the form of ``--serve=``; None: no server."""
    watch: bool = False
    """Whether a change of a source restarts the program."""
    default_theme: str = ""
    """The theme of the project or user settings; ``theme`` takes precedence."""
    given: dict[str, str] = {}
    """The given options, by the names of their settings (``tui/settings/table.py``)."""
    problems: tuple[str, ...] = ()
    """Sentences for the user, shown with the session."""
    offer: ScreenChoice | None = None
    """Configurations of launch.json to choose or confirm on the screen."""

    @property
    def is_kept(self) -> bool:
        """Whether settings are stored for the project.

        Not for the demo, nor for a recording, whose files may be another machine's.
        """
        return not self.is_demo and not (isinstance(self.plan, AttachPlan) and self.plan.recording)


class ScreenChoice(NamedTuple):
    """A choice on the screen: the configuration ``name``, or any if it is empty.

    ``finish`` makes the request for a plan, with the other options of the command line; it raises
    ValueError with a sentence.
    """

    workspace: Workspace
    name: str
    finish: Callable[[Plan], StartupRequest]
