"""Does what a person asks of one value: work it out, give all of it, search it, set it.

All but the setting is done in a thread of its own, so that nothing waits for it: who asks gets a
ticket where it is not done at once, and comes again (``poll``). Asked for ``here``, it is done in
the stopped thread, for code that works in no other, such as queries of a database.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from time import perf_counter as clock

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import classes, contents, private_names, showing, values, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


AT_ONCE = 0.15
"""Seconds that one question waits for what was begun."""

LIMIT = 30.0
"""Seconds after which what was asked for is given up."""

HERE = 3.0
"""Seconds for code in the stopped thread."""

SETTING = 10.0
"""Seconds that the expression of a new value may take."""

KEPT = 50
"""Old values that are kept at a stop, to undo the change."""

jobs: dict[Any, Any] = {}
old_values: dict[Any, Any] = {}
_numbers = [0]


class Unsettable(Exception):
    """A value can't be set; the message is a sentence for a person."""


def forget() -> None:
    """Another stop: no client waits for the answers any more, and nothing can be undone."""
    for job in list(jobs.values()):
        job.give_up()
    jobs.clear()
    old_values.clear()


def begin(work: Callable[[Any], Any]) -> Any:
    """Start a work; its answer, or a ticket for it."""
    _numbers[0] += 1
    jobs[_numbers[0]] = showing.ThreadJob([work])
    return poll(None, _numbers[0])


def poll(frame: FrameType | None, ticket: int) -> dict[str, Any]:
    """The answer of what was begun: ``{"answer": ...}``, ``{"error": ...}`` or the ticket again."""
    job = jobs.get(ticket)
    if job is None:
        return {"error": "it was given up"}
    started = job.begun
    if not job.wait(LIMIT, AT_ONCE):
        if clock() - started <= LIMIT:
            return {"ticket": ticket}
        job.give_up()
        del jobs[ticket]
        return {"error": "it takes more than %g s and was given up" % LIMIT}
    del jobs[ticket]
    return answer_of(job.results[0] if job.results else showing.Shown("<gives nothing>", "raised"))


def answer_of(result: Any) -> dict[str, Any]:
    if isinstance(result, showing.Shown) and result.problem == "raised":
        return {"error": result.text[1:-1]}
    return {"answer": result}


def cancel(frame: FrameType, ticket: int) -> None:
    """Cancel a request."""
    job = jobs.pop(ticket, None)
    if job is not None:
        job.give_up()


def now(work: Callable[[Any], Any]) -> dict[str, Any]:
    """Do it in this thread, in the time that has."""
    job = Here()
    try:
        with base.TimeLimit(HERE):
            return {"answer": work(job)}
    except base.OutOfTime:
        return {"error": "it takes more than %g s and was given up" % HERE}
    except Exception as error:
        return {"error": writing.describe_error(error)}


class Here(object):
    """A job that is none: it is done in the stopped thread."""

    printed = 0

    def enter(self, name: str) -> None:
        pass

    leave = forget_nothing = lambda self: None


def load(
    frame: FrameType,
    scope: str,
    steps: list[Any],
    expression: str,
    kind: Any,
    here: bool = False,
    stop: Any = None,
) -> Any:
    """Work out a property, or show a slow value: the row of it."""
    values.begin(stop)
    real = values.real_frame(frame)
    place = [(code, where) for code, where in steps]
    if steps and steps[-1][0] == "p":
        value = values.resolve(real, scope, steps[:-1])
    else:
        value = values.resolve(real, scope, steps)

    def work(job: Any) -> Any:
        found = value
        if steps and steps[-1][0] == "p":
            found = getattr(value, steps[-1][1])
            values.loaded[values.place_of(scope, place)] = found
        answer = values.RowCollector(real)
        step = steps[-1] if steps else []
        name = step[1] if step else expression
        row = answer.row(contents.Entry(str(name), found, step, "", kind), "")
        row[values.EXPRESSION] = expression
        shown = showing.work_for(found, asked=True)(job)
        row[values.VALUE], row[values.REMARK] = shown.text, shown.remark
        row[values.CUT] = shown.is_cut
        row[values.PROBLEM] = ""
        return row

    return now(work) if here or any(showing.querying()) else begin(work)


def full(
    frame: FrameType, scope: str, steps: list[Any], how: str, limit: int, here: bool = False
) -> Any:
    """All of a value as text: ``how`` is repr, str or bytes (as hexadecimal digits)."""
    value = values.resolve(values.real_frame(frame), scope, steps)

    def work(job: Any) -> dict[str, Any]:
        kind = type(value)
        real_kind = next((k for k in (str, bytes, bytearray) if issubclass(kind, k)), None)
        if how == "bytes" and real_kind in (bytes, bytearray):
            part = bytes(real_kind.__getitem__(value, slice(0, limit)))
            return {"text": part.hex(), "total": real_kind.__len__(value), "kind": "bytes"}
        if how != "repr" and real_kind is str:
            text, total = str.__getitem__(value, slice(0, limit)), str.__len__(value)
        else:
            text = str(value) if how == "str" else written(value, limit, job)
            total = len(text)
        name = real_kind.__name__ if real_kind is not None else ""
        return {"text": writing.clean(text[:limit]), "total": total, "kind": name}

    return now(work) if here or any(showing.querying()) else begin(work)


