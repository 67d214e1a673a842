"""Names what is measured, for whom, and the bars that tuidbg must keep.

Every figure is kept as its samples; what is reported and compared is their median, save where a
measure says that the worst sample counts.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

TUIDBG = "tuidbg"
PUDB = "pudb"
TDB = "tdb"
EMPTY_APP = "empty app"
CLIENT = "bare client"
TUNED_CLIENT = "tuned client"
NO_DEBUGGER = "no debugger"
PYTTD = "pyttd"
IN_PYTHON = "recorder in Python"
BUILD_BEFORE = "build before"
AGENT_RIVALS = ("dap-mcp", "tdb-mcp", "mcp-debugger", "mcp-pdb")

COLUMNS = (
    *(TUIDBG, IN_PYTHON, BUILD_BEFORE, PUDB, TDB, PYTTD, *AGENT_RIVALS),
    *(CLIENT, TUNED_CLIENT, EMPTY_APP, NO_DEBUGGER),
)
"""Who is measured, in the order of the table's columns."""


FAULTS = (AssertionError, RuntimeError, OSError, EOFError)
"""Names what a debugger that does not do as expected raises in the measuring code."""


@dataclass(frozen=True)
class Measure:
    """One row of the table; ``reduce`` makes one number of the samples."""

    title: str
    unit: str = "ms"
    reduce: Callable[[list[float]], float] = statistics.median


