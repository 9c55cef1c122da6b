#!/bin/sh
# Installs what the project and the extras named need: install.sh PYTHON [EXTRA...]. Every file that pip installs must
# have a hash that constraints.txt lists. For the image (no extra, or `tracing`) it builds nothing from sources. Run in
# the project's folder.
set -eu

python=$1
shift
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT

"$python" - "$@" >"$lists/needed.txt" <<'END'
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
extras = [project["optional-dependencies"][name] for name in sys.argv[1:]]
print(*sum(extras, project["dependencies"]), sep="\n")
END
# First pip itself: the one that comes with Python may be too old to read hashes from constraints.
for tool in pip setuptools; do sed -n "/^$tool==/,/[^\\\\]\$/p" constraints.txt; done >"$lists/tools.txt"
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --requirement "$lists/tools.txt"
case "$*" in
    "" | tracing) set -- --only-binary :all: ;;
    *) set -- ;;
esac
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --constraint constraints.txt "$@" \
    --requirement "$lists/needed.txt"
