"""Who changed a value: the last change of a variable, an attribute or an item, and those before."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import msgspec

from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.segment import (
    ALL,
    BORN,
    INDEX,
    LENGTH,
    LINE,
    RAISED,
    RESUME,
    RETURN,
    RETURNED,
    UNBOUND,
    UNKNOWN,
    UNWIND,
    YIELD,
    Token,
    is_same,
)
from tuidbg.recording.timeline import Moment, RecordedChange, RecordedFrame, Timeline
from tuidbg.recording.values import is_items, reference


class RecordedLine(msgspec.Struct, frozen=True):
    """A line of a function, and the moment before it ran."""

    moment: Moment
    path: str
    line: int
    function: str


def place_of(timeline: Timeline, moment: Moment) -> RecordedLine:
    """Where a moment stands."""
    record = timeline.frame(moment.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    return RecordedLine(
        moment=moment,
        path=code.path if code is not None else "",
        line=moment.line,
        function=code.name if code is not None else "",
    )


def maker(timeline: Timeline, change: RecordedChange) -> RecordedLine | None:
    """The line that made a change; None where it was so when the recording began.

    It is the line of the same call that ran before the change was seen: what is bound to the result
    of a call was bound by the caller's line, though the lines of that call have run since. What is
    seen when a call begins or goes on was made by the line that called, but for what others share.
    """
    seen = timeline.moment_at(change.thread, change.when)
    if seen is None:
        return None
    found = None
    if seen.when == change.when and seen.kind == RESUME and change.owner != seen.frame:
        caller = timeline.stack(seen, 2)[1:]
        found = last_line(timeline, seen, caller[0].number if caller else 0)
    elif seen.when == change.when and seen.kind != RESUME:
        found = last_line(timeline, seen, seen.frame)
        if found is None and (record := timeline.frame(seen.frame)) is not None:
            found = last_line(timeline, seen, record.parent)
    else:
        found = line_under_way(timeline, seen)
    return None if found is None else place_of(timeline, found)


def line_under_way(timeline: Timeline, seen: Moment) -> Moment | None:
    """The line that a thread is at behind a moment, while another thread runs."""
    if seen.kind == LINE:
        return seen
    if seen.kind not in (RETURN, YIELD, UNWIND):
        return last_line(timeline, seen, seen.frame)
    caller = timeline.stack(seen, 2)[1:]
    found = last_line(timeline, seen, caller[0].number) if caller else None
    return found or timeline.back(seen, is_line, lambda chunk: True)


def first_that_may(timeline: Timeline, since: int, last: Moment) -> RecordedLine | None:
    """The first line that may have made a change that was made behind ``since``.

    The last is known. Where calls have ended meanwhile, the lines that called have gone on: they
    had begun before.
    """
    seen = timeline.moment_at(last.thread, since)
    if seen is None:
        return None
    if seen.frame == last.frame and seen.kind == LINE:
        return place_of(timeline, seen)
    now = {frame.number for frame in timeline.stack(last)}
    found, is_left = None, seen.kind != LINE
    for frame in timeline.stack(seen):
        if frame.number != seen.frame or is_left:
            found = last_line(timeline, seen, frame.number) or found
        else:
            found = seen
        if frame.number in now and not (is_left and frame.number == seen.frame):
            break
    return None if found is None else place_of(timeline, found)


def line_in_call(
    timeline: Timeline, change: RecordedChange, place: RecordedLine
) -> RecordedLine | None:
    """The last line of the calls that a line had made before a change was seen; else None."""
    seen = timeline.moment_at(change.thread, change.when)
    last = None if seen is None else timeline.back(seen, is_line, lambda chunk: True)
    is_inner = last is not None and last.when > place.moment.when
    return place_of(timeline, last) if last is not None and is_inner else None


def elsewhere(timeline: Timeline, change: RecordedChange) -> RecordedLine | None:
    """The last line of another thread before one began in which a change was seen."""
    before = (timeline.moment_at(each, change.when - 1) for each in timeline.chunks.of_thread)
    lines = (line_under_way(timeline, each) for each in before if each is not None)
    last = max((each for each in lines if each is not None), key=_when, default=None)
    return None if last is None else place_of(timeline, last)


def _when(moment: Moment) -> int:
    return moment.when


def is_line(where: int) -> bool:
    """Whether a moment is a line that is about to run."""
    return where >> 20 & 0xF == LINE


def last_line(timeline: Timeline, moment: Moment, frame: int) -> Moment | None:
    """The last line of a call that ran before a moment."""
    if not frame:
        return None
    return timeline.back(
        moment,
        lambda where: where >> 24 == frame and where >> 20 & 0xF == LINE,
        lambda chunk: chunk.may_pass(frame),
    )


class LineWriter(msgspec.Struct, frozen=True):
    """A line that has written so often; ``place`` is the last time."""

    place: RecordedLine
    count: int


class Filled(msgspec.Struct, frozen=True):
    """The lines that have written into a container, the last one first.

    ``was_empty`` where it began without items, ``is_cut`` where there were more writes before.
    """

    number: int
    writers: tuple[LineWriter, ...]
    last: int
    was_empty: bool
    is_cut: bool


class Changed(msgspec.Struct, frozen=True):
    """A part of an owner became another from the moment ``when`` on.

    ``place`` is the line that did it; None where it was so when the recording began. Where that is
    not known exactly it is the last that may have, and ``begin`` the first. ``filled`` says who
    wrote into a container that was asked for.
    """

    when: int
    owner: int
    key: int
    old: Token
    new: Token
    place: RecordedLine | None
    begin: RecordedLine | None = None
    filled: Filled | None = None


def last_change(timeline: Timeline, owner: int, key: int, when: int) -> Changed | None:
    """The last change of a part that is seen at a moment. The one before that: at its ``when - 1``.

    A change that gave it the value that it had is none.
    """
    born = birth(timeline, owner, when)
    for _ in range(_STEPS):
        found = change_of_part(timeline, owner, key, when)
        if found is None:
            return None
        is_first = found.when == born
        before = None if is_first else change_of_part(timeline, owner, key, found.when - 1)
        if UNKNOWN in (found.value, before.value if before is not None else UNBOUND):
            break
        old = before.value if before is not None else UNBOUND
        if before is None or not is_same(old, found.value):
            return _told(timeline, found, old)
        when = found.when - 1
    return next(iter(all_changes(timeline, owner, key, when, most=1)), None)


_STEPS = 100
"""After so many that changed nothing, all are read at once."""


def all_changes(
    timeline: Timeline, owner: int, key: int, when: int, most: int = 1000
) -> list[Changed]:
    """The changes of a part up to a moment, the oldest first; of very many the newest."""
    found: list[tuple[RecordedChange, Token, int | None]] = []
    old, since = UNBOUND, None
    born = birth(timeline, owner, when)
    for change in _raw_changes(timeline, owner, key):
        if change.when < born or (change.when == born and change.value == UNBOUND):
            continue
        if change.when > when:
            break
        if change.value == UNKNOWN:
            since = change.when - 1 if since is None else since
            continue
        if not found or not is_same(old, change.value):
            found.append((change, old, since))
        old, since = change.value, None
    return [_told(timeline, *each) for each in found[-most:]]


def last_change_of(
    timeline: Timeline, expression: Expression, frame: RecordedFrame, when: int
) -> Changed | None:
    """The same of a path such as ``self.items[3]``: each part on the way to it counts.

    That something on the way got its first value is no change of what it leads to: a call takes
    its arguments. Raises NotKnown where it leads to nothing that was recorded at that moment.
    """
    reader = MomentReader(timeline).at(when, frame.owner, frame.space)
    *way, end = parts_of(expression.place(reader))
    found = last_change(timeline, *end, when)
    for owner, key in way:
        change = last_change(timeline, owner, key, when)
        if change is None or change.old == UNBOUND:
            continue
        if found is None or change.when >= found.when:
            found = change
    return found


def changes_of(
    timeline: Timeline, expression: Expression, frame: RecordedFrame, when: int
) -> Iterator[Changed]:
    """All changes of a path up to a moment, the newest first: for as long as it leads anywhere."""
    while True:
        try:
            found = last_change_of(timeline, expression, frame, when)
        except NotKnown:
            return
        if found is None:
            return
        yield found
        when = found.when - 1


def parts_of(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Items count with their whole in ``change_of_part``; its length and the whole do not."""
    return [(owner, key) for owner, key in places if key >= INDEX or key > ALL]


