"""A person at the screen, an editor, a script and an agent, all on one session."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.agents import agent_on
from tests.support.editors import local_editor
from tests.support.fakes import Script
from tests.support.recording import busy, record
from tests.support.screens import screen_rows
from tests.support.served import BASE, use_own_folders
from tests.support.sessions import KeepingGuard
from tests.support.shared import shared
from tuidbg.api.dap import event_writer as telling
from tuidbg.api.options import RelayOptions
from tuidbg.api.server import Relay

pytestmark = [pytest.mark.real, pytest.mark.full]


def _staying_busy(folder: Path) -> Script:
    """A program that runs on, once it has gone on, until it is paused."""
    path = folder / "steps.py"
    path.write_text("a = 1\nb = 2\nc = 3\n")
    script = Script(record(path))
    script.program["moments"].insert(1, busy(str(path), 1))
    return script


async def test_the_person_takes_over_from_an_editor(tmp_path: Path) -> None:
    """`k` pauses the program that an editor has let run, and keeps the editor's hands off it."""
    async with shared(tmp_path, script=_staying_busy(tmp_path)) as place:
        bench, hub = place.bench, place.hub
        place.member.origin = "dap"  # it is the editor's own: the person has joined
        editor = local_editor(hub)
        await editor.begin("attach")
        await editor.stopped()
        await editor.ask("continue", threadId=1)
        mark = editor.mark
        await bench.press("k")
        assert (await editor.stopped(mark))["reason"] == "pause"
        assert "controls are yours" in bench.status
        for command, arguments in (
            ("continue", {"threadId": 1}),
            ("setBreakpoints", {"source": {"path": "/demo/x.py"}, "lines": [2]}),
            ("evaluate", {"expression": "1", "context": "repl"}),
        ):
            assert "a person has taken over" in await editor.refused(command, **arguments)
        assert (await editor.ask("threads"))["threads"]  # it may look
        told = "".join(each["output"] for each in editor.events("output"))
        assert "A person has taken the controls" in told
        await bench.press("a")
        await editor.ask("continue", threadId=1)


async def test_each_sees_what_the_others_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_folders(tmp_path, monkeypatch)
    monkeypatch.setattr(telling, "GRACE", 0.0)
    async with shared(tmp_path) as place:
        bench, hub = place.bench, place.hub
        relay = Relay(hub, RelayOptions(port=0))
        await relay.start()
        assert relay.tokens is not None
        headers = {"Authorization": f"Bearer {relay.tokens.owner.value}"}
        rest = httpx.AsyncClient(base_url=relay.address, headers=headers, trust_env=False)
        sessions = f"{BASE}/sessions/{place.member.id}"
        editor = local_editor(hub)
        await editor.begin("attach")
        await editor.stopped()
        frame = bench.session.frames[0]
        assert frame.place is not None
        path = frame.place.path
        lines = [n for n in bench.session.profile.code_lines[path] if n > frame.place.line]  # type: ignore[attr-defined]
        first, second, third = lines[0], lines[1], lines[2]
        async with agent_on(hub, KeepingGuard(), tmp_path) as agent, rest:
            # The editor sets a breakpoint: all have it.
            await editor.ask("setBreakpoints", source={"path": path}, lines=[first])
            await bench.until(lambda: "●" in bench.gutter(first))
            listed = (await rest.get(f"{sessions}/breakpoints")).json()["data"]["breakpoints"]
            assert [each["line"] for each in listed] == [first]
            told = await agent.told("breakpoint_list")
            assert str(first) in str(told)
            # The person, the script and the agent set theirs: the editor is told.
            await bench.session.breakpoints.set(path, second, origin="tui")
            body = {"breakpoints": [{"source": {"path": path}, "line": third}]}
            assert (await rest.post(f"{sessions}/breakpoints", json=body)).status_code < 300

            def new() -> list[int]:
                told = [each for each in editor.events("breakpoint") if each["reason"] == "new"]
                return [each["breakpoint"]["line"] for each in told]

            await editor.until(lambda: new() == [second, third], "both")
            # The agent steps, the editor steps: each is shown to all.
            mark, stop = editor.mark, bench.session.stop_id
            await agent.told("debug_step", action="over")
            await editor.stopped(mark)
            await bench.until(lambda: bench.session.stop_id == stop + 1)
            mark = editor.mark
            await editor.step()
            await bench.settled()
            shown = bench.session.frames[0].place
            assert shown is not None
            assert await editor.line() == shown.line
            where = (await rest.get(f"{sessions}/stacktrace")).json()["data"]
            assert str(shown.line) in str(where)
            # The person sees who did it, and takes the controls from all.
            await bench.press("7")
            await bench.until(lambda: "Test Edit… next" in "\n".join(screen_rows(bench.app)))
            hub.hold("mine now")
            assert "mine now" in await editor.refused("next", threadId=1)
            hub.hand_back()
            await editor.ask("setBreakpoints", source={"path": path}, lines=[])
            left = (await rest.get(f"{sessions}/breakpoints")).json()["data"]["breakpoints"]
            assert left == []
        await relay.stop()
