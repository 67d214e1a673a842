"""A debug adapter that plays a script on the real wire, good and bad.

``ProcessAdapter`` is a process of its own (``play(FILE)``, the file being the JSON of a
``fakes.Script``); ``local_adapter.LocalAdapter`` runs in the test's process.
Neither knows anything of tuidbg's own code, so that one fault can't hide in both, and both import
little, so that a process has it in some 30 ms.

The script says which program it debugs (``fake_program.py``), what it announces, in which order its
handshake goes, and by ``rules`` what it does wrong. A rule names a command (``on``), optionally
which of its requests (``nth``, from 1), and the action (``do``):

- instead of handling it: ``drop`` (no answer, ever), ``fail`` (``message``; with ``format_only`` in
  ``body.error.format`` alone), ``hang`` (nothing is answered any more), ``die`` (``code`` or
  ``signal``, after writing ``stderr``), ``torn`` (half an answer, then death);
- on the answer and the events after it: ``hold`` (until released by the test), ``hold_reply`` (the
  answer only), ``drop_reply``, ``reverse`` (the answer last), ``twice``, ``body`` (another one),
  ``before`` and ``after`` (more ``messages``);
- afterwards: ``die_after``, ``hang_after``.

``on: "start"`` is the moment before anything was read. A message ``{"raw": text}`` goes out as it
is. Over its control line (``fakes.Control``) the test receives every request and sends orders.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from collections import Counter
from typing import Any, NoReturn

from tests.support.fake_program import Json
from tests.support.fake_replies import Replies


def play(file: str, *, listen: int = 0, dial: str = "") -> None:
    """Be the adapter of a script, on stdio, for one client at a port, or by calling one."""
    with open(file, encoding="utf-8") as script:
        wanted = json.load(script)
    if listen:
        with socket.create_server(("127.0.0.1", listen)) as server:
            _speak_over(server.accept()[0])
    elif dial:
        host, _, port = dial.rpartition(":")
        _speak_over(socket.create_connection((host, int(port))))
    ProcessAdapter(wanted).run()


def _speak_over(connection: socket.socket) -> None:
    """Makes the connection what stdin and stdout were."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
    connection.close()


