"""The source pane of a session: a document, the program's position, marks, the title."""

from __future__ import annotations

from pathlib import Path

from tuidbg.config.launch import archive_of, is_in_zip
from tuidbg.session.core.breakpoints.store import lines_of
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.inspection import BYTECODE
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.model.state import Breakpoint, BreakpointKind, Frame, Place
from tuidbg.tui.panes.breakpoints.breakpoint_texts import explain_refusal, mark_of
from tuidbg.tui.panes.view.shown import PaneHost, ViewFocus
from tuidbg.tui.toolkit.text.document import DocumentError, SourceDocument
from tuidbg.tui.toolkit.widgets.rows import visible

NO_TEXT = """\
# The source of this code is not available:
# it is in no file and was not kept.
"""
"""Placeholder for the source of code compiled from a text at run time."""


class Documents:
    """The documents of one session, each read once; files edited since stay as run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._documents: dict[str, SourceDocument] = {}
        self._told_older: set[str] = set()
        self._without_text: set[str] = set()

    def has(self, path: str) -> bool:
        """Return whether the text of that source was read."""
        return path in self._documents

    def open(self, path: str) -> SourceDocument:
        """Return the file as the program runs it; raises DocumentError if it can't be read."""
        document = self._documents.get(path)
        if document is None:
            document = self._documents[path] = self._load(path)
        return document

    async def fetch(self, place: Place) -> None:
        """Fetch a source that is not available here from the program. Raises DebuggerError."""
        path = place.path
        self._without_text.discard(path)
        if place.reference:
            source = await self._session.inspection.source(place.reference, path)
            text = source.content
            if source.mime_type == BYTECODE:
                self._without_text.add(path)
                text = NO_TEXT + "\n" * place.line  # so that it has the line, too
        else:
            text = await self._session.remote.text(path)
        self._documents[path] = SourceDocument.from_text(path, text)

    def must_be_fetched(self, place: Place) -> bool:
        """Return whether a place's source exists only in the program's place, unfetched."""
        known = self._documents.get(place.path)
        if known is not None:
            return place.path in self._without_text and place.line > len(known.lines)
        if place.reference:
            return not is_in_zip(place.path)
        if self._session.running_sources.kept(place.path) is not None:
            return False
        return self._session.is_attached and self._session.remote.is_elsewhere(place.path)

    def is_missing(self, frame: Frame) -> bool:
        """Return whether there is no source: unknown, or for native code a made-up path."""
        place = frame.place
        if place is None:
            return True
        if frame.address is None or self.has(place.path):
            return False
        return bool(place.reference) or not Path(place.path).is_file()

    def is_older(self, document: SourceDocument) -> bool:
        """Return whether the program runs an older text than the file has now."""
        self._session.running_sources.take(document.key)
        if self._session.running_sources.is_older(document.key):
            return True
        self._told_older.discard(document.key)
        return False

    def take_telling(self, document: SourceDocument) -> bool:
        """Mark the older text as reported; return whether it is the first time."""
        is_new = document.key not in self._told_older
        self._told_older.add(document.key)
        return is_new

    def _load(self, path: str) -> SourceDocument:
        """Return the file as the program runs it; raises DocumentError if it can't be read."""
        running = self._session.running_sources
        if (kept := running.kept(path)) is not None:
            return SourceDocument.from_text(path, kept)
        document = SourceDocument.load(path)
        running.take(path)
        if running.is_older(path) and (text := running.text(path)) is not None:
            document.show_older(text)
            self._told_older.add(path)
        return document


