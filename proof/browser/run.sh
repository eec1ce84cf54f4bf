#!/bin/sh
# Looks at the pages with headless Chromium, and tests the modules of the npm package with node. As
# root on Debian it installs what is missing; tests without their program are skipped.
#
#   proof/browser/run.sh
set -eu
cd "$(dirname "$0")"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	for need in chromium:chromium node:nodejs npm:npm; do
		command -v "${need%:*}" >/dev/null && continue
		echo "browser: installing ${need#*:}"
		apt-get update -qq >/dev/null 2>&1 || true
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need#*:}" >/dev/null 2>&1 ||
			echo "browser: ${need#*:} cannot be installed"
	done
fi
if command -v node >/dev/null; then
	node --test --test-reporter=dot ../../npm/index.test.js
else
	echo "browser: no node, so the npm package is not tested"
fi
go vet .
go test -count=1 -timeout 30m .
