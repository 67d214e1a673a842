"""Native programs: memory, registers, disassembly, symbols, signals, crashes and core files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.session.core.feature import Hooks
    from tuidbg.session.core.session import Session
    from tuidbg.session.core.sources.definitions import Definition
    from tuidbg.session.model.state import Frame


def register(hooks: Hooks) -> None:
    hooks.find_definition.append(find_in_code)
    hooks.value_stored.append(settle_registers)


async def find_in_code(session: Session, name: str, frame: Frame | None) -> tuple[Definition, ...]:
    """Return the function of that name, by the program's debug information."""
    from tuidbg.session.features.native.symbols import find_function

    return await find_function(session, name, frame)


async def settle_registers(session: Session, frame_id: int | None) -> None:
    """Have a set register reported with its new value."""
    from tuidbg.session.features.native.views import NativeViews

    await NativeViews.of(session).registers.settle(frame_id)
