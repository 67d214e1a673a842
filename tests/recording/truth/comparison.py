"""Compares a recording with what the tracer saw: every moment, and the history of every part."""

from __future__ import annotations

import json
import subprocess
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.recording.compared import PARTS, environment, lines_of, read_spool
from tuidbg.recording.queries.changes import Changed, all_changes, birth, last_change
from tuidbg.recording.segment import INDEX, SPAN, UNBOUND, UNKNOWN, DamagedRecording, Token
from tuidbg.recording.timeline import Moment, Timeline
from tuidbg.recording.values import RecordedPart, ValuesAt, reference

TRACER = Path(__file__).with_name("tracer.py")
NOT_TOLD: tuple[Token, ...] = (["~"], UNKNOWN)
MOST_ITEMS = 200
"""Items that a recording must have of a value."""

LONGEST = 200
MISSING = "missing"
HIDDEN = ("function", "module", "builtin_function_or_method")

Row = tuple[str, str, list[tuple[Any, Any]]]


@dataclass
class Tally:
    """What was compared; ``failures`` are in words."""

    programs: int = 0
    moments: int = 0
    values: int = 0
    unknown: int = 0
    opaque: int = 0
    bounded: int = 0
    changes: int = 0
    spans: int = 0
    failing: int = 0
    failures: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        share, spans = (
            100 * part / max(1, whole)
            for part, whole in ((self.unknown, self.values), (self.spans, self.changes))
        )
        return (
            f"{self.programs:,} programs, {self.moments:,} moments, {self.values:,} values,"
            f" of which {self.unknown:,} not known ({share:.3f} %), {self.opaque:,} opaque,"
            f" {self.bounded:,} cut by an ellipsis; {self.changes:,} changes, of which"
            f" {self.spans:,} spans ({spans:.3f} %); {self.failing:,} programs with failures"
        )


