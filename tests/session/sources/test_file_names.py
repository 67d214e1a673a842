"""File names of callers: absolute, relative, bare, and never guessed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.config.launch import TargetKind
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.files import FileNotKnown, find_file

pytestmark = pytest.mark.real

FILES = {
    "pyproject.toml": "",
    "src/app/__init__.py": "",
    "src/app/main.py": "import json.decoder\nfrom app import parts, shared\nparts.run()\n",
    "src/app/parts.py": "def run():\n    return 1\n",
    "src/app/shared.py": "",
    "src/app/unused.py": "",
    "tests/shared.py": "",
    "tests/unused.py": "",
    "tests/only.py": "",
    "start.py": "import sys\nsys.path.insert(0, 'src')\nimport app.main\nprint('end')\n",
}


def make_project(folder: Path) -> Path:
    """The files above."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@asynccontextmanager
async def project(folder: Path, **changes: Any) -> AsyncIterator[SessionUnderTest]:
    """A session in the project, not started."""
    make_project(folder)
    async with debugpy_session(folder, folder / "start.py", **changes) as under_test:
        yield under_test


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a name that is no link, as people see it."""
    return tmp_path.resolve()


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("start.py", "start.py", id="in-the-working-directory"),
        pytest.param("src/app/main.py", "src/app/main.py", id="relative-path"),
        pytest.param("./src/../start.py", "start.py", id="relative-path-with-dots"),
        pytest.param("main.py", "src/app/main.py", id="bare-name"),
        pytest.param("app/parts.py", "src/app/parts.py", id="last-parts"),
        pytest.param("app/shared.py", "src/app/shared.py", id="last-parts-tell-apart"),
        pytest.param("only.py", "tests/only.py", id="of-the-project"),
    ],
)
async def test_a_name_is_found(folder: Path, name: str, found: str) -> None:
    async with project(folder) as under_test:
        assert await find_file(under_test.session, name) == str(folder / found)


async def test_an_absolute_path_is_taken_as_it_is(folder: Path) -> None:
    async with project(folder) as under_test:
        path = str(folder / "tests" / "shared.py")
        assert await find_file(under_test.session, path) == path


async def test_a_file_that_is_reached_by_a_link_is_called_as_the_program_calls_it(
    folder: Path,
) -> None:
    make_project(folder / "real")
    (folder / "link").symlink_to(folder / "real")
    target = folder / "real" / "start.py"
    async with debugpy_session(folder / "real", target) as under_test:
        found = await find_file(under_test.session, str(folder / "link" / "start.py"))
        assert found == str(target)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["unused.py", "__init__.py/../shared.py"])
async def test_a_name_of_several_files_is_refused_and_they_are_named(
    folder: Path, name: str
) -> None:
    async with project(folder) as under_test:
        with pytest.raises(FileNotKnown, match=r"may be any of .*write the whole path") as refused:
            await find_file(under_test.session, name)
        last = Path(name).name
        expected = (str(folder / "src" / "app" / last), str(folder / "tests" / last))
        assert refused.value.candidates == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["nowhere.py", "/no/such/file.py", "src", "", " ", "a\0b.py"])
async def test_a_name_of_no_file_is_refused(folder: Path, name: str) -> None:
    async with project(folder) as under_test:
        with pytest.raises(FileNotKnown) as refused:
            await find_file(under_test.session, name)
        assert not refused.value.candidates and "\0" not in str(refused.value)


@pytest.mark.full
async def test_what_the_program_has_loaded_goes_before_the_rest_of_the_project(
    folder: Path,
) -> None:
    async with project(folder) as under_test:
        await under_test.session.breakpoints.set(str(folder / "start.py"), 4, origin="tui")
        await under_test.start()
        with pytest.raises(FileNotKnown):
            await find_file(under_test.session, "unused.py")
        await under_test.session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.settled(1)
        found = await find_file(under_test.session, "shared.py")
        assert found == str(folder / "src" / "app" / "shared.py")
        assert (await find_file(under_test.session, "decoder.py")).endswith("json/decoder.py")


@pytest.mark.full
async def test_a_module_that_is_run_is_found_by_its_file_name(folder: Path) -> None:
    make_project(folder)
    async with debugpy_session(folder / "src", "app.main", kind=TargetKind.MODULE) as under_test:
        await under_test.start()
        found = await find_file(under_test.session, "main.py")
        assert found == str(folder / "src" / "app" / "main.py")
