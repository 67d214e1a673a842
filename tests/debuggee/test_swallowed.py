"""The errors that tuidbg's code in the program swallows: each is counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session
from tuidbg.debuggee import bundle

BROAD = {"Exception", "BaseException"}


def swallowing(tree: ast.AST) -> Iterator[ast.ExceptHandler]:
    """The handlers of all errors that neither raise, nor use the error, nor count it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = (
            {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else BROAD
        )
        used = {n.id for each in node.body for n in ast.walk(each) if isinstance(n, ast.Name)}
        raises = any(isinstance(n, ast.Raise) for each in node.body for n in ast.walk(each))
        if caught & BROAD and not raises and node.name not in used:
            yield node


@pytest.mark.parametrize("name", bundle.find_modules())
def test_each_broad_handler_counts_raises_or_reports(name: str) -> None:
    tree = ast.parse(bundle.find_modules()[name].read_text(encoding="utf-8"))
    assert [node.lineno for node in swallowing(tree)] == []


def test_a_silent_handler_is_found() -> None:
    for handler in ("except:", "except Exception:", "except (KeyError, BaseException) as error:"):
        tree = ast.parse(f"try:\n    f()\n{handler}\n    pass")
        assert len(list(swallowing(tree))) == 1, handler


FAILING = """\
import colorsys, importlib, pydevd
pydevd._tuidbg["loaded_lines"].note_reload = None
importlib.reload(colorsys)
done = 1
"""


@pytest.mark.real
async def test_counts_can_be_read_and_are_in_the_log_at_the_end(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(FAILING, encoding="utf-8")
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as t:
        await t.session.breakpoints.set(str(program), 4, origin="tui")
        await t.start()
        report = "__import__('pydevd')._tuidbg['swallowed'].report()"
        found = await t.session.inspection.evaluate(report, t.session.frames[0].id)
        assert found.value == "{'loaded_lines.__delitem__: TypeError': 1}"
        await t.to_end()
        bodies = [m.message.get("body") or {} for m in t.messages() if not m.sent]
        data = [each["data"] for each in bodies if each.get("category") == "telemetry"]
    logged = [each["swallowed"] for each in data if isinstance(each, dict) and "swallowed" in each]
    assert logged == [{"loaded_lines.__delitem__: TypeError": 1}]
