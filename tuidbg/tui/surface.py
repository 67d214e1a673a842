"""The surface of one session: its panes, what is looked at in them, and work beside the keys.

Features act on this and on nothing else of the screen; ``pane_screen.py`` is what implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol

from textual.app import App
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.session.session import Session
from tuidbg.tui.breakpoints.pane import BreakpointsPane
from tuidbg.tui.console.pane import ConsolePane
from tuidbg.tui.frame.key_bar import StatusLine
from tuidbg.tui.frame.layout import Body
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.stack.pane import StackPane
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.view import SessionView

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace
    from tuidbg.config.stores.remembered import Remembered
    from tuidbg.session.process_tree.family import Family
    from tuidbg.session.serving.members import Member
    from tuidbg.session.serving.switch import Serving
    from tuidbg.tui.sessions.clients import Clients
    from tuidbg.tui.sessions.dialog import Wanted
    from tuidbg.tui.settings.begun import Begun
    from tuidbg.tui.trace.pane import TracePane

P = ParamSpec("P")


class Launcher(Protocol):
    """Begins further sessions."""

    def launch(self) -> None:
        """The form of a program to launch."""

    def attach(self) -> None:
        """The forms of a program to attach to."""

    def choose(self) -> None:
        """Let the person choose from launch.json."""

    def look(self) -> Workspace | None:
        """The launch.json that there is; blocks for a moment. Raises JsoncError, OSError."""

    def run(self, workspace: Workspace, name: str) -> None:
        """Run what it has by that name, after what has to be asked."""


class Application(Protocol):
    """The app around the screens: what all sessions have in common."""

    remembered: Remembered
    serving: Serving | None
    clients: Clients | None
    is_joined: bool
    begun: Begun
    theme: str

    @property
    def key_map(self) -> KeyMap:
        """The keys that are in force."""

    @property
    def launching(self) -> Launcher:
        """Begins further sessions."""

    def ready_serving(self) -> Serving | None:
        """The switch of the server, made when it is wanted. Raises DebuggerError."""

    def ready_clients(self) -> Clients | None:
        """The joint of this app and a hub, made when it is wanted. Raises DebuggerError."""

    def watch_processes(self, family: Family[Session]) -> None:
        """A program has started another process: each has a session of its own."""

    def show_session(self, member: Member) -> None:
        """Turn to another session of the hub."""

    def obey_sessions(self, wanted: Wanted | None) -> None:
        """Do what was chosen in the list of the sessions."""

    def key_maps(self) -> Mapping[str, str]:
        """A few words about each key map, by their names."""

    def set_key_map(self, name: str) -> None:
        """Take another map."""

    def action_next_theme(self) -> None:
        """The next theme."""

    def set_theme(self, name: str) -> None:
        """Take a theme, now and in the next run."""

    def show_page(self) -> None:
        """The manual's page of what has the focus."""

    def leave(self) -> None:
        """Quit, unless it would disturb others: then the person is asked."""


class Surface(Protocol):
    """One session on the screen."""

    session: Session
    source: SourcePane
    variables: VariablesPane
    stack: StackPane
    breakpoints: BreakpointsPane
    console: ConsolePane
    trace: TracePane | None
    last_place: Widget | None
    status: StatusLine
    body: Body
    view: SessionView
    key_map: KeyMap

    @property
    def app(self) -> App[object]:
        """Textual's: it shows dialogs."""

    @property
    def tuidbg(self) -> Application:
        """The app, with what it has of its own."""

    @property
    def focused(self) -> Widget | None:
        """The widget that has the keys."""

    @property
    def focused_pane(self) -> str:
        """The name of the pane that has the keys, or holds what has them."""

    @property
    def is_covered(self) -> bool:
        """True while a dialog or another session stands above it."""

    @property
    def shows_code(self) -> bool:
        """True while machine code stands in the place of the source."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Returns why some commands make no sense now, besides the status of the session."""

    def focus_pane(self, name: str) -> None:
        """Show a pane and give it the keys."""

    def focus_front(self, name: str) -> None:
        """Give a pane the keys, or what stands in the place of the source."""

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the keys. Textual's."""

    def show_news(self, pane: str, has_news: bool) -> None:
        """Mark at a pane's name that it has something new, or take that back."""

    def ready_trace(self) -> TracePane:
        """The trace's pane, made when it is wanted."""

    def cycle_panes(self, by: int) -> None:
        """Give the keys to the next pane, or to the one before."""

    def maximise(self) -> None:
        """The pane that has the keys takes all the place, or gives it back."""

    def grow(self, *, columns: int = 0, rows: int = 0) -> None:
        """Make the pane that has the keys larger or smaller."""

    def fit_terminal(self) -> None:
        """Make the program's terminal as large as it is shown."""

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run it; a newer one of the same group takes its place. Errors become hints."""

    def run_command(
        self, work: Callable[P, Coroutine[Any, Any, Any]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Run what a command asked of the session; none takes the place of another."""

    def call_next(self, callback: Callable[..., Any]) -> None:
        """Call it when the messages that have come are done. Textual's."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call it after that many seconds. Textual's."""

    def post_message(self, message: Message) -> bool:
        """Send a message to the screen. Textual's."""
