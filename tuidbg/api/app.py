"""The ASGI application: all protocols on one hub, behind one gate."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from tuidbg.api.auth.callers import AccessGate
from tuidbg.api.auth.security import Security, SecurityMiddleware
from tuidbg.api.rest import handlers
from tuidbg.api.rest.errors import CONTENT_TYPE
from tuidbg.api.rest.handlers import App, Outermost
from tuidbg.api.rest.openapi import PREFIX, make_document, make_page
from tuidbg.api.rest.routes import (
    breakpoints,
    execution,
    inspection,
    job,
    output,
    program,
    recording,
    server,
    sessions,
)
from tuidbg.session.hub.hub import Hub

_ROUTERS = (
    *(server.router, sessions.router, program.router, breakpoints.router),
    *(execution.router, inspection.router, output.router),
    *(recording.router, job.router),
)


def build_app(
    hub: Hub,
    security: Security,
    routers: Iterable[APIRouter] = (),
    *,
    gate: AccessGate | None = None,
    endpoints: Mapping[str, ASGIApp] | None = None,
    python: str = sys.executable,
) -> App:
    """Build the ASGI application.

    ``routers`` and ``endpoints`` add further protocols. ``python`` is the default interpreter of
    sessions.
    """
    app = _make_rest(routers)
    for path, endpoint in (endpoints or {}).items():
        app.router.routes.append(Route(path, endpoint))
    app.state.gate = gate or AccessGate(hub, security.audit)
    app.state.python = python
    return Outermost(SecurityMiddleware(app, security))


def openapi_document() -> dict[str, Any]:
    """Build the OpenAPI document; it needs neither a session nor a server."""
    return make_document(_make_rest(()))


def _make_rest(routers: Iterable[APIRouter]) -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    for router in _ROUTERS:
        app.include_router(router, prefix=PREFIX)
    for router in routers:
        app.include_router(router)
    handlers.install(app)
    _serve_document(app)
    return app


def _serve_document(app: FastAPI) -> None:
    """Serve ``/openapi.json`` and ``/docs``; the document is built at the first request."""
    made: list[dict[str, Any]] = []

    def document() -> dict[str, Any]:
        if not made:
            made.append(make_document(app))
        return made[0]

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi_json(request: Request) -> Response:
        return Response(json.dumps(document(), indent=2), media_type=CONTENT_TYPE)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return HTMLResponse(make_page(document()))
