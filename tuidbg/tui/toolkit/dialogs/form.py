"""Common parts of form dialogs: rows of fields, validation while typing, field help.

A field is a label and a control on one row; a problem appears below it as soon as it is typed, and
a line at the bottom explains the focused field. Tab and the arrow keys reach everything; Enter
saves from anywhere but a button.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Button, Checkbox, Input, Static

from tuidbg.lines import split_everywhere
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.prompt import DialogInput, InputDialog
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode


class More(Widget, can_focus=True):
    """The "more" toggle: what it hides, and whether that is visible."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", show=False),
        Binding("right", "open(True)", show=False),
        Binding("left", "open(False)", show=False),
    ]
    DEFAULT_CSS = """
    More { width: 1fr; height: 1; color: $foreground; }
    More:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    is_open: reactive[bool] = reactive(False)

    class Toggled(Message):
        """A change of the toggle."""

    def __init__(self, key: str, behind: str, is_open: bool, *, id: str) -> None:
        """``key`` toggles it from every field of the form, ``behind`` names what it hides."""
        super().__init__(id=id)
        self._key = key
        self._behind = behind
        self.set_reactive(More.is_open, is_open)

    def render(self) -> Content:
        if self.is_open:
            return Content(f"▾ more ({self._key} hides it)")
        return Content(f"▸ more ({self._key}): {self._behind}")

    def watch_is_open(self) -> None:
        self.post_message(self.Toggled())

    def action_switch(self) -> None:
        self.is_open = not self.is_open

    def action_open(self, is_open: bool) -> None:
        self.is_open = is_open

    def on_click(self) -> None:
        self.action_switch()


T = TypeVar("T")

_CHROME = 5
"""Rows of the box other than the fields: border, help, buttons."""
_TWO_COLUMNS = 116
"""Screen columns from which the fields are in two columns."""
_TALL = 20
"""Screen rows from which there is space for blank rows."""


class FieldInput(DialogInput):
    """An input of a form: the arrow keys and Tab go to the other fields."""

    async def _on_key(self, event: events.Key) -> None:
        form = self.screen
        if not isinstance(form, FormDialog):
            return
        if event.key in ("tab", "down"):
            form.focus_next()
        elif event.key in ("shift+tab", "up"):
            form.focus_previous()
        else:
            return
        event.stop()
        event.prevent_default()


class LinesInput(FieldInput):
    """An input that joins pasted lines with semicolons."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        lines = [line.strip() for line in split_everywhere(event.text) if line.strip()]
        self.replace("; ".join(lines), *self.selection)