def change_of_part(timeline: Timeline, owner: int, key: int, when: int) -> RecordedChange | None:
    """What a part became last up to a moment, by its own change or one of all items."""
    found = _own_change(timeline, owner, key, when)
    born = birth(timeline, owner, when)
    if found is not None and found.when < born:
        return None  # it was another value's, that had its address
    if found is not None and found.when == born and found.value == UNBOUND:
        return None
    return found


def birth(timeline: Timeline, owner: int, when: int) -> int:
    """Since when an owner is what it is at a moment; 0 where it has never been another."""
    born = timeline.change(owner, BORN, when)
    return 0 if born is None else born.when


def _own_change(timeline: Timeline, owner: int, key: int, when: int) -> RecordedChange | None:
    found = timeline.change(owner, key, when)
    if key < INDEX:
        return found
    whole = timeline.change(owner, ALL, when)
    if whole is not None and (found is None or found.when < whole.when):
        found = _as_item(whole, key)
    if found is None or found.value == UNBOUND:
        return found
    lengths = timeline.changes(owner, LENGTH, found.when + 1, when)
    return next((_as_gone(each, key) for each in lengths if _is_beyond(each, key)), found)


def _raw_changes(timeline: Timeline, owner: int, key: int) -> list[RecordedChange]:
    found = list(timeline.changes(owner, key))
    if key < INDEX:
        return found
    found += [_as_item(whole, key) for whole in timeline.changes(owner, ALL)]
    there = {change.when for change in found}
    for each in timeline.changes(owner, LENGTH):
        if _is_beyond(each, key) and each.when not in there:
            found.append(_as_gone(each, key))
    found.sort(key=lambda change: change.when)
    return found


