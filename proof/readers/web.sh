#!/bin/sh
# Other programs read the pictures that we make for the web: ImageMagick must find in our PNG
# files, and dwebp in our WebP files, every pixel of the sources, also those that are fully
# transparent. dwebp must also read our lossy WebP files, with the alpha of the sources and colors near
# theirs. What is not installed is passed over with a line.
#
#   proof/readers/web.sh
set -eu
cd "$(dirname "$0")/../.."
if ! command -v dwebp >/dev/null || ! convert -version 2>/dev/null | grep -q ImageMagick; then
	echo "web readers: dwebp or ImageMagick is not installed"
	exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/cook" ./cmd/cook
mkdir "$dir/assets"
# Directories, whose names say roles, do not matter here.
find testdata/assets -name '*.png' | while read -r file; do
	cp "$file" "$dir/assets/$(echo "$file" | tr '/ ' '__')"
done
for format in png webp; do
	cat >"$dir/assets/cook.toml" <<-END
		[[rule]]
		match  = "*.png"
		kind   = "color"
		format = "$format"
	END
	"$dir/cook" -q -dir "$dir/assets" -out "$dir/$format"
done

count=0
for file in "$dir"/assets/*.png; do
	name=$(basename "$file" .png)
	depth=$(identify -format '%z' "$file")
	[ "$depth" -gt 8 ] || depth=8
	convert "$file" -depth "$depth" "RGBA:$dir/want"
	convert "$dir/png/$name.png" -depth "$depth" "RGBA:$dir/got"
	cmp "$dir/want" "$dir/got" || { echo "web readers: ImageMagick finds other pixels in the PNG of $name" >&2; exit 1; }
	if [ "$depth" = 8 ]; then
		dwebp -quiet -pam "$dir/webp/$name.webp" -o "$dir/got.pam"
		# The header of a PAM file ends with this line; the pixels are RGBA.
		size=$(grep -a -b -m 1 '^ENDHDR$' "$dir/got.pam" | cut -d: -f1)
		convert "$file" -depth 8 "RGBA:$dir/want"
		tail -c +$((size + 8)) "$dir/got.pam" | cmp "$dir/want" - || { echo "web readers: dwebp finds other pixels in the WebP of $name" >&2; exit 1; }
	fi
	count=$((count + 1))
done
[ "$count" -gt 10 ] || { echo "web readers: only $count pictures" >&2; exit 1; }
echo "web readers: $count pictures read"

cat >"$dir/assets/cook.toml" <<-END
	[[rule]]
	match        = "*.png"
	kind         = "color"
	format       = "webp"
	webp_quality = 90
END
"$dir/cook" -q -dir "$dir/assets" -out "$dir/lossy"
count=0
for file in "$dir"/lossy/*.webp; do
	name=$(basename "$file" .webp)
	webpinfo -quiet "$file" || { echo "web readers: webpinfo finds errors in the lossy WebP of $name" >&2; exit 1; }
	dwebp -quiet -pam "$file" -o "$dir/got.pam"
	convert "$dir/assets/$name.png" -depth 8 -alpha extract "GRAY:$dir/want"
	convert "$dir/got.pam" -alpha extract "GRAY:$dir/got"
	[ "$(identify -format '%z' "$dir/assets/$name.png")" -gt 8 ] || cmp "$dir/want" "$dir/got" ||
		{ echo "web readers: dwebp finds another alpha in the lossy WebP of $name" >&2; exit 1; }
	# Hidden pixels may have any color. The unit is dB; equal images have "inf".
	psnr=$(convert "$dir/assets/$name.png" "$dir/got.pam" -background black -alpha remove -metric PSNR -compare -format '%[distortion]' info:)
	case $psnr in
	inf | 0) ;;
	*) [ "${psnr%.*}" -ge 28 ] || { echo "web readers: the lossy WebP of $name has a PSNR of $psnr dB" >&2; exit 1; } ;;
	esac
	if webpinfo "$file" | grep -q 'Chunk VP8  '; then count=$((count + 1)); fi
done
[ "$count" -gt 5 ] || { echo "web readers: only $count lossy pictures" >&2; exit 1; }
echo "web readers: $count lossy pictures read"
