"""A bare DAP client on debugpy: the floor under every debugger that uses it.

Blocking, on the adapter's pipes, no threads, nothing of tuidbg: it sends what the protocol demands
and nothing else. ``tune`` mends the 40 ms that each of the debuggee's messages waits for a delayed
acknowledgement; without it the client shows debugpy as shipped.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

_SET_NODELAY = "__import__('pydevd').get_global_debugger().writer.sock.setsockopt(6, 1, 1)"

Message = dict[str, Any]


class BareClient:
    """One adapter and one program, from the start of the adapter to its end."""

    def __init__(
        self, command: Sequence[str] | None = None, *, port: int = 0, ends: bool = True
    ) -> None:
        """``command`` starts another adapter; one that listens at ``port`` runs already.

        ``ends``: the program ends with it.
        """
        self._ends = ends
        self._process: subprocess.Popen[bytes] | None = None
        if port:
            with socket.create_connection(("127.0.0.1", port)) as line:
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._input: IO[bytes] = line.makefile("wb")
                self._output: IO[bytes] = line.makefile("rb")
        else:
            self._process = subprocess.Popen(
                command or [sys.executable, "-m", "debugpy.adapter"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert self._process.stdin and self._process.stdout
            self._input, self._output = self._process.stdin, self._process.stdout
        self._sent = 0
        self._events: list[Message] = []
        self._responses: dict[int, Message] = {}
        self.thread = 0
        self._frame = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def launch(self, program: Path, *args: str, stop_on_entry: bool = True) -> list[Message]:
        """From ``initialize`` to the locals of the first stop."""
        self.launch_to_stop(program, *args, stop_on_entry=stop_on_entry)
        return self.read_locals()

    def launch_to_stop(self, program: Path, *args: str, stop_on_entry: bool = True) -> None:
        """From ``initialize`` to the first ``stopped``."""
        self.hello()
        self.launch_after_hello(program, *args, stop_on_entry=stop_on_entry)

    def hello(self) -> None:
        """Nothing but ``initialize``."""
        self._request("initialize", {"adapterID": "debugpy", "linesStartAt1": True})

    def join(self) -> None:
        """Join the session that is there, to its stop."""
        self.hello()
        attached = self._send("attach", {"name": "joined"})
        self._wait_for_event("initialized")
        self._request("configurationDone", {})
        self._take_response(attached)
        self.thread = self._wait_for_event("stopped")["threadId"]

    def set_breakpoints(self, path: Path, lines: Iterable[int]) -> None:
        """Set them all; fails where one is not verified."""
        wanted = [{"line": line} for line in lines]
        arguments = {"source": {"path": str(path)}, "breakpoints": wanted}
        found = self._request("setBreakpoints", arguments)["breakpoints"]
        if not all(each["verified"] for each in found):
            raise RuntimeError("a breakpoint was not set")

    def launch_after_hello(self, program: Path, *args: str, stop_on_entry: bool = True) -> None:
        """From ``launch`` to the first ``stopped``."""
        launched = self._send(
            "launch",
            {
                "program": str(program),
                "args": list(args),
                "cwd": str(program.parent),
                "console": "internalConsole",
                "stopOnEntry": stop_on_entry,
            },
        )
        self._wait_for_event("initialized")
        self._request("configurationDone", {})
        self._take_response(launched)
        self.thread = self._wait_for_event("stopped")["threadId"]

    def run_to_breakpoint(self, program: Path, *args: str) -> list[Message]:
        """The locals where the program itself calls ``breakpoint()``."""
        return self.launch(program, *args, stop_on_entry=False)

    def run_with(
        self,
        program: Path,
        *args: str,
        python: str = sys.executable,
        breakpoints: Mapping[Path, Sequence[Message]] | None = None,
        exception: str = "",
    ) -> str:
        """Run the program to its end with debugpy's own breakpoints; what it printed.

        Where one of them stops it, the line is stepped over before it goes on.
        """
        self._request("initialize", {"adapterID": "debugpy", "linesStartAt1": True})
        arguments = {
            "program": str(program),
            "args": list(args),
            "python": [python],
            "cwd": str(program.parent),
            "console": "internalConsole",
            "redirectOutput": True,
        }
        launched = self._send("launch", arguments)
        self._wait_for_event("initialized")
        for path, wanted in (breakpoints or {}).items():
            source = {"path": str(path)}
            self._request("setBreakpoints", {"source": source, "breakpoints": list(wanted)})
        if exception:
            names = [{"names": ["Python Exceptions"]}, {"names": [exception]}]
            options = [{"path": names, "breakMode": "always"}]
            self._request("setExceptionBreakpoints", {"filters": [], "exceptionOptions": options})
        self._request("configurationDone", {})
        self._take_response(launched)
        return self._read_to_end()

    def _read_to_end(self) -> str:
        output: list[str] = []
        while True:
            while not self._events:
                self._read()
            event = self._events.pop(0)
            if event["event"] == "terminated":
                return "".join(output)
            if event["event"] == "output":
                output.append(event["body"]["output"])
            if event["event"] == "stopped":
                stepped = event["body"]["reason"] == "step"
                thread = {"threadId": event["body"]["threadId"]}
                self._request("continue" if stepped else "next", thread)

    def tune(self) -> None:
        """Sets TCP_NODELAY on the debuggee's socket, by an evaluation in the debuggee."""
        self._request("evaluate", {"expression": _SET_NODELAY, "context": "repl"})

    def step(self, command: str = "next") -> list[Message]:
        """One step, and the locals after it."""
        self.step_to_stop(command)
        return self.read_locals()

    def step_to_stop(self, command: str = "next") -> None:
        """One step, and nothing after it."""
        self._request(command, {"threadId": self.thread})
        self.thread = self._wait_for_event("stopped")["threadId"]

    def expand(self, reference: int) -> list[Message]:
        """Returns what is in a scope or a variable of the stop."""
        variables = self._request("variables", {"variablesReference": reference})
        found: list[Message] = variables["variables"]
        return found

    def evaluate(self, expression: str) -> str:
        """Returns what an expression gives in the frame of the stop."""
        arguments = {"expression": expression, "frameId": self._frame, "context": "watch"}
        return str(self._request("evaluate", arguments)["result"])

    def close(self) -> None:
        """Ends the program by ``disconnect``, and the adapter by force if it does not follow."""
        try:
            self._request("disconnect", {"terminateDebuggee": self._ends})
            if self._process is not None:
                self._process.communicate(timeout=2)
        except (OSError, EOFError, RuntimeError, subprocess.TimeoutExpired):
            if self._process is not None:
                self._process.kill()
                self._process.communicate()

    def read_locals(self) -> list[Message]:
        frames = self._request("stackTrace", {"threadId": self.thread, "levels": 20})
        self._frame = frames["stackFrames"][0]["id"]
        scopes = self._request("scopes", {"frameId": self._frame})
        return self.expand(scopes["scopes"][0]["variablesReference"])

    def _send(self, command: str, arguments: Message) -> int:
        self._sent += 1
        message = {
            "seq": self._sent,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        body = json.dumps(message).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()
        return self._sent

    def _request(self, command: str, arguments: Message) -> Message:
        return self._take_response(self._send(command, arguments))

    def _take_response(self, number: int) -> Message:
        while number not in self._responses:
            self._read()
        response = self._responses.pop(number)
        if not response["success"]:
            raise RuntimeError(f"{response['command']}: {response.get('message')}")
        body: Message = response.get("body") or {}
        return body

    def _wait_for_event(self, name: str) -> Message:
        while True:
            while not self._events:
                self._read()
            event = self._events.pop(0)
            if event["event"] == name:
                body: Message = event.get("body") or {}
                return body

    def _read(self) -> None:
        output = self._output
        length = 0
        while line := output.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the adapter has closed its output")
        message: Message = json.loads(output.read(length))
        if message["type"] == "response":
            self._responses[message["request_seq"]] = message
        elif message["type"] == "event":
            self._events.append(message)


def value_of(variables: list[Message], name: str) -> str:
    """The value of one variable among those of a stop; empty if it is not there."""
    return next((str(v["value"]) for v in variables if v["name"] == name), "")


def reference_of(variables: list[Message], name: str) -> int:
    """By what one variable among those of a stop is expanded; 0 if it is not there."""
    return next((int(v["variablesReference"]) for v in variables if v["name"] == name), 0)
