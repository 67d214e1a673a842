"""The command ``tuidbg completion``: the completion script for a shell."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian

SHELLS = ("bash", "zsh", "fish")

_INSTALL = """\
The script is made by the installed tuidbg when a shell first needs it:

  bash  echo 'eval "$(tuidbg completion bash)"' \\
            > ~/.local/share/bash-completion/completions/tuidbg
  fish  echo 'tuidbg completion fish | source' > ~/.config/fish/completions/tuidbg.fish
  zsh   printf '%s\\n' '#compdef tuidbg' 'eval "$(tuidbg completion zsh)"' > ~/.zfunc/_tuidbg
        where ~/.zfunc is a folder of your fpath"""


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg completion",
        description="Print the completion script for a shell: commands, options, their values and"
        " the topics of the manual.",
        epilog=_INSTALL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    return parser


def run_command(args: list[str], _guardian: Guardian) -> int:
    """Print the script; return the exit status. Raises UsageError."""
    shell = make_parser().parse_args(args).shell
    sys.stdout.write(write_script(shell))
    return 0


def write_script(shell: str) -> str:
    """Return the completion script for one of ``SHELLS``."""
    from tuidbg.cli.reference.bash import write_bash
    from tuidbg.cli.reference.fish import write_fish
    from tuidbg.cli.reference.specs import read_main
    from tuidbg.cli.reference.zsh import write_zsh

    writers = {"bash": write_bash, "fish": write_fish, "zsh": write_zsh}
    return writers[shell](read_main())
