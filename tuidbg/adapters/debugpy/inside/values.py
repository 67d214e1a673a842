"""The variables of a frame and what is in them, a page at a time, in one question.

In place of DAP's ``variables``, which has no pages, calls every ``repr`` and every property, and
takes as long as they do. Nothing here runs code of the program, but through ``showing``. A value is
named by its scope and the steps from there: ``["L", [["n", "things"], ["i", 3]]]``.
"""

import sys

showing = sys.modules["_tuidbg_showing"]
writing = sys.modules["_tuidbg_writing"]
islice = sys.modules["itertools"].islice
class_name, class_of, is_a = writing.class_name, writing.class_of, writing.is_a
lookup_plain, _DICT, _MRO = writing.lookup_plain, writing._DICT, writing._MRO

PAGE = 100
"""Entries of a page, where no other number is asked for."""

NAMES = 2000
"""Attributes, or names of a scope, that are given however long a page is."""

RETURNED = "__pydevd_ret_val_dict"
HIDDEN = "_pydev_stop_at_break"
HEAP = writing.HEAP
MEMBER = type(slice.start)
CALLABLE = (*writing._FUNCTIONS, type([].append), type(writing.Writer().text))
LITERALS = (int, float, str, bytes, bool, type(None))
SCALARS = frozenset(LITERALS)
NUMBERS = SCALARS - {str, bytes}

loaded = {}
"""What was worked out on demand at this stop (properties), by the place where it is."""

_stop = [None]


class Gone(Exception):
    """What a question is about is not there any more."""


def begin(stop):
    """Forget what belongs to an earlier stop."""
    if _stop[0] != stop:
        _stop[0] = stop
        loaded.clear()
        demand = sys.modules.get("_tuidbg_values_demand")
        if demand is not None:
            demand.forget()


def real_frame(frame):
    """The frame that an evaluation is made for."""
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression" and "frame" in frame.f_locals:
            return frame.f_locals["frame"]
        frame = frame.f_back
    raise Gone("there is no such frame")


class Entry(object):
    """One thing in another. ``step`` leads to it; ``template`` makes its expression."""

    def __init__(self, name, value, step, template="", kind="", key=None):
        self.name = name
        self.value = value
        self.step = step
        self.template = template
        self.kind = kind
        self.key = key  # of a dict, where the name has to be worked out


class Section(object):
    """Entries by position: ``page`` gives those from a position to another.

    ``keys`` gives an iterator of a dict's keys; ``is_indexed`` says that the names are positions,
    ``is_named`` that these are attributes, of which a page has all.
    """

    def __init__(self, total, page, keys=None, is_indexed=False, is_named=False):
        self.total = total
        self.page = page
        self.keys = keys
        self.is_indexed = is_indexed
        self.is_named = is_named


LAZY = object()
"""The value of an entry that is only worked out on demand."""


def scope_entries(real, which):
    """The names of a scope."""
    if which == "G":
        inner = real.f_locals if real.f_locals is not real.f_globals else {}
        for name, value in list(real.f_globals.items()):
            if not issubclass(type(name), str) or name == RETURNED:
                continue
            template = name if name not in inner else "globals()[%r]" % (name,)
            yield Entry(name, value, ["n", name], template, kind_of(name, value))
        return
    for name, value in list(real.f_locals.items()):
        if name == RETURNED:
            for function, result in list(returned_to(real).items()):
                if not is_noise(function, result):
                    end = " returned" if function[-1:] == ">" else "() returned"
                    template = "%s[%r]" % (name, function)
                    yield Entry(function + end, result, ["r", function], template, "return")
        elif issubclass(type(name), str) and name != HIDDEN:
            template = name if str.isidentifier(name) else ""
            yield Entry(name, value, ["n", name], template, kind_of(name, value))


class Returned(dict):
    """What calls returned to a frame, as pydevd writes it down, under the functions' names.

    pydevd keeps it while the frame lives, so that a step shows what calls long before it returned.
    Here ``kept`` is what came before the present stop; it is still there to evaluate.
    """

    kept = {}
    stop = None

    def __missing__(self, function):
        return self.kept[function]


def returned_to(real):
    """What calls returned to that frame since it was looked at, at a stop before this one."""
    told = real.f_locals.get(RETURNED)
    if type(told) is dict:
        told = real.f_locals[RETURNED] = Returned(told)
    elif type(told) is not Returned:
        return {}
    if told.stop is None or told.stop != _stop[0]:
        told.kept, told.stop = dict(told), _stop[0]
        told.clear()
    return told.kept


def is_noise(function, result):
    """Whether a person learns nothing from it."""
    if result is None and function.rpartition(".")[2] in ("__init__", "<module>"):
        return True
    return type(result).__name__ == "async_generator_wrapped_value"


