#!/bin/sh
# Cooks one file: pictures to BC7 without mipmaps at bc7enc's level 8, WAV to IMA
# ADPCM, the rest as it is.
set -eu
out=$1/$2
case $2 in
*.png | *.PNG)
	bc7enc -q -g -u1 -p8 "$2" "$out.dds" >/dev/null
	;;
*.jpg | *.JPG | *.jpeg)
	convert "$2" "$out.png"
	bc7enc -q -g -u1 -p8 "$out.png" "$out.dds" >/dev/null
	rm "$out.png"
	;;
*.wav) sox "$2" -e ima-adpcm "$out" ;;
*) cp "$2" "$out" ;;
esac
