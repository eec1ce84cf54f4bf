package browser

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/heap"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/view"
)

// Keys open the tabs and update the URL, and opening a URL that names a tab shows this tab.
func TestTabsFollowKeysAndURL(t *testing.T) {
	sources := view.Sources{Title: `a <b>"title"</b>`, Counters: counters.New(counters.Options{}), Memory: memory.New(memory.Options{})}
	p := browse(t, view.New(sources), "#tab=memory")
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

func TestTokenLeavesURL(t *testing.T) {
	p := browse(t, view.New(view.Sources{Counters: counters.New(counters.Options{}), Token: "secret"}), "#token=secret&tab=counters")
	p.until(`!location.hash.includes("secret")`)
	if got := eval[string](p, `sessionStorage.getItem("token")`); got != "secret" {
		t.Errorf("the page has token %q", got)
	}
}

// line types a line into the console.
func (p *page) line(text string) {
	p.t.Helper()
	// The driver sends characters one by one. If a key moved the focus, its character would be
	// typed as well.
	p.do(chromedp.Focus(chromedp.CSS("#line")), chromedp.KeyEvent(text), chromedp.KeyEvent("\r"), chromedp.Blur(chromedp.CSS("#line")))
}

// tableRows returns the rows of the table of frames, keyed by their first cell.
func (p *page) tableRows() map[string][]string {
	rows := eval[[][]string](p, `(async () => {
		const box = document.querySelector(".countertable .grid"), seen = new Map();
		for (let top = 0; ; top += 40) {
			box.scrollTop = top;
			await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			for (const row of box.querySelectorAll(".sizer .gridrow")) {
				const cells = [...row.children].map(c => c.textContent);
				seen.set(cells[0], cells);
			}
			if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return [...seen.values()];
		}
	})()`)
	byFirst := map[string][]string{}
	for _, row := range rows {
		byFirst[row[0]] = row
	}
	return byFirst
}

// A command adds a graph, which shows the values of the counters, and the URL keeps the graph.
// Counters that no page shows are not recorded.
func TestGraphShowsCountersAndIsKeptInURL(t *testing.T) {
	set := counters.New(counters.Options{})
	a, b := set.Counter("game/drawn"), set.Gauge("game/<i>level</i>")
	frame := func(i int) {
		a.Add(int64(i * i))
		b.Set(float64(-i))
		set.PushFrame(time.UnixMilli(int64(1000 * i)))
	}
	frame(0)
	p := browse(t, view.New(view.Sources{Counters: set}), "#tab=counters")
	p.line("graph add mine game/drawn game/<i>level</i>")
	p.until(`document.querySelectorAll(".counters .card").length === 1`)
	frame(1)
	first := set.Table(0).Next
	for i := range 40 {
		frame(i)
	}
	p.do(chromedp.KeyEvent("t"))
	p.until(`!document.querySelector(".countertable").hidden`)
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".countertable button")].find(b => b.textContent === "frames").click()`))
	p.until(fmt.Sprintf(`document.querySelector(".countertable").textContent.includes("to %d")`, first+39))
	rows := p.tableRows()
	for i := range 40 {
		number := fmt.Sprint(first + int64(i))
		want := []string{fmt.Sprint(i * i), fmt.Sprint(-i)}
		if i == 0 {
			want[1] = "0"
		}
		if row := rows[number]; len(row) != 4 || row[2] != want[0] || row[3] != want[1] {
			t.Errorf("frame %s is %q on the page, want %q", number, row, want)
		}
	}
	if got := eval[[]string](p, `[...document.querySelectorAll(".card .legend bdi")].map(e => e.textContent)`); len(got) != 2 || got[1] != "game/<i>level</i>" {
		t.Errorf("the legend contains %q", got)
	}
	p.until(`location.hash.includes("mine")`)
	p.do(chromedp.Reload())
	p.until(`document.querySelectorAll(".counters .card .legend bdi").length === 2`)
	p.line("graph remove mine")
	p.until(`document.querySelectorAll(".counters .card").length === 0`)
}

// The reply to a wrong command is one line, and completion suggests counters.
func TestConsoleAnswersErrorsAndCompletes(t *testing.T) {
	set := counters.New(counters.Options{})
	set.Counter("cook/skip/stamp").Add(7)
	set.PushFrame(time.Now())
	p := browse(t, view.New(view.Sources{Counters: set}), "")
	p.line("print cook/skip/stamp")
	p.until(`document.getElementById("said").textContent.includes("7")`)
	p.line("graph mke fps")
	p.until(`document.getElementById("said").textContent.includes("make")`)
	if !p.forgive("400") { // Chromium logs rejected requests
		t.Error("the wrong command was not rejected")
	}
	p.do(chromedp.Focus(chromedp.CSS("#line")), chromedp.KeyEvent("print co"), chromedp.KeyEvent("\t"))
	p.until(`document.getElementById("line").value.includes("cook/skip/stamp")`)

	// Tab must complete the current line, not the earlier line that opened the list.
	p.do(chromedp.SetValue(chromedp.CSS("#line"), "pr"), chromedp.SendKeys(chromedp.CSS("#line"), "i"))
	p.until(`document.querySelectorAll("[role=option]").length > 0`)
	eval[bool](p, `(() => {
		const line = document.getElementById("line");
		line.value = "print co";
		line.dispatchEvent(new Event("input"));
		return line.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true }));
	})()`)
	p.until(`document.getElementById("line").value.includes("cook/skip/stamp")`)
}

// recorded returns a tape of a recording: nested scopes on two workers, with assets whose names
// contain HTML.
func recorded(t *testing.T, dir string) (tape *events.Tape, names []string) {
	t.Helper()
	tape = events.NewTape(0)
	rec := events.New(tape, events.Options{})
	for w := range 2 {
		worker := rec.Worker(fmt.Sprintf("worker %d", w))
		for i := range 50 {
			name := fmt.Sprintf(`textures/<img src=x onerror=alert(1)>%d.png`, 50*w+i)
			names = append(names, name)
			outer := worker.Begin(rec.Symbol("cook"), rec.Symbol(name))
			inner := worker.Begin(rec.Symbol("encode"), 0)
			for end := time.Now().Add(time.Duration(50+rand.IntN(100)) * time.Microsecond); time.Now().Before(end); {
			}
			inner.End()
			outer.End()
		}
		worker.Release()
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return tape, names
}

// The timeline finds an asset by name and summarizes the selected scopes.
func TestTimelineFindsAndSumsScopes(t *testing.T) {
	tape, names := recorded(t, t.TempDir())
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run.events", Tape: tape}}}), "")
	p.until(`document.querySelector(".tl-gutter")?.textContent.includes("worker 1")`)
	p.do(chromedp.Focus(chromedp.CSS("#view-timeline input[type=search]")), chromedp.KeyEvent(names[77]), chromedp.KeyEvent("\r"))
	p.until(`[...document.querySelectorAll("#view-timeline summary")].some(e => e.textContent === "1 hit")`)
	for _, text := range []string{"All", "Sums"} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll("#view-timeline button")].find(b => b.textContent === %q).click()`, text)))
	}
	p.until(`[...document.querySelectorAll("#view-timeline td")].some(c => c.textContent === "encode")`)
	row := eval[[]string](p, `[...[...document.querySelectorAll("#view-timeline tr")].find(r => r.textContent.startsWith("encode")).children].map(c => c.textContent)`)
	if !strings.Contains(strings.Join(row, " "), "100") {
		t.Errorf("the sums of encode are %q, want 100 calls", row)
	}
	if eval[int](p, `document.querySelectorAll("img").length`) != 0 {
		t.Error("a name became an element")
	}
}

