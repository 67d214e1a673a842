"""Events of the interpreter (``sys.monitoring``) in recorded functions.

An error in here would arrive in the program, at whatever line it is: so none leaves.
"""

from __future__ import annotations

import _imp
import _thread
import atexit
import linecache
import os
import sys
from json import dumps as json_dumps
from time import sleep as pause

from tuidbg.debuggee.recording.compiled_recorder import (
    Code,
    Compiled,
    arguments_for_compiled,
    bound_names,
    compiled_callbacks,
    content_for_compiled,
    hold_compiled,
    is_under_way,
    key_for_compiled,
    kind_for_compiled,
    leaf_for_compiled,
    leave_compiled,
    ordered_for_compiled,
    probe_of,
    release_compiled,
    space_for_compiled,
    text_for_compiled,
    why_not_compiled,
)
from tuidbg.debuggee.recording.frame_variables import SPACES, let_go, namespace_of, variables_of
from tuidbg.debuggee.recording.line_checks import look_for_missing, look_of
from tuidbg.debuggee.recording.line_plans import EXTENDED, HAS_SNAPSHOTS, WATCHING, Plan, Reader
from tuidbg.debuggee.recording.recorded_calls import (
    FOREIGN,
    FRAMES,
    INFOS,
    LIBRARY,
    OWN_TEXTS,
    PLANNED,
    TAKES_DICTS,
    Record,
    is_own_class,
    is_own_code,
    is_own_file,
    is_own_text,
    parent_of,
)
from tuidbg.debuggee.recording.recorder_state import (
    DISABLE,
    EVENTS,
    HELD,
    LOOKED,
    MONITORING,
    NAME,
    NAMES_OF_ALL,
    NUMBER,
    PARENT,
    RAISE,
    RAISED,
    RESUME,
    RETURN,
    RETURNED,
    UNKNOWN,
    UNWIND,
    YIELD,
    Standing,
    abspath,
    ask_file,
    get_frame,
    get_ident,
    remove_file,
)
from tuidbg.debuggee.recording.segments import (
    LOCK,
    NEWS,
    SEGMENT,
    THREADS,
    Columns,
    Spool,
    Thread,
    current_thread,
    forget_news,
    in_bytes,
    write,
)
from tuidbg.debuggee.recording.source_plans import (
    FILES,
    ONLY_AST,
    WITH_STATEMENTS,
    Found,
    children,
    collect_codes,
    first_line,
    is_same,
    read_expression,
    read_own,
)
from tuidbg.debuggee.recording.value_identity import (
    BEARERS,
    TRACEBACK,
    find_bearers,
    keep_tail,
    pass_made,
    shared_of,
    take,
)
from tuidbg.debuggee.recording.value_kinds import KINDS, KNOWN, LEAF_IDS, NAMES, VIEWS
from tuidbg.debuggee.recording.value_looks import (
    State,
    look_at_all,
    look_everywhere,
    note,
    note_all,
    note_name,
    number_of,
    passed_token,
    token_of,
)
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


def meet_thread(ident: int) -> Any:
    with LOCK:
        before = THREADS.get(ident)
        thread = THREADS[ident] = Thread(Spool.threads, current_thread(ident))
        thread.ident = ident
        Spool.threads += 1
    if before is not None:
        write_segment(before, before.columns)
    return thread


def seal(thread: Any) -> None:
    """Write what a thread has recorded: itself, at the end of a segment."""
    columns = Columns(thread)
    columns, thread.columns = thread.columns, columns
    keep_tail(columns, thread.columns)
    thread.full = Standing.now + SEGMENT
    write_segment(thread, columns)


def write_segment(thread: Any, columns: Any) -> None:
    with LOCK:
        if Spool.stopped:
            return
        news = {name: NEWS[name][:] for name in NEWS}
        told = columns.times, columns.whens, columns.frames, columns.objects, *news.values()
        if not any(told):
            return
        interruption = write_whole(lambda: in_bytes(news, columns))
        forget_news(news)
        make_room()
        if interruption is not None:
            raise interruption


def write_whole(make_data: Any) -> Any:
    """Write a segment; returns the error of a signal's handler that came meanwhile, or None.

    What it has broken off is done again, as later segments are useless without this one.
    """
    interruption, name = None, "%s/%012d" % (Spool.folder, Spool.written)
    Spool.written += 1
    for _ in range(10):
        try:
            write(name, make_data())
            return interruption
        except BaseException as error:
            if not is_of_program(error):
                if not isinstance(error, OSError):
                    raise
                stop(error)
                return interruption
            interruption = error
    stop(OSError(0, "it was interrupted too often"))
    return interruption


