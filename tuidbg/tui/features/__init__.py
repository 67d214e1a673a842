"""What the screen of a session can do; none imports another.

Each registers its commands and message handlers (``panes/screen_feature.py``). A feature is
removed with its folder and its name here.
"""

from importlib import import_module

from tuidbg.tui.panes.screen_feature import hooks

FEATURES = (
    "execution",
    "breakpoints",
    "autopsy",
    "history",
    "recorded_run",
    "recorded_calls",
    "find",
    "source",
    "layout",
    "sessions",
    "native",
    "table",
    "variables",
    "terminal",
    "job",
    "console",
    "trace",
    "settings",
)
"""In the order of their commands within a group."""

for name in FEATURES:
    import_module(f"{__name__}.{name}").register(hooks)
