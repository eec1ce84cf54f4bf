package rectpack

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func upTo(n int) (sides []int) {
	for i := range n {
		sides = append(sides, i+1)
	}
	return sides
}

var powers = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

// set returns random rectangles of a kind that is common in games.
func set(r *rand.Rand, n int) (rects []Size) {
	between := func(a, b int) int { return a + r.IntN(b-a+1) }
	switch kind := r.IntN(5); kind {
	case 0: // sizes of icons
		side := between(8, 64)
		for range n {
			rects = append(rects, Size{side, side})
		}
	case 1: // sizes of trimmed frames of an animation
		w, h := between(20, 150), between(20, 150)
		for range n {
			rects = append(rects, Size{between(w/2, w), between(h/2, h)})
		}
	case 2: // sizes of words and glyphs
		h := between(8, 40)
		for range n {
			rects = append(rects, Size{between(3, 4*h), between(h/2, h)})
		}
	case 3: // a mixture with few large and many small rectangles
		for range n {
			side := 4 << r.IntN(6)
			rects = append(rects, Size{between(side/2, side), between(side/2, side)})
		}
	case 4: // sizes of bars and buttons
		for range n {
			rects = append(rects, Size{between(1, 200), between(1, 30)})
			if r.IntN(2) == 0 {
				rects[len(rects)-1] = turnedSize(rects[len(rects)-1], true)
			}
		}
	}
	return rects
}

// check fails the test if a layout is invalid.
func check(t *testing.T, name string, rects []Size, l Layout, o Options) {
	t.Helper()
	if len(l.Places) != len(rects) || len(l.Pages) > o.Pages {
		t.Fatalf("%s: %d places for %d rectangles, %d pages", name, len(l.Places), len(rects), len(l.Pages))
	}
	for _, page := range l.Pages {
		if !slices.Contains(o.Sides, page.W) || !slices.Contains(o.Sides, page.H) || o.Square && page.W != page.H {
			t.Errorf("%s: a page of %v", name, page)
		}
	}
	taken := make([][]bool, len(l.Pages))
	for i, page := range l.Pages {
		taken[i] = make([]bool, page.areaOf())
	}
	for i, at := range l.Places {
		r := turnedSize(rects[i], at.Turned)
		page := l.Pages[at.Page]
		if at.X < 0 || at.Y < 0 || at.X+r.W > page.W || at.Y+r.H > page.H || at.Turned && !o.Turn {
			t.Fatalf("%s: %v at %v on a page of %v", name, rects[i], at, page)
		}
		for y := at.Y; y < at.Y+r.H; y++ {
			for x := at.X; x < at.X+r.W; x++ {
				if taken[at.Page][y*page.W+x] {
					t.Fatalf("%s: %v at %v lies on another one", name, rects[i], at)
				}
				taken[at.Page][y*page.W+x] = true
			}
		}
	}
}

func area(pages []Size) (sum int) {
	for _, page := range pages {
		sum += page.areaOf()
	}
	return sum
}

