"""What the line mode writes: its own words are safe to read, the program's are the program's."""

from __future__ import annotations

import io

from tuidbg.plain.printer import Printer


def test_what_is_told_holds_nothing_that_a_terminal_obeys() -> None:
    data = io.BytesIO()
    out = io.TextIOWrapper(data, encoding="utf-8")
    printer = Printer(out, out)
    printer.say("<\x1b]52;c;aGk=\x07>\r\x9b2J\u202eab\x7f\té\nnext")
    printer.ask("(\x1b[8m) ")
    assert data.getvalue().decode() == (
        r"<\x1b]52;c;aGk=\x07>\r\x9b2J\u202eab\x7f" + "\té\nnext\n" + r"(\x1b[8m) "
    )


def test_what_the_program_writes_is_left_alone() -> None:
    data = io.BytesIO()
    out = io.TextIOWrapper(data, encoding="utf-8")
    Printer(out, out).write_program("stdout", b"\x1b[1mbold\x1b[0m\r\n")
    assert data.getvalue() == b"\x1b[1mbold\x1b[0m\r\n"
