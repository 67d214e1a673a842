"""Programs whose files are not here under their names: their text, and the folders' two names.

The program is started by a path that means another folder in each process (``/proc/self/cwd``), so
that its files are nowhere to us, as if it ran on another machine.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.attachable import PROGRAM, RETURN, TOTAL, attached_session, free_port, listens
from tests.support.sessions import SessionUnderTest, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.remote import Proposal, compare, find_twin
from tuidbg.session.features.doctor.doctor import Doctor
from tuidbg.session.model.state import BreakpointStatus, Status

FAR = "/proc/self/cwd/app"
"""Is what the program calls the folder of its file."""

needs_proc = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")


@asynccontextmanager
async def far_program(folder: Path, **plan: object) -> AsyncIterator[SessionUnderTest]:
    """A session that is to be attached to a program elsewhere; the project is ``folder/here``."""
    for name in ("there/app", "here/src"):
        (folder / name).mkdir(parents=True)
        (folder / name / "counting.py").write_text(PROGRAM)
    port = free_port()
    words = ["-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client"]
    process = await asyncio_start(words, folder)
    try:
        await until(lambda: listens(port), "the debug server listens")
        async with attached_session(folder / "here", port=port, **plan) as under_test:
            yield under_test
            await under_test.close()
    finally:
        process.kill()
        await process.wait()


async def asyncio_start(words: list[str], folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        f"{FAR}/counting.py",
        str(folder / "count"),
        cwd=folder / "there",
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )


def place(under_test: SessionUnderTest) -> tuple[str, int]:
    found = under_test.session.frames[0].place
    assert found is not None
    return found.path, found.line


@pytest.mark.full
@pytest.mark.real
@needs_proc
async def test_a_file_that_is_only_there_is_fetched_and_breaks(tmp_path: Path) -> None:
    async with far_program(tmp_path) as under_test:
        session = under_test.session
        await session.breakpoints.set(f"{FAR}/counting.py", TOTAL, origin="tui")
        await session.lifecycle.start()
        await under_test.settled()
        assert place(under_test) == (f"{FAR}/counting.py", TOTAL)
        assert under_test.breakpoint(TOTAL).status is BreakpointStatus.SET
        assert session.remote.is_elsewhere(f"{FAR}/counting.py")
        assert await session.remote.text(f"{FAR}/counting.py") == PROGRAM


@pytest.mark.real
@needs_proc
async def test_the_same_file_here_is_proposed_and_taken(tmp_path: Path) -> None:
    """At once, in the living program: the stack, the breakpoints of both names, and new ones."""
    async with far_program(tmp_path) as under_test:
        session, here = under_test.session, str(tmp_path / "here" / "src")
        await session.breakpoints.set(
            f"{FAR}/counting.py", TOTAL, condition="number > 1", origin="tui"
        )
        await session.breakpoints.set(f"{here}/counting.py", RETURN, origin="tui")
        await session.lifecycle.start()
        await under_test.settled()
        proposal = await session.remote.propose(f"{FAR}/counting.py")
        assert proposal == Proposal(f"{here}/counting.py", here, FAR, 1.0)
        await session.remote.accept(proposal, origin="tui")
        assert place(under_test) == (f"{here}/counting.py", TOTAL)
        both = [(b.path, b.line, b.status) for b in session.breakpoints.registry]
        assert sorted(both) == [
            (f"{here}/counting.py", TOTAL, BreakpointStatus.SET),
            (f"{here}/counting.py", RETURN, BreakpointStatus.SET),
        ]
        assert under_test.breakpoint(TOTAL).condition == "number > 1"
        for line in (RETURN, TOTAL, RETURN):
            await under_test.go(Resume.CONTINUE)
            assert place(under_test) == (f"{here}/counting.py", line)
        before = session.stop_id
        await session.lifecycle.restart()  # which tells the adapter of it again
        await under_test.settled(before)
        assert place(under_test)[0] == f"{here}/counting.py"


@pytest.mark.full
@pytest.mark.real
@needs_proc
async def test_mappings_that_are_given_hold_from_the_first_line_on(tmp_path: Path) -> None:
    here = str(tmp_path / "here" / "src")
    async with far_program(tmp_path, path_mappings={here: FAR}) as under_test:
        session = under_test.session
        await session.breakpoints.set(f"{here}/counting.py", TOTAL, origin="tui")
        await session.lifecycle.start()
        await under_test.settled()
        assert place(under_test) == (f"{here}/counting.py", TOTAL)
        assert under_test.breakpoint(TOTAL).status is BreakpointStatus.SET
        assert (await under_test.locals())["number"].value == "1"
        assert "matches nothing" not in under_test.console


@pytest.mark.full
@pytest.mark.real
@needs_proc
async def test_the_doctor_proposes_it_too(tmp_path: Path) -> None:
    """For a breakpoint that does not stop, since the program calls its file otherwise."""
    async with far_program(tmp_path) as under_test:
        session, here = under_test.session, str(tmp_path / "here" / "src")
        await session.breakpoints.set(f"{here}/counting.py", RETURN, origin="tui")
        await session.lifecycle.start()
        await under_test.until(lambda: session.status is Status.RUNNING)
        await under_test.until(lambda: f"{FAR}/counting.py" in session.probe.loaded_files)
        diagnosis = await Doctor.of(session).diagnose(1)
        mend = next(m for m in diagnosis.mends if m.action == "map")
        assert mend.title == f"Take {FAR} for {here}"
        await Doctor.of(session).apply(1, mend, origin="tui")
        await under_test.settled()
        assert place(under_test) == (f"{here}/counting.py", RETURN)


@pytest.mark.full
@pytest.mark.real
@needs_proc
async def test_a_mapping_that_matches_nothing_is_told(tmp_path: Path) -> None:
    here = str(tmp_path / "here" / "src")
    async with far_program(tmp_path, path_mappings={here: "/no/such"}) as under_test:
        await under_test.session.lifecycle.start()
        told = (
            "there is no folder /no/such where the program runs, so the path map"
            f" {here}=/no/such matches nothing"
        )
        await under_test.until(lambda: told in under_test.output("important"))


# Which file it is


def test_a_file_of_that_name_and_text_is_found(tmp_path: Path) -> None:
    texts = {
        "a/util.py": "x = 1\ny = 2\n",
        "b/pkg/util.py": "x = 1\ny = 3\nz = 4\n",
        "c/pkg/util.py": "a = 1\nb = 2\nc = 3\n",
        "d/pkg/other.py": "x = 1\ny = 3\nz = 4\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    files = [tmp_path / name for name in texts]
    found = find_twin("/srv/pkg/util.py", "x = 1\ny = 3\nz = 5\nw = 6\n", files)
    assert found == Proposal(str(files[1]), str(tmp_path / "b"), "/srv", 0.5)
    assert find_twin("/srv/pkg/util.py", "nothing of it\n", files) is None


@pytest.mark.parametrize(
    ("far", "near", "roots"),
    [
        ("/app/pkg/m.py", "/home/me/proj/pkg/m.py", ("/home/me/proj", "/app")),
        ("/app/m.py", "/home/me/proj/src/m.py", ("/home/me/proj/src", "/app")),
        ("/app/m.py", "/home/me/app/m.py", ("/home/me/app", "/app")),  # never the root folder
        ("/srv/app/pkg/m.py", "/x/app/pkg/m.py", ("/x", "/srv")),
    ],
)
def test_the_folders_around_the_two(
    far: str, near: str, roots: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.session.core.sources.remote.read_text", lambda path: "x = 1\n")
    found = find_twin(far, "x = 1\n", [Path(near)])
    assert found is not None
    assert (found.local, found.remote) == roots


def test_texts_are_compared_by_their_lines() -> None:
    assert compare("a\n\nb\n", "a\nb") == 1.0
    assert compare("a\nb\n", "b\na\n") == 0.99  # not the same
    assert compare("a\nb\nc\nd\n", "a\nb\nx\ny\n") == 0.5
    assert compare("", "a\n") == 0.0
