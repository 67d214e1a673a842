"""A program as the fake adapter sees it: a line of moments, and the playing of it.

A moment is a line of the program about to run, with the whole stack. Stepping, breakpoints and
exceptions follow from the line of moments alone. Everything is plain JSON, since the fake adapter
is a process of its own; ``recording.py`` makes it of a real program.
"""

from __future__ import annotations

import ast
from typing import Any

Json = dict[str, Any]
Message = tuple[str, Json]
"""An event: its name and its body."""


def value_node(value: Any, depth: int = 3) -> Json:
    """A value with what is inside it, as the variables pane will see it."""
    kind = type(value).__name__
    try:
        node: Json = {"value": repr(value)[:1000], "type": kind}
    except Exception:  # as in the middle of its __init__
        node = {"value": f"<{kind}>", "type": kind}
    children: dict[str, Any] = {}
    if isinstance(value, dict):
        children = {repr(key): item for key, item in value.items()}
    elif isinstance(value, list | tuple | set | frozenset):
        children = {str(index): item for index, item in enumerate(value)}
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        children = dict(vars(value))
    if children and depth:
        node["children"] = {name: value_node(item, depth - 1) for name, item in children.items()}
    return node


class Playback:
    """One run of a program: where it is, what stops it, and what it tells."""

    def __init__(self, program: Json) -> None:
        self.program = program
        self.moments: list[Json] = program["moments"]
        self.breakpoints: dict[str, list[Json]] = {}
        self.instructions: list[Json] = []
        self.watched: list[Json] = []
        self.filters: list[str] = []
        self.at = -1
        self.stops = 0
        self.running = True
        self.ended = False
        self.wants_pause = False
        self._children: dict[int, Json] = {}

    # Running

    def enter(self, stop_on_entry: bool) -> list[Message]:
        """The program begins: what is told until it stops or is busy."""
        if not self.moments:
            return self.end(self.program["exit"])
        self.at = 0
        if stop_on_entry:
            return [self.stopped("entry")]
        return self._look(0) or self.resume("continue")

    def resume(self, how: str) -> list[Message]:
        """``continue``, ``next``, ``stepIn`` or ``stepOut`` from where it is."""
        told: list[Message] = []
        depth = len(self.moments[self.at]["frames"])
        self.running = True
        while True:
            told += [
                ("output", {"category": category, "output": text})
                for category, text in self.moments[self.at].get("output", [])
            ]
            self.at += 1
            if self.at >= len(self.moments):
                return told + self.end(self.program["exit"])
            moment = self.moments[self.at]
            if moment.get("busy"):
                return told
            if found := self._look(self.at):
                return told + found
            now = len(moment["frames"])
            if (
                how == "stepIn"
                or (how == "next" and now <= depth)
                or (how == "stepOut" and now < depth)
            ):
                return [*told, self.stopped("step")]

    def go_back(self, how: str) -> list[Message]:
        """``stepBack``, or ``reverseContinue`` to a breakpoint or the beginning."""
        while self.at:
            self.at -= 1
            if how == "stepBack":
                break
            if found := self._look(self.at):
                return found
        return [self.stopped("step")]

    def pause(self) -> list[Message]:
        """Stop where it is busy, or when it wakes where the program says that it waits."""
        if not self.running or self.ended:
            return []
        if self.moments[self.at].get("busy") == "waiting":
            self.wants_pause = True
            return []
        return [self.stopped("pause")]

    def wake(self) -> list[Message]:
        """Ends what kept it busy, and returns what the adapter tells then."""
        if self.wants_pause:
            return [self.stopped("pause")]
        return self.resume("continue")

    def end(self, code: int | None) -> list[Message]:
        """The program ends; the order of the two events is the program's to say."""
        self.ended, self.running = True, False
        bodies: dict[str, Json] = {"exited": {"exitCode": code or 0}, "terminated": {}}
        return [(name, bodies[name]) for name in self.program["end"]]

    def stopped(self, reason: str, **more: Any) -> Message:
        """It stands still; all references of earlier stops are dead."""
        self.stops += 1
        self.running = self.wants_pause = False
        self._children.clear()
        return "stopped", {"reason": reason, "threadId": 1, "allThreadsStopped": True, **more}

    def _look(self, at: int) -> list[Message]:
        """Returns what is told where a moment stops by itself."""
        moment = self.moments[at]
        if "exception" in moment and "uncaught" in self.filters:
            raised = moment["exception"]
            return [self.stopped("exception", description=raised["type"], text=raised["message"])]
        top = moment["frames"][0]
        changes = self.program.get("data", {})
        for each in self.watched:
            if top["line"] in changes[each["dataId"]]:
                return [self.stopped("data breakpoint", hitBreakpointIds=[each["id"]])]
        at_addresses = [each for each in self.instructions if each["path"] == top["path"]]
        hit = [
            breakpoint.get("id")
            for breakpoint in [*self.breakpoints.get(top["path"], []), *at_addresses]
            if breakpoint["line"] == top["line"] and self._holds(breakpoint.get("condition"), top)
        ]
        if not hit:
            return []
        ids = [number for number in hit if number is not None]
        return [self.stopped("breakpoint", **({"hitBreakpointIds": ids} if ids else {}))]

    def _holds(self, condition: str | None, frame: Json) -> bool:
        if not condition:
            return True
        try:
            return bool(eval(condition, {}, _literals(frame)))
        except Exception:
            return False

    # Looking inside

    def frames(self, thread: int) -> list[Json]:
        """The stack of a thread; those but the first stand still all the time."""
        if thread != 1:
            found: list[Json] = self.program["other_stacks"].get(str(thread), [])
            return found
        frames: list[Json] = self.moments[self.at]["frames"]
        return frames

    def frame_id(self, thread: int, index: int) -> int:
        """Other ids at every stop, as with real adapters."""
        return self.stops * 100_000 + thread * 10_000 + index

    def frame(self, frame_id: int) -> Json | None:
        """The frame of an id of this stop."""
        stop, rest = divmod(frame_id, 100_000)
        thread, index = divmod(rest, 10_000)
        frames = self.frames(thread) if stop == self.stops and not self.running else []
        return frames[index] if index < len(frames) else None

    def reference(self, children: Json | None) -> int:
        """A reference to children, valid for this stop; 0 where there are none."""
        if not children:
            return 0
        number = self.stops * 100_000 + len(self._children) + 1
        self._children[number] = children
        return number

    def children(self, reference: int) -> Json | None:
        """Returns what a reference of this stop stands for."""
        return self._children.get(reference)

    def evaluate(self, expression: str, frame: Json | None) -> Json:
        """A name, an expression of simple values, or an assignment. Raises as Python does."""
        frame = frame if frame is not None else {"locals": {}}
        known = frame["locals"].get(expression) or self.program["globals"].get(expression)
        if known is not None:
            return dict(known)
        values = _literals(frame)
        try:
            return value_node(eval(expression, {}, values))
        except SyntaxError:
            pass
        before = dict(values)
        exec(expression, {}, values)
        for name, value in values.items():
            if name not in before or before[name] != value:
                frame["locals"][name] = value_node(value)
        return {"value": "", "type": "NoneType"}


def _literals(frame: Json) -> dict[str, Any]:
    """The locals whose values can be read back."""
    found = {}
    for name, node in frame["locals"].items():
        try:
            found[name] = ast.literal_eval(node["value"])
        except (ValueError, SyntaxError):
            continue
    return found
