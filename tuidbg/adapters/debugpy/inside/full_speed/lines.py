# ruff: noqa: F821 (names of the parts before it)
"""Takes in what the interpreter tells of functions and lines that have breakpoints.

An error in here would arrive in the program, at whatever line it is: so none leaves.
"""


def on_start(code, offset):
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
    except Exception:
        pass
    return answer


def on_resume(code, offset):
    """A generator or coroutine goes on: for the first time since something changed."""
    try:
        prepare(code, get_frame(1))
    except Exception:
        pass
    return DISABLE


def on_throw(code, offset, error):
    """It goes on by an exception; that can't be disabled."""
    try:
        prepare(code, get_frame(1))
    except Exception:
        pass


def on_line(code, line):
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
        elif Standing.probe.ask(hits, get_frame(1)):
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
                Standing.probe.CHANGED.add(place[1].number)
        except KeyboardInterrupt:
            raise
        except Exception:
            pass
    except Exception:
        pass
    return None


def again(code, line, frame, is_asked):
    """What failed at a line for want of room; a breakpoint that has been asked stops."""
    place = place_at(prepare(code, frame), line, frame)
    info = getattr(OF_THREAD, "info", None) or meet(frame)
    if info.is_tracing or is_held(info, frame):
        return
    if is_asked:
        stop_by_probe(place[0], place[1].number, info, frame)
    else:
        look_and_arrive(place, info, frame)


def stop_by_probe(breakpoint, number, info, frame):
    def tell():
        Standing.probe.tell_stop([number])

    stop(breakpoint, info, frame, commands.CMD_SET_BREAK, tell)


def arrive_held(code, line, info, frame):
    """At a breakpoint while the program is to stand still; it is asked when it goes on."""
    if is_held(info, frame):
        return
    place = place_at(prepare(code, frame), line, frame)
    if place is not None:
        arrive(place[0], info, frame, commands.CMD_SET_BREAK)


TELLS_LINE_AGAIN = sys.version_info < (3, 14)
"""Whether a jump to the begin of the line that it stands in is told as a line as well."""


def on_jump(code, from_offset, to_offset):
    """A loop that stands in one line goes on."""
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
    except Exception:
        pass
    return None


def line_at(code, offset):
    for begin, end, line in code.co_lines():
        if begin <= offset < end:
            return line
    return None
