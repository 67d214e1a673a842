#!/usr/bin/env bash
# ipykernel 7.4.0: for its debugger two cells with the same text are one file.
#
# Guess: a breakpoint belongs to its cell, which has an id in the notebook's format and in the messages.
# Seen: code is named by a hash of its text, and "dumpCell" too. A breakpoint that is set in one cell stops in each cell
# of the same text (such as two "model.step()"), wherever it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ipykernel==7.4.0 jupyter-client==8.10.0 debugpy==1.8.22 2>/dev/null
python=$folder/venv/bin/python
echo "ipykernel 7.4.0, debugpy 1.8.22, $("$python" --version)"
cat >"$folder/client.py" <<'PYTHON'
import queue
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel()


def ask(command, **arguments):
    message = client.session.msg("debug_request")
    message["content"] = {"seq": 1, "type": "request", "command": command, "arguments": arguments}
    client.control_channel.send(message)
    while True:
        answer = client.get_control_msg(timeout=30)
        if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            return answer["content"].get("body") or {}


def stops(code):
    """Whether the debugger stops in a cell; it is continued then."""
    asked = client.execute(code)
    while True:
        try:
            message = client.get_iopub_msg(timeout=8)
        except queue.Empty:
            return "?"
        if message["msg_type"] == "debug_event" and message["content"]["event"] == "stopped":
            ask("continue", threadId=message["content"]["body"]["threadId"])
            return True
        is_ours = message["parent_header"].get("msg_id") == asked
        if is_ours and message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return False


try:
    first = second = "count = 1\ncount += 1\n"
    ask("initialize", clientID="x", adapterID="", pathFormat="path")
    ask("attach")
    path = ask("dumpCell", code=first)["sourcePath"]
    ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 2}], sourceModified=False)
    ask("configurationDone")
    print("one file for both:", ask("dumpCell", code=second)["sourcePath"] == path)
    print("first cell stops:", stops(first))
    print("second cell of the same text stops:", stops(second))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
PYTHON
"$python" "$folder/client.py" 2>/dev/null | tee "$folder/seen"
[[ $(sed 's/.*: //' "$folder/seen" | paste -sd' ') == "True True True" ]]
