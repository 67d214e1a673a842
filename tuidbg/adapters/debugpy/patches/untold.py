"""Releases processes that no client of the adapter was told of, or that a client has refused.

Imported by ``start_adapter.py``, which is a script.
"""

from typing import Any


def release_untold() -> None:
    """Release each process that waits for a client that will not come.

    debugpy reports a process to the session of its parent. A session that is about to end, as of a
    process that was let go itself, has no client any more that would attach, and the process, often
    a daemon that was forked twice, waited for one without end.
    """
    from debugpy.adapter import clients, servers, sessions

    client: Any = clients.Client
    session: Any = sessions.Session
    find_session: Any = sessions.get
    module: Any = servers
    notify, finalize = client.notify_of_subprocess, session._finalize

    def notify_or_release(self: Any, connection: Any) -> None:
        try:
            notify(self, connection)
        except Exception:  # refused, or the client has gone
            release(connection)

    def finalize_and_release(self: Any, *why: Any) -> None:
        finalize(self, *why)
        if self.client is None or self.pid is None:
            return
        told = self.client.known_subprocesses
        for each in module.connections():
            if each.server is None and each.ppid == self.pid and each not in told:
                release(each)

    def connect(self: Any, sock: Any) -> None:
        init(self, sock)
        is_first = not seen
        if self.pid is not None:  # otherwise it was refused
            seen.append(self.pid)
        # debugpy takes each process for the program itself that calls when no other is connected.
        if is_first or self.server is not None or self not in module.connections():
            return
        if find_session(self.ppid) is None and find_session(self.pid) is None:
            release(self)

    seen: list[Any] = []
    init = module.Connection.__init__
    module.Connection.__init__ = connect
    client.notify_of_subprocess = notify_or_release
    session._finalize = finalize_and_release


def release(connection: Any) -> None:
    """Let a process run undebugged, as debugpy does where no session has started it."""
    try:
        connection.channel.request("initialize", {"adapterID": "debugpy"})
        connection.channel.request("attach", {"subProcessId": connection.pid})
        connection.channel.request("configurationDone")
        connection.channel.request("disconnect")
    except Exception:
        connection.channel.close()  # the process runs on without it
