"""The panes on one screen: focus, sizes, background work.

The part of the debugger's screen without debugging; ``screen.py`` adds the features.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.message import Message
from textual.widget import Widget

from tuidbg.config.launch import DEMO
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.errors import DebuggerError, InvalidSessionState, StaleReply
from tuidbg.tui.panes.bar_commands import OfferedCommands
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_log import ConsoleLog
from tuidbg.tui.panes.console.console_pane import ConsolePane, is_place
from tuidbg.tui.panes.processes import count_pieces
from tuidbg.tui.panes.screen_feature import CodeDisplay
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.panes.view import SessionPanes
from tuidbg.tui.toolkit.drivers.repaints import narrow_repaints
from tuidbg.tui.toolkit.keys.key_map import KeyMap, make_bindings
from tuidbg.tui.toolkit.keys.key_reader import Mode
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar, StatusLine
from tuidbg.tui.toolkit.widgets.pane_layout import PaneArea, Sizes, is_wide
from tuidbg.tui.toolkit.widgets.pane_titles import BOTTOM, PANES, Divider, PaneTabs, PaneTitle
from tuidbg.tui.toolkit.widgets.rows import Piece, RowsPane
from tuidbg.tui.toolkit.widgets.safe_screens import LastingScreen

if TYPE_CHECKING:
    from tuidbg.config.stores.layout_store import SavedLayout
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.panes.demo_guide import DemoGuide
    from tuidbg.tui.panes.trace_pane import TracePane

P = ParamSpec("P")


_LATE = ("activity", "log")
"""Panes created on demand, as the trace is."""


class PaneScreen(LastingScreen[None]):
    """The panes of one session."""

    DEFAULT_CSS = "DebugScreen { layout: vertical; }"

    code: CodeDisplay

    class SizesChanged(Message):
        """A change of pane sizes by the user."""

        def __init__(self, sizes: Sizes) -> None:
            super().__init__()
            self.sizes = sizes

    def __init__(self, session: Session, key_map: KeyMap, *, sizes: Sizes | None = None) -> None:
        super().__init__()
        narrow_repaints(self)
        self._fixed_bindings = dict(self._bindings.key_to_bindings)
        self.key_map = key_map
        self.session = session
        self.source = SourcePane(id="source")
        self.variables = VariablesPane(id="variables")
        self.stack = StackPane(id="stack")
        self.breakpoints = BreakpointsPane(id="breakpoints")
        self.console = ConsolePane(id="console")
        self.trace: TracePane | None = None
        self.clients: Clients | None = None
        """The clients sharing the session, if there is a hub."""
        self.last_place: Widget | None = None
        """The focused widget before the user entered an input line."""
        self.status = StatusLine()
        self.keys = KeyBar(OfferedCommands(self))
        panes = (self.source, self.variables, self.stack, self.breakpoints, self.console)
        self.body = PaneArea(panes)
        self.source_title = self.body.titles["source"]
        self.body.set_reactive(PaneArea.sizes, sizes or Sizes())
        self.guide: DemoGuide | None = None
        """The demo's guide to the first keys."""
        if session.plan.target == str(DEMO):
            from tuidbg.tui.panes.demo_guide import DemoGuide

            self.guide = DemoGuide(session, lambda command: self.key_map.key_of(command))
        self.view = SessionPanes(session, self)
        self.bind_keys(key_map)

    def compose(self) -> ComposeResult:
        yield self.body
        if self.guide is not None:
            yield self.guide
        yield self.status
        yield self.keys

    @property
    def key_mode(self) -> Mode:
        """The keys are commands, unless a pane has a mode of its own."""
        return Mode()

    @property
    def has_marks(self) -> bool:
        """Return whether a search has marked matches in the focused source."""
        return self.focused is self.source and self.source.search.marked is not None

    @property
    def looks_back(self) -> bool:
        """Return whether a recorded moment is selected."""
        return self.view.past.moment is not None

    @property
    def is_away(self) -> bool:
        """Return whether there is a moment to return to: now, or the start of an opened file."""
        return self.looks_back and self.view.past.moment != run_of(self.session).place

    def look_as_before(self, saved: SavedLayout) -> None:
        """Apply a saved layout, before the screen is shown."""

    def _note_sizes(self) -> None:
        self.post_message(self.SizesChanged(self.body.lasting_sizes))

    def keep_sizes(self, sizes: Sizes) -> None:
        """Save these sizes for the next run, whatever the present ones."""
        self.body.go_back_to(sizes)
        self._note_sizes()

    @on(ConsolePane.Resized)
    @on(PaneArea.Rearranged)
    def fit_terminal(self) -> None:
        """Resize the program's terminal to its visible size."""
        size = self.terminal_room()
        if size is not None and size != self.session.terminal_io.size:
            self.session.terminal_io.resize(*size)

    @on(PaneArea.Rearranged)
    def _tell_what_is_hidden(self) -> None:
        """Show the keys of hidden panes only in the status line."""
        self.view.refresh_status()

    def terminal_room(self) -> tuple[int, int] | None:
        """Return the program's columns and rows: the console's, or those it would have if shown."""
        shown = self.body.panes[self.body.bottom]  # the trace is in the console's place
        (width, height), rows = shown.size, self.session.terminal_io.size[1]
        if not shown.display:
            width, height = self.size.width, rows + 1
        columns = width - self.console.margin
        return (max(20, columns), max(5, height - 1)) if width else None

    @property
    def common_pieces(self) -> Sequence[Piece]:
        """Status line pieces about the clients sharing the session."""
        pieces = self.clients.pieces if self.clients is not None else ()
        if self.session.family is not None:
            pieces = (*pieces, *count_pieces(self.session.family, self.session))
        return (("⟳ ", "hint"), *pieces) if self.session.restarts_on_change else pieces

    # Keys

    def bind_keys(self, key_map: KeyMap) -> None:
        """Activate a key map."""
        self.key_map = key_map
        key = key_map.key_of("toggle_breakpoint")
        self.breakpoints.set_empty(f"No breakpoints: {key} sets one at the cursor")
        self.body.name_keys(key_map)
        # Replace Textual's own bindings of these keys (Tab).
        bound = BindingsMap(list(make_bindings(key_map))).key_to_bindings
        self._bindings.key_to_bindings = {**self._fixed_bindings, **bound}
        if self.is_mounted:
            self.view.refresh_status()
            if self.guide is not None:
                self.guide.look()

    # Background work

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run background work; newer work of its group cancels it. Errors become hints."""
        self._run(partial(work, *args, **kwargs), group, exclusive=True)

    def run_command(
        self, work: Callable[P, Coroutine[Any, Any, Any]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Run a command's work; several may run at a time."""
        self._run(partial(work, *args, **kwargs), "commands", exclusive=False)

    def _run(
        self, work: Callable[[], Coroutine[Any, Any, Any]], group: str, *, exclusive: bool
    ) -> None:
        begin: Callable[[], Awaitable[None]] = partial(self._guarded, work)
        self.run_worker(begin, group=group, exclusive=exclusive)

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            await work()
        except StaleReply:
            pass
        except InvalidSessionState as error:
            self.status.show_hint(str(error), "error", only_in=error.status)
        except DebuggerError as error:
            self.status.show_hint(str(error), "error")

    # Panes

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        if is_place(self.focused):
            self.last_place = self.focused
        super().set_focus(widget, scroll_visible, from_app_focus)

    def focus_pane(self, name: str) -> None:
        if name == "trace":
            self.ready_trace()
        elif name in _LATE:
            self.ready_late(name)
        self.show_news(name, False)
        self.body.reveal(name)
        pane = self.query_one(ConsoleLog) if name == "console" else self.body.panes[name]
        # Directly, not by `pane.focus()`, which comes after keys typed ahead.
        self.set_focus(pane, scroll_visible=False)

    def show_muted(self, muted: bool) -> None:
        """Show in the breakpoints' title whether breakpoints are muted."""
        title = self.body.titles["breakpoints"]
        title.hint = "muted: nothing stops" if muted else ""
        title.hint_is_warning = muted
        self.body.tabs.is_muted = muted

    def show_count(self, pane: str, count: int) -> None:
        """Show the number of items in a pane's title; nothing for zero."""
        shown = f"{count:,}" if count else ""
        self.body.titles[pane].count = shown
        if self.body.tabs.counts.get(pane, "") != shown:
            self.body.tabs.counts = {**self.body.tabs.counts, pane: shown}

    def ready_trace(self) -> TracePane:
        """Return the trace pane, created on demand: most sessions never use it."""
        if self.trace is None:
            from tuidbg.tui.panes.trace_pane import TracePane

            self.trace = TracePane(id="trace")
            self.body.add_pane(self.trace)
            self.trace.show(self.session.trace)
        return self.trace

    def note_trace(self) -> None:
        """Show new trace records, or a mark that there are some."""
        if self.trace is not None:
            self.trace.trace_changed()
        self.show_news("trace", self.trace is None or not self.trace.display)

    def note_problem(self) -> None:
        """Mark the console's name, if it is hidden: it has a message that needs attention."""
        self.show_news("console", not self.console.display)

    @property
    def shows_code(self) -> bool:
        """Whether the disassembly is in the place of the source."""
        return self.body.upper != "source"

    def note_processes(self) -> None:
        """Note that the program has started a child process."""

    def note_state(self) -> None:
        """Note a stop, or a value that was set."""

    # Panes created on demand

    def ready_late(self, name: str) -> RowsPane:
        """Return the activity or log pane, created on demand."""
        pane = self.body.panes.get(name)
        if pane is None:
            from tuidbg.tui.panes.activity import ActivityPane, LogPane

            pane = ActivityPane(id=name) if name == "activity" else LogPane(id=name)
            self.body.add_pane(pane)
            if self.clients is not None:
                self.clients.fill(self)
        assert isinstance(pane, RowsPane)
        return pane

    def show_news(self, pane: str, has_news: bool) -> None:
        """Mark a pane's name as having new contents, or remove the mark."""
        before = self.body.tabs.news
        news = before | {pane} if has_news else before - {pane}
        if news != before:
            self.body.shared_title.news = self.body.tabs.news = news

    @property
    def focused_pane(self) -> str:
        """Return the name of the focused pane."""
        focused = self.focused
        while focused is not None:
            if focused.id in PANES:
                return focused.id
            focused = focused.parent if focused.parent is not self else None  # type: ignore[assignment]
        return "source"

    def cycle_panes(self, by: int) -> None:
        """Focus the next or previous pane."""
        panes = [name for name in PANES if name in self.body.panes]
        index = (panes.index(self.focused_pane) + by) % len(panes)
        self.focus_front(panes[index])

    def focus_front(self, name: str) -> None:
        """Focus a pane, or the one in the place of the source."""
        if name == "source" and self.body.upper != "source":
            self.body.reveal("source")
            self.set_focus(self.body.panes[self.body.upper], scroll_visible=False)
        else:
            self.focus_pane(name)

    def maximise(self) -> None:
        """Maximise the focused pane, or restore the layout."""
        self.body.maximised = None if self.body.maximised else self.focused_pane

    def grow(self, *, columns: int = 0, rows: int = 0) -> None:
        """Resize the focused pane."""
        if self.body.maximised:
            way_out = self.key_map.tell("maximise", "shows the others")
            self.status.show_hint(f"this pane has the whole screen{way_out}", "warning")
        elif columns and not is_wide(self.body.size):
            self.status.show_hint("the panes are as wide as the screen", "warning")
        else:
            self.body.grow(self.focused_pane, columns=columns, rows=rows)

    def on_descendant_focus(self) -> None:
        self._show_focus()

    def on_descendant_blur(self) -> None:
        self._show_focus()

    def _show_focus(self) -> None:
        active = self.focused_pane if self.focused is not None else ""
        if active not in ("", "source"):
            self.body.tab = active  # also on a wide screen, which may become a narrow one
        for name, title in self.body.titles.items():
            title.is_active = name == active or (name in BOTTOM and active in BOTTOM)
        self.body.tabs.is_active = active != "source" and bool(active)

    # Titles and sizes by mouse

    @on(PaneTitle.Pressed)
    def _title_pressed(self, event: PaneTitle.Pressed) -> None:
        self.focus_front(event.pane)
        if event.twice:
            self.maximise()

    @on(PaneTitle.Dragged)
    def _title_dragged(self, event: PaneTitle.Dragged) -> None:
        self.body.drag_row(event.pane, event.screen_y - self.body.region.y)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        self.focus_pane(event.pane)

    @on(PaneTabs.Dragged)
    def _tabs_dragged(self, event: PaneTabs.Dragged) -> None:
        self.body.drag_row("tabs", event.screen_y - self.body.region.y)

    @on(Divider.Dragged)
    def _divider_dragged(self, event: Divider.Dragged) -> None:
        self.body.drag_column(event.screen_x - self.body.region.x)
