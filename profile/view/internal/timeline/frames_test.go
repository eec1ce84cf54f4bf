package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
)

// drawFrameStory generates a random story in which, usually, some scopes and instants mark frames.
func drawFrameStory(t *rapid.T) *story {
	s := drawStory(t)
	for i := range s.names {
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "mark") == 0 {
			s.names[i] = stat.FrameMark
			break
		}
	}
	return s
}

// modelFrames returns the frames of a story: the ended scopes called "frame", and the times between
// successive instants of this name on each row.
func (s *story) modelFrames() (list []Frame) {
	for _, row := range s.rows {
		last := int64(-1)
		for _, h := range row {
			switch {
			case s.names[h.name] != stat.FrameMark:
			case h.kind == events.Scope:
				list = append(list, Frame{Start: h.start, Dur: h.end - h.start})
			case h.kind == events.Instant:
				if last >= 0 {
					list = append(list, Frame{Start: last, Dur: h.start - last})
				}
				last = h.start
			}
		}
	}
	slices.SortFunc(list, func(a, b Frame) int {
		return cmp.Or(cmp.Compare(a.Start+a.Dur, b.Start+b.Dur), cmp.Compare(b.Start, a.Start))
	})
	for i := range list {
		list[i].Number = int64(i)
	}
	return list
}

func (f *Frames) bars() (bars []Frame, counts []int64) {
	for b := range slices.Chunk(f.Frames, 4) {
		bars, counts = append(bars, Frame{b[0], b[1], b[2]}), append(counts, b[3])
	}
	return bars, counts
}

// The bars of a window must be frames of the model, and count all frames that overlap the window. A
// frame may share a bar only with a frame that is at least as long and begins in the same pixel.
func TestFrameBarsMatchModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawFrameStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec, all := recordings[how], s.modelFrames()
			gone := max(len(all)-rec.frames.most, 0)
			from := rapid.Int64Range(-1, s.end()+1).Draw(t, "from")
			to := rapid.Int64Range(from, s.end()+2).Draw(t, "to")
			width := rapid.SampledFrom([]int{1, 3, 50, mostWidth}).Draw(t, "width")
			limit := rapid.Int64Range(-1, 1000).Draw(t, "limit")
			got, err := rec.Frames(t.Context(), from, to, width, limit)
			if err != nil {
				t.Fatal(err)
			}
			bars, counts := got.bars()
			pixel := max((to-from)/int64(width), 1)
			pixelOf := func(f Frame) int64 {
				if f.Start < from {
					return -1
				}
				return (f.Start - from) / pixel
			}
			above, seen, sum := int64(0), int64(0), int64(0)
			for i, f := range all {
				if i < gone {
					continue
				}
				if f.Dur > limit {
					above++
				}
				if f.Start > to || f.Start+f.Dur < from {
					continue
				}
				seen++
				if !slices.ContainsFunc(bars, func(b Frame) bool { return pixelOf(b) == pixelOf(f) && b.Dur >= f.Dur }) {
					t.Fatalf("%s: no bar for %+v in %+v", how, f, bars)
				}
			}
			for i, b := range bars {
				sum += counts[i]
				if !slices.Contains(all, b) || i > 0 && pixelOf(b) <= pixelOf(bars[i-1]) {
					t.Fatalf("%s: bar %d is %+v of %+v, want the frames %+v", how, i, b, bars, all)
				}
			}
			if got.Total != int64(len(all)) || got.Gone != int64(gone) || got.Above != above || sum != seen {
				t.Fatalf("%s: %d frames, %d gone, %d above %d, %d in bars; want %d, %d, %d, %d", how,
					got.Total, got.Gone, got.Above, limit, sum, len(all), gone, above, seen)
			}
		}
	})
}

// Steps from frame to frame must visit exactly the frames above the limit, in both directions, and
// the list of the slowest frames must be sorted by duration.
func TestFrameStepsVisitFramesAboveLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawFrameStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec, all := recordings[how], s.modelFrames()
			all = all[max(len(all)-rec.frames.most, 0):]
			limit := rapid.Int64Range(-1, 500).Draw(t, "limit")
			at := rapid.Int64Range(-1, s.end()+1).Draw(t, "at")
			for _, dir := range []int{1, -1} {
				var want, got []Frame
				for _, f := range all {
					if end := f.Start + f.Dur; f.Dur > limit && (dir > 0 && end > at || dir < 0 && end < at) {
						want = append(want, f)
					}
				}
				if dir < 0 {
					slices.Reverse(want)
				}
				for q := (FrameQuery{Number: -1, At: at, Dir: dir, Limit: limit}); len(got) <= len(all); {
					f, err := rec.Frame(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					if f == nil {
						break
					}
					got = append(got, *f)
					q.Number = f.Number
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: steps by %d from %d above %d visit\n%+v, want\n%+v", how, dir, at, limit, got, want)
				}
			}
			for _, f := range all {
				if got, err := rec.Frame(t.Context(), FrameQuery{Number: f.Number}); err != nil || got == nil || *got != f {
					t.Fatalf("%s: frame %d is %+v, %v; want %+v", how, f.Number, got, err, f)
				}
			}
			if got, err := rec.Frame(t.Context(), FrameQuery{Number: 1 << 40}); err != nil || got != nil {
				t.Fatalf("%s: a frame after the last one: %+v, %v", how, got, err)
			}
			slowest, err := rec.SlowestFrames(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slices.SortStableFunc(all, func(a, b Frame) int { return cmp.Compare(b.Dur, a.Dur) })
			if want := all[:min(len(all), slowestFrames)]; !slices.Equal(slowest, want) {
				t.Fatalf("%s: slowest frames %+v, want %+v", how, slowest, want)
			}
		}
	})
}

// A live tape that drops old blocks keeps the frames after its oldest block, and counts the other
// frames.
func TestFramesOfDroppedBlocksAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawFrameStory(t)
		tape := events.NewTape(rapid.Int64Range(1, 4000).Draw(t, "memory"))
		rec := New(tape)
		oldest := int64(math.MinInt64)
		for stream := s.stream(); len(stream) > 0; {
			n := min(8, len(stream)) // Blocks are longer, so that the index sees each block before the tape drops it.
			if _, err := tape.Write(stream[:n]); err != nil {
				t.Fatal(err)
			}
			stream = stream[n:]
			if _, err := rec.Frames(t.Context(), 0, farthest, 1, 0); err != nil {
				t.Fatal(err)
			}
			if blocks := tape.State().Blocks; len(blocks) > 0 && blocks[0].Number > 0 {
				first := int64(math.MaxInt64)
				for _, b := range blocks {
					if b.Row >= 0 {
						first = min(first, b.From)
					}
				}
				oldest = max(oldest, first)
			}
		}
		all := s.modelFrames()
		got, err := rec.Frames(t.Context(), -1, s.end()+1, mostWidth, -1)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != int64(len(all)) || got.Gone+got.Above != got.Total {
			t.Fatalf("%d frames, %d gone, %d present; want %d", got.Total, got.Gone, got.Above, len(all))
		}
		known := map[[2]int64]bool{}
		for _, f := range rec.frames.list {
			known[[2]int64{f.start, f.dur}] = true
		}
		for _, f := range all {
			if f.Start+f.Dur >= oldest && !known[[2]int64{f.Start, f.Dur}] {
				t.Fatalf("%+v is gone; the oldest time is %d", f, oldest)
			}
		}
	})
}
