"""Sessions under test: started, waited for, and looked over when the test is done.

However a test ends, its session must close in under a second, leave no process, and have sent
nothing but what the DAP schema and the adapter's capabilities allow.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec.structs

from tests.support.crowd import Crowd
from tests.support.fakes import Control, FakeProfile, ProcessProfile, Script, fake_plan
from tests.support.remains import find_remains
from tests.support.waiting import PATIENCE
from tests.support.wire import WireMessage, check_conversation, read_log
from tuidbg.adapters.client import DapLog
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.process import LaunchGuard, LocalGuard
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.config.launch import Console, LaunchPlan, Plan, TargetKind
from tuidbg.process.tree import MARK
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import DebuggerError, LaunchFailed
from tuidbg.session.model.events import SessionEvent, StackChanged
from tuidbg.session.model.state import Breakpoint, Status, StopReason, Variable

T = TypeVar("T", bound=SessionEvent)

CLOSE_LIMIT = 1.0
"""Seconds within which a session must be closed, whatever state it is in."""


async def until(condition: Callable[[], object], what: str = "", timeout: float = PATIENCE) -> None:
    """Wait until a condition holds; for conditions that no event tells of."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout} s: {what or condition}"
        await asyncio.sleep(0.005)


class KeepingGuard(LocalGuard):
    """Remembers the launches, to find what they left behind."""

    def __init__(self) -> None:
        self.launches: list[LaunchGuard] = []

    def begin_launch(self) -> LaunchGuard:
        launch = super().begin_launch()
        self.launches.append(launch)
        return launch

    def remains(self) -> dict[int, str]:
        """The processes of all launches that still live."""
        found: dict[int, str] = {}
        for launch in self.launches:
            found |= find_remains(MARK, launch.environment[MARK])
        return found

    async def until_nothing_left(self, limit: float = 2.0) -> None:
        """Wait until no process of theirs lives; fails after ``limit`` seconds.

        Those in which they had no core to run on do not count.
        """
        begun, crowd = time.monotonic(), Crowd(self.remains())
        while remains := self.remains():
            taken = time.monotonic() - begun
            assert taken < limit + crowd.seconds(), f"left after {taken:.2f} s: {remains}"
            await asyncio.sleep(0.005)


class SessionUnderTest:
    """A session with what tests ask of it again and again."""

    def __init__(self, plan: Plan, profile: AdapterProfile, folder: Path) -> None:
        self.guard = KeepingGuard()
        self.log = folder / "dap.log"
        self.session = Session(plan, profile, self.guard, dap_log=DapLog(self.log))
        self.closed_in: float | None = None

    async def start(self) -> None:
        """Launch it and wait for the first stop with its stack, or for its end."""
        await self.session.lifecycle.start()
        await self.settled()

    async def settled(self, after: int = -1) -> None:
        """Wait until the program stands at a stop later than ``after`` with its stack, or ended."""
        await self.until(
            lambda: self.ended or self._stack_of(self.session.stop_id, after),
            "a stop with its stack",
        )

    def _stack_of(self, stop_id: int, after: int) -> bool:
        return stop_id > after and any(e.stop_id == stop_id for e in self.events(StackChanged))

    @property
    def ended(self) -> bool:
        return self.session.status in (Status.TERMINATED, Status.FAILED)

    async def go(self, how: Resume) -> None:
        """Resume and wait for the next stop with its stack, or for the end."""
        before = self.session.stop_id
        await self.session.execution.resume(how, origin="tui")
        await self.settled(before)

    @property
    def has_work(self) -> bool:
        """Tells whether something of the session's own is still going on."""
        return self.session.work.is_under_way

    async def to_end(self) -> None:
        """Continue until the program has ended."""
        while not self.ended:
            await self.go(Resume.CONTINUE)

    async def until(
        self, condition: Callable[[], object], what: str = "", timeout: float = PATIENCE
    ) -> None:
        """Wait for a condition; tells where the session stands if it does not come."""
        try:
            await until(condition, what, timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.describe()}") from None

    def describe(self) -> str:
        """Returns where the session stands, for failing tests."""
        session = self.session
        events = "\n".join(f"  {e.seq} {e.origin} {e.event}" for e in session.events.since(0))
        return f"status {session.status}, failure {session.failure!r}\n{events}\n{self.console}"

    def events(self, kind: type[T]) -> list[T]:
        """The events of a kind that the log still holds."""
        return [e.event for e in self.session.events.since(0) if isinstance(e.event, kind)]

    @property
    def console(self) -> str:
        """All lines of the console, with their categories."""
        return "\n".join(f"{line.category}: {line.text}" for line in self.session.output)

    def output(self, category: str) -> str:
        """The console's lines of a category."""
        return "\n".join(line.text for line in self.session.output if line.category == category)

    @property
    def line(self) -> int:
        """Returns where the program stands."""
        place = self.session.frames[0].place
        assert place is not None
        return place.line

    @property
    def reason(self) -> StopReason | None:
        """Returns why it stands there."""
        return self.session.stop.reason if self.session.stop is not None else None

    @property
    def hits(self) -> tuple[int, ...]:
        """The breakpoints that it has hit."""
        return self.session.stop.hit_breakpoints if self.session.stop is not None else ()

    async def locals(self, frame: int = 0) -> dict[str, Variable]:
        """The locals of a frame by name."""
        inspection = self.session.inspection
        scopes = await inspection.scopes(self.session.frames[frame].id)
        return {v.name: v for v in await inspection.variables(scopes[0].reference)}

    def breakpoint(self, line: int) -> Breakpoint:
        """The only breakpoint that was asked for at that line."""
        (found,) = (b for b in self.session.breakpoints.registry if b.line == line)
        return found

    async def fails_to_start(self) -> str:
        """Start it, expecting LaunchFailed; its sentence."""
        try:
            await self.session.lifecycle.start()
        except DebuggerError as error:
            return str(error)
        raise AssertionError(f"it started\n{self.describe()}")

    def messages(self) -> list[WireMessage]:
        """Returns what was said on the wire."""
        return read_log(self.log)

    def sent(self, command: str) -> list[dict[str, object]]:
        """The arguments of all requests of that name that were sent."""
        return [
            m.message.get("arguments", {})
            for m in self.messages()
            if m.sent and m.message.get("command") == command and m.message["type"] == "request"
        ]

    async def close(self) -> None:
        """Close it once and look it over."""
        if self.closed_in is not None:
            return
        begun, crowd = time.monotonic(), Crowd({os.getpid(), *self.guard.remains()})
        await self.session.close()
        self.closed_in = time.monotonic() - begun
        limit = CLOSE_LIMIT + crowd.seconds()
        assert self.closed_in < limit, f"closing took {self.closed_in:.2f} s of {limit:.2f}"
        if self.session.exit is not None:
            # It ended by itself, and debugpy's launcher goes a few milliseconds after it.
            await self.guard.until_nothing_left(1.0)
        remains = self.guard.remains()
        assert not remains, f"still there: {remains}"
        check_conversation(self.messages())


