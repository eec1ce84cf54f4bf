#!/usr/bin/env bash
# Cooks trees of models and images, in several ways, and has the Khronos glTF validator
# read the models and what comes out. Needs Go, node and npm.
#
#	proof/readers/meshes.sh [folder...]     the project's own models without arguments
#
# Folders that are worth a look: test of github.com/KhronosGroup/glTF-Validator, Models of
# github.com/KhronosGroup/glTF-Sample-Assets.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
validator=2.0.0-dev.3.10

if [ $# -eq 0 ]; then
	set -- "$root"/testdata/assets
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! npm install --silent --no-audit --no-fund --prefix "$tmp/validator" "gltf-validator@$validator" >/dev/null 2>&1; then
	echo "mesh readers: gltf-validator cannot be installed"
	exit 0
fi
(cd "$root" && go build -o "$tmp/cook" ./cmd/cook)

# Names of their own for models that differ in their extension only; quick textures.
rules() {
	cat <<-'toml'
		[[rule]]
		match  = "*.{gltf,glb,obj}"
		output = "{path}.glb"

		[[rule]]
		match   = "*.{bmp,exr,gif,hdr,jpeg,jpg,png,psb,psd,qoi,tga,tif,tiff,webp}"
		quality = "fast"
	toml
}

status=0
way() { # what, and what the rules say besides
	echo "== $1"
	(rules && printf '%s\n' "$2") >"$tmp/cook.toml"
	for folder in "${folders[@]}"; do
		"$tmp/cook" -dir "$folder" -config "$tmp/cook.toml" -out "$tmp/out" -cache "$tmp/cache" -json >"$tmp/log" || true
		node "$root/proof/readers/meshes.mjs" "$tmp/validator" "$folder" "$tmp/out" <"$tmp/log" || status=1
		rm -rf "$tmp/out"
	done
}
folders=("$@")
mesh='[[rule]]
match = "*.{gltf,glb,obj}"'
image='[[rule]]
match = "*.{bmp,exr,gif,hdr,jpeg,jpg,png,psb,psd,qoi,tga,tif,tiff,webp}"'
way "as it is" ""
way "levels of detail, smooth normals" "$mesh
lods = 3
normals = \"smooth\""
way "floats" "$mesh
position_bits = 0
normal_bits = 0
uv_bits = 0
color_bits = 0
weight_bits = 0"
way "other bits, nothing made" "$mesh
position_bits = 10
normal_bits = 16
color_bits = 16
weight_bits = 16
optimize = false
tangents = false
normals = \"none\""
way "textures in DDS" "$mesh
texture_suffix = \".dds\"
$image
container = \"dds\""
exit $status
