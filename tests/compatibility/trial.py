"""A trial of a row: its program under a session on the real debugpy, as the command line asks."""

from __future__ import annotations

import asyncio
import http.client
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from tests.compatibility.row import Row
from tests.support.attachable import free_port, listens
from tests.support.marked import MarkedProgram
from tests.support.processes import Processes, kill, place_of, stands
from tests.support.sessions import SessionUnderTest
from tests.support.waiting import wait_until
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.cli.commands.reach import attach
from tuidbg.cli.main import read_command_line
from tuidbg.config.launch import Plan
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.state import Status, Variable

PATIENCE = 20.0
"""Seconds for each thing that is awaited."""


def has_ended(session: Session) -> bool:
    return session.status in (Status.TERMINATED, Status.FAILED)


class Trial:
    """The program of a row in a folder of its own, and its session, once there is one."""

    def __init__(self, row: Row, folder: Path, python: Path) -> None:
        self.row, self.folder, self.python = row, folder, python
        self.port = free_port()
        self.programs = {
            name: MarkedProgram(folder, text.replace("{port}", str(self.port)), name)
            for name, text in row.files.items()
        }
        self._under_test: SessionUnderTest | None = None
        self.changes: dict[str, str] = {}
        """Variables of the environment that ``build`` sets."""
        self.pid: int | None = None
        """The process that ``build`` has started, to attach to."""
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def under_test(self) -> SessionUnderTest:
        assert self._under_test is not None
        return self._under_test

    @property
    def session(self) -> Session:
        """The session of the program itself."""
        return self.under_test.session

    @property
    def processes(self) -> Processes:
        return Processes(self.under_test)

    @property
    def sessions(self) -> list[Session]:
        """The sessions of all its processes."""
        return [each.session for each in self.processes.all] or [self.session]

    def place(self, mark: str) -> tuple[str, int]:
        """The file and the line with that mark."""
        (found,) = ((p, p[mark]) for p in self.programs.values() if mark in p.marks)
        return found[0].path, found[1]

    async def let_pass(self, seconds: float) -> None:
        """Be stopped for a while, as a person is who reads."""
        await asyncio.sleep(seconds)

    def run(self, *words: str, **env: str) -> None:
        """Run the row's Python without the debugger, to its end."""
        done = subprocess.run(
            [self.python, *words],
            cwd=self.folder,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a process that runs beside the session, until the trial's end."""
        log = (self.folder / "beside.log").open("wb")
        process = subprocess.Popen(
            words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        log.close()
        self._started.append(process)
        return process

    def wait_for(self, path: Path | str) -> None:
        """Wait for a file that a process beside the session makes."""
        wait_until(Path(path).exists, PATIENCE, f"no {path}")

    def child_of(self, pid: int) -> int:
        """Wait for the only child of a process."""
        path = Path(f"/proc/{pid}/task/{pid}/children")
        return int(wait_until(lambda: path.read_text().split(), PATIENCE)[0])

    def end(self) -> None:
        """End what was started beside the session."""
        for process in self._started:
            for child in (
                Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            ):
                kill(int(child))
            process.kill()
            process.wait()

    # The session

    async def start(self, *marks: str) -> None:
        """Set breakpoints at these marks and start the program."""
        for mark in marks:
            await self.session.breakpoints.set(*self.place(mark), origin="tui")
        await self.session.lifecycle.start()

    async def clear(self) -> None:
        """Delete all breakpoints."""
        for each in list(self.session.breakpoints.registry):
            await self.session.breakpoints.remove(each.number, origin="tui")

    async def until_stop(self, mark: str) -> Session:
        """Wait until one of the processes is stopped there."""
        path, line = self.place(mark)
        where = (Path(path).name, line)

        def found() -> list[Session]:
            return [s for s in self.sessions if stands(s) and place_of(s) == where]

        await self.until(found, f"a stop at {mark}")
        return found()[0]

    async def until(self, condition: object, what: str) -> None:
        """Wait for a condition; describe all processes if it is not met."""
        try:
            await self.under_test.until(condition, what, PATIENCE)  # type: ignore[arg-type]
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.processes.describe()}") from None

    async def go_on(self, session: Session, how: Resume = Resume.CONTINUE) -> None:
        await session.execution.resume(how, origin="tui")

    async def step(self, session: Session, how: Resume = Resume.STEP_OVER) -> int:
        """Step, and return the line of the stop."""
        before = session.stop_id
        await self.go_on(session, how)
        await self.until(lambda: stands(session, before), "the end of the step")
        return place_of(session)[1]

    async def until_end(self) -> int | None:
        """Wait until the program has ended; its exit code."""
        await self.until(lambda: self.under_test.ended, "the end of the program")
        return self.session.exit.code if self.session.exit is not None else None

    async def value(self, session: Session, expression: str) -> str:
        """An expression, as a person types it at the prompt."""
        found = await session.inspection.evaluate(expression, session.frames[0].id)
        return found.value

    async def locals(self, session: Session) -> dict[str, Variable]:
        """The locals, as the variables pane has them."""
        roots = await session.values.look(session.frames[0].id, {"Locals": ChildrenRequest()})
        found = next(root for root in roots if root.variable.name == "Locals")
        return {node.variable.name: node.variable for node in found.children or ()}

    @property
    def output(self) -> str:
        """All that the processes have written."""
        return "\n".join(line.text for each in self.sessions for line in each.output)

    # The program's terminal

    def type(self, text: str) -> None:
        """Type on the program's terminal."""
        self.session.terminal_io.send_input(text)

    @property
    def screen(self) -> str:
        """What stands on the program's terminal."""
        return self.session.program_screen.emulator.text

    # Requests to servers

    async def listening(self) -> None:
        """Wait until the program listens at the port."""
        await self.until(lambda: listens(self.port), "the server listens")

    def ask(self, path: str = "/") -> asyncio.Task[str]:
        """Send a request in the background."""
        answer = asyncio.create_task(asyncio.to_thread(self._fetch, path))
        answer.add_done_callback(
            lambda done: done.cancelled() or done.exception()
        )  # of killed ones
        return answer

    def _fetch(self, path: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()


@asynccontextmanager
async def trial_of(row: Row, folder: Path, python: Path) -> AsyncIterator[Trial]:
    """A trial whose session is closed at the end, and leaves no process."""
    trial = Trial(row, folder, python)
    try:
        async with _session(trial):
            yield trial
    finally:
        trial.end()


@asynccontextmanager
async def _session(trial: Trial) -> AsyncIterator[None]:
    row, folder = trial.row, trial.folder
    if row.build is not None:
        row.build(trial)
    known = {"port": str(trial.port), "folder": str(folder)}
    if trial.pid is not None:
        known["pid"] = str(trial.pid)
    words = [word.format(**known) for word in row.words]
    trial._under_test = SessionUnderTest(_plan(trial, words), DebugpyProfile(), folder)
    try:
        yield
    finally:
        await trial.session.close()


def _plan(trial: Trial, words: list[str]) -> Plan:
    """What the command line makes of these words."""
    if words[0] == "attach":
        asked = attach.read_options(attach.make_parser().parse_args(words[1:]))
        assert asked is not None and asked.plan is not None
        return replace(asked.plan, cwd=str(trial.folder))
    env = {**trial.row.env, **trial.changes}
    settings = [part for name, value in env.items() for part in ("--env", f"{name}={value}")]
    console = "terminal" if trial.row.on_terminal else "internal"
    options = ["--cwd", str(trial.folder), "--console", console, "--no-stop-on-entry"]
    options += ["--python", str(trial.python)]
    plan = read_command_line([*options, *settings, *words]).plan
    assert plan is not None
    return plan


async def run_row(row: Row, folder: Path, python: Path) -> None:
    """Play a row. Raises AssertionError for what is not as the row says."""
    os.environ.pop("VIRTUAL_ENV", None)  # the row's Python is named
    folder.mkdir(parents=True)
    try:
        async with trial_of(row, folder, python) as trial:
            await row.play(trial)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
