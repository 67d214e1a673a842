"""Evaluations in the program on tuidbg's own account, in no frame and as it runs on."""

from __future__ import annotations


def own_question(expression: str) -> dict[str, object]:
    """The arguments of such an ``evaluate`` request.

    Not in the context ``repl``: debugpy puts another stream in the place of the program's stdout
    for that, while the program may be writing.
    """
    return {"expression": expression, "context": "clipboard"}
