# ruff: noqa: F821 (names of the parts before it)
"""Begins and ends a recording."""

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


def begin(folder, settings):
    """Record from here on; a sentence where that is not possible."""
    if Standing.number is not None:
        return ""
    if MONITORING.get_tool(NUMBER) is not None:
        return "the program uses sys.monitoring by the number %d itself" % NUMBER
    MONITORING.use_tool_id(NUMBER, NAME)
    Standing.number = NUMBER
    Standing.settings = settings
    Spool.folder = folder
    Spool.limit = settings.get("limit", Spool.limit)
    for event, callback in CALLBACKS.items():
        MONITORING.register_callback(Standing.number, event, callback)
    MONITORING.set_events(
        Standing.number, EVENTS.PY_START | EVENTS.PY_THROW | EVENTS.RAISE | EVENTS.PY_UNWIND
    )
    for frame in list(sys._current_frames().values()):
        while frame is not None:
            if is_own_file(frame.f_code.co_filename):
                MONITORING.set_local_events(Standing.number, frame.f_code, WANTED)
            frame = frame.f_back
    MONITORING.restart_events()
    return ""


def end():
    """Record no more; what has been recorded is written."""
    number, Standing.number = Standing.number, None
    if number is None:
        return
    MONITORING.set_events(number, 0)
    for info in list(INFOS.values()):
        MONITORING.set_local_events(number, info.code, 0)
    for event in CALLBACKS:
        MONITORING.register_callback(number, event, None)
    MONITORING.free_tool_id(number)
    flush()
    for table in (FRAMES, INFOS, KNOWN, SPACES, THREADS):
        table.clear()
