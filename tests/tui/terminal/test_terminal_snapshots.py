"""Pictures of the program's terminal, at the sizes that people have; a real program draws."""

from __future__ import annotations

import sys

import pytest
from textual.pilot import Pilot

from tests.support.pictures import NAMES, SIZES, Pictures, Size
from tests.support.sessions import until
from tuidbg.adapters.program.terminal import PseudoTerminal

pytestmark = [pytest.mark.real, pytest.mark.full]

DRAWING = r"""
import os, signal, sys, tty

def draw(*_):
    columns, rows = os.get_terminal_size()
    out = ["\x1b[H\x1b[2J\x1b]0;parcels 2.0\x07\x1b[44;97m", " Parcels".ljust(columns), "\x1b[0m"]
    for row in range(2, rows):
        text = f" {row:3} Zoë 日本 \x1b[1mbold\x1b[0m \x1b[3mslanted\x1b[0m "
        text += "\x1b[4mline\x1b[0m \x1b[7m on \x1b[0m "
        bars = "".join(f"\x1b[48;2;{8 * row};{60 + i};{255 - 4 * i}m " for i in range(0, 40, 2))
        out.append(f"\x1b[{row};1H\x1b[38;5;{row + 20}m{text}{bars}\x1b[0m")
    out.append(f"\x1b[{rows};1H\x1b(0qqqq\x1b(B {columns}x{rows} \x1b[?25h")
    print("".join(out), end="", flush=True)

tty.setcbreak(0)
if sys.argv[1] == "screen":
    signal.signal(signal.SIGWINCH, draw)
    print("\x1b[?1049h", end="")
    draw()
else:
    print("\n".join(f"\x1b[3{n % 7 + 1}mline {n}\x1b[0m of what it printed" for n in range(1, 61)))
sys.stdin.read(1)
"""

SCENES = {
    "looked-at": ("screen", ("0",)),
    "typed-to": ("screen", ("0", "i")),
    "a-pane": ("lines", ("0",)),
    "scrolled-back": ("lines", ("0", "pageup", "pageup")),
}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_terminal(
    scene: str,
    size: Size,
    pictures: Pictures,
) -> None:
    stage = pictures.make_stage()
    way, keys = SCENES[scene]

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        session = stage.session
        screen = session.program_screen
        terminal = PseudoTerminal(session.terminal_io.take_output)
        columns, rows = size[0], size[1] - 3  # the title and the two lines at the bottom
        session.terminal_io.resize(columns, rows)
        command = [sys.executable, "-c", DRAWING, way]
        terminal.start(command, None, columns=columns, rows=rows)
        session.terminal = terminal
        screen.begin(terminal)
        await until(lambda: screen.taken.screen or len(session.output) >= 60, "it draws")
        await pilot.press(*keys)
        shown = f"{columns}x{rows}" if way == "screen" else "line 60"
        await until(lambda: shown in screen.emulator.text, "it is drawn")
        await stage.settle()

    pictures.compare(stage.app, size, act, has_own_colors=True)
