"""The exceptions dialog: switches for all exceptions, the list of types, and a new type."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.suggester import Suggester
from textual.widgets import Input, Static

from tuidbg.session.core.breakpoints.kinds.exceptions import find_type_problem
from tuidbg.session.model.state import Breakpoint, ExceptionRule
from tuidbg.tui.panes.breakpoints.breakpoint_texts import describe_rule, mark_of, name_of
from tuidbg.tui.toolkit.dialogs.form import FormDialog, Tick
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible

SWITCHES = {
    "raised": "raised",
    "uncaught": "uncaught",
    "user_uncaught": "leaving your code",
}
"""The switches for all exceptions: the session's name and the label."""

_ABOUT = {
    "any-raised": "Stop at every exception as it is raised, caught or not",
    "any-uncaught": "Stop where an exception is raised that nothing will catch",
    "any-caught": "Stop where an exception is caught",
    "any-user_uncaught": "Stop where an exception leaves your code for a library's",
    "rules": "Enter edit · Space on/off · d delete, or restore",
    "type": "Full name: ValueError, package.module.Error (→ completes it)",
    "raised": "Stop as it is raised, also where it will be caught (first chance)",
    "uncaught": "Stop where nothing will catch it (second chance)",
    "user_uncaught": "Stop where it leaves your code for a library's",
    "subtypes": "Also the types that are derived from it",
    "ignored": "Types that don't count, with their subtypes: KeyError, app.Expected",
    "modules": "Only where it is raised in these modules or below them: app, lib.net",
    "seen": "Types raised in this run; Enter takes one",
}


class ExceptionsAnswer(msgspec.Struct, frozen=True):
    """The result of the dialog, without unchanged settings.

    ``rule`` is a new rule, or that of breakpoint ``number``. ``enabled`` and ``removed`` are keyed
    by breakpoint number.
    """

    filters: frozenset[str] | None = None
    rule: ExceptionRule | None = None
    number: int | None = None
    enabled: Mapping[int, bool] = {}
    removed: tuple[int, ...] = ()


class TypeSuggester(Suggester):
    """Completion of exception names: types of this run before those of Python."""

    def __init__(self, seen: Collection[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=False)
        self._names = [*seen, *builtin_exceptions()]

    async def get_suggestion(self, value: str) -> str | None:
        start = value.casefold()
        fits = (name for name in self._names if name.casefold().startswith(start))
        return next(fits, None) if start else None


def builtin_exceptions() -> list[str]:
    """Return the names of Python's built-in exceptions."""
    types = vars(builtins).items()
    return [n for n, t in types if isinstance(t, type) and issubclass(t, BaseException)]


class RulesPane(RowsPane):
    """The list of exception breakpoints."""

    EMPTY = "none yet"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "dialog('toggle')", show=False),
        Binding("d,delete", "dialog('remove')", show=False),
    ]

    def action_dialog(self, what: str) -> None:
        """Pass a key to the dialog."""
        dialog = self.screen
        if isinstance(dialog, ExceptionsDialog) and isinstance(self.cursor_key, int):
            dialog.change(self.cursor_key, what)

    def on_click(self, event: events.Click) -> None:
        """Select on a click, edit on a second one: an accident must not lose typed text."""
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        if event.button == 1 and index < len(self.rows):
            self._move_cursor(index)
            if event.chain == 2:
                self.action_activate()


class SeenPane(RowsPane):
    """The exception types raised in this run."""

    EMPTY = "none yet; noted while a type or 'raised' is on"


