# ruff: noqa: F821 (names of the parts before it)
"""Whether a value is the one that was recorded under its ``id``, or another that came there later.

Nothing keeps a value alive. The end of one is seen by a weak reference, where its class has those.
The others are in doubt where they come to a variable or into another value: if they are not what
they were, or the line may make new values, and no variable and no other value had them meanwhile,
their history begins there (``BORN``).
"""

MOST_HOLDERS = 20
"""Values, each in the next one, by which it is shown that one was there."""

MOST_PASSED = 100
"""Moments since a function has passed a value on, in the same line."""

TRACEBACK = BaseException.__dict__["__traceback__"].__get__


def is_itself(value, known):
    return known.reference is None or known.reference() is value


def token_in_variable(record, name, value, before, when, columns):
    """What is recorded for a value of a variable, which may have come there."""
    known = KNOWN.get(id(value))
    if known is None:
        token = token_of(value, when, columns)
        known = KNOWN.get(id(value))
        if known is None:
            return token
    else:
        if known.token is not before and known.seen < when and known.reference is None:
            known.comes = record
        token = token_of(value, when, columns)
    holder = known.holder
    if holder is None or holder.is_over or holder.last.get(known.name) is not known.token:
        known.holder, known.name = record, name
    return token


def token_in(value, owner, before, when, columns):
    """What is recorded for a value in another one, which had those ``before`` (by ``id``)."""
    if id(type(value)) in LEAF_IDS:
        return token_of(value, when, columns)
    known = KNOWN.get(id(value))
    if known is None:
        token = token_of(value, when, columns)
        known = KNOWN.get(id(value))
        if known is not None:
            known.container = owner
        return token
    if known.reference is not None or known.key in before:
        if known.reference is None and known.seen < when and columns.built == when:
            known.comes = known.container = owner  # moved in it, or new where another one was
        return token_of(value, when, columns)
    if known.container is owner:
        known.container = None  # that it is there now shows nothing
    if known.seen < when:
        known.comes = owner
    elif known.comes is None:  # else it is in doubt, and that this has it now shows nothing
        known.container = owner
    return token_of(value, when, columns)


def passed_token(value, kind, record, when, columns):
    """What is recorded for a value that a function returns, yields or raises."""
    known = KNOWN.get(id(value))
    if known is not None and known.reference is None:
        if known.seen < when:
            known.comes, columns.made = record, when
            if kind == RAISE:
                trace = TRACEBACK(value) if issubclass_plainly(type(value), BaseException) else None
                if trace is not None and trace.tb_next is None:
                    columns.built = when
            elif record.line in record.info.builders:
                columns.built = when
        token = token_of(value, when, columns)
        known.passed = when
        return token
    token = token_of(value, when, columns)
    known = KNOWN.get(id(value))
    if known is not None:
        known.passed = when
    return token


def pass_made(record, frame, when):
    """What an ``__init__`` has filled goes on to the expression that calls the class."""
    names = variables_of(frame, record)
    known = KNOWN.get(id(names.get(record.info.names[0])))
    if known is not None and known.reference is None:
        known.passed = when
    let_go(record, names)


def settle(known):
    """It has come to where it is now."""
    comes, known.comes = known.comes, None
    if type(comes) is Known:
        known.container = comes


def is_held(known, columns):
    """Whether a variable, or what it is in, or a function that passed it on has had it."""
    passed, comes = known.passed, known.comes
    for _ in range(MOST_HOLDERS):
        if known.reference is not None:
            return known.reference() is not None
        holder = known.holder
        is_there = holder is not None and holder.last.get(known.name) is known.token
        if is_there and not holder.waits and (not holder.is_over or shares(comes, known.name)):
            return True
        container = known.container
        if container is None or KNOWN.get(container.key) is not container:
            break
        if not has_item(container, known.key):
            break
        known = container
        passed = max(passed, known.passed)
    return passed > 0 and is_passed(passed, columns)


def shares(record, name):
    """Whether what comes to a call is in a variable that it shares with others."""
    return type(record) is Record and name in record.info.cells


def was_held(known, when):
    """Whether something had it that has it no more because of the line."""
    container = known.container
    if container is None or KNOWN.get(container.key) is not container:
        return False
    states = (container.state, container.attributes)
    return any(s is not None and s.was_at == when and known.key in s.was for s in states)


def has_item(container, key):
    ids, attributes = container.state.ids, container.attributes
    if ids is not None and key in ids:
        return True
    return attributes is not None and attributes.ids is not None and key in attributes.ids


def is_passed(passed, columns):
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


def compare_doubtful(value, known, when, columns):
    """Whether it is another value than the one that was recorded; then it is noted as a whole."""
    is_moved = known.comes is known.container
    if columns.built != when:
        count, before = len(columns.values), [state_of(known.state), state_of(known.attributes)]
        known.kind.look(value, known, when, columns)
        if len(columns.values) == count and (
            columns.made != when or is_held(known, columns) or was_held(known, when)
        ):
            return True  # it is what it was
        for column in (columns.whens, columns.owners, columns.keys, columns.values):
            del column[count:]
        known.state, known.attributes = before
    if is_moved:
        known.container = None  # that it is there now shows nothing
    if is_held(known, columns):
        return False
    begin_history(known, when, columns)
    known.kind.look(value, known, when, columns)
    return True


def state_of(state):
    """A copy of what a look may change."""
    if state is None:
        return None
    copy = State()
    copy.ids, copy.size, copy.has_more = state.ids, state.size, state.has_more
    copy.kept, copy.keys, copy.numbers = list(state.kept), state.keys, state.numbers
    return copy


def begin_history(known, when, columns):
    """It is another value from here on: all that is in it is noted again."""
    note(columns, when, known.number, BORN, True)
    known.passed, known.holder, known.container = 0, None, None
    for state in (known.state, known.attributes):
        if state is not None:
            state.size = -1  # of plain items that is enough
            if state.ids is not None:
                is_keyed = state.keys is not None or state.numbers
                state.ids = [0] * len(state.ids) if is_keyed else None


def shared_of(record):
    """What may be there still as a call is over: the variables that functions share."""
    return {name: record.last[name] for name in record.info.cells if name in record.last}


BEARERS = {}
"""By the ``id`` of the dicts of their attributes: objects that are known, if they are asked for."""


def find_bearers():
    """From here on the program may change the attributes of an object in its dict."""
    Standing.has_dicts = True
    for known in list(KNOWN.values()):
        value = None if known.reference is None else known.reference()
        if value is not None and known.attributes is not None:
            BEARERS[id(known.kind.dictionary(value))] = known


def look_at_dict_of(attributes, known, when, columns):
    """The dict of the attributes of an object, where that is a value as well."""
    if known.reference is None:
        return
    BEARERS[id(attributes)] = known
    other = KNOWN.get(id(attributes))
    if other is not None and other.seen < when:
        look_beside(attributes, other, when, columns)


def look_at_bearer(attributes, when, columns):
    """The object that has its attributes in a dict."""
    known = BEARERS.get(id(attributes))
    if known is None or known.seen >= when:
        return
    value = known.reference()
    if value is None or KNOWN.get(id(value)) is not known:
        del BEARERS[id(attributes)]
    elif known.kind is KINDS.get(id(type(value))) and known.kind.dictionary(value) is attributes:
        look_beside(value, known, when, columns)


def look_beside(value, known, when, columns):
    if columns.walk is not None:
        columns.walk.append(value)
    look_again(value, known, when, columns)
