#!/usr/bin/env bash
# Cooks assets for desktops, phones and the web, and has readers of others judge each KTX2
# file, those inside models as well: ktx-parse by what KHR_texture_basisu asks for, the
# transcoder of basis_universal that three.js brings, and Khronos's validator: "ktx validate",
# with --gltf-basisu what is UASTC. Needs Go, node and npm. The program ktx, 4.3 or later, is
# in no package registry: it is asked if it is on the PATH, built from
# github.com/KhronosGroup/KTX-Software by
#
#	cmake -B build -DKTX_FEATURE_TESTS=OFF && cmake --build build --target ktxtools
#
#	proof/readers/ktx.sh [directory]     the project's own assets without an argument
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$tmp/packages" \
	ktx-parse@2.0.0 three@0.170.0 >/dev/null 2>&1; then
	echo "ktx readers: ktx-parse and three cannot be installed"
	exit 0
fi
ktx=$(command -v ktx || true)
if [ -n "$ktx" ] && ! "$ktx" --version | grep -q '^ktx version'; then
	ktx= # another program of that name
fi
(cd "$root" && go build -o "$tmp/cook" ./cmd/cook)
"$tmp/cook" -dir "${1:-$root/testdata/assets}" -config "$root/testdata/rules/targets.toml" -target all \
	-out "$tmp/out" -cache "$tmp/cache" >/dev/null 2>&1 || true # what is refused is not there
mkdir "$tmp/luts"
{ echo LUT_3D_SIZE 2; printf '%s\n' '0 0 0' '1 0 0' '0 1 0' '1 1 0' '0 0 1' '1 0 1' '0 1 1' '1 1 1'; } >"$tmp/luts/grade.cube"
"$tmp/cook" -dir "$tmp/luts" -out "$tmp/out/luts" -cache "$tmp/cache" >/dev/null
node "$root/proof/readers/ktx.mjs" "$tmp/packages" "$tmp/out" "$tmp/inside" $ktx
