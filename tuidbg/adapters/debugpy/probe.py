"""tuidbg's side of the probe that runs in the debugged program (``debuggee/probe``).

Makes the expressions that are evaluated there, and reads what it tells. The manual's page
``program`` lists all that is evaluated in the program on tuidbg's own account.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tuidbg.adapters.debugpy.inside_calls import loaded_module
from tuidbg.adapters.probe import HitRecord, ProbeReport
from tuidbg.debuggee.bundle import bundle, load_expression

_MODULE = "probe.probe"


def call(function: str, argument: object) -> str:
    """Calls one of the probe's functions; the argument is written as a Python literal."""
    return f"{loaded_module('probe')}.{function}({argument!r})"


def mark_condition(conditions: Mapping[int, str], *, always: bool = False) -> str:
    """The condition that the adapter is given.

    The probe reads the mark; where there is no probe (a child process), what stands before it is
    what debugpy itself makes of the breakpoint.
    """
    plain = always or not all(conditions.values())
    native = "True" if plain else " or ".join(f"({each})" for each in conditions.values())
    return f"{native} #tuidbg {','.join(map(str, conditions))}{'!' if always else ''}"


def read_report(data: object) -> ProbeReport | None:
    """Returns what the probe tells in an ``output`` event's data; None where it is no probe's."""
    if not isinstance(data, Mapping):
        return None
    try:
        report = msgspec.convert(data, ProbeReport, strict=False)
        told = msgspec.convert(data.get("told", ()), list[_Told], strict=False)
    except msgspec.ValidationError:
        return None
    return msgspec.structs.replace(report, records=tuple(_apart(told))) if told else report


class _Told(msgspec.Struct, frozen=True, array_like=True):
    """Hits of one place in a row, as the probe puts them together."""

    number: int
    thread: str
    path: str
    line: int
    begin: float
    counts: tuple[int, ...]
    times: tuple[int, ...]
    texts: tuple[str, ...]


def _apart(told: Sequence[_Told]) -> Iterator[HitRecord]:
    for each in told:
        for count, time, text in zip(each.counts, each.times, each.texts, strict=True):
            when = each.begin + time / 1e6
            yield HitRecord(each.number, count, when, each.thread, text, each.path, each.line)


class DebugpyProbe:
    """``Probe`` for debugpy."""

    def install(self) -> str:
        return load_expression(*bundle(_MODULE))

    def mark_condition(self, conditions: Mapping[int, str], *, always: bool = False) -> str:
        return mark_condition(conditions, always=always)

    def read_report(self, data: object) -> ProbeReport | None:
        return read_report(data)

    def put(self, specs: Sequence[Mapping[str, Any]]) -> str:
        return call("put", list(specs))

    def forget(self, numbers: Sequence[int]) -> str:
        return call("forget", list(numbers))

    def catch(self, rules: Sequence[Mapping[str, Any]]) -> str:
        return call("catch", list(rules))

    def look(self, names: Sequence[str]) -> str:
        return call("look", list(names))
