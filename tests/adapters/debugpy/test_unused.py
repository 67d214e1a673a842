"""What pydevd imports and never uses is not in the program: on the real debugpy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import debugpy_session

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}

PROGRAM = """\
import json, subprocess, sys
there = [name for name in ("xmlrpc", "http", "ssl") if name in sys.modules]
from http.server import BaseHTTPRequestHandler
import http, xmlrpc.client
real = [http.HTTPStatus.OK, BaseHTTPRequestHandler.__name__, xmlrpc.client.Fault.__name__]
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
        assert found == [[], [200, "BaseHTTPRequestHandler", "Fault"]], name


async def test_a_programs_own_module_of_such_a_name_stays_its_own(tmp_path: Path) -> None:
    (tmp_path / "http.py").write_text("there = 'its own'\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import http\nwith open('found', 'w') as file:\n    file.write(http.there)\n"
    )
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: t.ended)
    assert (tmp_path / "found").read_text() == "its own"
