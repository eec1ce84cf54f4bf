package browser

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/view"
)

// tab presses the Tab key, without typing a character.
func (p *page) tab() {
	p.t.Helper()
	for _, what := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		key := input.DispatchKeyEventParams{Type: what, Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9}
		if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, key); err != nil {
			p.t.Fatal(err)
		}
	}
}

// controls is an expression that returns the visible controls that must be reachable by keyboard.
// Position and text identify a control.
const controls = `(() => {
	window.named = e => e.tagName + "#" + e.id + " " + (e.ariaLabel ?? e.title ?? "") + " " + e.textContent.slice(0, 30)
	return [...document.querySelectorAll("button, input, select, textarea, summary, a[href]")]
		.filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0 && !e.closest(".sizer, .rows, [inert]")).map(named)
})()`

// focused is an expression that returns the focused element and any fault of its focus indicator,
// or two empty strings if the document has the focus.
const focused = `(() => {
	const e = document.activeElement
	if (!e || e === document.body) return ["", ""]
	const s = getComputedStyle(e)
	return [named(e), s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || e.matches(".tl-scroll, .rows, .tree *, [role=grid], [role=tree]") ? "" : "no outline"]
})()`

// Tab must reach every control on each page, and the focused control must have a focus indicator.
func TestTabReachesEveryControl(t *testing.T) {
	set := counters.New(counters.Options{})
	set.Counter("game/drawn").Add(1)
	set.PushFrame(time.Now())
	var recorded bytes.Buffer
	rec := events.New(&recorded, events.Options{})
	w := rec.Worker("worker")
	w.Value(rec.Symbol("frame"), 1)
	w.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	tracker := memory.New(memory.Options{})
	tracker.Group("textures", memory.GroupOptions{})
	sources := view.Sources{
		Counters: set, Memory: tracker, Token: "t",
		Recordings: []view.Recording{{Name: "run", Tape: events.OpenTape(recorded.Bytes())}},
	}
	for _, name := range []string{"assets", "counters", "timeline", "memory"} {
		t.Run(name, func(t *testing.T) {
			var p *page
			if name == "assets" {
				p = viewAssets(t, t.TempDir())
			} else {
				p = browse(t, view.New(sources), "#token=t&tab="+name)
			}
			p.until(`document.querySelector(".view:not([hidden])")?.id === "view-` + name + `"`)
			want := map[string]bool{}
			for _, c := range eval[[]string](p, controls) {
				want[c] = true
			}
			if len(want) < 8 {
				t.Fatalf("%d controls", len(want))
			}
			seen := map[string]bool{}
			for range 3 * len(want) {
				p.tab()
				at := eval[[]string](p, focused)
				if seen[at[0]] = true; at[1] != "" && !strings.Contains(at[0], "INPUT#line") {
					t.Errorf("%s: %s", at[0], at[1])
				}
				delete(want, at[0])
				if len(want) == 0 {
					break
				}
			}
			for _, c := range eval[[]string](p, controls) { // controls that have disappeared in the meantime are ignored
				if want[c] {
					t.Errorf("%s is not reached by Tab", c)
				}
			}
		})
	}
}
