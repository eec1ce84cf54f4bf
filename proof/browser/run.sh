#!/bin/sh
# Looks at the pages with headless Chromium. As root on Debian it installs that if it is
# missing; without it the tests are skipped.
#
#   proof/browser/run.sh
set -eu
cd "$(dirname "$0")"
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "browser: installing chromium"
	apt-get update -qq >/dev/null 2>&1 || true
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 ||
		echo "browser: chromium cannot be installed"
fi
go vet .
go test -count=1 .