def _quickest(samples: list[float]) -> float:
    """The slowest of the quickest quarter: what else the machine does only ever adds to a step."""
    return sorted(samples)[len(samples) // 4]


def _undisturbed(title: str, unit: str = "ms") -> Measure:
    return Measure(title, unit, _quickest)


STEP = Measure("step over: key to new value on the screen")
STEP_PAINT = Measure("step over: key to the whole repaint on the screen")
STEP_WIRE = Measure("step over: key to last byte, nothing emulated")
STEP_BYTES = Measure("step over: bytes written", "B")
HELD_STEPS = Measure("60 presses of step over, 33 ms apart: steps done", "", min)
HELD_LAG = Measure("… last press to the last value on the screen")
HELD_QUIET = Measure("… last press to the last byte")
HELD_BYTES = Measure("… bytes written a step", "B")
BURST_STEPS = Measure("60 presses of step over at once: steps done", "", min)
BURST_LAG = Measure("… to the last value on the screen")
BURST_BYTES = Measure("… bytes written in all", "B")
START_SOURCE = Measure("start: command to first text of the source on the screen")
START_STOPPED = Measure("start: command to stopped at the entry with locals")
SMALL_PAINT = Measure("50-line source: command to first text on the screen")
LARGE_PAINT = Measure("50,000-line source: command to first text on the screen")
PAGE = Measure("50,000-line source: page down, key to next page on the screen")
PAGE_BYTES = Measure("50,000-line source: page down, bytes written", "B")
SCREEN_BYTES = Measure("120x36: bytes from the start to stopped at the entry", "B")
HELP_BYTES = Measure("120x36: bytes of the help", "B")
HELP_END_BYTES = Measure("120x36: bytes of the help's end", "B")
PALETTE_BYTES = Measure("120x36: bytes of the command palette", "B")
PALETTE_END_BYTES = Measure("120x36: bytes of the palette's end", "B")
DIALOG_BYTES = Measure("120x36: bytes of the breakpoint's dialog", "B")
DIALOG_END_BYTES = Measure("120x36: bytes of the dialog's end", "B")
MAXIMISE_BYTES = Measure("120x36: bytes of a pane maximised, and back, worst", "B", max)
NEXT_PAGE_BYTES = Measure("120x36: bytes of page down", "B")
STILL_STEP_BYTES = Measure("120x36: bytes of a step where nothing scrolls, worst", "B", max)
SCROLLED_STEP_BYTES = Measure("120x36: bytes of a step where the view scrolls, worst", "B", max)
JOINED_HELP_BYTES = Measure("120x36, tuidbg join: bytes of the help", "B")
JOINED_STEP_BYTES = Measure(
    "120x36, tuidbg join: bytes of a step where nothing scrolls, worst", "B", max
)
SLOW_LINES = {
    speed: (
        Measure(f"a line of {speed:,} B/s: a step, key to last byte, worst", "ms", max),
        Measure(f"… step over held for 8 s: release to last byte ({speed:,} B/s)"),
    )
    for speed in (2_400, 9_600)
}
SILENT_LINES = {
    speed: Measure(f"… the same on a terminal that never answers ({speed:,} B/s)")
    for speed in (2_400, 9_600)
}
FLOOD = Measure("200,000 printed lines: until the end is shown", "s")
FLOOD_GROWTH = Measure("200,000 printed lines: growth of the UI process, worst", "MB", max)
FLOOD_ANSWER = Measure("200,000 printed lines: key to answer meanwhile")
FLOOD_WORST = Measure("200,000 printed lines: key to answer meanwhile, worst", "ms", max)
SKIPPED = Measure("a hit that its condition skips, in a loop of 100,000", "µs")
COUNTED = Measure("a hit that is counted and does not stop, in a loop of 100,000", "µs")
RAISED = Measure("an exception of a type without a breakpoint", "µs")
JOB_MEMORY = Measure("1,000 ranks: memory of the debugger for each", "KB")
JOB = {
    count: {
        "arrive": Measure(f"{count:,} ranks: from the first call until all are there", "s"),
        "break": Measure(f"{count:,} ranks: a breakpoint until it is set in all", "s"),
        "stop": Measure(f"{count:,} ranks: all stop, until their stacks are grouped", "s"),
        "line arrive": Measure(f"{count:,} ranks over one line: until all are there", "s"),
        "line break": Measure(f"{count:,} ranks over one line: a breakpoint set in all", "s"),
        "line stop": Measure(f"{count:,} ranks over one line: all stop, grouped", "s"),
        "flood": Measure(
            f"{count:,} ranks tell of 10 events a second each: the longest turn of the loop",
            "ms",
            max,
        ),
        "taken": Measure(f"{count:,} ranks: of these the events that were taken in a second", ""),
    }
    for count in (250, 1_000)
}
"""What is measured of a job of so many ranks, which are simulated on the wire."""

FULL_SPEED = {
    version: {
        "none": _undisturbed(f"{version}: 500,000 calls, no breakpoint"),
        "loop": _undisturbed(f"{version}: 1,000,000 passes of a loop, a breakpoint behind it"),
        "skipped": _undisturbed(f"{version}: a hit that its condition skips", "µs"),
        "counted": _undisturbed(f"{version}: a hit that is counted and does not stop", "µs"),
        "traced": Measure(f"{version}: hits of a tracepoint with two values told a second", ""),
        "files": _undisturbed(f"{version}: 300,000 calls below 1,000 breakpoints in 100 files"),
        "imports": _undisturbed(f"{version}: import of 1,000 modules under them"),
        "step": _undisturbed(f"{version}: 1,000,000 calls, stepped over"),
        "raised": _undisturbed(f"{version}: 300,000 exceptions raised and caught"),
    }
    for version in ("Python 3.11", "Python 3.12", "Python 3.13")
}
"""What a program takes that a debugger does not stop, on each version of Python.

The quickest quarter counts, as the bars lie closer than what else the machine does."""
RECORDED_VERSIONS = ("Python 3.12", "Python 3.13")
RECORDED_LINE = {
    version: Measure(f"{version}: a recorded line of Python alone, median of the programs", "µs")
    for version in RECORDED_VERSIONS
}
WORK_RECORDED = {
    version: {
        "flask_client": Measure(f"{version}, recorded: 300 requests to Flask's test client"),
        "texts": Measure(f"{version}, recorded: json and regular expressions"),
        "arrays": Measure(f"{version}, recorded: a loop of numpy"),
        "small_tests": Measure(f"{version}, recorded: small tests of small functions"),
    }
    for version in RECORDED_VERSIONS
}
"""Where most is done in libraries, which are not recorded."""
PATTERNS_RECORDED = {
    version: {
        "calls": Measure(f"{version}, recorded pattern: many calls"),
        "loop": Measure(f"{version}, recorded pattern: a tight loop"),
        "objects": Measure(f"{version}, recorded pattern: many objects"),
        "raising": Measure(f"{version}, recorded pattern: exceptions"),
        "long_texts": Measure(f"{version}, recorded pattern: long texts"),
        "generators": Measure(f"{version}, recorded pattern: generators"),
    }
    for version in RECORDED_VERSIONS
}
"""Lines of Python alone: each beside the program without a recording."""
PATTERN_BARS = {
    "calls": 500,
    "loop": 130,
    "objects": 900,
    "raising": 400,
    "long_texts": 30,
    "generators": 3_000,
}
"""Times as long as without a recording; the recorder in Python looks at each line."""
PYTTD_KINDS = {
    version: {
        "waiting": Measure(f"{version}, recorded: waiting"),
        "sort": Measure(f"{version}, recorded: computing"),
        "loop": Measure(f"{version}, recorded: a tight loop"),
        "deep": Measure(f"{version}, recorded: deep recursion"),
        "many_locals": Measure(f"{version}, recorded: many locals"),
        "threads": Measure(f"{version}, recorded: threads"),
    }
    for version in RECORDED_VERSIONS
}
"""The kinds of work of pyttd's own benchmark; its package does not hold the programs."""
RECORDER_LINE = Measure("a recorded line, median of seven programs, more than alone", "µs")
RECORDER_PROGRAMS = {
    kind: Measure(f"a recorded line, more than alone: {kind.replace('_', ' ')}", "µs")
    for kind in ("loop", "sort", "objects", "calls", "words", "many_locals", "raising")
}
RECORDER_PATTERNS = {
    "tuple_keys": Measure("a moment of a pattern: a dict with tuples as keys", "µs"),
    "parents": Measure("a moment of a pattern: a chain of 240 parents", "µs"),
    "linked": Measure("a moment of a pattern: a linked list", "µs"),
    "next_beside": Measure("a moment of a pattern: next() beside a hundred lists", "µs"),
    "matrix": Measure("a moment of a pattern: a matrix", "µs"),
    "counters": Measure("a moment of a pattern: counters and queues", "µs"),
    "large_self": Measure("a moment of a pattern: a large self at each call", "µs"),
    "dict_rows": Measure("a moment of a pattern: a list of dicts", "µs"),
}
RECORDER_SMALL = Measure("small tests of small functions, recorded")
"""One row for each recorder; without a debugger they are the program's own time for a line."""
RECORD_DROPPED = Measure("recorded: parts that were lost within the limit", "", max)
RECORD_MEMORY = Measure("10^6 recorded lines: memory of who reads them", "MB")
RECORD_WHEN = Measure("10^6 recorded lines: when something became true, worst question", "ms", max)
RECORD_ODD_WHEN = Measure("… where the ranges of the values tell nothing", "ms", max)
RECORD_CHANGED = Measure("10^6 recorded lines: where a value was last changed, worst", "ms", max)
RECORD_HOLD = Measure("10^6 recorded lines: longest hold of the loop while they come", "ms", max)
RECORD_FILE = Measure("10^6 recorded lines: bytes of the file for each", "B")
RECORD_OPEN = Measure("10^6 recorded lines: a file opened, with the last stack")
RECORD_SHOWN = Measure("10^6 recorded lines: `tuidbg open` to screen, more than for 60 lines")
RECORD_BACK = Measure("10^6 recorded lines: step back, key to screen, at both ends")
TRACED = Measure("tracepoint hits told a second, none lost", "")
TRACED_C = Measure("C: a tracepoint hit with two values, none lost; the client: a log point")
COUNTED_C = Measure("C: a hit that is counted and does not stop")
TRACED_GO = Measure("Go: a tracepoint hit with two values, none lost; the client: a log point")
COUNTED_GO = Measure("Go: a hit that is counted and does not stop")
LIST = Measure("a list of 1,000,000: key to its first elements on the screen")
SEARCH = Measure("a dictionary of 10,000: search in names and values, key to the row found")
SHALLOW_STACK = Measure("step over, 3 calls deep: key to the top of the stack on the screen")
DEEP_STACK = Measure("step over, 900 calls deep: key to the top of the stack on the screen")
ALL_FRAMES = Measure("900 calls deep: key to all frames in the stack")
TABLE = Measure("a table of 10,000,000 rows: key to its first cells, nothing emulated")
FIRST_TABLE = Measure("… the first table of a program")
PLAIN_STEP = Measure("step over, 30 variables closed: key to new value on the screen")
BUSY_STEP = Measure("step over, 30 variables open and 20 watches: key to all new values")
RELAY_STEP = Measure("relay: step over, request to answer; the client: next to stopped")
RELAY_STATUS = Measure("relay: the session's status")
RELAY_BREAKPOINTS = Measure("relay: the list of breakpoints")
RELAY_EVENTS = Measure("relay: events, none new")
RELAY_POLL = Measure("relay: print in the program to the answer of a long poll")
RELAY_LOST = Measure("relay: 100 events a second to 20 long polls: events lost", "", max)
RELAY_MANY_POLLS = Measure("… print in the program to the answer")
RELAY_ALONE = Measure("relay: one session, steps a second", "")
RELAY_TOGETHER = Measure("relay: ten sessions at once, steps a second in all", "")
RELAY_WORST_SHARE = Measure("… steps of the slowest session, of the mean", "×", min)
RELAY_CREATE = Measure("relay: a session made")
RELAY_LAUNCH = Measure("relay: launch to stopped at the entry")
AGENT_SET = Measure("agent: a breakpoint set")
AGENT_STEP = Measure("agent: step over to its snapshot")
AGENT_SNAPSHOT = Measure("agent: a snapshot of the stop")
AGENT_SIZE = Measure("agent: characters of a hit with its snapshot", "")
AGENT_WAIT = Measure("agent: the stop to the answer of the wait for it")
FLOW_FOUND = Measure("agent: ten planted bugs, from the symptom to line and value: found", "", min)
FLOW_CALLS = Measure("… calls, mean", "calls", statistics.mean)
FLOW_BYTES = Measure("… bytes of the answers, mean", "B", statistics.mean)
FLOW_TIME = Measure("… from the first call to the last answer, mean", "s", statistics.mean)
EDITOR_STEP = Measure("editor: next to stopped; the client: by debugpy itself")
EDITOR_STOP = Measure("editor: a stop as VS Code asks for it (stack, scopes, variables)")
EDITOR_LAUNCH = Measure("editor: launch to stopped at the entry")
EDITOR_BREAKPOINTS = Measure("editor: 1,000 breakpoints in one request")
EDITOR_ALONE = Measure("editor: next to stopped over a port, alone")
EDITOR_TOGETHER = Measure("… with two other editors and an agent on the session")
LAUNCHED_STEP = Measure(
    "a step with its locals, told by the session, quickest quarter: a launched program",
    reduce=_quickest,
)
ATTACHED_STEP = Measure("… an attached program", reduce=_quickest)
CHILD_STEP = Measure("… a child process", reduce=_quickest)
IDLE_RSS = Measure("memory of the UI process at a stop, resident", "MB")
IDLE_PSS = Measure("memory of the UI process at a stop, proportional share", "MB")

MEASURES = (
    STEP,
    STEP_PAINT,
    STEP_WIRE,
    STEP_BYTES,
    HELD_STEPS,
    HELD_LAG,
    HELD_QUIET,
    HELD_BYTES,
    BURST_STEPS,
    BURST_LAG,
    BURST_BYTES,
    START_SOURCE,
    START_STOPPED,
    SMALL_PAINT,
    LARGE_PAINT,
    PAGE,
    PAGE_BYTES,
    SCREEN_BYTES,
    HELP_BYTES,
    HELP_END_BYTES,
    PALETTE_BYTES,
    PALETTE_END_BYTES,
    DIALOG_BYTES,
    DIALOG_END_BYTES,
    MAXIMISE_BYTES,
    NEXT_PAGE_BYTES,
    STILL_STEP_BYTES,
    SCROLLED_STEP_BYTES,
    JOINED_HELP_BYTES,
    JOINED_STEP_BYTES,
    *(row for speed in SLOW_LINES for row in (*SLOW_LINES[speed], SILENT_LINES[speed])),
    FLOOD,
    FLOOD_GROWTH,
    FLOOD_ANSWER,
    FLOOD_WORST,
    SKIPPED,
    COUNTED,
    RAISED,
    TRACED,
    *(row for rows in FULL_SPEED.values() for row in rows.values()),
    *(row for rows in JOB.values() for row in rows.values()),
    JOB_MEMORY,
    *RECORDED_LINE.values(),
    *(row for rows in WORK_RECORDED.values() for row in rows.values()),
    *(row for rows in PATTERNS_RECORDED.values() for row in rows.values()),
    *(row for rows in PYTTD_KINDS.values() for row in rows.values()),
    RECORDER_LINE,
    *RECORDER_PROGRAMS.values(),
    *RECORDER_PATTERNS.values(),
    RECORDER_SMALL,
    RECORD_DROPPED,
    RECORD_MEMORY,
    RECORD_WHEN,
    RECORD_ODD_WHEN,
    RECORD_CHANGED,
    RECORD_HOLD,
    RECORD_FILE,
    RECORD_OPEN,
    RECORD_SHOWN,
    RECORD_BACK,
    TRACED_C,
    COUNTED_C,
    TRACED_GO,
    COUNTED_GO,
    LIST,
    SEARCH,
    SHALLOW_STACK,
    DEEP_STACK,
    ALL_FRAMES,
    TABLE,
    FIRST_TABLE,
    PLAIN_STEP,
    BUSY_STEP,
    RELAY_STEP,
    RELAY_STATUS,
    RELAY_BREAKPOINTS,
    RELAY_EVENTS,
    RELAY_POLL,
    RELAY_LOST,
    RELAY_MANY_POLLS,
    RELAY_ALONE,
    RELAY_TOGETHER,
    RELAY_WORST_SHARE,
    RELAY_CREATE,
    RELAY_LAUNCH,
    AGENT_SET,
    AGENT_STEP,
    AGENT_SNAPSHOT,
    AGENT_SIZE,
    AGENT_WAIT,
    FLOW_FOUND,
    FLOW_CALLS,
    FLOW_BYTES,
    FLOW_TIME,
    EDITOR_STEP,
    EDITOR_STOP,
    EDITOR_LAUNCH,
    EDITOR_BREAKPOINTS,
    EDITOR_ALONE,
    EDITOR_TOGETHER,
    LAUNCHED_STEP,
    ATTACHED_STEP,
    CHILD_STEP,
    IDLE_RSS,
    IDLE_PSS,
)
"""The rows of the table in their order."""


@dataclass(frozen=True)
class Bar:
    """The ``measure`` of a column is at most ``factor`` times ``than`` of ``who``, and ``more``.

    Without ``who`` the ``factor`` is the limit itself, in the unit of the measure.
    """

    measure: Measure
    factor: float
    who: str = ""
    than: Measure | None = None
    at_least: bool = False
    more: float = 0
    of: str = TUIDBG


def _full_speed_bars(rows: dict[str, Measure]) -> tuple[Bar, ...]:
    """Where the interpreter itself tells of lines (``sys.monitoring``)."""
    return (
        Bar(rows["none"], 1.02, NO_DEBUGGER),
        Bar(rows["loop"], 1.1, NO_DEBUGGER),
        Bar(rows["skipped"], 1.5),
        Bar(rows["skipped"], 0.2, CLIENT),
        Bar(rows["counted"], 0.6),
        Bar(rows["traced"], 150_000, at_least=True),
        Bar(rows["files"], 1.05, NO_DEBUGGER),
        Bar(rows["imports"], 1.1, NO_DEBUGGER),
        Bar(rows["step"], 1.2, NO_DEBUGGER),
        Bar(rows["raised"], 1.3, NO_DEBUGGER),
    )


BARS = (
    Bar(STEP, 0.9, PUDB),
    Bar(STEP, 0.1, TDB),
    Bar(STEP_BYTES, 2500),
    Bar(START_SOURCE, 1.6, EMPTY_APP),
    Bar(START_STOPPED, 1.15, CLIENT),
    Bar(LARGE_PAINT, 1.5, TUIDBG, SMALL_PAINT),
    Bar(SCREEN_BYTES, 12_000),
    *(Bar(row, 8_000) for row in (HELP_BYTES, HELP_END_BYTES, PALETTE_BYTES, PALETTE_END_BYTES)),
    *(Bar(row, 8_000) for row in (DIALOG_BYTES, DIALOG_END_BYTES)),
    Bar(NEXT_PAGE_BYTES, 2_500),
    Bar(STILL_STEP_BYTES, 1_000),
    Bar(SCROLLED_STEP_BYTES, 3_000),
    Bar(JOINED_HELP_BYTES, 8_000),
    Bar(JOINED_STEP_BYTES, 1_000),
    Bar(SLOW_LINES[2_400][0], 1_000),
    Bar(SLOW_LINES[2_400][1], 2_000),
    Bar(SLOW_LINES[9_600][1], 600),
    Bar(FLOOD, 1.5, NO_DEBUGGER),
    Bar(FLOOD_GROWTH, 60),
    Bar(FLOOD_ANSWER, 100),
    Bar(SKIPPED, 1.5, CLIENT),
    Bar(COUNTED, 1.5, CLIENT, SKIPPED),
    Bar(RAISED, 1.5, CLIENT),
    Bar(TRACED, 1000, at_least=True),
    Bar(FULL_SPEED["Python 3.11"]["loop"], 1, CLIENT),
    Bar(FULL_SPEED["Python 3.11"]["step"], 1, CLIENT),
    *_full_speed_bars(FULL_SPEED["Python 3.12"]),
    *_full_speed_bars(FULL_SPEED["Python 3.13"]),
    Bar(JOB_MEMORY, 1_500),
    *(
        Bar(JOB[count][way + "break"], limit)
        for count, limit in ((250, 2), (1_000, 5))
        for way in ("", "line ")
    ),
    *(Bar(rows[way + "stop"], 2) for rows in JOB.values() for way in ("", "line ")),
    *(Bar(rows["flood"], 50) for rows in JOB.values()),
    *(Bar(rows["taken"], 9.5 * count, at_least=True) for count, rows in JOB.items()),
    Bar(LIST, 100),
    Bar(SEARCH, 200),
    Bar(DEEP_STACK, 3, TUIDBG, SHALLOW_STACK),  # debugpy alone: 2.6 times
    Bar(TABLE, 100),
    Bar(BUSY_STEP, 1.5, TUIDBG, PLAIN_STEP),
    Bar(RELAY_STEP, 1.3, TUNED_CLIENT, more=5),
    Bar(RELAY_STATUS, 5),
    Bar(RELAY_BREAKPOINTS, 5),
    Bar(RELAY_EVENTS, 5),
    Bar(RELAY_POLL, 10),
    Bar(RELAY_LOST, 0),
    Bar(RELAY_TOGETHER, 1, TUIDBG, RELAY_ALONE, at_least=True),
    Bar(
        RELAY_WORST_SHARE, 0.25, at_least=True
    ),  # what the system shares out unevenly is no starving
    Bar(RELAY_CREATE, 50),
    Bar(RELAY_LAUNCH, 1.2, CLIENT),
    Bar(AGENT_SET, 10),
    Bar(AGENT_SNAPSHOT, 20),
    Bar(AGENT_SIZE, 8_000),
    Bar(AGENT_WAIT, 10),
    Bar(FLOW_FOUND, 10, at_least=True),
    Bar(FLOW_CALLS, 3),
    Bar(FLOW_BYTES, 4_000),
    *(Bar(FLOW_TIME, 0.5, rival) for rival in AGENT_RIVALS),
    Bar(EDITOR_STEP, 1.3, TUNED_CLIENT, more=2),
    Bar(EDITOR_STOP, 15),
    Bar(EDITOR_LAUNCH, 1.1, CLIENT),
    Bar(EDITOR_BREAKPOINTS, 1.5, CLIENT),
    Bar(EDITOR_TOGETHER, 1.5, TUIDBG, EDITOR_ALONE),
    Bar(TRACED_C, 5),
    Bar(TRACED_GO, 5),
    *(Bar(row, 4) for row in RECORDED_LINE.values()),
    *(Bar(row, 10, NO_DEBUGGER) for rows in WORK_RECORDED.values() for row in rows.values()),
    *(
        Bar(row, PATTERN_BARS[kind], NO_DEBUGGER)
        for rows in PATTERNS_RECORDED.values()
        for kind, row in rows.items()
    ),
    *(Bar(row, 1, PYTTD) for rows in PYTTD_KINDS.values() for row in rows.values()),
    Bar(RECORDER_LINE, 1),
    Bar(RECORDER_LINE, 2, BUILD_BEFORE, of=IN_PYTHON),
    *(Bar(row, 3) for row in RECORDER_PATTERNS.values()),
    *(Bar(row, 50, of=IN_PYTHON) for row in RECORDER_PATTERNS.values()),
    Bar(RECORDER_SMALL, 6, NO_DEBUGGER),
    Bar(RECORD_DROPPED, 0),
    Bar(RECORD_MEMORY, 120),
    Bar(RECORD_WHEN, 300),
    Bar(RECORD_ODD_WHEN, 300),
    Bar(RECORD_CHANGED, 50),
    Bar(RECORD_FILE, 60),
    Bar(RECORD_OPEN, 500),
    Bar(RECORD_SHOWN, 500),
    Bar(RECORD_BACK, 30),
    Bar(ATTACHED_STEP, 1.2, TUIDBG, LAUNCHED_STEP),
    Bar(CHILD_STEP, 1.2, TUIDBG, LAUNCHED_STEP),
)


@dataclass
class Figures:
    """The samples of a run, and what could not be measured."""

    samples: dict[Measure, dict[str, list[float]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def add(self, measure: Measure, who: str, value: float) -> None:
        """Keeps one sample, in the unit of the measure."""
        self.samples.setdefault(measure, {}).setdefault(who, []).append(value)

    def fail(self, what: str, error: Exception) -> None:
        """Notes that something could not be measured; its screen goes to stderr."""
        print(f"{what}: {error}", file=sys.stderr, flush=True)
        self.failures.append(f"{what}: {str(error).splitlines()[0]}")

    def get(self, measure: Measure, who: str) -> float | None:
        """The one number for a measure; None where nothing was measured."""
        values = self.samples.get(measure, {}).get(who)
        return measure.reduce(values) if values else None

    def limit(self, bar: Bar) -> float | None:
        """Returns what the bar allows in this run; None where the other side was not measured."""
        if not bar.who:
            return bar.factor
        other = self.get(bar.than or bar.measure, bar.who)
        return None if other is None else bar.factor * other + bar.more
