#!/bin/sh
# Other programs read the sounds that we write: SoX, ffmpeg and opusdec must find the
# same number of frames, rate and channels, and samples that are as near as the
# format allows. IMA ADPCM must be as near as ffmpeg's own, within 0.1 dB. What is
# not installed is passed over with a line.
#
#   proof/readers/audio.sh [FOLDER]   also how near IMA ADPCM of every .wav below FOLDER
#                                     is, and ffmpeg's own
set -eu
folder=${1:-}
[ -z "$folder" ] || folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/audiofiles" ./proof/readers/audiofiles
mkdir "$dir/files"
"$dir/audiofiles" write "$dir/files"

for tool in sox ffmpeg ffprobe opusdec opusinfo; do
	command -v $tool >/dev/null || echo "audio readers: $tool is not installed"
done

has() {
	command -v "$1" >/dev/null
}

# near READER WANT GOT DB FILE: fails if GOT is further from WANT, and prints how far
# it is unless it has to be the same.
near() {
	ratio=$("$dir/audiofiles" compare "$2" "$3" "$4")
	[ "$4" = 150 ] || printf '%-9s %-16s %6s dB\n' "$1" "$(basename "$5")" "$ratio"
}

# shape FILE RATE CHANNELS: what ffprobe says.
shape() {
	got=$(ffprobe -v error -show_entries stream=sample_rate,channels -of csv=p=0 "$1")
	[ "$got" = "$2,$3" ] || { echo "audio readers: $1: ffprobe says $got, want $2,$3" >&2; exit 1; }
}

# least FILE: what the coding can do, in dB, for the sounds of audiofiles.
least() {
	case $1 in
	*-8.wav) echo 24 ;;
	*-ima.wav) echo 20 ;;
	*.opus) echo 8 ;;
	*) echo 150 ;; # no difference
	esac
}

sounds=$(cd "$dir/files" && ls ./*.raw | sed 's,^\./,,; s,\.raw$,,')
for sound in $sounds; do
	rate=${sound%-*} channels=${sound#*-} want=$dir/files/$sound.raw
	size=$(wc -c <"$want")
	for file in "$dir/files/$sound"-*.wav; do
		# ADPCM ends with a whole block; readers that do not look at the fact
		# chunk play what fills it up.
		if has sox; then
			sox -V1 -D "$file" -t raw -e signed -b 16 - | head -c "$size" >"$dir/got.raw"
			near sox "$want" "$dir/got.raw" "$(least "$file")" "$file"
		fi
		if has ffmpeg; then
			! has ffprobe || shape "$file" "$rate" "$channels"
			ffmpeg -v error -y -i "$file" -f s16le - | head -c "$size" >"$dir/got.raw"
			near ffmpeg "$want" "$dir/got.raw" "$(least "$file")" "$file"
		fi
	done
	if has ffmpeg && [ "$channels" -le 2 ]; then
		ima=$dir/files/$sound-ima.wav
		ffmpeg -v error -y -i "$ima" -f s16le - | head -c "$size" >"$dir/ours.raw"
		ffmpeg -v error -y -f s16le -ar "$rate" -ac "$channels" -i "$want" -c:a adpcm_ima_wav "$dir/theirs.wav"
		ffmpeg -v error -y -i "$dir/theirs.wav" -f s16le - | head -c "$size" >"$dir/theirs.raw"
		theirs=$("$dir/audiofiles" compare "$want" "$dir/theirs.raw" 0)
		near "vs $theirs" "$want" "$dir/ours.raw" "$(awk "BEGIN { print $theirs - 0.1 }")" "$ima"
	fi
	file=$dir/files/$sound.opus
	if [ -f "$file" ] && has opusdec; then
		opusdec --quiet --no-dither --rate 48000 "$file" "$dir/got.wav"
		# The header of its WAV is 44 bytes, or 68 for more than two channels.
		tail -c "$size" "$dir/got.wav" >"$dir/got.raw"
		[ "$(wc -c <"$dir/got.wav")" -lt $((size + 100)) ] || { echo "audio readers: $file: opusdec plays more frames" >&2; exit 1; }
		near opusdec "$want" "$dir/got.raw" "$(least "$file")" "$file"
		! has ffprobe || shape "$file" "$rate" "$channels"
		if has opusinfo; then
			opusinfo "$file" >"$dir/info"
			grep -q LOOPSTART=100 "$dir/info" || { echo "audio readers: $file: opusinfo finds no loop" >&2; exit 1; }
			! grep -i warning "$dir/info" || exit 1
		fi
	fi
	file=$dir/files/$sound.qoa
	if has ffmpeg && ffmpeg -v error -decoders | grep -q ' qoa '; then
		ffmpeg -v error -y -i "$file" -f s16le "$dir/got.raw"
		near ffmpeg "$want" "$dir/got.raw" 20 "$file"
	fi
done
# ima FILE: prints in dB how near ours is by SoX and by ffmpeg, and ffmpeg's own by ffmpeg.
ima() {
	ffmpeg -nostdin -v error -y -i "$1" -ac "$(ffprobe -v error -show_entries stream=channels -of csv=p=0 "$1")" -c:a pcm_s16le "$dir/want.wav"
	ffmpeg -nostdin -v error -y -i "$dir/want.wav" -f s16le "$dir/want.raw"
	ffmpeg -nostdin -v error -y -i "$dir/want.wav" -c:a adpcm_ima_wav "$dir/theirs.wav"
	"$dir/audiofiles" ima "$dir/want.wav" "$dir/ours.wav"
	size=$(wc -c <"$dir/want.raw")
	sox -V1 -D "$dir/ours.wav" -t raw -e signed -b 16 - | head -c "$size" >"$dir/sox.raw"
	for file in ours theirs; do
		ffmpeg -nostdin -v error -y -i "$dir/$file.wav" -f s16le - | head -c "$size" >"$dir/$file.raw"
	done
	for file in sox ours theirs; do
		printf '%7s' "$("$dir/audiofiles" compare "$dir/want.raw" "$dir/$file.raw" -99)"
	done
}

if [ -n "$folder" ] && has sox && has ffmpeg && has ffprobe; then
	find "$folder" -type f -name '*.wav' | sort >"$dir/list"
	while read -r sound; do
		printf '%s  %s\n' "$(ima "$sound")" "$(basename "$sound")"
	done <"$dir/list" | tee "$dir/table"
	awk '{ n++; sum += $2 - $3; if ($2 < $3) less++; if ($2 - $3 < least) least = $2 - $3 }
	END { printf "audio readers: IMA ADPCM of %d sounds, read by ffmpeg: %+.2f dB of its own on average, less for %d, by %.2f dB at most\n", n, sum / n, less, -least }' "$dir/table"
fi
echo "audio readers: all files read"
