"""Tests what is an expression of a language, and where the expressions of a message end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import fake_session
from tuidbg.adapters.delve.log_points import DelveLogPoints
from tuidbg.adapters.delve.wording import read_condition_failure
from tuidbg.adapters.languages import C_FAMILY, GO, PLAIN, PYTHON, Language, language_of
from tuidbg.adapters.lldb.expressions import ConditionChatter, explain_evaluation, read_result
from tuidbg.adapters.log_points import LoggedHit
from tuidbg.dap.types import OutputBody, StoppedBody
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings
from tuidbg.session.core.hits.log_messages import MessagePart, fill_in, is_true, split_log_message
from tuidbg.session.model.errors import InvalidCondition, InvalidSetting


@pytest.mark.parametrize(
    ("language", "text", "is_one"),
    [
        (C_FAMILY, "a > 1 && b == 3", True),
        (C_FAMILY, "ns::x[i] ? *p : 'c' == '\\''", True),
        (C_FAMILY, "n > 1'000'000 && tag == u8'a'", True),
        (C_FAMILY, "(a > 1", False),
        (C_FAMILY, 'name == "half', False),
        (GO, "m[`}`] == pair{1, 2}.left", True),
        (GO, "a]", False),
        (PYTHON, "a > 1 and b == 3", True),
        (PYTHON, "a and", False),
        (PYTHON, "a > 1 && b == 3", False),
    ],
)
def test_conditions_by_language(language: Language, text: str, is_one: bool) -> None:
    settings: BreakpointSettings = {"condition": text, "commands": (text,)}
    problems = check_settings(settings, language)
    assert (not problems) is is_one
    if not is_one and language is PYTHON:
        assert problems["condition"].startswith("SyntaxError: ")


def test_a_source_tells_its_language() -> None:
    assert language_of("/a/b.cpp", PYTHON) is C_FAMILY
    assert language_of("/a/main.go", PYTHON) is GO
    assert language_of("/a/x.PY", GO) is PYTHON
    assert language_of("", PLAIN) is PLAIN


@pytest.mark.parametrize(
    ("template", "expressions", "formats"),
    [
        ("{ns::x}: {a ? b : c}", ["ns::x", "a ? b : c"], ["", ""]),
        ('{pair{1,2}.left} {m["}"]:>5}', ["pair{1,2}.left", 'm["}"]'], ["", ">5"]),
        ("{x:08.3f} {v[1:2]} {i:x}", ["x", "v[1:2]", "i"], ["08.3f", "", "x"]),
        ("{a != b} {!ok}", ["a != b", "!ok"], ["", ""]),
        ("{{{i}}} {f({1, 2}, ':')}", ["i", "f({1, 2}, ':')"], ["", ""]),
        ("{(a ? b : c):d}", ["(a ? b : c)"], ["d"]),
    ],
)
def test_where_expressions_end(template: str, expressions: list[str], formats: list[str]) -> None:
    parts = [part for part in split_log_message(template, C_FAMILY) if part.expression]
    assert [part.expression for part in parts] == expressions
    assert [part.format for part in parts] == formats


@pytest.mark.parametrize(
    "template",
    ["{x=}", "{ x = }!", "{x + 1=:>5}", "{s=!s}", "{s=}", "a{x=}{s}", "{x==7} {x<=7}", "{d['=']=}"],
)
def test_an_equals_sign_means_what_it_means_in_an_f_string(template: str) -> None:
    names = {"x": 7, "s": "text", "d": {"=": 1}}
    conversions: dict[str, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
    shown = ""
    for part in split_log_message(template, PYTHON):
        shown += part.text
        if part.expression:
            value = eval(part.expression, dict(names))
            shown += format(conversions.get(part.conversion, lambda same: same)(value), part.format)
    assert shown == eval(f"f{template!r}", dict(names))


@pytest.mark.parametrize(
    ("template", "words"),
    [("{i", "never closed"), ("i}", "closes nothing"), ("{}", "nothing between"), ("{(i}", "{(i}")],
)
def test_what_is_no_message(template: str, words: str) -> None:
    for language in (C_FAMILY, PYTHON):
        with pytest.raises(ValueError, match=words.replace("(", r"\(").replace("{", r"\{")):
            split_log_message(template, language)


@pytest.mark.parametrize(
    ("text", "part", "shown"),
    [
        ("42", MessagePart(expression="i", format="x"), "2a"),
        ("0x000055", MessagePart(expression="p", format="d"), "85"),
        ("2.5", MessagePart(expression="x", format="08.3f"), "0002.500"),
        ('"one"', MessagePart(expression="s"), "one"),
        ('0x0000555 "one"', MessagePart(expression="s"), "one"),
        ('"one"', MessagePart(expression="s", conversion="r"), '"one"'),
        ('"one"', MessagePart(expression="s", format=">5"), "  one"),
        (
            "{left:0}",
            MessagePart(expression="s", format="x"),
            "<{left:0}: x is no format for this value>",
        ),
    ],
)
def test_values_in_messages(text: str, part: MessagePart, shown: str) -> None:
    assert fill_in(part, text) == shown


@pytest.mark.parametrize("text", ["true", "1", "-1", "0x1", "'a'", "green", "{left:0}", '"x"'])
def test_what_is_true(text: str) -> None:
    assert is_true(text)


@pytest.mark.parametrize("text", ["false", "0", "0.0", "0x0000000000000000", "nil", "'\\0'", ""])
def test_what_is_false(text: str) -> None:
    assert not is_true(text)


def test_delves_own_log_points() -> None:
    points = DelveLogPoints()
    assert points.message(3, ['"}"']) == "", "Delve takes the brace for the end"
    message = points.message(3, ["i", "pair{1}.x"])
    assert message == "\x1e3\x1f{i}\x1f{pair{1}.x}\x1e"
    told = "> [Go 18]: \x1e3\x1f7\x1f{eval err: &{%!e(string=no x)}}\x1e\n"
    hit = points.read(OutputBody(output=told))
    assert isinstance(hit, LoggedHit)
    assert (hit.number, hit.thread, hit.values[0]) == (3, "Go 18", "7")
    assert str(hit.values[1]) == "no x"
    assert points.read(OutputBody(output="> [Go 18]: something else\n")) is None
    failed = StoppedBody(
        reason="exception",
        description="runtime error",
        text="error evaluating expression: could not find symbol value for nope",
    )
    assert read_condition_failure(failed) == "could not find symbol value for nope"
    panic = StoppedBody(reason="exception", description="panic", text="boom")
    assert read_condition_failure(panic) == ""


def test_lldbs_words() -> None:
    assert read_result("(int) $3 = 42") == "42"
    assert read_result("(std::map<int, char>) $0 = size=0 {}") == "size=0 {}"
    assert read_result("* thread #1, name = 'a'") == "* thread #1, name = 'a'"
    reason = (
        "Expression evaluation in pure C not supported. Ran expression as 'ISO C++'.\n"
        "error: <user expression 8>:1:1: use of undeclared identifier 'nope'\n    1 | nope\n"
    )
    assert explain_evaluation(reason).splitlines()[0] == "use of undeclared identifier 'nope'"
    chatter = ConditionChatter()
    lines = (
        'error: stopped due to an error evaluating condition of breakpoint 1.1: "nope"\n',
        "Couldn't parse conditional expression:\n",
        "    1 | nope\n",
        "a warning of another kind\n",
    )
    assert [chatter.includes(line) for line in lines] == [True, True, True, False]


async def test_the_session_decides_by_its_adapters_language(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as test:
        breakpoints = test.session.breakpoints
        await breakpoints.set("/demo/a.c", 3, condition="a > 1 && b == 3", origin="tui")
        with pytest.raises(InvalidCondition, match="SyntaxError"):
            await breakpoints.set("/demo/a.py", 3, condition="a && b", origin="tui")
        test.profile.language = C_FAMILY
        await breakpoints.set_function("main", condition="argc > 1 && argv[1]", origin="tui")
        test.session.watches.add("a && b", origin="tui")
        with pytest.raises(InvalidSetting, match="never closed"):
            test.session.watches.add("f(a", origin="tui")
