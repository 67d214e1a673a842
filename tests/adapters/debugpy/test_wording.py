"""Tests pydevd's own sentences in tuidbg's words."""

from __future__ import annotations

import pytest

from tuidbg.adapters.debugpy.profile import DebugpyProfile

SKIPPED = (
    "Frame skipped from debugging during step-in.\n"
    'Note: may have been skipped because of "justMyCode" option (default == true). Try setting'
    ' "justMyCode": false in the debug configuration (e.g., launch.json).\n'
)
SLOW = (
    "Evaluating: sum(\n  numbers) did not finish after 3.00 seconds.\nThis may mean a number of"
    " things:\n- This evaluation is really slow and this is expected.\n"
)
REPR = (
    "pydevd warning: Computing repr of x (Odd) was slow (took 4.10s)\nCustomize report timeout by"
    " setting the `PYDEVD_WARN_SLOW_RESOLVE_TIMEOUT` environment variable to a higher timeout"
    " (default is: 0.5s)\n"
)
LOST = (
    "<class 'RecursionError'> raised from within the callback set in sys.settrace.\nDebugging will"
    " be disabled for this thread (<_MainThread(MainThread, started 1)>).\n"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            SKIPPED,
            'The step has passed over libraries; "Step into libraries" goes into them.\n',
        ),
        (
            SLOW,
            "sum( numbers) takes more than 3 s; it may wait for other threads, which are"
            " stopped.\n",
        ),
        (REPR, ""),
        (
            LOST,
            "The debugger has lost this thread (<class 'RecursionError'>): breakpoints and steps do"
            " not work in it any more.\n",
        ),
        ("pydevd: Error while evaluating\n", "Error while evaluating\n"),
        ("anything else\n", "anything else\n"),
    ],
)
def test_its_own_sentences(text: str, said: str) -> None:
    ending = DebugpyProfile().ending
    assert ending.read_output("important", text).text == said


def test_what_the_program_says_is_left_as_it_is() -> None:
    assert DebugpyProfile().ending.read_output("stderr", SKIPPED).text == SKIPPED
