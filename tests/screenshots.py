"""Makes the pictures of the README and the manual: ``uv run python -m tests.screenshots``.

``--colors 256`` (or ``16``, ``none``) with ``--folder DIR`` draws the screens of the demo as a
terminal with so many colours shows them, to be looked at and not to be kept.

They are of the real app on the real debugpy, debugging the bundled demo, and on lldb-dap, debugging
a C program, so that they can't show anything that it does not do.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import httpx
from textual.pilot import Pilot

from tests.support.drawing import Shot, animate, badges, project_facts, wordmark
from tests.support.few_colors import COLORS, draw_with
from tests.support.native import PROGRAMS
from tests.support.screens import shown_text
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.process import LocalGuard
from tuidbg.adapters.table import find_profile
from tuidbg.api.feed.feed import Feed
from tuidbg.api.options import RelayOptions
from tuidbg.api.server import Relay
from tuidbg.config.launch import DEMO, LaunchPlan, TargetKind
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.state import Status, StopReason
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.features.autopsy.dialog import AutopsyDialog
from tuidbg.tui.features.table.dialog import TableDialog

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
DEADLINE = 30.0


class Scene:
    """One app on one session, and the keys that bring it to its picture."""

    def __init__(
        self, app: TuidbgApp, session: Session, pilot: Pilot[int], folder: Path = FOLDER
    ) -> None:
        self.app = app
        self.folder = folder
        self.session = session
        self.pilot = pilot

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds and the screen has caught up with it."""
        async with asyncio.timeout(DEADLINE):
            while not condition():
                await self.pilot.pause(0.02)
        await self.pilot.pause(0.2)

    async def press(self, *keys: str) -> None:
        """Press keys and let the screen catch up."""
        await self.pilot.press(*keys)
        await self.pilot.pause(0.2)

    async def stop_after(self, key: str) -> None:
        """Press a key that lets the program run, and wait for its next stop."""
        before = self.session.stop_id
        await self.press(key)
        await self.until(
            lambda: self.session.stop_id > before and self.session.status is Status.PAUSED
        )

    def save(self, name: str) -> None:
        """Keep the picture."""
        (self.folder / f"{name}.svg").write_text(self.picture(), encoding="utf-8")

    def picture(self) -> str:
        """The screen as it is, without fonts from the network."""
        svg = self.app.export_screenshot(title="tuidbg")
        svg = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)
        svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
        return svg.replace("Fira Code", "DejaVu Sans Mono").rstrip() + "\n"


async def take_pictures(
    program: Path,
    size: tuple[int, int],
    suffix: str,
    theme: str,
    *,
    folder: Path = FOLDER,
    colors: str = "",
) -> None:
    """Debug the demo at one size and keep a picture of each interesting moment."""
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT, target=str(program), cwd=str(program.parent), python=sys.executable
    )
    session = Session(plan, DebugpyProfile(), LocalGuard())
    app = TuidbgApp(open_session=lambda words, cwd: session, session=session, theme=theme)
    if colors in COLORS:
        draw_with(app, COLORS[colors])
    async with app.run_test(size=size) as pilot:
        scene = Scene(app, session, pilot, folder)
        await session.breakpoints.set(plan.target, 32, condition="order.number > 2", origin="tui")
        await session.lifecycle.start()
        await scene.until(lambda: bool(session.frames))
        screen = app.screen
        assert isinstance(screen, DebugScreen)
        await scene.stop_after("c")
        await session.breakpoints.set(str(program.parent / "counter.py"), 37, origin="tui")
        await scene.stop_after("s")
        await scene.stop_after("n")
        await scene.press("2", "home", "down", "enter", "down", "down", "down", "enter", "1")
        await scene.stop_after("n")
        await scene.stop_after("n")
        scene.save(f"main{suffix}")
        await scene.press("B")
        scene.save(f"breakpoint{suffix}")
        await scene.press("escape")
        for breakpoint in list(session.breakpoints.registry):
            await session.breakpoints.update(breakpoint.number, enabled=False, origin="tui")
        await scene.stop_after("c")
        await scene.until(
            lambda: (
                session.stop is not None
                and session.stop.reason is StopReason.EXCEPTION
                and session.stop.exception is not None
            )
        )
        scene.save(f"exception{suffix}")
    await session.close()


async def take_tour(program: Path) -> None:
    """The recorded demo, from its exception back to the line at fault, as a picture that moves.

    Its last moments are pictures of their own, too.
    """
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=str(program),
        cwd=str(program.parent),
        python=sys.executable,
        record=True,
    )
    session = Session(plan, DebugpyProfile(), LocalGuard())
    app = TuidbgApp(open_session=lambda words, cwd: session, session=session, theme="tuidbg-dark")
    shots: list[Shot] = []
    async with app.run_test(size=(100, 26)) as pilot:
        scene = Scene(app, session, pilot)

        def take(caption: str, *keys: str) -> None:
            shots.append(Shot(scene.picture(), keys, caption))

        await session.lifecycle.start()
        await scene.until(lambda: bool(session.frames))
        screen = app.screen
        assert isinstance(screen, DebugScreen)
        values = screen.variables
        await scene.stop_after("c")
        await scene.until(lambda: session.stop is not None and session.stop.exception is not None)
        take("an exception stops the program where it is raised", "c")
        await scene.press("e")
        await scene.until(lambda: isinstance(app.screen, AutopsyDialog))
        await scene.press("number_sign", "end")
        take("its autopsy: the causes, and the values in every frame", "e")
        scene.save("autopsy")
        await scene.press("number_sign")
        await scene.until(lambda: "becomes -1" in screen.status.text)
        take("back in time, to the line that made the wrong value", "#")
        await scene.press("2")
        path: tuple[str, ...] = ("Locals",)
        for part in ("self", "shelf"):
            path = (*path, part)
            values.move_cursor_to(path)
            await scene.press("right")
        values.move_cursor_to((*path, "'rye'"))
        await scene.press("number_sign")
        await scene.until(lambda: "becomes 1" in screen.status.text)
        take("and again: two rye were gone before, to the same customer", "#")
        scene.save("back")
        await scene.press("full_stop", "1", "left_square_bracket", "v", *"oven.heat", "enter")
        await scene.until(lambda: isinstance(app.screen, TableDialog))
        await scene.press("right", "p")
        await scene.until(lambda: "mean" in shown_text(app.screen))
        take("any list or frame as a table, and its histogram", "v", "p")
        scene.save("table")
    await session.close()
    (FOLDER / "tour.svg").write_text(animate(shots, 3), encoding="utf-8")


