"""The README as a project page shows it, which has no files beside it: links and pictures hold.

Run by hatchling (``project_page_hook.py``); nothing of tuidbg is imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?://)([^)\s]+)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?://)([^)\s]+)\)")


def find_repository(environment: Mapping[str, str]) -> str:
    """The address of the repository whose workflow builds; empty elsewhere: none is made up."""
    server = environment.get("GITHUB_SERVER_URL", "")
    name = environment.get("GITHUB_REPOSITORY", "")
    return f"{server}/{name}" if server and name else ""


def name_urls(repository: str) -> dict[str, str]:
    """The addresses that a project page lists."""
    if not repository:
        return {}
    return {
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
    }


def make_absolute(text: str, repository: str, revision: str) -> str:
    """Lead all links to the repository. Without one pictures go, and links are words.

    The first picture is the name, which then is a heading.
    """
    if not repository:
        text = _PICTURE.sub(r"# \1", text, count=1)  # the name
        text = re.sub(r"^\|.*!\[.*\n", "", text, flags=re.MULTILINE)  # rows of a table
        text = re.sub(r"\n{3,}", "\n\n", _PICTURE.sub("", text))
        return _LINK.sub(r"\1", text)
    files, raw = (f"{repository}/{kind}/{revision}" for kind in ("blob", "raw"))
    text = _PICTURE.sub(
        lambda found: found[0].replace(f"]({found[2]}", f"]({raw}/{found[2]}"), text
    )
    return _LINK.sub(lambda found: f"[{found[1]}]({files}/{found[2]})", text)
