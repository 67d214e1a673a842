"""Evaluates for a program that asks: once, for so long, and with a result that can be opened.

A text that is no Python is refused before the program sees it, one in another language
where its brackets tell; ``repl`` takes statements too and may change the program, ``watch`` and
``hover`` take an expression .
"""

from __future__ import annotations

import ast
import asyncio
import warnings
from enum import StrEnum
from typing import Protocol

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.session.errors import AdapterTimedOut, DoesNotParse
from tuidbg.session.evaluation.prompt import Evaluation
from tuidbg.session.events import ValuesChanged
from tuidbg.session.state import EvaluateResult, Variable
from tuidbg.session.values.parts import count_children
from tuidbg.session.values.types import Address
from tuidbg.session.values.variables import ShowsValues


class Evaluates(ShowsValues, Protocol):
    """A session with a prompt."""

    @property
    def evaluation(self) -> Evaluation:
        """Evaluates what was typed there."""


EVALUATE_LIMIT = 30.0
"""Seconds that an evaluation may take."""


class Context(StrEnum):
    """The purpose, in DAP's words."""

    WATCH = "watch"
    REPL = "repl"
    HOVER = "hover"


def check_text(text: str, context: Context, language: Language) -> None:
    """Raises DoesNotParse with Python's own words."""
    mode = "exec" if context is Context.REPL else "eval"
    if not text.strip():
        raise DoesNotParse("the expression is empty")
    if not language.is_exact:
        if context is not Context.REPL and (problem := language.check(text)):
            raise DoesNotParse(problem)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text if mode == "exec" else text.strip(), "<expression>", mode)
    except SyntaxError as error:
        raise DoesNotParse(f"{type(error).__name__}: {error.msg}") from None
    except (MemoryError, RecursionError):
        raise DoesNotParse("the expression is too complicated") from None
    except (ValueError, OverflowError, UnicodeError) as error:
        raise DoesNotParse(str(error)) from None


async def ask(
    session: Evaluates, text: str, frame_id: int, context: Context, *, limit: float = EVALUATE_LIMIT
) -> Variable:
    """Evaluate a text in a frame; its value as a variable with the text for a name.

    Raises DoesNotParse, EvaluationFailed with what Python said, AdapterTimedOut after ``limit``
    seconds, EvaluationCancelled, EvaluationAbandoned, InvalidSessionState, AdapterFailed,
    StaleReply.
    """
    check_text(text, context, session.profile.language)
    if context is Context.REPL:
        found = await session.evaluation.evaluate(text, frame_id, timeout=limit)
        session.publish(ValuesChanged(), "program")
        reference = session.evaluation.reference(found, frame_id) if found.openable else 0
        nothing = session.profile.language.nothing
        value, kind = found.text or nothing[0], found.type or nothing[1]
        memory = ""
    else:
        seen = await _look(session, text.strip(), frame_id, context, limit)
        value, kind, reference = seen.value, seen.type, seen.reference
        memory = seen.memory_reference
    total = await count_children(session.values, reference) if reference else 0
    return Variable(
        name=text,
        value=value,
        type=kind,
        reference=reference if total else 0,
        total=total,
        memory_reference=memory,
    )


async def _look(
    session: Evaluates, text: str, frame_id: int, context: Context, limit: float
) -> EvaluateResult:
    try:
        async with asyncio.timeout(limit):
            found = await session.inspection.evaluate(text, frame_id, context)
    except TimeoutError:
        raise AdapterTimedOut(f"it has not been evaluated within {limit:g} s") from None
    if not found.reference:
        return found
    address = Address(frame_id, f"({text})", (), text, f"({text})")
    reference = session.values.source.opened(found.reference, address)
    return msgspec.structs.replace(found, reference=reference)
