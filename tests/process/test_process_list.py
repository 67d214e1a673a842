"""The Python programs that run: found, named, described and filtered."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import wait_until
from tuidbg.adapters.debugpy.attach import attach_obstacle
from tuidbg.adapters.process import LocalGuard
from tuidbg.process.listing import (
    PythonProcess,
    describe_age,
    list_processes,
    match_processes,
    name_of,
    read_ps,
)


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[int]:
    """A Python program that sleeps."""
    script = tmp_path / "sleeper.py"
    script.write_text("import time\nprint(1, flush=True)\ntime.sleep(60)\n")
    words = [sys.executable, "-u", str(script), "some argument"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def find(pid: int) -> PythonProcess | None:
    return next((p for p in list_processes(attach_obstacle) if p.pid == pid), None)


@pytest.mark.full
@pytest.mark.real
def test_a_program_with_all_that_is_told_of_it(sleeper: int) -> None:
    found = find(sleeper)
    assert found is not None
    assert found.name == "sleeper.py"
    assert found.words[-1] == "some argument"
    assert found.user
    assert 0 <= found.age < 60


@pytest.mark.real
def test_tuidbg_and_what_it_has_started_are_left_out(sleeper: int) -> None:
    launch = LocalGuard().begin_launch()
    # The guardian's launches are named by the process that made them.
    environment = {name: value.removeprefix("local-") for name, value in launch.environment.items()}
    words = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, env={**os.environ, **environment}
    ) as debugged:
        assert debugged.stdout is not None
        debugged.stdout.readline()
        try:
            listed = {p.pid for p in list_processes(attach_obstacle)}
        finally:
            debugged.kill()
    assert sleeper in listed
    assert debugged.pid not in listed
    assert os.getpid() not in listed
    assert os.getppid() not in listed


@pytest.mark.full
@pytest.mark.real
def test_a_copy_of_itself_is_left_out(sleeper: int) -> None:
    """As the guardian is one."""
    pid = os.fork()
    if pid == 0:
        os.read(os.pipe()[0], 1)
        os._exit(0)
    try:
        wait_until(lambda: find(sleeper))
        assert find(pid) is None
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@pytest.mark.full
@pytest.mark.real
def test_what_can_not_be_attached_to_comes_last(sleeper: int) -> None:
    found = list_processes(lambda pid: "it belongs to another user" if pid == sleeper else "")
    assert found[-1].pid == sleeper
    assert found[-1].obstacle == "it belongs to another user"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python app.py --flag", "app.py"),
        ("/usr/bin/python3.11 -u -X dev -W error /srv/app/manage.py runserver", "manage.py"),
        ("python -m http.server 8000", "-m http.server"),
        ("python -mflask run", "-m flask"),
        ("python -c print(1)", "python -c"),
        ("python -m debugpy --listen 5678 --wait-for-client app.py", "app.py"),
        ("python -Xfrozen_modules=off -m debugpy --connect h:1 -m pkg.tool x", "-m pkg.tool"),
        ("/usr/bin/gunicorn app:app", "gunicorn"),
        ("gunicorn: worker", "gunicorn:"),
        ("python", "python"),
        ("", ""),
    ],
)
def test_what_a_person_calls_it(command: str, name: str) -> None:
    assert name_of(command.split()) == name


def process(pid: int, command: str, user: str = "me", age: float = 1.0) -> PythonProcess:
    words = tuple(command.split())
    return PythonProcess(pid, user, name_of(words), words, age)


LISTED = [
    process(101, "python /srv/shop/manage.py runserver"),
    process(102, "python -m celery worker", user="celery"),
    process(2101, "python /home/me/trainer.py --epochs 10"),
]


@pytest.mark.parametrize(
    ("typed", "pids"),
    [
        ("", [101, 102, 2101]),
        ("manage", [101]),
        ("mng", [101]),
        ("101", [101]),
        ("210", [2101]),
        ("celery", [102]),
        ("shop run", [101]),
        ("EPOCHS", [2101]),
        ("trainer", [2101]),
        ("tnr", [2101]),
        ("nothing of it", []),
    ],
)
def test_what_is_typed_filters_them(typed: str, pids: list[int]) -> None:
    assert [p.pid for p in match_processes(LISTED, typed)] == pids


def test_where_there_is_no_proc() -> None:
    said = (
        "    1     0 root     12-03:04:05 /sbin/launchd\n"
        "  501   1 me       01:02:03 /usr/bin/python3 -m http.server\n"
        "  502 501 me          00:07 python app.py\n"
        "rubbish\n"
    )
    rows = read_ps(said)
    assert [row.age for row in rows.values()] == [1_047_845, 3_723, 7]
    assert rows[501].words == ("/usr/bin/python3", "-m", "http.server")
    assert rows[502].parent == 501


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "0 s"), (59, "59 s"), (61, "1 min"), (7_300, "2 h"), (2e5, "2 d")]
)
def test_ages(seconds: float, shown: str) -> None:
    assert describe_age(seconds) == shown
