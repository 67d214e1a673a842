"""Tasks that launch.json names: tuidbg runs none, and tells what they would have run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from tuidbg.config.launch_json.jsonc import JsoncError, read_jsonc
from tuidbg.config.launch_json.trust import TASKS


def describe_task(launch_file: Path, key: str, task: object) -> str:
    """That a task is left out, and its command where tasks.json has it."""
    label = task if isinstance(task, str) else str(task)
    command = _command(launch_file.with_name(TASKS), label)
    when = "before" if key == "preLaunchTask" else "afterwards"
    run = f"`{command}`" if command else f"the task {label!r}"
    return f'"{key}" is not run; run {run} yourself {when}'


def _command(path: Path, label: str) -> str:
    """The command line of a shell or process task; empty where it is something else."""
    try:
        data = read_jsonc(path).data
    except (FileNotFoundError, JsoncError):
        return ""
    tasks = data.get("tasks") if isinstance(data, dict) else None
    for task in tasks if isinstance(tasks, list) else []:
        if isinstance(task, dict) and label in (task.get("label"), task.get("taskName")):
            return _words(task)
    return ""


def _words(task: dict[str, Any]) -> str:
    command, args = task.get("command"), task.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return ""
    words = [shlex.quote(each) for each in args if isinstance(each, str)]
    return " ".join([command, *words])
