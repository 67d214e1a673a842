"""Servers: reloaders, workers, loops of their own."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial, has_ended
from tuidbg.session.core.run.ending import KILLED_AT_STOP
from tuidbg.session.core.session import Session

GROUP = "Servers"

ASGI = """
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
    if scope["type"] != "http":
        return
    word = b"hello"
    await send({"type": "http.response.start", "status": 200, "headers": []})  #: first
    await send({"type": "http.response.body", "body": word})  #: second
"""

WSGI = """
def app(environ, start_response):
    word = b"hello"
    start_response("200 OK", [("Content-Length", "5")])  #: first
    return [word]  #: second
"""


async def answer_and_step(trial: Trial) -> Session:
    """Stop in the handler of a request, step, and let it be answered; the worker's session."""
    await trial.start("first")
    await trial.listening()
    answer = trial.ask()
    worker = await trial.until_stop("first")
    assert await trial.value(worker, "word") == "b'hello'"
    assert await trial.step(worker) == trial.place("second")[1]
    await trial.go_on(worker)
    assert await answer == "hello"
    return worker


async def edit_and_answer(trial: Trial, worker: Session) -> None:
    """Edit the program; the worker that takes the old one's place stops and answers, too."""
    web = trial.programs["web.py"]
    web.file.write_text(web.text.replace("hello", "other"), encoding="utf-8")
    await trial.until(lambda: has_ended(worker), "the old worker has ended")
    await trial.listening()
    answer = trial.ask()
    worker = await trial.until_stop("first")
    await trial.go_on(worker)
    assert await answer == "other"


@row(
    "uvicorn --reload",
    group=GROUP,
    pins=["uvicorn==0.54.0"],
    files={"web.py": ASGI},
    words="-- uvicorn web:app --reload --port {port}",
    works="the reloader and the server are two processes; after an edit the new server stops, too.",
)
async def uvicorn_reload(trial: Trial) -> None:
    await edit_and_answer(trial, await answer_and_step(trial))


@row(
    "uvicorn --workers",
    group=GROUP,
    pins=["uvicorn==0.54.0"],
    files={"web.py": ASGI},
    words="-- uvicorn web:app --workers 2 --port {port}",
    works="each worker is a process, and stops.",
    fails="a stop of more than five seconds: uvicorn asks its workers whether they live, kills the"
    " stopped one and starts another. A notice says that it was killed at a stop.",
    needs="`--timeout-worker-healthcheck 3600` among uvicorn's options.",
)
async def uvicorn_workers(trial: Trial) -> None:
    await trial.start("first")
    await trial.listening()
    trial.ask()
    worker = await trial.until_stop("first")
    await trial.until(lambda: has_ended(worker), "uvicorn has killed it")
    assert worker.exit is not None and worker.exit.signal == "SIGKILL"
    assert KILLED_AT_STOP in "".join(line.text for line in worker.output)


@row(
    "uvicorn, patient with its workers",
    group=GROUP,
    pins=["uvicorn==0.54.0"],
    files={"web.py": ASGI},
    words="-- uvicorn web:app --workers 2 --timeout-worker-healthcheck 3600 --port {port}",
    works="a worker may be stopped for as long as you like.",
)
async def uvicorn_patient(trial: Trial) -> None:
    await trial.start("first")
    await trial.listening()
    answer = trial.ask()
    worker = await trial.until_stop("first")
    await trial.let_pass(6)  # more than uvicorn waits by default
    assert not has_ended(worker)
    await trial.go_on(worker)
    assert await answer == "hello"


@row(
    "Hypercorn",
    group=GROUP,
    pins=["hypercorn==0.18.0"],
    files={"web.py": ASGI},
    words="-- hypercorn web:app --workers 2 --bind 127.0.0.1:{port}",
    works="each worker is a process of its own.",
)
async def hypercorn(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "Hypercorn --reload",
    group=GROUP,
    pins=["hypercorn==0.18.0"],
    files={"web.py": ASGI},
    words="-- hypercorn web:app --reload --bind 127.0.0.1:{port}",
    works="the server after an edit stops, too.",
)
async def hypercorn_reload(trial: Trial) -> None:
    await edit_and_answer(trial, await answer_and_step(trial))


@row(
    "Hypercorn on trio",
    group=GROUP,
    pins=["hypercorn==0.18.0", "trio==0.35.0"],
    files={"web.py": ASGI},
    words="-- hypercorn web:app -k trio --bind 127.0.0.1:{port}",
    works="the same on trio: handlers stop and step.",
)
async def hypercorn_trio(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "Granian ASGI",
    group=GROUP,
    pins=["granian==2.8.7"],
    files={"web.py": ASGI},
    words="-- granian --interface asgi web:app --port {port}",
    works="handlers stop and step; the workers are processes of their own.",
)
async def granian_asgi(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "Granian WSGI",
    group=GROUP,
    pins=["granian==2.8.7"],
    files={"web.py": WSGI},
    words="-- granian --interface wsgi web:app --port {port}",
    works="handlers stop, though they run in threads that Rust has started.",
)
async def granian_wsgi(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "gunicorn gthread",
    group=GROUP,
    pins=["gunicorn==27.0.1"],
    files={"web.py": WSGI},
    words="-- gunicorn -k gthread --threads 2 -w 2 --timeout 0 -b 127.0.0.1:{port} web:app",
    works="handlers stop in the threads of the workers.",
    fails="a stop of more than 30 seconds without `--timeout 0`: gunicorn ends the worker.",
    needs="`--timeout 0` among gunicorn's options.",
)
async def gunicorn_gthread(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "gunicorn gevent",
    group=GROUP,
    pins=["gunicorn[gevent]==27.0.1", "gevent==26.9.0", "packaging==25.0"],
    files={"web.py": WSGI},
    words="-- gunicorn -k gevent -w 1 --timeout 0 -b 127.0.0.1:{port} web:app",
    works="handlers stop in their greenlets.",
    needs="`--timeout 0`, as above.",
)
async def gunicorn_gevent(trial: Trial) -> None:
    await answer_and_step(trial)


@row(
    "gunicorn --timeout",
    group=GROUP,
    pins=["gunicorn==27.0.1"],
    files={"web.py": WSGI},
    words="-- gunicorn -w 1 --timeout 2 -b 127.0.0.1:{port} web:app",
    works="the worker that takes the place of an ended one is debugged, too.",
    fails="a stop that is longer than the timeout (30 seconds by default, here 2): gunicorn ends"
    " the worker by SIGABRT, then SIGKILL.",
    needs="`--timeout 0`, as above.",
)
async def gunicorn_timeout(trial: Trial) -> None:
    await trial.start("first")
    await trial.listening()
    trial.ask()
    worker = await trial.until_stop("first")
    await trial.until(lambda: has_ended(worker), "gunicorn has ended it")
    assert worker.exit is not None and worker.exit.signal in ("SIGABRT", "SIGKILL"), worker.exit
    answer = trial.ask()
    second = await trial.until_stop("first")
    await trial.clear()
    await trial.go_on(second)
    assert await answer == "hello"
