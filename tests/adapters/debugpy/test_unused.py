"""What pydevd imports and never uses is not in the program: on the real debugpy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import StopReason

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}

PROGRAM = """\
import json, subprocess, sys
names = "xmlrpc", "http", "ssl", "importlib.metadata", "zipfile"
there = [name for name in names if name in sys.modules]
from importlib.metadata import Distribution, distributions
from http.server import BaseHTTPRequestHandler
import http, xmlrpc.client
real = [http.HTTPStatus.OK, BaseHTTPRequestHandler.__name__, xmlrpc.client.Fault.__name__,
    hasattr(Distribution, "from_name") and callable(distributions)]
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
with open("found" + "".join(sys.argv[1:]), "w") as file:
    json.dump([there, real], file)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("python", _SOME.values(), ids=map(name_of, _SOME))
async def test_program_and_child_have_the_real_modules_once_they_import_them(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    program = tmp_path / "program.py"
    async with debugpy_session(tmp_path, program, python=python, stop_on_entry=False) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: t.ended)
    for name in ("found", "foundchild"):
        found = json.loads((tmp_path / name).read_text())
        assert found == [[], [200, "BaseHTTPRequestHandler", "Fault", True]], name


OWN = """\
import http, queue, random, inspect, subprocess, sys
found = [http.marker, queue.marker, random.marker, hasattr(inspect, "marker")]
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
with open("found" + "".join(sys.argv[1:]), "w") as file:
    file.write(repr(found))
"""


async def test_a_programs_own_modules_are_not_hidden_by_the_debuggers(tmp_path: Path) -> None:
    """Those of which debugpy still needs Python's are reported."""
    for name in ("http", "queue", "random", "inspect"):
        (tmp_path / f"{name}.py").write_text(f"marker = '{name}'\n")
    program = tmp_path / "program.py"
    program.write_text(OWN)
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as t:
        await t.session.breakpoints.set(str(program), 2, origin="tui")
        await t.start()
        assert t.reason is StopReason.BREAKPOINT and t.line == 2, t.describe()
        assert "random" in await t.locals()
        (notice,) = [event.text for event in t.events(NoticeGiven)]
        assert "module inspect of its own" in notice and "Rename" in notice
        await t.session.breakpoints.enable_all(False, origin="tui")
        await t.to_end()
    for name in ("found", "foundchild"):
        assert (tmp_path / name).read_text() == "['http', 'queue', 'random', False]", name
