"""The table of operations: each row is offered by somebody, and each of its errors has words."""

from __future__ import annotations

import pytest
from fastapi.routing import APIRoute

from tuidbg.api.app import ROUTERS
from tuidbg.api.bridge.actions import ACTIONS
from tuidbg.api.mcp.refusals import render_refusal
from tuidbg.api.mcp.tool_sets import TOOL_SETS
from tuidbg.api.operations import table
from tuidbg.api.operations.operation import Operation

ROWS = {name: row for name, row in vars(table).items() if isinstance(row, Operation)}