def make_room() -> None:
    """Those that were read are gone; of the others the oldest give way."""
    if Spool.size <= Spool.limit:
        return
    if Standing.settings.get("is_alone"):
        begin_part()
        return
    left = []
    for name, size in Spool.files:
        try:
            ask_file(name)
        except OSError as error:
            if is_of_program(error):  # as a TimeoutError of a signal's handler
                raise
            continue
        left.append((name, size))
    Spool.size = sum(size for _, size in left)
    while left and Spool.size > Spool.limit:
        name, size = left.pop(0)
        remove(name)
        Spool.size -= size
    Spool.files[:] = left


def begin_part() -> None:
    """Without a reader: record everything again, so that the part before can be deleted."""
    remove_files(Spool.older)
    Spool.older, Spool.size = len(Spool.files), 0
    forget_recorded()
    for thread in list(THREADS.values()):
        NEWS["threads"].append([thread.number, thread.name])
    tell_names()


def remove_files(count: Any) -> None:
    for name, _ in Spool.files[:count]:
        remove(name)
    del Spool.files[:count]


def remove(name: Any) -> None:
    try:
        remove_file(name)
        Spool.dropped += 1
    except OSError as error:
        if is_of_program(error):
            raise


def flush() -> Any:
    """Write all columns, of stopped threads as well as of running ones."""
    for ident, thread in list(THREADS.items()):
        columns = take(thread)
        if columns is not None:
            write_segment(thread, columns)
        if ident not in sys._current_frames():
            THREADS.pop(ident, None)  # it has ended
    return Spool.written


def source_plans(code: CodeType) -> Any:
    """What is ``Found`` in the source by line; None where that is not of this code."""
    name = code.co_filename
    if name not in FILES:
        FILES[name] = read_file(name)
    plans, codes = FILES[name]
    for other in codes.get((code.co_name, code.co_firstlineno), ()):
        if is_same(code, other):
            return plans
    return None


def read_file(name: Any) -> tuple[Any, Any]:
    try:
        text = "".join(linecache.getlines(name))
        if not text:
            return {}, {}
        tree = compile(text, name, "exec", ONLY_AST, True)
        codes: dict[Any, Any] = {}
        collect_codes(compile(text, name, "exec", 0, True), codes)
    except Exception as error:
        if is_of_program(error):
            raise
        return {}, {}
    plans: dict[Any, Any] = {}
    read_block(tree, plans)
    return plans, codes


def read_block(node: Any, plans: Any) -> None:
    for each in node.body:
        read_statement(each, plans)


def read_statement(node: Any, plans: Any) -> None:
    """Note what a statement does, for all of its lines; of those in it each has its own."""
    found, inner = Found(), []
    read_own(node, found)
    for child in children(node):
        if isinstance(child, WITH_STATEMENTS):
            inner.append(child)
        else:
            read_expression(child, found)
    for child in inner:
        read_statement(child, plans)
    begin = first_line(node)
    end = getattr(node, "end_lineno", begin)
    if inner:
        end = max(begin, min(first_line(child) for child in inner) - 1)
    for line in range(begin, end + 1):
        before = plans.get(line)
        if before is None:
            plans[line] = found
        elif found.ops or not found.is_all_known:
            plans[line] = before.and_also(found)


class Info(object):
    """What is known of a code object. ``looks`` are the functions that look behind its lines.

    ``collected`` are arguments such as ``*args``, whose values are made by the call;
    ``hidden`` are, in the body of a class, the variables of comprehensions;
    ``is_watched`` where its frames may not be asked for a dict of its variables.
    ``builders`` are the lines that make lists and the like, ``early`` the functions of lines at
    which something may change before a call; the first instruction that stores a variable is at
    ``first_store``.
    """

    __slots__ = (
        *(
            "arguments",
            "builders",
            "cells",
            "code",
            "collected",
            "early",
            "first_store",
            "has_own_names",
            "hidden",
            "is_generator",
            "is_init",
        ),
        *("is_module", "is_watched", "looks", "names", "number", "others", "used"),
    )

    def __init__(self, code: CodeType, number: int) -> None:
        self.code, self.number = code, number
        self.is_module = code.co_name == "<module>"
        self.has_own_names = bool(code.co_flags & 0x1)
        self.is_generator = bool(code.co_flags & GENERATOR)
        self.names = list(dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)))
        self.cells = list(dict.fromkeys((*code.co_cellvars, *code.co_freevars)))
        self.is_init = code.co_name == "__init__" and code.co_argcount > 0
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
        self.arguments = list(dict.fromkeys((*code.co_varnames[:count], *code.co_freevars)))
        given = code.co_argcount + code.co_kwonlyargcount
        self.collected = frozenset(code.co_varnames[given:count])
        self.hidden: frozenset[str] = frozenset()
        self.used: list[str] = []
        self.looks: dict[int, Any] = {}
        self.early: dict[int, Any] = {}
        self.first_store = 1 << 30
        plans = plans_of(code, self)
        self.is_watched = HAS_SNAPSHOTS and self.has_own_names
        self.is_watched = self.is_watched and not WATCHING.isdisjoint(self.used)
        own = self.names if self.has_own_names else ()
        self.others = [name for name in self.used if name not in own]
        self.builders = frozenset(line for line, plan in plans.items() if plan.builds)
        for line, plan in plans.items():
            if not self.has_own_names and self.is_module:
                plan.names = [name for name in plan.names if name[:2] != "__"]
            if not plan.is_empty:
                self.looks[line] = look_of(plan, self)
                if plan.is_early:
                    self.early[line] = self.looks[line]
                elif any(op[0] == "default" for op in plan.ops):
                    self.early[line] = look_for_missing(plan, self)


