"""Patches of pydevd where a version has other names: each alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import debugpy
import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session
from tuidbg.adapters.debugpy.launching import DebugpyLaunch
from tuidbg.adapters.debugpy.profile import DebugpyStart
from tuidbg.adapters.debugpy.tuning import launched_expression
from tuidbg.debuggee.bundle import FOLDER, load_expression
from tuidbg.debuggee.patches import registry
from tuidbg.debuggee.patches.patch_table import TESTED
from tuidbg.debuggee.start import FULL_SPEED_PATCH, PATCHES
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import Status

PYDEVD = Path(debugpy.__file__).parent / "_vendored" / "pydevd"

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), (3, 12), max(SUPPORTED)} if v in SUPPORTED}
"""The oldest, where pydevd traces, and two where it uses ``sys.monitoring``."""

# A fork of one process has one name less, and answers what was not applied.
RENAMING = """\
import json, os, sys
def rename(path):
    module, _, names = path.partition(":")
    *owners, name = names.split(".")
    owner = registry.find_module(module)
    for each in owners:
        owner = getattr(owner, each)
    places = [owner] if name in getattr(owner, "__dict__", {}) else type(owner).__mro__
    for place in places:
        if name in vars(place):
            delattr(place, name)
def answers(paths, apply):
    for path in paths:
        reader, writer = os.pipe()
        if os.fork() == 0:
            try:
                path is None or rename(path)
                is_gone = path is not None and not registry.has_name(path)
                apply()
                told = json.dumps([path, is_gone, applied().FAILED])
            except BaseException as error:
                told = json.dumps([path, True, {repr(error): ""}])
            os.write(writer, told.encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            yield json.loads(answer.read())
        os.wait()
"""

IN_PROGRAM = """\
sys.path.insert(0, sys.argv[1])
import pydevd
pydevd.PyDB()
asked = json.loads(sys.stdin.read())
eval(asked["registry"])
registry = pydevd._tuidbg["registry"]
del pydevd._tuidbg
def applied():
    return pydevd._tuidbg["registry"]
def apply():
    assert type(eval(asked["expression"])) is str
print(json.dumps(list(answers(asked["paths"], apply))))
"""


def _run(python: str, code: str, folder: Path, asked: object) -> list[Any]:
    done = subprocess.run(
        [python, "-c", RENAMING + code, str(folder)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def _names(patches: list[registry.Patch]) -> list[str]:
    return list(dict.fromkeys(_plain(name) for patch in patches for name in patch.names))


def _plain(name: str) -> str:
    """A name of the debugger's class is one of the debugger itself."""
    return name.replace("pydevd:PyDB.", "DB:")


def _users_of(path: str, patches: list[registry.Patch]) -> set[str]:
    """The patches that need that name, or one below it."""
    return {p.name for p in patches if any(f"{_plain(n)}.".startswith(f"{path}.") for n in p.names)}


def test_the_pin_is_the_version_that_is_tested() -> None:
    pyproject = tomllib.loads(Path("pyproject.toml").read_text())
    assert f"debugpy{TESTED}" in pyproject["project"]["dependencies"]


def test_each_patch_stands_in_the_table_and_each_of_the_table_is_applied() -> None:
    texts = [(FOLDER / "patches" / f"{name}.py").read_text() for name in PATCHES]
    names = [name for text in texts for name in re.findall(r'@patch\("(.+)"\)', text)]
    patches = [*names, FULL_SPEED_PATCH]
    assert sorted(patches) == sorted(patch.name for patch in registry.PATCHES)


def test_each_name_of_the_debugger_that_is_used_stands_in_the_table() -> None:
    paths = [*(FOLDER / "patches").glob("*.py"), *(FOLDER / "full_speed").glob("*.py")]
    used = {name for each in paths for name in re.findall(r"\bDB\.(\w+)", each.read_text())}
    listed = {_plain(name) for patch in registry.PATCHES for name in patch.names}
    assert {name for name in used if not any(f"DB:{name}" in each for each in listed)} == set()


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.parametrize("version", _SOME, ids=name_of)
def test_each_name_of_pydevds_costs_only_what_needs_it(version: tuple[int, int]) -> None:
    other = registry.BY_TRACER if version >= (3, 12) else registry.BY_MONITORING
    patches = [patch for patch in registry.PATCHES if patch.kind != other]
    asked = {
        "expression": launched_expression(),
        "registry": load_expression("patches.patch_table", "swallowed", "patches.registry"),
        "paths": [None, *_names(patches)],
    }
    answers = _run(_SOME[version], IN_PROGRAM, PYDEVD, asked)
    assert answers[0] == [None, False, {}]
    wrong: list[object] = []
    for path, is_gone, failed in answers[1:]:
        expected = _users_of(path, patches) if is_gone else set()
        if set(failed) != expected:
            wrong.append((path, failed, expected))
    assert not wrong, "\n".join(map(str, wrong))


# What the person sees


@pytest.mark.real
async def test_what_does_not_fit_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a restart."""
    path = tmp_path / "program.py"
    path.write_text("x = 1\ny = 2\n", encoding="utf-8")
    renamed = launched_expression().replace("DB:_thread_events", "DB:_gone_events")
    renamed = renamed.replace("/patch_table.py'", "/gone.py'")  # no bytecode of ours is used
    monkeypatch.setattr(DebugpyLaunch, "tuning", renamed)
    async with debugpy_session(tmp_path, path) as t:
        await t.start()
        assert t.session.status is Status.PAUSED, t.describe()
        await t.session.lifecycle.restart()
        await t.until(lambda: t.session.status is Status.PAUSED, "it is paused again")
        told = [each.text for each in t.events(NoticeGiven)]
        assert len(told) == 1, told
    assert told[0].startswith("1 of tuidbg's ") and "(there is no DB._gone_events)" in told[0]
    assert "wake threads at once" in told[0] and TESTED in told[0]


RENAMED = """\
import sys
if any(word.endswith("check_patches.py") for word in sys.orig_argv):
    import debugpy, os
    sys.path.append(os.path.join(os.path.dirname(debugpy.__file__), "_vendored", "pydevd"))
    import pydevd
    del pydevd.PyDB.set_suspend
"""


@pytest.mark.real
def test_the_list_of_adapters_says_what_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(RENAMED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    gaps = DebugpyStart().gaps(debugpy.__version__)
    assert " fit debugpy " in gaps and "(there is no DB.set_suspend)" in gaps, gaps


@pytest.mark.real
def test_the_version_of_the_pin_has_no_gaps() -> None:
    assert DebugpyStart().gaps(debugpy.__version__) == ""
