"""The recorded run by REST: moments that each request names, and what one asks of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tests.support.relay import relay
from tuidbg.api.auth import security
from tuidbg.api.auth.callers import Caller
from tuidbg.session.core import redaction
from tuidbg.session.core.redaction import Redaction

NEWEST = max(SUPPORTED)

SHOP = """
class Cart:
    def __init__(self):
        self.items = []
        self.total = 0

    def add(self, price, password):
        self.items.append(price)
        self.total += price  #: total
        return self.total

def main():
    cart = Cart()
    for price in (2, 7, 3):
        paid = cart.add(price, "hunter2")
    left = 20 - cart.total
    print("left", left)  #: stop

main()
"""


@pytest.mark.real
@pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded")
async def test_a_recorded_run_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUIDBG_RECORDER", "python")
    marked = MarkedProgram(tmp_path, SHOP)
    async with relay() as client:
        await client.create(project_root=str(tmp_path), python_path=SUPPORTED[NEWEST])
        assert (await client.get("recording")).data["moments"] == 0
        assert (await client.get("recording/moment")).refusal == (404, "NOTHING_RECORDED")
        assert (await client.post("recording")).refusal == (409, "CANNOT_RECORD")
        await client.break_at(marked.file, marked["stop"])
        await client.launch(marked.file, record=True)
        await client.until_status("paused")
        state = (await client.get("recording")).data
        assert state["is_on"] and state["moments"] > 20
        assert (state["recorder"], state["slower"]) == ("python", "TUIDBG_RECORDER is python")
        now = (await client.get("recording/moment")).data["at"]
        assert now["location"]["line"] == marked["stop"]
        back = (await client.get("recording/moment", moment=now["moment"], go="back")).data["at"]
        assert back["location"]["line"] == marked["stop"] - 1
        forth = await client.get("recording/moment", moment=back["moment"], go="forth")
        assert (forth.data["edge"], forth.data["at"]["moment"]) == ("now", now["moment"])
        told = (await client.get("recording/changes", expression="cart.total", count=2)).data
        assert [(each["old"]["value"], each["new"]["value"]) for each in told["changes"]] == [
            ("9", "12"),
            ("2", "9"),
        ]
        assert {each["by"]["location"]["line"] for each in told["changes"]} == {marked["total"]}
        told = (await client.get("recording/changes", expression="cart.total", count=9)).data
        assert len(told["changes"]) == 4, "before the first one there was no cart"
        inside = told["changes"][0]["by"]["moment"]
        stack = (await client.get("recording/stacktrace", moment=inside)).data
        assert [each["name"] for each in stack["frames"]][-2:] == ["main", "<module>"]
        found = (await client.get("recording/variables", moment=inside)).data["variables"]
        values = {each["name"]: each for each in found}
        assert values["price"]["value"] == "3"
        reference = values["self"]["variables_reference"]
        opened = await client.get("recording/variables", variables_reference=reference)
        assert [each["name"] for each in opened.data["variables"]] == ["items", "total"]
        body = {"expression": "self.total > 5", "moment": inside}
        assert (await client.post("recording/evaluate", body)).data["value"]["result"] == "True"
        time = (await client.post("recording/time", {**body, "function": "Cart.add"})).data
        assert time["by"]["location"]["line"] == marked["total"]
        calls = (await client.get("recording/calls", function="Cart.add")).data
        assert (calls["total"], [c["result"]["value"] for c in calls["calls"]]) == (
            3,
            ["2", "9", "12"],
        )
        passes = (
            await client.get("recording/passes", path=marked.path, line=marked["total"])
        ).data["passes"]
        assert len(passes) == 3
        series = (await client.get("recording/values", name="paid", function="main")).data
        assert [each["values"][0]["value"] for each in series["passes"]] == ["2", "9", "12"]
        unknown = await client.get("recording/moment", moment="9.9.9")
        assert unknown.refusal == (404, "MOMENT_NOT_FOUND")
        ended = (await client.delete("recording")).data
        assert not ended["is_on"] and ended["moments"] > 20


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded")
async def test_secrets_of_a_recorded_run_are_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with relay() as client:
        await client.create(project_root=str(tmp_path), python_path=SUPPORTED[NEWEST])
        await client.break_at(marked.file, marked["stop"])
        await client.launch(marked.file, record=True)
        await client.until_status("paused")
        changes = (await client.get("recording/changes", expression="cart.total")).data["changes"]
        moment = changes[0]["by"]["moment"]
        asked = {"expression": "password.nothing", "moment": moment}

        async def all_told() -> str:
            return "\n".join(
                [
                    (await client.get("recording/variables", moment=moment)).response.text,
                    (await client.get("recording/calls", function="Cart.add")).response.text,
                    (
                        await client.get("recording/values", name="password", moment=moment)
                    ).response.text,
                    (await client.post("recording/evaluate", asked)).response.text,
                    (
                        await client.get("recording/changes", **{**asked, "expression": "password"})
                    ).response.text,
                ]
            )

        assert "hunter2" in await all_told()
        monkeypatch.setattr(security, "Caller", partial(Caller, redact=Redaction.TEXTS))
        told = await all_told()
        assert "hunter2" not in told and redaction.REDACTED in told
