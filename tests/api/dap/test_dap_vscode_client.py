"""By a client that was not written here: the one by which VS Code's own debug adapters are tested.

Its package comes from npm (``@vscode/debugadapter-testsupport``); ``.ci/run`` installs it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

FOLDER = Path(os.environ.get("TUIDBG_NODE_FOLDER", Path.home() / ".cache" / "tuidbg-node"))
PACKAGE = FOLDER / "node_modules" / "@vscode" / "debugadapter-testsupport"

PROGRAM = 'n = 1\nn = 2\nn = 3\nm = 4\nprint("done", n)\n'


@pytest.mark.real
@pytest.mark.skipif(
    shutil.which("node") is None or not PACKAGE.is_dir(),
    reason=f"no node, or {PACKAGE.name} is not installed in {FOLDER}",
)
async def test_a_session_of_vs_codes_test_client(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    script = Path(__file__).with_name("testsupport.mjs")
    process = await asyncio.create_subprocess_exec(
        *("node", str(script), str(FOLDER), sys.executable, str(program)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), 2 * PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
    assert said.decode().splitlines()[-1:] == ["all is well"], said.decode()
