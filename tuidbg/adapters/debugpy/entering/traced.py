"""The main thread of another process, held for a moment by ptrace(2): calls into it, and no harm.

x86-64 Linux. Nothing else of the process is stopped. What the thread was about is put back in the
stop in which the kernel decides about an interrupted system call, so that it is taken up again, or
tells of a signal, exactly as if nobody had been there. No signal is used, none is lost. All
registers are put back: general ones and those for floating point and vectors, however many there
are. (gdb before 14 can't do the latter where the processor has AMX, and so ends the program.)
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct

from tuidbg.adapters.debugpy.entering.symbols import Mapping

_CONT, _DETACH, _SYSCALL = 7, 17, 24
_GETREGSET, _SETREGSET, _SEIZE, _INTERRUPT, _LISTEN = 0x4204, 0x4205, 0x4206, 0x4207, 0x4208
_TELL_SYSCALLS = 1
_EVENT_STOP = 128
_SYSCALL_STOP = signal.SIGTRAP | 0x80
_ANY_THREAD = 0x40000000
_GENERAL, _EXTENDED = 1, 0x202

_NAMES = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx"),
    *("rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss"),
    *("fs_base", "gs_base", "ds", "es", "fs", "gs"),
)
_LAYOUT = struct.Struct(f"{len(_NAMES)}Q")
_MOST = 1 << 17
_STOPPING = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)

_MMAP = 9
_DOWNWARDS = 0x400
_NOWHERE = 2**64 - 1
_BELOW = 1024
"""Bytes of the stack below what is in use that are left alone: a function may use 128 of them."""

Registers = dict[str, int]


class Ended(Exception):
    """The process has ended."""


class CannotTrace(Exception):
    """The thread can't be held; ``str()`` says why."""


class AlreadyStopped(Exception):
    """The process was stopped by somebody (Ctrl+Z); it was left so."""


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_libc = ctypes.CDLL(None, use_errno=True)
_ptrace = _libc.ptrace
_ptrace.restype = ctypes.c_long
_ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)


