"""Lists that must be sent before others, where an adapter keeps the first condition."""

from __future__ import annotations

from tuidbg.session.breakpoints.binding.resend import Resend


def line(number: int, condition: str = "") -> dict[str, object]:
    return {"line": number, **({"condition": condition} if condition else {})}


def test_only_another_condition_needs_it() -> None:
    renewal = Resend()
    assert renewal.note("a.c", [line(1), line(2, "i == 2")]) is None
    assert renewal.note("a.c", [line(1, "j"), line(2, "i == 2")]) is None
    assert renewal.note("a.c", [line(1, "j"), line(2, "i == 5")]) == [line(1, "j")]
    assert renewal.note("a.c", [line(1), line(2, "i == 5")]) == [line(2, "i == 5")]


def test_files_and_adapters_are_told_apart() -> None:
    renewal = Resend()
    renewal.note("a.c", [line(1, "i")])
    assert renewal.note("b.c", [line(1, "j")]) is None
    assert renewal.note("a.c", []) is None  # it is gone
    assert renewal.note("a.c", [line(1, "k")]) is None
    renewal.forget()
    assert renewal.note("b.c", [line(1, "k")]) is None


def test_functions_and_addresses() -> None:
    renewal = Resend()
    functions = [{"name": "main", "condition": "a"}]
    assert renewal.note("setFunctionBreakpoints", functions) is None
    functions = [{"name": "main", "condition": "b"}]
    assert renewal.note("setFunctionBreakpoints", functions) == []
