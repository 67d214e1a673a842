# ruff: noqa: F821 (names of the parts before it)
"""Steps over and out that let what they call run at full speed.

While a thread steps, pydevd has each beginning of a function told to it, in all threads. A step
over or out needs that only once its function is left. Until then the interpreter tells pydevd
nothing of functions that begin, and this has it told what those return that are called right where
the step is: their results are shown.
"""

BEGINNINGS = EVENTS.PY_START | EVENTS.PY_RESUME

IS_THIN = []
"""Not empty while pydevd is told of no functions that begin."""


def set_suspend(stopping, reason, *more, **named):
    """pydevd suspends a thread; not where the person has just seen it, and stepped on.

    It is told of the same line after us, and would end the step right there. Nor does a step over
    a comprehension end in it. A pause ends a step that is under way: else pydevd would wait for it
    to come back from what it has called.
    """
    if named.get("is_pause"):
        set_additional_thread_info(stopping).pydev_step_cmd = -1
    ident = get_ident()
    seen = SEEN.pop(ident, None)
    if (seen is not None or ident in STEPS) and active_threads.get(ident) is stopping:
        frame = get_frame(1)
        while frame.f_globals is PYDEVDS_NAMES:  # where it is not compiled
            frame = frame.f_back
        is_step = reason == stopping.additional_info.pydev_step_cmd
        if is_step and (seen == (id(frame), frame.f_lasti) or is_stepped_over(frame, ident)):
            GOING_ON.add(ident)
            return None
    return native_suspend(stopping, reason, *more, **named)


def do_wait_suspend(current, frame, *more, **named):
    """pydevd suspends a thread; when it goes on, that may be a step."""
    ident = get_ident()
    if ident in GOING_ON:
        GOING_ON.discard(ident)
        return None
    if Standing.number is not None:
        end_step(ident)
        STEPPING.pop(ident, None)
    suspended = native_wait(current, frame, *more, **named)
    try:
        info = current.additional_info
        if Standing.number is not None and info.pydev_step_cmd in QUICK:
            begin_step(ident, info)
    except Exception:
        thicken()
    return suspended


def begin_step(ident, info):
    """A step over or out is under way."""
    frame = info.pydev_step_stop
    with LOCK:
        STEPPING[ident] = info
        if Standing.is_full and type(frame) is FrameType:
            STEPS[ident] = frame
            BEGUN[ident] = frame.f_lasti
            if DB.show_return_values and info.pydev_step_cmd in OVER:
                SHOWN[ident] = frame
            demand_in(frame.f_code)
            if all(each in STEPS for each in stepping()) and not DB.has_plugin_line_breaks:
                thin()
        demand()
    MONITORING.restart_events()


def stepping():
    """The threads that pydevd has step."""
    for ident, each in list(active_threads.items()):
        info = getattr(each, "additional_info", None)
        if info is not None and info.pydev_step_cmd != -1:
            yield ident


def thin():
    """pydevd is told of the functions alone in which a step is."""
    events = MONITORING.get_events(PYDEVD)
    if events & BEGINNINGS:
        IS_THIN.append(True)
        MONITORING.set_events(PYDEVD, events & ~BEGINNINGS)
    needed = dict.fromkeys([id(frame.f_code) for frame in STEPS.values()], EVENTS.PY_RETURN)
    for ident, frame in STEPS.items():
        if STEPPING[ident].pydev_step_cmd in OVER:
            needed[id(frame.f_code)] = -1
    for code in list(PYDEVDS_NAMES.get("_code_to_func_code_info_cache", ())):
        events = MONITORING.get_local_events(PYDEVD, code)
        if events & ~needed.get(id(code), 0):  # of an earlier step or stop
            MONITORING.set_local_events(PYDEVD, code, events & needed.get(id(code), 0))


def thicken():
    """pydevd is told of functions that begin, as it wanted."""
    if IS_THIN:
        IS_THIN.clear()
        MONITORING.set_events(PYDEVD, MONITORING.get_events(PYDEVD) | BEGINNINGS)


def end_step(ident):
    """The step of a thread is over, or pydevd takes it on."""
    with LOCK:
        frame = STEPS.pop(ident, None)
        SHOWN.pop(ident, None)
        returned = RETURNS.pop(ident, None)
        if returned is not None:
            returned.end(frame)
        if frame is None:
            return
        thicken()
        demand_in(frame.f_code)
        demand()


def leave_function(frame):
    """A function is left, by whatever way; pydevd goes on with a step that ends there."""
    ident = get_ident()
    if STEPS.get(ident) is frame:
        end_step(ident)
        MONITORING.restart_events()


def on_return(code, offset, value):
    try:
        frame = get_frame(1)
        if RETURNS:
            note_return(code, frame.f_back)
        leave_function(frame)
        forget_values(frame)
    except Exception:
        pass  # it would arrive in the program


def on_call(code, offset, function, argument):
    """Something is called, perhaps where the step is."""
    try:
        if SHOWN.get(get_ident()) is get_frame(1):
            function = getattr(function, "__func__", function)
            if isinstance(function, type):
                function = function.__init__
            called = getattr(function, "__code__", None)
            if type(called) is CodeType:
                tell_returns(called)
    except Exception:
        pass


def note_call_under_step(frame):
    """A function begins, perhaps one that nobody calls by its name: an operator, a property."""
    if SHOWN.get(get_ident()) is frame.f_back:
        tell_returns(frame.f_code)


class Returned(object):
    """The functions whose results a step over shows, by their ``id``, and how many it has shown."""

    def __init__(self):
        self.codes, self.count = {}, 0

    def end(self, frame):
        """The step is over; where too many were shown, none is: the last ones are missing."""
        for code in self.codes.values():
            demand_in(code)
        if self.count >= MOST_RETURNS and frame is not None:
            frame.f_locals.get(RETURN_VALUES, {}).clear()


MOST_RETURNS = 1000
"""Of a step that calls more often no results are shown: each costs microseconds."""


def tell_returns(code):
    """Have pydevd told what a function returns."""
    returned = RETURNS.setdefault(get_ident(), Returned())
    if id(code) not in returned.codes:
        returned.codes[id(code)] = code
        demand_in(code)
    events = MONITORING.get_local_events(PYDEVD, code)
    if not events & EVENTS.PY_RETURN:
        MONITORING.set_local_events(PYDEVD, code, events | EVENTS.PY_RETURN)


def note_return(code, caller):
    """What a function returns is shown, perhaps; no more where there were very many."""
    ident = get_ident()
    returned = RETURNS.get(ident)
    if returned is None or id(code) not in returned.codes or SHOWN.get(ident) is not caller:
        return
    returned.count += 1
    if returned.count < MOST_RETURNS:
        return
    with LOCK:
        del SHOWN[ident]
        codes, returned.codes = returned.codes, {}
        for told in codes.values():
            demand_in(told)
            if all(frame.f_code is not told for frame in STEPS.values()):
                events = MONITORING.get_local_events(PYDEVD, told)
                MONITORING.set_local_events(PYDEVD, told, events & ~EVENTS.PY_RETURN)
        demand_in(caller.f_code)
        demand()


RETURN_VALUES = pydevd_constants.RETURN_VALUES_DICT


PYDEVDS_NAMES = PYDEVDS.update_monitor_events.__globals__

GOING_ON = set()
"""The threads that pydevd is about to let wait, and that do not."""

native_suspend, native_wait = [
    getattr(each, "stands_for", each) for each in (DB.set_suspend, DB.do_wait_suspend)
]
# for whoever debugs the program after us
set_suspend.stands_for, do_wait_suspend.stands_for = native_suspend, native_wait
