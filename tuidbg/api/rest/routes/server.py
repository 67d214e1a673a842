"""``/health`` and ``/info``."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
import importlib.metadata
import platform
import time
from functools import cache

from fastapi import APIRouter, Request
from starlette.responses import Response

from tuidbg import __version__
from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply, reply_error
from tuidbg.api.rest.routes.routing import TheHub, operation

router = APIRouter(tags=["Server"])

API_VERSION = "v1"

_BEGAN = time.monotonic()


@cache
def debugpy_version() -> str | None:
    """Return the version of the debugpy that debugs programs; None without one."""
    try:
        return importlib.metadata.version("debugpy")
    except importlib.metadata.PackageNotFoundError:
        return None


@operation(
    router,
    "GET /health",
    table.LOOK_AT_SERVER,
    answers.HealthResponse,
    "Unhealthy",
    summary="Health check",
)
async def get_health(request: Request, hub: TheHub) -> Response:
    """Whether the server can debug."""
    uptime = int(time.monotonic() - _BEGAN)
    if debugpy_version() is None:
        details = {
            "status": "unhealthy",
            "suggestion": "Install debugpy beside tuidbg",
            "uptime_seconds": uptime,
            "active_sessions": hub.count,
            "debugpy_available": False,
        }
        return reply_error(request, 503, "DEBUGPY_ERROR", "debugpy is not installed", details)
    health = answers.HealthResponse(
        status="healthy",
        version=__version__,
        uptime_seconds=uptime,
        active_sessions=hub.count,
        debugpy_available=True,
    )
    return reply(request, health)


@operation(
    router, "GET /info", table.LOOK_AT_SERVER, answers.InfoResponse, summary="Server information"
)
async def get_info(request: Request, hub: TheHub) -> Response:
    """The server and its capabilities."""
    capabilities = answers.ServerCapabilities(
        supports_conditional_breakpoints=True,
        supports_hit_conditional_breakpoints=True,
        supports_log_points=True,
        supports_exception_breakpoints=True,
        supports_function_breakpoints=True,
        supports_evaluate=True,
        supports_set_variable=False,
        supports_restart=True,
        supports_attach=True,
        max_sessions=hub.limit,
    )
    info = answers.InfoResponse(
        name="tuidbg",
        version=__version__,
        api_version=API_VERSION,
        python_version=platform.python_version(),
        debugpy_version=debugpy_version(),
        capabilities=capabilities,
        endpoints=["/api/v1/sessions", "/api/v1/health", "/api/v1/info"],
    )
    return reply(request, info)
