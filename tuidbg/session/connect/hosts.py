"""The port at which other machines call, with all their programs on one line."""

from __future__ import annotations

import socket
import ssl

import msgspec

from tuidbg.adapters.carrying.tls import listening_context
from tuidbg.config.launch import AttachPlan, HostsPlan
from tuidbg.session.connect.connecting import LOOPBACK
from tuidbg.session.connect.listening import bind
from tuidbg.session.errors import AttachFailed


def bind_for_hosts(plan: AttachPlan, wanted: HostsPlan) -> socket.socket:
    """A socket that listens there. Raises AttachFailed, also where anybody could call."""
    if wanted.host not in LOOPBACK and not plan.token:
        raise AttachFailed(
            f"any machine could call {wanted.host}:{wanted.port}: a token is wanted (--token-file)"
        )
    return bind(msgspec.structs.replace(plan, host=wanted.host, port=wanted.port))


def make_context(wanted: HostsPlan) -> ssl.SSLContext | None:
    """TLS with the certificate, if there is one. Raises AttachFailed."""
    if not wanted.certificate:
        return None
    try:
        return listening_context(wanted.certificate, wanted.key)
    except OSError as error:  # those of OpenSSL are some, too
        why = error.strerror or str(error)
        raise AttachFailed(f"can't use the certificate {wanted.certificate}: {why}") from error


def warn_of_hosts(wanted: HostsPlan) -> str:
    """Returns what a person should know who has machines call without TLS; else nothing."""
    if wanted.host in LOOPBACK or wanted.certificate:
        return ""
    return (
        f"nothing on the lines to {wanted.host}:{wanted.port} is encrypted, the token neither:"
        " --certificate has them speak TLS"
    )
