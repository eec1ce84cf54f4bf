#!/bin/sh
# Cooks the sample shaders to SPIR-V of several versions, expands their includes, and checks the
# results with spirv-val and glslangValidator. It also runs the tests of the recipe that use these
# programs. Then it cooks random WGSL to all formats and checks it in the same way; the argument is
# the number of shaders. Programs that are not installed are skipped with a message.
#
#   proof/readers/shaders.sh [5000]
set -eu
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
has() {
	command -v "$1" >/dev/null || { echo "shader readers: $1 is not installed"; return 1; }
}
go build -o "$dir/cook" ./cmd/cook

# cooked RULES: cooks the shaders with them.
cooked() {
	rm -rf "$dir/out"
	printf '%s\n' "$1" >"$dir/rules.toml"
	"$dir/cook" -q -dir testdata/assets/shaders -config "$dir/rules.toml" -cache "$dir/cache" -out "$dir/out"
}

for version in 1.0 1.1 1.2 1.3 1.4 1.5; do
	cooked "[[rule]]
match = '*.wgsl'
recipe = 'shader'
format = 'spirv'
spirv_version = '$version'"
	! has spirv-val || spirv-val --target-env "spv$version" "$dir"/out/*.spv
done
if has glslangValidator; then
	cooked "[[rule]]
match = ['*.vert', '*.frag']
recipe = 'shader'
format = 'spirv'
compiler = 'glslangValidator'"
	for file in "$dir"/out/*.spv; do
		! has spirv-val || spirv-val --target-env vulkan1.0 "$file"
	done
	cooked "[[rule]]
match = ['*.vert', '*.frag']
recipe = 'shader'
line_directives = true
defines = { QUALITY = '2' }"
	for file in "$dir"/out/*.vert "$dir"/out/*.frag; do
		glslangValidator --quiet -V -o "$dir/flat.spv" "$file"
	done
fi
go test -count=1 -run TestCompiler ./recipes/shader
go run ./proof/readers/shaders -cook "$dir/cook" -n "${1:-60}"
echo "shader readers: all accepted"