def plans_of(code: CodeType, info: Any) -> Any:
    """The plans of a function by line."""
    plans: dict[int, Any] = {}
    raw = code.co_code
    reader, argument, line = Reader(code, info), 0, None
    for start, end, here in code.co_lines():
        if here is not None and here != line:
            line, plan = here, plans.get(here)
            if plan is None:
                plan = plans[line] = Plan()
            plan.is_early |= bool(plan.names or plan.may_change)
            reader.enter(plan)
        for offset in range(start, end, 2):
            argument = argument << 8 | raw[offset + 1]
            if raw[offset] != EXTENDED:
                reader.read(raw[offset], argument, offset)
                argument = 0
    info.used = list(reader.used)
    info.hidden = frozenset(code.co_varnames).difference(reader.bound)
    add_source(code, plans)
    for plan in plans.values():
        plan.names += [name for name in reader.without.names if name not in plan.names]
        plan.replaced.update(plan.names)
        if plan.annotates:
            plan.again.add("__annotations__")
    return plans


def add_source(code: CodeType, plans: Any) -> None:
    read = None
    for line, plan in plans.items():
        if not plan.may_change:
            continue
        if read is None:
            read = source_plans(code) or {}
        found = read.get(line)
        if found is None:
            plan.is_all = True
        else:
            plan.ops, plan.is_all = found.ops, not found.is_all_known
            plan.again = {op[1][0] for op in plan.ops if op[0] == "augment"}
            plan.ops = [op for op in plan.ops if op[0] != "augment"]
            kinds = [op[0] for op in plan.ops if op[0] not in ("value", "default")]
            plan.is_early |= plan.is_all or len(kinds) > 1


def info_of(code: CodeType, names: Any) -> Any:
    info = INFOS.get(id(code))
    if info is None:
        name = code.co_filename
        info = PLANNED.get(id(code))
        if info is None:
            with LOCK:
                Standing.codes += 1
                number = Standing.codes
            info = Info(code, number)
            if not name.startswith("<"):
                PLANNED[id(code)] = info
        INFOS[id(code)] = info
        if not Standing.has_dicts and not TAKES_DICTS.isdisjoint(code.co_names):
            find_bearers()
        path = name if name.startswith("<") else abspath(name)
        space = namespace_of(names).owner
        NEWS["codes"].append([info.number, path, code.co_qualname, code.co_firstlineno, space])
    return info


def meet_frame(frame: Any, thread: Any, when: int) -> Any:
    """The record of a call that has none yet, with its variables, as all there is around it."""
    record = begin_frame(frame, thread, when)
    note_all(record, frame, when, thread.columns)
    return record


def begin_frame(frame: Any, thread: Any, when: int) -> Any:
    """The record of a call that has none yet; those around it have theirs then."""
    missing, above = [], frame.f_back
    while above is not None:
        record: Any = FRAMES.get(id(above))
        if record is not None and record.code is above.f_code:
            break
        if is_own_code(above.f_code):
            missing.append(above)
        above = above.f_back
    while missing:
        above = missing.pop()
        note_all(begin_call(above, thread, when), above, when, thread.columns)
    return begin_call(frame, thread, when)


def begin_call(frame: Any, thread: Any, when: int) -> Any:
    code = frame.f_code
    info = INFOS.get(id(code)) or info_of(code, frame.f_globals)
    parent, line = parent_of(frame, thread, when)
    record = FRAMES[id(frame)] = Record(frame, info, thread)
    number = record.number
    told = [number, info.number, parent, line, thread.number, when, record.owner]
    thread.columns.frames.append(told)
    if info.is_generator:  # they go on elsewhere
        note(thread.columns, when, number, PARENT, ["t", [parent, line]])
    return record


