# ruff: noqa: F821 (names of the parts before it)
"""Values that are looked at at every line, while the person wants a stop when they change.

``changes`` knows them and compares; this tells it of the lines: those of all code of the person's
own, or of single functions where nobody else can change what is looked at.
"""


def find_watch():
    """See what is to be looked at from now on."""
    changes = sys.modules.get("_tuidbg_changes")
    is_there = getattr(changes, "DB", None) is DB and changes.WATCHED
    Standing.watch = changes if is_there else None
    Standing.is_everywhere = bool(is_there) and changes.is_everywhere()
    callback = on_watched_line if is_there else on_line
    MONITORING.register_callback(Standing.number, EVENTS.LINE, callback)


def on_watched_line(code, line):
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
        except Exception:
            pass
    except Exception:
        pass
    return None


def look_and_arrive(place, info, frame):
    """Look at the values, and ask the breakpoint that is there, if any; each may stop."""
    watch, has_changed = Standing.watch, False
    if watch is not None and id(frame.f_code) in LOOKED_IN:
        has_changed = watch.look(frame)
        if not Standing.is_everywhere and watch.is_everywhere():
            renew()  # the variable holds something now that others can change
    breakpoint, hits = place or (None, None)
    if hits is not None and Standing.probe.ask(hits, frame):
        stop_by_probe(breakpoint, hits.number, info, frame)
    elif breakpoint is not None and hits is None and wants(breakpoint, info, frame):
        stop(breakpoint, info, frame, commands.CMD_SET_BREAK)
    elif has_changed:
        stop(watch.MARK, info, frame, commands.CMD_SET_BREAK)


def forget_values(frame):
    """A function is left: what its variables were does not matter any more."""
    if Standing.watch is not None:
        Standing.watch.leave(frame)
