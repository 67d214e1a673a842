"""`tuidbg join`: the real terminal on the real app on the real debugpy, in another process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import termios
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import KeepingGuard, until
from tests.support.terminal import Terminal
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.state import Status
from tuidbg.sharing.client import _carry
from tuidbg.sharing.host import BEHIND, HEADER, Joining
from tuidbg.tui.app.app import TuidbgApp

pytestmark = pytest.mark.real

PROGRAM = """\
import time
total = 0
for number in range(1000):
    total += number
    special = total * 2
print(total)
"""

Join = Callable[..., Terminal]


class Host:
    """A hub with one paused program, and the terminals that joined it."""

    def __init__(self, folder: Path) -> None:
        self.guard = KeepingGuard()
        self.hub = Hub(lambda plan: Session(plan, DebugpyProfile(), self.guard))
        self.socket = folder / "join.sock"
        self.joining = Joining(self.hub, self._make_app, self.socket)
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM)
        self.config = SessionConfig(project_root=str(folder), python_path=sys.executable)
        self.terminals: list[Terminal] = []

    def _make_app(self, member: HubSession) -> TuidbgApp:
        def refuse(words: list[str], cwd: str) -> Session:
            raise ValueError("not here")

        return TuidbgApp(open_session=refuse, session=member.session, is_joined=True, hub=self.hub)

    async def launch(self, name: str = "night") -> HubSession:
        member = self.hub.create(self.config, name=name, origin="rest")
        plan = LaunchPlan(
            kind=TargetKind.SCRIPT,
            target=str(self.program),
            cwd=str(self.program.parent),
            python=sys.executable,
            console=Console.INTERNAL,
        )
        await self.hub.launch(member, plan, origin="rest")
        await member.control.wait_for_stop()
        return member

    async def join(self, *words: str, columns: int = 100, rows: int = 30) -> Terminal:
        code = (
            "import sys; from pathlib import Path; from tuidbg.sharing.client import join;"
            f" sys.exit(join(Path({str(self.socket)!r}), *sys.argv[1:]))"
        )
        terminal = Terminal((sys.executable, "-c", code, *words), columns=columns, rows=rows)
        self.terminals.append(terminal)
        return terminal


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with hosted(tmp_path) as host:
        yield host


@contextlib.asynccontextmanager
async def hosted(folder: Path) -> AsyncIterator[Host]:
    host = Host(folder)
    await host.joining.start()
    try:
        yield host
    finally:
        for terminal in host.terminals:
            terminal.close()
        await host.joining.stop()
        await host.hub.close()
        assert not host.guard.remains()


async def shows(terminal: Terminal, text: str) -> None:
    await asyncio.to_thread(terminal.wait_for, text)


async def ended(terminal: Terminal) -> int:
    return await asyncio.to_thread(terminal.wait_exit, 10)


async def test_a_person_joins_steps_leaves_and_the_program_goes_on(host: Host) -> None:
    member = await host.launch()
    terminal = await host.join()
    await shows(terminal, "program.py")
    await shows(terminal, "Locals")
    stop = member.session.stop_id
    terminal.send("n")
    await until(lambda: member.session.stop_id == stop + 1)
    terminal.send("q")
    assert await ended(terminal) == 0
    await shows(terminal, "Left night; it goes on.")
    assert member.session.status is Status.PAUSED
    assert member.watchers == 0


@pytest.mark.full
async def test_two_people_see_the_same_program_each_in_their_own_size(host: Host) -> None:
    member = await host.launch()
    wide, narrow = await host.join(columns=140, rows=40), await host.join(columns=60, rows=15)
    await shows(wide, "Locals")
    await shows(narrow, "program.py")
    assert member.watchers == 2
    narrow.send("b")
    await shows(wide, "● 1 program.py:1")
    narrow.resize(100, 30)
    await shows(narrow, "Locals")
    narrow.send("q")
    await ended(narrow)
    wide.send("n")
    await until(lambda: member.session.stop is not None and member.session.stop_id == 2)


@pytest.mark.full
async def test_a_joined_screen_that_was_stopped_is_there_again(host: Host) -> None:
    await host.launch()
    terminal = await host.join()
    await shows(terminal, "Locals")
    raw = terminal.attributes()
    terminal.settle(0.2)
    terminal.send_signal(signal.SIGSTOP)
    termios.tcsetattr(terminal._slave, termios.TCSANOW, terminal.attributes_at_start)
    terminal.emulator.feed(b"\x1b[?1049l\x1b[2J")  # as a shell, and what was run in it, left it
    terminal.send_signal(signal.SIGCONT)
    await shows(terminal, "Locals")
    assert terminal.emulator.is_alternate
    assert terminal.attributes() == raw
    terminal.send("\xffn")
    await shows(terminal, "program.py:2")
    terminal.send("q")
    assert await ended(terminal) == 0
    assert terminal.attributes() == terminal.attributes_at_start


@pytest.mark.full
@pytest.mark.parametrize("by_key", [True, False])
async def test_who_joined_from_a_terminal_that_hangs_can_leave(host: Host, by_key: bool) -> None:
    await host.launch()
    terminal = await host.join(columns=140, rows=40)
    await shows(terminal, "Locals")
    for turn in range(40):
        terminal.resize(140 - turn % 2, 40)
        await asyncio.sleep(0.02)
    if by_key:
        terminal.key("ctrl+q")
    else:
        terminal.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(terminal.process.wait, 5) == (0 if by_key else 143)
    assert await ended(terminal) == (0 if by_key else 143)
    assert not terminal.emulator.is_alternate
    assert terminal.attributes() == terminal.attributes_at_start


@pytest.mark.full
async def test_the_crash_of_a_joined_screen_is_its_own(host: Host, monkeypatch: Any) -> None:
    member = await host.launch()
    monkeypatch.setattr(TuidbgApp, "leave", lambda self: self.panic("a fault"))
    terminal = await host.join()
    await shows(terminal, "Locals")
    terminal.send("q")
    assert await ended(terminal) == 1
    await shows(terminal, "The screen has failed; night goes on.")
    assert member.session.status is Status.PAUSED


@pytest.mark.full
async def test_whoever_is_there_is_told_when_the_session_is_deleted(host: Host) -> None:
    member = await host.launch()
    terminal = await host.join("night")
    await shows(terminal, "Locals")
    await host.hub.delete(member.id, origin="rest")
    assert await ended(terminal) == 0
    await shows(terminal, "Session night was deleted.")


@pytest.mark.full
async def test_who_joined_sees_what_programs_do_and_turns_to_another_session(host: Host) -> None:
    day, night = await host.launch("day"), await host.launch()
    terminal = await host.join("night", columns=140)
    await shows(terminal, "Locals")
    with host.hub.activity.note("step_over", actor="agent-7", origin="rest"):
        await night.control.step(Resume.STEP_OVER, origin="rest")
    await shows(terminal, "rest: step over")
    terminal.send("7")
    await shows(terminal, "agent-7")
    await night.session.breakpoints.set(str(host.program), 4, origin="rest")
    await shows(terminal, "1 program.py:4")
    terminal.send("\x1bOQ")  # F2
    await shows(terminal, "serves already")
    terminal.send("8")
    await shows(terminal, "Enter show")
    terminal.send("\x1b[A\r")
    await asyncio.to_thread(terminal.wait_for, lambda text: "Enter show" not in text)
    await asyncio.to_thread(terminal.wait_for, lambda text: "rest: step over" not in text)
    assert (day.watchers, night.watchers) == (1, 0)
    await host.hub.delete(night.id, origin="rest")
    terminal.send("n")
    await shows(terminal, "program.py:2")
    terminal.send("q")
    assert await ended(terminal) == 0
    await shows(terminal, "Left day; it goes on.")
    assert day.watchers == 0


@pytest.mark.full
@pytest.mark.parametrize("wanted", ["sess_00000000", ""])
async def test_there_is_no_such_session(host: Host, wanted: str) -> None:
    terminal = await host.join(wanted)
    assert await ended(terminal) == 2
    await shows(terminal, "there is no session")


@pytest.mark.full
async def test_of_several_hosts_it_is_the_one_that_has_the_session(
    host: Host, tmp_path: Path
) -> None:
    await host.launch("night")
    (tmp_path / "second").mkdir()
    async with hosted(tmp_path / "second") as second:
        await second.launch("day")
        terminal = await host.join("day", str(tmp_path / "gone.sock"), str(second.socket))
        await shows(terminal, "Locals")
        assert (len(host.joining.clients), len(second.joining.clients)) == (0, 1)
        terminal.send("q")
        assert await ended(terminal) == 0
        await shows(terminal, "Left day; it goes on.")


@pytest.mark.full
async def test_the_terminal_is_given_back_when_the_other_side_dies(host: Host) -> None:
    await host.launch()
    terminal = await host.join()
    await shows(terminal, "Locals")
    for writer in tuple(host.joining.clients):
        writer.transport.abort()
    assert await ended(terminal) == 1
    await shows(terminal, "The connection broke off; the session may go on.")
    assert terminal.attributes() == terminal.attributes_at_start


@pytest.mark.full
@pytest.mark.parametrize(
    "junk",
    [b"", b"GET / HTTP/1.1\r\n\r\n", HEADER.pack(b"h", 4) + b"null", HEADER.pack(b"h", 2**31)],
    ids=["nothing", "http", "no hello", "endless"],
)
async def test_rubbish_on_the_socket_harms_nobody(host: Host, junk: bytes) -> None:
    member = await host.launch()
    _, writer = await asyncio.open_unix_connection(host.socket)
    writer.write(junk)
    writer.write_eof()
    await until(lambda: not host.joining.clients)
    writer.close()
    terminal = await host.join()
    await shows(terminal, "Locals")
    assert member.session.status is Status.PAUSED


@pytest.mark.full
async def test_a_terminal_that_reads_nothing_is_let_go(host: Host, monkeypatch: Any) -> None:
    monkeypatch.setattr("tuidbg.sharing.host.UNREAD", 20_000)
    member = await host.launch()
    deaf = socket.socket(socket.AF_UNIX)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(str(host.socket))
    hello = b'{"columns": 200, "rows": 60}'
    deaf.sendall(HEADER.pack(b"h", len(hello)) + hello)
    await until(lambda: member.watchers == 1)
    toggle = HEADER.pack(b"i", 1) + b"z"  # a pane over the whole screen, or back
    while member.watchers:
        with contextlib.suppress(OSError):
            deaf.sendall(toggle)
        await asyncio.sleep(0.01)  # a key at a time, each with its picture
    deaf.close()


@pytest.mark.full
async def test_a_terminal_that_is_behind_gets_the_newest_picture_only(host: Host) -> None:
    member = await host.launch()
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(host.socket))
    line.setblocking(False)
    hello = b'{"columns": 200, "rows": 60, "tells_painted": true}'
    line.sendall(HEADER.pack(b"h", len(hello)) + hello)
    await until(lambda: member.watchers == 1)
    received = bytearray()

    async def take(enough: int) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                while len(received) < enough:
                    received.extend(await asyncio.get_running_loop().sock_recv(line, 1 << 16))

    toggle = HEADER.pack(b"i", 1) + b"z"  # a pane over the whole screen, or back
    for _ in range(100):
        line.sendall(toggle)
        await asyncio.sleep(0.01)  # a key at a time
    await take(1 << 20)
    behind = len(received)
    assert behind < 4 * BEHIND
    painted = b'{"count": %d}' % behind
    line.sendall(HEADER.pack(b"p", len(painted)) + painted + toggle)
    await take(behind + 1)
    assert len(received) > behind
    line.close()


@pytest.mark.full
async def test_what_would_touch_the_other_terminal_is_refused(host: Host) -> None:
    await host.launch()
    terminal = await host.join(columns=140, rows=40)
    await shows(terminal, "Locals")
    terminal.send("\x1a")
    await shows(terminal, "only shows a tuidbg that runs elsewhere")
    terminal.send("\x05")
    await shows(terminal, "the editor would open where tuidbg runs")


@pytest.mark.full
async def test_the_end_of_the_host_is_told(host: Host) -> None:
    await host.launch()
    terminal = await host.join()
    await shows(terminal, "Locals")
    await host.joining.stop()
    assert await ended(terminal) == 0
    await shows(terminal, "The tuidbg that held the session has ended.")


def test_last_words_are_read_though_nobody_listens_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A key is typed just as the session ends: the other side has gone before that arrives."""
    here, there = socket.socketpair()
    typed, typing = os.pipe()
    woken, waking = os.pipe()
    body = json.dumps({"text": "the session is over", "status": 0}).encode()
    there.sendall(HEADER.pack(b"g", len(body)) + body)
    there.close()
    os.write(typing, b"n")
    with here, open(typed, encoding="ascii") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        assert _carry(here, woken) == ("the session is over", 0)
    for each in (typing, woken, waking):
        os.close(each)