def _is_beyond(length: RecordedChange, key: int) -> bool:
    """Whether with that length the item is not there any more."""
    return type(length.value) is int and length.value <= key - INDEX


def _as_gone(length: RecordedChange, key: int) -> RecordedChange:
    return msgspec.structs.replace(length, key=key, value=UNBOUND)


def _as_item(whole: RecordedChange, key: int) -> RecordedChange:
    items = whole.value[1] if is_items(whole.value) else []
    value = items[key - INDEX] if key - INDEX < len(items) else UNBOUND
    return msgspec.structs.replace(whole, key=key, value=value)


def _told(
    timeline: Timeline, change: RecordedChange, old: Token, since: int | None = None
) -> Changed:
    """``since`` when it was not known."""
    place = maker(timeline, change)
    since = timeline.since(change) if since is None else since
    if place is None and since is not None:
        place = elsewhere(timeline, change)
    begin = None
    if since is not None and place is not None:
        begin = first_that_may(timeline, since, place.moment)
    if begin is not None and place is not None and begin.moment.when >= place.moment.when:
        inner = line_in_call(timeline, change, place)
        begin, place = (place, inner) if inner is not None else (None, place)  # it is one line
    return Changed(
        when=change.when,
        owner=change.owner,
        key=change.key,
        old=old,
        new=change.value,
        place=place,
        begin=begin,
    )


CONTAINERS = ("l", "q", "a", "s", "d")
MOST = 2000
"""Writes whose lines are counted: the newest."""


class Write(msgspec.Struct, frozen=True):
    """Items of a container became others, seen at a moment."""

    when: int
    thread: int
    keys: tuple[int, ...]


def last_change_told(
    timeline: Timeline, expression: Expression, frame: RecordedFrame, when: int
) -> Changed | None:
    """The last change of a path, with the lines that wrote into a container that it leads to.

    Where that began without items, the last of them is the change. Raises NotKnown.
    """
    found = last_change_of(timeline, expression, frame, when)
    number = container_at(timeline, expression, frame, when)
    known = writes(timeline, number, when) if number is not None else []
    if number is None or not known:
        return found
    filled = _filled(timeline, number, known)
    is_newer = found is None or known[-1].when > found.when
    if is_newer and _length(timeline, number, found.when if found is not None else 0) == 0:
        found = change_by(timeline, number, known[-1])
    return None if found is None else msgspec.structs.replace(found, filled=filled)


