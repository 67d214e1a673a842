"""One session as a person looks at it.

``session_view.py`` follows the session's events and says which part has to show what again. The
parts are named by what they show: ``stack.py``, ``variables.py``, ``source.py`` (with
``documents.py``), ``breakpoints.py``, ``status.py``. ``focus.py`` is where the person looks.
"""

from tuidbg.tui.view.session_view import SessionView

__all__ = ["SessionView"]
