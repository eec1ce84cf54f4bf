#!/bin/sh
# Cooks maps of heights and compares every number with the source; see heights.mjs. Run from the
# top of the repository. Needs Go, node and npm.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if ! (cd "$dir" && npm install --silent --no-audit --no-fund --ignore-scripts ktx-parse@2.0.0 zstddec@0.1.0 >/dev/null 2>&1); then
	echo "heights: ktx-parse and zstddec cannot be installed"
	exit 0
fi
go build -o "$dir/cook" ./cmd/cook
node proof/readers/heights.mjs "$dir" "$dir/cook" "$dir/work"
