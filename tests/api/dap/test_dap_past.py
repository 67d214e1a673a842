"""An editor goes back in a recorded run of the real debugpy, and looks at what was there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.attachable import RETURN, TOTAL, listening
from tests.support.editors import Editor, ProcessEditor, local_editor, stdio_editor
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.session.hub.hub import Hub

pytestmark = [pytest.mark.real, pytest.mark.full]

Json = dict[str, Any]

RECORDED = {version: path for version, path in SUPPORTED.items() if version >= (3, 12)}
TOO_OLD = {version: path for version, path in SUPPORTED.items() if version < (3, 12)}
needs_recorded = pytest.mark.skipif(not RECORDED, reason="no Python from 3.12 on is here")
needs_old = pytest.mark.skipif(not TOO_OLD, reason="no Python before 3.12 is here")

SHOP = """
class Cart:
    def __init__(self):
        self.items = []

    def add(self, price):
        self.items.append(price)  #: append
        return len(self.items)

def main():
    cart = Cart()
    for price in (2, 7, 3):
        count = cart.add(price)  #: add
    left = 20 - sum(cart.items)  #: left
    print("left", left)  #: stop
    print("over")  #: over

main()
"""


@pytest.fixture
def shop(tmp_path: Path) -> MarkedProgram:
    return MarkedProgram(tmp_path, SHOP)


async def begin(editor: ProcessEditor, shop: MarkedProgram, *marks: str, **more: Any) -> None:
    """Launch it, recorded, with breakpoints at these marks, to the first stop."""
    wanted = {str(shop.path): [{"line": shop[mark]} for mark in marks]}
    arguments = {"program": str(shop.path), "python": max(RECORDED.items())[1], "record": True}
    await editor.begin(breakpoints=wanted, **{**arguments, **more})
    await editor.stopped()


def can_step_back(editor: Editor) -> bool | None:
    """What the editor was told last of it; None if it never was."""
    told = [each["capabilities"] for each in editor.events("capabilities")]
    found = [each["supportsStepBack"] for each in told if "supportsStepBack" in each]
    return found[-1] if found else None


@needs_recorded
async def test_steps_lead_back_and_forth_again_to_the_present(
    tmp_path: Path, shop: MarkedProgram
) -> None:
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "stop")
        assert can_step_back(editor) is True
        assert await editor.line() == shop["stop"]
        stop = await editor.step("stepBack")
        assert (stop["reason"], stop["description"]) == ("step", "recorded, 1 step ago")
        assert await editor.frame() == await editor.frame()
        assert await editor.line() == shop["left"]
        values = await editor.locals()
        assert "left" not in values
        assert values["count"]["value"] == "3"
        cart = await editor.ask(
            "variables", variablesReference=values["cart"]["variablesReference"]
        )
        assert [each["name"] for each in cart["variables"]] == ["items"]
        stop = await editor.step("next")
        assert "description" not in stop or "recorded" not in stop["description"]
        assert await editor.line() == shop["stop"]
        assert (await editor.locals())["left"]["value"] == "8"
        await editor.step("next")
        assert await editor.line() == shop["over"]


@needs_recorded
async def test_reverse_continue_leads_to_the_breakpoints_before(
    tmp_path: Path, shop: MarkedProgram
) -> None:
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "stop")
        path = {"path": str(shop.path)}
        lines = [{"line": shop["append"]}, {"line": shop["stop"]}]
        await editor.ask("setBreakpoints", source=path, breakpoints=lines)
        for price in ("3", "7", "2"):
            stop = await editor.step("reverseContinue")
            assert stop["reason"] == "breakpoint"
            assert stop["description"].startswith("recorded, ")
            assert await editor.line() == shop["append"]
            assert (await editor.locals())["price"]["value"] == price
        await editor.step("reverseContinue")
        assert "No breakpoint was passed before" in said(editor)
        await editor.step("continue")
        assert await editor.line() == shop["append"]
        await editor.step("stepOut")
        assert (await editor.frame())["name"] == "main"
        await editor.step("continue", thread=0)  # the whole program, where it is looked at
        assert (await editor.locals())["price"]["value"] == "7"
        await editor.step("continue")
        await editor.step("continue")
        assert await editor.line() == shop["stop"]
        await editor.step("next")
        assert await editor.line() == shop["over"]


@needs_recorded
async def test_a_recorded_moment_is_looked_at_and_not_changed(
    tmp_path: Path, shop: MarkedProgram
) -> None:
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "stop")
        await editor.step("stepBack")
        top = await editor.frame()
        thread = editor.events("stopped")[-1]["threadId"]
        found = await editor.ask("evaluate", expression="count + 1", frameId=top["id"])
        assert found["result"] == "4"
        assert (await editor.ask("evaluate", expression="count"))["result"] == "3"
        for expression in ("cart.add(1)", "count = 9"):
            why = await editor.refused(
                "evaluate", expression=expression, frameId=top["id"], context="repl"
            )
            assert why
        scopes = (await editor.ask("scopes", frameId=top["id"]))["scopes"]
        reference = scopes[0]["variablesReference"]
        await editor.ask("variables", variablesReference=reference)
        asked: list[tuple[str, Json]] = [
            ("setVariable", {"variablesReference": reference, "name": "count", "value": "9"}),
            ("setExpression", {"expression": "count", "value": "9", "frameId": top["id"]}),
            ("restartFrame", {"frameId": top["id"]}),
            ("stepInTargets", {"frameId": top["id"]}),
            ("goto", {"threadId": thread, "targetId": 1}),
            ("exceptionInfo", {"threadId": thread}),
        ]
        for command, arguments in asked:
            assert "recorded moment" in await editor.refused(command, **arguments), command
        completed = await editor.ask("completions", text="co", column=3, frameId=top["id"])
        assert completed["targets"] == []
        await editor.step("continue")
        assert (await editor.locals())["count"]["value"] == "3"
        assert "earlier stop" in await editor.refused("scopes", frameId=top["id"])


@needs_recorded
async def test_the_recording_has_a_beginning(tmp_path: Path, shop: MarkedProgram) -> None:
    """One stops there, as at a breakpoint, and a step further back stops there again."""
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "append")
        await editor.ask("setBreakpoints", source={"path": str(shop.path)}, breakpoints=[])
        await editor.step("reverseContinue")
        assert "No breakpoint was passed before" in said(editor)
        assert await editor.line() == 1
        first, mark = editor.events("stopped")[-1], editor.mark
        assert first["description"].startswith("recorded, ")
        for command in ("stepBack", "reverseContinue"):
            assert await editor.step(command) == first
        assert "The recording begins here" in said(editor, mark)
        assert await editor.line() == 1
        await editor.refused("goto", threadId=first["threadId"], targetId=1)
        await editor.event("stopped", mark, count=3)
        assert editor.events("stopped", mark)[-1] == first
        await editor.step("continue")
        assert await editor.line() == shop["append"]


def said(editor: Editor, mark: int = 0) -> str:
    """What was said in the editor's console."""
    told = editor.events("output", mark)
    return "".join(each["output"] for each in told if each["category"] == "console")


