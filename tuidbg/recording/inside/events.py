# ruff: noqa: F821 (names of the parts before it)
"""What the interpreter tells of the functions that are recorded.

An error in here would arrive in the program, at whatever line it is: so none leaves.
"""


def on_start(code, offset):
    """A function begins, for the first time: whether it is recorded.

    Where its first line begins with the function itself, this event can't be disabled: the
    interpreter would tell of that line no more. Of a generator each beginning is told, as nothing
    tells of the end of one that is closed before it has ended.
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
"""Of the flags of code: generators, coroutines and those that are both."""

WANTED = EVENTS.LINE | EVENTS.PY_RETURN | EVENTS.PY_YIELD | EVENTS.PY_RESUME


def on_line(code, line):
    """A line is about to run."""
    frame = get_frame(1)
    record = FRAMES.get(id(frame))
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


def take_turn():
    turn = Turn.lock
    if not turn.acquire(True, LONGEST_TURN):
        turn = Turn.lock = _thread.allocate_lock()
        turn.acquire()
        Standing.failed += 1
        Standing.fresh = Standing.doubt = Standing.now
    return turn


def is_busy_still(thread):
    """Whether something is noted in a thread, once no other thread looks at its line any more."""
    while thread.is_busy == LOOKED:
        pause(0.0001)
    return thread.is_busy


def come_from_another(thread, when):
    """Another thread goes on: it sees what the line has changed that the last one is at."""
    former, Standing.thread = Standing.thread, thread
    if former is None or former.is_busy == HELD:
        return
    was_busy, former.is_busy = former.is_busy, LOOKED  # it is, where it waits for its turn
    columns = former.columns
    try:
        frame = sys._current_frames().get(former.ident)
        if THREADS.get(former.ident) is not former:
            return
        while frame is not None:
            record = FRAMES.get(id(frame))
            if record is not None and record.code is frame.f_code:
                if record.look is not None:
                    record.look(record, frame, when, columns)
                return
            frame = frame.f_back
    except BaseException:
        cut_short(columns)
        raise
    finally:
        former.is_busy = was_busy


def look_at_the_end():
    """Compare all that can be reached, as nothing is told behind the last line any more."""
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


def cut_short(columns):
    """What was noted last is not whole."""
    columns.queue = columns.walk = None
    shortest = min(map(len, (columns.whens, columns.owners, columns.keys, columns.values)))
    for column in (columns.whens, columns.owners, columns.keys, columns.values):
        del column[shortest:]
    shortest = min(len(columns.times), len(columns.wheres))
    del columns.times[shortest:], columns.wheres[shortest:]


def thread_of_now():
    ident = get_ident()
    thread = THREADS.get(ident)
    if thread is None or not thread.is_of_now():
        thread = meet_thread(ident)
    return thread


def leave(frame, kind, key, value):
    """A function is left, for good or for a while."""
    record = FRAMES.get(id(frame))
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


def on_return(code, offset, value):
    leave(get_frame(1), RETURN, RETURNED, value)


def on_yield(code, offset, value):
    leave(get_frame(1), YIELD, RETURNED, value)


def on_raise(code, offset, error):
    if id(code) in INFOS:
        leave(get_frame(1), RAISE, RAISED, error)


def on_unwind(code, offset, error):
    if id(code) in INFOS:
        leave(get_frame(1), UNWIND, RAISED, error)


def on_resume(code, offset):
    """A generator or coroutine goes on, perhaps called from elsewhere."""
    if id(code) in INFOS:
        go_on(get_frame(1))


def on_throw(code, offset, error):
    if id(code) in INFOS:
        go_on(get_frame(1))


def go_on(frame):
    record = FRAMES.get(id(frame))
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


def look_failed(columns):
    """What it was about is not known here: it is told anew when it is seen next."""
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


def look_at_all_of(record, frame, when, columns):
    """Behind a look that has failed."""
    names = variables_of(frame, record)
    look_everywhere(record, frame, names, when, columns)
    let_go(record, names)


class Failure(object):
    """Errors of the recorder itself; the first is reported at once."""

    texts = []


def is_ours(error, thread):
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


def is_of_program(error):
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


def failed():
    """Take note of it, without a way for another error to leave."""
    try:
        if len(Failure.texts) < 5:
            kind, error, trace = sys.exc_info()
            while trace.tb_next is not None:
                trace = trace.tb_next
            place = "%s:%d" % (trace.tb_frame.f_code.co_name, trace.tb_lineno)
            Failure.texts.append("%s: %s (%s)" % (kind.__name__, error, place))
            if len(Failure.texts) == 1:
                report({"gap": Failure.texts[0]})
    except Exception:
        Failure.texts.append("an error that could not be told")


def report(data):
    """Tell the person, without a way for an error to leave."""
    try:
        if Standing.tell is not None:
            Standing.tell(data)
    except Exception:
        pass
