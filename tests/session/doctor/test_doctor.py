"""The doctor's diagnoses, one for each cause, and that its mends mend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.fakes import Script
from tests.support.sessions import debugpy_session, fake_session
from tuidbg.adapters.traits import SourceFacts, SourceProblem
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.doctor.doctor import Doctor, explain
from tuidbg.session.features.doctor.rules import BreakpointFacts, Diagnosis, Hiding, Mend, next_stop
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    OnError,
    Status,
)

PATH = "/home/me/proj/pkg/orders.py"
SET = Breakpoint(number=3, path=PATH, line=12, status=BreakpointStatus.SET)
CODE = SourceFacts(PATH, (1, 5, 12, 40))
RUNS = BreakpointFacts(breakpoint=SET, status=Status.RUNNING, source=CODE)


def facts(found: dict[str, Any] | None = None, **changes: Any) -> BreakpointFacts:
    """A healthy breakpoint of a running program with these changes."""
    changed = msgspec.structs.replace(SET, **(found or {}))
    return msgspec.structs.replace(RUNS, breakpoint=changed, **changes)


def refused(message: str, **changes: Any) -> dict[str, Any]:
    return {"status": BreakpointStatus.REFUSED, "message": message, **changes}


BROKEN = SourceFacts(PATH, (), SourceProblem("SyntaxError: '(' was never closed", PATH, 7))
LIBRARY = Hiding(
    sentence="It belongs to the library requests, and just-my-code is on.", module="requests"
)
RULE = Hiding(sentence="A rule of yours hides /srv/lib.", by_switch=False, path="/srv/lib")

CASES: dict[str, tuple[BreakpointFacts, str]] = {
    "disabled": (
        facts({"enabled": False}),
        """switched off
        It is switched off, so the program passes it.
        > Switch it on: update enabled=True""",
    ),
    "disabled with its group": (
        facts({"enabled": False, "group": "parse"}, group_off=3),
        """switched off
        All 3 breakpoints of the group parse are switched off.
        > Switch the group on: enable_group group='parse' enabled=True
        > Switch it on: update enabled=True""",
    ),
    "disabled itself": (
        facts({"enabled": False, "trace": True, "at_most": 5, "hits": 5}),
        """switched off
        It reported 5 hits, its limit, then switched itself off.
        It is a tracepoint: it records its hits and never stops the program.
        It was hit 5 times.
        > Switch it on: update enabled=True
        > Make it stop: update log_message='' trace=False""",
    ),
    "muted": (
        facts(muted=True),
        """all breakpoints are muted
        All breakpoints are muted: the program stops at none of them.
        > Let breakpoints stop again: mute muted=False""",
    ),
    "of other ranks": (
        facts({"ranks": (0, 2), "status": BreakpointStatus.PENDING}, rank=1),
        """of other ranks
        It is there in ranks 0, 2 alone, and this process is rank 1.
        > Stop in all ranks: update ranks=()""",
    ),
    "of a rank, in a process that is none": (
        facts({"ranks": (3,), "status": BreakpointStatus.PENDING}),
        """of other ranks
        It is there in rank 3 alone, and this process has not reported its rank.
        > Stop in all ranks: update ranks=()""",
    ),
    "of its own rank": (
        facts({"ranks": (1, 3), "hits": 1}, rank=3),
        """nothing is wrong
        It was hit once in this run.""",
    ),
    "waits for its trigger": (
        facts({"trigger": 2, "armed": False}, trigger="main.py:10"),
        """waits for another one
        It waits for breakpoint 2 (main.py:10), which the program has not hit yet.
        > Don't wait for it: update trigger=None""",
    ),
    "its trigger is gone": (
        facts({"trigger": 2, "armed": False}),
        """waits for another one
        It waits for breakpoint 2, which was deleted.
        > Don't wait for it: update trigger=None""",
    ),
    "was triggered": (
        facts({"trigger": 2, "armed": True}, trigger="main.py:10"),
        """not reached yet
        It is set; the program has not reached it yet.""",
    ),
    "no such file": (
        facts(refused("this file does not exist"), exists=False, source=SourceFacts(PATH)),
        """no such file
        There is no file /home/me/proj/pkg/orders.py.""",
    ),
    "the file does not compile": (
        facts(refused("this file does not compile"), source=BROKEN),
        """the file does not compile
        orders.py does not compile: SyntaxError: '(' was never closed (line 7).
        Put that right and restart the program.
        > Restart the program: restart""",
    ),
    "the file does not compile, no program": (
        facts(refused("this file does not compile"), source=BROKEN, status=Status.CREATED),
        """the file does not compile
        orders.py does not compile: SyntaxError: '(' was never closed (line 7).""",
    ),
    "just-my-code": (
        facts(hiding=LIBRARY),
        """just-my-code hides it
        The debugger never stops in orders.py.
        It belongs to the library requests, and just-my-code is on.
        > Stop in requests, too: include module='requests'
        > Switch just-my-code off: just_my_code on=False""",
    ),
    "a rule hides it": (
        facts(hiding=RULE),
        """a rule hides it
        The debugger never stops in orders.py.
        A rule of yours hides /srv/lib.
        > Stop in lib, too: include path='/srv/lib'""",
    ),
    "no code there": (
        facts(refused("no executable code at line 6", line=6, suggested_line=5)),
        """no code there
        Line 6 has no code of its own: it is empty, a comment, or part of a longer statement.
        The nearest line that can stop is 5.
        > Move it to line 5: move line=5""",
    ),
    "past the end": (
        facts(refused("line 99 is past the last line of code, 40", line=99)),
        """no code there
        Line 99 is past the last line of code in orders.py.
        The nearest line that can stop is 40.
        > Move it to line 40: move line=40""",
    ),
    "no code, and only the adapter knows": (
        facts(refused("no", line=6, suggested_line=8), source=SourceFacts(PATH)),
        """no code there
        Line 6 has no code of its own: it is empty, a comment, or part of a longer statement.
        The nearest line that can stop is 8.
        > Move it to line 8: move line=8""",
    ),
    "another path there": (
        facts(loaded=False, namesakes=(("/x/orders.py", True), ("/srv/app/pkg/orders.py", False))),
        """the program runs another file
        The program has not loaded /home/me/proj/pkg/orders.py, but /srv/app/pkg/orders.py.
        > Take /srv/app for /home/me/proj: \
map local='/home/me/proj' remote='/srv/app'""",
    ),
    "another path here": (
        facts(loaded=False, namesakes=(("/srv/orders.py", True),)),
        """the program runs another file
        The program has not loaded /home/me/proj/pkg/orders.py, but /srv/orders.py.
        If these are two different files, this one has just not been imported yet.
        > Set it in /srv/orders.py instead: replace path='/srv/orders.py' line=12
        > Take /srv for /home/me/proj/pkg: \
map local='/home/me/proj/pkg' remote='/srv'""",
    ),
    "the file is not here": (
        facts(exists=False, source=SourceFacts(PATH), namesakes=(("/app/pkg/orders.py", False),)),
        """the program runs another file
        The program has not loaded /home/me/proj/pkg/orders.py, but /app/pkg/orders.py.
        > Take /app for /home/me/proj: \
map local='/home/me/proj' remote='/app'""",
    ),
    "every package has an __init__": (
        facts(
            {"path": "/home/me/pkg/__init__.py"},
            loaded=False,
            namesakes=(("/home/me/other/__init__.py", True),),
        ),
        """not imported yet
        The program has not imported pkg/__init__.py yet.
        When it does, the breakpoint is set by itself.""",
    ),
    "changed since": (
        facts(has_changed=True),
        """the file has changed
        orders.py was changed after the program had loaded it, which still runs the old lines.
        > Restart the program: restart""",
    ),
    "log point": (
        facts({"log_message": "{n}", "hits": 2}),
        """a log point never stops
        It is a log point: it writes its message and never stops the program.
        It was hit twice.
        > Make it stop: update log_message='' trace=False""",
    ),
    "log point that nothing came to": (
        facts({"log_message": "{n}"}, loaded=False),
        """a log point never stops
        It is a log point: it writes its message and never stops the program.
        The program has not imported orders.py yet.
        When it does, the breakpoint is set by itself.
        > Make it stop: update log_message='' trace=False""",
    ),
    "condition raises, goes on": (
        facts(
            {
                "condition": "n > 5",
                "errors": 4,
                "on_error": OnError.REPORT,
                "message": "NameError: name 'n' is not defined (in its condition)",
            }
        ),
        """its condition fails
        Its condition failed 4 times: NameError: name 'n' is not defined.
        It is set to go on where that happens.
        > Stop where the condition fails: update on_error='stop'
        > Drop the condition: update condition=''""",
    ),
    "condition raises, stops": (
        facts({"condition": "n > 5", "errors": 1}),
        """its condition fails
        Its condition failed once.
        > Drop the condition: update condition=''""",
    ),
    "condition false": (
        facts({"condition": "n > 5", "misses": 12}),
        """its condition was never true
        The program came to it 12 times, and its condition was never true: n > 5
        > Drop the condition: update condition=''""",
    ),
    "condition sometimes true": (
        facts({"condition": "n > 5", "misses": 12, "hits": 1}),
        """nothing is wrong
        It was hit once in this run.""",
    ),
    "filtered by its count": (
        facts({"hit_condition": ">5", "hits": 3}),
        """it lets hits pass
        It was hit 3 times, and stops only where the count is more than 5.
        Next it stops at hit 6.
        > Stop at every hit: update hit_condition='' ignore_count=0""",
    ),
    "filtered by both": (
        facts({"hit_condition": "%3", "ignore_count": 4, "hits": 1}),
        """it lets hits pass
        It was hit once, and stops only where the count is a multiple of 3, \
but not at the first 4 hits.
        Next it stops at hit 6.
        > Stop at every hit: update hit_condition='' ignore_count=0""",
    ),
    "its count is over": (
        facts({"hit_condition": "2", "hits": 3}),
        """it lets hits pass
        It was hit 3 times, and stops only where the count is exactly 2.
        That count is over; it stops no more in this run.
        > Stop at every hit: update hit_condition='' ignore_count=0""",
    ),
    "ignored": (
        facts({"ignore_count": 1, "hits": 1}),
        """it lets hits pass
        It was hit once, and stops everywhere but at the first hit.
        Next it stops at hit 2.
        > Stop at every hit: update hit_condition='' ignore_count=0""",
    ),
    "refused": (
        facts(refused("this debug adapter can't watch data", kind=BreakpointKind.DATA, path="")),
        """refused
        It was refused: this debug adapter can't watch data.
        > Try again: update""",
    ),
    "no such function": (
        facts(
            {
                "kind": BreakpointKind.FUNCTION,
                "path": "",
                "status": BreakpointStatus.PENDING,
                "message": "there is no function named plan in main.py; did you mean plain?",
            }
        ),
        """not set yet
        It is not set yet: there is no function named plan in main.py; did you mean plain?""",
    ),
    "no program": (
        facts({"status": BreakpointStatus.PENDING}, status=Status.CREATED),
        """no program runs
        No program has been started yet; it is set when one starts.""",
    ),
    "starting": (
        facts({"status": BreakpointStatus.PENDING}, status=Status.LAUNCHING),
        """the program is starting
        The program is just starting; it is set in a moment.""",
    ),
    "ended": (
        facts({"status": BreakpointStatus.PENDING}, status=Status.TERMINATED),
        """the program has ended
        The program has ended and never came to it.
        > Restart the program: restart""",
    ),
    "ended after hits": (
        facts({"status": BreakpointStatus.PENDING, "hits": 2}, status=Status.TERMINATED),
        """the program has ended
        The program has ended; it was hit twice.
        > Restart the program: restart""",
    ),
    "ended without that exception in code of one's own": (
        facts(
            {"kind": BreakpointKind.EXCEPTION, "path": ""},
            status=Status.TERMINATED,
            passes_libraries=True,
        ),
        """the program has ended
        The program has ended and never raised such an exception in your own code.
        Just-my-code is on: what libraries raise and catch among themselves is passed over.
        > Switch just-my-code off: just_my_code on=False
        > Restart the program: restart""",
    ),
    "ended without that exception": (
        facts({"kind": BreakpointKind.EXCEPTION, "path": ""}, status=Status.FAILED),
        """the program has ended
        The program has ended and never raised such an exception.
        > Restart the program: restart""",
    ),
    "not imported": (
        facts({"status": BreakpointStatus.PENDING, "message": "waits"}, loaded=False),
        """not imported yet
        The program has not imported orders.py yet.
        When it does, the breakpoint is set by itself.""",
    ),
    "not answered": (
        facts({"status": BreakpointStatus.PENDING}),
        """not set yet
        It is not set yet: the debug adapter has not answered.""",
    ),
    "not reached": (
        facts(status=Status.PAUSED, loaded=True),
        """not reached yet
        It is set; the program has not reached it yet.""",
    ),
    "not raised": (
        facts({"kind": BreakpointKind.EXCEPTION, "path": "", "exception": ExceptionRule()}),
        """not raised yet
        It is set; the program has raised no such exception yet.""",
    ),
    "several causes": (
        facts(refused("no", enabled=False, line=6), muted=True, hiding=LIBRARY),
        """switched off
        It is switched off, so the program passes it.
        All breakpoints are muted: the program stops at none of them.
        The debugger never stops in orders.py.
        It belongs to the library requests, and just-my-code is on.
        Line 6 has no code of its own: it is empty, a comment, or part of a longer statement.
        The nearest line that can stop is 5.
        > Switch it on: update enabled=True
        > Let breakpoints stop again: mute muted=False
        > Stop in requests, too: include module='requests'
        > Switch just-my-code off: just_my_code on=False
        > Move it to line 5: move line=5""",
    ),
}


