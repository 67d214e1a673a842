"""Tells how an adapter words a stop, its threads and its frames."""

from __future__ import annotations

import msgspec

from tuidbg.dap.types import StoppedBody


class SignalTold(msgspec.Struct, frozen=True):
    """A signal that has stopped the program: its name, and what it means in a sentence.

    ``is_pause``: it is how a debugger, or a person with Ctrl+C, pauses a program.
    """

    name: str
    text: str
    is_pause: bool = False


class Stops:
    """Stops, and the threads and frames that are seen at them."""

    machinery: tuple[str, ...] = ()
    """Tells how the names of functions begin that a program stops in without being meant by it.

    Above the first own frame they are passed over where a pause or an exception is shown.
    """

    tells_threads = True
    """True if it tells (DAP ``thread``) when one begins; else they are asked for at stops."""

    keeps_frame_ids = False
    """True if the top frame of a thread has the same id at each stop."""

    finishes_steps = False
    """True if a step that a breakpoint has cut short goes on with ``continue``."""

    pauses_need = ""
    """What must run in the program for a pause to happen (``Python code``); "" where nothing."""

    pauses_wait_in = ""
    """What it may do meanwhile instead, in words."""

    hides_pauses = False
    """True if a pause may be told as a step or a breakpoint, while libraries are loaded."""

    continues_late = False
    """True if it may tell that a thread goes on (``continued``) when another one stands again."""

    def read(self, stopped: StoppedBody) -> StoppedBody:
        """A stop in DAP's terms, of how the adapter words it."""
        return stopped

    def text(self, description: str) -> str:
        """Returns what of the adapter's words for a stop says something to people, or ""."""
        return description

    def read_signal(self, description: str) -> SignalTold | None:
        """The signal that a stop's description tells of, if it is by one."""
        return None

    def thread_name(self, name: str) -> str | None:
        """The name of a thread for people; None for an entry that is no thread."""
        return name

    def frame_name(self, name: str) -> str:
        """The name of a frame's function for people."""
        return name
