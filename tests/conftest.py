"""What every process of the test run does once, before its first test."""

from __future__ import annotations

import gc
import signal


def pytest_configure() -> None:
    """Let Ctrl+C reach the programs under test.

    What a script starts in the background ignores interrupts, and so would all that starts here.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep modules and thousands of collected tests out of each collection of garbage.

    They live as long as the process; looking through them, and looking as often as is right for a
    small program, took a fifth of the time of a test of the screen.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