def shown(diagnosis: Diagnosis) -> list[str]:
    lines = [diagnosis.title, *diagnosis.sentences]
    for mend in diagnosis.mends:
        arguments = [f" {name}={_plain(value)}" for name, value in mend.arguments.items()]
        lines.append(f"> {mend.title}: {mend.action}{''.join(arguments)}")
    return lines


def _plain(value: object) -> str:
    return repr(str(value)) if isinstance(value, str) else repr(value)


@pytest.mark.parametrize("case", CASES)
def test_each_cause_is_explained(case: str) -> None:
    known, wanted = CASES[case]
    assert shown(explain(known)) == [line.strip() for line in wanted.splitlines()]


def test_sentences_are_sentences() -> None:
    for known, _ in CASES.values():
        for sentence in explain(known).sentences:
            assert sentence[0].isupper() or sentence.startswith("orders.py")
            # A condition is quoted at the end, without a full stop that could belong to it.
            assert sentence.endswith((".", "?", known.breakpoint.condition or "."))


@pytest.mark.parametrize(
    ("condition", "ignored", "stops"),
    [
        ("", 0, range(1, 30)),
        ("", 3, range(4, 30)),
        ("5", 0, [5]),
        ("==5", 5, []),
        (">5", 0, range(6, 30)),
        (">=5", 7, range(8, 30)),
        ("<4", 1, [2, 3]),
        ("<=4", 0, [1, 2, 3, 4]),
        ("%7", 0, [7, 14, 21, 28]),
        ("%7", 7, [14, 21, 28]),
    ],
)
def test_the_next_stop_is_the_one_that_comes(condition: str, ignored: int, stops: Any) -> None:
    for hits in range(25):
        wanted = next((stop for stop in stops if stop > hits), None)
        if wanted is not None or hits > max([0, *stops]):
            assert next_stop(hits, condition, ignored) == wanted


