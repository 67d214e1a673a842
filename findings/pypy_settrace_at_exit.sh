#!/usr/bin/env bash
# PyPy 7.3.11 (Debian's pypy3): at the program's end PyPy calls sys.settrace itself, by its name, from no frame.
#
# Guess: who replaces sys.settrace, as debuggers and coverage tools do to see a program's own tracer, is called by Python
# code of the program only, as in CPython; sys._getframe(1) is then the caller.
# Seen: PyPy looks sys.settrace up and calls it with None when the program is over. There is no calling frame:
# sys._getframe(1) raises ValueError ("call stack is not deep enough"), which is told as the program's own error, and its
# exit status becomes 1. CPython does not call it.
set -euo pipefail
command -v pypy3 >/dev/null || apt-get -qq install -y --no-install-recommends pypy3 >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/main.py" <<'PYTHON'
import sys
native = sys.settrace
def note(tracer):
    caller = sys._getframe(1)
    print("settrace called by", caller.f_code.co_name)
    native(tracer)
sys.settrace = note
print("end of the program")
PYTHON
pypy3 -c 'import sys; print("PyPy %d.%d.%d" % sys.pypy_version_info[:3], "Python %d.%d.%d" % sys.version_info[:3])'
by_pypy=0 by_cpython=0
pypy3 "$folder/main.py" >"$folder/pypy" 2>&1 || by_pypy=$?
python3 "$folder/main.py" >"$folder/cpython" 2>&1 || by_cpython=$?
echo "PyPy:    status $by_pypy, $(tail -n 1 "$folder/pypy")"
echo "CPython: status $by_cpython, $(tail -n 1 "$folder/cpython")"
[[ $by_pypy == 1 && $(tail -n 1 "$folder/pypy") == "ValueError: call stack is not deep enough" ]]
[[ $by_cpython == 0 && $(tail -n 1 "$folder/cpython") == "end of the program" ]]
