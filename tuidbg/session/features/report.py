"""The session as a Markdown report, fit for a bug report: stops, values, console.

All text from the program is in code blocks whose fences it can't close, without control characters:
nothing in it is interpreted as markup.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import platform
import re
import shlex
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg import __version__
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.traits import Launch
from tuidbg.config.files import read_text
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.lines import split_lines
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.core.run.ending import describe_exit
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.core.stop_history.timeline import PastStop, PastValue, VariablePath
from tuidbg.session.core.terminal.text import SEQUENCE
from tuidbg.session.model.state import Place, StateValue, Stop

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class StopDifference(StateValue, frozen=True):
    """A value at a stop beside the same at another.

    ``kind``: ``same``, ``changed``, ``new``, ``gone``, or empty if the other stop has no data of
    that call. ``now`` is None if it is gone, ``before`` if it is new.
    """

    frame: int
    path: VariablePath
    kind: str
    now: PastValue | None
    before: PastValue | None


def compare(before: PastStop | None, now: PastStop) -> list[StopDifference]:
    """Compare the values of two stops, in display order.

    Values are compared within a call only: the same function at the same depth.
    """
    calls = _calls(before) if before is not None else {}
    siblings = {(frame, path[:-1]) for frame, path in before.values} if before is not None else ()
    differences: list[StopDifference] = []
    seen: set[tuple[int, VariablePath]] = set()
    for (frame, path), value in now.values.items():
        known, kind, there = calls.get(_call(now, frame)), "", None
        if known is not None and before is not None and (known, path[:-1]) in siblings:
            seen.add((known, path))
            there = before.values.get((known, path))
            kind = _kind(there, value)
        differences.append(
            StopDifference(frame=frame, path=path, kind=kind, now=value, before=there)
        )
    differences += _gone(before, now, seen)
    return differences


def _gone(
    before: PastStop | None, now: PastStop, seen: set[tuple[int, VariablePath]]
) -> Iterator[StopDifference]:
    if before is None:
        return
    calls = _calls(now)
    shown = {(frame, path[:-1]) for frame, path in now.values}
    for (frame, path), value in before.values.items():
        here = calls.get(_call(before, frame))
        if here is not None and (frame, path) not in seen and (here, path[:-1]) in shown:
            yield StopDifference(frame=here, path=path, kind="gone", now=None, before=value)


def _kind(before: PastValue | None, now: PastValue) -> str:
    if before is None:
        return "new"
    return "same" if (before.value, before.type) == (now.value, now.type) else "changed"


def _call(stop: PastStop, frame: int) -> tuple[str, int, int]:
    """Return a function with its depth, counted from the bottom, and its thread."""
    return stop.frames[frame].function, stop.total - frame, stop.stop.thread_id


def _calls(stop: PastStop) -> dict[tuple[str, int, int], int]:
    return {_call(stop, index): index for index in range(len(stop.frames))}


STOPS = 200
CONSOLE_LINES = 500
"""Maximum stops and lines of the console in a report, the newest ones."""

CONTEXT = 4
"""Lines of source above and below the place of the last stop."""

PYTHON_TIMEOUT = 5.0
"""Seconds for the program's interpreter to report its version."""

_SUFFIXES = (".md", ".markdown")


def report_problem(path: Path) -> str:
    """Return why no report can be written there, judged by its name; empty if it can."""
    if path.suffix.lower() not in _SUFFIXES:
        return "a name that ends in .md, please"
    if path.is_dir():
        return "that is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return ""


async def write_report(session: Session, path: Path) -> None:
    """Write the report of a session. Raises OSError."""
    python = await python_version(session.plan.python)
    with redaction.hidden(Redaction.NAMES):
        text = build_report(session, python)
    await asyncio.to_thread(path.write_text, text, encoding="utf-8", errors="replace")


