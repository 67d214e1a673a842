"""Several editors on one session, with a person and programs: each sees what the others do."""

from __future__ import annotations

import asyncio
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.editors import (
    Editor,
    LocalEditor,
    connected_editor,
    local_editor,
    stdio_editor,
    why_refused,
)
from tests.support.served import BASE, served_session, use_own_folders
from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tuidbg.api.auth.callers import Caller, TokenScope
from tuidbg.api.dap import event_writer as telling
from tuidbg.api.dap import wire
from tuidbg.api.options import RelayOptions
from tuidbg.cli.serving import RelaySwitch
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.state import Status
from tuidbg.sharing.shared_sessions import find_hosts

pytestmark = pytest.mark.real

PROGRAM = """\
n = 0
while n < 1000:
    n += 1
    m = n
    if n == 500:
        print("half")
print("done")
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    use_own_folders(tmp_path, monkeypatch)
    short = tempfile.TemporaryDirectory(prefix="t-")  # names of sockets must not be long
    monkeypatch.setenv("XDG_RUNTIME_DIR", short.name)
    monkeypatch.setattr(telling, "GRACE", 0.0)
    yield
    short.cleanup()


class Shared:
    """A person's session with its hub."""

    def __init__(self, hub: Hub, under_test: SessionUnderTest, path: str) -> None:
        self.hub, self.under_test, self.path = hub, under_test, path

    @property
    def session(self) -> Session:
        return self.under_test.session

    async def editor(self, **more: object) -> LocalEditor:
        """One that has joined, and knows where the program stands."""
        editor = local_editor(self.hub)
        await editor.begin("attach", **more)  # type: ignore[arg-type]
        await editor.stopped()
        return editor

    def lines(self) -> list[int]:
        return sorted(b.line for b in self.session.breakpoints.registry)


@asynccontextmanager
async def shared(folder: Path, text: str = PROGRAM) -> AsyncIterator[Shared]:
    path = folder / "program.py"
    path.write_text(text)
    async with debugpy_session(folder, path, stop_on_entry=True) as under_test:
        hub = Hub(lambda plan: under_test.session.make_beside(plan))
        await under_test.start()
        hub.adopt(under_test.session, origin="tui")
        yield Shared(hub, under_test, str(path))
        await hub.close()
        under_test.closed_in = 0.0


@pytest.mark.full
async def test_one_who_comes_late_is_told_how_things_stand(tmp_path: Path) -> None:
    async with shared(tmp_path, 'print("early")\nn = 1\nn = 2\n') as place:
        await place.session.breakpoints.set(place.path, 2, origin="tui")
        await place.session.breakpoints.set(place.path, 3, condition="n == 1", origin="tui")
        await place.under_test.go(Resume.CONTINUE)
        editor = local_editor(place.hub)
        found = await editor.begin("attach", breakpoints={place.path: [{"line": 1}]})
        assert found[place.path][0]["verified"]
        stop = await editor.stopped()
        assert stop["hitBreakpointIds"] == [1]
        assert editor.events("process")[0]["systemProcessId"] == place.session.pid
        assert {e["reason"] for e in editor.events("thread")} == {"started"}
        new = [e["breakpoint"] for e in editor.events("breakpoint") if e["reason"] == "new"]
        assert [each["line"] for each in new] == [2, 3]
        groups = [e.get("group") for e in editor.events("output")]
        assert (groups[0], groups[-1]) == ("start", "end")
        assert "early\n" in editor.output
        assert await editor.line() == 2
        assert place.lines() == [1, 2, 3]
        await editor.ask("disconnect")
        assert place.session.status is Status.PAUSED


@pytest.mark.full
async def test_a_stop_a_step_and_the_end_reach_all(tmp_path: Path) -> None:
    async with shared(tmp_path, "n = 1\nn = 2\nn = 3\nn = 4\n") as place:
        one, two = await place.editor(), await place.editor()
        marks = one.mark, two.mark
        await one.step()
        await two.stopped(marks[1])
        assert len(two.events("continued", marks[1])) == 1
        assert not one.events("continued", marks[0])  # its own answer said so
        assert await one.line() == await two.line() == 2
        marks = one.mark, two.mark
        await place.under_test.go(Resume.STEP_OVER)  # the person does
        for editor, mark in zip((one, two), marks, strict=True):
            await editor.stopped(mark)
            assert len(editor.events("continued", mark)) == 1
        await two.ask("continue", threadId=1)
        for editor in (one, two):
            assert (await editor.event("exited"))["exitCode"] == 0
            await editor.event("terminated")


