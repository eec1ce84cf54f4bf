package browser

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view"
)

// A frame has the times of a scope called "frame", in nanoseconds.
type frame struct{ number, start, dur int64 }

// recordFrames records frames of 1 ms, with a frame of 4 ms after every sixth frame. It returns the
// recording and its frames.
func recordFrames(t *testing.T) (*events.Tape, []frame) {
	t.Helper()
	var recording bytes.Buffer
	rec := events.New(&recording, events.Options{})
	w := rec.Worker("main")
	for i := range 35 {
		mark := w.Begin(rec.Symbol("frame"), 0)
		work := w.Begin(rec.Symbol("update"), 0)
		long := time.Millisecond
		if i%7 == 6 {
			long *= 4
		}
		for end := time.Now().Add(long); time.Now().Before(end); {
		}
		work.End()
		mark.End()
	}
	w.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	tape := events.OpenTape(recording.Bytes())
	var list []frame
	for _, b := range tape.State().Blocks {
		records, err := tape.Read(&b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if tape.State().Names[r.Name] == "frame" {
				list = append(list, frame{start: r.Start, dur: r.Dur})
			}
		}
	}
	slices.SortFunc(list, func(a, b frame) int { return cmp.Compare(a.start+a.dur, b.start+b.dur) })
	for i := range list {
		list[i].number = int64(i)
	}
	return tape, list
}

const (
	fragmentHas = `new URLSearchParams(location.hash.slice(1)).get(%q) === %q`
	frameSaid   = `(document.querySelector(".tl-framebar [role=status]")?.textContent ?? "no page")` // A reload empties the page first.
)

// A click on the strip selects the frame at this place: the URL has its number, the panel has the
// sums of its time, and another page with the URL shows the same frame.
func TestFrameStripSelectsClickedFrame(t *testing.T) {
	tape, frames := recordFrames(t)
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run", Tape: tape}}}), "#limit=2.5")
	p.until(`document.querySelector(".tl-strip")?.offsetHeight > 0 && document.querySelector(".tl-frames").textContent.includes("above 2.5 ms")`)
	for _, f := range []frame{frames[0], frames[17], frames[6], frames[34]} {
		box := eval[[]float64](p, `(() => { const b = document.querySelector(".tl-strip").getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()`)
		x := box[0] + (float64(f.start)+float64(f.dur)/2)/float64(tape.State().End)*box[2]
		p.do(chromedp.MouseClickXY(x, box[1]+box[3]-2))
		p.until(fmt.Sprintf(fragmentHas, "frame", fmt.Sprint(f.number)))
		p.until(fmt.Sprintf(fragmentHas, "ask", fmt.Sprintf(`[%d,%d,-1,"","",0]`, f.start, f.start+f.dur)))
		p.until(`[...document.querySelectorAll(".tl-panel td")].some(c => c.textContent === "update")`)
		from, to := eval[float64](p, `Number(new URLSearchParams(location.hash.slice(1)).get("from"))`), eval[float64](p, `Number(new URLSearchParams(location.hash.slice(1)).get("to"))`)
		if from > float64(f.start) || to < float64(f.start+f.dur) || to-from > 2*float64(f.dur) {
			t.Errorf("frame %d from %d for %d: the view is from %v to %v", f.number, f.start, f.dur, from, to)
		}
	}
	p.do(chromedp.Reload())
	p.until(frameSaid + `.startsWith("frame 34,")`)
	p.until(`document.querySelector(".tl-framebar input").value === "2.5"`)
	p.do(chromedp.KeyEvent("\x1b"))
	p.until(frameSaid + ` === ""`)
	p.until(`!location.hash.includes("frame=")`)
}

// The keys for the next and previous frame above the limit visit exactly these frames.
func TestFrameKeysVisitFramesAboveLimit(t *testing.T) {
	tape, frames := recordFrames(t)
	slices.SortFunc(frames, func(a, b frame) int { return cmp.Compare(b.dur, a.dur) })
	limit := (frames[5].dur + frames[4].dur) / 2
	above := frames[:5]
	slices.SortFunc(above, func(a, b frame) int { return cmp.Compare(a.number, b.number) })
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run", Tape: tape}}}), fmt.Sprintf("#limit=%f", float64(limit)/1e6))
	p.until(`document.querySelector(".tl-strip")?.offsetHeight > 0`)
	for _, f := range above {
		p.do(chromedp.KeyEvent("."))
		p.until(frameSaid + fmt.Sprintf(`.startsWith("frame %d,")`, f.number))
	}
	p.do(chromedp.KeyEvent("."))
	p.until(frameSaid + `.startsWith("no frame above")`)
	for _, f := range slices.Backward(above[:4]) {
		p.do(chromedp.KeyEvent(","))
		p.until(frameSaid + fmt.Sprintf(`.startsWith("frame %d,")`, f.number))
	}
	p.do(chromedp.Click(chromedp.CSS(".tl-framebar summary")))
	p.until(`document.querySelectorAll(".tl-framebar tbody tr").length === 35`)
	if got := eval[[]string](p, `[...document.querySelectorAll(".tl-framebar tbody td:first-child")].slice(0, 5).map(e => e.textContent).sort()`); !slices.Equal(got, frameNumbers(above)) {
		t.Errorf("the slowest frames are %q, want %q", got, frameNumbers(above))
	}
}

func frameNumbers(list []frame) (texts []string) {
	for _, f := range list {
		texts = append(texts, fmt.Sprint(f.number))
	}
	slices.Sort(texts)
	return texts
}

// A recording without frames has no strip and no controls for frames.
func TestNoFramesTakeNoRoom(t *testing.T) {
	tape, _ := recorded(t, t.TempDir())
	requested := `performance.getEntriesByType("resource").some(e => e.name.includes("api/framestrip") && e.responseEnd > 0)`
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run", Tape: tape}}}), "")
	p.until(requested)
	if got := eval[int](p, `document.querySelector(".tl-frames").offsetHeight + document.querySelector(".tl-framebar").offsetHeight`); got != 0 {
		t.Errorf("the controls of frames are %d pixels high", got)
	}
}