class Tick(Checkbox, inherit_bindings=False):
    """A check box, readable without colour: ``[x]``. Enter is the form's."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", show=False)]

    @property
    def _button(self) -> Content:
        style = self.get_visual_style("toggle--button")
        return Content.styled("[x]" if self.value else "[ ]", style)

    def render(self) -> Content:
        return super().render() if self._label else self._button


class ChoiceField(Widget, can_focus=True):
    """A choice between a few words, all visible: ``◉ stop  ○ report``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", show=False),
        Binding("right,space", "choose(1)", show=False),
    ]
    DEFAULT_CSS = """
    ChoiceField { width: 1fr; height: 1; }
    ChoiceField:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    value: reactive[str] = reactive("")

    class Changed(Message):
        """A change of the choice."""

    def __init__(self, options: Sequence[str], value: str, *, id: str) -> None:
        super().__init__(id=id)
        self._options = tuple(options)
        self.set_reactive(ChoiceField.value, value)

    def _labels(self) -> Iterator[tuple[str, str]]:
        for option in self._options:
            yield option, f"{'◉' if option == self.value else '○'} {option}"

    def render(self) -> Content:
        return Content("  ".join(label for _, label in self._labels()))

    def watch_value(self) -> None:
        self.post_message(self.Changed())

    def action_choose(self, by: int) -> None:
        """Choose the next word, wrapping at the ends."""
        index = self._options.index(self.value) + by
        self.value = self._options[index % len(self._options)]

    def on_click(self, event: events.Click) -> None:
        x = 0
        for option, label in self._labels():
            if x <= event.x < x + len(label) + 2:
                self.value = option
                return
            x += len(label) + 2


class Fields(VerticalScroll, inherit_bindings=False, can_focus=False):
    """The fields' container: scrolls with the focus; the arrow keys are the form's."""


class FormDialog(InputDialog[T]):
    """A form. Subclasses define the fields, the validation and the result."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,enter", "save", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]
    DEFAULT_CSS = """
    FormDialog #fields { height: auto; scrollbar-size-vertical: 1; }
    FormDialog #columns { height: auto; layout: vertical; }
    FormDialog.-two #columns { layout: horizontal; }
    FormDialog .column { height: auto; width: 1fr; }
    FormDialog.-two .column { margin-right: 2; }
    FormDialog .field { height: 1; }
    FormDialog .label { width: 15; color: $text-muted; }
    FormDialog .word { width: auto; color: $text-muted; padding: 0 1; }
    FormDialog .heading { color: $text-muted; text-style: underline; margin-top: 1; }
    FormDialog .problem { color: $text-error; height: auto; padding-left: 15; }
    FormDialog .short { width: 9; }
    FormDialog Input { width: 1fr; }
    FormDialog Input:focus { background: $panel; }
    FormDialog Input:disabled { color: $text-muted; background: $surface; }
    FormDialog Tick {
        width: auto; height: 1; border: none; padding: 0; background: $surface;
        & > .toggle--button { color: $foreground; background: $surface; }
        &.-on > .toggle--button { color: $text-success; text-style: bold; background: $surface; }
        &:focus { border: none; background-tint: $foreground 0%; }
        &:focus > .toggle--button {
            color: $block-cursor-foreground; background: $block-cursor-background;
        }
        &:focus > .toggle--label { color: $foreground; background: $surface; text-style: none; }
    }
    FormDialog #help { color: $foreground; height: 1; margin-top: 1; }
    FormDialog.-short #help { height: 2; margin-top: 0; }
    FormDialog.-short .heading { margin-top: 0; }
    FormDialog #buttons { height: 1; }
    FormDialog Button.-style-default {
        min-width: 10; margin-right: 2; background: $panel; color: $foreground;
        &:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """
    ABOUT: ClassVar[Mapping[str, str]] = {}
    """Help texts for the bottom line, by control id."""

    _verb = "save"

    @property
    def key_mode(self) -> Mode:
        """The keys: in a line letters are text; elsewhere Space ticks or chooses."""
        hints = [
            Hint("enter", self._verb),
            Hint("escape", "cancel"),
            Hint("down up", "other field"),
        ]
        if isinstance(self.focused, Tick | ChoiceField):
            hints.append(Hint("space", "tick" if isinstance(self.focused, Tick) else "choose"))
        return Mode("line", "form", hints)

    def problems(self) -> dict[str, str]:
        """Return a sentence for each invalid control, by id."""
        raise NotImplementedError

    def save(self) -> None:
        """Close with the result; called only without problems."""
        raise NotImplementedError

    # Composing

    def fields(self) -> ComposeResult:
        """Compose the columns of fields."""
        raise NotImplementedError

    def compose_form(
        self, title: str, *, can_delete: bool = False, does: str = "Save"
    ) -> ComposeResult:
        """Compose the box around the fields; ``does`` names the effect of Enter."""
        with Box(id="box") as box:
            box.least = max(map(len, self.ABOUT.values()), default=0)
            box.border_title = title.replace("[", r"\[")
            self._verb = does.lower()
            with Fields(id="fields") as scroll:
                self._fit(scroll, self.app.size)
                yield from self.head()
                with Widget(id="columns"):
                    yield from self.fields()
            yield Static("", id="help", markup=False)
            with Horizontal(id="buttons"):
                yield Button(does, id="save", compact=True)
                if can_delete:
                    yield Button("Delete", id="delete", variant="error", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def head(self) -> ComposeResult:
        """Compose the part above the fields."""
        yield from ()

    def line(
        self,
        name: str,
        label: str,
        value: str = "",
        *,
        placeholder: str = "",
        suggester: Suggester | None = None,
        lines: bool = False,
    ) -> ComposeResult:
        """Compose a field with an input."""
        kind = LinesInput if lines else FieldInput
        with Horizontal(classes="field"):
            yield Static(label, classes="label", markup=False)
            yield kind(
                value,
                placeholder=placeholder,
                suggester=suggester,
                select_on_focus=False,
                id=name,
            )

    def short(self, name: str, value: str, *, placeholder: str = "") -> FieldInput:
        """Create a control for a number, beside others on a row."""
        return FieldInput(
            value, placeholder=placeholder, select_on_focus=False, id=name, classes="short"
        )

    def tick(self, name: str, label: str, value: bool) -> ComposeResult:
        """Compose a field with a check box."""
        with Horizontal(classes="field"):
            yield Static(label, classes="label", markup=False)
            yield Tick("", value, id=name)

    def choice(self, name: str, label: str, options: Sequence[str], value: str) -> ComposeResult:
        """Compose a field with a choice of a few words."""
        with Horizontal(classes="field"):
            yield Static(label, classes="label", markup=False)
            yield ChoiceField(options, value, id=name)

    # Field values

    def text(self, name: str) -> str:
        """Return a line's text without surrounding blanks."""
        return self.query_one(f"#{name}", Input).value.strip()

    def ticked(self, name: str) -> bool:
        return self.query_one(f"#{name}", Checkbox).value

    # While the user types

    def on_resize(self, event: events.Resize) -> None:
        self._fit(self.query_one("#fields"), event.size)

    def _fit(self, scroll: Widget, size: Size) -> None:
        """Use two columns if they fit, and no more rows than the screen has.

        Called before anything is mounted, too: a second full layout would be noticeable.
        """
        self.set_class(size.width >= _TWO_COLUMNS, "-two")
        self.set_class(size.height < _TALL, "-short")
        scroll.styles.max_height = max(1, self.rows_in(size) - _CHROME)

    @on(Input.Changed)
    @on(Checkbox.Changed)
    @on(ChoiceField.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        if self.is_mounted:
            self.check()

    def check(self) -> dict[str, str]:
        """Show the problems below the fields and return them by id."""
        problems = self.problems()
        for field in self.query(".field"):
            said = [problems[c.id] for c in field.children if c.id in problems]
            self._show_problem(field, " · ".join(said))
        return problems

    def _show_problem(self, field: Widget, problem: str) -> None:
        """Show a problem below the field; its row is created with the first problem."""
        siblings = field.parent.children if field.parent is not None else ()
        index = list(siblings).index(field) + 1
        below = siblings[index] if index < len(siblings) else None
        if isinstance(below, Static) and below.has_class("problem"):
            below.display = bool(problem)
            below.update(problem)
        elif problem and field.parent is not None:
            row = Static(problem, classes="problem", markup=False)
            field.parent.mount(row, after=field)  # type: ignore[attr-defined]

    def on_descendant_focus(self) -> None:
        self.show_help()

    def show_help(self) -> None:
        """Explain the focused field."""
        name = self.focused.id if self.focused is not None else None
        try:
            self.query_one("#help", Static).update(self.help_of(name or ""))
        except NoMatches:
            pass  # closed before it was mounted

    def help_of(self, name: str) -> str:
        """Return a control's help text."""
        return self.ABOUT.get(name, "")

    # Closing

    def submit(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        """Save, unless there are problems: then focus the first."""
        if problems := self.check():
            self.set_focus(self.query_one(f"#{next(iter(problems))}"))
        else:
            self.save()

    def delete(self) -> None:
        """Handle the delete button."""

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "save":
                self.action_save()
            case "delete":
                self.delete()
            case "cancel":
                self.dismiss(None)
