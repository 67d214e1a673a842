"""Pictures of recorded calls, at the sizes that people have."""

from __future__ import annotations

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tuidbg.session.features.recording.calls.recorder import CallRecordings, Recorder
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    LineEffect,
    Local,
    Phase,
    RecordingEnd,
    RecordingLimits,
)
from tuidbg.tui.features.recorded_calls.commands import show_recordings

pytestmark = pytest.mark.full


def make(stage: Stage, **changes: object) -> CallRecording:
    """A call of a function with two loops, as it was recorded."""
    fields: dict[str, object] = {
        "number": 1,
        "function": "send",
        "origin": "mcp",
        "path": str(stage.source),
        "first_line": 27,
        "is_whole": True,
        "phase": Phase.DONE,
        "ending": RecordingEnd.RETURNED,
        "returned": Local(name="send() returned", value="9360"),
        "sentence": "returned 9360",
        "seconds": 1.25,
        "line": 32,
        **changes,
    }
    recording = CallRecording(**fields)  # type: ignore[arg-type]
    recording.arguments = [Local(name="parcels", value="[<40 parcels>]", size="40")]
    course, total = recording.course, 0
    course.add(27, [LineEffect(name="total", kind="new", values=["0"])])
    for number in range(40):
        parcel = f"Parcel('parcel {number}', 'crate', {number})"
        course.add(28, [LineEffect(name="parcel", kind="new", values=[parcel])])
        course.add(29, [LineEffect(name="price", kind="new", values=[str(number * 12)])])
        called = LineEffect(name="stamp() returned", kind="returned", values=[str(number * 12)])
        before, total = total, total + number * 12
        after = LineEffect(name="total", kind="changed", before=str(before), values=[str(total)])
        course.add(30, [called, after] if number else [called])
        course.add(31)
    course.add(
        28, [LineEffect(name="parcel", kind="gone", before="Parcel('parcel 39', 'crate', 39)")]
    )
    course.add(32)
    recording.course.fold()
    recording.steps = 163
    return recording


async def returned(stage: Stage) -> None:
    CallRecordings.of(stage.session)._kept.append(make(stage))
    show_recordings(stage.screen)


async def raised(stage: Stage) -> None:
    """The second of two, from the middle of a call on, cut."""
    kept = CallRecordings.of(stage.session)._kept
    kept.append(make(stage))
    second = make(
        stage,
        number=2,
        ending=RecordingEnd.RAISED,
        returned=None,
        is_whole=False,
        exception="ValueError: too [heavy]",
        sentence="raised ValueError: too [heavy]",
        cut=["recorded the first 163 steps only"],
    )
    kept.append(second)
    show_recordings(stage.screen)


async def under_way(stage: Stage) -> None:
    recording = make(stage, phase=Phase.RECORDING, ending=RecordingEnd.NONE, returned=None)
    recorder = Recorder(stage.session, recording, RecordingLimits(), lambda: None)
    stage.session.stop_owner = recorder
    CallRecordings.of(stage.session)._kept.append(recording)
    show_recordings(stage.screen)


SCENES = {"returned": returned, "raised": raised, "under_way": under_way}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_recorded_calls(
    scene: str,
    size: Size,
    pictures: Pictures,
) -> None:
    async def looked_at(stage: Stage) -> None:
        await SCENES[scene](stage)
        await stage.until_dialog()
        await stage.pilot.press("down", "down", "down")
        await stage.pilot.pause()

    pictures.compare_scene(looked_at, size)
