"""Debug adapters that a person's ``config.toml`` describes, by the profiles of the manual.

``.ci/run`` installs those of PyPI in an environment of their own.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("TUIDBG_ADAPTERS", Path.home() / ".cache" / "tuidbg-adapters")) / "bin"

PAGE = Path(__file__).parents[2] / "tuidbg" / "manual" / "adapters.md"


def example(title: str) -> str:
    """The code that the manual has below a hidden title."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {title} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found is not None, title
    return found[1]


def write_config(folder: Path, text: str) -> None:
    """Write what a run in ``folder`` has for the config file of the person."""
    config = folder / "home" / "config" / "tuidbg"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(text, encoding="utf-8")


def needs_adapter(name: str) -> pytest.MarkDecorator:
    """A mark of tests that need a debug adapter of PyPI's."""
    return pytest.mark.skipif(
        shutil.which(name, path=FOLDER) is None, reason=f"{name} is not installed in {FOLDER}"
    )
