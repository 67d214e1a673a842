"""A client that takes the program for running is corrected: nvim-dap does so once it has asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.api.dap.test_dap_threads import joined
from tests.support.fakes import CAPABILITIES

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("next", {"threadId": 77}),
    ("stepIn", {"threadId": 77}),
    ("stepOut", {"threadId": 1, "granularity": "instruction"}),
    ("continue", {"threadId": 77}),
    ("stepBack", {"threadId": 1}),
    ("reverseContinue", {"threadId": 1}),
    ("goto", {"threadId": 1, "targetId": 99}),
    ("restartFrame", {"frameId": 99}),
]


async def test_a_refusal_is_followed_by_the_stop(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (_, one, two):
        first, others = one.events("stopped")[-1], two.mark
        for command, arguments in REFUSED:
            mark = one.mark
            await one.refused(command, **arguments)
            assert await one.stopped(mark) == first, command
            assert [each["type"] for each in one.told[mark:]] == ["response", "event"], command
        frames = await one.ask("stackTrace", threadId=1)
        await one.refused("next", threadId=77)
        assert await one.ask("stackTrace", threadId=1) == frames  # it is the same stop
        assert not two.events("stopped", others)


async def test_arguments_that_make_no_sense_are_no_step(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (_, one, _):
        mark = one.mark
        wrong = {"type": "request", "command": "next", "arguments": {"threadId": "one"}}
        assert not (await one.send_raw(wrong))["success"]
        await one.stopped(mark)


async def test_controls_that_are_kept_and_handed_back(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (_, one, two):
        hub = one.client.hub
        hub.hold("let me look")
        mark = one.mark
        assert "let me look" in await one.refused("next", threadId=1)
        await one.stopped(mark)
        marks = one.mark, two.mark
        hub.hand_back()
        for editor, mark in zip((one, two), marks, strict=True):
            await editor.stopped(mark)
            assert len(editor.events("stopped", mark)) == 1
        await one.step()


async def test_a_pause_of_what_is_paused(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (under_test, one, two):
        first, mark, others = one.events("stopped")[-1], one.mark, two.mark
        await one.ask("pause", threadId=1)
        assert await one.stopped(mark) == first
        assert not two.events("stopped", others)
        assert not under_test.fake.arguments_of("pause")


async def test_without_a_thread_the_whole_program_is_meant(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (under_test, one, _):
        first, mark = one.events("stopped")[-1], one.mark
        assert (await one.send_raw({"type": "request", "command": "pause"}))["success"]
        assert await one.stopped(mark) == first
        answer = await one.send_raw({"type": "request", "command": "continue", "arguments": {}})
        assert answer["body"] == {"allThreadsContinued": True}
        assert under_test.fake.arguments_of("continue")[-1]["threadId"] == first["threadId"]


async def test_a_frame_keeps_its_number_during_a_stop(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (_, one, _):
        first = (await one.ask("stackTrace", threadId=1))["stackFrames"]
        again = (await one.ask("stackTrace", threadId=1, startFrame=0, levels=1))["stackFrames"]
        assert again == first[:1]
        await one.step()
        after = (await one.ask("stackTrace", threadId=1))["stackFrames"]
        assert not {each["id"] for each in first} & {each["id"] for each in after}
        assert "earlier stop" in await one.refused("scopes", frameId=first[0]["id"])
