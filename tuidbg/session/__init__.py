"""The debugger core: one live session with its state and event log.

No module here depends on a screen or a server. Front ends read the state, subscribe to the events
and call the session's methods; see ``session.py``.
"""
