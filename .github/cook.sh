#!/usr/bin/env bash
# The steps of action.yml: "install" puts cook into PATH, "cook" cooks and writes the summary
# of the job. COOK_ACTION_* are the inputs, GITHUB_* and RUNNER_* are as GitHub sets them.
set -euo pipefail

releases=https://github.com/assetcook/assetcook/releases/download # none before the first release
cache=$RUNNER_TEMP/cook-cache

# download NAME fetches a file of the release into the working directory.
download() {
	curl --fail --silent --show-error --location --retry 3 --output "$1" "$releases/$COOK_ACTION_VERSION/$1" ||
		{ echo "::error::release $COOK_ACTION_VERSION has no file $1; set version to a release, or to source"; exit 1; }
}

# check NAME compares a file with the list of checksums of the release.
check() {
	local line
	line=$(grep -E "^[0-9a-f]{64}  \*?$1\$" checksums.txt) ||
		{ echo "::error::checksums.txt of $COOK_ACTION_VERSION does not list $1"; exit 1; }
	if command -v sha256sum >/dev/null; then
		sha256sum --check --strict - <<<"$line"
	else
		shasum -a 256 --check - <<<"$line"
	fi
}

install_release() {
	local os arch ending=tar.gz
	case $RUNNER_OS in
	Linux) os=linux ;;
	macOS) os=darwin ;;
	Windows) os=windows ending=zip ;;
	*) echo "::error::no release for $RUNNER_OS; set version to source"; exit 1 ;;
	esac
	case $RUNNER_ARCH in
	X64) arch=amd64 ;;
	ARM64) arch=arm64 ;;
	*) echo "::error::no release for $RUNNER_ARCH; set version to source"; exit 1 ;;
	esac
	local archive=assetcook_${COOK_ACTION_VERSION#v}_${os}_$arch.$ending
	cd "$1"
	download checksums.txt
	download "$archive"
	check "$archive"
	case $ending in
	zip) unzip -q -o "$archive" ;;
	*) tar -xzf "$archive" ;;
	esac
}

install() {
	local bin=$RUNNER_TEMP/cook-bin
	mkdir -p "$bin" "$cache"
	if [ "$COOK_ACTION_VERSION" = source ]; then
		(cd "$GITHUB_ACTION_PATH" && GOBIN=$bin go install -trimpath ./cmd/cook)
	else
		(install_release "$bin")
	fi
	"$bin/cook" version
	echo "$bin" >>"$GITHUB_PATH"
	echo "cache=$cache" >>"$GITHUB_OUTPUT"
}

# digest names the content of the store: equal stores have equal digests.
digest() {
	(cd "$cache/store" && find . -type f ! -path '*/tmp/*' | LC_ALL=C sort | git hash-object --stdin)
}

# flags_of TEXT puts the flags of the input "args" into more. Quotes and backslashes keep blanks,
# as in a shell, but nothing is expanded.
flags_of() {
	more=()
	[ -n "${1//[[:space:]]/}" ] || return 0
	printf '%s\n' "$1" | xargs printf '%s\n' >"$RUNNER_TEMP/cook.flags" ||
		{ echo "::error::args: a quote is not closed"; exit 1; }
	local flag
	while IFS= read -r flag; do more+=("$flag"); done <"$RUNNER_TEMP/cook.flags"
}

run_cook() {
	local status=0 log=$RUNNER_TEMP/cook.log sarif=$RUNNER_TEMP/cook.sarif
	local project=(-dir "$COOK_ACTION_DIR") more=()
	[ -z "$COOK_ACTION_OUT" ] || project+=(-out "$COOK_ACTION_OUT")
	flags_of "$COOK_ACTION_ARGS"
	mkdir -p "$cache/state"
	rm -f "$sarif"
	COOK_STATE=$cache/state COOK_CACHE=$cache/store cook "${project[@]}" -sarif "$sarif" ${more[@]+"${more[@]}"} | tee "$log" || status=${PIPESTATUS[0]}
	{
		tail -n 1 "$log" | sed -n 's/^cook: //p'
		echo
	} >>"$GITHUB_STEP_SUMMARY"
	echo "status=$status" >>"$GITHUB_OUTPUT"
	[ ! -e "$sarif" ] || echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
	if [ "$status" -gt 1 ]; then
		echo "cook ended with exit status $status; the log of this step has the reason." >>"$GITHUB_STEP_SUMMARY"
		exit "$status"
	fi
	# Of a run with failed assets, too, what was cooked is worth keeping.
	cook report "${project[@]}" -markdown -textures 0 >>"$GITHUB_STEP_SUMMARY"
	COOK_CACHE=$cache/store cook trim -keep-last-run "${project[@]}"
	echo "digest=$(digest)" >>"$GITHUB_OUTPUT"
	exit "$status"
}

case ${1:-} in
install) install ;;
cook) run_cook ;;
*) echo "usage: cook.sh install|cook" >&2; exit 2 ;;
esac
