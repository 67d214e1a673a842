"""What the screen of a session can do; none imports another.

Each registers its commands, message handlers and panes (``panes/screen_feature.py``). A feature is
removed with its folder and its name in this list.
"""
