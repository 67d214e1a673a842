"""Terminals of the client's, on which a program runs (DAP ``runInTerminal``).

What runs there first is only what holds the terminal open and tells its path; the program is
started on it by the adapter, as on any terminal that somebody else shows.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.adapters.program.other_terminal import HOLD
from tuidbg.api.dap.wire import Refused
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.errors import LaunchFailed

if TYPE_CHECKING:
    from tuidbg.api.dap.client import Client

_PATIENCE = 20.0
"""Seconds that the client gets to open a terminal."""

_TITLE = "the program under tuidbg"

_TELL = """\
import os, sys
try:
    path = os.ttyname(0)
except OSError:
    path = ""
with open(sys.argv[3], "w") as file:
    file.write(path + "\\n")
if not path:
    sys.exit()
"""


async def open_terminal(client: Client, plan: LaunchPlan, kind: str) -> str:
    """The path of a terminal that the client opens; "" where what it opens is no terminal.

    Raises LaunchFailed.
    """
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="tuidbg-")
    told = Path(folder) / "tty"
    words = [sys.executable, "-I", "-S", "-c", _TELL + HOLD, str(os.getpid()), _TITLE, str(told)]
    asked = {
        "kind": "external" if kind == "externalTerminal" else "integrated",
        "title": plan.title,
        "cwd": plan.cwd,
        "args": words,
    }
    try:
        async with asyncio.timeout(_PATIENCE):
            await client.wire.ask("runInTerminal", asked, _PATIENCE)
            while (path := _read(told)) is None:  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.01)
    except Refused as error:
        raise LaunchFailed(f"the editor opens no terminal: {error}") from None
    except TimeoutError:
        raise LaunchFailed("the editor's terminal has not come up in time") from None
    finally:
        told.unlink(missing_ok=True)
        Path(folder).rmdir()
    return path


def _read(told: Path) -> str | None:
    try:
        text = told.read_text(encoding="utf-8")
    except OSError:
        return None
    return text.strip() if text.endswith("\n") else None
