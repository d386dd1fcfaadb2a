#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the npm packages of web/ unless that was done after the lock file last changed. Argument: the npm to use.
set -e
cd "$(dirname "$0")/.."
# npm writes this file last, so it is there and newer only after a complete installation.
installed=node_modules/.package-lock.json
if [ -f "$installed" ] && [ ! "$installed" -ot package-lock.json ]; then exit 0; fi
if ! "${1:-npm}" ci --ignore-scripts --loglevel=error; then
  echo "npm ci failed in web/; check the network, or run ./dev setup" >&2
  exit 1
fi
# An unchanged tree keeps its old date; without this the next build would install again.
touch "$installed"
