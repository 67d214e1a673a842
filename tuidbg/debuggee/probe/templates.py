"""Expressions and templates of breakpoints; each part is filled in within its time."""

from __future__ import annotations

from types import CodeType

from tuidbg.debuggee.probe.probe_state import (
    AGAIN,
    ATTEMPT,
    CAN_INTERRUPT,
    FOREVER,
    LIMITS,
    LOCK,
    PART_LIMIT,
    PLAIN,
    STALLS,
    Real,
    ctypes,
    get_ident,
    shorten,
)
from tuidbg.debuggee.probe.reports import CLOCK
from tuidbg.debuggee.values.private_names import PRIVATE_NAME, compile_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


TIMEOUT = "<error: Timeout>"


def fill_in(code: CodeType, conversion: str, form: str, simple: bool, frame: FrameType) -> Any:
    """The text of one part; what goes wrong stands in its place.

    The interruption of one that takes too long may arrive anywhere in here, so it is left only
    when it is certain that none will come any more.
    """
    limit, text, interrupt = TemplateTimeLimit(get_ident()), None, None
    while True:
        try:
            try:
                if text is None and simple:
                    value = evaluate(code, frame)
                    if type(value) in PLAIN:
                        text = shape(value, conversion, form)
                        break
                if text is None:
                    limit.begin()
                    text = shape(evaluate(code, frame), conversion, form)
                    if limit.is_exceeded():
                        text = TIMEOUT
                limit.end()
                break
            except TemplateTimeout:
                raise
            except KeyboardInterrupt as error:
                text, interrupt = "", error
            except BaseException as error:
                text = "<error: %s>" % type(error).__name__
        except Arrived:
            break
        except TemplateTimeout:
            text = TIMEOUT
    if interrupt is not None:
        raise interrupt
    return text


def shape(value: Any, conversion: str, form: str) -> str:
    if conversion == "r":
        value = repr(value)
    elif conversion == "a":
        value = ascii(value)
    elif conversion == "s":
        value = str(value)
    return shorten(format(value, form) if form else str(value))


class TemplateTimeout(BaseException):
    """Raised in the thread whose part of a template takes too long."""


class Arrived(TemplateTimeout):
    """Takes the place of one that may still be on its way, and arrives where it is awaited."""


class TemplateTimeLimit(object):
    """Lets OutOfTime be raised in a thread after a while; not within a call of C code."""

    def __init__(self, ident: int) -> None:
        self.ident = ident
        self.is_over = self.was_fired = False

    def begin(self) -> None:
        self.expires = self.rings = Real.monotonic() + PART_LIMIT
        with LOCK:
            LIMITS[self.ident] = self
            CLOCK.ring_at(self.rings)

    def is_exceeded(self) -> bool:
        return bool(Real.monotonic() >= self.expires)

    def end(self) -> None:
        """From here on none will be sent. Raises Arrived where one was."""
        with LOCK:
            self.is_over = True
            if LIMITS.get(self.ident) is self:
                del LIMITS[self.ident]
        if self.was_fired:
            await_arrival()

    def ring(self) -> None:
        """By the clock: it is time."""
        with LOCK:
            if self.is_over:
                return
            if not CAN_INTERRUPT:
                self.rings += FOREVER
                return
            self.was_fired = True
            self.rings += AGAIN
            raise_in(self.ident, TemplateTimeout)
        if STALLS:
            Real.sleep(ATTEMPT)
            with LOCK:
                if self.is_over:
                    return
                raise_in(self.ident, None)
                try:
                    await_arrival()
                except Arrived:
                    pass


def await_arrival() -> None:
    """Raises Arrived, in place of anything that is on its way to this thread."""
    raise_in(get_ident(), Arrived)
    while True:
        pass


def raise_in(ident: int, error: Any) -> None:
    error = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error)


# Expressions


class Nested(object):
    """An expression with a lambda or a comprehension, which look for names as globals only."""

    def __init__(self, code: CodeType) -> None:
        self.code = code


class Private(object):
    """An expression with private names, compiled for each code object that evaluates it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.codes: dict[CodeType, Any] = {}

    def code_in(self, frame: FrameType) -> Any:
        code = self.codes.get(frame.f_code)
        if code is None:
            if len(self.codes) > 100:  # a program that makes its functions as it goes
                self.codes.clear()
            code = as_evaluated(compile_in(frame, self.text, "<tuidbg>", "eval"))
            self.codes[frame.f_code] = code
        return code


def compile_expression(expression: str) -> Any:
    """None for nothing; an expression that this Python can't compile is kept as its error."""
    if not expression:
        return None
    try:
        code = compile(expression, "<tuidbg>", "eval")
    except Exception as error:
        return error
    return Private(expression) if PRIVATE_NAME.search(expression) else as_evaluated(code)


def as_evaluated(code: CodeType) -> Any:
    nested = any(isinstance(constant, CodeType) for constant in code.co_consts)
    return Nested(code) if nested else code


def evaluate(code: Any, frame: FrameType) -> Any:
    if type(code) is Private:
        code = code.code_in(frame)
    if type(code) is Nested:
        names = dict(frame.f_globals)
        names.update(frame.f_locals)
        return eval(code.code, names)
    if isinstance(code, Exception):
        raise code
    return eval(code, frame.f_globals, frame.f_locals)
