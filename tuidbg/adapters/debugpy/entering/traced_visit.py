"""Visits by tuidbg itself (``traced.py``): they take a thousandth of a second, and need no gdb."""

from __future__ import annotations

import platform
import sys
import threading
from pathlib import Path

from tuidbg.adapters.debugpy.entering.symbols import NoSymbols, find_functions, read_maps
from tuidbg.adapters.debugpy.entering.traced import (
    AlreadyStopped,
    CannotTrace,
    Ended,
    TracedProcess,
    find_gadget,
)
from tuidbg.adapters.debugpy.entering.visit import InjectionKind, InjectionOutcome
from tuidbg.adapters.program.blocked import SystemCall

_FUNCTIONS = (
    "PyErr_Clear",
    "PyErr_SetInterrupt",
    "PyGILState_Check",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "Py_AddPendingCall",
    "Py_MakePendingCalls",
    "PyRun_SimpleString",
)
_ROOM = 256 * 1024
"""Bytes of the stack that running a text may take."""


def can_trace() -> bool:
    """Returns whether programs of this machine can be visited in this way."""
    is_known = sys.platform == "linux" and platform.machine() == "x86_64"
    return is_known and sys.maxsize > 2**32


class TracedVisit:
    """One visit, in a thread of its own (``Visit``)."""

    def __init__(self, kind: InjectionKind, pid: int, text: str, place: SystemCall | None) -> None:
        """Begin it. ``text`` is what is queued, ``place`` where the main thread was seen to wait.

        Nothing is run where it does not wait just there.
        """
        self.kind = kind
        self._pid = pid
        self._text = text
        self._place = place
        self._outcome = InjectionOutcome.FAILED, "the visit came to nothing"
        self._thread = threading.Thread(target=self._visit, name=f"visit to {pid}")
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def outcome(self) -> tuple[InjectionOutcome, str]:
        return self._outcome

    def _visit(self) -> None:
        try:
            self._outcome = self._go_in(), ""
        except AlreadyStopped:
            self._outcome = InjectionOutcome.AGAIN, "the program is stopped (Ctrl+Z, SIGSTOP)"
        except (Ended, FileNotFoundError, ProcessLookupError):
            self._outcome = InjectionOutcome.FAILED, "the process has ended"
        except (CannotTrace, NoSymbols) as error:
            self._outcome = InjectionOutcome.FAILED, str(error)
        except PermissionError:
            self._outcome = InjectionOutcome.FAILED, "the system does not allow to trace it"
        except OSError as error:
            self._outcome = (
                InjectionOutcome.FAILED,
                f"it can't be looked into: {error.strerror or error}",
            )

    def _go_in(self) -> InjectionOutcome:
        functions = find_functions(self._pid, _FUNCTIONS)
        maps = read_maps(self._pid)
        gadget = find_gadget(self._pid, maps)
        if "shstk" in Path(f"/proc/{self._pid}/status").read_text(errors="replace"):
            raise CannotTrace("it runs with a shadow stack, which forbids calls from outside")
        stack = next((row for row in maps if row.path == "[stack]"), None)
        held = TracedProcess(self._pid, gadget)
        try:
            if self.kind is InjectionKind.QUEUE:
                return self._queue(held, functions)
            on_own_stack = stack is not None and (
                stack.end - 2**23 + _ROOM < held.registers["rsp"] < stack.end
            )
            return self._run(held, functions) if on_own_stack else InjectionOutcome.AGAIN
        finally:
            held.let_go()

    def _queue(self, held: TracedProcess, functions: dict[str, int]) -> InjectionOutcome:
        """The page stays the program's: nobody knows when it is read last."""
        data = self._text.encode("ascii") + b"\0"
        page = held.map_page(len(data))
        held.write(page, data)
        failed = held.call(functions["Py_AddPendingCall"], functions["PyRun_SimpleString"], page)
        return InjectionOutcome.AGAIN if failed else InjectionOutcome.DONE

    def _run(self, held: TracedProcess, functions: dict[str, int]) -> InjectionOutcome:
        registers = held.registers
        now = SystemCall(registers["orig_rax"], registers["rsp"], registers["rip"])
        if not held.is_in_system_call or now != self._place:
            return InjectionOutcome.AGAIN
        if held.call(functions["PyGILState_Check"]):
            return InjectionOutcome.AGAIN
        state = held.call(functions["PyGILState_Ensure"])
        # An error can only be a signal's that came meanwhile, Ctrl+C: it is told anew.
        if held.call(functions["Py_MakePendingCalls"]):
            held.call(functions["PyErr_Clear"])
            held.call(functions["PyErr_SetInterrupt"])
        held.call(functions["PyGILState_Release"], state)
        return InjectionOutcome.DONE
