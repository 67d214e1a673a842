"""TLS between two machines: a certificate here, and its trusted copy there."""

from __future__ import annotations

import ssl


def listening_context(certificate: str, key: str) -> ssl.SSLContext:
    """Create a server context; ``key`` may be in the certificate's file. Raises OSError."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key or None, password=_no_password)
    return context


def calling_context(authority: str) -> ssl.SSLContext:
    """Create a client context trusting only that file, or the system's. Raises OSError."""
    context = ssl.create_default_context(cafile=authority or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _no_password() -> str:
    """Return no password: OpenSSL would ask on the terminal, over the screen."""
    raise OSError("encrypted private keys are not supported")
