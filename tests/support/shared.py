"""A hub and a switch of the server for the app under test, without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.fakes import FakeProfile, Script
from tests.support.recording import record
from tests.support.screens import Debugger, debugger
from tests.support.sessions import KeepingGuard
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.core.session import Session
from tuidbg.session.features.build import ProjectBuild
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.hub.switch import Served, ServingFailed


class FakeServing:
    """Says that it serves."""

    def __init__(self, make_hub: Any = None, *, build: ProjectBuild | None = None) -> None:
        self.build = build
        self.can_park = False
        self.status: Served | None = None
        self.clients = 0
        self.joined_count = 0
        self.problem = ""
        self._make_hub = make_hub

    def make_hub(self) -> Hub:
        hub: Hub = self._make_hub()
        return hub

    async def start(self) -> Served:
        if self.problem:
            raise ServingFailed(self.problem)
        self.status = Served("http://127.0.0.1:5679", "/run/user/0/tuidbg/server.json")
        return self.status

    async def stop(self) -> None:
        self.status = None


class Shared:
    """The app with a hub, and what programs do there."""

    def __init__(self, bench: Debugger, hub: Hub, folder: Path) -> None:
        self.bench = bench
        self.hub = hub
        self.folder = folder

    @property
    def member(self) -> HubSession:
        """The person's own session."""
        return next(iter(self.hub))

    def call(self, action: str, result: str = "", *, failed: bool = False, **more: Any) -> None:
        """A call that is over at once."""
        known = {"actor": "agent-7", "origin": "rest", "session_id": self.member.id, **more}
        with self.hub.activity.note(action, **known) as call:
            call.fail(result) if failed else call.succeed(result)

    async def add(self, name: str, *, origin: str = "rest", minutes: int = 60) -> HubSession:
        """Another session with a program that stands at its entry, made by a program."""
        config = SessionConfig(project_root=str(self.folder), python_path="/usr/bin/python3")
        member = self.hub.create(config, name=name, origin=origin, timeout_minutes=minutes)
        source = self.folder / f"{name}.py"
        source.write_text(f"def {name}():\n    total = 1\n    return total\n\n\n{name}()\n" * 3)
        profile = member.session.profile
        assert isinstance(profile, FakeProfile)
        profile.script = Script(record(source))
        plan = LaunchPlan(
            kind=TargetKind.SCRIPT,
            target=str(source),
            cwd=str(self.folder),
            python="/usr/bin/python3",
            console=Console.INTERNAL,
        )
        await self.hub.launch(member, plan, origin=origin)
        await self.bench.until(lambda: member.session.frames, f"{name} stands")
        return member


@asynccontextmanager
async def shared(
    folder: Path, *, serving: FakeServing | None = None, late: bool = False, **more: Any
) -> AsyncIterator[Shared]:
    """The app on the fake adapter with a hub; ``late``: it is made when somebody wants it."""
    guard = KeepingGuard()
    hub = Hub(lambda plan: Session(plan, FakeProfile(), guard))
    options: dict[str, Any] = {} if late else {"hub": hub}
    if serving is not None:
        serving._make_hub = lambda: hub
        options["make_serving" if late else "serving"] = (lambda: serving) if late else serving
    try:
        async with debugger(folder, **options, **more) as bench:
            if not late:
                await bench.until(lambda: bench.app.clients is not None, "the hub was joined")
            yield Shared(bench, hub, folder)
    finally:
        await hub.close()
    assert not guard.remains()
