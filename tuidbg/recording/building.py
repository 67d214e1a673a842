"""Builds the compiled recorder as tuidbg is installed, if ``TUIDBG_RECORDER`` is ``compiled``.

Run by hatchling: it is built once, for the stable ABI, and loaded by the interpreters of programs.
Where it can't be built, as without a C compiler, the wheel is one of Python only, which records
more slowly; that never makes an installation fail.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILING = "tuidbg/recording/compiling.py"
SOURCE = "tuidbg/debuggee/recording/recorder.c"
BUILT = "tuidbg/debuggee/recording/recorder.abi3.so"


class RecorderHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """Adds it to a wheel, whose tag names the platform then."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, or say why not."""
        if self.target_name != "wheel" or os.environ.get("TUIDBG_RECORDER") != "compiled":
            return
        root = Path(self.root)
        try:
            build = runpy.run_path(str(root / COMPILING))["build"]  # tuidbg can't be imported yet
            why = build(root / SOURCE, root / BUILT)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            why = str(error)
        if why:
            self.app.display_warning(f"The compiled recorder was not built: {why}.")
            return
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data.setdefault("artifacts", []).append(BUILT)
