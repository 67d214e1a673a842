"""Pictures of every pane and dialog, at the sizes that people have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.fakes import Script
from tests.support.pictures import NAMES, SIZES, Pictures, Scene, Size, Stage, stop_in_loop
from tests.support.recording import busy, moment, program
from tests.support.sessions import until
from tuidbg.config.stores.remembered import RecentProgram, Remembered
from tuidbg.session.core.session import Session
from tuidbg.session.features.doctor.doctor import Doctor
from tuidbg.session.features.doctor.rules import Diagnosis, Mend
from tuidbg.session.model.events import TraceProduced
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    OnError,
    Place,
    Status,
    TraceRecord,
)
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.palette import CommandsPalette, CommandsPane
from tuidbg.tui.features.breakpoints.doctor_dialog import DoctorDialog
from tuidbg.tui.toolkit.theme.theme import register_themes

# What is on the pictures


async def marks(stage: Stage) -> None:
    """Every mark in the gutter and in the list."""
    breakpoints, path = stage.session.breakpoints, str(stage.source)
    await breakpoints.set(path, 22, origin="tui")
    await breakpoints.set(path, 23, condition="value == 5", origin="tui")
    await breakpoints.set(path, 24, enabled=False, origin="tui")
    await breakpoints.set(path, 25, origin="tui")
    await stage.go("c")
    await stage.press("3", "down", "enter", "1", "g", "2", "5", "enter")


async def exception(stage: Stage) -> None:
    """At an uncaught exception."""
    await stage.go_to_exception()


async def terminated(stage: Stage) -> None:
    """After the end of the program."""
    await exception(stage)
    await stage.go("c")
    await until(lambda: stage.session.status is Status.TERMINATED, "the end")
    await stage.settle()


async def failed(stage: Stage) -> None:
    """After the death of the adapter."""
    await stage.session.breakpoints.set(str(stage.source), 22, origin="tui")
    client = stage.session.adapter.client
    assert client is not None
    client._end("fake was killed (SIGKILL)")
    await until(lambda: stage.session.status is Status.FAILED, "the failure")
    await stage.settle()


async def console(stage: Stage) -> None:
    """Every kind of line in the console."""
    output = stage.session.output
    output.add("stdout", "plain output of the program")
    output.add("stdout", "\x1b[32mgreen\x1b[0m and \x1b[1;35mbold magenta\x1b[0m [b]no markup[/b]")
    output.add("stderr", "a line on stderr")
    output.add("console", "a note of the debugger's")
    output.add("important", "something to act on")
    output.add("input", "parcels[0].weight * 2")
    output.add("result", "2")
    output.add("input", "parcels[")
    output.add("error", "SyntaxError: '[' was never closed")
    stage.screen.console.output_changed()
    await stage.press("5", "z")


def tab(key: str) -> Scene:
    """The stopped program with another pane in the shared place."""

    async def scene(stage: Stage) -> None:
        await stop_in_loop(stage)
        await stage.press(key)

    return scene


async def edit_breakpoint(stage: Stage) -> None:
    """The dialog of a breakpoint, its condition wrong."""
    await stop_in_loop(stage)
    await stage.press("B", *"total >>")


def show_points(stage: Stage, *points: Breakpoint) -> None:
    """Breakpoints as they would be with an adapter that can do everything."""
    stage.session.breakpoints.publish_all(points, origin="tui")


def point(stage: Stage, number: int, line: int = 0, **more: Any) -> Breakpoint:
    """A breakpoint that is set; on a line of the post office where one is given."""
    fields: dict[str, Any] = {"status": BreakpointStatus.SET, **more}
    if line:
        fields |= {"path": str(stage.source), "line": line}
    return Breakpoint(number=number, **fields)


async def kinds(stage: Stage) -> None:
    """Every kind and every mark, with what can be said of them."""
    pending, refused = BreakpointStatus.PENDING, BreakpointStatus.REFUSED
    place = Place(path=str(stage.source), line=17)
    show_points(
        stage,
        point(stage, 1, 7, hits=42),
        point(stage, 2, 8, condition="weight > 1", hit_condition="%10", hits=3, misses=9),
        point(stage, 3, 9, log_message="kind is {kind}", hits=1200),
        point(stage, 4, 10, trace=True, every=10, at_most=500, group="net"),
        point(stage, 5, 11, status=pending, temporary=True),
        point(stage, 6, 14, status=pending, trigger=1, armed=False),
        point(stage, 7, 18, status=pending, log_message="paid"),
        point(stage, 8, 19, status=pending, trace=True),
        point(stage, 9, 20, enabled=False, condition="paid", group="net"),
        point(
            stage,
            10,
            24,
            status=refused,
            message="no executable code at line 24",
            suggested_line=23,
        ),
        point(
            stage, 11, 17, kind=BreakpointKind.FUNCTION, function="parcels.stamp", places=(place,)
        ),
        point(
            stage,
            12,
            kind=BreakpointKind.EXCEPTION,
            exception=ExceptionRule("ValueError", modules=("post",)),
            hits=2,
        ),
        point(
            stage,
            13,
            kind=BreakpointKind.ADDRESS,
            address=0x401000,
            status=refused,
            message="this debug adapter can't stop at addresses",
        ),
        point(
            stage,
            14,
            kind=BreakpointKind.DATA,
            data="order.total",
            status=refused,
            message="this debug adapter can't watch data",
            origin="mcp",
        ),
    )
    await stage.press("4")


async def kinds_maximised(stage: Stage) -> None:
    """The list alone, with all that it says."""
    await kinds(stage)
    await stage.press("z")


async def muted(stage: Stage) -> None:
    """Breakpoints that don't stop, and where that is said."""
    await stop_in_loop(stage)
    await stage.session.breakpoints.mute(True, origin="tui")
    await stage.settle()
    stage.screen.status.clear_hint()
    await stage.settle()


