"""Back by a debug adapter that can do so itself: Ruby's. Others say that they can't."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.plain.piped import by_lines
from tests.support.adapter_profiles import example, write_config
from tests.support.attachable import free_port
from tests.support.native import compiled, needs_cc, needs_lldb

pytestmark = [pytest.mark.real, pytest.mark.full]

RDBG = next((str(path) for path in sorted(Path("/usr/bin").glob("rdbg*"))), shutil.which("rdbg"))

PROGRAM = """\
total = 0
[1, 2, 3].each do |n|
  total += n
end
puts total
"""


@contextmanager
def ruby(program: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Ruby's debugger, which records from the first line on and waits for whoever calls."""
    assert RDBG is not None
    words = [RDBG, "--open", "--host", "127.0.0.1", "--port", str(port), "-e", "record on", "--"]
    process = subprocess.Popen([*words, program.name], cwd=program.parent, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(RDBG is None, reason="needs rdbg: apt install ruby")
def test_ruby_steps_back(tmp_path: Path) -> None:
    """It answers a step back by the stop alone, and refuses one where its recording begins."""
    program, port = tmp_path / "count.rb", free_port()
    program.write_text(PROGRAM)
    write_config(tmp_path, example("a profile for rdbg").replace("12345", str(port)))
    with ruby(program, port) as process:
        assert process.stderr is not None
        while b"wait for debugger" not in process.stderr.readline():
            assert process.poll() is None
        commands = ["b 3", "c", "n", "n", "back", "back", "rout", "rcont", "n"]
        args = (str(port), "--adapter", "rdbg")
        told = by_lines(tmp_path, Path("attach"), [*commands, "q"], args=args)
    lines = [told.answer(n).partition("count.rb(")[2][:1] for n in (1, 2, 3, 4, 5, 8)]
    assert lines == ["3", "4", "3", "3", "2", "3"], told.text
    assert told.answer(6) == "*** rdbg goes back by lines and to breakpoints alone"
    assert told.answer(7) == "*** can't run back: cancelled"


@needs_lldb
@needs_cc
def test_one_that_can_not_go_back_says_so(tmp_path: Path) -> None:
    told = by_lines(tmp_path, compiled("totals.c"), ["back", "rcont", "q"])
    sentence = "*** lldb-dap does not say that it can go back"
    assert [told.answer(0), told.answer(1)] == [sentence, sentence]
