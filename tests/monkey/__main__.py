"""Run the monkey for some minutes or some times; see the package."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from random import SystemRandom

from tests.monkey.run import Outcome, run_once


def main() -> int:
    """Print each fault with its seed; 1 if there was any."""
    parser = argparse.ArgumentParser(prog="python -m tests.monkey", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=10**9, help="at most so many")
    parser.add_argument("--seed", type=int, help="of the first run; the next has the next number")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--no-broken", action="store_true", help="leave broken sequences out")
    asked = parser.parse_args()
    seed = SystemRandom().randrange(10**9) if asked.seed is None else asked.seed
    print(f"first seed {seed}", flush=True)
    faults = runs = 0
    for outcome in _outcomes(seed, asked):
        runs += 1
        faults += bool(outcome.fault)
        said = f"== {outcome.report()}\n" if outcome.fault else f"ok {outcome.seed}"
        print(f"{said} {outcome.title} ({outcome.seconds:.1f} s)", flush=True)
    print(f"{runs} runs, {faults} faults")
    return 1 if faults else 0


def _outcomes(seed: int, asked: argparse.Namespace) -> Iterator[Outcome]:
    deadline = time.monotonic() + 60 * asked.minutes
    seeds, running = count(seed), set[Future[Outcome]]()
    with ThreadPoolExecutor(asked.jobs) as pool:
        while True:
            while (
                len(running) < asked.jobs
                and time.monotonic() < deadline
                and (number := next(seeds)) < seed + asked.runs
            ):
                running.add(pool.submit(run_once, number, broken=not asked.no_broken))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


if __name__ == "__main__":
    sys.exit(main())
