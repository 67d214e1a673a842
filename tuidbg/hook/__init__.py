"""The debugger from inside a program: ``tuidbg.breakpoint()`` and what it needs there."""
