"""Installation hints for optional dependencies: the extras of the package."""

from __future__ import annotations


def missing(who: str, extra: str) -> str:
    """Make a sentence that ``who`` needs more packages, with all ways to install them.

    A checkout comes first: not every index has tuidbg.
    """
    return (
        f"{who} more packages; in a checkout of tuidbg: uv sync --inexact --extra {extra}, or"
        f" pip install '.[{extra}]'; from an index that has tuidbg: pip install 'tuidbg[{extra}]'"
    )
