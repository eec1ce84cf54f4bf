#!/bin/sh
# Loads the sample project, cooked for an engine, with LÖVE, SDL and raylib. As root on Debian it installs
# what is missing; what cannot be had is passed over with a line.
#
#   proof/engines/run.sh
set -eu
cd "$(dirname "$0")/../.."
missing=
for pair in love:love xvfb-run:xvfb xauth:xauth cc:gcc pkg-config:pkg-config; do
	command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
done
for package in sdl2 SDL2_image SDL2_mixer; do
	pkg-config --exists "$package" 2>/dev/null || missing="$missing libsdl2-dev libsdl2-image-dev libsdl2-mixer-dev libc6-dev"
done
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "engines: installing$missing"
	apt-get update -qq >/dev/null 2>&1 || true
	# shellcheck disable=SC2086 # a list of names
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
		echo "engines: some of$missing cannot be installed"
fi
go run ./proof/engines
# On Windows, Ebitengine needs no C compiler and no libraries of the system.
(cd examples/ebitengine && GOOS=windows go vet .)
