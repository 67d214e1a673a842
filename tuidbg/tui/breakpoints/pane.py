"""The breakpoints pane: every breakpoint by its file, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import Breakpoint, BreakpointStatus
from tuidbg.tui.breakpoints.rows import (
    NO_FILE,
    Group,
    Look,
    groups_of,
    has_any,
    heading_of,
    rows_of,
)
from tuidbg.tui.keys.modes import Hint, Mode, given
from tuidbg.tui.widgets.rows import Row, RowsPane

Made = dict[int, tuple[Breakpoint, Look, list[Row]]]
"""Maps numbers to what was shown of a breakpoint, how, and its rows."""


class BreakpointsPane(RowsPane):
    """The list of breakpoints: those of the file that is shown first, the other files folded."""

    EMPTY = "No breakpoints: b sets one at the cursor"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "enable", "Enable or disable", show=False),
        Binding("right", "open", "Unfold a file", show=False),
        Binding("left", "close", "Fold a file, or go to its heading", show=False),
        Binding("d,delete", "delete", "Delete", show=False),
        Binding("E", "enable_group", "Enable or disable the group", show=False),
        Binding("D", "delete_group", "Delete the group", show=False),
    ]

    class Chosen(Message):
        """A breakpoint was activated: go there, or take the suggested line."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class EnableToggled(Message):
        """A breakpoint is to be enabled or disabled."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Deleted(Message):
        """A breakpoint is to be deleted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupEnableToggled(Message):
        """The group of a breakpoint is to be enabled or disabled."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class GroupDeleted(Message):
        """The group of a breakpoint is to be deleted."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._breakpoints: Sequence[Breakpoint] = ()
        self._hit: Sequence[int] = ()
        self._is_muted = False
        self._shown_path: Callable[[str], str] = str
        self._file = NO_FILE
        self._here = NO_FILE  # the last one that was shown and has breakpoints
        self._folds: dict[str, bool] = {}  # what a person has folded or unfolded
        self._groups: list[Group] = []
        self._made: Made = {}
        self._width = 0

    def show_breakpoints(
        self,
        breakpoints: Sequence[Breakpoint],
        hit: Sequence[int] = (),
        shown_path: Callable[[str], str] = str,
        *,
        is_muted: bool = False,
    ) -> None:
        """Show these; those of ``hit`` are what the program stands at; ``is_muted``: none stops it.

        Called at every count that changes: the rows of the others are kept as they are.
        ``shown_path`` gives a path as a person would give it.
        """
        new = self._made_by_hand(breakpoints)
        self._breakpoints, self._hit, self._shown_path = breakpoints, hit, shown_path
        self._is_muted = is_muted
        self._rebuild()
        is_here = self.is_attached and self.screen.focused is self
        if is_here and any(row.key == new for row in self.rows):
            self.move_cursor_to(new)

    def _made_by_hand(self, breakpoints: Sequence[Breakpoint]) -> int | None:
        """The number of the one that the person has just set: what comes next is about that."""
        known = {found.number for found in self._breakpoints}
        new = [found for found in breakpoints if found.number not in known]
        is_one = len(new) == 1 and len(breakpoints) == len(known) + 1
        return new[0].number if is_one and new[0].origin == "tui" else None

    def show_file(self, path: str) -> None:
        """Show the breakpoints of this file first; as long as it has none, all stays as it is."""
        self._file = path
        if path != self._here:
            self._rebuild()

    def _rebuild(self) -> None:
        if has_any(self._breakpoints, self._file):
            self._here = self._file
        self._groups = groups_of(self._breakpoints, self._here)
        made, self._made = self._made, {}
        rows = list(self._rows_of_all(made))
        self._leave_folded(rows)
        self.set_rows(rows)

    def _rows_of_all(self, made: Made) -> Iterator[Row]:
        if not self._has_headings:
            yield from self._rows_of(self._breakpoints, made, has_heading=False)
            return
        for group in self._groups:
            is_open = self._is_open(group.key)
            path = self._shown_path(group.key)
            yield heading_of(group, path, self._hit, is_open=is_open)
            if is_open:
                yield from self._rows_of(group.breakpoints, made, has_heading=True)

    def _rows_of(
        self, breakpoints: Sequence[Breakpoint], made: Made, *, has_heading: bool
    ) -> Iterator[Row]:
        digits = len(str(max((found.number for found in self._breakpoints), default=1)))
        for found in breakpoints:
            is_hit = found.number in self._hit
            look = Look(is_hit, digits, self._width, has_heading, self._is_muted)
            kept = made.get(found.number)
            if kept is None or kept[0] is not found or kept[1] != look:
                kept = (found, look, rows_of(found, look))
            self._made[found.number] = kept
            yield from kept[2]

    def _leave_folded(self, rows: Sequence[Row]) -> None:
        """Put the cursor on the heading of what is folded now."""
        number = self.cursor_number
        if number is None or any(row.key == self.cursor_key for row in rows):
            return
        if any(row.key == number for row in rows):
            self.move_cursor_to(number)
        elif (group := self._group_of(number)) is not None:
            index = next((i for i, row in enumerate(rows) if row.key == ("group", group)), None)
            if index is not None:
                self.set_rows(rows)
                self.cursor = index

    # Folding

    @property
    def _has_headings(self) -> bool:
        """Returns whether there is more than one file: a heading for one would only take room."""
        return sum(group.key != NO_FILE for group in self._groups) > 1

    def _is_open(self, key: str) -> bool:
        return self._folds.get(key, key in (self._here, NO_FILE))

    def _group_of(self, number: int) -> str | None:
        for group in self._groups:
            if any(found.number == number for found in group.breakpoints):
                return group.key
        return None

    @property
    def cursor_group(self) -> str | None:
        """The group whose heading is under the cursor."""
        match self.cursor_key:
            case ("group", str(key)):
                return key
        return None

    def _fold(self, key: str, is_open: bool) -> None:
        self._folds[key] = is_open
        before = len(self.rows)
        self._rebuild()
        self._show_below(len(self.rows) - before)

    def _show_below(self, count: int) -> None:
        """Have in sight what was unfolded below the cursor, as much of it as there is room for."""
        last = self.cursor + count
        if count > 0 and last >= self.scroll_offset.y + self.size.height:
            self._scroll_at_once(min(self.cursor, last - self.size.height + 1))

    def action_open(self) -> None:
        """Unfold the group under the cursor."""
        if (key := self.cursor_group) is not None:
            self._fold(key, True)

    def action_close(self) -> None:
        """Fold the group under the cursor; from a breakpoint, go to its group's heading."""
        if (key := self.cursor_group) is not None:
            self._fold(key, False)
        elif (number := self.cursor_number) is not None:
            self.move_cursor_to(("group", self._group_of(number)))

    def on_resize(self) -> None:
        super().on_resize()
        if (width := self.size.width - 1) != self._width:
            self._width = width
            self._rebuild()

    # What is asked for

    @property
    def cursor_number(self) -> int | None:
        """The number of the breakpoint under the cursor, also where its refusal goes on."""
        match self.cursor_key:
            case int(number) | ("why", int(number), _):
                return number
        return None

    @property
    def key_mode(self) -> Mode:
        """Tells what can be done with the breakpoint under the cursor."""
        found = next((b for b in self._breakpoints if b.number == self.cursor_number), None)
        if found is None:
            return Mode()
        hints = [
            Hint("space", "on, off"),
            Hint("d", "delete"),
            given("edit_breakpoint", "edit"),
            Hint("enter", "go there"),
        ]
        if found.status is not BreakpointStatus.SET and found.message:
            hints.insert(0, given("explain_breakpoint", "why"))
        return Mode(hints=hints)

    def action_activate(self) -> None:
        if (number := self.cursor_number) is not None:
            self.post_message(self.Chosen(number))
        elif (key := self.cursor_group) is not None:
            self._fold(key, not self._is_open(key))

    def action_enable(self) -> None:
        """Enable or disable the breakpoint under the cursor; fold or unfold a group."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.EnableToggled(number))
        elif (key := self.cursor_group) is not None:
            self._fold(key, not self._is_open(key))

    def action_delete(self) -> None:
        """Delete the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.Deleted(number))

    def action_enable_group(self) -> None:
        """Enable or disable the group of the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupEnableToggled(number))

    def action_delete_group(self) -> None:
        """Delete the group of the breakpoint under the cursor."""
        if (number := self.cursor_number) is not None:
            self.post_message(self.GroupDeleted(number))
