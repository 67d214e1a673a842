"""The autopsy of an exception as agents are told it."""

from __future__ import annotations

from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations.reports import view_report
from tuidbg.session.autopsy.report import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    FrameVariables,
)


def tell_report(report: AutopsyReport) -> Payload:
    """All of it."""
    report = view_report(report)
    return {
        "threadId": report.thread_id,
        "exception": {
            "type": report.exception.type,
            "message": report.exception.message,
            "isFirstChance": report.is_first_chance,
            "stackTraceString": report.stack_trace,
        },
        "innerExceptions": [
            {"type": each.type, "message": each.message, "depth": each.depth}
            for each in report.inner_exceptions
        ],
        "innerExceptionsTruncated": report.inner_exceptions_truncated,
        "frames": [_tell_frame(frame) for frame in report.frames],
        "totalFrames": report.total_frames,
        "throwingFrameIndex": report.throwing_frame_index,
    }


def _tell_frame(frame: AutopsyFrame) -> Payload:
    line = frame.location
    location = None
    if line is not None:
        location = {
            "file": line.place.path,
            "line": line.place.line,
            "column": line.column or line.place.column,
            "functionName": frame.function,
            "moduleName": frame.module,
        }
    arguments = frame.arguments
    return {
        "index": frame.index,
        "function": frame.function,
        "module": frame.module,
        "isExternal": frame.is_external,
        "location": location,
        "arguments": None if arguments is None else [_tell_variable(each) for each in arguments],
        "variables": None if frame.variables is None else _tell_variables(frame.variables),
    }


def _tell_variables(variables: FrameVariables) -> Payload:
    told: Payload = {
        "locals": [_tell_variable(each) for each in variables.locals],
        "errors": None,
    }
    if variables.errors is not None:
        told["errors"] = [{"name": e.name, "error": e.problem} for e in variables.errors]
    if variables.left_out:
        told["leftOut"] = variables.left_out
    return told


def _tell_variable(variable: AutopsyVariable) -> Payload:
    told: Payload = {
        "name": variable.name,
        "type": variable.type,
        "value": variable.value,
        "scope": variable.scope,
        "hasChildren": variable.has_children,
    }
    if variable.children_count is not None:
        told["childrenCount"] = variable.children_count
    return told
