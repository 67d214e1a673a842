"""Plain words for LLDB's messages: signals, refusals, and relevant output."""

from __future__ import annotations

import re

import msgspec

from tuidbg.adapters.traits import SignalTold
from tuidbg.dap.types import StoppedBody

_SIGNAL = re.compile(r"signal (?P<name>SIG\w+)(?:: (?P<why>.*))?$")
_WATCHPOINT = re.compile(r"watchpoint (?P<id>\d+)")
_FAULT = re.compile(r"\(?fault address[=:] ?(?P<address>0x[0-9a-fA-F]+)\)?")

OWN_NUMBERS = re.compile(r"(?:(?:data )?break|watch)point -?[\d. ]+$|step (?:in|over|out)$|trace$")
"""Parts of a stop's description that are internal to LLDB, such as its numbers."""

FAST_START = "settings set symbols.enable-external-lookup false"
"""Debug information of the system's libraries (/usr/lib/debug) is not read: that takes half of the
start, and lets steps end in missing sources. Debug information beside the program is still found.
"""

STREAMS = tuple(f"settings set target.{name}-path" for name in ("input", "output", "error"))
"""Followed by the path of the program's terminal."""

OWN_CRASH = "PLEASE submit a bug report to https://github.com/llvm"

NO_PLUGIN = 'no plugin for the language "rust"'
"""In LLDB's warning at the first access to a Rust library, which has no visible effect."""

_PAUSES = ("SIGSTOP", "SIGINT")

_TEXTS = {
    "SIGABRT": "the program aborts",
    "SIGBUS": "memory was used in a way that the machine can't",
    "SIGILL": "this is no instruction of the processor",
    "SIGFPE": "a calculation has no result",
    "SIGSEGV": "memory was used that is not the program's",
    "SIGTERM": "the program is asked to end",
    "SIGPIPE": "the reader of the program's output is gone",
    "SIGTRAP": "the program stops itself",
}

_CHATTER = re.compile(
    r"""To[ ]get[ ]started[ ]with[ ]the[ ]debug[ ]console
    | For[ ]more[ ]information[ ]visit[ ]https://lldb
    | Executable[ ]binary[ ]set[ ]to
    | Attached[ ]to[ ]process[ ]\d
    | Process[ ]\d+[ ](?:launched|stopped|resuming|detached|exited[ ]with[ ]status)
    | (?:Watchpoint[ ]\d+[ ]hit:|old[ ]value:|new[ ]value:)
    | Running[ ](?:init|preRun)Commands:
    | \(lldb\)[ ]settings[ ]set[ ]symbols\.enable-external-lookup[ ]false
    | \(lldb\)[ ]settings[ ]set[ ]target\.(?:in|out|error)\w*-path[ ]/dev/
    | warning:[ ]failed[ ]to[ ]set[ ]breakpoint[ ]site
    """,
    re.VERBOSE,
)
"""Beginnings of LLDB output lines that a front end displays in its own way."""

_LAUNCH_FAILURES = (
    (re.compile(r"No such file or directory|does not exist"), "there is no such program"),
    (re.compile(r"Permission denied"), "it may not be executed: chmod +x makes that possible"),
    (
        re.compile(r"Exec format error|doesn't contain any .*platform architectures"),
        "it is no program for this machine",
    ),
)

_PTRACE = re.compile(r"Operation not permitted|EPERM|ptrace", re.IGNORECASE)

NOT_PERMITTED = (
    "the system does not allow it; `sudo sysctl kernel.yama.ptrace_scope=0` lets a process of the"
    " same user be attached to"
)


def read_stop(stopped: StoppedBody) -> StoppedBody:
    """Return a stop in DAP's terms; 19 names its watchpoint in the description only."""
    found = _WATCHPOINT.fullmatch(stopped.description or "")
    if found is None or stopped.reason != "breakpoint":
        return stopped
    ids = [int(found["id"])]
    return msgspec.structs.replace(stopped, reason="data breakpoint", hit_breakpoint_ids=ids)


def read_signal(description: str) -> SignalTold | None:
    """Return the signal in a stop's description, in plain words."""
    found = _SIGNAL.match(description)
    if found is None:
        return None
    name, why = found["name"], found["why"] or ""
    if name in _PAUSES:
        text = "" if name == "SIGSTOP" else "by Ctrl+C"
        return SignalTold(name, text, is_pause=True)
    fault = _FAULT.search(why)
    if fault is not None:
        address = f"0x{int(fault['address'], 16):x}"
        if "not mapped" in why:
            return SignalTold(name, f"there is no memory at {address}")
        if "permission" in why:
            return SignalTold(name, f"the memory at {address} may not be used like this")
        return SignalTold(name, f"{_FAULT.sub('', why).strip(' :()')} at {address}")
    if "divide by zero" in why:
        return SignalTold(name, "an integer was divided by zero")
    return SignalTold(name, why or _TEXTS.get(name, f"the program has got {name}"))


def is_chatter(text: str) -> bool:
    """Return whether a line of LLDB's output is redundant."""
    return not text.strip() or _CHATTER.match(text.lstrip()) is not None


def explain_launch(reason: str) -> str:
    """Return why a program was not started, in plain words if known."""
    for pattern, words in _LAUNCH_FAILURES:
        if pattern.search(reason):
            return words
    return reason.removeprefix("error: ").strip()


def explain_refusal(reason: str) -> str:
    """Return why a process was not attached to."""
    if _PTRACE.search(reason):
        return NOT_PERMITTED
    return reason.removeprefix("error: ").removeprefix("attach failed: ").strip()
