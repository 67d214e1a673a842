"""Functions of C that are often misused: what goes wrong with them, and what is safer."""

from __future__ import annotations

from enum import StrEnum

from tuidbg.session.state import Value


class Risk(StrEnum):
    """Tells how likely a use of it is a mistake, and how bad."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Suspicion(Value, frozen=True):
    """Tells why a function is worth a look."""

    category: str
    risk: Risk
    description: str


def _of(category: str, risk: Risk, **functions: str) -> dict[str, Suspicion]:
    return {
        name: Suspicion(category=category, risk=risk, description=why)
        for name, why in functions.items()
    }


SUSPICIOUS: dict[str, Suspicion] = {
    **_of(
        "unsafe_string",
        Risk.HIGH,
        gets="reads a line of any length into a buffer; use fgets",
        strcpy="copies a string of any length; use snprintf or strlcpy",
        stpcpy="copies a string of any length; use snprintf",
        strcat="appends a string of any length; use snprintf or strlcat",
        sprintf="writes text of any length into a buffer; use snprintf",
        vsprintf="writes text of any length into a buffer; use vsnprintf",
        wcscpy="copies a wide string of any length; use swprintf",
        wcscat="appends a wide string of any length; use swprintf",
    ),
    **_of(
        "unsafe_input",
        Risk.MEDIUM,
        scanf="%s without a width reads words of any length",
        sscanf="%s without a width reads words of any length",
        fscanf="%s without a width reads words of any length",
        __isoc99_scanf="scanf: %s without a width reads words of any length",
        __isoc99_sscanf="sscanf: %s without a width reads words of any length",
        __isoc99_fscanf="fscanf: %s without a width reads words of any length",
        realpath="with a buffer of its caller's the path may be too long for it",
    ),
    **_of(
        "command_execution",
        Risk.HIGH,
        system="hands a text to the shell; what comes from outside can run anything",
        popen="hands a text to the shell; what comes from outside can run anything",
    ),
    **_of(
        "command_execution",
        Risk.MEDIUM,
        execl="runs a program; its path and arguments must not come from outside",
        execlp="looks for the program in PATH, which others may set",
        execv="runs a program; its path and arguments must not come from outside",
        execvp="looks for the program in PATH, which others may set",
    ),
    **_of(
        "temporary_file",
        Risk.HIGH,
        mktemp="somebody else may make the file first; use mkstemp",
        tmpnam="somebody else may make the file first; use mkstemp",
        tempnam="somebody else may make the file first; use mkstemp",
    ),
    **_of(
        "memory",
        Risk.MEDIUM,
        memcpy="overflows where the size is not checked",
        memmove="overflows where the size is not checked",
        alloca="takes from the stack, and is not told when that is too much",
        realloc="older pointers into the block may dangle",
    ),
    **_of(
        "memory",
        Risk.LOW,
        strncpy="leaves the text without its end where it is too long",
        strncat="its size is that of what is left, not of the buffer",
        free="a pointer may be used, or freed again, afterwards",
    ),
    **_of(
        "randomness",
        Risk.LOW,
        rand="can be predicted; use getrandom for secrets",
        random="can be predicted; use getrandom for secrets",
    ),
}
"""By their names."""
