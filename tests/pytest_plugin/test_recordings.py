"""``pytest --tuidbg-record``: what fails leaves a file, and nothing else of a run is another."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.recordings import opened
from tuidbg.pytest.recording import FOLDER, file_name
from tuidbg.recording.numbers import RAISE

pytestmark = pytest.mark.real

CAN_RECORD = sys.version_info >= (3, 12)
recorded = pytest.mark.parametrize("workers", [(), ("-n", "2")] if CAN_RECORD else [])
alone = pytest.mark.parametrize("words", [()] if CAN_RECORD else [])

SHOP = """\
import asyncio
import unittest
import warnings
import pytest

class Cart:
    def __init__(self):
        self.items, self.total, self.password = [], 0, "hunter1"
    def add(self, price):
        self.items.append(price)
        self.total += price

@pytest.fixture
def cart():
    cart = Cart()
    yield cart
    cart.is_closed = True

@pytest.fixture
def broken(cart):
    cart.add(1)
    raise ValueError("in the setup")

@pytest.fixture
def leaking(cart):
    yield cart
    raise ValueError("in the teardown")

def test_fine(cart):
    cart.add(1)
    warnings.warn("a warning")

@pytest.mark.parametrize("price", ["a/b", "\\u00fc ::[]", 3])
def test_price(cart, price):
    cart.add(2)
    cart.add(price if price == 3 else 5)
    assert cart.total == 5

def test_setup(broken):
    pass

def test_teardown(leaking):
    leaking.add(5)

@pytest.mark.xfail(reason="known")
def test_known():
    assert 1 == 2

@pytest.mark.xfail(strict=True)
def test_too_good():
    pass

def test_skipped():
    pytest.skip("not today")

class TestCart:
    def test_total(self, cart):
        for price in (1, 2, 4):
            cart.add(price)
        print("printed")
        assert cart.total == 8

class TestOld(unittest.TestCase):
    def test_it(self):
        door = "open"
        self.assertEqual(door, "shut")

def test_async():
    async def main():
        number = 1
        await asyncio.sleep(0)
        number += 1
        assert number == 3
    asyncio.run(main())
