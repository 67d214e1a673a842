"""Looks into a program: threads, stacks, variables, expressions."""

from __future__ import annotations

import msgspec

from tuidbg.adapters.native.symbols import SymbolQuestions
from tuidbg.session.evaluation.evaluate import EVALUATE_LIMIT, Context, ask
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Frame, Status, Stop, ThreadState, Variable
from tuidbg.session.values.parts import MOST, Children, Part, read_part


class Threads(msgspec.Struct, frozen=True):
    """The threads of a program; ``stop`` is None while it runs."""

    threads: tuple[ThreadState, ...]
    stop: Stop | None


async def list_threads(member: Member) -> Threads:
    """The threads, while the program runs too. Raises InvalidSessionState."""
    threads = await member.control.threads()
    return Threads(threads, current_stop(member))


def current_stop(member: Member) -> Stop | None:
    """The stop at which the program stands just now."""
    return member.session.stop if member.session.status is Status.PAUSED else None


class StackPage(msgspec.Struct, frozen=True):
    """Some frames of a thread; ``total`` is how many it has, as far as the adapter knows."""

    thread_id: int
    frames: tuple[Frame, ...]
    total: int


async def read_stack(
    member: Member, thread_id: int | None = None, start: int = 0, *, count: int
) -> StackPage:
    """Frames of a thread, by default of the stopped one. Raises as ``Control.thread``."""
    thread = await member.control.thread(thread_id)
    return StackPage(thread, *await member.session.inspection.stack(thread, start, count))


async def read_variables(
    member: Member, reference: int, part: Part = Part.ALL, start: int = 0, count: int = MOST
) -> Children:
    """Look into a scope or a variable. Raises InvalidSessionState, VariableNotFound."""
    member.control.must_stand("look inside")
    return await read_part(member.session.values, reference, part, start, count)


async def evaluate(
    member: Member,
    expression: str,
    *,
    frame_index: int = 0,
    thread_id: int | None = None,
    context: Context = Context.REPL,
    limit: float = EVALUATE_LIMIT,
) -> Variable:
    """Tell what an expression gives in a frame. Raises as ``Control.frame`` and ``ask``."""
    frame = await member.control.frame(frame_index, thread_id=thread_id)
    return await ask(member.session, expression, frame.id, context, limit=limit)


async def run_command(member: Member, symbols: SymbolQuestions, command: str) -> str:
    """Tell what the debugger answers to a command of its own. Raises AdapterError."""
    session = member.session
    frame = session.frames[0].id if current_stop(member) and session.frames else None
    return await symbols.run_command(session.adapter.request, command, frame)
