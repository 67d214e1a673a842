"""A page of the manual; links and topics open others, Backspace goes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import Input, Static

from tuidbg.manual.pages import ManualMatch, ManualPage, find_links, read_all, read_page, search
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.dialogs.prompt import DialogSearch, InputDialog, ListInput
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible


class PageLocation(NamedTuple):
    """A section of a page; the page of the active keys has no topic."""

    topic: str
    section: int = 0


KEYS_NOW = PageLocation("")
"""The help's own first page."""


class TopicsPane(RowsPane):
    """The list of topics or search results."""


class ManualDialog(InputDialog[PageLocation | None]):
    """The dialog for a topic or a search. Result: the place; None on Esc.

    The topics of ``near`` come first: the pages linked from the present one.
    """

    HINTS = (Hint("enter", "open"), CLOSES, CHOOSES)
    DEFAULT_CSS = """
    ManualDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    ManualDialog #box TopicsPane { height: 1fr; }
    ManualDialog TopicsPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    def __init__(self, near: Sequence[str] = (), words: str = "") -> None:
        """``words`` are searched immediately."""
        super().__init__()
        self._near = tuple(near)
        self._words = words

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "The manual"
            yield ListInput(self._words, placeholder="words to search for in all pages")
            yield Static("", id="about", markup=False)
            yield TopicsPane(id="topics")

    def on_mount(self) -> None:
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()
        self.query_one(TopicsPane).action_edge(0)

    def _show(self) -> None:
        words = self.query_one(Input).value.strip()
        found = search(words) if words else []
        if not words:
            about, rows = f"{len(read_all())} topics", self._topic_rows()
        elif not found:
            about, rows = "nothing", []
        else:
            about = "1 section" if len(found) == 1 else f"{len(found)} sections"
            rows = [_match_row(match) for match in found]
        self.query_one("#about", Static).update(about)
        self.query_one(TopicsPane).set_rows(rows)

    def _topic_rows(self) -> list[ListRow]:
        pages = sorted(read_all(), key=lambda page: page.topic not in self._near)
        keys = ListRow(
            KEYS_NOW, (("  help         ", "strong"), ("The keys as they are now.", "name"))
        )
        return [keys, *(self._topic_row(page) for page in pages)]

    def _topic_row(self, page: ManualPage) -> ListRow:
        mark = "→ " if page.topic in self._near else "  "
        pieces = ((f"{mark}{page.topic:<13}", "strong"), (page.summary, "name"))
        return ListRow(PageLocation(page.topic), pieces)

    def submit(self) -> None:
        """Open the row under the cursor on Enter."""
        self._choose(self.query_one(TopicsPane).cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, key: object) -> None:
        if isinstance(key, PageLocation):
            self.dismiss(key)


def _match_row(match: ManualMatch) -> ListRow:
    section = match.page.sections[match.section]
    where = match.page.topic if match.section == 0 else f"{match.page.topic}: {section.heading}"
    return ListRow(
        PageLocation(match.page.topic, match.section),
        ((f"{visible(where)}  ", "strong"), (visible(match.line), "value")),
    )


class PageText(VerticalScroll):
    """The text of a page: its only cursor is on a search match."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"page--found", "page--match"}
    DEFAULT_CSS = """
    PageText > .page--found { background: $primary 35%; }
    PageText > .page--match { background: $primary; color: $background; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page = Text()
        self._starts: Sequence[int] = ()
        self._found = 0
        self.lines: Sequence[str] = ()
        self.search = _SearchOnPage(self)
        self._static = Static()

    def compose(self) -> ComposeResult:
        yield self._static

    def indent(self, columns: int) -> None:
        """Indent the lines by columns."""
        self._static.styles.margin = (0, 0, 0, columns)

    def show(self, lines: Sequence[Sequence[Segment]]) -> None:
        """Show lines from the start; search marks stay."""
        self._page = Text(no_wrap=True)
        texts, starts = [], []
        for line in lines:
            starts.append(len(self._page))
            for segment in line:
                self._page.append(segment.text, segment.style)
            texts.append("".join(segment.text for segment in line))
            self._page.append("\n")
        self.lines, self._starts, self._found = texts, starts, 0
        self._paint()

    # Search

    @property
    def document(self) -> PageText:
        return self

    @property
    def cursor_line(self) -> int:
        """The line of the last match, while visible; else the first visible one."""
        top = int(self.scroll_offset.y)
        return self._found if top < self._found <= top + self.size.height else top + 1

    def move_cursor(self, line: int) -> None:
        """Mark a line as the match and scroll it into view."""
        height, was_at = self.size.height, int(self.scroll_offset.y)
        self._found = line
        if not was_at < line <= was_at + height:
            self.scroll_to(y=max(0, line - 1 - height // 3), animate=False, force=True)
        self._paint()

    def go_to(self, line: int, offset: int) -> None:
        """Mark a line as the match at the previous scroll offset."""
        self._found = line
        self.scroll_to(y=offset, animate=False, force=True)
        self._paint()

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Do nothing: a page is no wider than the screen."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        """Highlight the matches of a search."""
        self._paint()

    def _paint(self) -> None:
        text, marked = self._page, self.search.marked
        if marked is not None:
            text = text.copy()
            found = Style(bgcolor=self.get_component_rich_style("page--found").bgcolor)
            match = self.get_component_rich_style("page--match")
            match = Style(color=match.color, bgcolor=match.bgcolor)
            for number, (line, start) in enumerate(zip(self.lines, self._starts, strict=True), 1):
                spans = list(marked.spans(line))
                if spans and number == self._found:
                    text.stylize(found, start, start + len(line))
                for first, end in spans:
                    text.stylize(match, start + first, start + end)
        self._static.update(text)


class _SearchOnPage(SearchInView):
    """A search that restores the scroll offset, not only the line."""

    def __init__(self, page: PageText) -> None:
        super().__init__(page)
        self._page = page
        self._was_at = (0, 0)

    def begin(self) -> None:
        super().begin()
        self._was_at = (self._page.cursor_line, int(self._page.scroll_offset.y))

    def _go_back(self) -> None:
        self._page.go_to(*self._was_at)


_WIDTH = 104


class PageDialog(Dialog[bool]):
    """The viewer of a page, from a section on. Result: True to show the keys instead.

    ``is_over_keys``: the keys are below it, and Backspace finally leads there.
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

    def __init__(self, place: PageLocation, *, is_over_keys: bool = False) -> None:
        super().__init__()
        self._place = place
        self._is_over_keys = is_over_keys
        self._before: list[tuple[PageLocation, int]] = []
        self._width = 0
        self._box = PageText(id="box")
        self._search = DialogSearch(self, self._box.search, self._tell_search)

    def compose(self) -> ComposeResult:
        yield self._box

    @property
    def key_mode(self) -> Mode:
        """The keys; Esc ends a search before it closes the page."""
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

    # Movement

    def action_page(self, by: int) -> None:
        self._box.scroll_relative(y=by * max(1, self._box.size.height - 1), animate=False)

    def action_line(self, by: int) -> None:
        self._box.scroll_relative(y=by, animate=False)

    # Search

    def action_search(self) -> None:
        """Ask for a pattern to search on the page."""
        self._search.ask()

    def action_search_next(self, by: int) -> None:
        """Go to the next or previous match."""
        self._search.go_on(by)

    def _tell_search(self, words: str) -> None:
        self._box.border_subtitle = visible(words).replace("[", r"\[")

    # Other pages

    def action_choose(self) -> None:
        """Ask for a topic, or for words to search for in the manual."""
        ask_for_place(self.app, self._open, near=find_links(read_page(self._place.topic)))

    def action_open_page(self, topic: str) -> None:
        """Follow a link."""
        self._open(PageLocation(topic))

    def action_back(self) -> None:
        """Go back to the previous page."""
        if self._before:
            self._place, offset = self._before.pop()
            self._show(offset)
        elif self._is_over_keys:
            self.dismiss(True)

    def action_leave(self) -> None:
        """Clear the search marks; without marks, close."""
        if not self._search.clear():
            self.action_close(False)

    def action_close(self, wants_keys: bool) -> None:
        self.dismiss(wants_keys)

    def _open(self, place: PageLocation) -> None:
        if place == KEYS_NOW:
            self.dismiss(True)
        elif self.is_attached:
            self._before.append((self._place, int(self._box.scroll_offset.y)))
            self._place = place
            self._show()

    # Painting

    def _show(self, offset: int | None = None) -> None:
        """Show the place, scrolled to its section or to a previous offset."""
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
        """Return the page's lines, and the line of the section."""
        from tuidbg.manual.rendering import render_page

        self._width = self._page_width()
        rendered = render_page(read_page(self._place.topic), self._width)
        lines = [
            [Segment(segment.text, _clickable(segment)) for segment in line]
            for line in rendered.lines
        ]
        return lines, rendered.sections[self._place.section]


def ask_for_place(
    app: App[Any],
    take: Callable[[PageLocation], None],
    *,
    near: tuple[str, ...] = (),
    words: str = "",
) -> None:
    """Let the user choose a page; the topics of ``near`` come first."""

    def chosen(place: PageLocation | None) -> None:
        if place is not None:
            take(place)

    app.push_screen(ManualDialog(near, words), chosen)


def _clickable(segment: Segment) -> Style:
    """Return the segment's style; a link opens its page at a click."""
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
