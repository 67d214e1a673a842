"""Refuses what can't break, before the adapter is asked."""

from __future__ import annotations

from tuidbg.config.zipped import is_source
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import no_code, refused
from tuidbg.session.breakpoints.predicates import nearest_line
from tuidbg.session.state import BreakpointKind, BreakpointStatus


async def find_refusal(session: BreakpointsSession, path: str, line: int) -> tuple[str, int | None]:
    """Returns why a line can't break and the nearest that can, as far as is known; else nothing."""
    needs_file = session.profile.breakpoints.needs_files and not is_source(path)
    if needs_file and not session.remote.is_elsewhere(path):
        return "this file does not exist", None
    facts = await session.facts.of(path)
    if facts.problem is not None and facts.problem.path:
        return f"this file does not compile: {facts.problem.message}", None
    lines = facts.code_lines
    if not lines or line in lines:
        return "", None
    nearest = nearest_line(lines, line)
    if line > lines[-1]:
        return f"line {line} is past the last line of code, {lines[-1]}", nearest
    return no_code(line), nearest


async def refuse_lines_without_code(
    session: BreakpointsSession, known: KnownBreakpoints, path: str
) -> None:
    """Refuse those of a file of which the interpreter already says that they can't break."""
    for found in known.registry.of_file(path):
        waits = found.status is BreakpointStatus.PENDING
        if not waits or found.kind is not BreakpointKind.LINE:
            continue
        message, suggested = await find_refusal(session, path, found.line)
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
