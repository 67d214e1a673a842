"""Commands typed by name, as in vim: ``:42``, ``:restart``, ``:e other.py``.

Every map has them: the names of the command table, and the map's aliases. In the pdb map the line
accepts pdb commands (:mod:`tuidbg.tui.app.keys.pdb_line`), where these names need a leading colon.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.suggester import Suggester

from tuidbg.tui.features.breakpoints import commands as breakpoints
from tuidbg.tui.features.find.commands import find_in_files
from tuidbg.tui.panes.console.console_input import ConsoleInput
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.searching import clear_marks, search_for
from tuidbg.tui.panes.source.jumps import go_to_place, open_path
from tuidbg.tui.toolkit.keys.key_map import KeyMap

EXTRA = ("clear_breakpoint", "clear_search")
"""Commands that can only be typed."""

_WITH_LINE = ("go_to_line", "toggle_breakpoint", "clear_breakpoint", "run_to_cursor")
_WITH_TEXT = ("evaluate", "open_file", "find_in_files", "search")


class Typed(NamedTuple):
    """A typed command with its argument."""

    name: str
    argument: str = ""


def read_typed(text: str, key_map: KeyMap) -> Typed:
    """Parse a line. Raises ValueError with a sentence."""
    text = text.strip().removeprefix(":").strip()
    if text.isdecimal():
        return Typed("go_to_line", text)
    if text.startswith("!"):
        return Typed("evaluate", text[1:].strip())
    first, _, rest = text.partition(" ")
    rest = rest.strip()
    if (name := _find(text, key_map)) is not None:
        return Typed(name)
    name = _find(first, key_map)
    if name is not None and rest and _takes(name, rest):
        return Typed(name, rest)
    if name is None:
        raise ValueError(_unknown(first, key_map))
    if name in (*_WITH_LINE, "jump_to_cursor"):
        raise ValueError(f"{first} takes the number of a line")
    raise ValueError(f"{first} takes nothing behind it")


def names_of(key_map: KeyMap) -> list[str]:
    """Return all names, in the order of suggestion."""
    return sorted({*key_map.words, *(command.name for command in key_map.table), *EXTRA})


def _find(text: str, key_map: KeyMap) -> str | None:
    if text in key_map.words:
        return key_map.words[text]
    name = text.lower().replace(" ", "_").replace("-", "_")
    known = {command.title.lower().replace(" ", "_"): command.name for command in key_map.table}
    known |= {name: name for name in (*EXTRA, *(command.name for command in key_map.table))}
    return known.get(name)


def _takes(name: str, argument: str) -> bool:
    if name in (*_WITH_LINE, "jump_to_cursor"):
        return argument.isdecimal()
    return name in _WITH_TEXT


def _unknown(word: str, key_map: KeyMap) -> str:
    import difflib

    near = difflib.get_close_matches(word, names_of(key_map), n=1)
    return f"there is no command {word!r}" + (f"; {near[0]}?" if near else "")


class NameSuggester(Suggester):
    """Completion of command names."""

    def __init__(self, key_map: KeyMap) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._names = names_of(key_map)

    async def get_suggestion(self, value: str) -> str | None:
        if not value or value in self._names:
            return None
        return next((name for name in self._names if name.startswith(value)), None)


def type_command(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    if ui.key_map.line_keys:
        type_words(ui)
        return

    def take(text: str | None) -> None:
        if not text or not text.strip():
            return
        ui.prompting.lines.append(text.strip())
        try:
            typed = read_typed(text, ui.key_map)
        except ValueError as error:  # reported, and the focus returns
            ui.status.show_hint(str(error), "error")
        else:
            obey(ui, typed)

    prompt = PromptDialog(
        ":",
        hint="command name or line number · Tab complete",
        suggester=NameSuggester(ui.key_map),
        history=ui.prompting.lines,
    )
    ui.app.push_screen(prompt, take)


def type_words(ui: Context, begun: str = "") -> None:
    """Open the pdb command line with the letter that opened it."""
    from tuidbg.tui.app.keys.pdb_line import open_line

    open_line(ui, begun)


def take_enter(ui: Context) -> None:
    """Handle Enter in the source: move a refused breakpoint to the suggested line.

    In the pdb map, repeat the last command if there is none, as pdb does.
    """
    if breakpoints.take_suggestion(ui, ui.view.breakpoint_at_cursor()):
        return
    if ui.key_map.line_keys and ui.prompting.lines:
        from tuidbg.tui.app.keys.pdb_line import do_line

        do_line(ui, ui.prompting.lines[-1])


def obey(ui: Context, typed: Typed) -> None:
    """Run a typed command."""
    name, argument = typed
    if name == "clear_search":
        clear_marks(ui)
    elif name == "clear_breakpoint":
        _clear_breakpoint(ui, int(argument) if argument else ui.source.cursor_line)
    elif not argument:
        ui.action_command(name)
    elif why := ui.key_map.why_not(ui.key_map.find(name), ui.session.status, ui.reasons):
        ui.status.show_hint(f"{ui.key_map.find(name).title}: {why}", "warning")
    elif argument.isdecimal() and name not in _WITH_TEXT:
        _at_line(ui, name, int(argument))
    else:
        _with_text(ui, name, argument)


def _clear_breakpoint(ui: Context, line: int) -> None:
    document = ui.view.document
    registry = ui.session.breakpoints.registry
    found = registry.find(document.key, line) if document is not None else None
    if found is None:
        ui.status.show_hint(f"there is no breakpoint at line {line}", "warning")
    else:
        ui.run_command(ui.session.breakpoints.remove, found.number, origin="tui")


def _at_line(ui: Context, name: str, line: int) -> None:
    document = ui.view.document
    if document is None:
        ui.status.show_hint("no source is shown yet", "warning")
        return
    match name:
        case "toggle_breakpoint":
            ui.run_command(ui.session.breakpoints.set, document.key, line, origin="tui")
        case "run_to_cursor":
            ui.run_command(ui.session.execution.run_to, document.key, line, origin="tui")
        case "jump_to_cursor":
            ui.run_command(
                ui.session.stepping.jump,
                document.key,
                line,
                thread_id=ui.view.stopped_thread,
            )
        case _:
            go_to_place(ui, document.key, line)


def _with_text(ui: Context, name: str, text: str) -> None:
    match name:
        case "evaluate":
            ui.body.reveal("console")
            ui.post_message(ConsoleInput.EvaluateRequested(text, text))
        case "open_file":
            open_path(ui, text)
        case "find_in_files":
            find_in_files(ui, text)
        case _:
            search_for(ui, text)
