"""The variables of a frame and what is in them, a page at a time, in one question.

In place of DAP's ``variables``, which has no pages, calls every ``repr`` and every property, and
takes as long as they do. Nothing here runs code of the program, but through ``showing``. A value is
named by its scope and the steps from there: ``["L", [["n", "things"], ["i", 3]]]``.
"""

from __future__ import annotations

from itertools import islice
from time import perf_counter as clock

from tuidbg.debuggee.loader import find_loaded
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import classes, contents, private_names, showing, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Any


PAGE = 100
"""Entries of a page, where no other number is asked for."""

NAMES = 2000
"""Attributes, or names of a scope, that are given however long a page is."""

RETURNED = "__pydevd_ret_val_dict"
HIDDEN = "_pydev_stop_at_break"

loaded: dict[Any, Any] = {}
"""Holds what was worked out on demand at this stop (properties), by the place where it is."""

_stop = [None]


class Gone(Exception):
    """Says that what a question is about is not there any more."""


class NotPlainly(BaseException):
    """Code of the program, or more than a moment, is needed; no handler of a row catches it."""


def begin(stop: Any) -> None:
    """Forget what belongs to an earlier stop."""
    if _stop[0] != stop:
        _stop[0] = stop
        loaded.clear()
        demand = find_loaded("values.values_demand")
        if demand is not None:
            demand.forget()


def real_frame(frame: FrameType | None) -> Any:
    """The frame that an evaluation is made for."""
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression" and "frame" in frame.f_locals:
            return frame.f_locals["frame"]
        frame = frame.f_back
    raise Gone("there is no such frame")


def python_frame(frame: FrameType | None) -> Any:
    """The same, for questions about its code, which debugpy's frame of a template has not."""
    real = real_frame(frame)
    if not hasattr(real.f_code, "co_code"):
        raise Gone("not in a template: choose the frame of a function in the stack")
    return real


def scope_entries(real: Any, which: str) -> Iterator[Any]:
    """The names of a scope."""
    if which == "G":
        inner = real.f_locals if real.f_locals is not real.f_globals else {}
        for name, value in list(real.f_globals.items()):
            if not issubclass(type(name), str) or name == RETURNED:
                continue
            template = name if name not in inner else "globals()[%r]" % (name,)
            yield contents.Entry(name, value, ["n", name], template, contents.kind_of(name, value))
        return
    for name, value in list(real.f_locals.items()):
        if name == RETURNED:
            for function, result in list(returned_to(real).items()):
                if not is_noise(function, result):
                    end = " returned" if function[-1:] == ">" else "() returned"
                    template = "%s[%r]" % (name, function)
                    yield contents.Entry(
                        function + end, result, ["r", function], template, "return"
                    )
        elif issubclass(type(name), str) and name != HIDDEN:
            template = name if str.isidentifier(name) else ""
            yield contents.Entry(name, value, ["n", name], template, contents.kind_of(name, value))


class ReturnedValues(dict):  # type: ignore[type-arg]
    """Holds what calls returned to a frame, as pydevd writes it down, by the functions' names.

    pydevd keeps it while the frame lives, so that a step shows what calls long before it returned.
    Here ``kept`` is what came before the present stop; it is still there to evaluate.
    """

    kept: dict[Any, Any] = {}
    stop = None

    def __missing__(self, function: Any) -> Any:
        return self.kept[function]


def returned_to(real: Any) -> Any:
    """Returns what calls returned to that frame since it was looked at, at a stop before this."""
    told = real.f_locals.get(RETURNED)
    if type(told) is dict:
        told = real.f_locals[RETURNED] = ReturnedValues(told)
    elif type(told) is not ReturnedValues:
        return {}
    if told.stop is None or told.stop != _stop[0]:
        told.kept, told.stop = dict(told), _stop[0]
        told.clear()
    return told.kept


def is_noise(function: Any, result: Any) -> bool:
    """Whether a person learns nothing from it."""
    if result is None and function.rpartition(".")[2] in ("__init__", "<module>"):
        return True
    return type(result).__name__ == "async_generator_wrapped_value"


# The answers

