"""The prompt of a session on the real debugpy: results, interrupts, ``await``, help, names."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session, within
from tuidbg.config.launch import Console
from tuidbg.session.core.evaluation.prompt import Evaluated, EvaluationContext, ask, rank_names
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    InvalidSessionState,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import ValueProblem

OLDEST, NEWEST = min(SUPPORTED), max(SUPPORTED)
EXTREMES = [pytest.param(SUPPORTED[v], id=name_of(v)) for v in (OLDEST, NEWEST)]

PLAIN = """\
import signal, threading, time

caught = []
signal.signal(signal.SIGINT, lambda number, frame: caught.append("the program's own handler"))

class Account:
    "What somebody owns."
    def __init__(self):
        self.__balance = 42
    def pay(self, amount: int = 1) -> int:
        "Give some away."
        return self.__balance  #: pay

class Liar:
    __class__ = int
    def __repr__(self):
        raise ValueError("no")

class Loud:
    def __repr__(self):
        return "x" * 100_000_000

account = Account()
account.pay()
things = {"a": [1, 2, {"deep": True}], "b": ()}
release = threading.Event()
total = 0  #: middle
total = signal.getsignal(signal.SIGINT)
total = 2
"""

PRIVATE = """\
class Base:
    def __init__(self):
        self.__x = 41
    def go(self, k):
        total = k  #: logged
        def inner():
            return self, k  #: inner
        return inner()

class Derived(Base):
    __x = "of the derived class"

Derived().go(1)
Derived().go(5)
"""

SLOW_INSIDE = """\
import time
class Slow:
    def __repr__(self):
        time.sleep(30)
class Sly:
    touched = 0
    def __init__(self):
        self.slow = Slow()
    @property
    def asked(self):
        Sly.touched += 1
        return Sly.touched
"""

THREADED = """\
import threading, time

def work():
    here = 1
    here = 2  #: inside

thread = threading.Thread(target=work, name="worker")
thread.start()
thread.join()
done = 1  #: after
"""

LOOPED = """\
import asyncio

async def later(value, seconds=0.01):
    await asyncio.sleep(seconds)
    return value

async def main():
    task = asyncio.create_task(later("task", 30))
    future = asyncio.get_running_loop().create_future()
    done = asyncio.create_task(later("done"))
    event = asyncio.Event()
    queue = asyncio.Queue()
    waiting = asyncio.create_task(queue.get())
    running = later("running", 60)
    runner = asyncio.create_task(running)
    await asyncio.sleep(0.1)
    x = 1  #: inside
    x = 2
    queue.put_nowait("put")
    print(await waiting, "end" "ed")
    task.cancel()
    runner.cancel()

