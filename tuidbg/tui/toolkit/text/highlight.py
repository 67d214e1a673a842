"""Syntax colours for visible lines, immediately, however long the source is.

A source is highlighted in small chunks, when one of their lines is first shown. The lexer state at
the start of a chunk (inside a docstring, say) is a guess at first; a background search finds the
true one, and the few lines that were wrong are returned for repainting. Python sources need only a
quick search for multi-line strings; other languages are lexed from the top in slices.

Pygments is imported when the first line is highlighted, and for Python only its Python lexer.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, Protocol

from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.theme.theme import SYNTAX

_TRIPLE = r"{q}{q}{q}[^{q}\\]*+(?:(?:\\.|{q}(?!{q}{q}))[^{q}\\]*+)*+(?:{q}{q}{q}|\Z)"
_SINGLE = r"{q}[^{q}\\\n]*+(?:\\.[^{q}\\\n]*+)*+{q}?"
_STRING_OR_COMMENT = re.compile(
    "|".join(
        [
            r"\#[^\n]*",
            _TRIPLE.format(q='"'),
            _TRIPLE.format(q="'"),
            _SINGLE.format(q='"'),
            _SINGLE.format(q="'"),
        ]
    ),
    re.DOTALL,
)

# A line that begins a top-level statement: hardly ever the inside of a string.
_TOP_LEVEL = re.compile(r"(?:async +def|def|class|import) +\w|from +\S+ +import\b|@\w")

_FARTHEST_BACK = 400
"""Lines to search backwards for a top-level statement before guessing."""

_LONGEST_OPENING = 500
"""Maximum characters kept before the opening quotes; longer ones are replaced by ``x = ``."""

_MATCHES_BETWEEN_LOOKS = 200
"""Matches (about 0.1 ms) between two checks of the clock."""


class Span(NamedTuple):
    """A string that runs over several lines, ``first`` to ``last`` (1-based, both included).

    ``opening`` is the first line up to the opening quotes, ``closing`` the quotes that end it: put
    before and after lines from inside, they make text that lexes as the whole string would.
    """

    first: int
    last: int
    opening: str
    closing: str


class StringSpans:
    """The multi-line strings of ``lines``, found step by step.

    ``offset`` is added to every line number, for a part of a source.
    """

    def __init__(self, lines: Sequence[str], offset: int = 0) -> None:
        self.complete = False
        self._lines = lines
        self._offset = offset
        self._lasts: list[int] = []
        self._spans: list[Span] = []
        self._known_to = 0
        self._search = self._find()

    def advance(self, seconds: float) -> None:
        """Continue the search for about ``seconds``, or to the end."""
        end = time.perf_counter() + seconds
        for known_to in self._search:
            self._known_to = known_to
            if time.perf_counter() >= end:
                return
        self.complete = True

    def covers(self, line: int) -> bool:
        """Return whether the state at the start of ``line`` (1-based) is known."""
        return self.complete or line <= self._known_to

    def at(self, line: int) -> Span | None:
        """Return the known string inside which ``line`` begins."""
        index = bisect_left(self._lasts, line)
        if index < len(self._spans) and self._spans[index].first < line:
            return self._spans[index]
        return None

    def _find(self) -> Iterator[int]:
        """Collect the spans; yield the last known line from time to time."""
        text = "\n".join(self._lines)
        line, counted_to = self._offset + 1, 0
        for matches, match in enumerate(_STRING_OR_COMMENT.finditer(text), start=1):
            found = match.group()
            if "\n" in found:
                start = match.start()
                line += text.count("\n", counted_to, start)
                last = line + found.count("\n")
                self._add(line, last, text[text.rfind("\n", 0, start) + 1 : start], found)
                line, counted_to = last, match.end()
            if matches % _MATCHES_BETWEEN_LOOKS == 0:
                line += text.count("\n", counted_to, match.end())
                counted_to = match.end()
                yield line

    def _add(self, first: int, last: int, before: str, found: str) -> None:
        quotes = found[:3] if found[:3] in {'"""', "'''"} else found[0]
        if len(before) > _LONGEST_OPENING:
            before = "x = "
        # Without its backslash, a line end would close a string of single quotes.
        opening = before + quotes + ("\\" if len(quotes) == 1 else "")
        self._lasts.append(last)
        self._spans.append(Span(first, last, opening, quotes))


