"""Launching and attaching by dialogs: the list of launch.json, what is asked, the two forms."""

from __future__ import annotations

import math
import sys
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.screens import screen_rows, send_keys
from tests.support.sessions import until
from tuidbg.adapters.process import LocalGuard
from tuidbg.config.launch import AttachPlan, Console, LaunchPlan, TargetKind
from tuidbg.config.launch_json.trust import Trust
from tuidbg.config.launch_json.workspace import Workspace
from tuidbg.config.request import ScreenChoice, StartupRequest
from tuidbg.config.stores.remembered import RecentAttachment, RecentProgram, Remembered
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.launching.attach import AttachDialog
from tuidbg.tui.app.launching.configurations import (
    AgreementDialog,
    ConfigurationsDialog,
    NotesDialog,
    OptionsDialog,
    QuestionDialog,
)
from tuidbg.tui.app.launching.launch import LaunchDialog
from tuidbg.tui.app.start.screen import StartScreen, WalkedList
from tuidbg.tui.toolkit.dialogs.form import ChoiceField
from tuidbg.tui.toolkit.widgets.rows import RowsPane

LAUNCH = """{"configurations": [
    {"name": "App", "type": "debugpy", "request": "launch", "program": "app.py", "args": ["x"]},
    {"name": "Asking", "type": "debugpy", "request": "launch", "program": "${file}",
     "args": ["${input:size}", "${input:word}"]},
    {"name": "Built", "type": "debugpy", "request": "launch", "program": "app.py",
     "preLaunchTask": "make"},
    {"name": "Remote", "type": "debugpy", "request": "attach", "connect": {"port": 5678}},
    {"name": "Native", "type": "java", "request": "launch", "program": "."},
    {"name": "Gone", "type": "debugpy", "request": "launch", "program": "gone.py"}
], "compounds": [{"name": "Both", "configurations": ["App", "Built"], "stopAll": true}],
"inputs": [
    {"id": "size", "type": "pickString", "description": "Which size?", "options": ["s", "m", "l"],
     "default": "m"},
    {"id": "word", "type": "promptString", "description": "Which word?", "password": true}
]}"""

RECENT = (
    RecentProgram(kind="script", target="/home/me/bake.py", args=("a b",), cwd="/"),
    RecentProgram(kind="module", target="json.tool", cwd="/"),
)
ATTACHED = (
    RecentAttachment("db", 5678, path_mappings=(("/", "/app"),)),
    RecentAttachment("0.0.0.0", 5679, listen=True),
)


class Bench(TuidbgApp):
    """The app without a program; keeps the plans that it was asked to open."""

    def __init__(self, folder: Path, *, offer: str | None = None, agreed: bool = True) -> None:
        self.folder = folder
        self.requests: list[Sequence[StartupRequest]] = []
        self.stop_all = False
        trust = Trust(folder / "trusted.json")
        self.workspace = Workspace.read(
            folder / ".vscode" / "launch.json",
            cwd=folder,
            interpreter=sys.executable,
            trust=trust,
        )
        if agreed:
            self.workspace.agree("App")
        super().__init__(
            open_session=lambda words, cwd: self.fake(),
            remembered=Remembered(recent=RECENT, attached=ATTACHED),
            cwd=str(folder),
            hub=Hub(lambda plan: self.fake()),
            open_requests=self.open,
            find_workspace=lambda: self.workspace,
            offer=None if offer is None else ScreenChoice(self.workspace, offer, self.finish),
        )

    def finish(self, plan: LaunchPlan | AttachPlan) -> StartupRequest:
        return StartupRequest(plan=plan, theme="from the offer")

    def fake(self) -> Session:
        return Session(fake_plan("/here/none.py", "/here"), FakeProfile(), LocalGuard())

    def open(self, requests: Sequence[StartupRequest], stop_all: bool = False) -> list[Session]:
        self.requests.append(requests)
        self.stop_all = stop_all
        return [self.fake() for _ in requests]

    @property
    def plans(self) -> list[LaunchPlan | AttachPlan]:
        """The plans of the only thing that was opened."""
        (requests,) = self.requests
        return [request.plan for request in requests if request.plan is not None]

    @property
    def shown(self) -> str:
        return "\n".join(screen_rows(self))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "launch.json").write_text(LAUNCH)
    (tmp_path / "app.py").write_text("print(1)\n")
    return tmp_path