def kind_of(name, value):
    if name[:2] == "__" and name[-2:] == "__" and len(name) > 4:
        return "special"
    if name[:4] == "@py_":  # pytest's, where it has rewritten an assert
        return "special"
    kind = type(value)
    if issubclass(kind, type):
        return "class"
    if issubclass(kind, CALLABLE):
        return "callable"
    return "module" if issubclass(kind, writing._MODULE) else ""


def named(pairs, code="a", kind=None):
    """Attributes: (name, value) pairs."""

    def page(start, stop):
        for name, value in pairs[start:stop]:
            name = str.__str__(name) if issubclass(type(name), str) else "?"
            template = "{}." + name if str.isidentifier(name) else ""
            yield Entry(name, value, [code, name], template, kind or kind_of(name, value))

    return Section(len(pairs), page, is_named=True)


def items(total, get, code="i"):
    """What has an index."""

    def page(start, stop):
        for index in range(start, min(stop, total)):
            yield Entry(str(index), get(index), [code, index], "{}[%d]" % index)

    return Section(total, page, is_indexed=True)


def pairs(value):
    """A dict's. The name of an entry is the ``repr`` of its key."""

    def page(start, stop):
        found = islice(writing.pairs_of(value), start, stop)
        for index, (key, item) in enumerate(found, start):
            try:
                name = showing.show_plain(key, 120).text
            except Exception:
                name = None
            literal = type(key) in LITERALS and name == repr(key)
            template = "{}[%s]" % name if literal else "list({}.values())[%d]" % index
            yield Entry(name, item, ["k", index], template, "", key)

    return Section(dict.__len__(value), page, lambda: (key for key, _ in writing.pairs_of(value)))


def elements(value, kind):
    """A set's, in its own order."""

    def page(start, stop):
        found = islice(kind.__iter__(value), start, stop)
        for index, item in enumerate(found, start):
            yield Entry(str(index), item, ["e", index], "list({})[%d]" % index)

    return Section(kind.__len__(value), page)


def fields_of(kind):
    fields = lookup_plain(kind, "_fields")
    if type(fields) is tuple and all(type(name) is str for name in fields):
        return fields
    return ()


def sections(value):
    """All that is in a value."""
    kind = type(value)
    if issubclass(kind, writing._MODULE):
        return [named(list(writing._DICT_OF_MODULE(value).items()), "m")]
    if issubclass(kind, type):
        return [named(list(_DICT(value).items()), "t")]
    if issubclass(kind, (*CALLABLE, int, float, complex)) and not writing._FLAGS(kind) & HEAP:
        return []
    table = table_section(value, kind)
    if table is not None:
        return [table]
    found = []
    attributes = writing.instance_dict(value, kind)
    if attributes:
        found.append(named(list(dict.items(attributes))))
    found += [section for section in own_sections(value, kind) if section.total]
    found += class_sections(kind, attributes)
    return found


def own_sections(value, kind):
    slots = slots_of(value, kind)
    if slots:
        yield named(slots, "s")
    if issubclass(kind, BaseException):
        names = ("args", "__cause__", "__context__")
        known = [(n, BaseException.__dict__[n].__get__(value)) for n in names]
        yield named([pair for pair in known if pair[1] is not None], "x", "")
    elif issubclass(kind, list):
        yield items(list.__len__(value), lambda index: list.__getitem__(value, index))
    elif issubclass(kind, tuple):
        yield tuple_section(value, kind)
    elif issubclass(kind, dict):
        yield pairs(value)
    elif issubclass(kind, (set, frozenset)):
        yield elements(value, set if issubclass(kind, set) else frozenset)
    else:
        for base_kind in sequences():
            if issubclass(kind, base_kind):
                get = base_kind.__getitem__
                total = base_kind.__len__(value)
                yield items(total, lambda index, get=get: get(value, index))


def tuple_section(value, kind):
    fields = fields_of(kind)
    if len(fields) != tuple.__len__(value):
        return items(tuple.__len__(value), lambda index: tuple.__getitem__(value, index))

    def page(start, stop):
        for index in range(start, min(stop, len(fields))):
            item = tuple.__getitem__(value, index)
            yield Entry(fields[index], item, ["i", index], "{}." + fields[index])

    return Section(len(fields), page)


def sequences():
    """Builtin kinds with an index and a length, of what the program has imported."""
    more = (class_of("collections", "deque"), class_of("array", "array"))
    return [range, bytearray, *(kind for kind in more if kind is not None)]


