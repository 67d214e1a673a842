"""What an editor asks of the real ``tuidbg dap`` about a Python program, request by request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import ProcessEditor, stdio_editor

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
import json
import sys


class Shelf:
    def __init__(self):
        self.books = ["one", "two"]

    @property
    def size(self):
        return len(self.books)


def inner(a):
    return a + 1


def outer(a, b):
    return a * b


def fails():
    raise ValueError("no {good}")


shelf = Shelf()
many = list(range(5000))
table = {"a": 1, "b": [1, 2, 3]}
x = outer(inner(1), inner(2))
print("out")
print("err", file=sys.stderr)
y = 1
y = 2
y = 3
try:
    fails()
except ValueError:
    pass
z = 1
fails()
"""


def line(text: str) -> int:
    return PROGRAM.splitlines().index(text) + 1


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


async def at(editor: ProcessEditor, program: Path, *lines: int, **more: Any) -> None:
    """Launched, and stopped at the first of these lines."""
    wanted = {str(program): [{"line": number} for number in lines]}
    await editor.begin(program=str(program), breakpoints=wanted, **more)
    await editor.stopped()


async def test_a_run_from_its_entry_to_its_end(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), stopOnEntry=True, filters=[])
        stop = await editor.stopped()
        assert stop["reason"] == "entry"
        assert await editor.line() == 1
        assert editor.events("process")[0]["startMethod"] == "launch"
        await editor.step()
        assert await editor.line() == 2
        await editor.ask("continue", threadId=stop["threadId"])
        assert (await editor.event("exited"))["exitCode"] == 1
        await editor.event("terminated")
        assert "out" in editor.output  # stderr may come between
        by_category = {e["category"] for e in editor.events("output") if "err" in e["output"]}
        assert "stderr" in by_category
        started, exited = (
            [e["threadId"] for e in editor.events("thread") if e["reason"] == reason]
            for reason in ("started", "exited")
        )
        assert set(exited) <= set(started)
        await editor.ask("terminate")
        await editor.ask("terminate")
        await editor.ask("disconnect")
        assert await editor.ended() == 0


async def test_stacks_and_values(program: Path, tmp_path: Path) -> None:
    hello = {"supportsVariablePaging": True}
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("    return a * b"), hello=hello)
        thread = editor.events("stopped")[0]["threadId"]
        threads = (await editor.ask("threads"))["threads"]
        assert thread in {each["id"] for each in threads}
        whole = await editor.ask("stackTrace", threadId=thread)
        assert [f["name"] for f in whole["stackFrames"]] == ["outer", "<module>"]
        assert whole["totalFrames"] == 2
        page = await editor.ask("stackTrace", threadId=thread, startFrame=1, levels=1)
        assert [f["name"] for f in page["stackFrames"]] == ["<module>"]
        assert page["totalFrames"] == 2
        assert {n: v["value"] for n, v in (await editor.locals()).items()} == {"a": "2", "b": "3"}
        module = page["stackFrames"][0]["id"]
        scopes = (await editor.ask("scopes", frameId=module))["scopes"]
        assert [scope["name"] for scope in scopes] == ["Locals", "Globals"]
        reference = scopes[0]["variablesReference"]
        found = (await editor.ask("variables", variablesReference=reference))["variables"]
        variables = {each["name"]: each for each in found}
        many = variables["many"]
        assert many["indexedVariables"] == 5000
        numbers = await editor.ask(
            *("variables",),
            variablesReference=many["variablesReference"],
            filter="indexed",
            start=4000,
            count=3,
        )
        assert [each["value"] for each in numbers["variables"]] == ["4000", "4001", "4002"]
        table = variables["table"]["variablesReference"]
        children = (await editor.ask("variables", variablesReference=table))["variables"]
        assert {c["name"]: c["value"] for c in children} == {"'a'": "1", "'b'": "[1, 2, 3]"}
        shelf = variables["shelf"]["variablesReference"]
        inside = (await editor.ask("variables", variablesReference=shelf))["variables"]
        lazy = next(each for each in inside if each["name"] == "size")
        assert lazy["presentationHint"]["lazy"]
        (loaded,) = (await editor.ask("variables", variablesReference=lazy["variablesReference"]))[
            "variables"
        ]
        assert loaded["value"] == "2"


