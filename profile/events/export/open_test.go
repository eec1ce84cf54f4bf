package export

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// Unended scopes must last to the end of the recording, contain the scopes that ended inside them,
// and be marked, in every format.
func TestOpenScopesAreDrawn(t *testing.T) {
	rec := Recording{
		Events: given(scope(0, "read", "", 20, 30), scope(1, "other", "", 0, 500)),
		Open: func() []events.Event {
			return []events.Event{
				{Kind: events.Open, Worker: 0, Name: "asset", Detail: "wall.png", Time: 10, Dur: 100},
				{Kind: events.Open, Worker: 0, Name: "encode", Time: 40, Dur: 70},
			}
		},
	}
	for name, format := range timelines {
		got := format.read(t, writtenBy(t, format.write, rec)).sorted().slices
		want := []readSlice{
			{"worker 0", "asset", "wall.png (still open)", 10, 490},
			{"worker 0", "read", "read", 20, 10},
			{"worker 0", "encode", "encode (still open)", 40, 460},
			{"worker 1", "other", "other", 0, 500},
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if got := string(writtenBy(t, writeFolded, rec)); !strings.Contains(got, "worker 0;asset wall.png (still open);encode encode (still open) 460\n") {
		t.Errorf("folded: %s", got)
	}
}

// OfStream must return the whole stream, including the scopes that are open where it is truncated.
func TestOfStream(t *testing.T) {
	var stream bytes.Buffer
	r := events.New(&stream, events.Options{})
	w := r.Worker("hangs")
	w.Begin(r.Symbol("encode"), 0)
	w.Instant(r.Symbol("mark"), 0)
	w.Flush()
	r.Close()
	before := time.Now().Add(-time.Hour)
	var out bytes.Buffer
	if err := writeFolded(&out, OfStream(events.Read(&stream))); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "hangs;encode encode (still open) ") {
		t.Errorf("got %q", got)
	}
	rec := OfStream(events.Read(bytes.NewReader(nil)))
	if rec.Started().After(before) || rec.Open() != nil {
		t.Errorf("an empty stream began at %v", rec.Started())
	}
}
