"""The modules of a program: on the real debugpy from inside, elsewhere as DAP tells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session, fake_session
from tuidbg.session.core.sources.program_facts import LoadedModule, ModuleKind
from tuidbg.session.model.errors import AdapterFailed, InvalidSessionState, UnsupportedByAdapter

PROGRAM = """\
import sys
import types
import json
import helper
import space.deep

class Tricky(types.ModuleType):
    def __getattr__(self, name):
        raise SystemExit("asked for " + name)

    def __getattribute__(self, name):
        print("asked for", name)
        raise KeyboardInterrupt

sys.modules["tricky"] = Tricky("tricky")
sys.modules["nothing"] = None
sys.modules["number"] = 3
sys.modules[7] = types.ModuleType("seven")
liar = types.ModuleType("liar")
liar.__file__ = 12
liar.__version__ = ["no", "text"]
sys.modules["liar"] = liar
done = True
"""

PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_all_modules_are_told_and_none_is_asked(tmp_path: Path, python: str) -> None:
    script = tmp_path / "main.py"
    script.write_text(PROGRAM)
    (tmp_path / "helper.py").write_text('__version__ = "1.2"\n')
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "deep.py").write_text("")
    async with debugpy_session(tmp_path, script, python=python) as under_test:
        session = under_test.session
        await under_test.start()
        with pytest.raises(KeyError):
            {m.name: m for m in await session.modules.list()}["helper"]
        await session.execution.run_to(str(script), PROGRAM.count("\n"), origin="tui")
        await under_test.settled(after=1)
        found = {module.name: module for module in await session.modules.list()}
        helper = found["helper"]
        assert helper == LoadedModule(
            "helper", str(tmp_path / "helper.py"), ModuleKind.SOURCE, "1.2"
        )
        assert found["__main__"].path == str(script)
        assert found["json"].path.endswith("json/__init__.py")
        assert found["sys"] == LoadedModule("sys", "", ModuleKind.BUILTIN)
        assert found["space"].kind is ModuleKind.NAMESPACE
        assert found["liar"] == LoadedModule("liar", "", ModuleKind.BUILTIN)
        assert {"tricky", "number", "7"} <= found.keys() and "nothing" not in found
        assert not any(name.startswith(("_tuidbg", "debugpy", "pydevd")) for name in found)
        assert list(found) == sorted(found)
        assert "asked for" not in under_test.console


async def test_while_it_runs_there_is_no_list(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("x = 1\n")
    async with debugpy_session(tmp_path, script) as under_test:
        with pytest.raises(InvalidSessionState):
            await under_test.session.modules.list()


async def test_an_adapter_without_modules_says_so(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script()) as under_test:
        await under_test.start()
        assert under_test.session.modules.why_not() == "this adapter knows no modules"
        with pytest.raises(UnsupportedByAdapter, match="knows no modules"):
            await under_test.session.modules.list()


async def test_what_dap_tells_is_taken_where_it_is_announced(tmp_path: Path) -> None:
    told = [{"id": 2, "name": "b", "path": "/p/b.py", "version": "2"}, {"id": 1, "name": "a"}]
    script = Script(
        capabilities={**CAPABILITIES, "supportsModulesRequest": True},
        rules=[rule("modules", "body", body={"modules": told})],
    )
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        assert await under_test.session.modules.list() == (
            LoadedModule("a"),
            LoadedModule("b", "/p/b.py", version="2"),
        )


async def test_an_adapter_that_fails_is_told(tmp_path: Path) -> None:
    script = Script(
        capabilities={**CAPABILITIES, "supportsModulesRequest": True},
        rules=[rule("modules", "fail", message="no modules today")],
    )
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        with pytest.raises(AdapterFailed, match="no modules today"):
            await under_test.session.modules.list()
