"""Brings tuidbg's plug-in into a run of pytest that tuidbg debugs, whatever is installed there.

pytest finds it by two environment variables, which it takes back before the first test: what the
tests start is as it would be without. It must be read by every Python that debugpy supports; where
the plug-in itself can't be (it needs 3.11), failures do not stop and all else is as ever.
"""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


NAME = "tuidbg_for_pytest"
HERE = os.path.dirname(os.path.abspath(__file__))
TUIDBG = os.path.dirname(os.path.dirname(HERE))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    if getattr(config.option, "dist", "no") == "no":  # else the workers need them first
        _take_back("PYTHONPATH", os.pathsep, HERE)
        _take_back("PYTEST_ADDOPTS", " ", "-p" + NAME)
    if config.pluginmanager.hasplugin("tuidbg"):
        return  # it is installed
    if sys.version_info >= (3, 11):
        _find_tuidbg()
        importlib.import_module("tuidbg.pytest.stops").join_session(config)


def _take_back(variable: str, separator: str, ours: str) -> None:
    kept = [part for part in os.environ.get(variable, "").split(separator) if part != ours]
    os.environ[variable] = separator.join(kept)
    if not os.environ[variable]:
        del os.environ[variable]


def _find_tuidbg() -> None:
    """The package alone, without the folder that it lies in: others lie there, too."""
    if "tuidbg" in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(
        "tuidbg", os.path.join(TUIDBG, "__init__.py"), submodule_search_locations=[TUIDBG]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules["tuidbg"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
