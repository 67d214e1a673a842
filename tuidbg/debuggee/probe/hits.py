"""One breakpoint: what was asked of it, its counts, and what a hit does."""

from __future__ import annotations

import sys
from types import CodeType

from tuidbg.debuggee.loader import find_loaded
from tuidbg.debuggee.probe.probe_state import (
    BACKLOG,
    CHANGED,
    DB,
    HITS,
    LOCK,
    PLAIN,
    RECORDS,
    STATE,
    TEXT_LIMIT,
    Real,
    active_threads,
    clean,
    get_ident,
    safe,
    shorten,
)
from tuidbg.debuggee.probe.reports import note, tell
from tuidbg.debuggee.probe.templates import compile_expression, evaluate, fill_in
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any


IS_ALONE = sys.version_info >= (3, 12) and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether no other thread runs between two lines here that call nothing and do not loop."""

NEVER = float("inf")


class Hits(object):
    """One breakpoint: what was asked of it, and its counts."""

    # Set by ``configure``.
    kind: str
    operator: str
    value: int
    ignore: int
    every: int
    at_most: int
    on_error: str
    temporary: bool
    code: Any
    plain: Any
    parts: list[Any]
    names: list[Any] | None
    command_codes: list[Any]

    def __init__(self, number: int) -> None:
        self.number = number
        self.count = self.misses = self.errors = self.sent = self.base = 0
        self.error = ""
        self.done = False
        self.armed = True
        self.ignore_set = self.budget_set = self.trigger = 0
        self.arms: Sequence[int] = ()
        self.next = 0

    def configure(self, spec: dict[str, Any]) -> None:
        """Take over settings; counts stay, an ignore count or a budget begins again if set."""
        if spec["ignore_set"] != self.ignore_set:
            self.base = self.count
        if spec["budget_set"] != self.budget_set:
            self.sent = 0
        if spec["trigger"] != self.trigger:
            self.armed = not spec["trigger"]
        self.done = False
        for name, value in spec.items():
            setattr(self, name, value)
        self.code = compile_expression(spec["condition"])
        self.plain = self.code if type(self.code) is CodeType else None
        self.next = self.count + 1  # whatever it is, it is looked at once
        self.parts = [
            (text, compile_expression(expression), conversion, form, expression.isidentifier())
            for text, expression, conversion, form in spec["parts"]
        ]
        self.names = plain_names(spec["parts"])
        self.command_codes = [(text, compile_expression(text)) for text in spec["commands"]]

    def counts(self) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
        return (
            self.number,
            self.count,
            self.misses,
            self.errors,
            self.error,
            self.done,
            self.armed,
        )


# What a hit does


def decide(number: int, frame: FrameType) -> Any:
    """Whether this breakpoint stops the program here."""
    hits = HITS.get(number)
    return hits is not None and ask(hits, frame)


def ask(hits: Hits, frame: FrameType) -> Any:
    """Whether it stops the program here. Each pass goes through this: it is to be quick."""
    if hits.done or not hits.armed:
        return False
    held_locals = find_loaded("patches.held_locals")
    if held_locals is None or not held_locals.KEEPS:
        return ask_there(hits, frame)
    held = held_locals.held_in(frame)
    try:
        return ask_there(hits, frame)
    finally:
        if held is not None:
            held_locals.put_back(*held)


def ask_there(hits: Hits, frame: FrameType) -> bool:
    if hits.code is not None:
        try:
            if hits.plain is None:
                is_hit = evaluate(hits.code, frame)
            else:
                is_hit = eval(hits.plain, frame.f_globals, frame.f_locals)
            if not is_hit:
                miss(hits)
                return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return condition_failed(hits, error)
    if IS_ALONE:
        count = hits.count + 1
        if count < hits.next:
            hits.count = count
            if hits.number not in CHANGED:
                with LOCK:
                    note(hits)
            return False
    return pass_count(hits, frame)


def miss(hits: Hits) -> None:
    if IS_ALONE:
        hits.misses += 1
        if hits.number in CHANGED:
            return
    with LOCK:
        if not IS_ALONE:
            hits.misses += 1
        note(hits)


def pass_count(hits: Hits, frame: FrameType) -> bool:
    """Its condition holds: count it; returns whether it stops."""
    with LOCK:
        count = count_hit(hits)
        passes = count - hits.base > hits.ignore and holds(hits.operator, count, hits.value)
        hits.next = next_count(hits)
    if not passes:
        return False
    if hits.kind != "stop":
        tell_hit(hits, frame, count)
        return False
    with LOCK:
        if hits.temporary:
            if hits.done:
                return False
            hits.done = True
    for text, code in hits.command_codes:
        record(hits, frame, count, "%s = %s" % (text, fill_in(code, "r", "", False, frame)))
    return True


def count_hit(hits: Hits) -> Any:
    """Count it, and arm what waited for it."""
    hits.count += 1
    for number in hits.arms:
        other = HITS.get(number)
        if other is not None and not other.armed:
            other.armed = True
            note(other)
    note(hits)
    return hits.count


def next_count(hits: Hits) -> Any:
    """The next count at which there is more to do than to count."""
    if hits.arms:
        return 0
    first = max(hits.count, hits.base + hits.ignore) + 1
    operator, value = hits.operator, hits.value
    if operator == "%":
        return -(-first // value) * value
    if operator == "==":
        return value if value >= first else NEVER
    if operator == ">":
        return max(first, value + 1)
    if operator == ">=":
        return max(first, value)
    return first


def holds(operator: str, count: int, value: int) -> bool:
    if operator == "":
        return True
    if operator == "%":
        return count % value == 0
    if operator == "==":
        return count == value
    if operator == ">":
        return count > value
    if operator == ">=":
        return count >= value
    if operator == "<":
        return count < value
    return count <= value


def condition_failed(hits: Hits, error: BaseException) -> bool:
    text = "%s: %s" % (type(error).__name__, shorten(safe(str, error)))
    with LOCK:
        hits.errors += 1
        hits.error = clean(text)
        note(hits)
    return hits.on_error == "stop"


def tell_hit(hits: Hits, frame: FrameType, count: int) -> None:
    """A log point or tracepoint; it never stops."""
    with LOCK:
        if hits.every > 1 and count % hits.every:
            return
        if hits.at_most and hits.sent >= hits.at_most:
            return
        hits.sent += 1
        if hits.at_most and hits.sent >= hits.at_most:
            hits.done = True
            note(hits)
    text = None if hits.names is None else plain_text(hits, frame)
    if text is None:
        pieces = []
        for text, code, conversion, form, simple in hits.parts:
            pieces.append(text if code is None else fill_in(code, conversion, form, simple, frame))
        text = "".join(pieces)
    record(hits, frame, count, text)
    if not STATE["queued"]:
        tell()


def plain_names(parts: Sequence[Any]) -> list[Any] | None:
    """The texts and names of a template that holds nothing but names; else None."""
    if any(
        form or (expression and not expression.isidentifier()) for _, expression, _, form in parts
    ):
        return None
    return [(text, expression, conversion) for text, expression, conversion, _ in parts]


def plain_text(hits: Hits, frame: FrameType) -> str | None:
    """A template filled in with builtin values alone; None where it is to be done at length."""
    try:
        values, pieces = frame.f_locals, []
        for text, name, conversion in hits.names or ():
            if not name:
                pieces.append(text)
                continue
            value = values[name]
            kind = type(value)
            if kind not in PLAIN or (kind is str and conversion == "a"):
                return None
            piece = repr(value) if kind is not str or conversion == "r" else value
            if len(piece) > TEXT_LIMIT:
                return None
            pieces.append(piece)
        return "".join(pieces)
    except KeyboardInterrupt:
        raise
    except Exception as swallowed:
        SWALLOWED["hits.plain_text", type(swallowed)] += 1
        return None


def record(hits: Hits, frame: FrameType, count: int, text: str) -> None:
    current, now = active_threads.get(get_ident()), Real.now()
    name = "thread %s" % get_ident() if current is None else current.name
    if type(name) is not str:
        name = safe(str, name)
    RECORDS.append(
        ((hits.number, name, frame.f_code.co_filename, frame.f_lineno), count, now, text)
    )
    while len(RECORDS) > BACKLOG and not DB.pydb_disposed:
        tell()
        Real.sleep(0.002)
