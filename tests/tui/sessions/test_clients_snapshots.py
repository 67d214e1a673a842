"""Pictures of what a person sees of those who share the sessions."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from tests.support.fakes import FakeProfile
from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tests.support.shared import FakeServing
from tuidbg.adapters.process import LocalGuard
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.hub.api_call_log import ApiCall
from tuidbg.session.hub.diagnostics import DiagnosticLine
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import SessionConfig
from tuidbg.tui.features.sessions.clients import Clients

pytestmark = pytest.mark.full

NOON = 1_714_564_800.0

CALLS = (
    ApiCall(1, NOON, "agent-7", "rest", "getStatus", "", "sess_1", "paused", seconds=0.0021),
    ApiCall(2, NOON + 1.5, "agent-7", "rest", "stepOver", '{"thread_id": 1}', seconds=0.018),
    ApiCall(
        *(3, NOON + 2, "anonymous", "bridge", "evaluate", '{"expression": "parcel.weight"}'),
        result="there is no name 'parcel' in this frame",
        failed=True,
        seconds=1.25,
    ),
    ApiCall(4, NOON + 3, "agent-7", "mcp", "waitForStop", "timeout=30"),
)
LINES = (
    DiagnosticLine(NOON, "INFO", "hub", "session sess_1 is there"),
    DiagnosticLine(NOON + 1.5, "INFO", "sess_1", "stopped, step, thread 1"),
    DiagnosticLine(
        NOON + 2, "WARN", "bridge", "evaluate failed: there is no name 'parcel' (1250 ms)"
    ),
    DiagnosticLine(NOON + 3, "DEBUG", "mcp", "agent-7 calls waitForStop timeout=30"),
    DiagnosticLine(NOON + 4, "ERROR", "sess_1", "status failed: the adapter is gone"),
)


class SharedStage:
    """The stage with a hub of two sessions, a server, and calls at noon."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hub: Hub = Hub(lambda plan: Session(plan, FakeProfile(), LocalGuard()))
        self.serving = FakeServing(lambda: self.hub)
        self.serving.can_park = True
        stage.app.serving = self.serving

    @property
    def clients(self) -> Clients:
        clients = self.stage.app.clients
        assert clients is not None
        return clients

    async def prepare(self, pilot: Pilot[int], monkeypatch: pytest.MonkeyPatch) -> None:
        """Everybody is there; a program has stepped."""
        await self.stage.start(pilot)
        await until(lambda: self.stage.app.clients)
        await self.serving.start()
        own = next(iter(self.hub))
        config = SessionConfig(project_root="/src", python_path="python")
        other = self.hub.create(config, name="nightly", origin="rest")
        self.hub.choose(own.id, origin="tui")
        for member in (own, other):
            member.id = f"sess_{member.name[:8]}"
        monkeypatch.setattr(
            "tuidbg.tui.features.sessions.dialog.time.time", lambda: other.last_used + 12
        )
        self.clients._screens[own.id] = self.stage.screen
        await own.control.step(Resume.STEP_OVER, origin="rest")
        self.hub.hold("")
        self.hub.activity._calls.update({call.number: call for call in CALLS})
        await until(lambda: len(self.clients.lines) > 3)
        self.clients._diagnostics.close()
        await self.stage.settle()
        self.clients.lines.clear()
        self.clients.lines.extend(enumerate(LINES, 1))
        self.clients.refresh()
        await self.stage.settle()

    async def close(self) -> None:
        """End what the pictures need no more."""
        if self.hub._sweeper is not None:
            self.hub._sweeper.cancel()


KEYS = {"activity": ("7",), "log": ("9",), "sessions": ("8",), "quit": ("q",)}
CASES = [(name, size) for name in KEYS for size in SIZES]
IDS = [f"{name}-{size}" for name in KEYS for size in NAMES]


@pytest.mark.parametrize(("name", "size"), CASES, ids=IDS)
def test_picture(
    name: str,
    size: Size,
    pictures: Pictures,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = SharedStage(pictures.make_stage())

    async def act(pilot: Pilot[int]) -> None:
        await shared.prepare(pilot, monkeypatch)
        await pilot.press(*KEYS[name])
        await pilot.pause()
        shared.stage.screen.show_news("log", False)
        shared.stage.screen.show_news("activity", False)
        # A line that the log gets late changes no tab of the pictures.
        monkeypatch.setattr(shared.stage.screen, "show_news", lambda *_: None)
        await pilot.pause()
        await shared.close()

    pictures.compare(shared.stage.app, size, act)
