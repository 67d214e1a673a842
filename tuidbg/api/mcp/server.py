"""The MCP server on the official SDK.

The same object serves stdio (one client) and streamable HTTP (many, each with its own agent).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import mcp_types as types
import msgspec
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tuidbg import __version__
from tuidbg.api.auth.callers import AccessGate, Caller
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.refusals import render_refusal
from tuidbg.api.mcp.resources import (
    METHOD,
    RESOURCES,
    SOURCE,
    ResourceNotifier,
    prompts_of,
    read_resource,
)
from tuidbg.api.mcp.tool import Payload, Tool, ToolRefused
from tuidbg.api.mcp.tool_sets import (
    TOOL_SETS,
    McpOptions,
    describe_joining,
    fit_hint,
    offered_tools,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.views import as_sent, shown_to
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.errors import DebuggerError

SUMMARY = 300
"""Characters kept of an answer without any plain values."""


def tell_tool(tool: Tool, tool_set: str) -> types.Tool:
    """Return a tool's entry in the list."""
    return types.Tool(
        name=tool.name,
        description=fit_hint(tool_set, tool.description),
        input_schema=tool.plain_schema if tool_set == "agent" else tool.schema,
        annotations=types.ToolAnnotations.model_validate(tool.hints),
    )


def make_result(told: Payload) -> types.CallToolResult:
    """Make a tool's result."""
    content = msgspec.json.encode(as_sent(told)).decode()
    return types.CallToolResult(content=[types.TextContent(type="text", text=content)])


def make_refusal(
    tool: Tool | None, error: DebuggerError, fit_hint: Callable[[str], str]
) -> types.CallToolResult:
    """Make the result of an error, with hints for the tool set."""
    if tool is not None and tool.refuse is not None:
        said = as_sent(tool.refuse(error))
    else:
        said = msgspec.json.encode(as_sent(render_refusal(error, fit_hint))).decode()
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def refuse_arguments(tool: Tool, said: str) -> ToolRefused:
    """Make the error for invalid arguments, with the reason and all argument names."""
    reason, _, where = said.partition(" - at `$.")
    field = where.rstrip("`")
    sentence = f"{field}: {reason}" if field else reason
    names = ", ".join(field.encode_name for field in msgspec.structs.fields(tool.arguments))
    return ToolRefused("INVALID_PARAMETER", sentence, f"{tool.name} takes: {names or 'nothing'}")


def summarize(tool: Tool, told: Payload) -> str:
    """Summarize an answer for the activity list by its plain values.

    Without any, it is the beginning of the answer if the session has a transcript.
    """
    plain = {k: v for k, v in told.items() if isinstance(v, str | int | bool | float)}
    if plain or not tool.session_argument:
        return ", ".join(f"{name}: {value}" for name, value in plain.items())
    return msgspec.json.encode(told).decode()[:SUMMARY]


Context = ServerRequestContext[Any, Any]

_LIVE = "A live debug session, which a person may watch and drive, too. "

_FLOWS = {
    "breakpoints": "Usual flow: debug_launch with stop_at_entry, breakpoint_set, debug_continue,"
    " breakpoint_wait; a stop answers with source, stack, locals and output.",
    "agent": "Usual flow: debug_run with breakpoints and the expressions to evaluate returns the"
    " first stop whole; debug_go goes on to the next. With record, why finds what changed a value."
    " run_test returns a failing test whole.",
    "recording": "Of a recorded run: why finds what changed a value, when it became so, calls all"
    " calls of a function; step_back shows any moment. record begins a recording.",
    "job": "Of many processes: job shows where each rank is, what it waits for, and which differ.",
    "lldb": "Usual flow: lldb_initialize, lldb_createTarget, lldb_setBreakpoint, lldb_launch,"
    " lldb_continue, lldb_pollEvents until processStateChanged says stopped; lldb_listSessions has"
    " the sessions that are there already.",
}

_ADVICE = " Cut answers say so, and name the tool for the rest. Errors say what to do next."


def instructions(tool_set: str) -> str:
    """Return the server's instructions for clients."""
    names = ("breakpoints", "recording", "job", "lldb") if tool_set == "all" else (tool_set,)
    flows = [_FLOWS[name] for name in names]
    if tool_set == "job":
        flows.append(f"Where there is no program: {describe_joining(tool_set)}.")
    return _LIVE + " ".join(flows) + _ADVICE


