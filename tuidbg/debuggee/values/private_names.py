"""Private names (``__x``) in expressions, mangled as in the class around the evaluating frame."""

from __future__ import annotations

import ast
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any


PRIVATE_NAME = re.compile(r"\b__\w+(?<!__)\b")
ONLY_AST = 0x400

NAMED = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ExceptHandler: "name",
}
"""By kind of node: the field with a name that Python mangles."""


class Mangled(ast.NodeTransformer):
    """Mangles the private names of a tree.

    An attribute that the class ``owner`` has not is read from a class above that of ``self``.
    """

    def __init__(self, owner: Any, frame: Any) -> None:
        self.owner, self.frame = owner, frame

    def visit(self, node: Any) -> Any:
        if isinstance(node, ast.ClassDef):
            return node
        field = NAMED.get(type(node))
        name = getattr(node, field) if field else None
        if field and name and name[:2] == "__" and name[-2:] != "__":
            owner = self.owner
            if field == "attr" and isinstance(node.ctx, ast.Load):
                owner = find_owner(self.frame, owner, name)
            if owner.strip("_"):
                setattr(node, field, private_name(owner, name))
        return self.generic_visit(node)


def private_name(owner: Any, name: str) -> str:
    return "_%s%s" % (owner.lstrip("_"), name)


def mangle(tree: Any, frame: Any) -> Any:
    """Return the tree with its private names as the code of this frame would read them."""
    return tree if frame is None else Mangled(find_class(frame), frame).visit(tree)


def find_owner(frame: Any, owner: Any, name: str) -> Any:
    """Of ``owner`` and the classes of ``self``: the first for which ``self`` has the attribute."""
    found = frame.f_locals.get("self")
    kinds = type.mro(type(found))
    try:
        names = object.__getattribute__(found, "__dict__")
    except AttributeError:
        names = {}
    for each in (owner, *(kind.__name__ for kind in kinds)):
        full = private_name(each, name)
        if full in names or any(full in type.__getattribute__(k, "__dict__") for k in kinds):
            return each
    return owner


def compile_in(frame: Any, text: str, file: str, mode: str, flags: int = 0) -> Any:
    """Compile a text as if it were in the code of this frame."""
    tree = compile(text, file, mode, flags | ONLY_AST, True)
    return compile(mangle(tree, frame), file, mode, flags, True)


def evaluate_in(frame: Any, text: str, names: dict[str, Any]) -> Any:
    """Evaluate an expression with these names as if it were in the code of this frame."""
    return eval(compile_in(frame, text.lstrip(), "<tuidbg>", "eval"), names)


def real_frame(frame: Any) -> Any:
    """The program's frame that the debugger evaluates for (``frame`` is only its evaluation)."""
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression":
            found = frame.f_locals.get("frame")
            if hasattr(found, "f_code"):
                return found
        frame = frame.f_back
    return None


def find_class(frame: Any) -> Any:
    """The name of the class around the code of a frame, or an empty one."""
    if frame is None:
        return ""
    qualified = getattr(frame.f_code, "co_qualname", None)  # 3.11
    if qualified is None:
        return find_class_of_self(frame)
    names = qualified.split(".")
    if frame.f_code.co_flags & 1 or qualified == "<module>":  # a class body is in its own class
        names.pop()
    while names and names[-1] == "<locals>":
        del names[-2:]
    return names[-1] if names else ""


def find_class_of_self(frame: Any) -> Any:
    """The same by ``self``, for a Python without qualified names in code objects."""
    code = frame.f_code
    names = (
        *getattr(code, "co_varnames", ())[:1],
        "self",
    )  # debugpy's frame of a template has none
    owner = next((frame.f_locals[name] for name in names if name in frame.f_locals), None)
    for kind in type.mro(type(owner)) if owner is not None and type(owner) is not type else ():
        for function in list(kind.__dict__.values()):
            if has_code(getattr(function, "__code__", None), code):
                return kind.__name__
    return ""


def has_code(outer: Any, code: CodeType) -> bool:
    """Whether a code object is another, or is within it."""
    if outer is code:
        return True
    return any(has_code(inner, code) for inner in getattr(outer, "co_consts", ()))
