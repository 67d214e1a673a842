"""The stack pane of a session: the threads, and the frames of the one that is looked at."""

from __future__ import annotations

from tuidbg.session.session import Session
from tuidbg.session.state import Frame, Status
from tuidbg.tui.stack.pane import StackPane
from tuidbg.tui.view.focus import Focus


class StackView:
    """Shows a session's threads and frames in the stack pane."""

    def __init__(self, session: Session, focus: Focus, pane: StackPane) -> None:
        self._session = session
        self._focus = focus
        self._pane = pane
        self._modules: dict[str, str] = {}

    def show(self) -> None:
        """Show the stack of the thread that is looked at."""
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
        )

    def show_nothing(self, why: str) -> None:
        """Show why there is no stack, and the threads of a program that runs."""
        status = self._session.status
        threads = self._session.threads if status is Status.RUNNING else ()
        self._pane.show_nothing(f"No stack: {why}", threads, status)

    def module_of(self, frame: Frame) -> str:
        """The name of a frame's module, where it says more than the name of the file does."""
        path = frame.place.path if frame.place is not None else ""
        name = self._modules.get(path)
        if name is None:
            known = self._session.sources.module_of(path) if path.startswith("/") else ""
            tells = "." in known or path.endswith("/__init__.py")
            name = self._modules[path] = known if tells else ""
        return name
