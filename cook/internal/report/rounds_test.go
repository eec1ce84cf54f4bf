package report

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/watch"
)

// Each round has an observer of its own, and what each round repeats is printed once.
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