async def python_version(python: str) -> str:
    """Return the version text of the program's interpreter; empty without a reply in time."""
    try:
        process = await asyncio.create_subprocess_exec(
            python,
            *("-I", "-S", "-c", "import sys; print(sys.version)"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(PYTHON_TIMEOUT):
            output, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return " ".join(output.decode("utf-8", "replace").split()) if not process.returncode else ""


def build_report(session: Session, python: str = "") -> str:
    """Return the report as text; ``python`` is the version of the program's interpreter."""
    sections = [
        f"# Debug session: {span(session.plan.title)}",
        f"Written by tuidbg at {_when(datetime.now().timestamp())}. It holds values and output of"
        " the program: read it before you send it to anybody.",
        *_environment(session, python),
        *_outcome(session),
        *_stops(session),
        *_console(session),
    ]
    return _shorten_home("\n\n".join(sections)) + "\n"


# Sections


def _environment(session: Session, python: str) -> Iterator[str]:
    plan, system = session.plan, platform.uname()  # platform.platform() starts a process
    facts = [
        ("Command line", command_line(plan, session.profile.launch)),
        ("Working directory", plan.cwd),
        ("tuidbg", f"{__version__} on Python {platform.python_version()}"),
        (session.profile.name, _adapter_version(session)),
        ("System", f"{system.system} {system.release} {system.machine}"),
    ]
    if session.profile.launch.by_interpreter:
        facts[2:2] = [("Python", python or "unknown"), ("Interpreter", plan.python)]
        facts.append(("Just my code", "on" if session.sources.just_my_code else "off"))
    if plan.env:
        facts.append(("Environment added", ", ".join(sorted(plan.env)) + " (values left out)"))
    yield "## Environment"
    yield "\n".join(f"- {name}: {span(value)}" for name, value in facts)


def command_line(plan: Plan, launch: Launch) -> str:
    """Return the command that starts the program without a debugger, as far as known."""
    if isinstance(plan, AttachPlan):
        return f"unknown; attached to {plan.title}"
    return shlex.join(redaction.arguments(launch.command_line(plan)))


def _adapter_version(session: Session) -> str:
    """Return the version of the package; for an executable its path."""
    try:
        return importlib.metadata.version(session.profile.name)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        return session.profile.start.locate()
    except (AdapterNotStarted, IndexError):
        return "unknown"


def _outcome(session: Session) -> Iterator[str]:
    stop = session.stop
    yield "## Current position"
    if session.exit is not None:
        yield describe_exit(session.exit)
    elif stop is not None:
        yield f"Paused: {span(describe(stop))}."
    else:
        yield f"The session is {session.status}." + (
            f"\n\n{fence(session.failure)}" if session.failure else ""
        )
    raised = next((s for s in reversed(list(session.history)) if s.stop.exception), None)
    if raised is not None and raised.stop.exception is not None:
        exception = raised.stop.exception
        yield f"The last exception it stopped at, at stop {raised.number}:"
        last = f"{exception.type}: {exception.message}"
        yield fence(exception.stack_trace.rstrip() or last)


def _stops(session: Session) -> Iterator[str]:
    history = session.history
    yield "## Stops"
    if not len(history):
        yield "The program has not stopped."
        return
    shown = list(islice(history, max(0, len(history) - STOPS), None))
    left_out = shown[0].number - 1
    if left_out:
        yield f"The first {left_out:,} of {shown[-1].number:,} stops are left out."
    yield "Of each stop only the values that are new or have changed, of the last one all."
    before = history.get(shown[0].number - 1)
    lines: list[str] = []
    for past in shown:
        lines += _stop_lines(past, before)
        before = past
    yield fence("\n".join(lines))
    yield from _last_stop(shown[-1])


def _stop_lines(past: PastStop, before: PastStop | None) -> Iterator[str]:
    if before is None or before.run != past.run:
        yield f"-- run {past.run} --"
    if past.passed:
        yield f"  ({past.passed} passed without a look)"
    clock = datetime.fromtimestamp(past.time).strftime("%H:%M:%S.%f")[:-3]
    yield f"{past.number:>4}  {clock}  {_place(past)}  {describe(past.stop)}"
    for difference in compare(before, past):
        if difference.kind == "gone":
            yield f"        - {difference.path[-1]}"
        elif difference.kind != "same" and difference.now is not None:
            yield f"        {_value_line(difference)}"


def _value_line(difference: StopDifference) -> str:
    value, before = difference.now, difference.before
    assert value is not None
    was = f"    (was {_shown(before)})" if before is not None else ""
    return f"{value.name}{_between(value)}{_shown(value)}{was}"


def _shown(value: PastValue) -> str:
    """Return a value; one inside a value with a secret's name is secret as well."""
    return redaction.result(" ".join(value.path), value.value)


def _between(value: PastValue) -> str:
    return " " if value.is_returned else " = "


def _last_stop(past: PastStop) -> Iterator[str]:
    yield f"### The last stop ({past.number})"
    if source := _source(past):
        yield fence(source, "python")
    if past.values:
        yield "Values:"
        lines = []
        for (frame, path), value in past.values.items():
            where = f"{past.frames[frame].name}: " if frame else ""
            kind = f"  ({value.type})" if value.type else ""
            line = f"{where}{path[-1]}{_between(value)}{_shown(value)}{kind}"
            lines.append("  " * (len(path) - 2) + line)
        yield fence("\n".join(lines))
    yield "Stack:"
    lines = [
        f"{index:>3}  {f.name}  {_frame_place(f.place)}" for index, f in enumerate(past.frames)
    ]
    if past.total > len(past.frames):
        lines.append(f"     {past.total - len(past.frames)} more")
    yield fence("\n".join(lines))


def _source(past: PastStop) -> str:
    place = past.place
    if place is None:
        return ""
    try:
        lines = split_lines(read_text(place.path, errors="replace"))
    except (OSError, ValueError):
        return ""
    if place.line > len(lines):
        return ""
    first = max(1, place.line - CONTEXT)
    shown = enumerate(lines[first - 1 : place.line + CONTEXT], start=first)
    return "\n".join(f"{'->' if n == place.line else '  '} {n:>5}  {text}" for n, text in shown)


def _console(session: Session) -> Iterator[str]:
    output = session.output
    yield "## Console"
    if not len(output):
        yield "Nothing was written."
        return
    first = max(0, len(output) - CONSOLE_LINES)
    left_out = output.dropped + first
    if left_out:
        yield f"The first {left_out:,} lines are left out."
    lines = (output[index] for index in range(first, len(output)))
    shown = (line for line in lines if line.category != "private")
    marks = {**_MARKS, "input": session.profile.language.prompt}
    texts = (
        marks.get(line.category, "") + redaction.words(line.text, is_secret=line.is_secret)
        for line in shown
    )
    yield fence("\n".join(texts))


_MARKS = {"console": "-- ", "important": "-- ", "error": "!! "}


# Wording


def describe(stop: Stop) -> str:
    """Return why the program stopped."""
    return word_stop(stop).brief


def _place(past: PastStop) -> str:
    return f"{_frame_place(past.place)} {past.function}"


def _frame_place(place: Place | None) -> str:
    return f"{place.path}:{place.line}" if place is not None else "no source"


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def _shorten_home(text: str) -> str:
    """Remove the user's home folder, which is private."""
    home = str(Path.home())
    return re.sub(re.escape(home) + r"(?=[/\s`:'\"]|$)", "~", text) if len(home) > 1 else text


# Markdown


def span(text: str) -> str:
    """Return inline code: nothing in it is markup."""
    text = plain(redaction.sent(text)).replace("\n", " ").strip() or " "
    ticks = "`" * (_longest_run(text) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """Return lines as a code block that none of them can end."""
    text = plain(redaction.sent(text))
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def plain(text: str) -> str:
    """Remove colours, and replace each control character by its picture."""
    text = SEQUENCE.sub("", text)
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\n\t" or 0x20 <= code < 0x7F:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    # Cc, Cf: controls, direction overrides. Cs: lone surrogates. Zl, Zp: line ends to some.
    return (
        "\ufffd" if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else character
    )


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
