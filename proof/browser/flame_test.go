package browser

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view"
)

// nested returns a tape with 20 calls of frame, each with ai/search, which calls itself twice, and
// with draw.
func nested(t *testing.T) *events.Tape {
	t.Helper()
	tape := events.NewTape(0)
	rec := events.New(tape, events.Options{})
	worker := rec.Worker("main")
	spin := func() {
		for end := time.Now().Add(100 * time.Microsecond); time.Now().Before(end); {
		}
	}
	var search func(depth int)
	search = func(depth int) {
		scope := worker.Begin(rec.Symbol("ai/search"), 0)
		spin()
		if depth > 0 {
			search(depth - 1)
		}
		scope.End()
	}
	for range 20 {
		frame := worker.Begin(rec.Symbol("frame"), 0)
		search(2)
		draw := worker.Begin(rec.Symbol("draw"), 0)
		spin()
		draw.End()
		frame.End()
	}
	worker.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return tape
}

// A flameBox is a box of the flame graph. The server's total of its path is Total.
type flameBox struct {
	Path         string
	Width, Total float64
}

// flameBoxes is an expression that returns the boxes with their widths as shares of the graph.
const flameBoxes = `(() => {
	const path = n => n.under ? path(n.under) + "/" + n.title : "";
	const all = document.querySelector(".tl-flame-area").getBoundingClientRect().width;
	return [...document.querySelectorAll(".tl-box")].map(b => ({ Path: path(b.node), Width: b.getBoundingClientRect().width / all, Total: b.node.total }));
})()`

// press clicks a button of the timeline by its text.
func (p *page) press(text string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll("#view-timeline button")].find(b => b.textContent === %q).click()`, text)))
}

// The boxes of a flame graph are as wide as their totals. A click makes a box as wide as the graph,
// and the URL keeps the zoomed path. Callers and callees agree with the graph.
func TestFlameGraphWidthsAndZoom(t *testing.T) {
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run.events", Tape: nested(t)}}}), "")
	p.until(`document.querySelector(".tl-gutter")?.textContent.includes("main")`)
	p.press("Sums")
	p.press("Flame graph")
	p.until(`document.querySelectorAll(".tl-box").length === 6`)
	check := func(whole string, above ...string) map[string]flameBox {
		t.Helper()
		boxes := map[string]flameBox{}
		for _, b := range eval[[]flameBox](p, flameBoxes) {
			boxes[b.Path] = b
		}
		for _, path := range append(above, whole) {
			if math.Abs(boxes[path].Width-1) > 0.002 {
				t.Errorf("%s has the width %v, want 1", path, boxes[path].Width)
			}
		}
		for path, b := range boxes {
			if share := b.Total / boxes[whole].Total; share <= 1 && math.Abs(b.Width-share) > 0.002 {
				t.Errorf("%s has the width %v, want %v", path, b.Width, share)
			}
		}
		return boxes
	}
	boxes := check("")
	const outer, inner = "/frame/ai/search", "/frame/ai/search/ai/search"
	if boxes[outer].Total <= boxes[inner].Total || boxes[inner].Total <= boxes[inner+"/ai/search"].Total || boxes["/frame/draw"].Total <= 0 {
		t.Errorf("%+v", boxes)
	}
	clicked := `[...document.querySelectorAll(".tl-box")].find(b => b.node.title === "ai/search" && b.level === 3)`
	p.do(chromedp.Evaluate[chromedp.Void](clicked + ".click()"))
	p.until(`document.querySelectorAll(".tl-box").length === 5`)
	check(inner, "", "/frame", outer)
	p.until(`location.hash.includes("ai%2Fsearch")`)
	p.press("Callers")
	p.until(`document.querySelector(".tl-chosen").textContent.includes("count 60")`)
	counts := eval[[]string](p, `[...document.querySelectorAll(".tl-callers tbody tr")].map(r => r.cells[0].textContent + " " + r.cells[1].textContent)`)
	if want := "[frame 20 ai/search 40 (own time)  ai/search 40]"; fmt.Sprint(counts) != want {
		t.Errorf("callers and callees %v, want %v", counts, want)
	}
	p.until(`location.hash.includes("calls=callers")`)
	p.do(chromedp.Reload())
	p.until(`document.querySelector(".tl-chosen")?.textContent.includes("count 60")`)
	p.press("Call tree")
	p.until(`document.querySelectorAll(".tl-calltree tbody tr").length === 5`)
}
