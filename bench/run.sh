#!/usr/bin/env bash
# Measures what bench/results shows, and writes it there. Let nothing else run meanwhile.
#
#	bench/run.sh [-pages LIST] [-count 1..99] [-out DIR]
#
# LIST names pages, separated by commas (default: all):
#
#	hash      BenchmarkHash and its lookups: bench/results/hash.txt, and its tables and figure
#	          in README.md, hashes.md, intern.md and ptrhash.md; half a minute a round
#	crc32, crc, hashes, combine, large-file, intern-rivals, ptrhash
#	          the part between the "figures" marks of a page, and its charts
#
# Each of the rounds (20) runs all benchmarks of all pages once. DIR is relative to the
# repository; with another than bench/results, README.md stays as it is. BENCHTIME (20ms)
# is spent on each benchmark in each round, but for hash, which has its own. BENCH_LARGE=0
# takes a file of 64 MiB instead of 1 GiB.
set -euo pipefail
cd "$(dirname "$0")/.."

benchstat=v0.0.0-20260908200009-22c9c6c9d4da
count=20
out=bench/results
all=hash,crc32,crc,hashes,combine,large-file,intern-rivals,ptrhash
pages=$all
while [ $# -gt 0 ]; do
	case $1:${2-} in
	-count:[1-9] | -count:[1-9][0-9]) count=$2 ;;
	-out:?*) out=$2 ;;
	-pages:?*) pages=$2 ;;
	*)
		echo "usage: bench/run.sh [-pages LIST] [-count 1..99] [-out DIR]" >&2
		exit 2
		;;
	esac
	shift 2
