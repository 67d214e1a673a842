"""Values of libraries for data: what is shown, and what is not computed for it."""

from __future__ import annotations

from tests.compatibility.row import row
from tests.compatibility.trial import Trial
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import ValueProblem

GROUP = "Data"


async def stopped(trial: Trial) -> Session:
    await trial.start("here")
    return await trial.until_stop("here")


async def shows(trial: Trial, session: Session, **expected: str) -> None:
    """Compare beginnings of the locals as the variables pane has them."""
    found = await trial.locals(session)
    shown = {name: found[name].value for name in expected}
    different = {n: v for n, v in shown.items() if not v.startswith(expected[n])}
    assert not different, different


async def runs_on_request(trial: Trial, session: Session, name: str, value: str) -> None:
    """See that a query has not been run, and run it as Enter does in the variables pane."""
    variable = (await trial.locals(session))[name]
    assert variable.problem is ValueProblem.LAZY, variable
    assert await trial.value(session, "len(log)") == "0"
    loaded = await session.values.load(variable)
    assert loaded.value.startswith(value), loaded


DJANGO = """
import django
from django.conf import settings
memory = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
settings.configure(DATABASES={"default": memory})
django.setup()
from django.db import connection, models
class Book(models.Model):
    title = models.CharField(max_length=50)
    class Meta:
        app_label = "shop"
with connection.schema_editor() as editor:
    editor.create_model(Book)
Book.objects.create(title="one")
log = []
def note(execute, sql, *rest):
    log.append(sql)
    return execute(sql, *rest)
def show():
    first, books = Book.objects.first(), Book.objects.all()
    with connection.execute_wrapper(note):
        return books  #: here
show()
"""


@row(
    "Django querysets",
    group=GROUP,
    pins=["django==6.1.3"],
    files={"main.py": DJANGO},
    words="{folder}/main.py",
    works="a queryset that has fetched nothing is shown as `query not run`; `Enter` runs it.",
)
async def django(trial: Trial) -> None:
    session = await stopped(trial)
    await shows(trial, session, first="<Book: Book object (1)>")
    await runs_on_request(trial, session, "books", "<QuerySet [<Book: Book object (1)>]>")


SQLALCHEMY = """
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, Session, mapped_column
class Base(MappedAsDataclass, DeclarativeBase):
    pass
class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    name: Mapped[str]
engine = sa.create_engine("sqlite://")
Base.metadata.create_all(engine)
log = []
sa.event.listen(engine, "before_cursor_execute", lambda *words: log.append(words[2]))
def show():
    session, author = Session(engine), Author("Ada")
    session.add(author)
    session.commit()
    log.clear()
    query = sa.select(Author)
    row = (1, author.name) if log else None  #: here
    return author.name
print(show())
"""


@row(
    "SQLAlchemy objects",
    group=GROUP,
    pins=["sqlalchemy==2.1.9"],
    files={"main.py": SQLALCHEMY},
    words="{folder}/main.py",
    works="an object that a commit has expired is shown as `query not run` where its repr would"
    " load it; `Enter` loads it in the stopped thread. Before, the session was bound to another"
    " thread by that, and failed afterwards.",
)
async def sqlalchemy(trial: Trial) -> None:
    session = await stopped(trial)
    await runs_on_request(trial, session, "author", "Author(id=1, name='Ada')")
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "Ada" in trial.output


PEEWEE = """
import logging
import peewee
db = peewee.SqliteDatabase(":memory:")
class Author(peewee.Model):
    name = peewee.CharField()
    class Meta:
        database = db
class Book(peewee.Model):
    author = peewee.ForeignKeyField(Author)
    class Meta:
        database = db
    def __str__(self):
        return f"a book of {self.author.name}"
db.create_tables([Author, Book])
Book.create(author=Author.create(name="Ada"))
log = []
class Noting(logging.Handler):
    def emit(self, record):
        log.append(record.msg)
logging.getLogger("peewee").addHandler(Noting())
logging.getLogger("peewee").setLevel(logging.DEBUG)
def show():
    book, query = Book.get(), Book.select()
    log.clear()
    return book  #: here
show()
"""


@row(
    "peewee",
    group=GROUP,
    pins=["peewee==4.5.3"],
    files={"main.py": PEEWEE},
    words="{folder}/main.py",
    works="selects are shown without being run; a model whose text reads another row is shown as"
    " `query not run`.",
)
async def peewee(trial: Trial) -> None:
    session = await stopped(trial)
    await shows(trial, session, query="<peewee.ModelSelect object")
    await runs_on_request(trial, session, "book", "<Book: a book of Ada>")


DUCKDB = """
import duckdb
log = []
connection = duckdb.connect()
def note(number):
    log.append(number)
    return number
connection.create_function("note", note, ["BIGINT"], "BIGINT", side_effects=True)
def show():
    rows = connection.sql("select note(i) as n from range(3) t(i)")
    return rows  #: here
show()
"""


