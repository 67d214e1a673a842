"""Showing values in the program: in a short time, whatever their ``repr`` do.

What needs code of the program runs in a thread of its own, so that a ``repr`` which sleeps, waits
for a lock or never ends holds up no other: it is given up after a moment, its type is remembered,
and a person may ask for it. That thread has the context variables of the stopped one; what it
prints is swallowed. Queries of databases are not run in it: a connection may be bound to the thread
that uses it first, and a session, once bound to one of ours, fails in the program's own thread.
"""

from __future__ import annotations

import sys
import time
from time import perf_counter as clock

from _pydev_bundle._pydev_saved_modules import thread
from _pydevd_bundle.pydevd_daemon_thread import PyDBDaemonThread

from tuidbg.debuggee import base
from tuidbg.debuggee.base import DB, get_ident
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import classes, writing
from tuidbg.debuggee.values.writing import TEXT_LIMIT, Writer, clean, cut, slow_types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

    from tuidbg.debuggee.values.writing import Writer


new_lock = thread.allocate_lock

ONE = 0.2
"""Seconds that one value may take unless it was requested."""

ALL = 0.5
"""Seconds that all values of one question may take together."""


def ready(frame: FrameType) -> bool:
    """Called first: puts this module in place."""
    return True


class Shown(object):
    """The text of a value; ``problem`` is why there is none (slow, raised, later)."""

    def __init__(
        self, text: str, problem: str = "", remark: str = "", is_cut: bool = False
    ) -> None:
        self.text = text
        self.problem = problem
        self.remark = remark
        self.is_cut = is_cut


def show_plain(value: Any, limit: int = TEXT_LIMIT) -> Shown:
    """Without any code of the program. Raises NotPlain."""
    writer = Writer(limit)
    text = clean(writer.text(value))
    return Shown(cut(text, limit), is_cut=writer.is_cut or len(text) > limit)


class ThreadJob(object):
    """Work in a thread of its own: functions that get the job, one after another.

    ``results`` are what they gave; for one that raised a Shown.
    """

    def __init__(self, works: list[Callable[[Any], Any]]) -> None:
        self.works = works
        self.results: list[Any] = []
        self.done = new_lock()
        self.done.acquire()
        self.begun = clock()
        self.current = ""
        self.over = self.given_up = False
        self.printed = 0
        self.ident = 0
        self.clock: int | None = None
        contextvars = sys.modules.get("_contextvars") or sys.modules.get("contextvars")
        self.context = contextvars.copy_context() if contextvars is not None else None
        PyDBDaemonThread(DB, (self.run, (), {})).start()

    def enter(self, name: str) -> None:
        self.current = name

    def leave(self) -> None:
        self.current = ""

    def run(self) -> None:
        try:
            self.ident = get_ident()
            if hasattr(time, "pthread_getcpuclockid"):
                self.clock = time.pthread_getcpuclockid(self.ident)
            QUIET[self.ident] = self
            if self.context is None:
                self.work()
            else:
                self.context.run(self.work)
        except BaseException as swallowed:
            SWALLOWED["showing.run", type(swallowed)] += 1
        finally:
            for _ in range(3):  # what was to end it may arrive as late as here
                try:
                    with base.LOCK:
                        self.over = True
                        if self.given_up:
                            base.raise_in(self.ident, None)
                    break
                except BaseException as swallowed:
                    SWALLOWED["showing.run", type(swallowed)] += 1
                    continue
            QUIET.pop(self.ident, None)
            self.done.release()

    def work(self) -> None:
        for work in self.works:
            if self.given_up:
                return
            self.begun, self.printed, self.current = clock(), 0, ""
            try:
                result = work(self)
            except base.OutOfTime:
                raise
            except BaseException as error:
                result = Shown("<raised %s>" % writing.describe_error(error), "raised")
            if not self.given_up:
                self.results.append(result)

    def wait(self, one: Any, all_: float) -> bool:
        """True when all is done; False where one piece, or all of it, took longer than that."""
        begun = clock()
        while not self.done.acquire(timeout=0.02):
            now = clock()
            if now - self.begun > one or now - begun > all_:
                return False
        self.done.release()
        return True

    def give_up(self) -> None:
        """End it as soon as it can be ended; a call that blocks goes on until it returns.

        One that blocks gets no exception: Python 3.11 lets no traced thread go on until the
        exception for some thread has arrived.
        """
        is_busy = self.is_busy()
        with base.LOCK:
            self.given_up = True
            if is_busy and not self.over:
                base.raise_in(self.ident, base.OutOfTime)

    def is_busy(self) -> bool:
        """Whether it takes time of the processor, and does not wait for something."""
        if self.clock is None:
            return False
        try:
            before = time.clock_gettime(self.clock)
            if self.done.acquire(timeout=0.01):
                self.done.release()
                return False
            return time.clock_gettime(self.clock) - before > 0.001
        except OSError:
            return False


