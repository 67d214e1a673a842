"""Keys of single panes, for the help, which shows the focused pane's keys first.

A command name in braces is replaced by its keys in the active map; other keys are the pane's own
(its ``BINDINGS``). A test checks this table against both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

from tuidbg.manual.pages import read_page
from tuidbg.tui.app.help.page import PageLocation


class PaneKeys(NamedTuple):
    """The keys of a pane: ``place`` is where they work, within a sentence."""

    place: str
    keys: tuple[tuple[str, str], ...]


# fmt: off
PANE_KEYS: Mapping[str, PaneKeys] = {
    "start": PaneKeys("on the start screen", (
        ("↑ ↓, j k", "move in the list"),
        ("Enter", "start the selected item"),
        ("a letter", "open the command line with it"),
        ("Tab, :", "open the command line; Esc back to the list"),
        ("↑ ↓", "in the line: earlier commands"),
        ("→", "in the line: accept the suggested path"),
        ("q", "quit, while the list has the focus"),
    )),
    "source": PaneKeys("in the source", (
        ("{toggle_breakpoint}", "breakpoint at the cursor's line; a click in the gutter, too"),
        ("{edit_breakpoint}", "its condition, hits, message; a right click, too"),
        ("{run_to_cursor}", "run to the cursor's line"),
        ("{search}, {search_next}", "search; the next match"),
        ("{go_to_definition}, {go_back}", "to where a name is defined; back"),
        ("i, mouse", "on a name: value and type (i: the next name)"),
        ("Enter", "on a refused breakpoint: move it to the line that can break"),
        ("Esc", "clear the search"),
    )),
    "code": PaneKeys("in the disassembly", (
        ("Enter", "to the source, or to where the instruction leads"),
        ("{toggle_breakpoint}, {edit_breakpoint}", "breakpoint at the instruction; edit it"),
        ("{run_to_cursor}", "run to the instruction"),
        ("{go_to_line}", "go to an address or a function"),
        ("{go_to_definition}, {go_back}", "follow a jump or call; back"),
        ("{show_code}", "the source again"),
    )),
    "variables": PaneKeys("in the variables", (
        ("Enter, → ←", "open or close; more; evaluate a value"),
        ("Space", "show the whole value"),
        ("{set_variable}", "set it"),
        ("{undo_delete}, {undo_change}", "undo the change"),
        ("{add_watch}, {edit_watch}", "watch an expression; edit a watch"),
        ("{open_table}", "show it as a table"),
        ("{explain_breakpoint}, {copy_value}", "copy its value or expression"),
        ("d, {display_variable}", "change its display format; on a watch: delete it"),
        ("Enter", "on a watch: edit it, or wait for a slow one"),
        ("{search}, {search_next}, {search_previous}", "search; next, previous match"),
        ("{go_to_line}", "go to an index or key"),
        ("{show_memory}", "its memory (native programs)"),
        ("Esc", "end the search"),
        ("", "a watch runs at every stop, with its side effects"),
    )),
    "stack": PaneKeys("in the stack", (
        ("Enter", "select that frame or thread"),
        ("← →", "fold or unfold a library's frames"),
        ("{frame_up}, {frame_down}", "the caller's frame, and back"),
        ("{restart_frame}", "restart the frame"),
        ("y", "copy it as text"),
    )),
    "breakpoints": PaneKeys("in the breakpoints", (
        ("Enter", "go there; move a refused one to the line that can break"),
        ("← →, Enter", "fold or unfold a file"),
        ("Space", "enable or disable"),
        ("d, Delete", "delete ({undo_delete} restores it)"),
        ("{edit_breakpoint}", "edit: condition, hits, message"),
        ("{explain_breakpoint}", "why does it not stop?"),
        ("E, D", "switch, delete the whole group"),
    )),
    "console": PaneKeys("in the console", (
        ("{evaluate}, Enter, i", "to the line; Enter sends it"),
        ("{switch_input}, Ctrl+T", "the line is Python's or the program's stdin"),
        ("Tab", "in the line: complete"),
        ("↑ ↓, Ctrl+R", "in the line: earlier input; search it"),
        ("Ctrl+D, Ctrl+C", "in the program's stdin: end of input, interrupt"),
        ("Space, → ←", "open or close a result"),
        ("PgUp, PgDn", "scroll through the output"),
        ("Esc", "leave the line, or the results"),
    )),
    "trace": PaneKeys("in the trace", (
        ("double click", "go to where a record came from"),
        ("{search}", "filter the records (Esc shows all)"),
        ("{search_next}, {search_previous}", "next, previous of them"),
        ("{export_trace}", "write the shown records to a file"),
        ("{clear_console}", "clear it"),
        ("End", "follow again"),
    )),
    "activity": PaneKeys("in the activity", (
        ("Enter", "show the call: request and answer"),
        ("{hold_agents}, {take_over}", "hold the agents; take over"),
    )),
    "log": PaneKeys("in the log", (
        ("Enter", "show the whole line"),
        ("End", "follow again"),
    )),
    "memory": PaneKeys("in memory", (
        ("arrows", "move by bytes and rows; Home, End: the row's edges"),
        ("Enter", "follow the pointer at the cursor"),
        ("{set_variable}", "type over: Enter write, Esc discard"),
        ("{undo_delete}, {undo_change}", "undo the write"),
        ("{search}, {search_next}, {search_previous}", "search; again, backwards"),
        ("{go_to_line}, {go_back}", "go to an address; back"),
    )),
    "terminal": PaneKeys("in the program's terminal", (
        ("Enter", "type to the program; Ctrl+] back to tuidbg"),
        ("i", "the same, also while it is stopped"),
        ("{toggle_terminal}", "the panes again"),
        ("↑ ↓, PgUp, PgDn", "the last 5,000 lines; Home, End"),
        ("{search}, {search_next}, {search_previous}", "search the output"),
    )),
}
# fmt: on


BELOW = ""
"""Refers to the page of the widget below."""

PAGES: Mapping[str, str] = {
    # Panes
    "source": "values#In the source",
    "variables": "values#Variables",
    "stack": "stack",
    "breakpoints": "breakpoints",
    "console": "values#Console",
    "trace": "breakpoints#What one can have",
    "activity": "sharing#The person keeps the upper hand",
    "log": "sharing",
    "memory": "native#Memory and machine code",
    "code": "native#Memory and machine code",
    "terminal": "terminal",
    "StartScreen": "start",
    "DebugScreen": "keys",
    # Dialogs of one feature
    "AboutDialog": "start",
    "AdaptersDialog": "adapters",
    "AgreementDialog": "launch-json",
    "AttachDialog": "attach",
    "AutopsyDialog": "history#Exceptions",
    "BreakpointDialog": "breakpoints#What one can have",
    "CellDialog": "tables",
    "CommandsPalette": "keys",
    "ConfigurationsDialog": "launch-json",
    "DoctorDialog": "breakpoints",
    "ExceptionsDialog": "breakpoints#Exceptions",
    "FindDialog": "values#In the source",
    "HelpDialog": "keys",
    "HistoryDialog": "history#History",
    "JobDialog": "jobs",
    "LaunchDialog": "start",
    "LifetimeDialog": "history#One call of a function",
    "MomentsDialog": "recording#Questions",
    "ModulesDialog": "breakpoints#Libraries",
    "NotesDialog": "launch-json",
    "OptionsDialog": "launch-json",
    "ProcessesDialog": "attach",
    "QuestionDialog": "launch-json",
    "SeriesDialog": "history#History",
    "SessionsDialog": "children",
    "SettingsDialog": "settings#The dialog of settings",
    "SetValueDialog": "values#Variables",
    "StepTargetsDialog": "stack",
    "TableDialog": "tables",
    "TableKeysDialog": "tables",
    "TasksDialog": "stack",
    # Parts of several features
    "ChoiceDialog": BELOW,
    "PagerDialog": BELOW,
    "PromptDialog": BELOW,
}


def find_place(screens: Sequence[Screen[Any]]) -> PageLocation:
    """Return the section on the focused widget; ``screens`` is the stack, the top one last."""
    for screen in reversed(screens):
        for name in names_in_focus(screen):
            if page := PAGES.get(name, BELOW):
                return _place_of(page)
    return PageLocation("keys")


def keys_in_focus(screens: Sequence[Screen[Any]]) -> str:
    """Return the name of the pane whose keys the help shows first; empty for none."""
    names = (name for screen in reversed(screens) for name in names_in_focus(screen))
    return next((name for name in names if name in PANE_KEYS), "")


def names_in_focus(screen: Screen[Any]) -> Iterator[str]:
    """Yield the names of the focused widget, from inside out: ids and class names."""
    node: DOMNode | None = screen.focused or screen
    while node is not None:
        if node.id:
            yield node.id
        yield from (each.__name__ for each in type(node).__mro__ if issubclass(each, DOMNode))
        node = None if node is screen else node.parent


def _place_of(page: str) -> PageLocation:
    topic, _, heading = page.partition("#")
    headings = [section.heading for section in read_page(topic).sections]
    return PageLocation(topic, headings.index(heading) if heading else 0)
