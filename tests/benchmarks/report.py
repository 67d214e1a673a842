"""The figures as Markdown for people and as JSON for programs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import (
    BARS,
    COLUMNS,
    MEASURES,
    TUIDBG,
    Bar,
    Figures,
    Measure,
)
from tests.benchmarks.peers import installed_version


def describe_machine(peers: Path | None) -> dict[str, str]:
    """Returns what the figures hold for: the machine and the versions."""
    machine = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load at the start": f"{os.getloadavg()[0]:.1f}",
    }
    for package in ("textual", "debugpy"):
        machine[package] = installed_version(sys.executable, package)
    if peers:
        for package in ("pudb", "textual-debugger"):
            machine[package] = installed_version(peers / "python", package)
    return machine


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def make_markdown(figures: Figures, machine: dict[str, str], runs: int) -> str:
    """The whole report: the machine, the table, the bars, and what went wrong."""
    columns = [who for who in COLUMNS if any(who in by for by in figures.samples.values())]
    rows = [
        [measure.title, *(_cell(figures, measure, who, runs) for who in columns)]
        for measure in MEASURES
        if measure in figures.samples
    ]
    parts = [
        ", ".join(f"{name} {value}" for name, value in machine.items()),
        f"Medians of {runs}, of as many as stand in brackets otherwise; at the speed of programs on"
        " each Python the quickest quarter.",
        _table(["", *columns], rows),
    ]
    if bars := [row for bar in BARS if (row := _bar_row(figures, bar))]:
        parts.append(_table(["bar", TUIDBG, "allowed", "ratio", "limit", ""], bars))
    if figures.failures:
        parts.append("\n".join(["Not measured:", *(f"- {text}" for text in figures.failures)]))
    return "\n\n".join(parts) + "\n"


def make_json(figures: Figures, machine: dict[str, str]) -> dict[str, Any]:
    """Everything that was measured, every sample included."""
    return {
        "machine": machine,
        "measures": [
            {"measure": m.title, "unit": m.unit, "who": who, "value": figures.get(m, who),
             "samples": [round(sample, 3) for sample in samples]}
            for m in MEASURES
            for who, samples in figures.samples.get(m, {}).items()
        ],
        "bars": [
            {"measure": bar.measure.title, "factor": bar.factor, "who": bar.who,
             "of": bar.of, "value": figures.get(bar.measure, bar.of), "limit": figures.limit(bar)}
            for bar in BARS
        ],
        "failures": figures.failures,
    }  # fmt: skip


def _bar_row(figures: Figures, bar: Bar) -> list[str] | None:
    value, limit = figures.get(bar.measure, bar.of), figures.limit(bar)
    if value is None or limit is None:
        return None
    title = bar.measure.title if bar.of == TUIDBG else f"{bar.measure.title} ({bar.of})"
    if bar.who:
        than = f"{bar.than.title}" if bar.than else bar.who
        title = f"{title}, against {than}"
        ratio = f"{value / ((limit - bar.more) / bar.factor):.2f}"
        allowed = f"{bar.factor:g}" + (f" + {bar.more:g} {bar.measure.unit}" if bar.more else "")
    else:
        ratio = allowed = ""
    kept = value >= limit if bar.at_least else value <= limit
    verdict = "ok" if kept else "**MISSED**"
    unit = bar.measure.unit
    return [title, _number(value, unit), _number(limit, unit), ratio, allowed, verdict]


def _cell(figures: Figures, measure: Measure, who: str, runs: int) -> str:
    value = figures.get(measure, who)
    if value is None:
        return "-"
    count = len(figures.samples[measure][who])
    return _number(value, measure.unit) + (f" ({count})" if count != runs else "")


def _number(value: float, unit: str) -> str:
    digits = 0 if value >= 100 or unit in ("B", "") else 1
    return f"{value:,.{digits}f} {unit}".strip()


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