def draw_name() -> None:
    """The name, and the badges below it."""
    (FOLDER / "wordmark.svg").write_text(wordmark(), encoding="utf-8")
    (FOLDER / "badges.svg").write_text(badges(project_facts()), encoding="utf-8")


async def take_relay_picture(program: Path) -> None:
    """A program drives the demo by the relay, and the person sees what it does."""
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT, target=str(program), cwd=str(program.parent), python=sys.executable
    )
    guard = LocalGuard()
    session = Session(plan, DebugpyProfile(), guard)
    hub = Hub(lambda plan: Session(plan, DebugpyProfile(), guard), follow=Feed)
    app = TuidbgApp(
        open_session=lambda words, cwd: session, session=session, theme="tuidbg-dark", hub=hub
    )
    relay = Relay(hub, RelayOptions(port=0, needs_token=False), guard=guard)
    async with app.run_test(size=(120, 34)) as pilot:
        scene = Scene(app, session, pilot)
        await session.lifecycle.start()
        await scene.until(lambda: bool(session.frames) and len(hub) == 1)
        await scene.press("7")
        await relay.start()
        (member,) = hub
        path = f"{relay.address}/api/v1/sessions/{member.id}"
        place = {"source": {"path": plan.target}, "line": 32, "condition": "order.number > 2"}
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.post(f"{path}/breakpoints", json={"breakpoints": [place]})
            await client.post(f"{path}/continue")
            await scene.until(lambda: session.status is Status.PAUSED and session.stop_id == 2)
            await client.get(f"{path}/stacktrace")
            await client.post(f"{path}/evaluate", json={"expression": "order.customer"})
            await client.post(f"{path}/evaluate", json={"expression": "len(order.items)"})
            await client.post(f"{path}/step-into")
        await scene.until(lambda: session.stop_id == 3 and bool(session.frames))
        scene.save("programs")
        await relay.stop()
    await hub.close()


async def take_native_picture() -> None:
    """A C program between two instructions of a loop, and the bytes that the loop fills."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "cells.c"
        source.write_bytes((PROGRAMS / "cells.c").read_bytes())
        program = Path(folder) / "cells"
        words = ["gcc", "-g", "-O0", "-o", str(program), "cells.c"]
        await asyncio.to_thread(subprocess.run, words, check=True, cwd=folder)
        plan = LaunchPlan(
            kind=TargetKind.SCRIPT,
            target=str(program),
            cwd=folder,
            python="",
            adapter="lldb-dap",
        )
        session = Session(plan, find_profile("lldb-dap"), LocalGuard())
        app = TuidbgApp(
            open_session=lambda words, cwd: session, session=session, theme="tuidbg-dark"
        )
        async with app.run_test(size=(120, 34)) as pilot:
            scene = Scene(app, session, pilot)
            line = source.read_text().splitlines().index("        sum += where[i];") + 1
            await session.breakpoints.set(str(source), line, origin="tui")
            await session.lifecycle.start()
            await scene.until(lambda: bool(session.frames))
            for _ in range(4):
                await scene.stop_after("c")
            await scene.press("alt+m", "g", *"where", "enter")
            await scene.stop_after("c")
            await scene.press("alt+d")
            await scene.stop_after("n")
            await scene.stop_after("n")
            await session.breakpoints.toggle_address(
                (session.frames[0].address or 0) + 3, origin="tui"
            )
            await scene.press("2", "home", "1", "alt+d")
            scene.save("machine-code")
        await session.close()


async def draw_few_colors(colors: str, folder: Path) -> None:
    """Draw the screens of the demo with so many colours."""
    folder.mkdir(exist_ok=True)
    if colors == "none":
        os.environ["NO_COLOR"] = "1"
    for size in ((120, 34), (80, 24)):
        suffix = f"-{colors}-{size[0]}x{size[1]}"
        await take_pictures(DEMO, size, suffix, "tuidbg-dark", folder=folder, colors=colors)


async def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    draw_name()
    with TemporaryDirectory() as folder:  # what a server writes is not the machine's
        os.environ |= {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder}
        # Where it lies in tuidbg it has hints for newcomers.
        program = Path(copytree(DEMO.parent, Path(folder, "bakery"))) / DEMO.name
        await take_pictures(program, (120, 34), "", "tuidbg-dark")
        await take_pictures(program, (80, 24), "-80x24", "tuidbg-light")
        await take_tour(program)
        await take_relay_picture(program)
    await take_native_picture()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--colors", choices=("256", "16", "none"))
    parser.add_argument("--folder", type=Path, default=Path("few-colors"))
    asked = parser.parse_args()
    asyncio.run(draw_few_colors(asked.colors, asked.folder) if asked.colors else main())
