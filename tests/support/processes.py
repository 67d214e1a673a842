"""Programs that start processes, and the sessions of those processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status, StopReason


def stands(session: Session, after: int = 0) -> bool:
    """Returns whether it stands at a stop whose stack is known, and later than ``after``."""
    is_known = session.status is Status.PAUSED and session.stack_of == session.stop_id
    return is_known and session.stop_id > after


def reason_of(session: Session) -> StopReason | None:
    """Returns why it stands."""
    return session.stop.reason if session.stop is not None else None


def place_of(session: Session) -> tuple[str, int]:
    """The file's name and the line where it stands."""
    place = session.frames[0].place
    assert place is not None
    return Path(place.path).name, place.line


class Processes:
    """The family of a session under test."""

    def __init__(self, under_test: SessionUnderTest) -> None:
        self.under_test = under_test

    @property
    def root(self) -> Session:
        return self.under_test.session

    @property
    def all(self) -> list[ProcessInfo]:
        """All that are in the tree, the root first."""
        return list(self.root.family) if self.root.family is not None else []

    @property
    def children(self) -> list[ProcessInfo]:
        return self.all[1:]

    @property
    def standing(self) -> list[ProcessInfo]:
        """The further processes that stand at a stop."""
        return [r for r in self.children if stands(r.session)]

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for a condition; tells where all of them stand if it does not come."""
        try:
            await self.under_test.until(condition, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.describe()}") from None

    def describe(self) -> str:
        """All of them, for failing tests."""
        rows = []
        for relative in self.all:
            session = relative.session
            lines = " | ".join(line.text for line in session.output)
            where = place_of(session) if stands(session) else ""
            rows.append(f"{relative.name}: {session.status} {where} {session.failure} {lines}")
        return "\n".join(rows)

    async def stop_of_child(self, line: int) -> ProcessInfo:
        """Wait until one of the further processes stands at that line."""
        await self.until(lambda: self._at(line), f"a child stands at line {line}")
        return self._at(line)[0]

    def _at(self, line: int) -> list[ProcessInfo]:
        return [r for r in self.standing if place_of(r.session)[1] == line]

    async def go_on(self, relative: ProcessInfo, how: Resume = Resume.CONTINUE) -> None:
        """Let one of them go on."""
        await relative.session.execution.resume(how, origin="tui")

    async def run_to_end(self) -> list[tuple[int, int]]:
        """Let everything go on until the program has ended; (number, line) of all stops."""
        stops: list[tuple[int, int]] = []
        while True:
            await self.until(lambda: self.under_test.ended or self.standing or stands(self.root))
            if self.under_test.ended and not self.standing:
                return stops
            for relative in self.all:
                if stands(relative.session):
                    stops.append((relative.number, place_of(relative.session)[1]))
                    await self.go_on(relative)


def lives(pid: int) -> bool:
    """Returns whether that process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def kill(pid: int) -> None:
    """End a process that a test knows of, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def since(begun: float) -> float:
    """Seconds since then (``time.monotonic``)."""
    return time.monotonic() - begun
