"""Whether a value is the one that was recorded under its ``id``, or another that came there later.

Nothing keeps a value alive. The end of one is seen by a weak reference, where its class has those.
The others are in doubt where they come to a variable or into another value: if they are not what
they were, or the line may make new values, and no variable and no other value had them meanwhile,
their history begins there (``BORN``).
"""

from __future__ import annotations

from time import sleep as pause

from tuidbg.debuggee.recording.frame_variables import let_go, variables_of
from tuidbg.debuggee.recording.recorded_calls import Record
from tuidbg.debuggee.recording.recorder_state import HELD, LINE, Standing
from tuidbg.debuggee.recording.segments import Columns
from tuidbg.debuggee.recording.value_kinds import (
    KNOWN,
    MOST_KNOWN,
    MOST_REMEMBERED,
    WEIGHED_EACH,
    weight_of_known,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def keep_tail(columns: Any, fresh: Any) -> None:
    count = len(columns.times)
    if count < MOST_PASSED:
        times, wheres = columns.tail[0] + columns.times, columns.tail[1] + columns.wheres
        fresh.tail = times[-MOST_PASSED:], wheres[-MOST_PASSED:]
    else:
        fresh.tail = columns.times[-MOST_PASSED:count], columns.wheres[-MOST_PASSED:count]


def take(thread: Any) -> Any:
    """The columns of a thread while nothing is being noted in it.

    Between the question and the exchange nothing is called: no other thread can come between.
    """
    fresh = Columns(thread)
    for _ in range(1000):
        if thread.is_busy in (False, HELD):
            columns = thread.columns
            thread.columns = fresh
            keep_tail(columns, fresh)
            return columns
        pause(0.001)
    return None


def weigh_known() -> None:
    """Forget so much that there is room for some more."""
    if len(KNOWN) > MOST_KNOWN - WEIGHED_EACH or weight_of_known() > MOST_REMEMBERED:
        forget_some()
    Standing.most_known = len(KNOWN) + WEIGHED_EACH


def forget_some() -> None:
    """Of values that were not seen for long it is not known whether they are there still."""
    seen = sorted(each.seen for each in list(KNOWN.values()))
    limit = seen[len(seen) // 2]
    for key, each in list(KNOWN.items()):
        if each.seen <= limit:
            KNOWN.pop(key, None)
    BEARERS.clear()
    if Standing.has_dicts:
        find_bearers()


MOST_HOLDERS = 20
"""Values, each in the next one, by which it is shown that one was there."""

MOST_PASSED = 100
"""Moments since a function has passed a value on, in the same line."""

TRACEBACK = BaseException.__dict__["__traceback__"].__get__


def is_itself(value: Any, known: Any) -> bool:
    return known.reference is None or known.reference() is value


def pass_made(record: Any, frame: Any, when: int) -> None:
    """What an ``__init__`` has filled goes on to the expression that calls the class."""
    names = variables_of(frame, record)
    known = KNOWN.get(id(names.get(record.info.names[0])))
    if known is not None and known.reference is None:
        known.passed = when
    let_go(record, names)


def is_held(known: Any, columns: Any) -> Any:
    """Whether a variable, or what it is in, or a function that passed it on has had it."""
    passed, comes = known.passed, known.comes
    for _ in range(MOST_HOLDERS):
        if known.reference is not None:
            return known.reference() is not None
        holder = known.holder
        is_there = holder is not None and holder.last.get(known.name) is known.token
        if is_there and not holder.waits and (not holder.is_over or shares(comes, known.name)):
            return True
        if is_of_bearer(known):
            return True
        container = known.container
        if container is None or KNOWN.get(container.key) is not container:
            break
        if not has_item(container, known.key):
            break
        known = container
        passed = max(passed, known.passed)
    return passed > 0 and is_passed(passed, columns)


def is_of_bearer(known: Any) -> bool:
    """Whether an object that is alive has its attributes in this dict."""
    bearer: Any = BEARERS.get(known.key)
    value = None if bearer is None else bearer.reference()
    return value is not None and id(bearer.kind.dictionary(value)) == known.key


def shares(record: Any, name: Any) -> bool:
    """Whether what comes to a call is in a variable that it shares with others."""
    return type(record) is Record and name in record.info.cells


def was_held(known: Any, when: int) -> bool:
    """Whether something had it that has it no more because of the line."""
    container = known.container
    if container is None or KNOWN.get(container.key) is not container:
        return False
    states = (container.state, container.attributes)
    return any(s is not None and s.was_at == when and known.key in s.was for s in states)


def has_item(container: Any, key: Any) -> bool:
    ids, attributes = container.state.ids, container.attributes
    if ids is not None and key in ids:
        return True
    return attributes is not None and attributes.ids is not None and key in attributes.ids


def is_passed(passed: Any, columns: Any) -> bool:
    """Whether a function passed it on while the line ran at whose end is looked now."""
    times, wheres = columns.times, columns.wheres
    if len(times) < MOST_PASSED:
        times, wheres = columns.tail[0] + times, columns.tail[1] + wheres
    place = len(times) - 1
    if place >= 0 and times[place] == passed:
        return True  # the next call of the line begins
    frame, last = wheres[place] >> 24 if place >= 0 else 0, place - MOST_PASSED
    begun = columns.frames[-1] if columns.frames else None
    if begun is not None and place >= 0 and begun[0] == frame and begun[5] == times[place]:
        frame = begun[2]  # it begins: the line that runs is of the call around
    line = frame << 4 | LINE
    while place > 0 and place > last:
        place -= 1
        if times[place] == passed:
            return True
        if times[place] < passed or (wheres[place] >> 20 == line):
            return False
    return False


def shared_of(record: Any) -> dict[Any, Any]:
    """What may be there still as a call is over: the variables that functions share."""
    return {name: record.last[name] for name in record.info.cells if name in record.last}


BEARERS: dict[Any, Any] = {}
"""By the ``id`` of the dicts of their attributes: objects that are known, if they are asked for."""


def find_bearers() -> None:
    """From here on the program may change the attributes of an object in its dict."""
    Standing.has_dicts = True
    for known in list(KNOWN.values()):
        value = None if known.reference is None else known.reference()
        if value is not None and known.attributes is not None:
            BEARERS[id(known.kind.dictionary(value))] = known
