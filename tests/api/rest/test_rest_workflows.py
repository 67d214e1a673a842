"""The contract's own workflows, as they are written there, against a live server.

Only the address and the folder of the project are put in; and a wait where the text says "when
paused" and does nothing for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, serving
from tests.support.waiting import PATIENCE

WORKFLOWS = Path(__file__).parent / "workflows"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (shutil.which("curl") and shutil.which("jq")), reason="the workflows need curl and jq"
    ),
]

WAIT = """\
while [ "$(curl -s "$BASE_URL/sessions/$SESSION_ID" | jq -r '.data.status')" != "paused" ]; do
  sleep 0.1
done
"""

REQUESTS = '''\
"""As much of requests as the client needs."""

import json as _json
import urllib.error
import urllib.parse
import urllib.request


class Response:
    def __init__(self, body):
        self._body = body

    def json(self):
        return _json.loads(self._body)


def request(method, url, json=None, params=None):
    if params:
        url += "?" + urllib.parse.urlencode(params)
    asked = urllib.request.Request(url, method=method)
    if json is not None:
        asked.data = _json.dumps(json).encode()
        asked.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(asked) as answer:
            return Response(answer.read())
    except urllib.error.HTTPError as error:
        return Response(error.read())
'''


def source(lines: dict[int, str]) -> str:
    """A source with code from given lines on, and blank lines between."""
    written: list[str] = []
    for number, text in sorted(lines.items()):
        assert len(written) < number, f"line {number} is taken"
        written += [""] * (number - 1 - len(written)) + text.splitlines()
    return "\n".join(written) + "\n"


@pytest.fixture
async def client() -> AsyncIterator[Relay]:
    async with serving() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "myproject").mkdir()
    return tmp_path / "myproject"


async def run(client: Relay, project: Path, name: str, *words: str) -> str:
    """Run a workflow with the address and the folder put in; what it has written."""
    text = (WORKFLOWS / name).read_text()
    text = text.replace("http://localhost:5679", str(client.client.base_url).rstrip("/"))
    text = text.replace("/Users/dev/myproject", str(project))
    text = text.replace("# When paused,", f"{WAIT}# When paused,")
    if name.endswith(".sh"):
        text += '\necho "SESSION=$SESSION_ID"\n'
    script = project.parent / name.removesuffix(".txt")
    script.write_text(text)
    process = await asyncio.create_subprocess_exec(
        *words,
        str(script),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(project.parent)},
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    written = out.decode()
    if "SESSION=" in written:
        client.session_id = written.rpartition("SESSION=")[2].strip()
    return written


def parts(written: str) -> dict[str, Any]:
    """Returns what stands below the headings, as JSON."""
    found: dict[str, Any] = {}
    for part in written.split("=== ")[1:]:
        title, _, rest = part.partition(" ===\n")
        try:
            found[title] = json.loads(rest)
        except ValueError:
            found[title] = rest.strip()
    return found


MAIN = {
    1: "import sys",
    10: "def load():\n    return [3, 1, 2]",
    20: "def process(data):\n    total = 0\n    for each in data:\n        total += each",
    25: "    print('sum', total)\n    return total",
    30: "print('args', *sys.argv[1:])\nprocess(load())",
}


async def test_basic(
    client: Relay,
    project: Path,
) -> None:
    (project / "main.py").write_text(source(MAIN))
    told = parts(await run(client, project, "basic.sh", "bash"))
    assert told["Setting breakpoint"][0]["line"] == 25
    assert told["Launching program"]["status"] in ("running", "paused")  # already there
    assert told["Waiting for breakpoint"] == "Paused!"
    assert told["Current location"]["line"] == 25
    assert [f["name"] for f in told["Stack trace"]] == ["process", "<module>"]
    names = {v["name"]: v["value"] for v in told["Local variables"]}
    assert names["total"] == "6" and names["data"] == "[3, 1, 2]"
    assert told["Evaluating expression"]["result"] == "3"
    assert told["Step over"]["line"] == 26
    assert told["Continuing"]["continued"] is True
    assert told["Waiting for completion"] == "Program terminated"
    output = "".join(e["output"] for e in told["Program output"] if e["category"] == "stdout")
    assert output == "args --input data.csv\nsum 6\n"
    assert told["Cleaning up"].split("SESSION=")[0].strip().endswith("}")
    assert not len(client.hub)


PROCESSOR = {
    1: "class Item:\n    def __init__(self, name):\n        self.name = name",
    38: "def run():\n    items = []\n    for i in range(120):",
    41: "        item = Item(f'n{i}')",
    42: "        items.append(item)",
    45: "        checked = i",
    48: "        last = checked",
    50: "run()",
}


@pytest.mark.full
async def test_conditional(
    client: Relay,
    project: Path,
) -> None:
    (project / "processor.py").write_text(source(PROCESSOR))
    await run(client, project, "conditional.sh", "bash")

    async def stop() -> tuple[int, str]:
        session = await client.until_status("paused")
        found = (await client.post("evaluate", {"expression": "i"})).data["result"]
        return session["current_location"]["line"], found

    assert await stop() == (45, "49")
    await client.post("continue")
    assert await stop() == (42, "101")
    assert len((await client.get("breakpoints")).data["breakpoints"]) == 3
    await client.delete("breakpoints/bp_1")
    await client.post("continue")
    await client.until_status("terminated")
    console = (await client.get("output", category="console", limit=1000)).data["entries"]
    told = [e["output"].strip() for e in console if "Processing" in e["output"]]
    assert len(told) == 120 and told[5].endswith("Processing item 5: n5")


BUGGY = """\
def work(problematic_var):
    return int(problematic_var)


