"""What other adapters say (Delve 1.27, gdb 18, rdbg, bash-dap), as the fake adapter plays it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plain.piped import by_lines
from tests.support.adapter_profiles import write_config
from tests.support.fakes import CAPABILITIES, FakeProfile, Script, rule
from tests.support.lua_adapter import install_lua_dap, lua_script
from tests.support.recording import busy, count_up, moment, program
from tests.support.sessions import fake_session
from tuidbg.adapters.traits import Values
from tuidbg.session.core.breakpoints.kinds.exceptions import MOMENTS
from tuidbg.session.core.evaluation.prompt import EvaluationContext, ask
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.state import Status, StopReason

PATH = "/demo/count.py"


async def test_filters_that_no_moment_names_keep_their_default(tmp_path: Path) -> None:
    """Delve 1.27 stops at panics by such filters: a list without them switches them off."""
    filters = [
        *CAPABILITIES["exceptionBreakpointFilters"],
        {"filter": "unrecovered-panic", "label": "Panics", "default": True},
        {"filter": "handshake", "label": "Handshakes", "default": False},
    ]
    script = Script(
        count_up(PATH, 3), capabilities={**CAPABILITIES, "exceptionBreakpointFilters": filters}
    )
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        session = under_test.session
        await session.exceptions.stop_at(frozenset(), origin="tui")
        await session.exceptions.stop_at(frozenset(MOMENTS[:1]), origin="tui")
        await session.breakpoints.mute(True, origin="tui")
        sent = under_test.fake.arguments_of("setExceptionBreakpoints")
    assert [each["filters"] for each in sent] == [
        ["uncaught", "unrecovered-panic"],
        ["unrecovered-panic"],
        ["raised", "unrecovered-panic"],
        [],
    ]


async def test_a_reason_that_dap_does_not_have_keeps_its_word(tmp_path: Path) -> None:
    """gdb's "signal" of a SIGSEGV is no pause."""
    script = Script(program([moment(PATH, 1), busy(PATH, 2), moment(PATH, 3)]))
    async with fake_session(tmp_path, script, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.lifecycle.start()
        await under_test.until(lambda: session.status is Status.RUNNING)
        await under_test.fake.stop("signal")
        await under_test.settled()
        assert session.stop is not None
        assert (session.stop.reason, session.stop.other_reason) == (StopReason.PAUSE, "signal")
        wording = word_stop(session.stop)
        assert wording.lines == ("Stopped: signal.",)
        assert {wording.line, wording.brief, wording.label, wording.account} == {"signal"}


@pytest.mark.parametrize("has_locals", [True, False])
async def test_arguments_in_a_scope_of_their_own(has_locals: bool, tmp_path: Path) -> None:
    """They are among the locals, as with every other adapter: all views have them."""
    scopes = [{"name": "Arguments", "presentationHint": "arguments", "variablesReference": 901}]
    shown = [[{"name": name, "value": value} for name, value in (("a", "2"), ("b", "3"))]]
    if has_locals:
        scopes += [{"name": "Locals", "presentationHint": "locals", "variablesReference": 902}]
        shown += [[{"name": "sum", "value": "5"}]]
    rules = [rule("scopes", "body", body={"scopes": scopes})]
    rules += [
        rule("variables", "body", nth=number, body={"variables": each})
        for number, each in enumerate(shown, 1)
    ]
    async with fake_session(tmp_path, Script(count_up(PATH, 3), rules=rules)) as under_test:
        await under_test.start()
        session = under_test.session
        wanted = {"Locals": ChildrenRequest()}
        (scope,) = await session.values.look(session.frames[0].id, wanted)
        assert scope.variable.name == "Locals"
        names = [node.variable.name for node in scope.children or ()]
        assert names == (["a", "b", "sum"] if has_locals else ["a", "b"])
        assert scope.total == len(names)


async def test_repl_is_asked_only_where_it_evaluates(tmp_path: Path) -> None:
    """In gdb's ``repl``, its command line, ``d`` deletes all breakpoints."""
    async with fake_session(tmp_path, Script(count_up(PATH, 3))) as under_test:
        await under_test.start()
        session = under_test.session
        frame = session.frames[0].id
        await ask(session, "i", frame, EvaluationContext.REPL)
        profile = session.profile
        assert isinstance(profile, FakeProfile)
        profile.values = Values()
        await session.evaluation.evaluate("i", frame)
        await ask(session, "i", frame, EvaluationContext.REPL)
        sent = under_test.fake.arguments_of("evaluate")
    assert [each["context"] for each in sent] == ["repl", "watch", "watch"]


@pytest.mark.real
def test_a_stop_without_a_stack_and_a_refused_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bash-dap's first stop has no frames; rdbg refuses lists as a whole. Both go on."""
    script = lua_script(tmp_path)
    rules = [rule("setBreakpoints", "fail", nth=1, message="count.lua is not available")]
    install_lua_dap(tmp_path, script, rules, stackless=True)
    command = str(tmp_path / "bin" / "lua-dap")
    write_config(
        tmp_path,
        f'[adapters.lua]\ncommand = ["{command}", "--port", "{{port}}"]\npatterns = ["*.lua"]\n',
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    told = by_lines(tmp_path, script, ["p i", "b 3", "b 4", "c", "p i", "c", "c"])
    assert told.text.count("The debug adapter gives no stack here.") == 1
    refusal = "*** the debug adapter gives no stack here; `s`, `n` or `c` goes on"
    assert told.answer(0) == refusal
    assert told.answer(1) == f"Breakpoint 1 at {script}:3, count.lua is not available"
    assert told.answer(2) == f"Breakpoint 2 at {script}:4"
    assert told.answer(4) == "3"
    assert "exit code 0" in told.text
