"""Try rows of the manual's page *compatibility*, each in an environment of its own.

``NAME...`` tries these rows, ``--all`` all, ``--share N/M`` those whose number is N modulo M;
``--list`` prints them. ``--write`` writes the page from the rows. The status is 1 if a row is not
as it says, and 3 if some rows could not be tried (no registry, no such Python): each says why.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.compatibility import rows as _rows  # noqa: F401 - registers them
from tests.compatibility.environment import NotHad, make_environment
from tests.compatibility.row import ROWS, Row
from tests.compatibility.trial import run_row
from tests.support import manual

LONGEST = 120.0
"""Seconds that no row takes."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.compatibility", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--share", metavar="N/M")
    parser.add_argument("--within", type=float, metavar="SECONDS", help="begin no row after that")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.write:
        manual.main()
        return 0
    if unknown := [name for name in asked.names if name not in ROWS]:
        parser.error(f"no row {', '.join(unknown)}; --list prints them")
    chosen = choose(asked.names, share=asked.share, is_all=asked.all)
    if asked.list or not chosen:
        print("\n".join(f"{each.name:32} {each.versions}" for each in ROWS.values()))
        return 0
    return try_all(chosen, asked.within)


def choose(
    names: Sequence[str] = (), *, share: str | None = None, is_all: bool = False
) -> list[Row]:
    """The rows of these names, of a share (``N/M``), or all."""
    if share:
        part, _, of = share.partition("/")
        return [row for n, row in enumerate(ROWS.values()) if n % int(of) == int(part) % int(of)]
    return list(ROWS.values()) if is_all else [ROWS[name] for name in names]


def try_all(chosen: list[Row], within: float | None) -> int:
    """Try these rows; begin none once ``within`` seconds are over. Returns the exit status."""
    begun, passed, failed, missed = time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="tuidbg-compatibility-") as folder:
        for each in chosen:
            started = time.monotonic()
            if within is not None and started - begun > within:
                missed += 1
                print(f"NOT TRIED {each.name}: the {within:g} s are over", flush=True)
                continue
            try:
                outcome = _try(each, Path(folder) / each.name)
            except NotHad as error:
                missed += 1
                print(f"NOT TRIED {each.name}: {error}", flush=True)
                continue
            passed, failed = passed + (not outcome), failed + bool(outcome)
            taken = time.monotonic() - started
            print(f"{'FAILED' if outcome else 'ok':9} {each.name} ({taken:.1f} s)", flush=True)
            if outcome:
                print(outcome, flush=True)
    print(f"compatibility: {passed} as the page says, {failed} not, {missed} not tried", flush=True)
    return 1 if failed else 3 if missed else 0


def _try(each: Row, folder: Path) -> str:
    """Nothing, or what is not as the row says. Raises NotHad."""
    python = make_environment(each)

    async def bounded() -> None:
        async with asyncio.timeout(LONGEST):
            await run_row(each, folder, python)

    try:
        asyncio.run(bounded())
    except TimeoutError:
        return f"it takes more than {LONGEST:g} s"
    except NotHad:
        raise
    except Exception as error:
        return "".join(traceback.format_exception(error))
    return ""


if __name__ == "__main__":
    sys.exit(main())
