"""The breakpoint dialog: all settings of one breakpoint, checked while the user types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from tuidbg.adapters.languages import PYTHON, Language
from tuidbg.adapters.traits import Breakpoints
from tuidbg.session.core.breakpoints.predicates import check_condition
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings
from tuidbg.session.model.errors import InvalidCondition
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, OnError
from tuidbg.tui.panes.breakpoints.breakpoint_texts import describe_counts, describe_rule
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.form import ChoiceField, FormDialog, More, Tick
from tuidbg.tui.toolkit.widgets.rows import visible

_KINDS = ("line", "function", "address", "data")
_NUMBERS = ("ignore_count", "every", "at_most", "trigger", "column")
_BEHIND = (
    "ignore_count",
    "trace",
    "every",
    "at_most",
    "group",
    "trigger",
    "column",
    "commands",
    "on_error",
    "temporary",
)
"""Fields behind "more", which is open if one of them is set."""
_BEHIND_WORDS = "trace, group, commands, temporary …"
_MOVABLE = (BreakpointKind.LINE, BreakpointKind.FUNCTION)
"""Kinds whose breakpoints can move to another line of the file, or another function."""
_PLACE_LABELS = {"line": "Line", "function": "Function", "address": "Address", "data": "Expression"}
_PLACE_EXAMPLES = {
    "line": "main.py:10",
    "function": "package.module.Class.method",
    "address": "0x401000",
    "data": "order.total",
}
_PLACE_HELP = {
    "line": "The file and the line, or only the line; it stops before that runs",
    "function": "Stops where it begins: package.module.Class.method, or only its name",
    "address": "Stops at an instruction, where the debug adapter can: 0x401000",
    "data": "Stops when this value changes, where the debug adapter can",
    "exception": "x changes the stops of this exception breakpoint",
}


class BreakpointAnswer(msgspec.Struct, frozen=True):
    """The result of the dialog.

    ``settings`` has only the changed settings (for a new breakpoint: other than the default), so
    that concurrent changes of other clients survive. ``place`` is the text as typed, empty if
    unchanged. ``delete``: delete the breakpoint.
    """

    settings: BreakpointSettings = {}
    kind: BreakpointKind = BreakpointKind.LINE
    place: str = ""
    delete: bool = False


class BreakpointDialog(FormDialog[BreakpointAnswer | None]):
    """The dialog that sets or changes a breakpoint."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "more", show=False)]
    DEFAULT_CSS = """
    BreakpointDialog #counts { color: $text-muted; }
    BreakpointDialog #refused { color: $text-warning; }
    """
    ABOUT: ClassVar[Mapping[str, str]] = {
        "kind": "Kind of place; ← → choose",
        "condition": "Stop only when this is true (empty: always)",
        "hit_condition": "Stop only at some hits: 5 is the fifth, >5, >=5, %10 every tenth",
        "ignore_count": "Skip the next N hits, counted from now",
        "log_message": "Goes to the console (5), no stop; {expr} shows a value, {{ a brace",
        "trace": "Write a line to the trace (6) instead of stopping; Space ticks it",
        "every": "Trace only every Nth hit (empty: each)",
        "at_most": "Switch it off after so many records (empty: never)",
        "enabled": "Space disables it and keeps its settings",
        "group": "A label: those with the same one are switched and deleted together",
        "trigger": "Asleep until the breakpoint with this number was hit",
        "column": "Where in the line, for adapters that can; kept for the others",
        "commands": "Expressions whose values are printed when it stops: total; len(rows)",
        "on_error": "If the condition fails: stop and show why, or go on and report it",
        "temporary": "Deletes itself once it has stopped",
        "more": "Enter, or F2 from everywhere, shows the other fields or hides them",
    }

    def __init__(
        self,
        breakpoint: Breakpoint,
        place: str,
        *,
        is_new: bool = False,
        others: Mapping[int, str] | None = None,
        language: Language = PYTHON,
        function_name: Callable[[str], str] | None = None,
    ) -> None:
        """``breakpoint`` with its present settings; the ``number`` of a new one is ignored.

        ``place`` is its place as the user would write it, ``others`` names the breakpoints it could
        depend on, ``language`` is that of its expressions, ``function_name`` normalizes a function
        name and returns nothing for an invalid one.
        """
        super().__init__("#condition" if place else "#place")
        self._breakpoint = breakpoint
        self._place = place
        self._is_new = is_new
        self._others = dict(others or {})
        self._language = language
        self._function_name = function_name or Breakpoints().function_name
        self._places = {str(breakpoint.kind): place}
        self._shown_kind = str(breakpoint.kind)

    @property
    def kind(self) -> str:
        """The chosen kind."""
        chosen = self.query("#kind").results(ChoiceField)
        return next((choice.value for choice in chosen), str(self._breakpoint.kind))

    # Composing

    def compose(self) -> ComposeResult:
        if self._is_new:
            title = f"New breakpoint at {self._place}" if self._place else "New breakpoint"
        else:
            title = f"Breakpoint {self._breakpoint.number} at {self._place}"
        yield from self.compose_form(visible(title), can_delete=not self._is_new)

    def head(self) -> ComposeResult:
        if self._is_new:
            return
        found = self._breakpoint
        yield Static(_sentence(describe_counts(found)), id="counts", classes="prose", markup=False)
        if found.status is BreakpointStatus.REFUSED:
            why = f"✗ {visible(found.message)}"
            if found.suggested_line is not None:
                why += f"; the nearest line that can break is {found.suggested_line}"
            yield Static(why, id="refused", classes="prose", markup=False)

    def fields(self) -> ComposeResult:
        found = self._breakpoint
        with Vertical(classes="column"):
            if self._is_new:
                yield from self.choice("kind", "Kind", _KINDS, str(found.kind))
            yield from self._place_field()
            yield from self.line(
                "condition", "Condition", found.condition, placeholder=self._language.example
            )
            yield from self.line("hit_condition", "Hit condition", found.hit_condition)
            yield from self.line(
                "log_message", "Log message", found.log_message, placeholder="total is {total}"
            )
            yield from self.tick("enabled", "Enabled", found.enabled)
            is_open = any(getattr(found, name) != getattr(_PLAIN, name) for name in _BEHIND)
            yield More("F2", _BEHIND_WORDS, is_open, id="more")
        with Vertical(classes="column", id="behind") as behind:
            behind.display = is_open
            yield from self.line("ignore_count", "Ignore count", _shown(found.ignore_count))
            with Horizontal(classes="field"):
                yield Static("Trace", classes="label", markup=False)
                yield Tick("", found.trace, id="trace")
                yield Static("every", classes="word")
                yield self.short("every", _shown(found.every))
                yield Static("at most", classes="word")
                yield self.short("at_most", _shown(found.at_most))
            yield from self.line("group", "Group", found.group)
            yield from self.line("trigger", "Waits for", _shown(found.trigger))
            yield from self.line("column", "Column", _shown(found.column))
            yield from self.line("commands", "Commands", "; ".join(found.commands), lines=True)
            yield from self.choice(
                "on_error", "On error", [str(each) for each in OnError], str(found.on_error)
            )
            yield from self.tick("temporary", "Temporary", found.temporary)

    def _place_field(self) -> ComposeResult:
        kind, found = str(self._breakpoint.kind), self._breakpoint
        value, can_change = self._place, self._is_new or found.kind in _MOVABLE
        if found.exception is not None:
            value = f"{self._place}  {describe_rule(found.exception)}"
        with Horizontal(classes="field"):
            label = _PLACE_LABELS.get(kind, "Exception")
            yield Static(label, classes="label", id="place-label", markup=False)
            line = self.short("place", value, placeholder=_PLACE_EXAMPLES.get(kind, ""))
            line.remove_class("short")
            line.disabled = not can_change
            yield line

    # The fields behind "more"

    def action_more(self) -> None:
        """Show or hide the other fields; their contents stay."""
        self.query_one(More).action_switch()

    @on(More.Toggled)
    def _show_more(self) -> None:
        more, behind = self.query_one(More), self.query_one("#behind")
        is_in_it = self.focused is not None and behind in self.focused.ancestors
        if is_in_it and not more.is_open:
            self.set_focus(more)
        behind.display = more.is_open
        self.query_one(Box).fit_again()

    def action_save(self) -> None:
        if not self.check().keys().isdisjoint(_BEHIND):
            self.query_one(More).is_open = True
            self.query_one("#behind").display = True  # immediately: the focus goes there
        super().action_save()

    # While the user types

    def on_choice_field_changed(self) -> None:
        if (kind := self.kind) == self._shown_kind:
            return
        line = self.query_one("#place", Input)
        self._places[self._shown_kind] = line.value
        self._shown_kind = kind
        self.query_one("#place-label", Static).update(_PLACE_LABELS[kind])
        line.placeholder = _PLACE_EXAMPLES[kind]
        line.value = self._places.get(kind, "")
        self.check()

    def help_of(self, name: str) -> str:
        if name == "place":
            return _PLACE_HELP[self.kind]
        if name == "trigger" and (waits_for := self._others.get(_number(self.text(name)) or 0)):
            return f"Asleep until breakpoint {self.text(name)} ({waits_for}) was hit"
        if name == "trigger" and self._others:
            numbers = ", ".join(f"{number}: {place}" for number, place in self._others.items())
            return f"{self.ABOUT[name]} ({numbers})"[:140]
        return self.ABOUT.get(name, "")

    def problems(self) -> dict[str, str]:
        problems: dict[str, str] = {}
        if problem := self._place_problem():
            problems["place"] = problem
        for name in _NUMBERS:
            if _number(self.text(name)) is None:
                problems[name] = "a whole number, please"
        trigger = _number(self.text("trigger"))
        if self.text("trigger") and trigger is not None and trigger not in self._others:
            problems["trigger"] = f"there is no breakpoint {trigger} that it could wait for"
        checked = check_settings(cast(BreakpointSettings, self._values(problems)), self._language)
        return {**checked, **problems}

    def _place_problem(self) -> str:
        line = self.query_one("#place", Input)
        text, kind = line.value.strip(), self.kind
        if line.disabled:
            return ""
        if kind == "line":
            return self._line_problem(text)
        if not text:
            return "this can't be empty"
        if kind == "function" and not self._function_name(text):
            return "write a name such as main, Class.method or pkg.func"
        if kind == "address" and read_address(text) is None:
            return "write a number such as 0x401000"
        if kind == "data":
            try:
                check_condition(text, self._language)
            except InvalidCondition as error:
                return str(error)
        return ""

    def _line_problem(self, text: str) -> str:
        file, _, number = text.rpartition(":")
        if not number.strip().isdecimal() or int(number) < 1:
            return "write FILE:LINE, or only the line"
        if not file and not self._place.rpartition(":")[0]:
            return "write FILE:LINE"
        if not self._is_new and file not in ("", self._place.rpartition(":")[0]):
            return "it stays in its file; set another one for another file"
        return ""

    # The answer

    def _values(self, without: Mapping[str, str] = {}) -> dict[str, Any]:
        """Return all settings as entered, without the invalid ones."""
        values: dict[str, Any] = {
            "condition": self.text("condition"),
            "hit_condition": self.text("hit_condition"),
            "log_message": self._message(),
            "trace": self.ticked("trace"),
            "enabled": self.ticked("enabled"),
            "group": self.text("group"),
            "commands": split_commands(self.text("commands"), self._language),
            "on_error": OnError(self.query_one("#on_error", ChoiceField).value),
            "temporary": self.ticked("temporary"),
        }
        for name in _NUMBERS:
            if name not in without:
                values[name] = _number(self.text(name)) or (
                    None if name in ("trigger", "column") and not self.text(name) else 0
                )
        return values

    def _message(self) -> str:
        """Return the text as typed: blanks at its ends belong to it."""
        message = self.query_one("#log_message", Input).value
        return message if message.strip() else ""

    def save(self) -> None:
        found = self._breakpoint
        changed = {
            name: value for name, value in self._values().items() if value != getattr(found, name)
        }
        place = self.query_one("#place", Input)
        is_other = self._is_new or place.value.strip() != self._place
        self.dismiss(
            BreakpointAnswer(
                cast(BreakpointSettings, changed),
                BreakpointKind(self.kind),
                place.value.strip() if is_other and not place.disabled else "",
            )
        )

    def delete(self) -> None:
        self.dismiss(BreakpointAnswer(delete=True))


_PLAIN = Breakpoint(number=0)
"""A breakpoint with default settings."""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def read_address(text: str) -> int | None:
    """Parse an address as people write it; None if invalid."""
    try:
        address = int(text.strip(), 0)
    except ValueError:
        return None
    return address if address >= 0 else None


def split_commands(text: str, language: Language) -> tuple[str, ...]:
    """Split at semicolons, but not inside strings."""
    commands: list[str] = []
    pending = ""
    for part in text.split(";"):
        pending = f"{pending};{part}" if pending else part
        try:
            check_condition(pending, language)
        except InvalidCondition:
            continue
        commands.append(pending.strip())
        pending = ""
    if pending:
        commands += [part.strip() for part in pending.split(";")]
    return tuple(command for command in commands if command)


def _number(text: str) -> int | None:
    """Parse a number; 0 for an empty text, None if invalid."""
    text = text.strip()
    try:
        return int(text) if text else 0
    except ValueError:
        return None


def _shown(number: int | None) -> str:
    return str(number) if number else ""
