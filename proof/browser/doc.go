// Package browser holds tests that look at the pages of assetcook with headless Chromium.
// It is a module of its own, so that the driver of the browser (chromedp, MIT) is no
// dependency of what is shipped.
//
//	cd proof/browser && go test .
//
// One of them takes the pictures of the pages that docs has; after a change of a page
//
//	cd proof/browser && go test . -run Pictures -pictures
//
// writes them anew. Without Chromium the tests are skipped with a line that says so; run.sh
// installs it as root on Debian.
package browser
