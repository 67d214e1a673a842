"""The tasks of asyncio: what each does, and what awaits what.

asyncio is looked for in ``sys.modules`` and never imported: a program without it has no tasks. All
is read from the objects as they stand; no coroutine is resumed and no callback called.
"""

from __future__ import annotations

import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import threading
from _pydevd_bundle.pydevd_constants import get_current_thread_id

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


DB = pydevd.get_global_debugger()
current_thread = threading.current_thread

ASYNC_GENERATOR = 0x200
COROUTINE = 0x80 | 0x100 | ASYNC_GENERATOR
"""CO_COROUTINE, CO_ITERABLE_COROUTINE and CO_ASYNC_GENERATOR."""

RUN_LOOPS = ("asyncio.base_events", "asyncio.runners")
"""The modules whose frames run event loops, those of other packages included."""

TASKS_LIMIT = 2000
FRAMES_LIMIT = 200
FUTURES_LIMIT = 1000


def is_coroutine(code: CodeType) -> bool:
    return bool(code.co_flags & COROUTINE)


def is_own(frame: FrameType) -> Any:
    """Whether it is the person's own code: neither pydevd's nor a library's."""
    return can_stop(frame) and DB.in_project_scope(frame)


def can_stop(frame: FrameType) -> bool:
    """Whether pydevd stops in it at all: nothing of its own, and no rule passes over it."""
    path = frame.f_code.co_filename
    return DB.get_file_type(frame) is None and not DB.apply_files_filter(frame, path, False)


def stopped_frame() -> Any:
    """The frame at which this thread stands; None where it does not."""
    frames = DB.suspended_frames_manager.get_frames_list(get_current_thread_id(current_thread()))
    if frames is None:
        return None
    left = getattr(frames, "tuidbg_left", 0)  # by an exception (``passed_over``)
    return next((frame for frame in list(frames)[left:]), None)


# Tasks


def all_tasks() -> list[Any]:
    """Those that are not done, the oldest first, as far as that is known."""
    module: Any = sys.modules.get("asyncio.tasks")
    if module is None:
        return []
    found: dict[Any, Any] = {}
    for name in ("_all_tasks", "_scheduled_tasks", "_eager_tasks"):
        for _ in range(20):  # other threads go on making tasks
            try:
                found.update((id(task), task) for task in list(getattr(module, name, ())))
                break
            except RuntimeError:
                continue
    for loop in running_loops():
        try:
            found.update((id(task), task) for task in module.all_tasks(loop))
        except Exception as swallowed:
            SWALLOWED["tasks.all_tasks", type(swallowed)] += 1
            continue
    living = [task for task in found.values() if not task.done()]
    return sorted(living, key=order)


def running_loops() -> list[Any]:
    """Those whose tasks only ``asyncio`` itself can tell: from Python 3.14 on it keeps no table.

    They are found by the frames of asyncio that run them, in all threads.
    """
    if sys.version_info < (3, 14):
        return []
    found = {}
    frame: FrameType | None
    for frame in list(sys._current_frames().values()):
        while frame is not None:
            if frame.f_globals.get("__name__") in RUN_LOOPS:
                owner = frame.f_locals.get("self")
                loop = getattr(owner, "_loop", owner)
                if hasattr(type(loop), "call_soon"):
                    found[id(loop)] = loop
            frame = frame.f_back
    return list(found.values())


def order(task: Any) -> tuple[Any, Any, Any]:
    """By the number in the name that asyncio gives; other names behind, in the order of letters."""
    name = name_of(task)
    number = name[5:] if name.startswith("Task-") else ""
    return (0, int(number), "") if number.isdigit() else (1, 0, name)


def name_of(task: Any) -> Any:
    try:
        name = task.get_name()
    except Exception as swallowed:
        SWALLOWED["tasks.name_of", type(swallowed)] += 1
        name = ""
    return name if type(name) is str else base.show(name, 80)


def coroutine_of(task: Any) -> Any:
    try:
        return task.get_coro()
    except Exception as swallowed:
        SWALLOWED["tasks.coroutine_of", type(swallowed)] += 1
        return None


def current_task() -> Any:
    """That of this thread."""
    module: Any = sys.modules.get("asyncio.tasks")
    try:
        return module.current_task() if module is not None else None
    except RuntimeError:
        return None


def running_tasks() -> set[Any]:
    """The ids of the tasks that a loop has begun to run and not left yet."""
    module: Any = sys.modules.get("asyncio.tasks")
    current = list((getattr(module, "_current_tasks", None) or {}).values())
    for loop in running_loops():
        try:
            current.append(module.current_task(loop))
        except Exception as swallowed:
            SWALLOWED["tasks.running_tasks", type(swallowed)] += 1
            continue
    here = current_task()
    return {id(task) for task in [*current, here] if task is not None}


# What awaits what


def waits_for(task: Any) -> Any:
    """The future that the task waits for; None where it is about to run."""
    return getattr(task, "_fut_waiter", None)