def guess_spans(lines: Sequence[str], first: int, last: int) -> StringSpans:
    """Guess the spans around lines ``first`` to ``last``, from a likely start not far above.

    For the middle of a long source, until the real search gets there.
    """
    start = max(1, first - _FARTHEST_BACK)
    for line in range(first, start, -1):
        if _TOP_LEVEL.match(lines[line - 1]):
            start = line
            break
    spans = StringSpans(lines[start - 1 : last], start - 1)
    spans.advance(float("inf"))
    return spans


Runs = tuple[int, ...]
"""The colours of one line: end, kind, end, kind, ... with ends as indices into the raw line and
kinds as indices into ``SYNTAX``. Text after the last end is plain.
"""

SLICE = 0.004
"""Seconds of background work between two turns of the event loop."""

HIGHLIGHT_LIMIT = 2_000
"""Maximum coloured characters of a line; the rest is plain."""

_CHUNK = 32
_CHUNKS_KEPT = 64
_LONGEST_LEXED = 1_000_000
"""Maximum characters. Longer sources in languages other than Python keep their guessed colours."""

_FIRST_LOOK = 0.005
"""Seconds of background work before the first paint: usually all of it."""

_PYTHON_SUFFIXES = {".py", ".pyi", ".pyw"}

_TEMPLATES = {".j2", ".jinja", ".jinja2", ".djhtml"}
_MARKUP = {".html", ".htm", ".xhtml", ".xml", ".svg"}

_PLAIN = SYNTAX.index("plain")
# Pygments' token types by name; a missing type uses its nearest parent.
_KIND_BY_TOKEN = {
    "Token": "plain",
    "Token.Comment": "comment",
    "Token.Comment.Preproc": "decorator",
    "Token.Comment.PreprocFile": "string",
    "Token.Keyword": "keyword",
    "Token.Keyword.Constant": "constant",
    "Token.Keyword.Type": "builtin",
    "Token.Operator.Word": "keyword",
    "Token.Literal.String": "string",
    "Token.Literal.String.Doc": "docstring",
    "Token.Literal.String.Escape": "escape",
    "Token.Literal.String.Interpol": "escape",
    "Token.Literal.Number": "number",
    "Token.Name.Attribute": "function",
    "Token.Name.Builtin": "builtin",
    "Token.Name.Builtin.Pseudo": "self",
    "Token.Name.Class": "class",
    "Token.Name.Constant": "constant",
    "Token.Name.Decorator": "decorator",
    "Token.Name.Exception": "exception",
    "Token.Name.Function": "function",
    "Token.Name.Tag": "keyword",
    "Token.Name.Variable.Magic": "builtin",
}

_Token = tuple[int, Any, str]


class _Lexer(Protocol):
    def get_tokens_unprocessed(self, text: str) -> Iterable[_Token]: ...


class _Chunk(NamedTuple):
    """The colours of ``_CHUNK`` lines, and whether they still rest on a guess."""

    runs: list[Runs]
    span: Span | None
    exact: bool


def preload() -> None:
    """Import Pygments and build its Python lexer, from any thread; it takes about 50 ms."""
    _python_lexer()


def is_loaded() -> bool:
    """Return whether that is done. Until then lines can be shown without colours."""
    return bool(_python)