def check(python: str, texts: dict[str, str], folder: Path, tally: Tally) -> None:
    """Run the programs in one process, and compare each."""
    for name, text in texts.items():
        (folder / name / "spool").mkdir(parents=True)
        (folder / name / "program.py").write_text(text)
    command = [python, str(TRACER), str(folder), *map(str, PARTS)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        seen = json.loads(line)
        tally.programs += 1
        found = seen["failures"]
        try:
            timeline = read_spool(folder / seen["name"] / "spool")
        except DamagedRecording as error:
            found.append(str(error))
        else:
            found += Comparison(timeline, seen["events"], tally).failures()
        if found:
            tally.failures[seen["name"]] = found
            tally.failing += 1


class Change(NamedTuple):
    """A part became another: observed at an event, made by one of some lines."""

    event: int
    lines: frozenset[int]
    old: Any
    new: Any


Owner = tuple[str, int]
"""A call of the tracer's or a value of it, by number."""


class Comparison:
    """Of one program."""

    def __init__(self, timeline: Timeline, events: list[Any], tally: Tally) -> None:
        self._timeline, self._events, self._tally = timeline, events, tally
        self._rows: dict[int, Row] = {}
        self._variables: dict[int, dict[str, Any] | None] = {}
        self._histories: dict[tuple[Owner, Any], list[Change]] = {}
        self._places: dict[tuple[Owner, Any], tuple[int, int]] = {}
        self._fresh: dict[tuple[Owner, Any], Change] = {}
        self._running: dict[str, int | None] = {}
        self._whens: list[tuple[int, int]] = []  # of events that are moments
        self._serials: dict[tuple[int, int], int] = {}
        self._found: list[str] = []
        self.whens_of_owners: dict[int, list[int]] = {}
        self.with_spans: set[int] = set()
        for chunk in timeline.chunks.all:
            segment = timeline.chunks.unpack(chunk).segment
            rows = zip(segment.whens, segment.owners, segment.keys, strict=True)
            for when, owner, key in rows:
                self.whens_of_owners.setdefault(owner, []).append(when)
                if key == SPAN:
                    self.with_spans.add(owner)
        for whens in self.whens_of_owners.values():
            whens.sort()
        self.compared: dict[Any, Compared] = {}
        self.seen_at: dict[Owner, int] = {}
        """The last moment at which something was to be seen."""
        self.seen_since: dict[Owner, int] = {}
        """The first one: what was before is not known to the tracer."""

    def failures(self) -> list[str]:
        """In words; those of one cause may be many."""
        moments: dict[str, list[Moment]] = {}
        begin = self._events[0][2][1] if self._events else 0
        for moment in lines_of(self._timeline):
            name = self._timeline.threads[moment.thread] or "MainThread"
            if moments or moment.line == begin:
                moments.setdefault(name, []).append(moment)
        positions: Counter[str] = Counter()
        before: dict[str, Any] = {}
        for number, event in enumerate(self._events):
            thread, kind, line, stack, _, _ = event
            self._replay(number, event)
            self._running[thread] = line[1] if line else None
            if kind != "line":
                continue
            rest = moments.get(thread, [])[positions[thread] :]
            mine = self._stack(rest[0]) if rest else []
            theirs = [tuple(frame[1:]) for frame in stack]
            if [(name, line) for _, _, name, line in mine] != theirs:
                if theirs == before.get(thread, [])[-len(theirs) :]:
                    continue  # a tracer observes a loop in one line once more
                self._say(f"{thread}: {theirs} was recorded as {[each[2:] for each in mine]}")
                break
            before[thread] = theirs
            positions[thread] += 1
            self._tally.moments += 1
            self._whens.append((number, rest[0].when))
            self._compare(rest[0], mine, stack)
            if len(self._found) > 20:
                break
        else:
            self._check_histories()
        return self._found

    def _say(self, text: str) -> None:
        if len(self._found) <= 20:
            self._found.append(text)

    # What the tracer saw

    def _replay(self, number: int, event: Any) -> None:
        lines = frozenset(each for each in self._running.values() if each is not None)
        for frame, variables in event[4]:
            old = self._variables.get(frame)
            if frame in self._variables and old is not None and variables is not None:
                self._note(number, lines, ("call", frame), old, variables)
            self._variables[frame] = variables
        for value, row in event[5]:
            before = self._rows.get(value)
            self._rows[value] = row
            if before is not None:
                self._note(number, lines, ("value", value), _parts(before), _parts(row))

    def _note(
        self,
        event: int,
        lines: frozenset[int],
        owner: Owner,
        old: dict[Any, Any],
        new: dict[Any, Any],
    ) -> None:
        for key in {**old, **new}:
            one, other = old.get(key, MISSING), new.get(key, MISSING)
            if one != other:
                change = Change(event, lines, one, other)
                self._histories.setdefault((owner, key), []).append(change)
                before = self._fresh.get((owner, key))
                self._fresh[owner, key] = change._replace(old=before.old) if before else change

    # Every moment

    def _stack(self, moment: Moment) -> list[tuple[int, int, str, int]]:
        return [
            (each.number, each.owner, each.name.rpartition(".")[2], each.line)
            for each in self._timeline.stack(moment)
            if each.path.endswith("program.py")
        ]

    def _compare(self, moment: Moment, mine: list[tuple[int, int, str, int]], stack: Any) -> None:
        values = ValuesAt(self._timeline, moment.when)
        walk = Walk(self, values, moment)
        for (frame, owner, name, _), (number, *_) in zip(mine, stack, strict=True):
            variables = self._variables[number]
            if variables is not None:
                walk.variables(number, name, frame, owner, variables)
        walk.run()
        for (whose, key), change in list(self._fresh.items()):
            place = self._places.get((whose, key))
            if place is not None and self.seen_at.get(whose) == moment.when:
                del self._fresh[whose, key]
                self._why(moment, whose, key, place, change)

    def _why(
        self, moment: Moment, owner: Owner, key: Any, place: tuple[int, int], change: Change
    ) -> None:
        """The last change, asked at the first moment behind one."""
        if change.new in (MISSING, change.old) or self._is_alike(change.old, change.new):
            return  # of what a line changed there and back nothing has to be known
        if place[1] in self._timeline.unknown(place[0], moment.when):
            return
        low, high = self._gap(change.event)
        found = last_change(self._timeline, *place, moment.when)
        while found is not None and found.when > high and not _may_be_at(found, high):
            found = last_change(self._timeline, *place, found.when - 1)
        what = f"why {owner}[{key}] at {moment.when} (line {moment.line})"
        if birth(self._timeline, place[0], moment.when) > low:
            return  # it was met only then
        if found is None:
            self._say(f"{what}: never, instead of by {sorted(change.lines)}")
        elif found.old == UNBOUND and change.old != MISSING:
            pass  # it was met only then
        elif found.when <= low:
            self._say(f"{what}: at {found.when}, before {low}; by {sorted(change.lines)}")
        else:
            self._is_by(what, found, change)

    def _is_by(self, what: str, found: Changed, change: Change) -> None:
        if found.place is not None and not found.place.path.endswith("program.py"):
            return  # a text that the program has executed
        lines = told_lines(self._timeline, found)
        if not lines:
            self._say(f"{what}: by no line, instead of {sorted(change.lines)}")
        elif change.lines and change.lines.isdisjoint(lines):
            self._say(f"{what}: by {sorted(lines)}, instead of {sorted(change.lines)}")

    def _is_alike(self, one: Any, other: Any) -> bool:
        """Whether what is told of two values is the same, though one has taken the other's place.

        Classes and functions are told by their names, tuples of plain values by those.
        """
        if isinstance(one, str) or isinstance(other, str):
            return False
        first, second = self._rows[one], self._rows[other]
        name, letter, parts = first
        is_plain = all(isinstance(value, str) for _, value in parts)
        return first == second and (letter == "o" or (name == "tuple" and is_plain))

    def _gap(self, event: int) -> tuple[int, int]:
        """The moments around an event: behind the first, and up to the second."""
        position = bisect_left(self._whens, (event, 0))
        low = self._whens[position - 1][1] if position else 0
        high = self._whens[position][1] if position < len(self._whens) else 1 << 62
        return low, high

    # Every history

    def _check_histories(self) -> None:
        for (owner, key), place in self._places.items():
            until = self.seen_at[owner]  # later another value may have its address
            known = all_changes(self._timeline, *place, until)
            true: dict[tuple[int, int], list[Change]] = {}
            for change in self._histories.get((owner, key), []):
                true.setdefault(self._gap(change.event), []).append(change)
            what = f"changes of {owner}[{key}]"
            self._compare_histories(what, known, true, self.seen_since[owner], until)

    def _compare_histories(
        self,
        what: str,
        known: list[Changed],
        true: dict[tuple[int, int], list[Change]],
        since: int,
        until: int,
    ) -> None:
        """It was to be seen from ``since`` ``until`` then."""
        begin = known[0].when if known else 0
        rest = list(known)
        for (low, high), changes in true.items():
            inside = [each for each in known if low < each.when <= high or _may_be_at(each, high)]
            rest = [each for each in rest if each not in inside]
            if high > until:
                continue
            self._tally.changes += 1
            self._tally.spans += any(each.begin is not None for each in inside)
            if low < begin or changes[-1].new == MISSING or changes[0].old == changes[-1].new:
                continue
            if self._is_alike(changes[0].old, changes[-1].new):
                continue
            if not inside:
                lines = [sorted(each.lines) for each in changes]
                self._say(f"{what}: nothing from {low} to {high}, instead of by {lines}")
                continue
            self._is_by(what, inside[-1], changes[-1])
        last = self._whens[-1][1] if self._whens else 0
        by_gap: dict[int, list[Changed]] = {}
        for each in rest[1:]:
            if since < each.when <= last:
                position = bisect_left([when for _, when in self._whens], each.when)
                by_gap.setdefault(position, []).append(each)
        for group in by_gap.values():
            if group[0].old != group[-1].new and UNBOUND not in (group[0].old, group[-1].new):
                self._say(f"{what}: invented {group[0].old} to {group[-1].new} at {group[0].when}")


def _may_be_at(found: Changed, when: int) -> bool:
    """Whether a change that is told with a span of lines may have been there at a moment."""
    return found.begin is not None and found.begin.moment.when < when < found.when


def told_lines(timeline: Timeline, found: Changed) -> set[int]:
    """The lines that a change is told by."""
    if found.place is None:
        return set()
    if found.begin is None:
        return {found.place.line}
    first, last = found.begin.moment.when, found.place.moment.when
    return {each.line for each in lines_of(timeline) if first <= each.when <= last}


def _parts(row: Row) -> dict[Any, Any]:
    _, letter, parts = row
    if letter == "s":
        return {}
    named = {key: value for key, value in parts if key is not None}
    items = [value for key, value in parts if key is None]
    return {**dict(enumerate(items)), **named}


def _is_hidden(values: ValuesAt, token: Token) -> bool:
    is_class = isinstance(token, list) and token[0] == "b" and token[2].startswith("<class ")
    return is_class or values.type_name(token) in HIDDEN


class Compared(NamedTuple):
    """A value that was compared: with which parts, after how many changes; what is in it."""

    row: Any
    changes: int
    inside: list[tuple[str, int, Token]]
    counts: tuple[int, int, int]


class Walk:
    """Through all that is reachable at one moment."""

    def __init__(self, owner: Comparison, values: ValuesAt, moment: Moment) -> None:
        self._owner, self._values, self._moment = owner, values, moment
        self._tally, self._rows = owner._tally, owner._rows
        self._seen: set[tuple[int, int | None]] = set()
        self._todo: list[tuple[str, int, Token]] = []
        self._inside: list[tuple[str, int, Token]] = []
        self._keys = owner._timeline.keys

    def run(self) -> None:
        while self._todo:
            self._object(*self._todo.pop())

    def _once(
        self, whose: Owner, row: Any, frame: int, recorded: int, compare: Callable[[], None]
    ) -> None:
        """Compare, unless neither has changed since that was done."""
        self._owner.seen_at[whose] = self._moment.when
        self._owner.seen_since.setdefault(whose, self._moment.when)
        key = whose, frame, recorded
        tally, owner = self._tally, self._owner
        changes = bisect_right(owner.whens_of_owners.get(recorded, ()), self._moment.when)
        before = owner.compared.get(key)
        if before is not None and before.row is row and before.changes == changes:
            self._todo += before.inside
            values, unknown, opaque = before.counts
        else:
            start = tally.values, tally.unknown, tally.opaque, len(owner._found)
            self._inside = []
            compare()
            self._todo += self._inside
            values, unknown, opaque = (
                tally.values - start[0],
                tally.unknown - start[1],
                tally.opaque - start[2],
            )
            if len(owner._found) == start[3] and recorded not in owner.with_spans:
                counts = values, unknown, opaque
                owner.compared[key] = Compared(row, changes, self._inside, counts)
            return
        tally.values += values
        tally.unknown += unknown
        tally.opaque += opaque

    def variables(
        self, call: int, name: str, frame: int, owner: int, theirs: dict[str, Any]
    ) -> None:
        """All variables of a call."""

        def compare() -> None:
            values = self._values
            parts = {each.name: each for each in values.variables(owner)}
            if name == "<module>":
                parts = {n: each for n, each in parts.items() if not _is_hidden(values, each.value)}
            self.named(("call", call), name, theirs, parts)

        self._once(("call", call), theirs, frame, owner, compare)

    def _say(self, path: str, text: str) -> None:
        self._owner._say(f"moment {self._moment.when}, line {self._moment.line}: {path} {text}")

    def named(
        self, owner: Owner, path: str, theirs: dict[str, Any], ours: dict[str, RecordedPart]
    ) -> None:
        for name, value in theirs.items():
            part = ours.get(name.removeprefix("@"))
            if part is None:
                self._say(f"{path} {name}", f"is not there, instead of {self._text(value)}")
                continue
            self._part(owner, name, f"{path} {name}", value, part)
        for name in ours.keys() - {name.removeprefix("@") for name in theirs}:
            if ours[name].value == UNKNOWN:
                self._tally.unknown += 1
                continue
            self._say(f"{path} {name}", f"is not there, but {self._values.text(ours[name].value)}")

    def _part(self, owner: Owner, key: Any, path: str, theirs: Any, part: RecordedPart) -> None:
        if part.owner and not self._is_module(owner):
            self._owner._places[owner, key] = part.owner, part.key
        self.value(path, theirs, part.value)

    def _is_module(self, owner: Owner) -> bool:
        """The variables of a module were recorded before the tracer met the dict of them."""
        return owner[0] == "value" and self._rows[owner[1]][1] == "m"

    def value(self, path: str, theirs: Any, token: Token) -> None:
        self._tally.values += 1
        if token in NOT_TOLD:
            self._tally.unknown += 1
        elif isinstance(theirs, str):
            if not is_leaf(theirs, token):
                self._say(path, f"is {theirs}, recorded as {self._values.text(token)}")
        else:
            self._inside.append((path, theirs, token))

    def _text(self, theirs: Any) -> str:
        if isinstance(theirs, str):
            return theirs
        name, _, parts = self._rows[theirs]
        return f"{name} #{theirs} {parts[:6]}"

    def _object(self, path: str, number: int, token: Token) -> None:
        name, letter, parts = self._rows[number]
        mine = self._values.type_name(token).rpartition(".")[2]
        if mine != name or not isinstance(token, list):
            text = self._values.text(token)
            self._say(path, f"is {self._text(number)}, recorded as {mine} {text}")
            return
        if token[0] in ("o", "b"):
            self._tally.opaque += 1
            return
        recorded = reference(token)
        if recorded is None:
            self._inside = []
            self._contents(path, ("value", number), letter, parts, token)
            self._todo += self._inside
            return
        if (number, recorded) in self._seen:
            return
        self._seen.add((number, recorded))
        since = birth(self._owner._timeline, recorded, self._moment.when)
        known = self._owner._serials.setdefault((recorded, since), number)
        if known != number:
            self._say(path, f"has the history of another {name} that was gone")
            self._owner._serials[recorded, since] = number
        self._once(
            ("value", number),
            parts,
            0,
            recorded,
            lambda: self._contents(path, ("value", number), letter, parts, token),
        )

    def _contents(
        self, path: str, owner: Owner, letter: str, parts: list[tuple[Any, Any]], token: Token
    ) -> None:
        ours = self._values.parts(token)
        items = [each for each in ours if each.key >= INDEX]
        theirs = [value for key, value in parts if key is None]
        named = {key: value for key, value in parts if isinstance(key, str) and key[0] == "@"}
        if letter == "m":
            told = {each.name: each for each in ours if not _is_hidden(self._values, each.value)}
            self.named(owner, path, named, told)
            return
        if letter in ("l", "a"):
            if not any(each.name == "…" for each in items):
                self._length(path, len(theirs), len(items), token)
            for index, (value, part) in enumerate(zip(theirs, items, strict=False)):
                self._part(owner, index, f"{path}[{index}]", value, part)
        elif letter == "s" and self._length(path, len(theirs), len(items), token):
            self._set(path, theirs, items)
        pairs = [(k, v) for k, v in parts if k is not None and k not in named]
        mine = [part for part in ours if part.key < INDEX and self._keys[part.key].letter == "k"]
        if any(part.value == UNKNOWN for part in mine):
            self._tally.unknown += len(mine)
            self._tally.values += len(mine)
            mine = []
        elif letter == "d":
            self._length(path, len(pairs), len(mine), token)
        elif len(pairs) != len(mine):
            self._say(path, f"has {len(pairs)} attributes that are no texts, not {len(mine)}")
        for (key, each), part in zip(pairs, mine, strict=False):
            where = f"{path}[{key}]"
            self.value(f"the key of {where}", key, self._keys[part.key].key)
            self._part(owner, key, where, each, part)
        attributes = {
            part.name: part
            for part in ours
            if part.key < INDEX and self._keys[part.key].letter == "n"
        }
        self.named(owner, path, named, attributes)

    def _length(self, path: str, length: int, count: int, token: Token) -> bool:
        """Whether all items are to be compared."""
        told = self._values.length(token)
        if told is None:
            self._tally.unknown += 1
        elif told != length:
            self._say(path, f"has the length {length}, recorded as {told}")
        elif count < min(length, MOST_ITEMS):
            self._say(path, f"has {length} items, of which {count} are recorded")
        elif count < length:
            self._tally.bounded += 1
        return told == count == length

    def _set(self, path: str, theirs: list[Any], items: list[RecordedPart]) -> None:
        left = [each for each in theirs if isinstance(each, str)]
        for part in items:
            if part.value in NOT_TOLD:
                return
            if isinstance(part.value, list) and part.value[0] not in ("s", "b"):
                continue
            match = next((each for each in left if is_leaf(each, part.value)), None)
            if match is None:
                if not isinstance(part.value, list) or part.value[0] == "s":
                    self._say(path, f"has no {self._values.text(part.value)}, but {left}")
                continue
            left.remove(match)
        if left:
            self._say(path, f"lacks {left}")


def is_leaf(theirs: str, token: Token) -> bool:
    """Whether a token is a value without parts, as the tracer wrote it."""
    kind, _, text = theirs.partition(":")
    match token:
        case ["s", str(beginning), int(length)]:
            return theirs == f"str:{length}:{beginning}" or (
                kind == "str" and length <= LONGEST and text == repr(beginning)
            )
        case ["b", "bytes", str(shown), int()] if "…" in shown and text[:1].isdigit():
            return kind == "bytes" and shown.endswith(f"… ({text.partition(':')[0]})")
        case ["b", "int", str(shown)]:
            return kind == "int" and (shown == text or text.partition(" ")[0] in shown)
        case ["b", str(name), str(shown)]:
            return theirs == f"{name}:{shown}"
        case list():
            return False
    if isinstance(token, int) and token.bit_length() > 900:
        return theirs == f"int:{token.bit_length()} bits:{token % (1 << 64):x}"
    if isinstance(token, str) and len(token) > LONGEST:
        return theirs == f"str:{len(token)}:{token[:200]}"
    return theirs == f"{type(token).__name__}:{token!r}"
