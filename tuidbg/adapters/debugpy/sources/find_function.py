"""Prints where a function begins, as JSON, without running anything.

Run as a script by the interpreter that will run the program, as ``examine_source.py`` beside it,
and no newer than that.

    python find_function.py NAME script PATH | module MODULE [FILE ...]

A function is found as the program's own imports would find it, but by reading: nothing is imported.
"""
# ruff: noqa: RUF005 (an old Python knows no unpacking inside a tuple)

import ast
import json
import os
import sys

if hasattr(sys, "set_lazy_imports"):
    sys.set_lazy_imports("normal")  # the next import is found only as long as its folder is there
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # with -P it is not there
from examine_source import (  # type: ignore[import-not-found]
    IMPLEMENTATION,
    find_module,
    find_spec,
    first_file,
    from_library,
    inner_codes,
    own_lines,
)

del sys.path[0], sys.modules["examine_source"]  # the program may have one of that name

DEPTH = 20
"""How many imports, base classes and other names a name may lead through."""

# Not all of them are known to every Python.
FUNCTIONS = tuple(getattr(ast, n) for n in ("FunctionDef", "AsyncFunctionDef") if hasattr(ast, n))
ASSIGNMENTS = tuple(getattr(ast, n) for n in ("Assign", "AnnAssign") if hasattr(ast, n))


def find_source(name):
    """The file that ``import name`` runs, found in the same way."""
    return first_file(name, (os.path.join("%s", "__init__.py"), "%s.py"))


