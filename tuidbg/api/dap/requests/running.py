"""Requests that resume, pause or jump."""

from __future__ import annotations

from typing import Any

from tuidbg.api.dap.arguments import (
    ContinueArguments,
    FrameArguments,
    GotoArguments,
    GotoTargetsArguments,
    PauseArguments,
    StepArguments,
    TerminateThreadsArguments,
)
from tuidbg.api.dap.client import ORIGIN, DapClient, Then
from tuidbg.api.dap.references import JumpTarget
from tuidbg.api.dap.requests.breakpoints import path_of
from tuidbg.api.dap.requests.execution import Resuming, go_forth
from tuidbg.api.operations import table
from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stepping import Granularity
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import Status

Json = dict[str, Any]

_WAYS = {
    Resume.STEP_OVER: StepDirection.OVER,
    Resume.STEP_IN: StepDirection.INTO,
    Resume.STEP_OUT: StepDirection.OUT,
}
"""Direction of each step in the recording."""


class ExecutionRequests:
    """Execution requests of one client."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    async def go_on(self, asked: ContinueArguments) -> Json | Then:
        """Continue all threads, or a single one if requested and possible."""
        member = self._client.member
        told = {"allThreadsContinued": True}
        if (
            gone := go_forth(self._client, asked.thread_id, StepDirection.BREAKPOINT, told)
        ) is not None:
            return gone
        with Resuming(self._client):
            alone = await table.CONTINUE(
                member.control,
                thread_id=asked.thread_id or None,
                alone=asked.single_thread,
                origin=ORIGIN,
            )
        return {"allThreadsContinued": not alone}

    async def next(self, asked: StepArguments) -> Then | None:
        return await self._step(Resume.STEP_OVER, asked)

    async def step_in(self, asked: StepArguments) -> Then | None:
        """Step into, or into a named target."""
        return await self._step(Resume.STEP_IN, asked)

    async def step_out(self, asked: StepArguments) -> Then | None:
        return await self._step(Resume.STEP_OUT, asked)

    async def _step(self, how: Resume, asked: StepArguments) -> Then | None:
        if (gone := go_forth(self._client, asked.thread_id, _WAYS[how])) is not None:
            return gone
        member = self._client.member
        far = Granularity(asked.granularity) if asked.granularity is not None else None
        if far is Granularity.INSTRUCTION and (why := member.session.stepping.why_no_granularity()):
            raise UnsupportedByAdapter(why)
        if asked.single_thread and (why := member.session.stepping.why_no_single_thread()):
            raise UnsupportedByAdapter(why)
        with Resuming(self._client):
            await table.BEGIN_STEP(
                member.control,
                how,
                thread_id=asked.thread_id,
                target_id=asked.target_id if how is Resume.STEP_IN else None,
                granularity=far,
                alone=asked.single_thread,
                origin=ORIGIN,
            )
        return None

    async def terminate_threads(self, asked: TerminateThreadsArguments) -> None:
        """Terminate threads, if the adapter can."""
        await table.END_THREADS(self._client.member.control, asked.thread_ids)

    async def pause(self, asked: PauseArguments) -> Then | None:
        """Pause the program; it may take until it runs its own code again."""
        client, session = self._client, self._client.session
        if session.status is Status.PAUSED and client.teller is not None:
            return Then(None, client.teller.repeat_stop)
        await session.execution.pause(thread_id=asked.thread_id or None, origin=ORIGIN)
        return None

    async def step_in_targets(self, asked: FrameArguments) -> Json:
        """Return the calls on the line."""
        frame = self._client.references.frames.get(asked.frame_id).frame
        targets = await table.LIST_STEP_TARGETS(self._client.session.stepping, frame)
        return {"targets": [{"id": each.id, "label": each.label} for each in targets]}

    async def goto_targets(self, asked: GotoTargetsArguments) -> Json:
        """Return the line itself if it is a valid jump target."""
        client, session = self._client, self._client.session
        if why := session.stepping.why_no_jump():
            raise UnsupportedByAdapter(why)
        path, line = path_of(client, asked.source), client.line_in(asked.line)
        lines = (await table.LIST_LINES(session.facts, path)).code_lines
        if line < 1 or (lines and line not in lines):
            return {"targets": []}
        number = client.references.jumps.give(JumpTarget(path, line))
        target = {"id": number, "label": f"line {asked.line}", "line": asked.line}
        return {"targets": [target]}

    async def goto(self, asked: GotoArguments) -> None:
        """Jump to a line without running the lines between."""
        session = self._client.session
        target = self._client.references.jumps.get(asked.target_id)
        await table.JUMP(session.stepping, target.path, target.line, thread_id=asked.thread_id)

    async def restart_frame(self, asked: FrameArguments) -> None:
        """Restart a function."""
        frame = self._client.references.frames.get(asked.frame_id).frame
        await table.RESTART_FRAME(self._client.session.stepping, frame)
