"""What an editor is told of an exception beside its type: what led to it, and what can't be set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.editors import stdio_editor

pytestmark = [pytest.mark.real, pytest.mark.full]

CHAIN = """\
def fails():
    try:
        try:
            {}["a"]
        except KeyError as error:
            raise ValueError("no a") from error
    except ValueError:
        raise RuntimeError("all is lost")


fails()
"""

CAUGHT = """\
for error in (KeyError("k"), TypeError("t"), ValueError("v")):
    try:
        raise error
    except Exception:
        pass
"""

GROUP = """\
raise ExceptionGroup("both", [ValueError("one"), KeyError("two")])
"""


async def test_the_exceptions_that_led_to_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(CHAIN)
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), filters=["uncaught"])
        stop = await editor.stopped()
        info = await editor.ask("exceptionInfo", threadId=stop["threadId"])
        assert info["details"]["typeName"] == "RuntimeError"
        (context,) = info["details"]["innerException"]
        assert (context["typeName"], context["message"]) == ("ValueError", "no a")
        (cause,) = context["innerException"]
        assert cause["typeName"] == "KeyError"
        assert "innerException" not in cause


async def test_the_members_of_a_group(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(GROUP)
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), filters=["uncaught"])
        stop = await editor.stopped()
        info = await editor.ask("exceptionInfo", threadId=stop["threadId"])
        inner = info["details"]["innerException"]
        assert [each["typeName"] for each in inner] == ["ValueError", "KeyError"]


async def test_a_filter_with_a_condition_is_refused_and_not_set(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("try:\n    1 / 0\nexcept ZeroDivisionError:\n    n = 1\nm = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        launching = editor.send("launch", program=str(program))
        await editor.event("initialized")
        options = [{"filterId": "raised", "condition": "n"}, {"filterId": "uncaught"}]
        body = await editor.ask("setExceptionBreakpoints", filters=[], filterOptions=options)
        assert [each["verified"] for each in body["breakpoints"]] == [False, True]
        assert "no condition" in body["breakpoints"][0]["message"]
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        await editor.event("terminated")
        assert not editor.events("stopped")


async def test_several_types_in_one_option_and_all_but_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(CAUGHT)
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        launching = editor.send("launch", program=str(program))
        await editor.event("initialized")
        top = {"names": ["Python Exceptions"]}
        options = [
            {"path": [top, {"names": ["KeyError", "ValueError"]}], "breakMode": "always"},
            {"path": [top, {"names": ["OSError"], "negate": True}], "breakMode": "always"},
        ]
        body = await editor.ask("setExceptionBreakpoints", filters=[], exceptionOptions=options)
        assert [each["verified"] for each in body["breakpoints"]] == [True, False]
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        for count, name in enumerate(("KeyError", "ValueError"), start=1):
            stop = await editor.event("stopped", count=count)
            info = await editor.ask("exceptionInfo", threadId=stop["threadId"])
            assert info["exceptionId"] == name
            await editor.ask("continue", threadId=stop["threadId"])
        await editor.event("terminated")
