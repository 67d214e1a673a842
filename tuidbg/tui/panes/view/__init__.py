"""The view of one session.

``session_view.py`` follows the session's events and makes the other parts update. They are named
after their contents: ``stack.py``, ``variables.py``, ``source.py``, ``breakpoints.py``,
``status.py``. ``focus.py`` has the selected thread and frame.
"""

from tuidbg.tui.panes.view.session_view import SessionPanes

__all__ = ["SessionPanes"]
