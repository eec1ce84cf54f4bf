#!/usr/bin/env bash
# The steps of action.yml: "install" puts cook into PATH, "cook" cooks and writes the summary
# of the job. COOK_ACTION_* are the inputs, GITHUB_* and RUNNER_* are as GitHub sets them.
set -euo pipefail

releases=https://github.com/assetcook/assetcook/releases/download # none before the first release
cache=$RUNNER_TEMP/cook-cache
results=.cook-results # relative to the workspace: caches with other paths are not restored
key=$RUNNER_TEMP/cook-sign.key

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

# list_results prints a line for each shared result and each blob. The line of a result changes with
# its content; the name of a blob is its hash.
list_results() (
	cd "$results"
	mkdir -p ac cas
	names=$(find ac -type f ! -name '.*' | LC_ALL=C sort)
	[ -z "$names" ] || git hash-object --no-filters --stdin-paths <<<"$names" | paste -d ' ' <(printf '%s\n' "$names") -
	find cas -type f ! -name '.*' | LC_ALL=C sort
)

# address_of DIR prints the file:// address of a directory.
address_of() {
	local at
	at=$(cd "$1" && pwd)
	[ "${RUNNER_OS:-}" != Windows ] || at=/$(cygpath -m "$at")
	at=${at//\%/%25}
	at=${at//\?/%3F}
	at=${at//\#/%23}
	echo "file://${at// /%20}"
}

# share_results puts the flags for shared results into sharing. Without a key, a run that accepts only
# signed results uploads none.
share_results() {
	local uploads=always
	mkdir -p "$results"
	rm -f "$results/.gitignore" # perhaps a link, because other jobs made the cache
	echo '*' >"$results/.gitignore"
	list_results >"$RUNNER_TEMP/cook.before"
	sharing=(-remote "$(address_of "$results")" -remote-race=false)
	[ -z "$COOK_ACTION_TRUST" ] || sharing+=(-remote-trust "$COOK_ACTION_TRUST")
	if [ -n "$COOK_ACTION_SIGN_KEY" ]; then
		trap 'rm -f "$key"' EXIT
		(umask 077 && printf '%s\n' "$COOK_ACTION_SIGN_KEY" >"$key")
		sharing+=(-remote-sign-key "$key")
	elif [ -n "$COOK_ACTION_TRUST" ]; then
		uploads=never
	fi
	sharing+=(-remote-upload "$uploads")
	case $COOK_ACTION_SHARD in
	'' | all) ;;
	*) sharing+=(-shard "$COOK_ACTION_SHARD") ;;
	esac
}

# pass_results copies the new results of a part of the assets to a directory, for the job with all.
pass_results() {
	local new=$RUNNER_TEMP/cook.new part=$RUNNER_TEMP/cook-part
	list_results | LC_ALL=C comm -13 "$RUNNER_TEMP/cook.before" - | cut -d ' ' -f 1 >"$new"
	rm -rf "$part"
	mkdir "$part"
	[ -s "$new" ] || return 0
	tar -C "$results" -cf - -T - <"$new" | tar -C "$part" -xf -
	echo "part=${COOK_ACTION_SHARD/\//-of-}" >>"$GITHUB_OUTPUT"
}

# keep_results trims the results, and names their content.
keep_results() {
	cook remote trim -remote "$(address_of "$results")" -keep-size "$COOK_ACTION_KEEP_SIZE" -keep-days "$COOK_ACTION_KEEP_DAYS"
	echo "digest=$(list_results | git hash-object --stdin)" >>"$GITHUB_OUTPUT"
}

# keep_store trims the store to the last run, and names its content.
keep_store() {
	COOK_CACHE=$cache/store cook trim -keep-last-run "${project[@]}"
	echo "digest=$(digest)" >>"$GITHUB_OUTPUT"
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
	local project=(-dir "$COOK_ACTION_DIR") more=() sharing=() keep=keep_store
	case $COOK_ACTION_CACHE,$COOK_ACTION_SHARD in
	results, | results,all) keep=keep_results ;;
	results,*) keep=pass_results ;;
	true, | false,) ;;
	true,* | false,*) echo "::error::shard needs cache: results"; exit 1 ;;
	*) echo "::error::cache: want true, false or results"; exit 1 ;;
	esac
	[ "$COOK_ACTION_CACHE" != results ] || share_results
	unset COOK_ACTION_SIGN_KEY # a program of a recipe must not see the key
	[ -z "$COOK_ACTION_OUT" ] || project+=(-out "$COOK_ACTION_OUT")
	flags_of "$COOK_ACTION_ARGS"
	mkdir -p "$cache/state"
	rm -f "$sarif"
	COOK_STATE=$cache/state COOK_CACHE=$cache/store cook "${project[@]}" -sarif "$sarif" ${sharing[@]+"${sharing[@]}"} ${more[@]+"${more[@]}"} | tee "$log" || status=${PIPESTATUS[0]}
	rm -f "$key"
	local last
	last=$(tail -n 1 "$log" | sed -n 's/^cook: //p')
	printf '%s\n\n' "$last" >>"$GITHUB_STEP_SUMMARY"
	printf '%s\n' "status=$status" "summary=$last" >>"$GITHUB_OUTPUT"
	[ ! -e "$sarif" ] || echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
	if [ "$status" -gt 1 ]; then
		echo "cook ended with exit status $status; the log of this step has the reason." >>"$GITHUB_STEP_SUMMARY"
		exit "$status"
	fi
	# Of a run with failed assets, too, what was cooked is worth keeping.
	cook report "${project[@]}" -markdown -textures 0 >>"$GITHUB_STEP_SUMMARY"
	"$keep"
	exit "$status"
}

case ${1:-} in
install) install ;;
cook) run_cook ;;
*) echo "usage: cook.sh install|cook" >&2; exit 2 ;;
esac
