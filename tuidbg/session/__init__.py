"""The core of the debugger: one live session, its truth and its event log.

Nothing in here knows a screen or a server. Front ends read the state, subscribe to the events and
call the session's methods; see ``session.py``.
"""
