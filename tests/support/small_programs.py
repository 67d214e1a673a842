"""Small programs of many kinds, each with the same output and exit code at every run."""

from __future__ import annotations

PROGRAMS = {
    "prints": "print('out')",
    "both streams": "import sys\nsys.stderr.write('err\\n')\nprint('out')",
    "no newline": "import sys\nsys.stdout.write('no newline')",
    "bytes": "import sys\nsys.stdout.buffer.write(bytes(range(32, 127)) + b'\\n')",
    "no descriptor's buffer": "import os\nos.write(1, b'one\\n')\nos.write(2, b'two\\n')",
    "exit code": "import sys\nsys.exit(3)",
    "exit with a text": "import sys\nsys.exit('a text')",
    "exit at once": "import os\nprint('out', flush=True)\nos._exit(4)",
    "uncaught": "def fail():\n    raise ValueError('bad')\nfail()",
    "a chain": "try:\n    {}['a']\nexcept KeyError as error:\n    raise OSError('x') from error",
    "caught": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "a handler": (
        "import signal\nsignal.signal(10, lambda *_: print('told'))\nsignal.raise_signal(10)"
    ),
    "atexit": "import atexit\natexit.register(print, 'at exit')\nprint('out')",
    "atexit fails": (
        "import atexit\natexit.register(lambda: print('at exit'))\nraise RuntimeError('end')"
    ),
    "a thread": (
        "import threading\nt = threading.Thread(target=print, args=('t',))\nt.start()\nt.join()"
    ),
    "a thread to the end": (
        "import threading, time\ndef work():\n    time.sleep(0.2)\n    print('late')\n"
        "threading.Thread(target=work).start()"
    ),
    "a daemon thread": (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('out')"
    ),
    "exit in a thread": (
        "import sys, threading\nt = threading.Thread(target=sys.exit, args=(5,))\n"
        "t.start()\nt.join()\nprint('out')"
    ),
    "exit at once in a thread": (
        "import os, threading\nthreading.Thread(target=os._exit, args=(6,)).start()\n"
        "threading.Event().wait()"
    ),
    "many threads": (
        "import threading\nthreads = [threading.Thread(target=int) for _ in range(60)]\n"
        "for t in threads:\n    t.start()\nfor t in threads:\n    t.join()\nprint('out')"
    ),
    "bare threads": (
        "import _thread, threading\nlock = _thread.allocate_lock()\nlock.acquire()\n"
        "_thread.start_new_thread(lock.release, ())\nlock.acquire()\n"
        "print(threading.current_thread().name)"
    ),
    "futures": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(3) as pool:\n    print(list(pool.map(abs, [-1, 2])))"
    ),
    "a timer": "import threading\nthreading.Timer(0.05, print, ['timer']).start()",
    "asyncio": "import asyncio\nasync def main():\n    print('out')\nasyncio.run(main())",
    "never awaited": "async def main():\n    pass\nmain()\nprint('out')",
    "a generator left": (
        "def g():\n    try:\n        yield 1\n    finally:\n        print('f')\nnext(g())"
    ),
    "unraisable": (
        "import sys\nsys.unraisablehook = lambda told: print(told.exc_value)\n"
        "class C:\n    def __del__(self):\n        1 / 0\nC()\nprint('out')"
    ),
    "warnings": "import warnings\nwarnings.warn('careful')\nprint('out')",
    "logging": "import logging\nlogging.warning('careful')\nlogging.info('quiet')",
    "faults": "import faulthandler, sys\nfaulthandler.enable()\nprint(sys.flags.dev_mode)",
    "streams replaced": (
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as text:\n"
        "    print('in')\nprint(repr(text.getvalue()))"
    ),
    "stderr closed": "import sys\nsys.stderr.close()\nprint('out')",
    "no streams": "import sys\nsys.stderr = None\nprint('out')",
    "a child": (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1)'], check=True)"
    ),
    "a child that fails": (
        "import subprocess, sys\ncode = subprocess.call([sys.executable, '-c', '1 / 0'])\n"
        "print(code)"
    ),
    "children's output": (
        "import subprocess, sys\nfor words in (['-c', 'print(1)'], ['-m', 'this'], ['-V']):\n"
        "    r = subprocess.run([sys.executable, *words], capture_output=True, text=True)\n"
        "    print(r.returncode, len(r.stdout), repr(r.stderr))"
    ),
    "an isolated child": (
        "import subprocess, sys\ncode = 'import sys; print(sys.path[0], sys.flags.isolated)'\n"
        "for words in (['-I'], ['-S', '-E', '-s'], ['-P'] if sys.version_info > (3, 11) else []):\n"
        "    subprocess.run([sys.executable, *words, '-c', code], check=True)"
    ),
    "lazy imports": (
        "import subprocess, sys\n"
        "code = 'import sys, colorsys; print(\"colorsys\" in sys.modules, colorsys.ONE_THIRD)'\n"
        "subprocess.run([sys.executable, '-X', 'lazy_imports=all', '-c', code], check=True)"
    ),
    "a shell": "import os\nprint(os.system('echo shell; exit 3'))",
    "no such module": (
        "import subprocess, sys\n"
        "r = subprocess.run([sys.executable, '-m', 'no_such'], capture_output=True, text=True)\n"
        "print(r.returncode, r.stdout, r.stderr)"
    ),
    "no such file": (
        "import subprocess, sys\n"
        "r = subprocess.run([sys.executable, 'no_such.py'], capture_output=True, text=True)\n"
        "print(r.returncode, r.stdout, 'No such file' in r.stderr)"
    ),
    "a fork": (
        "import os\nprint('out', flush=True)\nif os.fork() == 0:\n    print('child', flush=True)\n"
        "    os._exit(3)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))"
    ),
    "a fork that fails": (
        "import os, sys\nif os.fork() == 0:\n    raise KeyError('child')\nos.wait()\nsys.exit(2)"
    ),
    "a fork of a fork": (
        "import os\nfor _ in range(2):\n    if os.fork():\n        os.wait()\n        break\n"
        "os.write(1, b'here\\n')"
    ),
    "a fork in a thread": (
        "import os, threading, warnings\nwarnings.simplefilter('ignore')\n"
        "def work():\n    if os.fork() == 0:\n        os.write(1, b'child\\n')\n"
        "        os._exit(0)\n    os.wait()\nt = threading.Thread(target=work)\n"
        "t.start()\nt.join()\nprint('out')"
    ),
    "closed descriptors": (
        "import os\nfor number in range(3, 256):\n    try:\n        os.close(number)\n"
        "    except OSError:\n        pass\nprint('out')"
    ),
    "exec": "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'print(\"new\")'])",
    "exec of no Python": "import os\nos.execvp('echo', ['echo', 'new'])",
    "spawn": (
        "import multiprocessing\ndef work(n):\n    print('w', n, flush=True)\n"
        "if __name__ == '__main__':\n    context = multiprocessing.get_context('spawn')\n"
        "    p = context.Process(target=work, args=(1,))\n    p.start()\n    p.join()\n"
        "    print(p.exitcode)"
    ),
    "a pool": (
        "import multiprocessing\nif __name__ == '__main__':\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        print(pool.map(abs, [-1, 2]))"
    ),
    "recursion": "def f():\n    f()\ntry:\n    f()\nexcept RecursionError:\n    print('deep')",
    "a tracer": "import sys\nsys.settrace(None)\nsys.setprofile(None)\nprint(sys.gettrace())",
    "arguments": "import sys\nprint(sys.argv, sys.path[0], __name__, __file__, __doc__)",
    "stdin": "import sys\nprint(repr(sys.stdin.read()))",
    "a local module": "import sys\nprint(sorted(n for n in sys.modules if 'tuidbg' in n))",
    "a limit of memory": (
        "import resource\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + 1_000_000,) * 2)\n"
        "print('limited')"
    ),
}