class Outline(object):
    """Holds what the functions, classes and imports of one source are called, and where they begin.

    Names are tuples of their parts, ``("Class", "method")``; a function inside a function counts
    as a part of it. ``problem`` says why the source could not be read.
    """

    def __init__(self, path):
        self.path = path
        self.functions = []  # (name, first line of its body, is it a mere overload)
        self.classes = {}  # name -> the names of its bases
        self.aliases = {}  # name -> the name that it was given from
        self.imports = {}  # name -> (level, module, what of it), newest last
        self.stars = []  # (level, module)
        self.problem = ""
        self._codes = {}
        try:
            with open(path, "rb") as file:
                source = file.read()
            self._collect_codes(compile(source, path, "exec", 0, True))
            self._visit(ast.parse(source, path), ())
        except SyntaxError as error:
            self.problem = "%s does not compile: %s (line %s)" % (path, error.msg, error.lineno)
        except (EnvironmentError, MemoryError, RuntimeError, TypeError, ValueError) as error:
            self.problem = "can't read %s: %s" % (path, error)

    def _collect_codes(self, code):
        for inner in inner_codes(code):
            self._codes.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
            self._collect_codes(inner)

    def _visit(self, node, scope):
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, FUNCTIONS):
                inner = scope + (child.name,)
                self._add_function(inner, child)
            elif isinstance(child, ast.ClassDef):
                inner = scope + (child.name,)
                self.classes.setdefault(
                    inner, [dotted(base) for base in map(unindexed, child.bases)]
                )
            elif isinstance(child, ASSIGNMENTS):
                self._add_value(scope, child)
            elif isinstance(child, ast.Import):
                for name in child.names:
                    if name.asname:
                        self.imports[scope + (name.asname,)] = (0, name.name, "")
            elif isinstance(child, ast.ImportFrom):
                self._add_import(scope, child)
            self._visit(child, inner)

    def _add_function(self, name, node):
        begins = first_line(node)
        body = node.body
        if len(body) > 1 and ast.get_docstring(node, False) is not None:
            body = body[1:]
        mere = any((dotted(d) or ("",))[-1] == "overload" for d in node.decorator_list)
        self._add_code(name, (node.name, begins), first_line(body[0]), mere)

    def _add_code(self, name, key, begins, mere=False):
        """Note the first line at or after ``begins`` that its own code object has.

        Not simply its first line: since 3.11 the instructions that enter a function have that of
        the ``def`` or of a decorator.
        """
        if not self._codes.get(key):
            return  # the compiler has dropped it: it stood under an `if False`
        lines = own_lines(self._codes[key].pop(0))
        inside = [line for line in lines if line >= begins] or lines
        if inside:
            self.functions.append((name, inside[0], mere))

    def _add_value(self, scope, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in [dotted(target) for target in targets]:
            if name and isinstance(node.value, ast.Lambda):
                self._add_code(
                    scope + name, ("<lambda>", node.value.lineno), node.value.body.lineno
                )
            elif name and dotted(node.value):
                self.aliases[scope + name] = dotted(node.value)

    def _add_import(self, scope, node):
        for name in node.names:
            if name.name == "*":
                self.stars.append((node.level or 0, node.module or ""))
            else:
                origin = (node.level or 0, node.module or "", name.name)
                self.imports[scope + (name.asname or name.name,)] = origin

    def names(self):
        """Of all its functions, each once."""
        return sorted(set(".".join(name) for name, _, _ in self.functions))


def dotted(node):
    """The parts of ``a.b.c``; nothing for any other expression."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before + (node.attr,) if before else ()
    return ()


def unindexed(node):
    """``Base`` of ``Base[int]``."""
    return node.value if isinstance(node, ast.Subscript) else node


def first_line(node):
    """With the decorators, which come before ``def``."""
    lines = [each.lineno for each in getattr(node, "decorator_list", ())]
    return min(lines + [node.lineno])


class FunctionSearch(object):
    """Looks for one name; reads each source once."""

    def __init__(self):
        self._outlines = {}
        self._seen = set()

    def outline(self, path):
        if path not in self._outlines:
            self._outlines[path] = Outline(path)
        return self._outlines[path]

    def in_file(self, path, name, depth=0):
        """The places of ``name`` as code at the end of that file would find it."""
        if (path, name) in self._seen or depth > DEPTH:
            return []
        self._seen.add((path, name))
        outline = self.outline(path)
        found = [f for f in outline.functions if f[0] == name]
        if not found and name in outline.classes:
            found = [f for f in outline.functions if f[0] == name + ("__init__",)]
        if found:
            return places(path, found)
        return self._led_to(outline, name, depth + 1)

    def _led_to(self, outline, name, depth):
        """Through other names, base classes and imports, the longest beginning first."""
        for length in range(len(name), 0, -1):
            begin, rest = name[:length], name[length:]
            origins = [outline.aliases.get(begin, ())] + outline.classes.get(begin, [])
            for origin in origins:
                # As in a class: its own names first, then those of the module.
                for scope in (begin[:-1], ()) if begin[:-1] else ((),):
                    found = origin and self.in_file(outline.path, scope + origin + rest, depth)
                    if found:
                        return found
            if begin in outline.imports:
                level, module, what = outline.imports[begin]
                if what:
                    rest = (what,) + rest
                found = self._imported(outline.path, level, module, rest, depth)
                if found:
                    return found
        for level, module in outline.stars:
            found = self._imported(outline.path, level, module, name, depth)
            if found:
                return found
        return []

    def _imported(self, path, level, module, name, depth):
        """``name`` of ``from module import ...`` as written in the file at ``path``."""
        parts = tuple(module.split(".")) if module else ()
        if not level:
            return self.in_modules(parts + name, depth, len(parts))[0]
        folder = os.path.dirname(path)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        for length in range(len(name) - 1, -1, -1):
            base = os.path.join(folder, *(parts + name[:length]))
            for file in (os.path.join(base, "__init__.py"), base + ".py"):
                found = os.path.isfile(file) and self.in_file(file, name[length:], depth)
                if found:
                    return found
        return []

    def in_modules(self, name, depth=0, least=1):
        """Places of ``package.module.function``, and the innermost module that there is."""
        innermost = ""
        for length in range(len(name) - 1, least - 1, -1):
            module = ".".join(name[:length])
            path = find_source(module)
            if path is None:
                continue
            innermost = innermost or module
            found = self.in_file(path, name[length:], depth)
            if found:
                return found, innermost
        return [], innermost

    def anywhere(self, path, name):
        """Functions of a file whose names end so, wherever in it they stand."""
        functions = self.outline(path).functions
        return places(path, [f for f in functions if f[0][-len(name) :] == name])


def places(path, functions):
    """Without the overloads, whose bodies never run, where there is anything else."""
    real = [f for f in functions if not f[2]] or functions
    return [{"path": path, "line": line, "name": ".".join(name)} for name, line, _ in real]


def find_function(name, kind, target, files):
    """The places of a function, or a sentence that says why there are none."""
    main = find_module(target) if kind == "module" else target or None
    answer = {"version": list(sys.version_info[:3]), "path": main, "places": [], "problem": ""}
    answer["implementation"] = IMPLEMENTATION
    parts = tuple(p for p in name.replace(":", ".").split(".") if p != "<locals>")
    parts = parts[:-1] + (parts[-1].replace("()", ""),) if parts else ()
    if not parts or not all(part.replace("_", "a").isalnum() for part in parts):
        answer["problem"] = "write the name of a function: func, Class.method or pkg.module.func"
        answer["is_final"] = True
        return answer
    search = FunctionSearch()
    files = [main] * (main is not None) + [file for file in files if file != main]
    own = parts[1:] if parts[0] == "__main__" else parts
    found = search.in_file(main, own) if main and own else []
    innermost = ""
    if not found and len(parts) > 1:
        found, innermost = search.in_modules(parts)
    for look in (search.in_file, in_module_file(search), search.anywhere):
        for file in files:
            found = found or look(file, parts)
    answer["places"] = found
    if not found:
        answer["problem"], answer["is_final"] = why_not(search, parts, innermost, files)
    return answer


def in_module_file(search):
    """``package.module.func`` in a file of that name, wherever the program gets it from."""

    def look(path, parts):
        stem = os.path.splitext(path)[0]
        stem = os.path.dirname(stem) if os.path.basename(stem) == "__init__" else stem
        for length in range(len(parts) - 1, 0, -1):
            if stem.split(os.sep)[-length:] == list(parts[:length]):
                return search.in_file(path, parts[length:])
        return []

    return look


def why_not(search, parts, innermost, files):
    """The sentence for a name that leads nowhere, and whether it never can in this program.

    It can't where that module or class is there and has no such function; else it may stand in a
    file that nobody has looked at, or come later.
    """
    name, first = ".".join(parts), parts[0]
    outlines = [search.outline(file) for file in files]
    names = [each for outline in outlines for each in outline.names()]
    if innermost:
        inner = search.outline(find_source(innermost))
        rest = name[len(innermost) + 1 :]
        what = "%s has no function named %s" % (innermost, rest)
        return inner.problem or what + nearest(rest, inner.names()), True
    if outlines and outlines[0].problem:
        return outlines[0].problem, True
    if any(parts in outline.classes for outline in outlines):
        methods = [each for each in names if each.startswith(name + ".")]
        such = ", such as %s" % " or ".join(methods[:3]) if methods else ""
        what = "%s is a class without an __init__ of its own; name a method%s"
        return what % (name, such), True
    is_of_class = any((first,) in outline.classes for outline in outlines)
    if len(parts) > 1 and not is_of_class:
        spec = find_spec(first)
        if spec is None:
            what = "there is no module and no class named %s" % first
            return what + nearest(name, names + modules_beside(files)), False
        if not spec.submodule_search_locations:
            return "%s has no Python source to stop in" % first, True
        return "there is no module named %s.%s" % (first, parts[1]), False
    where = os.path.basename(files[0]) if files else "the program"
    others = " and the other files looked at" if len(files) > 1 else ""
    what = "there is no function named %s in %s%s" % (name, where, others)
    return what + nearest(name, names), is_of_class


def modules_beside(files):
    """The names of the modules in the folders of these files."""
    names = []
    for folder in sorted(set(os.path.dirname(file) for file in files)):
        for entry in sorted(os.listdir(folder or ".")):
            package = os.path.isfile(os.path.join(folder, entry, "__init__.py"))
            if entry.endswith(".py") or package:
                names.append(os.path.splitext(entry)[0])
    return names


def nearest(name, names):
    """``; did you mean ...?`` with the names that look most like it, or nothing."""
    difflib = from_library("difflib")
    near = difflib.get_close_matches(name, names, 3)
    last = name.rpartition(".")[2]
    for each in names:
        if each not in near and difflib.get_close_matches(last, [each.rpartition(".")[2]], 1):
            near.append(each)
    return "; did you mean %s?" % " or ".join(near[:3]) if near else ""


if __name__ == "__main__":
    name, kind, target = sys.argv[1:4]
    sys.path[0] = os.path.dirname(target) if kind == "script" else ""  # as under python -m
    print(json.dumps(find_function(name, kind, target, sys.argv[4:])))
