"""Tells what is known of a program's sources: which can be run, what is in them, whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from tuidbg.config.launch import Plan


class SourceProblem(msgspec.Struct, frozen=True):
    """Tells why a source can't be run: what, and where in syntax errors (lines, columns from 1)."""

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""


class SourceFacts(msgspec.Struct, frozen=True):
    """Holds what the interpreter that runs a source says of it, without running it.

    ``code_lines`` are the lines that can break, in order; empty where nobody knows.
    """

    path: str = ""
    code_lines: tuple[int, ...] = ()
    problem: SourceProblem | None = None


class FunctionPlace(msgspec.Struct, frozen=True):
    """Tells where a function begins: its first line that can break, and its name in its file."""

    path: str
    line: int
    name: str


class FunctionFacts(msgspec.Struct, frozen=True):
    """Holds what is known of a function that a person named, without running anything.

    Several places where the name is defined several times (redefinitions, a property's getter and
    setter); none where there is no such function, and then ``problem`` says why in a sentence.
    """

    places: tuple[FunctionPlace, ...] = ()
    problem: str = ""
    is_final: bool = False
    """The module is there and has no such function; else it may come later."""


class RemoteQuestions(Protocol):
    """Expressions for a program that runs elsewhere, or under other names of folders."""

    def reference(self, path: str) -> str:
        """For a number by which the ``source`` request gives a file of the program's machine."""

    def map_paths(self, mappings: Mapping[str, str]) -> str:
        """Has the living program speak of its folders as they are called here (here: there)."""

    def missing(self, folders: Sequence[str]) -> str:
        """For those of the folders that are none where the program runs."""

    def read_missing(self, answer: str) -> Sequence[str]:
        """These, of what it evaluated to."""


class Sources:
    """The program's sources, without running them, and which of them are the person's own."""

    watched: tuple[str, ...] = ()
    """Patterns of the sources that the program may be made of (``--watch``)."""

    roots_question = ""
    """An expression for the folders of libraries and of own code; empty if none is known."""

    are_compiled = False
    """True if the plan's target is built of them, so that they may be newer than that."""

    finds_functions = True
    """True if ``find_function`` knows functions; else the adapter is asked for them."""

    def takes(self, path: str) -> bool:
        """Whether breakpoints in a file of that name may be the adapter's; others are not sent."""
        return True

    def arguments(
        self,
        just_my_code: bool,
        rules: Sequence[dict[str, Any]],
        mappings: Sequence[dict[str, str]],
    ) -> dict[str, Any]:
        """The part of the ``launch`` and ``attach`` requests that is about sources.

        It says which of them to pass over, and how their paths differ.
        """
        return {}

    def live_rules(self, just_my_code: bool, rules: Sequence[dict[str, Any]]) -> str:
        """An expression that puts that in force in the living program; empty if it can't."""
        return ""

    def read_roots(self, answer: str) -> tuple[Sequence[str], Sequence[str]]:
        """The folders of ``roots_question``, of what it evaluated to."""
        return (), ()

    async def library_folders(self, plan: Plan) -> Sequence[str]:
        """The folders of libraries, where they are known without asking the program."""
        return ()

    def own_folder(self, plan: Plan) -> str:
        """The folder of an installed program, which is own code; empty where it isn't installed."""
        return ""

    async def examine_target(self, plan: Plan) -> SourceFacts:
        """The facts of the program itself, its file found as the interpreter would find it."""
        return SourceFacts()

    async def examine(self, plan: Plan, paths: Sequence[str]) -> Sequence[SourceFacts]:
        """The facts of some sources of the program, in the order of the paths."""
        return [SourceFacts(path) for path in paths]

    def find(self, plan: Plan, name: str) -> Sequence[str]:
        """The sources of that name that the program was built from, as far as it tells itself.

        Blocks for a moment.
        """
        return ()

    async def find_function(
        self, plan: Plan, name: str, files: Sequence[str] = ()
    ) -> FunctionFacts:
        """Tells where the function of that name begins; ``files`` are further sources."""
        return FunctionFacts()
