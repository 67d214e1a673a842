"""``uv run python -m tests.benchmarks``: measures, and prints the table as Markdown."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import (
    agents,
    editing,
    entering,
    flooding,
    full_speed,
    hitting,
    jobs,
    looking,
    native,
    recorders,
    recording,
    relaying,
    slow_line,
    starting,
    stepping,
)
from tests.benchmarks.debuggers import Debugger, make_pudb, make_tdb, make_tuidbg
from tests.benchmarks.figures import (
    FAULTS,
    FULL_SPEED,
    JOB,
    PUDB,
    RECORDED_VERSIONS,
    TDB,
    TUIDBG,
    Figures,
)
from tests.benchmarks.flows import measuring
from tests.benchmarks.peers import prepare_peers
from tests.benchmarks.report import describe_machine, make_json, make_markdown
from tests.benchmarks.served import Server

GROUPS = (
    *("step", "held", "line", "start", "large", "flood", "hits", "speed", "native", "inside"),
    *("relay", "agents", "dap", "ways", "memory", "record", "recorders", "job"),
)


class Run:
    """One run of the benchmark over the chosen groups and debuggers."""

    def __init__(self, debuggers: dict[str, Debugger], runs: int, folder: Path) -> None:
        self.figures = Figures()
        self._debuggers = debuggers
        self._runs = runs
        self._folder = folder

    def measure(self, group: str) -> None:
        """Measures everything of one group."""
        groups: dict[str, Callable[[], None]] = {
            "step": self._steps,
            "held": self._held,
            "line": self._line,
            "start": self._starts,
            "large": self._large,
            "flood": self._flood,
            "hits": self._hits,
            "speed": self._full_speed,
            "native": self._native,
            "inside": self._inside,
            "relay": self._relay,
            "agents": self._agents,
            "dap": self._editors,
            "ways": self._ways,
            "memory": self._memory,
            "record": self._record,
            "recorders": self._recorders,
            "job": self._job,
        }
        groups[group]()

    def _steps(self) -> None:
        runs, debuggers = self._runs, list(self._debuggers.values())
        self._try("the debuggers", stepping.measure_steps, debuggers, self.figures, runs)
        self._try("empty app", stepping.measure_empty_app, self.figures, runs)
        self._try("bare client", stepping.measure_client, self.figures, runs, tuned=False)
        self._try("tuned client", stepping.measure_client, self.figures, runs, tuned=True)

    def _held(self) -> None:
        for debugger in self._debuggers.values():
            self._try(debugger.name, stepping.measure_held_key, debugger, self.figures)
            self._try(debugger.name, stepping.measure_burst, debugger, self.figures)

    def _line(self) -> None:
        function = slow_line.write_long_function(self._folder / "function.py")
        large = starting.write_source(self._folder / "pages.py", 2_000)
        for name, debugger in self._debuggers.items():
            if name == TDB:
                continue  # it writes a screen for each step: minutes on such a line
            self._try(name, slow_line.measure_bytes, debugger, function, large, self.figures)
            self._try(name, slow_line.measure_steps, debugger, function, self.figures)
            if name == TUIDBG:
                self._try(name, slow_line.measure_joined, debugger, function, self.figures)
            for speed in slow_line.SPEEDS:
                for measure in (slow_line.measure_slow_line, slow_line.measure_silent_line):
                    self._try(name, measure, debugger, function, speed, self.figures)

    def _starts(self) -> None:
        debuggers = list(self._debuggers.values())
        self._try("everybody", starting.measure_starts, debuggers, self.figures, self._runs)

    def _large(self) -> None:
        small = starting.write_source(self._folder / "small.py", 50)
        large = starting.write_source(self._folder / "large.py", 50_000)
        for name, debugger in self._debuggers.items():
            runs = min(self._runs, 15 if name == TUIDBG else 3)
            self._try(name, starting.measure_paints, debugger, small, large, self.figures, runs)
            self._try(name, starting.measure_pages, debugger, large, self.figures, self._runs)

    def _flood(self) -> None:
        few = min(self._runs, 5)
        self._try("no debugger", flooding.measure_no_debugger, self.figures, few)
        for name, debugger in self._debuggers.items():
            if debugger.ended:
                runs = few if name == TUIDBG else 1
                self._try(name, flooding.measure_flood, debugger, self.figures, runs)
                self._try(name, flooding.measure_answers, debugger, self.figures, self._runs)

    def _hits(self) -> None:
        few = min(self._runs, 5)
        self._try("tuidbg and the bare client", hitting.measure_hits, self.figures, few)
        self._try("tuidbg", hitting.measure_traces, self.figures, few)

    def _full_speed(self) -> None:
        folder, few = self._folder / "modules", min(self._runs, 10)
        full_speed.write_modules(folder)
        for version in FULL_SPEED:
            who = f"everybody on {version}"
            measure = full_speed.measure_full_speed
            self._try(who, measure, self.figures, few, version, folder)

    def _native(self) -> None:
        few = min(self._runs, 5)
        self._try("tuidbg and the bare client", native.measure_native, self.figures, few)

    def _inside(self) -> None:
        tuidbg, runs = self._debuggers.get(TUIDBG), self._runs
        if tuidbg is not None:
            self._try(TUIDBG, looking.measure_list, tuidbg, self.figures, runs)
            self._try(TUIDBG, looking.measure_search, tuidbg, self.figures, runs)
            self._try(TUIDBG, looking.measure_stacks, tuidbg, self.figures, runs)
            self._try(TUIDBG, looking.measure_tables, tuidbg, self.figures, runs)
            folder = self._folder
            self._try(TUIDBG, looking.measure_busy_steps, tuidbg, folder, self.figures, runs)
        self._try("bare client", looking.measure_client_list, self.figures, runs)
        self._try("tuned client", looking.measure_client_stacks, self.figures, runs)
        self._try("tuned client", looking.measure_client_busy_steps, self.figures, runs)

    def _relay(self) -> None:
        if TUIDBG not in self._debuggers:
            return
        with Server(self._folder / "home") as server:
            for measure in (
                relaying.measure_relay_steps,
                relaying.measure_reading,
                relaying.measure_long_poll,
                relaying.measure_pollers,
                relaying.measure_many_sessions,
                relaying.measure_create,
                relaying.measure_relay_launches,
            ):
                self._try(TUIDBG, measure, server, self.figures, self._runs)

    def _agents(self) -> None:
        if TUIDBG in self._debuggers:
            self._try(TUIDBG, agents.measure_agents, self.figures, self._runs)
            few = min(self._runs, 3)
            self._try("everybody", measuring.measure_flows, self.figures, few)

    def _editors(self) -> None:
        if TUIDBG in self._debuggers:
            few = min(self._runs, 10)
            self._try(TUIDBG, editing.measure_editor_steps, self.figures, self._runs)
            self._try(TUIDBG, editing.measure_editor_launches, self.figures, few)
            folder = self._folder
            self._try(TUIDBG, editing.measure_many_breakpoints, folder, self.figures, few)
            self._try(TUIDBG, editing.measure_three_editors, folder, self.figures, self._runs)

    def _ways(self) -> None:
        if TUIDBG in self._debuggers:
            self._try(TUIDBG, entering.measure_ways, self.figures, self._runs)

    def _record(self) -> None:
        few = min(self._runs, 3)
        for version in RECORDED_VERSIONS:
            folder = self._folder / "recorded" / version
            measure = recording.measure_programs
            self._try(f"everybody on {version}", measure, version, folder, self.figures, few)
            self._try("pyttd", recording.measure_pyttd, version, folder, self.figures)
        folder = self._folder / "million"
        self._try(TUIDBG, recording.measure_million, folder, self.figures, few)
        if TUIDBG in self._debuggers:
            debugger = self._debuggers[TUIDBG]
            self._try(TUIDBG, recording.measure_steps_back, debugger, self.figures, few)
            self._try(TUIDBG, recording.measure_opening, debugger, folder, self.figures, few)

    def _recorders(self) -> None:
        few, folder = min(self._runs, 3), self._folder / "recorders"
        self._try("the recorders", recorders.measure_recorders, folder, self.figures, few)

    def _memory(self) -> None:
        for debugger in self._debuggers.values():
            self._try(debugger.name, stepping.measure_memory, debugger, self.figures)

    def _job(self) -> None:
        for count in sorted(JOB, reverse=True):
            folder, ranks = self._folder / f"job{count}", f"{count:,} ranks"
            self._try(ranks, jobs.measure_job, folder, count, self.figures)
            self._try(ranks, jobs.measure_line, folder, count, self.figures)
            self._try(ranks, jobs.measure_flood, folder, count, self.figures)

    def _try(self, who: str, measure: Callable[..., None], *args: object, **kwargs: object) -> None:
        """Measures; what fails is reported, and the rest goes on."""
        title = f"{measure.__name__.replace('_', ' ')} of {who}"
        print(f"{time.strftime('%H:%M:%S')} {title} ...", file=sys.stderr, flush=True)
        try:
            measure(*args, **kwargs)
        except FAULTS as error:
            self.figures.fail(title, error)


def main() -> int:
    """The command; its status is 1 where something could not be measured."""
    options = _parse()
    peers = prepare_peers() if {PUDB, TDB} & set(options.who) else None
    machine = describe_machine(peers)
    with tempfile.TemporaryDirectory(prefix="tuidbg-benchmarks-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        debuggers = {TUIDBG: make_tuidbg(home)}
        if peers:
            debuggers |= {PUDB: make_pudb(peers, home), TDB: make_tdb(peers, home)}
        chosen = {name: debuggers[name] for name in debuggers if name in options.who}
        run = Run(chosen, options.runs, Path(folder))
        try:
            for group in options.only:
                run.measure(group)
        finally:  # what was measured until then is told in any case
            print(make_markdown(run.figures, machine, options.runs))
            if options.json:
                told = json.dumps(make_json(run.figures, machine), indent=1)
                options.json.write_text(told + "\n")
    return 1 if run.figures.failures else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--only", type=_names(GROUPS), default=GROUPS, help=f"of {','.join(GROUPS)}"
    )
    who = (TUIDBG, PUDB, TDB)
    parser.add_argument("--who", type=_names(who), default=who, help=f"of {','.join(who)}")
    parser.add_argument("--runs", type=int, default=30, help="samples of each measure")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all samples as JSON")
    return parser.parse_args()


def _names(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        chosen = [name.strip() for name in text.split(",")]
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
        return chosen

    return names


if __name__ == "__main__":
    raise SystemExit(main())
