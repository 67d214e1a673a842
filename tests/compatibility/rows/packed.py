"""Programs in packages, archives and executables."""

from __future__ import annotations

import sys
import zipapp

from tests.compatibility.row import row
from tests.compatibility.trial import Trial
from tests.support.processes import place_of
from tuidbg.session.core.run.ending import REPLACED

GROUP = "Packed programs"

MAIN = """
import helper
def main():
    word = "hello"
    print(helper.shout(word))
main()
"""

HELPER = """
def shout(word):
    loud = word.upper()  #: first
    return loud  #: second
"""

PROJECT = {
    "src/shouter/__init__.py": "",
    "src/shouter/cli.py": """
        def main():
            word = "hello"
            loud = word.upper()  #: first
            print(loud)  #: second
        """,
    "pyproject.toml": """
        [build-system]
        requires = ["setuptools"]
        build-backend = "setuptools.build_meta"
        [project]
        name = "shouter"
        version = "1.0"
        [project.scripts]
        shouter = "shouter.cli:main"
        """,
}


async def stop_and_step(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "word") == "'hello'"
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "HELLO" in trial.output


def zip_app(trial: Trial) -> None:
    zipapp.create_archive(trial.folder / "app", trial.folder / "app.pyz")


@row(
    "zipapp",
    group=GROUP,
    files={"app/__main__.py": MAIN, "app/helper.py": HELPER},
    words="{folder}/app.pyz",
    build=zip_app,
    works="a zip application stops in the archive's files, which are shown; a breakpoint is set by"
    " `app.pyz/helper.py:2`.",
)
async def zip_application(trial: Trial) -> None:
    helper = str(trial.folder / "app.pyz" / "helper.py")
    await trial.session.breakpoints.set(helper, 2, origin="tui")
    await trial.start()
    session = await trial.until_stop("first")
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    assert await trial.until_end() == 0


def shiv_build(trial: Trial) -> None:
    trial.run("-m", "shiv", "-q", "-c", "shouter", "-o", "shouter.pyz", ".")
    trial.changes["SHIV_ROOT"] = str(trial.folder / "unpacked")


@row(
    "shiv",
    group=GROUP,
    pins=["shiv==1.0.8", "setuptools==80.9.0", "wheel==0.45.1"],
    files=PROJECT,
    words="--all-code {folder}/shouter.pyz",
    build=shiv_build,
    works="the unpacked copy of your package, below `~/.shiv`, stops and steps.",
    fails="breakpoints in the sources it was built from, and just-my-code: the copy is in a"
    " `site-packages`. `y` on such a breakpoint finds the copy by its text, and offers it.",
    needs="the option `--all-code`.",
)
async def shiv(trial: Trial) -> None:
    trial.run("shouter.pyz", SHIV_ROOT=trial.changes["SHIV_ROOT"])
    (copy,) = (trial.folder / "unpacked").rglob("shouter/cli.py")
    await trial.session.breakpoints.set(str(copy), trial.place("first")[1], origin="tui")
    await trial.start()
    session = await trial.until_stop("first")
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    assert await trial.until_end() == 0


def pex_build(trial: Trial) -> None:
    trial.run("-m", "pex", "-c", "shouter", "-o", "shouter.pex", ".")
    trial.changes["PEX_ROOT"] = str(trial.folder / "unpacked")


@row(
    "pex",
    group=GROUP,
    pins=["pex==2.105.2"],
    files=PROJECT,
    words="{folder}/shouter.pex",
    build=pex_build,
    works="it runs to its end, and its output and exit code are shown.",
    fails="its code: a pex unpacks itself and replaces its process by another Python, in which the"
    " debugger is not; a notice says so.",
    needs="`python -m debugpy --listen 5678` as its entry point (`PEX_MODULE=debugpy`), or"
    " `tuidbg attach --pid PID`.",
)
async def pex(trial: Trial) -> None:
    await trial.start("first")
    assert await trial.until_end() == 0
    assert "HELLO" in trial.output
    assert REPLACED in trial.output


FROZEN = """
import time
def work(number):
    total = number * 2  #: first
    return total  #: second
while True:
    time.sleep(0.05)
    work(21)
"""


