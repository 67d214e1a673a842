#!/usr/bin/env bash
# debugpy 1.8.22, Cython 3.3.1, Python 3.12 and newer: a module with line tracing can't be imported under debugpy.
#
# Guess: "linetrace" is for debuggers and coverage: breakpoints in the .pyx file stop, or at least nothing happens.
# Seen: Cython's code reports events of sys.monitoring for code objects that have no frame of their own; pydevd looks for
# the frame, finds the importer's, and its assertion is raised in the program: the import fails with AssertionError, without
# any breakpoint. The same module without CYTHON_TRACE, and with it without debugpy, is imported.
# Where the machine's Python is older than 3.12 there is no sys.monitoring, and nothing is tried.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    debugpy==1.8.22 cython==3.3.1 setuptools==80.9.0 2>/dev/null
python=$folder/venv/bin/python
echo "debugpy 1.8.22, Cython 3.3.1, $("$python" --version)"
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
    echo 'needs Python 3.12 or newer as python3'
    exit 0
fi

cd "$folder"
printf '%s\n' 'def total(int n):' '    return n * 2' >plain.pyx
printf '%s\n' '# cython: linetrace=True' '# distutils: define_macros=CYTHON_TRACE=1' 'def total(int n):' '    return n * 2' \
    >traced.pyx
"$folder/venv/bin/cythonize" --inplace --quiet plain.pyx traced.pyx >/dev/null 2>&1
for name in plain traced; do
    printf '%s\n' "import $name" "print('imported', $name.total(21))" >"use_$name.py"
done
cat >client.py <<'PYTHON'
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


program, output = sys.argv[1:]
client = Client(program, output)
client.start(program, 2)
if client.stop() == "stopped":
    client.send("continue", threadId=client.thread)
client.debuggee.wait(30)
PYTHON
undebugged=$("$python" use_traced.py)
for name in plain traced; do
    "$python" client.py "$folder/use_$name.py" "$folder/$name.log"
done
plain=$(tail -n 1 plain.log)
traced=$(grep -o '^[A-Za-z]*Error' traced.log | tail -n 1)
echo "with line tracing, undebugged:     $undebugged"
echo "without line tracing, debugged:    $plain"
echo "with line tracing, debugged:       $traced"
[[ $undebugged == "imported 42" && $plain == "imported 42" && $traced == AssertionError ]]
