"""Signals, exits and C++ exceptions of native programs, on the real lldb-dap."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.native import line_of, lldb_session, needs_cc, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.native.signals import handle_signal, send_signal
from tuidbg.session.model.state import ExceptionState, ExitState, Status, StopReason

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

SIGNALS, SHOP = "signals.c", "parcel_shop.cpp"


async def described(test: SessionUnderTest) -> ExceptionState:
    """The exception at which the program stands."""
    await test.until(lambda: test.session.stop is None or test.session.stop.exception)
    assert test.session.stop is not None
    assert test.session.stop.exception is not None
    return test.session.stop.exception


class TestSignals:
    @pytest.mark.full
    @pytest.mark.parametrize(
        ("how", "name", "text"),
        [
            ("segv", "SIGSEGV", "there is no memory at 0x10"),
            ("divide", "SIGFPE", "an integer was divided by zero"),
            ("abort", "SIGABRT", "the program aborts"),
            ("term", "SIGTERM", "the program is asked to end"),
        ],
    )
    async def test_one_that_ends_the_program_stops_it_first(
        self, tmp_path: Path, how: str, name: str, text: str
    ) -> None:
        async with lldb_session(tmp_path, SIGNALS, how, stop_on_entry=False) as test:
            await test.start()
            assert test.reason is StopReason.EXCEPTION
            assert test.session.stop is not None
            assert (test.session.stop.signal, test.session.stop.description) == (name, text)
            exception = await described(test)
            assert (exception.type, exception.message) == (name, text)
            await test.go(Resume.CONTINUE)
            number = signal.Signals[name]
            assert test.session.exit == ExitState(code=-number, signal=name)
            assert f"The program was killed ({name})." in test.console

    @pytest.mark.full
    async def test_a_kill_that_nobody_sees_is_no_exit_code(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "kill", stop_on_entry=False) as test:
            await test.start()
            exit_state = test.session.exit
            assert exit_state is not None
            # Kernels before 6.15 keep it for themselves; then it stays the bare number.
            assert exit_state in (ExitState(code=-9, signal="SIGKILL"), ExitState(code=9))

    @pytest.mark.full
    @pytest.mark.parametrize(("how", "code"), [("exit", 7), ("end", 0), ("eleven", 11)])
    async def test_exit_codes_stay_what_they_are(self, tmp_path: Path, how: str, code: int) -> None:
        async with lldb_session(tmp_path, SIGNALS, how, stop_on_entry=False) as test:
            await test.start()
            assert test.session.exit == ExitState(code=code)
            assert f"The program has ended with exit code {code}." in test.console

    @pytest.mark.full
    async def test_the_program_gets_its_own_signal_when_it_goes_on(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "usr1", stop_on_entry=False) as test:
            await test.start()
            assert test.session.stop is not None
            assert test.session.stop.signal == "SIGUSR1"
            await test.go(Resume.CONTINUE)
            assert "told 10" in test.console

    async def test_one_can_be_passed_over(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "usr1") as test:
            await test.start()
            await handle_signal(test.session, "USR1", stop=False, deliver=True)
            await test.go(Resume.CONTINUE)
            assert test.session.exit == ExitState(code=0)
            assert "told 10" in test.console

    async def test_one_is_sent_and_stops_the_program(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin", stop_on_entry=False) as test:
            await test.session.lifecycle.start()
            await test.until(lambda: test.session.pid is not None)
            assert send_signal(test.session, "SIGUSR1") is signal.SIGUSR1
            await test.settled()
            assert test.session.stop is not None
            assert test.session.stop.signal == "SIGUSR1"

    @pytest.mark.full
    async def test_a_kill_from_outside_at_a_stop_is_told(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin") as test:
            await test.start()
            assert test.session.pid is not None
            os.kill(test.session.pid, signal.SIGKILL)
            await test.until(lambda: test.ended)
            assert test.session.exit is not None
            assert test.session.exit.signal == "SIGKILL"


class TestPause:
    @pytest.mark.full
    async def test_a_pause_is_a_pause_and_the_program_goes_on(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin", stop_on_entry=False) as test:
            await test.session.lifecycle.start()
            for _ in range(3):
                await test.until(lambda: test.session.status is Status.RUNNING)
                before = test.session.stop_id
                await test.session.execution.pause(origin="tui")
                await test.settled(before)
                assert (test.reason, test.session.stop is not None) == (StopReason.PAUSE, True)
                await test.session.execution.resume(Resume.CONTINUE, origin="tui")

    async def test_ctrl_c_in_its_terminal_pauses_it(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin", stop_on_entry=False) as test:
            await test.session.lifecycle.start()
            await test.until(lambda: "spinning" in test.console)
            test.session.terminal_io.send_interrupt()
            await test.settled()
            assert test.reason is StopReason.PAUSE


class TestExceptions:
    @pytest.mark.full
    async def test_a_throw_tells_type_and_message(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP, stop_on_entry=False) as test:
            await test.session.breakpoints.stop_at_exceptions(frozenset({"raised"}), origin="tui")
            await test.start()
            assert test.reason is StopReason.EXCEPTION
            exception = await described(test)
            assert (exception.type, exception.message) == (
                "std::runtime_error",
                "no more parcels",
            )
            own = next(f for f in test.session.frames if f.name == "fail(int)")
            assert own.place is not None
            assert own.place.line == line_of(SHOP, "throw std::runtime_error")

    async def test_a_thrown_number_is_told(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP, "2", stop_on_entry=False) as test:
            await test.session.breakpoints.stop_at_exceptions(frozenset({"raised"}), origin="tui")
            await test.start()
            await test.go(Resume.CONTINUE)
            exception = await described(test)
            assert (exception.type, exception.message) == ("int", "42")

    async def test_one_that_nobody_catches_is_explained(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP, "1", stop_on_entry=False) as test:
            await test.start()
            assert test.session.stop is not None
            assert test.session.stop.signal == "SIGABRT"
            exception = await described(test)
            assert exception.type == "std::runtime_error"
            assert exception.message == ("no more parcels (not caught, so the program aborts)")
            assert exception.break_mode == "unhandled"

    async def test_a_catch_can_be_stopped_at(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SHOP, stop_on_entry=False) as test:
            await test.session.breakpoints.stop_at_exceptions(frozenset({"caught"}), origin="tui")
            await test.start()
            assert (test.reason, test.session.frames[0].name) == (
                StopReason.EXCEPTION,
                "__cxa_begin_catch",
            )
            exception = await described(test)
            assert (exception.type, exception.message) == (
                "std::runtime_error",
                "no more parcels",
            )
