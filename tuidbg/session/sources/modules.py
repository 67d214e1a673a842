"""The modules that the program has loaded.

Where the adapter runs questions of ours inside the program, all of ``sys.modules`` is told; else
DAP's ``modules``, where it is announced (debugpy's own names only those of the stacks shown).
"""

from __future__ import annotations

from enum import StrEnum

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap import types as dap
from tuidbg.session.errors import AdapterFailed, InvalidSessionState, UnsupportedByAdapter
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.state import Status, Value


class ModuleKind(StrEnum):
    """The kinds of modules, by their files.

    ``namespace``: a package without a file of its own. ``binary``: a program or a shared library.
    """

    SOURCE = "source"
    EXTENSION = "extension"
    NAMESPACE = "namespace"
    BUILTIN = "builtin"
    BINARY = "binary"
    UNKNOWN = "unknown"


class LoadedModule(Value, frozen=True):
    """One module. ``path`` is its source file, empty where there is none.

    Of a binary it is the file itself, with the ``address`` at which that was loaded (or the range),
    and what is known of its ``symbols`` in the adapter's words.
    """

    name: str
    path: str = ""
    kind: ModuleKind = ModuleKind.UNKNOWN
    version: str = ""
    address: str = ""
    symbols: str = ""


class _Answer(Value, frozen=True):
    modules: tuple[LoadedModule, ...]
    total: int


class _ModulesBody(dap.Body, frozen=True):
    """The answer to DAP ``modules``."""

    modules: tuple[dap.Module, ...] = ()


class Modules:
    """Questions about the modules of a session's program."""

    def __init__(self, session: AsksInside) -> None:
        self._session = session

    def why_not(self) -> str:
        """Returns why modules can't be asked for here; nothing where they can."""
        session = self._session
        if session.inside.is_possible or not session.adapter.has_begun:
            return ""
        is_supported = session.adapter.capabilities.supports_modules_request
        return "" if is_supported else "this adapter knows no modules"

    async def list(self) -> tuple[LoadedModule, ...]:
        """All modules by their names.

        Raises UnsupportedByAdapter, InvalidSessionState while the program runs, AdapterFailed,
        EvaluationFailed, StaleReply.
        """
        session = self._session
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("list the modules", session.status)
        if session.inside.is_possible:
            frame_id = session.frames[0].id if session.frames else None
            answer = await session.inside.ask("modules", "list_modules", _Answer, frame_id=frame_id)
            return answer.modules
        try:
            body = await session.adapter.request("modules", {}, into=_ModulesBody)
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error
        return tuple(sorted(map(_module, body.modules), key=lambda module: module.name))


def _module(told: dap.Module) -> LoadedModule:
    is_binary = bool(told.address_range or told.symbol_status)
    symbols = (told.symbol_status or "").rstrip(".").lower()
    size = f", {told.debug_info_size}" if told.debug_info_size else ""
    return LoadedModule(
        name=told.name,
        path=told.path or "",
        kind=ModuleKind.BINARY if is_binary else ModuleKind.UNKNOWN,
        version=told.version or "",
        address=told.address_range or "",
        symbols=f"{symbols}{size}" if symbols else "",
    )
