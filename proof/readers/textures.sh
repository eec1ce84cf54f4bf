#!/bin/sh
# Asks readers of others about our textures; see textures/main.go. Run from the top of the
# repository. Needs node and npm for KTX2 and UASTC, ffmpeg and ImageMagick for DDS, astcenc for
# ASTC, which is had from Debian's archive where it is not installed.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
parse=
if command -v npm >/dev/null && (cd "$dir" && npm install --silent --no-audit --no-fund ktx-parse@2.0.0 >/dev/null 2>&1); then
	parse=$dir/node_modules/ktx-parse/dist/index.mjs
fi
basis=
if [ -n "$parse" ] && (cd "$dir" && npm install --silent --no-audit --no-fund --ignore-scripts three@0.180.0 >/dev/null 2>&1); then
	basis=$dir/node_modules/three/examples/jsm/libs/basis
fi
astcenc=$(command -v astcenc || command -v astcenc-native || true)
if [ -z "$astcenc" ] && (cd "$dir" && apt-get download -qq astcenc libastcenc3d libstb0 libtinyexr1d && for d in *.deb; do dpkg -x "$d" .; done) >/dev/null 2>&1; then
	LD_LIBRARY_PATH=$(dirname "$dir"/usr/lib/*/libastcenc.so.3d)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	astcenc=$dir/usr/bin/astcenc
fi
go run ./proof/readers/textures -ktx-parse "$parse" -astcenc "$astcenc" -basis "$basis" "$@"