@asynccontextmanager
async def bench(
    folder: Path,
    *,
    offer: str | None = None,
    agreed: bool = True,
    size: tuple[int, int] = (100, 30),
) -> AsyncIterator[tuple[Bench, Pilot[int]]]:
    app = Bench(folder, offer=offer, agreed=agreed)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def comes(app: Bench, kind: type[object]) -> None:
    """Wait for a dialog or a screen."""
    await until(lambda: isinstance(app.screen, kind) and app.screen.is_mounted, kind.__name__)


async def type_in(pilot: Pilot[int], *keys: str) -> None:
    send_keys(pilot.app, *keys)
    await pilot.pause()


# The list


@pytest.mark.full
async def test_the_list_is_offered_at_the_start(folder: Path) -> None:
    async with bench(folder, offer="") as (app, pilot):
        await comes(app, ConfigurationsDialog)
        for words in ("App", "debugpy", "launch", "app.py x", "127.0.0.1:5678", "compound"):
            assert words in app.shown
        await type_in(pilot, "enter")
        await comes(app, DebugScreen)
        assert [plan.args for plan in app.plans] == [("x",)]
        assert app.requests[0][0].theme == "from the offer"


@pytest.mark.sampled
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_one_that_can_not_be_run_says_why(folder: Path, size: tuple[int, int]) -> None:
    async with bench(folder, offer="", size=size) as (app, pilot):
        await comes(app, ConfigurationsDialog)
        await type_in(pilot, *"nat", "enter")
        said = " ".join(app.shown.replace("│", " ").split())
        assert "Can't be run: \"java\" is for Java, which tuidbg can't debug yet." in said
        assert isinstance(app.screen, ConfigurationsDialog) and app.requests == []


