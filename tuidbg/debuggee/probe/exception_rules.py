"""The exceptions that stop the program, by pydevd's questions about them."""

from __future__ import annotations

import builtins
import sys

from tuidbg.debuggee.probe.hits import count_hit
from tuidbg.debuggee.probe.probe_state import (
    DB,
    EXCEPTIONS,
    HITS,
    LOCK,
    PID,
    clean,
    get_ident,
    getpid,
    safe,
)
from tuidbg.debuggee.probe.reports import Telling, tell, tell_soon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType
    from typing import Any

native_get: Any
native_ignore: Any
native_exclude: Any
native_send: Any
native_stop: Any
# What the functions here stand for.


STOPS: dict[Any, Any] = {}
"""By thread: why the stop at an exception that comes next does so, and the exception's trace."""


class Caught(object):
    """Replacement for pydevd's exception breakpoint, for one kind of event, with its rules."""

    condition = expression = None
    notify_on_first_raise_only = False
    has_condition = False
    name, type = "BaseException", BaseException

    def __init__(self, qname: str, event: str, rules: Any, native: Any) -> None:
        self.qname, self.event, self.rules = qname, event, rules
        self.ignore_libraries = native.ignore_libraries

    def __str__(self) -> Any:
        return self.qname


def full_name(kind: type[BaseException]) -> str:
    return "%s.%s" % (kind.__module__, kind.__qualname__)


def names_of(kind: type[BaseException]) -> Any:
    """The names by which people may call an exception type."""
    names = {safe(full_name, kind)}
    if kind.__module__ == "builtins" or not hasattr(builtins, kind.__name__):
        names.add(kind.__name__)
    return names


def find_type(name: str) -> Any:
    """Returns what a name stands for in the loaded modules, such as ``json.JSONDecodeError``."""
    parts = name.split(".")
    for split in range(len(parts) - 1, -1, -1):
        found = sys.modules.get(".".join(parts[:split])) if split else builtins
        for part in parts[split:]:
            found = getattr(found, "__dict__", {}).get(part)
        if found is not None:
            return found
    return None


def is_named(kind: type[BaseException], name: str) -> bool:
    return name in names_of(kind) or kind is find_type(name)


def matches(rule: dict[str, Any], kind: type[BaseException]) -> bool:
    name, family = rule["type"], kind.__mro__[:-1]
    if name and not any(is_named(each, name) for each in (family if rule["subtypes"] else [kind])):
        return False
    return not any(is_named(each, name) for each in family for name in rule["ignored"])


def get_exception_breakpoint(kind: type[BaseException], exceptions: dict[str, Any]) -> Any:
    """pydevd's question: does anything stop at this type? Decided once for each type."""
    if not exceptions:
        return None
    if getpid() != PID or EXCEPTIONS["rules"] is None:
        return native_get(kind, exceptions)  # no rules have come: pydevd's own hold
    if exceptions is DB.break_on_caught_exceptions:
        event = "raised"
    elif exceptions is DB.break_on_uncaught_exceptions:
        event = "uncaught"
    else:
        event = "user_uncaught"
    chosen = EXCEPTIONS["chosen"]
    key = (kind, event)
    try:
        return chosen[key]
    except KeyError:
        pass
    with LOCK:
        EXCEPTIONS["seen"].add(clean(safe(full_name, kind)))
        tell_soon()
    rules = [rule for rule in EXCEPTIONS["rules"] if rule[event] and matches(rule, kind)]
    if event != "raised" and issubclass(kind, SystemExit):
        rules = [rule for rule in rules if rule["type"]]  # the end of a program is no failure
    native = next(iter(exceptions.values()))
    found = Caught(kind.__name__, event, rules, native) if rules else None
    if len(chosen) > 2000:  # a program that makes its types as it goes
        chosen.clear()
    chosen[key] = found
    return found


