"""``launch`` and ``attach``."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
import os.path
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import AttachRequest, LaunchRequest
from tuidbg.api.rest.rendering import status_of, tell_launched
from tuidbg.api.rest.routes.routing import SESSION, TheHub, TheMember, TheOrigin, operation
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.session.core.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.hub.members import SessionConfig

router = APIRouter(prefix=SESSION, tags=["Program Control"])

_MOMENTS = {
    True: frozenset({"raised", "uncaught"}),
    False: frozenset[str](),
    "uncaught": frozenset({"uncaught"}),
    "raised": frozenset({"raised"}),
}
"""Exception stops by ``stop_on_exception``."""


@operation(router, "POST /launch", table.LAUNCH, answers.Launched)
async def launch_program(
    request: Request, hub: TheHub, member: TheMember, origin: TheOrigin, body: LaunchRequest
) -> Response:
    """Start a program."""
    plan = _plan_of(body, member.config)
    await table.LAUNCH(hub, member, plan, stop_at=_MOMENTS[body.stop_on_exception], origin=origin)
    return reply(request, tell_launched(member, plan))


def _plan_of(body: LaunchRequest, config: SessionConfig) -> LaunchPlan:
    on_entry, is_internal = body.stop_on_entry, body.console == "internalConsole"
    return make_plan(
        ProgramRequest(
            program=body.script or "",
            module=body.module or None,
            args=tuple(body.args),
            cwd=os.path.normpath(Path(config.project_root, body.cwd or "")),
            env=body.env,
            python=config.python_path,
            python_args=tuple(body.python_args),
            adapter=body.adapter or "",
            stop_on_entry=config.stop_on_entry if on_entry is None else on_entry,
            record=body.record,
            console=Console.INTERNAL if is_internal else Console.TERMINAL,
        )
    )


def _says_how_long(body: AttachRequest) -> bool:
    """Whether the caller limits the time; otherwise a process may take longer than a port."""
    return body.pid is not None and "connect_timeout" in body.model_fields_set


@operation(router, "POST /attach", table.ATTACH, answers.Attached, summary="Attach to process")
async def attach_process(
    request: Request, hub: TheHub, member: TheMember, body: AttachRequest
) -> Response:
    """Attach to a program that runs already."""
    asked = ProcessRequest(
        host=body.host,
        port=body.port,
        pid=body.pid,
        cwd=member.config.project_root,
        python=member.config.python_path,
        connect_timeout=float(body.connect_timeout),
        wait=float(body.connect_timeout) if _says_how_long(body) else None,
    )
    plan = make_plan(asked)
    await table.ATTACH(hub, member, plan)
    data = answers.Attached(
        session_id=member.id,
        status=status_of(member),
        attached=True,
        pid=body.pid if body.pid is not None else member.pid,
        host=body.host if body.port is not None else None,
        port=body.port,
    )
    return reply(request, data)
