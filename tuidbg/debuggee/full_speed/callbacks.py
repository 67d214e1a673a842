"""The callbacks of the interpreter at functions and lines with breakpoints or watched values.

An error in here would arrive in the program, at whatever line it is: so none leaves. ``changes``
knows the values that stop when they change; they are looked at at the lines of all code of the
person's own, or of single functions where no other can change them.
"""

from __future__ import annotations

import dis
import sys

from _pydevd_bundle import pydevd_comm_constants as commands

from tuidbg.debuggee.full_speed.breakpoint_lines import (
    LIBRARIES,
    LINES,
    LOOKED_IN,
    TOLD_OF_STARTS,
    Hidden,
    forget_codes,
    is_foreign,
    line_at,
    place_at,
    prepare,
    resting_greenlets,
)
from tuidbg.debuggee.full_speed.fast_steps import note_call_under_step
from tuidbg.debuggee.full_speed.monitoring import (
    DB,
    DISABLE,
    EVENTS,
    FUNCTIONS,
    LOCK,
    MONITORING,
    OF_THREAD,
    SHOWN,
    STATE_SUSPEND,
    TABLES,
    Engine,
    demand,
    get_frame,
)
from tuidbg.debuggee.full_speed.recursion_headroom import LOST, with_room
from tuidbg.debuggee.full_speed.stops import arrive, is_held, meet, stop, wants
from tuidbg.debuggee.loader import find_loaded
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


def on_start(code: CodeType, offset: int) -> Any:
    """A function begins: for the first time since something changed, or always where it stops."""
    answer = DISABLE
    try:
        frame = get_frame(1)
        if SHOWN:
            note_call_under_step(frame)
        prepare(code, frame)
        breakpoint = FUNCTIONS.get(code.co_name)
        if breakpoint is None or is_foreign(code, frame):
            return None if id(code) in TOLD_OF_STARTS else DISABLE
        answer = None
        info = getattr(OF_THREAD, "info", None) or meet(frame)
        if not info.is_tracing and not is_held(info, frame):
            arrive(breakpoint, info, frame, commands.CMD_SET_FUNCTION_BREAK)
    except KeyboardInterrupt:
        raise
    except Exception as swallowed:
        SWALLOWED["callbacks.on_start", type(swallowed)] += 1
    return answer


def on_resume(code: CodeType, offset: int) -> Any:
    """A generator or coroutine goes on: for the first time since something changed."""
    try:
        prepare(code, get_frame(1))
    except Exception as swallowed:
        SWALLOWED["callbacks.on_resume", type(swallowed)] += 1
    return DISABLE


def on_throw(code: CodeType, offset: int, error: BaseException) -> None:
    """It goes on by an exception; that can't be disabled."""
    try:
        prepare(code, get_frame(1))
    except Exception as swallowed:
        SWALLOWED["callbacks.on_throw", type(swallowed)] += 1


def on_line(code: CodeType, line: int) -> Any:
    """A line is about to run. Each pass over a breakpoint goes through here: it is to be quick."""
    place, is_asked = None, False
    try:
        lines = LINES.get(id(code))
        if lines is None:  # something has changed since it was made out
            lines = prepare(code, get_frame(1))
        place = lines.get(line)
        if type(place) is not tuple:
            place = place_at(lines, line, get_frame(1))
            if place is None:
                return DISABLE
        try:
            info = OF_THREAD.info
        except AttributeError:
            info = meet(get_frame(1))
        if info.is_tracing:
            return None
        if info.pydev_state == STATE_SUSPEND:
            arrive_held(code, line, info, get_frame(1))
            return None
        breakpoint, hits = place
        if hits is None:
            arrive(breakpoint, info, get_frame(1), commands.CMD_SET_BREAK)
        elif Engine.probe.ask(hits, get_frame(1)):
            is_asked = True
            stop_by_probe(breakpoint, hits.number, info, get_frame(1))
    except KeyboardInterrupt:
        raise
    except RecursionError:
        try:
            with_room(again, code, line, get_frame(1), is_asked)
        except RecursionError:  # not even that can be called
            if place is not None and place[1] is not None:
                place[1].error = LOST
                place[1].errors += 1
                Engine.probe.CHANGED.add(place[1].number)
        except KeyboardInterrupt:
            raise
        except Exception as swallowed:
            SWALLOWED["callbacks.on_line", type(swallowed)] += 1
    except Exception as swallowed:
        SWALLOWED["callbacks.on_line", type(swallowed)] += 1
    return None


def again(code: CodeType, line: int, frame: FrameType, is_asked: bool) -> None:
    """What failed at a line for want of room; a breakpoint that has been asked stops."""
    place = place_at(prepare(code, frame), line, frame)
    info = getattr(OF_THREAD, "info", None) or meet(frame)
    if info.is_tracing or is_held(info, frame):
        return
    if is_asked:
        stop_by_probe(place[0], place[1].number, info, frame)
    else:
        look_and_arrive(place, info, frame)


def stop_by_probe(breakpoint: Any, number: int, info: Any, frame: FrameType) -> None:
    def tell() -> None:
        Engine.probe.tell_stop([number])

    stop(breakpoint, info, frame, commands.CMD_SET_BREAK, tell)