class SourceView:
    """The source of the selected frame, or a file opened by the user."""

    def __init__(self, session: Session, focus: ViewFocus, shown: PaneHost) -> None:
        self._session = session
        self._focus = focus
        self._shown = shown
        self._pane = shown.source
        self._documents = Documents(session)
        self.document: SourceDocument | None = None

    def show_nothing(self) -> None:
        """Clear the execution marks: the program is not stopped."""
        self._pane.set_execution(None, None)
        self._pane.set_exception("")

    def show_frame(self, frame: Frame) -> None:
        """Show the line of a frame."""
        place = frame.place
        if self._documents.is_missing(frame):
            why = f"No source for {frame.name}"
            if self._shown.code.show_instead(why):
                return
            if place is None:
                self._shown.status.show_hint(why, "warning")
        if place is None:
            return
        if self._documents.must_be_fetched(place):
            self._shown.run_in_background("source", self._fetch, place, frame)
        elif self.open(place.path):
            self._show_execution()
            self._shown.code.show_source_again()

    async def _fetch(self, place: Place, frame: Frame) -> None:
        await self._documents.fetch(place)
        if self._focus.frame is frame:
            self.show_frame(frame)

    def _show_execution(self) -> None:
        """Mark the current line and the selected frame's, if they are in this document."""
        key = self.document.key if self.document is not None else ""
        top, frame = self._focus.top, self._focus.frame
        current = top.place.line if top and top.place and top.place.path == key else None
        selected = frame.place.line if frame and frame.place and frame.place.path == key else None
        is_past = self._focus.moment is not None
        self._pane.set_execution(current, selected, follow=True, is_past=is_past)
        self.show_exception()

    def show_exception(self) -> None:
        """Show a known exception at the program's line."""
        stop, words = self._session.stop, ""
        if (
            self._focus.moment is None
            and stop is not None
            and stop.thread_id == self._focus.thread_at(stop.id)
        ):
            words = word_stop(stop).raised_briefly
        self._pane.set_exception(visible(words))

    def open(self, path: str, line: int | None = None) -> bool:
        """Show a file; False (and a hint) if it can't be read."""
        try:
            document = self._documents.open(path)
        except DocumentError as error:
            self._shown.status.show_hint(str(error), "error")
            return False
        if document is not self.document:
            self.document = document
            self._pane.show(document, line=line)
            self.show_marks()
            self._shown.breakpoints.show_file(document.key)
            self._show_execution_elsewhere()
        elif line is not None:
            self._pane.show(document, line=line)
        self.show_title()
        return True

    def _show_execution_elsewhere(self) -> None:
        key = self.document.key if self.document is not None else ""
        if not any(f.place and f.place.path == key for f in self._focus.frames):
            self._pane.set_execution(None, None)

    async def check(self) -> None:
        """Read the shown file again if it has changed on disk, unless the program runs it older."""
        document = self.document
        if document is None:
            return
        if self._documents.is_older(document):
            self._tell_older(document)
            return
        if not document.has_changed_on_disk():
            return
        try:
            document.reload()
        except DocumentError as error:
            self._shown.status.show_hint(str(error), "warning")
            return
        self._pane.refresh_document()
        self.show_title()
        await self._session.breakpoints.source_changed(document.key)

    def _tell_older(self, document: SourceDocument) -> None:
        """Report an older text once for each file; the title keeps showing it."""
        if not self._documents.take_telling(document):
            return
        self.show_title()
        if self._session.restarts_on_change:
            return  # which shows it
        key = self._shown.key_map.key_of("restart")
        self._session.notify(
            f"{document.name} has changed on disk; the program still runs the older code, which is"
            f" shown{f' ({key} restarts it)' if key else ''}",
            "warning",
        )

    def show_marks(self) -> None:
        """Show the breakpoints of the shown document."""
        if self.document is not None:
            registry = self._session.breakpoints.registry
            key = self.document.key
            # A line's own breakpoint hides that of a function beginning there.
            found = sorted(registry.of_file(key), key=lambda b: b.kind is BreakpointKind.LINE)
            is_muted = self._session.breakpoints.muted
            self._pane.set_marks(
                {line: mark_of(b, is_muted=is_muted) for b in found for line in lines_of(b, key)}
            )

    def breakpoint_at_cursor(self) -> Breakpoint | None:
        """Return the breakpoint on the source cursor's line."""
        if self.document is None:
            return None
        line = self._pane.cursor_line
        return self._session.breakpoints.registry.find(self.document.key, line)

    def show_title(self) -> None:
        """Set the title: the path, and notes on the line under the cursor."""
        title, document = self._shown.source_title, self.document
        if self._shown.shows_code:
            title.label, title.hint = map(visible, self._shown.code.title)
            title.hint_is_warning = False
            return
        if document is None:
            return
        title.label = visible(self.shown_path(document.key))
        found = self.breakpoint_at_cursor()
        title.hint = explain_refusal(found) if found is not None else ""
        title.hint_is_warning = bool(title.hint)
        if not title.hint and document.path is None and document.key.startswith("/"):
            title.hint = self._tell_no_file(document.key)
        if not title.hint and self._session.running_sources.is_older(document.key):
            way_out = self._shown.key_map.tell("restart", "runs the new one")
            title.hint = f"older code: the file has changed since{way_out}"
            title.hint_is_warning = True
        is_file = not document.key.startswith("<")  # others exist only in the program
        if not title.hint and is_file and self._session.sources.is_hidden(document.key):
            way_out = self._shown.key_map.tell("include_library", "stops here too")
            title.hint = f"a library: passed over{way_out}"

    def _tell_no_file(self, path: str) -> str:
        if self._session.running_sources.kept(path) is not None:
            return "recording (read-only)"
        archive = archive_of(path)
        if archive is not None:
            return f"in {archive.name} (read-only)"
        way_out = self._shown.key_map.tell("map_source", "looks for it here")
        return f"from the program (read-only){way_out}"

    def shown_path(self, path: str) -> str:
        """Return a path relative to the program's working directory."""
        base = self._session.plan.cwd.rstrip("/") + "/"
        return path.removeprefix(base) if base != "/" else path