// The timeline shows the level and the peak of the memory in a recording.
func TestTimelineShowsMemoryLevel(t *testing.T) {
	tape := events.NewTape(0)
	rec := events.New(tape, events.Options{})
	images := rec.Symbol("images")
	a, b := rec.Worker("a"), rec.Worker("b")
	a.Alloc(images, 5<<20)
	b.Alloc(images, 2<<20)
	b.Free(images, 6<<20)
	a.Release()
	b.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	p := browse(t, view.New(view.Sources{Recordings: []view.Recording{{Name: "run", Tape: tape}}}), "#tab=timeline")
	p.until(`document.querySelector(".tl-values").innerText.includes("images bytes\n1.00 MiB\npeak 7.00 MiB")`)
}

// The tree shows the memory of a tracker, and a comparison with a snapshot shows what has been
// allocated since then.
func TestMemoryTreeAndSnapshot(t *testing.T) {
	tracker := memory.New(memory.Options{})
	pool := tracker.Group("images", memory.GroupOptions{Budget: 1 << 20}).Pool("pixels", memory.PoolOptions{})
	worker := tracker.Worker("worker 0")
	scope := worker.Push("wall.png")
	held := pool.Bytes(worker, 123_456)
	scope.Pop()
	p := browse(t, view.New(view.Sources{Memory: tracker, Token: "secret"}), "#token=secret&tab=memory")
	p.until(`document.querySelector(".memory .tree").textContent.includes("worker 0")`)
	p.do(chromedp.KeyEvent("s"))
	p.until(`[...document.querySelectorAll(".memory select option")].some(o => /snapshot|[0-9]/.test(o.textContent))`)
	scope = worker.Push("leak.png")
	leak := pool.Bytes(worker, 777)
	scope.Pop()
	p.do(chromedp.KeyEvent("c"))
	p.until(`document.querySelector(".memory").textContent.includes("leak.png")`)
	pool.Free(nil, leak)
	pool.Free(nil, held)
}

