"""Discovery of the Python interpreter for a program that names none.

In the usual order: the active environment, the project's own, poetry's, conda's, pyenv's, and at
last the interpreter that runs tuidbg. Only a few files are read, and nothing is run.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from tuidbg.config.files import LARGEST, read_text
from tuidbg.config.project import project_folder

NONE_ACTIVE = "tuidbg's own, as no environment is active"
"""The reason for using tuidbg's own interpreter."""

_NAMES = (".venv", "venv")


class Environment(NamedTuple):
    """An interpreter and the reason for it, worded for brackets.

    The reason is empty where tuidbg runs in the environment that was found.
    """

    python: str
    why: str = ""

    @property
    def folder(self) -> Path:
        """The folder of its commands."""
        return Path(self.python).parent


def find_environment(folder: str) -> Environment:
    """Find the environment of a program that runs in ``folder``."""
    return find_any_environment(folder) or Environment(sys.executable, NONE_ACTIVE)


def find_any_environment(folder: str) -> Environment | None:
    """The same; None where it would be tuidbg's own interpreter for lack of another."""
    found = next(_candidates(Path(folder)), None)
    return Environment(sys.executable) if found is not None and _is_own(found) else found


def find_on_path(name: str, folder: str) -> str:
    """Find a command on the PATH; "" without one.

    pyenv's commands are bash scripts that search the right one each time; that one is returned.
    """
    found = shutil.which(name) or ""
    if PurePath(found).parent.name != "shims":
        return found
    root = Path(found).parent.parent
    here = find_upward(Path(folder), ".python-version")
    for words in (
        os.environ.get("PYENV_VERSION", "").replace(":", " "),
        _read(here / ".python-version") if here is not None else "",
        _read(root / "version"),
    ):
        for version in words.split():
            for prefix in _versions(root, version):
                if (prefix / "bin" / name).exists():
                    return str(prefix / "bin" / name)
    return found


def find_uv_environment(folder: str) -> Environment | None:
    """Find the environment that ``uv run`` uses in a project; None without one."""
    project = find_upward(Path(folder), "pyproject.toml")
    if project is None:
        return None
    named = os.environ.get("UV_PROJECT_ENVIRONMENT")
    return _of_prefix(project / (named or ".venv"), "uv's environment of the project")


def find_poetry_environment(folder: str) -> Environment | None:
    """Find the environment that ``poetry run`` uses; None without one."""
    project = find_upward(Path(folder), "poetry.lock") or find_upward(
        Path(folder), "pyproject.toml"
    )
    if project is None:
        return None
    why = "poetry's environment of the project"
    inside = _of_prefix(project / ".venv", why)
    if inside is not None:
        return inside

    return next((e for prefix in poetry_prefixes(project) if (e := _of_prefix(prefix, why))), None)


def find_upward(folder: Path, name: str) -> Path | None:
    """Find the nearest folder upward that contains ``name``."""
    for each in (folder, *folder.parents):
        if (each / name).exists():
            return each
    return None


def _candidates(folder: Path) -> Iterator[Environment]:
    """Yield the existing environments, best first."""
    active = os.environ.get("VIRTUAL_ENV")
    if active and (found := _of_prefix(Path(active), "the active environment", is_named=True)):
        yield found
    root = project_folder("", folder)
    within = [each for each in (folder, *folder.parents) if each.is_relative_to(root)]
    named = os.environ.get("UV_PROJECT_ENVIRONMENT")
    if named and (found := _of_prefix(root / named, "UV_PROJECT_ENVIRONMENT", is_named=True)):
        yield found
    for each in within:
        for name in _NAMES:
            if found := _of_prefix(each / name, "the project's environment"):
                yield found
    if (root / "poetry.lock").exists() and (found := find_poetry_environment(str(root))):
        yield found
    conda = os.environ.get("CONDA_PREFIX")
    if conda and (python := Path(conda, "bin", "python")).exists():
        yield Environment(str(python), "the active conda environment")
    for each in within:
        if (each / ".python-version").exists() and (found := _of_pyenv(each)):
            yield found