def on_start(code: CodeType, offset: int) -> Any:
    """A function begins, for the first time: whether it is recorded.

    Where its first line begins with the function itself, this event can't be disabled: the
    interpreter would not report that line again. Each start of a generator is recorded, as the end
    of one that is closed early is not reported.
    """
    if id(code) in INFOS:
        FRAMES.pop(id(get_frame(1)), None)
        return None
    try:
        if is_own_file(code.co_filename) or is_own_text(code, get_frame(1)):
            MONITORING.set_local_events(Standing.number, code, WANTED)
            for start, end, _ in code.co_lines():
                if start <= offset < end:
                    is_kept = offset + 2 < end or code.co_flags & GENERATOR
                    return None if is_kept else DISABLE
    except Exception as error:
        if is_of_program(error):
            raise
        failed()
    return DISABLE


GENERATOR = 0x2A0
"""Code flags of generators, coroutines and asynchronous generators."""

WANTED = EVENTS.LINE | EVENTS.PY_RETURN | EVENTS.PY_YIELD | EVENTS.PY_RESUME


def on_line(code: CodeType, line: int) -> None:
    """A line is about to run."""
    frame = get_frame(1)
    record: Any = FRAMES.get(id(frame))
    is_met = record is not None and record.code is code
    thread = record.thread if is_met else thread_of_now()
    if thread.is_busy and is_busy_still(thread):
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        Standing.now = when = Standing.now + 1
        if Standing.thread is not thread:
            come_from_another(thread, when)
        columns = thread.columns
        if is_met:
            look = record.look
            record.line = line
            record.look = record.looks.get(line)
            columns.times.append(when)
            columns.wheres.append(record.where | line)
            if look is not None:
                look(record, frame, when, columns)
        else:
            record = begin_frame(frame, thread, when)
            record.line = line
            record.look = record.looks.get(line)
            columns.times.append(when)
            columns.wheres.append(record.where | line)
            note_all(record, frame, when, columns)
        if when >= thread.full:
            seal(thread)
    except BaseException as error:
        if not is_ours(error, thread):
            raise
    finally:
        thread.is_busy = False
        if turn is not None:
            turn.release()


class Turn(object):
    """Threads look one after the other: what is known is of all of them."""

    lock = _thread.allocate_lock()


LONGEST_TURN = 1.0
"""Seconds. A finalizer that runs within a look may wait for a thread that waits for its turn."""


def take_turn() -> Any:
    turn = Turn.lock
    if not turn.acquire(True, LONGEST_TURN):
        turn = Turn.lock = _thread.allocate_lock()
        turn.acquire()
        Standing.failed += 1
        Standing.fresh = Standing.doubt = Standing.now
    return turn


def is_busy_still(thread: Any) -> Any:
    """Whether something is noted in a thread, once no other thread looks at its line any more."""
    while thread.is_busy == LOOKED:
        pause(0.0001)
    return thread.is_busy


def come_from_another(thread: Any, when: int) -> None:
    """Another thread goes on: it sees what the line has changed that the last one is at."""
    former: Any = Standing.thread
    Standing.thread = thread
    if former is None or former.is_busy == HELD:
        return
    was_busy, former.is_busy = former.is_busy, LOOKED  # it is, where it waits for its turn
    columns = former.columns
    try:
        frame = sys._current_frames().get(former.ident)
        if THREADS.get(former.ident) is not former:
            return
        while frame is not None:
            record: Any = FRAMES.get(id(frame))
            if record is not None and record.code is frame.f_code:
                if record.look is not None:
                    record.look(record, frame, when, columns)
                return
            frame = frame.f_back
    except BaseException:
        cut_short(columns)
        raise
    finally:
        former.is_busy = was_busy  # type: ignore[union-attr]


def look_at_the_end() -> None:
    """Compare all that can be reached, as nothing is reported after the last line."""
    thread = Standing.thread
    if thread is None or thread.is_busy:
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        Standing.now = when = Standing.now + 1
        look_at_all(when, thread.columns)
    except BaseException as error:
        if not is_ours(error, thread):
            raise
    finally:
        thread.is_busy = False
        if turn is not None:
            turn.release()


def cut_short(columns: Any) -> None:
    """What was noted last is not whole."""
    columns.queue = columns.walk = None
    shortest = min(map(len, (columns.whens, columns.owners, columns.keys, columns.values)))
    for column in (columns.whens, columns.owners, columns.keys, columns.values):
        del column[shortest:]
    shortest = min(len(columns.times), len(columns.wheres))
    del columns.times[shortest:], columns.wheres[shortest:]


def thread_of_now() -> Any:
    ident = get_ident()
    thread = THREADS.get(ident)
    if thread is None or not thread.is_of_now():
        thread = meet_thread(ident)
    return thread


