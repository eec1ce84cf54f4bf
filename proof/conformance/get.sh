#!/bin/sh
# Fetches those suites that package registries have into FOLDER, some of them in an
# older version; `go run ./proof/conformance -h` says where each comes from. Needs
# Debian's apt-get and dpkg-deb, xz, and Go.
#
#   proof/conformance/get.sh FOLDER
set -eu
[ $# = 1 ] || { echo "usage: get.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"

# take SUITE VERSION DIR: puts what is in DIR where the suite belongs.
take() {
	rm -rf "${folder:?}/$1"
	cp -r "$3" "$folder/$1"
	chmod -R u+w "$folder/$1"
	echo "$2" >"$folder/$1/.commit"
	echo "$1: $2"
}

# module SUITE MODULE@VERSION: a Go module that comes with its test files.
module() {
	take "$1" "$2" "$(go mod download -json "$2" | sed -n 's/^.*"Dir": "\(.*\)".*$/\1/p')"
}
module toml-test github.com/toml-lang/toml-test/v2@v2.2.0
module oggvorbis github.com/jfreymuth/oggvorbis@v1.0.5
module go-audio-wav github.com/go-audio/wav@v1.1.0

alone="-o APT::Sandbox::User=root" # who can write here
mkdir parts lists debian-sounds
for package in ardentryst barrage bugsquish chromium-bsu-data frozen-bubble-data hedgewars-data lbreakout2-data \
	minetest-data pingus-data sound-theme-freedesktop tworld-data xmoto-data; do
	apt-get $alone download -qq "$package"
	basename "$package"_*.deb .deb >>versions
	dpkg-deb -x "$package"_*.deb "debian-sounds/$package"
done
find debian-sounds -type f ! -name '*.ogg' ! -name '*.oga' ! -name '*.wav' -delete
take debian-sounds "$(cat versions)" debian-sounds

sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >parts/debian.sources
sources="$alone -o Dir::Etc::SourceParts=$tmp/parts -o Dir::Etc::SourceList=/dev/null -o Dir::State::Lists=$tmp/lists"
apt-get $sources update -qq
apt-get $sources source -qq --download-only pillow
mkdir pillow
tar -xf pillow_*.orig.tar.* -C pillow --strip-components 1
take Pillow "$(basename pillow_*.dsc .dsc)" pillow