def ignore_system_exit_code(code: CodeType) -> Any:
    """pydevd's question: is this exit none that stops, whatever its code?"""
    rules = EXCEPTIONS["rules"] or ()
    if getpid() == PID and any(rule["type"] and matches(rule, SystemExit) for rule in rules):
        return False
    return native_ignore(code)


def exclude_exception_by_filter(caught: Any, trace: Any) -> bool:
    """pydevd's question: is this frame none of the person's business?"""
    if native_exclude(caught, trace):
        return True
    if not isinstance(caught, Caught) or caught.event == "uncaught":
        return False
    # Once for each exception, not once for each frame that it passes through.
    own = caught.event == "user_uncaught"
    inner = trace.tb_next
    while inner is not None:
        if native_exclude(caught, inner):
            own = False
        elif not own:
            return True
        inner = inner.tb_next
    rules = rules_at(caught, trace)
    if caught.event == "raised" and rules:
        STOPS[get_ident()] = ("raised", trace)
    return not rules


def rules_at(caught: Any, trace: Any) -> list[Any]:
    """The rules that hold for where it was raised."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__") or ""
    return [rule for rule in caught.rules if not rule["modules"] or within(module, rule["modules"])]


def within(module: str, modules: Sequence[str]) -> bool:
    return any(module == each or module.startswith(each + ".") for each in modules)


def send_caught_exception_stack(thread: Any, arg: Any, frame_id: Any) -> Any:
    """Replacement for pydevd's report of a stop; its breakpoints are reported before."""
    event, trace = STOPS.pop(get_ident(), ("", None))
    if getpid() == PID and DB.writer is not None:
        if event == "uncaught":
            moments = DB.break_on_uncaught_exceptions
        elif event == "raised" and trace is arg[2]:
            moments = DB.break_on_caught_exceptions
        else:
            moments = DB.break_on_user_uncaught_exceptions
        caught = get_exception_breakpoint(arg[0], moments)
        rules = rules_at(caught, arg[2]) if isinstance(caught, Caught) else []
        with LOCK:
            found = [HITS[rule["number"]] for rule in rules if rule["number"] in HITS]
            for hits in found:
                count_hit(hits)
        tell()
        DB.writer.add_command(HitNumbers("hit", [hits.number for hits in found]))
    return native_send(thread, arg, frame_id)


class HitNumbers(Telling):
    """A report of the breakpoints to which the next stop belongs."""

    def __init__(self, name: str, numbers: Sequence[int]) -> None:
        self.name, self.numbers = name, numbers

    def send(self, sock: Any) -> None:
        self.send_data(sock, {self.name: self.numbers, "pid": PID})


def do_stop_on_unhandled_exception(
    thread: Any, frame: FrameType, frames_byid: Any, arg: Any
) -> Any:
    """pydevd stops at an uncaught exception (second chance)."""
    if getpid() == PID:
        caught = get_exception_breakpoint(arg[0], DB.break_on_uncaught_exceptions)
        if isinstance(caught, Caught) and not rules_at(caught, arg[2]):
            return None
        STOPS[get_ident()] = ("uncaught", arg[2])
    return native_stop(thread, frame, frames_byid, arg)


def hook_in() -> None:
    """Put these functions in the place of pydevd's."""
    global native_get, native_ignore, native_exclude, native_send, native_stop
    native_get = DB.get_exception_breakpoint
    native_ignore = DB.ignore_system_exit_code
    native_exclude = DB.exclude_exception_by_filter
    native_send = DB.send_caught_exception_stack
    native_stop = DB.do_stop_on_unhandled_exception
    DB.get_exception_breakpoint = get_exception_breakpoint
    DB.ignore_system_exit_code = ignore_system_exit_code
    DB.exclude_exception_by_filter = exclude_exception_by_filter
    DB.send_caught_exception_stack = send_caught_exception_stack
    DB.do_stop_on_unhandled_exception = do_stop_on_unhandled_exception
