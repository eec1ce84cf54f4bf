package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
)

// changesOf returns the changes of a level in a story, in the order of time.
func (s *story) changesOf(level string) (list []happening) {
	for _, row := range s.rows {
		for _, h := range row {
			if (h.kind == events.Alloc || h.kind == events.Free) && (level == allLevels || shown(s.names[h.name])+levelEnding == level) {
				list = append(list, h)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b happening) int { return cmp.Compare(a.start, b.start) })
	return list
}

// A level is the running sum over all rows: each pixel has its exact least, greatest and last level,
// and the window begins with the level before it.
func TestLevelsAreRunningSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			from := rapid.Int64Range(0, s.end()+1).Draw(t, "from")
			to := rapid.Int64Range(from, s.end()+2).Draw(t, "to")
			width := rapid.IntRange(1, 20).Draw(t, "width")
			asked := []string{"encode" + levelEnding, allLevels, "none" + levelEnding}
			got, err := recordings[how].Values(t.Context(), from, to, width, asked)
			if err != nil || len(got.Series[2]) != 0 {
				t.Fatal(got, err)
			}
			for i, name := range asked[:2] {
				if !slices.Contains(got.Levels, name) {
					if all := s.changesOf(name); len(got.Series[i]) != 0 || len(all) > 0 && name != allLevels {
						t.Fatalf("%s: %s is not in %q", how, name, got.Levels)
					}
					continue
				}
				step := max((to-from)/int64(width), 1)
				sum, before := 0.0, ""
				want := map[int64][3]float64{} // least, greatest and last level by pixel
				for _, h := range s.changesOf(name) {
					if h.start > to {
						break
					}
					if sum += h.value; h.kind == events.Free {
						sum -= 2 * h.value
					}
					if h.start < from {
						before = fmt.Sprint(sum)
						continue
					}
					at := (h.start - from) / step
					if p, ok := want[at]; ok {
						want[at] = [3]float64{min(p[0], sum), max(p[1], sum), sum}
					} else {
						want[at] = [3]float64{sum, sum, sum}
					}
				}
				have, haveBefore := map[int64][3]float64{}, ""
				for p := range slices.Chunk(got.Series[i], 2) {
					if int64(p[0]) < from {
						haveBefore = fmt.Sprint(p[1])
						continue
					}
					at := (int64(p[0]) - from) / step
					if h, ok := have[at]; ok {
						have[at] = [3]float64{min(h[0], p[1]), max(h[1], p[1]), p[1]}
					} else {
						have[at] = [3]float64{p[1], p[1], p[1]}
					}
				}
				if before != haveBefore || !maps.Equal(want, have) {
					t.Fatalf("%s: %s from %d, %d a pixel: %q then %v, want %q then %v", how, name, from, step, haveBefore, have, before, want)
				}
			}
		}
	})
}

// A tape that drops its oldest blocks keeps the levels that these blocks have reached.
func TestLevelsOutlastDroppedBlocks(t *testing.T) {
	feed := &story{names: []string{"", "images"}, rows: make([][]happening, 1)}
	const n = 20_000
	for i := range int64(n) {
		feed.rows[0] = append(feed.rows[0], happening{kind: events.Alloc, name: 1, start: i * 1000, end: i * 1000, value: 3, flush: i%100 == 0})
	}
	tape := events.NewTape(1 << 12)
	rec := New(tape)
	for part := range slices.Chunk(feed.stream(), 500) {
		tape.Write(part)
		if _, err := rec.Values(t.Context(), 0, 1, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if tape.State().Forgotten == 0 {
		t.Fatal("the tape has dropped no block")
	}
	got, err := rec.Values(t.Context(), 0, n*1000, 10, []string{"images" + levelEnding})
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Series[0]; len(s) < 2 || s[len(s)-1] != 3*n {
		t.Errorf("the level at the end is %v, want %d", s[max(0, len(s)-2):], 3*n)
	}
}
