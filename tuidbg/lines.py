"""The lines of a text; ``str.splitlines`` is used nowhere else, as it knows more ends of lines."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    r"""Split at ``\n``, ``\r\n`` and ``\r`` only, as Python's tokenizer counts lines.

    ``str.splitlines`` would also split at form feeds and at U+2028, and every later line number
    would be wrong.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def split_everywhere(text: str) -> list[str]:
    """Split at all that any reader may take for the end of a line, for what must stay in one."""
    return text.splitlines()
