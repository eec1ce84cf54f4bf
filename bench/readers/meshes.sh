#!/usr/bin/env bash
# Cooks models with the recipe "mesh", in several ways, and has the Khronos glTF
# validator read what comes out. Needs Go, node and npm.
#
#	bench/readers/meshes.sh [model...]      the project's own models without arguments
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
validator=2.0.0-dev.3.10

if [ $# -eq 0 ]; then
	set -- "$root"/testdata/assets/models/*.{gltf,glb,obj}
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! npm install --silent --no-audit --no-fund --prefix "$tmp/validator" "gltf-validator@$validator" >/dev/null 2>&1; then
	echo "mesh readers: gltf-validator cannot be installed"
	exit 0
fi
(cd "$root" && go build -o "$tmp/meshes" ./bench/readers/meshes)

first=yes
while read -r options; do
	echo "== options: ${options:-as they are}"
	mkdir -p "$tmp/out"
	# The options are words without blanks.
	# shellcheck disable=SC2086
	"$tmp/meshes" $options "$tmp/out" "$@" >"$tmp/list"
	if [ $first = yes ]; then
		grep -a ^refused "$tmp/list" || true
		first=no
	fi
	node "$root/bench/readers/meshes.mjs" "$tmp/validator" "$tmp/out" <"$tmp/list"
	rm -r "$tmp/out"
done <<'ways'

-set lods=3 -set normals=smooth
-set position_bits=0 -set normal_bits=0 -set uv_bits=0 -set color_bits=0 -set weight_bits=0 -set textures=keep
-set position_bits=10 -set normal_bits=16 -set color_bits=16 -set weight_bits=16 -set optimize=false -set tangents=false -set normals=none
ways
