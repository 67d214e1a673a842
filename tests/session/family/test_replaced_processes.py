"""Processes that replace themselves by another program (``os.exec*``), on the real debugpy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.family.test_children import LEAF, processes
from tuidbg.session.core.run.ending import REPLACED
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]

FORKING = """\
import os, subprocess, sys
words = [sys.executable, "leaf.py", "7"]
if os.fork() == 0:
    {how}
    os._exit(0)
print("ended with", os.wait()[1])
"""

AGAIN = 'import os, sys; os.execv(sys.executable, [sys.executable, "leaf.py", "8"])\n'

TO_PYTHON = {
    "execv": "os.execv(sys.executable, words)",
    "execle": "os.execle(sys.executable, *words, os.environ)",
    "execvp": "os.execvp(sys.executable, words)",
    "twice": 'os.execv(sys.executable, [sys.executable, "again.py"])',
    "subprocess": "subprocess.run(words, check=True)",
}

TO_OTHERS = {
    "exec": 'os.execvp("echo", ["echo", "another one"])',
    "subprocess": 'subprocess.run(["echo", "another one"], check=True)',
    "in_vain": """\
try:
        os.execv("/nowhere", ["/nowhere"])
    except OSError:
        print("another one", flush=True)""",
}


@pytest.mark.parametrize("how", TO_PYTHON)
async def test_a_forked_process_becomes_another_python(how: str, tmp_path: Path) -> None:
    """It is debugged on, and its parent goes on when it has ended."""
    leaf = tmp_path / "leaf.py"
    leaf.write_text(LEAF, encoding="utf-8")
    (tmp_path / "again.py").write_text(AGAIN, encoding="utf-8")
    async with processes(tmp_path, FORKING.format(how=TO_PYTHON[how]), at=0) as family:
        await family.root.breakpoints.set(str(leaf), 3, origin="tui")
        stops = await family.run_to_end()
        assert [line for _, line in stops] == [3], family.describe()
        assert "ended with 0" in family.under_test.console
        await family.until(lambda: all(r.is_over for r in family.children), "all have ended")
        assert all(r.session.status is Status.TERMINATED for r in family.children)


@pytest.mark.parametrize("how", TO_OTHERS)
async def test_a_forked_process_becomes_no_python(how: str, tmp_path: Path) -> None:
    """It and its parent run on; nobody waits for it to come back."""
    async with processes(tmp_path, FORKING.format(how=TO_OTHERS[how]), at=0) as family:
        assert await family.run_to_end() == []
        assert "another one" in family.under_test.console, family.describe()
        assert "ended with 0" in family.under_test.console
        await family.under_test.until(
            lambda: all(r.is_over for r in family.children), family.describe()
        )


REPLACING = """\
import os, sys
if len(sys.argv) > 1:
    sys.exit(7)
os.execvp({words}[0], {words})
"""
TO_SHELL = '["sh", "-c", "sleep 1; echo another one; exit 7"]'
TO_ITSELF = '[sys.executable, sys.argv[0], "again"]'


@pytest.mark.parametrize("words", [TO_SHELL, TO_ITSELF], ids=["shell", "python"])
async def test_the_program_becomes_another_one_that_is_not_debugged(
    words: str, tmp_path: Path
) -> None:
    """It runs to its end, and its exit code is known."""
    text, debugs = REPLACING.format(words=words), words == TO_SHELL
    async with processes(tmp_path, text, at=0, sub_process=debugs) as family:
        assert await family.run_to_end() == []
        assert family.root.exit is not None
        assert family.root.exit.code == 7, family.describe()
        assert REPLACED in family.under_test.console
        assert ("stdout: another one" in family.under_test.console) is (words == TO_SHELL)