async def test_pages_for_clients_that_know_none(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("y = 1"))
        many = (await editor.locals())["many"]
        assert "indexedVariables" not in many
        first = await editor.ask("variables", variablesReference=many["variablesReference"])
        assert len(first["variables"]) == 1001
        more = first["variables"][-1]
        assert more["value"] == "4000 more"
        second = await editor.ask("variables", variablesReference=more["variablesReference"])
        assert second["variables"][0]["value"] == "1000"


async def test_values_are_set(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("y = 2"))
        frame = await editor.frame()
        scopes = (await editor.ask("scopes", frameId=frame["id"]))["scopes"]
        reference = scopes[0]["variablesReference"]
        await editor.ask("variables", variablesReference=reference)
        set_to = await editor.ask(
            "setVariable", variablesReference=reference, name="y", value="40 + 2"
        )
        assert set_to["value"] == "42"
        assert (await editor.locals())["y"]["value"] == "42"
        sentence = await editor.refused(
            "setVariable", variablesReference=reference, name="y", value="1 / 0"
        )
        assert "ZeroDivisionError" in sentence
        sentence = await editor.refused(
            "setVariable", variablesReference=reference, name="nobody", value="1"
        )
        assert "nobody" in sentence
        told = await editor.ask(
            "setExpression", expression="table['a']", value="7", frameId=frame["id"]
        )
        assert told["value"] == "7"
        sentence = await editor.refused(
            "setExpression", expression="fails()", value="7", frameId=frame["id"]
        )
        assert "assigned" in sentence
        assert (await editor.ask("evaluate", expression="table['a']"))["result"] == "7"
        assert not editor.events("invalidated")  # it knows of its own changes


async def test_evaluating(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("y = 2"))
        frame = (await editor.frame())["id"]
        for context in ("repl", "watch", "hover", "clipboard", "variables"):
            body = await editor.ask("evaluate", expression="y + 1", frameId=frame, context=context)
            assert body["result"] == "2", context
        await editor.ask("evaluate", expression="w = 5\nv = 6", frameId=frame, context="repl")
        assert (await editor.ask("evaluate", expression="w + v"))["result"] == "11"
        body = await editor.ask("evaluate", expression="many", frameId=frame, context="repl")
        items = await editor.ask(
            "variables", variablesReference=body["variablesReference"], start=1, count=2
        )
        assert [each["value"] for each in items["variables"]] == ["1", "2"]
        for expression, word in (("nobody", "NameError"), ("1 +", "SyntaxError"), ("", "empty")):
            assert word in await editor.refused(
                "evaluate", expression=expression, frameId=frame, context="repl"
            )
        assert "frame 999" in await editor.refused("evaluate", expression="y", frameId=999)
        targets = (await editor.ask("completions", text="shelf.boo", column=10, frameId=frame))[
            "targets"
        ]
        assert [each["label"] for each in targets] == ["books"]
        assert (targets[0]["start"], targets[0]["length"]) == (7, 3)


async def test_an_evaluation_is_cancelled(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("y = 2"))
        slow = editor.send(
            "evaluate", expression="import time\nfor _ in range(6000): time.sleep(0.01)",
            context="repl",
        )  # fmt: skip
        number = editor._seq
        assert (await editor.ask("threads"))["threads"]  # nobody is held up
        await editor.ask("cancel", requestId=number)
        answer = await slow
        assert (answer["success"], answer["message"]) == (False, "cancelled")
        body = await editor.ask("evaluate", expression="y", context="watch")
        assert body["result"] == "1"


