"""``await`` at the prompt: coroutines run in an event loop of their own, never in the program's."""

from __future__ import annotations

import ast
import sys

from _pydev_bundle._pydev_saved_modules import threading

from tuidbg.debuggee.console import interrupting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any


Refused = interrupting.PromptRefused

IS_COROUTINE = 0x80


CHECK = "__tuidbg_awaitable__"


STUCK_AFTER = 0.7
"""Seconds; looked at twice before a wait is called endless."""


class Lent(object):
    """A name that is there for one evaluation, unless the program has one of its own."""

    def __init__(self, names: dict[str, Any], name: str, value: Any, wanted: bool = True) -> None:
        builtins = names.get("__builtins__")
        builtins = builtins if isinstance(builtins, dict) else getattr(builtins, "__dict__", {})
        self.wanted = wanted and name not in names and name not in builtins
        self.names, self.name, self.value = names, name, value

    def __enter__(self) -> None:
        if self.wanted:
            self.names[self.name] = self.value

    def __exit__(self, *error: object) -> None:
        # What was assigned to it meanwhile is the person's, and stays.
        if self.wanted and self.names.get(self.name, self) is self.value:
            del self.names[self.name]


class Checked(ast.NodeTransformer):
    """Has each ``await`` at the prompt itself look at what it awaits."""

    def visit_Await(self, node: Any) -> Any:
        self.generic_visit(node)
        name = ast.Name(id=CHECK, ctx=ast.Load())
        node.value = ast.Call(func=name, args=[node.value], keywords=[])
        return node

    def skip(self, node: Any) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = skip  # noqa: N815


OTHER_LOOP = (
    "belongs to the program's own event loop, which is stopped while the program is paused:"
    " it can't be awaited here"
)


def run_awaiting(codes: list[CodeType], names: dict[str, Any], has_value: bool) -> Any:
    """The codes one after the other, in an event loop of their own."""
    asyncio = sys.modules.get("asyncio")
    outer = asyncio._get_running_loop() if asyncio is not None else None

    async def run_codes() -> Any:
        value = None
        for code in codes:
            value = eval(code, names)
            if code.co_flags & IS_COROUTINE:
                value = await value
        return value if has_value else None

    def check(awaited: Any) -> Any:
        why = why_not_awaitable(awaited, asyncio, outer)
        if why:
            raise Refused(why)
        return awaited

    with Lent(names, CHECK, check):
        if asyncio is None:
            return run_without_loop(run_codes())
        try:
            return run_in_loop(asyncio, run_codes(), outer)
        except (RuntimeError, ValueError) as error:
            if "different" in str(error) and "loop" in str(error):
                raise Refused("something that it awaits " + OTHER_LOOP) from None
            raise


def why_not_awaitable(awaited: Any, asyncio: Any, outer: Any) -> str:
    """Returns why the prompt must not touch it; nothing where it may."""
    kind = type(awaited)
    if asyncio is not None and issubclass(kind, asyncio.Future):
        own = asyncio._get_running_loop()
        if not awaited.done() and awaited.get_loop() is not own:
            return "this %s %s" % (kind.__name__.lower(), OTHER_LOOP)
    inner = getattr(awaited, "cr_frame", None) if kind.__name__ == "coroutine" else None
    if inner is not None:
        if awaited.cr_running or awaited.cr_await is not None or inner.f_lasti >= started_at(kind):
            return "this coroutine is being run by the program; awaiting it here would break it"
        if asyncio is not None and outer is not None:
            for task in asyncio.all_tasks(outer):
                if task.get_coro() is awaited:
                    return "a task of the program's is about to run this coroutine"
    return ""


async def nothing() -> None:
    pass


def started_at(kind: Any) -> Any:
    """The first ``f_lasti`` of a coroutine that has run; 3.11 puts instructions before that."""
    fresh: Any = nothing()
    try:
        return fresh.cr_frame.f_lasti + 1
    finally:
        fresh.close()


def run_without_loop(coroutine: Any) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise Refused(
        "it waits for an event loop, and the program has none: it has not imported asyncio"
        " (`import asyncio` at the prompt does)"
    )


def run_in_loop(asyncio: Any, coroutine: Any, outer: Any) -> Any:
    loop = asyncio.SelectorEventLoop()
    # A thread has one current task from Python 3.14 on, whatever loop that is in.
    swap: Any = asyncio.tasks._swap_current_task if sys.version_info >= (3, 14) else None
    outer_task = swap(outer, None) if swap is not None and outer is not None else None
    asyncio._set_running_loop(None)
    try:
        task = loop.create_task(coroutine)
        watch = DeadWaitWatch(asyncio, loop, task)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            if watch.is_stuck:
                raise Refused(
                    "nothing in the prompt's own event loop can ever end this wait;"
                    " what it waits for " + OTHER_LOOP
                ) from None
            raise
        finally:
            watch.stop()
            close(asyncio, loop)
    finally:
        asyncio._set_running_loop(outer)
        if outer_task is not None:
            swap(outer, outer_task)


class DeadWaitWatch(object):
    """Ends a wait that nothing can end: no timer, no file, no thread is left to do it."""

    def __init__(self, asyncio: Any, loop: Any, task: Any) -> None:
        self.loop, self.task = loop, task
        self.threads = set(threading.enumerate())
        self.seen = 0
        self.is_stuck = False
        self.handle = loop.call_later(STUCK_AFTER, self.look)

    def look(self) -> None:
        loop = self.loop
        waits = (
            any(not handle._cancelled for handle in loop._scheduled)
            or loop._ready
            or len(loop._selector.get_map()) > 1
            or set(threading.enumerate()) - self.threads
        )
        self.seen = 0 if waits else self.seen + 1
        if self.seen > 1:
            self.is_stuck = True
            self.task.cancel()
            return
        self.handle = loop.call_later(STUCK_AFTER, self.look)

    def stop(self) -> None:
        self.handle.cancel()


def close(asyncio: Any, loop: Any) -> None:
    """End what the prompt has begun there, as ``asyncio.run`` does."""
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