def container_at(
    timeline: Timeline, expression: Expression, frame: RecordedFrame, when: int
) -> int | None:
    """The container that a path leads to, if it does. Raises NotKnown."""
    reader = MomentReader(timeline).at(when, frame.owner, frame.space)
    parts = parts_of(expression.place(reader))
    found = change_of_part(timeline, *parts[-1], when) if parts else None
    number = reference(found.value) if found is not None else None
    record = None if number is None else timeline.object(number)
    is_container = record is not None and record.kind in CONTAINERS
    return number if is_container else None


def writes(timeline: Timeline, number: int, when: int, most: int = MOST) -> list[Write]:
    """The writes into a container up to a moment, the oldest first; of very many the newest.

    What was in it when it was first seen was not written.
    """
    found: dict[int, tuple[int, list[int]]] = {}
    began = _birth(timeline, number, when)
    for chunk in timeline.chunks.back_from(when):
        if not chunk.may_know(number):
            continue
        unpacked = timeline.chunks.unpack(chunk)
        for key, positions in unpacked.index.get(number, {}).items():
            if key in (ALL, LENGTH) or key >= INDEX or _is_key(timeline, key):
                for position in positions:
                    if began < (moment := unpacked.whens[position]) <= when:
                        found.setdefault(moment, (chunk.thread, []))[1].append(key)
        if len(found) > most:
            break
    return [Write(each, found[each][0], tuple(found[each][1])) for each in sorted(found)[-most:]]


def _is_key(timeline: Timeline, key: int) -> bool:
    record = timeline.keys.get(key)
    return record is not None and record.letter == "k"


def _birth(timeline: Timeline, number: int, when: int) -> int:
    """When a value was first seen; 0 where that is not kept any more."""
    if born := birth(timeline, number, when):
        return born
    for chunk in timeline.chunks.born_in(number):
        unpacked = timeline.chunks.unpack(chunk)
        if number in unpacked.objects:
            positions = [each[0] for each in unpacked.index.get(number, {}).values()]
            return min((unpacked.whens[each] for each in positions), default=chunk.first)
    return 0


def _length(timeline: Timeline, number: int, when: int) -> int | None:
    """How many items there were at a moment, or when it was first seen."""
    found = timeline.value(number, LENGTH, max(when, _birth(timeline, number, timeline.now)))
    return found if type(found) is int else None


def _filled(timeline: Timeline, number: int, known: list[Write]) -> Filled:
    counts: Counter[tuple[str, int]] = Counter()
    places: dict[tuple[str, int], RecordedLine] = {}
    for each in reversed(known):
        place = _place(timeline, number, each)
        if place is not None:
            line = place.path, place.line
            places.setdefault(line, place)
            counts[line] += 1
    return Filled(
        number=number,
        writers=tuple(LineWriter(place, counts[line]) for line, place in places.items()),
        last=known[-1].when,
        was_empty=_length(timeline, number, 0) == 0,
        is_cut=len(known) >= MOST,
    )


def _place(timeline: Timeline, number: int, write: Write) -> RecordedLine | None:
    change = RecordedChange(
        when=write.when, owner=number, key=write.keys[0], value=None, thread=write.thread
    )
    return maker(timeline, change)


def change_by(timeline: Timeline, number: int, write: Write) -> Changed | None:
    """What a write has changed: its item, or the whole where it were several."""
    items = [key for key in write.keys if key not in (ALL, LENGTH)]
    if len(items) == 1:
        found = last_change(timeline, number, items[0], write.when)
        if found is not None and found.when == write.when:
            return found
    whole: Token = [number]
    place = _place(timeline, number, write)
    is_first = _length(timeline, number, write.when - 1) is None
    old = UNBOUND if is_first else whole
    return Changed(when=write.when, owner=number, key=ALL, old=old, new=whole, place=place)


def words_of(filled: Filled) -> str:
    """By whom and how often, as ``filled by line 10 (200 times), last at 1,204``."""
    verb = "filled" if filled.was_empty else "changed"
    if not filled.writers:
        return ""
    path = filled.writers[0].place.path
    told = []
    most_first = sorted(filled.writers, key=lambda each: -each.count)
    for each in most_first[:3]:
        line = f"line {each.place.line:,}"
        if each.place.path != path:
            line = f"{each.place.path.rpartition('/')[2]}:{each.place.line}"
        times = "once" if each.count == 1 else f"{each.count:,} times"
        told.append(f"{line} ({times})")
    if len(filled.writers) > len(told):
        told.append(f"{len(filled.writers) - len(told):,} more lines")
    by = " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
    earlier = ", and more before" if filled.is_cut else ""
    line = f" by line {filled.writers[0].place.line:,}" if len(filled.writers) > 1 else ""
    return f"{verb} by {by}{earlier}, last{line} at {filled.last:,}"


