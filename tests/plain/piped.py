"""The line mode with its commands in a pipe, and what it answered to each of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.command import TUIDBG, environment
from tests.support.waiting import PATIENCE

TIMEOUT = PATIENCE

_STOP = re.compile(r"^> (.+)\((\d+)\)(\S+?)\(\)", re.MULTILINE)


class Transcript:
    """Holds what a run has said: before the first command, and to each of them."""

    def __init__(self, done: subprocess.CompletedProcess[str], prompt: str, echoed: bool) -> None:
        self.status = done.returncode
        self.text = done.stdout
        self.error = done.stderr
        first, *rest = done.stdout.split(prompt)
        self.before = first
        self.answers = [part.partition("\n")[2] if echoed else part for part in rest]

    def answer(self, index: int) -> str:
        """Returns what the command of that place was answered."""
        assert index < len(self.answers), self.text
        lines = [line.rstrip() for line in self.answers[index].splitlines()]
        return "\n".join(lines).strip("\n")

    def stops(self) -> list[tuple[int, str]]:
        """The line and the function of each stop."""
        return [stop_in(found[0]) for found in _STOP.finditer(self.text)]


def stop_in(answer: str) -> tuple[int, str]:
    """The line and the function that an answer names."""
    found = _STOP.search(answer)
    assert found is not None, f"no stop in {answer!r}"
    return int(found[2]), found[3]


def by_lines(
    folder: Path,
    program: Path,
    commands: Sequence[str],
    *options: str,
    args: Sequence[str] = (),
    tuidbg: Sequence[str] = TUIDBG,
) -> Transcript:
    """``tuidbg --plain`` on a program, with these commands."""
    return Transcript(
        _run([*tuidbg, "--plain", *options, str(program), *args], folder, commands),
        "(tuidbg) ",
        echoed=True,
    )


def by_pdb(folder: Path, program: Path, commands: Sequence[str]) -> Transcript:
    """The same under pdb."""
    done = _run([sys.executable, "-m", "pdb", str(program)], folder, commands)
    return Transcript(done, "(Pdb) ", echoed=False)


def _run(
    command: Sequence[str], folder: Path, commands: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        input="".join(f"{line}\n" for line in commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        timeout=TIMEOUT,
        check=False,
    )
