"""What a session can do beyond its core; none imports another.

Each registers with the core what it adds there (``core/feature.py``). A feature is removed with its
folder, its name here, and the commands and routes of the front ends that are about it.
"""

from importlib import import_module

from tuidbg.session.core.feature import hooks

FEATURES = ("anchors", "native", "recording")
"""Those with something to register; the others are made when a front end asks for them."""

for name in FEATURES:
    import_module(f"{__name__}.{name}").register(hooks)
