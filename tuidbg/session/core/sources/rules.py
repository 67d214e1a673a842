"""Just-my-code: the sources that the debugger skips, by switch and by rule.

debugpy decides by file (pydevd's ``FilesFiltering``): the first matching rule counts, and if none
matches, just-my-code hides files in library folders. The same is decided here, so that a front end
can show what is hidden, and why, without a query to the program. An adapter gets the rules with the
launch (``rules``), and again when they change while the program runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import EvaluateBody
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.model.errors import AdapterFailed, InvalidSetting, UnsupportedByAdapter
from tuidbg.session.model.events import SourcesChanged
from tuidbg.session.model.state import Frame, StateValue

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_GLOB = re.compile(r"[*?]")
_INSTALLED = re.compile(r"^.*/(?:site-packages|dist-packages)/|^.*/lib\d*/python\d[\d.]*/")
"""The usual library folders; only used until the real ones are known."""


class SourceRule(StateValue, frozen=True):
    """A rule to stop in these sources (``include``) or skip them, whatever the switch.

    Either ``module``, a package or module with all its submodules, or ``path``, an absolute path of
    a file or a folder, or a pattern (``*`` and ``?`` within a name, ``**`` for any folders).
    """

    include: bool
    module: str = ""
    path: str = ""


class SourceRules:
    """The switch, the rules, and the decisions derived from them."""

    def __init__(self, *, just_my_code: bool = True, rules: Iterable[SourceRule] = ()) -> None:
        self.just_my_code = just_my_code
        self.target = ""
        """The program's own file: shown in any folder, unless a rule names it."""
        self.own_folder = ""
        """The folder of an installed program: own code until the adapter has reported its roots."""
        self.mappings: dict[str, str] = {}
        """Local folders and their paths where the program runs; for the next launch."""
        self._rules = {(rule.module, rule.path): rule for rule in rules}
        self._libraries: tuple[str, ...] = ()
        self._own: tuple[str, ...] = ()

    # Settings

    @property
    def rules(self) -> tuple[SourceRule, ...]:
        """Return the rules in the order in which they were made."""
        return tuple(self._rules.values())

    def include(self, *, module: str = "", path: str = "") -> SourceRule:
        """Stop in that module or path, too. Raises InvalidSetting."""
        return self._put(SourceRule(include=True, module=module, path=path))

    def exclude(self, *, module: str = "", path: str = "") -> SourceRule:
        """Skip that module or path, even user code. Raises InvalidSetting."""
        return self._put(SourceRule(include=False, module=module, path=path))

    def forget(self, *, module: str = "", path: str = "") -> None:
        """Remove the rule for that module or path, if there is one."""
        self._rules.pop(_key(module, path), None)

    def _put(self, rule: SourceRule) -> SourceRule:
        key = _key(rule.module, rule.path)
        module, path = key
        if bool(module) == bool(path):
            raise InvalidSetting("module", "name a module, or a file or folder")
        if module and not all(part.isidentifier() for part in module.split(".")):
            raise InvalidSetting("module", f"{module} is no name of a module")
        if path and not path.startswith(("/", "**/")):
            raise InvalidSetting("path", "write the whole path, or begin the pattern with **/")
        rule = SourceRule(include=rule.include, module=module, path=path)
        self._rules.pop(key, None)
        self._rules[key] = rule
        return rule

    def take_rules(self, rules: Iterable[SourceRule]) -> None:
        """Set these rules and no others."""
        self._rules = {(rule.module, rule.path): rule for rule in rules}

    def map_paths(self, local: str, remote: str) -> None:
        """Map the folder ``local`` to ``remote`` where the program runs."""
        self.mappings[local.rstrip("/") or "/"] = remote.rstrip("/") or "/"

    @property
    def ordered_mappings(self) -> dict[str, str]:
        """Return the mappings in the order of matching: the innermost folder first."""
        return dict(sorted(self.mappings.items(), key=lambda each: -len(each[0])))

    def here(self, path: str) -> str:
        """Return the local path of a file of the program's."""
        for local, remote in sorted(self.mappings.items(), key=lambda each: -len(each[1])):
            if path.startswith(_as_folder(remote)):
                return _as_folder(local) + path[len(_as_folder(remote)) :]
        return path

    def learn_roots(self, libraries: Iterable[str], own: Iterable[str] = ()) -> None:
        """Set the folders of libraries and of user code, as reported by the adapter."""
        self._libraries = tuple(_as_folder(root) for root in libraries)
        self._own = tuple(_as_folder(root) for root in own)

    @property
    def knows_roots(self) -> bool:
        """True if the adapter has reported them."""
        return bool(self._libraries or self._own)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Return the folders of libraries, once the adapter has reported them."""
        return self._libraries

    # Decisions

    def is_hidden(self, path: str, module: str = "") -> bool:
        """True if the debugger never stops there.

        ``module`` is its name in the program, by default derived from the path.
        """
        rule = self.rule_for(path, module)
        if rule is not None:
            return not rule.include
        return self.just_my_code and path != self.target and self.is_library(path)

    def rule_for(self, path: str, module: str = "") -> SourceRule | None:
        """Return the rule that decides there; None if the switch does."""
        if path == self.target:
            return self._rules.get(("", path))
        ordered = self._ordered()
        by_path = next((r for r in ordered if r.path and _matches(r.path, path)), None)
        if by_path is not None or not any(r.module for r in ordered):
            return by_path
        name = module or self.module_of(path)
        return next((r for r in ordered if r.module and _is_in(name, r.module)), None)

    def why_hidden(self, path: str, module: str = "") -> str:
        """Return why the debugger never stops there, as a sentence; empty if it does."""
        if not self.is_hidden(path, module):
            return ""
        rule = self.rule_for(path, module)
        if rule is not None:
            return f"A rule of yours hides {rule.module or rule.path}."
        library = self.library_of(path)
        what = f"belongs to the library {library}" if library else "belongs to no source of yours"
        return f"It {what}, and just-my-code is on."

    def is_library(self, path: str) -> bool:
        """True if it is in a library folder, including the standard library's."""
        if path.startswith("<"):
            return not path.startswith("<ipython")
        if not self._libraries and not self._own:
            is_own = self.own_folder and path.startswith(_as_folder(self.own_folder))
            return _INSTALLED.match(path) is not None and not is_own
        library = max((len(r) for r in self._libraries if path.startswith(r)), default=0)
        if not self._own:
            return library > 0
        return max((len(r) for r in self._own if path.startswith(r)), default=0) <= library

    def is_frame_of_library(self, frame: Frame) -> bool:
        """True for a frame of a library without an include rule."""
        if frame.place is None:
            return frame.subtle
        path = frame.place.path
        if path.startswith(
            "<"
        ):  # made while the program ran: its origin is known only to the adapter
            return frame.subtle
        rule = self.rule_for(path)
        if rule is not None:
            return not rule.include
        return frame.subtle or (path != self.target and self.is_library(path))

    def library_of(self, path: str) -> str:
        """Return the package or module imported to get there; empty for user code."""
        return self.module_of(path).partition(".")[0] if self.is_library(path) else ""

    def module_of(self, path: str) -> str:
        """Return the likeliest module name of a file; empty if unknown."""
        file = PurePath(path)
        if file.suffix != ".py":
            return ""
        root = self._library_root(path)
        parts = PurePath(path[len(root) :]).parts if root else _package_parts(path)
        stem = [] if file.name == "__init__.py" else [file.stem]
        return ".".join([*parts[:-1], *stem])

    def runs_as(self, path: str) -> str:
        """Return the module that a frame in that file belongs to; empty if unknown."""
        return "__main__" if path and path == self.target else self.module_of(path)

    def _library_root(self, path: str) -> str:
        if self._libraries:
            return max((r for r in self._libraries if path.startswith(r)), key=len, default="")
        found = _INSTALLED.match(path)
        return found[0] if found else ""

    # For the adapter

    def render(self) -> list[dict[str, Any]]:
        """Return the rules in debugpy's form (launch argument ``rules``)."""
        rendered: list[dict[str, Any]] = []
        if self.target and ("", self.target) not in self._rules:
            rendered.append({"path": _literal(self.target), "include": True})
        for rule in self._ordered():
            if rule.module:
                rendered.append({"module": rule.module, "include": rule.include})
            else:
                path = rule.path if _GLOB.search(rule.path) else _literal(rule.path)
                rendered.append({"path": path, "include": rule.include})
        return rendered

    def render_mappings(self) -> list[dict[str, str]]:
        """Return the mappings in debugpy's form (launch argument ``pathMappings``)."""
        ordered = self.ordered_mappings.items()
        return [{"localRoot": here, "remoteRoot": there} for here, there in ordered]

    def _ordered(self) -> list[SourceRule]:
        """Return the rules in debugpy's order: paths (longest first), patterns, modules alike."""

        def rank(rule: SourceRule) -> tuple[int, int]:
            if rule.module:
                return 2, -len(rule.module)
            return (1, 0) if _GLOB.search(rule.path) else (0, -len(rule.path))

        return sorted(self.rules, key=rank)


