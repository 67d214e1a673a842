"""Prints what does not fit the debugpy that is installed, or nothing. Run as a script."""

import importlib
from typing import Any


def _check() -> None:
    registry: Any = importlib.import_module("registry")
    table: Any = importlib.import_module("table")
    registry.register(table.TABLE)
    registry.check_pydevd()
    if notice := registry.notice(table.TESTED):
        print(notice)


if __name__ == "__main__":
    _check()
