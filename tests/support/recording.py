"""Makes programs for the fake adapter: written by hand, or of what a real program did."""

from __future__ import annotations

import dis
import io
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from tests.support.fake_program import Json, value_node

PROGRAMS = Path(__file__).parent.parent / "programs"
"""Real programs for tests."""

DEMO_FOLDER = "/demo"
"""Tells where recorded sources seem to lie in pictures: the same on every machine."""


def frame(name: str, path: str, line: int, **variables: Any) -> Json:
    """A frame of a program written by hand."""
    nodes = {key: value_node(value) for key, value in variables.items()}
    return {"name": name, "path": path, "line": line, "locals": nodes}


def moment(path: str, line: int, *, name: str = "main", **variables: Any) -> Json:
    """A moment with one frame, for programs in which only lines matter."""
    return {"frames": [frame(name, path, line, **variables)]}


def busy(path: str, line: int, *, waiting: bool = False) -> Json:
    """A moment at which the program stays until it is paused or woken.

    ``waiting``: a pause comes only after it woke, as in ``input()``.
    """
    return {**moment(path, line), "busy": "waiting" if waiting else True}


def program(moments: Iterable[Json], **more: Any) -> Json:
    """A program of these moments. ``end``: the events of its end, in their order."""
    moments = list(moments)
    lines: dict[str, set[int]] = {}
    for each in moments:
        for shown in each["frames"]:
            lines.setdefault(shown["path"], set()).add(shown["line"])
    return {
        "moments": moments,
        "threads": [[1, "MainThread"]],
        "other_stacks": {},
        "globals": {},
        "sources": {},
        "code_lines": {path: sorted(found) for path, found in lines.items()},
        "exit": 0,
        "end": ["exited", "terminated"],
        **more,
    }


def count_up(path: str, lines: int, **more: Any) -> Json:
    """A program that runs through ``lines`` lines once, its only local being the line's number."""
    return program([moment(path, line, i=line) for line in range(1, lines + 1)], **more)


def record(source: Path, *, shown_as: str | None = None, by_reference: bool = False) -> Json:
    """Run a program here and now, and make a program for the fake adapter of what it did.

    ``shown_as`` is the path it seems to have; with ``by_reference`` the text comes by a DAP
    ``source`` request instead of from a file. An exception that nobody catches stops the program
    where it is raised.
    """
    path = shown_as or str(source)
    code = compile(source.read_bytes(), str(source), "exec")
    recorder = _Recorder(str(source), path, 1 if by_reference else 0)
    status = recorder.run(code)
    lines = {line for part in _codes(code) for _, line in dis.findlinestarts(part) if line}
    return program(
        recorder.moments,
        globals=recorder.globals,
        exit=status,
        code_lines={path: sorted(lines)},
        sources={"1": source.read_text(encoding="utf-8")} if by_reference else {},
    )


def default_program() -> Json:
    """The post office: calls, a loop, nested data, output and an exception at its end.

    Its source is told by reference, under a path that is the same on every machine.
    """
    return record(PROGRAMS / "parcels.py", shown_as=f"{DEMO_FOLDER}/parcels.py", by_reference=True)


class _Recorder:
    def __init__(self, file: str, shown_as: str, reference: int) -> None:
        self.moments: list[Json] = []
        self.globals: Json = {}
        self._file = file
        self._shown_as = shown_as
        self._reference = reference
        self._output = {"stdout": io.StringIO(), "stderr": io.StringIO()}

    def run(self, code: CodeType) -> int:
        """Run it to its end; the exit code."""
        main = ModuleType("__main__")
        names = main.__dict__
        before, sys.modules["__main__"] = sys.modules["__main__"], main  # dataclasses look there
        tracer = sys.gettrace()
        with redirect_stdout(self._output["stdout"]), redirect_stderr(self._output["stderr"]):
            sys.settrace(self._trace)
            try:
                exec(code, names)
                status = 0
            except Exception as error:
                sys.settrace(tracer)
                status = 1
                self._note_raised(error)
            finally:
                sys.settrace(tracer)
                sys.modules["__main__"] = before
        self._take_output()
        self.globals = _nodes(names)
        return status

    def _trace(self, at: FrameType, event: str, argument: Any) -> Any:
        if at.f_code.co_filename != self._file or at.f_code.co_name in ("<genexpr>", "Parcel"):
            return None
        if event == "line":
            self._take_output()
            self.moments.append({"frames": [self._frame(each) for each in self._own(at)]})
        return self._trace

    def _own(self, at: FrameType | None) -> Iterator[FrameType]:
        while at is not None:
            if at.f_code.co_filename == self._file:
                yield at
            at = at.f_back

    def _frame(self, at: FrameType) -> Json:
        inside = at.f_locals is not at.f_globals
        shown = {
            "name": at.f_code.co_name,
            "path": self._shown_as,
            "line": at.f_lineno,
            "locals": _nodes(at.f_locals if inside else at.f_globals),
        }
        return {**shown, "reference": self._reference} if self._reference else shown

    def _take_output(self) -> None:
        """Puts down what was printed since the last moment as printed by that moment's line."""
        for category, stream in self._output.items():
            if text := stream.getvalue():
                self.moments[-1].setdefault("output", []).append([category, text])
                stream.seek(0)
                stream.truncate()

    def _note_raised(self, error: Exception) -> None:
        self._take_output()
        told = "".join(traceback.format_exception_only(error))
        raised = {"type": type(error).__name__, "message": str(error), "trace": told}
        self.moments.append({"frames": self.moments[-1]["frames"], "exception": raised})
        self.moments[-1]["output"] = [["stderr", f"Traceback (most recent call last):\n{told}"]]


def _nodes(variables: Any) -> Json:
    """The variables a person wants to see, without what a module always holds."""
    return {
        name: value_node(value)
        for name, value in variables.items()
        if not name.startswith("__")
        and not isinstance(value, ModuleType | FunctionType | type)
        and not callable(value)
    }


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
