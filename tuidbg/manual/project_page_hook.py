"""Gives hatchling the README for the project page; see ``project_page.py``."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc, unused-ignore]
    """Adds the text, with links that lead somewhere, and the addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them."""
        root = Path(self.root)
        page = runpy.run_path(str(root / "tuidbg" / "manual" / "project_page.py"))
        repository = page["find_repository"](os.environ)
        revision = os.environ.get("GITHUB_SHA", "HEAD")
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["urls"] = page["name_urls"](repository)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": page["make_absolute"](text, repository, revision),
        }
