#!/usr/bin/env bash
# debugpy 1.8.22: an attached program that replaces itself by one that is no Python never ends for its client.
#
# Guess: the connection of the replaced program closes with it (os.exec*), so that "terminated" is sent then, or at the
# latest when the process has ended.
# Seen: pydevd announces the replacement, and debugpy's adapter waits for the process to connect again, as a Python would. A
# shell does not; neither its end nor that of the process is noticed: no "exited", no "terminated", within 15 s after the
# process was gone. The same program launched by the adapter is told: "exited" with its code, "terminated".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check debugpy==1.8.22 2>/dev/null
python=$folder/venv/bin/python
echo "debugpy 1.8.22, $("$python" --version)"

cat >"$folder/main.py" <<'PYTHON'
import os
one = 1
os.execvp("sh", ["sh", "-c", "exit 5"])
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


class Launching(Client):
    """The same, by debugpy's adapter, which starts the program."""

    def __init__(self, program, output):
        self.debuggee = subprocess.Popen(
            [sys.executable, "-m", "debugpy.adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.stream, self.line, self.number, self.program = self.debuggee.stdout, self, 0, program

    def sendall(self, data):
        self.debuggee.stdin.write(data)
        self.debuggee.stdin.flush()

    def start(self, program, line):
        self.send("initialize", adapterID="x", pathFormat="path")
        self.send("launch", program=program, console="internalConsole")
        self.read("initialized")
        self.send("configurationDone")


how, program, output = sys.argv[1:]
client = (Launching if how == "launched" else Client)(program, output)
client.start(program, 2)
if how == "launched":
    code, end = client.read("exited")["body"]["exitCode"], client.read("terminated")["event"]
    print(f"exited with {code}, {end}")
    client.debuggee.kill()
else:
    client.stop()
    client.send("continue", threadId=client.thread)
    code = client.debuggee.wait(30)
    try:
        client.line.settimeout(15)
        while True:
            event = client.read("exited", "terminated")["event"]
            if event == "terminated":
                break
        print(f"the process ended with {code}; told: {event}")
    except TimeoutError:
        print(f"the process ended with {code}; told: nothing")
PYTHON
launched=$("$python" "$folder/client.py" launched "$folder/main.py" "$folder/output")
attached=$("$python" "$folder/client.py" attached "$folder/main.py" "$folder/output")
echo "launched:  $launched"
echo "attached:  $attached"
[[ $launched == "exited with 5, terminated" && $attached == "the process ended with 5; told: nothing" ]]
