"""What a breakpoint's condition and place must be like; pure, so that every front end can ask."""

from __future__ import annotations

import warnings

from tuidbg.session.errors import InvalidCondition


def check_condition(condition: str) -> None:
    """Raises InvalidCondition with Python's own words where it does not compile."""
    if not condition.strip():
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `x is 1` would write to the terminal
            compile(condition.strip(), "<condition>", "eval")
    except SyntaxError as error:
        place = f" (column {error.offset})" if error.offset else ""
        raise InvalidCondition(f"{type(error).__name__}: {error.msg}{place}") from None
    except (MemoryError, RecursionError):
        raise InvalidCondition("the condition is too complicated") from None
    except (ValueError, OverflowError) as error:
        raise InvalidCondition(str(error)) from None


def nearest_line(lines: tuple[int, ...], line: int) -> int | None:
    """The line of ``lines`` nearest to ``line``, the one below where two are as near."""
    return min(lines, key=lambda other: (abs(other - line), other < line), default=None)
