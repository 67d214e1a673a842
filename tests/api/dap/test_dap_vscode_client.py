"""By a client that was not written here: that by which VS Code's own debug adapters are tested."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.node import all_is_well, needs_package

pytestmark = pytest.mark.full

PROGRAM = 'n = 1\nn = 2\nn = 3\nm = 4\nprint("done", n)\n'


@pytest.mark.real
@needs_package("@vscode/debugadapter-testsupport")
async def test_a_session_of_vs_codes_test_client(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    script = Path(__file__).with_name("testsupport.mjs")
    await all_is_well(script, sys.executable, str(program))