async def test_steps_of_all_kinds(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        at_call = line("x = outer(inner(1), inner(2))")
        await at(editor, program, at_call)
        frame = await editor.frame()
        targets = (await editor.ask("stepInTargets", frameId=frame["id"]))["targets"]
        (outer,) = (each for each in targets if each["label"].startswith("outer"))
        mark, thread = editor.mark, editor.events("stopped")[0]["threadId"]
        await editor.ask("stepIn", threadId=thread, targetId=outer["id"])
        await editor.stopped(mark)
        assert (await editor.frame())["name"] == "outer"
        assert (await editor.step("stepOut"))["reason"] == "step"
        assert (await editor.frame())["name"] == "<module>"
        source = {"path": str(program)}
        await editor.step()
        jump = line("y = 3")
        (target,) = (await editor.ask("gotoTargets", source=source, line=jump))["targets"]
        mark = editor.mark
        await editor.ask("goto", threadId=thread, targetId=target["id"])
        assert (await editor.stopped(mark))["reason"] == "goto"
        assert await editor.line() == jump
        assert "target" in await editor.refused("goto", threadId=thread, targetId=12345)
        sentence = await editor.refused("next", threadId=99999)
        assert "99999" in sentence
        sentence = await editor.refused("next", threadId=thread, granularity="instruction")
        assert "lines only" in sentence


async def test_exceptions(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), filters=["raised"])
        stop = await editor.stopped()
        assert stop["reason"] == "exception"
        info = await editor.ask("exceptionInfo", threadId=stop["threadId"])
        assert info["exceptionId"] == "ValueError"
        assert info["description"] == "no {good}"
        assert "fails" in info["details"]["stackTrace"]
        sentence = await editor.refused("setExceptionBreakpoints", filters=["nonsense"])
        assert "nonsense" in sentence
        await editor.ask("setExceptionBreakpoints", filters=["uncaught"])
        stop = await editor.step("continue")
        assert stop["reason"] == "exception"
        assert await editor.line() == line('    raise ValueError("no {good}")')
        mode = (await editor.ask("exceptionInfo", threadId=stop["threadId"]))["breakMode"]
        assert mode == "unhandled"


