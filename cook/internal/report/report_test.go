package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/frontend"
)

// events are the events of a small run. Two assets are up to date, and each other outcome occurs
// once.
func events() []cook.Event {
	reason := func(kind string) []cook.Reason { return []cook.Reason{{Kind: plan.Kind(kind)}} }
	return []cook.Event{
		{Path: "gone", Outcome: cook.Error, Err: errors.New("permission denied")},
		{Path: "old.png", Outcome: cook.Removed, Outputs: []string{"old.png.ktx2"}, Out: 7},
		{Path: "a", Outcome: cook.UpToDate, Reasons: reason("unchanged"), In: 1, Out: 2, CookTime: time.Second},
		{Path: "b", Outcome: cook.UpToDate, Reasons: reason("touched but equal"), In: 3, Out: 4, CookTime: time.Second},
		{Path: "c", Outcome: cook.Started, In: 5, CookTime: 2 * time.Second},
		{Path: "c", Outcome: cook.Warned, Err: errors.New("odd\nvery")},
		{Path: "c", Outcome: cook.Cooked, Reasons: reason("new"), Outputs: []string{"c.out"}, In: 5, Out: 6, Took: 40 * time.Millisecond, CookTime: 30 * time.Millisecond},
		{Path: "d", Target: "pc", Outcome: cook.Restored, Reasons: reason("output missing"), Took: time.Millisecond, CookTime: time.Minute},
		{Path: "e", Outcome: cook.Unchanged, Reasons: reason("content changed"), Took: time.Millisecond},
		{Path: "f\n", Outcome: cook.Failed, Reasons: reason("new"), Err: errors.New("no good\nline two")},
		{Path: "g", Outcome: cook.NotReached, Reasons: reason("new")},
	}
}

func TestWriteTable(t *testing.T) {
	s := cook.Summary{Took: 38 * time.Millisecond, Cooked: cook.Count{Assets: 1, In: 5, Out: 6, Time: 40 * time.Millisecond}, Errors: 2}
	s.Unchanged.Assets = 9
	var b strings.Builder
	if err := WriteTable(&b, &s, 4096); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"                cooked       1         5          6  40ms\n",
		"             unchanged       9         0          0    0s\n",
		"          other errors       2                           \n",
		"     peak RSS in bytes    4096                           \n",
		"                  wall                               38ms\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in table:\n%s", want, b.String())
		}
	}
}

