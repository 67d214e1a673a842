"""What a breakpoint's conditions and place must be like; pure, so that every front end can ask."""

from __future__ import annotations

import re
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


_HIT_CONDITION = re.compile(r"(==|>=|<=|>|<|%)?\s*([0-9]+)")


def read_hit_condition(hit_condition: str) -> tuple[str, int] | None:
    """The operator and the number of ``>5``, ``%3`` or ``7``; None where there is none (R003-109).

    A bare number is ``==``. Raises ValueError with a sentence for anything else.
    """
    text = hit_condition.strip()
    if not text:
        return None
    found = _HIT_CONDITION.fullmatch(text)
    if found is None:
        raise ValueError("write a number, or one after >, >=, ==, <, <= or %, such as >5 or %10")
    operator, number = found[1] or "==", int(found[2])
    if operator == "%" and number == 0:
        raise ValueError("%0 would never stop; the number after % counts from 1")
    return operator, number


def nearest_line(lines: tuple[int, ...], line: int) -> int | None:
    """The line of ``lines`` nearest to ``line``, the one below where two are as near."""
    return min(lines, key=lambda other: (abs(other - line), other < line), default=None)
