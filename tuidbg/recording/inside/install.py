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


atexit = __import__("atexit")


WITHOUT_GIL = (
    "recording needs the GIL, which is off in this free-threaded Python; to record, run it with"
    " the environment variable PYTHON_GIL=1"
)


def begin(folder, settings, tell=None):
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
    for frame in list(sys._current_frames().values()):
        while frame is not None:
            if is_own_file(frame.f_code.co_filename):
                MONITORING.set_local_events(Standing.number, frame.f_code, WANTED)
            frame = frame.f_back
    MONITORING.restart_events()
    atexit.register(end)
    return ""


def end():
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


def stop(error):
    """A segment can't be written: later ones are useless without it, so the recording ends."""
    Spool.stopped = error.strerror or str(error)
    if Standing.number is not None:
        leave_interpreter()
    forget_all()
    report({"stopped": Spool.stopped})


def leave_interpreter():
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


def forget_all():
    forget_recorded()
    if Compiled.module is not None:
        Compiled.module.end()
        Compiled.module.forget(True, False)
    leave_compiled()
    for table in (THREADS, NAMES, PLANNED, OWN_TEXTS, FILES, FOREIGN, KINDS):
        table.clear()


def forget_recorded():
    if Compiled.module is not None:
        Compiled.module.forget(False, False)
    for table in (FRAMES, INFOS, KNOWN, VIEWS, SPACES, BEARERS):
        table.clear()
    Standing.most_known = 0
    Standing.has_dicts, Standing.thread = False, None
    for key in [key for key in NAMES if type(key) is tuple]:
        del NAMES[key]


def tell_names():
    """Once more those of variables, which stand in the plans."""
    for name, number in NAMES.items():
        NEWS["keys"].append([number, "n", name])


def begin_anew():
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


def end_in_child():
    """A process that was forked is not recorded; what is in the columns is of the other one."""
    global LOCK
    if Standing.number is not None:
        LOCK = _thread.RLock()  # another thread may have had it
        leave_interpreter()
        for news in NEWS.values():
            news.clear()
        Spool.files.clear()
        forget_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=end_in_child)
