"""Words the lines around a table: what it is, what its column has, how much is left of it."""

from __future__ import annotations

from tuidbg.session.values.tables import ColumnSummary, TableArranged, TableInfo, TableView
from tuidbg.tui.widgets.rows import Piece, visible

_TYPES_NAMED = 4


def count(number: int, what: str) -> str:
    """A number with its noun: ``1 row``, ``10,000 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def describe_table(
    title: str,
    info: TableInfo,
    view: TableView,
    arranged: TableArranged,
    decimals: int | None = None,
) -> list[Piece]:
    """The line above the table."""
    pieces: list[Piece] = [(f" {visible(title, 200)}", "strong")]
    if info.axes:
        shown = ", ".join([*map(str, info.slices), *[":"] * (2 if info.columns else 1)])
        of = " × ".join(map(str, info.axes))
        pieces += [(f"  [{shown}]", "strong"), (f" of {of}", "faint")]
    if view.filter is not None:
        pieces += [("  ", "plain"), (f" {describe_filter(view)} ", "marked")]
        is_part = arranged.searched < info.rows
        of = f"of the first {arranged.searched:,} of" if is_part else "of"
        pieces.append((f"  {arranged.rows:,} {of}", "warning" if is_part else "plain"))
    gap = " " if view.filter is not None else "  "
    pieces.append((f"{gap}{count(info.rows, 'row')} × {count(info.columns, 'column')}", "plain"))
    if decimals is not None:
        pieces += [("  ", "plain"), (f" rounded to {count(decimals, 'decimal')} ", "marked")]
    pieces.append((f"  {info.type}", "faint"))
    if info.types:
        pieces.append(("  " + _describe_types(info), "faint"))
    if info.note:
        pieces.append((f"  {info.note}", "warning"))
    return pieces


def describe_filter(view: TableView) -> str:
    """The filter as it was typed."""
    if view.filter is None:
        return ""
    text = visible(view.filter.text, 60)
    return text if view.filter.is_expression else f"{text!r}"


def _describe_types(info: TableInfo) -> str:
    named = [
        f"{visible(name, 40)} ×{how_many}" if how_many > 1 or len(info.types) > 1 else name
        for name, how_many in info.types[:_TYPES_NAMED]
        if name
    ]
    return ", ".join(named) + (" …" if len(info.types) > _TYPES_NAMED else "")


def describe_column(summary: ColumnSummary) -> list[Piece]:
    """The line below the table."""
    pieces: list[Piece] = [
        (f" {visible(summary.name, 60)}", "strong"),
        (f"  {visible(summary.type, 60)}", "faint"),
    ]
    facts = [
        (name, visible(_short(text), 40))
        for name in ("min", "max", "mean", "sum")
        if (text := getattr(summary, name))
    ]
    if summary.nulls is not None:
        facts.append(("nulls", f"{summary.nulls:,}"))
    if summary.unique is not None:
        facts.append(("unique", f"{summary.unique:,}"))
    for name, text in facts:
        pieces += [(f"  {name} ", "faint"), (text, "plain")]
    if summary.error:
        pieces.append((f"  {visible(summary.error, 200)}", "warning"))
    elif summary.costly:
        pieces.append((f"  {count(summary.rows, 'row')}: d counts them all", "warning"))
    elif summary.rows and summary.unique is None:
        pieces.append(("  d counts what is unique", "faint"))
    return pieces


def _short(text: str) -> str:
    """A number of many digits by its first six."""
    try:
        return f"{float(text):.6g}" if len(text) > 10 else text
    except ValueError:
        return text


def describe_step(step: int, what: str) -> str:
    """The sample that a plot shows: ``, 1 in 500 values``."""
    return f", 1 in {count(step, what)}" if step > 1 else ""


def describe_seconds(seconds: float) -> str:
    """A time to wait, roughly."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
