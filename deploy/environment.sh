#!/bin/sh
# Makes .venv (or $VENV) with the extras named: environment.sh PYTHON EXTRA... Run in the project's folder; safe side by side.
set -eu

say() { printf '%s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

python=$1
shift
venv=${VENV:-.venv}

command -v "$python" >/dev/null 2>&1 || stop "There is no '$python' here. Install Python 3.11 or newer, or choose one: make ... PYTHON=/path/to/python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
    || stop "'$python' is $("$python" -V 2>&1). Python 3.11 or newer is needed; choose one: make ... PYTHON=/path/to/python3.11"
[ -w . ] || stop "This folder cannot be written: $(pwd). Clone the project where you may write."

# A folder as a lock, because flock(1) is not available everywhere.
mkdir -p "$venv"
[ -w "$venv" ] || stop "$venv belongs to somebody else. Remove it, or clone the project again."
lock=$venv/installing
if command -v flock >/dev/null 2>&1; then
    exec 9>"$venv/lock"
    flock 9
else
    until mkdir "$lock" 2>/dev/null; do sleep 1; done
    trap 'rmdir "$lock"' EXIT INT TERM HUP
fi

if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null \
        || stop "'$python' cannot make environments. Install its venv module (Debian, Ubuntu: apt-get install python3-venv) and start again."
    say "Making the environment ($venv) ..."
    "$python" -m venv "$venv" 9>&- || stop "The environment could not be made. Is there room on the disk? Remove $venv and start again."
fi

# A stamp holds what an extra was installed from: another path, constraint or requirement installs again.
wanted="$(pwd)
$(cat constraints.txt pyproject.toml)"
missing=
for extra in build "$@"; do
    stamp=$venv/installed-$extra
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] || missing="$missing $extra"
done
[ "$missing" ] || exit 0
say "Installing what is needed for:$missing ..."
# shellcheck disable=SC2086  (names)
"$venv/bin/python" deploy/install.py "$venv/bin/python" $missing 9>&- \
    || stop "Installing failed. Is there a network and room on the disk? Start again to go on from here."
for extra in $missing; do printf '%s\n' "$wanted" >"$venv/installed-$extra"; done
