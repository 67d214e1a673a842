"""What is taken out of values and of whole messages, whoever has made them."""

from __future__ import annotations

from typing import Any

import pytest

from tuidbg.adapters.languages import PYTHON
from tuidbg.session.core import redaction
from tuidbg.session.core.hits.log_messages import find_secrets
from tuidbg.session.core.redaction import Redaction, mark_siblings
from tuidbg.session.model.state import Variable

HIDDEN = redaction.REDACTED


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("[ValueError('x')]", f"[ValueError({HIDDEN}"),
        ("{'a': Refused('x', 3)}", f"{{'a': Refused({HIDDEN}"),
        ("[Refused(3, 'x')]", f"[Refused({HIDDEN}"),
        ("[<HTTPError 404: 'x'>]", f"[<HTTPError{HIDDEN}"),
        ("Event(error=KeyError('x'))", f"Event(error=KeyError({HIDDEN}"),
        ("[ValueError(), Account(name='ada')]", "[ValueError(), Account(name='ada')]"),
        ("deque([Decimal('1'), set()])", "deque([Decimal('1'), set()])"),
        ("<main.Account object at 0x7f>", "<main.Account object at 0x7f>"),
    ],
)
def test_no_message_of_an_exception_is_told_wherever_it_is(value: str, shown: str) -> None:
    found = Variable(name="found", value=value)
    with redaction.hidden(Redaction.TEXTS):
        assert redaction.variable(found).value == shown
    with redaction.hidden(Redaction.NAMES):
        assert redaction.variable(found).value == value


def test_an_object_that_may_be_an_exception_is_not_looked_into() -> None:
    with redaction.hidden(Redaction.TEXTS):
        found = redaction.variable(Variable(name="e", value="Refused('x')", reference=7, handle=8))
    assert (found.value, found.reference, found.handle) == (f"Refused({HIDDEN}", 0, 0)


MESSAGES: list[tuple[Any, Any]] = [
    ({"password": "x"}, {"password": HIDDEN}),
    ({"tokens": ["x", 3, None, True]}, {"tokens": [HIDDEN, HIDDEN, None, True]}),
    ({"name": "password", "value": "x"}, {"name": "password", "value": HIDDEN}),
    (
        {"name": "a", "evaluateName": "a.token", "value": "x", "variablesReference": 3},
        {"name": "a", "evaluateName": "a.token", "value": HIDDEN, "variablesReference": 0},
    ),
    (
        {"expression": "token", "old": {"name": "a", "value": "x"}, "new": None},
        {"expression": "token", "old": {"name": "a", "value": HIDDEN}, "new": None},
    ),
    (
        {"name": "tokens", "children": [{"name": "0", "value": "x"}]},
        {"name": "tokens", "children": [{"name": "0", "value": HIDDEN}]},
    ),
    (
        {"columns": ["place", "password"], "rows": [["a.py:1", "x"]]},
        {"columns": ["place", "password"], "rows": [["a.py:1", HIDDEN]]},
    ),
    (["--password", "x", "y"], ["--password", HIDDEN, "y"]),
    ({"session_id": "s", "frames": [{"name": "get_token", "line": 3}]}, None),
]


@pytest.mark.parametrize(("message", "shown"), MESSAGES)
def test_a_message_has_nothing_behind_the_name_of_a_secret(message: Any, shown: Any) -> None:
    assert redaction.sent(message) == message
    for level in (Redaction.NAMES, Redaction.TEXTS):
        with redaction.hidden(level):
            assert redaction.sent(message) == (message if shown is None else shown)


def test_calls_are_told_to_who_has_made_them() -> None:
    with redaction.hidden(Redaction.NAMES, "agent"):
        assert redaction.call("agent", "result: 3") == "result: 3"
        assert redaction.call("owner", "result: 3") == HIDDEN
    with redaction.hidden(Redaction.TEXTS, "agent"):
        assert redaction.call("agent", "result: 3") == HIDDEN
    assert redaction.call("owner", "result: 3") == "result: 3"


def test_of_a_hit_the_values_of_secrets_are_left_out() -> None:
    assert find_secrets("{a}\x1f{password}\x1fx", PYTHON) == (False, True, False)
    assert find_secrets("{broken", PYTHON) is None
    with redaction.hidden(Redaction.NAMES):
        assert redaction.values("1\x1f2", are_secret=(False, True)) == f"1\x1f{HIDDEN}"
        assert redaction.values("1\x1f2\x1f3", are_secret=(False, True)) == HIDDEN
        assert redaction.values("1", are_secret=None) == HIDDEN
        assert redaction.values("1", are_secret=(False,)) == "1"
    assert redaction.values("1", are_secret=None) == "1"


def test_items_are_secrets_where_what_is_beside_them_says_so() -> None:
    named = [Variable(name="password", value="'x'"), Variable(name="user", value="'y'")]
    items = [Variable(name=str(i), value=each.value) for i, each in enumerate(named)]
    assert [each.is_secret for each in mark_siblings([*named, *items])] == [
        False,
        False,
        True,
        False,
    ]
    assert [each.is_secret for each in mark_siblings(items, named)] == [True, False]
    words = [Variable(name=str(i), value=f"'{w}'") for i, w in enumerate(["--token", "x", "y"])]
    assert [each.is_secret for each in mark_siblings(words)] == [False, True, False]
