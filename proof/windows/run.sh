#!/bin/sh
# Runs the Windows build under Wine: tests of the engine's packages, random edits against
# cooks from scratch, scripts of the command, cooks that are killed or interrupted, and cooks
# of the samples, whose outputs must equal those of this machine. As root on Debian it
# installs what is missing; without Wine it passes over all with a line.
#
#   proof/windows/run.sh [SEQUENCES]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
# All recipes with their defaults, as an engine of its own has them.
export COOK_ENGINE=own
sequences=${1:-15}

wine=/usr/lib/wine/wine64
gcc=x86_64-w64-mingw32-gcc
missing=
[ -x $wine ] || missing="$missing wine64"
command -v $gcc >/dev/null || missing="$missing gcc-mingw-w64-x86-64-win32"
command -v script >/dev/null || missing="$missing bsdutils"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "windows: installing$missing"
	apt-get update -qq >/dev/null 2>&1 || true
	for package in $missing; do
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
			echo "windows: $package cannot be installed"
	done
fi
if [ ! -x $wine ] || ! command -v $gcc >/dev/null; then
	echo "windows: no Wine and mingw, so the Windows build is not run"
	exit
fi
# The header for games compiles for Windows.
go test -count=1 -run OtherCompilers ./clients/c

dir=$(mktemp -d)
export WINEPREFIX="$dir/prefix" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
unset DISPLAY
trap '/usr/lib/wine/wineserver64 -k || true; rm -rf "$dir"' EXIT
$wine wineboot -i >/dev/null 2>&1 || true
/usr/lib/wine/wineserver64 -k || true
# Without drivers, GetFileInformationByHandle does not ask a driver for the volume's number,
# which takes 20 times as long as all else.
export WINEDLLOVERRIDES="$WINEDLLOVERRIDES;winedevice.exe="
/usr/lib/wine/wineserver64 -p >/dev/null 2>&1 || true # it may run already
$wine cmd /c exit >/dev/null 2>&1 # starts services, which must not hold the output of a test
$gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" proof/windows/bcryptprimitives.c -ladvapi32

# Tests get an os.RemoveAll without the deletion that Wine 8 lacks, and an os.Symlink that
# fails. Methods of os.Root, which the engine uses, stay as they are. The program gets neither.
os=$(go env GOROOT)/src/os
sed 's/^func removeAll(path string) error {/func removeAllAt(path string) error {/' "$os/removeall_at.go" >"$dir/removeall_at.go"
sed 's/^func Symlink(/func symlink(/' "$os/file_windows.go" >"$dir/file_windows.go"
grep -q removeAllAt "$dir/removeall_at.go"
grep -q 'func symlink(' "$dir/file_windows.go"
cat proof/windows/removeall.txt >>"$dir/removeall_at.go"
cat proof/windows/symlink.txt >>"$dir/file_windows.go"
echo "{\"Replace\":{\"$os/removeall_at.go\":\"$dir/removeall_at.go\",\"$os/file_windows.go\":\"$dir/file_windows.go\"}}" >"$dir/overlay.json"
wintest() { GOOS=windows go test -vet=off -overlay "$dir/overlay.json" -exec $wine "$@"; }

# Tests of links fail on purpose where there are none; TestFailedOperation takes a minute.
wintest -short -skip 'StaysInside$|TestSubAndOutward|TestNameHasNoLinks|TestAnswersAgreeWithOSRoot|TestRenamesAgreeWithOSRoot|TestRenameToNewNeverReplaces|TestFailedOperation' \
	./internal/busyfile ./internal/confine ./internal/atomicfile ./internal/dirfd ./internal/pathname ./internal/regular \
	./cook/internal/artifacts ./cook/internal/bulk ./cook/internal/commit ./cook/internal/contents \
	./cook/internal/cookone ./cook/internal/execute ./cook/internal/export ./cook/internal/feed ./cook/internal/glob \
	./cook/internal/ids ./cook/internal/index ./cook/internal/lint ./cook/internal/manifest \
	./cook/internal/notify ./cook/internal/pass ./cook/internal/peer ./cook/internal/place ./cook/internal/plan \
	./cook/internal/project ./cook/internal/remote ./cook/internal/remote/broker ./cook/internal/report \
	./cook/internal/restat ./cook/internal/rules ./cook/internal/runaction ./cook/internal/scan ./cook/internal/session \
	./cook/internal/state ./cook/internal/statedir ./cook/internal/stats ./cook/internal/store ./cook/internal/survey \
	./cook/internal/verify ./cook/internal/watch \
	./cook/manifest ./cook/recipe/... ./recipes/builtin
# On a busy machine, Wine sometimes fails to start a process, with "Internal error." Such a run says
# nothing about the program, so it is repeated.
scripts() {
	for _ in 1 2 3; do
		status=0
		wintest -run 'TestTerminated|TestOutputThatAnother|TestNamesThatWindows|TestScripts/^(branches|bundle|cache|checkcontents|defaultout|empty|first|directories|index|leftovers|outputs|pak|tag|whymany)$' -test.parallel 3 ./cook/cli >"$dir/scripts" 2>&1 || status=$?
		if [ "$status" = 0 ] || ! grep -q 'fork/exec .*: Internal error[.]' "$dir/scripts"; then
			break
		fi
		echo "windows: Wine did not start a process; the scripts run again"
	done
	cat "$dir/scripts"
	return "$status"
}
scripts
echo "windows: $sequences sequences of edits"
wintest -run IncrementalEqualsFromScratch ./cook -oracle.sequences "$sequences" -timeout 60m

go build -o "$dir/cook" ./cmd/cook
GOOS=windows go build -o "$dir/cook.exe" ./cmd/cook
"$dir/cook" -q -dir testdata/assets -cache "$dir/linux.store" -out "$dir/linux" 2>/dev/null
cook() {
	$wine "$dir/cook.exe" -dir testdata/assets -cache "Z:$dir/$1.store" -out "Z:$dir/$1" >"$dir/$1.said" 2>&1
}

# interrupt starts a cook on a terminal of its own, and types Ctrl-C when an output is there.
interrupt() {
	mkfifo "$dir/keys"
	script -qec "$wine $dir/cook.exe -j 1 -dir testdata/assets -cache Z:$dir/$1.store -out Z:$dir/$1" /dev/null <"$dir/keys" >"$dir/$1.first" 2>&1 &
	process=$!
	exec 3>"$dir/keys"
	while [ -z "$(find "$dir/$1" -name '*.ktx2' -not -path '*/.cook*' 2>/dev/null)" ] && kill -0 $process 2>/dev/null; do sleep 0.05; done
	printf '\003' >&3
	status=0
	wait $process || status=$?
	exec 3>&-
	if [ $status != 130 ] || [ -e "$dir/$1/.cook/journal" ]; then
		echo "windows: the interrupted cook ended with status $status" >&2
		cat "$dir/$1.first" >&2
		exit 1
	fi
}
for name in whole interrupted; do
	if [ $name = interrupted ]; then
		command -v script >/dev/null || continue
		interrupt $name
	fi
	cook $name || { cat "$dir/$name.said" >&2; exit 1; }
	diff -r -x .cook "$dir/linux" "$dir/$name"
	cook $name || { cat "$dir/$name.said" >&2; exit 1; }
	grep ' up to date in' "$dir/$name.said" | grep -vq ' cooked' || { cat "$dir/$name.said" >&2; exit 1; }
	echo "windows: $name: outputs and manifest equal those of $(uname -s); the next run cooked nothing"
done
