"""Breakpoints in the templates of real web programs: each answers a request made by the test."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.processes import Processes, place_of
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.breakpoints.store import NOT_RENDERED
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import EvaluationFailed
from tuidbg.session.model.state import BreakpointStatus, StopReason

pytestmark = pytest.mark.real

PAGE = """\
<html>
<h1>{{ title }}</h1>
{% for item in items %}
<p>{{ item.name }}</p>
{% endfor %}
</html>
"""
HEADING, ROW, END = 2, 4, 6
"""Lines of the page. Its items are called a, b and c."""

FLASK = """\
import sys
from flask import Flask, render_template

app = Flask(__name__)

@app.route("/")
def index():
    return render_template("page.html", title="Shop", items=[{"name": n} for n in "abc"])

app.run(port=int(sys.argv[1]), debug=len(sys.argv) > 2)
"""

DJANGO = """\
import sys
from pathlib import Path
from django.conf import settings
from django.core.management import execute_from_command_line
from django.shortcuts import render
from django.urls import path

def index(request):
    return render(request, "page.html", {"title": "Shop", "items": [{"name": n} for n in "abc"]})

urlpatterns = [path("", index)]
TEMPLATES = {"BACKEND": "django.template.backends.django.DjangoTemplates",
             "DIRS": [str(Path(__file__).parent / "templates")]}
if len(sys.argv) > 2:  # an autoreloader's child gets its settings by this
    import os
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "none")
settings.configure(DEBUG=True, ROOT_URLCONF=__name__, SECRET_KEY="x", TEMPLATES=[TEMPLATES],
                   ALLOWED_HOSTS=["*"])