@needs_recorded
async def test_without_a_recording_it_says_how_one_begins(
    tmp_path: Path, shop: MarkedProgram
) -> None:
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "stop", record=False)
        assert not can_step_back(editor)
        thread = editor.events("stopped")[-1]["threadId"]
        assert '"record": true' in await editor.refused("stepBack", threadId=thread)
        assert await editor.line() == shop["stop"]


@needs_old
async def test_an_older_python_is_not_recorded_and_the_editor_is_told_why(
    tmp_path: Path, shop: MarkedProgram
) -> None:
    async with stdio_editor(tmp_path) as editor:
        await begin(editor, shop, "stop", python=max(TOO_OLD.items())[1])
        assert not can_step_back(editor)
        told = "".join(each["output"] for each in editor.events("output"))
        assert "recording needs Python 3.12 or newer" in told
        thread = editor.events("stopped")[-1]["threadId"]
        assert "nothing is recorded" in await editor.refused("stepBack", threadId=thread)


@needs_recorded
async def test_each_client_has_a_moment_of_its_own(tmp_path: Path, shop: MarkedProgram) -> None:
    """What others record, a client is told that it can go back in; it moves nobody but itself."""
    python = max(RECORDED.items())[1]
    async with debugpy_session(
        tmp_path, shop.path, python=python, stop_on_entry=True
    ) as under_test:
        session = under_test.session
        hub = Hub(lambda plan: session.make_beside(plan))
        hub.adopt(session, origin="tui")
        first, second = local_editor(hub), local_editor(hub)
        await session.breakpoints.set(shop.path, shop["stop"], origin="tui")
        await under_test.start()
        for editor in (first, second):
            await editor.begin("attach")
            await editor.stopped()
            assert not can_step_back(editor)
        marks = first.mark, second.mark
        await RecordedRun.of(session).begin("tui")
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        for editor, mark in zip((first, second), marks, strict=True):
            await editor.stopped(mark)
            assert can_step_back(editor) is True
        mark = second.mark
        await first.step("stepBack")
        assert await first.line() == shop["left"]
        assert await second.line() == shop["stop"]
        assert not second.events("stopped", mark)
        assert session.frames[0].place is not None
        assert session.frames[0].place.line == shop["stop"]
        mark = first.mark
        await second.step("next")  # the program goes on: the first one is told, and goes with it
        assert first.events("continued", mark)
        await first.stopped(mark)
        assert await first.line() == shop["over"]
        await hub.close()
        under_test.closed_in = 0.0


async def test_what_is_attached_to_is_recorded_from_then_on(tmp_path: Path) -> None:
    async with listening(tmp_path) as (program, port), stdio_editor(tmp_path) as editor:
        await editor.begin("attach", connect={"host": "127.0.0.1", "port": port}, record=True)
        await program.goes_on()
        path = {"path": program.path}
        await editor.ask("setBreakpoints", source=path, breakpoints=[{"line": RETURN}])
        thread = (await editor.stopped())["threadId"]
        if sys.version_info < (3, 12):
            assert "nothing is recorded" in await editor.refused("stepBack", threadId=thread)
            return
        assert can_step_back(editor) is True
        now = int((await editor.locals())["total"]["value"])
        await editor.step("stepBack")
        assert await editor.line() == TOTAL
        assert (await editor.locals())["total"]["value"] == str(now - 1)
        await editor.step("reverseContinue")
        assert await editor.line() == RETURN
        assert (await editor.locals())["total"]["value"] == str(now - 1)
