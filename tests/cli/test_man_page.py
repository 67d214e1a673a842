"""The man page: all commands and options are on it, and groff has nothing to complain of."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.support.waiting import PATIENCE
from tuidbg.cli.command_table import GROUPS
from tuidbg.cli.commands import man
from tuidbg.cli.parser import EXAMPLES
from tuidbg.cli.reference.man_page import _escape
from tuidbg.cli.reference.specs import CommandSpec, read_main
from tuidbg.manual.pages import TOPICS
from tuidbg.process.guardian import Guardian


@pytest.mark.real
@pytest.mark.once
@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff here")
def test_it_is_laid_out_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert man.run_command([], Guardian(0, -1)) == 0
    page = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-P-c", "-P-b", "-P-u", "-rLL=100n"],
        input=capsys.readouterr().out,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert page.stderr == ""
    main = read_main()
    sections = _split(page.stdout, r"^(\S[A-Z ]+)$")
    assert list(sections)[3:] == [
        *("EXAMPLES", "OPTIONS", *map(str.upper, GROUPS), "EXIT STATUS", "MANUAL")
    ]
    assert [name for name in _names(main) if f" {name}" not in sections["OPTIONS"]] == []
    assert [each for each in EXAMPLES if each not in sections["EXAMPLES"]] == []
    assert set(re.findall(r"^ {7}(\S+)", sections["MANUAL"], re.MULTILINE)) >= set(TOPICS)
    commands: dict[str, str] = {}
    for group in GROUPS:
        commands |= _split(sections[group.upper()], r"^   (\S+)$")
    for command in main.commands:
        text = " ".join(commands[command.name].split())
        assert " ".join(command.usage) in text
        for each in (command, *command.commands):
            assert [name for name in _names(each) if name not in text] == [], command.name


def _split(text: str, heading: str) -> dict[str, str]:
    """Return the text below each heading."""
    parts = re.split(heading, text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _names(command: CommandSpec) -> list[str]:
    """Return the long names of all options but ``--help``, which is told once."""
    names = (each.names[-1] for each in command.options)
    return [name for name in names if name != "--help" or not command.name]


def test_text_is_no_request_of_roff() -> None:
    assert _escape(".TH x") == "\\&.TH x"
    assert _escape("'a' -b \\n ~^`") == "\\(aqa\\(aq \\-b \\en \\(ti\\(ha\\(ga"
