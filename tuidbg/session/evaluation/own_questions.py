"""Evaluations in the program on tuidbg's own account, in no frame and as it runs on."""

from __future__ import annotations

from tuidbg.dap.types import EvaluateBody
from tuidbg.session.core import HasAdapter


def own_question(expression: str) -> dict[str, object]:
    """The arguments of such an ``evaluate`` request.

    Not in the context ``repl``: debugpy puts another stream in the place of the program's stdout
    for that, while the program may be writing.
    """
    return {"expression": expression, "context": "clipboard"}


async def ask_program(session: HasAdapter, expression: str, *, within: float) -> str:
    """What it gives, in so many seconds; the program may stand or run. Raises AdapterError."""
    body = await session.adapter.request(
        "evaluate", own_question(expression), into=EvaluateBody, timeout=within
    )
    return body.result