func TestPack(t *testing.T) {
	for name, tc := range map[string]struct {
		rects []Size
		o     Options
		want  []Size // expected pages
	}{
		"none":            {nil, Options{Sides: upTo(9), Pages: 1}, nil},
		"one":             {[]Size{{3, 5}}, Options{Sides: upTo(9), Pages: 1}, []Size{{3, 5}}},
		"one power":       {[]Size{{3, 5}}, Options{Sides: powers, Pages: 1}, []Size{{4, 8}}},
		"one square":      {[]Size{{3, 5}}, Options{Sides: upTo(9), Pages: 1, Square: true}, []Size{{5, 5}}},
		"four squares":    {[]Size{{2, 2}, {2, 2}, {2, 2}, {2, 2}}, Options{Sides: upTo(9), Pages: 1}, []Size{{4, 4}}},
		"without turning": {[]Size{{1, 4}, {4, 1}}, Options{Sides: upTo(9), Pages: 1}, []Size{{5, 4}}},
		"with turning":    {[]Size{{1, 4}, {4, 1}}, Options{Sides: upTo(9), Pages: 1, Turn: true}, []Size{{2, 4}}},
		"must be turned":  {[]Size{{2, 6}, {2, 6}, {6, 2}}, Options{Sides: []int{6}, Pages: 1, Turn: true}, []Size{{6, 6}}},
		"two pages":       {[]Size{{4, 4}, {4, 4}, {1, 1}}, Options{Sides: upTo(4), Pages: 9}, []Size{{4, 4}, {4, 4}, {1, 1}}},
	} {
		l, err := Pack(t.Context(), tc.rects, tc.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		check(t, name, tc.rects, l, tc.o)
		if d := gocmp.Diff(tc.want, l.Pages); d != "" && (len(l.Pages) != 1 || l.Pages[0] != turnedSize(tc.want[0], true)) {
			t.Errorf("%s: %s", name, d)
		}
	}
	var large *TooLargeError
	if _, err := Pack(t.Context(), []Size{{1, 1}, {10, 1}}, Options{Sides: upTo(9), Pages: 9}); !errors.As(err, &large) || large.Rect != 1 {
		t.Error(err)
	}
	var full *FullError
	if _, err := Pack(t.Context(), []Size{{9, 9}, {9, 9}, {9, 9}}, Options{Sides: upTo(9), Pages: 1}); !errors.As(err, &full) || full.Left != 2 {
		t.Error(err)
	}
}

// TestPackRandomSets checks that layouts of random sets are valid, reproducible and dense.
func TestPackRandomSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		rects := set(r, 1+r.IntN(60))
		o := Options{Sides: [][]int{upTo(512), powers}[r.IntN(2)], Pages: 50, Turn: r.IntN(2) == 0, Square: r.IntN(4) == 0}
		l, err := Pack(t.Context(), rects, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("set ", i), rects, l, o)
		again, err := Pack(t.Context(), rects, o)
		if d := gocmp.Diff(l, again); d != "" || err != nil {
			t.Errorf("set %d: again: %v %s", i, err, d)
		}
	}
}

// TestKeep checks that existing rectangles keep their places when new rectangles are added.
func TestKeep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		rects := set(r, 5+r.IntN(60))
		o := Options{Sides: [][]int{upTo(512), powers}[r.IntN(2)], Pages: 50, Turn: r.IntN(2) == 0}
		before, err := Keep(t.Context(), rects, make([]*Place, len(rects)), nil, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("set ", i), rects, before, o)
		places := make([]*Place, len(rects))
		kept := 0
		for j := range rects {
			if r.IntN(10) > 0 {
				places[j] = &before.Places[j]
				kept++
			} else {
				rects[j] = set(r, 1)[0]
			}
		}
		after, err := Keep(t.Context(), rects, places, before.Pages, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("set ", i, " edited"), rects, after, o)
		for j := range rects {
			if places[j] != nil && after.Places[j] != *places[j] {
				t.Errorf("set %d: rectangle %d of %d was moved", i, j, kept)
			}
		}
	}

	// An invalid place is treated like a missing one.
	o := Options{Sides: upTo(8), Pages: 2}
	rects := []Size{{4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}}
	l, err := Keep(t.Context(), rects, []*Place{{X: 2}, {X: 2}, {Page: 7}, {X: 6, Y: 6}, {X: 2, Y: 4, Turned: true}}, []Size{{8, 8}, {8, 8}}, o)
	if err != nil || l.Places[0] != (Place{X: 2}) || area(l.Pages) > 128 {
		t.Errorf("%v, %v", l, err)
	}
	check(t, "wrong places", rects, l, o)
	if l, err := Keep(t.Context(), rects[:1], []*Place{{X: 1}}, []Size{{8, 8}, {8, 8}}, o); err != nil || len(l.Pages) != 1 {
		t.Errorf("an empty page stays: %v, %v", l, err)
	}
	var full *FullError
	if _, err := Keep(t.Context(), []Size{{8, 8}, {8, 8}, {8, 8}}, []*Place{{}, nil, nil}, []Size{{8, 8}}, o); !errors.As(err, &full) || full.Left != 1 {
		t.Error(err)
	}
	var large *TooLargeError
	if _, err := Keep(t.Context(), []Size{{8, 8}, {9, 8}}, []*Place{{}, nil}, []Size{{8, 8}}, o); !errors.As(err, &large) || large.Rect != 1 {
		t.Error(err)
	}
}