QUIET: dict[Any, Any] = {}
"""Threads whose output is swallowed, with their jobs."""


class Silencer(object):
    """In the place of sys.stdout: what our threads print goes nowhere."""

    def __init__(self, real: Any) -> None:
        self.__dict__["real"] = real

    def write(self, text: str) -> Any:
        job = QUIET.get(get_ident())
        if job is None:
            return self.real.write(text)
        job.printed += len(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)


LENT: list[Any] = []
MOST_LENT = 40


def lend(real: Any) -> Any:
    """For each stream of the program one and the same, and kept.

    A thread that runs on may have begun to print with it, and ``print`` has no reference of its own
    to ``sys.stdout`` (CPython before 3.14): without its stream the program dies of SIGSEGV.
    """
    for stream in LENT:
        if stream.real is real:
            return stream
    LENT.append(Silencer(real))
    stream = LENT[-1]
    del LENT[:-MOST_LENT]
    return stream


class Silence(object):
    """While this is entered nothing that our threads print reaches the program's output."""

    def __enter__(self) -> None:
        self.put = []
        for name in ("stdout", "stderr"):
            real = getattr(sys, name, None)
            if real is not None and not isinstance(real, Silencer):
                self.put.append((name, real, lend(real)))
                setattr(sys, name, self.put[-1][2])

    def __exit__(self, *error: object) -> None:
        for name, real, ours in self.put:
            if getattr(sys, name, None) is ours:
                setattr(sys, name, real)


QUERYING = [
    ("django.db.backends.base.base", "BaseDatabaseWrapper", "ensure_connection"),
    ("peewee", "Database", "execute_sql"),
    ("sqlalchemy.orm.session", "Session", "execute"),
]
"""Methods without which these libraries run no query."""


def querying() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Those that the program has, with their classes: (class, name, method)."""
    for module, class_name, name in QUERYING:
        kind = classes.class_of(module, class_name)
        method = kind and classes.DICT(kind).get(name)
        if method is not None:
            yield kind, name, method


def refusing(method: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(*args: Any, **options: Any) -> Any:
        if get_ident() in QUIET:
            raise writing.QueryNotRun
        return method(*args, **options)

    return refuse


class NoQueries(object):
    """While this is entered, our threads run no query; other threads do."""

    def __enter__(self) -> None:
        self.put: list[tuple[Any, str, Any, Any]] = []
        for kind, name, method in list(querying()):
            self.put.append((kind, name, method, refusing(method)))
            setattr(kind, name, self.put[-1][3])

    def __exit__(self, *error: object) -> None:
        for kind, name, method, ours in self.put:
            if classes.DICT(kind).get(name) is ours:
                setattr(kind, name, method)


def show_all(works: list[Callable[[Any], Any]]) -> Any:
    """A Shown for each work, a function that gets a Job and gives one; in a bounded time.

    A thread that takes too long is left to itself and another goes on with the rest.
    """
    shown: list[Shown] = []
    begun = clock()
    with Silence(), NoQueries():
        while len(shown) < len(works):
            left = ALL - (clock() - begun)
            if left <= 0:
                late = "not shown: the others took %g s" % ALL
                return shown + [Shown("<%s>" % late, "later")] * (len(works) - len(shown))
            job = ThreadJob(works[len(shown) :])
            in_time = job.wait(ONE, left)
            if not in_time:
                job.give_up()
            results = list(job.results)
            shown += results
            if in_time and not results:
                shown.append(Shown("<gives nothing>", "raised"))
            elif not in_time and len(shown) < len(works) and clock() - job.begun > ONE:
                slow_types[job.current] = 2
                shown.append(Shown("<takes more than %g s>" % ONE, "slow"))
    return shown


def work_for(value: Any, limit: int = TEXT_LIMIT, asked: bool = False) -> Any:
    """Returns the work that shows a value in a job."""

    def work(job: ThreadJob) -> Any:
        writer = Writer(limit, job, asked)
        text = writer.text(value)
        return finish(writer, text, job)

    return work


def finish(writer: Writer, text: str, job: ThreadJob) -> Shown:
    remark = writer.remark
    if len(text) > 10000 and len(text) > writer.limit:
        remark = "%s characters" % format(len(text), ",")
    if job.printed:
        remark = "its repr prints" + (", " + remark if remark else "")
    part, limit = clean(text[: writer.limit + 1]), writer.limit
    return Shown(cut(part, limit), writer.skipped, remark, writer.is_cut or len(part) > limit)