NAME, VALUE, TYPE, SIZE, EXPRESSION, STEP, KIND, PROBLEM, REMARK, TOTAL, CHILDREN, CUT = range(12)


class RowCollector(object):
    """Collects the rows of one question; what needs the program's code is shown at the end."""

    def __init__(self, real: Any, displays: dict[str, Any] | None = None) -> None:
        self.real = real
        self.displays = displays or {}
        self.late: list[Any] = []

    def page_of(self, found: Any, want: dict[str, Any], expression: str) -> list[Any]:
        """The entries of sections from ``want["s"]`` on, ``want["n"]`` of them."""
        start, count = want.get("s", 0), want.get("n", PAGE)
        below, entries, first = want.get("c") or {}, [], 0
        total = sum(section.total for section in found)
        start = max(0, min(start, total - 1))
        if not start:
            count += min(NAMES, sum(section.total for section in found if section.is_named))
        for section in found:
            low, high = max(start - first, 0), min(start + count - first, section.total)
            if low < high:
                entries += section.page(low, high)
            first += section.total
        self.name_keys(entries)
        rows = []
        for entry in entries:
            row = self.row(entry, expression)
            rows.append(row)
            wanted = below.get(row[NAME])
            if wanted is not None and row[TOTAL]:
                row[CHILDREN] = self.page(entry.value, wanted, row[EXPRESSION])
        return [start, total, rows]

    def page(self, value: Any, want: dict[str, Any], expression: str) -> Any:
        """The children of a value; where they can't be told, one row says why."""
        try:
            return self.page_of(contents.sections(value), want, expression)
        except Exception as error:
            why = "<%s>" % writing.describe_error(error)
            return [0, 1, [["?", why, "", "", "", [], "", "raised", "", 0, None, False]]]

    def row(self, entry: Any, parent: str) -> Any:
        """The row of an entry of what the expression ``parent`` names."""
        expression = entry.template
        if "{}" in expression:
            expression = expression.replace("{}", parent, 1) if parent else ""
        name, value = writing.clean(entry.name), entry.value
        if value is contents.LAZY:
            text = "<property>"
            return [name, text, "", "", expression, entry.step, entry.kind, "lazy", "", 0, None]
        row = [name, "", classes.kind_name(value), contents.size_of(value), expression, entry.step]
        row += [entry.kind, "", "", contents.total_of(value), None, False]
        self.show(row, value)
        return row

    def name_keys(self, entries: list[Any]) -> None:
        name_keys(entries)

    def show(self, row: Any, value: Any) -> None:
        display = self.displays.get(row[EXPRESSION]) if row[EXPRESSION] else None
        if display is not None:
            self.late.append((row, display_work(self.real, value, display)))
            return
        try:
            shown = showing.show_plain(value)
            row[VALUE], row[CUT] = shown.text, shown.is_cut
        except Exception as error:  # what a builtin's own way has raised is told like any other
            if not isinstance(error, writing.NeedsProgramCode):
                SWALLOWED["values.show", type(error)] += 1
            self.late.append((row, showing.work_for(value)))

    def finish(self) -> None:
        """Fill in what was put off."""
        if self.late:
            for (row, _), shown in zip(self.late, showing.show_all([w for _, w in self.late])):
                row[VALUE], row[PROBLEM], row[REMARK] = shown.text, shown.problem, shown.remark
                row[CUT] = shown.is_cut


class PlainRowCollector(RowCollector):
    """Collects rows until a time, without code of the program. Raises NotPlainly."""

    def __init__(self, real: Any, until: float) -> None:
        RowCollector.__init__(self, real)
        self.until = until

    def name_keys(self, entries: list[Any]) -> None:
        if any(entry.name is None for entry in entries):
            raise NotPlainly

    def show(self, row: Any, value: Any) -> None:
        if clock() > self.until:
            raise NotPlainly
        try:
            shown = showing.show_plain(value)
        except Exception:  # of any kind: shown at the request
            raise NotPlainly from None
        row[VALUE], row[CUT] = shown.text, shown.is_cut


