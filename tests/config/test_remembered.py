"""What is remembered of the programs that were debugged: the newest, of each folder so many."""

from __future__ import annotations

from tuidbg.config.stores.remembered import (
    MAX_PROGRAMS,
    MAX_RECENT,
    RecentProgram,
    Remembered,
    with_recent,
)


def program(name: str, cwd: str = "/a") -> RecentProgram:
    return RecentProgram(kind="script", target=f"{cwd}/{name}.py", cwd=cwd)


def test_the_newest_comes_first_and_each_once() -> None:
    remembered = Remembered()
    for name in ("one", "two", "one"):
        remembered = with_recent(remembered, program(name))
    assert remembered.recent == (program("one"), program("two"))


def test_one_folder_does_not_push_out_another() -> None:
    remembered = with_recent(Remembered(), program("here", "/b"))
    for number in range(3 * MAX_RECENT):
        remembered = with_recent(remembered, program(str(number)))
    assert remembered.recent[-1] == program("here", "/b")
    assert len(remembered.recent) == MAX_RECENT + 1


def test_there_is_an_end_to_it() -> None:
    remembered = Remembered()
    for number in range(2 * MAX_PROGRAMS):
        remembered = with_recent(remembered, program("x", f"/{number}"))
    assert len(remembered.recent) == MAX_PROGRAMS