def slots_of(value, kind):
    found = []
    for one in _MRO(kind):
        if writing._FLAGS(one) & HEAP or one is slice:
            for name, member in list(_DICT(one).items()):
                if type(member) is MEMBER:
                    try:
                        found.append((name, member.__get__(value)))
                    except AttributeError:
                        continue
    return found


def class_sections(kind, attributes):
    """Properties, which run code, and what the class has for all of its objects."""
    properties, shared, seen = [], [], set(attributes)
    cached = class_of("functools", "cached_property")
    for one in _MRO(kind):
        if not writing._FLAGS(one) & HEAP:
            continue
        for name, found in list(_DICT(one).items()):
            if name in seen or name[:2] == "__":
                continue
            seen.add(name)
            if issubclass(type(found), property if cached is None else (property, cached)):
                properties.append((name, LAZY))
            elif lookup_plain(type(found), "__get__") is None and not kind_of("", found):
                shared.append((name, found))
    result = [named(shared, "c", "shared")] if shared else []
    return [*result, named(properties, "p", "property")] if properties else result


def table_section(value, kind):
    """The rows of an array, the columns of a frame; tables are a view of their own."""
    if is_a(kind, "numpy", "ndarray"):
        array = sys.modules["numpy"].ndarray
        shape = array.shape.__get__(value)
        return items(shape[0] if shape else 0, lambda index: array.__getitem__(value, index), "d")
    for module, get in (("pandas", pandas_column), ("polars", polars_column)):
        if is_a(kind, module, "DataFrame"):
            names = [str(name) for name in value.columns]

            def page(start, stop, get=get, names=names):
                for index, name in list(enumerate(names))[start:stop]:
                    how = "{}.iloc[:, %d]" if get is pandas_column else "{}.to_series(%d)"
                    yield Entry(name, get(value, index), ["f", index], how % index)

            return Section(len(names), page)
        if is_a(kind, module, "Series"):
            return items(len(value), lambda index, get=get: get(value, index, True), "f")
    return None


def pandas_column(value, index, of_series=False):
    return value.iloc[index] if of_series else value.iloc[:, index]


def polars_column(value, index, of_series=False):
    return value[index] if of_series else value.to_series(index)


def total_of(value):
    """How many entries: -1 where there may be some; 0 where there are none."""
    kind = type(value)
    if kind in SCALARS:
        return 0
    for base_kind in (list, dict, tuple, set, frozenset):
        if kind is base_kind:
            return base_kind.__len__(value)
    if issubclass(kind, (writing._MODULE, type)):
        return -1
    if is_a(kind, "numpy", "ndarray"):
        shape = sys.modules["numpy"].ndarray.shape.__get__(value)
        return shape[0] if shape else 0
    if issubclass(kind, LITERALS + CALLABLE) and not writing._FLAGS(kind) & HEAP:
        return 0
    if issubclass(kind, (list, tuple, dict, set, frozenset, BaseException, slice)):
        return -1
    for base_kind in sequences():
        if issubclass(kind, base_kind):
            return base_kind.__len__(value) or 0
    return -1 if writing._FLAGS(kind) & HEAP or writing.instance_dict(value, kind) else 0


def size_of(value):
    """Length, or shape and type of the elements, where that is cheap; else nothing."""
    kind = type(value)
    if kind in NUMBERS:
        return ""
    for base_kind in (str, bytes, list, dict, tuple, set, frozenset, *sequences()):
        if issubclass(kind, base_kind):
            return format(base_kind.__len__(value), ",")
    if is_a(kind, "numpy", "ndarray"):
        array = sys.modules["numpy"].ndarray
        return "%s %s" % (array.shape.__get__(value), array.dtype.__get__(value))
    try:
        for module, name in (("pandas", "DataFrame"), ("polars", "DataFrame")):
            if is_a(kind, module, name):
                return " × ".join(format(int(n), ",") for n in value.shape)
        for module in ("pandas", "polars"):
            if is_a(kind, module, "Series"):
                return "%s %s" % (format(len(value), ","), value.dtype)
        if is_a(kind, "torch", "Tensor"):
            return "%s %s" % (tuple(value.shape), value.dtype)
    except Exception:
        pass
    return ""


# The answers

NAME, VALUE, TYPE, SIZE, EXPRESSION, STEP, KIND, PROBLEM, REMARK, TOTAL, CHILDREN, CUT = range(12)