async def breakpoint_full(stage: Stage) -> None:
    """The dialog of a breakpoint that has everything and is refused."""
    show_points(
        stage,
        point(stage, 1, 22, hits=3),
        point(
            stage,
            2,
            24,
            status=BreakpointStatus.REFUSED,
            message="no executable code at line 24",
            suggested_line=23,
            condition="paid > 3",
            hit_condition="%10",
            ignore_count=5,
            log_message="paid {paid} of {price}",
            trace=True,
            every=10,
            at_most=500,
            group="post",
            trigger=1,
            column=9,
            commands=("paid", "len(parcels)"),
            on_error=OnError.REPORT,
            hits=42,
            misses=7,
            errors=2,
        ),
    )
    await stage.press("4", "down", "B", "tab")


async def breakpoint_end(stage: Stage) -> None:
    """The same dialog with the focus on its last field."""
    await breakpoint_full(stage)
    stage.app.screen.query_one("#temporary").focus()
    await stage.settle()


async def function_breakpoint(stage: Stage) -> None:
    """The dialog for a function, with a name that is none."""
    await stage.press("f", *"parcels.", "enter")


async def exceptions(stage: Stage) -> None:
    """The dialog of exceptions, a type half typed."""
    show_points(
        stage,
        point(
            stage, 1, kind=BreakpointKind.EXCEPTION, exception=ExceptionRule("ValueError"), hits=4
        ),
        point(
            stage,
            2,
            kind=BreakpointKind.EXCEPTION,
            exception=ExceptionRule(
                "post.errors.Lost", raised=False, ignored=("post.errors.Late",), modules=("post",)
            ),
            enabled=False,
        ),
    )
    stage.session.exceptions.seen.update({"KeyError", "StopIteration", "post.errors.Lost"})
    await stage.press("x", "K")
    line = stage.app.screen.query_one("#type", Input)
    await until(lambda: bool(line._suggestion), "the suggestion")
    await stage.settle()


async def exceptions_lists(stage: Stage) -> None:
    """The same dialog with the focus in its list, one deleted."""
    await exceptions(stage)
    stage.app.screen.query_one("#rules").focus()
    await stage.settle()
    await stage.press("d", "down")


async def exceptions_empty(stage: Stage) -> None:
    """The dialog of exceptions with nothing in it."""
    await stage.press("x")


async def doctor(stage: Stage) -> None:
    """The doctor's answer, with two mends."""
    answer = Diagnosis(
        "its condition was never true",
        (
            "The program came to line 22 of parcels.py 42 times; paid > 10 was false each time.",
            "The last time, paid was 5.",
        ),
        (Mend("Delete the condition", "update"), Mend("Set it at line 23", "move")),
    )

    async def diagnose(number: int) -> Diagnosis:
        return answer

    await stage.session.breakpoints.set(str(stage.source), 22, condition="paid > 10", origin="tui")
    Doctor.of(stage.session).diagnose = diagnose  # type: ignore[method-assign]
    await stage.pilot.press("4", "y")
    await until(lambda: isinstance(stage.app.screen, DoctorDialog), "the dialog")
    await stage.pilot.pause()


async def trace(stage: Stage) -> None:
    """The trace, following."""
    log = stage.session.trace
    for number in range(1, 41):
        thread = "MainThread" if number % 3 else "Thread-1 (deliver)"
        log.append(
            TraceRecord(
                number=log.new_number(),
                breakpoint=3 + number % 2,
                count=number,
                time=1_700_000_000 + number * 0.0371,
                thread=thread,
                text=f"paid {number} of {number * 5}" + (", late" if number % 4 == 0 else ""),
                path=str(stage.source),
                line=20,
            )
        )
    stage.session.publish(TraceProduced(last=log.last_number), "program")
    await stage.press("6")
    pane = stage.screen.trace
    assert pane is not None
    await until(lambda: pane.total == 40 and not pane.pacing.is_resting, "the records")
    await stage.settle()


async def trace_filtered(stage: Stage) -> None:
    """Some of the records, scrolled up."""
    await trace(stage)
    assert stage.screen.trace is not None
    stage.screen.trace.set_filter("late")
    await stage.press("up")


async def trace_empty(stage: Stage) -> None:
    """The trace without records."""
    await stage.press("6")


