"""The command ``tuidbg mcp``: agents over stdio, on their own sessions or a user's."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import tuidbg
from tuidbg.cli.arguments import Parser, UsageError, read_interpreter
from tuidbg.config.extras import missing
from tuidbg.process.guardian import Guardian

if TYPE_CHECKING:
    from tuidbg.api.auth.callers import TokenScope
    from tuidbg.api.mcp.tool_sets import McpOptions

_SKILL = Path(tuidbg.__file__).parent / "api" / "mcp" / "skill.md"


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg mcp",
        description="Serve agents over stdio (MCP): an agent's configuration names this command."
        " With --join it works on the session that a person looks at.",
        epilog="`tuidbg serve` and `tuidbg --serve` have the same at /mcp (streamable HTTP), with"
        " their tokens.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--join",
        action="store_true",
        help="on the running tuidbg that serves (F2, --serve or `tuidbg serve`) instead of alone",
    )
    add("--skill", action="store_true", help="print a page that teaches an agent, and end")
    add("--pid", type=int, help="with --join: of the tuidbg to join, if there are several")
    add_mcp_options(parser)
    return parser


def add_mcp_options(parser: Parser) -> None:
    """Add the options for the permissions of agents and the limits of answers."""
    from tuidbg.api.mcp.agent import AnswerLimits
    from tuidbg.api.options import TOOL_SETS

    add = parser.add_argument
    add(
        "--tools",
        choices=TOOL_SETS,
        default=TOOL_SETS[0],
        help="the tool set: agent (the default: few calls, each to a stop), breakpoints (single"
        " steps), recording (asks a recorded run), job (all processes at once), lldb (native"
        " programs), or all",
    )
    add("--read-only", action="store_true", help="agents may look, and do nothing else")
    add("--no-evaluate", action="store_true", help="no expression of theirs runs in the program")
    add("--allow", default="", metavar="TOOL,TOOL", help="offer these tools only")
    for name, default in msgspec.structs.asdict(AnswerLimits()).items():
        add(
            f"--max-{name}",
            type=int,
            default=default,
            metavar="N",
            help=f"{_WHAT[name]} ({default})",
        )


_WHAT = {
    "value": "characters of a value",
    "items": "variables of a list",
    "frames": "frames of a stack",
    "source": "source lines on either side",
    "output": "characters of new output",
    "reply": "characters of an answer",
}


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve until the client disconnects; return the exit status. Raises UsageError."""
    if importlib.util.find_spec("mcp") is None:
        raise UsageError(missing("agents need", "mcp"))
    asked = make_parser().parse_args(args)
    if asked.skill:
        sys.stdout.write(_SKILL.read_text(encoding="utf-8"))
        return 0
    from tuidbg.api.mcp.agent import AnswerLimits
    from tuidbg.api.mcp.tool_sets import TOOL_SETS, McpOptions

    limits = {name: getattr(asked, f"max_{name}") for name in _WHAT}
    if any(number < 1 for number in limits.values()):
        raise UsageError("mcp: the limits count from 1")
    allowed = frozenset(name.strip() for name in asked.allow.split(",") if name.strip())
    unknown = allowed - {tool.name for tool in TOOL_SETS[asked.tools]}
    if unknown:
        raise UsageError(f"mcp: --allow: there is no tool {', '.join(sorted(unknown))}")
    options = McpOptions(
        tool_set=asked.tools,
        scopes=_scopes(asked.read_only, asked.no_evaluate),
        allowed=allowed,
        limits=AnswerLimits(**limits),
    )
    if asked.join:
        from tuidbg.api.mcp.http import ServerUnreachable, join

        try:
            return join(asked.pid, options)
        except ServerUnreachable as error:
            raise UsageError(f"mcp: {error}") from None
    return asyncio.run(_serve(options, guardian), debug=False)


def _scopes(read_only: bool, no_evaluate: bool) -> frozenset[TokenScope]:
    from tuidbg.api.auth.callers import ALL_SCOPES, TokenScope

    if read_only:
        return frozenset({TokenScope.READ})
    return ALL_SCOPES - {TokenScope.EVALUATE} if no_evaluate else ALL_SCOPES


async def _serve(options: McpOptions, guardian: Guardian) -> int:
    from mcp.server.stdio import stdio_server

    from tuidbg.api.auth.callers import Caller
    from tuidbg.api.mcp.agent import ORIGIN
    from tuidbg.api.mcp.server import McpServer
    from tuidbg.api.standalone import open_gate

    caller = Caller(actor="mcp", origin=ORIGIN, scopes=options.scopes)
    async with open_gate(guardian) as (hub, gate), stdio_server() as (reader, writer):
        server = McpServer(
            hub,
            gate,
            options,
            python=read_interpreter(None),
            cwd=str(Path.cwd()),
            find_caller=lambda _: caller,
        ).server
        await server.run(reader, writer, server.create_initialization_options())
    return 0
