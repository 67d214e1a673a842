"""How a program ends, as the relay tells it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.relay import Relay, relay


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
@pytest.mark.parametrize(("name", "code"), [("SIGKILL", -9), ("SIGSEGV", -11), ("SIGHUP", -1)])
async def test_a_death_by_a_signal_is_minus_its_number(
    client: Relay, name: str, code: int, console: str, tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(f"import os, signal\nos.kill(os.getpid(), signal.{name})\n")
    await client.launch(path, console=console)
    await client.until_status("terminated")
    (ended,) = [e["body"] for e in await client.all_events() if e["type"] == "terminated"]
    found = ended["exit_code"], ended.get("error"), (await client.delete()).data["exit_code"]
    if name == "SIGHUP" and ended["exit_code"] == 255:
        pytest.skip("this kernel does not tell SIGHUP from sys.exit(-1)")
    assert found == (code, f"Process was ended by {name}", code)