// leakRows leaks a slice in each call.
//
//go:noinline
func leakRows() { leakedRows = append(leakedRows, make([]byte, 1<<20)) }

var leakedRows [][]byte

// A comparison of the Go heap with a snapshot names the function that leaked first, with its file
// and line, and shows its callers.
func TestGoHeapNamesTheLeak(t *testing.T) {
	p := browse(t, view.New(view.Sources{Heap: heap.Read, Token: "secret"}), "#token=secret&tab=memory")
	first := `(document.querySelector(".go-heap tbody tr")?.textContent ?? "")`
	button := func(text string) {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll(".memory button")].find(b => b.textContent === %q).click()`, text)))
	}
	p.until(first + ` !== ""`)
	button("Collect garbage")
	p.until(`document.querySelector(".go-heap [role=status]").textContent.includes("in use")`)
	p.do(chromedp.KeyEvent("s"))
	p.until(`[...document.querySelectorAll(".memory select option")].some(o => /snapshot 1/.test(o.textContent))`)
	for range 64 {
		leakRows()
	}
	p.do(chromedp.KeyEvent("c"))
	p.until(`document.querySelector(".go-heap thead").textContent.includes("growth")`)
	button("Collect garbage")
	p.until(`/^▸browser\.leakRows browser\/view_test\.go:\d+\+[5-7]\d\.\d MiB/.test(` + first + `)`) // the profile is a sample
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".go-heap tbody .twist").click()`))
	p.until(`document.querySelector(".go-heap tbody tr:nth-child(2)").textContent.includes("TestGoHeapNamesTheLeak")`)
	runtime.KeepAlive(leakedRows)
	leakedRows = nil
}

func TestPageWithoutTokenCannotAct(t *testing.T) {
	dir := t.TempDir()
	set := counters.New(counters.Options{})
	set.Counter("n")
	set.PushFrame(time.Now())
	p := browse(t, view.New(view.Sources{Counters: set, Events: events.NewFeed(), Token: "secret", Dumps: dir}), "")
	p.line("when n > 1 dump 1s")
	p.until(`document.getElementById("said").textContent.includes("token")`)
	if !p.forgive("403") {
		t.Error("the command was not rejected")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("wrote %q", files)
	}
}