func TestText(t *testing.T) {
	const wantErr = "gone: error: permission denied\nc: warning: odd\n  | very\n\"f\\n\": error: no good\n  | line two\n"
	for _, tc := range []struct {
		name string
		text Text
		out  string
	}{
		{"plain", Text{}, ""},
		{"verbose", Text{Verbose: true}, "removed: old.png.ktx2 (of old.png)\ncooked: c in 40ms\nrestored: d [pc] in 1ms\nunchanged: e in 1ms\n"},
		{"explain", Text{Explain: true}, "removed: old.png.ktx2 (of old.png)\ncooked: c in 40ms\n  because: new\nrestored: d [pc] in 1ms\n  because: output missing\nunchanged: e in 1ms\n  because: content changed\n"},
		{"dry run", Text{DryRun: true}, "would be removed: old.png.ktx2 (of old.png)\nwould be cooked: c\n  because: new\nwould be restored: d [pc]\n  because: output missing\nwould be unchanged: e\n  because: content changed\n"},
	} {
		var out, err bytes.Buffer
		tc.text.Out, tc.text.Err = &out, &err
		for _, e := range events() {
			tc.text.Event(e)
		}
		if d := cmp.Diff(tc.out, out.String()); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
		if d := cmp.Diff(wantErr, err.String()); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func TestJSONIsOneObjectALine(t *testing.T) {
	var b bytes.Buffer
	j := NewJSON(&b)
	for _, e := range events() {
		j.Event(e)
	}
	j.Event(cook.Event{Path: "\xff<", Outcome: cook.UpToDate})
	j.Note("careful")
	j.Summary(&cook.Summary{})
	var kinds []string
	for line := range strings.Lines(b.String()) {
		var r Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		kinds = append(kinds, r.Event)
		if strings.Contains(line, `\u003c`) || r.Path == "\ufffd<" && r.PathBase64 != "/zw=" {
			t.Errorf("line %s", line)
		}
	}
	want := []string{"error", "removed", "up_to_date", "up_to_date", "started", "warned", "cooked", "restored", "unchanged", "failed", "not_reached", "up_to_date", "note", "summary"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Error(d)
	}
}

// TestRecordsBeginWithTheFirstNews checks that a round of a watcher without work and without a new
// message writes nothing.
func TestRecordsBeginWithTheFirstNews(t *testing.T) {
	var b bytes.Buffer
	r := NewRounds(func() (cook.Observer, func()) {
		j := NewJSON(&b)
		j.Begin()
		return j, j.Flush
	})
	for _, news := range []string{"", "one", "", "two"} {
		r.Stage("scan")
		if news != "" {
			r.Note(news)
		}
		r.Stage(watch.StageWait)
	}
	begin := `{"event":"begin","version":1}` + "\n"
	want := begin + `{"event":"note","text":"one"}` + "\n" + begin + `{"event":"note","text":"two"}` + "\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// screen returns the text on a terminal after some writes. It understands the control sequences
// that Progress uses.
func screen(text string) []string {
	lines, at := []string{""}, 0
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b[1A"):
			at, text = at-1, text[4:]
		case strings.HasPrefix(text, "\x1b[K"):
			lines[at], text = "", text[3:]
		case text[0] == '\r':
			text = text[1:]
		case text[0] == '\n':
			if at++; at == len(lines) {
				lines = append(lines, "")
			}
			text = text[1:]
		default:
			lines[at], text = lines[at]+text[:1], text[1:]
		}
	}
	return lines
}

func TestProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var b bytes.Buffer
	live := frontend.NewLive(&b, func() int { return 60 })
	p := NewProgress(live, func() time.Time { return now }, nil, Beats{})
	show := func(want ...string) {
		t.Helper()
		p.mu.Lock()
		p.redraw()
		p.mu.Unlock()
		got := screen(b.String())
		for len(got) > len(want) && got[len(got)-1] == "" {
			got = got[:len(got)-1]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	p.Stage("read")
	show("cook: read")
	p.Reading(0, 200, 0)
	show("cook [>                                ] 0/200 files  0 B  ")
	now = now.Add(2 * time.Second)
	p.Reading(50, 200, 6<<20)
	show("cook [=>     ] 50/200 files  6.0 MiB  25 files/s  3.0 MiB/s")
	p.Stage("checksum")
	show("cook: checksum")
	p.Planned(4, 8*time.Second)
	start := func(name string, expected time.Duration) {
		p.Event(cook.Event{Path: name, Outcome: cook.Started, CookTime: expected})
	}
	end := func(name string) {
		p.Event(cook.Event{Path: name, Outcome: cook.Warned, Err: errors.New("odd")})
		p.Event(cook.Event{Path: name, Outcome: cook.Cooked, In: 1 << 20})
	}
	start("a.png", 4*time.Second)
	start("b\n.png", 2*time.Second)
	p.Event(cook.Event{Path: "rests", Outcome: cook.UpToDate})
	p.Event(cook.Event{Path: "bad", Outcome: cook.Failed, Err: errors.New("no recipe")})
	p.Event(cook.Event{Path: "a.png", Target: "pc", Outcome: cook.Removed})
	p.Step("b\n.png", "", "pack\n")
	p.Step("c", "", "encode")
	now = now.Add(4 * time.Second)
	end("a.png")
	// In 4 s, 6 s of work were done on a and b. So the remaining 2 s of work take 1.3 s.
	show("cook [=======================>       ] 1/4  1.0 MiB  eta 1s", `        4s "b\n.png": "pack\n"`)
	p.Step("", "", "down 3.0 MiB 1.0 MiB/s")
	show("cook [=====> ] 1/4  1.0 MiB  eta 1s  down 3.0 MiB 1.0 MiB/s", `        4s "b\n.png": "pack\n"`)
	p.Step("", "", "")
	p.Step("b\n.png", "", "")
	live.Write([]byte("cook: a line\n"))
	show("cook: a line", "cook [=======================>       ] 1/4  1.0 MiB  eta 1s", `        4s "b\n.png"`)
	end("b\n.png")
	start("c", time.Second)
	end("c")
	start("d", time.Second)
	end("d")
	show("cook: a line", "cook [=====================================] 4/4  4.0 MiB  ")
	p.Stop()
	if got := screen(b.String()); got[0] != "cook: a line" || strings.Join(got[1:], "") != "" {
		t.Errorf("after the end: %q", got)
	}
}

// TestLogGetsLinesAfterPauses checks that a log gets a line after each interval, whatever the
// number of ticks. A run without work must not write lines.
func TestLogGetsLinesAfterPauses(t *testing.T) {
	now := time.Unix(0, 0)
	var b strings.Builder
	p := NewProgress(frontend.NewLive(&b, nil), func() time.Time { return now }, nil, Beats{First: time.Second, Every: 10 * time.Second})
	var printed []int
	for second := range 25 {
		if now = time.Unix(int64(second), 0); second == 3 {
			p.Planned(2, 0)
		}
		had := b.Len()
		p.mu.Lock()
		p.redraw()
		p.mu.Unlock()
		if b.Len() > had {
			printed = append(printed, second)
		}
	}
	if want := []int{3, 13, 23}; !slices.Equal(printed, want) {
		t.Errorf("lines at seconds %v, want %v", printed, want)
	}
}

// TestHeartbeat checks the lines in a log, which name assets that have been running for a long
// time.
func TestHeartbeat(t *testing.T) {
	now := time.Unix(0, 0)
	var b strings.Builder
	p := NewProgress(frontend.NewLive(&b, nil), func() time.Time { return now }, nil, Beats{})
	beat := func(want string) {
		t.Helper()
		b.Reset()
		p.mu.Lock()
		p.redraw()
		p.mu.Unlock()
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
	beat("")
	p.Stage("read")
	p.Reading(5, 10, 100)
	now = now.Add(time.Second)
	beat("cook: 5 of 10 files, 100 B  5 files/s  100 B/s\n")
	p.Stage("cook")
	p.Planned(3, 300*time.Second)
	p.Event(cook.Event{Path: "slow.png", Outcome: cook.Started, CookTime: 200 * time.Second})
	p.Event(cook.Event{Path: "fast.png", Outcome: cook.Started, CookTime: 50 * time.Second})
	p.Step("slow.png", "", "decode")
	p.Step("slow.png", "", "encode")
	now = now.Add(25 * time.Second)
	beat("cook: 0 of 3 assets, 0 B, eta 2m5s\n")
	p.Event(cook.Event{Path: "fast.png", Outcome: cook.Cooked, In: 1 << 10})
	now = now.Add(20 * time.Second)
	beat("cook: 1 of 3 assets, 1.0 KiB, eta 1m37s; 45s slow.png: encode\n")
	p.Step("slow.png", "", "")
	p.Step("", "", "up 1 B 1 B/s")
	beat("cook: 1 of 3 assets, 1.0 KiB, eta 1m37s, up 1 B 1 B/s; 45s slow.png\n")
	p.Step("", "", "")
	beat("cook: 1 of 3 assets, 1.0 KiB, eta 1m37s; 45s slow.png\n")
	p.Event(cook.Event{Path: "slow.png", Outcome: cook.Cooked})
	p.Event(cook.Event{Path: "c", Outcome: cook.Started})
	p.Event(cook.Event{Path: "c", Outcome: cook.Cooked})
	beat("")
	p.Stop()
}

// TestRounds checks that each round has its own observer. A message that every round repeats must
// be printed once.
func TestRounds(t *testing.T) {
	var out bytes.Buffer
	ended := 0
	r := NewRounds(func() (cook.Observer, func()) {
		return &Text{Out: io.Discard, Err: &out}, func() { ended++ }
	})
	bad := cook.Event{Path: "bad", Outcome: cook.Failed, Err: errors.New("no good")}
	worse := bad
	worse.Err = errors.New("worse")
	unlisted := cook.Event{Path: "folder", Outcome: cook.Error, Err: errors.New("permission denied")}
	for _, events := range [][]cook.Event{{bad, unlisted}, {bad, unlisted}, {worse}, {}, {bad}} {
		r.Stage("scan")
		r.Note("a link")
		r.Note("a link")
		for _, e := range events {
			r.Event(e)
		}
		r.Stage(watch.StageWait)
		r.Stage(watch.StageWait)
	}
	r.Stage("scan")
	r.Stage(watch.StageWait)
	r.Note("a link")
	want := "cook: a link\nbad: error: no good\nfolder: error: permission denied\nbad: error: worse\nbad: error: no good\ncook: a link\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	if ended != 6 {
		t.Errorf("%d rounds ended, want 6", ended)
	}
}
