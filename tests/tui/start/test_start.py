"""The start screen: what it starts, what it says where that makes no sense, its keys."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.screens import screen_rows, send_keys
from tests.support.sessions import until
from tuidbg.adapters.process import LocalGuard
from tuidbg.config.launch_json.workspace import Workspace
from tuidbg.config.project_programs import ProjectTests
from tuidbg.config.stores.remembered import RecentProgram, Remembered
from tuidbg.session.core.session import Session
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.app.launching.configurations import AgreementDialog
from tuidbg.tui.app.start.screen import StartScreen, WalkedList
from tuidbg.tui.toolkit.dialogs.box import ChoiceDialog

RECENT = (
    RecentProgram(
        kind="script", target="/home/me/shop/bake.py", args=("--fast", "two words"), cwd="/home/me"
    ),
    RecentProgram(kind="module", target="json.tool", args=("a.json",), cwd="/data"),
)

RECENT_OPENED = (["/home/me/shop/bake.py", "--fast", "two words"], "/home/me")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is a project of its own."""
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def write_launch_file(folder: Path, configurations: list[dict[str, str]]) -> None:
    """A launch.json with these; what they lack is that of a Python program."""
    whole = [{"type": "debugpy", "request": "launch", **each} for each in configurations]
    (folder / ".vscode").mkdir()
    text = json.dumps({"version": "0.2.0", "configurations": whole})
    (folder / ".vscode" / "launch.json").write_text(text)


class Bench(TuidbgApp):
    """The app without a program; keeps what it was asked to start."""

    def __init__(
        self, recent: Sequence[RecentProgram] = (), problem: str = "", cwd: str = "/here"
    ) -> None:
        super().__init__(
            open_session=self.open,
            remembered=Remembered(recent=tuple(recent)),
            cwd=cwd,
            find_workspace=lambda: Workspace.find(cwd=Path(cwd), interpreter="python3"),
        )
        self.problem = problem
        self.opened: list[tuple[list[str], str]] = []

    def open(self, words: list[str], cwd: str) -> Session:
        self.opened.append((words, cwd))
        if self.problem:
            raise ValueError(self.problem)
        return Session(fake_plan("/here/none.py", "/here"), FakeProfile(), LocalGuard())

    @property
    def shown(self) -> str:
        return "\n".join(screen_rows(self))


@asynccontextmanager
async def bench(
    recent: Sequence[RecentProgram] = (),
    *,
    problem: str = "",
    size: tuple[int, int] = (80, 24),
    cwd: Path | str = "/here",
) -> AsyncIterator[tuple[Bench, Pilot[int]]]:
    app = Bench(recent, problem, str(cwd))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def type_in(pilot: Pilot[int], text: str) -> None:
    send_keys(pilot.app, *text)
    await pilot.pause()


async def looked(app: Bench, pilot: Pilot[int]) -> None:
    """What takes a while to be found is on the screen."""
    await app.workers.wait_for_complete()
    await pilot.pause()


def offers(app: Bench) -> list[str]:
    """The rows that can be chosen, in words."""
    rows = app.screen.query_one(WalkedList).rows
    return [
        " ".join("".join(text for text, _ in row.pieces).split())
        for row in rows
        if row.key is not None
    ]


def under_cursor(app: Bench) -> str:
    row = app.screen.query_one(WalkedList).cursor_row
    assert row is not None and row.key is not None
    return "".join(text for text, _ in row.pieces)


# What is offered


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_all_of_it_is_on_the_screen(size: tuple[int, int]) -> None:
    async with bench(RECENT, size=size) as (app, _):
        for words in ("tuidbg", "-m module", "Recent", "bake.py", "a small program", "Ctrl+Q quit"):
            assert words in app.shown


async def test_the_first_time_the_demo_comes_first_and_no_heading_is_empty() -> None:
    async with bench() as (app, _):
        assert [row.split()[0] for row in offers(app)] == ["demo", "attach…", "launch…"]
        assert "New here?" in app.shown and "Recent" not in app.shown
        assert "demo" in under_cursor(app)


async def test_who_is_not_new_has_the_demo_last() -> None:
    async with bench(RECENT) as (app, _):
        assert offers(app)[-1].startswith("demo") and "New here?" not in app.shown


async def test_programs_of_this_project_come_first(project: Path) -> None:
    elsewhere = RecentProgram(kind="script", target="/x/far.py", cwd="/x")
    ours = RecentProgram(kind="script", target=str(project / "src" / "near.py"), cwd="/x")
    module = RecentProgram(kind="module", target="http.server", cwd=str(project))
    async with bench([elsewhere, ours, module], cwd=project) as (app, _):
        assert offers(app)[:3] == ["near.py src/", "-m http.server", "far.py /x"]
        assert not [row for row in app.shown.splitlines() if row.rstrip().endswith(" …")]
        assert "Recent elsewhere" in app.shown