class TracedProcess:
    """The main thread of a process, held until ``let_go``.

    Whoever holds it must not be ended meanwhile, and must be the same thread all the time.
    """

    def __init__(self, pid: int, gadget: int) -> None:
        """``gadget`` is the address of a ``syscall`` instruction in it.

        Waits until the thread can be held. Raises CannotTrace, Ended, Stopped.
        """
        self._pid = pid
        self._gadget = gadget
        try:
            self._do(_SEIZE, 0, _TELL_SYSCALLS)
        except PermissionError:
            raise CannotTrace("the system does not allow to trace it") from None
        self._do(_INTERRUPT)
        while True:
            event, number = self._wait()
            if event == _EVENT_STOP and number in _STOPPING:
                self._do(_DETACH)
                raise AlreadyStopped
            if event == _EVENT_STOP:
                break
            self._do(_CONT, 0, number)
        self._signal = 0  # one that is just being delivered to it
        self.registers = self._get()
        self._extended = self._read(_EXTENDED)

    @property
    def is_in_system_call(self) -> bool:
        """Tells whether it was interrupted in the middle of one."""
        rax = self.registers["rax"]
        return self.registers["orig_rax"] != _NOWHERE and rax > 2**64 - 4096

    def map_page(self, size: int) -> int:
        """Reserve memory, which can be written; its address. Raises CannotTrace, Ended."""
        stack = self._stack()
        wanted = {"rdi": 0, "rsi": size, "rdx": 3, "r10": 0x22, "r8": _NOWHERE, "r9": 0}
        self._set({"rax": _MMAP, "rip": self._gadget, "rsp": stack, **wanted})
        self._set_off()
        self._until_system_call(stack)  # about to be made
        self._do(_SYSCALL)
        found = self._until_system_call(stack)["rax"]
        self._settle()
        if found > 2**64 - 4096:
            raise CannotTrace(f"no memory: {os.strerror(2**64 - found)}")
        return found

    def call(self, function: int, *arguments: int) -> int:
        """Call a function there; what it returns, as an int of 32 bits. Raises Ended.

        Waits however long it takes. Signals that come meanwhile are handed on.
        """
        stack = self._stack() - 8
        self.write(stack, struct.pack("<Q", self._gadget))
        named = dict(zip(("rdi", "rsi", "rdx"), arguments, strict=False))
        self._set({"rip": function, "rsp": stack, "rax": 0, **named})
        self._set_off()
        # It comes back to where it was told: about to make a system call.
        now = self._until_system_call(stack + 8)
        returned: int = struct.unpack("<i", struct.pack("<I", now["orig_rax"] & 0xFFFFFFFF))[0]
        # Any system call will do that does nothing, and that no filter of the program's forbids.
        nothing = {"orig_rax": _MMAP, "rdi": 0, "rsi": 0, "rdx": 0, "r10": 0x22, "r8": _NOWHERE}
        self._write(_GENERAL, _pack({**now, **nothing, "r9": 0}))
        self._settle()
        return returned

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into its memory."""
        with open(f"/proc/{self._pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(address)
            memory.write(data)

    def let_go(self) -> None:
        """Have it go on with what it was about. Raises Ended."""
        self._put_back()
        self._do(_DETACH, 0, self._signal)

    def _settle(self) -> None:
        """From a system call that changes nothing into a stop for signals; put everything back."""
        self._do(_INTERRUPT)
        self._do(_CONT)
        event, number = self._wait()
        while number == _SYSCALL_STOP:
            self._do(_CONT)
            event, number = self._wait()
        self._put_back()
        if event != _EVENT_STOP:
            self._signal = number

    def _put_back(self) -> None:
        self._write(_GENERAL, _pack(self.registers))
        self._write(_EXTENDED, self._extended)

    def _set_off(self) -> None:
        """Begin what it was set to; a signal that it was about to get comes first."""
        number, self._signal = self._signal, 0
        self._do(_SYSCALL, 0, number)

    def _stack(self) -> int:
        return (self.registers["rsp"] - _BELOW) // 64 * 64

    def _set(self, changes: Registers) -> None:
        """Take up something else than what it was about: no system call is to be taken up again.

        Functions begin with strings going upwards, whatever is halfway done.
        """
        flags = self.registers["eflags"] & ~_DOWNWARDS
        begun = {**self.registers, "orig_rax": _NOWHERE, "eflags": flags, **changes}
        self._write(_GENERAL, _pack(begun))

    def _until_system_call(self, stack: int) -> Registers:
        """Let it run to the begin or end of our own system call; its registers there.

        A handler of a signal that comes meanwhile makes system calls as well: on a stack deeper
        than ``stack``, or on one of its own.
        """
        while True:
            event, number = self._wait()
            if number == _SYSCALL_STOP:
                now = self._get()
                if now["rip"] == self._gadget + 2 and now["rsp"] == stack:
                    return now
            self._go_on(event, number)

    def _go_on(self, event: int, number: int) -> None:
        if event == _EVENT_STOP and number in _STOPPING:
            self._do(_LISTEN)  # until somebody continues it
        else:
            is_signal = not event and number != _SYSCALL_STOP
            self._do(_SYSCALL, 0, number if is_signal else 0)

    def _wait(self) -> tuple[int, int]:
        """The next stop: its event and its signal. Raises Ended."""
        try:
            _, status = os.waitpid(self._pid, _ANY_THREAD)
        except ChildProcessError:
            raise Ended from None
        if not os.WIFSTOPPED(status):
            raise Ended
        return status >> 16, os.WSTOPSIG(status)

    def _do(self, what: int, address: int = 0, data: int = 0) -> None:
        if _ptrace(what, self._pid, address, data) == -1:
            number = ctypes.get_errno()
            if number == errno.ESRCH:
                raise Ended
            raise OSError(number, os.strerror(number))

    def _get(self) -> Registers:
        return dict(zip(_NAMES, _LAYOUT.unpack(self._read(_GENERAL)), strict=True))

    def _read(self, which: int) -> bytes:
        buffer = ctypes.create_string_buffer(_MOST)
        vector = _Vector(ctypes.addressof(buffer), _MOST)
        self._do(_GETREGSET, which, ctypes.addressof(vector))
        return buffer.raw[: vector.length]

    def _write(self, which: int, data: bytes) -> None:
        buffer = ctypes.create_string_buffer(data, len(data))
        vector = _Vector(ctypes.addressof(buffer), len(data))
        self._do(_SETREGSET, which, ctypes.addressof(vector))


def _pack(registers: Registers) -> bytes:
    return _LAYOUT.pack(*(registers[name] for name in _NAMES))


def find_gadget(pid: int, maps: list[Mapping]) -> int:
    """The address of a ``syscall`` instruction in a process. Raises CannotTrace, OSError."""
    likely = ("[vdso]", "libc", "ld-musl")
    rows = [m for m in maps if m.is_code and any(each in m.path for each in likely)]
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for row in sorted(rows, key=lambda each: each.path != "[vdso]"):
            try:
                memory.seek(row.start)
                found = memory.read(row.end - row.start).find(b"\x0f\x05")
            except OSError:
                continue
            if found >= 0:
                return row.start + found
    raise CannotTrace("it makes no system calls that could be found")
