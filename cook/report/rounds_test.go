package report

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/run"
)

// A round's observers are its own, and what is said in each round is said once.
func TestRounds(t *testing.T) {
	var out bytes.Buffer
	ended := 0
	r := NewRounds(func() (Observer, func()) {
		return &Text{Out: io.Discard, Err: &out}, func() { ended++ }
	})
	bad := run.Event{Path: "bad", Outcome: run.Failed, Err: errors.New("no good")}
	worse := bad
	worse.Err = errors.New("worse")
	for _, events := range [][]run.Event{{bad}, {bad}, {worse}, {}, {bad}} {
		r.Stage("scan")
		r.Note("a link")
		r.Note("a link")
		for _, e := range events {
			r.Event(e)
		}
		r.Stage(StageWait)
		r.Stage(StageWait)
	}
	r.Stage("scan")
	r.Stage(StageWait)
	r.Note("a link")
	want := "cook: a link\ncook: bad: no good\ncook: bad: worse\ncook: bad: no good\ncook: a link\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	if ended != 6 {
		t.Errorf("%d rounds ended, want 6", ended)
	}
	if r.EveryAsset() {
		t.Error("a watcher looks at few assets")
	}
}