async def test_of_many_programs_the_newest_are_there() -> None:
    many = [RecentProgram(kind="script", target=f"/x/p{n}.py", cwd="/x") for n in range(30)]
    async with bench(many, size=(60, 15)) as (app, pilot):
        assert offers(app)[:5] == [*(f"p{n}.py /x" for n in range(4)), offers(app)[4]]
        assert "attach" in offers(app)[4]
        await pilot.press("end")
        assert "a small program" in app.shown
        await pilot.press("home")
        assert "p0.py" in app.shown and "Recent elsewhere" in app.shown


@pytest.mark.full
async def test_names_are_shown_as_they_stand() -> None:
    odd = RecentProgram(kind="script", target="/x/[red]a\x1b[0m.py", args=("[b]",), cwd="/x")
    async with bench([odd]) as (app, _):
        assert "[red]a␛[0m.py '[b]'" in app.shown


@pytest.mark.full
async def test_tests_are_offered_and_run_by_pytest(project: Path) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "test_a.py").write_text("def test_a(): pass\n")
    (project / "tests" / "test_b.py").write_text("def test_b(): pass\n")
    async with bench(cwd=project) as (app, pilot):
        await looked(app, pilot)
        assert offers(app)[1] == "pytest 2 files; stops at failures"
        assert {row.split()[1] for row in offers(app)[2:4]} == {
            "tests/test_a.py",
            "tests/test_b.py",
        }
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        ((words, cwd),) = app.opened
        assert words[:3] == ["--no-stop-on-entry", "-m", "pytest"] and cwd == str(project)
        assert words[3] in ("tests/test_a.py", "tests/test_b.py")


async def test_programs_of_the_folder_are_offered_unless_they_stand_above(project: Path) -> None:
    (project / "library.py").write_text("def work(): ...\n")
    for name in ("bake.py", "sell.py"):
        (project / name).write_text('if __name__ == "__main__":\n    pass\n')
    (project / "shop").mkdir()
    (project / "shop" / "__main__.py").touch()
    run = RecentProgram(kind="script", target=str(project / "bake.py"), cwd=str(project))
    async with bench([run], cwd=project) as (app, pilot):
        await looked(app, pilot)
        assert "Programs of this folder" in app.shown
        assert offers(app)[0] == "bake.py"
        assert sorted(offers(app)[1:3]) == ["-m shop", "sell.py"]
        sell = 1 if offers(app)[1] == "sell.py" else 2
        await pilot.press(*["down"] * sell, "enter")
        assert app.opened == [(["sell.py"], str(project))]


@pytest.mark.full
async def test_tests_that_failed_last_are_offered_first(project: Path) -> None:
    (project / "test_a.py").write_text("def test_a(): pass\n")
    cache = project / ".pytest_cache" / "v" / "cache"
    cache.mkdir(parents=True)
    (cache / "lastfailed").write_text('{"test_a.py::test_a": true, "gone.py::test": true}')
    async with bench(cwd=project) as (app, pilot):
        await looked(app, pilot)
        assert offers(app)[1] == "pytest --lf the test that failed last"


@pytest.mark.full
async def test_what_launch_json_has_is_offered_and_run(project: Path) -> None:
    write_launch_file(project, [{"name": "Serve", "program": "${workspaceFolder}/shop.py"}])
    (project / "shop.py").write_text("print(1)\n")
    async with bench(cwd=project) as (app, pilot):
        await looked(app, pilot)
        assert offers(app)[1] == "Serve launch shop.py"
        await pilot.press("down", "enter")
        await until(lambda: isinstance(app.screen, AgreementDialog))


async def test_what_can_not_be_run_says_why(project: Path) -> None:
    write_launch_file(project, [{"name": "Page", "type": "chrome"}])
    async with bench(cwd=project) as (app, pilot):
        await looked(app, pilot)
        await pilot.press("down", "enter")
        assert 'Page: "chrome" is for JavaScript' in app.shown
        assert not app.opened


@pytest.mark.parametrize(
    ("text", "words"),
    [('{"configurations": []}', "it has no configurations"), ("{,", "launch.json:1")],
)
async def test_a_launch_json_without_use_has_words(project: Path, text: str, words: str) -> None:
    (project / ".vscode").mkdir()
    (project / ".vscode" / "launch.json").write_text(text)
    async with bench(cwd=project, size=(140, 40)) as (app, pilot):
        await looked(app, pilot)
        assert words in app.shown


