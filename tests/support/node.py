"""Clients that were not written here come from npm; ``.ci/run`` installs them."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

FOLDER = Path(os.environ.get("TUIDBG_NODE_FOLDER", Path.home() / ".cache" / "tuidbg-node"))


def needs_package(name: str) -> pytest.MarkDecorator:
    """A mark of tests that need a package of npm's."""
    return pytest.mark.skipif(
        shutil.which("node") is None or not (FOLDER / "node_modules" / name).is_dir(),
        reason=f"no node, or {name} is not installed in {FOLDER}",
    )


async def all_is_well(script: Path, *arguments: str) -> None:
    """Run a script of node's with the folder of the packages and its arguments to its end."""
    said = await _run("node", str(script), str(FOLDER), *arguments)
    assert said.splitlines()[-1:] == ["all is well"], said


async def run_command(name: str, *arguments: str) -> str:
    """Run a command of one of the packages to its end; what it says."""
    return await _run(str(FOLDER / "node_modules" / ".bin" / name), *arguments)


async def _run(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), 2 * PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
    return said.decode()
