package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
)

// Sums must include the scopes that overlap the window, with their own times.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			q := Query{Row: rapid.IntRange(-1, len(s.rows)-1).Draw(t, "row")}
			q.Name = rapid.SampledFrom([]string{"", "", "encode"}).Draw(t, "only name")
			q.Detail = rapid.SampledFrom([]string{"", "", "wall.png"}).Draw(t, "only detail")
			q.From = rapid.Int64Range(-1, s.end()+1).Draw(t, "from")
			q.To = rapid.Int64Range(q.From, s.end()+2).Draw(t, "to")
			q.Within = rapid.Bool().Draw(t, "within")
			got, err := recordings[how].Sums(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := s.sums(q)
			count := int64(0)
			for _, sum := range got.Names {
				w := want[sum.Name]
				delete(want, sum.Name)
				slices.Sort(w.durs)
				n := int64(len(w.durs))
				if sum.Count != n || sum.Total != w.total || sum.Self != w.self || sum.Min != w.durs[0] || sum.Max != w.durs[n-1] ||
					sum.Mean != w.total/n || 32*max(sum.P50-w.durs[(n-1)/2], w.durs[(n-1)/2]-sum.P50) > w.durs[(n-1)/2] {
					t.Fatalf("%s %+v: got %+v, want %+v", how, q, sum, w)
				}
				count += sum.Count
			}
			if len(want) > 0 {
				t.Fatalf("%s %+v: %v are missing", how, q, want)
			}
			for _, bar := range got.Histogram {
				count -= int64(bar.Count)
			}
			if count != 0 || !slices.IsSortedFunc(got.Slowest, func(a, b Slow) int { return cmp.Compare(b.Dur, a.Dur) }) {
				t.Fatalf("%s: %+v", how, got)
			}
		}
	})
}

type modelSum struct {
	total, self int64
	durs        []int64
}

func (s *story) sums(q Query) map[string]*modelSum {
	sums := map[string]*modelSum{}
	for row, all := range s.rows {
		inner := make([]int64, len(all))
		for i, h := range all {
			for k := i + 1; k < len(all) && h.kind == events.Scope; k++ {
				if all[k].kind == events.Scope && all[k].start <= h.start {
					inner[k] += h.end - h.start
					break
				}
			}
		}
		for i, h := range all {
			if h.kind != events.Scope || h.start > q.To || h.end < q.From || q.Within && (h.start < q.From || h.end > q.To) || q.Row >= 0 && q.Row != row ||
				q.Name != "" && s.names[h.name] != q.Name || q.Detail != "" && s.names[h.detail] != q.Detail {
				continue
			}
			m := sums[s.names[h.name]]
			if m == nil {
				m = &modelSum{}
				sums[s.names[h.name]] = m
			}
			m.total, m.self, m.durs = m.total+h.end-h.start, m.self+h.end-h.start-inner[i], append(m.durs, h.end-h.start)
		}
	}
	return sums
}

// Moving from hit to hit, forward or backward, must visit the start of every hit and return its
// depth.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			rec := recordings[how]
			text := rapid.SampledFrom([]string{"CODE", "wall", ".png", "nothing of this", "Pass"}).Draw(t, "text")
			var want []int64
			count := int64(0)
			for _, list := range s.rows {
				for _, h := range list {
					if (h.kind == events.Scope || h.kind == events.Instant) && (strings.Contains(s.names[h.name], strings.ToLower(text)) ||
						strings.Contains(s.names[h.detail], strings.ToLower(text))) {
						want = append(want, h.start)
						count++
					}
				}
			}
			slices.Sort(want)
			want = slices.Compact(want)
			var forth, back []int64
			for _, backwards := range []bool{false, true} {
				at := int64(-1)
				if backwards {
					at = math.MaxInt64
				}
				for {
					f, err := rec.Find(t.Context(), text, at, backwards)
					if err != nil || f.Count != count {
						t.Fatalf("%s: %d hits, want %d (%v)", how, f.Count, count, err)
					}
					if f.Hit == nil {
						break
					}
					if at = f.Hit.Start; backwards {
						back = append(back, at)
					} else {
						forth = append(forth, at)
					}
					if f.Hit.Dur > 0 && !slices.Contains(s.spans(f.Hit.Row, at, at),
						drawn{at, f.Hit.Dur, f.Hit.Name, f.Hit.Detail, int64(f.Hit.Depth), 1}) {
						t.Fatalf("%s: %+v is not there", how, f.Hit)
					}
				}
			}
			slices.Reverse(back)
			if !slices.Equal(forth, want) || !slices.Equal(back, want) {
				t.Fatalf("%s: %q is at %v and %v, want %v", how, text, forth, back, want)
			}
		}
	})
}

