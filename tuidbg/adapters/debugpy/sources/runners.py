"""Programs that run the code of others: their stop on entry is in the person's own code."""

from __future__ import annotations

from pathlib import PurePath

from tuidbg.config.launch import LaunchPlan, TargetKind

_TESTS = "pytest py.test unittest doctest nose2 behave robot ward green coverage"
_SERVERS = "flask uvicorn gunicorn hypercorn daphne granian waitress fastapi sanic litestar django"
_WORKERS = "celery rq dramatiq huey arq scrapy locust alembic streamlit"
_TOOLS = "mpi4py torch.distributed.run cProfile profile trace runpy pyinstrument scalene memray"

RUNNERS = frozenset(f"{_TESTS} {_SERVERS} {_WORKERS} {_TOOLS}".split())
"""Modules and commands by their names."""


def runs_own_code(plan: LaunchPlan) -> bool:
    """Whether the program is one of these, and libraries are passed over."""
    if not plan.just_my_code:
        return False
    if plan.kind is TargetKind.MODULE:
        return plan.target in RUNNERS
    return plan.is_command and PurePath(plan.target).name in RUNNERS