words = ["manage.py", "runserver", sys.argv[1]]
execute_from_command_line(words + ([] if len(sys.argv) > 2 else ["--noreload"]))
"""

JINJA = """\
import sys
from jinja2 import Environment, FileSystemLoader
page = Environment(loader=FileSystemLoader(sys.argv[1])).get_template("page.html")
print(page.render(title="Shop", items=[{"name": "c"}]))
"""

PROGRAMS = {"flask": ("app.py", FLASK), "django": ("manage.py", DJANGO)}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Site:
    """A web program under the debugger, and its page."""

    def __init__(self, under_test: SessionUnderTest, page: Path, port: int) -> None:
        self.under_test = under_test
        self.page = str(page)
        self.port = port

    async def get(self) -> str:
        """Returns what the program answers to a request; waits for it where it stands."""

        def ask() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=60) as answer:
                text: str = answer.read().decode()
                return text

        return await asyncio.to_thread(ask)

    async def up(self) -> None:
        """Wait until it listens; nothing is asked of it for that."""

        def listens() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        await self.under_test.until(listens, "the server listens")


@asynccontextmanager
async def site(kind: str, folder: Path, *words: str, **changes: Any) -> AsyncIterator[Site]:
    """One of ``PROGRAMS``, not started yet; with any word it reloads itself in a child."""
    name, source = PROGRAMS[kind]
    (folder / name).write_text(source, encoding="utf-8")
    page = folder / "templates" / "page.html"
    page.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")
    port = free_port()
    changes = {"stop_on_entry": False, **changes}
    async with debugpy_session(folder, folder / name, str(port), *words, **changes) as under_test:
        yield Site(under_test, page, port)


@pytest.mark.full
@pytest.mark.parametrize("kind", PROGRAMS)
async def test_a_request_stops_in_the_template(kind: str, tmp_path: Path) -> None:
    """Set before the program runs; nobody has to say what kind of templates it has."""
    async with site(kind, tmp_path) as s:
        t, breakpoints = s.under_test, s.under_test.session.breakpoints
        found = await breakpoints.set(s.page, ROW, origin="tui")
        assert found.status is BreakpointStatus.PENDING
        await t.session.lifecycle.start()
        await s.up()
        assert t.breakpoint(ROW).message == NOT_RENDERED
        request = asyncio.create_task(s.get())
        await t.settled()
        place = t.session.frames[0].place
        assert place is not None
        assert (place.path, place.line, t.reason) == (s.page, ROW, StopReason.BREAKPOINT)
        assert t.hits == (found.number,)
        assert t.breakpoint(ROW).status is BreakpointStatus.SET
        assert "index" in [frame.name for frame in t.session.frames]
        values = await t.locals()
        assert values["title"].value == "'Shop'"
        assert (await t.session.inspection.evaluate("item", t.session.frames[0].id)).value == (
            "{'name': 'a'}"
        )
        await t.go(Resume.CONTINUE)
        assert (t.line, t.breakpoint(ROW).hits) == (ROW, 2)
        await breakpoints.remove(found.number, origin="tui")
        await t.session.execution.resume(Resume.CONTINUE, origin="tui")
        assert "<p>c</p>" in await request


@pytest.mark.full
@pytest.mark.parametrize("kind", PROGRAMS)
async def test_conditions_log_points_and_steps(kind: str, tmp_path: Path) -> None:
    async with site(kind, tmp_path) as s:
        t, breakpoints = s.under_test, s.under_test.session.breakpoints
        await t.session.lifecycle.start()
        await s.up()
        assert "Shop" in await s.get()  # the template is known to the program by now
        heading = await breakpoints.set(s.page, HEADING, log_message="title {title}", origin="tui")
        row = await breakpoints.set(s.page, ROW, condition="item['name'] == 'b'", origin="tui")
        request = asyncio.create_task(s.get())
        await t.settled()
        assert (t.line, t.hits) == (ROW, (row.number,))
        assert t.breakpoint(ROW).misses == 1
        assert "page.html:2: title Shop" in t.output("console")
        # On 3.12 and newer debugpy steps past a line whose breakpoint's condition does not hold.
        await breakpoints.remove(row.number, origin="tui")
        await t.go(Resume.STEP_OVER)
        place = t.session.frames[0].place
        assert place is not None
        assert (place.path, t.reason) == (s.page, StopReason.STEP)
        await breakpoints.remove(heading.number, origin="tui")
        await t.session.execution.resume(Resume.CONTINUE, origin="tui")
        assert "<p>c</p>" in await request


@pytest.mark.full
@pytest.mark.parametrize("kind", PROGRAMS)
async def test_in_the_child_of_a_reloader(kind: str, tmp_path: Path) -> None:
    """Most development servers answer in a process that the program has started."""
    async with site(kind, tmp_path, "reload") as s:
        await s.under_test.session.breakpoints.set(s.page, ROW, origin="tui")
        await s.under_test.session.lifecycle.start()
        family = Processes(s.under_test)
        await s.up()
        request = asyncio.create_task(s.get())
        child = await family.stop_of_child(ROW)
        assert place_of(child.session) == ("page.html", ROW)
        frame_id = child.session.frames[0].id
        assert (await child.session.inspection.evaluate("title", frame_id)).value == "'Shop'"
        await s.under_test.session.breakpoints.remove(1, origin="tui")
        await family.go_on(child)
        assert "<p>c</p>" in await request


async def test_a_line_without_anything_is_never_moved(tmp_path: Path) -> None:
    async with site("flask", tmp_path) as s:
        t = s.under_test
        await t.session.lifecycle.start()
        await s.up()
        await t.session.breakpoints.set(s.page, END, origin="tui")
        assert "Shop" in await s.get()
        await t.until(lambda: t.breakpoint(END).status is BreakpointStatus.REFUSED)
        found = t.breakpoint(END)
        assert (found.line, found.suggested_line) == (END, ROW)
        assert found.message == f"the template has nothing at line {END}"


@pytest.mark.full
async def test_other_files_are_what_they_were(tmp_path: Path) -> None:
    """A script without a suffix is Python, also beside a breakpoint in a template."""
    script = tmp_path / "serve"
    script.write_text(JINJA, encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    async with debugpy_session(tmp_path, script, str(tmp_path)) as t:
        await t.session.breakpoints.set(str(page), ROW, origin="tui")
        await t.session.breakpoints.set(str(script), 4, origin="tui")
        await t.start()
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (4, (2,))
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (ROW, (1,)), "the line of the template"
        await t.session.breakpoints.remove(1, origin="tui")
        await t.to_end()
        assert "<p>c</p>" in t.output("stdout")


@pytest.mark.once
async def test_what_can_be_asked_in_the_frame_of_a_template(tmp_path: Path) -> None:
    """It is no frame of Python's: debugpy makes one, whose code lacks most of what code has."""
    script = tmp_path / "app.py"
    script.write_text(JINJA, encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    async with debugpy_session(tmp_path, script, str(tmp_path), stop_on_entry=False) as t:
        await t.session.breakpoints.set(str(page), ROW, origin="tui")
        await t.start()
        frame = t.session.frames[0]
        assert (frame.name, t.line) == ("template", ROW)
        evaluation, changes = t.session.evaluation, t.session.changes
        assert (await evaluation.evaluate("title.upper()", frame.id)).text == "'SHOP'"
        assert (await evaluation.evaluate("locals()['title']", frame.id)).text == "'Shop'"
        assert (await evaluation.evaluate("len(_)", frame.id)).text == "4"
        assert (await evaluation.describe("title", frame.id)).type == "str"
        assert "title" in (await evaluation.complete("tit", 3, frame.id)).names
        with pytest.raises(EvaluationFailed, match="not in a template"):
            await changes.watch("title", frame.id, origin="tui")
        with pytest.raises(EvaluationFailed, match="not in a template"):
            await changes.wait_for("title == 'x'", frame.id)
        caller = t.session.frames[2]
        assert (await changes.watch("root_render_func", caller.id, origin="tui")) is not None
        await t.session.breakpoints.remove(1, origin="tui")
        await t.to_end()
        assert "<p>c</p>" in t.output("stdout")


@pytest.mark.full
async def test_no_template_no_trace_of_it(tmp_path: Path) -> None:
    """Without a breakpoint in a template nothing is put into the program for it."""
    script = tmp_path / "app.py"
    script.write_text("print(1)\nprint(2)\n", encoding="utf-8")
    async with debugpy_session(tmp_path, script) as t:
        await t.session.breakpoints.set(str(script), 2, origin="tui")
        await t.start()
        asked = "'page_templates' in __import__('pydevd')._tuidbg.loaded"
        assert (await t.session.inspection.evaluate(asked)).value == "False"
        await t.to_end()


@pytest.mark.full
@pytest.mark.parametrize("version", sorted({min(SUPPORTED), max(SUPPORTED)}), ids=name_of)
async def test_the_preparation_works_on_the_oldest_and_the_newest(
    version: tuple[int, int], tmp_path: Path
) -> None:
    """There need be no Jinja: the breakpoint waits, and those of Python work beside it."""
    script, page = tmp_path / "app.py", tmp_path / "page.html"
    script.write_text("one = 1\ntwo = 2\n", encoding="utf-8")
    page.write_text(PAGE, encoding="utf-8")
    async with debugpy_session(tmp_path, script, python=SUPPORTED[version]) as t:
        await t.session.breakpoints.set(str(page), ROW, origin="tui")
        await t.session.breakpoints.set(str(script), 2, origin="tui")
        await t.start()
        assert t.breakpoint(ROW).message == NOT_RENDERED
        await t.go(Resume.CONTINUE)
        assert t.line == 2
        await t.to_end()
