"""The list over the prompt: names to complete, or a search in what was typed before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING

from tuidbg.tui.console.popup import ConsolePopup

if TYPE_CHECKING:
    from tuidbg.tui.console.input import ConsoleInput


class ConsoleAid:
    """Helps to fill a ``ConsoleInput``. ``search_changed`` is called at its begin and end."""

    def __init__(self, line: ConsoleInput) -> None:
        self.popup = ConsolePopup()
        self.search_changed: Callable[[], None] = lambda: None
        self._input = line
        self._names: tuple[str, ...] = ()
        self._names_start = 0
        self._unsearched: str | None = None

    @property
    def is_active(self) -> bool:
        """Tells whether there is a list over the line, or a search in it."""
        return self.popup.display or self.is_searching

    @property
    def is_searching(self) -> bool:
        """Tells whether what is typed is looked for in the history."""
        return self._unsearched is not None

    def close(self) -> bool:
        """Take the list away, and end a search without a choice; whether there was one."""
        if not self.is_active:
            return False
        self._end_list()
        if self._unsearched is not None:
            text, self._unsearched = self._unsearched, None
            self._input.put(text)
            self.search_changed()
        return True

    def _end_list(self) -> None:
        self.popup.close()
        self._names = ()

    def move(self, by: int) -> None:
        """Select another of the list."""
        if self.popup.items:
            self.popup.move(by)

    def accept(self) -> None:
        """Take over what is selected."""
        choice = self.popup.choice if self.popup.items else None
        if choice is None or self.is_searching:
            self.close()
            if choice is not None:
                self._input.recall(choice)
            return
        self._end_list()
        self._input.replace(choice, self._names_start, self._input.cursor_position)

    def search(self) -> None:
        """Begin a search in what was typed before; again: the next older one."""
        if self.is_searching:
            self.move(1)
            return
        self.close()
        self._unsearched = self._input.value
        self._input.put("")
        self.search_changed()
        self._find()

    def _find(self) -> None:
        query = self._input.value.lower()
        newest_first = dict.fromkeys(reversed(self._input.history))
        self._show([text for text in newest_first if query in text.lower()], 0)

    def show_names(self, text: str, start: int, names: Sequence[str]) -> bool:
        """Show what could stand from ``start`` on, of ``text`` as it was when they were asked for.

        What they have in common is put in at once, the only one too. False where none fits what
        stands there by now.
        """
        line = self._input
        self._names, self._names_start = tuple(names), start
        fitting = self._fitting()
        if self.is_searching or line.value[:start] != text[:start] or not fitting:
            self._names = ()
            return False
        word = line.value[start : line.cursor_position]
        common = commonprefix([n for n in fitting if n.startswith(word)])  # noqa: RUF071
        if len(fitting) == 1:
            self._end_list()
            line.replace(fitting[0], start, line.cursor_position)
            return True
        if len(common) > len(word):
            line.replace(common, start, line.cursor_position)
        self._show(self._fitting(), start)
        return True

    def _fitting(self) -> tuple[str, ...]:
        """Those names that go with what stands there by now."""
        cursor = self._input.cursor_position
        word = self._input.value[self._names_start : cursor]
        if cursor < self._names_start or (word and not word.isidentifier()):
            return ()
        from tuidbg.session.evaluation.prompt import rank_names

        return rank_names(self._names, word)

    def follow_typing(self) -> None:
        """Something else stands in the line now."""
        if self.is_searching:
            self._find()
        elif self.popup.display:
            self._show(self._fitting(), self._names_start)

    def _show(self, items: Sequence[str], at: int) -> None:
        if not items:
            self._end_list()
            return
        cell = self._input.cell_of(at)
        self.popup.show(items, column=self._input.column + cell, below=self._input.rows)