def leave(frame: Any, kind: Any, key: Any, value: Any) -> None:
    """A function is left, for good or for a while."""
    record: Any = FRAMES.get(id(frame))
    if record is None or record.code is not frame.f_code:
        return
    thread = record.thread
    if thread.is_busy and is_busy_still(thread):
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        Standing.now = when = Standing.now + 1
        if Standing.thread is not thread:
            come_from_another(thread, when)
        columns = thread.columns
        look = record.look
        columns.times.append(when)
        columns.wheres.append(record.where | kind << 20 | (record.line or 0))
        is_over, record.waits = kind in (RETURN, UNWIND), kind == YIELD
        if is_over:
            FRAMES.pop(id(frame), None)
        if look is not None:
            look(record, frame, when, columns)
        if id(type(value)) in LEAF_IDS:
            token = token_of(value, when, columns)
        else:
            token = passed_token(value, kind, record, when, columns)
        note(columns, when, record.number, key, token)
        if kind == RETURN and record.info.is_init:
            pass_made(record, frame, when)
        if is_over and not record.is_module:
            record.last = shared_of(record) if record.info.cells else {}
            record.is_over = True
        if when >= thread.full:
            seal(thread)
    except BaseException as error:
        if not is_ours(error, thread):
            raise
    finally:
        thread.is_busy = False
        if turn is not None:
            turn.release()


def on_return(code: CodeType, offset: int, value: Any) -> None:
    leave(get_frame(1), RETURN, RETURNED, value)


def on_yield(code: CodeType, offset: int, value: Any) -> None:
    leave(get_frame(1), YIELD, RETURNED, value)


def on_raise(code: CodeType, offset: int, error: Any) -> None:
    if id(code) in INFOS:
        leave(get_frame(1), RAISE, RAISED, error)


def on_unwind(code: CodeType, offset: int, error: Any) -> None:
    if id(code) in INFOS:
        leave(get_frame(1), UNWIND, RAISED, error)


def on_resume(code: CodeType, offset: int) -> None:
    """A generator or coroutine goes on, perhaps called from elsewhere."""
    if id(code) in INFOS:
        go_on(get_frame(1))


def on_throw(code: CodeType, offset: int, error: Any) -> None:
    if id(code) in INFOS:
        go_on(get_frame(1))


def go_on(frame: Any) -> None:
    record: Any = FRAMES.get(id(frame))
    if record is None or record.code is not frame.f_code:
        return
    record.thread = thread = thread_of_now()
    if thread.is_busy and is_busy_still(thread):
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        Standing.now = when = Standing.now + 1
        if Standing.thread is not thread:
            come_from_another(thread, when)
        columns = thread.columns
        record.waits = False
        columns.times.append(when)
        columns.wheres.append(record.where | RESUME << 20 | (record.line or 0))
        number, line = parent_of(frame, thread, when)
        note(columns, when, record.number, PARENT, ["t", [number, line]])
        if record.info.cells:
            names = variables_of(frame, record)
            for name in record.info.cells:
                note_name(record, name, names, when, columns)
            let_go(record, names)
    except BaseException as error:
        if not is_ours(error, thread):
            raise
    finally:
        thread.is_busy = False
        if turn is not None:
            turn.release()


def look_failed(columns: Any) -> None:
    """Forget the values of a failed comparison: each is recorded whole when it is next seen."""
    Standing.failed += 1
    when = Standing.now
    for known in list(KNOWN.values()):
        if known.seen >= when:
            known.state, known.attributes, known.seen = State(), None, 0
    for record in [*FRAMES.values(), *SPACES.values()]:
        if record.last:
            for name in record.last:
                number = NAMES.get(name)
                if number is not None and type(record.last[name]) is list:
                    record.last[name] = UNKNOWN
    for table in (FRAMES, SPACES):
        for record in table.values():
            if isinstance(record, Record):
                record.look = look_at_all_of


def look_at_all_of(record: Any, frame: Any, when: int, columns: Any) -> None:
    """Behind a look that has failed."""
    names = variables_of(frame, record)
    look_everywhere(record, frame, names, when, columns)
    let_go(record, names)


class Failure(object):
    """Errors of the recorder itself; the first is reported at once."""

    texts: list[Any] = []


def is_ours(error: Any, thread: Any) -> bool:
    """Whether an error is of the recording, not one of the program that came meanwhile.

    What was noted when it came is not whole: all is looked at once more, by the next moment.
    """
    columns = thread.columns
    cut_short(columns)
    look_failed(columns)
    if is_of_program(error):
        return False
    if not isinstance(error, (RecursionError, MemoryError)):  # the program is about to have it too
        failed()
    return True


def is_of_program(error: Any) -> bool:
    """Whether it comes from what ran meanwhile, as the handler of a signal, or ends the program.

    The recorder itself, and what it uses of the standard library, raises exceptions of no class of
    a person.
    """
    if not isinstance(error, Exception) or is_own_class(type(error)):
        return True
    trace = TRACEBACK(error)
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        is_library = name.startswith(LIBRARY) and "/site-packages/" not in name
        if not is_library and not name.startswith(("<tuidbg ", "<frozen ")):
            return True
        trace = trace.tb_next
    return False


