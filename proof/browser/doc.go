// Package browser tests the web pages of assetcook with headless Chromium. It is a separate
// module, so that the browser driver (chromedp, MIT) is not a dependency of assetcook.
//
//	cd proof/browser && go test .
//
// TestPictures takes the screenshots for docs. After a page has changed, update them with
//
//	cd proof/browser && go test . -run Pictures -pictures
//
// Without Chromium all tests are skipped with a message. As root on Debian, run.sh installs it.
package browser
