"""Lays what a project and a person have set under what the command line says.

The order is: command line, launch.json, ``[tool.tuidbg]`` of the project, the person's
``config.toml``, what is built in.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tuidbg.config.defaults import Defaults
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.request import LaunchRequest
from tuidbg.config.user_config import find_defaults

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace


def with_defaults(request: LaunchRequest, options: argparse.Namespace) -> LaunchRequest:
    """The request with what was set, where ``options`` leave it open."""
    plan = request.plan
    if request.is_demo:
        return request
    folder = Path(plan.first_source).parent if plan is not None and plan.first_source else Path()
    defaults, problems = find_defaults(folder.absolute())
    if isinstance(plan, LaunchPlan) and defaults != Defaults():
        found, more = _changes(plan, options, defaults)
        plan, problems = replace(plan, **found), (*problems, *more)
    return replace(request, plan=plan, problems=problems, default_theme=defaults.theme)


def _changes(
    plan: LaunchPlan, options: argparse.Namespace, defaults: Defaults
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields of the plan that were set, and sentences about what can't be taken."""
    given = {
        "stop_on_entry": options.no_stop_on_entry is not None,
        "just_my_code": options.all_code is not None,
        "console": (
            options.console is not None or options.plain or options.tmux or options.tty is not None
        ),
        "cwd": options.cwd is not None,
    }
    names = ("sub_process", "redirect_output", "django", "jinja", *given)
    found: dict[str, Any] = {
        name: value
        for name in names
        if not given.get(name) and (value := getattr(defaults, name)) not in (None, "")
    }
    if defaults.env:
        found["env"] = {**defaults.env, **plan.env}
    if defaults.python and options.python is None:
        python, problem = choose_python(defaults.python, plan)
        return found | python, (problem,) if problem else ()
    return found, ()


def choose_python(name: str, plan: LaunchPlan) -> tuple[dict[str, str], str]:
    """The person's own interpreter, unless the program's words name another one (``uv run``)."""
    from tuidbg.config.environments.environments import find_environment
    from tuidbg.config.launch_json.reading import find_interpreter

    if plan.python != find_environment(plan.cwd).python:
        return {}, ""
    python = find_interpreter(name, Path(plan.cwd))
    if python is None:
        return {}, f"config.toml: python: there is no interpreter {name}."
    return {"python": python, "python_from": "config.toml"}, ""


def find_workspace() -> Workspace | None:
    """The launch.json of the current folder, as a program started there would have it.

    Raises JsoncError.
    """
    from tuidbg.config.environments.environments import find_environment
    from tuidbg.config.launch_json.workspace import Workspace

    folder = Path.cwd()
    defaults, _ = find_defaults(folder)
    python = find_environment(str(folder)).python
    return Workspace.find(cwd=folder, interpreter=python, defaults=defaults)
