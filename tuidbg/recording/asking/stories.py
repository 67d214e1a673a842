"""All values that something had, one after another: a variable, or a path as ``self.items[3]``."""

from __future__ import annotations

from tuidbg.recording.asking.changes import Changed, all_changes, last_change, parts_of
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown, Reader
from tuidbg.recording.segment import UNBOUND
from tuidbg.recording.timeline import PastFrame, Timeline


def story_of(
    timeline: Timeline, expression: Expression, frame: PastFrame, when: int, most: int
) -> list[Changed]:
    """The last changes up to a moment, the oldest first, for as long as the path leads anywhere.

    They are those that ``last_change_of`` gives one by one, read in one go for each stretch in
    which the path leads to the same. Raises NotKnown where it leads nowhere at that moment.
    """
    newest_first: list[Changed] = []
    reader = Reader(timeline)
    while len(newest_first) < most:
        try:
            places = expression.place(reader.at(when, frame.owner, frame.space))
        except NotKnown:
            if newest_first:
                break
            raise
        *way, end = parts_of(places)
        turns = [last_change(timeline, owner, key, when) for owner, key in way]
        turn = max(
            (each for each in turns if each is not None and each.old != UNBOUND),
            key=lambda each: each.when,
            default=None,
        )
        since = turn.when if turn is not None else -1
        stretch = [each for each in all_changes(timeline, *end, when, most) if each.when > since]
        newest_first += reversed(stretch)
        if turn is None:
            break
        newest_first.append(turn)
        when = turn.when - 1
    return newest_first[most - 1 :: -1] if len(newest_first) > most else newest_first[::-1]
