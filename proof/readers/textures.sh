#!/bin/sh
# Asks readers of others about our textures; see textures/main.go. Run from the top of the
# repository. Needs node and npm for KTX2, ffmpeg and ImageMagick for DDS.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
parse=
if command -v npm >/dev/null && (cd "$dir" && npm install --silent --no-audit --no-fund ktx-parse@2.0.0 >/dev/null 2>&1); then
	parse=$dir/node_modules/ktx-parse/dist/index.mjs
fi
go run ./proof/readers/textures -ktx-parse "$parse" "$@"
