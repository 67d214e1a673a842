"""The configurations of a workspace's launch.json, up to plans of sessions.

For the command line and the dialogs: list the entries, find one by name, preview what would be run
before the user agrees, and make the plans once all questions are answered.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tuidbg.config.launch import DEFAULT_ADAPTER, AttachPlan, LaunchPlan, Plan, TargetKind
from tuidbg.config.launch_json.attributes import type_obstacle
from tuidbg.config.launch_json.file import (
    CompoundConfiguration,
    Configuration,
    LaunchFile,
    Offered,
    find_launch_file,
    read_launch_file,
)
from tuidbg.config.launch_json.jsonc import JsoncError, read_jsonc
from tuidbg.config.launch_json.plan import (
    NOT_ASKED_YET,
    Attributes,
    ConfigurationError,
    env_file,
    find_interpreter,
    make_plan,
)
from tuidbg.config.launch_json.trust import (
    SETTINGS,
    TASKS,
    Trust,
    digest_of,
    digest_of_text,
    files_that_count,
)
from tuidbg.config.launch_json.variables import PlaceholderValues, Unanswered, find_setting
from tuidbg.config.user_config import Defaults


def missing_target(plan: Plan) -> str:
    """Return why a plan's program can't exist; empty if nothing is wrong."""
    if isinstance(plan, AttachPlan):
        return ""
    if not Path(plan.cwd).is_dir():
        return f"there is no folder {plan.cwd}"
    if plan.kind is TargetKind.MODULE:
        return ""
    if not Path(plan.target).exists():
        return f"there is no file {plan.target}"
    if plan.adapter == DEFAULT_ADAPTER and not Path(plan.first_source).is_file():
        return f"{plan.target} is no Python program"
    return ""


def describe_target(plan: Plan) -> str:
    """Describe a plan in a few words."""
    if isinstance(plan, LaunchPlan):
        is_module = plan.kind is TargetKind.MODULE
        words = ["-m", plan.target] if is_module else [os.path.basename(plan.target)]  # noqa: PTH119
        return _joined([*words, *plan.args])
    if plan.pid is not None:
        return "a process that you choose" if plan.pid == NOT_ASKED_YET else plan.title
    if plan.port == NOT_ASKED_YET:
        return f"{plan.host} at a port that you are asked for"
    return f"listens at {plan.title}" if plan.listen else plan.title


def describe_plan(plan: Plan) -> list[tuple[str, str]]:
    """Describe what a plan runs, for the user's agreement."""
    if isinstance(plan, AttachPlan):
        return [("attach to", describe_target(plan))]
    target = ["-m", plan.target] if plan.kind is TargetKind.MODULE else [plan.target]
    by = [plan.python, *plan.python_args] if plan.adapter == DEFAULT_ADAPTER else []
    lines = [
        ("run", _joined([*by, *target, *plan.args])),
        ("in", plan.cwd),
    ]
    names = [*sorted(plan.env), *(f"without {name}" for name in plan.unset)]
    if names:
        lines.append(("environment", ", ".join(names)))
    return lines


def _joined(words: Sequence[str]) -> str:
    """Quote as for a shell, except for placeholders (``PlaceholderValues.is_preview``)."""
    return " ".join(w if w.startswith("<") and w.endswith(">") else shlex.quote(w) for w in words)


def describe_task(launch_file: Path, key: str, task: object) -> str:
    """Note that a task is not run, with its command if tasks.json has it."""
    label = task if isinstance(task, str) else str(task)
    command = _command(launch_file.with_name(TASKS), label)
    when = "before" if key == "preLaunchTask" else "afterwards"
    run = f"`{command}`" if command else f"the task {label!r}"
    return f'"{key}" is not run; run {run} yourself {when}'


def _command(path: Path, label: str) -> str:
    """Return the command line of a shell or process task; empty for others."""
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


class NoSuchConfiguration(Exception):
    """A name without a matching configuration; ``str()`` is a sentence."""


class LaunchEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry to choose. ``obstacle`` prevents its run; ``notes`` are about ignored parts."""

    name: str
    type: str
    request: str
    target: str
    obstacle: str = ""
    notes: tuple[str, ...] = ()


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """A preview of a run: labels and values, without values of the environment."""

    lines: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """The plans of a configuration or compound. ``names`` are the plans' names."""

    name: str
    plans: tuple[Plan, ...]
    names: tuple[str, ...]
    stop_all: bool = False
    notes: tuple[str, ...] = ()