async def trace_news(stage: Stage) -> None:
    """Records that nobody has looked at."""
    await trace(stage)
    await stage.press("5")
    stage.session.publish(TraceProduced(last=stage.session.trace.last_number), "program")
    await stage.settle()


async def help_screen(stage: Stage) -> None:
    """The help."""
    await stage.press("question_mark")


async def files(stage: Stage) -> None:
    """Breakpoints of several files: the shown one's first, the others folded; a long refusal."""
    why = {"status": BreakpointStatus.REFUSED, "message": "no executable code at line 16"}
    folder = stage.source.parent
    post, town = str(folder / "office" / "post.py"), str(folder / "town.py")
    show_points(
        stage,
        point(stage, 1, 20, hits=42),
        point(stage, 2, 16, suggested_line=17, **why),
        point(stage, 3, path=post, line=3, hits=7),
        point(stage, 4, path=post, line=16, **why),
        point(stage, 5, path=town, line=8, enabled=False),
        point(stage, 6, kind=BreakpointKind.EXCEPTION, exception=ExceptionRule("ValueError")),
    )
    await stage.press("4", "end")


async def search(stage: Stage) -> None:
    """The search, with matches."""
    await stage.press("slash", *"parcel")


async def palette(stage: Stage) -> None:
    """The command palette, searching."""
    await stage.pilot.press("ctrl+p", *"break")
    dialog = stage.app.screen
    assert isinstance(dialog, CommandsPalette)
    count = len(dialog.find("break"))
    await until(lambda: len(dialog.query_one(CommandsPane).rows) == count, "the commands with it")
    await stage.pilot.pause()


EVERYWHERE: dict[str, Scene] = {
    "stopped": stop_in_loop,
    "exception": exception,
    "console": console,
    "edit_breakpoint": edit_breakpoint,
    "help": help_screen,
    "search": search,
    "breakpoint_full": breakpoint_full,
    "exceptions": exceptions,
    "exceptions_lists": exceptions_lists,
    "doctor": doctor,
    "kinds": kinds,
    "files": files,
    "trace": trace,
}
NARROW: dict[str, Scene] = {
    "stack": tab("3"),
    "breakpoints": tab("4"),
    "console_tab": tab("5"),
    "breakpoint_end": breakpoint_end,
    "muted": muted,
    "trace_filtered": trace_filtered,
    "trace_news": trace_news,
}
ONCE: dict[str, Scene] = {
    "marks": marks,
    "terminated": terminated,
    "failed": failed,
    "palette": palette,
    "kinds_maximised": kinds_maximised,
    "muted_wide": muted,
    "function_breakpoint": function_breakpoint,
    "exceptions_empty": exceptions_empty,
    "trace_empty": trace_empty,
    "trace_news_wide": trace_news,
}
CASES = (
    [(name, size) for name in EVERYWHERE for size in SIZES]
    + [(name, size) for name in NARROW for size in SIZES[1:]]
    + [(name, SIZES[0]) for name in ONCE]
)
SCENES = {**EVERYWHERE, **NARROW, **ONCE}


@pytest.mark.sampled(12)
@pytest.mark.real
@pytest.mark.parametrize(("name", "size"), CASES, ids=[f"{name}-{w}x{h}" for name, (w, h) in CASES])
def test_picture(name: str, size: Size, pictures: Pictures) -> None:
    pictures.compare_scene(SCENES[name], size)


@pytest.mark.real
def test_light(pictures: Pictures) -> None:
    stage = pictures.make_stage()
    register_themes(stage.app)
    stage.app.theme = "tuidbg-light"
    pictures.compare_scene(marks, SIZES[0], stage)


@pytest.mark.full
@pytest.mark.real
def test_no_color(pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    pictures.compare_scene(marks, SIZES[0])


@pytest.mark.full
@pytest.mark.real
def test_running(pictures: Pictures, tmp_path: Path) -> None:
    path = str(tmp_path / "parcels.py")
    script = Script(program([moment(path, 1), busy(path, 22)]))
    stage = pictures.make_stage(script, stop_on_entry=False)

    async def act(pilot: Pilot[int]) -> None:
        stage.pilot = pilot
        await pilot.pause()
        await stage.session.lifecycle.start()
        await until(lambda: stage.session.status is Status.RUNNING)
        await until(lambda: "running" in stage.screen.status.text)
        await stage.settle()

    pictures.compare(stage.app, SIZES[1], act)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("known", [False, True], ids=["new", "recent"])
def test_start_screen(
    known: bool, size: Size, pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.tui.app.start.screen.__version__", "1.2.3")
    recent = (
        RecentProgram("script", "/demo/post/parcels.py", ("--all", "two words"), "/demo/post"),
        RecentProgram("module", "pytest", ("-x",), "/demo/post"),
    )

    def refuse(words: list[str], cwd: str) -> Session:
        raise ValueError(f"there is no file {words[0]}")

    app = TuidbgApp(
        open_session=refuse, remembered=Remembered(recent=recent if known else ()), cwd=os.sep
    )

    async def act(pilot: Pilot[int]) -> None:
        await pilot.pause()
        if known:
            await pilot.press(*"nope.py", "enter")

    pictures.compare(app, size, act)
