#!/bin/sh
# Writes the manual pages, completions and notices of a release to bin/release, and builds
# bin/release-tool.
set -eu
cd "$(dirname "$0")/.."
out=bin/release
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
rm -rf "$out"
mkdir -p "$out"
CGO_ENABLED=0 GOFLAGS=-mod=readonly go build -trimpath -buildvcs=true -ldflags "-s -w" -o "$tmp" ./cmd/cook ./cmd/hashsum
"$tmp/cook" help -man >"$out/cook.1"
"$tmp/hashsum" -man >"$out/hashsum.1"
for shell in bash zsh fish powershell; do
	"$tmp/cook" completion "$shell" >"$out/cook.$shell"
done
mv "$out/cook.powershell" "$out/cook.ps1"
(cd release && go build -trimpath -o ../bin/release-tool .)
bin/release-tool notices >"$out/NOTICES"