// TestKeepGrows checks that a full page grows no more than needed, and does not become a long
// strip.
func TestKeepGrows(t *testing.T) {
	for name, tc := range map[string]struct {
		page, more Size
		o          Options
		want       Size
	}{
		"a square":          {Size{100, 100}, Size{10, 3}, Options{Sides: upTo(999)}, Size{100, 103}},
		"a high one":        {Size{100, 150}, Size{7, 3}, Options{Sides: upTo(999)}, Size{100, 153}},
		"a wide one":        {Size{150, 100}, Size{3, 7}, Options{Sides: upTo(999)}, Size{153, 100}},
		"that is turned":    {Size{100, 150}, Size{3, 95}, Options{Sides: upTo(999), Turn: true}, Size{100, 153}},
		"twice as high":     {Size{100, 200}, Size{10, 10}, Options{Sides: upTo(999)}, Size{110, 200}},
		"both sides":        {Size{100, 200}, Size{160, 10}, Options{Sides: upTo(999)}, Size{160, 210}},
		"as high as can be": {Size{90, 100}, Size{10, 10}, Options{Sides: upTo(100)}, Size{100, 100}},
		"powers":            {Size{64, 64}, Size{10, 10}, Options{Sides: powers}, Size{64, 128}},
		"squares":           {Size{64, 64}, Size{10, 10}, Options{Sides: upTo(999), Square: true}, Size{74, 74}},
	} {
		tc.o.Pages = 1
		rects := []Size{tc.page, tc.more}
		l, err := Keep(t.Context(), rects, []*Place{{}, nil}, []Size{tc.page}, tc.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check(t, name, rects, l, tc.o)
		if d := gocmp.Diff([]Size{tc.want}, l.Pages); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestExtended compares the free space of an extended page with a page that had this size from
// the start.
func TestExtended(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	sorted := func(s *space) []rect {
		return slices.SortedFunc(slices.Values(s.free), func(a, b rect) int {
			return cmp.Or(a.x-b.x, a.y-b.y, a.w-b.w, a.h-b.h)
		})
	}
	for i := range 300 {
		from := Size{100 + r.IntN(100), 100 + r.IntN(100)}
		to := Size{from.W + r.IntN(2)*r.IntN(50), from.H + r.IntN(2)*r.IntN(50)}
		small, large := newSpace(from), newSpace(to)
		for _, size := range set(r, i%40) {
			if _, at, ok := small.findBest([]Size{size}, []int{0}, false, rules[i%len(rules)]); ok {
				small.occupy(at, size)
				large.occupy(at, size)
			}
		}
		if d := gocmp.Diff(sorted(large), sorted(small.extended(from, to)), gocmp.AllowUnexported(rect{})); d != "" {
			t.Fatalf("%d: %v to %v: %s", i, from, to, d)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	for _, n := range []int{50, 500, 5000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			rects := make([]Size, n)
			for i := range rects {
				rects[i] = Size{4 + r.IntN(60), 4 + r.IntN(60)}
			}
			for b.Loop() {
				l, err := Pack(b.Context(), rects, Options{Sides: upTo(8192), Pages: 1})
				if err != nil {
					b.Fatal(err)
				}
				sum := 0
				for _, s := range rects {
					sum += s.areaOf()
				}
				b.ReportMetric(100*float64(sum)/float64(area(l.Pages)), "%full")
			}
		})
	}
}