// Values must return the first, least, greatest and last value of each pixel, and the last value
// before the window.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		recordings := indexed(t, s)
		for _, how := range slices.Sorted(maps.Keys(recordings)) {
			from := rapid.Int64Range(0, s.end()+1).Draw(t, "from")
			to := rapid.Int64Range(from, s.end()+2).Draw(t, "to")
			width := rapid.IntRange(1, 20).Draw(t, "width")
			got, err := recordings[how].Values(t.Context(), from, to, width, []string{"encode", "none"})
			if err != nil || len(got.Series) != 2 || len(got.Series[1]) != 0 {
				t.Fatal(got, err)
			}
			names := map[string]bool{}
			step := max((to-from)/int64(width), 1)
			low, high := map[int64]float64{}, map[int64]float64{}
			before := int64(-1)
			for _, list := range s.rows {
				for _, h := range list {
					if h.kind != events.Value {
						continue
					}
					names[s.names[h.name]] = true
					if s.names[h.name] != "encode" || h.start > to {
						continue
					}
					if h.start < from {
						before = max(before, h.start)
						continue
					}
					at := (h.start - from) / step
					if _, ok := low[at]; !ok {
						low[at], high[at] = h.value, h.value
					}
					low[at], high[at] = min(low[at], h.value), max(high[at], h.value)
				}
			}
			for _, level := range got.Levels {
				names[level] = true
			}
			if !slices.Equal(got.Names, append([]string{}, slices.Sorted(maps.Keys(names))...)) {
				t.Fatalf("%s: names %q, want %v", how, got.Names, names)
			}
			gotLow, gotHigh, gotBefore, last := map[int64]float64{}, map[int64]float64{}, int64(-1), int64(-1)
			for p := range slices.Chunk(got.Series[0], 2) {
				at, v := int64(p[0]), p[1]
				if at < last {
					t.Fatalf("%s: out of order: %v", how, got.Series[0])
				}
				if last = at; at < from {
					gotBefore = at
					continue
				}
				at = (at - from) / step
				if _, ok := gotLow[at]; !ok {
					gotLow[at], gotHigh[at] = v, v
				}
				gotLow[at], gotHigh[at] = min(gotLow[at], v), max(gotHigh[at], v)
			}
			if gotBefore != before || !maps.Equal(low, gotLow) || !maps.Equal(high, gotHigh) {
				t.Fatalf("%s: %v from %d, %d a pixel; want %v to %v, before %d", how, got.Series[0], from, step, low, high, before)
			}
		}
	})
}

// Compare must find all of a hundred planted changes, and no other changes.
func TestPlantedChangesAreFound(t *testing.T) {
	build := func(changed bool) *Recording {
		s := &story{names: []string{""}, rows: make([][]happening, 2)}
		for i := range 5000 {
			row := i % 2
			now := int64(i * 100)
			dur := int64(10 + i%50)
			if changed && i%50 == 7 {
				dur += int64(i%40) + 1
			}
			s.rows[row] = append(s.rows[row], happening{kind: events.Scope, name: s.name(fmt.Sprint("step ", i%10)),
				detail: s.name(fmt.Sprint("asset ", i)), start: now, end: now + dur, flush: i%300 == 0})
		}
		return New(events.OpenTape(s.stream()))
	}
	c, err := Compare(t.Context(), build(false), build(true))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Assets) != 100 || c.More != 0 || len(c.Scopes) != 1 || c.Scopes[0].Name != "step 7" {
		t.Fatalf("%d assets, %+v", len(c.Assets), c.Scopes)
	}
	for _, a := range c.Assets {
		var i int64
		fmt.Sscanf(a.Detail, "asset %d", &i)
		if i%50 != 7 || a.B.Total-a.A.Total != i%40+1 || a.A.Count != 1 || a.B.Count != 1 {
			t.Errorf("%+v", a)
		}
	}
	same, err := Compare(t.Context(), build(true), build(true))
	if err != nil || len(same.Assets)+len(same.Scopes)+same.More > 0 {
		t.Errorf("the same differ: %+v", same)
	}
}
