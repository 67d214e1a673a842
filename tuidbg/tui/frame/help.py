"""The help: every command with its keys, from the one table of commands, and the manual's pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.keys import _character_to_key
from textual.widgets import Static

from tuidbg.manual.pages import find_links, read_page
from tuidbg.session.state import Status
from tuidbg.tui.frame.manual import KEYS_NOW, ManualDialog, Place
from tuidbg.tui.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.widgets.lasting import Dialog

_ELSEWHERE = (
    ("Enter", "in the stack: look at that frame or thread"),
    ("← →", "in the stack: fold or unfold a library's frames"),
    ("y", "in the stack: copy it as text"),
    ("Enter", "in the variables: open or close (also ← →), more, work a value out"),
    ("Space, d", "in the variables: all of the value; display it otherwise"),
    ("y, u", "in the variables: copy; undo what was set"),
    ("g, /, F3", "in the variables: go to an index or key; search, next match"),
    ("d, Enter", "on a watch: delete it; edit it, or wait for a slow one"),
    ("", "a watch runs at every stop, with all that it does"),
    ("i, mouse", "on a name in the source: value and type (i: the next name)"),
    ("Enter", "on a refused breakpoint: move it to the line that can break"),
    ("Space", "in the breakpoints: enable or disable"),
    ("d", "in the breakpoints: delete ({undo_delete} brings it back)"),
    ("E, D", "in the breakpoints: switch, delete the whole group"),
    ("/", "in the trace: show only some records (Esc shows all)"),
    ("Ctrl+T", "in the input line: Python or the program's stdin"),
    ("Ctrl+D, Ctrl+C", "in the program's stdin: end of input, interrupt"),
    ("Esc", "leaves an input line or a dialog"),
    ("mouse", "click in the gutter: breakpoint; right click: edit it;"),
    ("", "drag a title or the divider: sizes; double click: maximise"),
)
_COMMAND = re.compile(r"\{(\w+)\}")
_MARKS = (
    ("▶", "the current line"),
    ("▷", "the line of the selected frame"),
    ("●", "breakpoint, set"),
    ("◆", "set, with a condition or a count: stops sometimes"),
    ("■", "log point: writes a message instead of stopping"),
    ("▲", "tracepoint: writes to the trace instead of stopping"),
    ("○ ◇ □ △", "the same, not set yet (nothing runs, or not loaded)"),
    ("◌", "disabled"),
    ("✗", "refused; the pane says why"),
    ("ƒ E @ D", "a function, an exception, an address, data"),
    ("×42", "hits in this run"),
    ("* + -", "a value that has changed, come or gone since the last stop"),
)


class HelpDialog(Dialog[None]):
    """Keys and marks as they are now, and from there the pages of the manual; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "close", show=False),
        Binding("slash,tab", "choose", show=False),
        Binding("backspace", "back", show=False),
    ]
    DEFAULT_CSS = """
    HelpDialog { align: center middle; background: $background 50%; }
    HelpDialog VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        padding: 0 2; background: $surface; border: round $primary;
        border-title-color: $primary; border-subtitle-color: $text-muted;
        scrollbar-size-vertical: 1;
    }
    HelpDialog VerticalScroll.page { width: 104; }
    """

    def __init__(self, status: Status | None, reasons: Mapping[str, str] | None = None) -> None:
        """``reasons`` say why some commands make no sense now, by their names."""
        super().__init__()
        self._status = status
        self._reasons = reasons
        self._place = KEYS_NOW
        self._before: list[tuple[Place, int]] = []
        self._width = 0

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = "Help"
            box.border_subtitle = "/ manual · Esc closes"
            yield Static(self._text())

    def action_choose(self) -> None:
        """Ask for a topic, or for words to search for in the manual."""
        topic = self._place.topic
        near = find_links(read_page(topic)) if topic else ()
        self.app.push_screen(ManualDialog(near), self._open)

    def action_open_page(self, topic: str) -> None:
        """Follow a link."""
        self._open(Place(topic))

    def action_back(self) -> None:
        """Show what was shown before."""
        if self._before:
            self._place, offset = self._before.pop()
            self._show(offset)

    def on_resize(self, event: Resize) -> None:
        if self._place.topic and self._page_width() != self._width:
            self._show(int(self._box.scroll_offset.y))

    @property
    def _box(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    def _open(self, place: Place | None) -> None:
        if place is not None and self.is_attached:
            self._before.append((self._place, int(self._box.scroll_offset.y)))
            self._place = place
            self._show()

    def _show(self, offset: int | None = None) -> None:
        """Show the place, scrolled to its section, or as far as it was before."""
        box, topic = self._box, self._place.topic
        box.set_class(bool(topic), "page")
        box.border_title = f"Manual: {topic}" if topic else "Help"
        back = "Backspace goes back · " if self._before else ""
        box.border_subtitle = f"/ {'topics, search' if topic else 'manual'} · {back}Esc closes"
        text, line = self._page() if topic else (self._text(), 0)
        self.query_one(Static).update(text)
        box.scroll_to(y=line if offset is None else offset, animate=False, force=True)

    def _page_width(self) -> int:
        return max(20, min(104, self.size.width) - 7)  # border, padding, scrollbar

    def _page(self) -> tuple[Text, int]:
        """The page's text, and the line at which the section begins."""
        from tuidbg.manual.rendering import render_page

        self._width = self._page_width()
        rendered = render_page(read_page(self._place.topic), self._width)
        text = Text(no_wrap=True)
        for line in rendered.lines:
            for segment in line:
                text.append(segment.text, _clickable(segment))
            text.append("\n")
        return text, rendered.sections[self._place.section]

    def _text(self) -> Text:
        key_map: KeyMap = getattr(self.app, "key_map", DEFAULT_MAP)
        text = Text(no_wrap=False)
        if key_map is not DEFAULT_MAP:
            text.append(f"Keys of the map {key_map.name}\n\n", "bold")
        group = ""
        for command in COMMANDS:
            if command.group != group:
                text.append(f"{'' if not group else chr(10)}{command.group}\n", "bold underline")
                group = command.group
            why = key_map.why_not(command, self._status, self._reasons)
            keys = key_map.show_keys(command.name)
            text.append(f"  {keys:<16}", "bold" if not why else "dim")
            text.append(command.title, "" if not why else "dim")
            text.append(f"  ({why})\n" if why else "\n", "dim")
        text.append("\nIn the panes\n", "bold underline")
        for key, meaning in _ELSEWHERE:
            keys = _pane_keys(key, key_map)
            text.append(f"  {keys:<16}", "bold")
            text.append(_COMMAND.sub(lambda name: key_map.key_of(name[1]), meaning) + "\n")
        text.append("\nMarks\n", "bold underline")
        for mark, meaning in _MARKS:
            text.append(f"  {mark:<16}", "bold").append(f"{meaning}\n")
        return text

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)


def _clickable(segment: Segment) -> Style:
    """The segment's style; that of a link to a page opens it at a click."""
    from tuidbg.manual.rendering import LINK

    style = segment.style or Style()
    link = style.link or ""
    if not link:
        return style
    style = style.update_link(None)
    if not link.startswith(LINK):
        return style
    action = f"screen.open_page({link.removeprefix(LINK)!r})"
    return style + Style.from_meta({"@click": action})


def _pane_keys(keys: str, key_map: KeyMap) -> str:
    """Keys of a pane as they are pressed in this map: ``Alt+d`` where it has another ``d``."""
    return ", ".join(
        f"Alt+{key}" if len(key) == 1 and key_map.moves(_character_to_key(key)) else key
        for key in keys.split(", ")
    )
