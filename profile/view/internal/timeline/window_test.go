package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
)

// drawStory generates a random story: rows of nested scopes, with instants and values between them.
// It divides the records into blocks at random.
func drawStory(t *rapid.T) *story {
	s := &story{names: []string{"", "encode", "decode", "wall.png", "floor.png", "pass"}}
	name := func() int { return rapid.IntRange(0, len(s.names)-1).Draw(t, "name") }
	step := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1000))
	for range rapid.IntRange(1, 3).Draw(t, "rows") {
		var list []happening
		now := step.Draw(t, "begin")
		budget := rapid.IntRange(0, 60).Draw(t, "budget")
		var live func(depth int)
		live = func(depth int) {
			for range rapid.IntRange(0, 5).Draw(t, "events") {
				if budget--; budget < 0 {
					return
				}
				now += step.Draw(t, "pause")
				h := happening{name: name(), detail: name(), start: now, flush: rapid.IntRange(0, 4).Draw(t, "flush") == 0}
				switch rapid.IntRange(0, 9).Draw(t, "kind") {
				case 0:
					h.kind, h.end = events.Instant, now
				case 1:
					h.kind, h.end, h.value = events.Value, now, float64(rapid.IntRange(-9, 9).Draw(t, "value"))
				case 2, 3:
					kind := rapid.SampledFrom([]events.Kind{events.Alloc, events.Alloc, events.Free}).Draw(t, "change")
					h.kind, h.end, h.value = kind, now, float64(rapid.IntRange(0, 9).Draw(t, "bytes"))
				default:
					h.kind = events.Scope
					if depth < 6 {
						live(depth + 1)
					}
					now += 1 + step.Draw(t, "dur")
					h.end = now
				}
				list = append(list, h)
			}
		}
		// A scope that has not ended may begin before, between or after the other scopes.
		var open []happening
		for budget > 0 {
			if len(open) < 3 && rapid.IntRange(0, 3).Draw(t, "open") == 0 {
				open = append(open, happening{kind: events.Open, name: name(), start: now})
				now++
			}
			live(0)
			budget--
		}
		s.rows, s.open = append(s.rows, list), append(s.open, open)
	}
	return s
}

// A drawn is a span that a window should contain.
type drawn struct {
	start, dur   int64
	name, detail string
	depth, count int64
}

// spans returns the spans of a story that overlap a window, with their depths.
func (s *story) spans(row int, from, to int64) (list []drawn) {
	all := s.rows[row]
	for i, h := range all {
		if h.kind != events.Scope || h.start > to || h.end < from {
			continue
		}
		depth, begin := int64(0), h.start
		for _, later := range all[i+1:] {
			if later.kind == events.Scope && later.start <= begin {
				depth, begin = depth+1, later.start
			}
		}
		for k := len(s.open[row]) - 1; k >= 0; k-- {
			if s.open[row][k].start <= begin {
				depth++
			}
		}
		list = append(list, drawn{h.start, h.end - h.start, s.names[h.name], s.names[h.detail], depth, 1})
	}
	return list
}

func (w *Window) spans(row int) (list []drawn) {
	for _, r := range w.Rows {
		for s := range slices.Chunk(r.Spans, spanFields) {
			if r.Row == row {
				list = append(list, drawn{s[0], s[1], w.Names[s[2]], w.Names[s[3]], s[4], s[5]})
			}
		}
	}
	return list
}

func sorted(list []drawn) []drawn {
	slices.SortFunc(list, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.depth, b.depth), cmp.Compare(a.dur, b.dur),
			cmp.Compare(a.name, b.name), cmp.Compare(a.detail, b.detail))
	})
	return list
}

func (s *story) end() (end int64) {
	for _, list := range s.rows {
		if n := len(list); n > 0 {
			end = max(end, list[n-1].end)
		}
	}
	return end
}

// indexed returns three recordings of a story. The first draws windows from cells, the second
// decodes blocks, and the third has received the stream in pieces.
func indexed(t *rapid.T, s *story) map[string]*Recording {
	stream := s.stream()
	binned := New(events.OpenTape(stream))
	coarse := New(events.OpenTape(stream))
	coarse.bins.width = 1 << 20
	tape := events.NewTape(0)
	live := New(tape)
	binned.chunk = rapid.IntRange(1, 4).Draw(t, "chunk")
	binned.bins.width = rapid.SampledFrom([]int64{1, 16, 128}).Draw(t, "bins")
	live.bins.width = binned.bins.width
	binned.bins.most = rapid.SampledFrom([]int{4, 20, mostCells}).Draw(t, "most")
	live.bins.most = binned.bins.most
	binned.frames.most = rapid.SampledFrom([]int{1, 5, mostFrames}).Draw(t, "frames")
	live.frames.most = binned.frames.most
	for rest := stream; len(rest) > 0; {
		n := min(rapid.IntRange(1, 400).Draw(t, "piece"), len(rest))
		if _, err := tape.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
		if _, err := live.Window(t.Context(), 0, math.MaxInt64, 100); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]*Recording{"cells": binned, "blocks": coarse, "live": live}
}

// A window must have exactly the scopes that overlap it, at their depths, for any division into
// blocks.
func TestWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec, end := recordings[how], s.end()
			from := rapid.Int64Range(-1, end+1).Draw(t, "from")
			to := min(rapid.Int64Range(from, end+2).Draw(t, "to"), from+mostWidth)
			w, err := rec.Window(t.Context(), from, to, mostWidth)
			if err != nil {
				t.Fatal(err)
			}
			for row := range s.rows {
				got, want := sorted(w.spans(row)), sorted(s.spans(row, from, to))
				if !slices.Equal(got, want) {
					t.Fatalf("%s: row %d from %d to %d:\ngot  %v\nwant %v", how, row, from, to, got, want)
				}
			}
		}
	})
}

// Scopes narrower than a pixel must be merged at their depth and all counted. Wider scopes must be
// separate.
func TestWindowJoins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec := recordings[how]
			width := rapid.IntRange(1, 50).Draw(t, "width")
			w, err := rec.Window(t.Context(), 0, s.end(), width)
			if err != nil {
				t.Fatal(err)
			}
			pixel := max(s.end()/int64(width), 1)
			for row := range s.rows {
				want, got := map[int64]int64{}, map[int64]int64{}
				list := w.spans(row)
				for _, span := range s.spans(row, 0, s.end()) {
					want[span.depth]++
					if span.dur >= pixel && !slices.Contains(list, span) {
						t.Fatalf("%s: %+v is missing at %d ns a pixel: %+v", how, span, pixel, list)
					}
				}
				for _, span := range list {
					got[span.depth] += span.count
					if span.count > 1 && span.dur > 2*pixel {
						t.Fatalf("%s: %+v is joined at %d ns a pixel", how, span, pixel)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s: by depth %v, want %v", how, got, want)
				}
			}
		}
	})
}

// Two scopes have different depths if one begins before a long scope and the other after the
// beginning of the long scope. Wider bins must not merge such scopes, even if an instant precedes
// them in the list of cells.
func TestWidenKeepsSplits(t *testing.T) {
	before := cell{start: 893, end: 1023, took: 130, count: 1, pos: 6, level: 1}
	after := cell{start: 1025, end: 1026, took: 1, count: 1, pos: 8, level: 1}
	instant := cell{start: 1024, end: 1024, count: 1, pos: 7}
	b := block{cells: []cell{instant, after, before}, splits: []int64{1025}}
	b.widen(&joiner{}, 2048)
	if want := []cell{instant, after, before}; !slices.Equal(b.cells, want) {
		t.Errorf("got  %+v\nwant %+v", b.cells, want)
	}
}