def arrive_held(code: CodeType, line: int, info: Any, frame: FrameType) -> None:
    """At a breakpoint while the program is to stand still; it is asked when it goes on."""
    if is_held(info, frame):
        return
    place = place_at(prepare(code, frame), line, frame)
    if place is not None:
        arrive(place[0], info, frame, commands.CMD_SET_BREAK)


TELLS_LINE_AGAIN = sys.version_info < (3, 14)
"""Whether a jump to the begin of its own line has a line event as well."""


def on_jump(code: CodeType, from_offset: int, to_offset: int) -> Any:
    """The next pass of a loop in one line."""
    try:
        if to_offset > from_offset:
            return DISABLE
        frame = get_frame(1)
        line = line_at(code, to_offset)
        place = place_at(prepare(code, frame), line, frame)
        is_looked_in = id(code) in LOOKED_IN
        if not (place or is_looked_in) or line != line_at(code, from_offset):
            return DISABLE
        if TELLS_LINE_AGAIN and (to_offset, line) in dis.findlinestarts(code):
            return DISABLE
        info = getattr(OF_THREAD, "info", None) or meet(frame)
        if info.is_tracing or is_held(info, frame):
            return None
        if is_looked_in:
            look_and_arrive(place, info, frame)
        else:
            arrive(place[0], info, frame, commands.CMD_SET_BREAK)
    except KeyboardInterrupt:
        raise
    except Exception as swallowed:
        SWALLOWED["callbacks.on_jump", type(swallowed)] += 1
    return None


# Values that are watched at lines


def on_watched_line(code: CodeType, line: int) -> Any:
    """A line is about to run, while values are looked at; stands in for ``on_line``."""
    try:
        frame = get_frame(1)
        lines = LINES.get(id(code))
        if lines is None:
            lines = prepare(code, frame)
        if lines.get(line) is None and id(code) not in LOOKED_IN:
            return DISABLE
        info = getattr(OF_THREAD, "info", None) or meet(frame)
        if info.is_tracing:
            return None
        if info.pydev_state == STATE_SUSPEND:
            if is_held(info, frame):
                return None
            lines = prepare(code, frame)
        look_and_arrive(place_at(lines, line, frame), info, frame)
    except KeyboardInterrupt:
        raise
    except RecursionError:
        try:
            with_room(again, code, line, get_frame(1), False)
        except KeyboardInterrupt:
            raise
        except Exception as swallowed:
            SWALLOWED["callbacks.on_watched_line", type(swallowed)] += 1
    except Exception as swallowed:
        SWALLOWED["callbacks.on_watched_line", type(swallowed)] += 1
    return None


def look_and_arrive(place: Any, info: Any, frame: FrameType) -> None:
    """Look at the values, and ask the breakpoint that is there, if any; each may stop."""
    watch, has_changed = Engine.watch, False
    if watch is not None and id(frame.f_code) in LOOKED_IN:
        has_changed = watch.look(frame)
        if not Engine.is_everywhere and watch.is_everywhere():
            renew()  # the variable holds something now that others can change
    breakpoint, hits = place or (None, None)
    if hits is not None and Engine.probe.ask(hits, frame):
        stop_by_probe(breakpoint, hits.number, info, frame)
    elif breakpoint is not None and hits is None and wants(breakpoint, info, frame):
        stop(breakpoint, info, frame, commands.CMD_SET_BREAK)
    elif has_changed:
        stop(watch.MARK, info, frame, commands.CMD_SET_BREAK)


# Changes of breakpoints and values


def renew() -> None:
    """Take over pydevd's breakpoints, as they are now."""
    functions = DB.function_breakpoint_name_to_breakpoint
    if type(functions) is not Hidden:
        DB.function_breakpoint_name_to_breakpoint = functions = Hidden(functions)
    Engine.probe = find_loaded("probe.probe")
    find_watch()
    tables = {path: table for path, table in dict.items(DB.breakpoints) if table}
    with LOCK:
        for ours, theirs in ((TABLES, tables), (FUNCTIONS, functions)):
            ours.update(theirs)
            for name in [name for name in ours if name not in theirs]:
                del ours[name]
        Engine.generation += 1
        LIBRARIES.clear()
        LINES.clear()  # made again, each at its next event
        LOOKED_IN.clear()
        TOLD_OF_STARTS.clear()
        forget_codes()
    demand()
    if TABLES or Engine.watch:
        for frame in [*sys._current_frames().values(), *resting_greenlets()]:
            while frame is not None:
                prepare(frame.f_code, frame)
                frame = frame.f_back
    MONITORING.restart_events()


def find_watch() -> None:
    """See what is to be looked at from now on."""
    changes = find_loaded("values.changes")
    is_there = changes is not None and bool(changes.WATCHED)
    Engine.watch = changes if is_there else None
    Engine.is_everywhere = is_there and changes.is_everywhere()
    callback = on_watched_line if is_there else on_line
    MONITORING.register_callback(Engine.number, EVENTS.LINE, callback)
