# ruff: noqa: F821 (names of the parts before it)
"""Stands still with the program: what is evaluated meanwhile is not recorded, what is set is."""


def hold(frame):
    """The calling thread stops in a frame; False where that is in the midst of recording.

    Of a line this is told before whoever stops there; not of the beginning of a function.
    """
    ident = get_ident()
    thread = THREADS.get(ident)
    if thread is None or not thread.is_of(current_thread(ident)):
        thread = meet_thread(ident)
    if thread.is_busy:
        return False
    thread.is_busy = True
    try:
        own = frame
        while own is not None and not is_own_file(own.f_code.co_filename):
            own = own.f_back
        record = None if own is None else FRAMES.get(id(own))
        is_noted = record is not None and record.line == own.f_lineno
        if own is not None and not is_noted:
            Standing.now = when = Standing.now + 1
            Standing.left = MOST_NEW
            columns = thread.columns
            record = record_of(own, thread, when)
            look_everywhere(record, own, own.f_locals, when, columns)
            record.line = own.f_lineno
            columns.times.append(when)
            columns.wheres.append(record.where | own.f_lineno)
    except Exception:
        failed()
    thread.is_busy = HELD
    return True


def note_present():
    """Where all threads stand as the recording begins: one goes back to there."""
    for ident, frame in list(sys._current_frames().items()):
        while frame is not None and not is_own_file(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            continue
        thread = THREADS.get(ident)
        if thread is None:
            thread = meet_thread(ident)
        if thread.is_busy:
            continue
        thread.is_busy = True
        try:
            Standing.now = when = Standing.now + 1
            Standing.left = MOST_NEW
            record = record_of(frame, thread, when)
            record.line = frame.f_lineno
            thread.columns.times.append(when)
            thread.columns.wheres.append(record.where | frame.f_lineno)
        except Exception:
            failed()
        finally:
            thread.is_busy = False


def release(frame):
    """It goes on. What somebody has set meanwhile is seen from the next moment on."""
    thread = THREADS.get(get_ident())
    if thread is None or Standing.number is None:
        return
    thread.is_busy = True
    try:
        Standing.left = MOST_NEW
        while frame is not None:
            record = FRAMES.get(id(frame))
            if record is not None and record.frame_code is frame.f_code:
                names = frame.f_locals
                look_everywhere(record, frame, names, Standing.now + 1, thread.columns)
            frame = frame.f_back
    except Exception:
        failed()
    thread.is_busy = False


def here():
    """Where the calling thread stands: its number and the last moment; all there is is written."""
    thread = THREADS.get(get_ident())
    flush()
    return [-1 if thread is None else thread.number, Standing.now, Spool.written]
