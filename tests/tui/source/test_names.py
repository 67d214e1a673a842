"""Names in a line of source: told from strings, comments, keywords, calls and arguments."""

from __future__ import annotations

import pytest

from tuidbg.tui.panes.source.names import find_names
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import Highlighter, preload


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("total = price * qty", ["total", "price", "qty"]),
        ("x = order.price.net + 1", ["x", "order", "order.price", "order.price.net"]),
        ('x = "abc def" # ghi', ["x"]),
        ('x = f"{total} is {order.price!r}"', ["x", "total", "order", "order.price"]),
        ("x = f(a, key=b)[c].d", ["x", "f", "a", "b", "c"]),
        ("x = 1e5 + 0xff + 3.real", ["x"]),
        ("def f(a, b=1, *args, **more):", ["f", "a", "b", "args", "more"]),
        ("if x == 1 and None is not True: pass", ["x"]),
        ("größe = naïve", ["größe", "naïve"]),
        ("", []),
        ("    )", []),
    ],
)
def test_the_names_of_a_line(line: str, names: list[str]) -> None:
    preload()
    document = SourceDocument.from_text("x.py", line + "\n")
    found = find_names(line, Highlighter(document).runs(1) if line else ())
    assert [name.expression for name in found] == names
    for name in found:
        assert line[name.start : name.end] == name.expression.rpartition(".")[2]


def test_text_in_a_string_of_many_lines_has_none() -> None:
    preload()
    document = SourceDocument.from_text("x.py", 'text = """\nnot a name\n"""\n')
    highlighter = Highlighter(document)
    assert find_names(document.lines[1], highlighter.runs(2)) == []


def test_a_long_line_takes_no_time() -> None:
    assert len(find_names("a = " * 100_000, ())) == 250
