"""The autopsy of an exception without a real debugger: a report made by hand."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from tuidbg.session.core.session import Session
from tuidbg.session.features.autopsy import (
    Autopsy,
    AutopsyFrame,
    AutopsyLine,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    VariableProblem,
)
from tuidbg.session.model.state import Place

LIBRARY = "/usr/lib/python3/heapq.py"


def line(
    path: str, number: int, source: str = "", function: str = "", part: str = ""
) -> AutopsyLine:
    """A line; ``part`` is what of it raised."""
    column = source.index(part) + 1 if part else 0
    end = column + len(part) if part else 0
    place = Place(path=path, line=number)
    return AutopsyLine(place, function, source, column, end)


def local(name: str, value: Any, scope: str = "Local") -> AutopsyVariable:
    """A variable with this value."""
    count = len(value) if isinstance(value, list | dict) else None
    return AutopsyVariable(name, type(value).__name__, repr(value), scope, count)


def post_office(path: str) -> AutopsyReport:
    """The exception at the end of ``tests/programs/parcels.py``, and more than that has."""
    earlier = ExceptionPart(
        type="ValueError",
        message="[b]no[/b] such kind",
        link="cause",
        raised_at=line(path, 29, "        price = PRICES[parcel.kind]", "send"),
    )
    first = ExceptionPart(type="OSError", message="", problem="its __str__ raised", link="context")
    member = ExceptionPart(type="TimeoutError", message="too late", link="member")
    group = ExceptionPart(
        type="ExceptionGroup",
        message="on the way (3 sub-exceptions)",
        link="context",
        members=(member, msgspec.structs.replace(member, type="PermissionError", message="")),
        members_total=3,
        suppressed="LookupError",
    )
    root = ExceptionPart(
        type="KeyError",
        message="'coach'\nand a second line",
        notes=("the piano is too heavy",),
        attributes=(local("weight", 400),),
        raised_at=line(path, 29, "        price = PRICES[parcel.kind] * parcel.weight", "send"),
        inner=(earlier, group, first),
        inner_truncated=True,
    )
    source = "        price = PRICES[parcel.kind] * parcel.weight"
    send = AutopsyFrame(
        index=1,
        function="send",
        module="__main__",
        is_external=False,
        is_throwing=False,
        line=line(path, 29, source, "send", "PRICES[parcel.kind]"),
        arguments=(local("parcels", ["Parcel('postcard')"], "Argument"),),
        variables=FrameVariables(
            locals=(local("total", 11), local("parcel", "\x1b[31m[b]piano[/b]")),
            errors=(VariableProblem("secret", "repr raised ValueError"),),
            left_out=2,
        ),
    )
    library = AutopsyFrame(
        index=0,
        function="merge",
        module="heapq",
        is_external=True,
        is_throwing=True,
        line=line(LIBRARY, 300, "    raise KeyError(key)", "merge"),
        arguments=(),
        variables=FrameVariables(locals=()),
    )
    main = AutopsyFrame(
        index=2,
        function="main",
        module="__main__",
        is_external=False,
        is_throwing=False,
        line=line(path, 38, "    total = send(parcels)", "main", "send(parcels)"),
    )
    return AutopsyReport(
        stop_id=2,
        thread_id=1,
        exception=root,
        is_first_chance=False,
        stack_trace="KeyError: 'coach'",
        frames=(library, send, main),
        total_frames=900,
        throwing_frame_index=0,
    )


class MadeAutopsy:
    """An autopsy with a report made by hand."""

    def __init__(self, report: AutopsyReport) -> None:
        self.report = report
        self.fetched: list[int] = []
        self.last: AutopsyReport | None = None

    @classmethod
    def put_into(cls, session: Session, path: str) -> MadeAutopsy:
        """Let the session answer with the post office's report."""
        made = cls(post_office(path))
        session.features["Autopsy"] = cast(Autopsy, made)
        return made

    def why_not(self) -> str:
        return ""

    async def examine(self, **limits: int) -> AutopsyReport:
        return self.report

    async def variables(self, frame: AutopsyFrame) -> AutopsyFrame:
        self.fetched.append(frame.index)
        variables = FrameVariables(locals=(local("parcels", [1, 2, 3]),))
        return msgspec.structs.replace(frame, arguments=(), variables=variables)
