"""Runs the other parts (``FILES``) as one module of the program, ``NAME``.

It is there once it is complete: the program may fork meanwhile, and the child has what was there.
"""

import sys

module = type(sys)(NAME)  # noqa: F821 (what tuidbg puts there)
for part, file in FILES.items():  # noqa: F821
    exec(code_of(part, *file), module.__dict__)  # noqa: F821
sys.modules[NAME] = module  # noqa: F821
