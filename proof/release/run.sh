#!/usr/bin/env bash
# Proves that a release is the same bytes wherever it is built, and that its packages cook.
#
#	proof/release/run.sh [-single]
#
# The commit that is checked out is built twice, in different directories, each with a build
# cache of its own; -single builds linux/amd64 only and shares the usual cache. Then the deb
# is installed by dpkg into an empty root, where nothing else is but /proc and /dev, the
# archive, the apk, the rpm and the container image are unpacked into others, and the npm
# packages are installed offline. Each cooks the samples, to the same bytes. Needs root, Linux
# on amd64, dpkg and Node.js; installs Debian packages, and GoReleaser, which takes minutes
# the first time.
set -euo pipefail
cd "$(dirname "$0")/../.."

goreleaser=v2.15.1
single=false
case "$*" in
'') ;;
-single) single=true ;;
*)
	echo "usage: proof/release/run.sh [-single]" >&2
	exit 2
	;;
esac
[ "$(id -u)" = 0 ] || { echo "proof/release/run.sh: dpkg and chroot need root" >&2; exit 1; }
missing=()
for program in unzip rpm skopeo; do
	command -v $program >/dev/null || missing+=($program)
done
if [ ${#missing[@]} -gt 0 ]; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

bin=$(go env GOPATH)/bin/goreleaser-$goreleaser
if [ ! -x "$bin" ]; then
	mkdir -p "$work/bin" "$(dirname "$bin")"
	GOBIN=$work/bin GOFLAGS=-mod=mod go install "github.com/goreleaser/goreleaser/v2@$goreleaser"
	mv "$work/bin/goreleaser" "$bin"
fi

if [ -n "$(git status --porcelain)" ]; then
	echo "note: what is not committed is not in the release"
fi
flags=()
git clone -q . "$work/one"
git clone -q "$work/one" "$work/another/place"
git -C "$work/another/place" remote set-url origin "$(git -C "$work/one" remote get-url origin)"
for name in one another/place; do
	if $single; then
		sed 's/targets: .*/targets: [linux_amd64_v1]/' .goreleaser.yaml >"$work/single.yaml"
		flags=(-f "$work/single.yaml" --skip=homebrew,scoop,winget)
	else
		export GOCACHE=$work/${name%/*}.cache
	fi
	echo "== a snapshot in $name: $SECONDS s"
	(cd "$work/$name" && GOFLAGS= "$bin" release --snapshot --clean --parallelism 1 "${flags[@]}") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
	node "$work/$name/npm/build.mjs" "$work/$name/dist" "$work/$name/dist/npm"
	(cd "$work/$name" && bin/release-tool image dist bin/release/NOTICES dist/image)
	for package in "$work/$name"/dist/npm/*/; do
		(cd "$work/$name/dist" && npm pack --silent "$package" >/dev/null)
	done
	$single || rm -rf "$GOCACHE"
done
unset GOCACHE

echo "== both are the same: $SECONDS s"
# metadata.json and artifacts.json are about the build: its time, its paths; config.yaml has the
# targets in no order. With more than one
# build at a time, programs would be in archives, and archives in manifests, as they end.
diff -r --exclude metadata.json --exclude artifacts.json --exclude config.yaml "$work/one/dist" "$work/another/place/dist"
dist=$work/one/dist
commit=$(git -C "$work/one" rev-parse --short=12 HEAD)

# inside ROOT COMMAND... runs a program in a root with nothing of this machine but the kernel.
inside() {
	mkdir -p "$1/proc" "$1/dev" "$1/tmp"
	env -i HOME=/ unshare --mount --pid --fork "$(command -v sh)" -c '
		/bin/mount -t proc proc "$0/proc"; /bin/mount --rbind /dev "$0/dev"; exec /usr/sbin/chroot "$0" "$@"' "$@"
}

# since NANOSECONDS prints the seconds that have passed.
since() { awk -v from="$1" -v to="$(date +%s%N)" 'BEGIN { printf "%.2f s\n", (to - from) / 1e9 }'; }

# cooks NAME DIR COMMAND... cooks the samples in DIR, and again, which has nothing to do.
cooks() {
	local name=$1 dir=$2
	shift 2
	"$@" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
	grep -q '89 assets: 85 cooked, 4 not shipped' "$work/out" || { cat "$work/out"; exit 1; }
	echo "$name, installed and cooked: $(since "$start")"
	"$@" 2>&1 | grep -q '89 up to date'
	[ -d "$work/cooked" ] || cp -r "$dir/cooked" "$work/cooked"
	diff -r --exclude .cook "$work/cooked" "$dir/cooked"
}

echo "== the deb"
root=$work/deb
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
cp -r testdata/assets "$root/assets"
start=$(date +%s%N)
dpkg --root="$root" --log=/dev/null -i "$dist"/assetcook_*_amd64.deb >/dev/null
cooks deb "$root" inside "$root" /usr/bin/cook -dir assets
dpkg --root="$root" --verify assetcook
inside "$root" /usr/bin/cook version | grep "(commit $commit, "
inside "$root" /usr/bin/hashsum -version | grep "(commit $commit, "
inside "$root" /usr/bin/hashsum assets | grep -q 'assets/scripts/race.lua$'
inside "$root" /usr/bin/cook help -man | cmp - "$root/usr/share/man/man1/cook.1"
inside "$root" /usr/bin/hashsum -man | cmp - "$root/usr/share/man/man1/hashsum.1"
inside "$root" /usr/bin/cook completion bash | cmp - "$root/usr/share/bash-completion/completions/cook"
grep -q 'github.com/klauspost/compress' "$root/usr/share/doc/assetcook/NOTICES"

echo "== the archive"
root=$work/archive
mkdir "$root"
cp -r testdata/assets "$root/assets"
start=$(date +%s%N)
tar -xzf "$dist"/assetcook_*_linux_amd64.tar.gz -C "$root"
cooks archive "$root" inside "$root" /cook -dir assets
(cd "$root/share" && [ -s NOTICES ] && [ -s cook.1 ] && [ -s hashsum.1 ] && [ -s cook.zsh ] && [ -s cook.fish ] && [ -s cook.ps1 ])

echo "== the apk"
root=$work/apk
mkdir "$root"
cp -r testdata/assets "$root/assets"
start=$(date +%s%N)
tar -xzf "$dist"/assetcook_*.apk -C "$root" 2>/dev/null # apk's own fields are unknown to tar
cooks apk "$root" inside "$root" /usr/bin/cook -dir assets

echo "== the rpm"
root=$work/rpm
mkdir "$root"
cp -r testdata/assets "$root/assets"
start=$(date +%s%N)
rpm --root="$root" --dbpath=/var/lib/rpm --nodeps -i "$dist"/assetcook_*_amd64.rpm 2>/dev/null
cooks rpm "$root" inside "$root" /usr/bin/cook -dir assets
rpm --root="$root" --dbpath=/var/lib/rpm --verify assetcook

echo "== the container image"
root=$work/container
mkdir "$root"
start=$(date +%s%N)
version=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).version' "$dist/metadata.json")
skopeo copy -q --insecure-policy --override-arch amd64 "oci:$dist/image:$version" "dir:$work/layers"
skopeo inspect --config "dir:$work/layers" | grep -q "\"org.opencontainers.image.revision\": \"$(git -C "$work/one" rev-parse HEAD)\""
node -p 'JSON.parse(fs.readFileSync(process.argv[1])).layers[0].digest.slice(7)' "$work/layers/manifest.json" >"$work/out"
tar -xzf "$work/layers/$(cat "$work/out")" -C "$root"
cp -r testdata/assets "$root/assets"
cooks container "$root" inside "$root" /usr/bin/cook -dir assets
[ -s "$root/etc/ssl/certs/ca-certificates.crt" ] && [ -s "$root/usr/share/doc/assetcook/NOTICES" ]

echo "== the npm packages"
mkdir "$work/npm" "$work/npmbin" "$work/npmhome"
ln -s "$(command -v node)" "$(command -v npm)" "$(command -v npx)" "$(command -v sh)" "$(command -v env)" "$work/npmbin"
npm() { env -i "PATH=$work/npmbin" "HOME=$work/npmhome" "$@"; }
cp -r testdata/assets "$work/npm/assets"
cd "$work/npm"
echo '{"private": true}' >package.json
start=$(date +%s%N)
npm npm install --offline --no-audit --no-fund --silent "$dist"/assetcook-linux-x64-*.tgz "$dist"/assetcook-[0-9]*.tgz
cooks npm "$work/npm" npm npx --offline cook -dir assets
npm node --input-type=module -e "import { openManifest } from 'assetcook'; import plugin from 'assetcook/vite'; if (!openManifest || !plugin().name) throw 1"
npm npx --offline hashsum -version | grep "(commit $commit, "
code=0
npm npx --offline cook -nosuchflag 2>/dev/null || code=$?
[ "$code" = 2 ] || { echo "a wrong flag has status $code"; exit 1; }

# A signal to the script reaches the program, which then ends.
env -i "PATH=$work/npmbin" "HOME=$work/npmhome" node node_modules/assetcook/bin/cook.js -dir assets -out watched -watch </dev/null >"$work/out" 2>&1 &
watcher=$!
until [ -e watched/manifest.json ]; do kill -0 $watcher; done
kill -TERM $watcher
code=0
wait $watcher || code=$?
echo "a watcher that gets SIGTERM ends with status $code"
if grep -lzs "$work/npm/.*/cook" /proc/[0-9]*/cmdline; then echo "the program goes on"; exit 1; fi

# Without its optional dependency, it says what to do.
mkdir "$work/alone"
cd "$work/alone"
echo '{"private": true}' >package.json
npm npm install --offline --omit=optional --no-audit --no-fund --silent "$dist"/assetcook-[0-9]*.tgz
if npm npx --offline cook -dir assets 2>"$work/out"; then exit 1; fi
grep -q '^cook: error: the package @assetcook/linux-x64 is not installed; install assetcook again without --omit=optional' "$work/out"

echo "== sizes in bytes"
(cd "$dist" && stat -c '%s %n' *_linux_amd64*/* *.tar.gz *.zip *.deb *.rpm *.apk *.tgz 2>/dev/null) || true
echo "== the release is proved: $SECONDS s"
