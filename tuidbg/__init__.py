"""tuidbg: a debugger for the terminal.

Kept free of imports on purpose: ``python -m tuidbg`` and the console script pass through here
before the guardian process is forked, and start-up time is a feature. What a program may use
(``tuidbg.breakpoint()`` and the like, see :mod:`tuidbg.hook.calls`) is imported when
it is asked for. With ``TUIDBG_DUMP`` in the environment uncaught exceptions are dumped from here
on.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tuidbg.hook.calls import breakpoint as breakpoint
    from tuidbg.hook.calls import install as install
    from tuidbg.hook.calls import post_mortem as post_mortem
    from tuidbg.hook.dumping import dump as dump
    from tuidbg.hook.dumping import dump_uncaught as dump_uncaught
    from tuidbg.hook.ipython import load_ipython_extension as load_ipython_extension
    from tuidbg.hook.ipython import unload_ipython_extension as unload_ipython_extension
else:

    def __getattr__(name):
        if name in ("breakpoint", "install", "post_mortem"):
            from tuidbg.hook import calls as module
        elif name in ("dump", "dump_uncaught"):
            from tuidbg.hook import dumping as module
        elif name in ("load_ipython_extension", "unload_ipython_extension"):
            from tuidbg.hook import ipython as module
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(module, name)

    if __import__("os").environ.get("TUIDBG_DUMP"):
        from tuidbg.hook.dumping import dump_uncaught

        dump_uncaught()


__version__ = "0.1.0"
