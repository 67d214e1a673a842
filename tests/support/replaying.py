"""Plays a debug adapter of which only a recording is left, as a process on the real wire.

Run with the path of the recording, a JSON list of ``{command, then: [{response} | {event, body}]}``
in the order in which it went. Each request gets what the next recorded one of its command got, the
last one for good. Every message has ``seq`` 0. What lldb-dap 19 has no idea of ends it, as it ends
that one.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict, deque
from typing import Any

Json = dict[str, Any]

REFUSED = {"evaluate", "setFunctionBreakpoints", "exceptionInfo", "modules", "completions"}
"""Names the requests that it knows without having been asked for them in the recording."""


def main(path: str) -> None:
    """Until stdin ends."""
    recorded: dict[str, deque[list[Json]]] = defaultdict(deque)
    with open(path, encoding="utf-8") as file:
        for each in json.load(file):
            recorded[each["command"]].append(each["then"])
    while (request := _read()) is not None:
        command = request["command"]
        is_lldb_command = str((request.get("arguments") or {}).get("expression")).startswith("`")
        if command not in recorded or is_lldb_command:
            if command not in REFUSED:
                os.abort()
            _write({"type": "response", **_answer(request), "success": False, "message": "no"})
            continue
        told = recorded[command]
        for each in told.popleft() if len(told) > 1 else told[0]:
            if "event" in each:
                _write({"type": "event", **each})
            else:
                body = each["response"]
                _write({"type": "response", **_answer(request), "success": True, "body": body})
        if command == "disconnect":
            os.abort()  # it dies there, each time


def _answer(request: Json) -> Json:
    return {"request_seq": request["seq"], "command": request["command"]}


def _read() -> Json | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.partition(b":")[2])
    if not length:
        return None
    found: Json = json.loads(sys.stdin.buffer.read(length))
    return found


def _write(message: Json) -> None:
    body = json.dumps({"seq": 0, **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