COALESCE = 0.2
"""Seconds within which several changes of a resource are notified once."""

_AGENT = "tuidbg.agent"


class BreakpointHit(types.Notification[dict[str, Any], Literal["debugger/breakpointHit"]]):
    """A hit notification."""

    method: Literal["debugger/breakpointHit"] = "debugger/breakpointHit"
    params: dict[str, Any]


class McpClient:
    """One connected client: its agent, subscriptions and notification tasks."""

    def __init__(self, agent: Agent, context: Context) -> None:
        self.agent = agent
        self.subscribed: set[str] = set()
        self._connection = context.session._connection
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def follow(self) -> asyncio.Task[None]:
        """Send notifications until the task is cancelled."""
        follower = ResourceNotifier(self.agent.hub, self._send, self._touch, self.agent.caller)
        return self._spawn(follower.run())

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _send(self, params: Payload) -> None:
        await self._connection.notify(METHOD, params)

    def _touch(self, uri: str) -> None:
        if uri in self.subscribed:
            self._changed.add(uri)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(COALESCE, self._tell)

    def _tell(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, set()
        for uri in changed:
            self._spawn(self._connection.send_resource_updated(uri))


class McpServer:
    """The MCP server on a session hub."""

    def __init__(
        self,
        hub: Hub,
        gate: AccessGate,
        options: McpOptions,
        *,
        python: str = "",
        cwd: str = "",
        find_caller: Callable[[Context], Caller] | None = None,
    ) -> None:
        """``find_caller`` returns the caller of a request; by default it is the process's owner."""
        self._hub = hub
        self._gate = gate
        self._options = options
        self._python, self._cwd = python, cwd
        self._find_caller = find_caller or (lambda _: Caller(actor="mcp", origin=ORIGIN))
        self._tools = {tool.name: tool for tool in TOOL_SETS[options.tool_set]}
        self._prompts = prompts_of(options.tool_set)
        self._fit_hint = partial(fit_hint, options.tool_set)
        self._piped: McpClient | None = None
        self._passing: dict[str, Agent] = {}
        """Agents of clients without a lasting connection, by actor."""
        self.bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self.bus)
        self.server: Server[Any] = Server(
            "tuidbg",
            version=__version__,
            instructions=instructions(options.tool_set),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._serve_listener,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._begin
        )

    # Callers

    def _client(self, context: Context) -> McpClient | None:
        """Return the client of a lasting connection; None if each request is separate.

        In the newest protocol version each request is, but over a pipe they are all of one client.
        """
        connection = context.session._connection
        if connection.protocol_version in MODERN_PROTOCOL_VERSIONS:
            if self._piped is None and connection.has_standalone_channel:
                self._piped = McpClient(self._make_agent(context), context)
                self._piped.follow()
            return self._piped
        client: McpClient | None = connection.state.get(_AGENT)
        if client is None and connection.has_standalone_channel:
            client = McpClient(self._make_agent(context), context)
            connection.state[_AGENT] = client
            connection.exit_stack.callback(client.follow().cancel)
        return client

    def _make_agent(self, context: Context) -> Agent:
        return Agent(
            self._hub,
            self._gate,
            self._find_caller(context),
            limits=self._options.limits,
            python=self._python,
            cwd=self._cwd,
            fit_hint=self._fit_hint,
            shows_attributes=self._options.tool_set == "agent",
        )

    def _agent(self, context: Context) -> Agent:
        client = self._client(context)
        if client is not None:
            if self._find_caller(context).actor != client.agent.caller.actor:
                raise MCPError(types.INVALID_REQUEST, "this connection is another token's")
            return client.agent
        actor = self._find_caller(context).actor
        if actor not in self._passing:
            self._passing[actor] = self._make_agent(context)
        return self._passing[actor]

    async def _begin(self, context: Context, _: types.NotificationParams) -> None:
        self._client(context)

    # Tools

    async def _list_tools(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        scopes = self._agent(context).caller.scopes
        return types.ListToolsResult(
            tools=[
                tell_tool(tool, self._options.tool_set)
                for tool in offered_tools(self._options, scopes)
            ]
        )

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        agent = self._agent(context)
        with shown_to(agent.caller):
            return await self._answer_call(agent, params)

    async def _answer_call(
        self, agent: Agent, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            tool = self._find_tool(agent, params.name)
            told = await self._run(agent, tool, params.arguments or {})
        except DebuggerError as error:
            return make_refusal(self._tools.get(params.name), error, self._fit_hint)
        except MCPError:
            raise
        except Exception:
            logging.getLogger(__name__).exception("tool %s failed", params.name)
            fault = ToolRefused("INTERNAL_ERROR", "a fault of tuidbg's own")
            return make_refusal(self._tools.get(params.name), fault, self._fit_hint)
        return make_result(told)

    def _find_tool(self, agent: Agent, name: str) -> Tool:
        tool = self._tools.get(name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {name}")
        if tool not in offered_tools(self._options, agent.caller.scopes):
            raise ToolRefused("PERMISSION_DENIED", f"this server does not allow {name}")
        return tool

    async def _run(self, agent: Agent, tool: Tool, given: dict[str, Any]) -> Payload:
        with self._gate.admit(
            agent.caller,
            tool.scope,
            tool.name,
            arguments=msgspec.json.encode(given).decode(),
            session_id=_session_id(agent, tool, given),
        ) as call:
            if tool.check is not None:
                tool.check(agent, given)
            try:
                asked = msgspec.convert(given, tool.arguments, strict=False)  # "12" is 12
            except msgspec.ValidationError as error:
                raise refuse_arguments(tool, str(error)) from None
            told: Payload = as_sent(await tool.run(agent, asked))
            call.succeed(summarize(tool, told))
            return told

    # Resources

    async def _list_resources(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        if self._agent(context).found is None:
            return types.ListResourcesResult(resources=[])
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=uri,
                    name=uri.removeprefix("debugger://"),
                    description=what,
                    mime_type="application/json",
                )
                for uri, what in RESOURCES.items()
            ]
        )

    async def _list_templates(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=SOURCE + "{+file}",
            name="source",
            description="A source of the program, by its absolute path",
            mime_type="text/x-python",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        agent, uri = self._agent(context), str(params.uri)
        try:
            with (
                self._gate.admit(agent.caller, table.READ_SESSION.scope, "read", arguments=uri),
                shown_to(agent.caller),
            ):
                text, kind = await read_resource(agent, uri)
        except DebuggerError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        content = types.TextResourceContents(uri=uri, text=text, mime_type=kind)
        return types.ReadResourceResult(contents=[content])

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        if (client := self._client(context)) is not None:
            client.subscribed.add(str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        if (client := self._client(context)) is not None:
            client.subscribed.discard(str(params.uri))
        return types.EmptyResult()

    async def _serve_listener(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a client's listening stream, also with hits if it has no other stream."""
        agent = self._agent(context)

        async def send(hit: Payload) -> None:
            if self._client(context) is None:
                notification = BreakpointHit(params=hit)
                await context.session.send_notification(
                    notification,  # type: ignore[arg-type]
                    related_request_id=context.request_id,
                )

        def touch(uri: str) -> None:
            task = asyncio.create_task(self.bus.publish(ResourceUpdated(uri=uri)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        tasks: set[asyncio.Task[None]] = set()
        follower = ResourceNotifier(self._hub, send, touch, agent.caller)
        following = asyncio.create_task(follower.run())
        try:
            return await self._listen(context, params)
        finally:
            following.cancel()

    # Prompts

    async def _list_prompts(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        prompts = [
            types.Prompt(
                name=prompt.name,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=name, description=what, required=True)
                    for name, what in prompt.arguments.items()
                ],
            )
            for prompt in self._prompts
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = next((each for each in self._prompts if each.name == params.name), None)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name}")
        text = types.TextContent(type="text", text=prompt.fill(params.arguments or {}))
        message = types.PromptMessage(role="user", content=text)
        return types.GetPromptResult(description=prompt.description, messages=[message])


def _session_id(agent: Agent, tool: Tool, given: dict[str, Any]) -> str:
    """Return the session id of a call."""
    if tool.session_argument:
        return str(given.get(tool.session_argument, ""))
    return agent.found.id if agent.found is not None else ""