def freeze(trial: Trial, how: str) -> None:
    """A program of PyInstaller's that runs."""
    trial.run("-m", "PyInstaller", how, "--log-level", "ERROR", "-n", "frozen", "main.py")
    name = "dist/frozen/frozen" if how == "--onedir" else "dist/frozen"
    process = trial.begin(str(trial.folder / name))
    trial.pid = process.pid
    if how == "--onefile":  # the process that unpacks it starts the program
        trial.pid = trial.child_of(process.pid)


async def attach_to_frozen(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "number") == "21"
    assert await trial.step(session) == trial.place("second")[1]


VERSION = "{}.{}".format(*sys.version_info[:2])
NEEDS_FROZEN = "`tuidbg attach --pid PID`, by a tuidbg that runs on the program's version of Python"
NOT_FROZEN = (
    "its start: the file is a native program, and is debugged as such. Names of sources are"
    " relative to the folder in which it was built: attach from there"
)


@row(
    "PyInstaller, one folder",
    group=GROUP,
    pins=["pyinstaller==6.22.3"],
    files={"main.py": FROZEN},
    words="attach --pid {pid}",
    build=lambda trial: freeze(trial, "--onedir"),
    python=VERSION,
    works="a running one can be attached to: breakpoints, steps, values.",
    fails=f"{NOT_FROZEN}.",
    needs=f"{NEEDS_FROZEN}.",
)
async def pyinstaller_folder(trial: Trial) -> None:
    await attach_to_frozen(trial)


@row(
    "PyInstaller, one file",
    group=GROUP,
    pins=["pyinstaller==6.22.3"],
    files={"main.py": FROZEN},
    words="attach --pid {pid}",
    build=lambda trial: freeze(trial, "--onefile"),
    python=VERSION,
    works="the same, in the second of its two processes: the first one only unpacks it.",
    fails="the same.",
    needs=f"{NEEDS_FROZEN}.",
)
async def pyinstaller_file(trial: Trial) -> None:
    await attach_to_frozen(trial)


@row(
    "Namespace packages",
    group=GROUP,
    files={
        "shop/tools/shout.py": """
            def main():
                word = "hello"
                loud = word.upper()  #: first
                print(loud)  #: second
            main()
            """
    },
    words="-m shop.tools.shout",
    works="a module of one is run by `-m`, without any `__init__.py`.",
)
async def namespace_package(trial: Trial) -> None:
    await stop_and_step(trial)


def editable(trial: Trial) -> None:
    trial.run("-m", "pip", "install", "-q", "--no-build-isolation", "--target", "site", "-e", ".")
    code = "import site; site.addsitedir('site'); import shouter.cli; shouter.cli.main()"
    (trial.folder / "main.py").write_text(code, encoding="utf-8")


@row(
    "Editable installs",
    group=GROUP,
    pins=["pip==26.1", "setuptools==80.9.0", "wheel==0.45.1"],
    files=PROJECT,
    words="{folder}/main.py",
    build=editable,
    works="`pip install -e`: the sources in your folder stop, as your own code.",
)
async def editable_install(trial: Trial) -> None:
    await stop_and_step(trial)


CYTHON = """
# cython: linetrace=True, language_level=3
# distutils: define_macros=CYTHON_TRACE=1
def total(int n):
    cdef long t = n * 2
    return t
"""


@row(
    "Cython with line tracing",
    group=GROUP,
    pins=["cython==3.3.1", "setuptools==80.9.0"],
    files={
        "fast.pyx": CYTHON,
        "main.py": """
            import fast
            number = fast.total(21)  #: first
            print("got", number)  #: second
            """,
    },
    words="{folder}/main.py",
    build=lambda trial: trial.run("-m", "Cython.Build.Cythonize", "-i", "-q", "fast.pyx"),
    works="steps over calls of it; breakpoints in Python files.",
    fails="a step into it, or `catch raised`, ends the program with an AssertionError of debugpy's"
    " from Python 3.12 on; breakpoints in `.pyx` files are refused.",
    needs="a build without `CYTHON_TRACE` while you debug.",
)
async def cython(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.step(session) == trial.place("second")[1]
    assert place_of(session)[0] == "main.py"
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "got 42" in trial.output
