"""debugpy's compiled parts, taken from where they fit the Python that runs the program."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import debugpy
import pytest

from tuidbg.debuggee.preload import speedups

pytestmark = [pytest.mark.real, pytest.mark.full]

OWN = Path(debugpy.__file__).parent
COMPILED = list((OWN / "_vendored/pydevd/_pydevd_bundle").glob("pydevd_cython.*.so"))

IMPORT = """
import json, sys
pure, installed, part = sys.argv[1:]
sys.path[:0] = [pure, installed]
import debugpy
before = list(sys.meta_path)
names = {}
exec(open(part).read(), names)
names["import_with_speedups"]()
module = sys.modules.get("_pydevd_bundle.pydevd_cython")
told = [debugpy.__file__, getattr(module, "__file__", None), before == sys.meta_path]
print(json.dumps(told))
"""


def imported(folder: Path, *, installed: bool) -> tuple[str, str | None, bool]:
    """Import a debugpy without compiled parts, beside one that has them and is installed or not.

    Tells where it is, where its compiled part is, and whether nothing is left behind.
    """
    pure, site = folder / "pure", folder / "site"
    leave_out = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(OWN, pure / "debugpy", ignore=leave_out)
    site.mkdir()
    (site / "debugpy").symlink_to(OWN)
    if installed:
        (site / f"debugpy-{debugpy.__version__}.dist-info").mkdir()
    words = [str(pure), str(site), str(Path(speedups.__file__))]
    command = [sys.executable, "-I", "-S", "-c", IMPORT, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    own, part, is_clean = json.loads(done.stdout)
    return own, part, is_clean


@pytest.mark.skipif(not COMPILED, reason="this debugpy has no compiled parts")
def test_the_same_version_in_the_programs_environment_lends_them(tmp_path: Path) -> None:
    own, part, is_clean = imported(tmp_path, installed=True)
    assert Path(own).parts[-3] == "pure"
    assert part is not None and Path(part).is_relative_to(tmp_path / "site")
    assert is_clean


def test_a_debugpy_of_no_known_version_lends_nothing(tmp_path: Path) -> None:
    own, part, is_clean = imported(tmp_path, installed=False)
    assert Path(own).parts[-3] == "pure"
    assert (part, is_clean) == (None, True)
