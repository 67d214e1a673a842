"""Lists of breakpoints, each of which replaces the one before: what is new, changed, and gone.

What a client asks for is compared with what it has asked before: at a breakpoint that it repeats
unchanged, what others have set beside it (a condition, a count) stays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.api.dap.telling.breakpoints import Asked, KnownToClient
from tuidbg.api.operations import table
from tuidbg.api.operations.breakpoints import code_of
from tuidbg.session.breakpoints.options import BreakpointSettings, check_settings
from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Breakpoint, BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.adapters.languages import Language
    from tuidbg.api.dap.client import Client

Json = dict[str, Any]


_OVERRIDDEN = "another one at the same place comes later in the list, and counts"


class Entry(msgspec.Struct, frozen=True):
    """One of a client's list. ``key`` is its place, ``make`` makes one there that nobody knows yet.

    ``problem`` is why it can't be set, where that is known already.
    """

    key: Hashable
    asked: Asked
    make: Callable[[], Breakpoint]
    problem: str = ""


async def replace_list(
    client: Client,
    entries: Sequence[Entry],
    existing: dict[Hashable, Breakpoint],
    language: Language,
    *,
    ask_again: bool = False,
) -> list[Json]:
    """Set a list in place of what the client knows of the ``existing``; one answer for each entry.

    ``ask_again``: those that stay are looked at anew as well.
    """
    known = _known(client)
    entries = _last_of_each_place([_checked(entry, language) for entry in entries])
    _demand(client, entries, known, existing)
    wanted = {entry.key: entry for entry in entries if not entry.problem}
    changes: list[tuple[Breakpoint, BreakpointSettings]] = []
    numbers: dict[Hashable, int] = {}
    for key, entry in wanted.items():
        found = existing.get(key)
        if found is None:
            try:
                found = entry.make()
            except DebuggerError as error:
                entries = [_with_problem(e, str(error)) if e.key == key else e for e in entries]
                continue
            changes.append((found, _settings(entry.asked)))
        else:
            before = known.asked.get(found.number, Asked())
            settings = _difference(before, entry.asked)
            if settings or ask_again or found.status is BreakpointStatus.REFUSED:
                changes.append((found, settings))
        numbers[key] = found.number
    gone = [
        found
        for key, found in existing.items()
        if key not in wanted and known.may_replace(found.number)
    ]
    own: set[int] = set(numbers.values()) | {found.number for found in gone}
    changing = client.session.breakpoints.changing
    with known.changing(own):
        if changes or gone:
            await table.REPLACE_BREAKPOINTS(changing, changes, gone, origin=client.caller.origin)
        for found in gone:
            known.forget(found.number)
        return [_answer(client, entry, numbers.get(entry.key)) for entry in entries]


def _known(client: Client) -> KnownToClient:
    assert client.teller is not None
    return client.teller.known


def _checked(entry: Entry, language: Language) -> Entry:
    if entry.problem:
        return entry
    problems = check_settings(_settings(entry.asked), language)
    return _with_problem(entry, next(iter(problems.values()))) if problems else entry


def _last_of_each_place(entries: Sequence[Entry]) -> list[Entry]:
    """Of several at one place that are not the same, the last one is set: there is one a place."""
    last = {entry.key: entry for entry in entries if not entry.problem}
    return [
        _with_problem(entry, _OVERRIDDEN)
        if not entry.problem and entry.asked != last[entry.key].asked
        else entry
        for entry in entries
    ]


def _with_problem(entry: Entry, problem: str) -> Entry:
    return msgspec.structs.replace(entry, problem=problem)


def _demand(
    client: Client,
    entries: Iterable[Entry],
    known: KnownToClient,
    existing: dict[Hashable, Breakpoint],
) -> None:
    """Code in conditions and messages needs the right to evaluate. Raises ScopeMissing."""
    texts: list[str] = []
    for entry in entries:
        found = existing.get(entry.key)
        if found is None or known.asked.get(found.number) != entry.asked:
            texts += code_of(_settings(entry.asked))
    session_id = client.member.id
    client.place.gate.demand_code(client.caller, "setBreakpoints", session_id, texts)


def _settings(asked: Asked) -> BreakpointSettings:
    return {
        "condition": asked.condition,
        "hit_condition": asked.hit_condition,
        "log_message": asked.log_message,
        "column": asked.column,
        "enabled": True,
    }


def _difference(before: Asked, now: Asked) -> BreakpointSettings:
    """What the client has changed itself; all else is as others have left it."""
    settings: BreakpointSettings = {}
    if now.condition != before.condition:
        settings["condition"] = now.condition
    if now.hit_condition != before.hit_condition:
        settings["hit_condition"] = now.hit_condition
    if now.log_message != before.log_message:
        settings["log_message"] = now.log_message
    if now.column != before.column:
        settings["column"] = now.column
    return settings


def _answer(client: Client, entry: Entry, number: int | None) -> Json:
    found = None
    if number is not None and not entry.problem:
        found = client.session.breakpoints.registry.look_up(number)
    if found is None:
        why = entry.problem or "somebody else has deleted it meanwhile"
        return {"verified": False, "message": why}
    return _known(client).answer(found, entry.asked)
