"""The account of an exception as the caller may see it."""

from __future__ import annotations

from msgspec.structs import replace

from tuidbg.session import redaction
from tuidbg.session.autopsy.report import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    SourceLine,
)


def view_report(report: AutopsyReport) -> AutopsyReport:
    """All of it: the messages and the values of many frames stand in it."""
    if not redaction.hides_names():
        return report
    return replace(
        report,
        exception=_view_part(report.exception),
        stack_trace=redaction.trace(report.stack_trace),
        frames=tuple(_view_frame(frame) for frame in report.frames),
    )


def _view_part(part: ExceptionPart) -> ExceptionPart:
    return replace(
        part,
        message=redaction.words(part.message),
        problem=redaction.words(part.problem),
        notes=tuple(map(redaction.words, part.notes)),
        attributes=_view_all(part.attributes),
        raised_at=_view_line(part.raised_at) if part.raised_at is not None else None,
        members=tuple(map(_view_part, part.members)),
        inner=tuple(map(_view_part, part.inner)),
    )


def _view_line(line: SourceLine) -> SourceLine:
    return replace(line, source=redaction.words(line.source))


def _view_frame(frame: AutopsyFrame) -> AutopsyFrame:
    return replace(
        frame,
        line=_view_line(frame.line),
        arguments=_view_all(frame.arguments) if frame.arguments is not None else None,
        variables=_view_variables(frame.variables) if frame.variables is not None else None,
    )


def _view_variables(found: FrameVariables) -> FrameVariables:
    errors = found.errors
    if errors is not None:
        errors = tuple(replace(each, problem=redaction.words(each.problem)) for each in errors)
    return replace(found, locals=_view_all(found.locals), errors=errors)


def _view_all(variables: tuple[AutopsyVariable, ...]) -> tuple[AutopsyVariable, ...]:
    return tuple(_view_variable(each) for each in variables)


def _view_variable(found: AutopsyVariable) -> AutopsyVariable:
    name = found.name
    if redaction.looks_secret(name) or redaction.holds_words(name, found.type):
        return replace(found, value=redaction.REDACTED, children_count=None)
    return replace(found, value=redaction.value(found.value))