class Highlighter:
    """The colours of one document's lines. Create a new one after a reload.

    With ``colourless`` it has none, and needs no Pygments.
    """

    def __init__(self, document: SourceDocument, *, colourless: bool = False) -> None:
        self._lines = document.lines
        self._lexer = None if colourless else _lexer_for(document)
        self._chunks: OrderedDict[int, _Chunk] = OrderedDict()
        self._spans: StringSpans | None = None
        self._ahead: _LexedAhead | None = None
        if self._lexer is not None and _is_python(self._lexer):
            self._spans = StringSpans(self._lines)
        elif self._lexer is not None and sum(map(len, self._lines)) <= _LONGEST_LEXED:
            self._ahead = _LexedAhead(self._lexer, self._lines)
        self.advance(_FIRST_LOOK)

    @property
    def complete(self) -> bool:
        """Whether the background work is finished."""
        background = self._spans or self._ahead
        return background is None or background.complete

    def advance(self, seconds: float = SLICE) -> None:
        """Do background work for about ``seconds``."""
        background = self._spans or self._ahead
        if background is not None and not background.complete:
            background.advance(seconds)

    def runs(self, line: int) -> Runs:
        """Return the colours of ``line`` (1-based)."""
        if self._lexer is None or line > len(self._lines):
            return ()
        index, within = divmod(line - 1, _CHUNK)
        chunk = self._chunks.get(index)
        if chunk is None:
            chunk = self._chunks[index] = self._highlight(index)
            if len(self._chunks) > _CHUNKS_KEPT:
                self._chunks.popitem(last=False)
        else:
            self._chunks.move_to_end(index)
        return chunk.runs[within]

    def settle(self) -> list[int]:
        """Replace guesses by known colours; return the lines (1-based) that changed."""
        changed: list[int] = []
        for index, chunk in self._chunks.items():
            if chunk.exact or not self._is_known(index):
                continue
            new = self._confirm(index, chunk)
            self._chunks[index] = new
            changed.extend(
                index * _CHUNK + number
                for number, (before, after) in enumerate(
                    zip(chunk.runs, new.runs, strict=True), start=1
                )
                if before != after
            )
        return changed

    def _confirm(self, index: int, chunk: _Chunk) -> _Chunk:
        if self._spans is not None and self._spans.at(index * _CHUNK + 1) == chunk.span:
            return chunk._replace(exact=True)  # the state at its start determines all that follows
        return self._highlight(index)

    def _is_known(self, index: int) -> bool:
        last = min((index + 1) * _CHUNK, len(self._lines))
        if self._spans is not None:
            return self._spans.covers(last + 1)
        return self._ahead is None or self._ahead.covers(last)

    def _highlight(self, index: int) -> _Chunk:
        first = index * _CHUNK + 1
        last = min(first + _CHUNK - 1, len(self._lines))
        known = self._is_known(index)
        if self._ahead is not None and known:
            return _Chunk(self._ahead.runs[first - 1 : last], None, exact=True)
        spans = self._spans
        if spans is not None and not known:
            spans = guess_spans(self._lines, first, last)
        begins_in = None if spans is None else spans.at(first)
        return _Chunk(self._lex_around_long_lines(first, last, spans), begins_in, known)

    def _lex_around_long_lines(
        self, first: int, last: int, spans: StringSpans | None
    ) -> list[Runs]:
        """Lex lines ``first`` to ``last``; each truncated line separately.

        It would leave the lexer in a wrong state for the next.
        """
        runs: list[Runs] = []
        start = first
        for line in range(first, last + 1):
            if len(self._lines[line - 1]) > HIGHLIGHT_LIMIT:
                runs += self._lex(start, line - 1, spans)
                runs += self._lex(line, line, spans)
                start = line + 1
        return runs + self._lex(start, last, spans)

    def _lex(self, first: int, last: int, spans: StringSpans | None) -> list[Runs]:
        """Lex lines ``first`` to ``last``, completed by the strings they begin and end in."""
        count = last - first + 1
        if count <= 0 or self._lexer is None:
            return []
        pieces = [line[:HIGHLIGHT_LIMIT] for line in self._lines[first - 1 : last]]
        opening = closing = None
        if spans is not None:
            opening, closing = spans.at(first), spans.at(last + 1)
        if opening is not None:
            pieces.insert(0, opening.opening)
        if closing is not None:
            pieces.append(closing.closing)
        runs = list(_runs_by_line(_tokens(self._lexer, "\n".join(pieces) + "\n")))
        runs = runs[0 if opening is None else 1 :][:count]
        return runs + [()] * (count - len(runs))


