package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/view"
)

// The tabs are reached by keys, the URL follows, and an address with a tab opens it.
func TestTabs(t *testing.T) {
	sources := view.Sources{Title: `a <b>"title"</b>`, Counters: counters.New(counters.Options{}), Memory: memory.New(memory.Options{})}
	p := browse(t, view.Handler(sources), "#tab=memory")
	if got := eval[string](p, `document.getElementById("title").textContent`); got != sources.Title {
		t.Errorf("title %q, want %q", got, sources.Title)
	}
	selected := `document.querySelector("[role=tab][aria-selected=true]").textContent`
	if got := eval[string](p, selected); got != "Memory" {
		t.Errorf("tab %q is open, want Memory", got)
	}
	p.do(chromedp.KeyEvent("1"))
	p.until(selected + ` === "Counters"`)
	p.until(`location.hash.includes("tab=counters")`)
	p.do(chromedp.KeyEvent("?"))
	p.until(`document.getElementById("help").open`)
}

// The token leaves the URL at once: a bookmark of a view gives no rights.
func TestTokenLeavesURL(t *testing.T) {
	p := browse(t, view.Handler(view.Sources{Counters: counters.New(counters.Options{}), Token: "secret"}), "#token=secret&tab=counters")
	p.until(`!location.hash.includes("secret")`)
	if got := eval[string](p, `sessionStorage.getItem("token")`); got != "secret" {
		t.Errorf("the page has token %q", got)
	}
}
