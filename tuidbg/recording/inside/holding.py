# ruff: noqa: F821 (names of the parts before it)
"""Stands still with the program: what is evaluated meanwhile is not recorded, what is set is."""


def hold(frame):
    """The calling thread stops in a frame; False where that is in the midst of recording.

    Of a line this is told before whoever stops there; not of the beginning of a function. A call
    that an exception has ended is not under way, though a debugger stops in it: nothing comes anew.
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
        record = None if own is None else FRAMES.get(id(own))
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
    except Exception:
        failed()
    thread.is_busy = HELD
    if turn is not None:
        turn.release()
    return True


def is_under_way(frame):
    """Whether a frame is one of the calling thread's calls."""
    below = get_frame(1)
    while below is not None:
        if below is frame:
            return True
        below = below.f_back
    return False


def note_present():
    """Where all threads stand as the recording begins: one goes back to there."""
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
            record = FRAMES.get(id(frame))
            if record is None or record.code is not frame.f_code:
                record = meet_frame(frame, thread, when)
            record.line = frame.f_lineno
            record.look = record.looks.get(record.line)
            thread.columns.times.append(when)
            thread.columns.wheres.append(record.where | frame.f_lineno)
        except Exception:
            failed()
        finally:
            thread.is_busy = False
            if turn is not None:
                turn.release()


def release(frame):
    """It goes on. What somebody has set meanwhile is seen from the next moment on."""
    thread = THREADS.get(get_ident())
    if thread is None or Standing.number is None:
        return
    thread.is_busy, turn = True, None
    try:
        turn = take_turn()
        while frame is not None:
            record = FRAMES.get(id(frame))
            if record is not None and record.code is frame.f_code:
                names = variables_of(frame, record)
                look_everywhere(record, frame, names, Standing.now + 1, thread.columns)
                let_go(record, names)
            frame = frame.f_back
    except Exception:
        failed()
    thread.is_busy = False
    if turn is not None:
        turn.release()


def here():
    """Where the calling thread stands: its number and the last moment; all there is is written."""
    thread = THREADS.get(get_ident())
    flush()
    return [-1 if thread is None else thread.number, Standing.now, Spool.written]