def _key(module: str, path: str) -> tuple[str, str]:
    path = path.strip()
    return module.strip().strip("."), path.rstrip("/") or path


def _as_folder(root: str) -> str:
    return root.rstrip("/") + "/"


def _is_in(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def _matches(wanted: str, path: str) -> bool:
    if _GLOB.search(wanted):
        return _matches_glob(wanted.strip("/").split("/"), path.strip("/").split("/"))
    return path == wanted or path.startswith(_as_folder(wanted))


def _matches_glob(pattern: list[str], parts: list[str]) -> bool:
    """Match ``**`` with any number of folders; at the end with at least a name."""
    if not pattern or not parts:
        return not pattern and not parts
    first, rest = pattern[0], pattern[1:]
    if first == "**":
        return not rest or any(_matches_glob(rest, parts[n:]) for n in range(len(parts)))
    return fnmatchcase(parts[0], first) and _matches_glob(rest, parts[1:])


def _literal(path: str) -> str:
    """Return a pattern for this path alone: pydevd treats each path as a pattern.

    A folder needs its ``/**`` then, which pydevd adds itself if there is nothing to quote.
    """
    if "[" not in path:
        return path
    quoted = path.replace("[", "[[]")
    return f"{quoted}/**" if Path(path).is_dir() else quoted


@lru_cache(maxsize=1_000)  # called for every frame of every stack
def _package_parts(path: str) -> tuple[str, ...]:
    """Return the parts of the path from the outermost package on."""
    folder = Path(path).parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return PurePath(path).relative_to(folder).parts


class LiveRules:
    """The application of the rules in one session's running program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def learn_roots(self) -> None:
        """Fetch the library folders from the adapter; without a reply they are guessed."""
        session = self._session
        question = session.profile.sources.roots_question
        if not question or not session.adapter.is_configurable or session.sources.knows_roots:
            return
        try:
            arguments = own_question(question)
            answer = await session.adapter.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError:
            return
        session.sources.learn_roots(*session.profile.sources.read_roots(answer.result))

    def why_none(self) -> str:
        """Return why skipped sources can't be chosen; empty if they can."""
        profile = self._session.profile
        if profile.sources.arguments(True, [], []):
            return ""
        return f"{profile.name} steps into all functions whose source is known"

    async def apply(self, *, origin: str) -> None:
        """Apply the rules of ``sources`` at once; a later launch uses them anyway.

        Raises UnsupportedByAdapter, AdapterFailed.
        """
        session = self._session
        try:
            if session.adapter.is_configurable:
                await self.put_in_force()
        finally:
            session.publish(SourcesChanged(just_my_code=session.sources.just_my_code), origin)

    async def put_in_force(self) -> None:
        """Send ``sources`` to the program. Raises UnsupportedByAdapter, AdapterFailed."""
        session = self._session
        expression = session.profile.sources.live_rules(
            session.sources.just_my_code, session.sources.render()
        )
        if not expression:
            raise UnsupportedByAdapter("this debug adapter takes that with the next start only")
        try:
            arguments = own_question(expression)
            await session.adapter.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError as error:
            raise AdapterFailed(f"just-my-code could not be switched: {error}") from error
        await session.breakpoints.reconsider_all()
