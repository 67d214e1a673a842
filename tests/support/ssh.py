"""An ssh server on this machine, for one test: its own port, host key, user key and settings."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.attachable import free_port
from tests.support.waiting import wait_until

MACHINE = "the-machine"
"""Is what the client's settings call it."""

_SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def has_ssh() -> bool:
    """Returns whether there is all that it takes."""
    return _SSHD is not None and bool(shutil.which("ssh") and shutil.which("ssh-keygen"))


class Server:
    """The server, and the folder with what its clients need."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], port: int) -> None:
        self.folder = folder
        self.process = process
        self.port = port

    @property
    def commands(self) -> Path:
        """A folder for PATH whose ``ssh`` knows the machine, and nothing of the person's."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        ssh = folder / "ssh"
        real = shutil.which("ssh")
        ssh.write_text(f'#!/bin/sh\nexec {real} -F {self.folder / "config"} "$@"\n')
        ssh.chmod(0o755)
        return folder

    def end(self) -> None:
        """End it, with the lines that it serves."""
        kin = subprocess.run(
            ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
        ).stdout.split()
        parents = dict(zip(map(int, kin[::2]), map(int, kin[1::2]), strict=True))
        own = {self.process.pid}
        while more := {p for p, above in parents.items() if above in own and p not in own}:
            own |= more
        for pid in own:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        self.process.wait()


@contextmanager
def ssh_server(folder: Path, *, port: int = 0) -> Iterator[Server]:
    """Serve until the test is over; started again with the same keys in the same folder."""
    assert _SSHD is not None
    folder.mkdir(exist_ok=True, mode=0o700)
    port = port or free_port()
    for name in ("host_key", "user_key"):
        if not (folder / name).exists():
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True)
    shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
    public = (folder / "host_key.pub").read_text().split()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {public[0]} {public[1]}\n")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\n"
        "PermitRootLogin yes\nAllowTcpForwarding yes\nLogLevel VERBOSE\n"
    )
    (folder / "config").write_text(
        f"Host {MACHINE}\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n"
        f"  UserKnownHostsFile {folder}/known_hosts\n  StrictHostKeyChecking yes\n"
    )
    if os.geteuid() == 0:  # where sshd drops its rights to
        Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [_SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stdout=log, stderr=log
        )
    server = Server(folder, process, port)
    try:
        wait_until(lambda: b"Server listening" in (folder / "log").read_bytes(), what="sshd")
        yield server
    finally:
        server.end()
        (folder / "log").unlink(missing_ok=True)