done
for page in ${pages//,/ }; do
	if [[ ,$all, != *,$page,* ]]; then
		echo "bench/run.sh: no page $page; there are $all" >&2
		exit 2
	fi
done
benchtime=${BENCHTIME:-20ms}
export BENCH_LARGE=${BENCH_LARGE:-1}
mkdir -p "$out"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stat=$(go env GOPATH)/bin/benchstat-$benchstat
if [ ! -x "$stat" ]; then
	mkdir -p "$work/bin" "$(dirname "$stat")"
	GOBIN=$work/bin GOFLAGS=-mod=mod go install "golang.org/x/perf/cmd/benchstat@$benchstat"
	mv "$work/bin/benchstat" "$stat"
fi

go build -o "$work/chart" ./bench/chart
go test -c -o "$work/std" ./bench
go test -c -tags purego -o "$work/purego" ./bench
(cd bench/rivals && go test -c -o "$work/rivals" .)

# wants PAGE... reports whether one of the pages is asked for.
wants() {
	local page
	for page in "$@"; do
		if [[ ,$pages, == *,$page,* ]]; then return 0; fi
	done
	return 1
}

# measure FILE BINARY REGEXP appends a round to FILE.
measure() {
	local file=$1 binary=$2 regexp=$3
	"$work/$binary" -test.run '^$' -test.bench "$regexp" -test.benchtime "$benchtime" >>"$work/$file.txt"
}

cores=$(getconf _NPROCESSORS_ONLN)
for round in $(seq "$count"); do
	echo "round $round of $count: $SECONDS s" >&2
	# In the directory and with the flags of go test, so that a round is the user's command.
	if wants hash; then (cd bench && "$work/std" -test.run '^$' -test.bench Hash) >>"$work/hash.txt"; fi
	if wants crc32; then
		measure crc32 std '^BenchmarkCRC32$'
		measure purego purego '^BenchmarkCRC32$/./impl=(crcslice8|hash)/^size=65536$'
		measure rivals-crc rivals '^BenchmarkCRC32$'
	fi
	if wants crc; then
		measure crc64 std '^BenchmarkCRC64$'
		measure rivals-crc64 rivals '^BenchmarkCRC64$'
	fi
	if wants hashes; then
		measure hashes std '^BenchmarkSum$'
		measure rivals rivals '^Benchmark(Sum|Others)$'
	fi
	if wants combine; then measure combine std '^BenchmarkCombine$'; fi
	if wants intern-rivals; then measure intern rivals '^BenchmarkIntern$'; fi
	if wants ptrhash; then measure ptrhash rivals '^BenchmarkPointer$'; fi
done
if wants hashes; then
	"$work/std" -test.run '^$' -test.bench '^BenchmarkQuality$' -test.benchtime 1x >"$work/quality.txt"
	"$work/rivals" -test.run '^$' -test.bench '^BenchmarkQuality$' -test.benchtime 1x >>"$work/quality.txt"
fi
if wants intern-rivals; then
	"$work/std" -test.run '^$' -test.bench '^BenchmarkInternMemory$' -test.benchtime 1x >"$work/memory.txt"
	"$work/rivals" -test.run '^$' -test.bench '^BenchmarkInternMemory$' -test.benchtime 1x >>"$work/memory.txt"
fi
if wants large-file; then
	echo "large file: $SECONDS s" >&2
	"$work/std" -test.run '^$' -test.bench '^BenchmarkLargeFile$' -test.benchtime 1x -test.count "$count" >"$work/large.txt"
fi

# header COMMAND... says where and how the figures came to be.
header() {
	local cpu
	cpu=$(sed -n '/^cpu: /{s///p;q;}' "$work"/*.txt)
	echo
	echo "- CPU: ${cpu:-unknown}, $cores cores"
	echo "- system: $(uname -sm)"
	echo "- Go: $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
	echo "- date: $(date -u +%Y-%m-%d)"
	echo "- command: \`BENCHTIME=$benchtime bench/run.sh -pages $pages -count $count\`; the part for this page:"
	echo
	printf '      %s\n' "$@"
	echo
}

targets() {
	echo "| ratio | ours, ns | fastest rival, ns | ratio | target |"
	echo "|---|---:|---:|---:|---:|"
}

# ratio FILE TARGET TEXT OURS RIVAL...
ratio() {
	local file=$1 want=$2 what=$3 ours=$4
	shift 4
	awk -v what="$what" -v ours="$ours" -v rivals="$*" -v want="$want" -f bench/ratio.awk "$work/$file.txt"
}

# table FILE FLAG... is benchstat's table of times. It needs 6 rounds to state
# confidence intervals.
table() {
	local file=$1
	shift
	echo
	echo '```'
	"$stat" -filter .unit:sec/op "$@" "$work/$file.txt"
	echo '```'
	echo
}

# chart NAME TITLE FILE REGEXP FLAG... draws the benchmarks that match.
chart() {
	local name=$1 title=$2 file=$3 regexp=$4
	shift 4
	grep -E "^cpu: |$regexp" "$work/$file.txt" | "$work/chart" -title "$title" -out "$out/$name.svg" "$@"
	echo "![$title]($name.svg)"
	echo
}

# fill NAME puts $work/figures between the marks of a page.
fill() {
	local page=bench/results/$1.md
	if [ "$(grep -c '^<!-- figures: \(begin\|end\) -->$' "$page")" != 2 ]; then
		echo "$page: no marks between which figures could be put" >&2
		exit 1
	fi
	awk -v figures="$work/figures" '
		/^<!-- figures: end -->$/ { skip = 0 }
		!skip { print }
		/^<!-- figures: begin -->$/ { while ((getline line <figures) > 0) print line; skip = 1 }
	' "$page" >"$work/page"
	cp "$work/page" "$out/$1.md"
}

# quality is a table of the metrics of BenchmarkQuality, one row for each function.
quality() {
	echo "| function | bias | dependence | words | paths | GUIDs | pointers | collide |"
	echo "|---|---:|---:|---:|---:|---:|---:|---:|"
	awk '/^BenchmarkQuality/ {
		split($1, part, "/")
		name = substr(part[2], 6)
		if (part[3] ~ /^impl=(comparable|wyhash)/) # the hash of Go maps
			name = name ", " substr(part[3], 6, index(part[3], "-") - 6)
		if (seen[name]++)
			next # the sums of another implementation are the same
		for (i = 3; i < NF; i += 2)
			value[$(i + 1)] = $i
		printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d |\n", name, value["bias"], value["dependence"], value["words-x"], value["paths-x"], value["guids-x"], value["pointers-x"], value["collide32"]
	}' "$work/quality.txt"
}

crc() { echo "BenchmarkCRC32/poly=$1/impl=$2/size=$3"; }

if wants hash; then
	{
		echo "cores: $cores"
		echo "system: $(uname -sm)"
		echo "go: $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
		echo "date: $(date -u +%Y-%m-%d)"
		echo "rounds: $count"
		echo "command: \`bench/run.sh -pages hash -count $count\`; a round is \`go test -run '^\$' -bench Hash ./bench\`"
		awk '/^Benchmark/ || /^[a-z]+: / && !seen[$0]++' "$work/hash.txt"
	} >"$out/hash.txt"
	if [ "$out" -ef bench/results ]; then
		"$work/chart" -fill README.md bench/results/{hashes,intern,ptrhash}.md <"$out/hash.txt"
	fi
fi

if wants crc32; then
	{
		header "go test -run '^\$' -bench CRC32 ./bench" \
			"go test -run '^\$' -bench CRC32 -tags purego ./bench" \
			"(cd bench/rivals && go test -run '^\$' -bench CRC32 .)"
		targets
		for row in "16 2.0" "64 2.0" "256 1.5" "4096 1.3" "262144 2.0"; do
			set -- $row
			ratio crc32 "$2" "IEEE, $1 B" "$(crc ieee crcslice8 "$1")" "$(crc ieee hash-crc32 "$1")"
		done
		ratio crc32 1.5 "Castagnoli, 262144 B" "$(crc castagnoli crcslice8 262144)" "$(crc castagnoli hash-crc32 262144)"
		for file in "crc32 60" "purego 18"; do
			set -- $file
			ratio "$1" "$2" "Koopman, 65536 B ($1)" "$(crc koopman crcslice8 65536)" "$(crc koopman hash-crc32 65536)"
			ratio "$1" "$2" "BZIP2, 65536 B ($1)" "$(crc bzip2 crcslice8 65536)" "$(crc bzip2 hash-crc32-koopman 65536)"
		done
		echo
		for poly in ieee castagnoli koopman bzip2; do
			chart "crc32-$poly" "CRC-32: $poly" crc32 "poly=$poly/"
		done
		table crc32 -table /poly -row /size -col /impl
		echo "Without assembly:"
		table purego -table /poly -row /size -col /impl
		echo "Against github.com/klauspost/crc32:"
		table rivals-crc -table /poly -row /size -col /impl
	} >"$work/figures"
	fill crc32
fi

if wants crc; then
	{
		header "go test -run '^\$' -bench CRC64 ./bench" \
			"(cd bench/rivals && go test -run '^\$' -bench CRC64 .)"
		targets
		nvme=BenchmarkCRC64/crc=crc-64-nvme/impl
		ratio rivals-crc64 1.0 "CRC-64/NVME, 65536 B" "$nvme=crcslice8/size=65536" "$nvme=minio/size=65536"
		for size in 1 16 256 65536; do
			xz=BenchmarkCRC64/crc=crc-64-xz/impl
			ratio crc64 1.0 "CRC-64/XZ, $size B" "$xz=crcslice8/size=$size" "$xz=hash-crc64/size=$size"
		done
		table crc64 -table /crc -row /size -col /impl
		echo "Against github.com/minio/crc64nvme:"
		table rivals-crc64 -table /crc -row /size -col /impl
	} >"$work/figures"
	fill crc
fi

if wants hashes; then
	{
		header "go test -run '^\$' -bench 'Sum|Quality' ./bench" \
			"(cd bench/rivals && go test -run '^\$' -bench 'Sum|Others|Quality' .)"
		grep -E '/impl=hashing/|^[a-z]+: ' "$work/hashes.txt" >"$work/hashes-ours.txt"
		chart hashes "Checksums and hashes" hashes-ours 'func=(xxh3|xxh64|crc32|murmur3-128|fnv1a64|lookup2|blake3|sha256)/' -series func -log
		echo "GB/s by input size, package hashing:"
		echo
		"$work/chart" -table -series func <"$work/hashes-ours.txt"
		echo
		echo "Functions that package hashing lacks (SHA-1 of the standard library, CityHash of go-faster, SpookyHash of dgryski):"
		echo
		grep -E 'Others/|^[a-z]+: ' "$work/rivals.txt" | sed "s/BenchmarkOthers/BenchmarkSum/; s,/impl=[^/]*,," | "$work/chart" -table -series func
		echo
		echo "How random the sums are:"
		echo
		echo "- bias: the largest deviation from 1/2 of the probability that a changed bit of 16 bytes changes a bit of the sum (0.06 is noise)"
		echo "- dependence: how strongly the changes of two bits of the sum depend on each other when one bit of 3, 8, 11 or 16 bytes changes (0.04 is noise; with 1, both bits always change together)"
		echo "- words to pointers: of 131,072 keys, the keys that share 24 bits of the sum with an earlier key, as a multiple of the number for random sums"
		echo "- collide: keys that share 32 bits of the sum, in all four sets (8 are random)"
		echo
		quality
		echo
		echo "Against the libraries. Package hashing calls cespare's xxh64, zeebo's xxh3, xxh128 and blake3, crcslice8, and the standard library's sha256, adler32 and maphash, except for short inputs of xxHash. In these rows, the column of hashing shows the cost of the wrapper. All functions are called through a function value."
		table hashes -table /func -row /size -col /impl
		echo "Against other packages:"
		grep -E 'Sum/|^[a-z]+: ' "$work/rivals.txt" >"$work/rivals-sum.txt"
		table rivals-sum -table /func -row /size -col /impl
	} >"$work/figures"
	fill hashes
fi

if wants combine; then
	{
		header "go test -run '^\$' -bench Combine ./bench"
		targets
		for n in 1 4096 1000003 1048576 1073741824 1099511640121; do
			ratio combine 5.0 "a length of $n B" "BenchmarkCombine/len=$n/impl=crcslice8" "BenchmarkCombine/len=$n/impl=zlib-x2n"
		done
		table combine -table .name -row /len -col /impl
	} >"$work/figures"
	fill combine
fi

if wants large-file; then
	{
		header "BENCH_LARGE=$BENCH_LARGE go test -run '^\$' -bench LargeFile -benchtime 1x ./bench"
		if [ "$cores" -gt 1 ]; then
			size=$(sed -n 's/.*LargeFile.*size=\([0-9]*\).*/\1/p' "$work/large.txt" | head -n 1)
			targets
			for f in crc32 crc32c crc32-bzip2 crc64 adler32 blake3; do
				name=BenchmarkLargeFile/func=$f/size=$size
				ratio large 1.7 "$f, $size B, $cores workers against one stream" "$name/impl=workers$cores" "$name/impl=stream"
			done
		fi
		table large -table /size -row /func -col /impl
	} >"$work/figures"
	fill large-file
fi

if wants intern-rivals; then
	{
		header "(cd bench/rivals && go test -run '^\$' -bench Intern .)"
		targets
		for n in 100 10000 200000 $([ "$BENCH_LARGE" != 1 ] || echo 2000000); do
			name=BenchmarkIntern/names=$n/keys=hit/goroutines=1/impl
			ratio intern 1.8 "$n names, 1 goroutine" $name=intern $name=map $name=sync-map $name=unique $name=xsync
			ratio intern 1.8 "the same in batches" $name=intern-batch $name=map $name=sync-map $name=unique $name=xsync
			name=BenchmarkIntern/names=$n/keys=hit/goroutines=2/impl
			ratio intern 1.8 "$n names, 2 goroutines" $name=intern $name=map-rwmutex $name=sync-map $name=unique $name=xsync
			ratio intern 1.8 "the same in batches" $name=intern-batch $name=map-rwmutex $name=sync-map $name=unique $name=xsync
		done
		table intern -table /goroutines -row /names,/keys -col /impl
		echo "Memory for a name, its bytes included:"
		echo
		echo '```'
		"$stat" -filter .unit:B/name -row /names -col /impl "$work/memory.txt"
		echo '```'
	} >"$work/figures"
	fill intern-rivals
fi

if wants ptrhash; then
	{
		header "(cd bench/rivals && go test -run '^\$' -bench Pointer .)"
		targets
		for n in 1024 65536 1048576; do
			for keys in hit miss; do
				name=BenchmarkPointer/entries=$n/keys=$keys/goroutines=1/impl
				ratio ptrhash 2.0 "$n entries, $keys" $name=ptrhash $name=map
			done
		done
		table ptrhash -table .name -row /entries,/keys -col /impl
	} >"$work/figures"
	fill ptrhash
fi

echo "done: $SECONDS s; see $out" >&2
