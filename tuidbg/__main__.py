"""Where tuidbg starts: the guardian is forked before anything heavy is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """The console script ``tuidbg``."""
    from tuidbg.guardian import Guardian

    guardian = Guardian.fork()
    from tuidbg.cli import run

    sys.exit(run(sys.argv[1:], guardian))


if __name__ == "__main__":
    main()
