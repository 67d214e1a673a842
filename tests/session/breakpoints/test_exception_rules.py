"""Exception rules: what is a type, and what is a moment that somebody took for one."""

from __future__ import annotations

import pytest

from tuidbg.session.core.breakpoints.kinds.exceptions import check_rule, find_moment
from tuidbg.session.model.errors import InvalidSetting
from tuidbg.session.model.state import ExceptionRule


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        *((each, each) for each in ("raised", "uncaught", "user_uncaught", "caught")),
        ("user", "user_uncaught"),
        ("user-uncaught", "user_uncaught"),
        ("userUnhandled", "user_uncaught"),
        ("unhandled", "uncaught"),
        ("rai", "raised"),
    ],
)
def test_a_moment_is_no_type(word: str, moment: str) -> None:
    assert find_moment(word) == moment
    with pytest.raises(InvalidSetting, match=f"{word} is no type, it means the moment {moment};"):
        check_rule(ExceptionRule(type=word))


@pytest.mark.parametrize(
    "name", ["error", "timeout", "User", "Uncaught", "shop.user", "f.<locals>.raised", "un", "e"]
)
def test_a_type_may_begin_with_a_small_letter(name: str) -> None:
    assert find_moment(name) == ""
    assert check_rule(ExceptionRule(type=f" {name} ")).type == name


def test_any_type_is_no_name() -> None:
    assert check_rule(ExceptionRule()).type == ""
    for name in ("all", "any", "none"):
        with pytest.raises(InvalidSetting, match=f"{name} is no type"):
            check_rule(ExceptionRule(type=name))
