"""The commands offered by the key bar: those relevant in the program's state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.view.moment_texts import where_one_began
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.keys.key_reader import Hint, given


class Offered(NamedTuple):
    """A command as listed by the palette; ``why`` is the reason it is unavailable now."""

    name: str
    title: str
    keys: str
    group: str
    why: str = ""


_LOOKING = ("toggle_breakpoint", "search", "go_to_line", "find_in_files")
_STANDING = (
    "resume",
    "step_over",
    "step_into",
    "step_out",
    "show_autopsy",
    "toggle_breakpoint",
    "evaluate",
    "run_to_cursor",
    "search",
    "restart",
    "show_history",
)
_OVER = ("restart", "show_autopsy", "show_history", *_LOOKING)
_USEFUL = {
    Status.CREATED: ("stop", *_LOOKING),
    Status.LAUNCHING: ("stop", *_LOOKING),
    Status.RUNNING: ("pause", "switch_input", "toggle_breakpoint", "stop", "restart", *_LOOKING),
    Status.PAUSED: _STANDING,
    Status.TERMINATED: _OVER,
    Status.FAILED: _OVER,
}
"""Useful commands by program state, most useful first."""


_BACK = (
    "show_execution",
    "step_back",
    "show_last_change",
    "show_changes",
    "step_over",
    "step_into",
    "show_passes",
    "show_calls",
    "show_first_time",
    "resume",
    "show_history",
    "search",
)
"""Commands at a recorded moment: return to the present, steps both ways, queries."""


def _with_past(names: tuple[str, ...]) -> tuple[str, ...]:
    """Add each reverse step after its forward step."""
    at = names.index("step_out") + 1
    return (*names[:at], "step_back", *names[at:])


_ALWAYS = ("help", "quit")

_WORDS = Hint("p", "(Pdb)", shown="a…z")
"""Any letter begins a command line there."""


class HasCommands(Protocol):
    """The parts of a command context used here."""

    key_map: KeyMap
    session: Session

    @property
    def has_marks(self) -> bool:
        """Return whether a search has marked matches in the focused pane."""

    @property
    def looks_back(self) -> bool:
        """Return whether a recorded moment is selected."""

    @property
    def is_away(self) -> bool:
        """Return whether there is a moment to return to: now, or the start of an opened file."""


class OfferedCommands:
    """The available commands of one session's screen."""

    def __init__(self, ui: HasCommands) -> None:
        self._ui = ui

    def makes_sense(self, command: str, status: Status | None) -> bool:
        """Return whether a command is available now, for that program status."""
        found = self._ui.key_map.find(command)
        if self._ui.key_map.why_not(found, status):
            despite = found.despite if self._ui.looks_back else None  # a recorded run can go on
            return despite is not None and despite(self._ui)
        return found.obstacle is None or not found.obstacle(self._ui)

    def useful(self, status: Status | None) -> Sequence[Hint]:
        """Return hints for commands relevant now, the most useful first."""
        names, away = _USEFUL[status or Status.CREATED], True
        if self._ui.looks_back:
            names, away = _BACK, self._ui.is_away
        elif self.makes_sense("step_back", status):
            names = ("step_back", *names) if status is not Status.PAUSED else _with_past(names)
        if self._ui.has_marks:  # after the resuming commands: the marks outlive the search
            at = names.index("search" if self._ui.looks_back else "toggle_breakpoint")
            names = (*names[:at], "search_next", *names[at:])
        if status is Status.RUNNING and self._ui.session.awaited_input.is_awaited:
            names = ("switch_input", *names)
        if status is not Status.PAUSED and self._is_awaited_elsewhere():
            names = ("show_stopped", *names)
        if self._leads_a_job():
            names = ("show_job", *names)
        words = [_WORDS] if self._ui.key_map.line_keys else []
        return [*words, *(self._hint(name) for name in names if name != "show_execution" or away)]

    def _is_awaited_elsewhere(self) -> bool:
        """Return whether another process is stopped, which no other command resumes."""
        family = self._ui.session.family
        return family is not None and family.last_stopped(self._ui.session) is not None

    def _leads_a_job(self) -> bool:
        """Return whether it has no program of its own: ranks have connected to it."""
        family = self._ui.session.family
        if family is None or family.root.session is not self._ui.session:
            return False
        return len(family) > 1 and not family.root.is_program

    @property
    def always(self) -> Sequence[Hint]:
        """Return hints for help and quitting."""
        return [self._hint(name) for name in _ALWAYS]

    def _hint(self, command: str) -> Hint:
        if command == "show_execution":
            return given(command, where_one_began(run_of(self._ui.session)))
        return given(command, self._ui.key_map.find(command).bar)