class FakeSession(SessionUnderTest):
    """A session on the fake adapter, with the line to it."""

    def __init__(
        self, plan: LaunchPlan, profile: FakeProfile, control: Control, folder: Path
    ) -> None:
        super().__init__(plan, profile, folder)
        self.profile = profile
        self.fake = control

    @property
    def script(self) -> Script:
        """Returns what the next start plays."""
        return self.profile.script


@asynccontextmanager
async def fake_session(
    folder: Path,
    script: Script | None = None,
    *,
    target: str | None = None,
    stop_on_entry: bool = True,
    process: bool = False,
) -> AsyncIterator[FakeSession]:
    """A session on the fake adapter; not started yet. ``target`` is the program's path.

    The adapter runs in this process unless ``process`` says otherwise.
    """
    script = script or Script()
    control = Control()
    if process:
        await control.open()
    path = target or next(iter(script.program["code_lines"]), "/demo/none.py")
    profile = (ProcessProfile if process else FakeProfile)(script, control=control)
    plan = fake_plan(path, str(folder), stop_on_entry=stop_on_entry)
    under_test = FakeSession(plan, profile, control, folder)
    try:
        yield under_test
        await under_test.close()
    finally:
        if under_test.closed_in is None:
            await under_test.session.close()
        await control.close()


async def within(seconds: float, work: Awaitable[object]) -> None:
    """Await something that must not take longer."""
    async with asyncio.timeout(seconds):
        await work


async def fail(session: Session) -> None:
    """Start it by a Python that is not there: the session is ``failed``, and can be restarted."""
    plan = session.plan
    assert isinstance(plan, LaunchPlan)
    session.set_plan(msgspec.structs.replace(plan, python="/nowhere/python"))
    lifecycle = session.lifecycle
    with contextlib.suppress(LaunchFailed):
        await (lifecycle.start() if session.status is Status.CREATED else lifecycle.restart())
    session.set_plan(plan)
    assert session.status is Status.FAILED


def cut_connection(session: Session) -> None:
    """Break the connection to the debug server in the program off."""
    client = session.adapter.client
    assert client is not None
    transport = vars(client)["_writer"]
    transport.abort()


@asynccontextmanager
async def debugpy_session(
    folder: Path,
    target: Path | str,
    *args: str,
    kind: TargetKind = TargetKind.SCRIPT,
    **changes: Any,
) -> AsyncIterator[SessionUnderTest]:
    """A session on the real debugpy; not started yet. ``changes`` are fields of the plan."""
    fields: dict[str, Any] = {
        "kind": kind,
        "target": str(target),
        "args": args,
        "cwd": str(folder),
        "python": sys.executable,
        "console": Console.INTERNAL,
        **changes,
    }
    under_test = SessionUnderTest(LaunchPlan(**fields), DebugpyProfile(), folder)
    try:
        yield under_test
        await under_test.close()
    finally:
        if under_test.closed_in is None:
            await under_test.session.close()
