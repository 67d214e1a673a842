"""The pages of the manual, in the order of reading, and the search in them.

A page is a Markdown file: its title, one line of what it is about as a quotation, and the text.
Nothing but the standard library is imported, so that ``tuidbg help`` is quick.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tuidbg.lines import split_lines

FOLDER = Path(__file__).resolve().parent

GROUPS = {
    "Using it": (
        *("start", "keys", "breakpoints", "values", "stack", "tables", "history", "recording"),
        *("terminal", "restart", "settings"),
    ),
    "Ways in": (
        *("python", "launch-json", "attach", "inside", "pytest", "children", "jobs", "templates"),
        *("plain", "browser"),
    ),
    "Other languages": ("native", "go", "adapters"),
    "Programs": ("sharing", "rest", "bridge", "agents", "lldb-tools", "editors"),
    "Background": ("program", "compatibility", "performance", "architecture"),
}
"""All topics below their headings, in the order of reading."""

TOPICS = tuple(topic for topics in GROUPS.values() for topic in topics)
"""All topics, in the order of reading."""

_OTHER_NAMES = {
    "arguments": "start",
    "asyncio": "stack",
    "autopsy": "history",
    "c": "native",
    "c++": "native",
    "command": "bridge",
    "config": "settings",
    "console": "values",
    "dap": "editors",
    "debugpy": "program",
    "delve": "go",
    "django": "templates",
    "exceptions": "history",
    "hook": "inside",
    "jinja": "templates",
    "launch": "launch-json",
    "launch.json": "launch-json",
    "lldb": "native",
    "emacs": "editors",
    "helix": "editors",
    "marks": "keys",
    "mcp": "agents",
    "memory": "native",
    "mouse": "keys",
    "neovim": "editors",
    "options": "start",
    "processes": "children",
    "record": "recording",
    "reverse": "recording",
    "rust": "native",
    "safety": "sharing",
    "serve": "sharing",
    "ssh": "attach",
    "vscode": "editors",
    "themes": "settings",
    "time": "recording",
    "variables": "values",
    "watches": "values",
    "zed": "editors",
    "web": "browser",
}
"""Further words by which a page is found."""

_HEADING = re.compile(r"(#{1,6}) (.+)")
_LINK = re.compile(r"\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class ManualSection:
    """A heading of a page with the text below it; a page begins with the one of its title."""

    heading: str
    text: str


@dataclass(frozen=True)
class ManualPage:
    """One topic."""

    topic: str
    title: str
    summary: str
    text: str

    @property
    def sections(self) -> tuple[ManualSection, ...]:
        """The text in parts, each with its heading in front."""
        return _split(self.text)


@dataclass(frozen=True)
class ManualMatch:
    """A section in which all the words of a search stand; ``line`` is one that has them."""

    page: ManualPage
    section: int
    line: str


class NoSuchTopic(Exception):
    """There is no page of that name; the message is a sentence with those that are near."""


@cache
def read_page(topic: str) -> ManualPage:
    """The page of a topic. Raises NoSuchTopic."""
    if topic not in TOPICS:
        raise NoSuchTopic(_tell_near(topic))
    text = _COMMENT.sub("", (FOLDER / f"{topic}.md").read_text(encoding="utf-8"))
    text = _IMAGE.sub(lambda found: f"*(A picture in the repository: {found[1]}.)*", text)
    title, summary = text.split("\n\n", 2)[:2]
    return ManualPage(topic, title.removeprefix("# "), summary.removeprefix("> "), text)


def read_all() -> tuple[ManualPage, ...]:
    """All pages, in the order of reading."""
    return tuple(read_page(topic) for topic in TOPICS)


def find_topic(asked: str) -> str:
    """The topic that a person means: by its name, its beginning, or a word of it.

    Raises NoSuchTopic.
    """
    name = "-".join(asked.lower().split()).removesuffix(".md")
    if name in TOPICS:
        return name
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    begun = [topic for topic in TOPICS if name and topic.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    raise NoSuchTopic(_tell_near(asked, begun))


def search(words: str) -> list[ManualMatch]:
    """The sections in which all the words stand; those that have them in the heading first."""
    wanted = words.lower().split()
    if not wanted:
        return []
    found: list[tuple[tuple[int, bool, bool], ManualMatch]] = []
    for page in read_all():
        for index, section in enumerate(page.sections):
            text = section.text.lower()
            if not all(word in text for word in wanted):
                continue
            heading = f"{page.topic} {section.heading}".lower()
            missing = sum(word not in heading for word in wanted)
            rank = (missing, page.topic not in wanted, " ".join(wanted) not in text)
            found.append((rank, ManualMatch(page, index, _best_line(section, wanted))))
    found.sort(key=lambda one: one[0])
    return [match for _, match in found]


def find_links(page: ManualPage) -> tuple[str, ...]:
    """The topics that a page speaks of, in its order."""
    return tuple(dict.fromkeys(topic for topic in _LINK.findall(page.text) if topic in TOPICS))


def list_topics(width: int | None = None) -> str:
    """Return all topics in their groups, a line each; with a width, long lines are wrapped."""
    indent = max(map(len, TOPICS)) + 2
    parts = []
    for heading, topics in GROUPS.items():
        lines = [f"  {page.topic:<{indent}}{page.summary}" for page in map(read_page, topics)]
        if width is not None:
            wrap = partial(textwrap.fill, width=width, subsequent_indent=" " * (indent + 2))
            lines = list(map(wrap, lines))
        parts.append("".join(f"{line}\n" for line in [f"{heading}:", *lines]))
    return "\n".join(parts)


def _best_line(section: ManualSection, wanted: list[str]) -> str:
    """The line with most of the words; the heading does not count where another one has any."""
    lines = [line for line in split_lines(section.text) if line.strip()]
    rest = lines[1:] or lines
    best = max(rest, key=lambda line: sum(word in line.lower() for word in wanted))
    return best.strip().strip("|").strip()


def _split(text: str) -> tuple[ManualSection, ...]:
    sections: list[ManualSection] = []
    heading, lines, in_code = "", list[str](), False
    for line in split_lines(text):
        if line.startswith("```"):
            in_code = not in_code
        begins = None if in_code else _HEADING.fullmatch(line)
        if begins is not None:
            if lines:
                sections.append(ManualSection(heading, "\n".join(lines).strip()))
            heading, lines = begins[2], []
        lines.append(line)
    sections.append(ManualSection(heading, "\n".join(lines).strip()))
    return tuple(sections)


def _tell_near(asked: str, begun: list[str] | None = None) -> str:
    known = {**{topic: topic for topic in TOPICS}, **_OTHER_NAMES}
    near = begun or [
        known[name] for name in difflib.get_close_matches(asked.lower(), known, n=4, cutoff=0.6)
    ]
    if not near:
        near = [match.page.topic for match in search(asked)][:6]
    meant = list(dict.fromkeys(near))[:4]
    sentence = f"the manual has no page {asked!r}"
    if meant:
        return f"{sentence}; did you mean {' or '.join(meant)}?"
    return f"{sentence}; `tuidbg help` lists those it has"
