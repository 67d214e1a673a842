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


def first_words(text: str) -> str:
    """The line of a message to show where there is room for one.

    A message that quotes a traceback (as multiprocessing's ``RemoteTraceback`` does) begins with an
    empty line and a quote: its error is the last line.
    """
    lines = [line for line in split_lines(text) if any(map(str.isalnum, line))]
    if not lines:
        return text.partition("\n")[0]
    return lines[-1] if lines[0].startswith("Traceback (most recent call last):") else lines[0]


def split_everywhere(text: str) -> list[str]:
    """Split at all that any reader may take for the end of a line, for what must stay in one."""
    return text.splitlines()
