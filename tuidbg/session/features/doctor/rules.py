"""The diagnosis rules: each checks one reason why a breakpoint may not stop.

Pure functions of the doctor's facts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from tuidbg.adapters.traits import SourceFacts
from tuidbg.session.core.breakpoints.predicates import nearest_line, read_hit_condition
from tuidbg.session.core.breakpoints.store import IN_CONDITION
from tuidbg.session.core.process_tree.identity import name_ranks
from tuidbg.session.model.state import Breakpoint, BreakpointKind, OnError, StateValue, Status


class Mend(StateValue, frozen=True):
    """A possible fix; applied by ``Doctor.apply``."""

    title: str
    action: str
    arguments: dict[str, Any] = {}


class Diagnosis(StateValue, frozen=True):
    """A diagnosis: a few words, whole sentences, and the fixes, the best first."""

    title: str
    sentences: tuple[str, ...] = ()
    mends: tuple[Mend, ...] = ()


class Hiding(StateValue, frozen=True):
    """A file that the debugger skips: why, and the module or path for a rule.

    ``by_switch``: just-my-code does it, not a rule of the user's.
    """

    sentence: str
    by_switch: bool = True
    module: str = ""
    path: str = ""


class BreakpointFacts(StateValue, frozen=True):
    """The facts of a breakpoint and its surroundings; None and empty mean unknown.

    ``rank`` is the process's rank in its job. ``trigger`` is the label of the breakpoint it waits
    for, empty if that is gone, and ``trigger_hits`` the number of its hits. ``group_off`` counts
    the breakpoints of its group if all of them are off. ``namesakes`` are loaded files of the same
    name elsewhere, with whether they exist here. ``ray`` means that Ray runs the line in a separate
    process. ``passes_libraries``: just-my-code is on.
    """

    breakpoint: Breakpoint
    status: Status
    muted: bool = False
    rank: int | None = None
    trigger: str = ""
    trigger_hits: int | None = None
    group_off: int = 0
    source: SourceFacts = SourceFacts()
    exists: bool = True
    has_changed: bool = False
    loaded: bool | None = None
    namesakes: tuple[tuple[str, bool], ...] = ()
    hiding: Hiding | None = None
    ray: str = ""
    passes_libraries: bool = False

    @property
    def file(self) -> str:
        """Return the file's name for display; ``pkg/__init__.py``, as that name is so frequent."""
        path = PurePath(self.breakpoint.path)
        return f"{path.parent.name}/{path.name}" if path.name.startswith("__") else path.name

    @property
    def is_active(self) -> bool:
        """True while there is a program."""
        return self.status in (Status.RUNNING, Status.PAUSED)


EVERYWHERE = Mend(title="Switch just-my-code off", action="just_my_code", arguments={"on": False})
RESTART = Mend(title="Restart the program", action="restart")


def count(number: int, noun: str) -> str:
    """Return ``1 hit``, ``3 hits``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def times(number: int) -> str:
    """Return ``once``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def ended(sentence: str) -> str:
    """Return its first line, with a full stop."""
    line = sentence.strip().partition("\n")[0]
    return line if line.endswith((".", "?", "!")) else f"{line}."


_DROP_CONDITION = Mend(title="Drop the condition", action="update", arguments={"condition": ""})


