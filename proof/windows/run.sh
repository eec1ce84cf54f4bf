#!/bin/sh
# Runs the Windows build under Wine: tests of files that are open elsewhere, then cooks of
# the samples, one of them killed, whose outputs must equal those of this machine. As root on
# Debian it installs what is missing; without Wine it passes over all with a line.
#
#   proof/windows/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

wine=/usr/lib/wine/wine64
gcc=x86_64-w64-mingw32-gcc
missing=
[ -x $wine ] || missing="$missing wine64"
command -v $gcc >/dev/null || missing="$missing gcc-mingw-w64-x86-64-win32"
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

dir=$(mktemp -d)
export WINEPREFIX="$dir/prefix" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
unset DISPLAY
trap '/usr/lib/wine/wineserver64 -k || true; rm -rf "$dir"' EXIT
$wine wineboot -i >/dev/null 2>&1 || true
/usr/lib/wine/wineserver64 -p >/dev/null 2>&1 || true # it may run already
$gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" proof/windows/bcryptprimitives.c -ladvapi32

# Tests remove their directories by os.RemoveAll, which Wine 8 refuses. They get another one;
# methods of os.Root, which the engine uses, stay as they are. The program gets neither.
source=$(go env GOROOT)/src/os/removeall_at.go
sed 's/^func removeAll(path string) error {/func removeAllAt(path string) error {/' "$source" >"$dir/removeall_at.go"
grep -q removeAllAt "$dir/removeall_at.go"
cat proof/windows/removeall.txt >>"$dir/removeall_at.go"
echo "{\"Replace\":{\"$source\":\"$dir/removeall_at.go\"}}" >"$dir/overlay.json"

# skip lists tests that fail because of Wine: it reports success for links that do not exist.
skip='TestCreateInStaysInside|TestOpenFileStaysInside|TestSubAndOutward|TestNameHasNoLinks|TestAnswersAreThoseOfRoot|TestRenamesAreThoseOfRoot'
echo "windows: skipped, as Wine makes no symbolic links: $skip"
GOOS=windows go test -overlay "$dir/overlay.json" -exec $wine -skip "$skip" \
	./internal/busyfile ./internal/confine ./internal/atomicfile ./internal/dirfd
echo "windows: not run: the laws, the tests of cook/ and the scripts of the command"

go build -o "$dir/cook" ./cmd/cook
GOOS=windows go build -o "$dir/cook.exe" ./cmd/cook
"$dir/cook" -q -dir testdata/assets -cache "$dir/linux.store" -out "$dir/linux" 2>/dev/null
cook() {
	$wine "$dir/cook.exe" -dir testdata/assets -cache "Z:$dir/$1.store" -out "Z:$dir/$1" >"$dir/$1.said" 2>&1
}
for name in whole killed; do
	if [ $name = killed ]; then
		(exec $wine "$dir/cook.exe" -dir testdata/assets -cache "Z:$dir/killed.store" -out "Z:$dir/killed" >"$dir/killed.first" 2>&1) &
		process=$!
		while [ -z "$(find "$dir/killed" -type f -not -path '*/.cook*' -not -name CACHEDIR.TAG -not -name .gitignore 2>/dev/null)" ] && kill -0 $process 2>/dev/null; do sleep 0.05; done
		kill -KILL $process || { echo "windows: the cook ended before it was killed" >&2; cat "$dir/killed.first" >&2; exit 1; }
		wait $process 2>/dev/null || true
	fi
	cook $name || { cat "$dir/$name.said" >&2; exit 1; }
	diff -r -x .cook "$dir/linux" "$dir/$name"
	cook $name || { cat "$dir/$name.said" >&2; exit 1; }
	grep ' up to date in' "$dir/$name.said" | grep -vq ' cooked' || { cat "$dir/$name.said" >&2; exit 1; }
	echo "windows: $name: outputs and manifest equal those of $(uname -s); the next run cooked nothing"
done
