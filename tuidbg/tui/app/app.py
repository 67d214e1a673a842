"""The Textual application: themes, the start screen, and one screen per session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import events
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.filter import NoColor
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from tuidbg.config.stores.remembered import Remembered
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import DebuggerError
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.keys.commands import DEFAULT_MAP
from tuidbg.tui.app.keys.input_queue import PressedKeys
from tuidbg.tui.app.quitting import Quitting
from tuidbg.tui.app.session_switcher import ShownSessions
from tuidbg.tui.panes.context import Begun
from tuidbg.tui.panes.pane_screen import PaneScreen
from tuidbg.tui.toolkit.drivers.terminal_app import TerminalApp
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.textual_private import describe_misfits
from tuidbg.tui.toolkit.theme.legible import legible_filter
from tuidbg.tui.toolkit.theme.theme import register_themes
from tuidbg.tui.toolkit.theme.theme_css import add_styles, start_with_theme, take_next_theme
from tuidbg.tui.toolkit.widgets.pane_layout import Sizes

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.filter import LineFilter

    from tuidbg.config.launch_json.workspace import Workspace
    from tuidbg.config.request import ScreenChoice
    from tuidbg.config.stores.console_history import ConsoleHistory
    from tuidbg.session.core.process_tree.family import ProcessTree
    from tuidbg.session.hub.hub import Hub
    from tuidbg.session.hub.members import HubSession
    from tuidbg.session.hub.switch import Serving
    from tuidbg.tui.app.launching.launching import Launching, OpenRequests
    from tuidbg.tui.app.start.screen import StartScreen
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.features.sessions.dialog import SessionChoice
    from tuidbg.tui.features.sessions.processes import ProcessTreeFollower
    from tuidbg.tui.panes.layout_memory import LayoutMemory


class TuidbgApp(TerminalApp):
    """tuidbg in a terminal."""

    TITLE = "tuidbg"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True),
        Binding("ctrl+c", "interrupt", show=False),
        Binding("ctrl+z", "suspend_process", show=False),
    ]

    def __init__(
        self,
        *,
        open_session: Callable[[list[str], str], Session],
        session: Session | None = None,
        remembered: Remembered | None = None,
        theme: str = "",
        cwd: str = ".",
        history: ConsoleHistory | None = None,
        key_map: KeyMap | None = None,
        own_keys: Mapping[str, Sequence[str]] | None = None,
        problems: Sequence[str] = (),
        is_joined: bool = False,
        hub: Hub | None = None,
        serving: Serving | None = None,
        make_serving: Callable[[], Serving] | None = None,
        layouts: LayoutMemory | None = None,
        open_requests: OpenRequests | None = None,
        find_workspace: Callable[[], Workspace | None] | None = None,
        offer: ScreenChoice | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        """``open_session`` creates and starts a session from command-line words and a folder.

        It raises ValueError with a sentence for invalid words. ``own_keys`` are the user's key
        bindings, applied on top of any key map; ``problems`` are reported with the first session.
        ``is_joined``: the app runs on a terminal that does not belong to this process. ``hub``
        holds the shared sessions; ``serving`` creates one when given alone. With ``make_serving``
        both are created on demand; it raises DebuggerError. ``layouts`` remembers the screen layout
        of each project. ``open_requests`` creates and starts sessions from launch plans,
        ``find_workspace`` reads the existing launch.json (it raises JsoncError), ``offer`` is the
        configuration to ask about first. ``given`` has the command-line options, by the names of
        their settings.
        """
        super().__init__(is_joined=is_joined)
        self.session = session
        self.remembered = remembered or Remembered()
        self._open_session = open_session
        self._cwd = cwd
        self._history = history
        self._pressed_keys = PressedKeys(self, key_map or DEFAULT_MAP)
        self._own_keys = own_keys or {}
        self._problems = tuple(problems)
        self.serving = serving
        self.clients: Clients | None = None
        self.is_left_parked = False
        """The user left the sessions running without a screen: the process must not end."""
        self._hub = hub
        self._make_serving = make_serving
        self._layouts = layouts
        self._screens: list[DebugScreen] = []
        self.quitting = Quitting(self)
        self.shown_sessions = ShownSessions(self)
        self._open_requests = open_requests
        self._find_workspace = find_workspace
        self._offer = offer
        start_with_theme(self, theme)
        self.begun = Begun(self.theme, self.key_map.name, session, given or {})

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that text passes before it is shown: all of it must be readable."""
        if self.no_color:
            return [NoColor()]
        dark, high = self.current_theme.dark, self.theme.endswith("high-contrast")
        return [*super().get_line_filters(), legible_filter(dark=dark, high=high)]

    def watch_theme(self) -> None:
        """Refresh the styles; a theme may need its own."""
        add_styles(self)

    def get_default_screen(self) -> Screen[None]:
        """Return the start screen: an empty one below it would cost a layout and a repaint."""
        if self.session is not None:
            return self.screen_for(self.session)
        return self.make_start_screen()

    def make_start_screen(self, *, back: Callable[[], None] | None = None) -> StartScreen:
        """Create the start screen; ``back`` closes it again."""
        from tuidbg.tui.app.start.screen import StartScreen

        return StartScreen(self.remembered.recent, self._cwd, self._start, back)

    def on_load(self) -> None:
        # From Python 3.12 on Textual starts tasks eagerly, within the call that creates them,
        # before they are registered. Here they start in their turn, on every Python version.
        asyncio.get_running_loop().set_task_factory(None)

    def on_mount(self) -> None:
        """Connect to the hub once there is a screen that clients may see."""
        if misfits := describe_misfits(self):
            self.notify(misfits, severity="warning")
        if self._hub is not None or self.serving is not None:
            self.call_after_refresh(self.ready_clients)
        if self._offer is not None:
            self.call_after_refresh(self.launching.take_up, self._offer)

    def serve_by(self, serving: Serving) -> None:
        """Use a server that the command line opened."""
        self.serving = serving
        if self.is_running and (clients := self.ready_clients()) is not None:
            clients.refresh()

    def ready_serving(self) -> Serving | None:
        """Return the server switch, created on demand. Raises DebuggerError."""
        if self.serving is None and self._make_serving is not None:
            self.serving = self._make_serving()
        return self.serving

    def ready_clients(self) -> Clients | None:
        """Return the hub connection of this app, created on demand; None if impossible.

        Raises DebuggerError.
        """
        if self.clients is None:
            if self._hub is None and (serving := self.ready_serving()) is not None:
                self._hub = serving.make_hub()
            if self._hub is None:
                return None
            from tuidbg.tui.features.sessions.clients import Clients

            self.clients = clients = Clients(self, self._hub)
            clients.begin()
            screen = next((s for s in self.screen_stack if isinstance(s, DebugScreen)), None)
            if screen is not None:
                self._join(clients, screen)
        return self.clients

    @cached_property
    def processes(self) -> ProcessTreeFollower:
        """The child processes of the programs."""
        from tuidbg.tui.features.sessions.processes import ProcessTreeFollower

        return ProcessTreeFollower(self)

    def watch_processes(self, family: ProcessTree) -> None:
        """Follow a process tree: each child process has a session of its own."""
        try:
            clients = self.ready_clients()
        except DebuggerError:  # without a server the sessions still exist
            clients = None
        if clients is None:
            from tuidbg.tui.features.sessions.processes import make_hub

            self._hub = make_hub(family)
            self.ready_clients()
        self.processes.follow(family)

    def _join(self, clients: Clients, screen: DebugScreen) -> None:
        member = clients.take_in(screen.session)
        clients.turn_to(member)
        clients.shows(member, screen)

    def screen_for(self, session: Session) -> DebugScreen:
        """Create the screen of a session that was not shown yet."""
        sizes = msgspec.convert(self.remembered.sizes, Sizes, strict=False)
        screen = DebugScreen(session, sizes=sizes)
        screen.prompting.history = self._history
        screen.bind_keys(self.key_map)
        if self._layouts is not None and not session.plan.is_child:
            self._screens.append(screen)
            if (saved := self._layouts.load(session)) is not None:
                screen.look_as_before(saved)
        problems, self._problems = self._problems, ()
        for problem in problems:
            session.notify(problem, "warning")
        if problems:
            screen.call_after_refresh(screen.note_problem)
        return screen

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """End the app and save the screen layouts, that of the top screen last."""
        if self._layouts is not None and self._screens:
            from tuidbg.tui.panes.layout_memory import save_layouts

            shown = self.screen_stack[-1:]
            screens = sorted(self._screens, key=lambda screen: screen in shown)
            save_layouts(self._layouts, screens)
        self.leaving()
        super().exit(result, return_code, message)

    @property
    def key_map(self) -> KeyMap:
        """The active key map."""
        return self._pressed_keys.key_map

    def key_maps(self) -> Mapping[str, str]:
        """Return short descriptions of the key maps, by name."""
        from tuidbg.tui.app.keys.keymaps import ABOUT

        return ABOUT

    def set_key_map(self, name: str) -> None:
        """Switch to another key map, with the user's bindings on top. Raises KeyMapError."""
        from tuidbg.tui.app.keys.keymaps import apply_own_keys, find_key_map

        key_map, _ = apply_own_keys(find_key_map(name), self._own_keys)
        self._pressed_keys.turn_to(key_map)
        self.remembered = msgspec.structs.replace(self.remembered, key_map=key_map.name)
        for screen in self.screen_stack:
            if isinstance(screen, DebugScreen):
                screen.bind_keys(key_map)

    @cached_property
    def launching(self) -> Launching:
        """The launching and attaching by dialogs and launch.json."""
        from tuidbg.tui.app.launching.launching import Launching

        return Launching(self, self._cwd, self._open_requests, self._find_workspace)

    def _start(self, words: list[str], cwd: str) -> str:
        try:
            self.show_new(self._open_session(words, cwd))
        except ValueError as error:
            return str(error)
        return ""

    def show_new(self, session: Session) -> None:
        self.session = session
        screen = self.screen_for(session)
        if self.clients is None:
            self.push_screen(screen)
            return
        member = self.clients.take_in(session)
        self.clients.shows(member, screen)
        self.show_session(member)

    def show_session(self, member: HubSession) -> None:
        """Switch to another session of the hub; the screen of the previous one stays as it is."""
        self.shown_sessions.show(member)

    def obey_sessions(self, wanted: SessionChoice | None) -> None:
        """Run the choice of the session list."""
        self.shown_sessions.obey(wanted)

    def put_on_top(self, screen: Screen[None]) -> None:
        """Put a screen on top: the stack has the first screen and at most one other, no dialogs."""
        while len(self.screen_stack) > 1 and screen is not self.screen:
            if not isinstance(self.screen, ModalScreen) and screen is not self.screen_stack[0]:
                self.switch_screen(screen)
                return
            super().pop_screen()
        if screen is not self.screen:
            self.push_screen(screen)

    def leave(self) -> None:
        """Quit; ask first if that would disturb other clients."""
        self.quitting.quit()

    async def action_quit(self) -> None:
        """Quit on Ctrl+Q; pressed again in the question, end everything."""
        self.quitting.quit_at_once()

    async def take_key(self, event: events.Key) -> bool:
        """Handle keys in order; the manual's key works in dialogs, too."""
        wants_page = event.key in self.key_map.keys["show_manual"] and not event.is_printable
        is_typing = isinstance(self.focused, Input)
        if wants_page and (is_typing or not isinstance(self.screen, DebugScreen)):
            # Queued behind the text typed before it, which is still on its way to the line.
            (self.focused or self.screen).call_later(self.show_page)
            return True
        return await self._pressed_keys.take(event)

    def show_page(self) -> None:
        """Show the manual's page on the focused pane."""
        from tuidbg.tui.app.help.opening import show_page

        show_page(self)

    def action_command_palette(self) -> None:
        """Show the command palette; close the help, which mentions it.

        Also close anything above an open palette, such as a page of the manual.
        """
        from tuidbg.tui.app.help.dialog import HelpDialog
        from tuidbg.tui.app.palette import CommandsPalette, show_palette

        screen = self.screen
        if isinstance(screen, CommandsPalette):
            return
        is_open = any(isinstance(each, CommandsPalette) for each in self.screen_stack)
        if isinstance(screen, HelpDialog) or (is_open and isinstance(screen, ModalScreen)):
            screen.dismiss(None)
            self.call_later(self.action_command_palette)
        else:
            show_palette(self, screen)

    def pop_screen(self) -> AwaitComplete:
        """Close the top dialog. Two clicks in one packet close it once; the rest stays."""
        is_dialog = bool(self.screen_stack) and isinstance(self.screen, ModalScreen)
        return super().pop_screen() if is_dialog else AwaitComplete()

    def on_pane_screen_sizes_changed(self, event: PaneScreen.SizesChanged) -> None:
        sizes = msgspec.structs.asdict(event.sizes)
        self.remembered = msgspec.structs.replace(self.remembered, sizes=sizes)

    def action_next_theme(self) -> None:
        """Switch to the next theme of tuidbg or the user."""
        take_next_theme(self)
        self.remembered = msgspec.structs.replace(self.remembered, theme=self.theme)

    def set_theme(self, name: str) -> None:
        """Use the named theme, now and in the next run."""
        register_themes(self, [name])
        self.theme = name
        self.remembered = msgspec.structs.replace(self.remembered, theme=name)

    def action_interrupt(self) -> None:
        """Handle Ctrl+C on a screen that does not bind it."""
        screen = self.screen
        if isinstance(screen, DebugScreen):
            screen.action_interrupt()
