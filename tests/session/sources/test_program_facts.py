"""What the program's interpreter says of its sources, also where its session ends meanwhile."""

from __future__ import annotations

import asyncio
import sys

import pytest

from tests.support.sessions import KeepingGuard, until
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.traits import SourceFacts
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import ProgramEnded


async def test_who_asks_is_told_that_the_session_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = LaunchPlan(kind=TargetKind.SCRIPT, target="a.py", cwd="/", python=sys.executable)
    session = Session(plan, DebugpyProfile(), KeepingGuard())

    async def examine(plan: object) -> SourceFacts:
        await asyncio.Event().wait()
        raise AssertionError("nobody says so")

    monkeypatch.setattr(session.profile.sources, "examine_target", examine)
    asking = asyncio.create_task(session.facts.of_target())
    await until(lambda: session.facts.tasks, "it is asked")
    await session.close()
    with pytest.raises(ProgramEnded):
        await asking