MOST_CALLS = 100
"""Calls of one line that are looked at."""


def called_in(text: str) -> str:
    """The function of a text such as ``price()`` or ``cart.price()``; empty where it is no call."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    match tree:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=[]):
            return name
    return ""


def last_return(timeline: Timeline, name: str, frame: RecordedFrame, when: int) -> Changed | None:
    """What the last call of a function by a frame gave.

    The line of the frame that runs at that moment counts with all that it calls.
    """
    for end in calls_ended(timeline, frame.number, when):
        record = timeline.stack(end, 1)[0]
        if record.name.rpartition(".")[2] == name:
            return told_end(timeline, end)
    return None


def calls_ended(timeline: Timeline, frame: int, when: int) -> list[Moment]:
    """Where calls ended that the line made which a frame was at, the last one first.

    Where that line made none, the last one that the frame made before.
    """
    at = _at(timeline, frame, when)
    if at is None:
        return []
    behind = timeline.forth(
        at, lambda where: where >> 24 == frame, lambda chunk: chunk.may_pass(frame)
    )
    until = behind.when if behind is not None else timeline.now + 1
    found: list[Moment] = []
    moment = _end_before(timeline, msgspec.structs.replace(at, when=until), frame)
    while moment is not None and (moment.when > at.when or not found) and len(found) < MOST_CALLS:
        found.append(moment)
        record = timeline.frame(moment.frame)
        began = (
            moment.when if record is None else record.begin
        )  # what it called itself lies between
        moment = _end_before(timeline, msgspec.structs.replace(moment, when=began), frame)
    return found


def _at(timeline: Timeline, frame: int, when: int) -> Moment | None:
    for thread in timeline.chunks.of_thread:
        end = Moment(when=when + 1, thread=thread, frame=frame, kind=0, line=0)
        found = last_line(timeline, end, frame)
        if found is not None:
            return found
    return None


def _end_before(timeline: Timeline, moment: Moment, frame: int) -> Moment | None:
    """The last end of a call of a frame before a moment."""

    def is_wanted(where: int) -> bool:
        if where >> 20 & 0xF not in (RETURN, UNWIND):
            return False
        record = timeline.frame(where >> 24)
        return record is not None and record.parent == frame

    return timeline.back(moment, is_wanted, lambda chunk: True)


def told_end(timeline: Timeline, end: Moment) -> Changed:
    """What a call gave at its end, as a change that its last line has made."""
    key = RETURNED if end.kind == RETURN else RAISED
    value = timeline.value(end.frame, key, end.when)
    line = last_line(timeline, end, end.frame)
    return Changed(
        when=end.when,
        owner=end.frame,
        key=key,
        old=UNBOUND,
        new=value,
        place=place_of(timeline, line) if line is not None else None,
    )


def story_of(
    timeline: Timeline, expression: Expression, frame: RecordedFrame, when: int, most: int
) -> list[Changed]:
    """The last changes up to a moment, the oldest first, for as long as the path leads anywhere.

    They are those that ``last_change_of`` gives one by one, read in one go for each stretch in
    which the path leads to the same. Raises NotKnown where it leads nowhere at that moment.
    """
    newest_first: list[Changed] = []
    reader = MomentReader(timeline)
    while len(newest_first) < most:
        try:
            places = expression.place(reader.at(when, frame.owner, frame.space))
        except NotKnown:
            if newest_first:
                break
            raise
        *way, end = parts_of(places)
        turns = [last_change(timeline, owner, key, when) for owner, key in way]
        turn = max(
            (each for each in turns if each is not None and each.old != UNBOUND),
            key=lambda each: each.when,
            default=None,
        )
        since = turn.when if turn is not None else -1
        stretch = [each for each in all_changes(timeline, *end, when, most) if each.when > since]
        newest_first += reversed(stretch)
        if turn is None:
            break
        newest_first.append(turn)
        when = turn.when - 1
    return newest_first[most - 1 :: -1] if len(newest_first) > most else newest_first[::-1]