# In a session


async def test_mends_mend(tmp_path: Path) -> None:
    """Each mend of the core's own is applied and takes its cause away."""
    path = str(tmp_path / "program.py")
    Path(path).write_text("1\n2\n\n\n5\n", encoding="utf-8")
    async with fake_session(tmp_path, Script(), target=path) as under_test:
        session = under_test.session
        under_test.profile.code_lines[path] = (1, 2, 5)
        doctor = Doctor(session)
        found = await session.breakpoints.set(path, 4, enabled=False, group="late", origin="tui")
        other = await session.breakpoints.set(path, 5, enabled=False, group="late", origin="tui")
        await session.breakpoints.update(
            other.number, trigger=found.number, log_message="x", origin="tui"
        )
        await session.breakpoints.mute(True, origin="tui")

        async def titles(number: int) -> list[str]:
            return [mend.title for mend in (await doctor.diagnose(number)).mends]

        async def apply(number: int, title: str) -> None:
            mends = (await doctor.diagnose(number)).mends
            await doctor.apply(
                number, next(mend for mend in mends if mend.title == title), origin="tui"
            )

        assert await titles(found.number) == [
            "Switch the group on",
            "Switch it on",
            "Let breakpoints stop again",
            "Move it to line 5",
        ]
        await apply(found.number, "Switch it on")
        assert (await doctor.diagnose(other.number)).title == "switched off"
        await apply(other.number, "Switch it on")
        await apply(found.number, "Let breakpoints stop again")
        assert not session.breakpoints.muted
        await apply(other.number, "Make it stop")
        await apply(other.number, "Don't wait for it")
        assert (await doctor.diagnose(other.number)).title == "no program runs"
        await session.breakpoints.remove(other.number, origin="tui")
        await apply(found.number, "Move it to line 5")
        assert (await doctor.diagnose(found.number)).title == "no program runs"
        elsewhere = str(tmp_path / "other.py")
        there = Mend(title="", action="replace", arguments={"path": elsewhere, "line": 2})
        await session.breakpoints.update(found.number, condition="n > 1", origin="tui")
        await doctor.apply(found.number, there, origin="tui")
        (moved,) = session.breakpoints.registry
        assert (moved.path, moved.line, moved.condition, moved.group) == (
            elsewhere,
            2,
            "n > 1",
            "late",
        )
        with pytest.raises(UnsupportedByAdapter):
            await doctor.apply(moved.number, Mend(title="", action="dance"), origin="tui")


