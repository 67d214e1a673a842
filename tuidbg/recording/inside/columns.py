# ruff: noqa: F821 (names of the parts before it)
"""What has been recorded and nobody has read yet; it is written in segments, one file each.

A moment is a line that is about to run, or a function that is left. Each thread writes columns of
its own, as no other one can come between then; the moments are numbered over all threads. A file
has its final name only once it is whole, and who reads it deletes it. If nobody does, the oldest
give way.
"""

json_dumps = __import__("json").dumps
array = __import__("array").array
pause = __import__("time").sleep
reference = __import__("_weakref").ref

SEGMENT = 16384
"""Moments of a segment."""

MOST_CHANGES = 8 * SEGMENT
"""Changes of a segment."""

LOCK = _thread.RLock()  # a finalizer may run under it

LONGEST = 200
"""Characters of a text."""


class Columns(object):
    """The moments of one thread, what has changed at them, and the calls and values met at them.

    A call stands in the segment of its first moment, never in one of another thread.
    """

    __slots__ = (
        "built",  # the last moment behind a line that makes lists and the like
        "frames",
        "keys",
        "made",  # the last moment behind a line that may have made values in another way
        "objects",
        "owners",
        "queue",  # values that are still to be compared, with what is known of them; None at rest
        "tail",  # the last moments of the segment before, and where they are
        "thread",
        "times",
        "values",
        "walk",  # values in those that are compared, where what they hold may have changed as well
        "walked",  # how many values were compared
        "whens",
        "wheres",
    )

    def __init__(self, thread):
        self.thread, self.queue, self.walk, self.walked = thread, None, None, 0
        self.frames, self.objects, self.built, self.made = [], [], 0, 0
        self.times, self.wheres, self.tail = [], [], ([], [])
        self.whens, self.owners, self.keys, self.values = [], [], [], []


class Thread(object):
    """One thread of the program. ``is_busy`` while something is noted in it.

    At the moment ``full`` a segment of it is written.
    """

    __slots__ = ("columns", "current", "full", "ident", "is_busy", "name", "number")

    def __init__(self, number, current):
        self.full = Standing.now + SEGMENT
        self.number, self.columns, self.is_busy = number, Columns(self), False
        self.ident = 0
        self.current = None if current is None else reference(current)
        name = getattr(current, "_name", "")
        self.name = name if type(name) is str else ""
        NEWS["threads"].append([number, self.name])

    def is_of_now(self):
        """Whether it is of that thread still, not of an ended one whose identifier it has."""
        return self.current is None or self.current() is current_thread(get_ident())


def current_thread(ident):
    threading = sys.modules.get("threading")
    return None if threading is None else threading._active.get(ident)


NEWS = {"threads": [], "codes": [], "modules": [], "keys": []}
"""What the next segment has to tell before its columns, whichever thread has met it."""

THREADS = {}
"""By their identifiers; those of ended threads are used again, and start anew then."""


class Spool(object):
    """Where the segments go."""

    folder = None
    threads = 0
    written = 0
    limit = 256 * 1024 * 1024
    files = []
    size = 0
    dropped = 0
    older = 0  # files of the part before, where nobody reads them
    stopped = ""  # why nothing can be written any more


def meet_thread(ident):
    with LOCK:
        before = THREADS.get(ident)
        thread = THREADS[ident] = Thread(Spool.threads, current_thread(ident))
        thread.ident = ident
        Spool.threads += 1
    if before is not None:
        write_segment(before, before.columns)
    return thread


def seal(thread):
    """Write what a thread has recorded: itself, at the end of a segment."""
    columns = Columns(thread)
    columns, thread.columns = thread.columns, columns
    keep_tail(columns, thread.columns)
    thread.full = Standing.now + SEGMENT
    write_segment(thread, columns)


def keep_tail(columns, fresh):
    count = len(columns.times)
    if count < MOST_PASSED:
        times, wheres = columns.tail[0] + columns.times, columns.tail[1] + columns.wheres
        fresh.tail = times[-MOST_PASSED:], wheres[-MOST_PASSED:]
    else:
        fresh.tail = columns.times[-MOST_PASSED:count], columns.wheres[-MOST_PASSED:count]


