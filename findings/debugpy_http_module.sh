#!/usr/bin/env bash
# debugpy 1.8.22: a module http.py of the program's own is hidden by Python's, or ends the debugger.
#
# Guess: Python finds http.py beside the script first, debugged or not.
# Seen: pydevd imports Python's xmlrpc and http for consoles that a DAP session never opens, and leaves them in
# sys.modules.
# - Started as editors do it, by debugpy's folder, it imports them before the script's folder is on sys.path: the
#   program gets Python's http, without a word.
# - Started by "-m debugpy" in the script's folder, it imports the program's http.py itself, and ends with
#   ModuleNotFoundError before the program's first line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check debugpy==1.8.22 2>/dev/null
python=$folder/venv/bin/python
echo "debugpy 1.8.22, $("$python" --version)"

mkdir "$folder/program"
cd "$folder/program"
echo 'GREETING = "its own"' >http.py
printf '%s\n' 'import http' 'print(getattr(http, "GREETING", "of Python"))' >main.py
installed=$("$python" -c 'import importlib.util; print(importlib.util.find_spec("debugpy").submodule_search_locations[0])')

plain=$("$python" main.py)
by_folder=$("$python" -Xfrozen_modules=off "$installed" --listen 127.0.0.1:0 main.py)
by_name=$("$python" -Xfrozen_modules=off -m debugpy --listen 127.0.0.1:0 main.py 2>&1 || true)
echo "undebugged:           $plain"
echo "by debugpy's folder:  $by_folder"
echo "by -m debugpy:        ${by_name##*$'\n'}"
[[ $plain == "its own" && $by_folder == "of Python" && $by_name == *"ModuleNotFoundError: No module named 'http.client'"* ]]
