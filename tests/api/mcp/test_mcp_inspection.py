"""What agents are told of a stopped program, and how much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.agents import STEPS, agent
from tuidbg.api.auth.callers import ALL_SCOPES, TokenScope
from tuidbg.api.mcp.agent import AnswerLimits
from tuidbg.api.mcp.tool_sets import McpOptions

pytestmark = pytest.mark.real

RAISES = """\
import json

class Order:
    def __init__(self, total):
        self.total = total

def parse(text, *, strict=True):
    size = len(text)
    return json.loads(text)

def load(order, text):
    try:
        return parse(text)
    except ValueError as error:
        raise RuntimeError("can't load") from error

load(Order(3), "{nonsense")
"""


@pytest.fixture
def raises(tmp_path: Path) -> Path:
    path = tmp_path / "raises.py"
    path.write_text(RAISES)
    return path


@pytest.mark.full
async def test_an_unhandled_exception(tmp_path: Path, raises: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(raises)
        hit = await client.go_on()
        assert hit["snapshot"]["exception"] == {"type": "RuntimeError", "message": "can't load"}
        told = await client.told("exception_get_context", include_variables_for_frames=1)
        assert set(told) == {
            *("threadId", "exception", "innerExceptions", "innerExceptionsTruncated"),
            *("frames", "totalFrames", "throwingFrameIndex"),
        }
        assert told["exception"].pop("stackTraceString").endswith("RuntimeError: can't load\n")
        assert told["exception"] == {
            "type": "RuntimeError",
            "message": "can't load",
            "isFirstChance": False,
        }
        (inner,) = told["innerExceptions"]
        assert (inner["type"], inner["depth"]) == ("json.decoder.JSONDecodeError", 1)
        assert told["innerExceptionsTruncated"] is False
        top = told["frames"][told["throwingFrameIndex"]]
        assert (top["function"], top["isExternal"]) == ("load", False)
        assert top["location"] == {
            "file": str(raises),
            "line": 15,
            "column": 9,
            "functionName": "load",
            "moduleName": "__main__",
        }
        order, text = top["arguments"]
        assert (order["name"], order["type"], order["scope"]) == (
            *("order", "__main__.Order"),
            "Argument",
        )
        assert (order["hasChildren"], order["childrenCount"]) == (True, 1)
        assert (text["value"], text["hasChildren"]) == ("'{nonsense'", False)
        assert top["variables"]["errors"] is None
        assert told["frames"][1]["arguments"] is None and told["frames"][1]["variables"] is None
        assert told["totalFrames"] == 2


@pytest.mark.full
async def test_at_the_throw_site(tmp_path: Path, raises: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(raises)
        await client.told("breakpoint_set_exception", exception_type="RuntimeError")
        await client.told("breakpoint_set_exception", exception_type="ValueError")
        await client.go_on()
        told = await client.told(
            "exception_get_context",
            max_frames=3,
            include_variables_for_frames=2,
            max_inner_exceptions=0,
        )
        assert told["exception"]["isFirstChance"] is True
        assert told["innerExceptions"] == []
        assert len(told["frames"]) == 3 < told["totalFrames"]
        external = [frame for frame in told["frames"] if frame["isExternal"]]
        assert external and all(frame["location"] is None for frame in external)


@pytest.mark.full
@pytest.mark.parametrize(
    "wrong",
    [
        {"max_frames": 0},
        {"max_frames": 101},
        {"include_variables_for_frames": -1},
        {"include_variables_for_frames": 11},
        {"max_inner_exceptions": -1},
        {"max_inner_exceptions": 21},
    ],
    ids=lambda wrong: "-".join(map(str, *wrong.items())),
)
async def test_numbers_out_of_range(wrong: dict[str, int], tmp_path: Path, raises: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(raises)
        refused = await client.refusal("exception_get_context", **wrong)
        assert refused.code == "INVALID_PARAMETER"


@pytest.mark.full
async def test_not_at_an_exception(tmp_path: Path, raises: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(raises)
        refused = await client.refusal("exception_get_context")
        assert refused.code == "NO_EXCEPTION" and "breakpoint_set_exception" in refused.hint


LARGE = """\
def deep(n, text):
    if n:
        return deep(n - 1, text)
    numbers = list(range(100_000))
    table = {f"key {i}": "v" * 1000 for i in range(500)}
    names = ["x" * 300] * 200
    for i in range(100):
        globals()[f"name_{i}"] = i
    return 1
