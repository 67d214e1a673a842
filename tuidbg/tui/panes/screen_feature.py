"""What features add to a session's screen. The panes import none of them: each registers itself.

``tuidbg.tui.features`` lists them; a feature that is taken from that list is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

from textual import events
from textual.message import Message

from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.keys.key_map import Command

if TYPE_CHECKING:
    from tuidbg.recording.timeline import Moment, RecordedFrame
    from tuidbg.session.core.stepping import Granularity
    from tuidbg.tui.panes.context import Context

PAUSED = frozenset({Status.PAUSED})
RUNNING = frozenset({Status.RUNNING})
STARTED = frozenset(Status) - {Status.CREATED, Status.LAUNCHING}
EXAMINED = frozenset({Status.PAUSED, Status.TERMINATED, Status.FAILED})
"""A program with a state to look at, also after its end."""
ALIVE = frozenset({Status.LAUNCHING, Status.RUNNING, Status.PAUSED})


class ScreenFeature:
    """A feature's state on one screen, made on first use: ``ProgramMemory.of(ui)``."""

    def __init__(self, ui: Context) -> None:
        self._ui = ui

    @classmethod
    def of(cls, ui: Context) -> Self:
        made = ui.features.get(cls.__name__)
        if made is None:
            made = ui.features[cls.__name__] = cls(ui)
        return cast(Self, made)


class TakesKeys(Protocol):
    """A pane that gets all keys for now, whatever they mean elsewhere."""

    def type_key(self, event: events.Key) -> None:
        """Handle a key."""


class CodeDisplay:
    """Disassembly in place of the source: none, unless a feature provides it."""

    def __init__(self, ui: Context) -> None:
        self._ui = ui

    @property
    def title(self) -> tuple[str, str]:
        """Its title: a label, and a hint."""
        return "", ""

    @property
    def step_granularity(self) -> Granularity | None:
        """The step size for steps requested now; None: the default."""
        return None

    def show_instead(self, why: str) -> bool:
        """Show the disassembly for lack of source; False if it is unavailable."""
        return False

    def show_source_again(self) -> None:
        """Hide an automatically shown disassembly: there is source again."""

    def give_place(self) -> None:
        """Show the source in its place on request."""

    def mark(self) -> None:
        """Update the breakpoints."""

    def follow(self) -> None:
        """Follow a new stop, or another selected frame."""

    def note_focus(self) -> None:
        """Note that another widget has the focus."""


class ScreenHooks:
    """The places on the screen at which features act."""

    def __init__(self) -> None:
        self.commands: list[Command[Context]] = []
        self.in_pane: dict[str, dict[str, Callable[[Context], None]]] = {}
        """Functions of another feature's commands in a pane: command -> pane -> function."""
        self.handlers: dict[str, Callable[..., None]] = {}
        """Handlers of messages: Textual's name -> function of the screen, and the message."""
        self.mounted: list[Callable[[Context], None]] = []
        self.unmounted: list[Callable[[Context], None]] = []
        self.focusing: list[Callable[[Context, str], None]] = []
        """Called before a pane is focused by name: a feature creates its pane."""
        self.state_changed: list[Callable[[Context], None]] = []
        """Called after a stop, or after a value was set."""
        self.rearranged: list[Callable[[Context], None]] = []
        self.children_started: list[Callable[[Context], None]] = []
        """Called when the program has started a child process."""
        self.leaving: list[Callable[[Context], bool]] = []
        """Called at Esc, until one has left something."""
        self.typing: list[Callable[[Context], TakesKeys | None]] = []
        """Return the pane that gets all keys for now."""
        self.program_size: ProgramSize | None = None
        """Returns the program's columns and rows for those at the console; None: unchanged."""
        self.code_display: Callable[[Context], CodeDisplay] = CodeDisplay
        self.trace_value: TraceValue | None = None
        """Goes to the line that last changed a value of a recorded frame before a moment."""

    def put_in_pane(self, command: str, pane: str, function: Callable[[Context], None]) -> None:
        """Give another feature's command a meaning of its own while a pane has the focus."""
        self.in_pane.setdefault(command, {})[pane] = function

    def handle(self, message: type[Message] | str, function: Callable[..., None]) -> None:
        """Call a function with the screen and each message of that type.

        Of a pane that is imported when it is first shown: Textual's name of the handler.
        """
        name = message if isinstance(message, str) else message.handler_name
        if name in self.handlers:
            raise ValueError(f"two features handle {name}")
        self.handlers[name] = function


TraceValue = Callable[["Context", str, "RecordedFrame", "Moment"], Coroutine[Any, Any, None]]

ProgramSize = Callable[["Context", tuple[int, int] | None], tuple[int, int] | None]

hooks = ScreenHooks()