class _LexedAhead:
    """The colours of a whole source, lexed from the top in slices."""

    def __init__(self, lexer: _Lexer, lines: Sequence[str]) -> None:
        self.complete = False
        self.runs: list[Runs] = []
        self._count = len(lines)
        self._work = _runs_by_line(_tokens(lexer, "\n".join(lines) + "\n"))

    def advance(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        for runs in self._work:
            self.runs.append(runs)
            if time.perf_counter() >= end:
                return
        self.runs += [()] * (self._count - len(self.runs))
        self.complete = True

    def covers(self, line: int) -> bool:
        return self.complete or line <= len(self.runs)


def _tokens(lexer: _Lexer, text: str) -> Iterator[_Token]:
    try:
        yield from lexer.get_tokens_unprocessed(text)
    except Exception:
        # One of Pygments' 500 lexers failed: the rest of the text is shown without colours, which
        # is no reason to end a debug session.
        return


def _runs_by_line(tokens: Iterable[_Token]) -> Iterator[Runs]:
    """Convert tokens to runs, a line at a time. Spaces join the neighbouring run: fewer runs."""
    kinds = _kinds
    line: list[int] = []
    length = 0
    for _, token_type, value in tokens:
        kind = kinds.get(token_type)
        if kind is None:
            kind = kinds[token_type] = _kind_of(token_type)
        first, *others = value.split("\n") if "\n" in value else (value,)
        length = _extend(line, length, first, kind)
        for text in others:
            yield tuple(line)
            line = []
            length = _extend(line, 0, text, kind)
    if line:
        yield tuple(line)


def _extend(line: list[int], length: int, text: str, kind: int) -> int:
    """Append ``text`` to the runs of a line of ``length``; return the new length."""
    if not text:
        return length
    end = length + len(text)
    if line and (line[-1] == kind or text.isspace()):
        line[-2] = end
    elif line or not text.isspace():  # leading space joins the first run
        line += (end, kind)
    return end


_kinds: dict[Any, int] = {}


def _kind_of(token_type: Any) -> int:
    while token_type is not None:
        kind = _KIND_BY_TOKEN.get(str(token_type))
        if kind is not None:
            return SYNTAX.index(kind)
        token_type = token_type.parent
    return _PLAIN


_python: list[_Lexer] = []


def _python_lexer() -> _Lexer:
    if not _python:
        from pygments.lexers.python import PythonLexer

        lexer = PythonLexer()
        list(lexer.get_tokens_unprocessed("\n"))  # builds its tables
        _python.append(lexer)
    return _python[0]


def _is_python(lexer: _Lexer) -> bool:
    return bool(_python) and lexer is _python[0]


def _lexer_for(document: SourceDocument) -> _Lexer | None:
    """Return the lexer for a document by its file name, by default Python's."""
    suffix = PurePath(document.name).suffix.lower()
    if document.path is None or suffix in _PYTHON_SUFFIXES:
        return _python_lexer()
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    if (template := _template_lexer(document, suffix)) is not None:
        return template
    try:
        lexer: _Lexer = get_lexer_for_filename(document.name)
    except ClassNotFound:
        shebang = document.lines[0] if document.lines else ""
        if suffix or (shebang.startswith("#!") and "python" not in shebang):
            return None
        return _python_lexer()
    return lexer


def _template_lexer(document: SourceDocument, suffix: str) -> _Lexer | None:
    """Return the lexer for Django and Jinja templates, which look alike; None for others."""
    if suffix in _TEMPLATES or any("{%" in line or "{{" in line for line in document.lines[:500]):
        from pygments.lexers.templates import DjangoLexer, HtmlDjangoLexer

        name = PurePath(document.name)
        inner = PurePath(name.stem).suffix.lower() if suffix in _TEMPLATES else suffix
        lexer: _Lexer
        if inner in _MARKUP or suffix == ".djhtml":
            lexer = HtmlDjangoLexer()
            return lexer
        if suffix in _TEMPLATES or suffix in (".txt", ".tpl", ".tmpl"):
            lexer = DjangoLexer()
            return lexer
    return None