class ExceptionsDialog(FormDialog[ExceptionsAnswer | None]):
    """The dialog that sets the exceptions to stop on."""

    ABOUT = _ABOUT
    DEFAULT_CSS = """
    ExceptionsDialog .heading { height: 1; }
    ExceptionsDialog .first { margin-top: 0; }
    ExceptionsDialog.-two #list { margin-top: 0; }
    ExceptionsDialog RowsPane { margin-left: 1; }
    ExceptionsDialog RowsPane > .rows--cursor-blurred { background: $surface; }
    ExceptionsDialog Tick { margin-right: 1; }
    """

    def __init__(
        self,
        filters: Collection[str],
        rules: Sequence[Breakpoint],
        seen: Collection[str],
        labels: Mapping[str, str] | None = None,
        focus: str = "",
    ) -> None:
        """``filters`` are the enabled switches, ``seen`` the types raised in this run.

        ``labels`` are the only switches available if the adapter has no exception types. ``focus``
        is the control the user was pointed to.
        """
        super().__init__(f"#any-{next(iter(labels))}" if labels else f"#{focus or 'type'}")
        self._labels = labels or {}
        self._filters = frozenset(filters)
        self._rules = {rule.number: rule for rule in rules}
        self._seen = sorted(seen, key=str.casefold)
        self._enabled = {rule.number: rule.enabled for rule in rules}
        self._removed: set[int] = set()
        self._number: int | None = None

    # Composing

    def compose(self) -> ComposeResult:
        yield from self.compose_form("Exceptions")

    def fields(self) -> ComposeResult:
        if self._labels:
            yield from self._only_switches()
            return
        with Vertical(classes="column"):
            yield Static("Stop at any exception", classes="heading first")
            with Horizontal(classes="field"):
                for name, label in SWITCHES.items():
                    yield Tick(label, name in self._filters, id=f"any-{name}")
            yield Static("New exception breakpoint", classes="heading", id="which")
            yield from self.line(
                "type", "Type", suggester=TypeSuggester(self._seen), placeholder="ValueError"
            )
            with Horizontal(classes="field"):
                yield Static("Stop when", classes="label")
                yield Tick(SWITCHES["raised"], True, id="raised")
                yield Tick(SWITCHES["uncaught"], True, id="uncaught")
            with Horizontal(classes="field"):
                yield Static("", classes="label")
                yield Tick(SWITCHES["user_uncaught"], False, id="user_uncaught")
            yield from self.tick("subtypes", "With subtypes", True)
            yield from self.line("ignored", "Ignored types", placeholder="KeyError, app.Expected")
            yield from self.line("modules", "In modules", placeholder="everywhere")
        with Vertical(classes="column"):
            yield Static("Exception breakpoints", classes="heading", id="list")
            yield RulesPane(id="rules")
            yield Static("Seen in this run", classes="heading")
            yield SeenPane(id="seen")

    def _only_switches(self) -> ComposeResult:
        with Vertical(classes="column"):
            yield Static("Stop at any exception", classes="heading first")
            with Horizontal(classes="field"):
                for name, label in self._labels.items():
                    yield Tick(label, name in self._filters, id=f"any-{name}")
            yield Static("An uncaught exception stops the program in any case.", classes="heading")

    def on_mount(self) -> None:
        if self._labels:
            return
        self._show_rules()
        rows = [ListRow(name, ((visible(name), "name"),)) for name in self._seen]
        self.query_one(SeenPane).set_rows(rows)
        self.query_one(SeenPane).styles.height = max(1, min(6, len(rows)))

    def _show_rules(self) -> None:
        pane = self.query_one(RulesPane)
        pane.set_rows([self._rule_row(rule) for rule in self._rules.values()])
        pane.styles.height = max(1, min(6, len(self._rules)))

    def _rule_row(self, rule: Breakpoint) -> ListRow:
        number = rule.number
        shown = msgspec.structs.replace(rule, enabled=self._enabled[number])
        is_gone, mark = number in self._removed, mark_of(shown)
        about = describe_rule(rule.exception) if rule.exception is not None else ""
        hits = f"  ×{rule.hits}" if rule.hits else ""
        state = "  deleted" if is_gone else ("" if shown.enabled else "  off")
        style = "faint" if is_gone or not shown.enabled else "name"
        return ListRow(
            number,
            (
                (f"{'-' if is_gone else GLYPHS[mark]} ", "faint" if is_gone else _style_of(mark)),
                (f"{number} ", "faint"),
                (visible(name_of(rule)), style),
                (state, "warning"),
                (hits, "strong"),
                (f"  {visible(about)}", "faint"),
            ),
        )

    # Keys in the lists

    def change(self, number: int, what: str) -> None:
        """Edit a rule, delete or restore it; takes effect when the dialog is saved."""
        if what == "toggle":
            self._enabled[number] = not self._enabled[number]
        else:
            self._removed ^= {number}
        self._show_rules()

    @on(RowsPane.Activated)
    def _take(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self._load(self._rules[event.key])
        elif isinstance(event.key, str):
            self.query_one("#type", Input).value = event.key
        line = self.query_one("#type", Input)
        line.cursor_position = len(line.value)
        self.set_focus(line)

    def _load(self, found: Breakpoint) -> None:
        """Load a rule into the fields for editing."""
        rule = found.exception or ExceptionRule()
        self._number = found.number
        self.query_one("#which", Static).update(f"Exception breakpoint {found.number}")
        self.query_one("#type", Input).value = rule.type
        self.query_one("#ignored", Input).value = ", ".join(rule.ignored)
        self.query_one("#modules", Input).value = ", ".join(rule.modules)
        for name in (*SWITCHES, "subtypes"):
            self.query_one(f"#{name}", Tick).value = getattr(rule, name)

    # The answer

    def _rule(self) -> ExceptionRule:
        return ExceptionRule(
            type=self.text("type"),
            raised=self.ticked("raised"),
            uncaught=self.ticked("uncaught"),
            user_uncaught=self.ticked("user_uncaught"),
            subtypes=self.ticked("subtypes"),
            ignored=_names(self.text("ignored")),
            modules=_names(self.text("modules")),
        )

    def _is_asked(self) -> bool:
        """Return whether the rule fields are filled."""
        if self._labels:
            return False
        if self._number is not None:
            return True
        return bool(self.text("type") or self.text("ignored") or self.text("modules"))

    def problems(self) -> dict[str, str]:
        if not self._is_asked():
            return {}
        problems: dict[str, str] = {}
        rule = self._rule()
        if problem := find_type_problem(rule.type):
            problems["type"] = problem
        if not (rule.raised or rule.uncaught or rule.user_uncaught):
            problems["raised"] = "choose when it stops"
        for name in ("ignored", "modules"):
            wrong = next((each for each in getattr(rule, name) if not _is_name(each)), None)
            if wrong is not None:
                problems[name] = f"{wrong} is no name"
        return problems

    def save(self) -> None:
        switches = self._labels or SWITCHES
        filters = frozenset(name for name in switches if self.ticked(f"any-{name}"))
        rule, number = (self._rule(), self._number) if self._is_asked() else (None, None)
        if number is not None and (
            number in self._removed or rule == self._rules[number].exception
        ):
            rule = number = None
        enabled = {
            each: on
            for each, on in self._enabled.items()
            if on is not self._rules[each].enabled and each not in self._removed
        }
        self.dismiss(
            ExceptionsAnswer(
                filters if filters != self._filters else None,
                rule,
                number,
                enabled,
                tuple(sorted(self._removed)),
            )
        )


def _style_of(mark: GutterMark) -> str:
    return {GutterMark.REFUSED: "warning", GutterMark.DISABLED: "faint"}.get(mark, "error")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for each in text.split(",") if (name := each.strip()))


def _is_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split(".") if part != "<locals>")
