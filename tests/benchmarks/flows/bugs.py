"""The planted bugs: the symptom in words, the guilty line, the wrong value, and our flow to both.

A flow may use what the symptom says and what an earlier answer of it told, nothing else: it never
opens a file. Its last answer alone must tell the guilty line and the wrong value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Arguments = Json | Callable[[list[Json]], Json]

FOLDER = Path(__file__).parents[1] / "programs" / "planted"


@dataclass(frozen=True)
class Call:
    """One call of a tool; its arguments may be made of the answers so far."""

    tool: str
    arguments: Arguments

    def fill(self, told: list[Json]) -> Json:
        """The arguments."""
        return self.arguments(told) if callable(self.arguments) else self.arguments


@dataclass(frozen=True)
class Bug:
    """A bug. ``guilty`` is a statement, ``wrong`` a value as the answer tells it."""

    kind: str
    program: str
    symptom: str
    guilty: str
    wrong: str
    flow: Sequence[Call]

    @property
    def path(self) -> Path:
        """The program."""
        return FOLDER / self.program


def _run(program: str, **more: Any) -> Call:
    return Call("debug_run", {"program": program, **more})


def _recorded(program: str, **more: Any) -> Call:
    return _run(program, record=True, **more)


def _wrong_call(told: list[Json]) -> Json:
    """The end of the call whose answer is the one that the symptom complains of."""
    (call,) = [
        each
        for each in told[-1]["calls"]
        if "speed = 'express'" in each["arguments"] and each["returned"] == "304.0"
    ]
    return {"moment": call["ended"], "way": "stay"}


def _moment_before(told: list[Json]) -> Json:
    return {"moment": told[-1].get("moment", ""), "way": "into"}


BUGS = (
    Bug(
        kind="aliasing",
        program="statements.py",
        symptom="`statements.py bolt` prints `bolt pays 120.00 EUR in 60 days`: bolt has agreed on"
        " no currency, so it should be USD.",
        guilty="terms = DEFAULTS",
        wrong="'EUR'",
        flow=(
            _recorded("statements.py", args=["bolt"], breakpoints=["statements.py:pays"]),
            Call("why", {"expression": "terms['currency']"}),
        ),
    ),
    Bug(
        kind="wrong default",
        program="parcels.py",
        symptom="`parcels.py` prints `the heaviest has 6.05 kg`; no order weighs more than 2.45.",
        guilty="def pack(order, contents=[]):",
        wrong="contents = ['book', 'book', 'mug']",
        flow=(
            _recorded("parcels.py", breakpoints=["parcels.py:the heaviest has"]),
            Call("calls", {"function": "pack"}),
        ),
    ),
    Bug(
        kind="swallowed exception",
        program="takings.py",
        symptom="`takings.py` prints 597.25 for the shop south; the south has taken 1801.75. There"
        " is no error.",
        guilty='return float(text.replace(",", "."))',
        wrong="1.204,50",
        flow=(_run("takings.py", exceptions=["Exception"]),),
    ),
    Bug(
        kind="race",
        program="deposits.py",
        symptom="`deposits.py` prints `balance 40 of 100 booked`; it should be 100 of 100.",
        guilty="account.balance = before + amount",
        wrong="40",
        flow=(
            _recorded("deposits.py", breakpoints=["deposits.py:} booked"]),
            Call("why", {"expression": "account.balance"}),
        ),
    ),
    Bug(
        kind="cancelled task",
        program="journal.py",
        symptom="`journal.py` prints `kept 0 of 20 messages` and ends without an error; it should"
        " keep all 20. They are kept by a task in the background.",
        guilty="self.writer.cancel()",
        wrong="Store(kept=[])",
        flow=(
            _recorded("journal.py", exceptions=["CancelledError"]),
            Call("step_back", {"way": "into"}),
            Call("step_back", _moment_before),
        ),
    ),
    Bug(
        kind="generator used twice",
        program="readings.py",
        symptom="`readings.py` prints `fine: coldest 15.2 at 02:00, 0 below 15.5`: 15.2 is below"
        " 15.5, so it should be ALARM and 1.",
        guilty="cold = too_cold(readings)",
        wrong="cold = []",
        flow=(_run("readings.py", breakpoints=["readings.py:: coldest"]),),
    ),
    Bug(
        kind="closure",
        program="tickets.py",
        symptom="`tickets.py 2xcircle/student` prints `2 tickets cost 28.80`, it should be 50.40:"
        " Prices.quote gives too little.",
        guilty="self.rules[tariff] = lambda price: round(price * (100 - percent) / 100, 2)",
        wrong="percent = 60",
        flow=(
            _run("tickets.py", args=["2xcircle/student"], breakpoints=["Prices.quote"]),
            Call("debug_go", {"action": "into"}),
        ),
    ),
    Bug(
        kind="timezone",
        program="sales.py",
        symptom="`sales.py` prints `2024-01 40.00` on the server (TZ=UTC) and `2024-01 65.50` on a"
        " laptop (TZ=America/New_York).",
        guilty="moment = datetime.fromtimestamp(payment.stamp)",
        wrong="datetime.datetime(2024, 1, 31, 6, 0)",
        flow=(
            Call(
                "compare",
                {
                    "program": "sales.py",
                    "env": {"TZ": "UTC"},
                    "other_env": {"TZ": "America/New_York"},
                },
            ),
        ),
    ),
    Bug(
        kind="cache key",
        program="freight.py",
        symptom="`freight.py express` prints a sum that is too small: Prices.price for oslo, kiel,"
        " express gives 304.0, the service says 798.0.",
        guilty="key = (origin, target)",
        wrong="304.0",
        flow=(
            _recorded("freight.py", args=["express"]),
            Call("calls", {"function": "Prices.price"}),
            Call("step_back", _wrong_call),
        ),
    ),
    Bug(
        kind="child's environment",
        program="thumbnails.py",
        symptom="With THUMBNAIL_WIDTH=320 `thumbnails.py` still makes pictures 160 wide. It has the"
        " work done by a process of its own.",
        guilty='answer = call(command, json.dumps(pictures), env={"PATH": os.defpath})',
        wrong="None",
        flow=(
            _run(
                "thumbnails.py",
                env={"THUMBNAIL_WIDTH": "320"},
                breakpoints=["thumbnails.py:THUMBNAIL_WIDTH"],
                evaluate=["os.environ.get('THUMBNAIL_WIDTH')"],
            ),
        ),
    ),
)
