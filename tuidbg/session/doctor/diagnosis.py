"""The values that the breakpoint doctor works with: the facts of a case, the answer in words."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from tuidbg.adapters.traits.sources import SourceFacts
from tuidbg.session.state import Breakpoint, Status, Value


class Mend(Value, frozen=True):
    """Something that can be done about it; ``Doctor.apply`` does it."""

    title: str
    action: str
    arguments: dict[str, Any] = {}


class Diagnosis(Value, frozen=True):
    """An answer: a few words, whole sentences, and what can be done, the best first."""

    title: str
    sentences: tuple[str, ...] = ()
    mends: tuple[Mend, ...] = ()


class Hiding(Value, frozen=True):
    """That the debugger passes over a file: why, and which module or path a rule would name.

    ``by_switch``: just-my-code does it, not a rule of the person's.
    """

    sentence: str
    by_switch: bool = True
    module: str = ""
    path: str = ""


class Facts(Value, frozen=True):
    """The facts of a breakpoint and its surroundings; None and nothing mean unknown.

    ``rank`` is which one the process is in its job.
    ``trigger`` is what the breakpoint it waits for is called, nothing where that is gone, and
    ``trigger_hits`` how often that was hit.
    ``group_off`` counts the breakpoints of its group if all of them are off. ``namesakes`` are
    loaded files of the same name elsewhere, with whether they exist here. ``ray`` says that Ray
    runs the line in a process of its own. ``passes_libraries``: just-my-code is on.
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
        """The file's name for people; ``pkg/__init__.py``, as there are so many of those."""
        path = PurePath(self.breakpoint.path)
        return f"{path.parent.name}/{path.name}" if path.name.startswith("__") else path.name

    @property
    def is_active(self) -> bool:
        """True while there is a program."""
        return self.status in (Status.RUNNING, Status.PAUSED)


EVERYWHERE = Mend(title="Switch just-my-code off", action="just_my_code", arguments={"on": False})
RESTART = Mend(title="Restart the program", action="restart")


def count(number: int, noun: str) -> str:
    """``1 hit``, ``3 hits``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def times(number: int) -> str:
    """``once``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def ended(sentence: str) -> str:
    """The first line of it, with a full stop."""
    line = sentence.strip().partition("\n")[0]
    return line if line.endswith((".", "?", "!")) else f"{line}."
