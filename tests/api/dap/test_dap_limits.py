"""Much at once, and what takes long: an editor is neither kept waiting in silence nor let down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.editors import ProcessEditor, local_editor, stdio_editor, why_refused
from tests.support.fakes import Script
from tests.support.recording import moment
from tests.support.recording import program as program_of
from tests.support.sessions import fake_session
from tuidbg.session.hub.hub import Hub

pytestmark = pytest.mark.full

MANY = 10_000


async def launched(editor: ProcessEditor, program: Path, line: int, **hello: object) -> None:
    wanted = {str(program): [{"line": line}]}
    await editor.begin(program=str(program), breakpoints=wanted, hello=dict(hello))
    await editor.stopped()


async def test_ten_thousand_breakpoints_in_one_request(tmp_path: Path) -> None:
    """On the fake adapter, which takes no time for them."""
    path = "/demo/many.py"
    script = Script(program_of([moment(path, line) for line in range(1, MANY + 2)]))
    async with fake_session(tmp_path, script) as under_test:
        hub = Hub(lambda plan: under_test.session.make_beside(plan))
        await under_test.start()
        hub.adopt(under_test.session, origin="tui")
        editor = local_editor(hub)
        await editor.begin("attach")
        await editor.stopped()
        source, lines = {"path": path}, list(range(2, MANY + 2))
        answer = (await editor.ask("setBreakpoints", source=source, lines=lines))["breakpoints"]
        assert [each["line"] for each in answer] == lines
        assert all(each["verified"] for each in answer)
        await editor.step("continue")
        assert await editor.line() == 2
        told = await editor.refused("setBreakpoints", source=source, lines=[1] * 20_001)
        assert "20001" in told
        assert (await editor.ask("setBreakpoints", source=source, lines=[]))["breakpoints"] == []
        await hub.close()
        under_test.closed_in = 0.0


@pytest.mark.real
async def test_two_thousand_breakpoints_on_debugpy(tmp_path: Path) -> None:
    """They take effect together: each is set, the first and the last stop, and all can go."""
    first, last = 4, 2003
    program = tmp_path / "program.py"
    body = "".join(f"    a = {number}\n" for number in range(first, last + 1))
    program.write_text(f"n = 1\nm = 2\ndef f():\n{body}f()\nm = 3\nm = 4\n")
    source = {"path": str(program)}
    async with stdio_editor(tmp_path) as editor:
        await launched(editor, program, 2)
        lines = list(range(first, last + 1))
        answer = (await editor.ask("setBreakpoints", source=source, lines=lines))["breakpoints"]
        assert [(each["line"], each["verified"]) for each in answer] == [(n, True) for n in lines]
        await editor.step("continue")
        assert await editor.line() == first
        await editor.ask("setBreakpoints", source=source, lines=[last, last + 2])
        await editor.step("continue")
        assert await editor.line() == last
        await editor.step("continue")
        assert await editor.line() == last + 2


def _most_memory(pid: int) -> int:
    """MiB that a process has had at most."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


@pytest.mark.real
async def test_a_message_of_a_hundred_megabytes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("n = 1\nm = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await launched(editor, program, 2)
        before = _most_memory(editor.process.pid)
        size, piece, mark = 100 * 1024 * 1024, b"x" * (1 << 20), editor.mark
        stdin = editor.process.stdin
        assert stdin is not None
        stdin.write(b"Content-Length: %d\r\n\r\n" % size)
        for _ in range(100):
            stdin.write(piece)
            await stdin.drain()
        answers = await editor.until(
            lambda: [each for each in editor.told[mark:] if each["type"] == "response"], "an answer"
        )
        assert str(size) in why_refused(answers[0])
        assert (await editor.ask("evaluate", expression="n"))["result"] == "1"  # and all goes on
        assert _most_memory(editor.process.pid) - before < 60


@pytest.mark.real
async def test_what_takes_long_is_told_and_called_off(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import time\nn = 1\nm = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await launched(editor, program, 3, supportsProgressReporting=True)
        slow = editor.send(
            "evaluate",
            expression="for _ in range(6000): time.sleep(0.01)",
            context="repl",
        )
        number = editor._seq
        begun = await editor.event("progressStart")
        assert (begun["title"], begun["requestId"]) == ("Evaluating", number)
        assert begun["cancellable"]
        await editor.ask("cancel", progressId=begun["progressId"])
        assert (await slow)["message"] == "cancelled"
        assert (await editor.event("progressEnd"))["progressId"] == begun["progressId"]
        await editor.ask("evaluate", expression="n")
        assert len(editor.events("progressStart")) == 1  # of what is over soon nothing is told
        await editor.ask("cancel", progressId="nobody's")


@pytest.mark.real
async def test_nobody_is_told_of_progress_who_has_not_asked_for_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import time\nn = 1\nm = 2\n")
    async with stdio_editor(tmp_path) as editor:
        await launched(editor, program, 3)
        await editor.ask("evaluate", expression="time.sleep(0.8)", context="repl")
        assert not editor.events("progressStart")


@pytest.mark.real
@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
async def test_an_editor_that_ends_it_by_a_signal(signal: str, tmp_path: Path) -> None:
    """As Neovim does, which calls any other status than 0 an error of the adapter."""
    import signal as signals

    program = tmp_path / "program.py"
    program.write_text("import time\nn = 1\ntime.sleep(600)\n")
    async with stdio_editor(tmp_path) as editor:
        await launched(editor, program, 3)
        pid = editor.events("process")[0]["systemProcessId"]
        editor.hang_up()
        editor.process.send_signal(getattr(signals, signal))
        assert await editor.ended() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
