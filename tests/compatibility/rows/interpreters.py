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
    works="x",
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
    print([e for e in trial.output.splitlines()])
    await trial.go_on(session)
    assert await trial.until_end() == 0
    print(trial.output)


KERNEL = """
import sys, time
from jupyter_client import BlockingKernelClient
client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()
client.wait_for_ready(timeout=30)
for n in range(200):
    client.execute("def price(order):\\n    doubled = order * 2\\n    return doubled\\n" if not n else "shop.work(21)" if n > 1 else "import shop")
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
    files={"ask.py": KERNEL, "shop.py": SHOP},
    words="attach --pid {pid}",
    build=kernel,
    works="a kernel can be attached to: modules that cells import stop and step.",
)
async def ipykernel(trial: Trial) -> None:
    await trial.start("first")
    session = await trial.until_stop("first")
    assert await trial.value(session, "number") == "21"
    assert await trial.step(session) == trial.place("second")[1]
    print([(f.name, f.place) for f in session.frames])
