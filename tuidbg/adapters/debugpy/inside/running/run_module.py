"""Runs the other parts (``FILES``) as one module of the program, ``NAME``."""

import sys

module = sys.modules.setdefault(NAME, type(sys)(NAME))  # noqa: F821 (what tuidbg puts there)
for part, file in FILES.items():  # noqa: F821
    exec(code_of(part, *file), module.__dict__)  # noqa: F821