def name_keys(entries: list[Any]) -> None:
    """Names for entries whose keys only code of the program can show."""
    nameless = [entry for entry in entries if entry.name is None]
    if nameless:
        found = showing.show_all([showing.work_for(entry.key, 120) for entry in nameless])
        for entry, shown in zip(nameless, found):
            entry.name = shown.text


def namespace(real: Any, **more: Any) -> Any:
    """The names of a frame as an expression sees them."""
    names = dict(real.f_globals)
    names.update(real.f_locals)
    names.update(more)
    return names


def display_work(real: Any, value: Any, display: Any) -> Any:
    """Shows a value as a person has chosen: (how, expression)."""
    how, expression = display

    def work(job: showing.ThreadJob) -> Any:
        writer = writing.Writer(job=job, asked=True)
        if how == "type":
            text = classes.full_name(type(value))
        elif how == "len":
            text = str(len(value))
        elif how == "str":
            text = str(value)
        else:
            found = value
            if how == "expression":
                found = private_names.evaluate_in(real, expression, namespace(real, it=value))
            text = writer.text(found)
        return showing.finish(writer, text, job)

    return work


def look(
    frame: FrameType, wanted: Any, displays: dict[str, Any] | None = None, stop: Any = None
) -> Any:
    """The scopes of a frame, with the children of those that are wanted.

    ``wanted`` maps names to ``{"s": start, "n": count, "c": {name: wanted below}}``.
    """
    begin(stop)
    real = real_frame(frame)
    return scopes(real, wanted, RowCollector(real, displays))


def look_plainly(real: FrameType, wanted: Any, stop: Any, until: float) -> Any:
    """The same for the frame itself, until that time at most. Raises NotPlainly."""
    begin(stop)
    return scopes(real, wanted, PlainRowCollector(real, until))


def scopes(real: Any, wanted: Any, answer: RowCollector) -> Any:
    """The scopes of a frame, as ``look`` gives them."""
    roots = []
    for name, which in (("Locals", "L"), ("Globals", "G")):
        want = wanted.get(name)
        page = None
        if want is not None:
            entries = list(scope_entries(real, which))
            scope = contents.Section(
                len(entries), lambda low, high, found=entries: found[low:high], is_named=True
            )
            page = answer.page_of([scope], want, "")
        roots.append([name, page])
    answer.finish()
    return roots


def children(
    frame: FrameType,
    scope: str,
    steps: list[Any],
    expression: str,
    want: dict[str, Any],
    displays: dict[str, Any] | None = None,
    stop: Any = None,
) -> Any:
    """A page of what is in a value."""
    begin(stop)
    real = real_frame(frame)
    answer = RowCollector(real, displays)
    page = answer.page(resolve(real, scope, steps), want, expression)
    answer.finish()
    return page


# From names to values


def resolve(real: Any, scope: str, steps: list[Any]) -> Any:
    """The value that the steps lead to. Raises Gone."""
    value, path = None, []
    if scope not in ("L", "G"):
        value = private_names.evaluate_in(real, scope, namespace(real))
    for code, where in steps:
        path.append((code, where))
        try:
            value = step_to(real, scope, value, code, where, path)
        except (LookupError, AttributeError, TypeError, StopIteration):
            raise Gone("it is not there any more") from None
    return value


def step_to(real: Any, scope: str, value: Any, code: CodeType, where: Any, path: Any) -> Any:
    if code == "n":
        return (real.f_locals if scope == "L" else real.f_globals)[where]
    if code == "r":
        return returned_to(real)[where]
    if code == "p":
        return loaded[place_of(scope, path)]
    if code == "k":
        return next(islice(writing.pairs_of(value), where, None))[1]
    if code == "e":
        kind = set if issubclass(type(value), set) else frozenset
        return next(islice(kind.__iter__(value), where, None))
    for section in contents.sections(value):
        for entry in by_place(section, code, where):
            if entry.step == [code, where]:
                return entry.value
    raise Gone("it is not there any more")


def by_place(section: Any, code: CodeType, where: Any) -> Any:
    """The entries among which a step leads to one: only that one where it is a position."""
    if type(where) is int:
        return section.page(where, where + 1)
    return section.page(0, section.total)


def place_of(scope: str, path: Any) -> tuple[Any, Any]:
    return scope, tuple(path)
