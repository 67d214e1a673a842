"""Tells how an adapter evaluates expressions and shows values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Values:
    """Expressions, their values, and variables that are set."""

    console_hint = "expression"
    """Says what can be typed at the prompt."""

    any_expression = "watch"
    """The DAP context in which any expression is evaluated and shown as a value."""

    prompt_context = "watch"
    """The DAP context for the prompt and ``evaluate``; "repl" only where it evaluates code.

    The "repl" of gdb, say, is its command line, where ``d`` deletes all breakpoints.
    """

    assigns = False
    """True if an expression that it evaluates may be an assignment."""

    stay_as_told = False
    """True if variables are shown as they were when their scope was asked for."""

    shows_set_registers = True
    """True if a register that was set is told so; else only once memory was written, too."""

    has_pages = True
    """True if it gives some of a variable's children, from one on; else always all of them."""

    address_expression = ""
    """The expression for the address of ``{}``, another one; "" where none is known."""

    patience = float("inf")
    """Seconds after which the adapter resumes other threads to work out variables, or inf."""

    async def whole_text(
        self,
        evaluate: Callable[[str], Awaitable[str]],
        expression: str,
        shown: str,
        limit: int,
    ) -> tuple[str, int]:
        """The whole text of a value, of which ``shown`` is known, and how long it really is."""
        return shown[:limit], len(shown)

    def type_name(self, name: str) -> str:
        """The name of a value's type for people."""
        return name

    def read_result(self, text: str) -> str:
        """The value in what an evaluation at the prompt gave."""
        return text

    def explain_failure(self, reason: str) -> str:
        """Returns why an expression could not be evaluated, in plain words."""
        return reason
