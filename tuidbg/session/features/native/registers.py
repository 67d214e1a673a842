"""The processor's registers in a frame, in the adapter's groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.adapters.errors import RequestFailed
from tuidbg.dap import types as dap
from tuidbg.session.features.native.memory import Memory
from tuidbg.session.model.errors import (
    AdapterFailed,
    EvaluationFailed,
    MemoryNotWritable,
    NoAddress,
    RegisterNotFound,
    UnsupportedByAdapter,
)
from tuidbg.session.model.events import MemoryChanged
from tuidbg.session.model.state import StateValue

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class Register(StateValue, frozen=True):
    """One register. ``container`` is the adapter's reference of its group, until the next stop."""

    name: str
    value: str
    type: str = ""
    group: str = ""
    container: int = 0

    @property
    def number(self) -> int | None:
        """Return its value, if that is a number."""
        word = self.value.split(maxsplit=1)[0] if self.value else ""
        try:
            return int(word, 0)
        except ValueError:
            return None


class RegisterGroup(StateValue, frozen=True):
    """Registers that belong together."""

    name: str
    registers: tuple[Register, ...]


class Registers:
    """Queries about the registers of a session's stopped program."""

    def __init__(self, session: Session, memory: Memory) -> None:
        self._session = session
        self._memory = memory

    async def groups(self, frame_id: int) -> tuple[RegisterGroup, ...]:
        """Return all registers of a frame.

        Raises UnsupportedByAdapter if the adapter reports none, InvalidSessionState, AdapterFailed,
        StaleReply.
        """
        inspection = self._session.inspection
        scopes = await inspection.scopes(frame_id)
        scope = next((s for s in scopes if s.hint == "registers" or s.name == "Registers"), None)
        if scope is None:
            raise UnsupportedByAdapter(f"{self._session.profile.name} reports no registers here")
        found, loose = [], []
        for each in await inspection.variables(scope.reference):
            is_group = not each.value or each.type.startswith("<")  # `<no-type>`, with a summary
            if not each.reference or not is_group:
                loose.append(
                    Register(
                        name=each.name,
                        value=each.value,
                        type=each.type,
                        group=scope.name,
                        container=scope.reference,
                    )
                )
                continue
            registers = await inspection.variables(each.reference)
            found.append(
                RegisterGroup(
                    name=each.name,
                    registers=tuple(
                        Register(
                            name=r.name,
                            value=r.value,
                            type=r.type,
                            group=each.name,
                            container=each.reference,
                        )
                        for r in registers
                    ),
                )
            )
        if loose:
            found.insert(0, RegisterGroup(name=scope.name, registers=tuple(loose)))
        return tuple(found)

    async def list(self, frame_id: int) -> tuple[Register, ...]:
        """Return all registers of a frame, without their groups. Raises as ``groups``."""
        return tuple(r for group in await self.groups(frame_id) for r in group.registers)

    async def get(self, frame_id: int, name: str) -> Register:
        """Return a register by name, with or without ``$``. Raises RegisterNotFound; as ``groups``.

        Case does not matter unless another register has that name.
        """
        wanted = name.strip().lstrip("$%")
        registers = await self.list(frame_id)
        exact = next((r for r in registers if r.name == wanted), None)
        alike = next((r for r in registers if r.name.lower() == wanted.lower()), None)
        if (found := exact or alike) is None:
            raise RegisterNotFound(wanted)
        return found

    async def set(self, frame_id: int, name: str, value: str, *, origin: str) -> Register:
        """Set a register; return its new value.

        Raises EvaluationFailed with the adapter's reason, and as ``get``.
        """
        session = self._session
        if not session.adapter.capabilities.supports_set_variable:
            raise UnsupportedByAdapter("this debug adapter can't set registers")
        register = await self.get(frame_id, name)
        arguments = {
            "variablesReference": register.container,
            "name": register.name,
            "value": value.strip(),
        }
        try:
            await session.inspection.ask("setVariable", arguments, dap.SetVariableBody)
        except AdapterFailed as error:
            if isinstance(error.__cause__, RequestFailed):
                raise EvaluationFailed(error.__cause__.reason) from error
            raise
        await self.settle(frame_id)
        session.publish(MemoryChanged(), origin)
        return await self.get(frame_id, register.name)

    async def settle(self, frame_id: int | None) -> None:
        """Make the adapter report a set register's new value; None: the top frame.

        Some do so only after a write to memory: the byte at the top of the stack is written
        unchanged.
        """
        memory = self._memory
        if self._session.profile.values.shows_set_registers or memory.why_no_writing():
            return
        frames = self._session.frames
        frame_id = frames[0].id if frame_id is None and frames else frame_id
        try:
            await memory.rewrite(await memory.find("$sp", frame_id))
        except (AdapterFailed, EvaluationFailed, NoAddress, MemoryNotWritable):
            pass  # then it is shown at the next stop
