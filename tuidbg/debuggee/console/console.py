"""The prompt: evaluates what a person typed, so that it can be interrupted and its result kept.

A result that the program has no name for is kept here as ``_`` and by its number, not in the
program's namespaces; the next stop's first result drops those of the last one.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys

from _pydevd_bundle import pydevd_constants

from tuidbg.debuggee import base
from tuidbg.debuggee.console import awaiting, interrupting
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import private_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


KEPT = 20
"""Results of one stop that can still be opened."""

VARIABLES = "__tuidbg_variables__"

ONLY_AST, TOP_LEVEL_AWAIT = 0x400, 0x2000
FUTURES = 0x1FE0000
"""The flags of ``from __future__`` imports in a code object."""
OPTIMIZED = 0x1
"""The flag of a function's, whose variables are in no dictionary."""


def cancel(frame: FrameType, token: int) -> str:
    """Interrupt an evaluation, if it is still inside: how, or nothing where it is over."""
    with base.LOCK:
        job = interrupting.PromptEvaluation.running.get(token)
        if job is None:
            return ""
        if not job.handles and "ctypes" not in sys.modules:
            return "impossible"
        job.interrupt()
        return "signal" if job.handles else "exception"


# Evaluating


class Results(object):
    """Holds what was evaluated at the present stop, and the last result of all."""

    stop = None
    by_number: dict[Any, Any] = {}
    last = None
    has_last = False

    @classmethod
    def keep(cls, stop: Any, number: int, value: Any) -> None:
        if stop != cls.stop:
            cls.stop = stop
            cls.by_number.clear()
        cls.last, cls.has_last = value, True
        cls.by_number[number] = value
        while len(cls.by_number) > KEPT:
            del cls.by_number[next(iter(cls.by_number))]


def result(number: int) -> Any:
    """A result that was kept, for opening it."""
    try:
        return Results.by_number[number]
    except KeyError:
        raise LookupError("this result is not kept any more; evaluate it again") from None


def evaluate(frame: FrameType, text: str, token: int, stop: Any) -> Any:
    """Run statements and expressions; the value of the last one, where it is an expression."""
    names = frame.f_globals  # of the frame's variables; the debugger writes back what changes
    real = private_names.real_frame(frame)

    def work() -> dict[str, Any]:
        if text.lstrip()[:1] == "%":
            return run_in_ipython(text, names)
        variables = awaiting.Lent(names, VARIABLES, lambda: variables_of(real))
        with awaiting.Lent(names, "_", Results.last, Results.has_last), variables:
            value = run(text, names, real)
        if value is None:
            return {"kind": "nothing", "text": ""}
        Results.keep(stop, token, value)
        return shown(value)

    return interrupting.guarded(token, work)


def shown(value: Any) -> dict[str, Any]:
    kind = type(value)
    is_simple = kind in base.PLAIN or kind in base.TEXTS
    is_empty = (kind in base.SEQUENCES or kind is dict) and not value
    return {
        "kind": "value",
        "text": text_of(value),
        "type": base.type_name(value),
        "openable": not is_simple and not is_empty,
    }


def text_of(value: Any) -> Any:
    try:
        return base.cut(base.plain(value, interrupting.TEXT_LIMIT, 3), interrupting.TEXT_LIMIT)
    except base.NotPlain:
        pass
    try:
        text = repr(value)
    except Exception as error:
        return "<repr raised %s>" % base.type_name(error)
    return (
        base.cut(text, interrupting.TEXT_LIMIT) if isinstance(text, str) else "<repr gave no text>"
    )


def run(text: str, names: dict[str, Any], real: Any) -> Any:
    flags = real.f_code.co_flags & FUTURES if real is not None else 0
    flags |= TOP_LEVEL_AWAIT
    tree = compile(text, interrupting.FILE, "exec", flags | ONLY_AST, True)
    tree = private_names.mangle(tree, real)
    if real is not None:
        tree = Framed(names).visit(tree)
    tree = ast.fix_missing_locations(awaiting.Checked().visit(tree))
    codes = []
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        codes.append(compile(tree, interrupting.FILE, "exec", flags, True))
    if last is not None:
        codes.append(compile(ast.Expression(last.value), interrupting.FILE, "eval", flags, True))
    if any(code.co_flags & awaiting.IS_COROUTINE for code in codes):
        if imports_asyncio(tree):  # and asks for it in the same breath
            importlib.import_module("asyncio")
        return awaiting.run_awaiting(codes, names, last is not None)
    value = None
    for code in codes:
        value = eval(code, names)
    return value if last is not None else None


def imports_asyncio(tree: Any) -> bool:
    return any(
        getattr(node, "module", None) == "asyncio" or alias.name.split(".")[0] == "asyncio"
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    )


