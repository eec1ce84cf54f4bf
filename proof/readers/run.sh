#!/bin/sh
# Has programs of others read what the recipes write. As root on Debian it installs
# what is missing; what cannot be had is passed over with a line.
#
#   proof/readers/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

missing=
# Not every program called convert is ImageMagick's.
convert -version 2>/dev/null | grep -q ImageMagick || missing=" imagemagick"
for pair in ffmpeg:ffmpeg djpeg:libjpeg-turbo-progs dwebp:webp sox:sox opusdec:opus-tools oggdec:vorbis-tools flac:flac lame:lame \
	spirv-val:spirv-tools glslangValidator:glslang-tools node:nodejs npm:npm; do
	command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
done
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "readers: installing$missing"
	apt-get update -qq >/dev/null 2>&1 || true
	for package in $missing; do
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
			echo "readers: $package cannot be installed"
	done
fi

"$here/textures.sh"
if command -v djpeg >/dev/null && command -v dwebp >/dev/null; then
	go run ./proof/readers/pictures -least 55 testdata/assets
else
	echo "readers: no djpeg and dwebp, so no reference for JPEG and WebP"
fi
"$here/web.sh"
"$here/audio.sh"
"$here/audio_recipe.sh"
"$here/shaders.sh"
if command -v node >/dev/null && command -v npm >/dev/null; then
	"$here/ktx.sh"
	"$here/heights.sh"
	"$here/meshes.sh"
else
	echo "readers: no node and npm, so nothing reads models and what is in them"
fi
