"""Lists of breakpoints by the real ``tuidbg dap`` on stdio, over each adapter that is installed."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.editors import Json, ProcessEditor, stdio_editor, why_refused
from tests.support.native import needs_cc, needs_delve, needs_lldb

pytestmark = [pytest.mark.real, pytest.mark.full]

PYTHON = """\
def double(n):
    return 2 * n


total = 0
total += double(1)

# nothing
print("total", total)
"""

C = """\
static int twice(int n) {
    return 2 * n;
}

int main(void) {
    int total = 0;

    /* nothing */
    total += twice(1);
    return total - 2;
}
"""

GO = """\
package main

func double(n int) int {
	return 2 * n
}

func main() {
	total := 0
	total += double(1)

	// nothing
	println("total", total)
}
"""


class Program(NamedTuple):
    """A program with three lines that are come to, in that order, and two that can't break."""

    path: str
    launch: Json
    lines: tuple[int, int, int]
    nothing: int
    beyond: int = 99


def _python(folder: Path) -> Program:
    path = folder / "program.py"
    path.write_text(PYTHON)
    return Program(str(path), {"program": str(path)}, (6, 2, 9), 8)


def _c(folder: Path) -> Program:
    path, binary = folder / "program.c", folder / "program"
    path.write_text(C)
    subprocess.run(["gcc", "-g", "-O0", "-o", str(binary), str(path)], check=True)
    return Program(str(path), {"type": "lldb-dap", "program": str(binary)}, (9, 2, 10), 8)


def _go(folder: Path) -> Program:
    path = folder / "main.go"
    path.write_text(GO)
    folder.joinpath("go.mod").write_text("module program\n\ngo 1.18\n")
    return Program(str(path), {"type": "go", "program": str(folder)}, (9, 4, 12), 11)


KINDS = [
    pytest.param(_python, id="debugpy"),
    pytest.param(_c, id="lldb-dap", marks=[needs_lldb, needs_cc]),
    pytest.param(_go, id="dlv", marks=needs_delve),
]


@pytest.fixture(params=KINDS)
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Program:
    make: Callable[[Path], Program] = request.param
    return make(tmp_path)


@asynccontextmanager
async def configuring(program: Program, folder: Path) -> AsyncIterator[ProcessEditor]:
    """An editor whose program waits for ``configurationDone``."""
    async with stdio_editor(folder) as editor:
        await editor.ask("initialize", adapterID="tuidbg", clientName="rows")
        editor.send("launch", **program.launch)
        await editor.event("initialized")
        yield editor


async def set_lines(editor: ProcessEditor, path: str, *lines: int, **more: Any) -> list[Json]:
    wanted = [{"line": line} for line in lines]
    body = await editor.ask("setBreakpoints", source={"path": path}, breakpoints=wanted, **more)
    found: list[Json] = body["breakpoints"]
    return found


async def stops(editor: ProcessEditor) -> list[int]:
    """Let it run; the lines at which it stops, up to its end."""
    found: list[int] = []
    await editor.ask("configurationDone")
    while True:
        count = len(found) + 1

        def is_next(count: int = count) -> bool:
            return bool(editor.events("terminated")) or len(editor.events("stopped")) >= count

        await editor.until(is_next, "a stop or the end")
        if len(editor.events("stopped")) < count:
            return found
        found.append(await editor.line())
        await editor.ask("continue", threadId=editor.events("stopped")[-1]["threadId"])


def verified(answers: list[Json]) -> list[bool]:
    return [answer["verified"] for answer in answers]


async def test_a_list_replaces_that_of_its_source(program: Program, tmp_path: Path) -> None:
    first, inner, last = program.lines
    async with configuring(program, tmp_path) as editor:
        before = await set_lines(editor, program.path, first, inner)
        assert verified(before) == [True, True]
        answer = await editor.send_raw(
            {
                "type": "request",
                "command": "setBreakpoints",
                "arguments": {"breakpoints": [{"line": last}]},
            }
        )
        assert "source" in why_refused(answer)
        again = await set_lines(editor, program.path, inner, last)
        assert verified(again) == [True, True]
        assert again[0]["id"] == before[1]["id"]  # it has stayed where it was
        assert await stops(editor) == [inner, last]


async def test_other_lists_are_untouched_and_an_empty_one_clears(
    program: Program, tmp_path: Path
) -> None:
    first, inner, last = program.lines
    async with configuring(program, tmp_path) as editor:
        await set_lines(editor, program.path, first, inner, last)
        await set_lines(editor, str(tmp_path / "other.txt"), 1)
        await set_lines(editor, str(tmp_path / "other.txt"))
        await editor.ask("setFunctionBreakpoints", breakpoints=[])
        await editor.ask("setExceptionBreakpoints", filters=[])
        assert verified(await set_lines(editor, program.path, first)) == [True]
        assert await set_lines(editor, program.path) == []
        assert verified(await set_lines(editor, program.path, last)) == [True]
        cleared = await editor.ask("setBreakpoints", source={"path": program.path})
        assert cleared["breakpoints"] == []
        assert verified(await set_lines(editor, program.path, inner)) == [True]
        assert await stops(editor) == [inner]


async def test_line_numbers_and_objects_are_the_same(program: Program, tmp_path: Path) -> None:
    first, inner, last = program.lines
    async with configuring(program, tmp_path) as editor:
        source = {"path": program.path}
        objects = await set_lines(editor, program.path, last, program.nothing, first)
        by_lines = await editor.ask(
            "setBreakpoints", source=source, lines=[last, program.nothing, first]
        )
        told = [{**each, "id": 0} for each in by_lines["breakpoints"]]
        assert told == [{**each, "id": 0} for each in objects]
        wins = await editor.ask(
            "setBreakpoints", source=source, lines=[first], breakpoints=[{"line": inner}]
        )
        assert [each["line"] for each in wins["breakpoints"]] == [inner]
        assert await stops(editor) == [inner]


