package execute

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestLongActionsKeepTheirSpans gives a worker many actions. The worker must merge short actions
// into a few spans in order, with complete sums, and keep separate spans for long actions.
func TestLongActionsKeepTheirSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(4, 20).Draw(t, "most")
		took := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 200).Draw(t, "took")
		long := rapid.IntRange(0, len(took)-1).Draw(t, "long")
		track, now, busy := &track{worker: 3, most: most}, time.Duration(0), time.Duration(0)
		for i, d := range took {
			if i == long {
				d = 1_000_000
			}
			begin := now + time.Duration(i%3)
			now = begin + time.Duration(d)
			busy += time.Duration(d)
			track.addSpan(Span{Begin: begin, End: now, Waited: 1, Helped: 2, Path: Path(fmt.Sprint(i))})
		}
		var sum Span
		end := time.Duration(0)
		for _, s := range track.spans {
			if s.Begin < end || s.End < s.Begin || s.Busy > s.End-s.Begin || s.Worker != 3 {
				t.Fatalf("%+v after %v", s, end)
			}
			if s.Path == Path(fmt.Sprint(long)) && s.Assets != 1 && most > 4 {
				t.Fatalf("the long one is among %d", s.Assets)
			}
			end = s.End
			sum.Busy += s.Busy
			sum.Waited += s.Waited
			sum.Helped += s.Helped
			sum.Assets += s.Assets
		}
		n := len(took)
		if len(track.spans) > most || sum.Busy != busy || sum.Assets != n || sum.Waited != time.Duration(n) || sum.Helped != time.Duration(2*n) || end != now || track.busy != busy {
			t.Fatalf("%d spans, %+v, want %v busy with %d", len(track.spans), sum, busy, n)
		}
	})
}

// TestTracksAddUp checks the sums over all workers, and the time when only one of them was busy.
func TestTracksAddUp(t *testing.T) {
	d := Detail{Workers: 4}
	d.addTracks([]*track{{end: 10, busy: 9}, {end: 4, busy: 4}, {end: 7, busy: 5, waited: 2, helped: 1}})
	if d.Took != 10 || d.Busy != 18 || d.Idle != 0+6+3+10 || d.Alone != 3 || d.Waited != 2 || d.Helped != 1 {
		t.Errorf("%+v", d)
	}
	none := Detail{Workers: 4}
	if none.addTracks(nil); none.Took != 0 || none.Idle != 0 {
		t.Errorf("%+v", none)
	}
}

// TestDetailIsBounded checks that a detail stays small for many assets, and that its sums are
// complete.
func TestDetailIsBounded(t *testing.T) {
	d, growth := &Detail{}, int64(0)
	long := strings.Repeat("x", 4000)
	for i := range 100_000 {
		s := Size{Path: Path(fmt.Sprint("a/path/", i%777)), Before: int64(i % 1000), After: int64(i * 31 % 1013)}
		if i%100 == 0 {
			s.Path = Path(long)
		}
		growth += s.sizeGrowth()
		d.noteArtifactSize(s)
		d.addWarning("some/path", long)
	}
	d.cutSizes()
	got := d.Rest.After - d.Rest.Before
	for _, s := range d.Sizes {
		got += s.sizeGrowth()
	}
	line, err := json.Marshal(d)
	if err != nil || got != growth || len(line) > 64<<10 || len(d.Warnings)+d.Unlisted != 100_000 {
		t.Errorf("%d bytes, %v; grown by %d, want %d; %d warnings", len(line), err, got, growth, len(d.Warnings)+d.Unlisted)
	}
}

// TestPath encodes and decodes paths with arbitrary bytes.
func TestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Path(rapid.SliceOf(rapid.Byte()).Draw(t, "path"))
		text, err := json.Marshal(Size{Path: want})
		if err != nil {
			t.Fatal(err)
		}
		var got Size
		if err := json.Unmarshal(text, &got); err != nil || got.Path != want {
			t.Fatalf("%q became %q, %v", want, got.Path, err)
		}
	})
}
