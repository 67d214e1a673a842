"""The Debug Adapter Protocol, sans I/O: bytes in, messages out.

No asyncio, no sockets, no processes; the owner of a transport feeds and drains these classes.
Specification: Debug Adapter Protocol 1.6x, "Base protocol" and "Protocol messages".
"""