def failed() -> None:
    """Take note of it, without a way for another error to leave."""
    try:
        if len(Failure.texts) < 5:
            kind: Any
            trace: Any
            kind, error, trace = sys.exc_info()
            while trace.tb_next is not None:
                trace = trace.tb_next
            place = "%s:%d" % (trace.tb_frame.f_code.co_name, trace.tb_lineno)
            Failure.texts.append("%s: %s (%s)" % (kind.__name__, error, place))
            if len(Failure.texts) == 1:
                report({"gap": Failure.texts[0]})
    except Exception as swallowed:
        SWALLOWED["recording_events.failed", type(swallowed)] += 1
        Failure.texts.append("an error that could not be told")


def report(data: dict[str, Any]) -> None:
    """Tell the person, without a way for an error to leave."""
    try:
        if Standing.tell is not None:
            Standing.tell(data)
    except Exception as swallowed:
        SWALLOWED["recording_events.report", type(swallowed)] += 1


def hold(frame: Any) -> bool:
    """The calling thread stops in a frame; False where that is in the midst of recording.

    For a line this is before a debugger stops there; not for the start of a function. A call
    that an exception has ended is not under way, though a debugger stops in it: no event follows.
    """
    if Standing.number is None:  # it could not be written any more
        return False
    thread = thread_of_now()
    if thread.is_busy and is_busy_still(thread):
        return False
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        own = frame
        while own is not None and not is_own_code(own.f_code):
            own = own.f_back
        record: Any = None if own is None else FRAMES.get(id(own))
        is_met = record is not None and record.code is own.f_code
        is_noted = is_met and record.line == own.f_lineno
        if own is not None and not is_noted and is_under_way(own):
            Standing.now = when = Standing.now + 1
            columns = thread.columns
            record = record if is_met else meet_frame(own, thread, when)
            names = variables_of(own, record)
            look_everywhere(record, own, names, when, columns)
            let_go(record, names)
            record.line = own.f_lineno
            record.look = record.looks.get(record.line)
            columns.times.append(when)
            columns.wheres.append(record.where | own.f_lineno)
    except Exception as swallowed:
        SWALLOWED["recording_events.hold", type(swallowed)] += 1
        failed()
    thread.is_busy = HELD
    if turn is not None:
        turn.release()
    return True


def note_present() -> None:
    """The lines of all threads as the recording begins: the first moments."""
    frame: FrameType | None
    for ident, frame in list(sys._current_frames().items()):
        while frame is not None and not is_own_code(frame.f_code):
            frame = frame.f_back
        if frame is None:
            continue
        thread = THREADS.get(ident)
        if thread is None:
            thread = meet_thread(ident)
        if thread.is_busy:
            continue
        thread.is_busy, turn = True, None
        try:
            turn = take_turn()
            Standing.now = when = Standing.now + 1
            record: Any = FRAMES.get(id(frame))
            if record is None or record.code is not frame.f_code:
                record = meet_frame(frame, thread, when)
            record.line = frame.f_lineno
            record.look = record.looks.get(record.line)
            thread.columns.times.append(when)
            thread.columns.wheres.append(record.where | frame.f_lineno)
        except Exception as swallowed:
            SWALLOWED["recording_events.note_present", type(swallowed)] += 1
            failed()
        finally:
            thread.is_busy = False
            if turn is not None:
                turn.release()


def release(frame: Any) -> None:
    """It goes on. What somebody has set meanwhile is seen from the next moment on."""
    thread = THREADS.get(get_ident())
    if thread is None or Standing.number is None:
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        while frame is not None:
            record: Any = FRAMES.get(id(frame))
            if record is not None and record.code is frame.f_code:
                names = variables_of(frame, record)
                look_everywhere(record, frame, names, Standing.now + 1, thread.columns)
                let_go(record, names)
            frame = frame.f_back
    except Exception as swallowed:
        SWALLOWED["recording_events.release", type(swallowed)] += 1
        failed()
    thread.is_busy = False
    if turn is not None:
        turn.release()


def here() -> list[Any]:
    """Write everything; return the calling thread's number and its last moment."""
    thread = THREADS.get(get_ident())
    flush()
    return [-1 if thread is None else thread.number, Standing.now, Spool.written]


def load_compiled(path: Any) -> Any:
    """Use the compiled recorder; in words why it can't be used."""
    try:
        why = why_not_compiled()
        if why:
            return why
        ask_file(path)
        if Compiled.loaded is None:
            spec: Any = type("Spec", (), {"name": "_recorder", "origin": path})()
            Compiled.loaded = _imp.create_dynamic(spec)
            _imp.exec_dynamic(Compiled.loaded)
        module = Compiled.loaded
        problem = module.begin(FOR_COMPILED, probe_of())
    except OSError:
        return "tuidbg was installed without it"
    except Exception as error:
        return "it can't be loaded (%s)" % error
    if problem:
        return problem
    Compiled.module = module
    for name, other in IN_PLACE.items():
        Compiled.kept[name] = NAMES_OF_ALL[name]
        NAMES_OF_ALL[name] = other
    Compiled.kept["next_number"] = NAMES_OF_ALL["next_number"]
    NAMES_OF_ALL["next_number"] = module.next_number
    return ""


