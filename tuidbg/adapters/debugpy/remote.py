"""Asks debugpy about a program on another machine: its files, and what they are called."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

_FILES = "__import__('pydevd_file_utils')"


class DebugpyRemote:
    """Expressions for ``evaluate`` (``RemoteQuestions``)."""

    def reference(self, path: str) -> str:
        """pydevd has numbers of its own only for files that its path mappings leave out."""
        return f"{_FILES}.create_source_reference_for_linecache({path!r})"

    def map_paths(self, mappings: Mapping[str, str]) -> str:
        """As pydevd does itself with what an attach request brings."""
        return f"{_FILES}.setup_client_server_paths({list(mappings.items())!r})"

    def missing(self, folders: Sequence[str]) -> str:
        return f"[f for f in {list(folders)!r} if not __import__('os').path.isdir(f)]"

    def read_missing(self, answer: str) -> Sequence[str]:
        try:
            found = ast.literal_eval(answer)
        except (ValueError, SyntaxError):
            return ()
        return [str(folder) for folder in found] if isinstance(found, list) else ()