class Framed(ast.NodeTransformer):
    """Has ``locals()``, ``vars()`` and ``dir()`` tell of the frame alone.

    What is evaluated finds the frame's variables among the names of its module.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        builtins = ("locals", "vars", "dir")
        self.names = [name for name in builtins if name not in names]

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        function = getattr(node.func, "id", None)
        if function in self.names and not node.args and not node.keywords:
            node.func = ast.Name(id=VARIABLES, ctx=ast.Load())
            if function == "dir":
                return ast.Call(func=ast.Name("sorted", ast.Load()), args=[node], keywords=[])
        return node

    def skip(self, node: Any) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = skip  # noqa: N815


def variables_of(real: Any) -> Any:
    """The names of a module themselves, of a function what they are now."""
    return dict(real.f_locals) if real.f_code.co_flags & OPTIMIZED else real.f_locals


# IPython's own syntax, where the program's environment has IPython


class Shell(object):
    """IPython's shell with nothing of the terminal. It prints by itself; it keeps no history."""

    shell = None

    @classmethod
    def get(cls, names: dict[str, Any]) -> Any:
        if cls.shell is None:
            try:  # it imports much, but no one types %timeit by mistake
                shells = importlib.import_module("IPython.core.interactiveshell")
                config = importlib.import_module("traitlets.config").Config()
            except ImportError:
                raise interrupting.PromptRefused(
                    "% is IPython's, which the program's environment does not have"
                ) from None
            config.HistoryManager.enabled = False
            # Its constructor registers the module: it must be the one that is there.
            module = sys.modules.get(names.get("__name__", ""), sys.modules["__main__"])
            cls.shell = shells.InteractiveShell(config=config, user_module=module, user_ns={})
            cls.shell.showtraceback = cls.shell.showsyntaxerror = lambda *_, **__: None
        return cls.shell


def run_in_ipython(text: str, names: dict[str, Any]) -> dict[str, Any]:
    shell = Shell.get(names)
    own = dict(shell.user_ns)
    shell.user_ns.update(names)
    try:
        done = shell.run_cell(text, store_history=False)
        new = dict(shell.user_ns)
    finally:
        shell.user_ns.clear()
        shell.user_ns.update(own)
    for name, value in new.items():  # what it keeps for itself stays out of the program
        if name not in own and (name[:1] != "_" or name in names):
            names[name] = value
    error = done.error_before_exec or done.error_in_exec
    if error is not None:
        raise error
    return {"kind": "nothing", "text": ""}


# Help


def describe(frame: FrameType, text: str, token: int, source: bool) -> Any:
    """Returns what is known of an object: signature, documentation, place; its source."""
    names = frame.f_globals
    real = private_names.real_frame(frame)

    def work() -> Any:
        variables = awaiting.Lent(names, VARIABLES, lambda: variables_of(real))
        with awaiting.Lent(names, "_", Results.last, Results.has_last), variables:
            value = run(text, names, real)
        answer = {"kind": "help", "type": base.type_name(value), "text": base.show(value)}
        answer.update(facts_of(value, source))
        return answer

    return interrupting.guarded(token, work)


def facts_of(value: Any, source: bool) -> Any:
    subject = value
    if not (inspect.isroutine(value) or isinstance(value, (type, type(sys)))):
        subject = type(value)  # of an instance its class is what can be told
    # IPython's also asks objects that explain themselves.
    getdoc = getattr(sys.modules.get("IPython.core.oinspect"), "getdoc", inspect.getdoc)
    found = {
        "signature": attempt(lambda: str(inspect.signature(value)) if callable(value) else ""),
        "doc": attempt(lambda: getdoc(value) or ""),
        "init_doc": attempt(lambda: init_doc(value)),
        "file": attempt(lambda: inspect.getsourcefile(unwrapped(subject)) or ""),
        "line": attempt(lambda: inspect.getsourcelines(unwrapped(subject))[1], 0),
        "source": attempt(lambda: inspect.getsource(unwrapped(subject))) if source else "",
    }
    for key, text in found.items():
        if isinstance(text, str):
            found[key] = base.cut(text, interrupting.TEXT_LIMIT)
    return found


def init_doc(value: Any) -> str:
    if not isinstance(value, type):
        return ""
    found: Any = getattr(value, "__init__", None)
    return "" if found is object.__init__ else inspect.getdoc(found) or ""


def unwrapped(subject: Any) -> Any:
    return inspect.unwrap(subject)


def attempt(work: Callable[[], Any], otherwise: Any = "") -> Any:
    """Returns what the object tells of itself; it may lie, raise, or take too long."""
    try:
        with base.TimeLimit(2):
            return work()
    except (Exception, base.OutOfTime) as swallowed:
        SWALLOWED["console.attempt", type(swallowed)] += 1
        return otherwise


def install() -> None:
    # Its warning would print the whole of our call; the console shows the seconds itself.
    pydevd_constants.PYDEVD_WARN_EVALUATION_TIMEOUT = 1e6
