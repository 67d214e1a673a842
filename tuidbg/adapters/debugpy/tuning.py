"""Makes what is evaluated once in a program, on tuidbg's account, so that debugpy is fast.

It touches pydevd alone and imports nothing into the program.
"""

from __future__ import annotations

import socket

from tuidbg.adapters.debugpy.attach import FORGET
from tuidbg.adapters.debugpy.inside_calls import MENDS, MONITOR

_QUICK = hasattr(socket, "TCP_QUICKACK")
_SEND_AT_ONCE = "__import__('pydevd').get_global_debugger().writer.sock.setsockopt(6, 1, 1)"
_WAKE_THREADS = (
    "(lambda d, events, find: 'get_internal_queue_and_event' in vars(d)"
    " or setattr(d, 'get_internal_queue_and_event', lambda thread:"
    " ([e.set() for e in tuple(events.values()) if not e.is_set()], find(thread))[1]))"
    "(*(lambda d: (d, d._thread_events, d.get_internal_queue_and_event))"
    "(__import__('pydevd').get_global_debugger()))"
)
"""A thread that shall go on sleeps up to 200 ms longer: pydevd's ``_update_stepping_info`` wakes
whichever thread came last in a loop (its variable hides the argument). So all that wait are woken;
each looks for itself whether it is meant. It touches pydevd alone and imports nothing.
"""

_LEAVE_DJANGO = (
    "(lambda xml, builtins, modules: setattr(xml, '_create_default_type_map',"
    " type(xml._create_default_type_map)(xml._create_default_type_map.__code__,"
    " dict(vars(xml), __builtins__=dict(vars(builtins), __import__=lambda name, *rest:"
    " builtins.__import__(name if name in modules or not name.startswith('django.')"
    " else 'no ' + name, *rest))))))"
    "(__import__('_pydevd_bundle.pydevd_xml', None, None, ['']), __import__('builtins'),"
    " __import__('sys').modules)"
)
"""To show its first value pydevd imports Django where it is installed, whether the program uses it
or not (``_create_default_type_map``). With this it takes only what the program has loaded.
"""

# pydevd sends a message's header and body apart and without TCP_NODELAY, which costs 44 ms a
# message. On Linux our adapter acknowledges at once (start_adapter.py); elsewhere the option is
# set in the debuggee. It imports nothing there.
LAUNCHED = (
    f"({_LEAVE_DJANGO}, {_WAKE_THREADS}, {MENDS}, {MONITOR})"
    if _QUICK
    else f"({_LEAVE_DJANGO}, {_SEND_AT_ONCE}, {_WAKE_THREADS}, {MENDS}, {MONITOR})"
)

# An adapter beside the program is not ours. The program may have been debugged before.
ATTACHED = f"({_LEAVE_DJANGO}, {FORGET}, {_SEND_AT_ONCE}, {_WAKE_THREADS}, {MENDS}, {MONITOR})"