def _as_it_is(plan: Plan) -> Plan:
    return plan


class Workspace:
    """A launch.json with its settings.

    ``interpreter`` is the default for Python programs; ``change`` is applied to each plan, for
    options of the command line. ``read`` raises JsoncError and FileNotFoundError.
    """

    def __init__(
        self,
        file: LaunchFile,
        *,
        cwd: Path,
        interpreter: str,
        defaults: Defaults | None = None,
        settings: Mapping[str, Any] | None = None,
        current_file: Path | None = None,
        change: Callable[[Plan], Plan] = _as_it_is,
        trust: Trust | None = None,
    ) -> None:
        self.file = file
        self.trust = trust or Trust()
        self._cwd = cwd
        self._defaults = defaults or Defaults()
        self._settings = settings or {}
        self._interpreter = self._choose_interpreter(interpreter)
        self._current_file = current_file
        self._change = change

    @classmethod
    def read(cls, path: Path, **options: Any) -> Workspace:
        """Read the file and the settings beside it. Raises JsoncError, FileNotFoundError."""
        file = read_launch_file(path)
        try:
            settings = read_jsonc(file.path.with_name(SETTINGS)).data
        except FileNotFoundError:
            settings = {}
        if not isinstance(settings, dict):
            raise JsoncError(file.path.with_name(SETTINGS), 1, "it must be an object")
        return cls(file, settings=settings, **options)

    @classmethod
    def find(cls, **options: Any) -> Workspace | None:
        """Read the nearest file upward of ``cwd``; None without one."""
        path = find_launch_file(options["cwd"])
        return cls.read(path, **options) if path is not None else None

    def _choose_interpreter(self, interpreter: str) -> str:
        for name in ("python.defaultInterpreterPath", "python.pythonPath"):
            setting = find_setting(self._settings, name)
            if isinstance(setting, str) and setting:
                text = setting.replace("${workspaceFolder}", str(self.file.folder))
                return find_interpreter(text, self.file.folder) or interpreter
        return interpreter

    # Entries

    def entries(self) -> list[LaunchEntry]:
        """List the offered entries, in order."""
        return [self._describe(offered) for offered in self.file.offered]

    def _describe(self, offered: Offered) -> LaunchEntry:
        kind = "compound" if isinstance(offered, CompoundConfiguration) else offered.type
        request = "" if isinstance(offered, CompoundConfiguration) else offered.request
        try:
            prepared = self._prepare(offered, {}, is_preview=True)
        except ConfigurationError as error:
            return LaunchEntry(
                name=offered.name, type=kind, request=request, target="", obstacle=error.why
            )
        target = ", ".join(
            prepared.names
            if isinstance(offered, CompoundConfiguration)
            else map(describe_target, prepared.plans)
        )
        return LaunchEntry(
            name=offered.name, type=kind, request=request, target=target, notes=prepared.notes
        )

    def match(self, wanted: str) -> str:
        """Find a name: the whole, its beginning or a part of it, in any case.

        Raises NoSuchConfiguration.
        """
        names = [each.name for each in self.file.whole]
        low = wanted.casefold()
        tests: tuple[Callable[[str], bool], ...] = (
            lambda name: name == wanted,
            lambda name: name.casefold() == low,
            lambda name: name.casefold().startswith(low),
            lambda name: low in name.casefold(),
        )
        for test in tests:
            found = [name for name in names if test(name)]
            if len(found) == 1:
                return found[0]
            if found:
                raise NoSuchConfiguration(f"{wanted!r} may be {_either(found)}")
        raise NoSuchConfiguration(self._explain_absence(wanted, names))

    def _explain_absence(self, wanted: str, names: list[str]) -> str:
        import difflib

        if not names:
            return f"{self.file.path} has no configurations"
        low = {name.casefold(): name for name in names}
        near = difflib.get_close_matches(wanted.casefold(), low, n=1)
        if near:
            return f"there is no configuration {wanted!r}; did you mean {low[near[0]]!r}?"
        return f"there is no configuration {wanted!r}; there are {_listed(names)}"

    # Plans

    def prepare(self, name: str, answers: dict[str, str]) -> Prepared:
        """Make the plans. Raises ConfigurationError, and Unanswered: ask, then call again."""
        return self._prepare(self._get(name), answers)

    def preview(self, name: str) -> Preview:
        """Preview the run, before any question. Raises ConfigurationError."""
        prepared = self._prepare(self._get(name), {}, is_preview=True)
        lines: list[tuple[str, str]] = []
        for title, plan in zip(prepared.names, prepared.plans, strict=True):
            if len(prepared.plans) > 1:
                lines.append(("session", title))
            lines += describe_plan(plan)
        return Preview(lines=tuple(lines), notes=prepared.notes)

    def _get(self, name: str) -> Offered:
        for offered in self.file.whole:
            if offered.name == name:
                return offered
        raise ConfigurationError(str(self.file.path), f"there is no configuration {name!r}")

    def _prepare(
        self, offered: Offered, answers: dict[str, str], *, is_preview: bool = False
    ) -> Prepared:
        given = self._give(answers, is_preview)
        self._note_tasks(offered, given)
        parts = self._parts(offered)
        plans = []
        for part in parts:
            self._note_tasks(part, given)
            plan = self._change(make_plan(self.file, part, given, self._defaults))
            if not is_preview and (why := missing_target(plan)):
                raise self._error(part, why, "program")
            plans.append(plan)
        return Prepared(
            name=offered.name,
            plans=tuple(plans),
            names=tuple(part.name for part in parts),
            stop_all=isinstance(offered, CompoundConfiguration) and offered.stop_all,
            notes=tuple(given.notes),
        )

    def _parts(self, offered: Offered) -> list[Configuration]:
        if isinstance(offered, Configuration):
            return [offered]
        known = {each.name: each for each in self.file.configurations}
        for name in offered.parts:
            if name not in known:
                raise self._error(offered, f"there is no configuration {name!r}", "configurations")
        if not offered.parts:
            raise self._error(offered, "it has no configurations", "configurations")
        return [known[name] for name in offered.parts]

    def _error(self, offered: Offered, why: str, key: str = "") -> ConfigurationError:
        return ConfigurationError(self.file.place(offered.name, key), why)

    def _note_tasks(self, offered: Offered, given: PlaceholderValues) -> None:
        for key in ("preLaunchTask", "postDebugTask"):
            task = offered.attributes.get(key)
            is_known = isinstance(offered, CompoundConfiguration) or not type_obstacle(offered.type)
            if task and is_known:
                given.note(describe_task(self.file.path, key, task))

    def _give(self, answers: dict[str, str], is_preview: bool) -> PlaceholderValues:
        return PlaceholderValues(
            folder=self.file.folder,
            cwd=self._cwd,
            environment=os.environ,
            file=self._current_file,
            settings=self._settings,
            inputs=self.file.inputs,
            answers=answers,
            interpreter=self._interpreter,
            is_preview=is_preview,
        )

    # Agreement

    def is_agreed(self, name: str) -> bool:
        """Whether the user has agreed to these files in their present state."""
        try:
            return self.trust.knows(self._digest(name))
        except OSError:
            return False

    def agree(self, name: str) -> str:
        """Store the agreement; return a sentence if it can't be kept."""
        try:
            return self.trust.agree(self._digest(name), str(self.file.path))
        except OSError as error:
            return f"your agreement can't be kept: {error.strerror or error}."

    def _digest(self, name: str) -> str:
        return digest_of(files_that_count(self.file.path, self._env_files(name)))

    def _env_files(self, name: str) -> list[Path]:
        """Return the files of all parts, except those whose name depends on an open question."""
        found = []
        for part in self._parts(self._get(name)):
            attributes = Attributes(self.file, part, self._give({}, is_preview=True))
            path = env_file(attributes)
            if path is not None:
                found.append(path)
        return found

    def unread(self, name: str, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Return the notes, unless all of them were read before."""
        has_read = not notes or self.trust.has_read(digest_of_text(name, *notes))
        return () if has_read else notes

    def note_read(self, name: str, notes: tuple[str, ...]) -> None:
        """Store that the notes were read; after a failure they are shown again."""
        if notes:
            self.trust.note_read(digest_of_text(name, *notes), f"{self.file.path}: {name}")


__all__ = [
    "ConfigurationError",
    "LaunchEntry",
    "NoSuchConfiguration",
    "Prepared",
    "Preview",
    "Unanswered",
    "Workspace",
]


def _either(names: list[str]) -> str:
    *others, last = (repr(name) for name in names)
    return f"{', '.join(others)} or {last}"


def _listed(names: list[str]) -> str:
    shown = [repr(name) for name in names[:5]]
    return ", ".join(shown) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
