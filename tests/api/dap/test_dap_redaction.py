"""An editor from whom secrets are kept asks for all that there is, and sees none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_redaction import COMMENT, EXPRESSIONS, PLANTED, STOP, asking
from tests.support.editors import LocalEditor, local_editor
from tests.support.served import use_own_folders
from tuidbg.api.auth.callers import ALL_SCOPES, Caller
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import Redaction

pytestmark = [pytest.mark.real, pytest.mark.full]

BEGIN = frozenset({"initialize", "attach", "configurationDone"})
"""Asked by every editor that comes."""

TOLD = frozenset(
    {"attribute", "item", "cause", "output", "stderr", "message", "local", "log", "source"}
    | {"argument", "option", "environment", "key", "notice"}
)
"""Where secrets are that an editor would be told of: the others stand in files, which it reads by
itself, and in what front ends of other kinds are told."""


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


class Looking:
    """An editor, and which commands it has asked."""

    def __init__(self, editor: LocalEditor, path: str) -> None:
        self.editor = editor
        self.source = {"path": path}
        self.asked = set(BEGIN)

    async def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Ask; the body of a yes, and nothing of a no, which may be as well."""
        self.asked.add(command)
        answer = await self.editor.answer(command, **arguments)
        found: dict[str, Any] = (answer.get("body") or {}) if answer["success"] else {}
        return found

    async def look(self) -> None:
        """Ask for everything that can be read of a stop."""
        thread = self.editor.events("stopped")[-1]["threadId"]
        await self.ask("threads")
        await self.ask("exceptionInfo", threadId=thread)
        frames = (await self.ask("stackTrace", threadId=thread))["stackFrames"]
        for frame in frames[:3]:
            await self._look_into(frame["id"])
        top = frames[0]["id"]
        for context in ("watch", "repl", "hover", "clipboard"):
            for expression in EXPRESSIONS:
                await self.ask("evaluate", expression=expression, frameId=top, context=context)
        for command, arguments in {
            "completions": {"text": "account.", "column": 9, "frameId": top},
            "source": {"source": self.source, "sourceReference": 0},
            "breakpointLocations": {"source": self.source, "line": 1, "endLine": COMMENT},
            "gotoTargets": {"source": self.source, "line": STOP},
            "stepInTargets": {"frameId": top},
            "dataBreakpointInfo": {"name": "password", "frameId": top},
            "loadedSources": {},
            "modules": {"startModule": 0},
            "readMemory": {"memoryReference": "4096", "count": 16},
            "disassemble": {"memoryReference": "4096", "instructionCount": 4},
        }.items():
            await self.ask(command, **arguments)

    async def _look_into(self, frame: int) -> None:
        scopes = (await self.ask("scopes", frameId=frame)).get("scopes", [])
        waiting = [scope["variablesReference"] for scope in scopes]
        for _ in range(30):
            if not waiting:
                break
            found = await self.ask("variables", variablesReference=waiting.pop(0))
            inner = [v["variablesReference"] for v in found.get("variables", ())]
            waiting += [reference for reference in inner if reference][:4]

    async def act(self) -> None:
        """Ask for what changes something, to the end of the program."""
        thread = self.editor.events("stopped")[-1]["threadId"]
        top = (await self.ask("stackTrace", threadId=thread))["stackFrames"][0]["id"]
        scopes = (await self.ask("scopes", frameId=top))["scopes"]
        inside = {"variablesReference": scopes[0]["variablesReference"]}
        wanted = [{"line": COMMENT}, {"line": STOP, "condition": "{}[password]"}]
        acts: dict[str, dict[str, Any]] = {
            "setBreakpoints": {"source": self.source, "breakpoints": wanted},
            "setFunctionBreakpoints": {"breakpoints": [{"name": "count"}]},
            "setInstructionBreakpoints": {"breakpoints": []},
            "setExceptionBreakpoints": {"filters": ["raised"]},
            "setDataBreakpoints": {"breakpoints": []},
            "setVariable": {**inside, "name": "password", "value": "password + 'x'"},
            "setExpression": {"expression": "password", "value": "1 +", "frameId": top},
            "writeMemory": {"memoryReference": "4096", "data": "AA=="},
            "restartFrame": {"frameId": top},
            "stepBack": {"threadId": thread},
            "reverseContinue": {"threadId": thread},
            "goto": {"threadId": thread, "targetId": 1},
            "terminateThreads": {"threadIds": [thread]},
            "cancel": {"requestId": 1},
            "launch": {"program": self.source["path"]},
            "pause": {"threadId": thread},
            "next": {"threadId": thread},
            "stepIn": {"threadId": thread},
            "stepOut": {"threadId": thread},
            "continue": {"threadId": thread},
            "restart": {},
            "terminate": {},
            "disconnect": {},
        }
        for command, arguments in acts.items():
            await self.ask(command, **arguments)


async def all_that_is_told(folder: Path, *, hides: Redaction) -> str:
    async with asking(folder, hides=hides) as one:
        caller = Caller("an editor", ALL_SCOPES, "dap", hides)
        editor = local_editor(one.target.hub, caller=caller)
        await editor.begin("attach")
        await editor.stopped()
        looking = Looking(editor, str(folder / "main.py"))
        while await editor.line() != STOP:
            await editor.step("continue")
        await looking.look()
        stop = await editor.step("continue")
        assert stop["reason"] == "exception"
        await looking.look()
        await looking.act()
        assert COMMANDS.keys() - looking.asked == set(), "each command is asked"
        return json.dumps(editor.told)


async def test_none_of_it_is_told_to_an_editor(tmp_path: Path) -> None:
    told = await all_that_is_told(tmp_path, hides=Redaction.TEXTS)
    found = [told[at - 160 : at + 30] for at in range(len(told)) if told.startswith("hunter2", at)]
    assert found == []
    assert redaction.REDACTED in told and "ada" in told


async def test_other_editors_are_told_it(tmp_path: Path) -> None:
    """The secrets are where the test above looks for them."""
    told = await all_that_is_told(tmp_path, hides=Redaction.NOTHING)
    assert {where for where in PLANTED if f"hunter2-{where}" in told} == TOLD
