"""A breakpoint goes with its line of code, or is lost; it never goes to another statement.

The edits stand in ``anchor_edits.txt``, as diffs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.counting import count_calls
from tuidbg.session.features.anchors.matching import (
    Anchor,
    FoundLine,
    UnfoundLine,
    find_anchor,
    make_anchor,
    reanchor,
)
from tuidbg.session.features.anchors.statements import Statements, make_key
from tuidbg.session.model.state import Breakpoint


@dataclass(frozen=True)
class Edit:
    """Two texts of a file, the breakpoint's line in the first and where it belongs in the second,
    nothing where it is to be lost."""

    before: str
    line: int
    after: str
    expected: int | None


def read_edits() -> dict[str, Edit]:
    """The table of edits by what is done in them."""
    table = Path(__file__).with_name("anchor_edits.txt").read_text(encoding="utf-8")
    _, *edits = table.split("\n== ")
    return dict(map(_read_edit, edits))


def _read_edit(text: str) -> tuple[str, Edit]:
    name, *lines = text.rstrip("\n").split("\n")
    texts: list[str] = []
    marked: list[int | None] = []
    for side in "-+":
        own = [line for line in lines if line[:1] in (side, " ", "")]
        texts.append("".join(line[2:] + "\n" for line in own))
        marked.append(next((i for i, line in enumerate(own, 1) if line[1:2] == ">"), None))
    assert marked[0] is not None, name
    return name, Edit(texts[0], marked[0], texts[1], marked[1])


EDITS = read_edits()
SHOP, LINE = EDITS["lines are put above"].before, EDITS["lines are put above"].line

MAY_BE_LOST = {
    # Honest answers, though a person who saw the edit would know better.
    "an open triple quote above",
    "equal lines of which one more is put above",
}


def follow(name: str) -> tuple[FoundLine | UnfoundLine, int | None]:
    """The answer for an edit, and the line that it should be."""
    edit = EDITS[name]
    return find_anchor(edit.after, make_anchor(edit.before, edit.line)), edit.expected


@pytest.mark.parametrize("name", EDITS)
def test_r001_edits_never_put_a_breakpoint_on_another_statement(name: str) -> None:
    found, expected = follow(name)
    if expected is None or (isinstance(found, UnfoundLine) and name in MAY_BE_LOST):
        assert isinstance(found, UnfoundLine)
    else:
        assert found == FoundLine(expected)


def test_at_least_25_of_30_edits_are_answered_right() -> None:
    answers = {name: follow(name) for name in EDITS}
    wrong = [
        name
        for name, (found, expected) in answers.items()
        if isinstance(found, FoundLine) and found.line != expected
    ]
    right = [
        name
        for name, (found, expected) in answers.items()
        if (found.line if isinstance(found, FoundLine) else None) == expected
    ]
    assert len(EDITS) >= 30
    assert wrong == []
    assert len(right) >= len(EDITS) * 25 / 30


def test_a_lost_line_names_the_likely_ones() -> None:
    found, _ = follow("a similar line takes its place")
    assert isinstance(found, UnfoundLine) and found.candidates[0] == 3
    twins = "def a(p):\n    p.add()\n\n\ndef b(p):\n    p.add()\n"
    anchor = make_anchor("def c(p):\n    x = p.add()\n    p.add()\n    return x\n", 3)
    assert find_anchor(twins, anchor) == UnfoundLine((2, 6))


def test_gone_without_anything_like_it() -> None:
    assert find_anchor("", make_anchor(SHOP, LINE)) == UnfoundLine(())
    assert find_anchor("import os\n", make_anchor(SHOP, LINE)) == UnfoundLine(())


def test_back_on_the_first_branch_it_is_there_again() -> None:
    branch = EDITS["the whole function is written anew"]
    anchor = make_anchor(branch.before, branch.line)
    assert isinstance(find_anchor(branch.after, anchor), UnfoundLine)
    assert find_anchor(branch.before, anchor) == FoundLine(branch.line)


@pytest.mark.parametrize("line", [1, 3, 5, 10, 40, 41, 999, 0])
def test_any_line_has_an_anchor(line: int) -> None:
    text = SHOP + "# the end\n"
    anchor = make_anchor(text, line)
    assert find_anchor(text, anchor) == FoundLine(line)
    assert isinstance(find_anchor("x = 1\n" + text, anchor), FoundLine | UnfoundLine)


def test_a_comment_goes_with_the_statements_around_it() -> None:
    text = "a = 1\n# why\n\nb = 2\n"
    assert find_anchor("x = 0\n" + text, make_anchor(text, 2)) == FoundLine(3)
    assert find_anchor("x = 0\n" + text, make_anchor(text, 3)) == FoundLine(4)
    assert find_anchor("a = 1\nb = 2\n", make_anchor(text, 2)) == UnfoundLine((2,))


def test_twins_keep_their_order() -> None:
    block = "def f(x):\n    y = x\n    return y\n\n\n"
    anchors = [make_anchor(block * 50, 5 * i + 2) for i in range(50)]
    text = "import os\n\n\n" + block * 50
    assert [find_anchor(text, a) for a in anchors] == [FoundLine(5 * i + 5) for i in range(50)]


def test_reanchor_leaves_out_what_has_no_anchor() -> None:
    known = Breakpoint(number=1, path="/shop.py", line=LINE, uuid="a")
    unknown = Breakpoint(number=2, path="/shop.py", line=LINE, uuid="b")
    moved = reanchor([known, unknown], {"a": make_anchor(SHOP, LINE)}, "\n" + SHOP)
    assert moved == [(known, FoundLine(LINE + 1))]


def test_an_anchor_survives_its_file_form() -> None:
    anchor = make_anchor(SHOP, LINE)
    assert msgspec.json.decode(msgspec.json.encode(anchor), type=Anchor) == anchor
    long = make_anchor("TABLE = [\n" + "    1,\n" * 5_000 + "]\n", 3)
    assert len(msgspec.json.encode(long)) < 500


# Whatever is done to other lines


@dataclass(frozen=True)
class Line:
    """A line with an identity: two of the same text are still two."""

    text: str
    number: int


WORDS = ("load", "save", "check", "send")
PLACES = ("", "    ", "        ")
OWN_LINES = st.builds(
    lambda indent, word: f"{indent}{word}(x)", st.sampled_from(PLACES[1:]), st.sampled_from(WORDS)
)
COMMON_LINES = st.sampled_from(
    [
        "    return None",
        "    x += 1",
        "    if x:",
        "        pass",
        "    else:",
        "@cached",
        "",
        "# x",
    ]
)
BROKEN_LINES = st.sampled_from(["    f(", "    )", "    s = (1,", "    x = '", "    )]"])


@st.composite
def programs(draw: st.DrawFn) -> list[Line]:
    texts: list[str] = []
    for part in range(draw(st.integers(1, 4))):
        texts.append(f"def f{part}(x):")
        for step in range(draw(st.integers(1, 6))):
            own = st.just(f"    step_{part}_{step}(x, {step})")
            texts.append(draw(st.one_of(own, OWN_LINES, COMMON_LINES)))
    return [Line(text, number) for number, text in enumerate(texts)]


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Line], Line, list[Line]]:
    """A program, one of its statements, and the program with other lines put in and deleted."""
    before = draw(programs())
    target = draw(st.sampled_from([line for line in before if _is_statement(line.text)]))
    after: list[Line] = []
    new = 1_000
    for line in before:
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            new += 1
            fresh = st.sampled_from([f"    new_{new} = {new}", f"def new_{new}(y):"])
            text = draw(st.one_of(fresh, fresh, BROKEN_LINES, st.sampled_from(before).map(_text)))
            # Neither its equal nor a second header of its function: nobody could tell those.
            if text.strip() != target.text.strip() and not text.startswith("def f"):
                after.append(Line(text, new))
        if line is target or draw(st.integers(0, 3)):
            after.append(line)
    return before, target, after


def _text(line: Line) -> str:
    return line.text


def _is_statement(text: str) -> bool:
    return bool(text.strip()) and not text.startswith("#")


@pytest.mark.full
@settings(max_examples=400)
@given(edits())
def test_r001_no_insertion_or_deletion_puts_it_on_another_statement(
    edit: tuple[list[Line], Line, list[Line]],
) -> None:
    before, target, after = edit
    anchor = make_anchor("\n".join(map(_text, before)), before.index(target) + 1)
    found = find_anchor("\n".join(map(_text, after)), anchor)
    if isinstance(found, FoundLine):
        assert after[found.line - 1] is target
    else:
        assert all(1 <= line <= len(after) for line in found.candidates)


@pytest.mark.full
@settings(max_examples=150)
@given(edits())
def test_r001_deleted_itself_it_is_lost_or_its_equal(
    edit: tuple[list[Line], Line, list[Line]],
) -> None:
    before, target, after = edit
    anchor = make_anchor("\n".join(map(_text, before)), before.index(target) + 1)
    gone = [line for line in after if line is not target]
    found = find_anchor("\n".join(map(_text, gone)), anchor)
    if isinstance(found, FoundLine):
        assert make_key(gone[found.line - 1].text) == make_key(target.text)


@given(st.text(alphabet="ab01 \n\t()[]{}'\"#\\:;,=.x", max_size=300), st.integers(0, 20))
def test_any_text_can_be_searched(text: str, line: int) -> None:
    statements = Statements(text)
    assert all(a <= b for a, b in zip(statements.starts, statements.ends, strict=True))
    anchor = make_anchor(text, line)
    assert find_anchor(text, anchor) == FoundLine(line)
    find_anchor(text[::-1], anchor)


# Large files


def test_a_file_of_50_000_lines_is_not_gone_through_while_the_line_is_unchanged() -> None:
    body = SHOP.splitlines()
    text = "\n".join(
        line.replace("total", f"total{i}").replace("Shop", f"Shop{i}")
        for i in range(50_000 // len(body) + 1)
        for line in body
    )
    lines = text.count("\n") + 1
    assert lines >= 50_000
    place = 25_000 + next(
        i for i, line in enumerate(text.split("\n")[25_000:]) if "* (1 + RATE)" in line
    )
    anchor = make_anchor(text, place + 1)
    for new, expected in ((text, place + 1), ("import os\n" + text, place + 2)):
        found = list[FoundLine | UnfoundLine]()
        calls = count_calls(lambda: found.append(find_anchor(new, anchor)))  # noqa: B023
        assert found == [FoundLine(expected)] and calls < lines / 10
