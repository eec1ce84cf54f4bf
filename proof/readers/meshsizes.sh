#!/usr/bin/env bash
# Cooks the models of a directory with compression, and compares their sizes with what gltfpack
# -c and -cc make of them, with its own bits of positions and coordinates and with ours.
# Needs Go, node and npm.
#
#	proof/readers/meshsizes.sh directory
#
# Normals are made by neither, as gltfpack does not.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/packages" gltfpack@1.3.0 >/dev/null
(cd "$root" && go build -o "$tmp/cook" ./cmd/cook)
cat >"$tmp/cook.toml" <<'toml'
[[rule]]
match       = "*.{gltf,glb}"
output      = "{path}.glb"
compression = "meshopt"
prune       = true
normals     = "none"
tangents    = false
textures    = "keep"
toml
"$tmp/cook" -dir "$1" -config "$tmp/cook.toml" -out "$tmp/out" -cache "$tmp/cache" >/dev/null 2>&1 '*.gltf' '*.glb' || true
echo "== gltfpack's bits"
node "$root/proof/readers/meshsizes.mjs" "$tmp/packages" "$1" "$tmp/out"
echo "== as many bits"
node "$root/proof/readers/meshsizes.mjs" "$tmp/packages" "$1" "$tmp/out" -vp 16 -vt 16