def told_futures(task: Any) -> Any:
    """The ids of the futures that end with the task, itself among them.

    gather, wait, wait_for and shield tell by a closure or a partial, a TaskGroup by a method; what
    they tell may tell others in its turn.
    """
    kinds = future_kinds()
    found, pending = {id(task)}, [task]
    while pending and len(found) < FUTURES_LIMIT:
        for each in getattr(pending.pop(), "_callbacks", None) or ():
            for future in futures_of(each[0] if type(each) is tuple else each):
                if id(future) not in found and issubclass(type(future), kinds):
                    found.add(id(future))
                    pending.append(future)
    return found


def future_kinds() -> Any:
    module = sys.modules.get("asyncio.futures")
    return tuple(getattr(module, name) for name in ("Future", "_PyFuture") if hasattr(module, name))


def futures_of(callback: Any) -> Any:
    """Returns what a callback of asyncio's holds that may be a future."""
    found = []
    for cell in getattr(callback, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue
    if type(callback).__name__ == "partial":
        found += callback.args
    owner = getattr(callback, "__self__", None)
    if type(owner).__name__ == "TaskGroup":
        found.append(getattr(owner, "_on_completed_fut", None))
    return found


def awaiting(task: Any) -> list[Any]:
    """The tasks that go on when that one is done."""
    told = told_futures(task)
    return [t for t in all_tasks() if t is not task and id(waits_for(t)) in told]


# Frames


def coroutine_frames(coroutine: Any) -> Any:
    """The frames of a coroutine that stands still, the outermost first, and what each awaits."""
    frames: list[Any] = []
    while coroutine is not None and len(frames) < FRAMES_LIMIT:
        for prefix, below in (("cr", "cr_await"), ("ag", "ag_await"), ("gi", "gi_yieldfrom")):
            if type(coroutine).__name__ == "async_generator_asend":
                break
            frame = getattr(coroutine, prefix + "_frame", None)
            if frame is not None:
                awaited = getattr(coroutine, below, None)
                frames.append((frame, awaited))
                coroutine = awaited
                break
        else:
            break
    return frames


def frames_of(task: Any) -> Any:
    """A task's frames, the innermost first."""
    found = [frame for frame, _ in coroutine_frames(coroutine_of(task))]
    if not found:
        return found
    top: FrameType | None
    for top in list(sys._current_frames().values()):
        stack: list[FrameType] = []
        while top is not None and top is not found[0]:
            stack.append(top)
            if DB.get_file_type(top) == DB.PYDEV_FILE:
                stack.clear()  # the frames above are no part of the program
            top = top.f_back
        if top is not None:  # it runs, or is stopped, in this thread
            return [*stack, top]
    return list(reversed(found))


def list_tasks(frame: FrameType | None) -> dict[str, Any]:
    """All tasks; ``imported``: whether the program has asyncio at all."""
    if "asyncio" not in sys.modules:
        return {"imported": False, "tasks": [], "total": 0}
    tasks = all_tasks()
    total, tasks = len(tasks), tasks[:TASKS_LIMIT]
    running = running_tasks()
    waiting: dict[Any, Any] = {}
    for task in tasks:
        if waits_for(task) is not None:
            waiting.setdefault(id(waits_for(task)), []).append(id(task))
    return {
        "imported": True,
        "total": total,
        "tasks": [describe(task, id(task) in running, waiting) for task in tasks],
    }


def describe(task: Any, runs: bool, waiting: dict[int, list[int]]) -> dict[str, Any]:
    frames = frames_of(task)
    future = waits_for(task)
    awaited_by = {each for told in told_futures(task) for each in waiting.get(told, ())}
    return {
        "id": id(task),
        "name": name_of(task),
        "coroutine": coroutine_name(task),
        "state": "running" if runs else ("ready" if future is None else "waiting"),
        "waits_for": "" if runs or future is None else what_for(frames, future),
        "awaited_by": sorted(awaited_by - {id(task)}),
        "frames": [describe_frame(index, each) for index, each in enumerate(frames)],
    }


def coroutine_name(task: Any) -> Any:
    name = getattr(coroutine_of(task), "__qualname__", "")
    return name if type(name) is str else ""


def what_for(frames: list[Any], future: Any) -> Any:
    """The library's function in which it waits, else what kind of future it waits for."""
    if frames and not is_own(frames[0]):
        outermost = frames[0]
        for each in frames:
            if is_own(each):
                break
            if not each.f_code.co_name.startswith("_"):
                outermost = each
        module = outermost.f_globals.get("__name__")
        package = module.split(".")[0] + "." if type(module) is str else ""
        name = outermost.f_code.co_name
        if name.startswith("_") and "self" in outermost.f_locals:
            name = type(outermost.f_locals["self"]).__name__  # what `async with` enters or leaves
        return package + name
    if type(future).__name__ == "_GatheringFuture":
        return "asyncio.gather"
    return "a task" if hasattr(type(future), "get_coro") else "a future"


def describe_frame(index: int, frame: FrameType) -> dict[str, Any]:
    return {
        "index": index,
        "name": frame.f_code.co_name,
        "path": frame.f_code.co_filename,
        "line": frame.f_lineno or frame.f_code.co_firstlineno,
        "own": is_own(frame),
    }


def frame_locals(task_id: int, index: int) -> dict[Any, Any] | None:
    """The locals of a frame, as an object that the debugger can expand; None where it is gone."""
    for task in all_tasks():
        if id(task) == task_id:
            frames = frames_of(task)
            if index < len(frames):
                return dict(frames[index].f_locals)
    return None
