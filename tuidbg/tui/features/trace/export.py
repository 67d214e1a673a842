"""Export of a trace: CSV for spreadsheets, JSON for scripts, chosen by the file name."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.session.core import redaction
from tuidbg.session.model.state import TraceRecord

COLUMNS = ("number", "time", "breakpoint", "count", "thread", "text", "path", "line")
"""The columns of the CSV file and the keys of the JSON objects."""


def export_problem(path: Path) -> str:
    """Return why a path can't be written, judging by its name; empty if it can."""
    if path.suffix.lower() not in (".csv", ".json"):
        return "the name must end in .csv or .json"
    if path.is_dir():
        return "that is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return ""


def write_trace(path: Path, records: Sequence[TraceRecord]) -> None:
    """Write the records, oldest first, without secrets; times are ISO 8601. Raises OSError."""
    with redaction.hidden(redaction.Redaction.NAMES):
        rows = redaction.sent([_row(record) for record in records])
    if path.suffix.lower() == ".json":
        path.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
        return
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def _row(record: TraceRecord) -> dict[str, Any]:
    text = redaction.values(record.text, are_secret=record.are_secret)
    when = datetime.fromtimestamp(record.time).astimezone()
    return {
        "number": record.number,
        "time": when.isoformat(timespec="microseconds"),
        "breakpoint": record.breakpoint,
        "count": record.count,
        "thread": record.thread,
        "text": text.encode("utf-8", "backslashreplace").decode("utf-8"),
        "path": record.path,
        "line": record.line,
    }
