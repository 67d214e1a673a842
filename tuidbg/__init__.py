"""tuidbg: a debugger for the terminal.

Kept free of imports on purpose: ``python -m tuidbg`` and the console script pass through here
before the guardian process is forked, and start-up time is a feature.
"""

__version__ = "0.1.0"
