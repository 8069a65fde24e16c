#!/bin/sh
# Runs the sentinel that is installed, else the published one in an environment of its own.
set -u
package='reliability-sentinel[standard,mcp]'
if command -v sentinel >/dev/null 2>&1; then
    exec sentinel "$@"
elif command -v uvx >/dev/null 2>&1; then
    exec uvx --quiet --from "$package" sentinel "$@"
elif command -v pipx >/dev/null 2>&1; then
    exec pipx run --quiet --spec "$package" sentinel "$@"
elif command -v npx >/dev/null 2>&1; then
    exec npx --yes reliability-sentinel "$@"
fi
echo "sentinel: not found, and neither is uvx, pipx or npx: run  pip install '$package'" >&2
exit 1
