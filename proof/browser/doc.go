// Package browser holds tests that look at the pages of assetcook with headless Chromium.
// It is a module of its own, so that the driver of the browser (chromedp, MIT) is no
// dependency of what is shipped.
//
//	cd proof/browser && go test .
//
// TestPictures takes the pictures for docs. After a page has changed, update them with
//
//	cd proof/browser && go test . -run Pictures -pictures
//
// Without Chromium all tests are skipped with a message. As root on Debian, run.sh installs it.
package browser
