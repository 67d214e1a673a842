"""All of a recorded value, as text and as JSON."""

from __future__ import annotations

import json

from tests.recording.made import Made
from tuidbg.recording.segment import ALL, INDEX, LENGTH, Token
from tuidbg.recording.values import ValuesAt, Whole


def cart(made: Made) -> Token:
    """An object with long and short parts, some of which were left out, and which holds itself."""
    names = made.object("l", "list", [f"name {number}" for number in range(12)])
    prices = made.object("d", "dict", [])
    for key, price in (("tea", 3.5), ("milk", float("inf")), (7, None)):
        made.change(prices, made.key(key, "k"), price)
    made.change(prices, LENGTH, 3)
    many = made.object("l", "list")
    made.change(many, INDEX, True)
    made.change(many, LENGTH, 1000)
    found = made.object("i", "Cart")
    attributes: list[tuple[str, Token]] = [
        *(("names", [names]), ("prices", [prices]), ("many", [many]), ("me", [found])),
        *(("pair", ["t", [1, ["t", []]]]), ("note", ["s", "x" * 200, 400])),
        ("raw", ["b", "bytes", "b'ab'"]),
    ]
    for name, value in attributes:
        made.change(found, made.key(name), value)
    return [found]


def test_long_values_have_a_line_for_each_part() -> None:
    made = Made()
    token = cart(made)
    made.at(made.call("main", 10), 11, cart=token)
    whole = Whole(ValuesAt(made.cut(), made.now), 10_000)
    lines = whole.text(token).split("\n")
    assert lines[:2] == ["Cart(", "    names=["]
    assert lines[2:14] == [f"        'name {number}'," for number in range(12)]
    assert lines[14:] == [
        "    ],",
        "    prices={'tea': 3.5, 'milk': inf, 7: None},",
        "    many=[",
        "        True,",
        "        … (1,000 in all)",
        "    ],",
        "    me=…,",
        "    pair=(1, ()),",
        f"    note='{'x' * 200}'… (400 characters),",
        "    raw=b'ab',",
        ")",
    ]
    assert not whole.is_whole


def test_json_has_what_was_recorded_and_says_that_it_is_not_all() -> None:
    made = Made()
    token = cart(made)
    made.at(made.call("main", 10), 11, cart=token)
    values = ValuesAt(made.cut(), made.now)
    whole = Whole(values, 10_000)
    found = json.loads(json.dumps(whole.json(token)))
    assert found["names"][:2] == ["name 0", "name 1"]
    assert found["prices"] == {"tea": 3.5, "milk": "inf", "7": None}
    assert (found["many"], found["pair"], found["raw"]) == ([True], [1, []], "b'ab'")
    assert found["me"] == "…"
    assert found["note"].startswith("'xxx")
    assert not whole.is_whole
    whole = Whole(values, 10_000)
    assert whole.json(["t", [1, "a", None, True]]) == [1, "a", None, True]
    assert whole.is_whole


def test_it_ends_at_its_limit() -> None:
    made = Made()
    token: Token = "leaf" * 20
    for _ in range(50):
        token = [made.object("l", "list", [token, token])]
    made.at(made.call("main", 10), 11, deep=token)
    values = ValuesAt(made.cut(), made.now)
    for write in (Whole.text, Whole.json):
        whole = Whole(values, 5_000)
        assert len(str(write(whole, token))) < 50_000
        assert not whole.is_whole


def test_of_very_large_values_the_beginning_is_shown() -> None:
    made = Made()
    main = made.call("main", 10)
    rows = made.object("l", "list")
    made.change(rows, ALL, ["t", list(range(10**5))])
    made.change(rows, LENGTH, 10**5)
    node: Token = None
    for _ in range(20_000):
        number = made.object("i", "Node")
        made.change(number, made.key("next"), node)
        node = [number]
    made.at(main, 11, rows=[rows], pair=["t", list(range(10**5))], chain=node, text="x" * 10**7)
    values = ValuesAt(made.cut(), made.now)
    found = {part.name: part.value for part in values.variables(main)}
    assert values.text(found["rows"]).endswith(", …]")
    assert values.text(found["pair"]).endswith(", …)")
    assert values.text(found["chain"]) == "Node(next=Node(next=Node(next=…)))"
    assert len(values.text(found["text"])) == 400
    assert [values.count(found[name]) for name in ("rows", "pair", "chain")] == [10**5, 10**5, 1]
    for name in ("rows", "pair", "chain"):
        whole = Whole(values, 10_000)
        assert len(whole.text(found[name])) < 20_000
        assert not whole.is_whole
