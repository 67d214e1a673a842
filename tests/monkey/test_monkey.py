"""A minute of the monkey: the same runs each time, then others; and that it sees what is wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random, SystemRandom

import pytest

from tests.monkey.hands import Hands
from tests.monkey.programs import KINDS
from tests.monkey.run import Fault, Screen, look_over, run_once

pytestmark = [pytest.mark.real, pytest.mark.full]

FIXED_SEED = 1400
SECONDS = {"fixed": 4.0, "fresh": 14.0}
"""A run that has begun is ended."""


@pytest.mark.parametrize("kind", SECONDS)
def test_whatever_is_typed_it_lives_and_leaves_nothing(kind: str) -> None:
    first = SystemRandom().randrange(10**9) if kind == "fresh" else FIXED_SEED
    deadline, runs = time.monotonic() + SECONDS[kind], 0
    while time.monotonic() < deadline:
        outcome = run_once(first + runs)
        assert not outcome.fault, outcome.report()
        runs += 1
    print(f"{runs} runs from seed {first} on")
    assert runs


def test_a_seed_tells_all() -> None:
    def deeds() -> list[str]:
        hands = Hands(Random(7))
        return [str(hands.deed()) for _ in range(300)]

    assert deeds() == deeds()
    assert len(KINDS) >= 14


BAD = {
    "status 1": "raise SystemExit(1)",
    "status -9": "os.kill(os.getpid(), 9)",
    "told of an error": "print('Traceback (most recent call last):')",
    "modes 1003": "print('\\x1b[?1003h')",
    "modes 1049": "print('\\x1b[?1049h')",
    "modes 25": "print('\\x1b[?25l')",
    "modes kitty": "print('\\x1b[>25u')",
    "settings": "tty.setraw(0)",
}


@pytest.mark.parametrize("found", BAD)
def test_the_monkey_sees_what_is_not_as_before(tmp_path: Path, found: str) -> None:
    words = "import os, tty\nprint('\\x1b[?1049h\\x1b[>25u\\x1b[<u\\x1b[?1049l')\n" + BAD[found]
    with Screen([sys.executable, "-c", words], cwd=tmp_path) as screen:
        screen.wait_exit()
        with pytest.raises(Fault, match=found):
            look_over(screen)


def test_the_monkey_sees_who_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.monkey.run.ENDS_WITHIN", 0.1)
    words = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"
    with Screen([sys.executable, "-c", words], cwd=tmp_path) as screen:
        screen.wait_exit()
        with pytest.raises(Fault, match="processes are left"):
            look_over(screen)
