#!/bin/sh
# Compares the packing of atlases with packers of npm, and prints tables.
#
#	bench/packing/run.sh
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp" \
	maxrects-packer@2.7.4 potpack@2.1.0 bin-pack@1.0.2 @mapbox/shelf-pack@3.2.0
go run . "$@" | node peers.mjs "$tmp"
