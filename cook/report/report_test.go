package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
)

// events are a small run: two that rest, one of each other outcome.
func events() []run.Event {
	action := &plan.Action{Runs: true}
	rest := &plan.Action{}
	reason := func(k plan.Kind) []plan.Reason { return []plan.Reason{{Kind: k}} }
	return []run.Event{
		{Path: "old.png", Outcome: run.Removed, Outputs: []string{"old.png.ktx2"}, Out: 7},
		{Action: rest, Path: "a", Outcome: run.UpToDate, Reasons: reason(plan.SameStamp), In: 1, Out: 2, CookTime: time.Second},
		{Action: rest, Path: "b", Outcome: run.UpToDate, Reasons: reason(plan.SameChecksum), In: 3, Out: 4, CookTime: time.Second},
		{Started: true, Action: action, Path: "c", In: 5, CookTime: 2 * time.Second},
		{Action: action, Path: "c", Outcome: run.Cooked, Reasons: reason(plan.New), Outputs: []string{"c.out"}, In: 5, Out: 6, Took: 40 * time.Millisecond, CookTime: 30 * time.Millisecond},
		{Action: action, Path: "d", Target: "pc", Outcome: run.Restored, Reasons: reason(plan.OutputMissing), Took: time.Millisecond, CookTime: time.Minute},
		{Action: action, Path: "e", Outcome: run.Cutoff, Reasons: reason(plan.SourceChanged), Took: time.Millisecond},
		{Action: action, Path: "f\n", Outcome: run.Failed, Reasons: reason(plan.New), Err: errors.New("no good\nline two")},
		{Action: action, Path: "g", Outcome: run.NotReached, Reasons: reason(plan.New)},
	}
}

func TestSummary(t *testing.T) {
	s := Summary{Took: 38 * time.Millisecond}
	for _, e := range events() {
		s.Add(e)
	}
	want := "cook: 7 assets: 2 up to date, 1 cutoff, 1 restored, 1 cooked, 1 failed in 38ms (saved 1m2s), 1 not reached"
	if s.Line() != want {
		t.Errorf("got  %s\nwant %s", s.Line(), want)
	}
	if s.ByStamp.Assets != 1 || s.ByChecksum.In != 3 || s.Removed.Out != 7 || s.NotReached.Assets != 1 {
		t.Errorf("%+v", s)
	}
	var b strings.Builder
	if err := s.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "cooked       1         5          6  40ms\n") {
		t.Errorf("table:\n%s", b.String())
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct {
		name     string
		text     Text
		out, err string
	}{
		{"plain", Text{}, "", "cook: \"f\\n\": no good\n  | line two\n"},
		{"verbose", Text{Verbose: true}, "removed: old.png.ktx2 (of old.png)\ncooked: c in 40ms\nrestored: d [pc] in 1ms\ncutoff: e in 1ms\n", "cook: \"f\\n\": no good\n  | line two\n"},
		{"explain", Text{Explain: true}, "removed: old.png.ktx2 (of old.png)\ncooked: c in 40ms\n  because: new\nrestored: d [pc] in 1ms\n  because: output missing\ncutoff: e in 1ms\n  because: content changed\n", "cook: \"f\\n\": no good\n  | line two\n"},
		{"dry run", Text{DryRun: true}, "would be removed: old.png.ktx2 (of old.png)\nwould be cooked: c\n  because: new\nwould be restored: d [pc]\n  because: output missing\nwould be cut off: e\n  because: content changed\n", "cook: \"f\\n\": no good\n  | line two\n"},
	} {
		var out, err bytes.Buffer
		tc.text.Out, tc.text.Err = &out, &err
		for _, e := range events() {
			tc.text.Event(e)
		}
		if d := cmp.Diff(tc.out, out.String()); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
		if d := cmp.Diff(tc.err, err.String()); d != "" {
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
	j.Event(run.Event{Path: "\xff<", Outcome: run.UpToDate})
	j.Note("careful")
	j.Summary(&Summary{})
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
	want := []string{"removed", "up_to_date", "up_to_date", "started", "cooked", "restored", "cutoff", "failed", "not_reached", "up_to_date", "note", "summary"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Error(d)
	}
}

func TestDurationAndBytes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1234 * time.Nanosecond: "1µs", 4294 * time.Microsecond: "4.29ms", 38123 * time.Microsecond: "38ms",
		1516 * time.Millisecond: "1.52s", 872*time.Second + 1: "14m32s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 62: "4.0 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}

// screen is what a terminal shows of what was written to it, as far as Progress
// uses a terminal.
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
	p := NewProgress(&b, func() int { return 60 }, func() time.Time { return now }, nil)
	show := func(want ...string) {
		t.Helper()
		p.mu.Lock()
		p.draw()
		p.mu.Unlock()
		got := screen(b.String())
		for len(got) > len(want) && got[len(got)-1] == "" {
			got = got[:len(got)-1]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	p.Stage("checksum")
	show("cook: checksum")
	p.Planned(4, 8*time.Second)
	start := func(name string, expected time.Duration) {
		p.Event(run.Event{Started: true, Action: &plan.Action{Runs: true}, Path: name, CookTime: expected})
	}
	end := func(name string) {
		p.Event(run.Event{Action: &plan.Action{Runs: true}, Path: name, Outcome: run.Cooked, In: 1 << 20})
	}
	start("a.png", 4*time.Second)
	start("b\n.png", 2*time.Second)
	p.Event(run.Event{Action: &plan.Action{}, Path: "rests", Outcome: run.UpToDate})
	now = now.Add(4 * time.Second)
	end("a.png")
	// 4 s of a and 2 s of b in 4 s, so the 2 s that are left take 1.3.
	show("cook [=======>                       ] 1/4  1.0 MiB  eta 1s", `        4s "b\n.png"`)
	p.Write([]byte("cook: a line\n"))
	show("cook: a line", "cook [=======>                       ] 1/4  1.0 MiB  eta 1s", `        4s "b\n.png"`)
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

func TestCut(t *testing.T) {
	if got := cut("größer", 4); got != "grö~" {
		t.Errorf("cut: %q", got)
	}
	if got := cut("four", 4); got != "four" {
		t.Errorf("cut: %q", got)
	}
}