class Surroundings:
    """Holds what a program has loaded, and what is hidden of it."""

    def __init__(self, hidden: str, *loaded: str) -> None:
        self.loaded_files = frozenset(loaded)
        self.hidden = hidden
        self.asked: list[dict[str, Any]] = []

    def is_loaded(self, path: str) -> bool | None:
        return path in self.loaded_files

    def has_changed(self, path: str) -> bool:
        return False

    def find_hiding(self, path: str) -> Hiding | None:
        if not self.hidden or not path.startswith(self.hidden):
            return None
        return Hiding(sentence="It belongs to a library.", module="lib")

    async def include(self, *, origin: str, module: str = "", path: str = "") -> None:
        self.asked.append({"include": module or path})
        self.hidden = ""

    async def switch_just_my_code(self, on: bool, *, origin: str) -> None:
        self.asked.append({"just_my_code": on})
        self.hidden = ""

    async def map_paths(self, local: str, remote: str, *, origin: str) -> None:
        self.asked.append({local: remote})


async def test_surroundings_are_asked_and_changed(tmp_path: Path) -> None:
    for name in ("lib/orders.py", "app/orders.py", "copy/orders.py"):
        (tmp_path / name).parent.mkdir()
        text = "2\n" if name == "lib/orders.py" else "1\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    library, app, copy = (str(tmp_path / name / "orders.py") for name in ("lib", "app", "copy"))
    async with fake_session(tmp_path, Script()) as under_test:
        session = under_test.session
        for title, asked in (
            ("Stop in lib, too", {"include": "lib"}),
            ("Switch just-my-code off", {"just_my_code": False}),
        ):
            around = Surroundings(str(tmp_path / "lib"))
            doctor = Doctor(session, around)
            found = await session.breakpoints.set(library, 1, origin="tui")
            diagnosis = await doctor.diagnose(found.number)
            assert diagnosis.title == "just-my-code hides it"
            mend = next(mend for mend in diagnosis.mends if mend.title == title)
            await doctor.apply(found.number, mend, origin="tui")
            assert around.asked == [asked]
            assert (await doctor.diagnose(found.number)).title == "no program runs"

        # A library's file of the same name is no other copy of one's own, unless the text is, too.
        around = Surroundings(str(tmp_path / "lib"), library)
        found = await session.breakpoints.set(app, 1, origin="tui")
        assert not (await Doctor(session, around).gather(found)).namesakes
        around = Surroundings(str(tmp_path / "copy"), library, copy)
        assert (await Doctor(session, around).gather(found)).namesakes == (
            (copy, True),
            (library, True),
        )
        around = Surroundings(str(tmp_path / "lib"), library, copy)
        doctor = Doctor(session, around)
        assert (await doctor.gather(found)).namesakes == ((copy, True),)
        there, mapping = (await doctor.diagnose(found.number)).mends
        await doctor.apply(found.number, mapping, origin="tui")
        assert around.asked == [{str(tmp_path / "app"): str(tmp_path / "copy")}]
        await doctor.apply(found.number, there, origin="tui")
        assert [b.path for b in session.breakpoints.registry] == [copy, library]


