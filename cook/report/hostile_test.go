package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
)

// hostile is what a terminal would obey, a reader misread, or a grep split.
const hostile = "a\x1b[2J\r\x07\u009b31m\u202egnp.\u2066\x7f\xff\ncook: 5 assets: 5 up to date"

// hostileEvents hold it in every text that an event has.
func hostileEvents() []run.Event {
	e := run.Event{
		Action: &plan.Action{Runs: true}, Path: hostile, Outputs: []string{hostile},
		Reasons: []plan.Reason{{Kind: plan.SourceChanged, Subject: hostile, Old: hostile, New: hostile}, {Kind: plan.MovedFrom, Subject: hostile}},
		Err:     errors.New(hostile),
	}
	var list []run.Event
	for _, o := range []run.Outcome{run.UpToDate, run.Cutoff, run.Restored, run.Cooked, run.Failed, run.Removed, run.NotReached} {
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
	text.Event(run.Event{Path: "a", Outcome: run.Failed, Err: errors.New(strings.Repeat("x", 1<<20))})
	if out.Len() > longestText+100 || !strings.HasSuffix(out.String(), "... (983040 bytes more)\n") {
		t.Errorf("%d bytes that end in %q", out.Len(), out.String()[out.Len()-40:])
	}
}

// Each record is one line of JSON in which everything prints, and means what it
// meant before.
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
