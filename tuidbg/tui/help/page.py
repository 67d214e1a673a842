"""A page of the manual, to read; links and topics lead to others, Backspace back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize

from tuidbg.manual.pages import find_links, read_page
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.dialogs.searched import DialogSearch
from tuidbg.tui.help.page_text import PageText
from tuidbg.tui.help.topics import KEYS_NOW, ManualDialog, Place
from tuidbg.tui.keys.modes import CLOSES, Hint, Mode
from tuidbg.tui.widgets.rows import visible

_WIDTH = 104


class PageDialog(Dialog[bool]):
    """Shows a page from a section on. Gives True where the person wants the keys instead.

    ``is_over_keys``: they are below it, and Backspace leads there in the end.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("q,enter", "close(False)", show=False),
        Binding("question_mark", "close(True)", show=False),
        Binding("tab,f1", "choose", show=False),
        *DialogSearch.BINDINGS,
        Binding("backspace", "back", show=False),
        Binding("space", "page(1)", show=False),
        Binding("j", "line(1)", show=False),
        Binding("k", "line(-1)", show=False),
    ]
    DEFAULT_CSS = "PageDialog #box { padding: 0 2; scrollbar-size-vertical: 1; }"

    def __init__(self, place: Place, *, is_over_keys: bool = False) -> None:
        super().__init__()
        self._place = place
        self._is_over_keys = is_over_keys
        self._before: list[tuple[Place, int]] = []
        self._width = 0
        self._box = PageText(id="box")
        self._search = DialogSearch(self, self._box.search, self._tell_search)

    def compose(self) -> ComposeResult:
        yield self._box

    @property
    def key_mode(self) -> Mode:
        """Esc ends a search before it closes the page."""
        hints = [
            *self._search.hints("n", CLOSES),
            Hint("tab", "topics"),
            Hint("question_mark", "keys"),
        ]
        if self._before or self._is_over_keys:
            hints.append(Hint("backspace", "back"))
        return Mode("dialog", "dialog", hints)

    def on_resize(self, event: Resize) -> None:
        is_first = not self._width
        self._box.indent(max(0, (event.size.width - _WIDTH) // 2))
        if self._page_width() != self._width:
            self._show(None if is_first else int(self._box.scroll_offset.y))

    # Moving

    def action_page(self, by: int) -> None:
        """Scroll by pages."""
        self._box.scroll_relative(y=by * max(1, self._box.size.height - 1), animate=False)

    def action_line(self, by: int) -> None:
        """Scroll by lines."""
        self._box.scroll_relative(y=by, animate=False)

    # Searching

    def action_search(self) -> None:
        """Ask for a text to search on the page."""
        self._search.ask()

    def action_search_next(self, by: int) -> None:
        """Go to the next or the previous line with it."""
        self._search.go_on(by)

    def _tell_search(self, words: str) -> None:
        self._box.border_subtitle = visible(words).replace("[", r"\[")

    # Other pages

    def action_choose(self) -> None:
        """Ask for a topic, or for words to search for in the manual."""
        ask_for_place(self.app, self._open, near=find_links(read_page(self._place.topic)))

    def action_open_page(self, topic: str) -> None:
        """Follow a link."""
        self._open(Place(topic))

    def action_back(self) -> None:
        """Show what was shown before."""
        if self._before:
            self._place, offset = self._before.pop()
            self._show(offset)
        elif self._is_over_keys:
            self.dismiss(True)

    def action_leave(self) -> None:
        """Unmark what was searched, or close it."""
        if not self._search.clear():
            self.action_close(False)

    def action_close(self, wants_keys: bool) -> None:
        """Close it."""
        self.dismiss(wants_keys)

    def _open(self, place: Place) -> None:
        if place == KEYS_NOW:
            self.dismiss(True)
        elif self.is_attached:
            self._before.append((self._place, int(self._box.scroll_offset.y)))
            self._place = place
            self._show()

    # Painting

    def _show(self, offset: int | None = None) -> None:
        """Show the place, scrolled to its section, or as far as it was before."""
        box = self._box
        box.border_title = f"Manual: {self._place.topic}"
        lines, line = self._page()
        box.show(lines)
        box.border_subtitle = ""
        self.refresh_bindings()
        box.scroll_to(y=line if offset is None else offset, animate=False, force=True)

    def _page_width(self) -> int:
        return max(20, min(_WIDTH, self.size.width) - 7)  # border, padding, scrollbar

    def _page(self) -> tuple[list[list[Segment]], int]:
        """The page's lines, and the line at which the section begins."""
        from tuidbg.manual.rendering import render_page

        self._width = self._page_width()
        rendered = render_page(read_page(self._place.topic), self._width)
        lines = [
            [Segment(segment.text, _clickable(segment)) for segment in line]
            for line in rendered.lines
        ]
        return lines, rendered.sections[self._place.section]


def ask_for_place(
    app: App[Any], take: Callable[[Place], None], *, near: tuple[str, ...] = (), words: str = ""
) -> None:
    """Let the person choose a page; ``near`` are topics that stand first."""

    def chosen(place: Place | None) -> None:
        if place is not None:
            take(place)

    app.push_screen(ManualDialog(near, words), chosen)


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