def write_segment(thread, columns):
    with LOCK:
        if Spool.stopped:
            return
        news = {name: NEWS[name][:] for name in NEWS}
        told = columns.times, columns.whens, columns.frames, columns.objects, *news.values()
        if not any(told):
            return
        interruption = write_whole(lambda: in_bytes(news, columns))
        forget_news(news)
        make_room()
        if interruption is not None:
            raise interruption


def write_whole(make_data):
    """Write a segment; returns the error of a signal's handler that came meanwhile, or None.

    What it has broken off is done again, as later segments are useless without this one.
    """
    interruption, name = None, "%s/%012d" % (Spool.folder, Spool.written)
    Spool.written += 1
    for _ in range(10):
        try:
            write(name, make_data())
            return interruption
        except BaseException as error:
            if not is_of_program(error):
                if not isinstance(error, OSError):
                    raise
                stop(error)
                return interruption
            interruption = error
    stop(OSError(0, "it was interrupted too often"))
    return interruption


def forget_news(news):
    for name, told in news.items():
        del NEWS[name][: len(told)]


def in_bytes(news, columns):
    news = {**news, "now": Standing.now, "dropped": Spool.dropped}
    news["failed"], news["recorder"] = Standing.failed, "python"
    news["thread"] = columns.thread.number
    news["frames"], news["values"] = columns.frames, columns.values
    news["objects"] = news.pop("modules") + columns.objects
    head = json_dumps(news).encode("ascii")
    names = ("times", "wheres", "whens", "owners", "keys")
    body = [array("Q", getattr(columns, name)).tobytes() for name in names]
    sizes = b"".join(len(each).to_bytes(8, "little") for each in (head, *body))
    return b"".join((sizes, head, *body))


def write(name, data):
    try:
        handle = make_file(name + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[write_file(handle, view) :]
        finally:
            close_file(handle)
        rename_file(name + ".part", name)
    except BaseException:
        try:
            remove_file(name + ".part")
        except OSError:
            pass
        raise
    Spool.files.append((name, len(data)))
    Spool.size += len(data)


def make_room():
    """Those that were read are gone; of the others the oldest give way."""
    if Spool.size <= Spool.limit:
        return
    if Standing.settings.get("is_alone"):
        begin_part()
        return
    left = []
    for name, size in Spool.files:
        try:
            ask_file(name)
        except OSError as error:
            if is_of_program(error):  # as a TimeoutError of a signal's handler
                raise
            continue
        left.append((name, size))
    Spool.size = sum(size for _, size in left)
    while left and Spool.size > Spool.limit:
        name, size = left.pop(0)
        remove(name)
        Spool.size -= size
    Spool.files[:] = left


def begin_part():
    """Where nobody reads, what comes now is told anew, so that the part before the last can go."""
    remove_files(Spool.older)
    Spool.older, Spool.size = len(Spool.files), 0
    forget_recorded()
    for thread in list(THREADS.values()):
        NEWS["threads"].append([thread.number, thread.name])
    tell_names()


def remove_files(count):
    for name, _ in Spool.files[:count]:
        remove(name)
    del Spool.files[:count]


def remove(name):
    try:
        remove_file(name)
        Spool.dropped += 1
    except OSError as error:
        if is_of_program(error):
            raise


def flush():
    """Write all that has been recorded, of threads that stand as well as of those that run."""
    for ident, thread in list(THREADS.items()):
        columns = take(thread)
        if columns is not None:
            write_segment(thread, columns)
        if ident not in sys._current_frames():
            THREADS.pop(ident, None)  # it has ended
    return Spool.written


def take(thread):
    """The columns of a thread while nothing is being noted in it.

    Between the question and the exchange nothing is called: no other thread can come between.
    """
    fresh = Columns(thread)
    for _ in range(1000):
        if thread.is_busy in (False, HELD):
            columns = thread.columns
            thread.columns = fresh
            keep_tail(columns, fresh)
            return columns
        pause(0.001)
    return None
