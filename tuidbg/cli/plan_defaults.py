"""Settings of project and user as defaults for the command line.

The order is: command line, launch.json, ``[tool.tuidbg]`` of the project, the user's
``config.toml``, built-in defaults.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tuidbg.config.launch import LaunchPlan
from tuidbg.config.request import StartupRequest
from tuidbg.config.user_config import Defaults, find_defaults

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import Workspace


def with_defaults(request: StartupRequest, options: argparse.Namespace) -> StartupRequest:
    """Add the settings that ``options`` leave open."""
    request = replace(request, given=_given(request, options))
    plan = request.plan
    if request.is_demo:
        return request
    folder = Path(plan.first_source).parent if plan is not None and plan.first_source else Path()
    defaults, problems = find_defaults(folder.absolute())
    if isinstance(plan, LaunchPlan) and defaults != Defaults():
        found, more = _changes(plan, options, defaults)
        plan, problems = replace(plan, **found), (*problems, *more)
    return replace(request, plan=plan, problems=problems, default_theme=defaults.theme)


def _given(request: StartupRequest, options: argparse.Namespace) -> dict[str, str]:
    """Return the given options as written, by the names of their settings."""
    stop, all_code = options.no_stop_on_entry, options.all_code
    written = {
        "theme": f"--theme {request.theme}" if request.theme else "",
        "keys.map": f"--keys {request.key_map}" if request.key_map else "",
        "stop_on_entry": {True: "--no-stop-on-entry", False: "--stop-on-entry"}.get(stop, ""),
        "just_my_code": {True: "--all-code", False: "--just-my-code"}.get(all_code, ""),
        "console": _console_option(options),
        "cwd": f"--cwd {options.cwd}" if options.cwd is not None else "",
        "python": f"--python {options.python}" if options.python is not None else "",
        "env": "--env" if options.env else "",
    }
    return {name: option for name, option in written.items() if option}


def _console_option(options: argparse.Namespace) -> str:
    if options.console is not None:
        return f"--console {options.console}"
    is_given = {"--plain": options.plain, "--tmux": options.tmux, "--tty": options.tty is not None}
    return next((option for option, given in is_given.items() if given), "")


def _changes(
    plan: LaunchPlan, options: argparse.Namespace, defaults: Defaults
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the changed fields of the plan, and sentences about invalid settings."""
    given = {
        "stop_on_entry": options.no_stop_on_entry is not None,
        "just_my_code": options.all_code is not None,
        "console": bool(_console_option(options)),
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
    """Find the user's own interpreter, unless the program's words name another (``uv run``)."""
    from tuidbg.config.environments import find_environment
    from tuidbg.config.launch_json.plan import find_interpreter

    if plan.python != find_environment(plan.cwd).python:
        return {}, ""
    python = find_interpreter(name, Path(plan.cwd))
    if python is None:
        return {}, f"config.toml: python: there is no interpreter {name}."
    return {"python": python, "python_from": "config.toml"}, ""


def find_workspace() -> Workspace | None:
    """Find the launch.json of the current folder, with the same defaults as a program there.

    Raises JsoncError.
    """
    from tuidbg.config.environments import find_environment
    from tuidbg.config.launch_json.workspace import Workspace

    folder = Path.cwd()
    defaults, _ = find_defaults(folder)
    python = find_environment(str(folder)).python
    return Workspace.find(cwd=folder, interpreter=python, defaults=defaults)