def written(value: Any, limit: int, job: Any) -> Any:
    """``repr``, but not of more than there is room for, where that can be helped."""
    kind = type(value)
    how = classes.lookup_plain(kind, "__repr__")
    if how is int.__repr__ or issubclass(kind, (str, bytes, bytearray)):
        return writing.Writer(limit, job, asked=True).text(value)
    return repr(value)


def as_json(frame: FrameType, scope: str, steps: list[Any], limit: int) -> Any:
    """A value as JSON; what JSON does not know stands as the text it is shown by."""
    value = values.resolve(values.real_frame(frame), scope, steps)

    def work(job: Any) -> dict[str, Any]:
        room = [limit]
        text = json.dumps(plain_json(value, job, room, []), indent=2, ensure_ascii=False)
        return {"text": writing.clean(text), "total": len(text), "is_whole": room[0] > 0}

    return begin(work)


def plain_json(value: Any, job: Any, room: list[int], above: list[Any]) -> Any:
    """``room`` is how many characters may still come."""
    kind = type(value)
    if kind in (int, float, bool, type(None)):
        room[0] -= 8
        return value if kind is not float or value - value == 0 else repr(value)
    if room[0] <= 0:
        return "..."
    if kind is str:
        room[0] -= str.__len__(value) + 4
        return value[: max(0, room[0]) + str.__len__(value) + 4]
    if any(value is other for other in above):
        return "<cyclic>"
    below = [*above, value]
    if classes.dict_class(kind) is not None:
        found = {}
        for key, item in writing.steady(writing.pairs_of(value)):
            if room[0] <= 0:
                break
            text = key if type(key) is str else writing.Writer(200, job, True).text(key)
            room[0] -= len(text) + 6
            found[text] = plain_json(item, job, room, below)
        return found
    for base_kind in (list, tuple, set, frozenset):
        if issubclass(kind, base_kind):
            items: list[Any] = []
            for item in writing.steady(base_kind.__iter__(value)):
                if room[0] <= 0:
                    break
                items.append(plain_json(item, job, room, below))
            return items
    if type(classes.lookup_plain(kind, "__dataclass_fields__")) is dict:
        names = classes.lookup_plain(kind, "__dataclass_fields__")
        held = classes.instance_dict(value, kind)
        return {n: plain_json(held[n], job, room, below) for n in names if n in held}
    text = writing.Writer(1000, job, True).text(value)
    room[0] -= len(text)
    return text


def find(
    frame: FrameType, scope: str, steps: list[Any], text: str, limit: int, ignore_case: bool
) -> Any:
    """Returns where a text is in the names and the values of what is in a value.

    ``[[position, name], ...]`` of at most ``limit``, how many were looked at, and how many there
    are.
    """
    value = values.resolve(values.real_frame(frame), scope, steps)

    def work(job: Any) -> dict[str, Any]:
        wanted = text.lower() if ignore_case else text
        found, position, total = [], 0, 0
        parts = contents.sections(value)
        total = sum(part.total for part in parts)
        for part in parts:
            for entry in writing.steady(iter(part.page(0, part.total))):
                name = entry.name
                if name is None:
                    name = writing.Writer(120, job, True).text(entry.key)
                where = name
                if entry.value is not contents.LAZY:
                    try:
                        where += "\0" + writing.Writer(job=job).text(entry.value)
                    except Exception as swallowed:
                        SWALLOWED["values_demand.find", type(swallowed)] += 1
                if wanted in (where.lower() if ignore_case else where):
                    found.append([position, writing.clean(name)])
                position += 1
                if len(found) >= limit:
                    return {"found": found, "seen": position, "total": total}
        return {"found": found, "seen": position, "total": total}

    return begin(work)


def position(frame: FrameType, scope: str, steps: list[Any], key: Any) -> Any:
    """The position of a key: an index, an expression, or the text of a key or a name."""
    real = values.real_frame(frame)
    value = values.resolve(real, scope, steps)

    def work(job: Any) -> list[Any]:
        wanted, first = read_key(real, key), 0
        for part in contents.sections(value):
            place = place_in(part, wanted, key, job)
            if place is not None:
                entry = next(iter(part.page(place, place + 1)))
                name = entry.name
                if name is None:
                    name = writing.Writer(120, job, True).text(entry.key)
                return [first + place, writing.clean(name)]
            first += part.total
        return []

    return begin(work)


