"""Asks the interpreter that runs a program about its sources: does it compile, where can it stop,
where does a function begin.

A process of that interpreter is asked, since only it knows its own syntax; it also tells whether
there is an interpreter at all and whether debugpy still supports it. Where that interpreter is
tuidbg's own, a file of ordinary size is compiled here: a start is short of processors, not of code.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tuidbg.adapters.debugpy.sources import examine_source
from tuidbg.adapters.traits import FunctionFacts, FunctionPlace, SourceFacts, SourceProblem
from tuidbg.config.launch import Plan
from tuidbg.lines import split_lines

T = TypeVar("T")

OLDEST_PYTHON = (3, 8)
"""The oldest Python that debugpy 1.8 can debug."""

_IMPLEMENTATIONS = ("cpython", "pypy")

_EXAMINE = str(Path(__file__).with_name("examine_source.py"))
_FIND = str(Path(__file__).with_name("find_function.py"))
_TIMEOUT = 20.0

_examine_here: Callable[[str, str], object] = examine_source.examine  # written for any Python

_OPTIMIZE = "PYTHONOPTIMIZE"
"""With this variable Python drops asserts; the program has it from the environment, too."""

_OF_PYTHON = re.compile(r"Python|^Traceback \(most recent call last\)|^\w+Error: ", re.MULTILINE)
"""In the last words of an interpreter that fails, but not in those of another program."""

_USAGE = "[-c cmd | -m mod |"
"""In what each Python says to an option that it does not know."""

_COMPILED_HERE = 64 * 1024
"""Bytes of source that are compiled in this process, 5 ms for each 20,000; more would be felt."""


class _Error(msgspec.Struct):
    message: str
    line: int
    column: int
    text: str


class _Answer(msgspec.Struct):
    version: tuple[int, int, int]
    path: str | None
    implementation: str = "cpython"
    lines: tuple[int, ...] = ()
    error: _Error | None = None
    places: tuple[FunctionPlace, ...] = ()
    problem: str = ""
    is_final: bool = False


async def examine(plan: Plan, kind: str, name: str) -> SourceFacts:
    """The facts of ``name`` (``kind`` is ``file`` or ``module``); never raises."""
    path = Path(plan.cwd, name)
    if kind == "file" and _is_compiled_here(plan, path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are the program's, and would go to the screen
            answered = _examine_here(kind, str(path))
        return _facts(msgspec.convert(answered, _Answer))
    answer = await _ask(plan, _Answer, _EXAMINE, kind, name)
    if isinstance(answer, str):
        return SourceFacts(problem=SourceProblem(answer))
    return _facts(answer)


async def examine_files(plan: Plan, paths: Sequence[str]) -> list[SourceFacts]:
    """The facts of many files, asked of one process; never raises."""
    answers = await _ask(plan, list[_Answer], _EXAMINE, "files", *paths)
    if isinstance(answers, str):
        return [SourceFacts(problem=SourceProblem(answers)) for _ in paths]
    return [_facts(answer) for answer in answers]


def _is_compiled_here(plan: Plan, path: Path) -> bool:
    if plan.python_args or any(name.startswith("PYTHON") for name in plan.env):
        return False
    if _OPTIMIZE in os.environ or sys.flags.optimize:
        return False
    try:
        is_same = plan.python == sys.executable or Path(plan.python).samefile(sys.executable)
        return is_same and path.is_file() and path.stat().st_size <= _COMPILED_HERE
    except OSError:
        return False


def _facts(answer: _Answer) -> SourceFacts:
    problem = None
    if answer.error is not None:
        error = answer.error
        problem = SourceProblem(
            error.message, answer.path or "", error.line, error.column, error.text
        )
    return SourceFacts(answer.path or "", answer.lines, problem)


async def examine_function(plan: Plan, name: str, files: Sequence[str] = ()) -> FunctionFacts:
    """Returns where a function begins that a person named; never raises, and runs nothing.

    ``name`` is ``func``, ``Class.method``, ``outer.inner`` or ``package.module.`` and one of those.
    It is looked for in the program's own file, then among the modules that it could import, then in
    ``files``; imports, base classes and other names for it are followed as far as they are plain
    to read. ``problem`` is a sentence where there is no such function.
    """
    kind, target = plan.kind.value, plan.first_source or plan.target
    answer = await _ask(plan, _Answer, _FIND, name, kind, target, *files)
    if isinstance(answer, str):
        return FunctionFacts(problem=answer)
    return FunctionFacts(answer.places, answer.problem, answer.is_final)


async def _ask(plan: Plan, into: type[T], script: str, *args: str) -> T | str:
    """Tells what the script answers, or a sentence that says why it can't."""
    try:
        process = await asyncio.create_subprocess_exec(
            plan.python,
            *plan.python_args,  # by them other lines become code: of asserts, of docstrings
            script,
            *args,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=plan.cwd,
            env={**os.environ, **plan.env, "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
    except OSError as error:
        return f"can't run the interpreter {plan.python}: {error.strerror or error}"
    try:
        async with asyncio.timeout(_TIMEOUT):
            output, errors = await process.communicate()
    except TimeoutError:
        return f"the interpreter {plan.python} gave no answer within {_TIMEOUT:g} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer = msgspec.json.decode(output, type=into)
    except msgspec.MsgspecError:
        return f"{plan.python} {_say_why(errors.decode('utf-8', 'replace').strip())}"
    first = answer[0] if isinstance(answer, list) else answer
    assert isinstance(first, _Answer)
    if first.version[:2] < OLDEST_PYTHON:
        version = ".".join(map(str, first.version))
        oldest = ".".join(map(str, OLDEST_PYTHON))
        return f"{plan.python} is Python {version}; debugpy needs Python {oldest} or newer"
    if first.implementation not in _IMPLEMENTATIONS:
        return f"{plan.python} is {first.implementation}; debugpy needs CPython"
    return answer


def _say_why(errors: str) -> str:
    """Returns what a failing Python says; another program's complaints are nobody's business."""
    if _USAGE in errors:
        return f"does not take these options: {split_lines(errors)[0]}"
    if _OF_PYTHON.search(errors):
        return f"is no Python interpreter that can be used: {split_lines(errors)[-1]}"
    return "is no Python interpreter"
