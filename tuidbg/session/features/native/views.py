"""The views of a native program: memory, disassembly, registers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tuidbg.session.core.feature import Feature

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.features.native.disassembly import Disassembly
    from tuidbg.session.features.native.memory import Memory
    from tuidbg.session.features.native.registers import Registers


class NativeViews(Feature):
    """The native views of one session's program, each made on first use."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def memory(self) -> Memory:
        from tuidbg.session.features.native.memory import Memory

        return Memory(self._session)

    @cached_property
    def disassembly(self) -> Disassembly:
        from tuidbg.session.features.native.disassembly import Disassembly

        return Disassembly(self._session)

    @cached_property
    def registers(self) -> Registers:
        from tuidbg.session.features.native.registers import Registers

        return Registers(self._session, self.memory)
