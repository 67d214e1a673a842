"""An app on a terminal: its driver, its crash handling, its release of the terminal."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.color import ColorSystem

from tuidbg.tui.toolkit.drivers.base import TerminalDriver
from tuidbg.tui.toolkit.textual_private import ChopsUpdate, LayoutUpdate
from tuidbg.tui.toolkit.widgets.safe_screens import LastingApp, came_too_late

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver
    from textual.screen import Screen


def suspend_group(terminal_released: AbstractContextManager[None]) -> str:
    """Stop the foreground process group; return the error, or empty once continued.

    ``terminal_released`` releases the terminal and takes it over again (Textual's
    ``App.suspend()``).
    """
    if not _shell_can_take_over():
        return "there is no shell to go back to"
    group = os.getpgrp()
    with terminal_released:
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            os.killpg(group, signal.SIGTSTP)
            while os.tcgetpgrp(0) != group:  # `bg`: there is nothing to do in the background
                os.killpg(group, signal.SIGTSTP)
        finally:
            signal.signal(signal.SIGTSTP, handler)
    return ""


def _shell_can_take_over() -> bool:
    """Return whether a process of the session, but outside of the group, waits for it."""
    session, group = os.getsid(0), os.getpgrp()
    parent = os.getppid()
    while parent > 1:
        try:
            if os.getsid(parent) != session:
                return False
            if os.getpgid(parent) != group:
                return True
        except OSError:
            return False
        parent = _parent_of(parent)
    return False


def _parent_of(pid: int) -> int:
    """Return the parent of ``pid``; 0 if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return int(stat.rpartition(")")[2].split()[1])
    except OSError:
        command = ["ps", "-o", "ppid=", "-p", str(pid)]  # macOS has no /proc
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        return int(listed.stdout.strip() or 0)


class TerminalApp(LastingApp[int]):
    """The owner of a terminal: this process's, or (``is_joined``) another one."""

    def __init__(self, *, is_joined: bool = False) -> None:
        self.has_crashed = False
        """Whether it has ended, or is ending, by an internal error."""
        self.leaving: Callable[[], None] = lambda: None
        self.tell_terminal: Callable[[bool], None] = lambda is_taken: None
        """Called when this process's terminal has been acquired, and when it was released."""
        self.is_joined = is_joined
        super().__init__()  # the theme decides between its own colours and the terminal's
        self.animation_level = "none"

    def get_driver_class(self) -> type[Driver]:
        """Return tuidbg's driver for this process's terminal, whatever the environment says."""
        from tuidbg.tui.toolkit.drivers.local import LocalDriver

        return LocalDriver

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Show an update; the driver sends it to a terminal of ours."""
        driver = self._driver
        if (
            not isinstance(renderable, LayoutUpdate | ChopsUpdate)
            or not isinstance(driver, TerminalDriver)
            or not self._running
            or self._closed
            or self._batch_count
        ):
            super()._display(screen, renderable)
            return
        try:
            size, cursor = self.size, self.screen.outer_size.clamp_offset(self.cursor_position)
            colors = self.console._color_system or ColorSystem.TRUECOLOR
            driver.display.can_sync = self._sync_available
            driver.display.show(renderable, size, cursor, colors)
        except Exception as error:
            self._handle_exception(error)
        finally:
            self.post_display_hook()

    def panic(self, *renderables: RenderableType) -> None:
        """End the app at an error; see :attr:`has_crashed`."""
        self._begin_to_crash()
        super().panic(*renderables)

    def _handle_exception(self, error: Exception) -> None:
        if not came_too_late(self):
            self._begin_to_crash()
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Print errors on this process's terminal; a remote one gets a last message."""
        if self.is_joined:
            self._exit_renderables.clear()
        else:
            super()._print_error_renderables()

    def _begin_to_crash(self) -> None:
        if not self.has_crashed:
            self.has_crashed = True
            self.leaving()

    def abandon_terminal(self) -> None:
        """Restore the terminal from any thread, when the app itself can't."""
        if isinstance(driver := self._driver, TerminalDriver):
            driver.abandon()

    def action_suspend_process(self) -> None:
        """Handle Ctrl+Z on a screen that does not bind it."""
        if not self.is_joined and (problem := suspend_group(self.suspend())):
            self.notify(problem, severity="warning")
