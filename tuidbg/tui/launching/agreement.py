"""Shows before launch.json runs what it would do, and what tuidbg leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from tuidbg.config.launch_json.workspace import Preview
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.modes import CANCELS, CHOOSES, Hint, Mode
from tuidbg.tui.widgets.rows import Row, RowsPane, visible

_LONG = 2_000
"""Characters of a command line that are shown."""


class AnswersPane(RowsPane):
    """The two answers."""


class ReadingDialog(Dialog[bool]):
    """Sentences, and two answers: the first one gives True, the other and Esc give False.

    The cursor stands on ``first``: 0 or 1.
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
    ReadingDialog .fact { width: 1fr; height: auto; }
    ReadingDialog .warning { height: auto; color: $text-warning; padding-left: 2; }
    ReadingDialog AnswersPane { height: 2; margin-top: 1; }
    ReadingDialog.-short AnswersPane { margin-top: 0; }
    """

    def __init__(self, title: str, answers: tuple[tuple[str, str], tuple[str, str]], first: int):
        """``answers`` are their letters and what they say."""
        super().__init__()
        self._title = title
        self._answers = answers
        self._first = first

    @property
    def key_mode(self) -> Mode:
        """The keys; those that scroll where there is more to read than fits."""
        said = [*self.query("#said")]
        reads = said and said[0].max_scroll_y > 0
        more = (Hint("pageup pagedown", "read"),) if reads else ()
        return Mode("dialog", "dialog", (*self.HINTS, *more))

    def sentences(self) -> ComposeResult:
        """Yields what there is to read."""
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
                Row(index, ((f" {letter}  ", "strong"), (text, "name")))
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
        """To the other answer."""
        self.query_one(AnswersPane).action_cursor(by)

    def action_page(self, by: int) -> None:
        """Read on, or back."""
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
        """Give the answer."""
        if self.is_active:
            self.dismiss(index == 0)


class AgreementDialog(ReadingDialog):
    """Asks whether a launch.json may run, as it is."""

    def __init__(self, name: str, path: str, preview: Preview) -> None:
        answers = (("a", "Agree and run it"), ("d", "Don't run it"))
        super().__init__(f"Run {name}?", answers, first=1)
        self._path = path
        self._preview = preview

    def sentences(self) -> ComposeResult:
        yield Static(
            f"{visible(self._path)} is new or has changed. It decides what is run on this machine;"
            " agree only if you trust who has written it.",
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
    """Shows what tuidbg makes otherwise than VS Code, before it runs for the first time."""

    def __init__(self, name: str, notes: Sequence[str]) -> None:
        super().__init__(f"Run {name}?", (("r", "Run it so"), ("d", "Don't run it")), first=0)
        self._notes = notes

    def sentences(self) -> ComposeResult:
        yield from _notes(self._notes)


def _notes(notes: Sequence[str]) -> ComposeResult:
    if notes:
        yield Static("")
        yield Static("To know before", classes="label", markup=False)
    for note in notes:
        yield Static(f"{visible(note)}.", classes="warning prose", markup=False)
