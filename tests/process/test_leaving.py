"""Leaving is bounded, whatever never comes to its end: the real command with a fault in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tests.terminal.test_terminal_app import assert_restored, await_status

pytestmark = pytest.mark.real

MAIN = """
import tuidbg.__main__, tuidbg.cli.launcher
tuidbg.__main__._LEAVING_LIMIT = tuidbg.cli.launcher._LEAVING_LIMIT = 1.5
tuidbg.cli.launcher._CLOSING_LIMIT = 1.5
tuidbg.__main__.main()
"""

FAULTS = {
    "a session that never closes": """
import asyncio
from tuidbg.session.core.session import Session
async def close(self, **options):
    await asyncio.Event().wait()
Session.close = close
""",
    "a screen that never goes": """
import asyncio
from tuidbg.tui.app.app import TuidbgApp
async def wait(self):
    await asyncio.Event().wait()
TuidbgApp._on_exit_app = wait
""",
    "a thread of the loop's": """
import asyncio, time
from tuidbg.tui.app.app import TuidbgApp
def on_mount(self):
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
TuidbgApp.on_mount = on_mount
""",
    "a thread that Python waits for": """
import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
""",
}


@pytest.mark.own_python
@pytest.mark.sampled
@pytest.mark.parametrize("fault_name", FAULTS)
def test_it_ends_all_the_same(fault_name: str, tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("x = 1\nx = 2\n")
    command = (sys.executable, "-c", FAULTS[fault_name] + MAIN)
    with run_tuidbg(tmp_path, "count.py", command=command) as terminal:
        await_status(terminal, "paused", "count.py:1")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(8) == ("goes" in fault_name)
        assert_restored(terminal)
        await_nothing_left(terminal)