asyncio.run(main())
"""


class Prompt:
    """A session at a stop, and what is typed at its prompt."""

    def __init__(self, under_test: SessionUnderTest) -> None:
        self.under_test = under_test
        self.session = under_test.session
        self.evaluation = under_test.session.evaluation

    @property
    def frame_id(self) -> int:
        return self.session.frames[0].id

    async def result(self, text: str) -> Evaluated:
        return await self.evaluation.evaluate(text, self.frame_id)

    async def text(self, text: str) -> str:
        return (await self.result(text)).text

    async def error(self, text: str) -> str:
        with pytest.raises(EvaluationFailed) as raised:
            await self.result(text)
        return str(raised.value)

    async def begin(self, text: str) -> asyncio.Task[Evaluated]:
        """Evaluate it; the last thing that it did before is done."""
        task = asyncio.create_task(self.result(text))
        await self.under_test.until(lambda: self.evaluation.running, "it runs")
        await self.under_test.until(
            lambda: any("begun" in line.text for line in self.session.output), "it says so"
        )
        return task


@asynccontextmanager
async def prompt(
    folder: Path, text: str, mark: str, python: str = sys.executable
) -> AsyncIterator[Prompt]:
    program = MarkedProgram(folder, text)
    async with debugpy_session(
        folder, program.file, python=python, console=Console.TERMINAL, stop_on_entry=False
    ) as under_test:
        await under_test.session.breakpoints.set(program.path, program[mark], origin="tui")
        await under_test.start()
        assert under_test.line == program[mark]
        yield Prompt(under_test)


# Results


@pytest.mark.own_python
@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_values_statements_and_errors(python: str, tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle", python) as at:
        assert await at.text("1 + 1") == "2"
        assert await at.text("x = 5") == ""
        assert await at.text("x += 1\nx * 2") == "12"
        assert await at.text("for i in range(3):\n    y = i\n") == ""
        assert await at.text("x, y") == "(6, 2)"
        assert await at.text("del x") == ""
        assert await at.error("x") == "NameError: name 'x' is not defined"
        assert await at.text("None") == ""
        assert (await at.error("(")).splitlines()[-1].startswith("SyntaxError")
        assert await at.error("1/0") == "ZeroDivisionError: division by zero"
        assert await at.error("exit()") == "SystemExit: at this prompt it ends nothing"
        inner = await at.error("def f():\n    return 1 / 0\n\nf()")
        assert inner.startswith("Traceback") and "line 2, in f" in inner
        assert "tuidbg" not in inner and "pydevd" not in inner
        assert await at.text("[n for n in range(4) if n in things or n > 1]") == "[2, 3]"


@pytest.mark.full
@pytest.mark.real
async def test_the_last_result_is_kept_under_a_name_that_the_program_does_not_see(
    tmp_path: Path,
) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        assert (await at.error("_")).startswith("NameError")
        await at.text("20 + 1")
        assert await at.text("_ * 2") == "42"
        assert await at.text("_ + _") == "84"
        assert await at.text("None") == ""
        assert await at.text("y = _") == ""
        assert await at.text("y") == "84"
        assert await at.text("'_' in globals()") == "False"
        assert "_" not in await at.under_test.locals()
        await at.text("_ = 'mine'")
        await at.text("7")
        assert await at.text("_") == "'mine'"


@pytest.mark.full
@pytest.mark.real
async def test_hostile_results(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        assert await at.text("Liar()") == "<repr raised ValueError>"
        assert (await at.result("Liar()")).type == "__main__.Liar"
        loud = await at.text("Loud()")
        assert len(loud) == 20_000 and loud.endswith("...")
        assert len(await at.text("'x' * 10**8")) <= 20_000
        assert len(await at.text("list(range(10**6))")) <= 20_000
        assert await at.text("'\\ud800 \\u202e [red]'") == "'\\ud800 \\u202e [red]'"
        assert await at.text("a = []\na.append(a)\na") == "[[...]]"


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_locals_are_those_of_the_function(python: str, tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "pay", python) as at:
        assert await at.text("sorted(locals())") == "['amount', 'self']"
        assert await at.text("vars() == locals(), dir()") == "(True, ['amount', 'self'])"
        assert await at.text("'Account' in globals(), 'pay' in dir(self)") == "(True, True)"
        assert await at.text("locals()['self'] is self") == "True"
        waiting = "import asyncio\nawait asyncio.sleep(0, locals()['self'] is self)"
        assert await at.text(waiting) == "True"
    async with prompt(tmp_path, PLAIN, "middle", python) as at:
        assert await at.text("locals() is globals() or locals() == globals()") == "True"


@pytest.mark.full
@pytest.mark.real
async def test_private_names_are_read_as_the_class_does(tmp_path: Path) -> None:
    for version in (OLDEST, NEWEST):
        async with prompt(tmp_path, PLAIN, "pay", SUPPORTED[version]) as at:
            assert await at.text("self.__balance") == "42"
            assert await at.text("self.__balance += 1\nself.__balance") == "43"


@pytest.mark.own_python
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_private_names_in_every_context(python: str, tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, PRIVATE)
    async with debugpy_session(
        tmp_path, program.file, python=python, console=Console.TERMINAL, stop_on_entry=False
    ) as under_test:
        session = under_test.session
        await session.breakpoints.set(
            program.path, program["logged"], log_message="has {(k, self.__x)[1]}", origin="tui"
        )
        await session.breakpoints.set(
            program.path, program["inner"], condition="(self.__x, k) == (41, 5)", origin="tui"
        )
        await under_test.start()
        assert under_test.line == program["inner"]
        frame_id = session.frames[0].id
        wanted = {
            "(k, self.__x)": "(5, 41)",
            "{'__x': [self.__x for _ in (1, 2)]}": "{'__x': [41, 41]}",
            "(lambda __a: __a)(self.__x)": "41",
            "f'{self.__x}.__x'": "'41.__x'",
        }
        for text, value in wanted.items():
            for context in (
                EvaluationContext.WATCH,
                EvaluationContext.HOVER,
                EvaluationContext.REPL,
            ):
                assert (await ask(session, text, frame_id, context)).value == value
            session.watches.add(text, origin="tui")
        results = [result.variable for result in await session.watches.evaluate()]
        assert [found.value for found in results if found is not None] == list(wanted.values())
        await under_test.until(
            lambda: any("has 41" in line.text for line in session.output), "the log point"
        )
        table = await session.values.tables.open("[self.__x, k]", frame_id)
        assert table.info.rows == 2


@pytest.mark.full
@pytest.mark.real
async def test_results_are_opened(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        found = await at.result("things")
        assert (found.openable, found.type) == (True, "dict")
        inside = {v.name: v for v in await at.evaluation.open(found, at.frame_id)}
        assert inside["'a'"].value == "[1, 2, {'deep': True}]"
        assert inside["'a'"].reference
        for simple in ("1", "'text'", "None", "()", "{}", "b''"):
            assert not (await at.result(simple)).openable
        await at.under_test.go(Resume.STEP_OVER)
        assert await at.evaluation.open(found, at.frame_id)  # still there ...
        await at.result("account")
        with pytest.raises(EvaluationFailed, match="not kept any more"):  # ... until the next
            await at.evaluation.open(found, at.frame_id)


@pytest.mark.full
@pytest.mark.real
async def test_what_is_in_results_runs_nothing_that_takes_long(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        await at.text(SLOW_INSIDE)
        begun = time.monotonic()
        found = await at.evaluation.open(await at.result("Sly()"), at.frame_id)
        assert time.monotonic() - begun < 3
        inside = {variable.name: variable for variable in found}
        assert inside["slow"].problem is ValueProblem.SLOW
        assert inside["asked"].problem is ValueProblem.LAZY
        assert await at.text("Sly.touched") == "0", "no property was read"
        loaded = await at.session.values.load(inside["asked"])
        assert (loaded.value, await at.text("Sly.touched")) == ("1", "1")


@pytest.mark.full
@pytest.mark.real
async def test_large_results_come_in_pages(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        found = await at.result("list(range(10**6))")
        reference = at.evaluation.reference(found, at.frame_id)
        first = await at.evaluation.page(reference)
        assert ([v.value for v in first.variables], first.total) == (
            [str(n) for n in range(100)],
            10**6,
        )
        more = await at.evaluation.page(reference, 100)
        assert [v.value for v in more.variables] == [str(n) for n in range(100, 200)]
        last = await at.evaluation.page(reference, 10**6 - 5)
        assert [v.value for v in last.variables] == [str(10**6 - n) for n in (5, 4, 3, 2, 1)]


# Interrupting


LOOP = "print('be' + 'gun', flush=True)\nwhile True: pass"
SLEEP = "print('be' + 'gun', flush=True)\nimport time; time.sleep(60)"


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("text", [LOOP, SLEEP], ids=["loop", "sleep"])
@pytest.mark.parametrize("python", EXTREMES)
async def test_the_main_thread_is_interrupted_and_stays_paused(
    python: str, text: str, tmp_path: Path
) -> None:
    async with prompt(tmp_path, PLAIN, "middle", python) as at:
        task = await at.begin(text)
        await within(3, at.evaluation.cancel())
        with pytest.raises(EvaluationCancelled):
            await task
        assert not at.evaluation.running
        await at.evaluation.cancel()  # there is nothing any more: nothing happens
        assert await at.text("caught") == "[]", "the program's own handler has seen nothing"
        at.evaluation.limit = 0.3  # as in a pipe, where no person interrupts
        with pytest.raises(EvaluationAbandoned, match=r"no answer within 0\.3 s"):
            await at.evaluation.evaluate(text, at.under_test.session.frames[0].id)
        at.evaluation.limit = None
        assert await at.text("caught") == "[]"
        await at.under_test.go(Resume.STEP_OVER)
        await at.under_test.go(Resume.STEP_OVER)
        assert at.under_test.reason == "step"
        assert await at.text("total.__name__") == "'<lambda>'", "it is in force again"


@pytest.mark.full
@pytest.mark.real
async def test_one_with_a_time_limit_is_interrupted_by_itself(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        quick = await at.evaluation.evaluate("1 + 1", at.frame_id, timeout=20)
        assert quick.text == "2"
        with pytest.raises(EvaluationCancelled):
            await within(10, at.evaluation.evaluate(LOOP, at.frame_id, timeout=0.3))
        assert await at.text("caught, 1 + 1") == "([], 2)"


@pytest.mark.full
@pytest.mark.real
async def test_a_time_limit_leaves_the_evaluation_of_another_alone(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        persons = await at.begin(LOOP)
        with pytest.raises(EvaluationAbandoned):
            await within(10, at.evaluation.evaluate("1 + 1", at.frame_id, timeout=0.1))
        assert not persons.done()
        await at.evaluation.cancel()
        with pytest.raises(EvaluationCancelled):
            await persons


@pytest.mark.full
@pytest.mark.real
async def test_an_interrupt_that_comes_as_it_ends_does_no_harm(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        for n in range(40):
            task = asyncio.create_task(at.result(f"import time; time.sleep({n / 5000})"))
            while not at.evaluation.running and not task.done():  # noqa: ASYNC110
                await asyncio.sleep(0)
            await asyncio.sleep(n / 10_000)
            await at.evaluation.cancel()
            try:
                await task
            except EvaluationCancelled:
                pass
        assert await at.text("caught, 1 + 1") == "([], 2)"
        await at.under_test.go(Resume.STEP_OVER)


@pytest.mark.full
@pytest.mark.real
async def test_the_error_of_an_interrupted_program_is_told_as_such(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        assert "KeyboardInterrupt: mine" in await at.error("raise KeyboardInterrupt('mine')")


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_another_thread_is_interrupted_by_an_exception(python: str, tmp_path: Path) -> None:
    async with prompt(tmp_path, THREADED, "inside", python) as at:
        assert await at.text("threading.current_thread().name") == "'worker'"
        task = await at.begin(LOOP)
        await within(3, at.evaluation.cancel())
        with pytest.raises(EvaluationCancelled):
            await task
        assert await at.text("here") == "1"
        await at.under_test.to_end()
        assert at.session.exit is not None and at.session.exit.code == 0


@pytest.mark.full
@pytest.mark.real
async def test_a_call_into_c_in_another_thread_is_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.session.core.evaluation.prompt.CANCEL_PATIENCE", 0.3)
    async with prompt(tmp_path, THREADED, "inside") as at:
        task = await at.begin("print('be' + 'gun', flush=True)\nimport time; time.sleep(2)")
        await within(2, at.evaluation.cancel())
        with pytest.raises(EvaluationAbandoned, match="a call into C that takes no interrupt"):
            await task
        assert await within_seconds(5, at.text("here")) == "1"  # after it


@pytest.mark.full
@pytest.mark.real
async def test_asked_a_second_time_it_is_abandoned_at_once(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        stubborn = (
            "print('be' + 'gun', flush=True)\nimport time\nend = time.monotonic() + 2\n"
            "while time.monotonic() < end:\n    try: time.sleep(0.1)\n"
            "    except KeyboardInterrupt: pass\n"
        )
        task = await at.begin(stubborn)
        first = asyncio.create_task(at.evaluation.cancel())
        await asyncio.sleep(0)
        await at.evaluation.cancel()
        with pytest.raises(EvaluationAbandoned, match="not waited for any more"):
            await task
        await first
        assert await within_seconds(5, at.text("1")) == "1"


async def within_seconds(seconds: float, work: object) -> object:
    async with asyncio.timeout(seconds):
        return await work  # type: ignore[misc]


# Awaiting


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    "python", [pytest.param(path, id=name_of(v)) for v, path in SUPPORTED.items()]
)
async def test_await_in_a_loop_of_its_own(python: str, tmp_path: Path) -> None:
    async with prompt(tmp_path, LOOPED, "inside", python) as at:
        assert await at.text("await later(5)") == "5"
        assert await at.text("v = await later(6)\nv + 1") == "7"
        assert await at.text("await asyncio.gather(later(1), later(2))") == "[1, 2]"
        assert await at.text("[await later(n) for n in range(3)]") == "[0, 1, 2]"
        assert await at.text("await done") == "'done'"
        assert await at.error("await later(1/0)") == "ZeroDivisionError: division by zero"
        for name, reason in {
            "task": "this task belongs to the program's own event loop",
            "future": "this future belongs to the program's own event loop",
            "running": "this coroutine is being run by the program",
            "queue.get()": "own event loop",
            "event.wait()": "own event loop",
            "asyncio.gather(task, later(1))": "own event loop",
        }.items():
            said = await within_seconds(10, at.error(f"await {name}"))
            assert reason in str(said), (name, said)
        assert await at.text("asyncio.get_running_loop().is_running()") == "True"
        await at.under_test.to_end()
        assert "put ended" in at.under_test.output("terminal")


@pytest.mark.full
@pytest.mark.real
async def test_a_wait_is_interrupted_and_the_programs_loop_goes_on(tmp_path: Path) -> None:
    async with prompt(tmp_path, LOOPED, "inside") as at:
        task = await at.begin("print('be' + 'gun', flush=True)\nawait later(0, 60)")
        await at.evaluation.cancel()
        with pytest.raises(EvaluationCancelled):
            await task
        await at.under_test.to_end()
        assert "put ended" in at.under_test.output("terminal")


@pytest.mark.full
@pytest.mark.real
async def test_await_without_asyncio(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        await at.text("async def five():\n    return 5\n")
        assert await at.text("await five()") == "5"
        assert await at.text("'asyncio' in __import__('sys').modules") == "False"
        await at.text("class Yields:\n    def __await__(self):\n        yield 1\n")
        assert "has not imported asyncio" in await at.error("await Yields()")
        assert await at.text("import asyncio\nawait asyncio.sleep(0.01, 'slept')") == "'slept'"


# Help and names


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("python", EXTREMES)
async def test_help(python: str, tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle", python) as at:
        pay = await at.evaluation.describe("account.pay", at.frame_id)
        assert pay.signature == "(amount: int = 1) -> int"
        assert pay.doc == "Give some away."
        assert pay.file.endswith("program.py") and pay.line == 10
        assert pay.source == ""
        pay = await at.evaluation.describe("account.pay", at.frame_id, source=True)
        assert pay.source.lstrip().startswith("def pay(self")
        instance = await at.evaluation.describe("account", at.frame_id, source=True)
        assert instance.doc == "What somebody owns."
        assert instance.source.startswith("class Account:")
        assert (await at.evaluation.describe("len", at.frame_id)).signature.startswith("(obj")
        assert (await at.evaluation.describe("Liar()", at.frame_id)).text
        with pytest.raises(EvaluationFailed, match="NameError"):
            await at.evaluation.describe("nope", at.frame_id)


@pytest.mark.full
@pytest.mark.real
async def test_magics_where_there_is_no_ipython(tmp_path: Path) -> None:
    oldest = SUPPORTED[OLDEST]
    async with prompt(tmp_path, PLAIN, "middle", oldest) as at:
        assert "which the program's environment does not have" in await at.error("%timeit 1")


@pytest.mark.full
@pytest.mark.real
async def test_magics_where_there_is_ipython(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:
        assert await at.text("%%time\ny = len(things) + 39") == ""
        assert await at.text("y") == "41"
        assert "Wall time" in at.under_test.output("terminal")
        assert await at.error("%timeit -n1 1/0") == "ZeroDivisionError: division by zero"
        names = await at.text("[n for n in globals() if n[:1] == '_' and n[:2] != '__']")
        assert names == "[]", "what IPython keeps for itself is not in the program"
        assert await at.text("__import__('sys').modules['__main__'].things is things") == "True"


@pytest.mark.full
@pytest.mark.real
async def test_completions(tmp_path: Path) -> None:
    async with prompt(tmp_path, PLAIN, "middle") as at:

        async def names(text: str, cursor: int | None = None) -> tuple[int, tuple[str, ...]]:
            at_cursor = len(text) if cursor is None else cursor
            found = await at.evaluation.complete(text, at_cursor, at.frame_id)
            return found.start, found.names

        assert await names("x = acco") == (4, ("account", "Account"))
        start, found = await names("account.")
        assert start == 8 and found[0] == "pay" and found[-1].startswith("__")
        assert await names("y\nprint(account.p + 1)", 17) == (16, ("pay",))
        # Nothing is called for that.
        assert await names("account.pay().") == (14, ())
        assert await names("release.set().is") == (16, ())
        assert await at.text("release.is_set()") == "False"
        assert await names("") == (0, ())


def test_names_are_ranked() -> None:
    assert rank_names({"Zed", "_z", "zoo", "__z", "zap", "a"}, "") == (
        "a", "zap", "Zed", "zoo", "_z", "__z",
    )  # fmt: skip
    assert rank_names({"Zed", "zoo", "z", "a"}, "z") == ("zoo", "Zed")


# Other adapters


async def test_an_adapter_that_has_no_inside(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        with pytest.raises(InvalidSessionState):
            await under_test.session.evaluation.evaluate("1")
        await under_test.start()
        frame = under_test.session.frames[0].id
        evaluation = under_test.session.evaluation
        found = await evaluation.evaluate("[1, 2]", frame)
        assert (found.text, found.openable) == ("[1, 2]", True)
        assert [v.value for v in await evaluation.open(found, frame)] == ["1", "2"]
        for ask in (evaluation.describe("1", frame), evaluation.complete("a", 1, frame)):
            with pytest.raises(UnsupportedByAdapter):
                await ask
        await under_test.fake.add_rule("evaluate", "hold")
        task = asyncio.create_task(evaluation.evaluate("1", frame))
        await under_test.fake.until_request("evaluate", 2)
        await evaluation.cancel()
        with pytest.raises(EvaluationAbandoned, match="can't interrupt"):
            await task
        await under_test.fake.release("evaluate")


async def test_completions_of_any_adapter(tmp_path: Path) -> None:
    targets = [{"label": "alpha()", "text": "alpha"}, {"label": "Ample"}, {"label": "beta"}]
    script = Script(
        capabilities={**CAPABILITIES, "supportsCompletionsRequest": True},
        rules=[rule("completions", "body", body={"targets": targets})],
    )
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        found = await under_test.session.evaluation.complete(
            "b = a", 5, under_test.session.frames[0].id
        )
        assert (found.start, found.names) == (4, ("alpha", "Ample"))
        assert under_test.fake.arguments_of("completions")[0]["column"] == 6


def test_each_cause_has_its_error() -> None:
    assert issubclass(EvaluationCancelled, DebuggerError)
    assert not issubclass(EvaluationCancelled, EvaluationFailed)


@pytest.mark.full
@pytest.mark.real
async def test_half_a_surrogate_pair_in_a_repr(tmp_path: Path) -> None:
    """As the name of a file on the disk can have; no JSON may."""
    async with prompt(tmp_path, PLAIN, "middle") as at:
        await at.text("class Odd:\n    def __repr__(self):\n        return 'caf\\udce9'\n")
        assert await at.text("Odd()") == "caf\ufffd"
