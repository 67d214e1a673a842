"""A page of the manual as lines of styled text of one width, for a terminal and for the screen.

Only bold, dim and underlined text is used, so that it goes with every theme. A link to another page
is marked with ``LINK`` and its topic, for whoever can follow it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from tuidbg.manual.pages import ManualPage

LINK = "manual:"
"""The beginning of the address of another page."""

_PAGE_LINK = re.compile(r"\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
_FILE_LINK = re.compile(r"\]\(\.\./[^)]*\)")

_THEME = Theme(
    {
        "markdown.paragraph": "none",
        "markdown.code": "bold",
        "markdown.code_block": "none",
        "markdown.block_quote": "italic",
        "markdown.list": "none",
        "markdown.item": "none",
        "markdown.item.bullet": "bold",
        "markdown.item.number": "bold",
        "markdown.hr": "dim",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
        "markdown.em": "italic",
        "markdown.strong": "bold",
        **{f"markdown.h{level}": "none" for level in range(1, 7)},
    }
)


@dataclass(frozen=True)
class Rendered:
    """The lines of a page, and at which of them each section begins."""

    lines: tuple[tuple[Segment, ...], ...]
    sections: tuple[int, ...]


class _LeftHeading(Heading):
    """A heading at the left, without a box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        text.stylize("bold underline" if self.tag in ("h1", "h2") else "bold")
        yield text


class _PlainCode(CodeBlock):
    """Code as it stands, a little to the right: what is copied has no frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = Text(str(self.text).rstrip(), overflow="fold")
        yield Padding(text, (0, 0, 0, 4))


class _WholeCells(TableElement):
    """A table whose cells go on in the next line where they do not fit; none is cut short."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class _ManualMarkdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "table_open": _WholeCells,
    }


def make_console(width: int) -> Console:
    """A console that writes nowhere and styles what it is given in the manner of the manual."""
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        theme=_THEME,
        _environ={},
    )


def render_page(page: ManualPage, width: int) -> Rendered:
    """The page in lines of at most ``width`` cells."""
    console = make_console(width)
    lines: list[tuple[Segment, ...]] = []
    begins = []
    for section in page.sections:
        if lines:
            lines.append(())
        begins.append(len(lines))
        lines += _render(section.text, console)
    return Rendered(tuple(lines), tuple(begins))


def _render(text: str, console: Console) -> Iterator[tuple[Segment, ...]]:
    text = _FILE_LINK.sub("]()", _PAGE_LINK.sub(rf"]({LINK}\1)", text))
    markdown = _ManualMarkdown(text, hyperlinks=True)
    rendered = [tuple(line) for line in console.render_lines(markdown, pad=False)]
    while rendered and not _is_full(rendered[-1]):
        rendered.pop()
    while rendered and not _is_full(rendered[0]):
        rendered.pop(0)
    for line in rendered:
        yield _without_end(line)


def _without_end(line: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The line without the spaces that fill it."""
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return tuple(kept)


def _is_full(line: tuple[Segment, ...]) -> bool:
    return any(segment.text.strip() for segment in line)
