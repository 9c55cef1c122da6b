#!/bin/sh
# Looks up known vulnerabilities of every package in a list of requirements: audit_dependencies.sh PYTHON LIST.
# Exits with 1 for a vulnerability, and with 0 if no index answers, saying so.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if "$1" -m pip_audit --requirement "$2" --disable-pip --require-hashes --progress-spinner off --timeout 15 \
    --format markdown --output "$folder/found" 2>"$folder/errors"; then
    echo "audit-dependencies: ok, no known vulnerability"
elif [ -s "$folder/found" ]; then
    cat "$folder/found"
    exit 1
elif grep -qE "ConnectionError|ProxyError|Timeout|ServiceError|Failed to resolve" "$folder/errors"; then
    echo "audit-dependencies: skipped, because no index of vulnerabilities answers"
else
    cat "$folder/errors"
    exit 1
fi