async def test_exceptions_by_their_types(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        launching = editor.send("launch", program=str(program))
        await editor.event("initialized")
        options = [
            {"path": [{"names": ["Python Exceptions"]}, {"names": [name]}], "breakMode": "always"}
            for name in ("KeyError", "ValueError", "no name")
        ]
        body = await editor.ask("setExceptionBreakpoints", filters=[], exceptionOptions=options)
        assert [each["verified"] for each in body["breakpoints"]] == [True, True, False]
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        stop = await editor.stopped()
        assert (stop["reason"], await editor.line()) == ("exception", line(
            '    raise ValueError("no {good}")'
        ))  # fmt: skip


async def test_functions_places_and_watched_values(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        launching = editor.send("launch", program=str(program))
        await editor.event("initialized")
        body = await editor.ask(
            "setFunctionBreakpoints",
            breakpoints=[{"name": "outer"}, {"name": "not there"}, {"name": "nobody"}],
        )
        assert [each["verified"] for each in body["breakpoints"]] == [True, False, False]
        assert all("message" in each for each in body["breakpoints"][1:])
        source = {"path": str(program)}
        lines = await editor.ask("breakpointLocations", source=source, line=1, endLine=9)
        assert [each["line"] for each in lines["breakpoints"]] == [1, 2, 5, 6, 7, 9]
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        stop = await editor.stopped()
        assert stop["hitBreakpointIds"] == [body["breakpoints"][0]["id"]]
        assert stop["reason"] == "function breakpoint"
        assert (await editor.frame())["name"] == "outer"
        await editor.step("stepOut")
        info = await editor.ask("dataBreakpointInfo", name="y")
        assert info["accessTypes"] == ["write"]
        watched = await editor.ask(
            "setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}, {"dataId": "f()"}]
        )
        assert [each["verified"] for each in watched["breakpoints"]] == [True, False]
        stop = await editor.step("continue")
        assert stop["reason"] == "data breakpoint"
        assert await editor.line() in (line("y = 1"), line("y = 2"))


async def test_modules_and_sources(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        await at(editor, program, line("y = 1"))
        modules = await editor.ask("modules", startModule=0, moduleCount=5)
        assert (len(modules["modules"]), modules["totalModules"] > 5) == (5, True)
        paths = {each["path"] for each in (await editor.ask("loadedSources"))["sources"]}
        assert json.__file__ in paths
        assert await editor.refused("source", sourceReference=4711)


async def test_pause_restart_and_the_end(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text("print('begun')\nn = 0\nwhile True:\n    n += 1\n")
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program))
        sentence = await editor.refused("stackTrace", threadId=1)
        assert "runs" in sentence
        assert "runs" in await editor.refused("evaluate", expression="n")
        assert "runs" in await editor.refused("next", threadId=1)
        assert (await editor.ask("threads"))["threads"]
        thread = (await editor.ask("threads"))["threads"][0]["id"]
        await editor.ask("pause", threadId=thread)
        assert (await editor.stopped())["reason"] == "pause"
        mark = editor.mark
        await editor.ask("restart")
        await editor.event("process", mark)
        assert not editor.events("terminated")
        # Before its first line, debugpy tells no frame of a paused program.
        await editor.until(lambda: "begun" in editor.output_after(mark), "the program's first line")
        await editor.ask("pause", threadId=thread)
        await editor.stopped(mark)
        frame = await editor.frame()
        await editor.step("next")
        assert "earlier stop" in await editor.refused("scopes", frameId=frame["id"])
        await editor.ask("terminate")
        await editor.event("terminated")
        assert "ended" in await editor.refused("continue", threadId=thread)


async def test_lines_and_columns_from_zero(program: Path, tmp_path: Path) -> None:
    hello = {"linesStartAt1": False, "columnsStartAt1": False, "pathFormat": "uri"}
    async with stdio_editor(tmp_path) as editor:
        wanted = {program.as_uri(): [{"line": line("y = 1") - 1}]}
        found = await editor.begin(program=str(program), breakpoints=wanted, hello=hello)
        assert found[program.as_uri()][0]["line"] == line("y = 1") - 1
        await editor.stopped()
        frame = await editor.frame()
        assert (frame["line"], frame["column"]) == (line("y = 1") - 1, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "no program"}, "program"),
        ({"program": "/no/such/file.py"}, "/no/such/file.py"),
        ({"program": 5}, "program"),
        ({"program": "${file}"}, "variable"),
        ({"module": "json", "program": "x.py"}, "one of them"),
        ({"program": "bad.py"}, "syntax"),
    ],
)
async def test_what_can_not_be_launched(
    arguments: dict[str, object], words: str, tmp_path: Path
) -> None:
    """Says why, and the editor may try again."""
    (tmp_path / "bad.py").write_text("def (\n")
    (tmp_path / "good.py").write_text("print('good')\n")
    async with stdio_editor(tmp_path) as editor:
        await editor.ask("initialize", adapterID="tuidbg")
        assert words in await editor.refused("launch", **arguments)
        launching = editor.send("launch", program=str(tmp_path / "good.py"))
        await editor.event("initialized")
        await editor.ask("configurationDone")
        assert (await launching)["success"]
        await editor.event("terminated")
        assert editor.output == "good\n"


async def test_without_debugging(program: Path, tmp_path: Path) -> None:
    async with stdio_editor(tmp_path) as editor:
        wanted = {str(program): [{"line": line("y = 1")}]}
        await editor.begin(program=str(program), noDebug=True, breakpoints=wanted)
        await editor.event("terminated")
        assert not editor.events("stopped")
        assert "out" in editor.output  # stderr may come between


async def test_a_file_of_variables_beside_the_environment_of_the_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor's own values win, and it is said; a file that the configuration names beats it."""
    program = tmp_path / "program.py"
    program.write_text("import os\nprint(*map(os.environ.get, ('FIRST', 'SECOND', 'THIRD')))\n")
    file = tmp_path / ".env"
    file.write_text("FIRST=file\nSECOND=file\nTHIRD=file\n")
    monkeypatch.setenv("FIRST", "editor")
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "editor launch file"),
        ({"envFile": str(file)}, "file launch file"),
    ]
    for named, printed in cases:
        async with stdio_editor(tmp_path) as editor:
            await editor.begin(program=str(program), env={"SECOND": "launch"}, **named)
            await editor.event("terminated")
            assert editor.output.strip() == printed
            told = "".join(each["output"] for each in editor.events("output"))
            assert ("sets FIRST, SECOND to another value" in told) is not bool(named)