async def test_what_is_found_later_does_not_take_the_cursor_along(project: Path) -> None:
    (project / "test_a.py").write_text("def test_a(): pass\n")
    async with bench(cwd=project) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, StartScreen)
        await pilot.press("end")
        screen._offers.tests = ProjectTests(("test_a.py",), 1, 0)
        screen._show()
        await pilot.pause()
        assert "launch" in under_cursor(app)
        assert "pytest" in app.shown


@pytest.mark.full
async def test_what_is_found_later_leaves_the_demo_to_who_is_new(project: Path) -> None:
    (project / "test_a.py").write_text("def test_a(): pass\n")
    async with bench(cwd=project) as (app, pilot):
        await looked(app, pilot)
        assert "demo" in under_cursor(app)
        assert "pytest" in offers(app)[1]


# Walking


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("keys", "opened"),
    [
        (["enter"], (["/home/me/shop/bake.py", "--fast", "two words"], "/home/me")),
        (["down", "enter"], (["-m", "json.tool", "a.json"], "/data")),
        (["down", "up", "enter"], RECENT_OPENED),
        (["x", "escape", "down", "enter"], (["-m", "json.tool", "a.json"], "/data")),
        (["end", "enter"], (["demo"], "/here")),
        (["pagedown", "enter"], (["demo"], "/here")),
        (["end", "home", "up", "enter"], RECENT_OPENED),
    ],
)
async def test_rows_start_what_they_say(keys: list[str], opened: tuple[list[str], str]) -> None:
    async with bench(RECENT) as (app, pilot):
        send_keys(app, *keys)
        await pilot.pause()
        await pilot.pause()
        assert app.opened == [opened]


@pytest.mark.full
async def test_headings_are_passed_over() -> None:
    async with bench(RECENT) as (app, pilot):
        seen = []
        for _ in range(10):
            seen.append(under_cursor(app).split()[0])
            await pilot.press("down")
        assert seen == ["bake.py", "-m", "attach…", "launch…", *["demo"] * 6]


@pytest.mark.full
async def test_a_click_starts_one_and_a_heading_none() -> None:
    async with bench(RECENT) as (app, pilot):
        await pilot.click(WalkedList, offset=(5, 0))
        assert app.opened == []
        await pilot.click(WalkedList, offset=(5, 2))
        await pilot.pause()
        assert [words for words, _ in app.opened] == [["-m", "json.tool", "a.json"]]


async def test_a_recent_program_that_is_gone_is_told() -> None:
    async with bench(RECENT, problem="there is no file bake.py") as (app, pilot):
        await pilot.press("enter")
        assert "there is no file bake.py" in app.shown
        assert not isinstance(app.screen, DebugScreen)


# The line


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_the_line_has_the_keys(size: tuple[int, int]) -> None:
    async with bench(RECENT, size=size) as (app, pilot):
        line = app.screen.query_one(Input)
        assert line.has_focus and "commands" in app.shown if size[0] > 60 else line.has_focus
        await type_in(pilot, "ba")
        assert line.value == "ba" and "Esc clear" in app.shown and "quit" not in app.shown
        await pilot.press("escape")
        assert line.value == "" and "Ctrl+Q quit" in app.shown


async def test_letters_are_text_from_the_first_one_on() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "qjk?")
        assert app.screen.query_one(Input).value == "qjk?"


@pytest.mark.parametrize("first", ["colon", "tab", "space"])
async def test_what_begins_no_command_is_not_typed(first: str) -> None:
    async with bench() as (app, pilot):
        send_keys(app, first)
        await type_in(pilot, "a")
        assert app.screen.query_one(Input).value == "a"


@pytest.mark.parametrize("word", ["q", "quit"])
async def test_a_word_leaves_unless_there_is_such_a_file(word: str, project: Path) -> None:
    async with bench(cwd=project) as (app, pilot):
        (project / word).touch()
        await type_in(pilot, word)
        await pilot.press("enter")
        assert app.opened == [([word], str(project))]
    (project / word).unlink()
    async with bench(cwd=project) as (app, pilot):
        await type_in(pilot, word)
        await pilot.press("enter")
        await pilot.pause()
        assert app.opened == [] and app.return_code == 0


@pytest.mark.full
async def test_what_is_typed_is_started() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "-m json.tool 'two words'")
        await pilot.press("enter")
        await pilot.pause()
        assert app.opened == [(["-m", "json.tool", "two words"], "/here")]
        assert isinstance(app.screen, DebugScreen)


