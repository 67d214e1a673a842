# ruff: noqa: F821 (names of the parts before it)
"""Steps over comprehensions, which are no functions any more from Python 3.12 on.

They are loops in the function that they stand in, and pydevd would end a step over at each element,
of a hundred thousand. A step that begins outside ends outside.
"""

COMPREHENSIONS = {}
"""By the ``id`` of a code object: that, and where its comprehensions begin and end."""

BEGUN = {}
"""By thread: the instruction at which its step has begun."""

BEGINS = dis.opmap.get("LOAD_FAST_AND_CLEAR", -1)
"""The instruction with which each comprehension begins."""

BUILDING = ("SWAP", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "COPY", "MAKE_CELL", "GET_ITER")
"""What stands between the beginning of a comprehension and its loop."""


def comprehensions_of(code):
    """The first instruction of each, that of its loop, and its last one."""
    if BEGINS not in code.co_code[::2]:
        return ()  # of most, and quickly: each step over ends by this question
    known = COMPREHENSIONS.get(id(code))
    if known is None:
        found, begins = [], None
        for each in dis.get_instructions(code):
            if each.opname == "FOR_ITER" and begins is not None:
                found.append((begins, each.offset, each.argval))
            if each.opcode == BEGINS:
                begins = each.offset if begins is None else begins
            elif each.opname not in BUILDING:
                begins = None
        known = COMPREHENSIONS[id(code)] = code, found
    return known[1]


def is_stepped_over(frame, ident):
    """Whether the step of this thread goes over a comprehension, and is in it just now."""
    info = STEPPING.get(ident)
    if STEPS.get(ident) is not frame or info is None or info.pydev_step_cmd not in OVER:
        return False
    now, begun = frame.f_lasti, BEGUN.get(ident, 0)
    for first, loop, last in comprehensions_of(frame.f_code):
        if first <= now <= last and not loop <= begun <= last:
            spare_jumps(frame.f_code)
            return True
    return False


def spare_jumps(code):
    """Have pydevd told of lines alone until its next step: the next element may be in the same."""
    events = MONITORING.get_local_events(PYDEVD, code)
    if events & EVENTS.JUMP:
        MONITORING.set_local_events(PYDEVD, code, events & ~EVENTS.JUMP)
