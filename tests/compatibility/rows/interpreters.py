"""Kinds of Python, and of programs that hold an interpreter."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial

GROUP = "Interpreters and kernels"

WORK = """
def work(number):
    total = 0
    for n in range(number):
        total += n
    doubled = total * 2  #: first
    return doubled  #: second
print("got", work(7))
"""


async def stop_and_step(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "total") == "21"
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    code = await trial.until_end()
    assert code == 0, f"{code}: {trial.output}"
    assert "got 42" in trial.output


@row(
    "The JIT of Python 3.15",
    group=GROUP,
    files={"main.py": WORK},
    words="{folder}/main.py",
    python="3.15",
    env={"PYTHON_JIT": "1"},
    works="`PYTHON_JIT=1` changes nothing: breakpoints and steps are the same.",
)
async def jit(trial: Trial) -> None:
    await stop_and_step(trial)


@row(
    "PyPy",
    group=GROUP,
    files={"main.py": WORK},
    words="{folder}/main.py",
    python="pypy3",
    works="PyPy 7.3: breakpoints, steps, values, uncaught exceptions.",
    fails="attaching by process id; recordings.",
)
async def pypy(trial: Trial) -> None:
    await stop_and_step(trial)


SUBINTERPRETERS = """
from concurrent import interpreters
import shop
def main():
    interpreter = interpreters.create()
    interpreter.call(shop.work, 21)
    shop.work(21)
main()
"""

SHOP = """
def work(number):
    doubled = number * 2  #: first
    print("got", doubled, flush=True)  #: second
"""


@row(
    "Subinterpreters",
    group=GROUP,
    files={"main.py": SUBINTERPRETERS, "shop.py": SHOP},
    words="{folder}/main.py",
    python="3.14",
    works="code of the main interpreter; a notice says that the program uses others.",
    fails="breakpoints and steps in other interpreters (`concurrent.interpreters`,"
    " `InterpreterPoolExecutor`): debugpy is in the main one only.",
)
async def subinterpreters(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert trial.output.count("got 42") == 1, "the other interpreter has gone through it"
    assert await trial.step(session) == trial.place("second")[1]
    assert "subinterpreters" in trial.output
    await trial.go_on(session)
    assert await trial.until_end() == 0


ASK = """
import sys, time
from jupyter_client import BlockingKernelClient
client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()
client.wait_for_ready(timeout=30)
client.execute("import shop")
for n in range(100):
    client.execute("shop.work(21)")
    time.sleep(0.2)
"""


def kernel(trial: Trial) -> None:
    """A kernel that is asked again and again, as by a notebook."""
    connection = trial.folder / "kernel.json"
    words = [str(trial.python), "-m", "ipykernel_launcher", "-f", str(connection)]
    trial.pid = trial.begin(*words).pid
    trial.wait_for(connection)
    trial.begin(str(trial.python), "ask.py", str(connection))


@row(
    "Jupyter kernels (ipykernel)",
    group=GROUP,
    pins=["ipykernel==7.4.0"],
    files={"ask.py": ASK, "shop.py": SHOP},
    words="attach --pid {pid}",
    build=kernel,
    works="a kernel can be attached to: modules that cells import stop and step; the cell is below"
    " them in the stack.",
    fails="breakpoints in cells by their line: write `breakpoint()` into the cell.",
)
async def ipykernel(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "number") == "21"
    assert await trial.step(session) == trial.place("second")[1]
    cell = session.frames[1].place
    assert cell is not None and "ipykernel_" in cell.path


MARIMO = """
import marimo
app = marimo.App()
@app.cell
def _():
    price = 21
    doubled = price * 2  #: first
    return doubled, price  #: second
@app.cell
def _(doubled):
    print("got", doubled)
if __name__ == "__main__":
    app.run()
"""


@row(
    "marimo notebooks as scripts",
    group=GROUP,
    pins=["marimo==0.25.2"],
    files={"main.py": MARIMO},
    words="{folder}/main.py",
    works="cells stop and step at the lines of the file.",
)
async def marimo(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "price") == "21"
    assert await trial.step(session) == trial.place("second")[1]
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "got 42" in trial.output
