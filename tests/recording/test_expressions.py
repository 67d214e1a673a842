"""Expressions over recorded values: what they give, and what they say where that is not known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recording.made import SPACE, Made
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.segment import INDEX, LENGTH


def reader() -> MomentReader:
    made = Made()
    made.change(SPACE, made.key("limit"), 30)
    main = made.call("main", 10)
    inner = made.object("l", "list", [[99], "b", None])
    node = made.object("i", "Node")
    made.change(node, made.key("name"), "root")
    made.change(node, made.key("items"), [inner])
    table = made.object("d", "dict", [])
    made.change(table, LENGTH, 3)
    made.change(table, made.key("a", "k"), 1)
    made.change(table, made.key(1, "k"), "one")
    made.change(table, made.key(2, "k"), ["-"])
    long = made.object("l", "list", [0] * 5)
    made.change(long, LENGTH, 1000)
    made.at(
        main,
        11,
        node=[node],
        x=4,
        text="hello",
        far=["s", "abc", 500],
        pair=["t", [1, 2]],
        table=[table],
        long=[long],
        color=["b", "Color", "Color.RED"],
        raw=["b", "bytes", "b'x'"],
        handle=["o", "Socket", 77],
        gone=["-"],
    )
    made.cut()
    assert INDEX > 0
    return MomentReader(made.timeline).at(made.now, main, SPACE)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x", 4),
        ("x + 1 == 5 and not x > 10", True),
        ("-x // 3 ** 2 % 5 | 8", -4 // 9 % 5 | 8),
        ("2 < x <= limit", True),
        ("text + '!' * 3", "hello!!!"),
        ("text[0], text[-1], text[1:3]", ["t", ["h", "o", "el"]]),
        ("far[1], len(far)", ["t", ["b", 500]]),
        ("'ell' in text", True),
        ("node.name", "root"),
        ("node.items[1]", "b"),
        ("node.items[-1] is None", True),
        ("node.items[1:]", ["t", ["b", None]]),
        ("len(node.items)", 3),
        ("'b' in node.items", True),
        ("node.items == ['c', 'b', None]", NotKnown),
        ("node.items == ['b', None]", False),
        ("node is node", True),
        ("node == node", True),
        ("node is None or node.name", "root"),
        ("pair == (1, 2), pair == [1, 2]", ["t", [True, False]]),
        ("pair[1]", 2),
        ("max(pair), min(3, x), sum(pair), abs(-x)", ["t", [2, 3, 3, 4]]),
        ("any(pair), all((1, 0))", ["t", [True, False]]),
        ("table['a'], table[1], table[True]", ["t", [1, "one", "one"]]),
        ("'a' in table, 7 in pair", ["t", [True, False]]),
        ("'yes' if table else 'no'", "yes"),
        ("isinstance(x, int), isinstance(x, (str, list))", ["t", [True, False]]),
        ("isinstance(True, int), isinstance(node.items, list)", ["t", [True, True]]),
        ("isinstance(node, Node), isinstance(node, m.Node)", ["t", [True, True]]),
        ("raw == b'x', raw == b'y'", ["t", [True, False]]),
        ("color == color", True),
        ("x in {1, 4}", True),
        ("long[3]", 0),
        ("0 in long", True),
    ],
)
def test_values(text: str, value: Any) -> None:
    if value is NotKnown:
        with pytest.raises(NotKnown):
            Expression(text).evaluate(reader())
    else:
        assert Expression(text).evaluate(reader()) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "nothing has no recorded value"),
        ("gone", "gone has no recorded value"),
        ("node.other", "no recorded attribute other"),
        ("x.real", "Nothing was recorded in 4"),
        ("table[2]", "no recorded item 2"),
        ("table['z']", "no recorded item 'z'"),
        ("node.items[3]", "has no item 3"),
        ("long[30]", "too many"),
        ("9 in long", "Not all items"),
        ("sum(long)", "only 5"),
        ("far[7]", "first 3"),
        ("'z' in far", "beginning"),
        ("not node", "for its class to say"),
        ("isinstance(node, Base)", "what the class itself is called"),
        ("node == x", "for their classes"),
        ("handle.port", "Nothing was recorded"),
        ("x + text", "evaluated"),
        ("x / 0", "division by zero"),
        ("text * 10 ** 9", "too long"),
        ("2 ** 10 ** 9", "too large"),
        ("1 << 10 ** 9", "too large"),
        ("'%999999999d' % x", "formatted"),
        ("print(x)", "no code runs"),
        ("node.items.append(1)", "no code runs"),
        ("[y for y in pair]", "can't be asked"),
        ("lambda: 1", "can't be asked"),
        ("(x := 3)", "can't be asked"),
        ("x =", "no expression"),
        ("", "no expression"),
        ("x" * 3000, "too long"),
        ("(" * 900, "expression"),
        ("-" * 1900 + "x", "deep"),
    ],
)
def test_what_is_not_known_is_said(text: str, told: str) -> None:
    with pytest.raises(NotKnown, match=told) as caught:
        Expression(text).evaluate(reader())
    assert str(caught.value).endswith(".")


def test_it_tells_what_it_has_read() -> None:
    made = Made()
    main = made.call("main", 10)
    items = made.object("l", "list", [5])
    made.at(main, 11, items=[items])
    made.cut()
    found = MomentReader(made.timeline).at(made.now, main, SPACE)
    assert Expression("items[0]").evaluate(found) == 5
    assert {(main, made.key("items")), (items, INDEX), (items, LENGTH)} <= found.read
    found = found.at(made.now, main, SPACE)
    with pytest.raises(NotKnown):
        Expression("other").evaluate(found)
    assert not found.read
