# ruff: noqa: F821 (names of the parts before it)
"""A step over or out of a function that is left by an exception ends at the next line of a caller.

pydevd leaves that undone here: the program ran on, to the next breakpoint or to its own end.
"""

NEXT = {
    commands.CMD_STEP_OVER: commands.CMD_STEP_INTO,
    commands.CMD_STEP_RETURN: commands.CMD_STEP_INTO,
    commands.CMD_STEP_OVER_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
    commands.CMD_STEP_RETURN_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
}
"""Tells how a step goes on whose function is left, as pydevd has it at a return."""


def on_unwind(code, offset, error):
    """An exception leaves a function."""
    try:
        frame, ident = get_frame(1), get_ident()
        forget_values(frame)
        info = STEPPING.get(ident)
        if info is None:
            return
        leave_function(frame)
        if info.pydev_step_stop is not frame or info.pydev_step_cmd not in NEXT:
            return
        info.pydev_step_cmd = NEXT[info.pydev_step_cmd]
        info.pydev_step_stop = None
        frame = frame.f_back
        while frame is not None:
            PYDEVDS.enable_code_tracing(ident, frame.f_code, frame)
            frame = frame.f_back
    except Exception:
        pass  # it would arrive in the program