@pytest.mark.full
async def test_typing_filters_and_enter_takes_in_one_packet(folder: Path) -> None:
    async with bench(folder, offer="") as (app, pilot):
        await comes(app, ConfigurationsDialog)
        await type_in(pilot, *"REMO", "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert isinstance(plan, AttachPlan) and plan.port == 5678


async def test_what_is_left_out_is_said_below(folder: Path) -> None:
    async with bench(folder, offer="") as (app, pilot):
        await comes(app, ConfigurationsDialog)
        await type_in(pilot, "down", "down")
        assert "\"preLaunchTask\" is not run; run the task 'make' yourself before." in app.shown


@pytest.mark.full
async def test_it_can_be_left(folder: Path) -> None:
    async with bench(folder, offer="") as (app, pilot):
        await comes(app, ConfigurationsDialog)
        await type_in(pilot, "escape")
        assert isinstance(app.screen, StartScreen) and app.requests == []


@pytest.mark.full
async def test_the_start_screen_runs_what_it_has(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        rows = app.screen.query_one(WalkedList)

        def offers() -> list[Hashable]:
            return [row.key for row in rows.rows if getattr(row.key, "name", "") == "App"]

        await until(lambda: bool(offers()), "the entry is offered")
        rows.move_cursor_to(offers()[0])
        await pilot.press("enter")
        await until(lambda: bool(app.requests), "App is run")
        assert [plan.target for plan in app.plans] == [str(folder / "app.py")]


async def test_a_file_that_makes_no_sense_is_told(folder: Path) -> None:
    async with bench(folder) as (app, _):

        def fail() -> Workspace:
            return Workspace.read(folder / "broken.json", cwd=folder, interpreter="x")

        (folder / "broken.json").write_text("{,")
        app.launching._find_workspace = fail
        app.launching.choose()
        told = "it ends in the midst"
        await until(lambda: told in " ".join(app.shown.split()), told)


async def test_no_file_is_told(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        app.launching._find_workspace = lambda: None
        app.launching.choose()
        await pilot.pause()
        assert "there is no .vscode/launch.json here or in a folder above" in app.shown


# Agreeing, reading, answering


async def test_a_new_file_is_agreed_to_first(folder: Path) -> None:
    async with bench(folder, offer="App", agreed=False) as (app, pilot):
        await comes(app, AgreementDialog)
        assert app.requests == [] and "Agree and run it" in app.shown
        await type_in(pilot, "a")
        await comes(app, DebugScreen)
        assert app.workspace.is_agreed("App") and len(app.plans) == 1


@pytest.mark.sampled
@pytest.mark.parametrize("keys", [["d"], ["escape"], ["enter"], ["q"]])
async def test_without_an_agreement_nothing_is_run(folder: Path, keys: list[str]) -> None:
    async with bench(folder, offer="App", agreed=False) as (app, pilot):
        await comes(app, AgreementDialog)
        await type_in(pilot, *keys)
        await comes(app, StartScreen)
        assert app.requests == [] and not app.workspace.is_agreed("App")


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_all_that_is_agreed_to_can_be_read(folder: Path, size: tuple[int, int]) -> None:
    launch = folder / ".vscode" / "launch.json"
    words = [f"word{n:03}" for n in range(150)]
    launch.write_text(LAUNCH.replace('"x"', ", ".join(f'"{word}"' for word in words)))
    async with bench(folder, offer="App", agreed=False, size=size) as (app, pilot):
        await comes(app, AgreementDialog)
        seen = app.shown
        for _ in range(30):
            await type_in(pilot, "pagedown")
            seen += app.shown
        flat = seen.replace("│", " ").replace("\n", " ")
        assert words[0] in flat and words[-1] in flat
        assert "Agree and run it" in app.shown  # the answers stay in sight


@pytest.mark.full
async def test_what_is_left_out_is_read_once(folder: Path) -> None:
    async with bench(folder, offer="Built") as (app, pilot):
        await comes(app, NotesDialog)
        assert "the task 'make' yourself before" in app.shown
        await type_in(pilot, "r")
        await comes(app, DebugScreen)
        assert len(app.plans) == 1
    async with bench(folder, offer="Built") as (app, _):
        await comes(app, DebugScreen)
        assert len(app.plans) == 1


@pytest.mark.full
async def test_what_is_left_out_can_be_a_reason_not_to_run(folder: Path) -> None:
    async with bench(folder, offer="Built") as (app, pilot):
        await comes(app, NotesDialog)
        await type_in(pilot, "escape")
        await comes(app, StartScreen)
        assert app.requests == []


async def test_questions_are_asked_in_their_order(folder: Path) -> None:
    async with bench(folder, offer="Asking") as (app, pilot):
        await comes(app, QuestionDialog)
        await type_in(pilot, *"nowhere", "enter")
        assert "there is no file nowhere" in app.shown
        await type_in(pilot, *["backspace"] * 7, *"app.py", "enter")
        await comes(app, OptionsDialog)
        assert "Which size?" in app.shown
        assert app.screen.query_one(RowsPane).cursor_key == "m"
        await type_in(pilot, "down", "enter")
        await comes(app, QuestionDialog)
        await type_in(pilot, *"secret")
        assert "Which word?" in app.shown and "secret" not in app.shown
        await type_in(pilot, "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert (plan.target, plan.args) == (str(folder / "app.py"), ("l", "secret"))


async def test_a_question_can_be_left(folder: Path) -> None:
    async with bench(folder, offer="Asking") as (app, pilot):
        await comes(app, QuestionDialog)
        await type_in(pilot, "escape")
        await comes(app, StartScreen)
        assert app.requests == []


async def test_what_can_not_be_run_is_told_where_the_person_is(folder: Path) -> None:
    async with bench(folder, offer="Gone") as (app, _):
        # A long path of the folder breaks the line anywhere.
        await until(lambda: "there is no file" in " ".join(app.shown.split()), "the sentence")
        assert isinstance(app.screen, StartScreen)


async def test_a_compound_starts_all_its_sessions(folder: Path) -> None:
    async with bench(folder, offer="Both") as (app, pilot):
        await comes(app, NotesDialog)
        await type_in(pilot, "r")
        await comes(app, DebugScreen)
        assert len(app.plans) == 2 and app.stop_all
        assert app.clients is not None
        assert [member.name for member in app.clients.hub] == ["App", "Built"]
        assert app.clients.member is not None and app.clients.member.name == "App"
        assert all(member.is_parked for member in app.clients.hub)


# The form of a launch


async def in_launch_form(app: Bench, pilot: Pilot[int]) -> LaunchDialog:
    app.launching.launch()
    await comes(app, LaunchDialog)
    await pilot.pause()
    assert isinstance(app.screen, LaunchDialog)
    return app.screen


def fill(dialog: LaunchDialog | AttachDialog, **texts: str) -> None:
    for name, text in texts.items():
        dialog.query_one(f"#{name}", Input).value = text


async def test_the_least_is_a_program(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        await in_launch_form(app, pilot)
        await type_in(pilot, *"app.py", "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert isinstance(plan, LaunchPlan)
        assert plan == LaunchPlan(
            kind=TargetKind.SCRIPT,
            target=str(folder / "app.py"),
            cwd=str(folder),
            python=plan.python,
        )


@pytest.mark.full
async def test_all_fields_reach_the_plan(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_launch_form(app, pilot)
        fill(
            dialog,
            program="-m json.tool",
            args="a 'b c'",
            cwd=".vscode",
            env="A=1 B='two words'",
            python=sys.executable,
        )
        for name in ("entry", "mine", "children", "django", "jinja"):
            dialog.query_one(f"#{name}").toggle()  # type: ignore[attr-defined]
        dialog.query_one("#console", ChoiceField).value = "internal"
        dialog.query_one("#redirect", ChoiceField).value = "no"
        await type_in(pilot, "enter")
        await comes(app, DebugScreen)
        assert app.plans == [
            LaunchPlan(
                kind=TargetKind.MODULE,
                target="json.tool",
                args=("a", "b c"),
                cwd=str(folder / ".vscode"),
                env={"A": "1", "B": "two words"},
                python=sys.executable,
                stop_on_entry=False,
                just_my_code=False,
                sub_process=False,
                django=True,
                jinja=True,
                console=Console.INTERNAL,
                redirect_output=False,
            )
        ]


@pytest.mark.full
@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({}, "name a script, or -m and a module"),
        ({"program": "nowhere.py"}, "there is no file"),
        ({"program": "-m a b"}, "write -m and one module; its arguments go below"),
        ({"program": "app.py x"}, "write one script; its arguments go below"),
        ({"program": "app.py", "args": "'x"}, "a quote is not closed"),
        ({"program": "app.py", "cwd": "nowhere"}, "there is no folder nowhere"),
        ({"program": "app.py", "env": "A"}, "A is not of the form NAME=value"),
        ({"program": "app.py", "python": "/nowhere"}, "there is no interpreter /nowhere"),
    ],
)
async def test_what_is_wrong_is_told_and_nothing_is_lost(
    folder: Path, texts: dict[str, str], told: str
) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_launch_form(app, pilot)
        fill(dialog, **texts)
        await type_in(pilot, "enter")
        assert told in app.shown
        assert app.screen is dialog and app.requests == []
        for name, text in texts.items():
            assert dialog.query_one(f"#{name}", Input).value == text


async def test_recent_programs_are_taken_into_the_fields(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_launch_form(app, pilot)
        pane = dialog.query_one("#recent", RowsPane)
        pane.focus()
        await type_in(pilot, "enter")
        assert dialog.text("program") == "/home/me/bake.py"
        assert dialog.text("args") == "'a b'" and dialog.text("cwd") == "/"
        pane.focus()
        await type_in(pilot, "down", "enter")
        assert dialog.text("program") == "-m json.tool" and dialog.text("args") == ""


@pytest.mark.full
async def test_the_form_offers_what_launch_json_has(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_launch_form(app, pilot)
        dialog.query_one("#offered", RowsPane).focus()
        await type_in(pilot, "enter")
        await comes(app, DebugScreen)
        assert [plan.args for plan in app.plans] == [("x",)]


# The form of an attachment


async def in_attach_form(app: Bench, pilot: Pilot[int]) -> AttachDialog:
    app.launching.attach()
    await comes(app, AttachDialog)
    await pilot.pause()
    assert isinstance(app.screen, AttachDialog)
    return app.screen


@pytest.mark.full
async def test_a_port_is_enough(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        await in_attach_form(app, pilot)
        await type_in(pilot, *"5678", "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert plan == AttachPlan(
            host="localhost",
            port=5678,
            cwd=str(folder),
            python=plan.python,
            wait=math.inf,
            reconnect=True,
        )


async def test_all_fields_of_an_attachment(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_attach_form(app, pilot)
        fill(dialog, host="db", port="1", ssh="me@host", maps=".vscode=/app; .=/srv")
        for name in ("mine", "children", "wait"):
            dialog.query_one(f"#{name}").toggle()  # type: ignore[attr-defined]
        await type_in(pilot, "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert plan == AttachPlan(
            host="db",
            port=1,
            ssh="me@host",
            cwd=str(folder),
            python=plan.python,
            just_my_code=False,
            sub_process=False,
            path_mappings={str(folder / ".vscode"): "/app", str(folder): "/srv"},
        )


@pytest.mark.full
async def test_listening(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_attach_form(app, pilot)
        dialog.query_one("#way", ChoiceField).value = "listen"
        await type_in(pilot, *"5679", "enter")
        await comes(app, DebugScreen)
        (plan,) = app.plans
        assert isinstance(plan, AttachPlan)
        assert plan.listen and plan.port == 5679 and not plan.reconnect


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("way", "texts", "told"),
    [
        ("port", {}, "write a port, 1 to 65535"),
        ("port", {"port": "70000"}, "write a port, 1 to 65535"),
        ("port", {"port": "x"}, "write a port, 1 to 65535"),
        ("process", {}, "write a process id; F2 lists processes"),
        ("process", {"pid": "2147483646"}, "there is no such process"),
        ("listen", {"port": "1", "ssh": "h"}, "only a port is reached through ssh"),
        ("port", {"port": "1", "maps": "x"}, "x is not of the form HERE=THERE"),
        ("port", {"port": "1", "maps": "no=/x"}, "there is no folder no"),
    ],
)
async def test_what_is_wrong_with_an_attachment(
    folder: Path, way: str, texts: dict[str, str], told: str
) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_attach_form(app, pilot)
        dialog.query_one("#way", ChoiceField).value = way
        fill(dialog, **texts)
        await type_in(pilot, "enter")
        assert told in app.shown
        assert app.screen is dialog and app.requests == []


async def test_recent_attachments_are_taken_into_the_fields(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_attach_form(app, pilot)
        dialog.query_one("#recent", RowsPane).focus()
        await type_in(pilot, "enter")
        assert (dialog.text("host"), dialog.text("port")) == ("db", "5678")
        assert dialog.text("maps") == "/=/app"
        dialog.query_one("#recent", RowsPane).focus()
        await type_in(pilot, "down", "enter")
        assert dialog.query_one("#way", ChoiceField).value == "listen"


@pytest.mark.full
async def test_of_launch_json_the_form_offers_what_attaches(folder: Path) -> None:
    async with bench(folder) as (app, pilot):
        dialog = await in_attach_form(app, pilot)
        assert [row.key for row in dialog.query_one("#offered", RowsPane).rows] == ["Remote"]


# From a running session


@pytest.mark.full
@pytest.mark.parametrize(
    ("key", "dialog"),
    [("alt+n", LaunchDialog), ("alt+a", AttachDialog), ("alt+c", ConfigurationsDialog)],
)
async def test_a_running_session_has_them_on_keys(
    folder: Path, key: str, dialog: type[object]
) -> None:
    async with bench(folder, offer="App") as (app, pilot):
        await comes(app, DebugScreen)
        await type_in(pilot, key)
        await comes(app, dialog)


@pytest.mark.full
async def test_another_program_is_another_session(folder: Path) -> None:
    async with bench(folder, offer="App") as (app, pilot):
        await comes(app, DebugScreen)
        await in_launch_form(app, pilot)
        await type_in(pilot, *"app.py", "enter")
        await until(lambda: len(app.requests) == 2, "the second session")
        await comes(app, DebugScreen)
        assert app.clients is not None and len(app.clients.hub) == 2