work("not a number")
"""


@pytest.mark.full
async def test_exception(
    client: Relay,
    project: Path,
) -> None:
    (project / "buggy_script.py").write_text(BUGGY)
    told = parts(await run(client, project, "exception.sh", "bash"))
    caught = told["Exception caught!"]
    assert caught["type"] == "ValueError" and "not a number" in caught["message"]
    assert "in work" in caught["traceback"]
    assert told["Stack trace at exception"][0]["name"] == "work"
    assert told["Variables at crash"][0]["name"] == "problematic_var"
    assert "str" in told["Diagnosing cause"] and "not a number" in told["Diagnosing cause"]
    assert not len(client.hub)


FILES = {
    "main.py": {
        1: "from utils.helpers import help_out",
        10: "def main():\n    value = 1",
        15: "    value = help_out(value)\n    print(value)",
        20: "main()",
    },
    "utils/helpers.py": {
        1: "from models.data import Record",
        40: "def help_out(value):",
        42: "    record = Record(value)\n    return record.double()",
    },
    "models/data.py": {
        70: "class Record:\n    def __init__(self, value):\n        self.value = value",
        76: "    def double(self):",
        78: "        return self.value * 2",
    },
}


@pytest.mark.full
async def test_multifile(
    client: Relay,
    project: Path,
) -> None:
    for name, lines in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(source(lines))
    written = await run(client, project, "multifile.sh", "bash")
    assert '"continued": true' in written.replace('":true', '": true')
    told = written.split("=== Multi-file stack trace ===")[1]
    assert str(project / "main.py") in told and str(project / "utils/helpers.py") in told
    await client.until_status("paused")
    frames = (await client.get("stacktrace")).data["frames"]
    files = [Path(f["source"]["path"]).name for f in frames]
    assert files[-1] == "main.py" and "helpers.py" in files


@pytest.mark.full
async def test_python_client(
    client: Relay,
    project: Path,
) -> None:
    main = {**MAIN, 30: "print('args', *sys.argv[1:])\nprocess(load())"}
    (project / "main.py").write_text(source(main))
    (project.parent / "requests.py").write_text(REQUESTS)
    written = await run(client, project, "client.py.txt", sys.executable)
    for line in (
        "Set 1 breakpoint(s)",
        "Program launched",
        "Stack trace (2 frames):",
        f"  process at {project / 'main.py'}:25",
        "  total = 6 (int)",
        "Evaluation result: 6 (int)",
        "Program terminated",
        "Session cleaned up",
    ):
        assert line in written
    assert "  [stdout] sum" in written
    assert not len(client.hub)


POLLS = """
client = DebugClient()
client.create_session()
client.set_breakpoints([{"source": {"path": "/Users/dev/myproject/main.py"}, "line": 25}])
client.launch(script="/Users/dev/myproject/main.py")
client.wait_for_pause()
first = client.poll_events()
client.step_into()
client.step_out()
later = client.poll_events(timeout=5)
assert [e["seq"] for e in first + later] == list(range(1, len(first + later) + 1)), later
assert "stopped" in {e["type"] for e in later}
client.delete_session()
"""


@pytest.mark.full
async def test_python_client_polls(
    client: Relay,
    project: Path,
) -> None:
    (project / "main.py").write_text(source(MAIN))
    (project.parent / "requests.py").write_text(REQUESTS)
    whole = (WORKFLOWS / "client.py.txt").read_text()
    script = whole.partition("# Example usage")[0] + POLLS
    script = script.replace("http://localhost:5679", str(client.client.base_url).rstrip("/"))
    file = project.parent / "polls.py"
    file.write_text(script.replace("/Users/dev/myproject", str(project)))
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(file), env={**os.environ, "PYTHONPATH": str(project.parent)}
    )
    async with asyncio.timeout(PATIENCE):
        assert await process.wait() == 0
