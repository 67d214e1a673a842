"""Tells what debugpy says of its own accord, in tuidbg's words; tracebacks as Python prints them.

debugpy tells the frames of the exception itself the newest first, those of the exceptions before it
the oldest first, none with a headline; of a statement of several lines it shows the lines after the
one that was running. An exception without a message gets that of the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from tuidbg.lines import split_lines

_HEADLINE = "Traceback (most recent call last):\n"

_BETWEEN = re.compile(
    r"(\n(?:The above exception was the direct cause of the following exception"
    r"|During handling of the above exception, another exception occurred):\n\n)"
)
_FRAME = re.compile(r'^  File "(?P<path>.*)", line (?P<line>[0-9]+), in .*\n', re.MULTILINE)
_REPEATED = re.compile(r"^  \[Previous line repeated [0-9]+ more times?\]\n", re.MULTILINE)
_MESSAGE = re.compile(r"^\S", re.MULTILINE)

_MARKS = ({"^"}, {"~"}, {"^", "~"})

_SHOWN_OF_REPEATED = 3
"""Times that Python writes a frame before it says how often it is repeated."""

_LARGEST_SOURCE = 4_000_000
"""Bytes of a source that is read for one of its lines."""


class _TracebackFrame(msgspec.Struct):
    """One frame: the line that names it, its source, and how often it is repeated."""

    heading: str
    source: str
    repeated: str

    def __str__(self) -> str:
        return self.heading + self.source + self.repeated


_SLOW = re.compile(
    r"Evaluating: (?P<expression>.*) did not finish after (?P<seconds>[0-9.]+) seconds\.\n"
    r"This may mean",
    re.DOTALL,
)
_LOST = re.compile(
    r"(?P<error>.*) raised from within the callback set in sys\.settrace\.\n"
    r"Debugging will be disabled for this thread"
)
_LONGEST_SHOWN = 80
"""Characters of an expression that is told of; the rest is known to who has typed it."""


def _tell_slow(found: re.Match[str]) -> str:
    expression = " ".join(found["expression"].split())
    if len(expression) > _LONGEST_SHOWN:
        expression = expression[: _LONGEST_SHOWN - 1] + "…"
    return (
        f"{expression} takes more than {float(found['seconds']):.0f} s; it may wait for other"
        " threads, which are stopped.\n"
    )


_OWN_WORDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"Frame skipped from debugging during step-in\."),
        lambda found: 'The step has passed over libraries; "Step into libraries" goes into them.\n',
    ),
    (_SLOW, _tell_slow),
    (re.compile(r"pydevd warning: (Computing repr|Getting attribute)"), lambda found: ""),
    (
        _LOST,
        lambda found: (
            f"The debugger has lost this thread ({found['error']}): breakpoints and steps do not"
            " work in it any more.\n"
        ),
    ),
    (re.compile(r"pydevd: "), lambda found: found.string[found.end() :]),
)


def read_own_words(text: str) -> str:
    """A sentence of pydevd's own as tuidbg says it; "" where it is no use to anybody."""
    for pattern, tell in _OWN_WORDS:
        found = pattern.match(text)
        if found is not None:
            return tell(found)
    return text


def explain_failure(reason: str) -> str:
    """Tells why nothing can be evaluated in a frame, as tuidbg says it."""
    if reason.startswith("Unable to find thread to evaluate"):
        return "the thread is in a call of C, and answers when that returns"
    return reason


def as_python_prints(text: str, message: str) -> tuple[str, str]:
    """The traceback and the message; what can't be read comes back as it is."""
    found = _split_end(text, message)
    if found is None:
        return text, message
    before, ending, message = found
    *earlier, last = _BETWEEN.split(before)
    told = [each if index % 2 else _earlier(each) for index, each in enumerate(earlier)]
    frames = _newest_last(_read_frames(last))
    return "".join(told) + _with_headline(frames) + ending, message


def _split_end(text: str, message: str) -> tuple[str, str, str] | None:
    """Returns what stands before the exception, its own line or lines, and its message."""
    rest = text.removesuffix(f": {message}\n")
    if rest == text:  # that is the message of another one: this one has none
        message = ""
        rest = text.removesuffix(": \n")
    if rest == text:
        return None
    before, newline, name = rest.rpartition("\n")
    return before + newline, f"{name}: {message}\n" if message else f"{name}\n", message


def _earlier(text: str) -> str:
    """The whole of an exception that came before."""
    headings = list(_FRAME.finditer(text))
    found = _MESSAGE.search(text, headings[-1].end() if headings else 0)
    at = found.start() if found is not None else len(text)
    ending = text[at:]
    if ending.endswith(": \n"):
        ending = ending.removesuffix(": \n") + "\n"
    return _with_headline(_read_frames(text[:at])) + ending


def _with_headline(frames: list[_TracebackFrame]) -> str:
    return _HEADLINE + "".join(map(str, frames)) if frames else ""


def _read_frames(text: str) -> list[_TracebackFrame]:
    headings = list(_FRAME.finditer(text))
    frames = []
    for index, heading in enumerate(headings):
        end = headings[index + 1].start() if index + 1 < len(headings) else len(text)
        source = text[heading.end() : end]
        note = _REPEATED.search(source)
        repeated = note[0] if note is not None else ""
        source = source.removesuffix(repeated)
        if not _is_one_line(source):
            source = _read_line(heading["path"], int(heading["line"]))
        frames.append(_TracebackFrame(heading[0], source, repeated))
    return frames


def _is_one_line(source: str) -> bool:
    """Returns whether it is one line, with the marks below it where there are any."""
    lines = split_lines(source)
    return len(lines) < 2 or (len(lines) == 2 and set(lines[1].strip()) in _MARKS)


def _read_line(path: str, number: int) -> str:
    """That line as a traceback shows it; empty where it can't be read."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST_SOURCE:
            return ""
        line = split_lines(file.read_text("utf-8", "replace"))[number - 1].strip()
    except (OSError, ValueError, IndexError):
        return ""
    return f"    {line}\n" if line else ""


def _newest_last(frames: list[_TracebackFrame]) -> list[_TracebackFrame]:
    for index, frame in enumerate(frames):
        if frame.repeated and index >= _SHOWN_OF_REPEATED - 1:
            first = frames[index - _SHOWN_OF_REPEATED + 1]
            first.repeated, frame.repeated = frame.repeated, ""
    return frames[::-1]