print("out" * 5000)
many = {f"local_{i}": "y" * 5000 for i in range(60)}
lines = "".join(f"    v{i} = {'z' * 400!r}\\n" for i in range(80))
exec("def wide():\\n" + lines + "    deep(50, 'q')")
wide()
"""


@pytest.mark.full
async def test_a_snapshot_has_a_cap_and_says_what_it_left_out(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    path.write_text(LARGE)
    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="large.py", line=9)
        hit = await client.go_on()
        snapshot = hit["snapshot"]
        assert len(json.dumps(hit)) <= 8_000
        assert snapshot["more_frames"] == 43
        assert snapshot["output_left_out"] > 10_000
        values = " ".join(snapshot["locals"][0]["variables"])
        assert "numbers = [0, 1, 2" in values and "…" in values and "(100,000)" in values
        page = await client.told("stacktrace_get", start_frame=40, max_frames=20)
        assert (len(page["frames"]), page["total_frames"]) == (13, 53)
        page = await client.told("variables_get", expand="numbers", start=99_990, count=5)
        assert [v["value"] for v in page["variables"]] == [str(n) for n in range(99_990, 99_995)]
        assert (page["total"], page["next_start"]) == (100_000, 99_995)
        page = await client.told("variables_get", expand="table", count=1, max_chars=1_000)
        assert page["next_start"] == 1 and page["variables"][0]["size"] == "1,000"
        inside = await client.told("variables_get", expand=page["variables"][0]["name"])
        assert inside["variables"] == []
        refused = await client.refusal("variables_get", expand="nothing")
        assert refused.code == "EVAL_FAILED" and "nothing" in refused.message
        refused = await client.refusal("variables_get", frame_index=99)
        assert refused.code == "INVALID_FRAME"
        refused = await client.refusal("stacktrace_get", thread_id=12345)
        assert refused.code == "INVALID_THREAD"
        told = await client.told("evaluate", expression="'a' * 10_000", max_chars=10)
        assert told["result"].startswith("'aaaaaaaaa…")
        refused = await client.refusal("evaluate", expression="1 / 0")
        assert (refused.code, "ZeroDivisionError" in refused.message) == ("EVAL_FAILED", True)
        refused = await client.refusal("evaluate", expression="while 1: pass", timeout_ms=300)
        assert refused.code == "TIMEOUT"
        threads = await client.told("threads_list")
        assert threads["stopped_thread_id"] in [thread["id"] for thread in threads["threads"]]


@pytest.mark.full
async def test_the_caps_can_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    path.write_text(LARGE)
    options = McpOptions(
        tool_set=STEPS, limits=AnswerLimits(reply=1_500, value=20, frames=3, source=1, output=50)
    )
    async with agent(tmp_path, options) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="large.py", line=9)
        snapshot = (await client.go_on())["snapshot"]
        assert len(json.dumps(snapshot)) <= 1_600
        assert len(snapshot["stack"]) <= 3 and len(snapshot.get("output", "")) <= 50


TALKS = """\
import sys
name = input("name? ")
print("hello", name)
print("oops", file=sys.stderr)
rest = sys.stdin.read()
print(len(rest))
"""


@pytest.mark.full
async def test_input_and_output(tmp_path: Path) -> None:
    path = tmp_path / "talks.py"
    path.write_text(TALKS)
    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="talks.py", line=4)
        await client.told("debug_continue")
        await client.told("process_write_input", data="Ada\n")
        hit = await client.told("breakpoint_wait")
        assert "hello Ada" in hit["snapshot"]["output"]
        told = await client.told("process_read_output", clear=True)
        assert told["output"].endswith("hello Ada\n")
        assert (await client.told("process_read_output"))["output"] == ""
        await client.told("process_write_input", data="four", close_after=True)
        await client.told("process_write_input", data="", close_after=True)
        assert (await client.go_on())["reason"] == "terminated"
        told = await client.told("process_read_output", max_chars=2)
        assert told == {"output": "4\n", "left_out": told["left_out"]}
        refused = await client.refusal("process_write_input", data="x")
        assert refused.code == "NO_SESSION"


@pytest.mark.full
async def test_streams_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "both.py"
    path.write_text("import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 1\n")
    async with agent(tmp_path) as client:
        await client.launch(path, separate_streams=True)
        await client.told("breakpoint_set", file="both.py", line=4)
        await client.go_on()
        for stream, text in (("stdout", "out\n"), ("stderr", "err\n")):
            told = await client.told("process_read_output", stream=stream)
            assert told["output"] == text
        refused = await client.refusal("process_write_input", data="x")
        assert refused.code == "STDIN_CLOSED" and "separate_streams" in refused.hint


LAUNCHES = [
    pytest.param({}, "INVALID_PARAMETER", id="nothing"),
    pytest.param({"program": "a.py", "module": "b"}, "INVALID_PARAMETER", id="both"),
    pytest.param({"program": "nowhere.py"}, "INVALID_PATH", id="no-file"),
    pytest.param({"program": "broken.py"}, "LAUNCH_FAILED", id="syntax"),
    pytest.param({"program": "good.py", "cwd": "/no/where"}, "INVALID_PATH", id="cwd"),
    pytest.param({"program": "good.py", "python": "/no/python"}, "LAUNCH_FAILED", id="python"),
]


@pytest.mark.full
async def test_a_launch_that_fails_can_be_tried_again(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "good.py").write_text("x = 1\n")
    async with agent(tmp_path) as client:
        for case in LAUNCHES:
            arguments, code = case.values
            assert isinstance(arguments, dict)
            refused = await client.refusal("debug_launch", **arguments)
            assert refused.code == code, (case.id, refused)
        assert (await client.launch(tmp_path / "good.py"))["reason"] == "entry_point"
        refused = await client.refusal("debug_launch", program="good.py")
        assert refused.code == "SESSION_ACTIVE" and "debug_disconnect" in refused.hint
        await client.told("debug_disconnect")
        assert (await client.told("debug_launch", module="good", stop_at_entry=True))["pid"]


async def test_looking_only(tmp_path: Path, raises: Path) -> None:
    options = McpOptions(tool_set=STEPS, scopes=frozenset({TokenScope.READ}))
    async with agent(tmp_path, options) as client:
        names = {tool.name for tool in (await client.client.list_tools()).tools}
        assert "debug_state" in names and not names & {"evaluate", "debug_step", "debug_launch"}
        assert (await client.refusal("debug_step", action="over")).code == "PERMISSION_DENIED"


@pytest.mark.full
async def test_without_evaluation(tmp_path: Path, raises: Path) -> None:
    options = McpOptions(tool_set=STEPS, scopes=ALL_SCOPES - {TokenScope.EVALUATE})
    async with agent(tmp_path, options) as client:
        await client.launch(raises)
        for name, arguments in (
            ("evaluate", {"expression": "1"}),
            ("variables_get", {"expand": "order"}),
            ("breakpoint_set", {"file": "raises.py", "line": 8, "condition": "1"}),
            ("tracepoint_set", {"file": "raises.py", "line": 8, "log_message": "{1}"}),
        ):
            assert (await client.refusal(name, **arguments)).code == "PERMISSION_DENIED"
        await client.told("breakpoint_set", file="raises.py", line=8)
        assert (await client.go_on())["location"]["line"] == 8
        names = [v["name"] for v in (await client.told("variables_get"))["variables"]]
        assert names[:2] == ["text", "strict"]


@pytest.mark.full
async def test_secrets_are_hidden_from_a_redacted_agent(tmp_path: Path) -> None:
    path = tmp_path / "secrets.py"
    path.write_text("password = 'hunter2'\nuser = {'api_key': 'k-123', 'name': 'ada'}\nx = 1\n")
    async with agent(tmp_path, redact=True) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="secrets.py", line=3)
        said = json.dumps(await client.go_on())
        said += json.dumps(await client.told("variables_get"))
        said += json.dumps(await client.told("evaluate", expression="password"))
        assert "hunter2" not in said.replace("password = 'hunter2'\"", "")
        assert "ada" in said
