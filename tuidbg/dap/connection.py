"""One side of a DAP connection: numbers the requests and matches the responses.

Some adapters use ``seq`` 0 for everything, respond twice, or respond without a request; the
connection tolerates all of it. It also has the rule that saves sessions: a request that the adapter
has not announced is never sent (debugpy never responds to it).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tuidbg.dap.codec import FrameDecoder, encode_frame
from tuidbg.dap.messages import Incoming, Request, Response, decode_message
from tuidbg.dap.types import Capabilities

CAPABILITY_OF_REQUEST: dict[str, str] = {
    "breakpointLocations": "supports_breakpoint_locations_request",
    "cancel": "supports_cancel_request",
    "completions": "supports_completions_request",
    "configurationDone": "supports_configuration_done_request",
    "dataBreakpointInfo": "supports_data_breakpoints",
    "disassemble": "supports_disassemble_request",
    "exceptionInfo": "supports_exception_info_request",
    "goto": "supports_goto_targets_request",
    "gotoTargets": "supports_goto_targets_request",
    "loadedSources": "supports_loaded_sources_request",
    "modules": "supports_modules_request",
    "readMemory": "supports_read_memory_request",
    "restart": "supports_restart_request",
    "restartFrame": "supports_restart_frame",
    "reverseContinue": "supports_step_back",
    "setDataBreakpoints": "supports_data_breakpoints",
    "setExpression": "supports_set_expression",
    "setFunctionBreakpoints": "supports_function_breakpoints",
    "setInstructionBreakpoints": "supports_instruction_breakpoints",
    "setVariable": "supports_set_variable",
    "stepBack": "supports_step_back",
    "stepInTargets": "supports_step_in_targets_request",
    "terminate": "supports_terminate_request",
    "terminateThreads": "supports_terminate_threads_request",
    "writeMemory": "supports_write_memory_request",
}
"""The capability that a request needs; requests not listed need none (DAP "Capabilities")."""


class DapConnection:
    """The client's side of one connection; does no I/O itself."""

    def __init__(self) -> None:
        self.capabilities = Capabilities()
        self.strays = 0
        self._decoder = FrameDecoder()
        self._seq = 0
        self._pending: dict[int, str] = {}

    def allows(self, command: str) -> bool:
        """Return whether the adapter has announced the capability for ``command``."""
        capability = CAPABILITY_OF_REQUEST.get(command)
        if command == "setExceptionBreakpoints":
            return bool(self.capabilities.exception_breakpoint_filters)
        return capability is None or bool(getattr(self.capabilities, capability))

    def send_request(self, command: str, arguments: object = None) -> tuple[int, bytes]:
        """Return the number of a new request and the bytes to send."""
        message: dict[str, Any] = {"seq": self._next(), "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self._pending[self._seq] = command
        return self._seq, encode_frame(msgspec.json.encode(message))

    def abandon(self, seq: int) -> None:
        """Stop waiting for this response; if it comes it is a stray."""
        self._pending.pop(seq, None)

    def send_response(self, request: Request, body: object = None, *, error: str = "") -> bytes:
        """Return the response to an adapter's request, with ``error`` as a failure."""
        message: dict[str, Any] = {
            "seq": self._next(),
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": not error,
        }
        if error:
            message["message"] = error
            message["body"] = {"error": {"id": 1, "format": error}}
        elif body is not None:
            message["body"] = body
        return encode_frame(msgspec.json.encode(message))

    def receive(self, data: bytes) -> Iterator[Incoming]:
        """Yield the messages that are complete now, without unrequested responses.

        To be read to the end. Raises ProtocolError if the stream is broken, after the good messages
        before that place.
        """
        for body in self._decoder.feed(data):
            message = decode_message(body)
            if isinstance(message, Response):
                if message.request_seq not in self._pending:
                    self.strays += 1
                    continue
                del self._pending[message.request_seq]
            yield message

    def _next(self) -> int:
        self._seq += 1
        return self._seq
