package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A page is a browser tab. At the end of the test it must have logged no error and sent requests
// only to its own server.
type page struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

// browse serves a handler on the loopback interface and opens its page. The URL gets a fragment
// such as "#tab=counters", or "".
func browse(t *testing.T, handler http.Handler, fragment string) *page {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections() // this ends streams that would last as long as the page
		server.Close()
	})
	return open(t, server.URL, fragment)
}

// open opens the page of a server.
func open(t *testing.T, server, fragment string) *page {
	t.Helper()
	if !installed() {
		t.Skip("no Chromium, so the pages are not tested; proof/browser/run.sh installs it")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // tests may run as root
		chromedp.WindowSize(1400, 900),
		chromedp.Flag("force-color-profile", "srgb"),
	)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	origin, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, ctx: ctx}
	p.do() // this starts the browser, which runs as long as the context
	p.ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(cancel)
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.fault(fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				p.fault(fmt.Sprintf("console: %s", e.Args[0].Value))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				p.fault("log: " + e.Entry.Text)
			}
		case *network.EventRequestWillBeSent:
			u, err := url.Parse(e.Request.URL)
			if err != nil || u.Host != origin.Host && u.Scheme != "data" && u.Scheme != "blob" {
				p.fault("request to another server: " + e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, f := range p.faults {
			t.Error(f)
		}
	})
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(server + "/" + fragment))
	p.until(`document.body.dataset.ready === "true"`)
	return p
}

func installed() bool {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

func (p *page) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

// forgive removes the faults that contain the given text, and reports whether there were any.
func (p *page) forgive(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.faults[:0]
	for _, f := range p.faults {
		if !strings.Contains(f, text) {
			kept = append(kept, f)
		}
	}
	found := len(kept) < len(p.faults)
	p.faults = kept
	return found
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates a JavaScript expression, which may be a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits until a JavaScript expression becomes true.
func (p *page) until(expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		p.t.Fatalf("never became true: %s: %v", expression, err)
	}
}
