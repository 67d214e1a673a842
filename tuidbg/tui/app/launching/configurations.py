"""Dialogs for launch.json: trust, ignored settings, inputs, and the list of configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Static

from tuidbg.config.launch_json.variables import VariableQuestion
from tuidbg.config.launch_json.workspace import LaunchEntry, Preview, Workspace
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.dialogs.prompt import DialogInput, InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CANCELS, CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.input import PathSuggester
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, shorten, visible

_LONG = 2_000
"""Maximum characters shown of a command line."""


class AnswersPane(RowsPane):
    """The two answers."""


class ReadingDialog(Dialog[bool]):
    """A text with two answers. Result: True for the first; False for the other and Esc.

    The cursor starts at ``first``: 0 or 1.
    """

    HINTS = (Hint("enter", "answer"), CHOOSES, CANCELS)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "answer(1)", show=False),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ReadingDialog #said { height: auto; scrollbar-size-vertical: 1; }
    ReadingDialog .sentence { height: auto; }
    ReadingDialog .line { height: auto; }
    ReadingDialog .label { width: 14; height: auto; color: $text-muted; }
    ReadingDialog .above { width: auto; color: $text-muted; }
    ReadingDialog .fact { width: 1fr; height: auto; }
    ReadingDialog .warning { height: auto; color: $text-warning; padding-left: 2; }
    ReadingDialog AnswersPane { height: 2; margin-top: 1; }
    ReadingDialog.-short AnswersPane { margin-top: 0; }
    """

    def __init__(self, title: str, answers: tuple[tuple[str, str], tuple[str, str]], first: int):
        """``answers`` are their letters and labels."""
        super().__init__()
        self._title = title
        self._answers = answers
        self._first = first

    @property
    def key_mode(self) -> Mode:
        """The keys; scrolling keys if the text does not fit."""
        said = [*self.query("#said")]
        reads = said and said[0].max_scroll_y > 0
        more = (Hint("pageup pagedown", "read"),) if reads else ()
        return Mode("dialog", "dialog", (*self.HINTS, *more))

    def sentences(self) -> ComposeResult:
        """Compose the text."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._title).replace("[", r"\[")
            with VerticalScroll(id="said", can_focus=False):
                yield from self.sentences()
            yield AnswersPane(id="answer")

    def on_mount(self) -> None:
        pane = self.query_one(AnswersPane)
        pane.set_rows(
            [
                ListRow(index, ((f" {letter}  ", "strong"), (text, "name")))
                for index, (letter, text) in enumerate(self._answers)
            ]
        )
        pane.cursor = self._first
        self.set_focus(pane)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 20, "-short")
        self.query_one("#said").styles.max_height = max(2, event.size.height - 6)
        self.call_after_refresh(self.refresh_bindings)  # more of it may fit now

    def action_move(self, by: int) -> None:
        """Move to the other answer."""
        self.query_one(AnswersPane).action_cursor(by)

    def action_page(self, by: int) -> None:
        """Scroll the text."""
        said = self.query_one("#said", VerticalScroll)
        said.scroll_relative(y=by * max(1, said.size.height - 1), animate=False)

    def on_key(self, event: events.Key) -> None:
        for index, (letter, _) in enumerate(self._answers):
            if event.character == letter:
                event.stop()
                self.action_answer(index)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self.action_answer(event.key)

    def action_answer(self, index: int) -> None:
        if self.is_active:
            self.dismiss(index == 0)


class AgreementDialog(ReadingDialog):
    """The question whether to run a launch.json in its present state."""

    def __init__(self, name: str, path: str, preview: Preview) -> None:
        answers = (("a", "Agree and run it"), ("d", "Don't run it"))
        super().__init__(f"Run {name}?", answers, first=1)
        self._path = path
        self._preview = preview

    def sentences(self) -> ComposeResult:
        yield Static(
            f"{visible(self._path)} is new or has changed. It decides what runs on this machine:"
            " run it only if you trust its author.",
            classes="sentence prose",
            markup=False,
        )
        yield Static("")
        for label, text in self._preview.lines:
            with Horizontal(classes="line"):
                yield Static(label, classes="label", markup=False)
                yield Static(visible(text, _LONG), classes="fact prose", markup=False)
        yield from _notes(self._preview.notes)


class NotesDialog(ReadingDialog):
    """The differences from VS Code, shown before the first run."""

    def __init__(self, name: str, notes: Sequence[str]) -> None:
        super().__init__(f"Run {name}?", (("r", "Run it so"), ("d", "Don't run it")), first=0)
        self._notes = notes

    def sentences(self) -> ComposeResult:
        yield from _notes(self._notes)


def _notes(notes: Sequence[str]) -> ComposeResult:
    if notes:
        yield Static("")
        yield Static("Before you run it", classes="above", markup=False)
    for note in notes:
        yield Static(f"{visible(note)}.", classes="warning prose", markup=False)


class QuestionDialog(InputDialog[str | None]):
    """A question for a text. Result: the text; None on Esc."""

    DEFAULT_CSS = """
    QuestionDialog #problem { height: auto; color: $text-error; padding: 0 1; }
    """

    def __init__(self, question: VariableQuestion, cwd: str) -> None:
        super().__init__()
        self._question = question
        self._cwd = cwd

    def compose(self) -> ComposeResult:
        question = self._question
        with Box(id="box") as box:
            box.border_title = visible(question.text).replace("[", r"\[")
            yield DialogInput(
                question.default,
                password=question.secret,
                suggester=PathSuggester(self._cwd) if question.kind == "file" else None,
                select_on_focus=True,
            )
            yield Static("", id="problem", classes="problem", markup=False)

    def submit(self) -> None:
        value = self.query_one(Input).value
        if self._question.kind == "file" and not PathSuggester(self._cwd).is_file(value):
            self.query_one("#problem", Static).update(f"there is no file {visible(value)}")
        else:
            self.dismiss(value)


class OptionsPane(RowsPane):
    """The list of values."""


class OptionsDialog(Dialog[str | None]):
    """A choice of a value. Result: the chosen value; None on Esc."""

    HINTS = (Hint("enter", "select"), CANCELS, CHOOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self, question: VariableQuestion) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._question.text).replace("[", r"\[")
            yield OptionsPane(id="options")

    def on_mount(self) -> None:
        pane = self.query_one(OptionsPane)
        options = self._question.options
        pane.set_rows(
            [ListRow(value, ((f" {visible(label)}", "name"),)) for value, label in options]
        )
        pane.styles.height = max(1, min(len(options), self.app.size.height - 3))
        pane.move_cursor_to(self._question.default)
        self.set_focus(pane)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if self.is_active and isinstance(event.key, str):
            self.dismiss(event.key)

    def action_close(self) -> None:
        """Close without a result."""
        if self.is_active:
            self.dismiss(None)


class ConfigurationsPane(RowsPane):
    """The filtered configurations and compounds."""

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if isinstance(self.screen, ConfigurationsDialog):
            self.screen.explain()


class ConfigurationsDialog(InputDialog[str | None]):
    """The configuration list. Result: the chosen name; None on Esc."""

    HINTS = (Hint("enter", "run"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    ConfigurationsDialog ConfigurationsPane > .rows--cursor-blurred { background: $primary 35%; }
    ConfigurationsDialog #box ConfigurationsPane { height: 1fr; }
    ConfigurationsDialog #about { height: 3; max-width: 96; color: $text-muted; padding: 0 1; }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._entries: Sequence[LaunchEntry] = workspace.entries()
        self._shown: Sequence[LaunchEntry] = self._entries

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            path = shorten(visible(str(self._workspace.file.path)), self.app.size.width - 6)
            box.border_title = path.replace("[", r"\[")
            yield ListInput("", placeholder="a part of the name")
            yield ConfigurationsPane(id="configurations")
            yield Static("", id="about", markup=False)

    @property
    def pane(self) -> ConfigurationsPane:
        """The list."""
        return self.query_one(ConfigurationsPane)

    def on_mount(self) -> None:
        self.pane.set_empty("it has no configurations" if not self._entries else "none fits")
        self._show()
        self.call_after_refresh(self.explain)

    def on_resize(self) -> None:
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()
        self.pane.action_edge(0)

    def _show(self) -> None:
        wanted = self.query_one(Input).value.casefold().strip()
        self._shown = [entry for entry in self._entries if wanted in entry.name.casefold()]
        width = self.app.size.width - 5
        columns = ConfigurationColumns.of(self._entries)
        self.pane.set_rows([_row(entry, width, columns) for entry in self._shown])
        self.explain()

    def explain(self) -> None:
        """Show notes on the configuration under the cursor."""
        entry = self._chosen()
        if entry is None:
            problems = self._workspace.file.problems
            text = " ".join(problems)
        elif entry.obstacle:
            text = f"Can't be run: {entry.obstacle}."
        else:
            text = " ".join(f"{note}." for note in entry.notes)
        for about in self.query("#about").results(Static):
            about.update(visible(text, 400))

    def _chosen(self) -> LaunchEntry | None:
        if not self.is_mounted:
            return None
        return next((e for e in self._shown if e.name == self.pane.cursor_key), None)

    def submit(self) -> None:
        """Choose the configuration under the cursor on Enter."""
        self._show()  # more may have been typed in the same packet
        self._choose()

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose()

    def _choose(self) -> None:
        entry = self._chosen()
        if entry is not None and not entry.obstacle:
            self.dismiss(entry.name)


class ConfigurationColumns(NamedTuple):
    """Column widths: the maximum over all configurations."""

    name: int
    target: int

    @classmethod
    def of(cls, entries: Sequence[LaunchEntry]) -> ConfigurationColumns:
        """Measure these entries."""
        names = (cell_len(visible(entry.name)) for entry in entries)
        targets = (cell_len(visible(entry.obstacle or entry.target)) for entry in entries)
        return cls(max(names, default=0), max(targets, default=0))


def _row(entry: LaunchEntry, width: int, columns: ConfigurationColumns) -> ListRow:
    """Return a configuration as a row of at most ``width`` cells; columns may be omitted."""
    wide = width >= 70
    name = cell(entry.name, max(12, min(columns.name, width // 3))) + "  "
    kind = cell(entry.type, 10) + "  "
    request = cell(entry.request, 7) + "  " if wide else ""
    rest = max(0, min(columns.target, width - len(name) - len(kind) - len(request) - 4))
    off = bool(entry.obstacle)
    pieces: list[Piece] = [
        (" ", "name"),
        (name, "faint" if off else "strong"),
        (kind, "faint"),
        (request, "faint"),
        (cell(entry.obstacle or entry.target, rest), "warning" if off else "name"),
        (" *" if entry.notes else "", "warning"),
    ]
    return ListRow(entry.name, tuple(pieces))
