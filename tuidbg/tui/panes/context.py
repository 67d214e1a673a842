"""The context of commands: the surface of a session, and the state of its features."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol

from textual.app import App
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.session.core.session import Session
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_pane import ConsolePane
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.panes.view import SessionPanes
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.widgets.key_bar import StatusLine
from tuidbg.tui.toolkit.widgets.pane_layout import PaneArea

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace
    from tuidbg.config.stores.remembered import Remembered
    from tuidbg.session.core.process_tree.family import ProcessTree
    from tuidbg.session.hub.members import HubSession
    from tuidbg.session.hub.switch import Serving
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.features.sessions.dialog import SessionChoice
    from tuidbg.tui.panes.console.console_pane import Prompting
    from tuidbg.tui.panes.screen_feature import CodeDisplay, ScreenFeature
    from tuidbg.tui.panes.searching import Searched
    from tuidbg.tui.panes.source.jumps import Jumps
    from tuidbg.tui.panes.trace_pane import TracePane


P = ParamSpec("P")


class LaunchActions(Protocol):
    """Starts more sessions."""

    def launch(self) -> None:
        """Show the launch form."""

    def attach(self) -> None:
        """Show the attach form."""

    def choose(self) -> None:
        """Let the user choose from launch.json."""

    def look(self) -> Workspace | None:
        """Read the launch.json; blocks for a moment. Raises JsoncError, OSError."""

    def run(self, workspace: Workspace, name: str) -> None:
        """Run the named configuration after the necessary questions."""


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
        """The active key map."""

    @property
    def launching(self) -> LaunchActions:
        """Starts more sessions."""

    def ready_serving(self) -> Serving | None:
        """Return the server switch, created on demand. Raises DebuggerError."""

    def ready_clients(self) -> Clients | None:
        """Return the app's hub connection, created on demand. Raises DebuggerError."""

    def watch_processes(self, family: ProcessTree) -> None:
        """Follow a process tree: each child process has a session of its own."""

    def show_session(self, member: HubSession) -> None:
        """Switch to another session of the hub."""

    def obey_sessions(self, wanted: SessionChoice | None) -> None:
        """Run the choice of the session list."""

    def key_maps(self) -> Mapping[str, str]:
        """Return short descriptions of the key maps, by name."""

    def set_key_map(self, name: str) -> None: ...

    def action_next_theme(self) -> None: ...

    def set_theme(self, name: str) -> None:
        """Use a theme, now and in the next run."""

    def show_page(self) -> None:
        """Show the manual's page on the focused pane."""

    def leave(self) -> None:
        """Quit; ask first if that would disturb other clients."""


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
    body: PaneArea
    view: SessionPanes
    key_map: KeyMap

    @property
    def app(self) -> App[object]:
        """Textual's: shows dialogs."""

    @property
    def tuidbg(self) -> Application:
        """The app with tuidbg's attributes."""

    @property
    def focused(self) -> Widget | None: ...

    @property
    def focused_pane(self) -> str:
        """The name of the pane with the focus, itself or in a child."""

    @property
    def is_covered(self) -> bool:
        """Whether a dialog or another session is above it."""

    @property
    def shows_code(self) -> bool:
        """Whether the disassembly is in the place of the source."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Return why some commands are unavailable, apart from the session's status."""

    def focus_pane(self, name: str) -> None: ...

    def focus_front(self, name: str) -> None:
        """Focus a pane, or the one in the place of the source."""

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus a widget. Textual's."""

    def show_news(self, pane: str, has_news: bool) -> None:
        """Mark a pane's name as having new contents, or remove the mark."""

    def ready_trace(self) -> TracePane:
        """Return the trace pane, created on demand."""

    def cycle_panes(self, by: int) -> None:
        """Focus the next or previous pane."""

    def maximise(self) -> None:
        """Maximise the focused pane, or restore the layout."""

    def grow(self, *, columns: int = 0, rows: int = 0) -> None:
        """Resize the focused pane."""

    def fit_terminal(self) -> None:
        """Resize the program's terminal to its visible size."""

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run background work; newer work of its group cancels it. Errors become hints."""

    def run_command(
        self, work: Callable[P, Coroutine[Any, Any, Any]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Run a command's work; several may run at a time."""

    def call_next(self, callback: Callable[..., Any]) -> None:
        """Call after the pending messages. Textual's."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call after that many seconds. Textual's."""

    def post_message(self, message: Message) -> bool:
        """Send a message to the screen. Textual's."""


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


class Begun(NamedTuple):
    """The theme, the key map and the first session of this run.

    ``given`` has the command-line options, by the names of their settings.
    """

    theme: str
    key_map: str
    session: Session | None
    given: Mapping[str, str]