@pytest.mark.full
async def test_what_is_pasted_is_in_the_line() -> None:
    async with bench() as (app, pilot):
        app.post_message(events.Paste("bake.py --fast\n"))
        await pilot.pause()
        assert app.screen.query_one(Input).value == "bake.py --fast"


async def test_blanks_start_nothing() -> None:
    async with bench() as (app, pilot):
        await pilot.press("x", "backspace", "x", "space", "home", "delete", "enter")
        assert app.opened == []


@pytest.mark.full
async def test_an_open_quote_is_told() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "bake.py 'x")
        await pilot.press("enter")
        assert "No closing quotation" in app.shown
        assert app.opened == []


@pytest.mark.full
async def test_what_can_not_be_started_is_told_and_can_be_mended() -> None:
    async with bench(problem="there is no file [red]bake.py[/red]") as (app, pilot):
        await type_in(pilot, "bake.py")
        await pilot.press("enter")
        assert "there is no file [red]bake.py[/red]" in app.shown
        assert app.screen.query_one(Input).value == "bake.py"
        app.problem = ""
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, DebugScreen)


@pytest.mark.full
@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_a_long_problem_is_wrapped_and_pushes_nothing_out(size: tuple[int, int]) -> None:
    async with bench(RECENT, problem="wrong " * 30, size=size) as (app, pilot):
        await type_in(pilot, "x")
        await pilot.press("enter")
        await pilot.pause()
        assert app.shown.count("wrong") == 30
        assert "bake.py" in app.shown and "Esc clear" in app.shown


async def test_the_arrows_bring_what_was_started_before(project: Path) -> None:
    recent = [RecentProgram("module", name, cwd=str(project)) for name in ("newer", "older")]
    async with bench(recent, cwd=project) as (app, pilot):
        await type_in(pilot, "ab")
        line = app.screen.query_one(Input)
        values = []
        for key in ("up", "up", "up", "down", "down"):
            await pilot.press(key)
            values.append(line.value)
        assert values == ["-m newer", "-m older", "-m older", "-m newer", "ab"]


@pytest.mark.full
@pytest.mark.parametrize("key", ["tab", "right"])
async def test_a_path_is_completed(project: Path, key: str) -> None:
    (project / "bakery.py").touch()
    async with bench(cwd=project) as (app, pilot):
        await type_in(pilot, "bak")
        await pilot.press(key, "enter")
        await pilot.pause()
        assert app.opened == [(["bakery.py"], str(project))]


@pytest.mark.full
async def test_keys_act_while_nothing_is_typed() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "xq?o/")
        assert app.screen.query_one(Input).value == "xq?o/"
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpDialog)
        await pilot.press("escape")
        await pilot.press("f1")
        await pilot.pause()
        assert "Manual: start" in app.shown
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert "Ctrl+Q quits" in app.shown
        await pilot.press("ctrl+q")
        assert app.return_code == 0


async def test_keys_behind_escape_are_for_the_list() -> None:
    async with bench(RECENT) as (app, _):
        send_keys(app, "x", "escape", "down", "enter")
        await until(lambda: bool(app.opened))
        assert app.opened == [(["-m", "json.tool", "a.json"], "/data")]


# Commands


async def test_the_palette_has_the_commands_that_apply() -> None:
    async with bench() as (app, pilot):
        await pilot.press("ctrl+p")
        await pilot.pause()
        for words in ("Attach to a running", "Settings", "Choose a theme", "F8", "Quit"):
            assert words in app.shown, words
        assert "Step over" not in app.shown
        await type_in(pilot, "Choose a theme")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ChoiceDialog)
        await pilot.press("2")
        assert app.theme == "tuidbg-light"


async def test_the_settings_are_those_of_the_next_program(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.tuidbg]\njust_my_code = false\n")
    async with bench(cwd=project) as (app, pilot):
        await pilot.press("shift+f8")
        await until(lambda: "stop_on_entry" in app.shown)
        (row,) = [row for row in app.shown.splitlines() if "just_my_code" in row]
        assert row.split()[2:4] == ["false", "pyproject.toml"]
        await type_in(pilot, "follow")
        await pilot.press("enter")
        await pilot.pause()
        assert "no program has been started yet" in app.shown


def test_a_task_begins_after_it_was_made() -> None:
    """Else it runs before its maker knows of it; Textual wants that from Python 3.12 on."""
    order: list[str] = []

    async def work() -> None:
        order.append("work")

    async def act(pilot: Pilot[object]) -> None:
        worker = pilot.app.run_worker(work())
        order.append("made")
        await worker.wait()
        pilot.app.exit()

    Bench().run(headless=True, auto_pilot=act)
    assert order == ["made", "work"]
