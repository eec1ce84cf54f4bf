#!/bin/sh
# What a makefile would do with an asset tree: one C tool per file, as many at once
# as there are processors. bench/results/recipes.md compares it with cook.
#
#   bench/ctools/tree.sh ASSETS OUT    bc7enc on PATH (github.com/richgel999/bc7enc_rdo), convert, sox
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$1"
find . -type d -exec mkdir -p "$out/{}" \;
find . -type f -print0 | OMP_NUM_THREADS=1 xargs -0 -n1 -P"$(nproc)" "$here/file.sh" "$out"
