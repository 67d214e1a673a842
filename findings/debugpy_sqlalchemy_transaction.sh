#!/usr/bin/env bash
# debugpy 1.8.22, SQLAlchemy 2.1.9: reading the locals of a frame begins a transaction in the program's session.
#
# Guess: the variables pane reads; what the program does next is the same with and without a look.
# Seen: after commit() an object is expired. Its repr (here a dataclass's, as SQLAlchemy's manual writes models) reads
# its attributes, so that one "variables" request sends a SELECT and begins a transaction, which holds a snapshot, and
# locks on some databases, until the program's next commit. session.in_transaction() is False without the look, True
# with it, and nobody had typed an expression.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check debugpy==1.8.22 sqlalchemy==2.1.9 2>/dev/null
python=$folder/venv/bin/python
echo "debugpy 1.8.22, SQLAlchemy 2.1.9, $("$python" --version)"

cat >"$folder/main.py" <<'PYTHON'
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, Session, mapped_column
class Base(MappedAsDataclass, DeclarativeBase):
    pass
class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    name: Mapped[str]
engine = sa.create_engine("sqlite://")
Base.metadata.create_all(engine)
session, author = Session(engine), Author("Ada")
session.add(author)
session.commit()
print(session.in_transaction())
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
client.start(program, 14)
client.stop()
if looks:
    client.locals()
client.send("continue", threadId=client.thread)
client.debuggee.wait(30)
PYTHON
for how in leave look; do
    "$python" "$folder/client.py" "$folder/main.py" "$folder/$how" "$how"
done
echo "in a transaction, locals not read: $(cat "$folder/leave")"
echo "in a transaction, locals read:     $(cat "$folder/look")"
[[ $(cat "$folder/leave") == False && $(cat "$folder/look") == True ]]