def _of_prefix(prefix: Path, why: str, *, is_named: bool = False) -> Environment | None:
    """Return a virtual environment; other folders of such a name only if ``is_named``.

    A missing interpreter is no obstacle: it is reported later, in place of silently using another
    one.
    """
    python = prefix / "bin" / "python"
    if not (python.exists() or python.is_symlink()):
        return None
    if not (is_named or (prefix / "pyvenv.cfg").exists()):
        return None
    return Environment(os.path.abspath(python), why)


def _of_pyenv(folder: Path) -> Environment | None:
    """Return the version that ``.python-version`` names; for ``3.12`` the newest 3.12."""
    root = Path(os.environ.get("PYENV_ROOT") or Path("~/.pyenv").expanduser())
    for word in _read(folder / ".python-version").split()[:1]:
        for prefix in _versions(root, word.removeprefix("cpython-")):
            if (python := prefix / "bin" / "python").exists():
                return Environment(str(python), f".python-version says {word}")
    return None


def _versions(root: Path, asked: str) -> list[Path]:
    """Return pyenv's installations for a version: the exact one, then newest first."""
    if not re.fullmatch(r"[\w.-]*\w[\w.-]*", asked):
        return []
    versions = root / "versions"
    below = sorted(versions.glob(f"{asked}.*"), key=_by_numbers, reverse=True)
    return [versions / asked, *below]


def _read(path: Path) -> str:
    try:
        return read_text(path, errors="replace", limit=LARGEST)
    except OSError:
        return ""


def _by_numbers(path: Path) -> list[tuple[int, int | str]]:
    return [(1, int(p)) if p.isdecimal() else (0, p) for p in path.name.split(".")]


def _is_own(found: Environment) -> bool:
    """Whether it is tuidbg's. All environments' interpreters link to the same few files."""
    if found.python == sys.executable:
        return True
    try:
        return found.folder.parent.samefile(sys.prefix)
    except OSError:
        return False


def poetry_prefixes(project: Path) -> list[Path]:
    """Return the project's environments, the one poetry would use first.

    They are called ``NAME-HASH-pyX.Y``; ``envs.toml`` beside them has the choice of ``poetry env
    use``.
    """
    folder, name = _folder(), _environment_name(project)
    chosen = str(_read_toml(folder / "envs.toml").get(name, {}).get("minor", ""))
    try:
        found = sorted(folder.glob(f"{_literal(name)}-py*"), key=_version_of, reverse=True)
    except OSError:
        return []
    return sorted(found, key=lambda prefix: not chosen or not prefix.name.endswith(f"-py{chosen}"))


def _environment_name(project: Path) -> str:
    """Make the name like poetry's ``EnvManager.generate_env_name``."""
    fields = _read_toml(project / "pyproject.toml")
    named = fields.get("tool", {}).get("poetry", {}).get("name")
    name = str(named or fields.get("project", {}).get("name") or "non-package-mode").lower()
    name = re.sub(r"[^a-z0-9]+", "-", name) if not named else name
    sanitised = re.sub(r'[ $`!*@"\\\r\n\t]', "_", name)[:42]
    digest = hashlib.sha256(os.fsencode(os.path.realpath(project))).digest()
    return f"{sanitised}-{base64.urlsafe_b64encode(digest).decode()[:8]}"


def _folder() -> Path:
    environ = os.environ
    if named := environ.get("POETRY_VIRTUALENVS_PATH"):
        return Path(named)
    if cache := environ.get("POETRY_CACHE_DIR"):
        return Path(cache, "virtualenvs")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/pypoetry/virtualenvs").expanduser()
    base = environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base, "pypoetry", "virtualenvs")


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, limit=LARGEST))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}


def _version_of(prefix: Path) -> list[int]:
    return [int(p) for p in prefix.name.rpartition("-py")[2].split(".") if p.isdecimal()]


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)
