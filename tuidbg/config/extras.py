"""Says how to install what tuidbg does without until it is asked for: its package's extras."""

from __future__ import annotations


def missing(who: str, extra: str) -> str:
    """That more packages are needed, and every way to them; ``who`` begins the sentence.

    A checkout comes first: not every index has tuidbg.
    """
    return (
        f"{who} more packages; in a checkout of tuidbg: uv sync --inexact --extra {extra}, or"
        f" pip install '.[{extra}]'; from an index that has tuidbg: pip install 'tuidbg[{extra}]'"
    )
