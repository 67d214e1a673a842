"""Recordings in files, opened and asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.file import RecordingFile, open_recording
from tuidbg.recording.queries.changes import Changed, last_change_of
from tuidbg.recording.timeline import Moment, RecordedFrame
from tuidbg.recording.values import ValuesAt


class Opened:
    """A file that is looked at."""

    def __init__(self, file: RecordingFile) -> None:
        self.file, self.timeline = file, file.timeline

    def last(self) -> Moment:
        """The last moment of the thread that was recorded last."""
        found = [self.timeline.last(thread) for thread in self.timeline.chunks.of_thread]
        return max((each for each in found if each is not None), key=lambda each: each.when)

    def stack(self, moment: Moment | None = None) -> list[str]:
        """The names of the calls, innermost first."""
        return [each.name for each in self.timeline.stack(moment or self.last())]

    def last_in(self, function: str) -> Moment:
        """The last moment at which a function was the innermost."""
        found = [each for each in self.timeline.moments() if self.stack(each)[:1] == [function]]
        return found[-1]

    def frame(self, function: str, moment: Moment | None = None) -> RecordedFrame:
        """The innermost call of a function at a moment."""
        stack = self.timeline.stack(moment or self.last())
        return next(each for each in stack if each.name == function)

    def values(self, function: str, moment: Moment | None = None) -> dict[str, str]:
        """The variables of a call as they are shown."""
        moment = moment or self.last()
        values = ValuesAt(self.timeline, moment.when)
        parts = values.variables(self.frame(function, moment).owner)
        return {each.name: values.text(each.value) for each in parts}

    def changed(self, expression: str, function: str, moment: Moment) -> Changed | None:
        """Where something was last changed."""
        frame = self.frame(function, moment)
        return last_change_of(self.timeline, Expression(expression), frame, moment.when)


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a file; whoever is not its owner may not."""
    assert path.stat().st_mode & 0o777 == 0o600
    file = open_recording(path)
    try:
        yield Opened(file)
    finally:
        file.close()
