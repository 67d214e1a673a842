"""Builds the compiled recorder as tuidbg is installed, if ``TUIDBG_RECORDER`` is ``compiled``.

Run by hatchling: it is built once, for the stable ABI, and loaded by the interpreters of programs.
Where it can't be built, as without a C compiler, the wheel is one of Python only, which records
more slowly; that never makes an installation fail.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = "tuidbg/recording/inside/recorder.c"
BUILT = "tuidbg/recording/inside/recorder.abi3.so"
LONGEST = 60.0
"""Seconds for the compiler, which takes two."""


class RecorderHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """Adds it to a wheel, whose tag names the platform then."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, or say why not."""
        if self.target_name != "wheel" or os.environ.get("TUIDBG_RECORDER") != "compiled":
            return
        root = Path(self.root)
        try:
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


def build(source: Path, built: Path) -> str:
    """Returns why it can't be built, or an empty text."""
    if sys.platform not in ("linux", "darwin"):
        return f"the compiled recorder is not made for {sys.platform}"
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        compiler = ["gcc"]
    if shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").exists():
        return f"there is no Python.h in {headers}"
    part = built.with_name(f"{built.name}.{os.getpid()}")
    more = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-ldl"]
    command = [*compiler, "-O2", "-shared", "-fPIC", f"-I{headers}", "-o", str(part), str(source)]
    try:
        done = subprocess.run(
            [*command, *more], capture_output=True, text=True, check=False, timeout=LONGEST
        )
        if done.returncode:
            return f"the compiler failed: {done.stderr.strip()[-500:]}"
        part.replace(built)
    except subprocess.TimeoutExpired:
        return f"the compiler took longer than {LONGEST:g} seconds"
    finally:
        part.unlink(missing_ok=True)
    return ""
