#!/bin/sh
# Our decoders of FLAC, Ogg Vorbis and MP3 against the tools that made the files: as
# many frames, and the same samples, or as near as rounding to 16 bits has it. What
# is not installed is passed over with a line.
#
#   proof/readers/audio_recipe.sh [FOLDER]   also every .ogg, .flac, .mp3 below FOLDER
set -eu
folder=${1:-}
[ -z "$folder" ] || folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/" ./proof/readers/audiofiles ./proof/readers/audiodecode
mkdir "$dir/files"
"$dir/audiofiles" write "$dir/files"

for tool in flac oggenc oggdec lame ffmpeg; do
	command -v $tool >/dev/null || echo "audio recipe: $tool is not installed"
done

has() {
	command -v "$1" >/dev/null
}

# check FILE DB: decodes FILE and compares with theirs.raw.
check() {
	"$dir/audiodecode" "$1" "$dir/ours.raw" >"$dir/shape"
	ratio=$("$dir/audiofiles" compare "$dir/theirs.raw" "$dir/ours.raw" "$2") || {
		echo "audio recipe: $1 differs" >&2
		exit 1
	}
	printf '%-24s %6s dB\n' "$(basename "$1")" "$ratio"
}

# theirs FILE: decodes FILE with the tools, into theirs.raw; prints how near we have
# to be.
theirs() {
	case $1 in
	*.flac)
		has flac || return 1
		flac -s -f -d --force-raw-format --endian=little --sign=signed -o "$dir/theirs.raw" "$1"
		echo 150
		;;
	*.ogg)
		has oggdec || return 1
		oggdec -Q -R -b 16 -o "$dir/theirs.raw" "$1"
		echo 60
		;;
	*.mp3)
		has ffmpeg || return 1
		ffmpeg -v error -y -i "$1" -f s16le "$dir/theirs.raw"
		echo 60
		;;
	esac
}

for sound in "$dir/files"/*.raw; do
	name=${sound%.raw}
	shape=$(basename "$name")
	rate=${shape%-*} channels=${shape#*-}
	! has flac || flac -s --endian=little --sign=signed --sample-rate="$rate" --channels="$channels" --bps=16 -o "$name.flac" "$sound"
	[ "$channels" -le 2 ] || continue
	! has oggenc || oggenc -Q -r -B 16 -C "$channels" -R "$rate" -q 4 -o "$name.ogg" "$sound"
	[ "$rate" -ge 16000 ] || continue # less is MPEG 2.5
	mode=s
	[ "$channels" = 2 ] || mode=m
	! has lame || lame --quiet -r -s "$rate" --resample "$rate" -m "$mode" -b 128 "$sound" "$name.mp3"
done
for file in "$dir/files"/*.flac "$dir/files"/*.ogg "$dir/files"/*.mp3; do
	[ -e "$file" ] || continue
	! near=$(theirs "$file") || check "$file" "$near"
done
if [ -n "$folder" ]; then
	find "$folder" -type f \( -name '*.ogg' -o -name '*.flac' -o -name '*.mp3' \) | sort >"$dir/list"
	while read -r file; do
		! near=$(theirs "$file") || check "$file" "$near"
	done <"$dir/list"
fi
echo "audio recipe: all files decoded alike"