@pytest.mark.real
async def test_a_library_is_opened_at_once(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "stub.py").write_text("def work():\n    return 1\n", encoding="utf-8")
    main = tmp_path / "main.py"
    main.write_text("import stub\nstub.work()\n", encoding="utf-8")
    async with debugpy_session(tmp_path, main, env={"PYTHONPATH": str(site)}) as under_test:
        session = under_test.session
        found = await session.breakpoints.set(str(site / "stub.py"), 2, origin="tui")
        await under_test.start()
        diagnosis = await Doctor.of(session).diagnose(found.number)
        assert diagnosis.title == "just-my-code hides it"
        assert diagnosis.mends[0].title == "Stop in stub, too"
        await Doctor.of(session).apply(found.number, diagnosis.mends[0], origin="tui")
        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.hits) == (2, (found.number,))
        assert (await Doctor.of(session).diagnose(found.number)).title == "nothing is wrong"
        await under_test.to_end()


@pytest.mark.full
@pytest.mark.real
async def test_a_real_program_is_diagnosed(tmp_path: Path) -> None:
    files = {
        "main.py": "import json\nfor n in range(3):\n    print(n)\n\nimport late\nlate.work()\n",
        "late.py": "def work():\n    return 1\n",
        "broken.py": "def work(:\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    main, late = str(tmp_path / "main.py"), str(tmp_path / "late.py")
    async with debugpy_session(tmp_path, main) as under_test:
        session, doctor = under_test.session, Doctor(under_test.session)
        breakpoints = session.breakpoints

        async def title(number: int) -> str:
            return (await doctor.diagnose(number)).title

        never = await breakpoints.set(main, 3, condition="n > 5", origin="tui")
        assert await title(never.number) == "no program runs"
        await under_test.start()
        in_late = await breakpoints.set(late, 2, origin="tui")
        broken = await breakpoints.set(str(tmp_path / "broken.py"), 1, origin="tui")
        blank = await breakpoints.set(main, 4, origin="tui")
        assert await title(never.number) == "not reached yet"
        assert await title(in_late.number) == "not imported yet"
        assert await title(broken.number) == "the file does not compile"
        assert await title(blank.number) == "no code there"
        missing = await breakpoints.set(str(tmp_path / "missing.py"), 1, origin="tui")
        assert await title(missing.number) == "no such file"
        (mend,) = (await doctor.diagnose(blank.number)).mends
        await doctor.apply(blank.number, mend, origin="tui")
        assert breakpoints.registry.get(blank.number).line == 5
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 5
        assert await title(never.number) == "its condition was never true"
        await under_test.go(Resume.CONTINUE)
        assert await title(in_late.number) == "nothing is wrong"
        await under_test.to_end()
        assert await title(never.number) == "its condition was never true"
        assert await title(in_late.number) == "the program has ended"
