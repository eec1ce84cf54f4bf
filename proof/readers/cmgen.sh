#!/usr/bin/env bash
# Compares the levels and harmonics that prefilter = "filament" and irradiance = "sh" make of
# cubes of 256 pixels with those of Filament's cmgen, from one cross that both read. Needs Go,
# node, and cmgen on the PATH (Debian's libfilament-tools).
#
#	proof/readers/cmgen.sh equirectangular.hdr...
#
# In percent of the mean light: how far levels of either are from the sum over all texels
# that defines them, at 100 texels of each, and how far they are from each other; in brackets
# the worst, in percent of the brightest.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$root" && go build -o "$tmp/cook" ./cmd/cook)
mkdir "$tmp/spheres" "$tmp/crosses"
cook() { # FOLDER CUBE MORE OUTPUTS
	printf '[[rule]]\nmatch = "*.hdr"\noutputs = [%s]\ncube = "%s"\nfit = 256\npot = "up"\nformat = "rgba16f"\ncontainer = "dds"\n%s\n' \
		"$4" "$2" "$3" >"$tmp/cook.toml"
	"$tmp/cook" -dir "$tmp/$1" -config "$tmp/cook.toml" -out "$tmp/cooked/$1" -cache "$tmp/cache" >/dev/null
}
cp "$@" "$tmp/spheres"
cook spheres equirect 'mips = false' '"{stem}.dds"'
for file in "$tmp"/cooked/spheres/*.dds; do
	name=$(basename "$file" .dds)
	node "$root/proof/readers/cmgen.mjs" cross "$file" "$tmp/crosses/$name.hdr"
done
cook crosses cross $'prefilter = "filament"\nirradiance = "sh"' '"{stem}.dds", "{stem}.sh.json"'
echo "| picture | level, roughness | cook | cmgen | cook to cmgen |"
echo "|---|---|---|---|---|"
for file in "$tmp"/crosses/*.hdr; do
	name=$(basename "$file" .hdr)
	cmgen -q --no-mirror --size=256 -f psd -c 32 --ibl-ld="$tmp/cmgen" "$file"
	cmgen -q --no-mirror --size=256 --sh=3 --sh-shader --sh-window=no --sh-output="$tmp/cmgen/$name/sh.txt" "$file"
	node "$root/proof/readers/cmgen.mjs" compare "$name" "$tmp/cooked/crosses/$name" "$tmp/cmgen/$name"
done
