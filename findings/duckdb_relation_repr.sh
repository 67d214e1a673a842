#!/usr/bin/env bash
# debugpy 1.8.22, DuckDB 2.0.0: each stop runs the query of each relation among the locals again.
#
# Guess: a relation is a plan, as polars' LazyFrame is, whose repr names it; or its first result is kept.
# Seen: its repr runs the query and keeps nothing. So "variables" runs it at each stop, with what the query calls (here
# a function of the program with side effects, three rows): after two stops six calls, without a look none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check debugpy==1.8.22 duckdb==2.0.0 numpy==2.3.5 2>/dev/null
python=$folder/venv/bin/python
echo "debugpy 1.8.22, DuckDB 2.0.0, $("$python" --version)"

cat >"$folder/main.py" <<'PYTHON'
import os, duckdb
calls = []
def note(number):
    calls.append(number)
    return number
connection = duckdb.connect()
connection.create_function("note", note, ["BIGINT"], "BIGINT", side_effects=True)
rows = connection.sql("select note(i) as n from range(3) t(i)")
one = 1
two = 2
print(len(calls), flush=True)
os._exit(0)
PYTHON
cat >"$folder/client.py" <<'PYTHON'
import json, socket, subprocess, sys, time


class Client:
    """The least of a DAP client, for a program under "debugpy --listen"."""

    def __init__(self, program, output):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words = ["-Xfrozen_modules=off", "-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client", program]
        with open(output, "wb") as file:
            self.debuggee = subprocess.Popen([sys.executable, *words], stdout=file, stderr=file)
        for _ in range(200):
            try:
                self.line = socket.create_connection(("127.0.0.1", port), 30)
                break
            except OSError:
                time.sleep(0.05)
        self.stream, self.number = self.line.makefile("rb"), 0

    def send(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.line.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def read(self, *names):
        """The next event or response of these names."""
        while True:
            length = 0
            while header := self.stream.readline().strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
            message = json.loads(self.stream.read(length))
            if message["type"] == "event" and message["event"] in names:
                return message
            if message["type"] == "response" and message["command"] in names:
                return message

    def ask(self, command, **arguments):
        self.send(command, **arguments)
        return self.read(command)

    def start(self, program, line):
        self.send("initialize", adapterID="x", pathFormat="path")
        self.send("attach", justMyCode=True)
        self.read("initialized")
        self.ask("setBreakpoints", source={"path": program}, breakpoints=[{"line": line}])
        self.send("configurationDone")

    def stop(self):
        """The next stop's event, with its thread and frame; or that the program has ended."""
        event = self.read("stopped", "terminated")
        if event["event"] == "stopped":
            self.thread = event["body"]["threadId"]
            self.frame = self.ask("stackTrace", threadId=self.thread)["body"]["stackFrames"][0]["id"]
        return event["event"]

    def locals(self):
        scope = self.ask("scopes", frameId=self.frame)["body"]["scopes"][0]["variablesReference"]
        return {v["name"]: v["value"] for v in self.ask("variables", variablesReference=scope)["body"]["variables"]}


program, output, looks = sys.argv[1], sys.argv[2], sys.argv[3] == "look"
client = Client(program, output)
client.start(program, 9)
client.stop()
if looks:
    client.locals()
client.send("next", threadId=client.thread)
client.stop()
if looks:
    client.locals()
client.send("continue", threadId=client.thread)
client.debuggee.wait(30)
PYTHON
for how in leave look; do
    "$python" "$folder/client.py" "$folder/main.py" "$folder/$how" "$how"
done
echo "calls of the query's function, locals not read:    $(cat "$folder/leave")"
echo "calls of the query's function, read at two stops:  $(cat "$folder/look")"
[[ $(cat "$folder/leave") == 0 && $(cat "$folder/look") == 6 ]]
