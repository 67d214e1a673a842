"""Lists that must be sent before others, where an adapter keeps the first condition."""

from __future__ import annotations

from tuidbg.session.core.breakpoints.binding.files import Resend


def line(number: int, condition: str = "") -> dict[str, object]:
    return {"line": number, **({"condition": condition} if condition else {})}


def test_only_another_condition_needs_it() -> None:
    resend = Resend()
    assert resend.note("a.c", [line(1), line(2, "i == 2")]) is None
    assert resend.note("a.c", [line(1, "j"), line(2, "i == 2")]) is None
    assert resend.note("a.c", [line(1, "j"), line(2, "i == 5")]) == [line(1, "j")]
    assert resend.note("a.c", [line(1), line(2, "i == 5")]) == [line(2, "i == 5")]


def test_files_and_adapters_are_told_apart() -> None:
    resend = Resend()
    resend.note("a.c", [line(1, "i")])
    assert resend.note("b.c", [line(1, "j")]) is None
    assert resend.note("a.c", []) is None  # it is gone
    assert resend.note("a.c", [line(1, "k")]) is None
    resend.forget()
    assert resend.note("b.c", [line(1, "k")]) is None


def test_functions_and_addresses() -> None:
    resend = Resend()
    functions = [{"name": "main", "condition": "a"}]
    assert resend.note("setFunctionBreakpoints", functions) is None
    functions = [{"name": "main", "condition": "b"}]
    assert resend.note("setFunctionBreakpoints", functions) == []
