"""Small things done with Textual's strips that Textual does not do itself."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget


def common_cells(before: Strip, after: Strip) -> int:
    """Cells at the start of both strips that look the same: they need no repainting."""
    cells = 0
    for old, new in zip(before, after, strict=False):
        if old == new:
            cells += old.cell_length
            continue
        if old.style == new.style and old.text.isascii() and new.text.isascii():
            for one, other in zip(old.text, new.text, strict=False):
                if one != other:
                    break
                cells += 1
        break
    return cells


def fit(segments: Iterable[Segment], width: int, base: Style) -> Strip:
    """The segments in exactly ``width`` cells; what was cut shows as an ellipsis."""
    strip = Strip(segments)
    if strip.cell_length > width:
        strip = Strip([*strip.crop(0, max(0, width - 1)), Segment("…", base)])
    return strip.adjust_cell_length(width, base)


def highlight(strip: Strip, span: tuple[int, int], style: Style, margin: int = 0) -> Strip:
    """The strip with ``style`` over the characters of ``span``, but not over the first ``margin``.

    An end below 0 is the end of the strip, as in Textual's ``Selection.get_span``.
    """
    start = max(margin, span[0])
    stop = max(start, span[1] if span[1] >= 0 else len(strip.text))
    segments: list[Segment] = []
    position = 0
    for text, own, _ in strip:
        first, last = (min(max(cut - position, 0), len(text)) for cut in (start, stop))
        marked = style if own is None else own + style
        parts = ((text[:first], own), (text[first:last], marked), (text[last:], own))
        segments += [Segment(part, look) for part, look in parts if part]
        position += len(text)
    return Strip(segments, strip.cell_length)


def with_selection(widget: Widget, strip: Strip, number: int, margin: int = 0) -> Strip:
    """The strip of a widget's row with what the person has selected of it."""
    selection = widget.text_selection
    span = selection.get_span(number) if selection is not None else None
    if span is None:
        return strip
    return highlight(
        strip, span, widget.screen.get_component_rich_style("screen--selection"), margin
    )
