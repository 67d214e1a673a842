"""The event log: numbered without gaps, bounded, with readers that can't hold it up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.support.sessions import within
from tuidbg.session.model.events import EventLog, EventsLost, LogEntry, NoticeGiven, OutputProduced


def filled(count: int, limit: int = 10_000) -> EventLog:
    log = EventLog(limit)
    for number in range(1, count + 1):
        log.append(OutputProduced(last=number), "tui")
    return log


async def take(entries: AsyncIterator[LogEntry], count: int) -> list[LogEntry]:
    async with asyncio.timeout(5):
        return [await anext(entries) for _ in range(count)]


def test_numbers_start_at_one_and_have_no_gaps() -> None:
    log = filled(5)
    assert [e.seq for e in log.since(0)] == [1, 2, 3, 4, 5]
    assert log.last_seq == 5
    assert {e.origin for e in log.since(0)} == {"tui"}
    times = [e.time for e in log.since(0)]
    assert times == sorted(times)


def test_an_empty_log() -> None:
    assert EventLog().last_seq == 0
    assert EventLog().since(0) == []


@pytest.mark.parametrize(
    ("after", "seqs"),
    [(0, [4, 5, 6]), (3, [4, 5, 6]), (4, [5, 6]), (6, []), (99, []), (-5, [4, 5, 6])],
)
def test_the_log_is_bounded(after: int, seqs: list[int]) -> None:
    assert [e.seq for e in filled(6, limit=3).since(after)] == seqs


def test_reading_does_not_consume() -> None:
    log = filled(3)
    assert log.since(1) == log.since(1)


async def test_readers_are_independent() -> None:
    log = filled(2)
    first, second, late = log.follow(0), log.follow(1), log.follow()
    assert [e.seq for e in await take(first, 2)] == [1, 2]
    waiting = asyncio.create_task(take(late, 1))
    await asyncio.sleep(0)
    log.append(NoticeGiven(text="three"), "adapter")
    assert [e.seq for e in await take(second, 2)] == [2, 3]
    assert [e.seq for e in await waiting] == [3]
    assert [e.seq for e in await take(first, 1)] == [3]


async def test_a_slow_reader_is_told_what_it_lost() -> None:
    log = filled(2, limit=4)
    reader = log.follow(0)
    await take(reader, 1)
    for number in range(3, 11):
        log.append(OutputProduced(last=number), "adapter")
    # It holds what it had been given already.
    entries = await take(reader, 6)
    assert [e.event for e in entries][:2] == [OutputProduced(last=2), EventsLost(count=4)]
    assert [e.seq for e in entries] == [2, 6, 7, 8, 9, 10]
    assert entries[1].origin == "log"


async def test_a_reader_that_has_never_read_is_told_too() -> None:
    reader = filled(10, limit=3).follow(0)
    first, *others = await take(reader, 4)
    assert first.event == EventsLost(count=7)
    assert [e.seq for e in others] == [8, 9, 10]


async def test_events_appended_while_a_reader_is_at_work_are_not_lost() -> None:
    log = EventLog()
    seen: list[int] = []

    async def read() -> None:
        async for entry in log.follow(0):
            seen.append(entry.seq)
            if entry.seq < 50:
                log.append(NoticeGiven(text="more"), "adapter")
            else:
                return

    log.append(NoticeGiven(text="first"), "adapter")
    await within(5, read())
    assert seen == list(range(1, 51))


async def test_a_reader_that_goes_leaves_nothing_behind() -> None:
    log = EventLog()
    reading = asyncio.create_task(take(log.follow(), 1))
    await asyncio.sleep(0)
    assert len(log._waiters) == 1
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not log._waiters
    log.append(NoticeGiven(text="to nobody"), "adapter")
