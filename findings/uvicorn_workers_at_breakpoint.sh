#!/usr/bin/env bash
# uvicorn 0.54.0 with --workers, debugpy 1.8.22: a worker at a breakpoint is killed after five seconds, by newer Pythons.
#
# Guess: uvicorn's supervisor replaces a worker that has ended; one at a breakpoint is slow, as with one process or with
# --reload, where nothing happens; and the Python does not matter.
# Seen: the supervisor asks each worker whether it lives, and a thread of the worker answers.
# - Python 3.13.0 (sys.monitoring): that thread stands, too. After five seconds the worker gets SIGKILL, and the log says
#   "Child process [...] died", as if it had crashed. With --timeout-worker-healthcheck 60 it stands for as long.
# - Python 3.11.7 (sys.settrace): that thread was there before debugpy.listen(), is not traced, answers, and so the worker
#   stands for as long as one likes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check debugpy==1.8.22 uvicorn==0.54.0 2>/dev/null
python=$folder/venv/bin/python
echo "uvicorn 0.54.0, debugpy 1.8.22, $("$python" --version)"

cd "$folder"
cat >web.py <<'PYTHON'
import os, debugpy
try:
    os.mkdir(os.environ["FIRST"])  # one of the workers is debugged
    debugpy.listen(("127.0.0.1", int(os.environ["DEBUG_PORT"])))
except FileExistsError:
    pass
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
PYTHON
cat >client.py <<'PYTHON'
import json, os, socket, subprocess, sys, threading, time, urllib.request


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def connect(port):
    for _ in range(400):
        try:
            return socket.create_connection(("127.0.0.1", port), 30)
        except OSError:
            time.sleep(0.05)


name, *options = sys.argv[1:]
web, debug = free_port(), free_port()
words = [sys.executable, "-m", "uvicorn", "web:app", "--workers", "2", "--port", str(web), *options]
known = {**os.environ, "FIRST": name, "DEBUG_PORT": str(debug), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
with open(f"{name}.log", "wb") as log:
    server = subprocess.Popen(words, env=known, stdout=log, stderr=log)
line = connect(debug)
stream, number = line.makefile("rb"), 0


def send(command, **arguments):
    global number
    number += 1
    body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
    line.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def read(event):
    while True:
        length = 0
        while header := stream.readline().strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        message = json.loads(stream.read(length))
        if message["type"] == "event" and message["event"] == event:
            return message["body"] if "body" in message else None


def request():
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{web}/", timeout=20).close()
    except OSError:
        pass


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


send("initialize", adapterID="x", pathFormat="path")
send("attach", justMyCode=True)
read("initialized")
send("setBreakpoints", source={"path": os.path.abspath("web.py")}, breakpoints=[{"line": 9}])
send("configurationDone")
worker = read("process")["systemProcessId"]
connect(web).close()
is_stopped = threading.Event()


def ask_until_stopped():
    while not is_stopped.wait(0.1):  # either worker may take a request
        threading.Thread(target=request, daemon=True).start()


threading.Thread(target=ask_until_stopped, daemon=True).start()
read("stopped")
is_stopped.set()
begun = time.monotonic()
while lives(worker) and time.monotonic() - begun < 9:
    time.sleep(0.1)
print(f"gone after {round(time.monotonic() - begun)} s" if not lives(worker) else "stands after 9 s")
os.kill(worker, 9) if lives(worker) else None
server.terminate()
try:
    server.wait(5)
except subprocess.TimeoutExpired:
    server.kill()
os._exit(0)
PYTHON
by_default=$("$python" client.py default)
patient=$("$python" client.py patient --timeout-worker-healthcheck 60)
told=$(grep -o 'Child process .* died' default.log | sed 's/[0-9]\+/N/' | head -n 1 || true)
echo "by default:                            $by_default; the log: $told"
echo "with --timeout-worker-healthcheck 60:  $patient"
case $("$python" -c 'import sys; print(sys.version_info >= (3, 12))') in
True) [[ $by_default == "gone after "[456]" s" && $told == "Child process [N] died" && $patient == "stands after 9 s" ]] ;;
*) [[ $by_default == "stands after 9 s" && -z $told && $patient == "stands after 9 s" ]] ;;
esac