def _is_off(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.enabled:
        return None
    on = Mend(title="Switch it on", action="update", arguments={"enabled": True})
    if found.at_most and found.hits >= found.at_most:
        told = f"It reported {count(found.at_most, 'hit')}, its limit, then switched itself off."
        return Diagnosis(title="switched off", sentences=(told,), mends=(on,))
    if facts.group_off > 1:
        all_off = f"All {facts.group_off} breakpoints of the group {found.group} are switched off."
        arguments = {"group": found.group, "enabled": True}
        group_on = Mend(title="Switch the group on", action="enable_group", arguments=arguments)
        return Diagnosis(title="switched off", sentences=(all_off,), mends=(group_on, on))
    off = "It is switched off, so the program passes it."
    return Diagnosis(title="switched off", sentences=(off,), mends=(on,))


def _is_muted(facts: BreakpointFacts) -> Diagnosis | None:
    if not facts.muted:
        return None
    return Diagnosis(
        title="all breakpoints are muted",
        sentences=("All breakpoints are muted: the program stops at none of them.",),
        mends=(
            Mend(title="Let breakpoints stop again", action="mute", arguments={"muted": False}),
        ),
    )


def _is_of_other_ranks(facts: BreakpointFacts) -> Diagnosis | None:
    ranks = facts.breakpoint.ranks
    if not ranks or facts.rank in ranks:
        return None
    known = "has not reported its rank" if facts.rank is None else f"is rank {facts.rank}"
    return Diagnosis(
        title="of other ranks",
        sentences=(f"It is there in {name_ranks(ranks)} alone, and this process {known}.",),
        mends=(Mend(title="Stop in all ranks", action="update", arguments={"ranks": ()}),),
    )


def _waits_for_trigger(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    waits = not found.armed or facts.trigger_hits == 0
    if found.trigger is None or found.hits or not waits:
        return None
    if facts.trigger:
        sentence = (
            f"It waits for breakpoint {found.trigger} ({facts.trigger}), "
            "which the program has not hit yet."
        )
    else:
        sentence = f"It waits for breakpoint {found.trigger}, which was deleted."
    mend = Mend(title="Don't wait for it", action="update", arguments={"trigger": None})
    return Diagnosis(title="waits for another one", sentences=(sentence,), mends=(mend,))


def _file_is_missing(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if facts.exists or not found.path or _runs_elsewhere(facts) is not None:
        return None
    return Diagnosis(title="no such file", sentences=(f"There is no file {found.path}.",))


def _does_not_compile(facts: BreakpointFacts) -> Diagnosis | None:
    problem = facts.source.problem
    if problem is None or not problem.path:
        return None
    where = f" (line {problem.line})" if problem.line else ""
    sentence = f"{facts.file} does not compile: {problem.message}{where}."
    if not facts.is_active:
        return Diagnosis(title="the file does not compile", sentences=(sentence,))
    return Diagnosis(
        title="the file does not compile",
        sentences=(sentence, "Put that right and restart the program."),
        mends=(RESTART,),
    )


def _is_hidden(facts: BreakpointFacts) -> Diagnosis | None:
    hiding = facts.hiding
    if hiding is None:
        return None
    mends = []
    if hiding.module or hiding.path:
        name = hiding.module or PurePath(hiding.path).name
        arguments = {"module": hiding.module} if hiding.module else {"path": hiding.path}
        mends = [Mend(title=f"Stop in {name}, too", action="include", arguments=arguments)]
    return Diagnosis(
        title="just-my-code hides it" if hiding.by_switch else "a rule hides it",
        sentences=(f"The debugger never stops in {facts.file}.", hiding.sentence),
        mends=(*mends, EVERYWHERE) if hiding.by_switch else tuple(mends),
    )


def _has_no_code(facts: BreakpointFacts) -> Diagnosis | None:
    found, lines = facts.breakpoint, facts.source.code_lines
    if found.kind is not BreakpointKind.LINE or (lines and found.line in lines):
        return None
    nearest = nearest_line(lines, found.line) if lines else found.suggested_line
    if nearest is None:
        return None
    if lines and found.line > lines[-1]:
        why = f"Line {found.line} is past the last line of code in {facts.file}."
    else:
        why = (
            f"Line {found.line} has no code of its own: it is empty, a comment, "
            "or part of a longer statement."
        )
    mend = Mend(title=f"Move it to line {nearest}", action="move", arguments={"line": nearest})
    sentences = (why, f"The nearest line that can stop is {nearest}.")
    return Diagnosis(title="no code there", sentences=sentences, mends=(mend,))


def _runs_elsewhere(facts: BreakpointFacts) -> Diagnosis | None:
    """Report that another file of this name runs: the one with the longest common path end."""
    found = facts.breakpoint
    if facts.loaded or not found.path or not facts.namesakes:
        return None
    path, is_here = max(facts.namesakes, key=lambda each: _common_end(found.path, each[0]))
    common = _common_end(found.path, path)
    if PurePath(path).name.startswith("__") and common < 2:
        return None  # every package has an __init__.py
    sentences = [f"The program has not loaded {found.path}, but {path}."]
    if common < 2:
        different = "If these are two different files, this one has just not been imported yet."
        sentences.append(different)
    local, remote = _without_end(found.path, common), _without_end(path, common)
    mapping = Mend(
        title=f"Take {remote} for {local}",
        action="map",
        arguments={"local": local, "remote": remote},
    )
    there = Mend(
        title=f"Set it in {path} instead",
        action="replace",
        arguments={"path": path, "line": found.line},
    )
    return Diagnosis(
        title="the program runs another file",
        sentences=tuple(sentences),
        mends=(there, mapping) if is_here else (mapping,),
    )


def _runs_in_ray(facts: BreakpointFacts) -> Diagnosis | None:
    if not facts.ray or facts.breakpoint.hits:
        return None
    return Diagnosis(title="Ray runs it elsewhere", sentences=(f"{facts.ray}.",))


def _has_changed(facts: BreakpointFacts) -> Diagnosis | None:
    if not facts.has_changed or not facts.is_active or facts.loaded is False:
        return None
    sentence = (
        f"{facts.file} was changed after the program had loaded it, which still runs the old lines."
    )
    return Diagnosis(title="the file has changed", sentences=(sentence,), mends=(RESTART,))


def _only_tells(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.stops:
        return None
    what, does = "log point", "writes its message"
    if found.trace:
        what, does = "tracepoint", "records its hits"
    sentences = [f"It is a {what}: it {does} and never stops the program."]
    if found.hits:
        sentences.append(f"It was hit {times(found.hits)}.")
    mend = Mend(
        title="Make it stop", action="update", arguments={"log_message": "", "trace": False}
    )
    title = f"a {what} never stops"
    return Diagnosis(title=title, sentences=tuple(sentences), mends=(mend,))


def _condition_fails(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if not found.errors:
        return None
    error, is_known, _ = found.message.rpartition(IN_CONDITION)
    told = f": {error}" if is_known else ""
    sentences = [f"Its condition failed {times(found.errors)}{told}."]
    mends = []
    if found.on_error is OnError.REPORT:
        sentences.append("It is set to go on where that happens.")
        stop = {"on_error": OnError.STOP}
        mends = [Mend(title="Stop where the condition fails", action="update", arguments=stop)]
    return Diagnosis(
        title="its condition fails",
        sentences=tuple(sentences),
        mends=(*mends, _DROP_CONDITION),
    )


def _condition_is_false(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if not found.misses or found.hits:
        return None
    sentence = (
        f"The program came to it {times(found.misses)}, "
        f"and its condition was never true: {found.condition}"
    )
    return Diagnosis(
        title="its condition was never true", sentences=(sentence,), mends=(_DROP_CONDITION,)
    )


def _passes_hits(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if not found.hits or not found.stops or not (found.hit_condition or found.ignore_count):
        return None
    stops = f"stops only where the count is {_spell(found.hit_condition)}"
    first = "hit" if found.ignore_count == 1 else f"{found.ignore_count} hits"
    if not found.hit_condition:
        stops = f"stops everywhere but at the first {first}"
    elif found.ignore_count:
        stops += f", but not at the first {first}"
    sentences = [f"It was hit {times(found.hits)}, and {stops}."]
    coming = next_stop(found.hits, found.hit_condition, found.ignore_from + found.ignore_count)
    if coming is None:
        sentences.append("That count is over; it stops no more in this run.")
    else:
        sentences.append(f"Next it stops at hit {coming}.")
    arguments = {"hit_condition": "", "ignore_count": 0}
    mend = Mend(title="Stop at every hit", action="update", arguments=arguments)
    return Diagnosis(title="it lets hits pass", sentences=tuple(sentences), mends=(mend,))


def next_stop(hits: int, hit_condition: str, ignored_until: int) -> int | None:
    """Return the next hit at which it stops after ``hits``; None if it can't any more.

    Hits up to number ``ignored_until`` are ignored.
    """
    first = max(hits, ignored_until) + 1
    condition = read_hit_condition(hit_condition)
    if condition is None:
        return first
    operator, value = condition
    match operator:
        case ">":
            return max(first, value + 1)
        case ">=":
            return max(first, value)
        case "==":
            return value if first <= value else None
        case "<":
            return first if first < value else None
        case "<=":
            return first if first <= value else None
    return -(-first // value) * value


def _spell(hit_condition: str) -> str:
    condition = read_hit_condition(hit_condition)
    if condition is None:
        return "any"
    operator, value = condition
    return _COMPARISONS[operator].format(value)


_COMPARISONS = {
    ">": "more than {}",
    ">=": "at least {}",
    "==": "exactly {}",
    "<": "less than {}",
    "<=": "at most {}",
    "%": "a multiple of {}",
}


def _common_end(first: str, second: str) -> int:
    """Return the number of trailing parts that two paths have in common."""
    count = 0
    for one, other in zip(
        reversed(PurePath(first).parts), reversed(PurePath(second).parts), strict=False
    ):
        if one != other:
            break
        count += 1
    return count


def _without_end(path: str, count: int) -> str:
    parts = PurePath(path).parts
    return str(PurePath(*parts[: len(parts) - count]))


RULES: tuple[Callable[[BreakpointFacts], Diagnosis | None], ...] = (
    _is_off,
    _is_muted,
    _is_of_other_ranks,
    _waits_for_trigger,
    _file_is_missing,
    _does_not_compile,
    _is_hidden,
    _has_no_code,
    _runs_elsewhere,
    _runs_in_ray,
    _has_changed,
    _only_tells,
    _condition_fails,
    _condition_is_false,
    _passes_hits,
)
"""In the order in which they are reported."""