@row(
    "DuckDB relations",
    group=GROUP,
    pins=["duckdb==2.0.0", "numpy==2.5.5"],
    files={"main.py": DUCKDB},
    words="{folder}/main.py",
    works="a relation is shown as `query not run`; its repr would run the query each time.",
)
async def duckdb(trial: Trial) -> None:
    session = await stopped(trial)
    await runs_on_request(trial, session, "rows", "┌───────┐")
    assert await trial.value(session, "log") == "[0, 1, 2]"


POLARS = """
import polars
log = []
def show():
    frame = polars.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    lazy = frame.lazy().map_batches(lambda part: (log.append(1), part)[1])
    column = frame["a"]
    return lazy  #: here
show()
"""


@row(
    "polars",
    group=GROUP,
    pins=["polars==2.1.0"],
    files={"main.py": POLARS},
    words="{folder}/main.py",
    works="frames are shown by their columns and as tables (`v`); a lazy frame is never collected.",
)
async def polars(trial: Trial) -> None:
    session = await stopped(trial)
    await shows(trial, session, frame="<a: Int64, b: String>", lazy="<LazyFrame at 0x")
    assert await trial.value(session, "log") == "[]"


DASK = """
import dask.array, numpy, xarray
log = []
def note(block):
    log.append(1)
    return block
def show():
    whole = dask.array.from_array(numpy.arange(10), chunks=5)
    lazy = whole.map_blocks(note, dtype=int, meta=numpy.array([], dtype=int))
    labelled = xarray.DataArray(lazy, dims="x")
    known = xarray.DataArray(numpy.arange(6).reshape(2, 3), dims=("r", "c"))
    return lazy  #: here
show()
"""


@row(
    "xarray and Dask arrays",
    group=GROUP,
    pins=["xarray==2026.9.0", "dask==2026.8.0", "numpy==2.5.5"],
    files={"main.py": DASK},
    words="{folder}/main.py",
    works="shown by their own reprs; no chunk is computed.",
)
async def xarray(trial: Trial) -> None:
    session = await stopped(trial)
    await shows(
        trial, session, lazy="dask.array<note,", labelled="<xarray.DataArray", known="<xarray.Data"
    )
    assert await trial.value(session, "log") == "[]"


PYARROW = """
import pyarrow
def show():
    table = pyarrow.table({"x": [1, 2, 3], "y": ["a", "b", "c"]})
    column = table["x"]
    return table  #: here
show()
"""


@row(
    "PyArrow",
    group=GROUP,
    pins=["pyarrow==26.0.1"],
    files={"main.py": PYARROW},
    words="{folder}/main.py",
    works="tables and columns are shown by their own reprs.",
)
async def pyarrow(trial: Trial) -> None:
    session = await stopped(trial)
    await shows(trial, session, table="pyarrow.Table", column="<pyarrow.lib.ChunkedArray")


PYDANTIC = """
import warnings
warnings.simplefilter("error")
import pydantic, shapely
class Order(pydantic.BaseModel):
    number: int
    tags: list[str] = []
    @pydantic.computed_field
    @property
    def double(self) -> int:
        calls.append(1)
        return self.number * 2
calls = []
def show():
    order = Order(number=3)
    corner = shapely.Polygon([(0, 0), (1, 0), (1, 1)])
    calls.clear()
    return order  #: here
show()
"""


@row(
    "pydantic, shapely",
    group=GROUP,
    pins=["pydantic==2.14.3", "shapely==2.2.0"],
    files={"main.py": PYDANTIC},
    words="{folder}/main.py",
    works="models open to their fields, with no deprecation warning in the program's output;"
    " properties are computed on request. A computed field belongs to a model's repr, which"
    " computes it.",
)
async def pydantic(trial: Trial) -> None:
    session = await stopped(trial)
    found = await trial.locals(session)
    assert found["order"].value == "Order(number=3, tags=[], double=6)", found["order"]
    assert found["corner"].value.startswith("<POLYGON ((0 0, 1 0"), found["corner"]
    nodes, _, _ = await session.values.children(found["order"].reference)
    inside = {node.variable.name: node.variable for node in nodes}
    assert inside["number"].value == "3"
    assert inside["double"].problem is ValueProblem.LAZY
    await trial.go_on(session)
    assert await trial.until_end() == 0
    assert "Warning" not in trial.output


NUMBA = """
import numba
@numba.njit
def total(n):
    t = 0
    for i in range(n):
        t += i  #: here
    return t
print(total(10))
"""


@row(
    "Numba",
    group=GROUP,
    pins=["numba==0.68.1"],
    files={"main.py": NUMBA},
    words="{folder}/main.py",
    env={"NUMBA_DISABLE_JIT": "1"},
    works="with `NUMBA_DISABLE_JIT=1` a compiled function is debugged as Python.",
    fails="a function of `njit` without it is machine code: its breakpoints are not reached.",
    needs="`--env NUMBA_DISABLE_JIT=1` among tuidbg's options.",
)
async def numba(trial: Trial) -> None:
    session = await stopped(trial)
    assert await trial.value(session, "i") == "0"
