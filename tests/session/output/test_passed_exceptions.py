"""An exception that a library catches is reported, with the rule that stops there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.fakes import Script, rule
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.config.launch import Console
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import Status, StopReason

PROGRAM = """
import asyncio, os, sys, time, traceback
def view():
    raise KeyError("nobody")  #: raised
def own():
    try:
        view()
    except KeyError:
        traceback.print_exc()
        print("so far", file=sys.stderr, flush=True)
own()
loop = asyncio.new_event_loop()
for _ in range(2):
    loop.call_soon(view)
loop.call_soon(loop.stop)
loop.run_forever()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""


def _notices(t: SessionUnderTest) -> list[str]:
    return [event.text for event in t.events(NoticeGiven) if "A library caught" in event.text]


TRACEBACK = """\
Traceback (most recent call last):
  File "{library}", line 94, in _run
  File "{own}", line 3, in view
KeyError: 'nobody'
"""


async def test_what_is_written_before_the_program_is_known_counts(tmp_path: Path) -> None:
    own = tmp_path / "program.py"
    text = TRACEBACK.format(library=asyncio.events.__file__, own=own)
    said = {"type": "event", "event": "output", "body": {"category": "stderr", "output": text}}
    script = Script(rules=[rule("configurationDone", "before", messages=[said])])
    script.handshake = {
        **script.handshake,
        "configurationDone": ["configurationDone", "launch", "process"],
    }
    async with fake_session(tmp_path, script, target=str(own), stop_on_entry=False) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: _notices(t))
        assert t.session.exceptions.passed.told == _notices(t)[0]


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("console", [Console.INTERNAL, Console.TERMINAL])
async def test_it_is_told_once_with_what_stops_there(tmp_path: Path, console: Console) -> None:
    code, go = MarkedProgram(tmp_path, PROGRAM), tmp_path / "go"
    async with debugpy_session(
        tmp_path, code.file, str(go), stop_on_entry=False, console=console
    ) as t:
        await t.session.lifecycle.start()
        await t.until(lambda: _notices(t))
        go.touch()
        await t.until(lambda: t.ended)
        (told,) = _notices(t)
        assert t.session.exceptions.passed.told == told
        assert f"caught an exception from program.py:{code['raised']};" in told
        assert '"leaving your code" of "Exceptions to stop at"' in told
        before, _, after = t.console.partition("so far")
        assert "caught an exception" in after and "Traceback" in before, (
            "not of what your code has caught"
        )


@pytest.mark.real
@pytest.mark.full
async def test_the_rule_stops_there_and_nothing_is_told(tmp_path: Path) -> None:
    code, go = MarkedProgram(tmp_path, PROGRAM), tmp_path / "go"
    go.touch()
    async with debugpy_session(tmp_path, code.file, str(go), stop_on_entry=False) as t:
        await t.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        await t.start()
        assert (t.session.status, t.reason) == (Status.PAUSED, StopReason.EXCEPTION)
        assert t.line == code["raised"]
        await t.to_end()
        assert t.console.count("KeyError: 'nobody'") == 3 and _notices(t) == []
