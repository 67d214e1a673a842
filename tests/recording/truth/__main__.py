"""Checks many programs: ``python -m tests.recording.truth --count 20000 [--python PATH]``.

Prints the shares of what is not known and of spans, and the smallest program of each kind of
failure.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter

from tests.recording.compared import environment
from tests.recording.truth.comparison import Tally
from tests.recording.truth.programs import made, run
from tests.recording.truth.reduction import kind_of, smallest
from tuidbg.recording.texts import RECORDER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shown", type=int, default=20, help="smallest programs")
    parser.add_argument("--recorder", choices=("compiled", "python"), default="compiled")
    asked = parser.parse_args()
    os.environ[RECORDER] = asked.recorder
    if asked.recorder == "compiled" and not environment()["COMPILED"]:
        parser.error("the compiled recorder was not built")
    tally, left, number = Tally(), asked.count, asked.seed
    start = time.monotonic()
    kinds: Counter[str] = Counter()
    examples: dict[str, tuple[str, str]] = {}
    while left > 0:
        texts = made(min(left, 500), number)
        tally.failures = {}
        for name, text in run(asked.python, texts, tally).items():
            for failure in tally.failures[name]:
                kind = kind_of(failure)
                kinds[kind] += 1
                if kind not in examples or len(text) < len(examples[kind][0]):
                    examples[kind] = text, failure
        left, number = left - max(1, len(texts)), number + 1
        print(f"{time.monotonic() - start:.0f} s: {tally}", flush=True)
    for i, (kind, count) in enumerate(kinds.most_common(100)):
        text, failure = examples[kind]
        print(f"\n{count:,} x {kind}\n  {failure}")
        if i < asked.shown:
            print(smallest(asked.python, text, kind), flush=True)
    sys.exit(bool(kinds))


if __name__ == "__main__":
    main()
