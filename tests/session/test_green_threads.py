"""Programs that replace Python's threads and sockets by green ones, on the real debugpy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session
from tuidbg.config.launch import TargetKind
from tuidbg.session.core.execution import Resume

pytestmark = [pytest.mark.real, pytest.mark.full]

USING = {
    "gevent": """\
import gevent.monkey
gevent.monkey.patch_all()
import threading, time
def work(n):
    x = n * 2
    time.sleep(0.01)
    return x
jobs = [gevent.spawn(work, n) for n in range(2)]
gevent.joinall(jobs)
thread = threading.Thread(target=work, args=(2,))
thread.start()
thread.join()
print("worked")
""",
    "eventlet": """\
import eventlet
eventlet.monkey_patch()
import threading, time
def work(n):
    x = n * 2
    time.sleep(0.01)
    return x
list(eventlet.GreenPool().imap(work, range(2)))
thread = threading.Thread(target=work, args=(2,))
thread.start()
thread.join()
print("worked")
""",
}


@pytest.mark.parametrize("library", USING)
@pytest.mark.parametrize("way", ["script", "imported", "module"])
async def test_breakpoints_steps_and_values(library: str, way: str, tmp_path: Path) -> None:
    """In each green thread, without anything that a person has to set."""
    pytest.importorskip(library, reason=f"{library} is not installed")
    path = tmp_path / "using.py"
    path.write_text(USING[library], encoding="utf-8")
    script = tmp_path / "main.py"
    script.write_text("import using\n", encoding="utf-8")
    targets: dict[str, Path | str] = {"script": path, "imported": script, "module": "using"}
    kind = TargetKind.MODULE if way == "module" else TargetKind.SCRIPT
    env = {"PYTHONPATH": str(tmp_path)}
    async with debugpy_session(
        tmp_path, targets[way], stop_on_entry=False, kind=kind, env=env
    ) as t:
        await t.session.breakpoints.set(str(path), 5, origin="tui")
        await t.start()
        for n in range(3):
            assert t.line == 5, t.describe()
            assert (await t.locals())["n"].value == str(n)
            await t.go(Resume.STEP_OVER)
            assert t.line == 6
            assert (await t.locals())["x"].value == str(n * 2)
            await t.go(Resume.CONTINUE)
        assert t.ended
        assert "worked" in t.console
        assert "GEVENT_SUPPORT" not in t.console


async def test_only_regular_files_are_looked_at(tmp_path: Path) -> None:
    """A pipe of a module's name would be waited for, and the program never begin."""
    pytest.importorskip("gevent", reason="without it no file is looked at")
    os.mkfifo(tmp_path / "pipe.py")
    path = tmp_path / "plain.py"
    path.write_text("print('ran')\n", encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.start()
        await t.to_end()
        assert t.output("stdout") == "ran", t.describe()


@pytest.mark.parametrize("kind", [TargetKind.SCRIPT, TargetKind.MODULE])
async def test_a_program_that_uses_none(kind: TargetKind, tmp_path: Path) -> None:
    """Nothing is set or imported for what is merely installed, or used in the next folder."""
    folder, other = tmp_path / "own", tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
    (other / "using.py").write_text(USING["gevent"], encoding="utf-8")
    path = folder / "plain.py"
    path.write_text(
        "import os, sys\n"
        "print([n for n in sys.modules if n.startswith(('greenlet', 'gev' 'ent'))])\n"
        "print(os.environ.get('GEV' 'ENT_SUPPORT'))\n",
        encoding="utf-8",
    )
    target = path if kind is TargetKind.SCRIPT else "plain"
    env = {"PYTHONPATH": str(folder)}
    async with debugpy_session(folder, target, stop_on_entry=False, kind=kind, env=env) as t:
        await t.start()
        await t.to_end()
        assert t.output("stdout") == "[]\nNone", t.describe()


async def test_a_package_that_brings_gevent_along(tmp_path: Path) -> None:
    """Neither the command ``locust`` nor a file of it need name gevent."""
    pytest.importorskip("gevent", reason="without it no file is looked at")
    path = tmp_path / "load.py"
    text = "import os  # locust\nprint(os.environ.get('GEV' 'ENT_SUPPORT'))\n"
    path.write_text(text, encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.start()
        await t.to_end()
        assert t.output("stdout") == "True", t.describe()
