package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// hostile has control characters, line breaks, marks that change the writing direction, and a byte
// that is not UTF-8.
const hostile = "a\x1b[2J\r\x07\u009b31m\u202egnp.\u2066\x7f\xff\ncook: 5 assets: 5 up to date"

// hostileEvents returns events that contain the text hostile in every field.
func hostileEvents() []cook.Event {
	e := cook.Event{
		Path: hostile, Outputs: []string{hostile},
		Reasons: []cook.Reason{{Kind: "content changed", Subject: hostile, Old: hostile, New: hostile}, {Kind: "moved", Subject: hostile}},
		Err:     errors.New(hostile),
	}
	var list []cook.Event
	for _, o := range []cook.Outcome{cook.UpToDate, cook.Unchanged, cook.Restored, cook.Cooked, cook.Failed, cook.Removed, cook.NotReached, cook.Warned, cook.Error} {
		e.Outcome = o
		list = append(list, e)
	}
	return list
}

func TestTextOfHostileNames(t *testing.T) {
	var out bytes.Buffer
	text := Text{Out: &out, Err: &out, Verbose: true, Explain: true}
	for _, e := range hostileEvents() {
		text.Event(e)
	}
	text.Note(hostile)
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("a terminal would obey %q", out.String()[i:min(i+20, out.Len())])
	}
	if strings.Contains("\n"+out.String(), "\ncook: 5 assets") {
		t.Errorf("a name poses as the last line:\n%s", out.String())
	}
}

func TestLongErrorIsCut(t *testing.T) {
	var out bytes.Buffer
	text := Text{Out: &out, Err: &out}
	text.Event(cook.Event{Path: "a", Outcome: cook.Failed, Err: errors.New(strings.Repeat("x", 1<<20))})
	if out.Len() > (64<<10)+100 || !strings.HasSuffix(out.String(), "... (983040 bytes more)\n") {
		t.Errorf("%d bytes that end in %q", out.Len(), out.String()[out.Len()-40:])
	}
}

// TestJSONPrints checks that each record is one line of printable characters, and decodes to the
// original record.
func TestJSONPrints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.Just(hostile), rapid.Just("\U000e0001"), rapid.String()).Draw(t, "name")
		want := Record{Event: "note", Text: strings.ToValidUTF8(name, "\ufffd")}
		var b bytes.Buffer
		NewJSON(&b).Note(name)
		line, ok := strings.CutSuffix(b.String(), "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || !ok {
			t.Fatalf("%q does not print", line)
		}
		var got Record
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestJSONOfHostileNames(t *testing.T) {
	var b bytes.Buffer
	j := NewJSON(&b)
	for _, e := range hostileEvents() {
		j.Event(e)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(hostileEvents()) {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) || strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("line %q", line)
		}
	}
}

// TestJSONIsThatOfPackageJSON compares the line for each event with the output of package json.
// Only unprintable characters may differ.
func TestJSONIsThatOfPackageJSON(t *testing.T) {
	plain := rapid.StringMatching("[ !#-\\[\\]-~äß世]{0,12}")
	short := 0
	rapid.Check(t, func(t *rapid.T) {
		text := plain
		if rapid.Bool().Draw(t, "hostile") {
			bytes := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) })
			text = rapid.OneOf(rapid.Just(hostile), plain, rapid.String(), bytes)
		}
		e := cook.Event{
			Outcome: rapid.OneOf(rapid.SampledFrom([]cook.Outcome{cook.UpToDate, cook.NotReached, cook.Warned}), rapid.Map(text, func(s string) cook.Outcome { return cook.Outcome(s) })).Draw(t, "outcome"),
			Path:    text.Draw(t, "path"), Target: text.Draw(t, "target"), Recipe: text.Draw(t, "recipe"),
			Outputs: rapid.SliceOfN(text, 0, 3).Draw(t, "outputs"),
			Reasons: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cook.Reason {
				return cook.Reason{Kind: plan.Kind(text.Draw(t, "kind")), Subject: text.Draw(t, "subject"), Old: text.Draw(t, "old"), New: text.Draw(t, "new")}
			}), 0, 3).Draw(t, "reasons"),
			In: rapid.Int64().Draw(t, "in"), Out: rapid.Int64().Draw(t, "out"),
			Took: time.Duration(rapid.Int64().Draw(t, "took")), CookTime: time.Duration(rapid.Int64Range(0, 1).Draw(t, "cook time")),
		}
		if rapid.IntRange(0, 3).Draw(t, "failed") == 0 {
			e.Err = errors.New(text.Draw(t, "error"))
		}
		if _, ok := appendPlain(nil, &e); ok {
			short++
		}
		var got, want bytes.Buffer
		j := NewJSON(&got)
		j.Event(e)
		j.Flush()
		enc := json.NewEncoder(&printable{w: &want})
		enc.SetEscapeHTML(false)
		if err := enc.Encode(j.eventRecord(&e)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("%s\n%s", got.String(), want.String())
		}
	})
	if short == 0 && !testing.Short() {
		t.Error("no event was encoded the short way")
	}
}

// TestUpToDateAllocatesNothing checks that lines about assets without work are written without an
// allocation.
func TestUpToDateAllocatesNothing(t *testing.T) {
	j := NewJSON(io.Discard)
	e := cook.Event{
		Outcome: cook.UpToDate, Path: "textures/wood.png", Recipe: "image", Outputs: []string{"textures/wood.png.ktx2"},
		Reasons: []cook.Reason{{Kind: "unchanged"}}, In: 1000, Out: 100, CookTime: time.Second,
	}
	if n := testing.AllocsPerRun(1000, func() { j.Event(e) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	e.Path = "täxtures/木.png"
	if n := testing.AllocsPerRun(1000, func() { j.Event(e) }); n > 0 {
		t.Errorf("%v allocations of a name beyond ASCII", n)
	}
}
