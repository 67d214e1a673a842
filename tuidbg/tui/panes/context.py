"""The context of commands: the surface of a session, and the state of its features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tuidbg.tui.panes.surface import Surface

if TYPE_CHECKING:
    from tuidbg.tui.panes.console.console_pane import Prompting
    from tuidbg.tui.panes.screen_feature import CodeDisplay, ScreenFeature
    from tuidbg.tui.panes.searched import Searched
    from tuidbg.tui.panes.source.jumps import Jumps


class Context(Surface, Protocol):
    """The surface and the features of one session."""

    features: dict[str, ScreenFeature]
    """By class name; ``ScreenFeature.of`` makes them."""
    jumps: Jumps
    """The jump list of the source."""
    searched: Searched
    """The last search patterns."""
    prompting: Prompting
    """The console's prompt: its input and the running evaluation."""
    code: CodeDisplay
    """Disassembly in place of the source."""

    def action_command(self, name: str) -> None:
        """Run a command by name; report why if it is not available."""

    def show_help(self) -> None:
        """Show the keys and the list of manuals."""
