"""The start screen's suggestions: recent programs, launch.json, tests, and dialogs.

A row's key is an ``Suggestion``; headings have none.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.config.project import project_folder
from tuidbg.config.stores.remembered import RecentProgram
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, shorten, visible

if TYPE_CHECKING:
    from tuidbg.config.launch_json.workspace import LaunchEntry
    from tuidbg.config.project_programs import ProjectTests

MOST_HERE, MOST_ELSEWHERE, MOST_ENTRIES = 8, 4, 12
"""Maximum rows of each section; more are in the line's history, or in a dialog."""

_READING = "reading…"


class Suggestion(NamedTuple):
    """The target of a row: command-line words in a folder, or a ``way`` (with its name).

    ``way`` is ``configuration``, ``choose``, ``launch`` or ``attach``; ``refused`` is the reason
    why it is unavailable.
    """

    words: tuple[str, ...] = ()
    cwd: str = ""
    way: str = ""
    name: str = ""
    refused: str = ""


class SuggestionRow(NamedTuple):
    """A row of unknown width."""

    title: str
    about: str
    offer: Suggestion | None


class Offers:
    """The sections of the list; slow ones are added later."""

    def __init__(self, recent: Sequence[RecentProgram], cwd: str, *, has_launch_file: bool) -> None:
        self._cwd = cwd
        project = project_folder("", cwd)
        here = [program for program in recent if _is_of(program, project)]
        self._here = here[:MOST_HERE]
        self._elsewhere = [program for program in recent if program not in here][:MOST_ELSEWHERE]
        self.history = [shlex.join(program.words) for program in reversed(here)]
        """Command lines of this project's programs, newest last."""
        self.tests: ProjectTests | None = None
        self.programs: Sequence[tuple[str, ...]] = ()
        """The command lines of this folder's programs."""
        self._entries: Sequence[LaunchEntry] | None = () if not has_launch_file else None
        self._launch_problem = ""
        self._has_launch_file = has_launch_file

    def take_entries(self, entries: Sequence[LaunchEntry], problem: str = "") -> None:
        """Set the configurations of launch.json, or its error."""
        self._entries, self._launch_problem = entries, problem.replace(f"{self._cwd}/", "")

    def rows(self, width: int, *, is_airy: bool) -> list[ListRow]:
        """Return the rows for so many cells; ``is_airy``: with blank ones between the sections."""
        is_new = not self._here and not self._elsewhere
        sections = [
            ("New here?", [_DEMO] if is_new else []),
            ("Recent programs", [*map(self._recent_line, self._here)]),
            ("Programs of this folder", [*self._program_lines()]),
            ("Tests", [*self._test_lines()]),
            ("launch.json", [*self._launch_lines()]),
            ("Recent elsewhere", [*map(self._recent_line, self._elsewhere)]),
            ("More", [*_WAYS] if is_new else [*_WAYS, _DEMO]),
        ]
        shown = [section for section in sections if section[1]]
        titles = max(22, min(36, width * 2 // 5))
        rows: list[ListRow] = []
        for heading, lines in shown:
            if rows and is_airy:
                rows.append(ListRow(None, ()))
            rows.append(ListRow(None, ((f" {heading}", "heading"),)))
            rows += [_row(line, titles, width) for line in lines]
        return rows

    # The sections

    def _recent_line(self, program: RecentProgram) -> SuggestionRow:
        is_module = program.kind == "module"
        name = f"-m {program.target}" if is_module else PurePath(program.target).name
        title = " ".join([name, *map(shlex.quote, program.args)])
        folder = program.cwd if is_module else str(PurePath(program.target).parent)
        offer = Suggestion(tuple(program.words), program.cwd or self._cwd)
        return SuggestionRow(title, _below(folder, self._cwd), offer)

    def _program_lines(self) -> Iterator[SuggestionRow]:
        """Yield the programs that were not run recently: recent ones are listed above."""
        known = {program.target for program in self._here}
        for words in self.programs:
            target = words[-1] if words[0] == "-m" else str(Path(self._cwd, words[0]))
            if target not in known:
                yield SuggestionRow(shlex.join(words), "", Suggestion(words, self._cwd))

    def _launch_lines(self) -> Iterator[SuggestionRow]:
        if not self._has_launch_file:
            return
        if self._entries is None:
            yield SuggestionRow(_READING, "", None)
        elif self._launch_problem:
            yield SuggestionRow(self._launch_problem, "", None)
        elif not self._entries:
            yield SuggestionRow("it has no configurations", "", None)
        for entry in (self._entries or ())[:MOST_ENTRIES]:
            offer = Suggestion(way="configuration", name=entry.name, refused=entry.obstacle)
            yield SuggestionRow(
                entry.name, entry.obstacle or f"{entry.request} {entry.target}", offer
            )
        if self._entries and len(self._entries) > MOST_ENTRIES:
            yield SuggestionRow(
                f"all {len(self._entries)}…", "with a filter", Suggestion(way="choose")
            )

    def _test_lines(self) -> Iterator[SuggestionRow]:
        tests = self.tests
        if tests is None:
            return
        if tests.failed:
            what = "the test" if tests.failed == 1 else f"the {tests.failed:,} tests"
            yield self._test_line(f"{what} that failed last", "--lf")
        files = "1 file" if tests.all_files == 1 else f"{tests.all_files:,} files"
        yield self._test_line(f"{files}; stops at failures")
        for file in tests.files if tests.all_files > 1 else ():
            yield self._test_line("changed last" if file == tests.files[0] else "", file)

    def _test_line(self, about: str, *arguments: str) -> SuggestionRow:
        words = ("--no-stop-on-entry", "-m", "pytest", *arguments)
        return SuggestionRow(
            shlex.join(("pytest", *arguments)), about, Suggestion(words, self._cwd)
        )


_WAYS = (
    SuggestionRow("attach…", "to a running process or debug server", Suggestion(way="attach")),
    SuggestionRow("launch…", "a program, with options", Suggestion(way="launch")),
)
_DEMO = SuggestionRow("demo", "a small program to try tuidbg on", Suggestion(("demo",)))


def _row(line: SuggestionRow, titles: int, width: int) -> ListRow:
    if line.offer is None:
        return ListRow(None, ((f"  {visible(line.title)}", "faint"),))
    style = "faint" if line.offer.refused else "name"
    about = shorten(line.about, 40) if line.about.startswith(os.sep) else line.about
    if not about:
        return ListRow(line.offer, ((f"  {cell(line.title, width - 2)}", style),))
    title = cell(line.title, titles)
    return ListRow(line.offer, ((f"  {title}", style), (f"  {visible(about)}", "faint")))


def _is_of(program: RecentProgram, project: Path) -> bool:
    """Return whether a program belongs to a project: by its path, or where it was run."""
    places = [program.cwd] if program.kind == "module" else [program.cwd, program.target]
    return any(Path(place).is_relative_to(project) for place in places if place)


def _below(folder: str, cwd: str) -> str:
    """Return a folder relative to ``cwd``; empty for ``cwd`` itself."""
    if folder == cwd:
        return ""
    inside = PurePath(folder).is_relative_to(cwd) and cwd != os.sep
    return os.path.relpath(folder, cwd) + os.sep if inside else folder
