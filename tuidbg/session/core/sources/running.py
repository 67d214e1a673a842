"""The sources as the program runs them, if a file was edited since.

A program continues with the code that it has loaded. Its line numbers are those of the old text:
for its position, its breakpoints, and the display. The text is read when tuidbg first needs a file
in a run, and counts until the program is restarted or loads the file again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.traits import SourceFacts
from tuidbg.config.files import file_stamp, read_source
from tuidbg.session.model.state import BreakpointStatus, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_LIVING = (Status.LAUNCHING, Status.RUNNING, Status.PAUSED)


class _Taken(msgspec.Struct):
    stamp: tuple[int, int]
    text: str
    same_as: tuple[int, int] | None = None
    facts: SourceFacts | None = None


class RunningSources:
    """The texts of one session's run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._taken: dict[str, _Taken] = {}
        self._kept: Mapping[str, str] = {}
        self.main = ""
        """The file of a program not started here, as reported by itself, if it exists locally."""

    def keep(self, texts: Mapping[str, str]) -> None:
        """Use the sources of a recorded run, whatever the local files are."""
        self._kept = texts

    def take_main(self, name: str) -> None:
        """Set the program's own file, as reported by itself, if it exists locally."""
        path = Path(name)
        self.main = name if path.is_absolute() and path.is_file() else ""

    def kept(self, path: str) -> str | None:
        """Return a recorded run's text, if the local file differs or is missing."""
        text = self._kept.get(path)
        return None if text is None or text == read_source(path) else text

    def forget(self) -> None:
        """Forget all: a new run loads the current files."""
        self._taken.clear()

    def loaded_again(self, path: str) -> None:
        """Handle a file reloaded by the program, as it is now. Reads the file."""
        if self._taken.pop(path, None) is not None:
            self.take(path)

    def take(self, path: str) -> None:
        """Keep the text of a file, unless it is kept already. Reads the file."""
        if path in self._taken or not path.startswith("/"):
            return
        stamp, text = file_stamp(path), read_source(path)
        if stamp is not None and text is not None and stamp == file_stamp(path):
            self._taken[path] = _Taken(stamp, text)

    def take_facts(self, path: str, stamp: tuple[int, int], facts: SourceFacts) -> None:
        """Keep the facts of the lines of a file that had that stamp."""
        taken = self._taken.get(path)
        if taken is not None and taken.stamp == stamp:
            taken.facts = facts

    def is_older(self, path: str) -> bool:
        """True if the program runs another text than the file has now; mostly one ``stat``."""
        taken = self._taken.get(path)
        if taken is None or self._session.status not in _LIVING:
            return False
        stamp = file_stamp(path)
        if stamp is None or stamp in (taken.stamp, taken.same_as):
            return False
        if not self._is_loaded(path):
            del self._taken[path]  # it will be loaded as it is then
            return False
        now = read_source(path)
        if now == taken.text:
            taken.same_as = stamp
        return now not in (None, taken.text)

    def text(self, path: str) -> str | None:
        """Return the text of a file as the program runs it, or as it is; None if there is none."""
        if path in self._kept:
            return self._kept[path]
        return self._taken[path].text if self.is_older(path) else read_source(path)

    def facts(self, path: str) -> SourceFacts | None:
        """Return the facts of the older text's lines; None if the file is unchanged."""
        if not self.is_older(path):
            return None
        return self._taken[path].facts or SourceFacts(path)

    def _is_loaded(self, path: str) -> bool:
        session = self._session
        templates = session.profile.breakpoints.page_templates
        if templates is not None and templates.includes(path):
            return False  # it is loaded again after every change
        breakpoints = session.breakpoints.registry
        places = (frame.place for frame in session.frames)
        return (
            path in (session.facts.target_path, *session.probe.loaded_files)
            or any(place is not None and place.path == path for place in places)
            or any(b.status is BreakpointStatus.SET for b in breakpoints.of_file(path))
        )