def info_for_compiled(code: CodeType, frame: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    info = INFOS.get(id(code))
    if info is None:
        with LOCK:
            Standing.codes += 1
            info = INFOS[id(code)] = Code(code, Standing.codes)
        name = code.co_filename
        path = name if name.startswith("<") else abspath(name)
        space = namespace_of(frame.f_globals).owner
        NEWS["codes"].append([info.number, path, code.co_qualname, code.co_firstlineno, space])
    shared = {*code.co_cellvars, *code.co_freevars}
    if code.co_flags & 0x1:
        form = 0
        names: Any = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    else:
        is_module = code.co_name == "<module>" and frame.f_globals is frame.f_locals
        form, names = 1 if is_module else 2, ()
    numbers = tuple(number_of(name) for name in names)
    cells = bytes(name in shared for name in names)
    hidden = frozenset(code.co_varnames).difference(bound_names(code)) if form == 2 else frozenset()
    return info.number, form, bool(code.co_flags & GENERATOR), numbers, cells, hidden


def thread_for_compiled() -> Any:
    return meet_thread(get_ident()).number


def seal_for_compiled(ident: int) -> None:
    write_taken(Compiled.module.take(ident, True))


def write_taken(taken: Any) -> None:
    """Write what one thread has recorded."""
    if taken is None:
        return
    number, frames, objects, values, *columns = taken
    with LOCK:
        if Spool.stopped:
            return
        news = {name: NEWS[name][:] for name in NEWS}
        if not (frames or objects or any(columns) or any(news.values())):
            return
        for name in NEWS:
            del NEWS[name][: len(news[name])]
        now, failed = Compiled.module.state()[:2]
        news.update(now=now, dropped=Spool.dropped, thread=max(0, number), failed=failed)
        news["recorder"] = "compiled"
        modules = json_dumps(news.pop("modules"))[1:-1].encode("ascii")
        objects = b", ".join(each for each in (modules, objects) if each)
        head = json_dumps(news).encode("ascii")[:-1]
        head = b'%b, "frames": [%b], "objects": [%b], "values": [%b]}' % (
            *(head, frames, objects, values),
        )
        sizes = b"".join(len(each).to_bytes(8, "little") for each in (head, *columns))
        data = b"".join((sizes, head, *columns))
        interruption = write_whole(lambda: data)
        make_room()
        if interruption is not None:
            raise interruption


def flush_compiled() -> Any:
    """Write all that has been recorded."""
    for ident in Compiled.module.thread_ids():
        for _ in range(1000):
            taken = Compiled.module.take(ident, False)
            if taken is not None:
                write_taken(taken)
                break
            pause(0.001)
    return Spool.written


def failure_of_compiled(error: Any) -> bool:
    """Take note of an error, if it is not of the program itself, as that of a signal's handler."""
    try:
        trace = BaseException.__dict__["__traceback__"].__get__(error)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None and is_own_file(trace.tb_frame.f_code.co_filename):
            return True
        if len(Failure.texts) < 5:
            Failure.texts.append("%s: %s" % (type(error).__name__, error))
            if len(Failure.texts) == 1:
                report({"gap": Failure.texts[0]})
    except Exception as swallowed:
        SWALLOWED["recording_events.failure_of_compiled", type(swallowed)] += 1
    return False


FOR_COMPILED = {
    "kind": kind_for_compiled,
    "text": text_for_compiled,
    "leaf": leaf_for_compiled,
    "number_of": number_of,
    "key_number": key_for_compiled,
    "info": info_for_compiled,
    "is_own": is_own_code,
    "space": space_for_compiled,
    "meet_thread": thread_for_compiled,
    "seal": seal_for_compiled,
    "start": on_start,
    "failure": failure_of_compiled,
    "disable": DISABLE,
    "content": content_for_compiled,
    "ordered": ordered_for_compiled,
    "arguments": arguments_for_compiled,
}


def here_compiled() -> list[Any]:
    number = Compiled.module.here()
    flush()
    return [number, Compiled.module.state()[0], Spool.written]


def note_present_compiled() -> None:
    frame: FrameType | None
    for ident, frame in list(sys._current_frames().items()):
        while frame is not None and not is_own_code(frame.f_code):
            frame = frame.f_back
        if frame is not None:
            thread = THREADS.get(ident) or meet_thread(ident)
            Compiled.module.note_present(ident, thread.number, frame)


IN_PLACE = {
    "hold": hold_compiled,
    "release": release_compiled,
    "here": here_compiled,
    "note_present": note_present_compiled,
    "flush": flush_compiled,
}

CALLBACKS = {
    EVENTS.PY_START: on_start,
    EVENTS.PY_RESUME: on_resume,
    EVENTS.PY_THROW: on_throw,
    EVENTS.LINE: on_line,
    EVENTS.PY_RETURN: on_return,
    EVENTS.PY_YIELD: on_yield,
    EVENTS.RAISE: on_raise,
    EVENTS.PY_UNWIND: on_unwind,
}

WITHOUT_GIL = (
    "recording needs the GIL, which is off in this free-threaded Python; to record, run it with"
    " the environment variable PYTHON_GIL=1"
)


def begin(folder: str, settings: dict[str, Any], tell: Any = None) -> Any:
    """Record from here on; a sentence where that is not possible."""
    if Standing.number is not None:
        return ""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return WITHOUT_GIL
    if MONITORING.get_tool(NUMBER) is not None:
        return "the program uses sys.monitoring by the number %d itself" % NUMBER
    MONITORING.use_tool_id(NUMBER, NAME)
    Standing.number = NUMBER
    Standing.settings, Standing.tell = settings, tell
    Spool.folder = abspath(folder)
    Spool.limit = settings.get("limit", Spool.limit)
    callbacks = CALLBACKS
    if settings.get("compiled"):
        Compiled.problem = load_compiled(settings["compiled"])
        if Compiled.problem:
            report({"slow": Compiled.problem})
        else:
            callbacks = compiled_callbacks()
    for event, callback in callbacks.items():
        MONITORING.register_callback(Standing.number, event, callback)
    MONITORING.set_events(
        Standing.number, EVENTS.PY_START | EVENTS.PY_THROW | EVENTS.RAISE | EVENTS.PY_UNWIND
    )
    frame: FrameType | None
    for frame in list(sys._current_frames().values()):
        while frame is not None:
            if is_own_file(frame.f_code.co_filename):
                MONITORING.set_local_events(Standing.number, frame.f_code, WANTED)
            frame = frame.f_back
    MONITORING.restart_events()
    atexit.register(end)
    return ""


def end() -> None:
    """Record no more; what has been recorded is written."""
    if Standing.number is None:
        return
    if Compiled.module is not None:
        Compiled.module.sweep_all()
    leave_interpreter()
    if Compiled.module is None:
        look_at_the_end()
    flush()
    forget_all()


def stop(error: Any) -> None:
    """A segment can't be written: later ones are useless without it, so the recording ends."""
    Spool.stopped = error.strerror or str(error)
    if Standing.number is not None:
        leave_interpreter()
    forget_all()
    report({"stopped": Spool.stopped})


def leave_interpreter() -> None:
    number, Standing.number = Standing.number, None
    atexit.unregister(end)
    if MONITORING.get_tool(number) != NAME:
        return  # the program has taken it away
    MONITORING.set_events(number, 0)
    for info in [*INFOS.values(), *PLANNED.values()]:
        MONITORING.set_local_events(number, info.code, 0)
    for event in CALLBACKS:
        MONITORING.register_callback(number, event, None)
    MONITORING.free_tool_id(number)


def forget_all() -> None:
    forget_recorded()
    if Compiled.module is not None:
        Compiled.module.end()
        Compiled.module.forget(True, False)
    leave_compiled()
    for table in (THREADS, NAMES, PLANNED, OWN_TEXTS, FILES, FOREIGN, KINDS):
        table.clear()


def forget_recorded() -> None:
    if Compiled.module is not None:
        Compiled.module.forget(False, False)
    for table in (FRAMES, INFOS, KNOWN, VIEWS, SPACES, BEARERS):
        table.clear()
    Standing.most_known = 0
    Standing.has_dicts, Standing.thread = False, None
    for key in [key for key in NAMES if type(key) is tuple]:
        del NAMES[key]


def tell_names() -> None:
    """Once more those of variables, which stand in the plans."""
    for name, number in NAMES.items():
        NEWS["keys"].append([number, "n", name])


def begin_anew() -> None:
    """Forget what has been recorded: what comes now is a recording of its own."""
    with LOCK:
        forget_recorded()
        if Compiled.module is not None:
            Compiled.module.forget(False, True)
        THREADS.clear()
        for news in NEWS.values():
            news.clear()
        tell_names()
        remove_files(len(Spool.files))
        Spool.size = Spool.older = Spool.dropped = 0


def end_in_child() -> None:
    """A process that was forked is not recorded; what is in the columns is of the other one."""
    if Standing.number is not None:
        NAMES_OF_ALL["LOCK"] = _thread.RLock()  # another thread may have had it
        leave_interpreter()
        for news in NEWS.values():
            news.clear()
        Spool.files.clear()
        forget_all()


def install() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=end_in_child)