async def test_one_answer_for_each_in_their_order(program: Program, tmp_path: Path) -> None:
    """With entries twice, and such as can't be set; none is moved, and none of these stops."""
    first, inner, last = program.lines
    async with configuring(program, tmp_path) as editor:
        asked = (last, program.nothing, first, first, program.beyond, inner, 0, -5)
        answers = await set_lines(editor, program.path, *asked)
        assert verified(answers) == [True, False, True, True, False, True, False, False]
        for line, answer in zip(asked, answers, strict=True):
            assert ("message" in answer) is not answer["verified"]
            if answer["verified"]:
                assert (answer["line"], answer["source"]["path"]) == (line, program.path)
            else:
                assert answer["message"]
                assert "line" not in answer
        assert answers[2] == answers[3]
        assert await stops(editor) == [first, inner, last]
        assert not editor.events("breakpoint")  # nothing was changed behind the editor's back


async def test_a_line_without_code_stops_nowhere_near(program: Program, tmp_path: Path) -> None:
    async with configuring(program, tmp_path) as editor:
        answers = await set_lines(editor, program.path, program.nothing, program.beyond)
        assert verified(answers) == [False, False]
        assert await stops(editor) == []


async def test_what_belongs_to_a_breakpoint(program: Program, tmp_path: Path) -> None:
    """A line, and perhaps a column; conditions only where they are announced."""
    first, inner, _ = program.lines
    async with stdio_editor(tmp_path) as editor:
        capabilities = await editor.ask("initialize", adapterID="tuidbg", clientName="rows")
        editor.send("launch", **program.launch)
        await editor.event("initialized")
        for told in editor.events("capabilities"):
            capabilities |= told["capabilities"]
        wanted: list[Json] = [{"line": first}, {"line": inner}]
        if program.path.endswith(".py"):  # where code begins in C, the compiler alone knows
            wanted[0]["column"] = 1
        if capabilities.get("supportsConditionalBreakpoints"):
            wanted[1]["condition"] = "n == 77"
        body = await editor.ask("setBreakpoints", source={"path": program.path}, breakpoints=wanted)
        assert verified(body["breakpoints"]) == [True, True]
        expected = [first] if "condition" in wanted[1] else [first, inner]
        assert await stops(editor) == expected


async def test_missing_files_and_bad_conditions_are_refused_in_words(
    program: Program, tmp_path: Path
) -> None:
    async with configuring(program, tmp_path) as editor:
        (missing,) = await set_lines(editor, str(tmp_path / "no" / "such.py"), 1)
        assert not missing["verified"]
        assert missing["message"]
        body = await editor.ask(
            "setBreakpoints",
            source={"path": program.path},
            breakpoints=[{"line": program.lines[0], "condition": "(("}],
        )
        assert not body["breakpoints"][0]["verified"]
        assert body["breakpoints"][0]["message"]
        assert await stops(editor) == []


async def test_an_edited_source(program: Program, tmp_path: Path) -> None:
    """One that can be read again is verified again; of a program that is built it is refused."""
    first = program.lines[0]
    async with configuring(program, tmp_path) as editor:
        await set_lines(editor, program.path, first)
        mark = editor.mark
        answer = await editor.answer(
            "setBreakpoints",
            source={"path": program.path},
            breakpoints=[{"line": first}, {"line": program.nothing}],
            sourceModified=True,
        )
        if program.path.endswith((".py", ".go")):  # Delve asks its own table of lines
            assert verified(answer["body"]["breakpoints"]) == [True, False]
        else:
            assert "build" in why_refused(answer)
        assert not editor.events("breakpoint", mark)
        assert await stops(editor) == [first]


async def test_a_source_edited_while_the_program_runs_it(tmp_path: Path) -> None:
    """The program has the old lines: the list is refused, and what was set stays."""
    program = _python(tmp_path)
    async with configuring(program, tmp_path) as editor:
        await set_lines(editor, program.path, 6, 9)
        await editor.ask("configurationDone")
        await editor.event("stopped")
        Path(program.path).write_text(f"# a new first line\n{PYTHON}")
        answer = await editor.answer(
            "setBreakpoints",
            source={"path": program.path},
            breakpoints=[{"line": 7}, {"line": 10}],
            sourceModified=True,
        )
        assert "restart" in why_refused(answer)
        await editor.ask("continue", threadId=editor.events("stopped")[-1]["threadId"])
        await editor.until(lambda: len(editor.events("stopped")) == 2)
        assert await editor.line() == 9


async def test_a_column_past_the_end_of_its_line(tmp_path: Path) -> None:
    program = _python(tmp_path)
    async with configuring(program, tmp_path) as editor:
        wanted = [{"line": 6, "column": 1}, {"line": 9, "column": 200}]
        body = await editor.ask("setBreakpoints", source={"path": program.path}, breakpoints=wanted)
        assert verified(body["breakpoints"]) == [True, False]
        message = "line 9 has no column 200: it is 21 characters long"
        assert body["breakpoints"][1]["message"] == message
        assert await stops(editor) == [6]


async def test_ids_are_not_needed(tmp_path: Path) -> None:
    """Who ignores them has the answers in the order of the list, and events with the places."""
    program = _python(tmp_path)
    async with configuring(program, tmp_path) as editor:
        answers = await set_lines(editor, program.path, 9, 6)
        assert [each["line"] for each in answers] == [9, 6]
        assert await stops(editor) == [6, 9]