class FakeAdapter:
    """The protocol, the rules and the orders; subclasses carry the bytes."""

    def __init__(self, script: Json) -> None:
        self.replies = Replies(script)
        self._quirks: Json = script["quirks"]
        self._rules: list[Json] = script["rules"]
        self._counts: Counter[str] = Counter()
        self._held: dict[str, list[Json]] = {}
        self._buffer = b""
        self._seq = 0
        self._hung = False

    def begin(self) -> None:
        """Apply the rules for the start."""
        for rule in self._matching("start"):
            self._instead(rule, {"command": "start", "seq": 0})
            self._send(rule.get("messages", []))

    # What the subclasses do

    def _write(self, data: bytes) -> None:
        raise NotImplementedError

    def _tell(self, news: Json) -> None:
        """Report a request, or a response of the client's, to the test."""
        raise NotImplementedError

    def _end(self, code: int = 0, *, number: int = 0, stderr: str = "") -> NoReturn:
        """End at once, by a signal if ``number`` is one."""
        raise NotImplementedError

    def _close_stdout(self) -> None:
        raise NotImplementedError

    # The wire

    def _receive(self, data: bytes) -> None:
        self._buffer += data
        while not self._hung:
            header, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            length = int(header.split(b":")[1])
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            self._take(json.loads(rest[:length]))

    def _send(self, messages: list[Json]) -> None:
        for message in messages:
            if "raw" in message:
                self._write(message["raw"].encode("latin-1"))
                continue
            self._seq += 1
            seq = 0 if self._quirks.get("seq_zero") else self._seq
            body = json.dumps({"seq": seq, **message}).encode()
            frame = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
            if message.get("torn"):
                self._write(frame[: len(frame) // 2])
                self._end(1)
            self._write(frame)

    # Requests

    def _take(self, message: Json) -> None:
        if message["type"] != "request":
            self._tell({"response": message})
            return
        command = message["command"]
        self._counts[command] += 1
        self._tell({"request": command, "arguments": message.get("arguments")})
        rules = self._matching(command)
        for rule in rules:
            if self._instead(rule, message):
                return
        messages = self.replies.answer(message)
        for rule in rules:
            messages = self._transform(rule, message, messages)
        self._send(messages)
        if command == "disconnect" and not self._quirks.get("stay"):
            self._end()
        for rule in rules:
            if rule["do"] == "die_after":
                self._die(rule)
            self._hung |= rule["do"] == "hang_after"

    def _matching(self, command: str) -> list[Json]:
        count = self._counts[command]
        return [r for r in self._rules if r["on"] == command and r.get("nth", count) == count]

    def _instead(self, rule: Json, request: Json) -> bool:
        match rule["do"]:
            case "drop":
                return True
            case "hang":
                self._hung = True
                return True
            case "die":
                self._die(rule)
            case "torn":
                self._send([{**self.replies.reply(request, {}), "torn": True}])
            case "fail":
                self._send(
                    [self.replies.failure(request, rule["message"], bool(rule.get("format_only")))]
                )
                return True
        return False

    def _transform(self, rule: Json, request: Json, messages: list[Json]) -> list[Json]:
        command = request["command"]
        answers = [m for m in messages if m.get("command") == command]
        others = [m for m in messages if m not in answers]
        match rule["do"]:
            case "hold":
                self._held[command] = messages
                return []
            case "hold_reply":
                self._held[command] = answers
                return others
            case "drop_reply":
                return others
            case "reverse":
                return others + answers
            case "twice":
                return answers + messages
            case "body":
                return [self.replies.reply(request, rule["body"]), *others]
            case "before":
                return [*rule["messages"], *messages]
            case "after":
                return [*messages, *rule["messages"]]
        return messages

    def _die(self, how: Json) -> NoReturn:
        self._end(how.get("code", 1), number=how.get("signal", 0), stderr=how.get("stderr", ""))

    # The test

    def follow(self, order: Json) -> None:
        program = self.replies.program
        match order["do"]:
            case "release":
                self._send(self._held.pop(order["command"]))
            case "send":
                self._send(order["messages"])
            case "wake":
                self._send(self.replies.events(program.wake()))
            case "end":
                self._send(self.replies.events(program.end(order.get("code", 0))))
            case "stop":
                self._send(self.replies.events([program.stopped(order["reason"])]))
            case "rule":
                rule = order["rule"]
                if "nth" in rule:  # counted from now
                    rule["nth"] += self._counts[rule["on"]]
                self._rules.append(rule)
            case "close_stdout":
                self._close_stdout()
            case "die":
                self._die(order)


class ProcessAdapter(FakeAdapter):
    """The adapter as a process, on stdin and stdout, with a control connection to the test."""

    def __init__(self, script: Json) -> None:
        super().__init__(script)
        self._control: socket.socket | None = None
        self._orders = b""
        if script["control"]:
            self._control = socket.create_connection(("127.0.0.1", script["control"]))
            self._control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._quirks.get("ignore_sigterm"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def run(self) -> None:
        """Run until stdin ends, a rule or the test ends it."""
        self.begin()
        stdin_open = True
        while True:
            sources: list[Any] = [0] if stdin_open and not self._hung else []
            sources += [self._control] if self._control else []
            ready, _, _ = select.select(sources, [], [])
            if self._control in ready:
                self._take_orders()
            if 0 in ready:
                data = os.read(0, 65536)
                if data:
                    self._receive(data)
                elif self._quirks.get("stay"):
                    stdin_open = False
                else:
                    os._exit(0)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            os._exit(0)

    def _end(self, code: int = 0, *, number: int = 0, stderr: str = "") -> NoReturn:
        os.write(2, stderr.encode())
        if number:
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            signal.pause()
        os._exit(code)

    def _close_stdout(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # its output is lost, and it lives on

    def _tell(self, news: Json) -> None:
        if self._control is not None:
            self._control.sendall(json.dumps(news).encode() + b"\n")

    def _take_orders(self) -> None:
        assert self._control is not None
        data = self._control.recv(65536)
        if not data:  # the test is over
            os._exit(0)
        *lines, self._orders = (self._orders + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            self.follow(order)
            self._tell({"done": order["number"]})


if __name__ == "__main__":
    play(sys.argv[1])
