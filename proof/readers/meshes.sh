#!/usr/bin/env bash
# Cooks trees of models and images, in several ways, and has the Khronos glTF validator
# read the models and what comes out, and meshoptimizer what is compressed. Needs Go, node
# and npm.
#
#	proof/readers/meshes.sh [directory...]     the project's own models without arguments
#
# Directories that are worth a look: test of github.com/KhronosGroup/glTF-Validator, Models of
# github.com/KhronosGroup/glTF-Sample-Assets.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
validator=2.0.0-dev.3.10
meshoptimizer=1.3.0

if [ $# -eq 0 ]; then
	set -- "$root"/testdata/assets
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! npm install --silent --no-audit --no-fund --prefix "$tmp/packages" \
	"gltf-validator@$validator" "meshoptimizer@$meshoptimizer" >/dev/null 2>&1; then
	echo "mesh readers: gltf-validator and meshoptimizer cannot be installed"
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
cooked() { # folder, where to, and what the rules say besides
	(rules && printf '%s\n' "$3") >"$tmp/cook.toml"
	"$tmp/cook" -dir "$1" -config "$tmp/cook.toml" -out "$2" -cache "$tmp/cache" -json >"$tmp/log" || true
}
way() { # what, what the rules say besides, and what they say for models to compare with
	echo "== $1"
	for folder in "${folders[@]}"; do
		if [ $# -gt 2 ]; then cooked "$folder" "$tmp/plain" "$3"; fi
		cooked "$folder" "$tmp/out" "$2"
		node "$root/proof/readers/meshes.mjs" "$tmp/packages" "$folder" "$tmp/out" ${3+"$tmp/plain"} <"$tmp/log" || status=1
		rm -rf "$tmp/out" "$tmp/plain"
	done
}
folders=("$@")
mesh='[[rule]]
match = "*.{gltf,glb,obj}"'
floats="position_bits = 0
normal_bits = 0
uv_bits = 0
color_bits = 0
weight_bits = 0"
image='[[rule]]
match = "*.{bmp,exr,gif,hdr,jpeg,jpg,png,psb,psd,qoi,tga,tif,tiff,webp}"'
way "as it is" ""
way "levels of detail, smooth normals" "$mesh
lods = 3
normals = \"smooth\""
way "floats" "$mesh
$floats"
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
way "textures in UASTC" "$mesh
textures = \"basisu\"
$image
format = \"uastc\""
way "compressed, without what nobody uses" "$mesh
compression = \"meshopt\"
prune = true
prune_empty = true
join = true
instances = 2"
way "pictures inside as DDS" "$mesh
embedded = \"dds\"
embedded_quality = \"fast\""
way "pictures inside as UASTC" "$mesh
embedded = \"basisu\"
embedded_quality = \"fast\""
# Normals and animations are rounded in another way where they are compressed; all else is
# the same.
bits="lods = 2
animation_error = 0
position_bits = 12
normal_bits = 0
color_bits = 16
weight_bits = 16"
way "compressed, levels of detail, other bits" "$mesh
compression = \"meshopt\"
$bits" "$mesh
$bits"
way "compressed floats" "$mesh
compression = \"meshopt\"
animation_error = 0
$floats" "$mesh
animation_error = 0
$floats"
way "floats compressed by KHR_meshopt_compression" "$mesh
compression = \"meshopt-khr\"
animation_error = 0
$floats" "$mesh
animation_error = 0
$floats"
exit $status
