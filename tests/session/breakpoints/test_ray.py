"""Breakpoints in functions that Ray runs elsewhere: which they are, and that it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.breakpoints.binding.binding import find_ray_task
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.doctor.doctor import Doctor
from tuidbg.session.model.events import NoticeGiven

RAY = """\
import subprocess, sys
from pathlib import Path

class Task:
    def __init__(self, function):
        self._function = function
    def remote(self, *words):
        # As the raylet does: it is not Python that starts the worker.
        code = f"import jobs; print(jobs.{self._function.__name__}._function(*{words!r}))"
        command = ["sh", "-c", '"$@"', "sh", sys.executable, "-c", code]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, close_fds=True).stdout

def remote(*functions, **options):
    return Task(*functions) if functions else remote
"""
"""Stands in for Ray: what is decorated runs in a process that no Python has started."""

JOBS = """\
import ray as r
from ray import remote as far

@r.remote
def square(n):
    result = n * n
    return result

@far(num_cpus=2)
def cube(n):
    return n ** 3

@r.remote
class Counter:
    step = 2
    def add(self, n):
        return n + self.step

def here(n):
    return n + 1

def remote(function):
    return function

@remote
def mine():
    return 1
"""

PROGRAM = """\
import jobs
print("squared", jobs.square.remote(4))
print("added", jobs.here(4))
"""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *((4, ""), (5, ""), (6, "square"), (7, "square"), (11, "cube"), (15, "")),
        *((16, ""), (17, "Counter"), (20, ""), (27, "")),
    ],
)
def test_only_bodies_of_decorated_functions_run_elsewhere(
    line: int, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "jobs.py"
    path.write_text(JOBS, encoding="utf-8")
    task = find_ray_task(str(path), line)
    assert (task.name if task is not None else "") == name
    if task is not None:
        assert ("_function(...)" in task.sentence) == (name != "Counter")
        assert "attach to that worker" in task.sentence


@pytest.mark.parametrize("text", ["import ray\n@ray.remote\ndef f(:\n", "\0ray remote", ""])
def test_what_is_no_source_is_passed_over(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text, encoding="utf-8")
    assert find_ray_task(str(path), 1) is None
    assert find_ray_task(str(tmp_path), 1) is None


@pytest.mark.real
async def test_it_is_said_once_and_the_doctor_says_it_again(tmp_path: Path) -> None:
    for name, text in {"ray.py": RAY, "jobs.py": JOBS, "program.py": PROGRAM}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    jobs = str(tmp_path / "jobs.py")
    async with debugpy_session(tmp_path, tmp_path / "program.py") as test:
        session = test.session
        await session.breakpoints.set(jobs, 6, origin="tui")
        await test.start()
        await test.until(lambda: _told(test), "it is said")
        found = await session.breakpoints.set(jobs, 7, origin="tui")
        await session.breakpoints.set(jobs, 20, origin="tui")
        await test.go(Resume.CONTINUE)
        assert test.line == 20, "only what the program runs itself is stopped at"
        assert len(_told(test)) == 1
        diagnosis = await Doctor(session).diagnose(found.number)
        assert diagnosis.title == "Ray runs it elsewhere"
        assert diagnosis.sentences[0] == f"{_told(test)[0]}."


def _told(test: SessionUnderTest) -> list[str]:
    entries = test.session.events.since(0)
    notices = [each.event for each in entries if isinstance(each.event, NoticeGiven)]
    return [notice.text for notice in notices if notice.text.startswith("Ray runs square")]