"""

FAILING = [
    "TestCart::test_total",
    "TestOld::test_it",
    "test_async",
    "test_price[\\xfc ::[]]",
    "test_price[a/b]",
    "test_setup",
    "test_teardown",
    "test_too_good",
]


def run_pytest(folder: Path, *args: str, text: str = SHOP, **env: str) -> str:
    """The output of a run of the tests of ``text``."""
    (folder / "test_shop.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *args],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", "PY_COLORS": "0", **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not done.stderr
    return done.stdout


def of(folder: Path, name: str) -> Path:
    return folder / FOLDER / file_name(f"test_shop.py::{name}")


@alone
def test_a_python_without_the_gil_is_refused_in_words(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "conftest.py").write_text("import sys\nsys._is_gil_enabled = lambda: False\n")
    text = "def test_it():\n    assert False\n"
    told = run_pytest(tmp_path, *words, "--tuidbg-record", "test_shop.py", text=text)
    assert "nothing is recorded: recording needs the GIL" in told and "1 failed" in told
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.full
@recorded
def test_each_test_that_fails_leaves_a_file(tmp_path: Path, workers: tuple[str, ...]) -> None:
    (tmp_path / FOLDER).mkdir()
    of(tmp_path, "test_fine").write_text("of a run before")
    told = run_pytest(tmp_path, *workers, "--tuidbg-record", "test_shop.py")
    files = sorted(path.name for path in (tmp_path / FOLDER).iterdir())
    assert files == sorted(of(tmp_path, name).name for name in FAILING)
    for name in FAILING:
        words = f"test_shop.py::{name}: tuidbg open {FOLDER}/{of(tmp_path, name).name}"
        assert words in told.split("\n")
    with opened(of(tmp_path, "TestCart::test_total")) as file:
        moment = file.last_in("TestCart.test_total")
        assert file.values("TestCart.test_total", moment)["cart"] == (
            "Cart(items=[1, 2, 4], total=7, password=<redacted>)"
        )
        found = file.changed("cart.total", "TestCart.test_total", moment)
        assert found is not None and found.place is not None
        assert (found.old, found.new) == (3, 7)
        at = file.timeline.stack(found.place.moment)[0]
        assert at.name == "Cart.add"
        assert SHOP.split("\n")[at.line - 1].strip() == "self.total += price"
        assert file.file.sources == {str(tmp_path / "test_shop.py"): SHOP}
        assert file.file.program.ended == "the test failed"
        place = file.file.place()
        assert place is not None and place.kind == RAISE
        assert (file.stack(place), place.line) == (["TestCart.test_total"], moment.line)
    with opened(of(tmp_path, "test_setup")) as file:
        assert file.file.program.ended == "the test failed in its setup"
        assert file.values("broken", file.last_in("broken"))["cart"].startswith("Cart(items=[1]")
    with opened(of(tmp_path, "test_teardown")) as file:
        assert file.file.program.ended == "the test failed in its teardown"
    with opened(of(tmp_path, "test_async")) as file:
        inner = "test_async.<locals>.main"
        assert (place := file.file.place()) is not None
        assert file.stack(place) == [inner, "test_async"]
        assert file.values(inner, file.last_in(inner))["number"] == "2"


def _without_times(told: str) -> str:
    told = re.sub(r" in \d+\.\d+s", "", told)
    told = re.sub(r"(?m)^=+ (.*?) =+$", r"== \1 ==", told)
    return re.sub(r"0x[0-9a-f]+", "0x", told)


@pytest.mark.full
@alone
def test_a_run_is_the_same_but_for_the_files(tmp_path: Path, words: tuple[str, ...]) -> None:
    plain = _without_times(run_pytest(tmp_path, "-rA", *words))
    told = _without_times(run_pytest(tmp_path, "-rA", "--tuidbg-record=out", *words))
    start = told.index("== recordings of failed tests ==")
    end = start + told[start:].index("\n== ") + 1
    assert told[:start] + told[end:] == plain
    assert len(list((tmp_path / "out").iterdir())) == len(FAILING) + 1  # and what git shall ignore
    assert not list(tmp_path.glob("out/*.part"))


LONG = """
def step(n, box):
    box.append(n)
    if len(box) > 20:
        box.clear()
    return n + 1

def test_long():
    box, n, name = [], 0, "kept"
    for _ in range(60000):
        n = step(n, box)
    assert n == 3
"""


@pytest.mark.full
@alone
def test_of_a_long_test_the_end_is_kept(tmp_path: Path, words: tuple[str, ...]) -> None:
    run_pytest(tmp_path, "--tuidbg-record", *words, text=LONG, TUIDBG_RECORD_MB="2")
    with opened(of(tmp_path, "test_long")) as file:
        assert file.timeline.dropped
        variables = file.values("test_long")
        assert (variables["n"], variables["name"]) == ("60000", "'kept'")
        inner = file.last_in("step")
        assert file.values("step", inner)["n"] == "59999"
        assert file.stack(inner) == ["step", "test_long"]


@pytest.mark.own_python
@pytest.mark.parametrize("words", [()] if not CAN_RECORD else [])
def test_an_older_python_says_so_once(tmp_path: Path, words: tuple[str, ...]) -> None:
    told = run_pytest(tmp_path, "--tuidbg-record", *words)
    assert told.count("tuidbg: recording needs Python 3.12 or newer; nothing is recorded") == 1
    assert not (tmp_path / FOLDER).exists()


FULL = """\
import resource
def test_it():
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, most))
    assert False
"""


@pytest.mark.full
@alone
def test_a_full_disk_is_said_and_leaves_no_partial_file(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "test_full.py").write_text(FULL)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tuidbg-record"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "a recording can't be written: " in told.stdout
    assert "File too large" in told.stdout
    assert not list(tmp_path.rglob("*.tuidbg"))
