"""Answers each request of the fake adapter when no rule says otherwise."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tests.support.fake_program import Json, Message, Playback


class Replies:
    """One conversation: the program, the handshake and a method for each command (``_METHODS``)."""

    def __init__(self, script: Json) -> None:
        self.program = Playback(script["program"])
        self._script = script
        self._quirks: Json = script["quirks"]
        self._waiting: dict[str, Json] = {}
        self._last_id = 0
        self._stop_on_entry = False

    # The shapes of messages

    def reply(self, request: Json, body: Json | None = None) -> Json:
        """A good answer."""
        message = {"type": "response", "request_seq": request["seq"], "success": True}
        return {**message, "command": request["command"], "body": body or {}}

    def failure(self, request: Json, message: str, format_only: bool = False) -> Json:
        """A bad one; some adapters say why in ``body.error.format`` only."""
        told = {**self.reply(request), "success": False}
        if format_only:
            format, _, name = message.partition("|")
            error = {"id": 7, "format": format, "variables": {"name": name}}
            return {**told, "body": {"error": error}}
        return {**told, "message": message}

    def events(self, told: list[Message]) -> list[Json]:
        """Events of the program's as messages."""
        messages = []
        for name, body in told:
            if name == "stopped" and self._quirks.get("stopped_without_thread"):
                body = {key: value for key, value in body.items() if key != "threadId"}
            messages.append({"type": "event", "event": name, "body": body})
        return messages

    def answer(self, request: Json) -> list[Json]:
        """The answer to a request and the events that follow it; nothing where it is unknown."""
        command = request["command"]
        if command in ("initialize", "launch", "configurationDone", *self._script["handshake"]):
            return self._handshake(request)
        if command not in _METHODS:
            return []  # as debugpy does
        return _METHODS[command](self, request, request.get("arguments") or {})

    # The handshake

    def _handshake(self, request: Json) -> list[Json]:
        """Each command lets go of a number of messages, in the order of the script."""
        command = request["command"]
        self._waiting[command] = request
        if command == "launch":
            self._stop_on_entry = bool(request["arguments"].get("stopOnEntry"))
        messages: list[Json] = []
        if command in _METHODS:
            messages += _METHODS[command](self, request, request.get("arguments") or {})
        for token in self._script["handshake"].get(command, []):
            messages += self._handshake_message(token)
        return messages

    def _handshake_message(self, token: str) -> list[Json]:
        match token:
            case "initialize":
                return [self.reply(self._waiting[token], self._script["capabilities"])]
            case "launch" | "configurationDone":
                return [self.reply(self._waiting[token])]
            case "begin":
                return self.events(self.program.enter(self._stop_on_entry))
            case "process":
                pid = self._quirks.get("pid", os.getpid())
                body: Json = {"name": "program", "systemProcessId": pid, "startMethod": "launch"}
            case "thread":
                body = {"reason": "started", "threadId": 1}
            case "capabilities":
                body = {"capabilities": self._script["later_capabilities"]}
            case _:
                body = {}
        return [{"type": "event", "event": token, "body": body}]

    def disconnect(self, request: Json, arguments: Json) -> list[Json]:
        return [self.reply(request)]

    # Breakpoints

    def set_breakpoints(self, request: Json, arguments: Json) -> list[Json]:
        if "source" not in arguments:
            return [self.failure(request, "a source is required")]
        if arguments.get("sourceModified") and self._quirks.get("fixed_sources"):
            return [self.failure(request, "the source was changed after the launch")]
        path = arguments["source"].get("path", "")
        wanted = arguments.get("breakpoints")
        if wanted is None:
            wanted = [{"line": line} for line in arguments.get("lines") or []]
        answers = [self._set(path, dict(each)) for each in wanted]
        self.program.breakpoints[path] = [set_ for set_, _ in answers if set_ is not None]
        told = [answer for _, answer in answers]
        return [self.reply(request, {"breakpoints": told[: len(told) - self._short()]})]

    def _short(self) -> int:
        return int(self._quirks.get("short_replies", 0))

    def _set(self, path: str, wanted: Json) -> tuple[Json | None, Json]:
        line = wanted["line"]
        self._last_id += 1
        number = {} if self._quirks.get("no_ids") else {"id": self._last_id}
        if why := self._quirks.get("refuse", {}).get(str(line)):
            return None, {"verified": False, "message": why, **number}
        known = self.program.program["code_lines"].get(path, [])
        match self._quirks.get("breakpoints", "exact"):
            case "exact" if line not in known:
                return None, {"verified": False, "message": f"no code at line {line}", **number}
            case "up" if known:  # to the line before, like debugpy, and without a word
                line = max((each for each in known if each <= line), default=known[0])
        answer: Json = {"verified": True, **number}
        if not self._quirks.get("no_lines"):
            answer["line"] = line
        return {**wanted, **number, "line": line}, answer

    def set_instruction_breakpoints(self, request: Json, arguments: Json) -> list[Json]:
        """At the addresses of lines that the program's ``addresses`` names."""
        told, found = [], []
        for wanted in arguments["breakpoints"]:
            self._last_id += 1
            place = self.program.program.get("addresses", {}).get(wanted["instructionReference"])
            answer: Json = {"id": self._last_id, "verified": place is not None}
            if place is None:
                answer["message"] = "nothing is loaded at this address"
            else:
                found.append({**wanted, **answer, "path": place[0], "line": place[1]})
                answer["instructionReference"] = wanted["instructionReference"]
            told.append(answer)
        self.program.instructions = found
        return [self.reply(request, {"breakpoints": told})]

    def data_breakpoint_info(self, request: Json, arguments: Json) -> list[Json]:
        """Answers with what the program's ``data`` names."""
        name = arguments["name"]
        if name not in self.program.program.get("data", {}):
            return [self.reply(request, {"dataId": None, "description": f"no value {name}"})]
        return [self.reply(request, {"dataId": name, "description": name})]

    def set_data_breakpoints(self, request: Json, arguments: Json) -> list[Json]:
        told = []
        for wanted in arguments["breakpoints"]:
            self._last_id += 1
            told.append({**wanted, "id": self._last_id})
        self.program.watched = told
        answers = [{"id": each["id"], "verified": True} for each in told]
        return [self.reply(request, {"breakpoints": answers})]

    def set_exception_breakpoints(self, request: Json, arguments: Json) -> list[Json]:
        self.program.filters = arguments["filters"]
        return [self.reply(request)]

    # Running

    def resume_all(self, request: Json, arguments: Json) -> list[Json]:
        return self._resume(request, {"allThreadsContinued": True})

    def step(self, request: Json, arguments: Json) -> list[Json]:
        return self._resume(request, {})

    def _resume(self, request: Json, body: Json) -> list[Json]:
        if self.program.running:
            return [self.failure(request, "the program runs")]
        told = self.events(self.program.resume(request["command"]))
        continued = [{"type": "event", "event": "continued", "body": {"threadId": 1, **body}}]
        match self._quirks.get("continued"):
            case "before":
                return [*continued, self.reply(request, body), *told]
            case "after":
                return [self.reply(request, body), *continued, *told]
        return [self.reply(request, body), *told]

    def go_back(self, request: Json, arguments: Json) -> list[Json]:
        return [self.reply(request), *self.events(self.program.go_back(request["command"]))]

    def pause(self, request: Json, arguments: Json) -> list[Json]:
        return [self.reply(request), *self.events(self.program.pause())]

    # Looking inside

    def threads(self, request: Json, arguments: Json) -> list[Json]:
        threads = [{"id": id, "name": name} for id, name in self.program.program["threads"]]
        return [self.reply(request, {"threads": threads})]

    def stack_trace(self, request: Json, arguments: Json) -> list[Json]:
        thread = arguments["threadId"]
        if self.program.running:
            return [self.failure(request, "the program runs")]
        frames = self.program.frames(thread)
        shown = [self._frame(thread, index, frame) for index, frame in enumerate(frames)]
        page = slice(None)
        if self._script["capabilities"].get("supportsDelayedStackTraceLoading"):
            start = arguments.get("startFrame") or 0
            levels = arguments.get("levels") or len(shown)
            page = slice(start, start + levels)
        return [self.reply(request, {"stackFrames": shown[page], "totalFrames": len(shown)})]

    def _frame(self, thread: int, index: int, frame: Json) -> Json:
        name = frame["path"].rpartition("/")[2]
        source: Json = {"name": name, "path": frame["path"]}
        if frame.get("reference"):
            source["sourceReference"] = frame["reference"]
        return {
            "id": self.program.frame_id(thread, index),
            "name": frame["name"],
            "line": frame["line"],
            "column": 1,
            "source": source,
        }

    def scopes(self, request: Json, arguments: Json) -> list[Json]:
        frame = self.program.frame(arguments["frameId"])
        if frame is None:
            return [self.failure(request, "there is no such frame")]
        scopes = [
            {
                "name": name,
                "variablesReference": self.program.reference(children),
                "expensive": False,
                "presentationHint": name.lower(),
            }
            for name, children in (
                ("Locals", frame["locals"]),
                ("Globals", self.program.program["globals"]),
            )
        ]
        return [self.reply(request, {"scopes": scopes})]

    def variables(self, request: Json, arguments: Json) -> list[Json]:
        children = self.program.children(arguments["variablesReference"])
        if children is None:
            return [self.failure(request, "there is no such variable")]
        shown = [
            {"name": name, "evaluateName": name, **self._value(node, "value")}
            for name, node in children.items()
        ]
        return [self.reply(request, {"variables": shown})]

    def _value(self, node: Json, key: str) -> Json:
        reference = self.program.reference(node.get("children"))
        return {key: node["value"], "type": node["type"], "variablesReference": reference}

    def evaluate(self, request: Json, arguments: Json) -> list[Json]:
        frame = self.program.frame(arguments["frameId"]) if "frameId" in arguments else None
        try:
            node = self.program.evaluate(arguments["expression"], frame)
        except Exception as error:
            return [self.failure(request, f"{type(error).__name__}: {error}")]
        return [self.reply(request, self._value(node, "result"))]

    def exception_info(self, request: Json, arguments: Json) -> list[Json]:
        raised: dict[str, Any] = self.program.moments[self.program.at].get("exception", {})
        body = {
            "exceptionId": raised.get("type", "Exception"),
            "description": raised.get("message", ""),
            "breakMode": "unhandled",
            "details": {
                "typeName": raised.get("type", "Exception"),
                "message": raised.get("message", ""),
                "stackTrace": raised.get("trace", ""),
            },
        }
        return [self.reply(request, body)]

    def source(self, request: Json, arguments: Json) -> list[Json]:
        text = self.program.program["sources"].get(str(arguments["sourceReference"]))
        if text is None:
            return [self.failure(request, "there is no such source")]
        return [self.reply(request, {"content": text})]


_METHODS: dict[str, Callable[[Replies, Json, Json], list[Json]]] = {
    "continue": Replies.resume_all,
    "dataBreakpointInfo": Replies.data_breakpoint_info,
    "disconnect": Replies.disconnect,
    "evaluate": Replies.evaluate,
    "exceptionInfo": Replies.exception_info,
    "next": Replies.step,
    "pause": Replies.pause,
    "reverseContinue": Replies.go_back,
    "scopes": Replies.scopes,
    "setBreakpoints": Replies.set_breakpoints,
    "setDataBreakpoints": Replies.set_data_breakpoints,
    "setExceptionBreakpoints": Replies.set_exception_breakpoints,
    "setInstructionBreakpoints": Replies.set_instruction_breakpoints,
    "source": Replies.source,
    "stackTrace": Replies.stack_trace,
    "stepBack": Replies.go_back,
    "stepIn": Replies.step,
    "stepOut": Replies.step,
    "threads": Replies.threads,
    "variables": Replies.variables,
}
