"""The clock, and the reports to tuidbg."""

from __future__ import annotations

import sys
from weakref import ref

from _pydev_bundle._pydev_saved_modules import thread, threading
from _pydevd_bundle.pydevd_daemon_thread import PyDBDaemonThread, mark_as_pydevd_daemon_thread
from _pydevd_bundle.pydevd_net_command import NetCommand

from tuidbg.debuggee.probe.probe_state import (
    CHANGED,
    DB,
    EXCEPTIONS,
    HITS,
    LIMITS,
    LOCK,
    PID,
    RECORDS,
    STATE,
    TELL_EVERY,
    Real,
    abspath,
    basename,
    clean,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tuidbg.debuggee.probe.hits import Hits


class Clock(PyDBDaemonThread):  # type: ignore[misc]
    """Ends parts that take too long, and reports the last counts of a burst.

    pydevd hides its own threads from the program, does not trace them and ends them. It sleeps
    unless something is due; its clock is the real one.
    """

    def __init__(self) -> None:
        threading.Thread.__init__(self, name="tuidbg.Clock")  # unnamed ones are counted
        self._py_db = None if DB is None else ref(DB)
        self._kill_received = False
        mark_as_pydevd_daemon_thread(self)
        self._target_and_args = None
        self._alarm = thread.allocate_lock()
        self._alarm.acquire()
        self._rings_at: float | None = None

    def ring_at(self, when: float) -> None:
        """See that it wakes up at ``when`` or earlier."""
        rings_at = self._rings_at
        if rings_at is None or when < rings_at:
            self._rings_at = when
            self._wake()

    def _wake(self) -> None:
        try:
            self._alarm.release()
        except RuntimeError:
            pass  # it is awake

    def do_kill_pydev_thread(self) -> None:
        PyDBDaemonThread.do_kill_pydev_thread(self)
        self._wake()

    def _on_run(self) -> None:
        while not self._kill_received:
            rings_at = self._rings_at
            if rings_at is None:
                self._alarm.acquire()
            else:
                wait = rings_at - Real.monotonic()
                if wait > 0 and self._alarm.acquire(True, wait):
                    continue  # the plan has changed
                self._rings_at = None
                self._look_around()

    def _look_around(self) -> None:
        moment = Real.monotonic()
        with LOCK:
            limits = list(LIMITS.values())
        for limit in limits:
            if limit.rings <= moment:
                limit.ring()
            self.ring_at(limit.rings)
        if STATE["due"]:
            STATE["due"] = False
            tell()


CLOCK = Clock()

# Reports


class Telling(object):
    """A message that is put together when the writer sends it: whatever has come until then."""

    id, as_dict = 0, None

    def send(self, sock: Any) -> None:
        with LOCK:
            STATE["queued"], STATE["sending"] = False, True
            records = RECORDS[:]
            del RECORDS[: len(records)]  # one may have come meanwhile
            numbers = list(CHANGED)
            CHANGED.clear()  # before they are read: what is counted now is reported the next time
            counts = [HITS[number].counts() for number in numbers if number in HITS]
            seen, EXCEPTIONS["seen"] = EXCEPTIONS["seen"], set()
        try:
            if records or counts or seen:
                self.send_data(
                    sock,
                    {"told": together(records), "counts": counts, "seen": sorted(seen), "pid": PID},
                )
        finally:
            STATE["sending"] = False

    def send_data(self, sock: Any, data: dict[str, Any]) -> None:
        body = {"category": "telemetry", "output": "tuidbg", "data": data}
        message = {"type": "event", "event": "output", "body": body}
        NetCommand(0, 0, message, is_json=True).send(sock)

    def call_after_send(self, callback: Any) -> None:
        pass


def together(records: list[Any]) -> Any:
    """Those of one place in a row together: they are many, and each is put into JSON three times.

    Times are microseconds after the first.
    """
    groups, last = [], None
    for place, count, now, text in records:
        if place != last:
            last, begin = place, now
            counts: list[int] = []
            times: list[int] = []
            texts: list[str] = []
            number, name, path, line = place
            groups.append((number, clean(name), clean(path), line, begin, counts, times, texts))
        counts.append(count)
        times.append(int((now - begin) * 1e6))
        texts.append(clean(text))
    return groups


class Loaded(Telling):
    """A report of the loaded files of these names, and of all counts."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = set(names)

    def send(self, sock: Any) -> None:
        found = []
        for module in list(sys.modules.values()):
            path = module.__dict__.get("__file__") if type(module) is type(sys) else None
            if type(path) is str and basename(path) in self.names:
                found.append(clean(abspath(path)))
        self.send_data(sock, {"loaded": found, "pid": PID})
        Telling.send(self, sock)


def note(hits: Hits) -> None:
    """Counts have changed: report them soon. Within LOCK."""
    CHANGED.add(hits.number)
    if not STATE["due"]:
        tell_soon()


def tell_soon() -> None:
    STATE["due"] = True
    try:
        CLOCK.ring_at(Real.monotonic() + TELL_EVERY)
    except RecursionError:
        STATE["due"] = False
        raise


def tell() -> None:
    with LOCK:
        if STATE["queued"]:
            return
        STATE["queued"] = True
    if DB.writer is not None:
        DB.writer.add_command(Telling())
