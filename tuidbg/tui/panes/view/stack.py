"""The stack pane of a session: the threads, and the frames of the selected one."""

from __future__ import annotations

from typing import TypedDict

from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.inspection import STACK_PAGE, first_frame
from tuidbg.session.model.state import Frame, Status
from tuidbg.tui.panes.view.shown import PaneHost, ViewFocus

MOST = 1_000
"""Maximum frames fetched at once with library frames included."""


class Selection(TypedDict):
    """The frame to select, and whether the source follows (as in ``select_frame``)."""

    index: int
    follow: bool


class StackPanePresenter:
    """The threads and frames in the stack pane."""

    def __init__(self, session: Session, focus: ViewFocus, shown: PaneHost) -> None:
        self._session = session
        self._focus = focus
        self._pane = shown.stack
        self._show_count = shown.show_count
        self._key_map = shown.key_map
        self._modules: dict[str, str] = {}

    def show(self) -> None:
        """Show the stack of the selected thread."""
        focus = self._focus
        self._pane.show_stack(
            self._session.threads,
            focus.thread_id,
            focus.frames,
            focus.total_frames,
            focus.selected,
            stop=self._session.stop,
            is_library=self._session.sources.is_frame_of_library,
            module_of=self.module_of,
            key=self._key_map.key_of("toggle_just_my_code"),
            is_past=focus.moment is not None,
        )
        self._show_count("stack", focus.total_frames)

    def show_nothing(self, why: str) -> None:
        """Show why there is no stack, and the threads of a running program."""
        status = self._session.status
        threads = self._session.threads if status is Status.RUNNING else ()
        self._pane.show_nothing(f"No stack: {why}", threads, status)
        self._show_count("stack", 0)

    async def fetch_more(self) -> None:
        """Fetch more frames."""
        focus = self._focus
        start = len(focus.frames)
        more, total = await self._session.inspection.stack(
            focus.thread_id, start, focus.total_frames - start, whole=focus.is_whole
        )
        focus.take_more(more, total)
        self.show()

    async def fetch_again(self, *, is_whole: bool = False) -> Selection:
        """Fetch the stack again, ``is_whole`` with the frames that the debugger skips.

        Returns the frame to select: the same as before, if it still exists.
        """
        focus, session = self._focus, self._session
        levels = MOST if is_whole else STACK_PAGE
        frames, total = await session.inspection.stack(focus.thread_id, 0, levels, whole=is_whole)
        before = focus.frame.id if focus.frame is not None else 0
        focus.take_stack(focus.thread_id, frames, total, stop_id=session.stop_id, is_whole=is_whole)
        same = next((frame.index for frame in frames if frame.id == before), None)
        if same is not None:
            return Selection(index=same, follow=False)
        return Selection(index=first_frame(session, frames, focus.thread_id), follow=True)

    def module_of(self, frame: Frame) -> str:
        """Return a frame's module name, if it says more than the file name."""
        path = frame.place.path if frame.place is not None else ""
        name = self._modules.get(path)
        if name is None:
            known = self._session.sources.module_of(path) if path.startswith("/") else ""
            tells = "." in known or path.endswith("/__init__.py")
            name = self._modules[path] = known if tells else ""
        return name
