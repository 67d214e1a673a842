"""The manual's tour of the relay runs as it stands, and the bridge's table is the served one."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.served import served, use_own_folders
from tests.support.waiting import PATIENCE
from tuidbg.api.bridge.actions import document_actions

MANUAL = Path(__file__).resolve().parent.parent / "tuidbg" / "manual"


def _answers(text: str) -> list[dict[str, Any]]:
    """The data of each answer, in their order; every one of them is a success."""
    answers = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert all(answer["success"] for answer in answers), text
    return [answer["data"] for answer in answers]


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(not shutil.which("curl"), reason="the tour needs curl")
async def test_the_tour_of_the_relay_leads_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_folders(tmp_path, monkeypatch)
    (tour,) = re.findall(
        r"```sh\n(.*?)```", (MANUAL / "rest.md").read_text(encoding="utf-8"), re.DOTALL
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    async with served(needs_token=False) as server:
        script = tour.replace("http://127.0.0.1:5679", server.relay.address)
        assert script != tour
        ran = await asyncio.to_thread(
            subprocess.run,
            ["bash", "-eu", "-o", "pipefail", "-c", script],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**os.environ, "PATH": path},
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    created, added, launched, stack, value, stepped, output, deleted = _answers(ran.stdout)
    assert created["name"] == "tour"
    assert added["breakpoints"][0]["id"] == "bp_1"
    assert launched["status"] in ("running", "paused")
    assert [frame["name"] for frame in stack["frames"]] == ["main", "<module>"]
    assert value["result"].endswith(")")
    assert "error" not in value
    assert stepped["current_location"]["line"] == 50
    assert any("Ada" in entry["output"] for entry in output["entries"])
    assert deleted["deleted"]


def test_the_table_of_actions_is_the_served_one() -> None:
    assert document_actions() in (MANUAL / "bridge.md").read_text(encoding="utf-8")
