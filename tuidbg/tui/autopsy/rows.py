"""The rows of an autopsy: exceptions, frames, and what is known of one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from rich.cells import chop_cells

from tuidbg.lines import first_words, split_lines
from tuidbg.session.autopsy import AutopsyFrame, AutopsyVariable, ExceptionPart, SourceLine
from tuidbg.tui.widgets.rows import Piece, Row, visible

LINKS = {
    "cause": "direct cause: ",
    "context": "during handling of: ",
    "member": "",
}
"""Tells how an exception came before the one above it."""

MESSAGE_LINES = 200
"""Lines of a message in the details."""


def parts_of(part: ExceptionPart, depth: int) -> Iterator[tuple[int, ExceptionPart]]:
    """An exception with its depth, its group, then what led to it."""
    yield depth, part
    for member in part.members:
        yield from parts_of(member, depth + 1)
    for earlier in part.inner:
        yield from parts_of(earlier, depth)  # beside the exception, not inside of it


def part_rows(
    number: int, depth: int, part: ExceptionPart, interpreter: tuple[str, str]
) -> Iterator[Row]:
    """An exception, and what there is to say of it; by that interpreter, and why by that one."""
    first_line = first_words(part.message)
    mark = "✗ " if not part.link else "│ " if part.link == "member" else "↳ "
    pieces: list[Piece] = [
        (" " + mark, "error"),
        (LINKS.get(part.link, ""), "faint"),
        (visible(part.type), "strong" if not part.link else "name"),
    ]
    if part.message or part.problem:
        pieces.append((": ", "faint"))
        text = (f"<{part.problem}>", "warning") if part.problem else (visible(first_line), "value")
        pieces.append(text)
    yield Row(("part", number), tuple(pieces), depth)
    for index, remark in enumerate(_remarks(part, interpreter)):
        yield Row(("part", number, index), (("   ", "plain"), *remark), depth)


def _remarks(part: ExceptionPart, interpreter: tuple[str, str]) -> Iterator[tuple[Piece, ...]]:
    """Yields what else there is to say of an exception, a row each."""
    if interpreter[0] and part.type == "ModuleNotFoundError":
        yield ("not found by ", "faint"), (visible(interpreter[0], 400), "name")
        if interpreter[1]:
            yield ("which is ", "faint"), (visible(interpreter[1]), "name")
    for note in part.notes:
        yield ("note: ", "faint"), (visible(note.partition("\n")[0]), "name")
    if missing := part.members_total - len(part.members):
        yield ((f"not shown: {missing:,} of the group", "faint"),)
    if part.suppressed:
        yield ((f"raised from None, which hides a {visible(part.suppressed)}", "faint"),)


def part_details(part: ExceptionPart, width: int) -> Iterator[Row]:
    rows: list[tuple[Piece, ...]] = [(((" " + visible(part.type)), "strong"),)]
    if part.problem:
        rows.append(((f" no message: {part.problem}", "warning"),))
    rows += [((" " + line, "value"),) for line in _wrap(part.message, width)]
    for note in part.notes:
        rows.append(((" Note", "faint"),))
        rows += [(("  " + line, "name"),) for line in _wrap(note, width)]
    if part.attributes:
        rows.append(((" It carries", "faint"),))
        rows += [_variable_pieces(each) for each in part.attributes]
    if part.raised_at is not None:
        rows.append(((" Raised at ", "faint"), (_place(part.raised_at), "name")))
        if part.raised_at.source:
            rows.append(_source_pieces(part.raised_at))
    for index, pieces in enumerate(rows):
        yield Row(index, pieces)


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in split_lines(text)[:MESSAGE_LINES]:
        lines += chop_cells(visible(line, 4000), width) or [""]
    return lines


def groups_of(frames: Sequence[AutopsyFrame]) -> Iterator[list[AutopsyFrame]]:
    """The frames of libraries that follow on each other together, all others by themselves.

    So is the one that raised: it is what a person looks for.
    """

    def kind(frame: AutopsyFrame) -> tuple[bool, int]:
        is_folded = frame.is_external and not frame.is_throwing
        return is_folded, 0 if is_folded else frame.index

    for _, group in groupby(frames, kind):
        yield list(group)


def group_row(first: int, number: int, is_open: bool) -> Row:
    """The row for ``number`` frames of libraries, the innermost of which is the ``first``."""
    words = f"   {'▾' if is_open else '▸'} {number} frames of libraries"
    return Row(("library", first), ((words, "faint"),))


def frame_row(frame: AutopsyFrame, indent: int = 0) -> Row:
    style = "faint" if frame.is_external else "name"
    pieces: list[Piece] = [
        (" ! " if frame.is_throwing else "   ", "error"),
        (visible(frame.function), style),
        (f"  {_place(frame.line)}", "faint"),
    ]
    if frame.line.source and not frame.is_external:
        pieces.append((f"  {visible(frame.line.source.strip())}", "value"))
    return Row(("frame", frame.index), tuple(pieces), indent)


def frame_details(frame: AutopsyFrame, *, is_gone: bool = False) -> Iterator[Row]:
    """Returns what is known of a frame; ``is_gone``: its variables can't be read any more."""
    where = f" {visible(frame.module)}." if frame.module else " "
    names: dict[int, str] = {}
    rows: list[tuple[Piece, ...]] = [
        (
            (where, "faint"),
            (visible(frame.function), "strong"),
            (f"  {_place(frame.line)}", "faint"),
        )
    ]
    if frame.line.source:
        rows.append(_source_pieces(frame.line))
    if frame.arguments is None or frame.variables is None:
        gone = " nobody read its variables while the program stood there"
        rows.append(((gone if is_gone else " reading its variables…", "faint"),))
    else:
        for title, found in (("Arguments", frame.arguments), ("Locals", frame.variables.locals)):
            rows.append(((f" {title}", "faint"), ("" if found else "  (none)", "faint")))
            names |= {len(rows) + number: each.name for number, each in enumerate(found)}
            rows += [_variable_pieces(each) for each in found]
        if frame.variables.left_out:
            rows.append(((f"   … {frame.variables.left_out} more", "faint"),))
        for problem in frame.variables.errors or ():
            text = f" could not be read: {visible(problem.name)} ({visible(problem.problem)})"
            rows.append(((text, "warning"),))
    for index, pieces in enumerate(rows):
        yield Row(("variable", names[index]) if index in names else index, pieces)


def _variable_pieces(variable: AutopsyVariable) -> tuple[Piece, ...]:
    count = f" [{variable.children_count:,}]" if variable.children_count is not None else ""
    return (
        ("   " + visible(variable.name), "name"),
        (" = ", "faint"),
        (visible(variable.value), "value"),
        (f"  {visible(variable.type)}{count}", "faint"),
    )


def _source_pieces(line: SourceLine) -> tuple[Piece, ...]:
    """The line with the part that raised standing out."""
    text = line.source
    start = line.column - 1 if line.column else 0
    end = line.end_column - 1 if line.end_column else len(text)
    if not line.column:
        start = end = 0
    indent = min(len(text) - len(text.lstrip()), start) if line.column else 0
    text = text[indent:] if line.column else text.lstrip()
    start, end = start - indent, end - indent
    return (
        ("   ", "plain"),
        (visible(text[:start]), "name"),
        (visible(text[start:end]), "changed"),
        (visible(text[end:]), "name"),
    )


def _place(line: SourceLine) -> str:
    return visible(f"{PurePath(line.place.path).name}:{line.place.line}")


def count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
