"""Refuses what can't break, before the adapter is asked."""

from __future__ import annotations

from collections.abc import Callable

from tuidbg.config.launch import is_source
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import no_code, refused
from tuidbg.session.breakpoints.predicates import nearest_line
from tuidbg.session.state import BreakpointKind, BreakpointStatus


async def find_refusal(session: BreakpointsSession, path: str, line: int) -> tuple[str, int | None]:
    """Returns why a line can't break and the nearest that can, as far as is known; else nothing."""
    return (await _refusals(session, path))(line)


async def _refusals(
    session: BreakpointsSession, path: str
) -> Callable[[int], tuple[str, int | None]]:
    """The same for any line of a file, whose facts are read once."""
    needs_file = session.profile.breakpoints.needs_files and not is_source(path)
    if needs_file and not session.remote.is_elsewhere(path):
        return lambda line: ("this file does not exist", None)
    facts = await session.facts.of(path)
    if facts.problem is not None and facts.problem.path:
        problem = f"this file does not compile: {facts.problem.message}"
        return lambda line: (problem, None)
    lines, code = facts.code_lines, frozenset(facts.code_lines)

    def refusal(line: int) -> tuple[str, int | None]:
        if not lines or line in code:
            return "", None
        nearest = nearest_line(lines, line)
        if line > lines[-1]:
            return f"line {line} is past the last line of code, {lines[-1]}", nearest
        return no_code(line), nearest

    return refusal


async def refuse_lines_without_code(
    session: BreakpointsSession, known: KnownBreakpoints, path: str
) -> None:
    """Refuse those of a file of which the interpreter already says that they can't break."""
    of_file = [b for b in known.registry.of_file(path) if b.kind is BreakpointKind.LINE]
    if not (waiting := [b for b in of_file if b.status is BreakpointStatus.PENDING]):
        return
    refusal = await _refusals(session, path)
    for found in waiting:
        message, suggested = refusal(found.line)
        current = known.registry.look_up(found.number)
        if message and current is not None and current.line == found.line:
            known.publish(refused(current, message, suggested), origin="session")


def refuse_conditions(session: BreakpointsSession, known: KnownBreakpoints, path: str) -> None:
    """Refuse conditions of which an adapter knows nothing: it would stop at every pass."""
    if session.probe.is_there or session.adapter.capabilities.supports_conditional_breakpoints:
        return
    for found in known.registry.of_file(path):
        if found.condition and found.status is not BreakpointStatus.REFUSED:
            why = "this debug adapter knows no conditions"
            known.publish(refused(found, why), origin="session")
