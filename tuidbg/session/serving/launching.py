"""Starting a program in a session that programs have made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.session.errors import (
    AdapterTimedOut,
    InvalidSessionState,
    LaunchFailed,
    ScriptDoesNotCompile,
    ScriptNotFound,
)
from tuidbg.session.serving.members import Member
from tuidbg.session.session import Session
from tuidbg.session.state import Status

_ENTRY_PATIENCE = 5.0
"""Seconds that a program which shall stop on entry gets to reach that."""


Configure = Callable[[], Awaitable[None]]
"""Asks somebody else for what is to be set before the program runs; done when it returns."""


async def launch(
    member: Member,
    plan: LaunchPlan,
    *,
    stop_at: frozenset[str] | None,
    configure: Configure | None = None,
    origin: str,
) -> None:
    """Start a program in a session that has none yet; see ``Hub.launch``."""
    session = member.session
    if session.status is not Status.CREATED:
        raise InvalidSessionState("launch", session.status)
    before = session.plan
    try:
        session.set_plan(plan)
    except AdapterNotStarted as error:
        raise LaunchFailed(str(error)) from None
    session.prepare_launch()
    session.move_to(Status.LAUNCHING)  # whoever else launches now is late
    try:
        await _check(session, plan)
    except (ScriptNotFound, ScriptDoesNotCompile):
        session.set_plan(before)
        session.prepare_launch()
        session.move_to(Status.CREATED)
        raise
    except LaunchFailed as error:
        session.failure = str(error)
        session.move_to(Status.FAILED, session.failure)
        raise
    member.program = plan
    session.sources.just_my_code = plan.just_my_code
    if stop_at is not None:
        await session.breakpoints.stop_at_exceptions(stop_at, origin=origin)
    with session.lifecycle.configured_by(configure):
        await session.lifecycle.start()
    if configure is not None:
        return  # who configures follows the events
    await member.learn_pid()
    if plan.stop_on_entry:
        try:
            await member.control.wait_for_stop(timeout=_ENTRY_PATIENCE)
        except AdapterTimedOut:
            pass  # it runs, and stops when it comes to its first line


async def _check(session: Session, plan: LaunchPlan) -> None:
    if not Path(plan.cwd).is_dir():
        raise LaunchFailed(f"there is no folder {plan.cwd}")
    if plan.kind is TargetKind.SCRIPT and not session.profile.launch.is_there(plan):
        raise ScriptNotFound(plan.target)
    problem = (await session.facts.of_target()).problem
    if problem is not None and problem.path:
        raise ScriptDoesNotCompile(
            problem.message, problem.path, problem.line, problem.column, problem.text
        )
    if problem is not None:  # there is no such interpreter, say
        raise LaunchFailed(problem.message)