def read_key(real: Any, key: Any) -> Any:
    try:
        return eval(key, values.namespace(real))
    except Exception as swallowed:
        SWALLOWED["values_demand.read_key", type(swallowed)] += 1
        return key


def place_in(part: Any, wanted: Any, text: str, job: Any) -> Any:
    """The position of a key, an index or a name among the entries of a section, or None.

    A key may be meant by how it is shown, where nothing in the frame has its name.
    """
    if part.is_indexed:
        is_there = type(wanted) is int and -part.total <= wanted < part.total
        return wanted % part.total if is_there else None
    if part.keys is not None:
        for match in (wanted, text):
            kind = type(match)
            for place, key in enumerate(writing.steady(part.keys())):
                if type(key) is kind and (key is match or key == match):
                    return place
        for place, key in enumerate(writing.steady(part.keys())):
            if type(key) not in (int, str) and writing.Writer(120, job).text(key) == text:
                return place
        return None
    for place, entry in enumerate(part.page(0, part.total)):
        if entry.name == text:
            return place
    return None


def assign(
    frame: FrameType,
    scope: str,
    steps: list[Any],
    expression: str,
    text: str,
    ticket: int,
    kind: str = "",
) -> dict[str, Any]:
    """Set a value to what an expression gives: its new row; ``ticket`` brings the old one back."""
    real = values.real_frame(frame)
    try:
        code = private_names.compile_in(real, text.strip(), "<the new value>", "eval")
        with base.TimeLimit(SETTING):
            new = eval(code, values.namespace(real))
        old = old_value(real, scope, steps)
        put(real, scope, steps, new)
    except BaseException as error:
        if type(error) is Unsettable:
            return {"error": str(error)}
        if type(error) is base.OutOfTime:
            return {"error": "it takes more than %g s and was given up" % SETTING}
        return {"error": explain(error)}
    if len(old_values) >= KEPT:
        del old_values[min(old_values)]
    old_values[ticket] = old
    return {"answer": row_again(real, scope, steps, expression, kind)}


def undo(
    frame: FrameType, scope: str, steps: list[Any], expression: str, ticket: int, kind: str = ""
) -> dict[str, Any]:
    """Bring back the value that ``assign`` put away under that ticket."""
    real = values.real_frame(frame)
    if ticket not in old_values:
        return {"error": "the old value is not known any more"}
    try:
        put(real, scope, steps, old_values.pop(ticket))
    except BaseException as error:
        return {"error": explain(error)}
    return {"answer": row_again(real, scope, steps, expression, kind)}


def old_value(real: Any, scope: str, steps: list[Any]) -> Any:
    """Returns what is there now; a property is worked out for it."""
    code, where = steps[-1]
    if code == "p":
        return getattr(values.resolve(real, scope, steps[:-1]), where)
    return values.resolve(real, scope, steps)


def explain(error: BaseException) -> Any:
    """As Python ends its tracebacks, and where in the expression, for a syntax error."""
    if isinstance(error, SyntaxError) and type(error.msg) is str:
        return "SyntaxError: %s" % error.msg
    return writing.describe_error(error)


def row_again(real: Any, scope: str, steps: list[Any], expression: str, kind: Any) -> Any:
    """Returns the row of what is really there now."""
    answer = values.RowCollector(real)
    found = values.resolve(real, scope, steps)
    row = answer.row(contents.Entry(str(steps[-1][1]), found, steps[-1], "", kind), "")
    row[values.EXPRESSION] = expression
    answer.finish()
    return row


def put(real: Any, scope: str, steps: list[Any], new: Any) -> None:
    """Store a value where the steps lead."""
    code, where = steps[-1]
    if code == "n":
        put_name(real, scope, where, new)
        return
    if code == "r":
        raise Unsettable("what a function has returned can't be changed any more")
    holder = values.resolve(real, scope, steps[:-1])
    kind = type(holder)
    if code in ("a", "s", "p", "m", "t", "x", "c"):
        if code == "c":
            raise Unsettable("it belongs to the class; set it there")
        setattr(holder, where, new)
        if code == "p":
            place = [(c, w) for c, w in steps]
            values.loaded[values.place_of(scope, place)] = getattr(holder, where)
    elif code == "k":
        key = next(islice(writing.pairs_of(holder), where, None))[0]
        holder[key] = new
    elif code == "e":
        raise Unsettable("the elements of a set can't be changed, only added and removed")
    elif code == "f":
        raise Unsettable("a column of a table can't be set here; the console can")
    elif issubclass(kind, tuple):
        raise Unsettable("a tuple can't be changed; set the whole of it")
    else:
        holder[where] = new


def put_name(real: Any, scope: str, name: str, new: Any) -> None:
    if scope == "G" or real.f_locals is real.f_globals:
        real.f_globals[name] = new
        return
    real.f_locals[name] = new
    saving = sys.modules.get("_pydevd_bundle.pydevd_save_locals")
    if saving is not None:
        saving.save_locals(real)