def _is_at(place: Shared, stop: int) -> bool:
    return place.session.stop_id == stop


@pytest.mark.full
async def test_of_two_that_step_at_once_one_is_refused(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        await place.session.breakpoints.set(place.path, 4, origin="tui")
        for _ in range(5):
            marks, stop = (one.mark, two.mark), place.session.stop_id
            answers = await asyncio.gather(
                one.answer("next", threadId=1), two.answer("next", threadId=1)
            )
            assert sorted(answer["success"] for answer in answers) == [False, True]
            (lost,) = (answer for answer in answers if not answer["success"])
            assert "while the program runs" in lost["message"]
            await until(partial(_is_at, place, stop + 1))
            for editor, mark in zip((one, two), marks, strict=True):
                await editor.stopped(mark)
                assert len(editor.events("stopped", mark)) == 1


async def test_breakpoints_of_others_are_told_and_kept(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        source = {"path": place.path}

        async def set_lines(editor: Editor, *lines: int) -> list[dict[str, object]]:
            wanted = [{"line": line} for line in lines]
            body = await editor.ask("setBreakpoints", source=source, breakpoints=wanted)
            found: list[dict[str, object]] = body["breakpoints"]
            return found

        (mine,) = await set_lines(one, 3)
        told = await two.event("breakpoint")
        assert (told["reason"], told["breakpoint"]["id"]) == ("new", mine["id"])
        assert not one.events("breakpoint")
        registry = place.session.breakpoints.registry
        person = await place.session.breakpoints.set(place.path, 4, condition="n > 5", origin="tui")
        await one.event("breakpoint")
        await set_lines(one, 3, 4)  # it repeats what it was told of
        assert registry.get(person.number).condition == "n > 5"
        mark = two.mark
        await set_lines(one, 3)  # and leaves it out: the list replaces what it was told of
        assert place.lines() == [3]
        gone = await two.event("breakpoint", mark)
        assert (gone["reason"], gone["breakpoint"]["id"]) == ("removed", person.number)
        mark = one.mark
        await place.session.breakpoints.remove(int(str(mine["id"])), origin="tui")
        gone = await one.event("breakpoint", mark)
        assert (gone["reason"], gone["breakpoint"]["id"]) == ("removed", mine["id"])
        person = await place.session.breakpoints.set(place.path, 6, origin="tui")
        mark = one.mark
        await place.session.breakpoints.update(person.number, enabled=False, origin="tui")
        changed = await one.event("breakpoint", mark)
        assert changed["reason"] == "changed"
        assert "disabled" in changed["breakpoint"]["message"]


@pytest.mark.full
async def test_what_was_not_told_yet_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shared(tmp_path) as place:
        editor = await place.editor()
        monkeypatch.setattr(telling, "GRACE", 60.0)
        await place.session.breakpoints.set(place.path, 4, origin="tui")
        await editor.ask("setBreakpoints", source={"path": place.path}, lines=[3])
        assert place.lines() == [3, 4]


@pytest.mark.full
async def test_values_that_one_sets_are_news_to_others(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        await one.step()
        await one.locals()
        frame = await one.frame()
        scope = (await one.ask("scopes", frameId=frame["id"]))["scopes"][0]
        reference = scope["variablesReference"]
        await one.ask("variables", variablesReference=reference)
        await one.ask("setVariable", variablesReference=reference, name="n", value="7")
        assert (await two.event("invalidated"))["areas"] == ["variables"]
        assert not one.events("invalidated")
        assert (await two.locals())["n"]["value"] == "7"
        await two.ask("evaluate", expression="n = 8", context="repl")
        await one.event("invalidated")


async def test_what_was_read_before_is_not_told_again_when_others_change_it(
    tmp_path: Path,
) -> None:
    """By the same reference as before: to be told that values have changed makes it no other."""
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        await one.step()
        scopes = []
        for editor in (one, two):
            frame = await editor.frame()
            scope = (await editor.ask("scopes", frameId=frame["id"]))["scopes"][0]
            scopes.append(scope["variablesReference"])
            await editor.ask("variables", variablesReference=scope["variablesReference"])
        await one.ask("setVariable", variablesReference=scopes[0], name="n", value="7")
        await two.ask("evaluate", expression="n = n + 1", context="repl")
        for editor, reference in zip((one, two), scopes, strict=True):
            found = await editor.ask("variables", variablesReference=reference)
            assert {each["name"]: each["value"] for each in found["variables"]}["n"] == "8"


async def test_who_cancels_leaves_the_evaluation_of_another(tmp_path: Path) -> None:
    async with shared(tmp_path, "import time\nn = 1\nn = 2\n") as place:
        one, two = await place.editor(), await place.editor()
        await one.step()
        slow = "for _ in range(80): time.sleep(0.01)"
        typed = one.send("evaluate", expression=slow, context="repl")
        await until(lambda: place.session.evaluation.running)
        theirs = two.send("evaluate", expression="n = 5", context="repl")
        await two.ask("cancel", requestId=two._seq)
        assert (await typed)["success"]
        assert await theirs  # be it called off, or too late for that


@pytest.mark.full
async def test_a_person_keeps_the_controls(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        editor = await place.editor()
        place.hub.hold("let me look")
        for command, arguments in (
            ("next", {"threadId": 1}),
            ("setBreakpoints", {"source": {"path": place.path}, "lines": [3]}),
            ("evaluate", {"expression": "1", "context": "repl"}),
            ("terminate", {}),
        ):
            assert "let me look" in await editor.refused(command, **arguments)
        assert await editor.line() == 1  # it may look
        told = "".join(e["output"] for e in editor.events("output"))
        assert "A person has taken the controls: let me look" in told
        place.hub.hand_back()
        await editor.step()
        actors = {(call.actor, call.action) for call in place.hub.activity}
        assert ("Test Editor", "next") in actors
        assert ("Test Editor", "join") in actors


@pytest.mark.full
async def test_scopes_of_a_token(tmp_path: Path) -> None:
    """Who may only look, looks; what may be secret is kept from whoever gets no secrets."""
    async with shared(tmp_path, 'password = "hunter2"\nn = 1\nn = 2\n') as place:
        caller = Caller("looker", frozenset({TokenScope.READ}), "dap", redact=Redaction.TEXTS)
        editor = local_editor(place.hub, caller=caller)
        await editor.begin("attach")
        await editor.stopped()
        await place.under_test.go(Resume.STEP_OVER)
        await editor.event("stopped", count=2)
        assert "hunter2" not in str(await editor.locals())
        for command, arguments in (
            ("next", {"threadId": 1}),
            ("evaluate", {"expression": "1", "context": "repl"}),
            ("setBreakpoints", {"source": {"path": place.path}, "lines": [3]}),
            ("disconnect", {"terminateDebuggee": True}),
        ):
            assert "does not allow" in await editor.refused(command, **arguments)
        assert place.session.status is Status.PAUSED


async def test_one_that_stops_reading_delays_nobody_and_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "OUTPUT_LIMIT", 10_000)
    monkeypatch.setattr(wire, "CUT_OFF", 400_000)
    text = 'for i in range(6000):\n    print("x" * 100)\nprint("y")\nn = 2\nn = 3\nn = 4\n'
    async with shared(tmp_path, text) as place:
        slow, quick = await place.editor(), await place.editor()
        slow.line_to.is_slow = True
        await place.session.breakpoints.set(place.path, 3, origin="tui")
        await quick.step("continue")
        await quick.until(lambda: len(quick.output) > 600_000, "all output")
        assert slow.line_to.unsent < 300_000  # no output any more
        assert slow.line_to.is_open
        slow.line_to.is_slow = False
        await quick.step("next")
        await quick.until(lambda: "y" in quick.output, "what is left out")
        await quick.step("next")
        left_out = [e["output"] for e in slow.events("output") if e["category"] == "important"]
        assert "left out here" in left_out[-1]
        slow.line_to.is_slow = True
        for _ in range(6000):
            slow.send("threads")
        await until(lambda: not slow.line_to.is_open)
        await quick.step("next")
        assert place.session.status is Status.PAUSED


@pytest.mark.full
async def test_one_that_dies_leaves_the_session_as_it_is(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        one.send("evaluate", expression="import time; time.sleep(0.2)", context="repl")
        one.client.lost()
        await two.step()
        assert await two.line() == 2


@pytest.mark.full
async def test_a_joiner_ends_the_program_only_if_it_says_so(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        one, two = await place.editor(), await place.editor()
        await one.ask("disconnect")
        assert place.session.status is Status.PAUSED
        await two.ask("disconnect", terminateDebuggee=True)
        await until(lambda: place.session.status is Status.TERMINATED)


@pytest.mark.full
async def test_exceptions_are_added_to_those_of_others(tmp_path: Path) -> None:
    async with shared(tmp_path) as place:
        await place.session.breakpoints.stop_at_exceptions(frozenset({"raised"}), origin="tui")
        editor = await place.editor(filters=["uncaught"])
        assert place.session.exceptions.filters == {"raised", "uncaught"}
        await editor.ask("setExceptionBreakpoints", filters=[])
        assert place.session.exceptions.filters == {"raised"}


# By the command


@pytest.mark.full
async def test_joining_a_running_tuidbg(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target, stdio_editor(tmp_path, "--join") as editor:
        await editor.begin("attach")
        await editor.stopped()
        assert await editor.line() == 1
        await editor.step()
        assert target.member.session.frames[0].place is not None
        answer = await target.ask("GET", f"{BASE}/sessions/{target.member.id}/threads")
        assert answer.status_code == 200
        await editor.ask("disconnect")
        assert await editor.ended() == 0
        await target.assert_unharmed()


@pytest.mark.full
async def test_joining_by_an_id_and_none_that_is_there(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        async with stdio_editor(tmp_path, "--join", target.member.id) as editor:
            await editor.begin("attach")
            await editor.stopped()
        await target.assert_unharmed()
        async with stdio_editor(tmp_path, "--join", "nobody") as editor:
            assert "nobody" in await editor.refused("initialize", adapterID="tuidbg")


@pytest.mark.full
async def test_a_joined_editor_that_is_killed_leaves_the_session(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        async with stdio_editor(tmp_path, "--join") as editor:
            await editor.begin("attach")
            await editor.stopped()
            editor.process.kill()
            await editor.ended()
        async with stdio_editor(tmp_path, "--join") as other:
            await other.begin("attach")
            await other.stopped()
            await other.step()
        await target.assert_unharmed()


async def test_much_too_long_a_message_to_a_running_tuidbg(tmp_path: Path) -> None:
    """It is passed on as it is taken, passed over there, and answered."""
    async with served_session(tmp_path) as target:
        async with stdio_editor(tmp_path, "--join") as editor:
            await editor.begin("attach")
            await editor.stopped()
            stdin, size, mark = editor.process.stdin, 100 * 1024 * 1024, editor.mark
            assert stdin is not None
            stdin.write(b"Content-Length: %d\r\n\r\n" % size)
            for _ in range(100):
                stdin.write(b"x" * (1 << 20))
                await stdin.drain()
            await editor.until(lambda: len(editor.told) > mark, "an answer")
            assert str(size) in why_refused(editor.told[mark])
            await editor.step()
        await target.assert_unharmed()


@pytest.mark.full
async def test_a_relay_that_goes_is_told(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target, stdio_editor(tmp_path, "--join") as editor:
        await editor.begin("attach")
        await editor.stopped()
        await target.relay.stop()
        assert await editor.ended() == 2
        assert target.member.session.status is Status.PAUSED


async def test_an_editor_hears_that_the_person_quits(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    async with debugpy_session(tmp_path, program, stop_on_entry=True) as under_test:
        switch = RelaySwitch(RelayOptions(port=0), under_test.guard, lambda: under_test.session)
        await under_test.start()
        await switch.start()
        async with stdio_editor(tmp_path, "--join") as editor:
            await editor.begin("attach")
            await editor.stopped()
            await switch.close()
            await editor.ended()
            assert len(editor.events("terminated")) == 1
            (exited,) = editor.events("exited")
            assert exited["exitCode"] <= 0  # pydevd's own end of the program, or our signal
        under_test.closed_in = 0.0


@pytest.mark.full
async def test_no_token_no_entry(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        answer = await target.ask("POST", "/dap", token="")
        assert answer.status_code == 401
        headers = {"Content-Type": "text/plain"}
        answer = await target.ask("POST", "/dap", content=b"x", headers=headers)
        assert answer.status_code == 400


async def _listening(folder: Path, *args: str) -> tuple[asyncio.subprocess.Process, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tuidbg", "dap", *args),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    assert process.stdout is not None
    told = (await process.stdout.readline()).decode()
    return process, told.removeprefix("Editors can connect to ").rstrip(".\n")


@pytest.mark.full
async def test_a_person_can_join_an_editors_session(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), stopOnEntry=True)
        await editor.stopped()
        await until(lambda: editor.process.pid in dict(find_hosts()))
    assert editor.process.pid not in dict(find_hosts())


@pytest.mark.full
async def test_a_client_on_a_port_is_not_led_to_other_sockets(tmp_path: Path) -> None:
    """What an adapter takes from its own editor, a server does not take from anybody."""
    process, where = await _listening(tmp_path, "--port", "0", "--auth", "none")
    host, _, port = where.rpartition(":")
    reached = asyncio.Event()
    path = str(tmp_path / "another.sock")
    other = await asyncio.start_unix_server(lambda reader, writer: reached.set(), path)
    try:
        async with connected_editor(await asyncio.open_connection(host, int(port))) as editor:
            await editor.ask("initialize", adapterID="tuidbg")
            assert "no session" in await editor.refused("attach", session="", tuidbgSocket=path)
            assert not reached.is_set()
    finally:
        other.close()
        process.terminate()
        await process.wait()


@pytest.mark.full
async def test_two_editors_on_a_port(tmp_path: Path) -> None:
    """The second joins what the first has begun; who hangs up leaves it as it is."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    process, where = await _listening(tmp_path, "--port", "0", "--auth", "none")
    host, _, port = where.rpartition(":")
    assert host == "127.0.0.1"
    try:
        async with connected_editor(await asyncio.open_connection(host, int(port))) as one:
            wanted = {str(program): [{"line": 3}]}
            await one.begin(program=str(program), breakpoints=wanted)
            await one.stopped()
            async with connected_editor(await asyncio.open_connection(host, int(port))) as two:
                await two.begin("attach")
                await two.stopped()
                mark = one.mark
                await two.step()
                await one.stopped(mark)
            await one.step()
            await one.ask("disconnect")
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.full
async def test_a_port_on_a_running_tuidbg(tmp_path: Path) -> None:
    """Editors that connect join the session of the tuidbg that serves."""
    async with served_session(tmp_path) as target:
        process, where = await _listening(tmp_path, "--join", "--port", "0", "--auth", "none")
        host, _, port = where.rpartition(":")
        try:
            async with connected_editor(await asyncio.open_connection(host, int(port))) as editor:
                await editor.begin("attach")
                await editor.stopped()
                assert await editor.line() == 1
                await editor.step()
        finally:
            process.terminate()
            await process.wait()
        await target.assert_unharmed()


@pytest.mark.full
async def test_a_socket_for_its_owner_alone(tmp_path: Path) -> None:
    process, where = await _listening(tmp_path, "--socket", "editors.sock")
    path = Path(where.removeprefix("the socket "))
    try:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        async with connected_editor(await asyncio.open_unix_connection(str(path))) as editor:
            assert await editor.ask("initialize", adapterID="tuidbg")
            assert "no session to join" in await editor.refused("attach", name="nothing")
    finally:
        process.terminate()
        await process.wait()
    assert not path.exists()


@pytest.mark.full
async def test_a_port_without_asking_for_it(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tuidbg", "dap", "--port", "0"),
        stderr=asyncio.subprocess.PIPE,
        cwd=tmp_path,
    )
    _, said = await process.communicate()
    assert process.returncode == 2
    assert "--auth none" in said.decode()
