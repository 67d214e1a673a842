"""A source by the name of what it defines, before anything runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.support.agents import agent
from tuidbg.api.mcp.tool_sets import McpOptions

AGENT = McpOptions(tool_set="agent")

CART = """\
print("imported")

class Cart:
    @property
    def total(self):
        return sum(self.prices)

    def add(self, price):
        if price:
            def inner():
                return price
        self.prices.append(price)

def work():
    return 1
"""


def _write(folder: Path) -> None:
    (folder / "shop").mkdir()
    (folder / "shop" / "__init__.py").write_text("")
    (folder / "shop" / "cart.py").write_text(CART)
    (folder / "other.py").write_text("def work():\n    return 2\n\nclass Cat:\n    pass\n")
    (folder / "broken.py").write_text("def broken(:\n")
    (folder / "long.py").write_text("def long():\n" + "    x = 1\n" * 2_000)
    (folder / "notes.txt").write_text("hunter2")


@pytest.mark.real
async def test_by_name(tmp_path: Path) -> None:
    _write(tmp_path)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("source", name="Cart.total")
        assert (told["line"], told["end_line"]) == (4, 6), "with its decorator"
        assert told["source"] == [
            "4     @property",
            "5     def total(self):",
            "6         return sum(self.prices)",
        ]
        assert told["file"] == str(tmp_path / "shop" / "cart.py")
        for name in ("shop.cart.Cart.add", "shop/cart.py:Cart.add", "add"):
            assert (await client.told("source", name=name))["line"] == 8
        assert (await client.told("source", name="inner"))["name"] == "Cart.add.inner"
        whole = await client.told("source", name="shop.cart")
        assert (whole["line"], len(whole["source"])) == (1, 15)
        assert not list(client.hub), "nothing was started for it"


async def test_pages(tmp_path: Path) -> None:
    _write(tmp_path)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("source", name="long", count=1_000)
        assert len(msgspec.json.encode(told)) < 8_100
        assert told["next_start"] == len(told["source"])
        told = await client.told("source", name="long", start=1_998, count=1_000)
        assert told["source"] == ["1999     x = 1", "2000     x = 1", "2001     x = 1"]
        assert "next_start" not in told


@pytest.mark.real
async def test_what_is_not_there_names_what_is_near(tmp_path: Path) -> None:
    _write(tmp_path)
    async with agent(tmp_path, AGENT) as client:
        refused = await client.refusal("source", name="work")
        assert refused.code == "NOT_FOUND"
        assert "other.py:work" in refused.hint and "shop/cart.py:work" in refused.hint
        refused = await client.refusal("source", name="Cart.totl")
        assert "Cart.total (cart.py:4)" in refused.hint
        assert (await client.refusal("source", name="a b")).hint.startswith("write NAME")
        assert "no source" in (await client.refusal("source", name="notes.txt:x")).message
        outside = f"../{tmp_path.name}/../../{Path(__file__).name}:x"
        assert (await client.refusal("source", name=outside)).code == "NOT_FOUND"


@pytest.mark.real
async def test_who_gets_no_secrets_gets_the_place_alone(tmp_path: Path) -> None:
    _write(tmp_path)
    async with agent(tmp_path, AGENT, redact=True) as client:
        told = await client.told("source", name="Cart.total")
        assert told["line"] == 4 and "prices" not in str(told["source"])