class Answer(object):
    """Collects the rows of one question; what needs the program's code is shown at the end."""

    def __init__(self, real, displays=None):
        self.real = real
        self.displays = displays or {}
        self.late = []

    def page_of(self, found, want, expression):
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
        name_keys(entries)
        rows = []
        for entry in entries:
            row = self.row(entry, expression)
            rows.append(row)
            wanted = below.get(row[NAME])
            if wanted is not None and row[TOTAL]:
                row[CHILDREN] = self.page(entry.value, wanted, row[EXPRESSION])
        return [start, total, rows]

    def page(self, value, want, expression):
        """The children of a value; where they can't be told, one row says why."""
        try:
            return self.page_of(sections(value), want, expression)
        except Exception as error:
            why = "<%s>" % writing.describe_error(error)
            return [0, 1, [["?", why, "", "", "", [], "", "raised", "", 0, None, False]]]

    def row(self, entry, parent):
        """The row of an entry of what the expression ``parent`` names."""
        expression = entry.template
        if "{}" in expression:
            expression = expression.replace("{}", parent, 1) if parent else ""
        name, value = writing.clean(entry.name), entry.value
        if value is LAZY:
            text = "<property>"
            return [name, text, "", "", expression, entry.step, entry.kind, "lazy", "", 0, None]
        row = [name, "", writing.kind_name(value), size_of(value), expression, entry.step]
        row += [entry.kind, "", "", total_of(value), None, False]
        self.show(row, value)
        return row

    def show(self, row, value):
        display = self.displays.get(row[EXPRESSION]) if row[EXPRESSION] else None
        if display is not None:
            self.late.append((row, display_work(self.real, value, display)))
            return
        try:
            shown = showing.show_plain(value)
            row[VALUE], row[CUT] = shown.text, shown.is_cut
        except Exception:  # NotPlain; what a builtin's own way has raised is told like any other
            self.late.append((row, showing.work_for(value)))

    def finish(self):
        """Fill in what was put off."""
        if self.late:
            for (row, _), shown in zip(self.late, showing.show_all([w for _, w in self.late])):  # noqa: B905
                row[VALUE], row[PROBLEM], row[REMARK] = shown.text, shown.problem, shown.remark
                row[CUT] = shown.is_cut


def name_keys(entries):
    """Names for entries whose keys only code of the program can show."""
    nameless = [entry for entry in entries if entry.name is None]
    if nameless:
        found = showing.show_all([showing.work_for(entry.key, 120) for entry in nameless])
        for entry, shown in zip(nameless, found):  # noqa: B905
            entry.name = shown.text


def namespace(real, **more):
    """The names of a frame as an expression sees them."""
    names = dict(real.f_globals)
    names.update(real.f_locals)
    names.update(more)
    return names


def display_work(real, value, display):
    """Shows a value as a person has chosen: (how, expression)."""
    how, expression = display

    def work(job):
        writer = writing.Writer(job=job, asked=True)
        if how == "type":
            text = writing.full_name(type(value))
        elif how == "len":
            text = str(len(value))
        elif how == "str":
            text = str(value)
        else:
            found = value
            if how == "expression":
                found = eval(expression, namespace(real, it=value))
            text = writer.text(found)
        return showing.finish(writer, text, job)

    return work


def look(frame, wanted, displays=None, stop=None):
    """The scopes of a frame, with the children of those that are wanted.

    ``wanted`` maps names to ``{"s": start, "n": count, "c": {name: wanted below}}``.
    """
    begin(stop)
    real = real_frame(frame)
    answer = Answer(real, displays)
    roots = []
    for name, which in (("Locals", "L"), ("Globals", "G")):
        want = wanted.get(name)
        page = None
        if want is not None:
            entries = list(scope_entries(real, which))
            scope = Section(
                len(entries), lambda low, high, found=entries: found[low:high], is_named=True
            )
            page = answer.page_of([scope], want, "")
        roots.append([name, page])
    answer.finish()
    return roots


def children(frame, scope, steps, expression, want, displays=None, stop=None):
    """A page of what is in a value."""
    begin(stop)
    real = real_frame(frame)
    answer = Answer(real, displays)
    page = answer.page(resolve(real, scope, steps), want, expression)
    answer.finish()
    return page


# From names to values


def resolve(real, scope, steps):
    """The value that the steps lead to. Raises Gone."""
    value, path = None, []
    if scope not in ("L", "G"):
        value = eval(scope, namespace(real))
    for code, where in steps:
        path.append((code, where))
        try:
            value = step_to(real, scope, value, code, where, path)
        except (LookupError, AttributeError, TypeError, StopIteration):
            raise Gone("it is not there any more") from None
    return value


def step_to(real, scope, value, code, where, path):
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
    for section in sections(value):
        for entry in by_place(section, code, where):
            if entry.step == [code, where]:
                return entry.value
    raise Gone("it is not there any more")


def by_place(section, code, where):
    """The entries among which a step leads to one: only that one where it is a position."""
    if type(where) is int:
        return section.page(where, where + 1)
    return section.page(0, section.total)


def place_of(scope, path):
    return scope, tuple(path)
