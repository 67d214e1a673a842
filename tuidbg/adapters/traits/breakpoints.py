"""Tells what an adapter does with breakpoints, and how it speaks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tuidbg.adapters.log_points import LogPoints
from tuidbg.config.launch import Plan
from tuidbg.dap.types import StoppedBody


class PageTemplates(Protocol):
    """Breakpoints in templates of web pages, where the adapter must be prepared for them."""

    @property
    def module(self) -> str:
        """The ``Inside`` module that prepares the program's side, by its function ``prepare``."""

    @property
    def waiting(self) -> str:
        """Returns how the answer begins for one whose template was not rendered yet."""

    def includes(self, path: str) -> bool:
        """True for a file that is a template, by its name."""

    def arguments(self, plan: Plan) -> Sequence[object]:
        """Returns what ``prepare`` is told for this program."""


class Breakpoints:
    """Breakpoints in lines and functions, their conditions and their log points."""

    late_answer = ""
    """Is said of a breakpoint that is set when its file is loaded; "" where nothing is."""

    answers_news_only = False
    """True if it answers breakpoints that it has already, sent once more, by an empty list."""

    needs_files = False
    """True if a breakpoint in a file that is not there makes no sense."""

    keeps_conditions = False
    """True if a breakpoint keeps the condition that it had first, until it is set anew."""

    doubts_conditions = True
    """True if it stops where a condition failed, as if it were true: each is asked again."""

    may_come_later = False
    """True if a library that is loaded later may bring a function that is not there yet."""

    log_points: LogPoints | None = None
    """The adapter's own log points, where tracepoints are better told by these."""

    page_templates: PageTemplates | None = None
    """Tells how breakpoints in templates are set; None where there is nothing peculiar to them."""

    def function_name(self, text: str) -> str:
        """Returns how the adapter wants the function called that a person named; "" for no name."""
        name = text.removesuffix("()").replace(":", ".")
        parts = (part for part in name.split(".") if part != "<locals>")
        return name if name and all(part.isidentifier() for part in parts) else ""

    def explain_refusal(self, message: str) -> str:
        """Returns why the adapter refused a breakpoint, in plain words."""
        return message

    def stands_already(self, message: str) -> bool:
        """True if it was refused because another one stands at the same place."""
        return False

    def condition_failure(self, stopped: StoppedBody) -> str:
        """Tells why a breakpoint's condition failed, where the program stops for that; else ""."""
        return ""
