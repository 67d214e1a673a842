"""Going back in time by lines."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import tuidbg
from tests.plain.piped import Transcript, by_lines
from tests.support.interpreters import SUPPORTED
from tests.support.recordings import opened

RECORDED = [path for version, path in SUPPORTED.items() if version >= (3, 12)]

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer"),
]

SHOP = """\
class Cart:
    def __init__(self):
        self.total = 0
    def add(self, price):
        self.total += price
def pay(cart):
    cart.total -= 1
    return cart.total
def main():
    cart = Cart()
    for price in (2, 7):
        cart.add(price)
    paid = pay(cart)
    return paid
main()
"""


def run(folder: Path, *commands: str) -> Transcript:
    program = folder / "program.py"
    program.write_text(SHOP, encoding="utf-8")
    return by_lines(folder, program, [*commands, "q"], "--python", RECORDED[-1])


@pytest.mark.own_python
def test_back_and_forth_and_to_the_present(tmp_path: Path) -> None:
    answers = run(tmp_path, "rec", "b 14", "c", "back", "rstep", "w", "p cart.total", "n", "now")
    assert "Recording starts here" in answers.answer(0)
    assert "[recorded, 4 steps ago]" in answers.answer(3)
    assert "program.py(13)main()" in answers.answer(3)
    assert "program.py(12)main()" not in answers.answer(5)
    assert "program.py(15)<module>()" in answers.answer(5)
    assert "program.py(14)main()" in answers.answer(8)


@pytest.mark.full
def test_who_changed_a_value_and_when(tmp_path: Path) -> None:
    answers = run(
        tmp_path, "rec", "b 14", "c", "why cart.total", "why", "why", "when price == 7", "why"
    )
    assert "cart.total was 9, and becomes 8" in answers.answer(3)
    assert "program.py(7)pay()" in answers.answer(3)
    assert "cart.total was 2, and becomes 9" in answers.answer(4)
    assert "cart.total was 0, and becomes 2" in answers.answer(5)
    assert "price == 7 becomes true" in answers.answer(6)


@pytest.mark.full
def test_an_answer_tells_what_to_ask_next(tmp_path: Path) -> None:
    answers = run(tmp_path, "rec", "b 14", "c", "why paid", "why pay()", "why nothing()")
    assert "paid becomes 8; the line read cart = " in answers.answer(3)
    assert "pay() = 8" in answers.answer(3)
    assert "pay() gives 8; the line read cart.total = 8" in answers.answer(4)
    assert "program.py(8)pay()" in answers.answer(4)
    assert "***" in answers.answer(5)


@pytest.mark.full
def test_why_goes_on_from_the_object_before_the_call_that_got_it(tmp_path: Path) -> None:
    answers = run(tmp_path, "rec", "b 8", "c", "why cart.total", "why", "why", "why", "why")
    assert "cart.total was 9, and becomes 8" in answers.answer(3)
    assert "cart.total was 2, and becomes 9" in answers.answer(4)
    assert "cart.total was 0, and becomes 2" in answers.answer(5)
    assert "cart.total becomes 0" in answers.answer(6)
    assert "__init__" in answers.answer(6)
    assert "***" in answers.answer(7)


@pytest.mark.full
def test_what_was_recorded_is_written_to_a_file(tmp_path: Path) -> None:
    answers = run(tmp_path, "rec write", "rec", "b 14", "c", f"rec write {tmp_path / 'a.tuidbg'}")
    assert "*** nothing is recorded" in answers.answer(0)
    assert f"The recording so far is in {tmp_path / 'a.tuidbg'}." in answers.answer(4)
    with opened(tmp_path / "a.tuidbg") as file:
        assert file.stack()[-2:] == ["main", "<module>"]
        assert file.values("main")["price"] == "7"


@pytest.mark.full
def test_what_makes_no_sense_is_said(tmp_path: Path) -> None:
    answers = run(
        tmp_path, "back", "why", "why x", "when", "now", "rec on", "rec", "rec", "rec off"
    )
    assert "*** nothing is recorded" in answers.answer(0)
    assert all("***" in answers.answer(i) for i in range(6))
    assert "*** it is recorded already, by the " in answers.answer(7)
    assert "Recording stopped" in answers.answer(8)


@pytest.mark.full
def test_a_run_from_its_first_line_to_its_end(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SHOP, encoding="utf-8")
    commands = ["c", "back", "rstep", "rstep", "p paid", "q"]
    answers = by_lines(tmp_path, program, commands, "--record", "--python", RECORDED[-1])
    assert "program.py(15)<module>()" in answers.answer(1)
    assert "8" in answers.answer(4)


@pytest.mark.full
def test_a_run_that_was_written_is_opened_without_its_program(tmp_path: Path) -> None:
    program, file, elsewhere = tmp_path / "shop.py", tmp_path / "run.tuidbg", tmp_path / "elsewhere"
    program.write_text(SHOP, encoding="utf-8")
    elsewhere.mkdir()
    by_lines(tmp_path, program, ["c", "q"], f"--record={file}", "--python", RECORDED[-1])
    program.unlink()
    asked = "rstep, why cart.total, why, l, c, now, now, p paid, run, threads, q"
    answers = by_lines(elsewhere, file, asked.split(", "), "open")
    assert answers.status == 0
    assert "shop.py; recorded on " in answers.before
    assert "[recorded, the end]" in answers.before
    assert "before the end]" in answers.answer(0)
    assert "cart.total was 9, and becomes 8" in answers.answer(1)
    assert "cart.total was 2, and becomes 9" in answers.answer(2)
    assert "->" in answers.answer(3), answers.text
    assert "[recorded, the end]" in answers.answer(4)
    assert "where the recording was left" in answers.answer(5)
    assert "this is a recording" in answers.answer(8)
    assert "this is a recording" in answers.answer(9)
    assert "8" not in answers.answer(7)  # the module does not know it: it is no guess


@pytest.mark.full
def test_a_dump_is_one_moment_that_can_be_asked(tmp_path: Path) -> None:
    text = "import tuidbg\ndef work(n):\n    password = n\n    tuidbg.dump('a.tuidbg')\nwork(3)\n"
    root = Path(tuidbg.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [RECORDED[-1], "-c", text]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    asked = ("p n", "p password", "back", "back", "when n == 3", "when n == 4", "why n", "q")
    answers = by_lines(tmp_path, tmp_path / "a.tuidbg", asked, "open")
    assert answers.status == 0
    assert "work()" in answers.before
    assert "3" in answers.answer(0)
    assert "<redacted>" in answers.answer(1)
    assert "the recording begins here" in answers.answer(3)
    assert "work()" in answers.answer(4)
    assert "***" in answers.answer(5)
    assert "since the recording began" in answers.answer(6)


@pytest.mark.full
def test_all_values_passes_and_calls_are_numbered_and_gone_to(tmp_path: Path) -> None:
    answers = run(
        tmp_path, "rec", "b 14", "c", "changes cart.total", "go 3", "passes 5", "calls add", "calls"
    )
    lines = answers.answer(3).splitlines()
    told = [line.rpartition(": ")[2] for line in lines if " ago, " in line]
    assert told == ["0", "0 -> 2", "2 -> 9", "9 -> 8"]
    assert "program.py(5)Cart.add()" in answers.answer(4)
    assert "self.total = 2, price = 7, -> self.total = 9" in answers.answer(5)
    assert "price=7) returns None" in answers.answer(6)
    assert "program.py:12" in answers.answer(6)
    assert "price=2) returns None" in answers.answer(7), "of the function that is looked at"


@pytest.mark.full
def test_two_moments_by_lines(tmp_path: Path) -> None:
    answers = run(
        tmp_path, "rec", "b 14", "c", "differ", "mark", "differ", "back", "differ", "go 1", "go 99"
    )
    assert "*** mark a moment first" in answers.answer(3)
    assert "Nothing differs" in answers.answer(5)
    assert "cart.total: 9 -> 8 in main, first changed at program.py:7" in answers.answer(7)
    assert "program.py(7)pay()" in answers.answer(8) or "program.py(13)" in answers.answer(8)
    assert "*** name a number up to" in answers.answer(9)


@pytest.mark.full
def test_when_backwards_and_what_can_not_be_asked(tmp_path: Path) -> None:
    answers = run(
        tmp_path,
        *("rec", "b 14", "c", "whenlast price == 7", "now", "whenlast price == 9"),
        *("changes", "passes x", "calls nothing", "passes 1000", "differ run"),
    )
    assert "price == 7 becomes true, by line program.py:11" in answers.answer(3)
    assert "did not become true before" in answers.answer(5)
    assert all("***" in answers.answer(i) for i in range(5, 11))
